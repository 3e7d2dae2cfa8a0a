package observe_test

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// observer is all four concerns at once. It notes each call under its name, and panics after that if it is told to.
type observer struct {
	name  string
	panic bool
	to    *[]string
}

func (o observer) note(format string, a ...any) {
	*o.to = append(*o.to, o.name+" "+fmt.Sprintf(format, a...))
	if o.panic {
		panic(errors.New("observer is broken"))
	}
}

func (o observer) Log(l observe.Level, msg string, f observe.Fields) {
	o.note("log %v %s %s", l, msg, f.Obj)
}

func (o observer) Count(name string, l observe.Labels, n int64) { o.note("count %s %v %d", name, l, n) }

func (o observer) Gauge(name string, l observe.Labels, v int64) { o.note("gauge %s %v %d", name, l, v) }

func (o observer) Observe(name string, l observe.Labels, ms float64) {
	o.note("observe %s %v %g", name, l, ms)
}

func (o observer) Emit(e observe.Event) { o.note("emit %s %s", e.Name, e.ID) }

func (o observer) Mark(at time.Time, name string, f observe.Fields) {
	o.note("mark %d %s", at.Unix(), name)
}

func (o observer) End(at time.Time, f observe.Fields) { o.note("end %d %s", at.Unix(), f.Code) }

func (o observer) Start(at time.Time, name string, f observe.Fields) observe.Span {
	o.note("start %d %s", at.Unix(), name)
	return o
}

func (o observer) bag() observe.Bag {
	return observe.Bag{Logger: o, Metrics: o, Events: o, Tracer: o}
}

func useAll(b observe.Bag) {
	b.Log(observe.Warn, "hello", observe.Fields{Obj: "jobs"})
	b.Count(observe.Futile, observe.Labels{Code: "closed"}, 2)
	b.Gauge(observe.OutboxDepth, observe.Labels{Obj: "jobs"}, 3)
	b.Observe(observe.AckLatency, observe.Labels{}, 1500*time.Microsecond)
	b.Emit(observe.Event{Name: observe.EventFutile, Fields: observe.Fields{ID: "M-1"}})
	s := b.Start(time.Unix(1, 0), observe.SpanOp, observe.Fields{})
	s.Mark(time.Unix(2, 0), "sent", observe.Fields{})
	s.End(time.Unix(3, 0), observe.Fields{Code: "closed"})
}

func calls(names ...string) []string {
	var all []string
	for _, c := range []string{
		"log warn hello jobs", "count substrate.futile {   closed} 2", "gauge substrate.outbox.depth {jobs   } 3",
		"observe substrate.ack.latency_ms {   } 1.5", "emit bridge/futile M-1", "start 1 substrate.op", "mark 2 sent", "end 3 closed",
	} {
		for _, n := range names {
			all = append(all, n+" "+c)
		}
	}
	return all
}

func TestNoObservabilityIsFree(t *testing.T) { // SUBSTRATE-OBSERVE-001
	for name, b := range map[string]observe.Bag{
		"NoObservability": observe.NoObservability(), "zero": {}, "composite of none": observe.Composite(),
		"composite of zeros": observe.Composite(observe.Bag{}, observe.NoObservability()),
	} {
		if b.Enabled() {
			t.Errorf("%s says that it observes", name)
		}
		if n := testing.AllocsPerRun(100, func() { useAll(b) }); n != 0 {
			t.Errorf("%s costs %g allocations", name, n)
		}
	}
}

func TestBagsForward(t *testing.T) { // SUBSTRATE-OBSERVE-001 SUBSTRATE-OBSERVE-002
	var got []string
	a, b, c := observer{"a", false, &got}, observer{"b", false, &got}, observer{"c", false, &got}
	broken := observer{"x", true, &got}
	for _, test := range []struct {
		name string
		bag  observe.Bag
		want []string
	}{
		{"one", a.bag(), calls("a")},
		{"three", observe.Composite(a.bag(), b.bag(), c.bag()), calls("a", "b", "c")},
		{"twice the same", observe.Composite(a.bag(), a.bag()), calls("a", "a")},
		{"nested", observe.Composite(observe.Composite(a.bag(), b.bag()), c.bag()), calls("a", "b", "c")},
		{"with a gap", observe.Composite(a.bag(), observe.Bag{}, c.bag()), calls("a", "c")},
		// A span that could not be opened is neither marked nor ended.
		{"broken one", broken.bag(), calls("x")[:6]},
		{"broken first", observe.Composite(broken.bag(), a.bag()), append(calls("x", "a")[:12], calls("a")[6:]...)},
		{"broken between", observe.Composite(a.bag(), broken.bag(), c.bag()), append(calls("a", "x", "c")[:18], calls("a", "c")[12:]...)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got = nil
			useAll(test.bag)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if !test.bag.Enabled() {
				t.Error("the bag says that it observes nothing")
			}
		})
	}
}

type brokenSpan struct{ observer }

