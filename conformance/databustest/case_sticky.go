package databustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// stickyCases are about topics that stay where they are.
func stickyCases() []conformance.Case {
	return []conformance.Case{
		one("sticky/live-owner", "in a walk only a leaving owner gives away a topic of a live one",
			laws("DATABUS-STICKY-001"), needs(Statuses), (*busT).liveOwnerKeeps),
		one("sticky/whatever-changes", "joins, loads, visibility, status and other candidates leave a route alone",
			laws("DATABUS-STICKY-001"), needs(Statuses), (*busT).whateverChanges),
		one("sticky/asleep", "an owner that sleeps keeps its topic until the TTL, and one that wakes in time for longer",
			laws("DATABUS-STICKY-001"), needs(Freezes), (*busT).sleepingOwner),
		one("sticky/last-subscriber", "the last subscriber and the owner that leaves end it",
			laws("DATABUS-STICKY-001"), nil, (*busT).endsOfRoutes),
		one("sticky/no-rebalancing", "an idle worker takes nothing over of one that owns ten topics",
			laws("DATABUS-STICKY-002"), nil, (*busT).noRebalancing),
		one("sticky/no-rebalancing-when-subscribed", "nor when it subscribes them all",
			laws("DATABUS-STICKY-002"), nil, (*busT).noRebalancingSubscribed),
		one("sticky/second-subscriber", "a further subscriber writes its own record and no more",
			laws("DATABUS-STICKY-003"), nil, (*busT).secondSubscriber),
		one("sticky/second-subscriber-unconfirmed", "also of a route that its owner has not confirmed",
			laws("DATABUS-STICKY-003"), nil, (*busT).secondUnconfirmed),
		one("sticky/owner-subscribes", "an owner that subscribes later does not subscribe at the transport again",
			laws("DATABUS-STICKY-003"), nil, (*busT).ownerSubscribes),
		one("sticky/returning-owner", "an owner that comes back from the cache finds its topic with another, and leaves it there",
			laws("DATABUS-STICKY-004"), nil, (*busT).returningOwner),
		one("sticky/returning-owner-alone", "even if the other one hides away in the meantime",
			laws("DATABUS-STICKY-004"), nil, (*busT).returningHidden),
		one("sticky/reloaded-owner", "nor does a reloaded tab take it back", laws("DATABUS-STICKY-004"), nil, (*busT).reloadedOwner),
		one("sticky/failed-transport", "an owner whose transport fails keeps its topics while its heart beats",
			laws("DATABUS-STICKY-005"), needs(Statuses, Manual), (*busT).failedTransport),
	}
}

func (t *busT) liveOwnerKeeps() {
	t.routes(300, func(w *walk, d *deed) {
		before, was := w.route(d.Key)
		var now routeRecord
		if !was || readRecord(d.Value, &now) != nil || now.WorkerID == before.WorkerID {
			return
		}
		t.Check(!w.live(before.WorkerID, d) || w.names[d.Tab].worker == before.WorkerID, "DATABUS-STICKY-001",
			"a topic moves from a dead owner, or by the owner", "an owner that is dead or leaves",
			fmt.Sprint(d.Tab, " ", d, " over ", w.store[d.Key]))
	})
}

// unmoved has something happen, and holds against it all that it does to the route of x.
func (o *origin) unmoved(law, when string, do func()) {
	from, before := len(o.all), o.Snapshot().Storage
	key := ""
	for k := range before {
		if strings.HasSuffix(k, ":route:"+hash("x")) {
			key = k
		}
	}
	do()
	o.Advance(heartbeat)
	o.t.Equal(law, "the route of x, "+when, before[key], o.Snapshot().Storage[key])
	o.t.Equal(law, "writes of it, "+when, "nothing", o.all[from:].where(func(d *deed) bool { return d.Key == key }))
}

func (t *busT) whateverChanges() {
	const law = "DATABUS-STICKY-001"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	t.Equal("", "a owns the topic", a.worker, o.Snapshot().Owner("x"))
	var c *tab
	o.unmoved(law, "when the owner hides", func() { a.Visibility("hidden") })
	o.unmoved(law, "when a worker joins", func() { c = o.Tab("c") })
	o.unmoved(law, "when three more join", func() { o.Tab("d"); o.Tab("e"); o.Tab("f") })
	o.unmoved(law, "when the new one subscribes", func() { c.Subscribe("x") })
	o.unmoved(law, "when the owner loses its connection", func() { a.Status("disconnected") })
	o.unmoved(law, "when it connects again", func() { a.Status("connected") })
	o.unmoved(law, "when all others hide", func() { b.Visibility("hidden"); c.Visibility("hidden") })
	o.unmoved(law, "when a publication goes by", func() { c.Publish("x", `1`); o.Server("x", `2`) })
	o.unmoved(law, "when the owner is busy", func() {
		for i := range 5 {
			a.Subscribe(fmt.Sprint("y", i))
		}
	})
	o.unmoved(law, "when the subscriber for which it was elected leaves", func() { b.Unsubscribe("x") })
	o.unmoved(law, "when another worker leaves", func() { b.PageHide() })
	o.unmoved(law, "when another worker crashes and is forgotten", func() { o.Advance(1); b.Crash(); o.Settle() })
}

