package engine

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

var schedules = flag.Int("schedules", 1000, "how many random schedules the properties try")

// manySchedules makes rapid try as many schedules as were asked for, unless it was asked itself.
func manySchedules(t *testing.T, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	was := checks.Value.String()
	if was != checks.DefValue {
		return
	}
	if err := checks.Value.Set(fmt.Sprint(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(was) })
}

// A run is one random schedule: what the two applications have queued, and in which order.
type run struct {
	*world
	r      *rand.Rand
	queued map[string][]string // ids by side and object
	order  map[string]int      // of an id in queued
	on     map[string]string   // where an id was queued
}

func newRun(t fataler, seed uint64) *run {
	x := &run{
		world: newWorld(t), r: rand.New(rand.NewPCG(seed, 3)),
		queued: map[string][]string{}, order: map[string]int{}, on: map[string]string{},
	}
	x.a.auto, x.b.auto = false, false
	x.a.reaction, x.b.reaction = func(Delivery) {}, func(Delivery) {}
	return x
}

func (x *run) either() *side {
	if x.r.IntN(2) == 0 {
		return x.a
	}
	return x.b
}

// settleDown commits what a side was told, or not: inputs that come before the next commit share it.
func (x *run) settleDown(s *side) {
	if x.r.IntN(3) > 0 {
		s.commit()
	}
}

func (x *run) enqueue(s *side) {
	obj := string(rune('x' + x.r.IntN(2)))
	kind := wire.Send
	if x.r.IntN(4) == 0 {
		kind = wire.Req
	}
	c, err := s.eng.Enqueue(x.now, Op{Kind: kind, Obj: obj, Body: []byte(fmt.Sprint(len(x.order)))})
	if err != nil {
		x.t.Fatalf("enqueue: %v", err)
	}
	at := s.name + obj
	x.queued[at] = append(x.queued[at], c.ID)
	x.order[c.ID], x.on[c.ID] = len(x.queued[at]), at
	x.settleDown(s)
}

// step does one random thing.
func (x *run) step(faults bool) {
	s := x.either()
	switch n := x.r.IntN(40); {
	case n < 8:
		x.enqueue(s)
	case n < 22:
		if len(s.wire) > 0 {
			s.deliver(0, false)
		}
	case n < 25:
		if len(s.held) > 0 {
			s.finish(s.held[x.r.IntN(len(s.held))])
		}
	case n < 27:
		x.advance(time.Duration(x.r.IntN(40_000))*time.Millisecond, false)
	case n < 29:
		if x.link == "" || x.r.IntN(4) == 0 {
			x.connect()
		}
	default:
		x.disturb(faults)
	}
}

// disturb does one thing that is not to be hoped for.
func (x *run) disturb(faults bool) {
	s := x.either()
	switch n := x.r.IntN(10); {
	case !faults:
		if x.link == "" {
			x.connect()
		}
	case n < 2 && len(s.wire) > 0:
		s.wire = slices.Delete(slices.Clone(s.wire), 0, 1)
	case n < 4 && len(s.wire) > 0:
		s.deliver(x.r.IntN(len(s.wire)), true)
	case n < 6 && len(s.wire) > 1:
		s.deliver(1+x.r.IntN(len(s.wire)-1), false)
	case n == 6:
		x.drop()
	case n == 7:
		s.commit()
		s.crash()
	case n == 8:
		s.store.failing = !s.store.failing
	case n == 9:
		s.crash()
	}
}

// fair lets everything come to an end: a stable network and stores that work.
func (x *run) fair() {
	for _, s := range []*side{x.a, x.b} {
		s.store.failing = false
		s.commit()
		for _, d := range slices.Clone(s.held) {
			s.finish(d)
		}
		s.reaction = nil
		s.auto = true
	}
	x.connect()
	for range 40 {
		x.pump()
		for _, s := range []*side{x.a, x.b} {
			for _, d := range slices.Clone(s.held) {
				s.finish(d)
			}
		}
		x.advance(10*time.Second, true)
		if x.link == "" {
			x.connect()
		}
	}
}

// live begins with two sessions that are live.
func (x *run) live() {
	x.a.auto, x.b.auto = true, true
	x.a.reaction, x.b.reaction = nil, nil
	x.connect()
	x.a.open("x")
	x.b.open("y")
	x.pump()
	x.a.auto, x.b.auto = false, false
	x.a.reaction, x.b.reaction = func(Delivery) {}, func(Delivery) {}
	x.a.fetched, x.b.fetched = nil, nil
}

// SUBSTRATE-DEDUPE-001, SUBSTRATE-SEQ-003, SUBSTRATE-RECONNECT-001, SUBSTRATE-OBSERVE-011: whatever the network, the processes and the
// stores do, each op is handed over once, in order, and each row leaves once.
func TestPropertyExactlyOnceInOrder(t *testing.T) {
	manySchedules(t, *schedules)
	rapid.Check(t, func(rt *rapid.T) {
		x := newRun(rt, rapid.Uint64().Draw(rt, "seed"))
		x.live()
		for range rapid.IntRange(1, 120).Draw(rt, "steps") {
			x.step(true)
		}
		x.fair()
		x.check(true)
	})
}

// check judges the whole of a run.
func (x *run) check(all bool) {
	for _, s := range []*side{x.a, x.b} {
		for name, o := range s.eng.objects {
			if len(o.rows) > 0 {
				x.t.Fatalf("%s: %d rows of %s are left: %s %s\n%s", s.name, len(o.rows), name, o.rows[0].Kind, o.rows[0].ID, x.dump())
			}
		}
		failed := map[string]bool{}
		for id, c := range s.settled {
			failed[id] = c.Err != nil
		}
		x.checkHandovers(s.peer)
		if len(s.eng.calls) > 0 {
			x.t.Fatalf("%s: %d calls are not settled\n%s", s.name, len(s.eng.calls), x.dump())
		}
		if !all {
			continue
		}
		seen := map[string]bool{}
		for _, d := range s.peer.fetched {
			seen[d.ID] = true
		}
		for at, ids := range x.queued {
			if at[:1] != s.name {
				continue
			}
			for _, id := range ids {
				if !seen[id] && !failed[id] && !x.lostBeforeCommit(s, id) {
					x.t.Fatalf("%s: %s was never handed over\n%s", s.name, id, x.dump())
				}
			}
		}
		if n := s.count(observe.EventFutile); n > 0 {
			x.t.Fatalf("%s: %d ops were futile\n%s", s.name, n, x.dump())
		}
	}
}

// lostBeforeCommit reports whether a call died with its process before it was written: it was never enqueued.
func (x *run) lostBeforeCommit(s *side, id string) bool {
	for _, f := range s.sent {
		if f.ID == id {
			return false
		}
	}
	return true
}

// checkHandovers checks that a side was handed each op once, but for the crashes while it was at work on it, and in order.
func (x *run) checkHandovers(s *side) {
	times := map[string]int{}
	last := map[string]int{}
	for _, d := range s.fetched {
		n, known := x.order[d.ID]
		if !known {
			continue
		}
		times[d.ID]++
		if times[d.ID] == 1 {
			at := x.on[d.ID]
			if n < last[at] {
				x.t.Fatalf("%s: %s was handed over after a later one\n%s", s.name, d.ID, x.dump())
			}
			last[at] = n
		}
		if times[d.ID] > 1+s.windows[d.ID] {
			x.t.Fatalf("%s: %s was handed over %d times with %d crashes\n%s", s.name, d.ID, times[d.ID], s.windows[d.ID], x.dump())
		}
	}
}
