package wire_test

import (
	"errors"
	"io"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

func TestErrorTexts(t *testing.T) {
	for _, c := range []struct{ hex, want string }{
		{"a1", "substrate frame: truncated at octet 0 (limit 0, found 2) [SUBSTRATE-CODEC-003]"},
		{"a0", "substrate frame: shape at octet 0 [SUBSTRATE-WIRE-001]"},
		{"b821", "substrate frame: too-many-pairs at octet 0 (limit 32, found 33) [SUBSTRATE-CODEC-004]"},
		{envelope + "6178 818180", "substrate frame: too-deep at octet 10 (limit 4, found 5) [SUBSTRATE-CODEC-004]"},
		{"f6", "substrate frame: simple at octet 0 [SUBSTRATE-CODEC-003]"},
	} {
		if got := refused(t, c.hex, octets(t, c.hex)).Error(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.hex, got, c.want)
		}
	}
	e := &wire.Error{Rule: wire.Library, Cause: io.EOF}
	if got, want := e.Error(), "substrate frame: library at octet 0 [SUBSTRATE-CODEC-003]: EOF"; got != want || !errors.Is(e, io.EOF) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestRuleNames(t *testing.T) {
	seen := map[string]bool{}
	for r := wire.Oversize; r <= wire.Library; r++ {
		if s := r.String(); s == "" || s == "unknown-rule" || seen[s] {
			t.Errorf("rule %d is called %q", r, s)
		}
		seen[r.String()] = true
	}
	for _, r := range []wire.Rule{0, wire.Library + 1, 255} {
		if r.String() != "unknown-rule" {
			t.Errorf("rule %d is called %q", r, r)
		}
	}
}
