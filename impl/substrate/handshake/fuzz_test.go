package handshake_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// SUBSTRATE-HANDSHAKE-001, SUBSTRATE-AUTH-004: any octets at any stage are a failure with a code, or are the very message that belongs
// there; and nobody is ready but by that.
func FuzzHandshake(f *testing.F) {
	_, _, sent := exchange(dialer(f, dialing(1)), listener(f, listening(1)), nil)
	for stage, m := range sent {
		for other := range sent {
			f.Add(uint8(stage), sent[other].octets)
		}
		f.Add(uint8(stage), m.octets[:len(m.octets)/2])
	}
	f.Add(uint8(0), []byte{0x80})
	f.Fuzz(func(t *testing.T, stage uint8, b []byte) {
		at := int(stage) % len(sent)
		before := bytes.Clone(b)
		dialed, listened, got := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
			if n == at {
				return b
			}
			return m.octets
		})
		if !bytes.Equal(before, b) {
			t.Fatal("the message was written to")
		}
		if bytes.Equal(b, sent[at].octets) {
			if dialed.ready == nil || listened.ready == nil {
				t.Fatalf("%v, %v", dialed.failure, listened.failure)
			}
			return
		}
		// The dialer has the last word, and does not hear what becomes of it.
		if listened.ready != nil || dialed.ready != nil && at < len(sent)-1 {
			t.Fatalf("ready in spite of message %d being %x", at, b)
		}
		codes := []uint16{handshake.CloseTimeout, handshake.CloseMismatch, handshake.CloseAuth, handshake.CloseProtocol}
		failures := 0
		for _, f := range []*handshake.Failure{dialed.failure, listened.failure} {
			if f != nil {
				failures++
				if !slices.Contains(codes, f.CloseCode) || f.Reason == "" || f.Law == "" {
					t.Fatalf("%+v", f)
				}
			}
		}
		if failures != 1 || len(got) > len(sent) {
			t.Fatalf("%v, %v after %d messages", dialed.failure, listened.failure, len(got))
		}
	})
}
