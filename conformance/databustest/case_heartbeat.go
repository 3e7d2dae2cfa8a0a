package databustest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// heartbeatCases are about what a worker does from time to time.
func heartbeatCases() []conformance.Case {
	return []conformance.Case{
		one("heartbeat/every-3000-ms", "a worker writes its record every 3000 ms, not earlier, and tells nobody",
			laws("DATABUS-HEARTBEAT-001"), nil, (*busT).beats),
		one("heartbeat/other-interval", "an interval of the application's is kept",
			laws("DATABUS-HEARTBEAT-001"), nil, (*busT).beatsOtherwise),
		one("heartbeat/reconciles", "each heartbeat reconciles once",
			laws("DATABUS-HEARTBEAT-001", "DATABUS-HEARTBEAT-002"), needs(Forges), (*busT).beatsAndReconciles),
		one("heartbeat/order-of-reconcile", "what is dead goes first, in its order, and then what is wanted is seen to",
			laws("DATABUS-HEARTBEAT-002"), needs(Forges), (*busT).reconcilesInOrder),
		one("heartbeat/reconcile-takes-over", "a reconcile takes over what a dead worker owned, and asks again for what nobody confirmed",
			laws("DATABUS-HEARTBEAT-002", "DATABUS-CONFIRM-003"), needs(Forges), (*busT).reconcilesRoutes),
		one("heartbeat/reconcile-lets-go", "a reconcile drops what a route gives to somebody else, and counts again",
			laws("DATABUS-HEARTBEAT-002", "DATABUS-INV-007"), needs(Forges), (*busT).reconcilesAssignments),
		one("heartbeat/reconcile-finds-its-role", "a reconcile writes the role that its place among all workers gives it",
			laws("DATABUS-HEARTBEAT-002"), needs(Forges), (*busT).reconcilesRole),
		one("heartbeat/none-while-suspended", "a page that is away writes nothing for a minute",
			laws("DATABUS-HEARTBEAT-003"), nil, func(t *busT) { t.beatsNoMore((*tab).PageHide) }),
		one("heartbeat/none-once-stopped", "nor does a bus that stopped",
			laws("DATABUS-HEARTBEAT-003"), nil, func(t *busT) { t.beatsNoMore((*tab).Stop) }),
		one("heartbeat/anew-from-the-return", "a page that returns beats from then on",
			laws("DATABUS-HEARTBEAT-003", "DATABUS-HEARTBEAT-001", "DATABUS-RECORD-004"), nil, (*busT).beatsAnew),
		one("heartbeat/quick-return", "a page that is away for less than an interval does not beat twice",
			laws("DATABUS-HEARTBEAT-003"), nil, (*busT).beatsOnce),
		one("heartbeat/ping", "a tab sends a PING to its SharedWorker every 10000 ms",
			laws("DATABUS-HEARTBEAT-004"), needs(Backend), (*busT).pings),
		one("heartbeat/ping-interval", "an infinite interval is never, and one that is not positive is refused",
			laws("DATABUS-HEARTBEAT-004"), needs(Backend), (*busT).pingIntervals),
		one("heartbeat/reaper", "a port that is silent for more than 30000 ms ends, and one that is not does not",
			laws("DATABUS-HEARTBEAT-004"), needs(Backend), (*busT).reaps),
		one("heartbeat/reaper-edges", "exactly 30000 ms of silence are no reason, and one ms less is none either",
			laws("DATABUS-HEARTBEAT-004"), needs(Backend), (*busT).reapsAtTheEdge),
	}
}

func (t *busT) beats() {
	const law = "DATABUS-HEARTBEAT-001"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	o.Drain()
	for n := range int64(4) {
		did := o.Pass(heartbeat - 1)
		t.Equal(law, "what it writes before its heartbeat", 0, len(did.Of(didWrite, didRemove)))
		did = o.Pass(1)
		w := did.Family("worker")
		if t.Check(len(w) == 1 && w[0].Kind == didWrite, law, "a heartbeat is one write of the own record", "one write", did.String()) {
			r, _ := o.Snapshot().Worker(a)
			t.Equal(law, "the heartbeat that it wrote", start+(n+1)*heartbeat, r.HeartbeatAt)
			t.Equal(law, "when it says that it began", start, r.RegisteredAt)
		}
		t.Equal(law, "what it tells others", "nothing", did.Of(didPost).String())
	}
}

func (t *busT) beatsOtherwise() {
	const law = "DATABUS-HEARTBEAT-001"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{Heartbeat: 700})
	a.Start()
	o.Drain()
	did := o.Pass(699)
	t.Equal(law, "what it writes in 699 ms", 0, len(did.Family("worker")))
	did = o.Pass(3 * 700)
	var at []int64
	for _, d := range did.Family("worker") {
		at = append(at, d.At-start)
	}
	t.Equal(law, "when it writes", []int64{700, 1400, 2100}, at)
}

