package handshake_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// A change is one thing that a middle man does to an element of the tuple in one of the hellos.
type change struct {
	name  string
	hello bool // of the dialer's hello, or of the listener's
	apply func(map[string]any)
}

func slotsOf(m map[string]any) map[string]any { return m["slots"].(map[string]any) }

// tokens replaces the features of m that are a scope of dedupe, or those that are not.
func tokens(m map[string]any, scopes bool, with ...any) {
	features, _ := m["features"].([]any)
	features = slices.DeleteFunc(slices.Clone(features), func(f any) bool {
		return strings.HasPrefix(f.(string), "dedupeScope:") == scopes
	})
	features = append(features, with...)
	slices.SortFunc(features, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	m["features"] = features
}

// changes lists what can be done: 8 elements x 2 directions x {alter, strip, swap}. Where it can be, the result is a hello that a side
// would still accept, so that only the transcript tells.
func changes() []change {
	var all []change
	add := func(element, what string, hello, ok func(map[string]any)) {
		all = append(all, change{"hello " + element + " " + what, true, hello}, change{"hello_ok " + element + " " + what, false, ok})
	}
	both := func(element, what string, f func(map[string]any)) { add(element, what, f, f) }
	set := func(key string, value any) func(map[string]any) { return func(m map[string]any) { m[key] = value } }

	add("version", "alter", set("v", []any{uint64(1), uint64(2)}), set("v", uint64(2)))
	add("version", "strip", set("v", []any{}), set("v", uint64(0)))
	add("version", "swap", set("v", []any{uint64(1), uint64(3)}), set("v", uint64(3)))

	both("features", "alter", func(m map[string]any) { tokens(m, false, "extra:a", "extra:b") })
	both("features", "strip", func(m map[string]any) { tokens(m, false) })
	both("features", "swap", func(m map[string]any) { tokens(m, false, "a:extra") })

	both("dedupeScope", "alter", func(m map[string]any) { tokens(m, true, "dedupeScope:object") })
	both("dedupeScope", "strip", func(m map[string]any) { tokens(m, true) })
	both("dedupeScope", "swap", func(m map[string]any) { tokens(m, true, "peer:dedupeScope") })

	next := map[string]string{"auth": "codec", "codec": "e2eSeal", "e2eSeal": "e2eSign", "e2eSign": "auth"}
	for _, slot := range []string{"auth", "codec", "e2eSeal", "e2eSign"} {
		add(slot, "alter", func(m map[string]any) {
			names, _ := slotsOf(m)[slot].([]any)
			slotsOf(m)[slot] = append(slices.Clone(names), "other")
		}, func(m map[string]any) { slotsOf(m)[slot] = "none" })
		add(slot, "strip", func(m map[string]any) {
			if names, _ := slotsOf(m)[slot].([]any); len(names) > 0 {
				slotsOf(m)[slot] = names[1:]
			}
		}, func(m map[string]any) { slotsOf(m)[slot] = "" })
		both(slot, "swap", func(m map[string]any) {
			s := slotsOf(m)
			s[slot], s[next[slot]] = s[next[slot]], s[slot]
		})
	}

	both("connId", "alter", func(m map[string]any) {
		if nonce := bytes.Clone(m["nonce"].([]byte)); len(nonce) > 0 {
			nonce[0] ^= 1
			m["nonce"] = nonce
		}
	})
	both("connId", "strip", set("nonce", []byte{}))
	both("connId", "swap", func(m map[string]any) {
		nonce := bytes.Clone(m["nonce"].([]byte))
		slices.Reverse(nonce)
		m["nonce"] = nonce
	})
	return all
}

// SUBSTRATE-HANDSHAKE-002, SUBSTRATE-HANDSHAKE-007, SUBSTRATE-AUTH-004: each change alone, and each two together, are noticed before
// either side is ready.
func TestTamperedTuplesAreNeverReady(t *testing.T) {
	all := changes()
	if len(all) != 48 {
		t.Fatalf("there are %d changes", len(all))
	}
	byTranscript := 0
	try := func(name string, cs ...change) {
		changed := false
		dialed, listened, _ := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
			b := m.octets
			if n > 1 {
				return b
			}
			for _, c := range cs {
				if c.hello == m.fromDialer {
					b = edit(t, b, c.apply)
				}
			}
			changed = changed || !bytes.Equal(b, m.octets)
			return b
		})
		if dialed.ready != nil || listened.ready != nil || dialed.failure == nil && listened.failure == nil {
			t.Errorf("%s: %v, %v", name, dialed.failure, listened.failure)
		}
		if !changed {
			// The listener refused a hello before the change to its answer could be made.
			if slices.ContainsFunc(cs, func(c change) bool { return c.hello }) || listened.failure == nil {
				t.Errorf("%s changes nothing", name)
			}
		}
		if closeCode(dialed.failure) == handshake.CloseAuth {
			byTranscript++
		}
	}
	for _, c := range all {
		try(c.name, c)
	}
	if byTranscript < 12 {
		t.Errorf("only %d of 48 changes come as far as the transcript", byTranscript)
	}
	doubles := 0
	for i, a := range all {
		for _, b := range all[i+1:] {
			doubles++
			try(fmt.Sprintf("%s and %s", a.name, b.name), a, b)
		}
	}
	if doubles != 1128 {
		t.Errorf("there are %d pairs of changes", doubles)
	}
}

