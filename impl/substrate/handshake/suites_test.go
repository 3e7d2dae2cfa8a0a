package handshake_test

import (
	"bytes"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// SUBSTRATE-E2E-001: what is offered is what there is.
func TestOfferedSuitesAreTheRegistry(t *testing.T) {
	for _, r := range []handshake.Registry{nil, handshake.PlainSuites(), suites("toy"), append(suites("toy"), handshake.NamedSuite{Name: "last", Suite: toy{}})} {
		c := dialing(1)
		c.Seal, c.Sign = r, append(suites("first"), handshake.NamedSuite{Name: "second", Suite: toy{}})
		edit(t, dialer(t, c).Hello(), func(m map[string]any) {
			var want []any
			for _, s := range r {
				want = append(want, s.Name)
			}
			if r == nil {
				want = []any{"none"}
			}
			if got := slotsOf(m)["e2eSeal"]; !reflect.DeepEqual(got, want) {
				t.Errorf("offers %v, not %v", got, want)
			}
			if got := slotsOf(m)["e2eSign"]; !reflect.DeepEqual(got, []any{"first", "none", "second"}) {
				t.Errorf("offers %v", got)
			}
		})
	}
}

// SUBSTRATE-E2E-002: a name that leads to nothing is refused at ready, on either side and for either slot.
func TestUnresolvedSuiteIsNeverReady(t *testing.T) {
	for _, chosen := range [][2]string{{"ghost", "none"}, {"none", "ghost"}, {"", ""}} {
		d, l := dialer(t, dialing(1)), listener(t, listening(1))
		dialed, listened, _ := exchange(d, l, func(n int, m message) []byte {
			if n == 5 {
				d.Mischoose(chosen[0], chosen[1])
			}
			return m.octets
		})
		if dialed.ready != nil || listened.ready != nil || closeCode(dialed.failure) != handshake.CloseMismatch || dialed.failure.Law != "SUBSTRATE-E2E-002" {
			t.Errorf("dialer with %q: %v", chosen, dialed.failure)
		}
		d, l = dialer(t, dialing(1)), listener(t, listening(1))
		_, listened, _ = exchange(d, l, func(n int, m message) []byte {
			if n == 6 {
				l.Mischoose(chosen[0], chosen[1])
			}
			return m.octets
		})
		if listened.ready != nil || closeCode(listened.failure) != handshake.CloseMismatch || listened.failure.Law != "SUBSTRATE-E2E-002" {
			t.Errorf("listener with %q: %v", chosen, listened.failure)
		}
	}
}

// SUBSTRATE-E2E-003: a suite is two entries, and none leaves bodies alone.
func TestSuites(t *testing.T) {
	chosen := func(d, l handshake.Config) *handshake.Result {
		dialed, listened, _ := exchange(dialer(t, d), listener(t, l), nil)
		if dialed.ready == nil || listened.ready == nil || !reflect.DeepEqual(dialed.ready.Seal, listened.ready.Seal) {
			t.Fatalf("%v, %v", dialed.failure, listened.failure)
		}
		return dialed.ready
	}
	d, l := dialing(1), listening(1)
	if r := chosen(d, l); r.Tuple.E2ESeal != "toyseal" || r.Seal != (toy{}) || r.Tuple.E2ESign != "toysign" || r.Sign != (toy{}) {
		t.Errorf("chose %s and %s: %v, %v", r.Tuple.E2ESeal, r.Tuple.E2ESign, r.Seal, r.Sign)
	}
	l.Seal, l.Sign = nil, nil
	plain := chosen(d, l)
	if plain.Tuple.E2ESeal != "none" || plain.Tuple.E2ESign != "none" {
		t.Errorf("chose %s and %s", plain.Tuple.E2ESeal, plain.Tuple.E2ESign)
	}
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		before := bytes.Clone(body)
		for _, s := range []handshake.Suite{plain.Seal, plain.Sign} {
			out, err := s.Outbound(body)
			if err != nil || !bytes.Equal(out, before) || (out == nil) != (before == nil) {
				t.Fatalf("%x goes out as %x, %v", before, out, err)
			}
			if in, err := s.Inbound(out); err != nil || !bytes.Equal(in, before) {
				t.Fatalf("%x comes in as %x, %v", before, in, err)
			}
		}
	})
}
