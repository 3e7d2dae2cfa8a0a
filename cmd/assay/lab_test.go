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
	var subjects []subject
	for _, b := range lab.All() {
		_, err := b.Installed(t.Context())
		// The first endpoint: connectors of one broker differ in their parsers, and each has its own baseline.
		subjects = append(subjects, subject{name: b.Name, target: b.Name + ":" + b.Transports[0], missing: err, mortal: slices.Contains(mortal, b.Name)})
	}
	keepBaselines(t, filepath.Join(labOut, "brokers"), subjects)
}

// So does every client library.
func TestLabClientsKeepTheirBaselines(t *testing.T) {
	var subjects []subject
	for _, c := range lab.Clients() {
		_, err := c.Installed(t.Context())
		subjects = append(subjects, subject{name: c.Name, target: c.Name, missing: err})
	}
	keepBaselines(t, filepath.Join(labOut, "clients"), subjects)
}

// labOut is where the results of the lab go.
const labOut = "../../lab-report"

// A subject is what the lab judges: a broker or a client.
type subject struct {
	name, target string
	missing      error
	mortal       bool
}

// keepBaselines judges subjects, two at a time, and makes their matrix.
func keepBaselines(t *testing.T, out string, subjects []subject) {
	if os.Getenv("ASSAY_LAB") == "" {
		t.Skip("real software takes minutes and must be installed: make lab-install lab-test")
	}
	t.Run("each", func(t *testing.T) {
		for _, s := range subjects {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				if s.missing != nil {
					t.Skip(s.missing)
				}
				var stdout, stderr bytes.Buffer
				args := []string{"lab", "test", s.target, "--out", filepath.Join(out, s.name), "--baselines", "../../conformance/lab/baselines"}
				status := execute(t.Context(), args, streams{out: &stdout, err: &stderr})
				t.Logf("%s%s", stdout.String(), stderr.String())
				if _, err := readResult(filepath.Join(out, s.name, s.name, "result.jsonl")); err != nil {
					t.Errorf("the result is not whole: %v", err)
				}
				if status != conformance.ExitHeld && !s.mortal {
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
