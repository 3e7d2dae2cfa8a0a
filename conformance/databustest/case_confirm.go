package databustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// confirmCases are about the confirmation of a route, and about asking again until it comes.
func confirmCases() []conformance.Case {
	return []conformance.Case{
		one("confirm/of-a-walk", "only the worker that a route names confirms it, once, and changes nothing else",
			laws("DATABUS-CONFIRM-001"), needs(Statuses), (*busT).confirmationsOfAWalk),
		one("confirm/copies", "a confirmation is the route as it was, with the moment",
			laws("DATABUS-CONFIRM-001"), nil, (*busT).confirmationCopies),
		one("confirm/once", "a SUBSCRIBE that comes again confirms nothing again",
			laws("DATABUS-CONFIRM-001"), needs(Forges), (*busT).confirmedOnce),
		one("confirm/another-worker", "a SUBSCRIBE for a route of another worker confirms nothing",
			laws("DATABUS-CONFIRM-001"), needs(Forges), (*busT).confirmedByAnother),
		one("confirm/gone", "a SUBSCRIBE for a topic without a route makes none",
			laws("DATABUS-CONFIRM-001"), needs(Forges), (*busT).confirmedGone),
		one("confirm/taken-back", "each reassignment is unconfirmed until its owner has heard of it",
			laws("DATABUS-CONFIRM-001"), nil, (*busT).confirmationTaken),
		one("confirm/retry", "a lost SUBSCRIBE is made good by the next heartbeat",
			laws("DATABUS-CONFIRM-002", "DATABUS-CONFIRM-003"), nil, func(t *busT) { t.retried(1) }),
		one("confirm/retry-often", "so are four in a row, by the fourth",
			laws("DATABUS-CONFIRM-002", "DATABUS-CONFIRM-003"), nil, func(t *busT) { t.retried(4) }),
		one("confirm/retry-by-each", "each subscriber asks, and nobody else does", laws("DATABUS-CONFIRM-002"), nil, (*busT).retriedByEach),
		one("confirm/retry-by-the-last", "a subscriber asks for one that has crashed", laws("DATABUS-CONFIRM-002"), nil, (*busT).retriedByLast),
		one("confirm/retry-at-a-nudge", "a reconcile that a frame sets off asks as well",
			laws("DATABUS-CONFIRM-002"), nil, (*busT).retriedAtNudge),
		one("confirm/retry-by-the-owner", "an owner that subscribes and whose route is unconfirmed confirms it itself",
			laws("DATABUS-CONFIRM-002"), needs(Forges), (*busT).retriedByOwner),
		one("confirm/handoff-is-not-retried", "a handoff that is under way is not asked for",
			laws("DATABUS-CONFIRM-002"), needs(Forges), (*busT).handoffNotRetried),
		one("confirm/never-again", "a route that is confirmed is not asked for again, though its owner knows nothing of it",
			laws("DATABUS-CONFIRM-003"), needs(Forges), (*busT).neverAgain),
		under(v010, one("confirm/silent", "three calls and no fault leave a topic silent until all have left",
			laws("DATABUS-CONFIRM-003"), nil, (*busT).silentForEver)),
	}
}

func (t *busT) confirmationsOfAWalk() {
	const law = "DATABUS-CONFIRM-001"
	confirmed := 0
	t.routes(300, func(w *walk, d *deed) {
		before, was := w.route(d.Key)
		var now routeRecord
		_ = readRecord(d.Value, &now)
		if now.ConfirmedAt == 0 {
			return
		}
		confirmed++
		by := w.names[d.Tab].worker
		t.Equal(law, "who writes a confirmation is the worker that is named", now.WorkerID, by)
		if !was || now.Generation != before.Generation {
			// It has elected itself, and confirms in the same task.
			return
		}
		t.Equal(law, "a route is confirmed once", int64(0), before.ConfirmedAt)
		before.ConfirmedAt = now.ConfirmedAt
		t.Equal(law, "a confirmation changes nothing else", fmt.Sprintf("%+v", before), fmt.Sprintf("%+v", now))
	})
	t.Check(confirmed > 0, "", "routes are confirmed", "some", "none")
}

