package databustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// traceWindow is the length of a window of metrics, in ms, where nothing else is asked for.
const traceWindow = 5000

// traceCases are about what a bus tells of itself.
func traceCases() []conformance.Case {
	return []conformance.Case{
		one("trace/off", "a bus tells nothing unless it is asked to",
			laws("DATABUS-TRACE-001"), needs(Traces), (*busT).tracesNothing),
		one("trace/passive", "a bus that tells does the same at the same time, also where telling throws",
			laws("DATABUS-TRACE-001"), needs(Traces), (*busT).tracesPassively),
		one("trace/windows", "metrics come every 5000 ms, for a window in which something came",
			laws("DATABUS-TRACE-002"), needs(Traces), (*busT).windows),
		one("trace/other-window", "a window of the application's is kept",
			laws("DATABUS-TRACE-002"), needs(Traces), (*busT).otherWindow),
		one("trace/counts", "a window counts publications and calls of handlers",
			laws("DATABUS-TRACE-002"), needs(Traces), (*busT).counts),
		one("trace/hide", "the window of a page that hides is lost",
			laws("DATABUS-TRACE-002"), needs(Traces), (*busT).windowLost),
		one("trace/latency", "average, percentiles and maximum are of the latencies of one window",
			laws("DATABUS-TRACE-002"), needs(Traces, SlowHandler), (*busT).latencies),
		one("trace/buckets", "a percentile is the middle of one of twenty buckets of 50 ms",
			laws("DATABUS-TRACE-002"), needs(Traces, SlowHandler), (*busT).latencyBuckets),
	}
}

// traced is a tab that tells of itself and wants some topics.
func (t *busT) traced(q tabRequest, topics ...string) (*origin, *tab) {
	o := t.Origin()
	q.Trace = true
	a := o.TabWith("A", q)
	a.Start()
	for _, topic := range topics {
		a.Subscribe(topic)
	}
	o.Drain()
	return o, a
}

// measured are the metrics among deeds.
func measured(ds deeds) deeds {
	return ds.Of(didTrace).where(func(d *deed) bool { return d.Metrics != nil })
}

func (t *busT) tracesNothing() {
	const law = "DATABUS-TRACE-001"
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	a.Emit("x", "1")
	c.Publish("x", "2")
	o.Advance(3 * traceWindow)
	a.PageHide()
	o.Settle()
	t.Equal(law, "what is told of it", "nothing", o.all.Of(didTrace).String())
}

// shown are deeds without what differs between two clusters, and without what is told of them.
func shown(ds deeds) []string {
	out := []string{}
	for _, d := range ds {
		if d.Kind != didTrace {
			out = append(out, fmt.Sprintf("%d %s %s", d.At, stepOf(d), d.Data))
		}
	}
	return out
}

func (t *busT) tracesPassively() {
	const law = "DATABUS-TRACE-001"
	o := t.Origin()
	var rooms [3][2]*tab
	for n, q := range []tabRequest{{}, {Trace: true}, {Trace: true, BadTrace: true}} {
		for m := range rooms[n] {
			q.ClusterKey = fmt.Sprintf("room%d", n)
			rooms[n][m] = o.TabWith(fmt.Sprintf("%c%d", 'A'+m, n), q)
		}
	}
	for _, do := range []func(a, b *tab){
		func(a, b *tab) { a.Start(); b.Start(); o.Drain() },
		func(a, b *tab) { b.Subscribe("x"); o.Drain() },
		func(a, b *tab) { a.Throw("x", "bad"); a.Subscribe("x"); o.Drain() },
		func(a, b *tab) { a.Emit("x", "1"); o.Drain() },
		func(a, b *tab) { b.Publish("x", "2"); o.Drain() },
		func(a, b *tab) { b.Visibility("hidden"); o.Drain() },
		func(a, b *tab) { a.PageHide(); o.Drain() },
		func(a, b *tab) { b.Emit("x", "3"); o.Drain() },
		func(a, b *tab) { a.PageShow(); o.Drain() },
		func(a, b *tab) { a.Stop(); o.Drain() },
	} {
		for n := range rooms {
			do(rooms[n][0], rooms[n][1])
		}
		o.Advance(700)
	}
	o.Advance(2 * traceWindow)
	t.Check(len(measured(o.all.By(rooms[1][1]))) > 0, law, "who is asked to tell tells", "metrics", "none")
	for n := range rooms {
		for m := range rooms[n] {
			want, got := shown(o.all.By(rooms[0][m])), shown(o.all.By(rooms[n][m]))
			t.Check(slices.Equal(want, got), law, "what a bus does, told of or not", fmt.Sprint(want), fmt.Sprint(got))
		}
	}
}

// windowsAt are the ends of the windows that were told of, in ms from the start of the case.
func windowsAt(ds deeds) []int64 {
	at := []int64{}
	for _, d := range measured(ds) {
		at = append(at, d.At-start)
	}
	return at
}