// SUBSTRATE-AUTH-004: an octet changed anywhere, in any message, keeps the side that it goes to from being ready, and the other one too
// unless it is the last word.
func TestAnyChangedOctetIsNoticed(t *testing.T) {
	_, _, sent := exchange(dialer(t, dialing(1)), listener(t, listening(1)), nil)
	for stage, m := range sent {
		for at := range m.octets {
			for _, bit := range []byte{1, 0x80} {
				dialed, listened, _ := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
					b := bytes.Clone(m.octets)
					if n == stage {
						b[at] ^= bit
					}
					return b
				})
				if listened.ready != nil || dialed.ready != nil && stage < len(sent)-1 {
					t.Fatalf("octet %d of message %d changed by %x: ready", at, stage, bit)
				}
			}
		}
	}
}

// SUBSTRATE-AUTH-007: what was recorded of one connection is of no use on another.
func TestReplay(t *testing.T) {
	_, _, sent := exchange(dialer(t, dialing(1)), listener(t, listening(1)), nil)
	l := listener(t, listening(2))
	d := dialer(t, dialing(2))
	for _, m := range sent {
		to := side(l)
		if !m.fromDialer {
			to = d
		}
		step, f := to.Receive(start, m.octets)
		if step.Ready != nil {
			t.Fatalf("%T is ready", to)
		}
		if f != nil && f.CloseCode != handshake.CloseAuth {
			t.Errorf("%T: %v", to, f)
		}
	}
	for _, s := range []interface {
		side
		Tick(now time.Time) *handshake.Failure
	}{l, d} {
		if got := closeCode(s.Tick(start)); got != handshake.CloseAuth {
			t.Errorf("%T has not noticed: %d", s, got)
		}
	}
}

// SUBSTRATE-AUTH-005, SUBSTRATE-AUTH-007: the messages after the hellos, taken from a second connection of the same two peers.
func TestSplice(t *testing.T) {
	_, _, other := exchange(dialer(t, dialing(2)), listener(t, listening(2)), nil)
	_, _, own := exchange(dialer(t, dialing(1)), listener(t, listening(1)), nil)
	for stage := 1; stage < len(own); stage++ {
		if bytes.Equal(other[stage].octets, own[stage].octets) {
			continue // a ready says nothing that could be spliced
		}
		dialed, listened, _ := exchange(dialer(t, dialing(1)), listener(t, listening(1)), func(n int, m message) []byte {
			if n == stage {
				return other[n].octets
			}
			return m.octets
		})
		if dialed.ready != nil || listened.ready != nil {
			t.Errorf("message %d of another connection: ready", stage)
		}
	}
	// Two lines crossed: the hellos stay, the rest changes places.
	d1, l1, d2, l2 := dialer(t, dialing(1)), listener(t, listening(1)), dialer(t, dialing(2)), listener(t, listening(2))
	one, _ := l1.Receive(start, d1.Hello())
	two, _ := l2.Receive(start, d2.Hello())
	c1, _ := d1.Receive(start, one.Send[0])
	c2, _ := d2.Receive(start, two.Send[0])
	r1, _ := l1.Receive(start, c2.Send[0])
	r2, _ := l2.Receive(start, c1.Send[0])
	if _, f := d2.Receive(start, r1.Send[0]); closeCode(f) != handshake.CloseAuth {
		t.Errorf("crossed: %v", f)
	}
	if _, f := d1.Receive(start, r2.Send[0]); closeCode(f) != handshake.CloseAuth {
		t.Errorf("crossed: %v", f)
	}
}

// SUBSTRATE-AUTH-005: a proof that comes back to its maker proves nothing, even where both challenges are one.
func TestReflection(t *testing.T) {
	l := listener(t, listening(1))
	if _, f := l.Receive(start, dialer(t, dialing(1)).Hello()); f != nil {
		t.Fatal(f)
	}
	// The challenge of the listener is known here, as it would be to whoever guessed it.
	_, _, sent := exchange(dialer(t, dialing(1)), listener(t, listening(1)), nil)
	var c any
	edit(t, sent[3].octets, func(m map[string]any) { c = m["c"] })
	challenge, err := deterministic.Marshal(map[string]any{"t": "challenge", "c": c})
	if err != nil {
		t.Fatal(err)
	}
	step, f := l.Receive(start, challenge)
	if f != nil {
		t.Fatal(f)
	}
	reflected := edit(t, step.Send[0], func(m map[string]any) {
		m["t"] = "proof"
		delete(m, "c")
	})
	if step, f := l.Receive(start, reflected); closeCode(f) != handshake.CloseAuth || step.Send != nil {
		t.Errorf("the listener believes its own proof: %v", f)
	}
	// A peer that both dials and listens, with a middle man between its two ends: its own hello is not the one that it answers to.
	keys := handshake.HMAC(func(string) (handshake.Record, bool) { return handshake.Record{Key: handshake.Key{1}}, true })
	a, b := dialing(1), listening(1)
	a.Auth, b.Auth, b.Peer = keys, keys, "alice"
	dialed, listened, _ := exchange(dialer(t, a), listener(t, b), func(n int, m message) []byte {
		if n < 2 {
			return edit(t, m.octets, func(m map[string]any) { m["peer"] = "bob" })
		}
		return m.octets
	})
	if dialed.ready != nil || listened.ready != nil {
		t.Error("a peer is ready with itself under another name")
	}
}
