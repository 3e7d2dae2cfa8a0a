package databustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// visibilityCases are about pages that are hidden and still there.
func visibilityCases() []conformance.Case {
	return []conformance.Case{
		one("visibility/record", "a change writes the own record, tells the others and reconciles",
			laws("DATABUS-VISIBILITY-001"), needs(Forges), (*busT).showsItself),
		one("visibility/moves-nothing", "ten changes of an owner and of a subscriber move no route and remove nothing",
			laws("DATABUS-VISIBILITY-001"), nil, (*busT).togglesTenTimes),
		one("visibility/hidden-tabs-work", "a hidden owner fans out, and hidden subscribers are called",
			laws("DATABUS-VISIBILITY-002"), nil, (*busT).worksHidden),
		one("visibility/hidden-for-long", "a hidden tab beats, owns and is recorded as one that is seen is",
			laws("DATABUS-VISIBILITY-002"), nil, (*busT).staysHidden),
		one("visibility/visible-first", "a new topic goes to a visible worker, though hidden ones are older and have nothing to do",
			laws("DATABUS-VISIBILITY-003"), nil, (*busT).prefersVisible),
		one("visibility/visible-again", "a worker that is seen again counts again",
			laws("DATABUS-VISIBILITY-003"), nil, (*busT).prefersVisibleAgain),
		one("visibility/orphan-goes-to-a-visible-one", "so does a topic whose owner died",
			laws("DATABUS-VISIBILITY-003"), nil, (*busT).orphanToVisible),
		one("visibility/handed-to-a-visible-one", "so does one that is handed over",
			laws("DATABUS-VISIBILITY-003"), nil, (*busT).handsToVisible),
		one("visibility/all-hidden", "with no visible worker a hidden one serves",
			laws("DATABUS-VISIBILITY-003"), nil, (*busT).allHidden),
		one("visibility/health-before-visibility", "a visible worker without a connection does not come before a hidden one that has one",
			laws("DATABUS-VISIBILITY-003", "DATABUS-OWNER-001"), needs(Statuses), (*busT).healthFirst),
	}
}

func (t *busT) showsItself() {
	const law = "DATABUS-VISIBILITY-001"
	o := t.Origin()
	a, _ := o.Tab("A"), o.Tab("B")
	a.Subscribe("x")
	o.Drain()
	for _, state := range []string{"hidden", "visible"} {
		o.Remove(a.key("subscriber", hash("x"), a.id))
		did := a.Visibility(state)
		w, _ := o.Snapshot().Worker(a)
		t.Equal(law, "what its record says", state, w.Visibility)
		t.Check(countOf(did, "post REGISTRY") >= 1, law, "it tells the others", "a REGISTRY", did.String())
		t.Equal(law, "who wants x, which the reconcile sees to", []string{a.id}, o.Snapshot().Subscribers("x"))
		o.Drain()
	}
}

func (t *busT) togglesTenTimes() {
	const law = "DATABUS-VISIBILITY-001"
	o, a, _, c := t.ownedByA(originRequest{}, "x", "y")
	var did deeds
	for range 10 {
		for _, one := range []*tab{a, c} {
			for _, state := range []string{"hidden", "visible"} {
				did = append(did, one.Visibility(state)...)
				did = append(did, o.Advance(100)...)
			}
		}
	}
	t.Equal(law, "the routes that are written or removed", "nothing", did.Family("route").String())
	t.Equal(law, "the records that are removed", "nothing", did.Of(didRemove).String())
	t.Equal(law, "what the transports are told", "nothing", did.Of(didTSub, didTUnsub, didTStart, didTStop).String())
}

