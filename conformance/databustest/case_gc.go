package databustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// gcCases are about records that nobody needs any more.
func gcCases() []conformance.Case {
	return []conformance.Case{
		one("gc/subscribers-of-a-crash", "all that a tab wanted goes when its worker is dead, and not before",
			laws("DATABUS-GC-001", "DATABUS-GC-003", "DATABUS-LIVE-004"), nil, (*busT).collectsSubscribers),
		one("gc/subscribers-of-nobody", "any tab removes a subscriber that no worker belongs to, at once",
			laws("DATABUS-GC-001"), needs(Forges), (*busT).collectsPlanted),
		one("gc/edge-of-a-route", "a route that nobody wants stays for 10000 ms and is gone at 10001 ms",
			laws("DATABUS-GC-002"), needs(Forges), func(t *busT) { t.agesRoute(0, ttl) }),
		one("gc/edge-of-another-ttl", "so it is with a TTL of the application's",
			laws("DATABUS-GC-002"), needs(Forges), func(t *busT) { t.agesRoute(7000, 7000) }),
		one("gc/wanted-route", "a route that somebody wants stays however old it is",
			laws("DATABUS-GC-002", "DATABUS-GC-003"), needs(Forges), (*busT).keepsWanted),
		one("gc/subscribers-go-first", "a route whose last subscriber is dead goes with that subscriber",
			laws("DATABUS-GC-002"), needs(Forges), (*busT).collectsBoth),
		one("gc/live-tabs", "in a minute nothing of a live tab is removed, hidden or disconnected though it be",
			laws("DATABUS-GC-003"), needs(Statuses), (*busT).keepsLive),
		one("gc/tab-at-the-edge", "a worker that is 10000 ms old keeps its subscribers",
			laws("DATABUS-GC-003"), needs(Forges), (*busT).keepsAtTheEdge),
		one("gc/two-workers-of-one-tab", "a subscriber whose tab has one live worker among dead ones stays",
			laws("DATABUS-GC-003"), needs(Forges), (*busT).keepsWithOneWorker),
		one("gc/owner-lets-go", "an owner whose route was collected lets go of the topic by itself",
			laws("DATABUS-GC-004"), nil, (*busT).freesOwner),
		one("gc/owner-lets-go-of-a-planted-hole", "so it does when the route just vanishes",
			laws("DATABUS-GC-004"), needs(Forges), (*busT).freesOwnerAtOnce),
		one("gc/reused-tab-id", "a tab that crashed and came back keeps what it wanted alive",
			laws("DATABUS-GC-005"), nil, (*busT).keepsReused),
	}
}

func (t *busT) collectsSubscribers() {
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	topics := []string{"x", "y", "z"}
	for _, topic := range topics {
		b.Subscribe(topic)
		o.Drain()
	}
	a.Subscribe("x")
	o.Drain()
	b.Crash()
	o.Advance(ttl)
	t.Equal("DATABUS-GC-003", "the subscribers of y while the worker is 10000 ms old", []string{b.id}, o.Snapshot().Subscribers("y"))
	o.Advance(heartbeat)
	s := o.Snapshot()
	t.Equal("DATABUS-GC-001", "the subscribers of x", []string{a.id}, s.Subscribers("x"))
	for _, topic := range topics[1:] {
		t.Equal("DATABUS-GC-001", "the subscribers of "+topic, 0, len(s.Subscribers(topic)))
	}
	o.Advance(heartbeat)
	for _, topic := range topics[1:] {
		o.owner("DATABUS-LIVE-004", "one heartbeat later", topic, nil)
		o.served("DATABUS-LIVE-004", "one heartbeat later", topic)
	}
	o.single("DATABUS-GC-003", "what is wanted", "x")
}

func (t *busT) collectsPlanted() {
	const law = "DATABUS-GC-001"
	o := t.Origin()
	a := o.Tab("A")
	a.PutSubscriber("x", "tabNone")
	a.PutSubscriber("y", "tabNone")
	did := a.Nudge()
	t.Equal(law, "how many of two are removed", 2, countOf(did, "remove subscriber"))
	s := o.Snapshot()
	t.Equal(law, "who is left", 0, len(s.Subscribers("x"))+len(s.Subscribers("y")))
}

func (t *busT) agesRoute(own, limit int64) {
	const law = "DATABUS-GC-002"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{TTL: own})
	a.Start()
	o.Advance(20_000)
	now := o.Snapshot().Now
	for n, age := range []int64{limit - 1, limit, limit + 1} {
		topic := fmt.Sprintf("x%d", n)
		a.PutRoute(topic, routeRecord{WorkerID: a.worker, TabID: a.id, UpdatedAt: now - age, Generation: 1, ConfirmedAt: now - age})
	}
	did := a.Nudge()
	t.Equal(law, "how many of three routes are removed", 1, countOf(did, "remove route"))
	s := o.Snapshot()
	for n, age := range []int64{limit - 1, limit, limit + 1} {
		_, found := s.Route(fmt.Sprintf("x%d", n))
		t.Equal(law, fmt.Sprintf("whether a route of %d ms is there", age), age <= limit, found)
	}
	o.Advance(heartbeat)
	t.Equal(law, "how many are left one heartbeat later", 0, len(o.Snapshot().routes))
}

