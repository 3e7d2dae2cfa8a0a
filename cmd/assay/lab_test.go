package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/lab"
)

// Every installed broker shows exactly the deviations that its baseline lists, with a reason each.
func TestLabBrokersKeepTheirBaselines(t *testing.T) {
	if os.Getenv("ASSAY_LAB") == "" {
		t.Skip("real brokers take minutes and must be installed: make lab-install lab-test")
	}
	out := t.TempDir()
	for _, b := range lab.All() {
		t.Run(b.Name, func(t *testing.T) {
			if _, err := b.Installed(t.Context()); err != nil {
				t.Skip(err)
			}
			var stdout, stderr bytes.Buffer
			args := []string{"lab", "test", b.Name, "--out", out, "--baselines", "../../conformance/lab/baselines"}
			status := execute(t.Context(), args, streams{out: &stdout, err: &stderr})
			t.Logf("%s%s", stdout.String(), stderr.String())
			if status != conformance.ExitHeld {
				t.Errorf("exit status %d", status)
			}
		})
	}
}
