// Package slogsink writes what the substrate tells about itself to a [slog.Logger]. Start with [New], or with [Console] to read along
// while debugging.
//
// The keys are fixed: peer, conn, obj, objKind, verb, id, code, from, to, unknown, error; events add event and at, metrics metric,
// value and the labels of the metric.
package slogsink

import (
	"context"
	"io"
	"log/slog"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// A Sink is a logger, an events sink and a metrics sink on one slog.Logger. It is safe for concurrent use if the handler is.
type Sink struct {
	to *slog.Logger
}

// New returns a sink on l; nil stands for [slog.Default] at the time of each call.
func New(l *slog.Logger) *Sink { return &Sink{l} }

// Console returns a bag that writes log lines, events and every single measurement to w as text. It is meant for debugging.
func Console(w io.Writer) observe.Bag {
	s := New(slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})))
	return observe.Bag{Logger: s, Metrics: s, Events: s}
}

func (s *Sink) logger() *slog.Logger {
	if s.to == nil {
		return slog.Default()
	}
	return s.to
}

// Log implements [observe.Logger].
func (s *Sink) Log(level observe.Level, msg string, f observe.Fields) {
	l, ctx := s.logger(), context.Background()
	if !l.Enabled(ctx, levelOf(level)) {
		return
	}
	l.LogAttrs(ctx, levelOf(level), msg, attrs(nil, &f)...)
}

// Emit implements [observe.Events]. The name of the event is the message too, so that plain text stays readable.
func (s *Sink) Emit(e observe.Event) {
	l, ctx := s.logger(), context.Background()
	if !l.Enabled(ctx, levelOf(e.Level)) {
		return
	}
	all := []slog.Attr{slog.String("event", e.Name)}
	if !e.At.IsZero() {
		all = append(all, slog.Time("at", e.At.Round(0)))
	}
	l.LogAttrs(ctx, levelOf(e.Level), e.Name, attrs(all, &e.Fields)...)
}

// Count implements [observe.Metrics]. Measurements are written at debug.
func (s *Sink) Count(name string, l observe.Labels, n int64) {
	s.measure("count", name, l, slog.Int64("value", n))
}

// Gauge implements [observe.Metrics].
func (s *Sink) Gauge(name string, l observe.Labels, value int64) {
	s.measure("gauge", name, l, slog.Int64("value", value))
}

// Observe implements [observe.Metrics].
func (s *Sink) Observe(name string, l observe.Labels, ms float64) {
	s.measure("observe", name, l, slog.Float64("value", ms))
}

func (s *Sink) measure(what, name string, labels observe.Labels, value slog.Attr) {
	l, ctx := s.logger(), context.Background()
	if !l.Enabled(ctx, slog.LevelDebug) {
		return
	}
	all := []slog.Attr{slog.String("metric", name), value}
	for _, k := range []observe.Label{observe.LabelObj, observe.LabelVerb, observe.LabelObjKind, observe.LabelCode} {
		all = text(all, string(k), labels.Value(k))
	}
	l.LogAttrs(ctx, slog.LevelDebug, what, all...)
}

func levelOf(l observe.Level) slog.Level {
	switch l {
	case observe.Debug:
		return slog.LevelDebug
	case observe.Info:
		return slog.LevelInfo
	case observe.Warn:
		return slog.LevelWarn
	}
	return slog.LevelError
}

func attrs(all []slog.Attr, f *observe.Fields) []slog.Attr {
	all = text(all, "peer", f.Peer)
	all = text(all, "conn", f.Conn)
	all = text(all, "obj", f.Obj)
	all = text(all, "objKind", f.ObjKind)
	all = text(all, "verb", f.Verb)
	all = text(all, "id", f.ID)
	all = text(all, "code", f.Code)
	if f.From != 0 || f.To != 0 {
		all = append(all, slog.Uint64("from", f.From), slog.Uint64("to", f.To))
	}
	if f.Unknown {
		all = append(all, slog.Bool("unknown", true))
	}
	if f.Err != nil {
		all = append(all, slog.String("error", f.Err.Error()))
	}
	return all
}

func text(all []slog.Attr, key, value string) []slog.Attr {
	if value == "" {
		return all
	}
	return append(all, slog.String(key, value))
}

var (
	_ observe.Logger  = (*Sink)(nil)
	_ observe.Metrics = (*Sink)(nil)
	_ observe.Events  = (*Sink)(nil)
)
