package growth

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"testing"
	"time"
)

var sizes = []int{10, 100, 1000, 10_000}

// slack is what memory that no cache holds, and the collector, may add to an exponent. What grows with the square adds more.
const slack = 0.4

// BenchmarkGrowth measures how long a tab needs for each thing, and how many allocations, from 10 tabs or topics to 10000, and fits the
// exponent with which the time grows from 100 on. It fails where that is more than the goal. One round is enough: -benchtime=1x.
func BenchmarkGrowth(b *testing.B) {
	for b.Loop() {
		// Not by way of the log, which a benchmark cuts after ten lines.
		table := fmt.Sprintf("\n%-52s", "time and allocations, by size")
		for _, n := range sizes {
			table += fmt.Sprintf(" %20d", n)
		}
		table += " exponent"
		for _, g := range growths() {
			table += fmt.Sprintf("\n%-52s", g.name)
			var times []float64
			for _, n := range sizes {
				ns, allocations := measure(b, g, n)
				times = append(times, ns)
				table += fmt.Sprintf(" %9v %10.0f", time.Duration(ns).Round(100), allocations)
			}
			exponent := fit(sizes[1:], times[1:])
			table += fmt.Sprintf(" %8.2f", exponent)
			if exponent > g.most+slack {
				b.Errorf("%s: grows with the power %.2f of the size, want at most %.2f", g.name, exponent, g.most+slack)
			}
		}
		_, _ = fmt.Fprintln(os.Stderr, table)
	}
	b.ReportMetric(0, "ns/op")
}

// measure returns the least time of processors, of several, that one thing takes, in nanoseconds, and its allocations. What else there is
// to do on the machine does not count.
func measure(tb testing.TB, g growth, n int) (ns, allocations float64) {
	_, do, again := g.make(tb, n)
	ns = math.Inf(1)
	var before, after runtime.MemStats
	for spent, rounds := time.Duration(0), 0; rounds < 5 || spent < 30*time.Millisecond && rounds < 200; rounds++ {
		again()
		runtime.GC()
		runtime.ReadMemStats(&before)
		worked, start := cpu(), time.Now()
		do()
		took := time.Since(start)
		if worked := cpu() - worked; worked > 0 {
			took = worked
		}
		runtime.ReadMemStats(&after)
		spent += took
		ns = min(ns, float64(took))
		allocations = float64(after.Mallocs - before.Mallocs)
	}
	return ns, allocations
}

// fit returns the exponent of the power law that is nearest to the times.
func fit(sizes []int, times []float64) float64 {
	var x, y, xx, xy float64
	for i, n := range sizes {
		lx, ly := math.Log(float64(n)), math.Log(times[i])
		x, y, xx, xy = x+lx, y+ly, xx+lx*lx, xy+lx*ly
	}
	n := float64(len(sizes))
	return (n*xy - x*y) / (n*xx - x*x)
}

func TestFit(t *testing.T) {
	for _, exponent := range []float64{0, 1, 1.5, 2} {
		var times []float64
		for _, n := range sizes {
			times = append(times, 7*math.Pow(float64(n), exponent))
		}
		if got := fit(sizes, times); math.Abs(got-exponent) > 1e-9 {
			t.Errorf("got %v, want %v", got, exponent)
		}
	}
}

// TestGrowth: whatever a tab does, it looks at all keys a few times only however many topics it concerns, and reads and writes in
// proportion to what there is.
func TestGrowth(t *testing.T) {
	const looks = 6
	for _, g := range growths() {
		var reads, writes []float64
		for _, n := range []int{50, 200} {
			c, do, again := g.make(t, n)
			again()
			c.shelf.looks, c.shelf.reads, c.shelf.writes = 0, 0, 0
			do()
			if c.shelf.looks > looks {
				t.Errorf("%s, %d: looks at all keys %d times, want at most %d", g.name, n, c.shelf.looks, looks)
			}
			reads, writes = append(reads, float64(c.shelf.reads+1)), append(writes, float64(c.shelf.writes+1))
		}
		if reads[1] > 4.5*reads[0] || writes[1] > 4.5*writes[0] {
			t.Errorf("%s: four times the size takes %v reads and %v writes", g.name, reads, writes)
		}
	}
}