func (t *busT) confirmationCopies() {
	const law = "DATABUS-CONFIRM-001"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	key := o.root(a) + ":route:" + hash("x")
	copied := func(when string, by *tab) {
		before := members(o.Snapshot().Storage[key])
		o.Advance(5)
		did := o.Drain()
		after := members(o.Snapshot().Storage[key])
		t.Check(before["confirmedAt"] == nil && after["confirmedAt"] != nil, law, "the route "+when+" is confirmed", "confirmedAt",
			fmt.Sprint(after))
		delete(after, "confirmedAt")
		t.Equal(law, "all else, "+when, before, after)
		t.Equal(law, "writes of others, "+when, "nothing", did.routesIn().where(func(d *deed) bool { return d.Tab != by.name }))
	}
	o.Pass(1)
	b.Subscribe("x")
	copied("of a first assignment", a)
	a.PageHide()
	copied("of a handoff", b)
}

func (t *busT) confirmedOnce() {
	const law = "DATABUS-CONFIRM-001"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	before, _ := o.Snapshot().Route("x")
	for range 3 {
		o.Advance(500)
		did := a.Inject(controlFrame("SUBSCRIBE", "x", b.worker, a.worker, ""))
		did = append(did, o.Drain()...)
		t.Equal(law, "what another SUBSCRIBE does to the route", "nothing", did.routesIn())
	}
	after, _ := o.Snapshot().Route("x")
	t.Equal(law, "confirmedAt stays", before.ConfirmedAt, after.ConfirmedAt)
}

func (t *busT) confirmedByAnother() {
	const law = "DATABUS-CONFIRM-001"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	b.Subscribe("x")
	before, _ := o.Snapshot().Route("x")
	t.Equal("", "the route names a", a.worker, before.WorkerID)
	did := c.Inject(controlFrame("SUBSCRIBE", "x", b.worker, c.worker, ""))
	t.Equal(law, "what a SUBSCRIBE does to a route of another", "nothing", did.routesIn())
	after, _ := o.Snapshot().Route("x")
	t.Equal(law, "it is not confirmed", int64(0), after.ConfirmedAt)
	o.Drain()
	o.Settle()
	s := o.Snapshot()
	t.Equal(law, "the one that is named confirms", a.worker, s.Owner("x"))
	t.Equal(law, "and serves", "[a]", s.Served("x"))
}

func (t *busT) confirmedGone() {
	const law = "DATABUS-CONFIRM-001"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	ask := o.controls("SUBSCRIBE", "x")
	b.Unsubscribe("x")
	var did deeds
	for _, f := range ask {
		did = append(did, o.Deliver(f)...)
	}
	t.Equal(law, "what a SUBSCRIBE does whose route is gone", "nothing", did.routesIn())
	did = a.Inject(controlFrame("SUBSCRIBE", "x", b.worker, a.worker, ""))
	did = append(did, o.Settle()...)
	t.Equal(law, "also later", "nothing", did.routesIn())
	_, ok := o.Snapshot().Route("x")
	t.Check(!ok, law, "there is no route", "none", "a route")
}

func (t *busT) confirmationTaken() {
	const law = "DATABUS-CONFIRM-001"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	confirmed := func(when string, by *tab, want bool) {
		r, _ := o.Snapshot().Route("x")
		t.Equal(law, "who owns the topic and whether it is confirmed "+when, fmt.Sprint(by.worker, " ", want),
			fmt.Sprint(r.WorkerID, " ", r.ConfirmedAt != 0))
	}
	c.Subscribe("x")
	confirmed("at first", a, false)
	o.Drain()
	confirmed("when the owner knows", a, true)
	a.PageHide()
	confirmed("when it is handed over", b, false)
	o.Drain()
	confirmed("when the next one knows", b, true)
	o.Advance(1)
	a.PageShow()
	o.Drain()
	b.Crash()
	o.Pass(heartbeat + ttl)
	confirmed("when a subscriber has elected another for it", a, false)
	o.Drain()
	confirmed("when that one knows", a, true)
}

