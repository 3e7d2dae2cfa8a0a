package databus

// DefaultTraceInterval is the length of a window of metrics, in milliseconds (DATABUS-TRACE-002).
const DefaultTraceInterval = 5000

// A Trace says who is told what a bus does. It changes nothing of it (DATABUS-TRACE-001).
type Trace struct {
	Enabled bool
	// Interval is the length of a window in milliseconds. 0: [DefaultTraceInterval].
	Interval int64
	// Sink is told. It is called like a handler, and what it panics with is ignored. Required if enabled.
	Sink func(TraceEvent)
}

// A TraceEvent is either a step of the life of a bus or the metrics of one window.
type TraceEvent struct {
	Name    string   // such as start, suspend, "status connected"; metrics
	At      int64    // milliseconds
	Metrics *Metrics // of metrics only
}

// Metrics are those of one window. Percentiles are the middle of one of twenty buckets of 50 ms, the last of which has no end.
type Metrics struct {
	Received   int   // publications that came to this tab
	Dispatched int   // calls of handlers
	Samples    int   // of the latency, from the arrival of a publication to the end of a handler
	Average    int64 // milliseconds, rounded down, as the three below
	P50, P95   int64
	Max        int64
}

const (
	buckets     = 20
	bucketWidth = 50 // milliseconds
)

// tracer gathers the metrics of one bus.
type tracer struct {
	b      *Bus
	window window
	stop   func() // of the timer; nil: it does not run
}

type window struct {
	received, dispatched int
	counts               [buckets]int
	sum, max             int64
}

func (t *tracer) init(b *Bus) { t.b = b }

func (t *tracer) on() bool { return t.b.cfg.Trace.Enabled }

// start begins the windows.
func (t *tracer) start() {
	if !t.on() || t.stop != nil {
		return
	}
	interval := t.b.cfg.Trace.Interval
	if interval == 0 {
		interval = DefaultTraceInterval
	}
	t.stop = busClock{t.b}.Every(interval, t.emit)
}

// end stops the windows; the open one is lost.
func (t *tracer) end() {
	t.discard()
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
}

// discard forgets the open window, as a page that hides does (DATABUS-TRACE-002).
func (t *tracer) discard() { t.window = window{} }

func (t *tracer) received() {
	if t.on() {
		t.window.received++
	}
}

// dispatched counts one call of a handler, latency milliseconds after its publication arrived.
func (t *tracer) dispatched(latency int64) {
	if !t.on() {
		return
	}
	w := &t.window
	latency = max(latency, 0)
	w.dispatched++
	w.counts[min(latency/bucketWidth, buckets-1)]++
	w.sum += latency
	w.max = max(w.max, latency)
}

// emit ends a window. One without anything is not told of.
func (t *tracer) emit() {
	w := t.window
	t.discard()
	if w.received == 0 && w.dispatched == 0 {
		return
	}
	m := &Metrics{
		Received: w.received, Dispatched: w.dispatched, Samples: w.dispatched, Max: w.max, P50: w.percentile(50), P95: w.percentile(95),
	}
	if w.dispatched > 0 {
		m.Average = w.sum / int64(w.dispatched)
	}
	t.tell(TraceEvent{Name: "metrics", Metrics: m})
}

// percentile returns the middle of the bucket in which the sample lies below which p percent are; 0 without samples.
func (w *window) percentile(p int) int64 {
	rank := (w.dispatched*p + 99) / 100
	for i, n := range w.counts {
		if rank -= n; rank <= 0 && w.dispatched > 0 {
			return int64(i)*bucketWidth + bucketWidth/2
		}
	}
	return 0
}

// note tells of a step of the life of the bus.
func (t *tracer) note(name string) {
	if t.on() {
		t.tell(TraceEvent{Name: name})
	}
}

func (t *tracer) tell(e TraceEvent) {
	e.At = t.b.env.Clock.Now()
	sink := t.b.cfg.Trace.Sink
	t.b.call(func() { guard(func() { sink(e) }) })
}
