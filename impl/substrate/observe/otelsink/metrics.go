// Package otelsink passes the metrics and spans of the substrate to OpenTelemetry. Start with [NewMetrics] and [NewTracer]; package
// slogsink takes log lines and events.
//
// It uses the API of OpenTelemetry only: which SDK runs, and where it exports to, is the host's choice.
package otelsink

import (
	"context"
	"fmt"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// Scope names this instrumentation; give it to the Meter and Tracer methods of a provider.
const Scope = "github.com/seed-6f28358b/assay/impl/substrate"

// maxSets bounds how many sets of labels are remembered: names of objects are chosen by the peer (SUBSTRATE-OBSERVE-013).
const maxSets = 4096

// Metrics is an [observe.Metrics] on a meter.
type Metrics struct {
	counters   map[string]metric.Int64Counter
	gauges     map[string]metric.Int64Gauge
	histograms map[string]metric.Float64Histogram

	mu   sync.Mutex
	sets map[observe.Labels]metric.MeasurementOption
}

// NewMetrics makes one instrument for each of [observe.Signals]. It fails if the meter refuses one.
func NewMetrics(m metric.Meter) (*Metrics, error) {
	s := &Metrics{
		counters: map[string]metric.Int64Counter{}, gauges: map[string]metric.Int64Gauge{},
		histograms: map[string]metric.Float64Histogram{}, sets: map[observe.Labels]metric.MeasurementOption{},
	}
	for _, signal := range observe.Signals() {
		var err error
		unit, about := metric.WithUnit(signal.Unit), metric.WithDescription(signal.About)
		switch signal.Instrument {
		case observe.CounterOf:
			s.counters[signal.Name], err = m.Int64Counter(signal.Name, unit, about)
		case observe.GaugeOf:
			s.gauges[signal.Name], err = m.Int64Gauge(signal.Name, unit, about)
		case observe.HistogramOf:
			s.histograms[signal.Name], err = m.Float64Histogram(signal.Name, unit, about)
		}
		if err != nil {
			return nil, fmt.Errorf("make instrument %s: %w", signal.Name, err)
		}
	}
	return s, nil
}

// Count implements [observe.Metrics]. A name that is not in [observe.Signals] is ignored, here and below.
func (s *Metrics) Count(name string, l observe.Labels, n int64) {
	if c := s.counters[name]; c != nil {
		c.Add(context.Background(), n, s.set(l))
	}
}

// Gauge implements [observe.Metrics].
func (s *Metrics) Gauge(name string, l observe.Labels, value int64) {
	if g := s.gauges[name]; g != nil {
		g.Record(context.Background(), value, s.set(l))
	}
}

// Observe implements [observe.Metrics].
func (s *Metrics) Observe(name string, l observe.Labels, ms float64) {
	if h := s.histograms[name]; h != nil {
		h.Record(context.Background(), ms, s.set(l))
	}
}

// set returns the labels as OpenTelemetry wants them. Making a set costs several allocations, so they are remembered.
func (s *Metrics) set(l observe.Labels) metric.MeasurementOption {
	s.mu.Lock()
	defer s.mu.Unlock()
	if set, ok := s.sets[l]; ok {
		return set
	}
	var all []attribute.KeyValue
	for _, k := range []observe.Label{observe.LabelObj, observe.LabelVerb, observe.LabelObjKind, observe.LabelCode} {
		if v := l.Value(k); v != "" {
			all = append(all, attribute.String(string(k), v))
		}
	}
	if len(s.sets) >= maxSets {
		clear(s.sets)
	}
	set := metric.WithAttributeSet(attribute.NewSet(all...))
	s.sets[l] = set
	return set
}

// Remembered returns how many sets of labels are remembered at present, which never are more than 4096 (SUBSTRATE-OBSERVE-013).
func (s *Metrics) Remembered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sets)
}

var _ observe.Metrics = (*Metrics)(nil)
