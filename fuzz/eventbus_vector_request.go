package fuzz

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// answered is what a handler made of one request for the stream of a fresh bus.
type answered struct {
	status    int
	body      []byte
	warnings  int
	maxQueued int // of the subscription; 0: there was none
}

// ask serves one request on a fresh bus. The bus is closed with the first octet of the answer, which ends a stream behind what
// was waiting for it.
func ask(dialect string, edit func(*http.Request)) (answered, error) {
	d, err := eventbus.ParseDialect(dialect)
	if err != nil {
		return answered{}, err
	}
	bus, err := eventbus.New(eventbus.Config{Dialect: d})
	if err != nil {
		return answered{}, err
	}
	defer bus.Close()
	var log warnings
	h, err := sse.NewHandler(bus, sse.Config{Heartbeat: -1, WriteTimeout: -1, Logger: slog.New(&log)})
	if err != nil {
		return answered{}, err
	}
	r := httptest.NewRequest(http.MethodGet, "/events", nil)
	edit(r)
	w := &closingWriter{ResponseRecorder: httptest.NewRecorder(), bus: bus}
	h.ServeHTTP(w, r)
	return answered{status: w.Code, body: w.Body.Bytes(), warnings: log.count, maxQueued: w.maxQueued}, nil
}

// closingWriter closes the bus as soon as something is written.
type closingWriter struct {
	*httptest.ResponseRecorder
	bus       *eventbus.Bus
	maxQueued int
}

func (w *closingWriter) Write(p []byte) (int, error) {
	for _, s := range w.bus.Snapshot().Subscribers {
		w.maxQueued = s.MaxQueued
	}
	w.bus.Close()
	return w.ResponseRecorder.Write(p)
}

// SetWriteDeadline does nothing: a recorder is never slow.
func (w *closingWriter) SetWriteDeadline(time.Time) error { return nil }

// warnings counts the records that are for the eyes of an operator.
type warnings struct{ count int }

func (w *warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (w *warnings) Handle(context.Context, slog.Record) error {
	w.count++
	return nil
}

func (w *warnings) WithAttrs([]slog.Attr) slog.Handler { return w }

func (w *warnings) WithGroup(string) slog.Handler { return w }

// runCursor looks for the cursor in what a bus without events answers: EVENTBUS-RESYNC-006 names it, unless it is 0.
func runCursor(v *corpus.EventbusVector, dialect string) error {
	a, err := ask(dialect, func(r *http.Request) {
		for _, value := range v.Headers {
			r.Header.Add("Last-Event-ID", string(value))
		}
	})
	if err != nil {
		return err
	}
	// EVENTBUS-HTTP-002: whatever the header says, the stream is opened.
	if a.status != http.StatusOK {
		return fmt.Errorf("status %d", a.status)
	}
	if trace := a.warnings > 0; trace != v.Want.Breadcrumb || a.warnings > 1 {
		return fmt.Errorf("%d breadcrumbs, want one: %v", a.warnings, v.Want.Breadcrumb)
	}
	if v.Want.Live {
		// EVENTBUS-SSE-003
		if string(a.body) != "retry: 3000\n\n" {
			return fmt.Errorf("the body is %.300q, want a live stream without events", a.body)
		}
		return nil
	}
	cursor, err := cursorIn(a.body)
	if err == nil && cursor != *v.Want.Cursor {
		err = fmt.Errorf("cursor %d, want %d", cursor, *v.Want.Cursor)
	}
	return err
}

// cursorIn reads the answer of a bus without events to a request with a cursor.
func cursorIn(body []byte) (int64, error) {
	var (
		p     sse.Parser
		out   parsed
		types []string
		last  int64
	)
	p.Feed(body)
	out.take(&p)
	for _, e := range out.events {
		types = append(types, e.Type)
		if e.Type != "state_resync_required" {
			continue
		}
		var frame struct {
			Data struct{ LastDeliveredID int64 }
		}
		if err := json.Unmarshal(e.Data, &frame); err != nil {
			return 0, fmt.Errorf("read the resync: %w", err)
		}
		last = frame.Data.LastDeliveredID
	}
	if n := len(types); n == 0 || types[n-1] != "replay_complete" || n > 2 {
		return 0, fmt.Errorf("the stream has the events %v, want replay_complete with at most a resync before it", types)
	}
	return last, nil
}

func runMaxQueued(v *corpus.EventbusVector, dialect string) error {
	a, err := ask(dialect, func(r *http.Request) { r.URL.RawQuery = string(*v.Query) })
	if err != nil {
		return err
	}
	if !v.Want.Refused {
		if a.status != http.StatusOK || int64(a.maxQueued) != *v.Want.MaxQueued {
			return fmt.Errorf("status %d and maxQueued %d, want %d", a.status, a.maxQueued, *v.Want.MaxQueued)
		}
		return nil
	}
	var refusal struct{ Code string }
	if err := json.Unmarshal(a.body, &refusal); err != nil {
		return fmt.Errorf("status %d with the body %.300q: %w", a.status, a.body, err)
	}
	if a.status != http.StatusBadRequest || refusal.Code != "invalid_max_queued" || a.maxQueued != 0 {
		return fmt.Errorf("status %d, code %q and a subscription of %d, want 400, invalid_max_queued and none",
			a.status, refusal.Code, a.maxQueued)
	}
	return nil
}