// loseControls drops what asks a worker for x, and lets all else arrive.
func (o *origin) loseControls() int {
	n := 0
	for {
		frames := o.Wire()
		if len(frames) == 0 {
			return n
		}
		lost := o.controls("SUBSCRIBE", "x")
		if slices.ContainsFunc(lost, func(f flying) bool { return f.Frame == frames[0].Frame }) {
			o.Drop(frames[0])
			n++
		} else {
			o.Deliver(frames[0])
		}
	}
}

// retried loses so many SUBSCRIBEs in a row, those of one heartbeat each. A target that asks more often than it has to is no worse.
func (t *busT) retried(times int) {
	const law = "DATABUS-CONFIRM-002"
	o := t.Origin()
	a := o.Tab("a")
	o.Pass(1000)
	b := o.Tab("b")
	b.Subscribe("x")
	lost := func(when string) {
		t.Check(o.loseControls() >= 1, law, "a subscriber asks "+when, "a SUBSCRIBE", "none")
	}
	lost("at first")
	for i := 1; i < times; i++ {
		o.Pass(heartbeat)
		lost(fmt.Sprint("in heartbeat ", i))
	}
	o.Advance(heartbeat)
	s := o.Snapshot()
	r, _ := s.Route("x")
	t.Check(r.WorkerID == a.worker && r.ConfirmedAt != 0, law, "one heartbeat after the last loss the route is confirmed",
		"a confirmed route of workera", fmt.Sprintf("%+v", r))
	t.Equal(law, "and served", "[a]", s.Served("x"))
	t.Equal(law, "a retry is no assignment", int64(1), r.Generation)
	from := len(o.all)
	o.Advance(5 * heartbeat)
	t.Equal("DATABUS-CONFIRM-003", "how often anybody asks for the confirmed route in five heartbeats", 0, len(o.all[from:].asks("x")))
}

// asks returns the posts that ask a worker for a topic.
func (ds deeds) asks(topic string) deeds {
	return ds.Of(didPost).where(func(d *deed) bool {
		return holdsAll(string(d.Message), []string{`"CONTROL"`, `"SUBSCRIBE"`, fmt.Sprintf("%q", topic)})
	})
}

func (t *busT) retriedByEach() {
	const law = "DATABUS-CONFIRM-002"
	o := t.Origin()
	o.Tab("a")
	b, c := o.Tab("b"), o.Tab("c")
	o.Tab("d")
	b.Subscribe("x")
	o.loseControls()
	c.Subscribe("x")
	o.loseControls()
	did := o.Pass(heartbeat)
	var who []string
	for _, d := range did.asks("x") {
		who = append(who, d.Tab)
	}
	slices.Sort(who)
	t.Equal(law, "who asks in a heartbeat", "[b c]", slices.Compact(who))
	o.Drain()
	t.Equal(law, "it is served once", "[a]", o.Snapshot().Served("x"))
	t.Equal(law, "and the transport was asked once", 1, len(o.all.Of(didTSub).For("x")))
}

func (t *busT) retriedByLast() {
	const law = "DATABUS-CONFIRM-002"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	b.Subscribe("x")
	o.loseControls()
	c.Subscribe("x")
	b.Crash()
	o.Advance(heartbeat)
	s := o.Snapshot()
	r, _ := s.Route("x")
	t.Check(r.WorkerID == a.worker && r.ConfirmedAt != 0, law, "the other subscriber has asked", "a confirmed route of workera",
		fmt.Sprintf("%+v", r))
	t.Equal(law, "and is served", "[a]", s.Served("x"))
	did := o.Server("x", `1`)
	did = append(did, o.Drain()...)
	t.Equal(law, "what comes of a publication", "c: dispatch x 1 x", did.By(c).Of(didDispatch))
}

