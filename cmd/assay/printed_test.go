package main

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/report"
	"github.com/seed-6f28358b/assay/conformance/suites"
	"github.com/seed-6f28358b/assay/spec"
)

// printed are the commands in a form of a report, each on a line of its own once the form's own escapes are undone.
func printed(t *testing.T, name string, data []byte) []string {
	t.Helper()
	text := string(data)
	switch filepath.Ext(name) {
	case ".html":
		// What the page's scripts show stands in its data.
		for _, block := range regexp.MustCompile(`(?s)<script type="application/json"[^>]*>(.*?)</script>`).FindAllStringSubmatch(text, -1) {
			text += texts(t, block[1])
		}
		text = html.UnescapeString(regexp.MustCompile(`<[a-z/][^>]*>`).ReplaceAllString(text, "\n"))
	case ".xml":
		text = html.UnescapeString(text)
	case ".sarif", ".json":
		text = texts(t, text)
	case ".md":
		text = strings.ReplaceAll(text, "`", "\n")
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		line = regexp.MustCompile(`^(│ )?((replay|run again|Replay:|Run again:) +)?`).ReplaceAllString(line, "")
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "assay ") {
			out = append(out, line)
		}
	}
	return out
}

// texts returns every text of a JSON document, each on a line.
func texts(t *testing.T, document string) string {
	t.Helper()
	var tree any
	if err := json.Unmarshal([]byte(document), &tree); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(any)
	walk = func(node any) {
		switch n := node.(type) {
		case string:
			b.WriteString("\n" + n + "\n")
		case []any:
			for _, v := range n {
				walk(v)
			}
		case map[string]any:
			for _, v := range n {
				walk(v)
			}
		}
	}
	walk(tree)
	return b.String()
}

// understood reports why the command line would refuse a command that a shell was given.
func understood(t *testing.T, command string) error {
	t.Helper()
	words, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\0' `+command).Output()
	if err != nil {
		return err
	}
	var c cli
	parser, err := newParser(&c, streams{out: io.Discard, err: io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
	if _, err := parser.Parse(args[1:]); err != nil {
		return err
	}
	if args[1] == "test" {
		suite, _ := suites.Named(c.Test.Protocol)
		_, err = c.Test.config(suite)
	}
	return err
}

// Every command that a report prints is one that this program takes, from the folder in which the run was started.
func TestEveryPrintedCommandIsUnderstood(t *testing.T) {
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("my broker.yaml", []byte("name: mine\ntitle: Mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const id = "stomp/server/connect/connected@1.2"
	var results []*conformance.Result
	for name, h := range map[string]conformance.Header{
		"reference": {Target: "ref", Profile: "ref", Command: "assay test stomp --seed 7", Seed: 7},
		"broker": {
			Target: "tcp://127.0.0.1:26883", Profile: "mine", Selection: []string{"--only stomp/server/connect/**", "--version 1.2"},
			Command: "assay test stomp tcp://127.0.0.1:26883 --profile 'my broker.yaml' --only 'stomp/server/connect/**' --version 1.2",
		},
		"lab": {Target: "tcp://127.0.0.1:26884", Profile: "go-stomp", Command: "assay lab test go-stomp:tcp"},
		"old": {Target: "tcp://127.0.0.1:26885", Profile: "go-stomp"},
	} {
		h.Suite, h.Name, h.Kind, h.Nonce, h.Started, h.Scope = "stomp", name, "real", "abc", time.Unix(1e9, 0).UTC(), conformance.Scope
		h.Seed = max(h.Seed, 1)
		h.Calibration.Reference = "green"
		if h.Target == "ref" {
			h.Calibration.Reference = "self"
		}
		again, _, _ := strings.Cut(h.Command, " --only")
		again = strings.TrimSuffix(again, " --seed 7")
		if name == "old" {
			again = "assay lab test stompserver:tcp"
		}
		c := conformance.CaseResult{
			ID: id, Title: "t", Verdict: conformance.Fail, Laws: []string{"STOMP-CONNECT-007"}, Reason: "it must", Command: again + " --only '" + id + "' --seed 1",
			Replay:   "replays/connected.json",
			Findings: []conformance.Finding{{Law: "STOMP-CONNECT-007", Level: "MUST", Verdict: conformance.Fail, Step: 1, Reason: "it must"}},
		}
		doubt := c
		doubt.ID, doubt.Verdict, doubt.Findings, doubt.Replay = "stomp/server/connect/connected@1.1", conformance.Inconclusive, nil, ""
		doubt.Command = strings.Replace(c.Command, id, doubt.ID, 1)
		if err := os.MkdirAll(filepath.Join(name, "replays"), 0o755); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		w := conformance.NewWriter(&b)
		for _, err := range []error{
			w.Header(h), w.Case(c), w.Case(doubt),
			w.Footer(conformance.Footer{Counts: conformance.Counts{conformance.Fail: 1, conformance.Inconclusive: 1}, Total: 2, Exit: 1}),
			os.WriteFile(filepath.Join(name, "replays", "connected.json"), []byte("{}"), 0o644),
			os.WriteFile(filepath.Join(name, "result.jsonl"), b.Bytes(), 0o644),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		res, err := conformance.ReadResultFile(filepath.Join(name, "result.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, res)
	}
	var formats []string
	for _, f := range report.Formats() {
		formats = append(formats, f.Name)
	}
	sets := map[string][]*conformance.Result{"matrix": results}
	for _, r := range results {
		sets[r.Header.Name] = []*conformance.Result{r}
	}
	for dir, set := range sets {
		paths, err := report.WriteFiles(dir, formats, report.Options{Laws: laws}, set...)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			commands := printed(t, path, data)
			if name := filepath.Base(path); len(commands) == 0 && name != "badge.json" && filepath.Base(filepath.Dir(path)) != "badges" {
				t.Errorf("%s prints no command", path)
			}
			replays := 0
			for _, command := range commands {
				if strings.HasPrefix(command, "assay replay ") {
					replays++
				}
				if err := understood(t, command); err != nil {
					t.Errorf("%s prints %q: %v", path, command, err)
				}
			}
			if kept := strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".html"); kept && (replays > 0) != (dir == "reference" || dir == "broker") {
				t.Errorf("%s prints %d replays", path, replays)
			}
		}
	}
}