func (t *busT) worksHidden() {
	const law = "DATABUS-VISIBILITY-002"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	for _, one := range []*tab{a, b, c} {
		one.Visibility("hidden")
		o.Drain()
	}
	o.Advance(heartbeat)
	o.served(law, "the owner stays", "x", a)
	did := append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often the handler of the owner is called", 1, countOf(did.By(a), "dispatch x"))
	t.Equal(law, "how often that of the subscriber is", 1, countOf(did.By(c), "dispatch x"))
	c.Publish("x", "2")
	did = o.Drain()
	t.Equal(law, "what the hidden owner publishes for others", []string{"2"}, published(did.By(a)))
}

func (t *busT) staysHidden() {
	const law = "DATABUS-VISIBILITY-002"
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	a.Visibility("hidden")
	c.Visibility("hidden")
	did := append(o.Drain(), o.Advance(60_000)...)
	t.Equal(law, "the routes that are written or removed in a minute", 0, len(did.Family("route")))
	s := o.served(law, "a minute later", "x", a)
	w, _ := s.Worker(a)
	t.Equal(law, "its last heartbeat", start+60_000, w.HeartbeatAt)
	t.Check(slices.Contains(s.Subscribers("x"), c.id), law, "the hidden subscriber is recorded", c.id, jsonOf(s.Subscribers("x")))
}

// hidden is an origin whose first tabs are hidden, and whose last is not.
func (t *busT) hidden() (o *origin, a, b, c *tab) {
	o = t.Origin()
	a, b = o.TabWith("A", tabRequest{Visibility: "hidden"}), o.TabWith("B", tabRequest{Visibility: "hidden"})
	a.Start()
	b.Start()
	o.Advance(500)
	c = o.Tab("C")
	return o, a, b, c
}

func (t *busT) prefersVisible() {
	const law = "DATABUS-VISIBILITY-003"
	o, a, _, c := t.hidden()
	for n := range 4 {
		topic := fmt.Sprintf("x%d", n)
		a.Subscribe(topic)
		o.Drain()
		o.owner(law, "of workers of which one is visible", topic, c)
	}
}

func (t *busT) prefersVisibleAgain() {
	const law = "DATABUS-VISIBILITY-003"
	o, a, b, c := t.hidden()
	b.Visibility("visible")
	o.Drain()
	a.Subscribe("x")
	o.Drain()
	o.owner(law, "of two visible workers the one with the smaller id", "x", b)
	b.Visibility("hidden")
	o.Drain()
	a.Subscribe("y")
	a.Subscribe("z")
	o.Drain()
	o.owner(law, "when one is hidden again", "y", c)
	o.owner(law, "and once more", "z", c)
	o.owner(law, "what it had", "x", b)
}

func (t *busT) orphanToVisible() {
	const law = "DATABUS-VISIBILITY-003"
	o, a, _, c := t.hidden()
	a.Subscribe("x")
	o.Drain()
	o.owner("", "the visible one is chosen", "x", c)
	d := o.Tab("D")
	c.Crash()
	o.Settle()
	o.owner(law, "the worker that is visible when the owner is dead", "x", d)
	o.single(law, "afterwards", "x")
}

func (t *busT) handsToVisible() {
	const law = "DATABUS-VISIBILITY-003"
	o, a, _, c := t.hidden()
	a.Subscribe("x")
	o.Drain()
	d := o.Tab("D")
	c.PageHide()
	o.Drain()
	o.owner(law, "the worker that is visible when the owner leaves", "x", d)
}

func (t *busT) allHidden() {
	const law = "DATABUS-VISIBILITY-003"
	o, a, b, c := t.hidden()
	c.Visibility("hidden")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	o.served(law, "with no visible worker the oldest", "x", a)
	a.PageHide()
	o.Settle()
	o.single(law, "when it has left", "x")
	o.owner(law, "when it has left", "x", b)
}

func (t *busT) healthFirst() {
	o, a, b, c := t.hidden()
	c.Status("disconnected")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	o.owner("DATABUS-OWNER-001", "the visible worker has no connection", "x", a)
	o.served("DATABUS-VISIBILITY-003", "a hidden one serves", "x", a)
}
