package report_test

import (
	"bytes"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
	"github.com/seed-6f28358b/assay/spec"
)

// Findings, cases and laws are counted under their own words.
func TestFindingsCasesAndLawsAreToldApart(t *testing.T) {
	lax := conformance.Finding{Law: "DEMO-FRAME-002", Level: "SHOULD", Verdict: conformance.Lax, Reason: "loose"}
	twice := withFinding(plainCase("a/x", conformance.Fail, "DEMO-ACK-001"), conformance.Finding{Law: "DEMO-ACK-001", Level: "MUST", Verdict: conformance.Fail, Reason: "one"})
	twice = withFinding(twice, conformance.Finding{Law: "DEMO-ACK-001", Level: "MUST", Verdict: conformance.Fail, Reason: "two"})
	twice = withFinding(twice, lax)
	r := result(header("Alpha"), twice, withFinding(plainCase("a/y", conformance.Lax, "DEMO-FRAME-002"), lax))
	for _, name := range []string{"terminal", "md", "html"} {
		out := write(t, name, r)
		for _, part := range []string{"fail: 2 findings in 1 case, about 1 law", "lax: 2 findings in 2 cases, about 1 law; 1 of the cases counted as fail"} {
			if !strings.Contains(out, part) {
				t.Errorf("%s lacks %q", name, part)
			}
		}
	}
}

// The figures at the top of the page add up to the laws that were decided.
func TestHeadOfThePageAddsUp(t *testing.T) {
	laws, big := large(t, 3, 400)
	for _, results := range [][]*conformance.Result{{mixed("Alpha")}, big[:1], big} {
		var b bytes.Buffer
		if err := report.HTML(&b, report.Options{Laws: laws}, results...); err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?s)<p class="stats">(.*?)</p>`).FindStringSubmatch(b.String())[1]
		var figures []int
		for _, m := range regexp.MustCompile(`<span class="v-[a-z]+"><b>(\d+)</b>|<span><b>(\d+)</b> laws? decided`).FindAllStringSubmatch(line, -1) {
			n, _ := strconv.Atoi(m[1] + m[2])
			figures = append(figures, n)
		}
		sum := 0
		for _, n := range figures[1:] {
			sum += n
		}
		if len(figures) < 3 || figures[0] == 0 || figures[0] != sum {
			t.Errorf("figures %v do not add up: %s", figures, line)
		}
	}
}

// Laws that nothing cites are told apart by whether these runs judge the role that they bind.
func TestLawsForOthersAreToldApart(t *testing.T) {
	law := func(id, role string, level spec.Level) spec.Law {
		return spec.Law{ID: id, Protocol: "demo", Group: "ACK", Role: role, Level: level, Title: "t", Statement: "s", Source: "x", Check: "c", File: "demo.yaml"}
	}
	laws, err := spec.New([]spec.Law{
		law("DEMO-ACK-001", "server", spec.Must), law("DEMO-ACK-002", "server", spec.Must), law("DEMO-ACK-003", "client", spec.Must),
		law("DEMO-ACK-004", "client", spec.May), law("DEMO-ACK-005", "client", spec.Must), law("DEMO-ACK-006", "server", spec.Reference),
	})
	if err != nil {
		t.Fatal(err)
	}
	r := result(header("Alpha"), plainCase("a/x", conformance.Pass, "DEMO-ACK-001", "DEMO-ACK-003"))
	const want = "2 laws cited by the cases of these runs; 1 more bind the same role and are cited by none; " +
		"another 3 bind others (Assay's reference 1, client 2), and assay laws tells what judges each"
	var page, matrix bytes.Buffer
	if err := report.HTML(&page, report.Options{Laws: laws}, r); err != nil {
		t.Fatal(err)
	}
	if err := report.MatrixMarkdown(&matrix, report.Options{Laws: laws}, r); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{"html": page.String(), "md": matrix.String()} {
		if !strings.Contains(html.UnescapeString(out), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
}

// No head of the table is a word that was cut, at any width that fits a terminal.
func TestTableHeadsAreWords(t *testing.T) {
	for _, width := range []int{40, 72, 80, 100, 140} {
		var b bytes.Buffer
		if err := report.Terminal(&b, report.Options{Width: width}, mixed("Alpha")); err != nil {
			t.Fatal(err)
		}
		head := regexp.MustCompile(`(?m)^ group .*$`).FindString(b.String())
		for _, word := range strings.Fields(head)[1:] {
			_, err := conformance.ParseVerdict(word)
			if err != nil && !strings.HasSuffix(word, ".") && word != "cases" && len([]rune(word)) > 1 {
				t.Errorf("width %d: %q is no word: %s", width, word, head)
			}
		}
		if n := len([]rune(head)); width >= 80 && n > width {
			t.Errorf("width %d: the table is %d wide", width, n)
		}
	}
}

// The columns of a transcript align whatever the connections are called, names are whole, and the signs are explained.
func TestTranscriptColumnsAlign(t *testing.T) {
	c := plainCase("a/x", conformance.Fail, "DEMO-ACK-001")
	c.Transcript = []conformance.Record{
		{Conn: "offer-1.0,1.1,1.2", Dir: "-", Text: "MARK"}, {Conn: "offer-1.0", Dir: ">", Text: "MARK"}, {Millis: 12345.6, Conn: "", Dir: "<", Text: "MARK"},
	}
	out := write(t, "md", result(header("Alpha"), c))
	columns := map[int]bool{}
	for line := range strings.SplitSeq(out, "\n") {
		if i := strings.Index(line, "MARK"); i >= 0 {
			columns[i] = true
		}
	}
	if len(columns) != 1 || !strings.Contains(out, "offer-1.0,1.1,1.2 -  MARK") || !strings.Contains(out, "(&gt; to the target, &lt; from it, - an event)") {
		t.Errorf("texts begin at columns %v:\n%s", columns, out)
	}
}

// A law's file is looked for in Assay's tree, never in that of who judges; nothing that says nothing is written.
func TestSARIFPointsIntoAssay(t *testing.T) {
	out := write(t, "sarif", mixed("Alpha"))
	log, err := sarif.FromString(out)
	if err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	for _, r := range run.Results {
		at := r.Locations[0].PhysicalLocation.ArtifactLocation
		if at.URIBaseID == nil || *run.OriginalUriBaseIds[*at.URIBaseID].URI == "" {
			t.Errorf("%s is looked for in the reader's own tree", *at.URI)
		}
	}
	if len(run.VersionControlProvenance) != 1 || run.Tool.Driver.Rules[0].HelpURI == nil {
		t.Error("the log does not tell where the laws are")
	}
	if strings.Contains(out, "[]") || strings.Contains(out, ": -1") {
		t.Error("the log holds empty lists or offsets of -1")
	}
	if empty := write(t, "sarif", allOf("Alpha", conformance.Pass)); !strings.Contains(empty, `"results": []`) {
		t.Error("a run without findings does not say that it looked")
	}
}

// Whoever opens the page of a target that deviates reads of the deviations first.
func TestDeviationsComeFirst(t *testing.T) {
	for v, want := range map[conformance.Verdict]bool{conformance.Fail: true, conformance.Lax: true, conformance.Pass: false} {
		out := write(t, "html", allOf("Alpha", v))
		if got := strings.Index(out, `<section id="deviations"`) < strings.Index(out, `<section id="laws"`); got != want {
			t.Errorf("%s: deviations first: %v, want %v", v, got, want)
		}
	}
}
