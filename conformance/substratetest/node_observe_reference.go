package substratetest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/observe/otelsink"
)

// A refSeen is what is observed of a node, through restarts.
type refSeen struct {
	refusal refusal
	got     signalsReply
}

// observers returns an error if there is none of a word.
func observers(words []string) error {
	for _, word := range words {
		if !slices.Contains([]string{"panics", "slow", "copy", "none"}, word) {
			return &adapter.UnsupportedError{Reason: "an observer that is " + word}
		}
	}
	return nil
}

// bag returns observers that note everything, behind the others that are asked for.
func (s *refSeen) bag(others []string) observe.Bag {
	if slices.Contains(others, "none") {
		return observe.NoObservability()
	}
	var bags []observe.Bag
	for i, other := range others {
		switch other {
		case "panics":
			bags = append(bags, observe.Bag{Logger: panicking{}, Metrics: panicking{}, Events: panicking{}, Tracer: panicking{}})
		case "slow":
			bags = append(bags, observe.Bag{Logger: slow{}, Metrics: slow{}, Events: slow{}, Tracer: slow{}})
		case "copy":
			bags = append(bags, s.recorder(i+1))
		}
	}
	return observe.Composite(append(bags, s.recorder(0))...)
}

// recorder returns a bag that notes everything under a number.
func (s *refSeen) recorder(by int) observe.Bag {
	r := recorder{s, by}
	return observe.Bag{Logger: r, Metrics: r, Events: r, Tracer: r}
}

// A recorder notes what it is told.
type recorder struct {
	seen *refSeen
	by   int
}

// Count implements [observe.Metrics].
func (r recorder) Count(name string, l observe.Labels, n int64) {
	r.measure(name, "count", l, float64(n))
}

// Gauge implements [observe.Metrics].
func (r recorder) Gauge(name string, l observe.Labels, v int64) {
	r.measure(name, "gauge", l, float64(v))
}

// Observe implements [observe.Metrics].
func (r recorder) Observe(name string, l observe.Labels, ms float64) {
	r.measure(name, "sample", l, ms)
}

func (r recorder) measure(name, as string, l observe.Labels, v float64) {
	got := &r.seen.got
	got.Measures = append(got.Measures, measure{Name: name, As: as, Labels: labelsOf(l), Value: v, By: r.by})
}

// labelsOf returns the labels that are there.
func labelsOf(l observe.Labels) map[string]string {
	labels := map[string]string{}
	for _, k := range []observe.Label{observe.LabelObj, observe.LabelVerb, observe.LabelObjKind, observe.LabelCode} {
		if text := l.Value(k); text != "" {
			labels[string(k)] = text
		}
	}
	return labels
}

// Log implements [observe.Logger].
func (r recorder) Log(level observe.Level, msg string, f observe.Fields) {
	r.seen.got.Logs = append(r.seen.got.Logs, logLine{level.String(), words(msg, f), r.by})
}

// words is a log line with what it is about.
func words(msg string, f observe.Fields) string {
	for _, text := range []string{f.Peer, f.Conn, f.Obj, f.ObjKind, f.Verb, f.ID, f.Code} {
		if text != "" {
			msg += " " + text
		}
	}
	if f.Err != nil {
		msg += ": " + f.Err.Error()
	}
	return msg
}

// Emit implements [observe.Events].
func (r recorder) Emit(e observe.Event) {
	got := &r.seen.got
	got.Events = append(got.Events, seenEvent{Name: e.Name, Level: e.Level.String(), Obj: e.Obj, ID: e.ID, Code: e.Code, By: r.by})
}

// Start implements [observe.Tracer].
func (r recorder) Start(at time.Time, name string, f observe.Fields) observe.Span {
	s := span{r, seenSpan{Name: name, ID: f.ID, By: r.by}}
	s.note(at)
	return s
}

type span struct {
	r recorder
	seenSpan
}

func (s span) note(at time.Time) {
	s.At = at.UnixMilli() - startOfTime
	s.r.seen.got.Spans = append(s.r.seen.got.Spans, s.seenSpan)
}

// Mark implements [observe.Span].
func (span) Mark(time.Time, string, observe.Fields) {}

// End implements [observe.Span].
func (s span) End(at time.Time, _ observe.Fields) {
	s.Ends = true
	s.note(at)
}

// panicking observes by panics. A span of a call is not even begun.
type panicking struct{}

func (panicking) Count(string, observe.Labels, int64)       { panic("an observer") }
func (panicking) Gauge(string, observe.Labels, int64)       { panic("an observer") }
func (panicking) Observe(string, observe.Labels, float64)   { panic("an observer") }
func (panicking) Log(observe.Level, string, observe.Fields) { panic("an observer") }
func (panicking) Emit(observe.Event)                        { panic("an observer") }

func (panicking) Mark(time.Time, string, observe.Fields) { panic("an observer") }
func (panicking) End(time.Time, observe.Fields)          { panic("an observer") }

