package substratetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// Sink puts measurements into a sink that ships.
func (t *nodeT) Sink(q sinkRequest) (r sinkReply) {
	t.MustAsk("sink", q, &r)
	return r
}

// manySeries are more than any sink keeps.
const manySeries = 20_000

// observeSinkCases are about the metrics sinks that ship.
func observeSinkCases() []conformance.Case {
	names := sinkMakes{Name: "substrate.outbox.depth", As: "gauge", Label: "obj", Prefix: "o", Times: manySeries, Value: 1}
	codes := sinkMakes{Name: "substrate.futile", As: "count", Label: "code", Prefix: "c", Times: manySeries, Value: 1}
	denied := sinkMakes{Name: "substrate.authorize.denied", As: "count", Label: "code", Prefix: "d", Times: manySeries, Value: 1}
	bounded := laws("SUBSTRATE-OBSERVE-013")
	const law, most = "SUBSTRATE-OBSERVE-013", 16_384
	return []conformance.Case{
		nodeCase("observe/memory-sink-is-bounded", "the sink in memory keeps 16384 series and counts what it drops", bounded, needs(Sinks), func(t *nodeT) {
			for name, makes := range map[string][]sinkMakes{"names": {names}, "codes": {codes}, "both": {codes, names}, "two counters": {codes, denied}} {
				r := t.Sink(sinkRequest{Sink: "memory", Make: makes})
				t.Check(r.Kept <= most, law, "a bounded number of series, whatever arrives", fmt.Sprintf("at most %d of %s", most, name), fmt.Sprint(r.Kept))
				t.Equal(law, "what is dropped is counted: "+name, manySeries*len(makes), r.Kept+r.Dropped)
			}
		}),
		nodeCase("observe/memory-sink-goes-on", "a series that is kept is counted on when the sink is full", bounded, needs(Sinks), func(t *nodeT) {
			more := codes
			more.Times = 3
			r := t.Sink(sinkRequest{Sink: "memory", Make: []sinkMakes{more, codes, more}, Named: "substrate.futile"})
			values := map[string]float64{}
			for _, m := range r.Series {
				values[m.Labels["code"]] = m.Value
			}
			t.Equal(law, "what is there grows on", []float64{3, 3, 3, 1}, []float64{values["c0"], values["c1"], values["c2"], values["c3"]})
		}),
		nodeCase("observe/memory-sink-makes-room", "gauges at 0 make room for others", bounded, needs(Sinks), func(t *nodeT) {
			idle, busy := names, names
			idle.Value, busy.Prefix, busy.Times = 0, "busy", 10
			r := t.Sink(sinkRequest{Sink: "memory", Make: []sinkMakes{idle, busy}, Named: "substrate.outbox.depth"})
			t.Equal(law, "nothing is dropped for the sake of what stands at 0", 0, r.Dropped)
			kept := 0
			for _, m := range r.Series {
				if m.Value == 1 {
					kept++
				}
			}
			t.Equal(law, "the gauges that are not at 0 are there", 10, kept)
			t.Check(r.Kept <= most, law, "a bounded number of series", fmt.Sprint("at most ", most), fmt.Sprint(r.Kept))
		}),
		nodeCase("observe/telemetry-sink-is-bounded", "the OpenTelemetry sink remembers 4096 sets of labels and hands everything on", bounded, needs(Sinks), func(t *nodeT) {
			r := t.Sink(sinkRequest{Sink: "telemetry", Make: []sinkMakes{names, codes}})
			t.Check(r.Kept <= 4096, law, "a bounded number of label sets", "at most 4096", fmt.Sprint(r.Kept))
			t.Equal(law, "what is not remembered is handed on", 2*manySeries, r.Handed)
		}),
		nodeCase("observe/snapshot", "a snapshot is a copy, which can be filtered by name", laws("SUBSTRATE-OBSERVE-001"), needs(Sinks), func(t *nodeT) {
			few, other, lap := names, codes, sinkMakes{Name: "substrate.ack.latency_ms", As: "sample", Times: 2, Value: 5}
			few.Times, few.Value, other.Times = 3, 7, 2
			for _, spoil := range []bool{false, true} {
				for named, want := range map[string][]string{
					few.Name:   {"outbox.depth obj=o0 =7", "outbox.depth obj=o1 =7", "outbox.depth obj=o2 =7"},
					other.Name: {"futile code=c0 +1", "futile code=c1 +1"},
					lap.Name:   {"ack.latency_ms <10"},
					"nothing":  {},
				} {
					r := t.Sink(sinkRequest{Sink: "memory", Make: []sinkMakes{few, other, lap}, Named: named, Spoil: spoil})
					got := []string{}
					for _, m := range r.Series {
						got = append(got, m.String())
					}
					t.Equal("SUBSTRATE-OBSERVE-001", fmt.Sprintf("a consistent copy to filter by name, overwritten before: %v", spoil), want, got)
				}
			}
		}),
	}
}
