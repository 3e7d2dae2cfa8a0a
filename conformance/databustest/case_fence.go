package databustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// fenceCases are about what a tab does with a request or a storage that its own view of the route speaks against. Each is a pair: what the
// fences prevent, and what 0.1.0 does there.
func fenceCases() []conformance.Case {
	return []conformance.Case{
		under(fenced, one("fence/an-old-unsubscribe-is-refused", "an UNSUBSCRIBE arrives when the tab owns the topic again",
			laws("DATABUS-FENCE-001"), nil, oldUnsubscribeIsRefused)),
		under(v010, one("fence/an-old-unsubscribe-is-obeyed", "an UNSUBSCRIBE arrives when the tab owns the topic again",
			laws("DATABUS-CONTROL-004"), nil, oldUnsubscribeIsObeyed)),
		under(fenced, one("fence/lets-go-later", "an UNSUBSCRIBE outruns the removal of the route that it speaks of",
			laws("DATABUS-FENCE-001", "DATABUS-UNSUBSCRIBE-005"), needs(ManualFlush), letsGoLater)),
		under(fenced, one("fence/a-late-confirmation-serves", "a late confirmation brings back the route that was removed meanwhile",
			laws("DATABUS-FENCE-001", "DATABUS-LIVE-005"), needs(ManualFlush), lateConfirmationServes)),
		under(fenced, one("fence/a-foreign-subscribe-is-refused", "a SUBSCRIBE for a topic that another tab owns",
			laws("DATABUS-FENCE-002"), needs(Forges), foreignSubscribeIsRefused)),
		under(v010, one("fence/a-foreign-subscribe-is-obeyed", "a SUBSCRIBE for a topic that another tab owns",
			laws("DATABUS-CONTROL-004"), needs(Forges), foreignSubscribeIsObeyed)),
		under(fenced, one("fence/a-subscribe-without-route-is-refused", "a SUBSCRIBE outruns the route that it rests on",
			laws("DATABUS-FENCE-002"), needs(ManualFlush), subscribeWithoutRouteIsRefused)),
		under(v010, one("fence/a-subscribe-without-route-is-obeyed", "a SUBSCRIBE outruns the route that it rests on",
			laws("DATABUS-CONTROL-004"), needs(ManualFlush), subscribeWithoutRouteIsObeyed)),
		under(fenced, one("fence/a-subscribe-in-a-handoff-is-refused", "a SUBSCRIBE while the old owner still has the topic",
			laws("DATABUS-FENCE-002"), needs(Forges), subscribeInAHandoffIsRefused)),
		under(fenced, one("fence/a-lost-record-is-written-again", "a reconcile finds the own record missing",
			laws("DATABUS-FENCE-003"), needs(Forges), lostRecordIsWrittenAgain)),
		under(fenced, one("fence/a-lost-record-is-written-before-an-election", "a reconcile finds the own record and the route missing",
			laws("DATABUS-FENCE-003"), needs(Forges), lostRecordComesFirst)),
		one("fence/only-with-the-heartbeat-otherwise", "the heartbeat finds the own record missing",
			laws("DATABUS-HEARTBEAT-001"), needs(Forges), heartbeatWritesTheRecord),
	}
}

// oldUnsubscribe has the tab A subscribe and own x while a SUBSCRIBE and an UNSUBSCRIBE of B are under way to it, and returns what it does
// when they come.
func oldUnsubscribe(t *busT) (o *origin, did deeds) {
	o = t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	b.Subscribe("x")
	b.Unsubscribe("x")
	a.Subscribe("x")
	if s := o.Snapshot(); s.Owner("x") != a.worker || len(s.Served("x")) != 1 {
		t.Blocked("prerequisite", "A does not own x: its route names %q", s.Owner("x"))
	}
	return o, o.Drain().By(a)
}

func oldUnsubscribeIsRefused(t *busT) {
	o, did := oldUnsubscribe(t)
	t.Check(len(did.Of(didTUnsub)) == 0, "DATABUS-FENCE-001", "an UNSUBSCRIBE against the stored route changes nothing", "no tunsub", did.String())
	o.serves("DATABUS-FENCE-001", "x", "A")
}

func oldUnsubscribeIsObeyed(t *busT) {
	o, did := oldUnsubscribe(t)
	t.Check(len(did.Of(didTUnsub)) == 1, "DATABUS-CONTROL-004", "an UNSUBSCRIBE is obeyed against the route", "tunsub x", did.String())
	o.serves("DATABUS-CONTROL-004", "x")
}

// serves checks which tabs own a topic and are sent it by the server.
func (o *origin) serves(law, topic string, tabs ...string) {
	s := o.Snapshot()
	o.t.Equal(law, "tabs that own the topic", tabs, s.Assigned(topic))
	o.t.Equal(law, "tabs to which the server sends the topic", tabs, s.Served(topic))
}

func letsGoLater(t *busT) {
	o := t.OriginWith(originRequest{Flush: flushManual})
	a, b := o.flushed("A"), o.flushed("B")
	b.Subscribe("x")
	b.Flush()
	o.Drain()
	a.Flush()
	b.Unsubscribe("x")
	o.Drain()
	o.serves("DATABUS-FENCE-001", "x", "A")
	b.Flush()
	o.Advance(heartbeat)
	a.Flush()
	o.serves("DATABUS-UNSUBSCRIBE-005", "x")
}

// flushed opens a document whose bus runs, in an origin with manual flush.
func (o *origin) flushed(name string) *tab {
	t := o.Tab(name)
	for range 3 { // what arrives has more to write
		for _, other := range o.tabs {
			other.Flush()
		}
		o.Drain()
	}
	return t
}

