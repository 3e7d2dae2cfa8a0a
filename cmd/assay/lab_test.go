package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/lab"
	"github.com/seed-6f28358b/assay/conformance/suites"
)

// mortal are brokers whose process dies of what the suite sends, over and over. What a death takes with
// it differs from run to run, so that their baselines are compared and shown but not held.
var mortal = []string{"go-stomp"}

// Everything installed shows exactly the deviations that its baseline lists, with a reason each.
func TestLabKeepsItsBaselines(t *testing.T) {
	if os.Getenv("ASSAY_LAB") == "" {
		t.Skip("real software takes minutes and must be installed: make lab-install lab-test")
	}
	for _, suite := range suites.Names() {
		t.Run(suite, func(t *testing.T) { keepBaselines(t, suite) })
	}
}

// subjects returns what the lab knows that a suite judges.
func subjects(t *testing.T, suite string) (of []subject) {
	for _, ch := range known() {
		if ch.Suite != suite {
			continue
		}
		target := ch.Name
		if ch.client == nil {
			// The first endpoint: connectors of one broker differ in their parsers, and each has its own baseline.
			target += ":" + ch.broker.Transports[0]
		}
		_, err := ch.Installed(t.Context())
		of = append(of, subject{name: ch.Name, target: target, missing: err, mortal: slices.Contains(mortal, ch.Name)})
	}
	return of
}

// judged runs a command line and returns its exit status and what it printed.
func judged(t *testing.T, args []string) (status int, text string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = execute(t.Context(), args, streams{out: &stdout, err: &stderr})
	t.Logf("%s%s", stdout.String(), stderr.String())
	return status, stdout.String()
}

// fixed returns the cases that a run of the lab says no longer deviate, and nil if it tells of another difference as well.
func fixed(text string) (ids []string) {
	for line := range strings.Lines(text) {
		what, id, ok := strings.Cut(strings.TrimSpace(line), ": ")
		switch {
		case ok && what == "fixed":
			ids = append(ids, id)
		case ok && slices.Contains([]string{"new", "changed", "expired"}, what):
			return nil
		}
	}
	return ids
}

// labOut is where the results of the lab go.
const labOut = "../../lab-report"

// A subject is what the lab judges: a broker, a daemon or a library.
type subject struct {
	name, target string
	missing      error
	mortal       bool
}

// keepBaselines judges what is there for a suite, two at a time, and makes their matrix.
func keepBaselines(t *testing.T, suite string) {
	of := subjects(t, suite)
	if len(of) == 0 {
		t.Skip("the lab knows nothing that this suite judges")
	}
	out := filepath.Join(labOut, suite)
	t.Run("each", func(t *testing.T) {
		for _, s := range of {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				if s.missing != nil {
					t.Skip(s.missing)
				}
				args := []string{"lab", "test", s.target, "--out", filepath.Join(out, s.name), "--baselines", "../../conformance/lab/baselines"}
				status, text := judged(t, args)
				// A deviation that rests on time may fail to show once. Only one that stays away is fixed.
				if absent := fixed(text); status == conformance.ExitBaseline && len(absent) > 0 {
					args[4] = filepath.Join(out, s.name, "again")
					for _, id := range absent {
						args = append(args, "--only", id)
					}
					status, _ = judged(t, args)
				}
				if _, err := conformance.ReadResultFile(filepath.Join(out, s.name, s.name, "result.jsonl")); err != nil {
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

func TestOnlyWhatIsFixedAloneIsLookedAtAgain(t *testing.T) {
	for text, want := range map[string][]string{
		"x: pass 3\n  fixed: a/b@1.2\n  fixed: c\nmatrix of 1 targets: m\n": {"a/b@1.2", "c"},
		"x: pass 3\n  new: d\n  fixed: c\n":                                 nil,
		"x: pass 3\n":                                                       nil,
	} {
		if got := fixed(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// Brokers that end by themselves are told of, each, and a command that keeps none any more ends.
func TestLabNoticesWhatEnds(t *testing.T) {
	ends := []chan struct{}{make(chan struct{}), make(chan struct{})}
	var told []int
	close(ends[1])
	err := watch(t.Context(), []<-chan struct{}{ends[0], ends[1]}, func(i int) {
		told = append(told, i)
		if i == 1 {
			close(ends[0])
		}
	})
	if err == nil || !slices.Equal(told, []int{1, 0}) {
		t.Errorf("%v, told of %v", err, told)
	}
}

// From any folder the lab judges by baselines: those named, those of the repository, or those built in.
func TestLabFindsItsBaselines(t *testing.T) {
	t.Chdir(t.TempDir())
	at := func(c labTest) string {
		if err := c.findBaselines(); err != nil {
			return err.Error()
		}
		return c.Baselines
	}
	for want, c := range map[string]labTest{
		"":                              {},
		"--write-baseline: there is no": {WriteBaseline: true},
		"--baselines: stat mine":        {Baselines: "mine"},
		"mine":                          {Baselines: "mine", WriteBaseline: true},
	} {
		if got := at(c); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
	if err := os.MkdirAll(sourceBaselines, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := at(labTest{WriteBaseline: true}); got != sourceBaselines {
		t.Errorf("%q", got)
	}
	if b, err := lab.Baseline("rabbitmq"); err != nil || len(b.Entries) == 0 {
		t.Errorf("%v", err)
	}
	if _, err := lab.Baseline("nosuch"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
