package observe_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

func TestSnapshotIsACopy(t *testing.T) { // SUBSTRATE-OBSERVE-001
	var m observe.InMemory
	b := observe.Bag{Metrics: &m}
	useAll(b)
	before := m.Snapshot()
	kept := m.Snapshot()
	kept.Counters[0].Value, kept.Gauges[0].Obj, kept.Histograms[0].Buckets[2] = 99, "changed", 99
	if diff := cmp.Diff(before, m.Snapshot()); diff != "" {
		t.Errorf("writing to a snapshot changed the metrics (-before +after):\n%s", diff)
	}
	useAll(b)
	if got := before.Total(observe.Futile); got != 2 {
		t.Errorf("a snapshot changed with the metrics: %d futile, expected 2", got)
	}
	if got := m.Snapshot().Total(observe.Futile); got != 4 {
		t.Errorf("%d futile, expected 4", got)
	}
}

func TestNamedFilters(t *testing.T) { // SUBSTRATE-OBSERVE-001 SUBSTRATE-OBSERVE-004
	var m observe.InMemory
	b := observe.Bag{Metrics: &m}
	b.Gauge(observe.OutboxDepth, observe.Labels{Obj: "b"}, 1)
	b.Gauge(observe.OutboxDepth, observe.Labels{Obj: "a"}, 2)
	b.Gauge("other", observe.Labels{}, 3)
	b.Count("other", observe.Labels{}, 4)
	b.Count(observe.Bounce, observe.Labels{}, 5)
	b.Observe(observe.AckLatency, observe.Labels{}, time.Second)
	b.Observe(observe.AnswerLatency, observe.Labels{}, time.Second)
	s := m.Snapshot()
	want := []observe.Sample{
		{Name: observe.OutboxDepth, Labels: observe.Labels{Obj: "a"}, Value: 2}, {Name: observe.OutboxDepth, Labels: observe.Labels{Obj: "b"}, Value: 1},
	}
	if diff := cmp.Diff(observe.Snapshot{Gauges: want}, s.Named(observe.OutboxDepth)); diff != "" {
		t.Errorf("depths (-want +got):\n%s", diff)
	}
	if n := s.Named("other"); len(n.Counters) != 1 || len(n.Gauges) != 1 || len(n.Histograms) != 0 {
		t.Errorf("other is %+v", n)
	}
	if n := s.Named(observe.AckLatency); len(n.Histograms) != 1 || n.Histograms[0].Name != observe.AckLatency {
		t.Errorf("latencies are %+v", n)
	}
	for obj, want := range map[string]int64{"a": 2, "b": 1, "c": 0} {
		if got := s.Gauge(observe.OutboxDepth, observe.Labels{Obj: obj}); got != want {
			t.Errorf("depth of %s is %d, expected %d", obj, got, want)
		}
	}
}

func TestHistogramBuckets(t *testing.T) { // SUBSTRATE-OBSERVE-005
	var m observe.InMemory
	bounds := observe.Bounds()
	for _, edge := range bounds {
		m.Observe("h", observe.Labels{}, edge)
		m.Observe("h", observe.Labels{}, edge+0.5)
	}
	h := m.Snapshot().Histograms[0]
	want := [observe.BucketCount]int64{1} // 1; then 1.5 and 2; ... ; 60000.5 is above all
	for i := 1; i < len(want)-1; i++ {
		want[i] = 2
	}
	want[len(want)-1] = 1
	if h.Buckets != want || h.Count != 30 || h.Min != 1 || h.Max != 60000.5 {
		t.Errorf("histogram %+v, expected buckets %v", h, want)
	}
}

func TestSeriesAreBounded(t *testing.T) { // SUBSTRATE-LIMIT-005
	m := observe.InMemory{MaxSeries: 4}
	b := observe.Bag{Metrics: &m}
	b.Count(observe.OpsAcked, observe.Labels{}, 1)
	for i := range 10 {
		b.Gauge(observe.OutboxDepth, observe.Labels{Obj: fmt.Sprint(i)}, 1)
		b.Gauge(observe.OutboxDepth, observe.Labels{Obj: fmt.Sprint(i)}, 0)
	}
	if s := m.Snapshot(); s.Dropped != 0 || len(s.Gauges) > 3 || s.Total(observe.OpsAcked) != 1 {
		t.Errorf("drained gauges did not make room: %+v", s)
	}
	for i := range 10 {
		b.Gauge(observe.OutboxDepth, observe.Labels{Obj: fmt.Sprint(i)}, 1)
	}
	b.Observe(observe.AckLatency, observe.Labels{}, 1)
	b.Count(observe.Bounce, observe.Labels{}, 1)
	b.Count(observe.OpsAcked, observe.Labels{}, 1)
	s := m.Snapshot()
	if len(s.Gauges)+len(s.Counters)+len(s.Histograms) != 4 || s.Dropped != 9 || s.Total(observe.OpsAcked) != 2 {
		t.Errorf("a full store kept %+v, expected 4 series and 9 dropped", s)
	}
}

// Beside a plain map, with few enough names that gauges come and go.
func TestInMemoryKeepsWhatItIsTold(t *testing.T) { // SUBSTRATE-OBSERVE-001
	rapid.Check(t, func(t *rapid.T) {
		m := observe.InMemory{MaxSeries: rapid.SampledFrom([]int{0, 64}).Draw(t, "max")}
		counters, gauges := map[string]int64{}, map[string]int64{}
		for range rapid.IntRange(0, 50).Draw(t, "steps") {
			code := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "code")
			v := int64(rapid.IntRange(0, 2).Draw(t, "value"))
			if rapid.Bool().Draw(t, "count") {
				m.Count(observe.Futile, observe.Labels{Code: code}, v)
				counters[code] += v
			} else {
				m.Gauge(observe.OutboxDepth, observe.Labels{Obj: code}, v)
				gauges[code] = v
			}
		}
		gotC, gotG := map[string]int64{}, map[string]int64{}
		s := m.Snapshot()
		for _, c := range s.Counters {
			gotC[c.Code] = c.Value
		}
		for _, g := range s.Gauges {
			gotG[g.Obj] = g.Value
		}
		if !maps.Equal(counters, gotC) || !maps.Equal(gauges, gotG) || s.Dropped != 0 {
			t.Fatalf("counters %v, gauges %v, dropped %d; expected %v and %v", gotC, gotG, s.Dropped, counters, gauges)
		}
	})
}
