//go:build unix

package frame_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	peer "github.com/go-stomp/stomp/v3/frame"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

var (
	ratios = flag.Bool("ratios", false, "measure against go-stomp and physical limits in alternating rounds")
	rounds = flag.Int("ratio-rounds", 7, "rounds of -ratios")
	only   = flag.String("ratio-case", "", "measure only the rows of -ratios whose name contains this")
	slice  = flag.Duration("ratio-time", 40*time.Millisecond, "processor time of each side of a round of -ratios")
)

// side is one thing measured: run does its work once.
type side struct {
	name string
	run  func()
}

// contest is a row of the table: ours over base, in work per time, with the goal; 0 is no goal.
type contest struct {
	name       string
	base, ours side
	goal       float64
	unit       float64 // what one run handles, for the absolute figure of ours
	noAlloc    bool    // ours must not allocate
	perUnit    float64 // allocations allowed for each unit; with noAlloc none
}

// TestRatios prints the median of per-round ratios [min-max] beside each goal, and fails below a goal. The two sides
// alternate within a round, so that a noisy minute hits both.
func TestRatios(t *testing.T) {
	if !*ratios {
		t.Skip("measures only with -ratios: the figures mean something only on a quiet machine")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-28s %12s %12s  %-26s %6s %10s\n", "case", "base k/s", "ours k/s", "ratio [min-max]", "goal", "allocs/unit")
	missed := 0
	for c := range contests() {
		if !strings.Contains(c.name, *only) {
			continue
		}
		c.base.run()
		c.ours.run()
		allocs := testing.AllocsPerRun(3, c.ours.run) / c.unit
		var rs, bases, owns []float64
		for range *rounds {
			base, own := rate(c.base, c.unit), rate(c.ours, c.unit)
			rs, bases, owns = append(rs, own/base), append(bases, base), append(owns, own)
		}
		r, verdict := median(rs), ""
		if c.goal > 0 && r < c.goal || c.noAlloc && allocs > 1e-4 || !c.noAlloc && c.perUnit > 0 && allocs > c.perUnit {
			verdict = "  MISSED"
			missed++
		}
		fmt.Fprintf(&b, "%-28s %12.1f %12.1f  %-26s %6.2f %10.4f%s\n", c.name, median(bases)/1e3, median(owns)/1e3,
			fmt.Sprintf("%.2fx [%.2f-%.2f]", r, slices.Min(rs), slices.Max(rs)), c.goal, allocs, verdict)
	}
	t.Log(b.String())
	if missed > 0 {
		t.Errorf("%d goals missed", missed)
	}
}

// rate returns how many units the side handles in a second of processor time, the collector's included. Processor time
// leaves out the moments when the machine ran something else.
func rate(s side, unit float64) float64 {
	runtime.GC()
	start := cpu()
	n := 0.0
	for {
		s.run()
		n += unit
		if d := cpu() - start; d >= *slice {
			return n / d.Seconds()
		}
	}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// contests yields the rows one by one, so that the heap holds the stream of one case at a time.
func contests() iter.Seq[contest] {
	return func(yield func(contest) bool) {
		for _, name := range inputNames {
			for _, c := range decodeContests(inputNamed(name, streamSize)) {
				if !yield(c) {
					return
				}
			}
		}
		for _, c := range encodeContests() {
			if !yield(c) {
				return
			}
		}
	}
}

func decodeContests(in input) []contest {
	large := strings.HasPrefix(in.name, "c")
	borrowed, owned, placed := newOurs(true), newOurs(false), newOurs(true)
	them := side{"go-stomp", func() { runPeer(&in) }}
	goals := map[string]float64{"a": 8, "a2": 8, "b": 8, "c": 2.5, "c2": 4.5, "d": 5, "e": 4.5}
	ownedGoals := map[string]float64{"a": 5, "a2": 5, "b": 5, "c": 0.8, "c2": 1.8, "e": 4}
	unit, allowed, whole := float64(in.count), 0.1, in.chunk
	if large {
		allowed, whole = 2.5, len(in.data)
	}
	cs := []contest{
		{
			name: in.name + " borrowed / go-stomp", base: them, goal: goals[in.name], unit: unit, noAlloc: true,
			ours: side{"borrowed", func() { borrowed.read(&in, in.chunk) }},
		},
		{
			name: in.name + " owned / go-stomp", base: them, goal: ownedGoals[in.name], unit: unit, perUnit: allowed,
			ours: side{"owned", func() { owned.read(&in, in.chunk) }},
		},
		{
			name: in.name + " in place / go-stomp", base: them, goal: goals[in.name], unit: unit, noAlloc: true,
			ours: side{"in place", func() { placed.place(&in, whole) }},
		},
	}
	switch {
	case in.name == "a":
		small, single := newOurs(true), newOurs(true)
		cs = append(
			cs,
			contest{
				name: "a 1460 B chunks / whole", goal: 0.75, unit: unit, noAlloc: true,
				base: side{"whole", func() { placed.place(&in, whole) }},
				ours: side{"1460", func() { small.place(&in, 1460) }},
			},
			contest{
				name: "a octets / 50 M octets/s", goal: 1, unit: float64(len(in.data)), noAlloc: true,
				base: clock(20 * time.Nanosecond),
				ours: side{"1", func() { single.place(&in, 1) }},
			},
		)
	case large:
		cs = append(
			cs,
			contest{
				name: in.name + " borrowed / 4 MiB copy", goal: map[string]float64{"c": 0.7}[in.name], unit: unit,
				base: copying(in.data), ours: side{"borrowed", func() { borrowed.read(&in, in.chunk) }}, noAlloc: true,
			},
			contest{
				name: in.name + " in place / IndexByte", goal: map[string]float64{"c2": 0.45}[in.name], unit: unit,
				base: scanning(in.data), ours: side{"in place", func() { placed.place(&in, whole) }}, noAlloc: true,
			},
		)
	}
	return cs
}

func encodeContests() []contest {
	var cs []contest
	goals := map[string]float64{"100B": 1.7, "1KiB": 1.7, "64KiB": 0.9}
	for _, c := range encodeCases() {
		w, e := peer.NewWriter(io.Discard), &frame.Encoder{Version: frame.V12}
		const many = 1000
		cs = append(cs, contest{
			name: "encode " + c.name + " / go-stomp", goal: goals[c.name], unit: many, noAlloc: true,
			base: side{"go-stomp", func() {
				for range many {
					if err := w.Write(c.peer); err != nil {
						panic(err)
					}
				}
			}},
			ours: side{"assay", func() {
				for range many {
					if _, err := e.WriteTo(io.Discard, c.ours); err != nil {
						panic(err)
					}
				}
			}},
		})
	}
	return cs
}

// cpu returns the processor time this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// clock stands for a side that takes exactly this long for each octet of a stream.
func clock(each time.Duration) side {
	return side{"clock", func() {
		for start := cpu(); cpu()-start < streamSize*each; {
			continue
		}
	}}
}

func copying(data []byte) side {
	dst := make([]byte, len(data))
	return side{"copy", func() { sink += copy(dst, data) }}
}

// scanning looks for an octet that is not there.
func scanning(data []byte) side {
	return side{"IndexByte", func() { sink += bytes.IndexByte(data, 0x01) }}
}
