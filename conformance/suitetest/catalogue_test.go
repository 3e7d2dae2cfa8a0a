package suitetest

import (
	"context"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// Each promise that is not kept is told, and nothing of a catalogue that keeps all.
func TestCatalogueFaults(t *testing.T) {
	good := func() (Catalogue, []conformance.Case) {
		one := func(id string, laws ...string) conformance.Case {
			return conformance.Case{
				ID: id, Title: "a case", Laws: laws, Versions: []string{"1.0", "1.2"}, Needs: conformance.Needs{Options: []string{"nack"}},
				Run: func(context.Context, *conformance.T) {},
			}
		}
		// STOMP-TX-002 holds in no version before 1.2, STOMP-FRAME-001 in all.
		cases := []conformance.Case{
			one("stomp/server/ack/a", "STOMP-FRAME-001"), one("stomp/server/own/group/b", "STOMP-FRAME-001", "STOMP-TX-002"),
			one("stomp/server/open/c", "STOMP-TX-002"),
		}
		return Catalogue{
			Protocol: "stomp", Paths: []string{"stomp/server"}, Nested: "own", Groups: []string{"ack", "own"}, Least: 3, Options: []string{"nack"},
			Roles: []string{"none"}, Records: map[string]string{"stomp/server/open/*": "it is recorded"},
		}, cases
	}
	for _, c := range []struct {
		name, fault string
		change      func(*Catalogue, []conformance.Case)
	}{
		{"as promised", "", func(*Catalogue, []conformance.Case) {}},
		{"unknown law", "unknown law", func(_ *Catalogue, cases []conformance.Case) { cases[0].Laws = []string{"STOMP-NONE-001"} }},
		{"too few", "at least 4", func(c *Catalogue, _ []conformance.Case) { c.Least = 4 }},
		{"no title", "no title", func(_ *Catalogue, cases []conformance.Case) { cases[1].Title = "" }},
		{"unknown option", "which is no option", func(c *Catalogue, _ []conformance.Case) { c.Options = nil }},
		{"another path", "is not GROUP/NAME", func(c *Catalogue, _ []conformance.Case) { c.Paths = []string{"stomp/client"} }},
		{"a group in a group", "is not GROUP/NAME", func(c *Catalogue, _ []conformance.Case) { c.Nested = "" }},
		{"no such group", "no case in groups [nack]", func(c *Catalogue, _ []conformance.Case) { c.Groups = []string{"ack", "nack"} }},
		{"nothing of its version", "open/c@1.0 cites 1 laws", func(c *Catalogue, _ []conformance.Case) { c.Records = nil }},
		{"something of another version", "own/group/b@1.0 cites 1 laws", func(c *Catalogue, _ []conformance.Case) { c.Whole = true }},
		{"a record that is none", "stomp/server/ack/* is listed", func(c *Catalogue, _ []conformance.Case) { c.Records["stomp/server/ack/*"] = "x" }},
		{"a record of nothing", "matches no case", func(c *Catalogue, _ []conformance.Case) { c.Records["stomp/server/nack/*"] = "x" }},
		{"uncited laws", "cited by 0 cases", func(c *Catalogue, _ []conformance.Case) { c.Roles = []string{"codec"} }},
		{"hidden and cited", "STOMP-FRAME-001", func(c *Catalogue, cases []conformance.Case) {
			c.Roles, c.Levels, c.Hidden = []string{"codec"}, []spec.Level{spec.Must}, map[string]string{"STOMP-FRAME-001": "not seen"}
		}},
		{"hidden and of no role", "none of the laws", func(c *Catalogue, _ []conformance.Case) { c.Hidden = map[string]string{"STOMP-FRAME-001": "not seen"} }},
	} {
		catalogue, cases := good()
		c.change(&catalogue, cases)
		var told []string
		for _, err := range catalogue.faults(cases) {
			told = append(told, err.Error())
		}
		if all := strings.Join(told, "\n"); (c.fault == "") != (all == "") || !strings.Contains(all, c.fault) {
			t.Errorf("%s: want %q, told is\n%s", c.name, c.fault, all)
		}
	}
}
