package eventbus_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

func TestAbort(t *testing.T) { // EVENTBUS-ABORT-001 EVENTBUS-ABORT-002 EVENTBUS-QUEUE-011
	b := newBus(t, eventbus.Config{})
	publish(t, b, 2)
	s := subscribe(t, b, eventbus.Options{After: eventbus.After(0), MaxQueued: 1})
	publish(t, b, 1)
	s.Abort()
	same(t, "count", b.SubscriberCount(), 0)
	publish(t, b, 5)
	same(t, "frames", drain(t, s), "done")
	same(t, "taken", s.Take(make([]*eventbus.Event, 3)), 0)
	s = subscribe(t, b, eventbus.Options{})
	a := ask(t, s)
	s.Abort()
	a.wait(t)
	same(t, "parked", a.err, eventbus.ErrEnded)
}

func TestAbortSignal(t *testing.T) { // EVENTBUS-ABORT-001 EVENTBUS-ABORT-003 EVENTBUS-EVICT-006 EVENTBUS-CLOSE-005
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, eventbus.Config{})
		publish(t, b, 2)
		ctx, cancel := context.WithCancel(context.Background())
		s, err := b.Subscribe(ctx, eventbus.Options{After: eventbus.After(0)})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		synctest.Wait()
		same(t, "count", b.SubscriberCount(), 0)
		same(t, "frames", drain(t, s), "done")
		s, err = b.Subscribe(ctx, eventbus.Options{After: eventbus.After(0)})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "aborted before", fmt.Sprint(drain(t, s), b.SubscriberCount()), "done0")
	})
}

// watched counts who listens to a context.
type watched struct {
	context.Context // has no end
	done            chan struct{}
	err             error
	listeners       int
	fire            []func()
}

func (w *watched) Done() <-chan struct{} { return w.done }

func (w *watched) Err() error { return w.err }

func (w *watched) AfterFunc(f func()) func() bool {
	w.listeners++
	w.fire = append(w.fire, f)
	return func() bool { w.listeners--; return true }
}

func TestListeners(t *testing.T) { // EVENTBUS-EVICT-006 EVENTBUS-CLOSE-005 EVENTBUS-ABORT-004
	for name, end := range map[string]func(*eventbus.Bus, *eventbus.Subscription){
		"evict": func(b *eventbus.Bus, _ *eventbus.Subscription) { publish(t, b, 1) },
		"close": func(b *eventbus.Bus, _ *eventbus.Subscription) { b.Close() },
		"leave": func(_ *eventbus.Bus, s *eventbus.Subscription) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			w := &watched{Context: context.Background(), done: make(chan struct{})}
			b := newBus(t, eventbus.Config{})
			s, err := b.Subscribe(w, eventbus.Options{MaxQueued: 3})
			if err != nil {
				t.Fatal(err)
			}
			publish(t, b, 3)
			same(t, "listeners", w.listeners, 1)
			end(b, s)
			same(t, "listeners", w.listeners, 0)
			// The signal came too late to be taken off.
			w.err = context.Canceled
			synctest.Test(t, func(*testing.T) { w.fire[0]() })
			want := "1 2 3 slow_client_warning done"
			if name == "evict" {
				want = "1 2 3 slow_client_warning client_evicted done"
			}
			same(t, "frames", types(t, s), want)
		})
	}
}

// hasty is a context that ends while somebody begins to listen.
type hasty struct{ *watched }

func (h hasty) AfterFunc(f func()) func() bool {
	h.err = context.Canceled
	go f()
	return func() bool { return false }
}

func TestSignalDuringSubscribe(t *testing.T) { // EVENTBUS-ABORT-003
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, eventbus.Config{})
		publish(t, b, 1)
		s, err := b.Subscribe(hasty{&watched{Context: context.Background(), done: make(chan struct{})}}, eventbus.Options{After: eventbus.After(0)})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		same(t, "frames", fmt.Sprint(drain(t, s), b.SubscriberCount()), "done0")
	})
}

