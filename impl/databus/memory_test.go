package databus

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

func TestOriginStorage(t *testing.T) {
	o := &Origin{Quota: 10}
	for _, err := range []error{o.Set("a", "123"), o.Set("b", "123"), o.Set("a", "12345"), o.Remove("none")} {
		if err != nil {
			t.Error(err)
		}
	}
	var e *QuotaError
	if err := o.Set("b", "1234"); !errors.As(err, &e) || e.Found != 11 || !strings.Contains(err.Error(), "quota of 10") {
		t.Errorf("got %v", err)
	}
	if err := errors.Join(o.Set("b", "1"), o.Remove("a"), o.Set("c", "1")); err != nil {
		t.Error(err)
	}
	all, _ := o.Keys()
	value, ok, _ := o.Get("b")
	if !slices.Equal(all, []string{"b", "c"}) || value != "1" || !ok {
		t.Errorf("keys %v, b %q", all, value)
	}
	if _, ok, _ := o.Get("a"); ok {
		t.Error("a is still there")
	}
}

// Frames arrive in order at every other end that is open, and at no end of another channel.
func TestOriginChannel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		var got, other []string
		a, _ := o.open("n", func(signal.Frame) { t.Error("a frame came back") })
		b, _ := o.open("n", func(f signal.Frame) { got = append(got, f.Source()) })
		c, _ := o.open("m", func(f signal.Frame) { other = append(other, f.Source()) })
		for _, id := range []string{"1", "2", "3"} {
			if err := a.Post(signal.Registry{SourceWorkerID: id}); err != nil {
				t.Error(err)
			}
		}
		if err := a.Post(signal.Registry{}); err == nil {
			t.Error("a frame without a sender was sent")
		}
		synctest.Wait()
		b.Close()
		if err := a.Post(signal.Registry{SourceWorkerID: "4"}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if !slices.Equal(got, []string{"1", "2", "3"}) || len(other) != 0 {
			t.Errorf("got %v and %v", got, other)
		}
		a.Close()
		c.Close()
	})
}

func TestServer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &Server{}
		l := s.Line()
		r := rigged(t, func(c *Config) { c.Transport = l })
		if err := l.Publish("x", []byte("1")); err == nil {
			t.Error("a closed line publishes")
		}
		l.Subscribe("x")
		s.Refuse(errBroken)
		if err := r.Start(t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		s.Refuse(nil)
		r.sub("x")
		r.start()
		r.Publish("x", []byte("1"))
		r.heard("x 1")
		s.Break()
		synctest.Wait()
		if r.Status() != Failed || s.Subscribed("x") != 0 {
			t.Errorf("status %s", r.Status())
		}
		pass(RecoveryCooldown)
		if n := s.Emit("x", []byte("2")); n != 1 {
			t.Errorf("%d got it", n)
		}
		r.heard("x 2")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Line().Start(ctx, nil); err == nil {
			t.Error("a line opens for nobody")
		}
		r.end()
		if err := l.Publish("x", []byte("1")); err == nil {
			t.Error("a line that was closed publishes")
		}
	})
}

// A mailbox that is closed calls nothing more.
func TestMailboxCloses(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := &mailbox{}
		n := 0
		m.put(func() { n++; m.put(func() { n++ }) })
		synctest.Wait()
		m.close()
		m.put(func() { n++ })
		synctest.Wait()
		if n != 2 {
			t.Errorf("called %d times", n)
		}
	})
}

// The clock of the process: a timer that is stopped does not fire, and one that repeats goes on until then.
func TestWallClock(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var once, often atomic.Int64
		began := wallClock{}.Now()
		stopOnce := wallClock{}.After(10, func() { once.Add(1) })
		stopOften := wallClock{}.Every(10, func() { often.Add(1) })
		pass(35)
		stopOnce()
		stopOften()
		stopOften()
		pass(100)
		if once.Load() != 1 || often.Load() != 3 || (wallClock{}).Now()-began != 135 {
			t.Errorf("%d and %d times, %d ms", once.Load(), often.Load(), wallClock{}.Now()-began)
		}
	})
}
