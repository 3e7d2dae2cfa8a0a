package databustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// generationCases are about the counter of a route.
func generationCases() []conformance.Case {
	return []conformance.Case{
		one("generation/of-a-walk", "each owner that is written over another has the next generation, and no confirmation changes it",
			laws("DATABUS-GENERATION-001"), needs(Statuses), (*busT).generationsOfAWalk),
		one("generation/counts", "handoffs and takeovers count up from 1", laws("DATABUS-GENERATION-001"), nil, (*busT).generationCounts),
		one("generation/follows-what-is-read", "the next generation is that of the route that was read, whatever that is",
			laws("DATABUS-GENERATION-001"), needs(Forges), (*busT).generationFollows),
		one("generation/same-owner", "a topic that comes back to the same worker has moved all the same",
			laws("DATABUS-GENERATION-001"), needs(Forges), (*busT).sameOwner),
		one("generation/forgotten", "a route that was deleted begins at 1 again",
			laws("DATABUS-GENERATION-002"), nil, (*busT).generationForgotten),
		one("generation/collected", "also one that was collected", laws("DATABUS-GENERATION-002"), nil, (*busT).generationCollected),
		one("generation/not-unique", "two tabs that elect at once write one generation with two owners",
			laws("DATABUS-GENERATION-002"), needs(ManualFlush), (*busT).generationTwice),
		one("generation/stale-release", "a ROUTE_RELEASED of an older generation is ignored, and the right one is not",
			laws("DATABUS-GENERATION-003"), needs(Forges), func(t *busT) { t.staleRelease(1) }),
		one("generation/stale-release-of-many", "also of a topic that has moved often",
			laws("DATABUS-GENERATION-003"), needs(Forges), func(t *busT) { t.staleRelease(6) }),
		one("generation/delayed-release", "a ROUTE_RELEASED that was under way while the topic moved on is ignored",
			laws("DATABUS-GENERATION-003"), needs(Freezes), (*busT).delayedRelease),
	}
}

func (t *busT) generationsOfAWalk() {
	const law = "DATABUS-GENERATION-001"
	t.routes(300, func(w *walk, d *deed) {
		before, was := w.route(d.Key)
		var now routeRecord
		_ = readRecord(d.Value, &now)
		want, why := before.Generation+1, "a route that names another worker"
		switch {
		case !was:
			want, why = 1, "a first route"
		case before.ConfirmedAt == 0 && now.ConfirmedAt != 0 && before.UpdatedAt == now.UpdatedAt && before.WorkerID == now.WorkerID &&
			before.HandoffFrom == now.HandoffFrom:
			want, why = before.Generation, "a confirmation"
		}
		t.Equal(law, "the generation of "+why, fmt.Sprint(want, " over ", w.store[d.Key]), fmt.Sprint(now.Generation, " over ", w.store[d.Key]))
	})
}

// generation breaks a law unless the route of x is of this worker and generation.
func (o *origin) generation(law, when string, owner *tab, want int64) {
	r, _ := o.Snapshot().Route("x")
	o.t.Equal(law, "owner and generation "+when, fmt.Sprint(owner.worker, " ", want), fmt.Sprint(r.WorkerID, " ", r.Generation))
}

func (t *busT) generationCounts() {
	const law = "DATABUS-GENERATION-001"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	c.Subscribe("x")
	o.generation(law, "at first", a, 1)
	o.Drain()
	o.generation(law, "after the confirmation", a, 1)
	b.Subscribe("x")
	o.Drain()
	a.PageHide()
	o.generation(law, "when the owner has left", b, 2)
	o.Drain()
	o.generation(law, "when that is confirmed", b, 2)
	o.Advance(1)
	a.PageShow()
	b.Crash()
	o.Settle()
	o.generation(law, "after a crash", a, 3)
	a.Stop()
	o.Drain()
	o.generation(law, "after a stop", c, 4)
	o.Advance(5 * heartbeat)
	o.generation(law, "after five heartbeats", c, 4)
}

// generationFollows has a tab take over topics of a worker that nobody knows.
func (t *busT) generationFollows() {
	const law = "DATABUS-GENERATION-001"
	for _, g := range []int64{1, 2, 9, 10, 999, 1 << 31, 1 << 40} {
		o := t.Origin()
		a := o.Tab("a")
		a.PutRoute("x", routeRecord{WorkerID: "gone", TabID: "gone", Generation: g, ConfirmedAt: start})
		a.Subscribe("x")
		o.generation(law, fmt.Sprint("over ", g), a, g+1)
	}
}

// sameOwner has the owner of a topic be forgotten, and elected again.
func (t *busT) sameOwner() {
	const law = "DATABUS-GENERATION-001"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Visibility("hidden")
	b.Subscribe("x")
	o.Drain()
	for g := int64(1); g < 4; g++ {
		o.generation(law, "of the same worker", a, g)
		b.PutRoute("x", routeRecord{WorkerID: "gone", TabID: "gone", Generation: g, ConfirmedAt: start})
		o.Advance(heartbeat)
	}
}

