package sseclient

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What a client hands out is collected once, in order, as soon as enough is there.
func TestCollect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSource(Connecting)
		start := time.Now()
		go func() {
			time.Sleep(time.Second)
			s.State(Open)
			s.Event(Event{Data: "1"})
			s.Event(Event{Type: "update", Data: "2", ID: "7"})
		}()
		got := s.Collect(t.Context(), 2, time.Minute)
		if len(got.Events) != 2 || got.Events[0].Type != "message" || got.Events[1].ID != "7" || got.State != Open || time.Since(start) != time.Second {
			t.Errorf("after %v: %+v", time.Since(start), got)
		}
		if got = s.Collect(t.Context(), 1, time.Second); len(got.Events) != 0 || time.Since(start) != 2*time.Second {
			t.Errorf("after %v: %+v", time.Since(start), got)
		}
	})
}

// A closed client is waited for no longer, be its state set or watched.
func TestCollectOfAClosedClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewSource(Open)
		closed := time.Now().Add(time.Second)
		s.Watch(func() string {
			if time.Now().Before(closed) {
				return Open
			}
			return Closed
		})
		s.Fail("lost")
		got := s.Collect(t.Context(), 1, time.Minute)
		if got.State != Closed || len(got.Errors) != 1 || time.Since(closed) > watchEvery {
			t.Errorf("%v late: %+v", time.Since(closed), got)
		}
	})
}

// A server cannot fill the adapter's memory.
func TestSourceIsBounded(t *testing.T) {
	s := NewSource(Open)
	big := strings.Repeat("x", 1<<20)
	for range 100 {
		s.Event(Event{Data: big})
	}
	got := s.Collect(t.Context(), 1, 0)
	if n := len(got.Events); n == 0 || n > maxOctets>>20 {
		t.Errorf("%d events of 1 MiB kept", n)
	}
	if len(got.Errors) != maxErrors {
		t.Errorf("%d errors kept, want %d", len(got.Errors), maxErrors)
	}
}
