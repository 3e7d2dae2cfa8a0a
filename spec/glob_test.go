package spec

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMatchGlob(t *testing.T) {
	const id = "STOMP-FRAME-001"
	for pattern, want := range map[string]bool{
		"*": true, "**": true, id: true, "stomp-frame-001": true, "STOMP-*": true, "*-001": true, "*frame*": true,
		"S*-*-*1": true, "STOMP-FRAME-001*": true, "*STOMP-FRAME-001": true,
		"": false, "STOMP": false, "FRAME": false, "STOMP-FRAME-00?": false, "STOMP-FRAME-00[1]": false, "*-002": false,
		"STOMP-FRAME-001*1": false, "STOMP-FRAME-0*01-*": false, "STOMP-FRAME-001-*": false,
	} {
		if got := matchGlob(pattern, id); got != want {
			t.Errorf("pattern %q: got %v, want %v", pattern, got, want)
		}
	}
}

// On patterns whose only special character is the star, path.Match is a second implementation.
func TestMatchGlobAgreesWithPathMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringOfN(rapid.SampledFrom([]rune("ab-*")), 0, 8, -1).Draw(t, "pattern")
		id := rapid.StringOfN(rapid.SampledFrom([]rune("ab-")), 0, 8, -1).Draw(t, "id")
		want, err := path.Match(pattern, id)
		if err != nil {
			t.Fatal(err)
		}
		if got := matchGlob(pattern, strings.ToUpper(id)); got != want {
			t.Fatalf("pattern %q on %q: got %v, want %v", pattern, id, got, want)
		}
	})
}
