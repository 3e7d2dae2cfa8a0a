package eventbus_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

var histories = flag.Int("histories", 300, "how many concurrent histories of each kind are checked for an order")

const (
	historyRing  = 4
	historyLimit = 3
	historySubs  = 8

	historyClients = 2
	historyCalls   = 14
)

// history runs a few goroutines on one bus and notes what they did.
type history struct {
	bus      *eventbus.Bus
	blocking bool // Next instead of TryNext, and caps that are never reached
	subs     [historySubs]atomic.Pointer[eventbus.Subscription]
	ready    atomic.Int32
	clock    atomic.Int64
	clients  []*client
}

// client is one of the goroutines. What it will do is settled beforehand, so that it loses no time between the calls.
type client struct {
	*history
	id     int
	plan   []call
	pauses []int           // before each call, in turns of a loop
	waits  []time.Duration // of each next
	ops    []porcupine.Operation
}

func newHistory(blocking bool, seed uint64) *history {
	bus, err := eventbus.New(eventbus.Config{RingSize: historyRing, MaxSubscribers: historyLimit})
	if err != nil {
		panic(err)
	}
	h := &history{bus: bus, blocking: blocking}
	r := rand.New(rand.NewPCG(seed, 0))
	// Takes that need no lock happen inside a run.
	bus.SetRun([]int{1, 3, 32}[r.IntN(3)])
	subs := 0
	for id := range historyClients {
		c := &client{history: h, id: id, ops: make([]porcupine.Operation, 0, historyCalls)}
		for range historyCalls {
			c.plan = append(c.plan, h.draw(r, &subs))
			c.pauses = append(c.pauses, r.IntN(20))
			c.waits = append(c.waits, time.Duration(r.IntN(50))*time.Microsecond)
		}
		h.clients = append(h.clients, c)
	}
	return h
}

// draw draws a call.
func (h *history) draw(r *rand.Rand, subs *int) call {
	sub := r.IntN(*subs + 1)
	if r.IntN(2) == 0 {
		sub = 0
	}
	if *subs == 0 {
		*subs = 1
		return call{op: "subscribe", sub: 0, cursor: -1, cap: h.capacity(r)}
	}
	switch k := r.IntN(24); {
	case k < 8:
		return call{op: "publish"}
	case k < 12 && *subs < historySubs:
		*subs++
		return call{op: "subscribe", sub: *subs - 1, cursor: int64(r.IntN(8)) - 2, cap: h.capacity(r)}
	case k < 20:
		if h.blocking {
			return call{op: "next", sub: sub}
		}
		return call{op: "try", sub: sub}
	case k < 21:
		return call{op: "abort", sub: sub}
	case k < 22:
		return call{op: "return", sub: sub}
	case k < 23:
		return call{op: []string{"count", "last"}[r.IntN(2)]}
	case r.IntN(4) == 0:
		return call{op: "close"}
	}
	return call{op: "publish"}
}

// capacity draws a cap. A parked call takes what it was handed without its being counted, which an order of calls cannot
// tell, so then it is one that is never reached.
func (h *history) capacity(r *rand.Rand) int {
	if h.blocking {
		return eventbus.DefaultMaxQueued
	}
	return 1 + r.IntN(4)
}

func (c *client) run() {
	c.ready.Add(1)
	// Busy, so that all begin at the same moment.
	for spins := 1; int(c.ready.Load()) < len(c.clients); spins++ {
		if spins%4096 == 0 {
			runtime.Gosched()
		}
	}
	for i, what := range c.plan {
		for range c.pauses[i] {
			c.ready.Load()
		}
		if what.op != "subscribe" && what.cap == 0 && c.missing(what) {
			continue
		}
		op := porcupine.Operation{ClientId: c.id, Input: what, Call: c.clock.Add(1)}
		r, err := c.make(what, c.waits[i])
		op.Return, op.Output = c.clock.Add(1), r
		// A call that fails with the error of its context did nothing.
		if err == nil {
			c.ops = append(c.ops, op)
		}
	}
}

// missing says that the subscription that the call is about is not there.
func (c *client) missing(what call) bool {
	switch what.op {
	case "try", "next", "abort", "return":
		return what.sub >= historySubs || c.subs[what.sub].Load() == nil
	}
	return false
}

