package fuzz

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// FuzzEventbusLastEventID asks the reference handler for a stream with any Last-Event-ID, and gets the stream that the machines foresee for it: what the
// header comes to, what the bus opens with, and whether the log has a line. The query is read as the machine reads it.
func FuzzEventbusLastEventID(f *testing.F) {
	for _, value := range []string{
		"", "0", "1", "42", "5", "6", "007", "-1", "+5", "1.5", "abc", "5, 6", "５", "9007199254740991", "9007199254740992", "99999999999999999999", "00000000000000000000000003",
		"0x1", "1e3", "1_0", "4 4", "\u00a05",
	} {
		f.Add(value, "", false)
		f.Add(value, "maxQueued=16", true)
	}
	for _, query := range []string{
		"maxQueued=15", "maxQueued=2048", "maxQueued=2049", "maxQueued=", "maxQueued", "maxQueued=016", "maxQueued=16.0", "maxQueued=-16", "maxQueued=1e2", "maxQueued=%2016",
		"maxQueued=16&maxQueued=17", "maxQueued[]=16", "maxqueued=1", "maxQueuedBytes=1", "max%51ueued=16", "maxQueued=+16", "maxQueued=1;6", "%zz", "maxQueued=%zz",
	} {
		f.Add("3", query, true)
	}
	f.Fuzz(func(t *testing.T, value, query string, later bool) {
		if strings.TrimSpace(value) != value || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Skip("no header has this value")
		}
		if values, err := url.ParseQuery(query); err == nil {
			want, ok := eventbusmodel.ParseMaxQueued(values["maxQueued"])
			got, err := sse.MaxQueued(query)
			var refusal *sse.Refusal
			switch {
			case ok && (err != nil || got != want && (got != 0 || want != eventbusmodel.DefaultMaxQueued)):
				t.Fatalf("query %q: %d, %v, want %d", query, got, err, want)
			case !ok && (!errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest || refusal.Code != "invalid_max_queued"):
				t.Fatalf("query %q: %d, %v, want status 400", query, got, err)
			}
		}
		synctest.Test(t, func(t *testing.T) {
			if err := streamsAs(value, eventbusmodel.Dialect(dialectOf(later))); err != nil {
				t.Fatalf("Last-Event-ID %q: %v", value, err)
			}
		})
	})
}

func dialectOf(later bool) eventbus.Dialect {
	if later {
		return eventbus.Later
	}
	return eventbus.Seed
}

// streamsAs compares the stream that a handler gives with the one of the machine, on a bus that holds the events 3, 4 and 5.
func streamsAs(value string, dialect eventbusmodel.Dialect) error {
	cfg := eventbusmodel.BusConfig{Dialect: dialect, RingSize: 3}
	machine, err := eventbusmodel.NewBus(cfg)
	if err != nil {
		return err
	}
	bus, err := eventbus.New(eventbus.Config{Dialect: eventbus.Dialect(dialect), RingSize: 3})
	if err != nil {
		return err
	}
	state := machine.Init()
	publish := func() {
		state, _, _ = machine.Do(state, eventbusmodel.BusAction{Op: eventbusmodel.OpPublish, Input: eventbusmodel.Input{Type: "e"}})
		bus.Publish(eventbus.Input{Type: "e"})
	}
	for range 5 {
		publish()
	}
	var log countingLog
	handler, err := sse.NewHandler(bus, sse.Config{Heartbeat: -1, WriteTimeout: -1, Logger: slog.New(&log)})
	if err != nil {
		return err
	}
	request := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	if value != "" {
		request.Header.Set("Last-Event-ID", value)
	}
	answer := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		handler.ServeHTTP(answer, request)
	}()
	synctest.Wait()
	cursor := eventbusmodel.ParseLastEventID(value)
	state, _, _ = machine.Do(state, eventbusmodel.BusAction{Op: eventbusmodel.OpSubscribe, Cursor: cursor.Cursor, After: cursor.After})
	publish()
	synctest.Wait()
	bus.Close()
	<-done
	state, _, _ = machine.Do(state, eventbusmodel.BusAction{Op: eventbusmodel.OpClose})
	if answer.Code != http.StatusOK || log.lines != count(cursor.Breadcrumb) {
		return fmt.Errorf("status %d, %d lines in the log, want %d", answer.Code, log.lines, count(cursor.Breadcrumb))
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	// EVENTBUS-SSE-003
	if !strings.HasPrefix(string(body), "retry: 3000\n\n") {
		return fmt.Errorf("the body opens with %q", body)
	}
	for _, e := range eventbusmodel.ReadEnvelopes(body) {
		next, o, _ := machine.Do(state, eventbusmodel.BusAction{Op: eventbusmodel.OpNext})
		state = next
		if err := carries(e, o); err != nil {
			return err
		}
	}
	if _, o, _ := machine.Do(state, eventbusmodel.BusAction{Op: eventbusmodel.OpNext}); o.Next != eventbusmodel.NextDone {
		return fmt.Errorf("the stream ends before %v", o.Item)
	}
	return nil
}

// carries compares an envelope of a stream with the item that the machine gives.
func carries(e eventbusmodel.Envelope, o eventbusmodel.BusOutput) error {
	if o.Next != eventbusmodel.NextItem || e.ID != o.Item.ID || e.Type != o.Item.Type {
		return fmt.Errorf("the stream has %d %s, want %s %v", e.ID, e.Type, o.Next, o.Item)
	}
	if e.HasID {
		return nil
	}
	var c eventbusmodel.Control
	if err := controlInto(&c, e.Type, e.Members["data"]); err != nil {
		return err
	}
	if c != o.Item.Control {
		return fmt.Errorf("%s is %+v, want %+v", e.Type, c, o.Item.Control)
	}
	return nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// A countingLog counts the warnings that are written to it.
type countingLog struct{ lines int }

func (l *countingLog) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn
}

func (l *countingLog) Handle(context.Context, slog.Record) error { l.lines++; return nil }
func (l *countingLog) WithAttrs([]slog.Attr) slog.Handler        { return l }
func (l *countingLog) WithGroup(string) slog.Handler             { return l }

// timeOf is the moment of a number of milliseconds.
func timeOf(ms int64) time.Time { return time.UnixMilli(ms) }
