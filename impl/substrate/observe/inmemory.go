package observe

import (
	"cmp"
	"slices"
	"sync"
)

// DefaultSeries is how many series an [InMemory] keeps.
const DefaultSeries = 16384

// InMemory keeps metrics for a dashboard or a test. The zero value is ready and keeps at most [DefaultSeries] series. When it is full,
// gauges that stand at 0 make room; if there are none, measurements of a new series are dropped and counted.
type InMemory struct {
	// MaxSeries bounds the number of series (SUBSTRATE-OBSERVE-013); 0: DefaultSeries. It must not be changed after the first use.
	MaxSeries int

	mu         sync.Mutex
	counters   map[series]int64
	gauges     map[series]int64
	histograms map[series]*Histogram
	zeros      int // gauges at 0
	dropped    int64
}

type series struct {
	name string
	Labels
}

// A Sample is the value of a counter or a gauge.
type Sample struct {
	Name string
	Labels
	Value int64
}

// A Histogram sums up samples in milliseconds.
type Histogram struct {
	Name string
	Labels
	Count         int64
	Sum, Min, Max float64
	Buckets       [BucketCount]int64 // not cumulative; the last one has what is above the last of [Bounds]
}

// BucketCount is the number of buckets of a [Histogram].
const BucketCount = 16

// Bounds returns the upper bounds of the buckets of a [Histogram] but for the last, in milliseconds; each belongs to its bucket.
func Bounds() [BucketCount - 1]float64 {
	return [...]float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000}
}

// Count implements [Metrics].
func (m *InMemory) Count(name string, l Labels, n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := series{name, l}
	if _, ok := m.counters[k]; !ok && !m.room() {
		return
	}
	if m.counters == nil {
		m.counters = map[series]int64{}
	}
	m.counters[k] += n
}

// Gauge implements [Metrics].
func (m *InMemory) Gauge(name string, l Labels, value int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := series{name, l}
	old, ok := m.gauges[k]
	if !ok && !m.room() {
		return
	}
	if ok && old == 0 {
		m.zeros--
	}
	if value == 0 {
		m.zeros++
	}
	if m.gauges == nil {
		m.gauges = map[series]int64{}
	}
	m.gauges[k] = value
}

// Observe implements [Metrics].
func (m *InMemory) Observe(name string, l Labels, ms float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := series{name, l}
	h := m.histograms[k]
	if h == nil {
		if !m.room() {
			return
		}
		if m.histograms == nil {
			m.histograms = map[series]*Histogram{}
		}
		h = &Histogram{Name: name, Labels: l, Min: ms, Max: ms}
		m.histograms[k] = h
	}
	h.Count++
	h.Sum += ms
	h.Min, h.Max = min(h.Min, ms), max(h.Max, ms)
	bounds := Bounds()
	bucket, _ := slices.BinarySearch(bounds[:], ms)
	h.Buckets[bucket]++
}

// room reports whether a new series may be kept, and counts the measurement as dropped if not. A peer chooses the names of objects, so
// that drained gauges must not pile up (SUBSTRATE-LIMIT-005).
func (m *InMemory) room() bool {
	limit := m.MaxSeries
	if limit <= 0 {
		limit = DefaultSeries
	}
	if len(m.counters)+len(m.gauges)+len(m.histograms) < limit {
		return true
	}
	if m.zeros > 0 {
		for k, v := range m.gauges {
			if v == 0 {
				delete(m.gauges, k)
			}
		}
		m.zeros = 0
		return true
	}
	m.dropped++
	return false
}

// A Snapshot is a copy of all metrics as they were at one moment, sorted by name and labels. The caller owns it.
type Snapshot struct {
	Counters   []Sample
	Gauges     []Sample
	Histograms []Histogram
	Dropped    int64 // measurements that found no room
}

// Snapshot copies the metrics.
func (m *InMemory) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Snapshot{Counters: samples(m.counters), Gauges: samples(m.gauges), Dropped: m.dropped}
	for _, h := range m.histograms {
		s.Histograms = append(s.Histograms, *h)
	}
	slices.SortFunc(s.Histograms, func(a, b Histogram) int { return compare(series{a.Name, a.Labels}, series{b.Name, b.Labels}) })
	return s
}

func samples(of map[series]int64) []Sample {
	var all []Sample
	for k, v := range of {
		all = append(all, Sample{k.name, k.Labels, v})
	}
	slices.SortFunc(all, func(a, b Sample) int { return compare(series{a.Name, a.Labels}, series{b.Name, b.Labels}) })
	return all
}

func compare(a, b series) int {
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.Obj, b.Obj), cmp.Compare(a.Verb, b.Verb),
		cmp.Compare(a.ObjKind, b.ObjKind), cmp.Compare(a.Code, b.Code))
}

// Named returns the part of s that has the given name.
func (s Snapshot) Named(name string) Snapshot {
	var part Snapshot
	for _, c := range s.Counters {
		if c.Name == name {
			part.Counters = append(part.Counters, c)
		}
	}
	for _, g := range s.Gauges {
		if g.Name == name {
			part.Gauges = append(part.Gauges, g)
		}
	}
	for _, h := range s.Histograms {
		if h.Name == name {
			part.Histograms = append(part.Histograms, h)
		}
	}
	return part
}

// Total returns the sum of the counters that have the given name, over all labels.
func (s Snapshot) Total(name string) int64 {
	var n int64
	for _, c := range s.Named(name).Counters {
		n += c.Value
	}
	return n
}

// Gauge returns the value of a gauge. A gauge that was never set reads 0.
func (s Snapshot) Gauge(name string, l Labels) int64 {
	for _, g := range s.Gauges {
		if g.Name == name && g.Labels == l {
			return g.Value
		}
	}
	return 0
}