func (t *busT) generationForgotten() {
	const law = "DATABUS-GENERATION-002"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	a.Subscribe("x")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	a.PageHide()
	o.Drain()
	o.generation(law, "after a handoff", b, 2)
	b.Unsubscribe("x")
	o.Drain()
	_, ok := o.Snapshot().Route("x")
	t.Check(!ok, law, "with the last subscriber the route is gone", "no route", "a route")
	b.Subscribe("x")
	o.Drain()
	o.generation(law, "of the next route", b, 1)
}

func (t *busT) generationCollected() {
	const law = "DATABUS-GENERATION-002"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	c := o.Tab("c")
	a.Subscribe("x")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	a.Stop()
	o.Drain()
	o.generation(law, "after a handoff", b, 2)
	b.Crash()
	o.Settle()
	_, ok := o.Snapshot().Route("x")
	t.Check(!ok, law, "the route of a topic that nobody subscribes is collected", "no route", "a route")
	c.Subscribe("x")
	o.generation(law, "of the next route", c, 1)
}

func (t *busT) generationTwice() {
	const law = "DATABUS-GENERATION-002"
	o := t.OriginWith(originRequest{Flush: flushManual})
	a, b := t.disagree(o)
	var got []string
	for _, x := range []*tab{a, b} {
		for _, d := range x.Flush().routesBy(x) {
			var r routeRecord
			_ = readRecord(d.Value, &r)
			if r.TopicKey == hash("x") {
				got = append(got, fmt.Sprint(r.WorkerID, " ", r.Generation))
			}
		}
	}
	t.Equal(law, "what two tabs write that have seen nothing of each other", "[workerb 1 workera 1]", got)
}

// staleRelease moves a topic so many times, and has the next owner told of moves that are over.
func (t *busT) staleRelease(moves int) {
	const law = "DATABUS-GENERATION-003"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	a.Subscribe("x")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	old, next := a, b
	for range moves - 1 {
		old.PageHide()
		o.Drain()
		o.Advance(1)
		old.PageShow()
		o.Drain()
		old, next = next, old
	}
	old.PageHide()
	o.generation("", "of the handoff", next, int64(moves+1))
	for g := int64(1); g <= int64(moves); g++ {
		did := next.Inject(releaseOf("x", old.worker, next.worker, g))
		t.Equal(law, fmt.Sprintf("what generation %d does to a route of %d", g, moves+1), "nothing", did.Of(didTSub, didWrite, didRemove))
		t.Equal(law, fmt.Sprintf("who is assigned x after a ROUTE_RELEASED of generation %d", g), "[]", o.Snapshot().Assigned("x"))
	}
	for _, f := range o.OnWire(next, `"ROUTE_RELEASED"`) {
		o.Deliver(f)
	}
	s := o.Snapshot()
	r, _ := s.Route("x")
	t.Check(r.ConfirmedAt != 0, law, "the generation that fits confirms", "confirmedAt", fmt.Sprintf("%+v", r))
	t.Equal(law, "and serves", fmt.Sprintf("[%s]", next.name), s.Served("x"))
}

// delayedRelease has two leaves of one owner, and the word of the first arrive after that of the second is stored.
func (t *busT) delayedRelease() {
	const law = "DATABUS-GENERATION-003"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	c := o.TabWith("c", tabRequest{Visibility: "hidden"}) // so that the other two are elected, whatever they have owned before
	c.Start()
	for _, x := range []*tab{a, b, c} {
		x.Subscribe("x")
		o.Drain()
	}
	a.PageHide()
	late := o.OnWire(b, `"ROUTE_RELEASED"`)
	t.Check(len(late) == 1, "", "the owner tells that it has let go", "one frame", fmt.Sprint(late))
	others := func(do func(flying) deeds) {
		for _, f := range o.Wire() {
			if f.Frame != late[0].Frame {
				do(f)
			}
		}
	}
	others(o.Drop)
	b.Freeze()
	o.Pass(ttl + 1)
	a.PageShow()
	o.generation("", "when the sleeping one is dead", a, 3)
	others(o.Drop)
	b.Thaw()
	o.Pass(heartbeat)
	others(o.Drop)
	a.PageHide()
	o.generation("", "when the owner leaves again", b, 4)
	o.Deliver(late[0])
	s := o.Snapshot()
	t.Equal(law, "who is assigned by the frame of generation 2", "[]", s.Assigned("x"))
	r, _ := s.Route("x")
	t.Check(r.ConfirmedAt == 0, law, "the route of generation 4", "not confirmed", fmt.Sprintf("%+v", r))
	o.Drain()
	t.Equal(law, "the frame of generation 4 hands the topic over", "[b]", o.Snapshot().Served("x"))
}
