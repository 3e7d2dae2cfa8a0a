package spec_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/spec"
)

func load(t testing.TB) *spec.Catalogue {
	t.Helper()
	c, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The counts are pinned because a law is never deleted: a number may only grow, and with it the line here.
func TestCountsOfTheCatalogue(t *testing.T) {
	c := load(t)
	got := map[string]int{"all": c.Len()}
	for _, l := range c.All() {
		got[l.Protocol]++
		got[l.Protocol+" "+string(l.Level)]++
		got[l.Protocol+" "+l.Role]++
		if l.Decision {
			got[l.Protocol+" decision"]++
		}
		if l.Since != "" {
			got[l.Protocol+" "+l.Since]++
		}
		if !l.Active() {
			got["withdrawn"]++
		}
	}
	want := map[string]int{
		"all": 809, "withdrawn": 2,
		"stomp": 274, "stomp MUST": 96, "stomp SHOULD": 19, "stomp MAY": 13, "stomp REFERENCE": 146,
		"stomp codec": 82, "stomp client": 34, "stomp server": 54, "stomp reference-client": 104,
		"eventbus": 178, "eventbus MUST": 152, "eventbus SHOULD": 15, "eventbus MAY": 2, "eventbus REFERENCE": 9,
		"eventbus bus": 98, "eventbus sse-server": 23, "eventbus sse-client": 47, "eventbus reducer": 10,
		"eventbus seed": 159, "eventbus later": 19,
		"substrate": 193, "substrate MUST": 189, "substrate SHOULD": 2, "substrate REFERENCE": 2, "substrate decision": 92,
		"substrate codec": 8, "substrate peer": 68, "substrate sender": 26, "substrate receiver": 60,
		"substrate acceptor": 6, "substrate relay": 14, "substrate journal": 8, "substrate model": 3,
		"databus": 164, "databus MUST": 121, "databus SHOULD": 6, "databus REFERENCE": 37, "databus decision": 4,
		"databus databus": 28, "databus runtime": 95, "databus storage-writer": 6, "databus model": 35,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts differ (-want +got):\n%s", diff)
	}
}

func TestVersionCountsOfStomp(t *testing.T) {
	got := map[string]int{}
	for _, l := range load(t).Laws("stomp") {
		for _, v := range spec.Versions("stomp") {
			if l.AppliesTo(v) {
				got[v]++
			}
		}
	}
	want := map[string]int{"1.0": 169 + 1 + 14, "1.1": 169 + 1 + 62 + 7, "1.2": 169 + 62 + 21}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("laws per version differ (-want +got):\n%s", diff)
	}
}

func TestGroupsFollowTheFiles(t *testing.T) {
	c := load(t)
	want := strings.Fields("FRAME HDR ESC BODY LIMIT CONNECT NEGOTIATE HEARTBEAT CLOCK SEND SUBSCRIBE UNSUBSCRIBE ACK NACK TX " +
		"RECEIPT ERROR DISCONNECT CLIENT WAIT TLS INTEROP")
	if diff := cmp.Diff(want, c.Groups("stomp")); diff != "" {
		t.Errorf("groups of stomp differ (-want +got):\n%s", diff)
	}
	for protocol, n := range map[string]int{"eventbus": 17, "substrate": 24, "databus": 31, "mqtt": 0} {
		if got := len(c.Groups(protocol)); got != n {
			t.Errorf("groups of %s: got %d, want %d", protocol, got, n)
		}
	}
}

