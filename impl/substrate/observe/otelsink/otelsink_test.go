package otelsink_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/observe/otelsink"
)

// tape is an SDK that writes down what it is told.
type tape struct {
	mu    sync.Mutex
	lines []string
}

func (t *tape) say(format string, a ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, fmt.Sprintf(format, a...))
}

func (t *tape) want(tt *testing.T, lines ...string) {
	tt.Helper()
	if diff := cmp.Diff(lines, t.lines); diff != "" {
		tt.Errorf("tape (-want +got):\n%s", diff)
	}
}

type meter struct {
	metricnoop.Meter
	*tape
	refuse string
}

type counter struct {
	metricnoop.Int64Counter
	*tape
	name string
}

type gauge struct {
	metricnoop.Int64Gauge
	*tape
	name string
}

type histogram struct {
	metricnoop.Float64Histogram
	*tape
	name string
}

var errRefused = errors.New("refused")

func (m meter) make(kind, name, unit string) error {
	if name == m.refuse {
		return errRefused
	}
	m.say("%s %s %s", kind, name, unit)
	return nil
}

func (m meter) Int64Counter(name string, o ...metric.Int64CounterOption) (metric.Int64Counter, error) {
	return counter{tape: m.tape, name: name}, m.make("counter", name, metric.NewInt64CounterConfig(o...).Unit())
}

func (m meter) Int64Gauge(name string, o ...metric.Int64GaugeOption) (metric.Int64Gauge, error) {
	return gauge{tape: m.tape, name: name}, m.make("gauge", name, metric.NewInt64GaugeConfig(o...).Unit())
}

func (m meter) Float64Histogram(name string, o ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return histogram{tape: m.tape, name: name}, m.make("histogram", name, metric.NewFloat64HistogramConfig(o...).Unit())
}

func (c counter) Add(_ context.Context, n int64, o ...metric.AddOption) {
	set := metric.NewAddConfig(o).Attributes()
	c.say("%s +%d %s", c.name, n, text(set))
}

func (g gauge) Record(_ context.Context, n int64, o ...metric.RecordOption) {
	set := metric.NewRecordConfig(o).Attributes()
	g.say("%s =%d %s", g.name, n, text(set))
}

func (h histogram) Record(_ context.Context, v float64, o ...metric.RecordOption) {
	set := metric.NewRecordConfig(o).Attributes()
	h.say("%s <%g %s", h.name, v, text(set))
}

func text(set attribute.Set) string { return set.Encoded(attribute.DefaultEncoder()) }

func TestMetrics(t *testing.T) { // SUBSTRATE-OBSERVE-001 SUBSTRATE-OBSERVE-008
	var made tape
	m, err := otelsink.NewMetrics(meter{tape: &made})
	if err != nil {
		t.Fatal(err)
	}
	if len(made.lines) != len(observe.Signals()) {
		t.Errorf("made %d instruments of %d signals", len(made.lines), len(observe.Signals()))
	}
	made.lines = nil
	b := observe.Bag{Metrics: m}
	denied := observe.Labels{Verb: "send", ObjKind: "queue", Code: "unauthorized"}
	for range 2 {
		b.Count(observe.AuthorizeDenied, denied, 1)
	}
	b.Count(observe.OpsAcked, observe.Labels{}, 3)
	b.Gauge(observe.OutboxDepth, observe.Labels{Obj: "jobs"}, 7)
	b.Observe(observe.AckLatency, observe.Labels{}, 2500*time.Microsecond)
	b.Count("unheard.of", observe.Labels{}, 1)
	b.Gauge("unheard.of", observe.Labels{}, 1)
	b.Observe("unheard.of", observe.Labels{}, 1)
	made.want(t,
		"substrate.authorize.denied +1 code=unauthorized,objKind=queue,verb=send", "substrate.authorize.denied +1 code=unauthorized,objKind=queue,verb=send",
		"substrate.ops.acked +3 ", "substrate.outbox.depth =7 obj=jobs", "substrate.ack.latency_ms <2.5 ")
}

func TestARefusedInstrumentIsNamed(t *testing.T) {
	for _, s := range observe.Signals() {
		if _, err := otelsink.NewMetrics(meter{tape: &tape{}, refuse: s.Name}); !errors.Is(err, errRefused) || err.Error() != "make instrument "+s.Name+": refused" {
			t.Errorf("meter without %s: %v", s.Name, err)
		}
	}
}

type tracer struct {
	tracenoop.Tracer
	*tape
}

type span struct {
	tracenoop.Span
	*tape
}

func (t tracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	c := trace.NewSpanStartConfig(o...)
	t.say("start %s at %d root %t with %d attributes", name, c.Timestamp().Unix(), c.NewRoot(), len(c.Attributes()))
	return ctx, span{tape: t.tape}
}

func (s span) AddEvent(name string, o ...trace.EventOption) {
	c := trace.NewEventConfig(o...)
	s.say("mark %s at %d with %d attributes", name, c.Timestamp().Unix(), len(c.Attributes()))
}

func (s span) RecordError(err error, _ ...trace.EventOption) { s.say("error %v", err) }
func (s span) SetStatus(c codes.Code, text string)           { s.say("status %v %s", c, text) }
func (s span) End(o ...trace.SpanEndOption) {
	c := trace.NewSpanEndConfig(o...)
	s.say("end at %d", c.Timestamp().Unix())
}

func TestSpans(t *testing.T) { // SUBSTRATE-OBSERVE-001
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	var tp tape
	b := observe.Bag{Tracer: otelsink.NewTracer(tracer{tape: &tp})}
	s := b.Start(at(1), observe.SpanOp, observe.Fields{Peer: "p", Obj: "o", Verb: "send", ID: "i"})
	s.Mark(at(2), "transmitted", observe.Fields{Conn: "c", From: 1, To: 1, Unknown: true})
	s.End(at(3), observe.Fields{})
	b.Start(at(4), observe.SpanOp, observe.Fields{}).End(at(5), observe.Fields{Code: "closed"})
	b.Start(at(6), observe.SpanCommit, observe.Fields{}).End(at(7), observe.Fields{Err: errors.New("full")})
	tp.want(t,
		"start substrate.op at 1 root true with 4 attributes", "mark transmitted at 2 with 4 attributes", "end at 3",
		"start substrate.op at 4 root true with 0 attributes", "status Error closed", "end at 5",
		"start substrate.commit at 6 root true with 0 attributes", "error full", "status Error full", "end at 7")
}

// Names of objects come from the peer: remembering their label sets must not grow without bound.
func TestLabelSetsAreBounded(t *testing.T) { // SUBSTRATE-LIMIT-005
	m, err := otelsink.NewMetrics(metricnoop.Meter{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 * otelsink.MaxSets {
		m.Gauge(observe.OutboxDepth, observe.Labels{Obj: fmt.Sprint(i)}, 1)
		if n := m.Remembered(); n > otelsink.MaxSets {
			t.Fatalf("%d sets are remembered, at most %d may be", n, otelsink.MaxSets)
		}
	}
}