func lateConfirmationServes(t *busT) {
	o := t.OriginWith(originRequest{Flush: flushManual})
	a, b := o.flushed("A"), o.flushed("B")
	b.Subscribe("x")
	b.Flush()
	o.Drain()
	b.Unsubscribe("x")
	b.Flush()
	a.Flush()
	o.Drain()
	c := o.flushed("C")
	c.Subscribe("x")
	c.Flush()
	for range 3 {
		o.Advance(heartbeat)
		a.Flush()
		b.Flush()
		c.Flush()
	}
	s := o.Snapshot()
	t.Check(len(s.Served("x")) == 1 && len(s.Assigned("x")) == 1, "DATABUS-LIVE-005", "a topic with a subscriber is served", "by one tab",
		fmt.Sprintf("assigned %v, served %v", s.Assigned("x"), s.Served("x")))
	t.Check(s.Owner("x") == a.worker, "DATABUS-FENCE-001", "who is named by the route that came back goes on", a.worker, s.Owner("x"))
}

func foreignSubscribe(t *busT) (o *origin, did deeds) {
	o = t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	a.Subscribe("x")
	o.Drain()
	if owner := o.Snapshot().Owner("x"); owner != a.worker {
		t.Blocked("prerequisite", "A does not own x: its route names %q", owner)
	}
	return o, b.Inject(controlFrame("SUBSCRIBE", "x", a.worker, b.worker, "")).By(b)
}

func foreignSubscribeIsRefused(t *busT) {
	o, did := foreignSubscribe(t)
	t.Check(len(did) == 0, "DATABUS-FENCE-002", "a SUBSCRIBE against the stored route changes nothing", "nothing", did.String())
	o.serves("DATABUS-FENCE-002", "x", "A")
}

func foreignSubscribeIsObeyed(t *busT) {
	o, did := foreignSubscribe(t)
	t.Check(len(did.Of(didTSub)) == 1, "DATABUS-CONTROL-004", "a SUBSCRIBE is obeyed against the route", "tsub x", did.String())
	o.serves("DATABUS-CONTROL-004", "x", "A", "B")
}

// outrun has B elect A for x, and A hear of it before B has written the route.
func outrun(t *busT) (o *origin, did deeds) {
	o = t.OriginWith(originRequest{Flush: flushManual})
	a, b := o.flushed("A"), o.flushed("B")
	b.Subscribe("x")
	asked := o.OnWire(a, `"SUBSCRIBE"`)
	if len(asked) != 1 {
		t.Blocked("prerequisite", "%d SUBSCRIBE are under way to A", len(asked))
	}
	return o, o.Deliver(asked[0]).By(a)
}

func subscribeWithoutRouteIsRefused(t *busT) {
	o, did := outrun(t)
	t.Check(len(did.Of(didTSub, didPost)) == 0, "DATABUS-FENCE-002", "a SUBSCRIBE without a route changes nothing", "nothing", did.String())
	o.serves("DATABUS-FENCE-002", "x")
}

func subscribeWithoutRouteIsObeyed(t *busT) {
	o, did := outrun(t)
	t.Check(len(did.Of(didTSub)) == 1, "DATABUS-CONTROL-004", "a SUBSCRIBE is obeyed without a route", "tsub x", did.String())
	o.serves("DATABUS-CONTROL-004", "x", "A")
}

func subscribeInAHandoffIsRefused(t *busT) {
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	a.Subscribe("x")
	b.Subscribe("x")
	o.Drain()
	o.Pass(1)
	a.PutRoute("x", routeRecord{WorkerID: b.worker, TabID: b.id, UpdatedAt: start + 1, Generation: 7, HandoffFrom: a.worker})
	did := b.Inject(controlFrame("SUBSCRIBE", "x", a.worker, b.worker, "")).By(b)
	t.Check(len(did.Of(didTSub)) == 0, "DATABUS-FENCE-002", "a SUBSCRIBE in a handoff that is pending changes nothing", "no tsub", did.String())
	o.serves("DATABUS-FENCE-002", "x", "A")
}

// writes returns the values that were written to a key.
func (ds deeds) writes(key string) (values []string) {
	for _, d := range ds.Of(didWrite) {
		if d.Key == key {
			values = append(values, d.Value)
		}
	}
	return values
}

func lostRecordIsWrittenAgain(t *busT) {
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	key := a.key("worker", a.worker)
	o.Remove(key)
	did := a.Inject(registryFrame(b.worker)).By(a)
	t.Check(len(did.writes(key)) == 1, "DATABUS-FENCE-003", "a reconcile writes the own record that is missing", "write "+key, did.String())
	_, there := o.Snapshot().Worker(a)
	t.Check(there, "DATABUS-FENCE-003", "the record is back", "the record of A", "none")
}

func lostRecordComesFirst(t *busT) {
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	a.Subscribe("x")
	o.Drain()
	worker, route := a.key("worker", a.worker), a.key("route", hash("x"))
	o.Remove(worker)
	o.Remove(route)
	did := a.Inject(registryFrame(b.worker)).By(a).Of(didWrite)
	first := slices.IndexFunc(did, func(d *deed) bool { return d.Key == worker })
	elected := slices.IndexFunc(did, func(d *deed) bool { return d.Key == route })
	t.Check(elected >= 0, "", "the topic is elected anew", "write "+route, did.String())
	t.Check(first >= 0 && first < elected, "DATABUS-FENCE-003", "the own record is written before the election", "the worker, then the route", did.String())
}

func heartbeatWritesTheRecord(t *busT) {
	o := t.Origin()
	a := o.Tab("A")
	key := a.key("worker", a.worker)
	o.Remove(key)
	did := o.Advance(heartbeat).By(a)
	t.Check(len(did.writes(key)) > 0, "DATABUS-HEARTBEAT-001", "each heartbeat writes the own record", "write "+key, did.String())
}
