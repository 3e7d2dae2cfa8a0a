package eventbus_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// Publishers never stop for subscribers that resume, read a while and leave; no subscriber sees a hole or an event twice.
func TestResumeWhilePublishing(t *testing.T) { // EVENTBUS-CONCURRENCY-002 EVENTBUS-REPLAY-008
	b := newBus(t, eventbus.Config{RingSize: 1 << 16})
	const publishers, each, readers = 3, 4000, 6
	var publishing, reading sync.WaitGroup
	for i := range publishers {
		publishing.Go(func() {
			for n := range each {
				if i == 0 && n%50 == 0 {
					b.PublishAll(make([]eventbus.Input, 20))
				} else {
					b.Publish(eventbus.Input{Type: "x"})
				}
			}
		})
	}
	var total atomic.Int64
	for range readers {
		reading.Go(func() {
			cursor := int64(0)
			for {
				ctx, cancel := context.WithCancel(context.Background())
				s, err := b.Subscribe(ctx, eventbus.Options{After: eventbus.After(cursor), MaxQueued: 1 << 20})
				if err != nil {
					t.Error(err)
				}
				ended := s.Ended()
				for n := 0; n < 700; n++ {
					e, err := s.Next(context.Background())
					if errors.Is(err, eventbus.ErrEnded) {
						break
					}
					if !e.Synthetic() {
						if e.ID != cursor+1 {
							t.Errorf("id %d behind %d", e.ID, cursor)
						}
						cursor = e.ID
					}
				}
				switch cursor % 3 {
				case 0:
					s.Abort()
				case 1:
					s.Close()
				}
				cancel()
				if ended {
					total.Add(cursor)
					return
				}
			}
		})
	}
	publishing.Wait()
	last := b.LastEventID()
	// Readers that are up to date wait, so what they have is all there is once the bus is closed.
	b.Close()
	reading.Wait()
	same(t, "last id", last, int64(publishers*each+each/50*19))
	if total.Load() > last*readers || total.Load() == 0 {
		t.Errorf("readers got %d events of %d each", total.Load(), last)
	}
}

// Several goroutines take from one subscription: each frame goes to one of them.
func TestSharedSubscription(t *testing.T) { // EVENTBUS-CONCURRENCY-001
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{MaxQueued: 1 << 20})
	const events = 5000
	var all sync.WaitGroup
	var seen [events + 1]atomic.Int32
	for i := range 4 {
		all.Go(func() {
			room := make([]*eventbus.Event, 7)
			for {
				n := 0
				if i == 0 {
					n = s.Take(room)
				}
				if n == 0 {
					e, err := s.Next(context.Background())
					if err != nil {
						return
					}
					room[0], n = e, 1
				}
				for _, e := range room[:n] {
					seen[e.ID].Add(1)
				}
			}
		})
	}
	for range events {
		b.Publish(eventbus.Input{Type: "x"})
	}
	b.Close()
	all.Wait()
	for id := 1; id <= events; id++ {
		if got := seen[id].Load(); got != 1 {
			t.Fatalf("event %d was taken %d times", id, got)
		}
	}
}

// A subscriber that never reads holds nobody up.
func TestStalledSubscriber(t *testing.T) { // EVENTBUS-CONCURRENCY-003
	b := newBus(t, eventbus.Config{})
	stalled, active := subscribe(t, b, eventbus.Options{}), subscribe(t, b, eventbus.Options{})
	for id := int64(1); id <= 10000; id++ {
		b.Publish(eventbus.Input{Type: "x"})
		e, ok := active.TryNext()
		if !ok || e.ID != id {
			t.Fatalf("got %v, want id %d", e, id)
		}
	}
	same(t, "subscribers", b.SubscriberCount(), 1)
	frames := stalled.Take(make([]*eventbus.Event, 1000))
	same(t, "frames of the stalled one", frames, 256+2)
}
