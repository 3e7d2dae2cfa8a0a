package handshake_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// noKeys knows nobody.
func noKeys(string) (handshake.Record, bool) { return handshake.Record{}, false }

// SUBSTRATE-AUTH-004, SUBSTRATE-AUTH-007, SUBSTRATE-AUTH-008: a key that is wrong, missing or revoked, on the left, on the right and on both.
func TestWithoutTheKeyNobodyIsReady(t *testing.T) {
	for name, c := range map[string]struct{ dialer, listener handshake.Keys }{
		"wrong key of the dialer":   {records(8), records(7)},
		"wrong key of the listener": {records(7), records(8)},
		"wrong keys of both":        {records(8), records(9)},
		"listener knows nobody":     {records(7), noKeys},
		"dialer knows nobody":       {noKeys, records(7)},
		"nobody knows anybody":      {noKeys, noKeys},
		"key of another peer": {records(7), func(peer string) (handshake.Record, bool) {
			r, known := records(7)(peer)
			if peer == "alice" {
				r.Key[0]++
			}
			return r, known
		}},
	} {
		a, b := dialing(1), listening(1)
		a.Auth, b.Auth = handshake.HMAC(c.dialer), handshake.HMAC(c.listener)
		dialed, listened, _ := exchange(dialer(t, a), listener(t, b), nil)
		if dialed.ready != nil || listened.ready != nil {
			t.Errorf("%s: ready", name)
		}
		if closeCode(dialed.failure) != handshake.CloseAuth {
			t.Errorf("%s: %v", name, dialed.failure)
		}
		// A dialer that goes on all the same, with whatever it has for a proof, is refused in the same way.
		hostile := dialer(t, a)
		l := listener(t, b)
		if _, f := l.Receive(start, hostile.Hello()); f != nil {
			t.Fatal(f)
		}
		for _, m := range []map[string]any{{"t": "challenge", "c": make([]byte, 32)}, {"t": "proof", "proof": make([]byte, 32)}} {
			b, err := deterministic.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			step, f := l.Receive(start, b)
			if m["t"] == "proof" && (closeCode(f) != handshake.CloseAuth || step.Send != nil) {
				t.Errorf("%s: %v", name, f)
			}
		}
	}
}

// SUBSTRATE-AUTH-007: what a peer that nobody knows sees is what one with the wrong key sees: the same messages but for what is random,
// and an equal failure.
func TestUnknownPeerAndWrongKeyLookTheSame(t *testing.T) {
	type view struct {
		sent    []message
		failure *handshake.Failure
	}
	look := func(keys handshake.Keys, proof []byte) view {
		c := listening(1)
		c.Auth = handshake.HMAC(keys)
		l := listener(t, c)
		var v view
		for _, m := range []any{dialer(t, dialing(1)).Hello(), map[string]any{"t": "challenge", "c": make([]byte, 32)}, map[string]any{"t": "proof", "proof": proof}} {
			b, raw := m.([]byte)
			if !raw {
				var err error
				if b, err = deterministic.Marshal(m); err != nil {
					t.Fatal(err)
				}
			}
			step, f := l.Receive(start, b)
			for _, s := range step.Send {
				v.sent = append(v.sent, message{octets: s})
			}
			v.failure = f
		}
		return v
	}
	for _, proof := range [][]byte{make([]byte, 32), {}, make([]byte, 100)} {
		wrong, unknown := look(records(8), proof), look(noKeys, proof)
		if !reflect.DeepEqual(wrong.failure, unknown.failure) || wrong.failure.Error() != unknown.failure.Error() {
			t.Errorf("%v and %v", wrong.failure, unknown.failure)
		}
		// What has another size is no proof at all: the message is malformed.
		code := uint16(handshake.CloseAuth)
		if len(proof) != 32 {
			code = handshake.CloseMismatch
		}
		if closeCode(wrong.failure) != code || len(wrong.sent) != 2 || len(unknown.sent) != 2 {
			t.Fatalf("%v, %d and %d messages", wrong.failure, len(wrong.sent), len(unknown.sent))
		}
		if !bytes.Equal(wrong.sent[0].octets, unknown.sent[0].octets) || len(wrong.sent[1].octets) != len(unknown.sent[1].octets) {
			t.Error("the messages tell them apart")
		}
	}
}

// SUBSTRATE-AUTH-003: no authentication does not go with some, whoever has it, and no middle man makes it.
func TestNoneAgainstRealFailsClosed(t *testing.T) {
	n := 0
	inject := func(_ int, m message) []byte {
		return edit(t, m.octets, func(m map[string]any) {
			if s, is := m["slots"].(map[string]any); is && m["t"] == "hello" {
				s["auth"] = append(s["auth"].([]any), "none", "mka-hmac-sha256")
			} else if is {
				s["auth"] = "none"
			}
		})
	}
	for name, c := range map[string]struct {
		d, l   handshake.Config
		tamper between
	}{
		"dialer none":               {unauthenticated(dialing(1), &n), listening(1), nil},
		"listener none":             {dialing(1), unauthenticated(listening(1), &n), nil},
		"dialer none, injected":     {unauthenticated(dialing(1), &n), listening(1), inject},
		"listener none, injected":   {dialing(1), unauthenticated(listening(1), &n), inject},
		"neither is none, injected": {dialing(1), listening(1), inject},
	} {
		d, l := dialer(t, c.d), listener(t, c.l)
		dialed, listened, _ := exchange(d, l, c.tamper)
		if dialed.ready != nil || listened.ready != nil {
			t.Errorf("%s: ready", name)
		}
		// One that was led to wait for what the other will not say runs into its deadline.
		if dialed.failure == nil && listened.failure == nil && closeCode(d.Tick(d.Deadline())) != handshake.CloseTimeout {
			t.Errorf("%s: waits for ever", name)
		}
		for _, f := range []*handshake.Failure{dialed.failure, listened.failure} {
			if f != nil && f.CloseCode != handshake.CloseMismatch {
				t.Errorf("%s: %v", name, f)
			}
		}
	}
}

