package handshake_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-HANDSHAKE-001, SUBSTRATE-HANDSHAKE-002, SUBSTRATE-HANDSHAKE-003, SUBSTRATE-HANDSHAKE-007, SUBSTRATE-AUTH-008
func TestBothSidesBecomeReady(t *testing.T) {
	warned := 0
	for name, c := range map[string]struct {
		d, l     handshake.Config
		messages int
		warnings int
		scopes   []string
	}{
		"hmac": {dialing(1), listening(1), 7, 0, []string{"producer"}},
		"none": {unauthenticated(dialing(1), &warned), unauthenticated(listening(1), &warned), 4, 2, nil},
	} {
		warned = 0
		dialed, listened, sent := exchange(dialer(t, c.d), listener(t, c.l), nil)
		a, b := dialed.ready, listened.ready
		if a == nil || b == nil {
			t.Fatalf("%s: %v, %v", name, dialed.failure, listened.failure)
		}
		if !reflect.DeepEqual(a.Tuple, b.Tuple) || a.TranscriptHash != b.TranscriptHash || a.ConnID() != b.ConnID() {
			t.Errorf("%s: %+v and %+v", name, a, b)
		}
		want := handshake.Tuple{
			Version: 1, Features: []string{"dedupeScope:peer", "extra:a"}, Auth: c.d.Auth.Name(), E2ESeal: "toyseal", E2ESign: "toysign",
			Codec: "cbor", DedupeScope: "peer", ConnID: a.Tuple.ConnID,
		}
		if !reflect.DeepEqual(a.Tuple, want) {
			t.Errorf("%s: got %+v, want %+v", name, a.Tuple, want)
		}
		if a.Peer != "bob" || b.Peer != "alice" || a.Epoch != c.l.Epoch || b.Epoch != c.d.Epoch {
			t.Errorf("%s: the dialer met %s %x, the listener %s %x", name, a.Peer, a.Epoch, b.Peer, b.Epoch)
		}
		if !slices.Equal(a.Scopes, c.scopes) || !slices.Equal(b.Scopes, c.scopes) {
			t.Errorf("%s: scopes %q, %q", name, a.Scopes, b.Scopes)
		}
		// SUBSTRATE-AUTH-001
		if len(sent) != c.messages || warned != c.warnings {
			t.Errorf("%s: %d messages, %d warnings", name, len(sent), warned)
		}
		if dialed.read > handshake.MaxMessages || listened.read > handshake.MaxMessages {
			t.Errorf("%s: %d and %d messages were read", name, dialed.read, listened.read)
		}
	}
}

// SUBSTRATE-HANDSHAKE-003, SUBSTRATE-HANDSHAKE-004: a thousand connections have a thousand ids, even to the same hello.
func TestConnectionIDsAreNew(t *testing.T) {
	seen := map[string]bool{}
	hello := dialer(t, dialing(1)).Hello()
	for i := range uint64(1000) {
		c := dialing(1)
		if i%10 != 0 {
			c = dialing(i)
		}
		d := dialer(t, c)
		if i%10 == 0 && !bytes.Equal(d.Hello(), hello) {
			t.Fatal("the hello is not the recorded one")
		}
		dialed, listened, _ := exchange(d, listener(t, listening(i)), nil)
		if dialed.ready == nil || listened.ready == nil || dialed.ready.ConnID() != listened.ready.ConnID() {
			t.Fatalf("connection %d: %v, %v", i, dialed.failure, listened.failure)
		}
		if id := dialed.ready.ConnID(); seen[id] || len(id) != 32 {
			t.Fatalf("connection %d has id %s again", i, id)
		}
		seen[dialed.ready.ConnID()] = true
	}
}

// SUBSTRATE-HANDSHAKE-004
func TestEqualNoncesEndTheHandshake(t *testing.T) {
	c := listening(1)
	c.Rand = seeded(1)
	_, listened, _ := exchange(dialer(t, dialing(1)), listener(t, c), nil)
	if closeCode(listened.failure) != handshake.CloseMismatch || listened.failure.Law != "SUBSTRATE-HANDSHAKE-004" {
		t.Errorf("the listener: %v", listened.failure)
	}
	d := dialer(t, dialing(1))
	dialed, _, _ := exchange(d, listener(t, listening(1)), func(n int, m message) []byte {
		if n == 1 {
			return edit(t, m.octets, func(ok map[string]any) {
				edit(t, d.Hello(), func(hello map[string]any) { ok["nonce"] = hello["nonce"] })
			})
		}
		return m.octets
	})
	if closeCode(dialed.failure) != handshake.CloseMismatch || dialed.failure.Law != "SUBSTRATE-HANDSHAKE-004" {
		t.Errorf("the dialer: %v", dialed.failure)
	}
}

// SUBSTRATE-HANDSHAKE-008: 5000 ms are not too many, one more is.
func TestDeadline(t *testing.T) {
	for _, c := range []struct {
		age  time.Duration
		want uint16
	}{
		{0, 0},
		{5000 * time.Millisecond, 0},
		{5001 * time.Millisecond, handshake.CloseTimeout},
		{time.Hour, handshake.CloseTimeout},
	} {
		d, l := dialer(t, dialing(1)), listener(t, listening(1))
		at := start.Add(c.age)
		if got := closeCode(d.Tick(at)); got != c.want {
			t.Errorf("dialer at %v: %d", c.age, got)
		}
		step, f := l.Receive(at, d.Hello())
		if closeCode(f) != c.want || (len(step.Send) == 1) != (f == nil) {
			t.Errorf("listener at %v: %v, %d messages", c.age, f, len(step.Send))
		}
		// What has failed stays failed, whatever time it is.
		if got := closeCode(l.Tick(start)); got != c.want {
			t.Errorf("listener at %v and then before: %d", c.age, got)
		}
		if d.Deadline().Sub(start) != 5001*time.Millisecond || l.Deadline() != d.Deadline() {
			t.Errorf("the deadline is at %v", d.Deadline())
		}
	}
	// A connection that is ready has no deadline any more.
	d, l := dialer(t, dialing(1)), listener(t, listening(1))
	if dialed, listened, _ := exchange(d, l, nil); dialed.ready == nil || listened.ready == nil {
		t.Fatal("not ready")
	}
	if d.Tick(start.Add(time.Hour)) != nil || l.Tick(start.Add(time.Hour)) != nil {
		t.Error("a ready connection is over its deadline")
	}
}