func (t *busT) beatsAndReconciles() {
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	o.Drain()
	gone := a.key("subscriber", hash("x"), a.id)
	o.Remove(gone)
	did := o.Pass(heartbeat - 1)
	t.Equal("DATABUS-HEARTBEAT-001", "what it does before its heartbeat", 0, len(did.Family("subscriber")))
	did = o.Pass(1)
	t.Equal("DATABUS-HEARTBEAT-001", "how often the heartbeat looks after its subscription", 1, len(did.Family("subscriber")))
	t.Equal("DATABUS-HEARTBEAT-002", "who is recorded as a subscriber", []string{a.id}, o.Snapshot().Subscribers("x"))
}

// reconcilesInOrder has one reconcile find something of every kind.
func (t *busT) reconcilesInOrder() {
	const law = "DATABUS-HEARTBEAT-002"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	o.Advance(20_000)
	now := o.Snapshot().Now
	a.PutWorker("Dead", ttl+1)
	a.PutSubscriber("old", "tabDead")
	a.PutRoute("old", routeRecord{WorkerID: a.worker, TabID: a.id, UpdatedAt: now - ttl - 1, Generation: 1})
	a.PutRoute("x", routeRecord{WorkerID: "workerDead", TabID: "tabDead", UpdatedAt: now, Generation: 7, ConfirmedAt: now})
	did := a.Nudge().By(a)
	t.Equal(law, "the order of what it removes and writes", []string{
		"remove worker", "remove subscriber", "remove route", "write subscriber", "write route",
	}, stepsOf(did.steps("remove worker", "remove subscriber", "remove route", "write subscriber", "write route")))
	r := o.owner(law, "a topic of a dead worker", "x", a)
	t.Equal(law, "the generation of the topic that is taken over", 8, r.Generation)
	t.Check(r.ConfirmedAt != 0, law, "who elects itself confirms", "confirmed", jsonOf(r))
	o.owner(law, "a route without subscribers", "old", nil)
}

func (t *busT) reconcilesRoutes() {
	const law = "DATABUS-HEARTBEAT-002"
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	now := o.Snapshot().Now
	b.Subscribe("x")
	o.Drain()
	o.owner("", "of equal workers the first is chosen", "x", a)
	a.PutRoute("x", routeRecord{WorkerID: a.worker, TabID: a.id, UpdatedAt: now, Generation: 1})
	did := b.Nudge()
	t.Equal(law, "how often a subscriber asks for what is not confirmed", 1, countOf(did, "post CONTROL SUBSCRIBE"))
	t.Equal(law, "the routes that it writes for that", 0, countOf(did, "write route"))
	o.Drain()
	o.single(law, "when that has arrived", "x")
	t.Equal("DATABUS-CONFIRM-003", "how often it asks for what is confirmed", 0, countOf(b.Nudge(), "post CONTROL SUBSCRIBE"))
	a.PutRoute("x", routeRecord{WorkerID: "workerGone", TabID: "tabGone", UpdatedAt: now, Generation: 3, ConfirmedAt: now})
	b.Nudge()
	r, _ := o.Snapshot().Route("x")
	t.Check(r.Generation == 4 && r.WorkerID != "workerGone", law, "it takes over for a worker that is not there", "generation 4", jsonOf(r))
	o.Settle()
	o.single(law, "in the end", "x")
}

func (t *busT) reconcilesAssignments() {
	const law = "DATABUS-HEARTBEAT-002"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	now := o.Snapshot().Now
	a.PutRoute("x", routeRecord{WorkerID: b.worker, TabID: b.id, UpdatedAt: now, Generation: 2})
	did := a.Nudge().By(a)
	t.Equal(law, "how often the transport is told to leave", 1, countOf(did, "tunsub x"))
	s := o.Snapshot()
	t.Check(!slices.Contains(s.Tab(a).Assigned, "x"), "DATABUS-INV-007", "an assignment that no route backs does not outlive a reconcile",
		"x not assigned", jsonOf(s.Tab(a).Assigned))
	w, _ := s.Worker(a)
	t.Equal(law, "the load that it records", 0, w.Load)
	o.Drain()
	o.Advance(heartbeat)
	o.served(law, "one heartbeat later", "x", b)
}

func (t *busT) reconcilesRole() {
	const law = "DATABUS-HEARTBEAT-002"
	o := t.Origin()
	tabs := []*tab{}
	for _, name := range []string{"A", "B", "C", "D"} {
		tabs = append(tabs, o.Tab(name))
	}
	o.Advance(heartbeat)
	t.Equal(law, "the roles of four equal workers", []string{"active", "active", "active", "standby"}, o.rolesOf(tabs))
	tabs[1].Crash()
	o.Advance(heartbeat + ttl)
	t.Equal(law, "the roles when one is dead", []string{"active", "active", "active"}, o.rolesOf([]*tab{tabs[0], tabs[2], tabs[3]}))
}

// rolesOf are those that the workers of tabs have recorded.
func (o *origin) rolesOf(tabs []*tab) []string {
	s := o.Snapshot()
	var out []string
	for _, one := range tabs {
		w, _ := s.Worker(one)
		out = append(out, w.Role)
	}
	return out
}
