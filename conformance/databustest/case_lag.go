package databustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// manyFrames is more than any of these cases needs to come to rest.
const manyFrames = 300

// lagCases are about tabs that hear of something before they can see it: between processes a browser delivers a frame before the writes
// that its sender made first.
func lagCases() []conformance.Case {
	behind := needs(Replicated)
	return []conformance.Case{
		under(fenced, one("lag/an-election-is-not-seen-yet", "a SUBSCRIBE comes to a tab that does not see the route yet",
			laws("DATABUS-FENCE-002", "DATABUS-CONFIRM-002"), behind, (*busT).electedUnseen)),
		under(v010, one("lag/an-election-is-obeyed-unseen", "a SUBSCRIBE comes to a tab that does not see the route yet",
			laws("DATABUS-CONTROL-004", "DATABUS-UNSUBSCRIBE-005", "DATABUS-RACE-009"), behind, (*busT).obeyedUnseen)),
		under(fenced, one("lag/two-elections-come-to-rest", "two tabs elect each other, and neither sees the route of the other",
			laws("DATABUS-LIVE-005"), behind, (*busT).electionsRest)),
		under(v010, one("lag/two-elections-go-round", "two tabs elect each other, and neither sees the route of the other",
			laws("DATABUS-RACE-009"), behind, (*busT).electionsGoRound)),
		one("lag/a-release-comes-before-its-route", "a ROUTE_RELEASED comes to a tab that does not see its route yet",
			laws("DATABUS-HANDOFF-005", "DATABUS-HANDOFF-008"), behind, (*busT).releasedUnseen),
		one("lag/a-release-to-a-bystander", "a ROUTE_RELEASED comes before its route to a tab that does not subscribe the topic",
			laws("DATABUS-HANDOFF-005", "DATABUS-HANDOFF-008"), behind, (*busT).releasedToBystander),
		one("lag/a-registry-comes-before-the-leave", "a tab subscribes a topic whose owner it still sees, although that has left",
			laws("DATABUS-STICKY-001", "DATABUS-LIVE-002"), behind, (*busT).subscribesAtALeaver),
		under(fenced, one("lag/an-unsubscribe-is-not-seen-yet", "an UNSUBSCRIBE comes before the removal of its route",
			laws("DATABUS-FENCE-001", "DATABUS-UNSUBSCRIBE-005"), behind, (*busT).unsubscribedUnseen)),
		under(v010, one("lag/an-unsubscribe-is-obeyed-unseen", "an UNSUBSCRIBE comes before the removal of its route",
			laws("DATABUS-UNSUBSCRIBE-003", "DATABUS-LIVE-004"), behind, (*busT).unsubscribeObeyed)),
		one("lag/a-subscriber-is-not-seen-by-the-last", "the owner unsubscribes and does not see yet who else subscribes",
			laws("DATABUS-HEARTBEAT-002", "DATABUS-INV-004"), behind, (*busT).subscriberUnseen),
		one("lag/a-subscriber-is-not-seen-by-a-leaver", "the owner leaves and does not see yet who else subscribes",
			laws("DATABUS-LIVE-002", "DATABUS-INV-004"), behind, (*busT).subscriberLeft),
		one("lag/a-confirmation-is-not-seen-yet", "a subscriber asks an owner again whose confirmation it does not see",
			laws("DATABUS-SUBSCRIBE-005", "DATABUS-CONFIRM-002"), behind, (*busT).asksAgain),
	}
}

// apart is an origin whose tabs run, have seen all, and see from now on what they are shown.
func (t *busT) apart(names ...string) (o *origin, tabs []*tab) {
	o = t.OriginWith(originRequest{Storage: storageReplicated})
	for _, name := range names {
		tabs = append(tabs, o.Tab(name))
		o.Shown()
	}
	return o, tabs
}

// Show has all tabs see what was written.
func (o *origin) Show() {
	for _, t := range o.tabs {
		t.Sync(0)
	}
}

// Shown lets frames arrive, each when its receiver has seen all.
func (o *origin) Shown() deeds {
	var did deeds
	for range manyFrames {
		o.Show()
		flying := o.Wire()
		if len(flying) == 0 {
			return did
		}
		did = append(did, o.Deliver(flying[0])...)
	}
	o.t.Blocked("prerequisite", "more than %d frames follow one another", manyFrames)
	return nil
}

// Beat lets one heartbeat pass in which nobody is behind.
func (o *origin) Beat() deeds {
	did := o.Shown()
	for range heartbeat / beatPiece {
		did = append(did, o.Pass(beatPiece)...)
		did = append(did, o.Shown()...)
	}
	return did
}

