package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
)

// The command of a run is the one that it was started by; a profile's name is never taken for its file.
func TestReproduceIsTheRunsOwnCommand(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*conformance.Result)
		want   []string
	}{
		"told by the result": {func(*conformance.Result) {}, []string{"assay test demo tcp://127.0.0.1:61613 --profile demo.yaml --seed 7"}},
		"told by a case": {func(r *conformance.Result) {
			r.Header.Command, r.Header.Selection = "", []string{"--only demo/server/**", "--version 1.2"}
		}, []string{"assay test demo tcp://127.0.0.1:61613 --only 'demo/server/**' --version 1.2 --seed 7"}},
		"of the lab, with a seed that it does not take": {func(r *conformance.Result) {
			r.Header.Command, r.Header.Seed = "", 1
			for i, c := range r.Cases {
				r.Cases[i].Command = "assay lab test alpha:tcp --only '" + c.ID + "' --seed 1"
			}
		}, []string{"assay lab test alpha:tcp"}},
		"told by nothing, with a profile": {func(r *conformance.Result) {
			r.Header.Command, r.Cases = "", nil
		}, nil},
		"told by nothing, without": {func(r *conformance.Result) {
			r.Header.Command, r.Header.Profile, r.Cases = "", "", nil
		}, []string{"assay test demo tcp://127.0.0.1:61613 --seed 7"}},
		"told by nothing, inside of a program": {func(r *conformance.Result) {
			r.Header.Command, r.Header.Profile, r.Header.Kind, r.Header.Target, r.Cases = "", "", "in-process", "my bus", nil
		}, nil},
		"the reference has a profile of its own": {func(r *conformance.Result) {
			r.Header.Command, r.Header.Profile, r.Header.Target, r.Header.Calibration.Reference, r.Cases = "", "ref", "ref", "self", nil
		}, []string{"assay test demo --seed 7"}},
	} {
		r := mixed("Alpha")
		tt.change(r)
		m := report.Join(catalogue(t), r)
		if d := cmp.Diff(tt.want, m.Summary().Targets[0].Commands); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		for _, f := range m.Summary().Targets[0].Findings {
			if strings.HasSuffix(f.Command, "--seed 1") {
				t.Errorf("%s: a case's command is %q", name, f.Command)
			}
		}
		var b bytes.Buffer
		if err := report.MatrixMarkdown(&b, report.Options{Laws: catalogue(t)}, r); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "--profile demo-profile") {
			t.Errorf("%s: the profile's name stands for its file", name)
		}
		for _, want := range tt.want {
			if !strings.Contains(b.String(), "\n"+want+"\n") {
				t.Errorf("%s: the matrix lacks %q", name, want)
			}
		}
	}
}

// A replay is named by its path from where the report is made, and only where there is something to repeat.
func TestReplayLine(t *testing.T) {
	const line = "assay replay assay-report/replays/demo_server_ack_cumulative_1.2.json"
	for name, tt := range map[string]struct {
		change func(*conformance.Result)
		want   bool
	}{
		"beside the result":           {func(*conformance.Result) {}, true},
		"nobody knows where":          {func(r *conformance.Result) { r.Dir = "" }, false},
		"not the result's own":        {func(r *conformance.Result) { r.Cases[0].Replay = "../../x.json" }, false},
		"a target that ended with it": {func(r *conformance.Result) { r.Header.Command = "assay lab test alpha:tcp" }, false},
		"a client that starts anew": {func(r *conformance.Result) {
			r.Header.Target, r.Header.Command = "exec:python3 x.py tcp://127.0.0.1:1", "assay lab test x.py"
		}, true},
	} {
		r := mixed("Alpha")
		tt.change(r)
		for _, f := range []string{"terminal", "md", "html", "junit", "sarif"} {
			out := write(t, f, r)
			if strings.Contains(out, "assay replay ") != tt.want || strings.Contains(out, line) != tt.want {
				t.Errorf("%s: %s names a replay: %v, want %v", name, f, !tt.want, tt.want)
			}
		}
	}
}

// A page that is kept names no replay that stays behind when its folder is moved.
func TestPublishedPageNamesOnlyItsOwnReplays(t *testing.T) {
	t.Chdir(t.TempDir())
	for dir, want := range map[string]bool{"assay-report": true, "reports": false, ".": true, "assay-report/replays": true, "assay": false} {
		if _, err := report.WriteFiles(dir, []string{"md", "html"}, report.Options{Laws: catalogue(t)}, mixed("Alpha")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"result.md", "result.html"} {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Contains(data, []byte("assay replay ")); got != want {
				t.Errorf("%s in %s names the replay: %v, want %v", name, dir, got, want)
			}
		}
	}
}

// A folder of results loses the reports of the run before; another folder, and a file of another name, lose nothing.
func TestClear(t *testing.T) {
	dir := t.TempDir()
	keep := func(names ...string) {
		for _, name := range names {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() []string {
		var out []string
		for _, pattern := range []string{"*.*", "*/*.*"} {
			names, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range names {
				rel, _ := filepath.Rel(dir, n)
				out = append(out, rel)
			}
		}
		return out
	}
	keep("result.md", "junit.xml", "badges/x.json", "notes.md")
	before := left()
	if err := report.Clear(dir); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, left()); d != "" {
		t.Errorf("a folder without a result file lost something (-before +after):\n%s", d)
	}
	keep("result.jsonl", "result.txt", "result.html", "result.sarif", "badge.json", "summary.json")
	if err := report.Clear(dir); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"notes.md", "result.jsonl"}, left()); d != "" {
		t.Errorf("after clearing (-want +got):\n%s", d)
	}
	if err := report.Clear(filepath.Join(dir, "none")); err != nil {
		t.Error(err)
	}
}
