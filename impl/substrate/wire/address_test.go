package wire_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

const addressOctets = "abcdefghijklmnopqrstuvwxyz0123456789._/-"

// SUBSTRATE-ADDR-001, SUBSTRATE-ADDR-002, SUBSTRATE-ADDR-003
func TestAddresses(t *testing.T) {
	want := map[string]string{
		"":                             wire.BadAddress,
		strings.Repeat("a", 127):       "",
		strings.Repeat("a", 128):       "",
		strings.Repeat("a", 129):       wire.BadAddress,
		strings.Repeat("é", 64):        wire.BadAddress,
		"a b":                          wire.BadAddress,
		"a\n":                          wire.BadAddress,
		"a\x00":                        wire.BadAddress,
		"Admin":                        wire.BadAddress,
		"a@b":                          wire.RoutingNotSupported,
		"A@b":                          wire.RoutingNotSupported,
		strings.Repeat("a", 200) + "@": wire.RoutingNotSupported,
		// SUBSTRATE-ADDR-004: all of these are addresses, and nobody makes them one.
		"a": "", "a/": "", "a/b": "", "./a": "", "a//b": "", "..": "", "/": "",
	}
	for c := range 256 {
		s := string([]byte{byte(c)})
		switch {
		case s == "@":
			want[s] = wire.RoutingNotSupported
		case !strings.Contains(addressOctets, s):
			want[s] = wire.BadAddress
		default:
			want[s] = ""
		}
	}
	for s, code := range want {
		err := wire.ValidAddress(s)
		var e *wire.AddressError
		if errors.As(err, &e) != (code != "") || e != nil && (e.Code != code || e.Length != len(s)) {
			t.Errorf("%q: %v, want %q", s, err, code)
		}
		if err != nil && len(s) > 1 && strings.Contains(err.Error(), s) {
			t.Errorf("%q is repeated: %v", s, err)
		}
	}
}

// SUBSTRATE-ADDR-005: a name says nothing about what it names.
func TestKindOfObjectIsNotInItsName(t *testing.T) {
	for name, kind := range map[string]string{"queue/x": wire.Session, "session/x": wire.Queue} {
		f := filled(wire.Open, wire.Required(wire.Open))
		f.Obj, f.ObjKind = name, kind
		if got := decode(t, encode(t, f)); got.Check() != nil || got.ObjKind != kind {
			t.Errorf("%s came as a %s: %v", name, got.ObjKind, got.Check())
		}
	}
}
