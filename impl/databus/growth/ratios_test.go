package growth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// scriptLength is how many requests a script has.
const scriptLength = 20_000

// goal is how many times as fast as the original a script is to be.
const goal = 20

// spent is the time that something took, of the clock and of processors.
type spent struct{ clock, cpu time.Duration }

// run carries out a script, and returns how long that took and how often each thing was done.
func run(tb testing.TB, script []request) (spent, map[string]int) {
	p, did := newPlayer(), map[string]int{}
	worked, start := cpu(), time.Now()
	for i := range script {
		deeds, err := p.play(&script[i])
		if err != nil {
			tb.Fatal(i, err)
		}
		for j := range deeds {
			did[deeds[j].kind]++
		}
	}
	took := spent{time.Since(start), cpu() - worked}
	for _, page := range p.pages {
		if err := stop(p, page); err != nil {
			tb.Fatal(err)
		}
	}
	return took, did
}

func stop(p *player, page *page) error {
	ended := false
	var failed error
	page.bus.StopThen(func(err error) { ended, failed = true, err })
	p.settle()
	if !ended {
		return fmt.Errorf("%s does not stop", page.name)
	}
	return failed
}

// The script is the same each time, and makes everything happen that a bench is about.
func TestScript(t *testing.T) {
	requests := script(scriptLength)
	if !bytes.Equal(lines(requests), lines(script(scriptLength))) || len(requests) != scriptLength {
		t.Error("another script each time")
	}
	_, did := run(t, requests[:3000])
	_, again := run(t, requests[:3000])
	if !reflect.DeepEqual(did, again) {
		t.Errorf("%v, and then %v", did, again)
	}
	for _, kind := range []string{"dispatch", "post", "write", "remove", "tsub", "tunsub", "tpub", "tstart", "tstop", "status", "settled"} {
		if did[kind] == 0 {
			t.Errorf("nothing is done of kind %s: %v", kind, did)
		}
	}
	if did["error"] > 0 {
		t.Errorf("%d errors", did["error"])
	}
}

// BenchmarkScript measures a request of the script.
func BenchmarkScript(b *testing.B) {
	requests := script(scriptLength)
	b.ReportAllocs()
	for b.Loop() {
		run(b, requests)
	}
	b.ReportMetric(float64(b.N)*scriptLength/b.Elapsed().Seconds(), "ops/s")
}

// BenchmarkRatios carries out a script of 20000 requests on three buses of this process and on three of the original under Node, in turns,
// and reports the median of the ratios. It is left out if ASSAY_DATABUS_ORIGINAL names no original or Node is not installed. Run it with
// -benchtime=7x, on a machine that has nothing else to do.
//
// What surrounds the buses takes its time on both sides: the storage, the channel, whose frames are JSON on their way, the clock, and the
// list of what was done. What is peculiar to the other side is that each task ends with a turn of Node's loop, without which the promises
// of the original would not be done, and that each of its tabs imports the library. The ratio by processors says more on a machine that is
// busy; there Node's own start counts as well.
func BenchmarkRatios(b *testing.B) {
	original := os.Getenv("ASSAY_DATABUS_ORIGINAL")
	if original == "" {
		b.Skip("the original is not there: name its folder in ASSAY_DATABUS_ORIGINAL")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		b.Skip("the original needs Node, which is not installed")
	}
	requests := script(scriptLength)
	file := filepath.Join(b.TempDir(), "script.jsonl")
	if err := os.WriteFile(file, lines(requests), 0o600); err != nil {
		b.Fatal(err)
	}
	var ours, theirs, ratios, work []float64
	for b.Loop() {
		mine, _ := run(b, requests)
		its := runOriginal(b, node, original, file)
		ours = append(ours, scriptLength/mine.clock.Seconds())
		theirs = append(theirs, scriptLength/its.clock.Seconds())
		ratios = append(ratios, its.clock.Seconds()/mine.clock.Seconds())
		if mine.cpu > 0 {
			work = append(work, its.cpu.Seconds()/mine.cpu.Seconds())
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(middle(ratios), "ratio")
	_, _ = fmt.Fprintf(
		os.Stderr, "\nops a second: %.0f ours, %.0f the original's, %.1fx [%.1f-%.1f] in %d rounds, %.1fx by processors, goal %dx\n",
		middle(ours), middle(theirs), middle(ratios), slices.Min(ratios), slices.Max(ratios), len(ratios), middle(work), goal,
	)
	if middle(ratios) < goal {
		b.Errorf("%.1f times as fast as the original, want %d", middle(ratios), goal)
	}
}

// runOriginal returns how long the original carries out the script.
func runOriginal(b *testing.B, node, original, file string) spent {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	adapter := filepath.Join("..", "..", "..", "conformance", "adapters", "databus", "bench.mjs")
	cmd := exec.CommandContext(ctx, node, adapter, original, file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var took struct {
		Ops     int     `json:"ops"`
		Seconds float64 `json:"seconds"`
	}
	if err := json.Unmarshal(out, &took); err != nil || took.Ops != scriptLength || took.Seconds <= 0 {
		b.Fatalf("%s: %v", out, err)
	}
	return spent{
		time.Duration(took.Seconds * float64(time.Second)), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
	}
}

// middle returns the median, 0 of nothing.
func middle(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
