package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

func write(t *testing.T, name string, results ...*conformance.Result) string {
	t.Helper()
	f, err := report.FormatByName(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, report.Options{Laws: catalogue(t)}, results...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// No text of a target reaches a terminal or a CI log as a control character or a command.
func TestNoFormHoldsControlCharacters(t *testing.T) {
	for _, f := range report.Formats() {
		files, err := f.Files(report.Options{Laws: catalogue(t), Color: true}, hostile(), mixed("Alpha"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for i, c := range string(file.Data) {
				if c < 0x20 && c != '\n' && c != '\t' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == 0x202e || c == 0xfeff {
					t.Errorf("%s holds %U at %d", file.Name, c, i)
					break
				}
			}
			if regexp.MustCompile(`(?m)^\s*(::|##\[)`).Match(file.Data) {
				t.Errorf("%s holds a line that CI systems take for a command", file.Name)
			}
			if strings.Contains(file.Name, "..") || !filepath.IsLocal(file.Name) {
				t.Errorf("file name %q", file.Name)
			}
		}
	}
}

// Every failure block stands alone: law, level, sentence, target, step, expected, seen, how to run it again.
func TestFailureBlockStandsAlone(t *testing.T) {
	out := write(t, "terminal", mixed("Alpha"))
	start := strings.Index(out, "┌ ✗ fail")
	block := out[start : start+strings.Index(out[start:], "└")]
	for _, part := range []string{
		"DEMO-ACK-001", "MUST", "An acknowledgement settles every message before it.", "Alpha at tcp://127.0.0.1:61613", "step        3",
		"no further MESSAGE", `redelivered:true`, "assay replay assay-report/replays/demo_server_ack_cumulative_1.2.json\n", "Demo spec, section of cumulative", "--only 'demo/server/ack/cumulative@1.2' --seed 7", "steady", "300 ms",
	} {
		if !strings.Contains(block, part) {
			t.Errorf("block lacks %q:\n%s", part, block)
		}
	}
}

// The last line is the sum, and it comes out.
func TestTerminalEndsWithTheSum(t *testing.T) {
	for name, results := range scenarios() {
		if len(results) != 1 {
			continue
		}
		lines := strings.Split(strings.TrimSpace(write(t, "terminal", results...)), "\n")
		last := lines[len(lines)-1]
		var total, sum, exit int
		head, rest, _ := strings.Cut(last, " = ")
		fmt.Sscan(head, &total)
		parts, tail, _ := strings.Cut(rest, "; ")
		for part := range strings.SplitSeq(parts, " + ") {
			var n int
			fmt.Sscan(part, &n)
			sum += n
		}
		fmt.Sscanf(tail, "exit %d:", &exit)
		if total == 0 || total != sum || total != len(results[0].Cases) || exit != results[0].Footer.Exit {
			t.Errorf("%s: %q: total %d, sum %d, cases %d, exit %d of %d", name, last, total, sum, len(results[0].Cases), exit, results[0].Footer.Exit)
		}
		for _, v := range conformance.Verdicts() {
			if !strings.Contains(last, string(v)) {
				t.Errorf("%s: the sum leaves out %s", name, v)
			}
		}
	}
}

func TestTerminalColourOnlyWhenAsked(t *testing.T) {
	var with, without bytes.Buffer
	for w, colour := range map[*bytes.Buffer]bool{&with: true, &without: false} {
		if err := report.Terminal(w, report.Options{Laws: catalogue(t), Color: colour}, mixed("Alpha")); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(without.String(), "\x1b") || !strings.Contains(with.String(), "\x1b[31") {
		t.Error("colour is not what was asked for")
	}
	bare := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(with.String(), "")
	trim := regexp.MustCompile(`(?m) +$`)
	if d := cmp.Diff(without.String(), trim.ReplaceAllString(bare, "")); d != "" {
		t.Errorf("colour changes more than colour:\n%s", d)
	}
}

// STOMP-INTEROP-003: the bounded claim stands in everything that people read. STOMP-INTEROP-002: so do the kind of the
// evidence and the version of the software.
func TestScopeAndKindAreTold(t *testing.T) {
	one, two := mixed("Alpha"), mixed("Beta")
	two.Header.Kind = "scripted-peer"
	one.Header.Scope, two.Header.Scope = conformance.Scope, conformance.Scope
	for _, name := range []string{"terminal", "md", "html"} {
		for _, results := range [][]*conformance.Result{{one}, {one, two}} {
			out := strings.Join(strings.Fields(write(t, name, results...)), " ")
			for _, part := range []string{"It is no certification", "persistence", "mutual TLS", "proxies", "load", "real", "Alpha/1.0", "2026"} {
				if !strings.Contains(out, part) {
					t.Errorf("%s of %d results lacks %q", name, len(results), part)
				}
			}
			if len(results) == 2 && !strings.Contains(out, "scripted-peer") {
				t.Errorf("%s does not tell a scripted peer from real software", name)
			}
		}
	}
}

func TestJUnitKeepsVerdictsApart(t *testing.T) {
	for name, results := range scenarios() {
		var suites junit.Testsuites
		if err := xml.Unmarshal([]byte(write(t, "junit", results...)), &suites); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, known := conformance.Counts{}, 0
		for _, r := range results {
			for v, n := range r.Footer.Counts {
				want[v] += n
			}
			if name == "baseline" {
				known = 2 // a fail and an inconclusive
				want[conformance.Fail]--
				want[conformance.Inconclusive]--
			}
		}
		got := [4]int{suites.Tests, suites.Failures, suites.Errors, suites.Skipped}
		expect := [4]int{
			want.Total() + known, want[conformance.Fail], want[conformance.Inconclusive] + want[conformance.Blocked],
			want[conformance.Unsupported] + want[conformance.NotRun] + known,
		}
		if got != expect {
			t.Errorf("%s: tests, failures, errors, skipped are %v, want %v", name, got, expect)
		}
		for _, s := range suites.Suites {
			for _, c := range s.Testcases {
				if c.Name == "" || c.Classname == "" {
					t.Errorf("%s: a test case without name or classname: %+v", name, c)
				}
				if c.Skipped != nil && c.Skipped.Message == "" {
					t.Errorf("%s: %s is skipped without a reason", name, c.Name)
				}
				if (c.Status == "lax" || c.Status == "info") && (c.SystemOut == nil || c.Failure != nil || c.Error != nil) {
					t.Errorf("%s: %s is %s and not passed with output", name, c.Name, c.Status)
				}
			}
		}
	}
}

func TestSARIFIsValid(t *testing.T) {
	for name, results := range scenarios() {
		log, err := sarif.FromString(write(t, "sarif", results...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		// Validation compiles the whole schema each time: the telling runs are enough.
		if name == "hostile" || name == "matrix" || name == "empty" {
			if err := log.Validate(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, run := range log.Runs {
			for _, r := range run.Results {
				rule := run.Tool.Driver.Rules[r.RuleIndex]
				if *rule.ID != *r.RuleID {
					t.Errorf("%s: result of rule %s points at %s", name, *r.RuleID, *rule.ID)
				}
			}
		}
	}
	log, _ := sarif.FromString(write(t, "sarif", mixed("Alpha")))
	levels := map[string]string{}
	for _, r := range log.Runs[0].Results {
		levels[*r.RuleID] = r.Level
	}
	if d := cmp.Diff(map[string]string{"DEMO-ACK-001": "error", "DEMO-FRAME-002": "warning", "DEMO-ACK-002": "note"}, levels); d != "" {
		t.Errorf("levels (-want +got):\n%s", d)
	}
	if help := *log.Runs[0].Tool.Driver.Rules[0].Help.Text; !strings.Contains(help, "settles every message") || !strings.Contains(help, "Demo spec") {
		t.Errorf("help %q lacks the law or its source", help)
	}
}

// A badge is never green for a run that decided nothing, or not all.
func TestBadgeColours(t *testing.T) {
	for v, want := range map[conformance.Verdict]string{
		conformance.Pass: "brightgreen", conformance.Fail: "red", conformance.Lax: "yellow", conformance.Info: "brightgreen",
		conformance.Inconclusive: "lightgrey", conformance.Blocked: "lightgrey", conformance.Unsupported: "lightgrey", conformance.NotRun: "lightgrey",
	} {
		var b struct {
			SchemaVersion  int
			Label, Message string
			Color          string
		}
		if err := json.Unmarshal([]byte(write(t, "badge", allOf("Alpha", v))), &b); err != nil {
			t.Fatal(err)
		}
		if b.Color != want || b.SchemaVersion != 1 || b.Label == "" || b.Message == "" {
			t.Errorf("all %s: %+v, want %s", v, b, want)
		}
	}
	half := allOf("Alpha", conformance.Pass)
	half.Cases[0].Verdict = conformance.Inconclusive
	if out := write(t, "badge", result(half.Header, half.Cases...)); !strings.Contains(out, "orange") {
		t.Errorf("an undecided case leaves the badge %s", out)
	}
}

func TestWriteFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "out")
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	paths, err := report.WriteFiles(dir, names, report.Options{Laws: catalogue(t), Color: true}, mixed("Alpha"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	slices.Sort(found)
	if d := cmp.Diff(paths, found); d != "" {
		t.Errorf("files told and files written differ:\n%s", d)
	}
	for _, want := range []string{"result.txt", "result.md", "junit.xml", "result.sarif", "result.html", "badge.json", "badges/demo-frame.json", "summary.json"} {
		if !slices.Contains(paths, filepath.Join(dir, want)) {
			t.Errorf("%s is missing", want)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "result.txt"))
	if err != nil || bytes.Contains(text, []byte("\x1b")) {
		t.Errorf("a file holds colour, or is not there: %v", err)
	}
	if _, err := report.WriteFiles(dir, []string{"md", "pdf"}, report.Options{}, mixed("Alpha")); err == nil || !strings.Contains(err.Error(), `unknown format "pdf", known: terminal, md, junit, sarif, html, badge, json`) {
		t.Errorf("unknown format: %v", err)
	}
}

// Without a catalogue and without results every form still is what it says.
func TestFormsWithoutLawsOrResults(t *testing.T) {
	for _, f := range report.Formats() {
		for _, results := range [][]*conformance.Result{nil, {nil}, {mixed("Alpha")}, {{}}} {
			var b bytes.Buffer
			if err := f.Write(&b, report.Options{}, results...); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
}

// Markdown must fit a step summary, whatever was found.
func TestMarkdownIsBounded(t *testing.T) {
	var cases []conformance.CaseResult
	for i := range 80 {
		c := plainCase(fmt.Sprintf("g%d/x", i), conformance.Fail, "DEMO-ACK-001")
		c.Reason = strings.Repeat(fmt.Sprint(i)+attack, 4)
		for range 40 {
			c.Transcript = append(c.Transcript, conformance.Record{Conn: "a", Dir: "<", Text: strings.Repeat("x", 700)})
		}
		cases = append(cases, withFinding(c, conformance.Finding{Law: "DEMO-ACK-001", Verdict: conformance.Fail, Reason: c.Reason, Seen: c.Reason, Expected: c.Reason}))
	}
	for i := range 500 {
		c := plainCase(fmt.Sprintf("%s%d/x", strings.Repeat("u", 200), i), conformance.Unsupported, "DEMO-ACK-002")
		c.Reason = fmt.Sprint(i) + strings.Repeat(attack, 4)
		c.Notes = []conformance.Note{{Key: c.Reason, Value: c.Reason}}
		cases = append(cases, c)
	}
	r := result(header("Alpha"), cases...)
	r.Footer.Baseline = &conformance.BaselineDelta{}
	for _, c := range cases {
		r.Footer.Baseline.New = append(r.Footer.Baseline.New, c.ID)
	}
	if out := write(t, "md", r); len(out) > 1<<20 {
		t.Errorf("%d octets, a step summary takes 1 MiB", len(out))
	} else if !strings.Contains(out, "the result file and the other forms have all of them") {
		t.Error("what is left out is not told")
	}
}

// A text that a CI system would take for a command is shown and is none, wherever a line breaks.
func TestTerminalLinesAreNoCommands(t *testing.T) {
	c := plainCase("a/x", conformance.Inconclusive, "DEMO-ACK-001")
	c.ID, c.Command = "::error::case", "##[error]command"
	c.Reason = strings.Repeat("word ", 30) + strings.Repeat("::error::reason ", 20)
	r := result(header(strings.Repeat("::error::name ", 20)), c)
	var b bytes.Buffer
	if err := report.Terminal(&b, report.Options{Width: 40}, r); err != nil {
		t.Fatal(err)
	}
	if l := regexp.MustCompile(`(?m)^\s*(::|##\[).*`).FindString(b.String()); l != "" {
		t.Errorf("line %q is a command", l)
	}
	if !strings.Contains(b.String(), "· ::error::case") {
		t.Errorf("the text is not shown:\n%s", b.String())
	}
}