// SUBSTRATE-HANDSHAKE-008
func TestBudgetOfOctets(t *testing.T) {
	large := func(size int) []byte {
		hello := dialer(t, dialing(1)).Hello()
		padded := func(n int) []byte {
			return edit(t, hello, func(m map[string]any) { m["features"] = []any{"dedupeScope:peer", strings.Repeat("x", n)} })
		}
		const some = 60000
		b := padded(some + size - len(padded(some)))
		if len(b) != size {
			t.Fatalf("the hello has %d octets, not %d", len(b), size)
		}
		return b
	}
	for _, c := range []struct {
		size int
		want uint16
	}{{handshake.MaxOctets, 0}, {handshake.MaxOctets + 1, handshake.CloseTimeout}} {
		if _, f := listener(t, listening(1)).Receive(start, large(c.size)); closeCode(f) != c.want {
			t.Errorf("a hello of %d octets: %v", c.size, f)
		}
	}
	// Messages count together.
	l := listener(t, listening(1))
	if _, f := l.Receive(start, large(handshake.MaxOctets-10)); f != nil {
		t.Fatal(f)
	}
	challenge, err := deterministic.Marshal(map[string]any{"t": "challenge", "c": make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	if _, f := l.Receive(start, challenge); closeCode(f) != handshake.CloseTimeout {
		t.Errorf("the message that goes beyond: %v", f)
	}
}

// SUBSTRATE-HANDSHAKE-001, SUBSTRATE-WIRE-006: what is no message of the handshake ends the connection, at every stage and on both sides.
func TestNothingElseBeforeReady(t *testing.T) {
	op, err := wire.Append(nil, &wire.Frame{
		V: 1, Kind: wire.Send, Obj: "a", ObjKind: wire.Session, ID: "M", Seq: 1, Receipt: []byte{1}, Has: wire.Required(wire.Send),
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _, sent := exchange(dialer(t, dialing(1)), listener(t, listening(1)), nil)
	for _, c := range []struct {
		what string
		b    []byte
		want uint16
	}{
		{"an op", op, handshake.CloseProtocol},
		{"no octets", nil, handshake.CloseProtocol},
		{"text", []byte("hello"), handshake.CloseProtocol},
		{"an indefinite map", []byte{0xbf, 0xff}, handshake.CloseProtocol},
		{"null", []byte{0xf6}, handshake.CloseProtocol},
		{"an array", []byte{0x80}, handshake.CloseMismatch},
		{"an empty map", []byte{0xa0}, handshake.CloseMismatch},
		{"an unknown type", []byte{0xa1, 0x61, 't', 0x61, 'x'}, handshake.CloseMismatch},
	} {
		for stage := range sent {
			dialed, listened, got := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
				if n == stage {
					return c.b
				}
				return m.octets
			})
			f := listened.failure
			if !got[stage].fromDialer {
				f = dialed.failure
			}
			if closeCode(f) != c.want || listened.ready != nil || len(got) != stage+1 {
				t.Errorf("%s in place of message %d: %v", c.what, stage, f)
			}
		}
	}
	// Each message in place of each other one.
	for stage := range sent {
		for other, m := range sent {
			if other == stage || bytes.Equal(m.octets, sent[stage].octets) {
				continue
			}
			dialed, listened, got := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
				if n == stage {
					return sent[other].octets
				}
				return m.octets
			})
			f := listened.failure
			if !got[stage].fromDialer {
				f = dialed.failure
			}
			if closeCode(f) != handshake.CloseMismatch || listened.ready != nil {
				t.Errorf("message %d in place of %d: %v", other, stage, f)
			}
		}
	}
}

// SUBSTRATE-WIRE-006: a machine that has failed or is ready takes nothing more.
func TestNothingAfterTheEnd(t *testing.T) {
	d, l := dialer(t, dialing(1)), listener(t, listening(1))
	_, _, sent := exchange(d, l, nil)
	for _, s := range []side{d, l} {
		for _, m := range sent {
			if step, f := s.Receive(start, m.octets); closeCode(f) != handshake.CloseProtocol || len(step.Send) != 0 || step.Ready != nil {
				t.Errorf("%T after ready: %v", s, f)
			}
		}
	}
	l = listener(t, listening(1))
	_, first := l.Receive(start, []byte{0x80})
	if _, again := l.Receive(start, d.Hello()); first == nil || again != first {
		t.Errorf("%v, and then %v", first, again)
	}
}

// SUBSTRATE-AUTHZ-007: the result allows what the one rule allows.
func TestResultAllowsByScope(t *testing.T) {
	dialed, _, _ := exchange(dialer(t, dialing(1)), listener(t, listening(1)), nil)
	m := wire.Matrix{"producer": {wire.Open, wire.Send}}
	for _, verb := range []string{wire.Open, wire.Send, wire.Close, ""} {
		if got, want := dialed.ready.Allows(m, verb), wire.ScopeAllows(m, []string{"producer"}, verb); got != want || got != (verb == wire.Open || verb == wire.Send) {
			t.Errorf("%q: %t, %t", verb, got, want)
		}
	}
}
