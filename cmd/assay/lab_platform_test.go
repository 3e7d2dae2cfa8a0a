package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance/lab/platform"
)

func TestPlatformStatus(t *testing.T) {
	finding := func(v platform.Verdict, fault bool) platform.Finding {
		return platform.Finding{Verdict: v, Fault: fault}
	}
	for want, findings := range map[string][]platform.Finding{
		"":              {finding(platform.Holds, false), finding(platform.Undecided, false)},
		"exit status 1": {finding(platform.Holds, false), finding(platform.Fails, false), finding(platform.Undecided, true)},
		"exit status 2": {finding(platform.Holds, false), finding(platform.Undecided, true)},
	} {
		got := ""
		if err := platformStatus(&platform.Report{Findings: findings}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: %q, want %q", findings, got, want)
		}
	}
}

// Where there is no Chromium the command says so, and how it comes.
func TestPlatformWithoutBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), []string{"lab", "platform"}, streams{out: &stdout, err: &stderr})
	said := stderr.String()
	if status != 2 || stdout.Len() != 0 || !strings.Contains(said, "Chromium is not installed") || !strings.Contains(said, "install.sh") {
		t.Errorf("%d %q %q", status, stdout.String(), said)
	}
}

func TestPlatformReportGoesIntoItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "platform.md")
	var out bytes.Buffer
	if err := (&labPlatform{Format: "md", Out: file}).write(&out, &platform.Report{Browser: "Chrome/1"}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), "Chrome/1") || !strings.Contains(out.String(), file) {
		t.Errorf("%q, %v, %q", b, err, out.String())
	}
}
