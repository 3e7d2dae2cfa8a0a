package corpus_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-6f28358b/assay/corpus"
)

func bugs(t *testing.T) []corpus.Bug {
	t.Helper()
	bs, err := corpus.Bugs()
	if err != nil {
		t.Fatal(err)
	}
	return bs
}

func TestBugsCiteLawsThatDecide(t *testing.T) {
	c := catalogue(t)
	for _, b := range bugs(t) {
		cited(t, c, b.Name, b.Laws, b.Versions)
		for _, f := range b.Findings {
			cited(t, c, b.Name+" findings", []string{f.Law}, b.Versions)
			if !slices.Contains(b.Laws, f.Law) {
				t.Errorf("%s: the finding %s is not among the laws", b.Name, f.Law)
			}
		}
	}
}

func TestBugsAreAllThere(t *testing.T) {
	reports := map[string]bool{}
	transports, directions, faults := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, b := range bugs(t) {
		reports[b.Report] = true
		transports[b.Transport], directions[b.Direction], faults[b.Fault] = true, true, true
		if b.Fault == "sender" && b.Corrected == nil {
			t.Errorf("%s does not say what the sender should have sent", b.Name)
		}
	}
	if len(reports) != 19 {
		t.Errorf("there are %d reports, not 19", len(reports))
	}
	if len(transports) != 2 || len(directions) != 2 || len(faults) != 2 {
		t.Errorf("not every kind of bug is there: %v %v %v", transports, directions, faults)
	}
}

const goodBug = `- name: cut
  report: a/b#1
  symptom: It hangs.
  laws: [STOMP-FRAME-012]
  sections: [STOMP Frames]
  direction: client-to-server
  versions: ["1.2"]
  transport: tcp
  fault: receiver
  packets: ['SEND\n', '\n\0']
  right: One frame.
  want: {events: [{command: SEND}]}
`

func TestLoadBugsRefuses(t *testing.T) {
	file := func(s string) ([]corpus.Bug, error) {
		return corpus.LoadBugs(fstest.MapFS{"b.yaml": {Data: []byte(s)}}, "b.yaml")
	}
	if bs, err := file(goodBug); err != nil || len(bs) != 1 || len(bs[0].Packets) != 2 {
		t.Fatalf("the good report is refused: %v", err)
	}
	for _, c := range []struct {
		old, new string
		line     int
		reason   string
	}{
		{"  fault:", "  blame:", 9, "blame"},
		{"a/b#1", "a/b", 1, "owner/project#number"},
		{"  symptom:", "  also: [c/d]\n  symptom:", 1, "c/d"},
		{"client-to-server", "up", 1, "direction"},
		{"tcp", "udp", 1, "transport"},
		{"receiver", "nobody", 1, "fault"},
		{"receiver", "sender", 1, "findings"},
		{"  right: One frame.\n", "", 1, "right"},
		{"events: [{command: SEND}]", "error: {rule: utf8, feed: 3}", 1, "feed 3 of 2"},
		{"events: [{command: SEND}]", "bytes: x", 1, "neither"},
		{"want: {", "want: {reject: true, ", 1, "only events and an error"},
		{"[STOMP-FRAME-012]", "[STOMP-12]", 1, "STOMP-12"},
		{"  want:", "  findings: [{law: STOMP-FRAME-012, verdict: lax}]\n  want:", 1, "findings"},
		{goodBug, goodBug + goodBug, 13, "already used at line 1"},
	} {
		_, err := file(strings.Replace(goodBug, c.old, c.new, 1))
		var at *corpus.LoadError
		if !errors.As(err, &at) || at.Line != c.line || !strings.Contains(at.Reason, c.reason) {
			t.Errorf("%q for %q: the loader gives %v; want line %d and %q", c.new, c.old, err, c.line, c.reason)
		}
	}
}

func ExampleBugs() {
	bugs, err := corpus.Bugs()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range bugs {
		if b.Fault == "sender" && b.Transport == "tcp" && b.Versions[0] == "1.1" {
			fmt.Println(b.Name, b.Findings)
		}
	}
	// Output:
	// ack-with-copied-content-length-1.1 [{STOMP-BODY-001 fail}]
	// cr-escaped-in-1.1 [{STOMP-ESC-006 fail}]
}