func (panicking) Start(_ time.Time, name string, _ observe.Fields) observe.Span {
	if name == observe.SpanOp {
		panic("an observer")
	}
	return panicking{}
}

// slow observes for a while.
type slow struct{}

func (slow) take()                                       { time.Sleep(time.Millisecond) }
func (s slow) Count(string, observe.Labels, int64)       { s.take() }
func (s slow) Gauge(string, observe.Labels, int64)       { s.take() }
func (s slow) Observe(string, observe.Labels, float64)   { s.take() }
func (s slow) Log(observe.Level, string, observe.Fields) { s.take() }
func (s slow) Emit(observe.Event)                        { s.take() }

func (s slow) Start(time.Time, string, observe.Fields) observe.Span { return s }
func (s slow) Mark(time.Time, string, observe.Fields)               { s.take() }
func (s slow) End(time.Time, observe.Fields)                        { s.take() }

// signals replies what was observed since the last time.
func (b *nodeBridge) signals(q nodeRequest) (any, error) {
	n, err := b.node(q.Node)
	if err != nil {
		return nil, err
	}
	got := n.seen.got
	n.seen.got = signalsReply{}
	return signalsReply{
		append([]measure{}, got.Measures...), append([]logLine{}, got.Logs...), append([]seenEvent{}, got.Events...),
		append([]seenSpan{}, got.Spans...),
	}, nil
}

// sink puts measurements into one of the sinks that ship.
func (b *nodeBridge) sink(q sinkRequest) (any, error) {
	switch q.Sink {
	case "memory":
		return memorySink(q)
	case "telemetry":
		return telemetrySink(q)
	}
	return nil, &adapter.UnsupportedError{Reason: "sink " + q.Sink}
}

// feed makes the measurements that are asked for.
func (q sinkRequest) feed(to observe.Metrics) error {
	for _, m := range q.Make {
		for i := range m.Times {
			var l observe.Labels
			switch m.Label {
			case "obj":
				l.Obj = m.Prefix + fmt.Sprint(i)
			case "code":
				l.Code = m.Prefix + fmt.Sprint(i)
			case "":
			default:
				return fmt.Errorf("a label %q", m.Label)
			}
			switch m.As {
			case "count":
				to.Count(m.Name, l, int64(m.Value))
			case "gauge":
				to.Gauge(m.Name, l, int64(m.Value))
			case "sample":
				to.Observe(m.Name, l, m.Value)
			default:
				return fmt.Errorf("a measure of kind %q", m.As)
			}
		}
	}
	return nil
}

func memorySink(q sinkRequest) (any, error) {
	var m observe.InMemory
	if err := q.feed(&m); err != nil {
		return nil, err
	}
	s := m.Snapshot()
	if q.Spoil {
		spoil(s.Counters)
		spoil(s.Gauges)
		for i := range s.Histograms {
			s.Histograms[i] = observe.Histogram{}
		}
		s = m.Snapshot()
	}
	r := sinkReply{Kept: len(s.Counters) + len(s.Gauges) + len(s.Histograms), Dropped: int(s.Dropped), Series: []measure{}}
	named := s.Named(q.Named)
	for _, c := range named.Counters {
		r.Series = append(r.Series, measure{Name: c.Name, As: "count", Labels: labelsOf(c.Labels), Value: float64(c.Value)})
	}
	for _, g := range named.Gauges {
		r.Series = append(r.Series, measure{Name: g.Name, As: "gauge", Labels: labelsOf(g.Labels), Value: float64(g.Value)})
	}
	for _, h := range named.Histograms {
		r.Series = append(r.Series, measure{Name: h.Name, As: "sample", Labels: labelsOf(h.Labels), Value: h.Sum})
	}
	return r, nil
}

// spoil overwrites samples.
func spoil(all []observe.Sample) {
	for i := range all {
		all[i] = observe.Sample{}
	}
}

func telemetrySink(q sinkRequest) (any, error) {
	r := sinkReply{Series: []measure{}}
	m, err := otelsink.NewMetrics(handedOn{handed: &r.Handed})
	if err != nil {
		return nil, err
	}
	if err := q.feed(m); err != nil {
		return nil, err
	}
	r.Kept = m.Remembered()
	return r, nil
}

// handedOn is a meter that counts the measurements.
type handedOn struct {
	noop.Meter
	handed *int
}

func (m handedOn) Int64Counter(string, ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return handedCount{handed: m.handed}, nil
}

func (m handedOn) Int64Gauge(string, ...metric.Int64GaugeOption) (metric.Int64Gauge, error) {
	return handedGauge{handed: m.handed}, nil
}

type handedCount struct {
	noop.Int64Counter
	handed *int
}

func (c handedCount) Add(context.Context, int64, ...metric.AddOption) { *c.handed++ }

type handedGauge struct {
	noop.Int64Gauge
	handed *int
}

func (g handedGauge) Record(context.Context, int64, ...metric.RecordOption) { *g.handed++ }
