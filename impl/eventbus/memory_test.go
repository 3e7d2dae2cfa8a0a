package eventbus_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

var virtualDay = flag.Bool("virtual-day", false, "run a day of ten million events instead of a few minutes of it")

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Subscribers come and go, resume, stall and are evicted for a day of the clock. Memory does not depend on how long.
func TestVirtualDay(t *testing.T) { // EVENTBUS-CONCURRENCY-003
	events := 200_000
	if *virtualDay {
		events = 10_000_000
	}
	const day = 24 * time.Hour
	now := time.UnixMilli(stamp)
	b := newBus(t, eventbus.Config{Dialect: eventbus.Later, RingSize: 1000, Now: func() time.Time { return now }})
	r := rand.New(rand.NewPCG(1, 2))
	in := eventbus.Input{Type: "session_update", Data: raw(t, `"`+strings.Repeat("x", 150)+`"`)}
	type client struct {
		s      *eventbus.Subscription
		cursor int64
		stalls bool
	}
	clients := make([]client, 64)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	evictions, wrong := 0, 0
	drain := func(c *client) {
		for e, ok := c.s.TryNext(); ok; e, ok = c.s.TryNext() {
			switch {
			case e.Type == "client_evicted":
				evictions++
			case e.Synthetic():
			case c.cursor > 0 && e.ID <= c.cursor:
				wrong++
			default:
				c.cursor = e.ID
			}
		}
	}
	var early int64
	step := day / time.Duration(events)
	for n := range events {
		now = now.Add(step)
		b.Publish(in)
		c := &clients[r.IntN(len(clients))]
		switch {
		case c.s == nil || c.s.Ended():
			o := eventbus.Options{MaxQueued: 16 + r.IntN(100)}
			if c.cursor > 0 {
				o.After = eventbus.After(c.cursor)
			}
			s, err := b.Subscribe(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			c.s, c.stalls = s, r.IntN(3) == 0
		case r.IntN(200) == 0:
			c.s.Abort()
		case r.IntN(200) == 0:
			c.s.Close()
		case !c.stalls || r.IntN(20) == 0:
			drain(c)
		}
		if n == events/4 {
			early = heap()
		}
	}
	if got := b.LastEventID(); got != int64(events) {
		t.Errorf("last id %d, want %d", got, events)
	}
	if wrong > 0 || evictions == 0 {
		t.Errorf("%d events came twice or out of order; %d evictions", wrong, evictions)
	}
	late := heap()
	t.Logf("%d events, %d evictions, heap %d KiB early and %d KiB late", events, evictions, early>>10, late>>10)
	if late > early+early/4+(256<<10) {
		t.Errorf("the heap grew from %d to %d octets", early, late)
	}
	runtime.KeepAlive(clients)
}

// What leaves the ring leaves memory, even while subscribers that will never come back hold on to older and newer events.
func TestEvictedEventsAreReleased(t *testing.T) {
	const size, chunk = 1000, 64
	b := newBus(t, eventbus.Config{RingSize: size})
	gone := subscribe(t, b, eventbus.Options{MaxQueued: 3})
	stalled := subscribe(t, b, eventbus.Options{MaxQueued: 1 << 20})
	idle := subscribe(t, b, eventbus.Options{})
	var events []weak.Pointer[eventbus.Event]
	note := func(n int) {
		for range n {
			e, _ := b.Publish(eventbus.Input{Type: "x"})
			events = append(events, weak.Make(e))
			idle.TryNext()
		}
	}
	alive := func() int { return countAlive(events) }
	note(5 * size)
	if got := alive(); got != 5*size {
		t.Errorf("%d events are left of those that a subscriber has still to get, want %d", got, 5*size)
	}
	stalled.Abort()
	if got := alive(); got < size || got > size+3*chunk {
		t.Errorf("%d events are left, want the ring of %d and what a chunk of an evicted subscriber holds", got, size)
	}
	same(t, "evicted", types(t, gone), "1 2 3 slow_client_warning client_evicted done")
	if got := alive(); got > size+chunk {
		t.Errorf("%d events are left, want the ring of %d", got, size)
	}
	a := ask(t, idle)
	note(1)
	b.Close()
	if got := alive(); got > 1 {
		t.Errorf("%d events are left after Close", got)
	}
	runtime.KeepAlive([]any{b, gone, stalled, idle, a.wait(t)})
}

// What only a backlog keeps goes as it is drained, without a further publication.
func TestDrainedEventsAreReleased(t *testing.T) {
	b := newBus(t, eventbus.Config{RingSize: 10})
	s := subscribe(t, b, eventbus.Options{MaxQueued: 2000})
	var events []weak.Pointer[eventbus.Event]
	for range 1000 {
		e, _ := b.Publish(eventbus.Input{Type: "x"})
		events = append(events, weak.Make(e))
	}
	take(t, s, 900)
	runtime.GC()
	runtime.GC()
	for i, e := range events {
		if alive := e.Value() != nil; alive != (i >= 899) {
			t.Fatalf("event %d is there: %v", i+1, alive)
		}
	}
	runtime.KeepAlive([]any{b, s})
}

// A small ring that nobody reads keeps the events that it replays, and not one more.
func TestSmallRingsKeepNoMore(t *testing.T) { // EVENTBUS-RING-002
	for _, size := range []int{1, 2, 8} {
		b := newBus(t, eventbus.Config{RingSize: size})
		var events []weak.Pointer[eventbus.Event]
		for range 50 {
			e, _ := b.Publish(eventbus.Input{Type: "x"})
			events = append(events, weak.Make(e))
		}
		same(t, fmt.Sprintf("events left of a ring of %d", size), countAlive(events), size)
		runtime.KeepAlive(b)
	}
}

// A consumer that has waited, and gave it up, does not hold on to what it took before.
func TestIdleConsumersKeepNothing(t *testing.T) {
	b := newBus(t, eventbus.Config{RingSize: 1})
	s := subscribe(t, b, eventbus.Options{})
	e, _ := b.Publish(eventbus.Input{Type: "x"})
	taken := []weak.Pointer[eventbus.Event]{weak.Make(e)}
	same(t, "taken", take(t, s, 1), "1")
	ctx, cancel := context.WithCancel(t.Context())
	a := askIn(t, ctx, s)
	cancel()
	a.wait(t)
	publish(t, b, 2)
	same(t, "events left", countAlive(taken), 0)
	runtime.KeepAlive([]any{b, s})
}

// A consumer that got its events handed over does not hold on to the run of events that it once read from.
func TestServedConsumersKeepNothing(t *testing.T) { // EVENTBUS-QUEUE-003
	const run = 8
	b := newBus(t, eventbus.Config{RingSize: run})
	b.SetRun(run)
	s := subscribe(t, b, eventbus.Options{})
	var events []weak.Pointer[eventbus.Event]
	note := func(n int) {
		for range n {
			e, _ := b.Publish(eventbus.Input{Type: "x"})
			events = append(events, weak.Make(e))
		}
	}
	note(1)
	same(t, "taken", take(t, s, 1), "1")
	var all sync.WaitGroup
	for range run {
		all.Go(func() { _, _ = s.Next(context.Background()) })
	}
	for s.Parked() < run {
		runtime.Gosched()
	}
	note(run)
	all.Wait()
	note(3 * run)
	same(t, "events left of the first run", countAlive(events[:run]), 0)
	runtime.KeepAlive([]any{b, s})
}

func countAlive(events []weak.Pointer[eventbus.Event]) (n int) {
	runtime.GC()
	runtime.GC()
	for _, e := range events {
		if e.Value() != nil {
			n++
		}
	}
	return n
}

// A ring that may hold a million events costs what it holds.
func TestRingGrowsWithWhatIsStored(t *testing.T) {
	before := heap()
	buses := make([]*eventbus.Bus, 100)
	for i := range buses {
		buses[i] = newBus(t, eventbus.Config{RingSize: eventbus.MaxRingSize})
		publish(t, buses[i], 10)
	}
	if each := (heap() - before) / int64(len(buses)); each > 8<<10 {
		t.Errorf("a bus of 10 events costs %d octets", each)
	}
	runtime.KeepAlive(buses)
}

// Events that are published together lie together.
func TestPublishAllAllocates(t *testing.T) {
	const many = 16
	b := newBus(t, eventbus.Config{RingSize: 64})
	in := make([]eventbus.Input, many)
	b.PublishAll(in)
	if got := testing.AllocsPerRun(100, func() { b.PublishAll(in) }); got > many/2 {
		t.Errorf("%v allocations for %d events", got, many)
	}
}

func TestPublishAllocates(t *testing.T) {
	b := newBus(t, eventbus.Config{RingSize: 512})
	var subs []*eventbus.Subscription
	for range 8 {
		subs = append(subs, subscribe(t, b, eventbus.Options{}))
	}
	in := eventbus.Input{Type: "session_update", Data: raw(t, `{"a":1}`)}
	for range 2000 {
		b.Publish(in)
		for _, s := range subs {
			s.TryNext()
		}
	}
	got := testing.AllocsPerRun(2000, func() {
		b.Publish(in)
		for _, s := range subs {
			s.TryNext()
		}
	})
	if got > 1 {
		t.Errorf("%v allocations a publication", got)
	}
}
