package fuzz

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// FuzzStompStable encodes what any octets decode to: the encoder refuses only what the decoder may be more tolerant in, and else
// the octets decode to the same events and encode to themselves.
func FuzzStompStable(f *testing.F) {
	for _, s := range streamSeeds(f) {
		f.Add(s.stream, byte(s.in))
	}
	f.Fuzz(func(t *testing.T, stream []byte, in byte) {
		if len(stream) > largestSeed {
			t.Skip("longer than a seed may be")
		}
		for _, v := range versionSet(in).versions() {
			events, _, err := decodeAll(v, stream, pinned)
			if err == nil {
				err = stable(v, events)
			}
			if err != nil {
				t.Fatalf("%v\nSTOMP %s, stream %q", err, v, stream)
			}
		}
	})
}

func stable(v frame.Version, events []frame.Event) error {
	var (
		once []byte
		kept []*frame.Frame
		e    = frame.Encoder{Version: v}
	)
	for _, event := range events {
		out, err := e.Append(once, event.Frame)
		if law := tolerated(v, event.Frame); (law != "") != (err != nil) {
			return fmt.Errorf("%q decoded; encoded again: %v, the law that forbids it: %q", event.Frame, err, law)
		}
		if err != nil {
			continue
		}
		once = out
		if event.Frame == nil {
			kept = append(kept, nil)
		} else {
			kept = append(kept, counted(event.Frame))
		}
	}
	limits := frame.Limits{Line: 1 << 20, Headers: 1 << 20, Body: 1 << 20, Events: len(kept) + 1}
	d, err := twin{version: v, handshake: pinned, limits: limits}.decoder(false)
	if err != nil {
		return err
	}
	again, err := d.Feed(once)
	if err != nil || d.End() != nil || len(again) != len(kept) {
		return fmt.Errorf("%q decodes to %d events, want %d: %w", once, len(again), len(kept), err)
	}
	var twice bytes.Buffer
	for i, event := range again {
		if (event.Frame == nil) != (kept[i] == nil) {
			return fmt.Errorf("event %d of %q is %v, want %v", i+1, once, event.Frame, kept[i])
		}
		if event.Frame != nil {
			if err := sameModelFrame(modelFrame(kept[i]), event.Frame); err != nil {
				return fmt.Errorf("event %d of %q: %w", i+1, once, err)
			}
		}
		if _, err := e.WriteTo(&twice, event.Frame); err != nil {
			return fmt.Errorf("event %d of %q: %w", i+1, once, err)
		}
	}
	if !bytes.Equal(twice.Bytes(), once) {
		return fmt.Errorf("%q became %q", once, twice.Bytes())
	}
	return nil
}

// tolerated returns the law that forbids to write f, a frame that was read, or "".
func tolerated(v frame.Version, f *frame.Frame) string {
	if f == nil {
		return ""
	}
	if v == frame.V10 && f.Command == frame.RECEIPT && len(f.Body) > 0 {
		return "STOMP-BODY-015"
	}
	verbatim := f.Command == frame.CONNECT || f.Command == frame.CONNECTED
	for _, h := range f.Headers {
		// A reader of 1.0 takes what its grammar leaves out.
		if v == frame.V10 && (h.Value == "" || !isASCII(h.Name) || !isASCII(h.Value)) {
			return "STOMP-HDR-003"
		}
		// Before 1.2 CR is data, which these two commands have no escape for.
		if verbatim && (strings.ContainsRune(h.Name, '\r') || strings.ContainsRune(h.Value, '\r')) {
			return "STOMP-ESC-008"
		}
	}
	// A reader of 1.0 takes the padding off (STOMP-HDR-008), a writer adds none.
	if n, ok := f.Get("content-length"); ok && v == frame.V10 && strings.ContainsRune(n, ' ') {
		return "STOMP-BODY-013"
	}
	return ""
}