// sleepingOwner has the owner stop its heart for as long as it may, and then for longer.
func (t *busT) sleepingOwner() {
	const law = "DATABUS-STICKY-001"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	w, _ := o.Snapshot().Worker(a)
	a.Freeze()
	o.Advance(w.HeartbeatAt + ttl - start)
	b.Visibility("hidden")
	t.Equal(law, "the owner at the TTL", a.worker, o.Snapshot().Owner("x"))
	a.Thaw()
	o.Advance(ttl)
	t.Equal(law, "the owner that has woken in time", a.worker, o.Snapshot().Owner("x"))
	r, _ := o.Snapshot().Route("x")
	t.Equal(law, "the generation of a topic that stayed", int64(1), r.Generation)
	a.Freeze()
	o.Advance(heartbeat + ttl)
	t.Equal(law, "the owner when it has slept for longer", b.worker, o.Snapshot().Owner("x"))
	a.Thaw()
	o.Settle()
	t.Equal(law, "it does not take the topic back when it wakes", b.worker, o.Snapshot().Owner("x"))
}

func (t *busT) endsOfRoutes() {
	const law = "DATABUS-STICKY-001"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	c := o.Tab("c")
	for _, x := range []*tab{a, b, c} {
		x.Subscribe("x")
		o.Drain()
	}
	o.unmoved(law, "when the owner unsubscribes", func() { a.Unsubscribe("x") })
	o.unmoved(law, "when another one does", func() { b.Unsubscribe("x") })
	c.Unsubscribe("x")
	o.Drain()
	_, ok := o.Snapshot().Route("x")
	t.Check(!ok, law, "the last one takes the route along", "no route", "a route")
	c.Subscribe("x")
	o.Drain()
	t.Equal(law, "and a new one is made", a.worker, o.Snapshot().Owner("x"))
	a.Stop()
	o.Drain()
	t.Equal(law, "an owner that leaves gives it away", "[b]", o.Snapshot().Served("x"))
}

// ten has one worker own ten topics that another tab subscribes as well.
func (t *busT) ten() (o *origin, a *tab) {
	o = t.Origin()
	a = o.Tab("a")
	for i := range 10 {
		a.Subscribe(fmt.Sprint("x", i))
	}
	o.Drain()
	t.Equal("", "one worker owns ten topics", 10, len(o.Snapshot().Tab(a).Assigned))
	return o, a
}

// routesIn returns what happened to routes.
func (ds deeds) routesIn() deeds {
	return ds.Of(didWrite, didRemove).where(func(d *deed) bool { return keyOf(d.Key).family == "route" })
}

func (t *busT) noRebalancing() {
	const law = "DATABUS-STICKY-002"
	o, a := t.ten()
	from := len(o.all)
	b := o.Tab("b")
	o.Advance(10 * heartbeat)
	o.Tab("c")
	a.Visibility("hidden")
	o.Advance(10 * heartbeat)
	t.Equal(law, "what happened to the routes in 20 heartbeats beside idle workers", "nothing", o.all[from:].routesIn())
	t.Equal(law, "topics of the old worker", 10, len(o.Snapshot().Tab(a).Assigned))
	b.Subscribe("y")
	o.Drain()
	t.Equal(law, "a new topic goes to who owns less", b.worker, o.Snapshot().Owner("y"))
}

func (t *busT) noRebalancingSubscribed() {
	const law = "DATABUS-STICKY-002"
	o, a := t.ten()
	from := len(o.all)
	b := o.Tab("b")
	for i := range 10 {
		b.Subscribe(fmt.Sprint("x", i))
		o.Drain()
	}
	o.Advance(10 * heartbeat)
	for i := range 10 {
		a.Unsubscribe(fmt.Sprint("x", i))
	}
	o.Advance(10 * heartbeat)
	t.Equal(law, "what happened to the routes while another worker subscribes all, and then alone", "nothing", o.all[from:].routesIn())
	t.Equal(law, "topics of the old worker", 10, len(o.Snapshot().Tab(a).Assigned))
}

// joins has a tab subscribe a topic that has an owner, and looks at all that it does.
func (x *tab) joins(topic, when string) {
	const law = "DATABUS-STICKY-003"
	t, root := x.o.t, x.o.root(x)
	did := x.Subscribe(topic)
	got := did.Of(didWrite, didRemove)
	want := root + ":subscriber:" + hash(topic) + ":" + x.id
	t.Check(len(got) == 1 && got[0].Kind == didWrite && got[0].Key == want, law, "a subscriber "+when+" writes one key", "write "+want,
		got.String())
	t.Equal(law, "it asks no worker for the topic, "+when, "nothing",
		did.Of(didPost).where(func(d *deed) bool { return strings.Contains(string(d.Message), `"CONTROL"`) }))
	t.Equal(law, "nor its own transport, "+when, "nothing", did.Of(didTSub, didTUnsub))
}

