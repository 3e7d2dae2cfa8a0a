package databustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// routeCases are about who writes routes, and what they say.
func routeCases() []conformance.Case {
	return []conformance.Case{
		one("route/last-write-wins", "a route that changed after it was read is written over all the same",
			laws("DATABUS-ROUTE-001"), needs(ManualFlush, Forges), (*busT).lastWrite),
		one("route/two-writers", "of two tabs that make a route at once the one that writes last has made it",
			laws("DATABUS-ROUTE-001"), needs(ManualFlush), (*busT).twoWriters),
		one("route/one-per-topic", "however often a topic moves, one route is stored", laws("DATABUS-ROUTE-001"), nil, (*busT).oneRoute),
		one("route/rights", "each route is written by a subscriber without an owner, a leaving owner or the owner that confirms",
			laws("DATABUS-ROUTE-002"), needs(Statuses), (*busT).routeRights),
		one("route/publisher", "who publishes writes no route, whether there is one, none or one of a dead owner",
			laws("DATABUS-ROUTE-002"), nil, (*busT).publisherWrites),
		one("route/bystander", "who does not subscribe writes no route, not even when its owner is dead",
			laws("DATABUS-ROUTE-002"), nil, (*busT).bystander),
		one("route/takeover", "who takes a topic over of a dead owner says nothing of a handoff",
			laws("DATABUS-ROUTE-002"), nil, (*busT).takeoverRoute),
		one("route/lost-control", "a route whose SUBSCRIBE was lost is not confirmed, and nobody serves it",
			laws("DATABUS-ROUTE-003"), nil, (*busT).lostControl),
		one("route/confirmed-unserved", "a route is confirmed when the control arrives, whatever the transport does",
			laws("DATABUS-ROUTE-003"), needs(Manual), (*busT).confirmedUnserved),
		one("route/updated-at", "updatedAt is the moment of the assignment and stays until the next",
			laws("DATABUS-ROUTE-004"), nil, (*busT).updatedAt),
		one("route/updated-at-ahead", "the owner confirms a route of a clock that is ahead, and leaves its updatedAt",
			laws("DATABUS-ROUTE-004"), needs(Forges), (*busT).updatedAhead),
	}
}

// right says by which right a route is written: made, moved, handed or confirmed. Without one it says what speaks against it.
func (w *walk) right(d *deed) (right, wrong string) {
	before, was := w.route(d.Key)
	var now routeRecord
	if err := readRecord(d.Value, &now); err != nil {
		return "", "it cannot be read"
	}
	by, topic := w.names[d.Tab], keyOf(d.Key).topic
	confirmed := before
	confirmed.ConfirmedAt = now.ConfirmedAt
	switch {
	case was && now == confirmed && before.ConfirmedAt == 0 && now.ConfirmedAt != 0:
		if by.worker != now.WorkerID {
			return "", "it is confirmed by a worker that it does not name"
		}
		return "confirmed", ""
	case now.HandoffFrom != "":
		if now.HandoffFrom != by.worker || !was || before.WorkerID != by.worker {
			return "", "it is handed over by a worker that does not own the topic"
		}
		return "handed", ""
	case was && w.live(before.WorkerID, d):
		return "", "it is written over that of a live owner"
	case !w.subscribes(by, topic):
		return "", "it is written by a tab that does not subscribe"
	case was:
		return "moved", ""
	}
	return "made", ""
}

// subscribes reports whether a tab has stored that it subscribes a topic, or did when it last could.
func (w *walk) subscribes(t *tab, topic string) bool {
	for key := range w.store {
		if k := keyOf(key); k.family == "subscriber" && k.topic == topic && k.id == t.id {
			return true
		}
	}
	return false
}

// routes has a walk look at each route that is written.
func (t *busT) routes(steps int, look func(w *walk, d *deed)) {
	t.Walk(steps, watch{deed: func(w *walk, d *deed) {
		if d.Kind == didWrite && keyOf(d.Key).family == "route" {
			look(w, d)
		}
	}})
}

func (t *busT) routeRights() {
	seen := map[string]int{}
	t.routes(300, func(w *walk, d *deed) {
		right, wrong := w.right(d)
		seen[right]++
		t.Check(wrong == "", "DATABUS-ROUTE-002", "a route is written by right",
			"a subscriber without a live owner, a leaving owner or a confirmation",
			fmt.Sprint(wrong, ": ", d.Tab, " ", d, " over ", w.store[d.Key]))
	})
	t.Check(seen["made"] > 0, "", "routes are made", "some", fmt.Sprint(seen))
}