func (t *busT) windows() {
	const law = "DATABUS-TRACE-002"
	o, a := t.traced(tabRequest{}, "x")
	a.Emit("x", "1")
	t.Equal(law, "the windows of 4999 ms", []int64{}, windowsAt(o.Pass(traceWindow-1)))
	t.Equal(law, "the first window", []int64{5000}, windowsAt(o.Pass(1)))
	t.Equal(law, "a window in which nothing came", []int64{}, windowsAt(o.Pass(traceWindow)))
	a.Emit("x", "2")
	a.Emit("x", "3")
	did := o.Pass(traceWindow)
	t.Equal(law, "the third window", []int64{15_000}, windowsAt(did))
	for _, d := range measured(did) {
		t.Equal(law, "what it counts, of this window alone", 2, d.Metrics.Received)
	}
}

func (t *busT) otherWindow() {
	const law = "DATABUS-TRACE-002"
	o, a := t.traced(tabRequest{Window: 800}, "x")
	a.Emit("x", "1")
	t.Equal(law, "the windows of 799 ms", []int64{}, windowsAt(o.Pass(799)))
	t.Equal(law, "the window of 800 ms", []int64{800}, windowsAt(o.Pass(1)))
}

func (t *busT) counts() {
	const law = "DATABUS-TRACE-002"
	o, a := t.traced(tabRequest{}, "x", "y")
	a.Handle("x", "second")
	for _, topic := range []string{"x", "y", "x"} {
		a.Emit(topic, "1")
	}
	got := measured(o.Pass(traceWindow))
	if !t.Check(len(got) == 1, law, "one window", "one", got.String()) {
		return
	}
	m := got[0].Metrics
	t.Equal(law, "the publications", 3, m.Received)
	// One for each call of a handler, or one for each publication: the law does not say which.
	t.Check(m.Dispatched == 5 || m.Dispatched == 3, law, "what is dispatched", "5 calls or 3 publications", fmt.Sprint(m.Dispatched))
	t.Equal(law, "the samples", m.Dispatched, m.Samples)
	t.Check(m.Max == 0 || m.Max == 25, law, "the longest latency, or the middle of its bucket", "0 or 25", fmt.Sprint(m.Max))
	t.Equal(law, "the average", 0, m.Average)
	t.percentile(law, "P50", 0, m.P50)
	t.percentile(law, "P95", 0, m.P95)
}

// percentile wants the middle of the bucket in which a latency is. What is as near to it is met loosely.
func (t *busT) percentile(law, name string, latency, got int64) {
	t.Step()
	want := min(latency/50, 19)*50 + 25
	b := conformance.Break{
		Law: law, Reason: name + " of a latency of " + fmt.Sprint(latency) + " ms", Expected: fmt.Sprint(want), Seen: fmt.Sprint(got),
	}
	switch {
	case got == want:
	case got == latency:
		t.Loose(b)
	default:
		t.Broken(b)
	}
}

func (t *busT) windowLost() {
	const law = "DATABUS-TRACE-002"
	o, a := t.traced(tabRequest{}, "x")
	o.Pass(1000)
	a.Emit("x", "1")
	a.PageHide()
	a.PageShow()
	o.Drain()
	t.Equal(law, "the windows that follow", []int64{}, windowsAt(o.Advance(3*traceWindow)))
	a.Emit("x", "2")
	did := measured(o.Advance(traceWindow))
	t.Check(len(did) == 1 && did[0].Metrics.Received == 1, law, "the next window counts what came in it", "one publication", did.String())
}

// timesHandlers ends the case where a latency ends before the handlers begin, so that none passes here: no law says where it ends.
func (t *tab) timesHandlers() {
	t.Slow("probe", "probe", 100)
	t.Emit("probe", "1")
	if got := measured(t.o.Pass(100_000)); len(got) == 1 && got[0].Metrics.Max < 100 {
		t.o.t.Unsupported("a latency ends before the handlers begin")
	}
}

func (t *busT) latencies() {
	const law = "DATABUS-TRACE-002"
	o, a := t.traced(tabRequest{Window: 100_000})
	a.timesHandlers()
	a.Slow("fast", "fast", 10)
	a.Slow("slow", "slow", 420)
	for n := range 10 {
		if n%5 < 3 {
			a.Emit("fast", "1")
		} else {
			a.Emit("slow", "1")
		}
	}
	got := measured(o.Pass(100_000))
	if !t.Check(len(got) == 1, law, "one window", "one", got.String()) {
		return
	}
	m := got[0].Metrics
	t.Equal(law, "the samples", 10, m.Samples)
	t.Equal(law, "the average of 6 times 10 and 4 times 420 ms", 174, m.Average)
	t.Equal(law, "the longest latency", 420, m.Max)
	t.percentile(law, "P50", 10, m.P50)
	t.percentile(law, "P95", 420, m.P95)
}

func (t *busT) latencyBuckets() {
	const law = "DATABUS-TRACE-002"
	o, a := t.traced(tabRequest{Window: 100_000})
	a.timesHandlers()
	for _, ms := range []int64{0, 49, 50, 99, 100, 949, 950, 999, 1000, 3000} {
		topic := fmt.Sprintf("t%d", ms)
		a.Slow(topic, topic, ms)
		a.Emit(topic, "1")
		got := measured(o.Pass(100_000))
		if !t.Check(len(got) == 1, law, "one window", "one", got.String()) {
			return
		}
		t.percentile(law, "P50", ms, got[0].Metrics.P50)
		t.percentile(law, "P95", ms, got[0].Metrics.P95)
		t.Equal(law, "the longest latency", ms, got[0].Metrics.Max)
	}
}