// Times in ms: by how much views are behind that catch up, and how often they do afterwards.
const (
	viewLag   = 10
	beatPiece = 50
)

// recovers has a tab, and no other, serve a topic within one heartbeat in which views are not behind.
func (o *origin) recovers(law, why, topic string, by *tab) {
	from := o.Snapshot().Now
	o.Pass(viewLag)
	did := append(o.Shown(), o.Pass(beatPiece-viewLag)...)
	if served := append(did, o.Beat()...).By(by).steps("tsub " + topic); len(served) > 0 {
		o.t.Note("silence", "%d ms, of which the views were %d ms behind", served[0].At-from, viewLag)
	}
	o.served(law, why, topic, by)
	r := o.owner(law, why, topic, by)
	o.t.Check(r.ConfirmedAt != 0, law, why+": the route of "+topic+" is confirmed", "confirmed", "not confirmed")
}

// electUnseen has B elect A, which hears of it and sees nothing, and returns what A does.
func (t *busT) electUnseen() (o *origin, a *tab, did deeds) {
	o, tabs := t.apart("A", "B")
	a, b := tabs[0], tabs[1]
	b.Subscribe("x")
	if owner := o.Snapshot().Owner("x"); owner != a.worker {
		t.Blocked("prerequisite", "B elects %q, not A", owner)
	}
	return o, a, o.Arrive(a).By(a)
}

func (t *busT) electedUnseen() {
	o, a, did := t.electUnseen()
	t.Equal("DATABUS-FENCE-002", "what A asks its transport for, and posts", "nothing", did.Of(didTSub, didTUnsub, didPost).String())
	o.recovers("DATABUS-CONFIRM-002", "asked again", "x", a)
}

func (t *busT) obeyedUnseen() {
	o, a, did := t.electUnseen()
	t.Equal("DATABUS-CONTROL-004", "the subscriptions at A for a SUBSCRIBE without a route", 1, countOf(did, "tsub x"))
	t.Equal("DATABUS-UNSUBSCRIBE-005", "those that the REGISTRY after it ends", 1, countOf(did, "tunsub x"))
	o.recovers("DATABUS-RACE-009", "asked again", "x", a)
}

// electEachOther has A and B elect each other for one topic. Either has more to do than the other, as far as it can see.
func (t *busT) electEachOther() *origin {
	o, tabs := t.apart("B")
	b := tabs[0]
	b.Subscribe("q")
	a := o.Tab("A")
	o.Shown()
	a.Subscribe("p1")
	a.Subscribe("p2")
	o.Lose()
	a.Subscribe("x")
	first := o.Snapshot().Owner("x")
	b.Subscribe("x")
	if second := o.Snapshot().Owner("x"); first != b.worker || second != a.worker {
		t.Blocked("prerequisite", "A elects %q and B %q, not each other", first, second)
	}
	return o
}

func (t *busT) electionsRest() {
	o := t.electEachOther()
	o.do("drain", drainRequest{Max: manyFrames})
	t.Equal("DATABUS-LIVE-005", fmt.Sprintf("the frames under way after %d", manyFrames), 0, len(o.Wire()))
	o.Beat()
	o.single("DATABUS-LIVE-005", "seen by both", "x")
}

func (t *busT) electionsGoRound() {
	o := t.electEachOther()
	did := o.do("drain", drainRequest{Max: manyFrames})
	t.Check(len(o.Wire()) > 0, "DATABUS-RACE-009", fmt.Sprintf("frames beget frames, and are under way after %d", manyFrames), "some",
		"none")
	t.Note("transports", "%d subscriptions and %d releases of one topic in %d frames",
		countOf(did, "tsub x"), countOf(did, "tunsub x"), manyFrames)
	o.Beat()
	o.single("DATABUS-RACE-009", "seen by both, it heals", "x")
}

// behindAnOwner has A own x, for itself and one other.
func (t *busT) behindAnOwner(other string, names ...string) (o *origin, tabs []*tab) {
	o, tabs = t.apart(names...)
	a := tabs[0]
	a.Subscribe("x")
	o.Shown()
	for _, x := range tabs {
		if x.name == other {
			x.Subscribe("x")
		}
	}
	o.Shown()
	o.served("", "A, which wanted it first, serves x", "x", a)
	return o, tabs
}

func (t *busT) releasedUnseen() {
	o, tabs := t.behindAnOwner("B", "A", "B")
	a, b := tabs[0], tabs[1]
	o.Pass(1)
	t.Equal("", "the releases that A posts", 1, countOf(a.PageHide(), "post ROUTE_RELEASED"))
	did := o.Arrive(b)
	t.Equal("DATABUS-HANDOFF-005", "what B subscribes on a release that its route does not speak of", 0, countOf(did, "tsub x"))
	o.recovers("DATABUS-HANDOFF-008", "within a heartbeat", "x", b)
	t.Equal("DATABUS-HANDOFF-008", "the owner that is gone does not block: whom the route waited for", a.worker,
		o.owner("DATABUS-HANDOFF-008", "still", "x", b).HandoffFrom)
}

