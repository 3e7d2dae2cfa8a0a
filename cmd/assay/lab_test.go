package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/lab"
)

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
				if status != conformance.ExitHeld {
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