// SUBSTRATE-AUTH-006: without authentication a difference is seen all the same, if whoever makes it does not hide it.
func TestNoneComparesTranscripts(t *testing.T) {
	n := 0
	pair := func() (*handshake.Dialer, *handshake.Listener) {
		return dialer(t, unauthenticated(dialing(1), &n)), listener(t, unauthenticated(listening(1), &n))
	}
	d, l := pair()
	dialed, listened, _ := exchange(d, l, func(n int, m message) []byte {
		if n == 0 {
			return edit(t, m.octets, func(m map[string]any) { m["peer"] = "mallory" })
		}
		return m.octets
	})
	if dialed.ready != nil || listened.ready != nil || closeCode(dialed.failure) != handshake.CloseMismatch {
		t.Errorf("%v, %v", dialed.failure, listened.failure)
	}
	// The ready of the dialer, changed on its way.
	d, l = pair()
	_, listened, sent := exchange(d, l, func(n int, m message) []byte {
		if n == 3 {
			return edit(t, m.octets, func(m map[string]any) { m["th"] = make([]byte, 32) })
		}
		return m.octets
	})
	if len(sent) != 4 || listened.ready != nil || closeCode(listened.failure) != handshake.CloseMismatch {
		t.Errorf("after %d messages: %v", len(sent), listened.failure)
	}
}

// embedded is a type that would be a third choice.
type embedded struct{ handshake.Auth }

func (embedded) Name() string { return "embedded" }

// SUBSTRATE-AUTH-001, SUBSTRATE-AUTH-002
func TestAuthIsAChoice(t *testing.T) {
	c := dialing(1)
	for _, auth := range []handshake.Auth{nil, handshake.HMAC(nil), embedded{handshake.None()}, embedded{}} {
		c.Auth = auth
		refusal(t, c, "Auth")
	}
	c.Auth = handshake.None()
	refusal(t, c, "Unauthenticated")

	n := 0
	for _, c := range []handshake.Config{dialing(1), unauthenticated(dialing(1), &n)} {
		edit(t, dialer(t, c).Hello(), func(m map[string]any) {
			if got := m["slots"].(map[string]any)["auth"]; !reflect.DeepEqual(got, []any{c.Auth.Name()}) {
				t.Errorf("%s is offered as %v", c.Auth.Name(), got)
			}
		})
	}
	if n != 1 {
		t.Errorf("%d warnings for one dialer without authentication", n)
	}
}

// SUBSTRATE-AUTH-004, SUBSTRATE-AUTH-007: a peer without a record is refused even if it holds the key that stands in for its own, and that
// key is not one that could be guessed.
func TestStandInKeyOpensNothing(t *testing.T) {
	holding := func(key handshake.Key) handshake.Config {
		c := dialing(1)
		c.Auth = handshake.HMAC(func(string) (handshake.Record, bool) { return handshake.Record{Key: key}, true })
		return c
	}
	closed := listening(1)
	closed.Auth, closed.Rand = handshake.HMAC(noKeys), counting(0x80)
	var standIn handshake.Key
	for i := range standIn {
		standIn[i] = 0x80 + 48 + byte(i)
	}
	dialed, listened, sent := exchange(dialer(t, holding(standIn)), listener(t, closed), nil)
	if dialed.ready != nil || listened.ready != nil || closeCode(listened.failure) != handshake.CloseAuth || len(sent) != 5 {
		t.Errorf("the key that stands in: %v, %v after %d messages", dialed.failure, listened.failure, len(sent))
	}
	closed.Rand = counting(0x80)
	dialed, _, sent = exchange(dialer(t, holding(handshake.Key{})), listener(t, closed), nil)
	if closeCode(dialed.failure) != handshake.CloseAuth || len(sent) != 4 {
		t.Errorf("a key of zeros: %v after %d messages", dialed.failure, len(sent))
	}
}

// SUBSTRATE-AUTH-007: a challenge has 32 octets, on either side.
func TestChallengesHaveTheirSize(t *testing.T) {
	for _, stage := range []int{2, 3} {
		for _, size := range []int{0, 31, 33} {
			dialed, listened, sent := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
				if n != stage {
					return m.octets
				}
				return edit(t, m.octets, func(m map[string]any) { m["c"] = make([]byte, size) })
			})
			f := listened.failure
			if stage == 3 {
				f = dialed.failure
			}
			if closeCode(f) != handshake.CloseMismatch || len(sent) != stage+1 {
				t.Errorf("a challenge of %d octets in message %d: %v", size, stage, f)
			}
		}
	}
}