func (t *busT) secondSubscriber() {
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	a.Subscribe("x")
	o.Drain()
	b.joins("x", "beside the owner")
	o.Drain()
	a.Unsubscribe("x")
	c.joins("x", "of an owner that does not subscribe")
	o.Drain()
	d := o.TabWith("d", tabRequest{Visibility: "hidden"})
	d.Start()
	o.Drain()
	d.joins("x", "in a hidden tab")
	a.Visibility("hidden")
	o.Drain()
	e := o.Tab("e")
	e.joins("x", "that would be the better owner")
	o.Settle()
	s := o.Snapshot()
	t.Equal("DATABUS-STICKY-003", "who serves the topic", "[a]", s.Served("x"))
	t.Equal("DATABUS-STICKY-003", "who subscribes it", "[tabb tabc tabd tabe]", s.Subscribers("x"))
}

func (t *busT) secondUnconfirmed() {
	o := t.Origin()
	o.Tab("a")
	b, c := o.Tab("b"), o.Tab("c")
	b.Subscribe("x")
	for _, f := range o.controls("SUBSCRIBE", "x") {
		o.Drop(f)
	}
	o.Drain()
	c.joins("x", "of a route that is not confirmed")
	o.Drain()
}

func (t *busT) ownerSubscribes() {
	const law = "DATABUS-STICKY-003"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	a.joins("x", "that owns the topic")
	did := o.Server("x", `1`)
	did = append(did, o.Drain()...)
	t.Equal(law, "one publication reaches each once", "a: dispatch x 1 x; b: dispatch x 1 x", sorted(did.Of(didDispatch)))
}

// returns looks at a tab that came back to topics that another has taken over by generation 2.
func (t *busT) returns(o *origin, a *tab, owner *tab) {
	const law = "DATABUS-STICKY-004"
	s := o.Snapshot()
	r, _ := s.Route("x")
	t.Equal(law, "owner and generation are those of the replacement", owner.worker+" 2", fmt.Sprint(r.WorkerID, " ", r.Generation))
	t.Equal(law, "who came back has no assignment", "[]", fmt.Sprint(s.Tab(a).Assigned))
	t.Equal(law, "the replacement serves it", fmt.Sprintf("[%s]", owner.name), s.Served("x"))
	t.Check(strings.Contains(strings.Join(s.Subscribers("x"), " "), a.id), law, "who came back is a subscriber", a.id,
		fmt.Sprint(s.Subscribers("x")))
	did := o.Server("x", `1`)
	did = append(did, o.Drain()...)
	t.Equal(law, "and is served", "dispatch x 1 x", did.By(a).Of(didDispatch).texts())
}

// texts returns deeds in words, without their tabs.
func (ds deeds) texts() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.String()
	}
	return strings.Join(lines, "; ")
}

func (t *busT) returningOwner() {
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	for _, x := range []*tab{a, b, c} {
		x.Subscribe("x")
		o.Drain()
	}
	a.PageHide()
	o.Drain()
	o.Advance(100)
	from := len(o.all)
	a.PageShow()
	o.Drain()
	t.returns(o, a, b)
	o.Settle()
	t.returns(o, a, b)
	t.Equal("DATABUS-STICKY-004", "no route was written since", "nothing", o.all[from:].routesIn())
}

func (t *busT) returningHidden() {
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	a.Subscribe("x")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	a.PageHide()
	o.Drain()
	b.Visibility("hidden")
	for i := range 4 {
		b.Subscribe(fmt.Sprint("y", i))
	}
	o.Drain()
	a.PageShow()
	o.Settle()
	t.returns(o, a, b)
}

// reloadedOwner has the tab of the owner load its page anew.
func (t *busT) reloadedOwner() {
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	a.Subscribe("x")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	a.PageHide()
	a.Crash()
	o.Drain()
	again := o.TabWith("c", tabRequest{TabID: a.id})
	again.Start()
	again.Subscribe("x")
	o.Settle()
	t.returns(o, again, b)
}

func (t *busT) failedTransport() {
	const law = "DATABUS-STICKY-005"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	a.Opens(opensFail)
	for _, status := range []string{"error", "disconnected"} {
		o.unmoved(law, "while its owner is "+status+" for a minute", func() { a.Status(status); o.Advance(60_000) })
		t.Equal(law, "it is not served meanwhile", "[]", o.Snapshot().Served("x"))
	}
	a.Opens(opensOK)
	a.Status("error")
	o.Advance(cooldown)
	t.Equal(law, "it is when the transport is back", "[a]", o.Snapshot().Served("x"))
}
