package substratetest

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// A fault of a section names its field.
func TestFaultsOfASectionNameTheirField(t *testing.T) {
	key := strings.Repeat("07", 32)
	for text, want := range map[string]string{
		"{}": "", "{key: " + key + ", stranger: 'x-{name}', none: /n}": "",
		"{key: abc}":                          "substrate: key: 3 characters",
		"{key: abcd}":                         "substrate: key: 4 characters",
		"{session: live}":                     `substrate: session: "live" does not contain {name}`,
		"{peer: me}":                          "substrate: peer",
		"{none: open}":                        "substrate: none",
		"{stranger: 'x-{name}'}":              "substrate: stranger",
		"{sessions: '{name}'}":                "unknown field",
		"{denied: denied, session: '{name}'}": "substrate: denied",
	} {
		_, err := conformance.ParseProfile([]byte("substrate: "+text), Section{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
