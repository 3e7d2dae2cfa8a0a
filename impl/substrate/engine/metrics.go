package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// The kinds of marks.
type markKind uint8

const (
	count markKind = iota
	gauge
	sample
	spanStart
	spanEnd
)

// A mark is a measurement that waits for the batch to be written: what is rolled back has not happened (SUBSTRATE-OBSERVE-003).
type mark struct {
	kind   markKind
	name   string
	labels observe.Labels
	n      int64
	d      time.Duration
	trace  *trace
	at     time.Time
	fields observe.Fields
}

// A trace is the span of a call.
type trace struct{ span observe.Span }

// traceCall begins the span of a call, if anybody looks.
func (e *Engine) traceCall(c *call) {
	if e.cfg.Observe.Tracer == nil {
		return
	}
	c.trace = &trace{}
	f := observe.Fields{Peer: e.cfg.Remote, Obj: c.Obj, ObjKind: c.objKind, Verb: c.Kind, ID: c.ID}
	e.marks = append(e.marks, mark{kind: spanStart, trace: c.trace, at: c.at, fields: f})
}

// traceEnd ends the span of a call.
func (e *Engine) traceEnd(c *call, code string) {
	if c.trace != nil {
		e.marks = append(e.marks, mark{kind: spanEnd, trace: c.trace, at: e.now, fields: observe.Fields{Code: code}})
	}
}

func (e *Engine) mark(m mark) {
	if e.cfg.Observe.Metrics != nil {
		e.marks = append(e.marks, m)
	}
}

// markDepth says how many rows an object has (SUBSTRATE-OBSERVE-004).
func (e *Engine) markDepth(o *object) {
	e.mark(mark{kind: gauge, name: observe.OutboxDepth, labels: observe.Labels{Obj: o.name}, n: int64(len(o.rows))})
}

// happen leaves an event to be released.
func (e *Engine) happen(name string, level observe.Level, f observe.Fields) {
	f.Peer = e.cfg.Remote
	e.emit(Event{observe.Event{Name: name, Level: level, At: e.now, Fields: f}})
}

// release lets go of what has waited for the batch to be written. The bag keeps panics of observers to itself (SUBSTRATE-OBSERVE-002).
func (e *Engine) release() {
	b := &e.cfg.Observe
	for _, m := range e.marks {
		switch m.kind {
		case count:
			b.Count(m.name, m.labels, m.n)
		case gauge:
			b.Gauge(m.name, m.labels, m.n)
		case sample:
			b.Observe(m.name, m.labels, m.d)
		case spanStart:
			m.trace.span = b.Start(m.at, observe.SpanOp, m.fields)
		case spanEnd:
			m.trace.span.End(m.at, m.fields)
		}
	}
	if b.Events != nil {
		for _, x := range e.pending {
			if ev, ok := x.(Event); ok {
				b.Emit(ev.Event)
			}
		}
	}
	if e.out == nil {
		e.out = e.pending
	} else {
		e.out = append(e.out, e.pending...)
	}
	e.pending = nil
}
