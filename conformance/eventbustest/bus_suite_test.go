package eventbustest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/adapters"
)

func TestReferenceBus(t *testing.T) {
	judgeBus(t, conformance.Config{Target: conformance.Target{Spec: "ref", Scheme: "ref"}})
}

// TestBusOfAUser judges the reference as a user's own bus is, where nothing is held against it that is about the
// reference alone.
func TestBusOfAUser(t *testing.T) { TestBus(t, Reference, "EVENTBUS-ID-*") }

// TestInstalledBuses judges the buses inside installed npm packages: ASSAY_LAB names a folder, and every package
// @qwen-code/qwen-code under it, two levels down at most, is one.
func TestInstalledBuses(t *testing.T) {
	lab := os.Getenv("ASSAY_LAB")
	if lab == "" {
		t.Skip("ASSAY_LAB names no folder of installed packages")
	}
	var found []string
	for _, pattern := range []string{"node_modules", "*/node_modules"} {
		dirs, err := filepath.Glob(filepath.Join(lab, pattern, "@qwen-code", "qwen-code"))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, dirs...)
	}
	if len(found) == 0 {
		t.Fatalf("no package @qwen-code/qwen-code under %s", lab)
	}
	script, err := adapters.Scripts.ReadFile("eventbus-qwen/adapter.mjs")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "adapter.mjs")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range found {
		t.Run(strings.ReplaceAll(strings.TrimPrefix(dir, lab), "/", "_"), func(t *testing.T) {
			keepsTheFrame(t, "node", file, dir)
			judgeBus(t, conformance.Config{Target: conformance.ExecTarget([]string{"node", file, dir}), Parallel: 2})
		})
	}
}

// keepsTheFrame holds the adapter that is a command against the rules for all adapters.
func keepsTheFrame(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	requests, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	replies, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, broken := range adapter.Check(t.Context(), adapter.New(replies, requests, adapter.Config{}), "eventbus") {
		t.Error(broken)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestReferenceKeepsTheFrame(t *testing.T) {
	for _, broken := range adapter.Check(t.Context(), adapter.Local(ServeReference, adapter.Config{}), "eventbus") {
		t.Error(broken)
	}
}
