package databustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// looseRelease is what is said of a target that takes a release newer than the route for one that fits.
func looseRelease(law string, did deeds) conformance.Break {
	return conformance.Break{
		Law: law, Reason: "a release matches the generation of the route only if it is the same", Expected: "the frame is ignored", Seen: did.String(),
	}
}

func (t *busT) dropsLonely() {
	const law = "DATABUS-HANDOFF-006"
	o := t.Origin()
	a, _ := o.Tab("A"), o.Tab("B")
	a.Subscribe("x")
	o.Drain()
	o.served("", "a tab serves itself", "x", a)
	did := a.PageHide()
	t.Equal(law, "the releases that it sends", 0, countOf(did, "post ROUTE_RELEASED"))
	t.Equal(law, "the routes that it writes", 0, countOf(did, "write route"))
	o.owner(law, "afterwards", "x", nil)
	o.Settle()
	o.owner(law, "in the end", "x", nil)
	o.served(law, "in the end", "x")
}

func (t *busT) dropsOneOfTwo() {
	const law = "DATABUS-HANDOFF-006"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	a.Subscribe("alone")
	b, c := o.Tab("B"), o.Tab("C")
	c.Subscribe("x")
	o.Drain()
	o.served("", "the first tab serves itself", "alone", a)
	did := a.PageHide()
	t.Equal(law, "the topics that it hands over", 1, countOf(did, "post ROUTE_RELEASED"))
	t.Equal(law, "what is said of the lonely one", 0, len(did.Of(didPost).For("alone")))
	o.owner(law, "the lonely one", "alone", nil)
	o.owner("DATABUS-HANDOFF-001", "the other", "x", b)
	o.Drain()
	o.served("DATABUS-HANDOFF-001", "afterwards", "x", b)
}

func (t *busT) dropsForTheDead() {
	const law = "DATABUS-HANDOFF-006"
	o := t.Origin()
	a, _ := o.Tab("A"), o.Tab("B")
	a.Subscribe("x")
	o.Drain()
	a.PutSubscriber("x", "tabGhost")
	did := a.PageHide()
	t.Equal(law, "the releases that it sends", 0, countOf(did, "post ROUTE_RELEASED"))
	s := o.Snapshot()
	t.Equal(law, "whom the route names", "", s.Owner("x"))
	t.Equal("DATABUS-UNSUBSCRIBE-004", "who is left as a subscriber", 0, len(s.Subscribers("x")))
}

func (t *busT) dropsForTheDying() {
	const law = "DATABUS-HANDOFF-006"
	o := t.Origin()
	a, _, c := o.Tab("A"), o.Tab("B"), o.Tab("C")
	c.Subscribe("x")
	o.Drain()
	o.served("", "of equal workers the first is chosen", "x", a)
	c.Crash()
	// C has been dead since 10001 ms, and nobody has looked since 9000 ms.
	o.Advance(11_000)
	did := a.PageHide()
	t.Equal(law, "the releases that it sends", 0, countOf(did, "post ROUTE_RELEASED"))
	o.owner(law, "afterwards", "x", nil)
}

// spreads gives B so many topics of its own, has A, which owns four that C wants, leave, and wants B and C to get so many of them.
func (t *busT) spreads(load, toB, toC int) {
	const law = "DATABUS-HANDOFF-007"
	o := t.Origin()
	a := o.Tab("A")
	topics := []string{"w1", "w2", "w3", "w4"}
	for _, topic := range topics {
		a.Subscribe(topic)
	}
	b := o.Tab("B")
	for n := range load {
		b.Subscribe(fmt.Sprintf("own%d", n))
		o.Drain()
		o.owner("", "the less loaded of two is chosen", fmt.Sprintf("own%d", n), b)
	}
	c := o.Tab("C")
	for _, topic := range topics {
		c.Subscribe(topic)
	}
	o.Drain()
	a.PageHide()
	o.Drain()
	got := map[string]int{}
	s := o.Snapshot()
	for _, topic := range topics {
		got[s.Owner(topic)]++
	}
	t.Equal(law, "how many topics go to the first", toB, got[b.worker])
	t.Equal(law, "and to the second", toC, got[c.worker])
}

// losesOf has A leave, and the frames with a text that are then under way be lost.
func (t *busT) losesOf(leave func(*tab) deeds, text string) {
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	leave(a)
	t.Check(o.Lose(text) > 0, "", "the leaver sends what is to be lost", "a frame", "none")
	o.Advance(heartbeat)
	o.single("DATABUS-HANDOFF-008", "one heartbeat later", "x")
	did := append(o.Server("x", "1"), o.Drain()...)
	t.Equal("DATABUS-HANDOFF-008", "how often the subscriber is called", 1, countOf(did.By(c), "dispatch x"))
}

func (t *busT) closesLossy() {
	o, a, _, c := t.ownedByA(originRequest{LossyClose: true}, "x")
	did := a.PageHide()
	t.Check(len(did.Of(didLost)) > 0, "", "the channel loses what it sent last", "lost frames", did.String())
	o.Advance(heartbeat)
	o.single("DATABUS-HANDOFF-008", "one heartbeat later", "x")
	did = append(o.Server("x", "1"), o.Drain()...)
	t.Equal("DATABUS-HANDOFF-008", "how often the subscriber is called", 1, countOf(did.By(c), "dispatch x"))
}

func (t *busT) returnsEarly() {
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	o.Lose()
	a.PageShow()
	o.Settle()
	o.single("DATABUS-LIVE-005", "in the end", "x")
	did := append(o.Server("x", "1"), o.Drain()...)
	t.Equal("DATABUS-LIVE-005", "how often the subscriber is called", 1, countOf(did.By(c), "dispatch x"))
}
