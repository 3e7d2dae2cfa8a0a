package conformance

import (
	"strings"
	"testing"
)

// What selects nothing says what there is.
func TestASelectionOfNothingSaysWhatThereIs(t *testing.T) {
	one, two := does("group/one", func(*T) {}), does("group/two", func(*T) {})
	one.Versions, two.Versions = []string{"1.1"}, []string{"1.1", "1.2"}
	instances := Instances([]Case{one, two})
	for _, c := range []struct {
		s    Selection
		want string
	}{
		{Selection{Only: []string{"stomp-test/**"}}, `--only "stomp-test/**" matches no case: ids begin with stomp/test/group/, and --list shows them all`},
		{Selection{Only: []string{""}}, `--only "" matches no case`},
		{Selection{Version: "1.3"}, `--version "1.3": no case runs under that version, known: 1.1, 1.2`},
	} {
		if _, err := c.s.Select(instances); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.s, err, c.want)
		}
	}
}

// An address without a scheme is the commonest slip there is.
func TestAnAddressWithoutASchemeIsToldSo(t *testing.T) {
	for spec, want := range map[string]string{
		"127.0.0.1:61613":   "names no scheme: tcp://127.0.0.1:61613, or for an event bus http://127.0.0.1:61613?",
		"localhost:61613":   "names no scheme: tcp://localhost:61613",
		"[::1]:61613":       "names no scheme: tcp://[::1]:61613",
		"broker":            "names no scheme, as in tcp://HOST:PORT",
		"carrier-pigeon://": "scheme is none of",
	} {
		if _, err := ParseTarget(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
}
