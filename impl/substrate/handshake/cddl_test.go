package handshake_test

import (
	"os"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/wire/cddltest"
)

// SUBSTRATE-HANDSHAKE-005, SUBSTRATE-AUTH-006, SUBSTRATE-AUTH-007: every message that is sent is one of the grammar; and one with a field
// that is missing, of another type, of another size or too many is neither one of the grammar nor taken by the machines.
func TestGrammarAgrees(t *testing.T) {
	source, err := os.ReadFile("../../../spec/substrate.cddl")
	if err != nil {
		t.Fatal(err)
	}
	g, err := cddltest.Parse(string(source))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for auth, c := range map[string]struct {
		d, l  func() handshake.Config
		rules string
	}{
		"hmac": {
			func() handshake.Config { return dialing(1) },
			func() handshake.Config { return listening(1) },
			"hello hello_ok challenge response proof ready ready",
		},
		"none": {
			func() handshake.Config { return unauthenticated(dialing(1), &n) },
			func() handshake.Config { return unauthenticated(listening(1), &n) },
			"hello hello_ok ready-clear ready-clear",
		},
	} {
		rules := strings.Fields(c.rules)
		_, _, sent := exchange(dialer(t, c.d()), listener(t, c.l()), nil)
		if len(sent) != len(rules) {
			t.Fatalf("%s: %d messages", auth, len(sent))
		}
		for stage, m := range sent {
			for _, rule := range []string{rules[stage], "handshake", "message"} {
				if err := g.Match(rule, m.octets); err != nil {
					t.Errorf("%s, message %d: %v", auth, stage, err)
				}
			}
			for _, spoiled := range spoil(t, m.octets) {
				if g.Match(rules[stage], spoiled) == nil {
					t.Errorf("%s, message %d: the grammar takes %x", auth, stage, spoiled)
				}
				dialed, listened, _ := exchange(dialer(t, c.d()), listener(t, c.l()), func(n int, m message) []byte {
					if n == stage {
						return spoiled
					}
					return m.octets
				})
				if dialed.failure == nil && listened.failure == nil {
					t.Errorf("%s, message %d: the machines take %x", auth, stage, spoiled)
				}
			}
		}
	}
}

// spoil returns variants of a message that differ in one field: without it, of another type, longer, and with one that is unknown.
func spoil(t *testing.T, b []byte) [][]byte {
	t.Helper()
	var fields []string
	edit(t, b, func(m map[string]any) {
		for field := range m {
			fields = append(fields, field)
		}
	})
	all := [][]byte{edit(t, b, func(m map[string]any) { m["more"] = true })}
	for _, field := range fields {
		all = append(
			all,
			edit(t, b, func(m map[string]any) { delete(m, field) }),
			edit(t, b, func(m map[string]any) { m[field] = true }),
		)
		edit(t, b, func(m map[string]any) {
			if octets, is := m[field].([]byte); is {
				for _, other := range [][]byte{octets[1:], append([]byte{0}, octets...)} {
					all = append(all, edit(t, b, func(m map[string]any) { m[field] = other }))
				}
			}
		})
	}
	return all
}