func TestLawsStandWhereTheySay(t *testing.T) {
	for _, protocol := range load(t).Protocols() {
		data, err := os.ReadFile(protocol + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		for _, l := range load(t).Laws(protocol) {
			if l.File != protocol+".yaml" || lines[l.Line-1] != "- id: "+l.ID {
				t.Errorf("%s is said to stand at %s:%d, where the text is %q", l.ID, l.File, l.Line, lines[l.Line-1])
			}
		}
	}
}

func TestReferencesBetweenLawsResolve(t *testing.T) {
	c := load(t)
	ref := regexp.MustCompile(`\b(?:[A-Z]+-)?[A-Z]+-[0-9]{3}\b`)
	n := 0
	for _, l := range c.All() {
		for _, word := range ref.FindAllString(strings.Join([]string{l.Statement, l.Check, l.Notes, l.Withdrawn}, "\n"), -1) {
			if word == "SHA-256" || word == "HMAC-SHA-256" {
				continue
			}
			n++
			_, full := c.Law(word)
			_, short := c.Law(strings.ToUpper(l.Protocol) + "-" + word)
			if !full && !short {
				t.Errorf("%s refers to %s, which is no law", l.ID, word)
			}
		}
	}
	if n < 30 {
		t.Errorf("references found: %d, the pattern cannot be right", n)
	}
}

func TestDecisionsSaySoTwice(t *testing.T) {
	for _, protocol := range []string{"substrate", "databus"} {
		for _, l := range load(t).Laws(protocol) {
			if (l.Source == "decision") != l.Decision {
				t.Errorf("%s: source %q but decision %v", l.ID, l.Source, l.Decision)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	c := load(t)
	for _, l := range c.All() {
		got, ok := c.Law(l.ID)
		if diff := cmp.Diff(l, got); !ok || diff != "" {
			t.Fatalf("lookup of %s: found %v, differs:\n%s", l.ID, ok, diff)
		}
	}
	for _, id := range []string{"", "STOMP-FRAME-999", "stomp-frame-001", "STOMP-FRAME-001 "} {
		if l, ok := c.Law(id); ok {
			t.Errorf("lookup of %q found %s", id, l.ID)
		}
	}
	if c.Laws("mqtt") != nil || c.Groups("mqtt") != nil || spec.Roles("mqtt") != nil || spec.Versions("mqtt") != nil {
		t.Error("an unknown protocol has laws, groups, roles or versions")
	}
	if diff := cmp.Diff(spec.KnownProtocols(), c.Protocols()); diff != "" {
		t.Errorf("protocols differ (-known +catalogue):\n%s", diff)
	}
}

func TestCatalogueCannotBeChangedThroughItsAnswers(t *testing.T) {
	c := load(t)
	before := c.Hash()
	for _, l := range slices.Concat(c.Laws("stomp"), c.All()) {
		for i := range l.Versions {
			l.Versions[i] = "9.9"
		}
	}
	l, _ := c.Law("STOMP-FRAME-001")
	l.Versions[0] = "9.9"
	chosen, err := c.Select(spec.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	chosen[0].Versions[0] = "9.9"
	c.Laws("stomp")[0] = spec.Law{}
	c.Protocols()[0] = "x"
	spec.Roles("stomp")[0] = "x"
	if c.Hash() != before || spec.Roles("stomp")[0] != "codec" {
		t.Error("an answer shares memory with the catalogue")
	}
}

func TestNewRefusesWhatCannotBeFound(t *testing.T) {
	a := spec.Law{ID: "X-A-001", Protocol: "x", File: "x.yaml", Line: 1}
	again := a
	again.Line = 9
	for want, laws := range map[string][]spec.Law{
		"make catalogue: law X-A-001 of x.yaml:9 is already defined at x.yaml:1":       {a, again},
		`make catalogue: law "" of protocol "x" needs both an id and a protocol`:       {{Protocol: "x"}},
		`make catalogue: law "X-A-001" of protocol "" needs both an id and a protocol`: {{ID: "X-A-001"}},
	} {
		if _, err := spec.New(laws); fmt.Sprint(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	c, err := spec.New(nil)
	if err != nil || c.Len() != 0 || c.Hash() == "" {
		t.Errorf("empty catalogue: %d laws, hash %q, error %v", c.Len(), c.Hash(), err)
	}
	var zero spec.Catalogue
	if zero.Len() != 0 || zero.Hash() != c.Hash() {
		t.Error("the zero catalogue is not the empty one")
	}
}