func TestEveryOrderOfEnds(t *testing.T) { // EVENTBUS-ABORT-004 EVENTBUS-SUBSCRIBE-007 EVENTBUS-CLOSE-002
	ends := map[string]func(*eventbus.Bus, *eventbus.Subscription){
		"abort":  func(_ *eventbus.Bus, s *eventbus.Subscription) { s.Abort() },
		"return": func(_ *eventbus.Bus, s *eventbus.Subscription) { s.Close() },
		"evict":  func(b *eventbus.Bus, _ *eventbus.Subscription) { b.PublishAll(make([]eventbus.Input, 2)) },
		"close":  func(b *eventbus.Bus, _ *eventbus.Subscription) { b.Close() },
	}
	for first, f := range ends {
		for second, g := range ends {
			b := newBus(t, eventbus.Config{})
			s, other := subscribe(t, b, eventbus.Options{MaxQueued: 1}), subscribe(t, b, eventbus.Options{})
			f(b, s)
			g(b, s)
			g(b, s)
			want := 1
			if first == "close" || second == "close" {
				want = 0
			}
			same(t, first+" "+second, b.SubscriberCount(), want)
			other.Abort()
			same(t, first+" "+second, b.SubscriberCount(), 0)
		}
	}
}

func TestReturn(t *testing.T) { // EVENTBUS-ABORT-005 EVENTBUS-ABORT-006
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{MaxQueued: 4})
	publish(t, b, 3)
	for e := range s.All(t.Context()) {
		same(t, "first", e.ID, 1)
		break
	}
	same(t, "count", b.SubscriberCount(), 0)
	publish(t, b, 9)
	same(t, "kept", types(t, s), "2 3 slow_client_warning done")
}

func TestAll(t *testing.T) {
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{})
	publish(t, b, 3)
	b.Close()
	var ids []int64
	for e := range s.All(t.Context()) {
		ids = append(ids, e.ID)
	}
	if !slices.Equal(ids, []int64{1, 2, 3}) {
		t.Errorf("ids %v", ids)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b = newBus(t, eventbus.Config{})
	for range subscribe(t, b, eventbus.Options{}).All(ctx) {
		t.Error("an event")
	}
	same(t, "count", b.SubscriberCount(), 0)
}

func TestClose(t *testing.T) { // EVENTBUS-CLOSE-001 EVENTBUS-CLOSE-002 EVENTBUS-CLOSE-003
	b := newBus(t, eventbus.Config{MaxSubscribers: 2})
	s, idle := subscribe(t, b, eventbus.Options{}), subscribe(t, b, eventbus.Options{})
	publish(t, b, 3)
	drain(t, idle)
	a := ask(t, idle)
	b.Close()
	b.Close()
	same(t, "count", b.SubscriberCount(), 0)
	state := b.Snapshot()
	same(t, "ring", fmt.Sprint(state.Closed, state.LastEventID, state.RingLen, state.RingFirst, state.RingLast), "true 3 0 0 0")
	a.wait(t)
	same(t, "parked", a.err, eventbus.ErrEnded)
	s.Abort()
	same(t, "frames", drain(t, s), "1 2 3 done")
	late := subscribe(t, b, eventbus.Options{After: eventbus.After(0)})
	same(t, "late", drain(t, late), "done")
	if _, err := late.Next(t.Context()); !errors.Is(err, eventbus.ErrEnded) {
		t.Errorf("Next failed with %v", err)
	}
	late.Abort()
	late.Close()
}

func TestNextEnds(t *testing.T) {
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	first, second := askIn(t, ctx, s), ask(t, s)
	cancel()
	first.wait(t)
	same(t, "cancelled", first.err, context.Canceled)
	publish(t, b, 2)
	same(t, "second", second.wait(t).ID, 1)
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next failed with %v", err)
	}
	same(t, "rest", drain(t, s), "2")
}

// Whatever the moment at which a Next is cancelled, each event is got once and in order.
func TestCancelledNextLosesNothing(t *testing.T) {
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{})
	var ids []int64
	for id := int64(1); id <= 500; id++ {
		ctx, cancel := context.WithCancel(t.Context())
		a := askIn(t, ctx, s)
		go cancel()
		publish(t, b, 1)
		if e := a.wait(t); e != nil {
			ids = append(ids, e.ID)
		}
		for e, ok := s.TryNext(); ok; e, ok = s.TryNext() {
			ids = append(ids, e.ID)
		}
		cancel()
	}
	for i, id := range ids {
		if id != int64(i)+1 {
			t.Fatalf("id %d at %d", id, i)
		}
	}
	same(t, "events", len(ids), 500)
}