// lastWrite has somebody else make a route between the reading and the writing of a tab.
func (t *busT) lastWrite() {
	const law = "DATABUS-ROUTE-001"
	o := t.OriginWith(originRequest{Flush: flushManual})
	a := o.Tab("a")
	a.Flush()
	b := o.Tab("b")
	b.Flush()
	a.Subscribe("x")
	a.PutRoute("x", routeRecord{WorkerID: b.worker, TabID: b.id, Generation: 7, ConfirmedAt: start})
	a.Flush()
	r, _ := o.Snapshot().Route("x")
	t.Equal(law, "what was decided without a route is written over one", "workera generation 1",
		fmt.Sprint(r.WorkerID, " generation ", r.Generation))
}

// twoWriters has two tabs elect different owners without seeing the route of each other.
func (t *busT) twoWriters() {
	const law = "DATABUS-ROUTE-001"
	for _, last := range []string{"a", "b"} {
		o := t.OriginWith(originRequest{Flush: flushManual})
		a, b := t.disagree(o)
		first, second := a, b
		if last == "a" {
			first, second = b, a
		}
		key := o.root(a) + ":route:" + hash("x")
		w1 := first.Flush().where(func(d *deed) bool { return d.Key == key })
		w2 := second.Flush().where(func(d *deed) bool { return d.Key == key })
		if !t.Check(len(w1) == 1 && len(w2) == 1, law, "both write a route, whatever is stored by then", "two writes",
			w1.String()+"; "+w2.String()) {
			return
		}
		t.Equal(law, "the last one is stored, whole", w2[0].Value, o.Snapshot().Storage[key])
	}
}

// disagree has two tabs decide on a topic, each before it can see what the other stored: a elects b, which owns less, and b elects a,
// whose load is not stored yet.
func (t *busT) disagree(o *origin) (a, b *tab) {
	a, b = o.Tab("a"), o.Tab("b")
	for _, x := range []*tab{a, b, a, b} {
		x.Flush()
		o.Drain()
	}
	a.Subscribe("load")
	a.Subscribe("x")
	b.Subscribe("x")
	return a, b
}

// oneRoute has a topic move by a handoff, a crash and a new beginning.
func (t *busT) oneRoute() {
	const law = "DATABUS-ROUTE-001"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	one := func(when, want string) {
		o.Settle()
		s := o.Snapshot()
		t.Equal(law, "routes "+when, 1, len(s.routes))
		t.Equal(law, "the owner "+when, want, s.Owner("x"))
	}
	for _, x := range []*tab{a, b, c} {
		x.Subscribe("x")
	}
	one("after three subscriptions", "workera")
	a.PageHide()
	one("after a handoff", "workerb")
	b.Crash()
	one("after a crash", "workerc")
	a.PageShow()
	one("after a return", "workerc")
	c.Unsubscribe("x")
	a.Unsubscribe("x")
	o.Settle()
	t.Equal(law, "no route without subscribers", 0, len(o.Snapshot().routes))
	a.Subscribe("x")
	one("after a new beginning", "workera")
}

// routesBy returns the writes and removals of routes by a tab.
func (ds deeds) routesBy(t *tab) deeds {
	return ds.By(t).Of(didWrite, didRemove).where(func(d *deed) bool { return keyOf(d.Key).family == "route" })
}

func (t *busT) publisherWrites() {
	const law = "DATABUS-ROUTE-002"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	b.Subscribe("x")
	o.Drain()
	c.Publish("x", `1`)
	c.Publish("of nobody", `1`)
	o.Drain()
	a.Crash()
	c.Publish("x", `2`)
	o.Pass(ttl + 1)
	did := c.Publish("x", `3`)
	t.Equal("", "the owner is dead, and nobody has taken the topic over yet", `c: tpub x 3`, did.Of(didTPub))
	t.Equal(law, "a publisher writes no route", "nothing", o.all.routesBy(c))
	t.Equal(law, "that of a dead owner stays as it is", "workera", o.Snapshot().Owner("x"))
}

func (t *busT) bystander() {
	const law = "DATABUS-ROUTE-002"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	b.Subscribe("x")
	o.Drain()
	a.Crash()
	b.Crash()
	c.Subscribe("y")
	o.Advance(2 * ttl)
	t.Equal(law, "who does not subscribe writes no route", "nothing",
		o.all.routesBy(c).where(func(d *deed) bool { return d.Kind == didWrite && strings.Contains(d.Key, hash("x")) }))
}