func (t *busT) releasedToBystander() {
	o, tabs := t.behindAnOwner("C", "A", "B", "C")
	a, b, c := tabs[0], tabs[1], tabs[2]
	o.Pass(1)
	t.Equal("", "the releases that A posts", 1, countOf(a.PageHide(), "post ROUTE_RELEASED"))
	did := append(o.Arrive(b), o.Arrive(c)...)
	t.Equal("DATABUS-HANDOFF-005", "what is subscribed on a release that no route speaks of", 0, countOf(did, "tsub x"))
	o.recovers("DATABUS-HANDOFF-008", "within a heartbeat", "x", b)
}

func (t *busT) subscribesAtALeaver() {
	o, tabs := t.apart("A", "B")
	a, b := tabs[0], tabs[1]
	a.Subscribe("x")
	o.Shown()
	a.PageHide()
	o.Arrive(b)
	did := b.Subscribe("x")
	t.Equal("DATABUS-STICKY-001", "the routes that B writes, which sees a live owner", 0, len(did.Of(didWrite).Family("route")))
	o.recovers("DATABUS-LIVE-002", "within a heartbeat", "x", b)
}

// unsubscribeUnseen has B, for whom A owns x, unsubscribe it, and returns what A does that sees nothing of it.
func (t *busT) unsubscribeUnseen() (o *origin, did deeds) {
	o, tabs := t.apart("A", "B")
	a, b := tabs[0], tabs[1]
	b.Subscribe("x")
	o.Shown()
	o.served("", "A serves x for B", "x", a)
	b.Unsubscribe("x")
	return o, o.Arrive(a).By(a)
}

func (t *busT) unsubscribedUnseen() {
	o, did := t.unsubscribeUnseen()
	t.Equal("DATABUS-FENCE-001", "the releases by A, whose view of the route names it", 0, countOf(did, "tunsub x"))
	o.Beat()
	o.served("DATABUS-UNSUBSCRIBE-005", "seen, within a heartbeat", "x")
}

func (t *busT) unsubscribeObeyed() {
	o, did := t.unsubscribeUnseen()
	t.Equal("DATABUS-UNSUBSCRIBE-003", "the releases by A", 1, countOf(did, "tunsub x"))
	o.Beat()
	o.served("DATABUS-LIVE-004", "a heartbeat later", "x")
}

// unseenBy has B subscribe what A owns, unseen by A, which then goes.
func (t *busT) unseenBy(law string, goes func(a *tab) deeds) {
	o, tabs := t.apart("A", "B")
	a, b := tabs[0], tabs[1]
	a.Subscribe("x")
	o.Shown()
	b.Subscribe("x")
	goes(a)
	o.owner("", "A removes the route that it takes for its own", "x", nil)
	o.Drain()
	o.Beat()
	o.single(law, "within a heartbeat", "x")
	s := o.Snapshot()
	t.Check(len(s.Served("x")) < 2 && len(s.Assigned("x")) < 2, "DATABUS-INV-004", "who has x, at rest", "at most one",
		fmt.Sprintf("assigned %v, sent %v", s.Assigned("x"), s.Served("x")))
}

func (t *busT) subscriberUnseen() {
	t.unseenBy("DATABUS-HEARTBEAT-002", func(a *tab) deeds { return a.Unsubscribe("x") })
}

func (t *busT) subscriberLeft() {
	t.unseenBy("DATABUS-LIVE-002", (*tab).PageHide)
}

func (t *busT) asksAgain() {
	o, tabs := t.apart("A", "B")
	a, b := tabs[0], tabs[1]
	b.Subscribe("x")
	a.Sync(0)
	o.Drain()
	o.served("", "A serves x for B", "x", a)
	from := len(o.all)
	for range 2 {
		o.Advance(heartbeat)
		a.Sync(0)
	}
	did := o.all[from:]
	t.Equal("DATABUS-CONFIRM-002", "how often B asks that does not see the confirmation, in two heartbeats", 2,
		countOf(did.By(b), "post CONTROL SUBSCRIBE"))
	t.Equal("DATABUS-SUBSCRIBE-005", "what A asks its transport for", "nothing", did.By(a).Of(didTSub, didTUnsub).String())
	o.served("DATABUS-SUBSCRIBE-005", "all the while", "x", a)
}
