//go:build linux

package model

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

var spinRounds = flag.Int("spin", 0, "rounds of comparison with spin and gcc, which must be installed; 0 for none")

// linkRun is one exploration of the whole system by some explorer.
type linkRun struct {
	states, edges int64
	wall, cpu     time.Duration
	bytes         int64
}

// TestSpinCountsTheSame runs Spin on the twin in testdata and this explorer in
// turns, and demands the same states and steps from all. The rates are
// compared within each round, as the machine's speed varies from one to the next;
// processor time is compared as well, as it does not depend on who else is
// using the machine.
func TestSpinCountsTheSame(t *testing.T) {
	if *spinRounds == 0 {
		t.Skip("-spin is 0")
	}
	pan := buildSpin(t)
	type side struct {
		name    string
		workers int
		machine Machine[linkState, linkAction, struct{}]
	}
	sides := []side{
		{"plain, 1 worker", 1, linkMachine{}},
		{"plain, 2 workers", 2, linkMachine{}},
		{"Expander, 1 worker", 1, fastLinks{}},
		{"Expander, 2 workers", 2, fastLinks{}},
	}
	wall, cpu := make([][]float64, len(sides)), make([][]float64, len(sides))
	for range *spinRounds {
		spin := runSpin(t, pan)
		t.Logf("spin: %.0f states/s, %.2f s, %.2f s of processor, %.1f bytes/state",
			float64(spin.states)/spin.wall.Seconds(), spin.wall.Seconds(), spin.cpu.Seconds(), float64(spin.bytes)/linkStates)
		// Spin counts the storing of the initial state as a transition.
		if spin.states != linkStates || spin.edges != linkEdges+1 {
			t.Errorf("want %d states and %d transitions from spin, got %d and %d", linkStates, linkEdges+1, spin.states, spin.edges)
		}
		for i, side := range sides {
			run := runLinks(t, side.machine, side.workers)
			if run.states != linkStates || run.edges != linkEdges {
				t.Errorf("%s: want %d states and %d edges, got %d and %d", side.name, linkStates, linkEdges, run.states, run.edges)
			}
			wall[i] = append(wall[i], spin.wall.Seconds()/run.wall.Seconds())
			cpu[i] = append(cpu[i], spin.cpu.Seconds()/run.cpu.Seconds())
			t.Logf("%s: %.0f states/s, %.2f s, %.2f s of processor, %.1f bytes/state",
				side.name, float64(run.states)/run.wall.Seconds(), run.wall.Seconds(), run.cpu.Seconds(), float64(run.bytes)/linkStates)
			if perState := float64(run.bytes) / linkStates; perState > 60 {
				t.Errorf("%s: want at most 60 bytes a state, got %.1f", side.name, perState)
			}
		}
	}
	t.Logf("this whole process never held more than %.1f bytes/state in memory", float64(peakMemory(t))/linkStates)
	for i, side := range sides {
		slices.Sort(wall[i])
		slices.Sort(cpu[i])
		n := len(wall[i])
		t.Logf("%s / spin: %.2fx [%.2f-%.2f] in time, %.2fx [%.2f-%.2f] in processor time",
			side.name, wall[i][n/2], wall[i][0], wall[i][n-1], cpu[i][n/2], cpu[i][0], cpu[i][n-1])
	}
}

func runLinks(t *testing.T, m Machine[linkState, linkAction, struct{}], workers int) linkRun {
	t.Helper()
	before := processorTime(t)
	r, err := Exhaust(t.Context(), m, ExhaustConfig[linkState, linkAction, struct{}]{
		Bounds:     Bounds{Workers: workers},
		Invariants: []Invariant[linkState]{linkOnce},
	})
	if err != nil || !r.Complete {
		t.Fatalf("want a complete exploration, got %v, error %v", r, err)
	}
	return linkRun{r.States, r.Edges, r.Elapsed, processorTime(t) - before, r.Bytes}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	usage := resources(t)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakMemory is the most memory that this process has had resident, garbage and
// the Go runtime included.
func peakMemory(t *testing.T) int64 {
	t.Helper()
	return resources(t).Maxrss * 1024
}

func resources(t *testing.T) syscall.Rusage {
	t.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	return usage
}

// buildSpin makes Spin's verifier for the twin and returns its path.
func buildSpin(t *testing.T) string {
	t.Helper()
	model, err := filepath.Abs(filepath.Join("testdata", "links.pml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, command := range [][]string{
		{"spin", "-a", model},
		{"gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-o", "pan", "pan.c"},
	} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, out)
		}
	}
	return filepath.Join(dir, "pan")
}

func runSpin(t *testing.T, pan string) linkRun {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), pan, "-m100000", "-w24")
	cmd.Dir = filepath.Dir(pan)
	cmd.Stderr = os.Stderr
	begun := time.Now()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pan: %v\n%s", err, out)
	}
	run := linkRun{wall: time.Since(begun), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	number := func(pattern string) float64 {
		found := regexp.MustCompile(pattern).FindSubmatch(out)
		if found == nil {
			t.Fatalf("pan does not say %s:\n%s", pattern, out)
		}
		n, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if number(`errors: (\d+)`) != 0 {
		t.Errorf("pan finds an error:\n%s", out)
	}
	run.states = int64(number(`(?m)^\s*(\d+) states, stored`))
	run.edges = int64(number(`(?m)^\s*(\d+) transitions`))
	run.bytes = int64(number(`(?m)^\s*([\d.]+)\s+total actual memory usage`) * (1 << 20))
	return run
}