func (t *busT) retriedAtNudge() {
	const law = "DATABUS-CONFIRM-002"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.loseControls()
	a.Visibility("hidden")
	o.Drain()
	r, _ := o.Snapshot().Route("x")
	t.Check(r.WorkerID == a.worker && r.ConfirmedAt != 0, law, "what the owner says of its page sets off a reconcile, which asks it",
		"a confirmed route", fmt.Sprintf("%+v", r))
}

// retriedByOwner puts an unconfirmed route that names a subscriber, of which no control was sent.
func (t *busT) retriedByOwner() {
	const law = "DATABUS-CONFIRM-002"
	o := t.Origin()
	a := o.Tab("a")
	a.PutRoute("x", routeRecord{WorkerID: a.worker, TabID: a.id, Generation: 5})
	a.Subscribe("x")
	o.Advance(heartbeat)
	s := o.Snapshot()
	r, _ := s.Route("x")
	t.Check(r.ConfirmedAt != 0 && r.Generation == 5, law, "it is confirmed within a heartbeat", "a confirmed route of generation 5",
		fmt.Sprintf("%+v", r))
	t.Equal(law, "and served", "[a]", s.Served("x"))
	t.Equal(law, "a worker sends itself no control", "nothing", o.all.asks("x"))
}

func (t *busT) handoffNotRetried() {
	const law = "DATABUS-CONFIRM-002"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	for _, x := range []*tab{a, c} {
		x.Subscribe("x")
		o.Drain()
	}
	// An owner that registered later would have come back without the topic.
	o.Pass(1)
	b.PutRoute("x", routeRecord{WorkerID: b.worker, TabID: b.id, UpdatedAt: start + 1, Generation: 2, HandoffFrom: a.worker})
	from := len(o.all)
	c.Visibility("hidden")
	o.Pass(1)
	t.Equal(law, "asks for a topic that its owner has yet to let go of", "nothing", o.all[from:].asks("x"))
	o.Settle()
	t.Equal(law, "it goes over when it has", "[b]", o.Snapshot().Served("x"))
}

func (t *busT) neverAgain() {
	const law = "DATABUS-CONFIRM-003"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	a.PutRoute("x", routeRecord{WorkerID: a.worker, TabID: a.id, Generation: 1, ConfirmedAt: start})
	b.Subscribe("x")
	o.Drain()
	from := len(o.all)
	o.Advance(60_000)
	t.Equal(law, "asks for a confirmed route in a minute", "nothing", o.all[from:].asks("x"))
	s := o.Snapshot()
	t.Equal(law, "nobody has taken it on", "[]", s.Assigned("x"))
	t.Equal(law, "it is as it was", a.worker, s.Owner("x"))
	b.Unsubscribe("x")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	t.Equal(law, "when all have left and one comes back it is served", "[a]", o.Snapshot().Served("x"))
}

// silentForEver has the owner of a topic subscribe it while it is told that nobody does (DATABUS-RACE-001).
func (t *busT) silentForEver() {
	const law = "DATABUS-CONFIRM-003"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	b.Unsubscribe("x")
	a.Subscribe("x")
	t.Equal(law, "the tab elects itself", "[a]", o.Snapshot().Served("x"))
	o.Drain()
	o.Advance(60_000)
	s := o.Snapshot()
	r, _ := s.Route("x")
	t.Check(r.WorkerID == a.worker && r.ConfirmedAt != 0, law, "the route is confirmed", "a confirmed route of workera",
		fmt.Sprintf("%+v", r))
	t.Equal(law, "and nobody serves it", "[]", s.Served("x"))
	c := o.Tab("c")
	c.Subscribe("x")
	o.Advance(60_000)
	t.Equal(law, "a further subscriber does not help", "[]", o.Snapshot().Served("x"))
	a.Unsubscribe("x")
	c.Unsubscribe("x")
	o.Drain()
	c.Subscribe("x")
	o.Drain()
	t.Equal(law, "it does when all had left", "[a]", o.Snapshot().Served("x"))
}
