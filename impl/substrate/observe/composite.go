package observe

import "time"

// Composite returns a bag that forwards each call to every one of bags, in their order. A member that panics does not keep the later
// ones from being called (SUBSTRATE-OBSERVE-001, SUBSTRATE-OBSERVE-002). A concern that no member has stays free of cost.
func Composite(bags ...Bag) Bag {
	var (
		c  Bag
		ls loggers
		ms metrics
		es events
		ts tracers
	)
	for _, b := range bags {
		if b.Logger != nil {
			ls = append(ls, b.Logger)
		}
		if b.Metrics != nil {
			ms = append(ms, b.Metrics)
		}
		if b.Events != nil {
			es = append(es, b.Events)
		}
		if b.Tracer != nil {
			ts = append(ts, b.Tracer)
		}
	}
	if len(ls) > 0 {
		c.Logger = ls
	}
	if len(ms) > 0 {
		c.Metrics = ms
	}
	if len(es) > 0 {
		c.Events = es
	}
	if len(ts) > 0 {
		c.Tracer = ts
	}
	return c
}

type loggers []Logger

func (all loggers) Log(level Level, msg string, f Fields) {
	for _, o := range all {
		guardLog(o, level, msg, &f)
	}
}

type metrics []Metrics

func (all metrics) Count(name string, l Labels, n int64) {
	for _, o := range all {
		guardCount(o, name, l, n)
	}
}

func (all metrics) Gauge(name string, l Labels, value int64) {
	for _, o := range all {
		guardGauge(o, name, l, value)
	}
}

func (all metrics) Observe(name string, l Labels, ms float64) {
	for _, o := range all {
		guardObserve(o, name, l, ms)
	}
}

type events []Events

func (all events) Emit(e Event) {
	for _, o := range all {
		guardEmit(o, &e)
	}
}

type tracers []Tracer

func (all tracers) Start(at time.Time, name string, f Fields) Span {
	open := make(spans, len(all))
	for i, o := range all {
		open[i] = guardStart(o, at, name, &f)
	}
	return open
}

// The members of spans are guarded already.
type spans []Span

func (all spans) Mark(at time.Time, name string, f Fields) {
	for _, s := range all {
		s.Mark(at, name, f)
	}
}

func (all spans) End(at time.Time, f Fields) {
	for _, s := range all {
		s.End(at, f)
	}
}
