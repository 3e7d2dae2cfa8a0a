package otelsink

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// Tracer is an [observe.Tracer] on a tracer of OpenTelemetry. Every span is a root: the wire carries no trace context, and the id of
// the op, which both sides know, is an attribute of its span.
type Tracer struct {
	to trace.Tracer
}

// NewTracer returns a tracer on t.
func NewTracer(t trace.Tracer) *Tracer { return &Tracer{t} }

// Start implements [observe.Tracer].
func (t *Tracer) Start(at time.Time, name string, f observe.Fields) observe.Span {
	_, s := t.to.Start(context.Background(), name, trace.WithTimestamp(at), trace.WithAttributes(attributes(&f)...), trace.WithNewRoot())
	return span{s}
}

type span struct{ to trace.Span }

func (s span) Mark(at time.Time, name string, f observe.Fields) {
	s.to.AddEvent(name, trace.WithTimestamp(at), trace.WithAttributes(attributes(&f)...))
}

func (s span) End(at time.Time, f observe.Fields) {
	s.to.SetAttributes(attributes(&f)...)
	switch {
	case f.Err != nil:
		s.to.RecordError(f.Err, trace.WithTimestamp(at))
		s.to.SetStatus(codes.Error, f.Err.Error())
	case f.Code != "":
		s.to.SetStatus(codes.Error, f.Code)
	}
	s.to.End(trace.WithTimestamp(at))
}

func attributes(f *observe.Fields) []attribute.KeyValue {
	var all []attribute.KeyValue
	for _, a := range []struct{ key, value string }{
		{"substrate.peer", f.Peer},
		{"substrate.conn", f.Conn},
		{"substrate.obj", f.Obj},
		{"substrate.objKind", f.ObjKind},
		{"substrate.verb", f.Verb},
		{"substrate.id", f.ID},
		{"substrate.code", f.Code},
	} {
		if a.value != "" {
			all = append(all, attribute.String(a.key, a.value))
		}
	}
	if f.From != 0 || f.To != 0 {
		all = append(all, attribute.Int64("substrate.from", int64(f.From)), attribute.Int64("substrate.to", int64(f.To)))
	}
	if f.Unknown {
		all = append(all, attribute.Bool("substrate.unknown", true))
	}
	return all
}

var _ observe.Tracer = (*Tracer)(nil)
