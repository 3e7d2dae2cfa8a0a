package databustest

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// handoffCases are about an owner that hands its topics over.
func handoffCases() []conformance.Case {
	return []conformance.Case{
		one("handoff/order-of-a-hide", "an owner hides in the order that its peers rely on",
			laws("DATABUS-HANDOFF-001", "DATABUS-HANDOFF-003"), nil, func(t *busT) { t.leaves((*tab).PageHide) }),
		one("handoff/order-of-a-stop", "an owner stops in the same order",
			laws("DATABUS-HANDOFF-001", "DATABUS-HANDOFF-003"), nil, func(t *busT) { t.leaves((*tab).Stop) }),
		one("handoff/order-of-many-topics", "each topic is flushed, released and told of before the next",
			laws("DATABUS-HANDOFF-001", "DATABUS-HANDOFF-003"), nil, (*busT).leavesMany),
		one("handoff/silent-afterwards", "a page that has left listens to nothing and beats no more",
			laws("DATABUS-HANDOFF-001", "DATABUS-HEARTBEAT-003"), nil, (*busT).leavesSilently),
		one("handoff/record", "the route that is handed over names the next owner, the last one and the next generation",
			laws("DATABUS-HANDOFF-002", "DATABUS-ROUTE-004"), nil, (*busT).handedRecord),
		one("handoff/record-of-the-third-owner", "each handoff names its own leaver",
			laws("DATABUS-HANDOFF-002", "DATABUS-HANDOFF-009"), nil, (*busT).handedTwice),
		one("handoff/release-then-subscribe", "the next owner subscribes when the release has arrived, and not before",
			laws("DATABUS-HANDOFF-003", "DATABUS-HANDOFF-005"), nil, (*busT).releasesFirst),
		one("handoff/late-release", "an owner whose route was handed over behind its back lets go and says so",
			laws("DATABUS-HANDOFF-009", "DATABUS-HANDOFF-003", "DATABUS-HANDOFF-004"), needs(Forges), (*busT).releasesLate),
		one("handoff/late-release-on-unsubscribe", "an UNSUBSCRIBE brings such an owner to the same",
			laws("DATABUS-HANDOFF-009"), needs(Forges), (*busT).releasesOnUnsubscribe),
		one("handoff/no-retry-while-pending", "while a release is awaited nobody asks for the topic",
			laws("DATABUS-HANDOFF-004", "DATABUS-HANDOFF-003", "DATABUS-HANDOFF-008"), needs(Forges, Freezes), (*busT).waitsForRelease),
		one("handoff/releases-that-do-not-fit", "a release that differs from the route in one member changes nothing",
			laws("DATABUS-HANDOFF-005"), needs(Forges), (*busT).refusesReleases),
		one("handoff/release-of-a-newer-generation", "a release newer than the route does not match it",
			laws("DATABUS-HANDOFF-005"), needs(Forges), (*busT).refusesNewer),
		one("handoff/release-without-a-handoff", "a release of a route that waits for none changes nothing",
			laws("DATABUS-HANDOFF-005"), needs(Forges), (*busT).refusesUnasked),
		one("handoff/nobody-is-left", "a topic that only the leaver wanted is dropped",
			laws("DATABUS-HANDOFF-006"), nil, (*busT).dropsLonely),
		one("handoff/one-of-two-is-wanted", "of two topics the one that is wanted is handed over, the other dropped",
			laws("DATABUS-HANDOFF-006", "DATABUS-HANDOFF-001"), nil, (*busT).dropsOneOfTwo),
		one("handoff/only-dead-subscribers-are-left", "a subscriber without a worker does not keep a topic",
			laws("DATABUS-HANDOFF-006", "DATABUS-UNSUBSCRIBE-004"), needs(Forges), (*busT).dropsForTheDead),
		one("handoff/owner-of-what-only-the-dead-want", "nor does one that died unnoticed, for an owner that wants nothing itself",
			laws("DATABUS-HANDOFF-006"), nil, (*busT).dropsForTheDying),
		one("handoff/spreads-load", "four topics of one leaver go to two idle workers by halves",
			laws("DATABUS-HANDOFF-007"), nil, func(t *busT) { t.spreads(0, 2, 2) }),
		one("handoff/spreads-uneven-load", "what a worker has already counts as well",
			laws("DATABUS-HANDOFF-007"), nil, func(t *busT) { t.spreads(2, 1, 3) }),
		one("handoff/release-is-lost", "a lost release does not keep a topic silent",
			laws("DATABUS-HANDOFF-008"), nil, func(t *busT) { t.losesOf((*tab).PageHide, "ROUTE_RELEASED") }),
		one("handoff/release-of-a-stop-is-lost", "nor does that of a bus that stopped",
			laws("DATABUS-HANDOFF-008"), nil, func(t *busT) { t.losesOf((*tab).Stop, "ROUTE_RELEASED") }),
		one("handoff/all-frames-are-lost", "nor does the loss of all that the leaver sent",
			laws("DATABUS-HANDOFF-008"), nil, func(t *busT) { t.losesOf((*tab).PageHide, "") }),
		one("handoff/lossy-close", "nor does a channel that loses what it sent last",
			laws("DATABUS-HANDOFF-008"), needs(LossyClose), (*busT).closesLossy),
		one("handoff/old-owner-returns", "nor does a leaver that is back before anybody noticed",
			laws("DATABUS-LIVE-005"), nil, (*busT).returnsEarly),
	}
}