// make makes the call.
func (c *client) make(what call, wait time.Duration) (reply, error) {
	switch what.op {
	case "publish":
		if e, ok := c.bus.Publish(eventbus.Input{Type: "t"}); ok {
			return reply{n: e.ID}, nil
		}
	case "subscribe":
		o := eventbus.Options{MaxQueued: what.cap}
		if what.cursor >= 0 {
			o.After = eventbus.After(what.cursor)
		}
		s, err := c.bus.Subscribe(context.Background(), o)
		var limit *eventbus.SubscriberLimitError
		if errors.As(err, &limit) {
			return reply{frame: "limit"}, nil
		}
		c.subs[what.sub].Store(s)
		return reply{}, err
	case "try":
		if e, ok := c.subs[what.sub].Load().TryNext(); ok {
			return reply{frame: told(e)}, nil
		}
	case "next":
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		e, err := c.subs[what.sub].Load().Next(ctx)
		switch {
		case errors.Is(err, eventbus.ErrEnded):
			return reply{frame: "end"}, nil
		case err != nil:
			return reply{}, err
		}
		return reply{frame: told(e)}, nil
	case "abort":
		c.subs[what.sub].Load().Abort()
	case "return":
		c.subs[what.sub].Load().Close()
	case "close":
		c.bus.Close()
	case "count":
		return reply{n: int64(c.bus.SubscriberCount())}, nil
	case "last":
		return reply{n: c.bus.LastEventID()}, nil
	}
	return reply{}, nil
}

// told returns a frame as the specification spells it.
func told(e *eventbus.Event) string {
	if !e.Synthetic() {
		return fmt.Sprint(e.ID)
	}
	data, err := e.Data()
	if err != nil {
		panic(err)
	}
	text := data.String()
	if i := strings.Index(text, `,"maxQueued":`); i >= 0 && e.Type == "client_evicted" {
		return e.Type + " " + text[:i] + "}"
	}
	return e.Type + " " + text
}

// TestOrder runs concurrent histories and asks for each whether the calls have an order, within their times, in which one
// caller after the other would have got the same. With -histories n, n of each kind.
//
// EVENTBUS-CONCURRENCY-002 EVENTBUS-SUBSCRIBE-001 EVENTBUS-SUBSCRIBE-007 EVENTBUS-PUBLISH-006 EVENTBUS-REPLAY-008
// EVENTBUS-EVICT-001 EVENTBUS-ABORT-002 EVENTBUS-CLOSE-002 EVENTBUS-LIMIT-001
func TestOrder(t *testing.T) {
	for _, blocking := range []bool{false, true} {
		t.Run(map[bool]string{false: "taking", true: "waiting"}[blocking], func(t *testing.T) {
			overlaps := 0
			// Whether calls overlap is up to who schedules the clients: where too few do, more histories are played.
			for done := 0; done < *histories || interleaved && overlaps < *histories && done < 20**histories; {
				batch := make([]*history, min(100, *histories))
				for i := range batch {
					batch[i] = newHistory(blocking, rand.Uint64())
				}
				runAll(batch)
				for _, h := range batch {
					overlaps += h.check(t)
				}
				done += len(batch)
			}
			t.Logf("%d pairs of calls overlapped", overlaps)
			if interleaved && overlaps < *histories {
				t.Error("too few calls overlapped: the histories prove nothing")
			}
		})
	}
}

// runAll runs one history after the other, each by all its clients at a time.
func runAll(batch []*history) {
	var all sync.WaitGroup
	for id := range historyClients {
		all.Go(func() {
			for _, h := range batch {
				h.clients[id].run()
			}
		})
	}
	all.Wait()
}

// check fails t if the history has no order, and returns how many calls overlapped.
func (h *history) check(t *testing.T) int {
	h.bus.Close()
	var ops []porcupine.Operation
	for _, c := range h.clients {
		ops = append(ops, c.ops...)
	}
	if got := porcupine.CheckOperationsTimeout(sequential(historyRing, historyLimit), ops, time.Minute); got != porcupine.Ok {
		t.Fatalf("a history of %d calls has no order: %v\n%s", len(ops), got, describe(ops))
	}
	return overlapping(ops)
}

// overlapping counts the pairs of calls of which neither was over when the other began.
func overlapping(ops []porcupine.Operation) (n int) {
	for i, o := range ops {
		for _, p := range ops[:i] {
			if o.Call < p.Return && p.Call < o.Return {
				n++
			}
		}
	}
	return n
}

func describe(ops []porcupine.Operation) string {
	var b strings.Builder
	for _, o := range ops {
		fmt.Fprintf(&b, "client %d %d..%d %+v -> %+v\n", o.ClientId, o.Call, o.Return, o.Input, o.Output)
	}
	return b.String()
}
