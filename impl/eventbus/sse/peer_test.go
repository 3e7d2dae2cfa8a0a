package sse_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
	"github.com/seed-6f28358b/assay/impl/pipenet"
)

// A site is a server over pipes, and a client of it.
type site struct {
	t     testing.TB
	pipes *pipenet.Network
	http  *http.Client
}

// serve runs a handler until stop is called; a test in a bubble has to call it before it ends.
func serve(t testing.TB, h http.Handler) (s *site, stop func()) {
	p := pipenet.New()
	server := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	done := make(chan error, 1)
	go func() { done <- server.Serve(p) }()
	transport := &http.Transport{DialContext: p.Dial, DisableCompression: true}
	s = &site{t: t, pipes: p, http: &http.Client{Transport: transport}}
	return s, func() {
		transport.CloseIdleConnections()
		_ = server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serve: %v", err)
		}
	}
}

// get opens a stream; headers are names and values in turn.
func (s *site) get(ctx context.Context, query string, headers ...string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://bus/"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header[http.CanonicalHeaderKey(headers[i])] = append(r.Header.Values(headers[i]), headers[i+1])
	}
	answer, err := s.http.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// rest reads a body to its end, which must be a clean one.
func rest(t testing.TB, answer *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("the body does not end cleanly: %v", err)
	}
	return string(body)
}

func newBus(t testing.TB, cfg eventbus.Config) *eventbus.Bus {
	t.Helper()
	bus, err := eventbus.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return bus
}

func newHandler(t testing.TB, bus *eventbus.Bus, cfg sse.Config) *sse.Handler {
	t.Helper()
	h, err := sse.NewHandler(bus, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func payload(t testing.TB, v any) eventbus.Payload {
	t.Helper()
	p, err := eventbus.Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// publish publishes n events of type "t" with data {"n":k}.
func publish(t testing.TB, bus *eventbus.Bus, n int) {
	t.Helper()
	for range n {
		if _, ok := bus.Publish(eventbus.Input{Type: "t", Data: payload(t, map[string]int64{"n": bus.LastEventID() + 1})}); !ok {
			t.Fatal("the bus refused an event")
		}
	}
}

// A wire is one frame as a reader sees it, with what its JSON says.
type wire struct {
	id, kind string
	json     map[string]any
}

// frames cuts a body, which must be of the layout of frames to the octet, into them. Comments are dropped.
func frames(t testing.TB, body string) []wire {
	t.Helper()
	// EVENTBUS-SSE-003
	body, ok := strings.CutPrefix(body, "retry: 3000\n\n")
	if !ok {
		t.Fatalf("the body begins with %.40q", body)
	}
	var all []wire
	for block := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		if block == "" || strings.HasPrefix(block, ": ") {
			continue
		}
		var w wire
		// EVENTBUS-SSE-001: an id line or none, an event line, one data line.
		lines := strings.Split(block, "\n")
		if id, ok := strings.CutPrefix(lines[0], "id: "); ok {
			w.id, lines = id, lines[1:]
		}
		if len(lines) != 2 {
			t.Fatalf("a frame of %d lines: %q", len(lines), block)
		}
		kind, ok := strings.CutPrefix(lines[0], "event: ")
		data, ok2 := strings.CutPrefix(lines[1], "data: ")
		if !ok || !ok2 || strings.Contains(block, "\r") {
			t.Fatalf("a frame with other lines: %q", block)
		}
		w.kind = kind
		if err := json.Unmarshal([]byte(data), &w.json); err != nil {
			t.Fatalf("data of %q: %v", block, err)
		}
		all = append(all, w)
	}
	return all
}

// kinds names the frames by id, or by type if they have none.
func kinds(all []wire) string {
	var names []string
	for _, w := range all {
		if w.id != "" {
			names = append(names, w.id)
			continue
		}
		names = append(names, w.kind)
	}
	return strings.Join(names, " ")
}

// log counts the lines of a logger.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) lines() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), "\n")
}

func (l *logged) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level}))
}

var dialects = []eventbus.Dialect{eventbus.Seed, eventbus.Later}