// ownedByA is an origin in which A owns topics that it and C want, and B is idle.
func (t *busT) ownedByA(q originRequest, topics ...string) (o *origin, a, b, c *tab) {
	o = t.OriginWith(q)
	a = o.Tab("A")
	for _, topic := range topics {
		a.Subscribe(topic)
	}
	b, c = o.Tab("B"), o.Tab("C")
	for _, topic := range topics {
		c.Subscribe(topic)
		o.Drain()
		o.served("", "the first tab serves what it was the first to want", topic, a)
	}
	return o, a, b, c
}

// told are the deeds of a leave that its law orders.
func told(ds deeds) []string {
	return stepsOf(ds.where(func(d *deed) bool {
		return !slices.Contains([]string{"write worker", didStatus + " " + d.Status, didSettled, didTrace, didLost}, stepOf(d))
	}))
}

func (t *busT) leaves(leave func(*tab) deeds) {
	_, a, _, _ := t.ownedByA(originRequest{}, "x")
	did := leave(a).By(a)
	t.Equal("DATABUS-HANDOFF-001", "the order of a leave", []string{
		"remove subscriber", "write route", "tunsub x", "post ROUTE_RELEASED", "remove worker", "post REGISTRY", "close", "tstop",
	}, told(did))
	t.Check(indexOf(did, "tunsub x") < indexOf(did, "post ROUTE_RELEASED"), "DATABUS-HANDOFF-003",
		"the old owner lets go before it says so", "tunsub, then ROUTE_RELEASED", did.String())
}

func (t *busT) leavesMany() {
	o, a, _, _ := t.ownedByA(originRequest{}, "x", "y", "z")
	did := a.PageHide().By(a)
	last := -1
	for n := range 3 {
		route := did.Family("route")
		if !t.Check(len(route) == 3, "DATABUS-HANDOFF-001", "each topic gets a route of its own", "3 writes of routes", did.String()) {
			return
		}
		at := slices.Index(did, route[n])
		t.Check(last < at, "DATABUS-HANDOFF-001", "a topic is finished before the next begins", "route, release, route", did.String())
		gone := did.where(func(d *deed) bool {
			return stepOf(d) == "post ROUTE_RELEASED" && hash(viewed(d.Message).Topic) == keyTopic(route[n])
		})
		if !t.Check(len(gone) == 1, "DATABUS-HANDOFF-001", "one release for each topic", "one", gone.String()) {
			return
		}
		let := did.Of(didTUnsub).For(viewed(gone[0].Message).Topic)
		last = slices.Index(did, gone[0])
		t.Check(len(let) == 1 && at < slices.Index(did, let[0]), "DATABUS-HANDOFF-001", "the route is stored before the transport lets go",
			"route, tunsub", did.String())
		t.Check(len(let) == 1 && slices.Index(did, let[0]) < last, "DATABUS-HANDOFF-003", "the transport lets go before the release is sent",
			"tunsub, ROUTE_RELEASED", did.String())
	}
	t.Check(last < indexOf(did, "remove worker"), "DATABUS-HANDOFF-001", "the worker goes last", "remove worker behind all releases", did.String())
	o.Drain()
}