func (b brokenSpan) Start(time.Time, string, observe.Fields) observe.Span { return b.observer }

type noSpan struct{}

func (noSpan) Start(time.Time, string, observe.Fields) observe.Span { return nil }

func TestSpansAreGuarded(t *testing.T) { // SUBSTRATE-OBSERVE-002
	var got []string
	use := func(tr observe.Tracer) {
		b := observe.Bag{Tracer: tr}
		s := b.Start(time.Unix(1, 0), "x", observe.Fields{})
		s.Mark(time.Unix(2, 0), "sent", observe.Fields{})
		s.End(time.Unix(3, 0), observe.Fields{})
	}
	use(brokenSpan{observer{"x", true, &got}})
	use(noSpan{})
	if want := []string{"x mark 2 sent", "x end 3 "}; !slices.Equal(got, want) {
		t.Errorf("calls %q, expected %q", got, want)
	}
}

func TestACompositeKeepsOtherConcernsFree(t *testing.T) { // SUBSTRATE-OBSERVE-001
	var got []string
	b := observe.Composite(observe.Bag{Metrics: &observe.InMemory{}}, observe.Bag{Events: observer{"a", false, &got}})
	if b.Logger != nil || b.Tracer != nil || b.Metrics == nil || b.Events == nil {
		t.Errorf("the composite observes %+v", b)
	}
}

func TestSignals(t *testing.T) {
	// SUBSTRATE-OBSERVE-003 SUBSTRATE-OBSERVE-004 SUBSTRATE-OBSERVE-005 SUBSTRATE-OBSERVE-006 SUBSTRATE-OBSERVE-007
	// SUBSTRATE-OBSERVE-008 SUBSTRATE-OBSERVE-009 SUBSTRATE-OBSERVE-010
	var got []string
	for _, s := range observe.Signals() {
		labels := make([]string, len(s.Labels))
		for i, l := range s.Labels {
			labels[i] = string(l)
		}
		got = append(got, fmt.Sprintf("%d %s{%s}", s.Instrument, s.Name, strings.Join(labels, ",")))
		if s.Unit == "" || s.About == "" || (s.Instrument == observe.HistogramOf) != (s.Unit == "ms") {
			t.Errorf("%s has unit %q and text %q", s.Name, s.Unit, s.About)
		}
	}
	want := []string{
		"1 substrate.ops.enqueued{}", "1 substrate.ops.acked{}", "1 substrate.ops.answered{}", "1 substrate.ops.purged{}",
		"2 substrate.outbox.depth{obj}", "3 substrate.ack.latency_ms{}", "3 substrate.answer.latency_ms{}", "1 substrate.ingress.op{verb}",
		"1 substrate.dedupe.duplicate{}", "1 substrate.seq.deferred{}", "1 substrate.authorize.denied{verb,objKind,code}",
		"1 substrate.bounce{}", "1 substrate.futile{code}", "1 substrate.conn.ready{}", "1 substrate.conn.ended{}",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("signals (-want +got):\n%s", diff)
	}
}

func TestLabelValue(t *testing.T) {
	l := observe.Labels{Obj: "o", Verb: "v", ObjKind: "k", Code: "c"}
	for k, want := range map[observe.Label]string{
		observe.LabelObj: "o", observe.LabelVerb: "v", observe.LabelObjKind: "k", observe.LabelCode: "c", "other": "",
	} {
		if got := l.Value(k); got != want {
			t.Errorf("label %s is %q, expected %q", k, got, want)
		}
	}
}

func TestLevelNames(t *testing.T) {
	got := fmt.Sprint(observe.Debug, observe.Info, observe.Warn, observe.Error)
	if want := "debug info warn error"; got != want {
		t.Errorf("levels are called %s, expected %s", got, want)
	}
}

// No sink is a dependency of the engine: this package imports the standard library only, and of that nothing that does I/O.
func TestImports(t *testing.T) { // SUBSTRATE-OBSERVE-001 SUBSTRATE-STORE-007
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("list the files of the package: %v, found %d", err, len(files))
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); !slices.Contains([]string{"cmp", "slices", "sync", "time"}, path) {
				t.Errorf("%s imports %s", file, path)
			}
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	var m observe.InMemory
	b := observe.Composite(observe.Bag{Metrics: &m}, observe.Bag{Metrics: &m})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 100 {
				b.Count(observe.OpsEnqueued, observe.Labels{}, 1)
				b.Gauge(observe.OutboxDepth, observe.Labels{Obj: fmt.Sprint(i % 3)}, int64(i))
				b.Observe(observe.AckLatency, observe.Labels{}, time.Duration(i)*time.Millisecond)
				_ = m.Snapshot()
			}
		})
	}
	all.Wait()
	if s := m.Snapshot(); s.Total(observe.OpsEnqueued) != 1600 || s.Histograms[0].Count != 1600 || len(s.Gauges) != 3 {
		t.Errorf("after 8 times 100 rounds with two members: %+v", s)
	}
}
