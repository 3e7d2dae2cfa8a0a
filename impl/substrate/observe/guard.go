package observe

import "time"

// The functions of this file call one observer and keep its panic (SUBSTRATE-OBSERVE-002). Those that take a pointer read through it
// only: it spares the fast path of Bag a copy.

func swallow() { _ = recover() }

func guardLog(o Logger, level Level, msg string, f *Fields) {
	defer swallow()
	o.Log(level, msg, *f)
}

func guardCount(o Metrics, name string, l Labels, n int64) {
	defer swallow()
	o.Count(name, l, n)
}

func guardGauge(o Metrics, name string, l Labels, value int64) {
	defer swallow()
	o.Gauge(name, l, value)
}

func guardObserve(o Metrics, name string, l Labels, ms float64) {
	defer swallow()
	o.Observe(name, l, ms)
}

func guardEmit(o Events, e *Event) {
	defer swallow()
	o.Emit(*e)
}

func guardStart(o Tracer, at time.Time, name string, f *Fields) (s Span) {
	defer func() {
		_ = recover()
		if s == nil {
			s = noSpan{}
		}
	}()
	if inner := o.Start(at, name, *f); inner != nil {
		s = guardedSpan{inner}
	}
	return s
}

type guardedSpan struct{ inner Span }

func (s guardedSpan) Mark(at time.Time, name string, f Fields) {
	defer swallow()
	s.inner.Mark(at, name, f)
}

func (s guardedSpan) End(at time.Time, f Fields) {
	defer swallow()
	s.inner.End(at, f)
}
