package lab

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

func TestClientTargetIsACommandThatRuns(t *testing.T) {
	for _, c := range Clients() {
		target, err := c.Target(t.Context())
		if missing := (*NotInstalledError)(nil); errors.As(err, &missing) {
			if missing.Name != c.Name || missing.Missing == "" || !strings.Contains(missing.Install, c.Name) {
				t.Errorf("%s: %v", c.Name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		parsed, err := conformance.ParseTarget(target.Spec)
		if err != nil || parsed.Command != target.Command {
			t.Errorf("%s: target %q reads back as %+v, %v", c.Name, target.Spec, parsed, err)
		}
		if home, err := os.UserHomeDir(); err == nil && strings.Contains(target.Spec, home) {
			t.Errorf("%s: target %q names a folder of this machine", c.Name, target.Spec)
		}
		if version, err := c.Installed(t.Context()); err != nil || version == "" {
			t.Errorf("%s: version %q, %v", c.Name, version, err)
		}
	}
}

// An adapter keeps the rules of spec/adapter.md that hold for all.
func TestClientAdaptersKeepTheFrame(t *testing.T) {
	for _, c := range Clients() {
		if c.Suite == "stomp-client" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			target, err := c.Target(t.Context())
			if err != nil {
				t.Skip(err)
			}
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "exec "+target.Command)
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
			for _, broken := range adapter.Check(t.Context(), adapter.New(replies, requests, adapter.Config{}), c.Suite) {
				t.Error(broken)
			}
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A testee that has nobody to connect to ends by itself.
func TestTesteeWithoutAServerEnds(t *testing.T) {
	for _, c := range Clients() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			target, err := c.Target(t.Context())
			if err != nil {
				t.Skip(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "exec "+target.Command)
			cmd.Env = append(os.Environ(), "ASSAY_HOST=127.0.0.1", "ASSAY_PORT=1", "ASSAY_URL=ws://127.0.0.1:1/")
			if out, _ := cmd.CombinedOutput(); ctx.Err() != nil {
				t.Errorf("it had to be killed: %s", out)
			}
		})
	}
}
