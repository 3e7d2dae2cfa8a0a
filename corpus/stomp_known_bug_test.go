package corpus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
)

func knownBugs(t *testing.T) []corpus.KnownBug {
	t.Helper()
	bs, err := corpus.KnownBugs()
	if err != nil {
		t.Fatal(err)
	}
	return bs
}

func TestKnownBugsAreOfClients(t *testing.T) {
	c := catalogue(t)
	libraries, transports, directions := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, b := range knownBugs(t) {
		if l, ok := c.Law(b.Law); ok && !slices.Contains([]string{"client", "codec"}, string(l.Role)) {
			t.Errorf("%s: %s binds %s, not clients", b.Name, b.Law, l.Role)
		}
		libraries[b.Library], transports[b.Transport], directions[b.Direction] = true, true, true
	}
	if len(libraries) < 8 || len(transports) != 2 || len(directions) != 2 {
		t.Errorf("not every kind of bug is there: %v %v %v", libraries, transports, directions)
	}
}

const goodKnownBug = `- name: cut
  library: lib
  registry: npm
  package: '@a/lib'
  affected: '0.9.1'
  fixed: '1.0'
  law: STOMP-FRAME-012
  versions: ["1.1", "1.2"]
  report: a/b#1
  what: It hangs.
  direction: server-to-client
  wire: ['MESSAGE\n', '\n\0']
  right: One frame.
  testee: lib.js
  cases: [stomp/client/chunk/in-two@1.2]
`

func TestLoadKnownBugsRefuses(t *testing.T) {
	file := func(s string) ([]corpus.KnownBug, error) {
		return inFile(corpus.LoadKnownBugs, "v/a.yaml", s)
	}
	if bs, err := file(goodKnownBug); err != nil || len(bs) != 1 || len(bs[0].Wire) != 2 || bs[0].Transport != "tcp" {
		t.Fatalf("the good bug is refused: %v", err)
	}
	if _, err := file(strings.Replace(goodKnownBug, "a/b#1", "'lib 1.0: no longer hangs'", 1)); err != nil {
		t.Fatalf("a release as the report is refused: %v", err)
	}
	refuses(t, goodKnownBug, file, []refusal{
		{"unknown key", "  what:", "  symptom:", 10, "symptom"},
		{"nothing that goes wrong", "  what: It hangs.\n", "", 1, "what"},
		{"unknown registry", "registry: npm", "registry: here", 1, "registry"},
		{"unknown direction", "server-to-client", "down", 1, "direction"},
		{"unknown transport", "  wire:", "  transport: udp\n  wire:", 1, "transport"},
		{"correction of what a server sends", "  wire:", "  corrected: [x]\n  wire:", 1, "corrected"},
		{"release in words", "'0.9.1'", "'latest'", 1, "latest"},
		{"release that is both", "'0.9.1'", "'1.0'", 1, "both"},
		{"report in words", "a/b#1", "'a mail'", 1, "owner/project#number"},
		{"law of another form", "STOMP-FRAME-012", "STOMP-12", 1, "STOMP-12"},
		{"testee elsewhere", "lib.js", "../lib.js", 1, "testee"},
		{"case of another version", "in-two@1.2", "in-two@1.0", 1, "1.0"},
		{"case with a capital", "in-two@1.2", "In-Two", 1, "In-Two"},
		{"case given twice", "chunk/in-two@1.2]", "chunk/a, stomp/client/chunk/a]", 1, "twice"},
		{"no case", "[stomp/client/chunk/in-two@1.2]", "[]", 1, "cases"},
		{"name used twice", goodKnownBug, goodKnownBug + goodKnownBug, 16, "already used at v/a.yaml:1"},
	})
}

func ExampleKnownBugs() {
	bugs, err := corpus.KnownBugs()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range bugs {
		if b.Library == "go-stomp" && b.Law == "STOMP-ACK-003" {
			fmt.Println(b.Package, b.Affected, b.Fixed, b.Cases)
		}
	}
	// Output:
	// github.com/go-stomp/stomp/v3 3.0.4 3.0.5 [stomp/client/ack/names-the-message@1.2]
}