// keyTopic is the topicKey in the key of a route or a subscriber.
func keyTopic(d *deed) string {
	if parts := strings.Split(d.Key, ":"); len(parts) > 3 {
		return parts[3]
	}
	return ""
}

func (t *busT) leavesSilently() {
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	o.Drain()
	t.Equal("DATABUS-HANDOFF-001", "the channel is closed", "", o.Snapshot().Tab(a).Channel)
	c.Publish("x", "1")
	c.Subscribe("y")
	did := append(o.Drain(), o.Advance(60_000)...)
	t.Equal("DATABUS-HEARTBEAT-003", "what it writes in a minute", 0, len(did.By(a).Of(didWrite, didRemove)))
	t.Equal("DATABUS-HANDOFF-001", "what reaches it or leaves it", 0, len(did.By(a).Of(didPost, didTSub, didTPub, didDispatch)))
}

func (t *busT) handedRecord() {
	const law = "DATABUS-HANDOFF-002"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	o.Advance(500)
	a.PageHide()
	r := o.owner(law, "of equal workers the first is chosen", "x", b)
	t.Equal(law, "the tab of the route that is handed over", b.id, r.TabID)
	t.Equal(law, "the leaver in the route that is handed over", a.worker, r.HandoffFrom)
	t.Equal(law, "the generation of the route that is handed over", 2, r.Generation)
	t.Equal(law, "when the route that is handed over was confirmed", 0, r.ConfirmedAt)
	t.Equal("DATABUS-ROUTE-004", "the updatedAt of the route that is handed over", start+500, r.UpdatedAt)
}

func (t *busT) handedTwice() {
	const law = "DATABUS-HANDOFF-009"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	o.Drain()
	r := o.owner("DATABUS-HANDOFF-002", "the first handoff", "x", b)
	t.Check(r.ConfirmedAt != 0 && r.HandoffFrom == a.worker, law, "the leaver stays in the record after the confirmation",
		"confirmed, from "+a.worker, jsonOf(r))
	b.PageHide()
	o.Drain()
	r = o.owner("DATABUS-HANDOFF-002", "the second handoff", "x", c)
	t.Equal("DATABUS-HANDOFF-002", "the generation of the second handoff", 3, r.Generation)
	t.Equal("DATABUS-HANDOFF-002", "the leaver of the second handoff", b.worker, r.HandoffFrom)
}

func (t *busT) releasesFirst() {
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	did := a.PageHide()
	t.Equal("DATABUS-HANDOFF-003", "what the next owner subscribes before it knows", 0, countOf(did, "tsub x"))
	did = o.Arrive(b, "ROUTE_RELEASED")
	t.Equal("DATABUS-HANDOFF-005", "what it subscribes then", 1, countOf(did.By(b), "tsub x"))
	t.Equal("DATABUS-HANDOFF-005", "the control frames that a handoff takes", 0, countOf(did, "post CONTROL SUBSCRIBE"))
	r := o.owner("DATABUS-HANDOFF-005", "afterwards", "x", b)
	t.Check(r.ConfirmedAt != 0 && r.Generation == 2, "DATABUS-HANDOFF-005", "it confirms the route as it is", "confirmed, generation 2", jsonOf(r))
	o.Settle()
	o.served("DATABUS-HANDOFF-005", "in the end", "x", b)
	t.Equal("DATABUS-HANDOFF-005", "how often it was subscribed in all", 1, countOf(o.all.By(b), "tsub x"))
}