func (t *busT) keepsWanted() {
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	b.Subscribe("x")
	o.Drain()
	did := o.Advance(120_000)
	did = append(did, a.Nudge()...)
	t.Equal("DATABUS-GC-002", "how often the route is removed in two minutes", 0, countOf(did, "remove route"))
	t.Equal("DATABUS-GC-003", "how often a subscriber is", 0, countOf(did, "remove subscriber"))
	o.served("DATABUS-GC-003", "in the end", "x", a)
}

func (t *busT) collectsBoth() {
	const law = "DATABUS-GC-002"
	o := t.Origin()
	a := o.Tab("A")
	o.Advance(20_000)
	now := o.Snapshot().Now
	a.PutSubscriber("x", "tabDead")
	a.PutRoute("x", routeRecord{WorkerID: a.worker, TabID: a.id, UpdatedAt: now - ttl - 1, Generation: 1})
	did := a.Nudge()
	t.Equal(law, "what one reconcile removes", []string{"remove subscriber", "remove route"},
		stepsOf(did.steps("remove subscriber", "remove route")))
}

func (t *busT) keepsLive() {
	const law = "DATABUS-GC-003"
	o, a, b, c := t.ownedByA(originRequest{}, "x", "y")
	b.Subscribe("x")
	c.Visibility("hidden")
	b.Status("disconnected")
	did := append(o.Drain(), o.Advance(60_000)...)
	t.Equal(law, "what is removed in a minute", "nothing", did.Of(didRemove).String())
	s := o.Snapshot()
	t.Equal(law, "who wants x", []string{a.id, b.id, c.id}, s.Subscribers("x"))
	t.Equal(law, "who wants y", []string{a.id, c.id}, s.Subscribers("y"))
}

func (t *busT) keepsAtTheEdge() {
	const law = "DATABUS-GC-003"
	o := t.Origin()
	a := o.Tab("A")
	o.Advance(30_000)
	now := o.Snapshot().Now
	a.PutWorker("Old", ttl)
	a.PutSubscriber("x", "tabOld")
	a.PutRoute("x", routeRecord{WorkerID: "workerOld", TabID: "tabOld", UpdatedAt: now - 2*ttl, Generation: 1, ConfirmedAt: now - 2*ttl})
	t.Equal(law, "what is removed", "nothing", a.Nudge().Of(didRemove).String())
	a.PutWorker("Old", ttl+1)
	did := a.Nudge()
	t.Equal(law, "what is removed 1 ms later", []string{"remove route", "remove subscriber", "remove worker"},
		sortedOf(stepsOf(did.Of(didRemove))))
}

func (t *busT) keepsWithOneWorker() {
	const law = "DATABUS-GC-003"
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	b.Subscribe("x")
	o.Advance(20_000)
	a.PutWorkerOf("Older", b.id, 2*ttl)
	did := a.Nudge()
	t.Equal(law, "how often the older worker is removed", 1, countOf(did, "remove worker"))
	t.Equal(law, "how often what its tab wants is", 0, countOf(did, "remove subscriber"))
	t.Equal(law, "who wants x", []string{b.id}, o.Snapshot().Subscribers("x"))
}

func (t *busT) freesOwner() {
	const law = "DATABUS-GC-004"
	o := t.Origin()
	a := o.Tab("A")
	o.Pass(100)
	o.Tab("B")
	o.Pass(100)
	c := o.Tab("C")
	c.Subscribe("x")
	o.Drain()
	o.served("", "the oldest of equal workers is chosen", "x", a)
	c.Crash()
	did := o.Advance(heartbeat + ttl)
	t.Equal(law, "the control frames that are sent", 0, countOf(did, "post CONTROL UNSUBSCRIBE"))
	o.owner(law, "when the subscriber is dead", "x", nil)
	o.Advance(heartbeat)
	o.served(law, "one heartbeat later", "x")
}

func (t *busT) freesOwnerAtOnce() {
	const law = "DATABUS-GC-004"
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	b.Subscribe("x")
	o.Drain()
	o.served("", "of equal workers the first is chosen", "x", a)
	b.Crash()
	o.Remove(a.key("route", hash("x")))
	did := o.Pass(heartbeat)
	t.Equal(law, "how often it lets go within one heartbeat", 1, countOf(did.By(a), "tunsub x"))
	o.served(law, "one heartbeat later", "x")
	w, _ := o.Snapshot().Worker(a)
	t.Equal(law, "the load that it records", 0, w.Load)
}

func (t *busT) keepsReused() {
	const law = "DATABUS-GC-005"
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	b.Subscribe("x")
	o.Drain()
	o.served("", "of equal workers the first is chosen", "x", a)
	b.Crash()
	again := o.TabWith("B2", tabRequest{TabID: b.id})
	again.Start()
	o.Drain()
	o.Advance(60_000)
	s := o.Snapshot()
	t.Equal(law, "who is recorded as a subscriber", []string{b.id}, s.Subscribers("x"))
	t.Equal(law, "who serves it", tabNames(a), append([]string{}, s.Served("x")...))
}
