package corpus_test

import (
	"fmt"
	"testing"

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
		return inFile(corpus.LoadBugs, "v/a.yaml", s)
	}
	if bs, err := file(goodBug); err != nil || len(bs) != 1 || len(bs[0].Packets) != 2 {
		t.Fatalf("the good report is refused: %v", err)
	}
	refuses(t, goodBug, file, []refusal{
		{"unknown key", "  fault:", "  blame:", 9, "blame"},
		{"report without a number", "a/b#1", "a/b", 1, "owner/project#number"},
		{"other report without a number", "  symptom:", "  also: [c/d]\n  symptom:", 1, "c/d"},
		{"unknown direction", "client-to-server", "up", 1, "direction"},
		{"unknown transport", "tcp", "udp", 1, "transport"},
		{"unknown fault", "receiver", "nobody", 1, "fault"},
		{"sender's fault without findings", "receiver", "sender", 1, "findings"},
		{"nothing right", "  right: One frame.\n", "", 1, "right"},
		{"feed out of range", "events: [{command: SEND}]", "error: {rule: utf8, feed: 3}", 1, "feed 3 of 2"},
		{"nothing wanted", "events: [{command: SEND}]", "bytes: x", 1, "neither"},
		{"result of a vector", "want: {", "want: {reject: true, ", 1, "only events and an error"},
		{"law of another form", "[STOMP-FRAME-012]", "[STOMP-12]", 1, "STOMP-12"},
		{"receiver's fault with findings", "  want:", "  findings: [{law: STOMP-FRAME-012, verdict: lax}]\n  want:", 1, "findings"},
		{
			"finding on a law that is not cited", "fault: receiver", "fault: sender\n  findings: [{law: STOMP-BODY-001, verdict: lax}]", 1,
			"does not cite",
		},
		{"answer of a server", "  want:", "  answer: ''\n  want:", 1, "answer"},
		{"name used twice", goodBug, goodBug + goodBug, 13, "already used at v/a.yaml:1"},
	})
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
