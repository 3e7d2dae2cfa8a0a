package frame_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// The text of an error says which law, which rule and what was found.
func TestErrorTexts(t *testing.T) {
	for _, c := range []struct {
		version    frame.Version
		wire, want string
	}{
		// STOMP-FRAME-002: a command of a later version is told from a word that is none.
		{frame.V10, "NACK\n", `stomp frame: unknown-command at octet 0: "NACK" is no command of STOMP 1.0 [STOMP-FRAME-002]`},
		{frame.V10, "NICK\n", `stomp frame: unknown-command at octet 0: "NICK" is no command of STOMP 1.0 [STOMP-FRAME-013]`},
		{frame.V12, "SEND\nabc\n", `stomp frame: header-shape at octet 5: header line "abc" has no colon [STOMP-HDR-001]`},
		{frame.V12, "SEND\n:abc\n", `stomp frame: header-shape at octet 5: header line ":abc" has an empty name [STOMP-HDR-001]`},
		{
			frame.V12, "SEND\n\\:abc\n",
			`stomp frame: escape at octet 5: a backslash at the end of a name or value [STOMP-ESC-004]`,
		},
		// An excerpt of 40 octets is whole.
		{
			frame.V12, strings.Repeat("x", 40) + "\n",
			fmt.Sprintf(`stomp frame: unknown-command at octet 0: "%s" is no command of STOMP 1.2 [STOMP-FRAME-013]`, strings.Repeat("x", 40)),
		},
		{
			frame.V12, strings.Repeat("x", 41) + "\n",
			fmt.Sprintf(`stomp frame: unknown-command at octet 0: "%s"... is no command of STOMP 1.2 [STOMP-FRAME-013]`, strings.Repeat("x", 40)),
		},
		{frame.V12, "SEND\nx:\xffabcdef\n", `stomp frame: utf8 at octet 7: a line is not UTF-8 at "\xffabc" [STOMP-FRAME-014]`},
	} {
		_, err := newDecoder(t, frame.DecoderConfig{Version: c.version}).Feed([]byte(c.wire))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.wire, err, c.want)
		}
	}
	_, err := frame.NewDecoder(frame.DecoderConfig{Version: 3})
	if want := "stomp frame: config: Version is not a STOMP version (limit 2, found 3)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// STOMP-FRAME-018: the text of a spent decoder's refusal holds the error that spent it.
func TestCauseInText(t *testing.T) {
	d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
	_, first := d.Feed([]byte("SENT\n"))
	_, err := d.Feed(nil)
	if !errors.Is(err, first) || !strings.HasSuffix(err.Error(), ": after "+first.Error()) {
		t.Errorf("the error is %v", err)
	}
}

func TestRuleNames(t *testing.T) {
	seen := make(map[string]bool)
	for r := frame.LineLimit; r <= frame.ConfigRule; r++ {
		if s := r.String(); s == "" || s == "unknown-rule" || seen[s] {
			t.Errorf("rule %d is called %q", r, s)
		}
		seen[r.String()] = true
	}
	for _, r := range []frame.Rule{0, frame.ConfigRule + 1, 255} {
		if got := r.String(); got != "unknown-rule" {
			t.Errorf("rule %d is called %q", r, got)
		}
	}
}
