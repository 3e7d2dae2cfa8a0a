package observe

import "time"

// A Level is how much a log line matters.
type Level uint8

// The levels, from the least.
const (
	Debug Level = iota
	Info
	Warn
	Error
)

// String returns debug, info, warn or error.
func (l Level) String() string {
	switch l {
	case Debug:
		return "debug"
	case Info:
		return "info"
	case Warn:
		return "warn"
	}
	return "error"
}

// Fields say what a log line, an event or a span is about. An empty field is absent. It is passed by value, so that a call to a bag
// without observers allocates nothing.
type Fields struct {
	Peer    string // authenticated id of the other side
	Conn    string // connection id
	Obj     string // object name; valid ones only (SUBSTRATE-ADDR-003)
	ObjKind string
	Verb    string
	ID      string // of the op
	Code    string // of an err, a reject, a denial or a close
	From    uint64 // first of a range, of seqs for the most part
	To      uint64 // last of it
	Unknown bool   // the outcome of the op is not known (SUBSTRATE-OUTBOX-008, SUBSTRATE-FINALITY-008)
	Err     error
}

// An Event is something that a host may want to act upon. The names are the constants that begin with Event.
type Event struct {
	Name  string
	Level Level
	At    time.Time // of the clock that drives the engine
	Fields
}

// Labels tell the series of one metric apart. Which of them a metric has is said in [Signals]; the others are empty.
type Labels struct {
	Obj, Verb, ObjKind, Code string
}

// A Logger takes log lines. It may be called by several goroutines at once, as all observers may.
type Logger interface {
	Log(level Level, msg string, f Fields)
}

// Metrics takes measurements. The names are in [Signals].
type Metrics interface {
	// Count adds n, which is not negative, to a counter.
	Count(name string, l Labels, n int64)
	// Gauge sets a gauge.
	Gauge(name string, l Labels, value int64)
	// Observe adds a sample, in milliseconds, to a histogram.
	Observe(name string, l Labels, ms float64)
}

// Events takes events.
type Events interface {
	Emit(e Event)
}

// A Tracer opens spans. Times are those of the clock that drives the engine.
type Tracer interface {
	Start(at time.Time, name string, f Fields) Span
}

// A Span lasts from Start until End, which is called once.
type Span interface {
	Mark(at time.Time, name string, f Fields)
	// End closes the span. A code in f, or an error, says that it ended badly.
	End(at time.Time, f Fields)
}

// A Bag holds an observer for each of the four concerns. A nil one observes nothing (SUBSTRATE-OBSERVE-001).
type Bag struct {
	Logger  Logger
	Metrics Metrics
	Events  Events
	Tracer  Tracer
}

// NoObservability is the bag that observes nothing. It is the default wherever a bag can be given.
func NoObservability() Bag { return Bag{} }

// Log passes a line to the logger.
func (b *Bag) Log(level Level, msg string, f Fields) {
	if b.Logger != nil {
		guardLog(b.Logger, level, msg, &f)
	}
}

// Count adds n to a counter.
func (b *Bag) Count(name string, l Labels, n int64) {
	if b.Metrics != nil {
		guardCount(b.Metrics, name, l, n)
	}
}

// Gauge sets a gauge.
func (b *Bag) Gauge(name string, l Labels, value int64) {
	if b.Metrics != nil {
		guardGauge(b.Metrics, name, l, value)
	}
}

// Observe adds a sample to a histogram of milliseconds.
func (b *Bag) Observe(name string, l Labels, d time.Duration) {
	if b.Metrics != nil {
		guardObserve(b.Metrics, name, l, float64(d)/float64(time.Millisecond))
	}
}

// Emit passes an event on.
func (b *Bag) Emit(e Event) {
	if b.Events != nil {
		guardEmit(b.Events, &e)
	}
}

// Start opens a span. The result is never nil and never panics.
func (b *Bag) Start(at time.Time, name string, f Fields) Span {
	if b.Tracer == nil {
		return noSpan{}
	}
	return guardStart(b.Tracer, at, name, &f)
}

// Enabled reports whether b observes anything.
func (b *Bag) Enabled() bool {
	return b.Logger != nil || b.Metrics != nil || b.Events != nil || b.Tracer != nil
}

type noSpan struct{}

func (noSpan) Mark(time.Time, string, Fields) {}
func (noSpan) End(time.Time, Fields)          {}
