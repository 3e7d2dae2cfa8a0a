package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/lab"
)

// mortal are brokers whose process dies of what the suite sends, over and over. What a death takes with
// it differs from run to run, so that their baselines are compared and shown but not held.
var mortal = []string{"go-stomp"}

// Every installed broker shows exactly the deviations that its baseline lists, with a reason each.
func TestLabBrokersKeepTheirBaselines(t *testing.T) {
	if os.Getenv("ASSAY_LAB") == "" {
		t.Skip("real brokers take minutes and must be installed: make lab-install lab-test")
	}
	out := "../../lab-report"
	t.Run("each", func(t *testing.T) {
		for _, b := range lab.All() {
			t.Run(b.Name, func(t *testing.T) {
				t.Parallel()
				if _, err := b.Installed(t.Context()); err != nil {
					t.Skip(err)
				}
				var stdout, stderr bytes.Buffer
				// The first endpoint: connectors of one broker differ in their parsers, and each has its own baseline.
				args := []string{"lab", "test", b.Name + ":" + b.Transports[0], "--out", filepath.Join(out, b.Name), "--baselines", "../../conformance/lab/baselines"}
				status := execute(t.Context(), args, streams{out: &stdout, err: &stderr})
				t.Logf("%s%s", stdout.String(), stderr.String())
				if _, err := readResult(filepath.Join(out, b.Name, b.Name, "result.jsonl")); err != nil {
					t.Errorf("the result is not whole: %v", err)
				}
				if status != conformance.ExitHeld && !slices.Contains(mortal, b.Name) {
					t.Errorf("exit status %d", status)
				}
			})
		}
	})
	files, err := filepath.Glob(filepath.Join(out, "*", "*", "result.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d results: %v", len(files), err)
	}
	var stdout, stderr bytes.Buffer
	args := append([]string{"report", "--format", "md,html", "-o", out}, files...)
	if status := execute(t.Context(), args, streams{out: &stdout, err: &stderr}); status == conformance.ExitUsage {
		t.Errorf("the matrix cannot be made: %s", stderr.String())
	}
}
