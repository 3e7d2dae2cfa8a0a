package databus

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// told gathers what a trace tells.
type told struct {
	mu     sync.Mutex
	events []TraceEvent
}

func (s *told) sink(e TraceEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
}

// names returns the names told since the last call, and metrics the metrics.
func (s *told) took() (names []string, metrics []Metrics) {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		names = append(names, e.Name)
		if e.Metrics != nil {
			metrics = append(metrics, *e.Metrics)
		}
	}
	s.events = nil
	return names, metrics
}

// DATABUS-TRACE-002: three windows, one of them empty, and one that the hidden page discards.
func TestMetrics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &told{}
		r := started(t, func(c *Config) { c.Trace = Trace{Enabled: true, Sink: s.sink} })
		if names, _ := s.took(); !slices.Equal(names, []string{"start", "status connecting", "status connected"}) {
			t.Errorf("told %v", names)
		}
		// Nineteen samples below 50 ms and one of 120 ms.
		slow := false
		if _, err := r.Subscribe("x", func(string, json.RawMessage) {
			if slow {
				time.Sleep(120 * time.Millisecond)
			}
		}); err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			slow = i == 7
			r.emits("x", "1")
		}
		r.emits("unknown", "1")
		pass(DefaultTraceInterval)
		_, metrics := s.took()
		want := []Metrics{{Received: 20, Dispatched: 20, Samples: 20, Average: 6, P50: 25, P95: 25, Max: 120}}
		if !slices.Equal(metrics, want) {
			t.Errorf("got %+v, want %+v", metrics, want)
		}
		pass(DefaultTraceInterval)
		if names, _ := s.took(); len(names) != 0 {
			t.Errorf("an empty window told %v", names)
		}
		slow = true
		r.emits("x", "1")
		pass(DefaultTraceInterval)
		if _, metrics := s.took(); len(metrics) != 1 || metrics[0].P50 != 125 || metrics[0].P95 != 125 || metrics[0].Samples != 1 {
			t.Errorf("got %+v", metrics)
		}
		r.emits("x", "1")
		r.PageHide()
		pass(DefaultTraceInterval)
		if names, metrics := s.took(); len(metrics) != 0 || !slices.Equal(names, []string{"status disconnected", "suspend"}) {
			t.Errorf("told %v %v", names, metrics)
		}
		r.end()
		if names, _ := s.took(); !slices.Equal(names, []string{"stop"}) {
			t.Errorf("told %v", names)
		}
	})
}

func TestPercentile(t *testing.T) {
	b := &Bus{cfg: Config{Trace: Trace{Enabled: true}}}
	b.trace.init(b)
	if b.trace.window.percentile(50) != 0 {
		t.Error("a percentile of nothing")
	}
	for _, ms := range []int64{-5, 49, 50, 99, 949, 950, 100_000} {
		b.trace.dispatched(ms)
	}
	for p, want := range map[int]int64{1: 25, 28: 25, 29: 75, 50: 75, 58: 925, 72: 975, 100: 975} {
		if got := b.trace.window.percentile(p); got != want {
			t.Errorf("P%d is %d, want %d", p, got, want)
		}
	}
	if b.trace.window.max != 100_000 {
		t.Errorf("the maximum is %d", b.trace.window.max)
	}
}

// DATABUS-TRACE-001: with and without a trace, and with a sink that panics, a bus does the same.
func TestTraceIsPassive(t *testing.T) {
	run := func(t *testing.T, trace Trace) (log string) {
		bubble(t, func(t *testing.T) {
			r := rigged(t, func(c *Config) { c.Trace = trace })
			r.sub("x")
			r.start()
			r.emits("x", "1")
			r.heard("x 1")
			r.Publish("x", json.RawMessage("2"))
			r.PageHide()
			r.PageShow()
			synctest.Wait()
			r.end()
			r.failed(0)
			log = r.fake.took()
		})
		return log
	}
	want := run(t, Trace{})
	s := &told{}
	if got := run(t, Trace{Enabled: true, Sink: s.sink}); got != want || len(s.events) == 0 {
		t.Errorf("got %s, want %s; told %v", got, want, s.events)
	}
	if got := run(t, Trace{Enabled: true, Sink: func(TraceEvent) { panic("no") }}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	off := &told{}
	if run(t, Trace{Sink: off.sink}); len(off.events) != 0 {
		t.Errorf("told %v", off.events)
	}
}