// takeoverRoute has the owner crash to which the topic was handed over.
func (t *busT) takeoverRoute() {
	const law = "DATABUS-ROUTE-002"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	c.Subscribe("x")
	o.Drain()
	a.PageHide()
	o.Drain()
	s := o.Snapshot()
	t.Equal("", "the topic was handed over", "workerb of workera", s.Owner("x")+" of "+s.routes[hash("x")].HandoffFrom)
	b.Crash()
	o.Settle()
	r, _ := o.Snapshot().Route("x")
	t.Equal(law, "the subscriber takes the topic over, and that is no handoff", fmt.Sprintf("%q 3 from %q", c.worker, ""),
		fmt.Sprintf("%q %d from %q", r.WorkerID, r.Generation, r.HandoffFrom))
}

// controls returns the frames under way that ask a worker for a topic.
func (o *origin) controls(action, topic string) []flying {
	return o.OnWire(nil, `"CONTROL"`, fmt.Sprintf("%q", action), fmt.Sprintf("%q", topic))
}

func (t *busT) lostControl() {
	const law = "DATABUS-ROUTE-003"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	for _, f := range o.controls("SUBSCRIBE", "x") {
		o.Drop(f)
	}
	did := o.Drain()
	did = append(did, o.Pass(heartbeat-1)...)
	s := o.Snapshot()
	r, ok := s.Route("x")
	t.Check(ok && r.WorkerID == a.worker && r.ConfirmedAt == 0, law, "the route stays as an intention", "of workera, not confirmed",
		fmt.Sprintf("%+v", r))
	t.Equal(law, "the owner knows of nothing", "nothing", did.By(a).Of(didTSub))
	t.Equal(law, "nobody is assigned", "[]", s.Assigned("x"))
}

func (t *busT) confirmedUnserved() {
	const law = "DATABUS-ROUTE-003"
	o := t.Origin()
	a := o.TabWith("a", tabRequest{Opens: opensManual})
	a.Start()
	o.Drain()
	b := o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	s := o.Snapshot()
	r, _ := s.Route("x")
	t.Check(r.WorkerID == a.worker && r.ConfirmedAt != 0, law, "the control has reached the owner, whose transport is not open",
		"a confirmed route of workera", fmt.Sprintf("%+v", r))
	t.Equal(law, "the server sends to nobody", "[]", s.Served("x"))
	a.Opened()
	s = o.Snapshot()
	t.Equal(law, "it does when the transport is open", "[a]", s.Served("x"))
	again, _ := s.Route("x")
	t.Equal(law, "which the route does not tell", fmt.Sprintf("%+v", r), fmt.Sprintf("%+v", again))
}

// updatedAt lets time pass between assignment, confirmation, heartbeats, and the next assignment.
func (t *busT) updatedAt() {
	const law = "DATABUS-ROUTE-004"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	o.Pass(100)
	b.Subscribe("x")
	r, _ := o.Snapshot().Route("x")
	t.Equal(law, "updatedAt of a new route", int64(start+100), r.UpdatedAt)
	o.Pass(200)
	o.Drain()
	r, _ = o.Snapshot().Route("x")
	t.Equal(law, "updatedAt and confirmedAt of one that is confirmed later", []int64{start + 100, start + 300},
		[]int64{r.UpdatedAt, r.ConfirmedAt})
	o.Advance(5 * heartbeat)
	r, _ = o.Snapshot().Route("x")
	t.Equal(law, "heartbeats move neither", []int64{start + 100, start + 300}, []int64{r.UpdatedAt, r.ConfirmedAt})
	a.PageHide()
	r, _ = o.Snapshot().Route("x")
	at := int64(start + 300 + 5*heartbeat)
	t.Equal(law, "a handoff moves it", at, r.UpdatedAt)
	o.Pass(50)
	o.Drain()
	r, _ = o.Snapshot().Route("x")
	t.Equal(law, "the confirmation of the handoff does not", []int64{at, at + 50}, []int64{r.UpdatedAt, r.ConfirmedAt})
}

// updatedAhead has a worker confirm a route that a tab with another clock has written.
func (t *busT) updatedAhead() {
	const law = "DATABUS-ROUTE-004"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	a.PutRoute("x", routeRecord{WorkerID: a.worker, TabID: a.id, UpdatedAt: start + 60_000, Generation: 3})
	o.Drain()
	r, _ := o.Snapshot().Route("x")
	t.Check(r.ConfirmedAt != 0, law, "the route is confirmed", "confirmedAt", fmt.Sprintf("%+v", r))
	t.Equal(law, "its updatedAt is what it was", int64(start+60_000), r.UpdatedAt)
	o.Advance(2 * heartbeat)
	r, _ = o.Snapshot().Route("x")
	t.Equal(law, "and stays", int64(start+60_000), r.UpdatedAt)
}
