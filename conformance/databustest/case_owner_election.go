package databustest

import (
	"fmt"
	"slices"
	"strings"
)

// electionsOfAWalk looks at each election of a walk: only without a route, or with one of a worker that is not live.
func (t *busT) electionsOfAWalk() {
	elections := 0
	t.routes(300, func(w *walk, d *deed) {
		right, wrong := w.right(d)
		if right == "confirmed" || right == "handed" {
			return
		}
		elections++
		before, was := w.route(d.Key)
		t.Check(!was || !w.live(before.WorkerID, d), "DATABUS-OWNER-005", "who elects sees no route or a dead owner",
			"none, or one of a dead worker", fmt.Sprint(wrong, ": ", d.Tab, " ", d, " over ", w.store[d.Key]))
	})
	t.Check(elections > 0, "", "there are elections", "some", "none")
}

// noElection has an owner be worse than others in each way but death.
func (t *busT) noElection() {
	const law = "DATABUS-OWNER-005"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	for i := range 5 {
		a.Subscribe(fmt.Sprint("load", i))
		o.Drain()
	}
	a.Opens(opensFail)
	from := len(o.all)
	for _, do := range []func(){
		func() { a.Visibility("hidden") }, func() { a.Status("disconnected") }, func() { a.Status("error") },
		func() { o.Tab("c").Subscribe("x") },
		func() { b.Unsubscribe("x"); o.Drain(); b.Subscribe("x") }, func() { b.Status("error") }, func() { b.Status("connected") },
	} {
		do()
		o.Drain()
		o.Advance(heartbeat)
		t.Equal(law, "the owner", a.worker, o.Snapshot().Owner("x"))
	}
	topic := hash("x")
	t.Equal(law, "writes of its route", "nothing",
		o.all[from:].where(func(d *deed) bool { return strings.HasSuffix(d.Key, ":route:"+topic) }))
}

func (t *busT) deadAt() {
	const law = "DATABUS-OWNER-005"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	t.Equal("", "a owns the topic", a.worker, o.Snapshot().Owner("x"))
	a.Crash()
	o.Advance(ttl)
	b.Visibility("hidden")
	t.Equal(law, "at the TTL the owner is alive", a.worker, o.Snapshot().Owner("x"))
	o.Advance(1)
	b.Visibility("visible")
	s := o.Snapshot()
	t.Equal(law, "a millisecond later the next reconcile elects", b.worker, s.Owner("x"))
	t.Equal(law, "and the topic is served", "[b]", s.Served("x"))
}

func (t *busT) ownerLeft() {
	const law = "DATABUS-OWNER-005"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	a.Crash()
	root := o.root(b)
	o.Remove(root + ":worker:workera")
	b.Subscribe("y")
	t.Equal(law, "a topic that is new is elected among those that are left", b.worker, o.Snapshot().Owner("y"))
	o.Advance(heartbeat)
	r, _ := o.Snapshot().Route("x")
	t.Equal(law, "the next heartbeat elects one for the other topic", "workerb 2", fmt.Sprint(r.WorkerID, " ", r.Generation))
	c := o.Tab("c")
	c.PutRoute("z", routeRecord{WorkerID: "gone", TabID: "gone", Generation: 41, ConfirmedAt: start})
	c.Subscribe("z")
	o.Drain()
	r, _ = o.Snapshot().Route("z")
	t.Equal(law, "so does a subscription to a topic of a worker that is unknown", "workerc 42", fmt.Sprint(r.WorkerID, " ", r.Generation))
}

func (t *busT) countsItself() {
	const law = "DATABUS-OWNER-006"
	o := t.Origin()
	a := o.Tab("a")
	root := o.root(a)
	o.Remove(root + ":worker:workera")
	a.Subscribe("x")
	s := o.Snapshot()
	t.Equal(law, "alone and without a record it elects itself", a.worker, s.Owner("x"))
	t.Equal(law, "and serves the topic", "[a]", s.Served("x"))
	b := o.Tab("b")
	o.Remove(root + ":worker:workerb")
	o.Remove(root + ":worker:workera")
	b.Subscribe("y")
	t.Equal(law, "with another that is gone too it is the only one", b.worker, o.Snapshot().Owner("y"))
	o.Remove(root + ":worker:workerb")
	b.Visibility("hidden")
	b.Unsubscribe("y")
	o.Remove(root + ":worker:workerb")
	b.Subscribe("z")
	t.Equal(law, "though it is hidden", b.worker, o.Snapshot().Owner("z"))
}

func (t *busT) countsUnwritten() {
	const law = "DATABUS-OWNER-006"
	o := t.Origin()
	a := o.Tab("a")
	b := o.TabWith("b", tabRequest{})
	b.Start()
	b.FailWrites(-1)
	o.Remove(o.root(a) + ":worker:workerb")
	a.Crash()
	o.Pass(ttl + 1)
	b.Subscribe("x")
	s := o.Snapshot()
	t.Equal(law, "it owns the topic, though it can store nothing", "[b]", s.Assigned("x"))
	t.Equal(law, "and serves it", "[b]", s.Served("x"))
}

// countsMemory has what is stored of the elector say that it is dead, or busy.
func (t *busT) countsMemory() {
	const law = "DATABUS-OWNER-006"
	x := t.elector(tabRequest{})
	own, other := worker(x.worker), worker("workerz")
	own.TabID, other.Load = x.id, 1
	own.HeartbeatAt = start - 2*ttl
	t.Equal(law, "a stored record that has expired does not make it dead", x.worker, x.among(own, other))
}

func (t *busT) ownerWithout() {
	const law = "DATABUS-OWNER-007"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	b.Subscribe("x")
	o.Drain()
	c.Subscribe("x")
	o.Drain()
	s := o.Snapshot()
	t.Equal(law, "the owner is elected among all", a.worker, s.Owner("x"))
	t.Equal(law, "who subscribes", "[tabb tabc]", s.Subscribers("x"))
	did := o.Server("x", `1`)
	did = append(did, o.Drain()...)
	t.Equal(law, "a publication reaches those that subscribe, and not the owner", "b: dispatch x 1 x; c: dispatch x 1 x",
		sorted(did.Of(didDispatch)))
	t.Equal(law, "the owner has sent it once", 1, len(did.By(a).Of(didPost)))
	o.Advance(3 * heartbeat)
	t.Equal(law, "it stays the owner", "[a]", o.Snapshot().Served("x"))
}

// sixOwners has three workers that own topics hide before three others come.
func (t *busT) sixOwners() {
	const law = "DATABUS-OWNER-008"
	o := t.Origin()
	var tabs []*tab
	for round, names := range [][]string{{"a", "b", "c"}, {"d", "e", "f"}} {
		for _, x := range tabs {
			x.Visibility("hidden")
		}
		for _, name := range names {
			tabs = append(tabs, o.Tab(name))
		}
		for i := range 3 {
			tabs[0].Subscribe(fmt.Sprint("x", 3*round+i))
			o.Drain()
		}
	}
	o.Settle()
	s := o.Snapshot()
	owners := map[string]bool{}
	for i := range 6 {
		owners[s.Owner(fmt.Sprint("x", i))] = true
	}
	t.Equal(law, "each of six workers owns a topic", 6, len(owners))
	for i, x := range tabs {
		topic := fmt.Sprint("x", i)
		t.Equal(law, "and serves it", fmt.Sprintf("[%s]", x.name), s.Served(topic))
	}
	t.Equal(law, "each of them has one connection", 6, len(o.all.Of(didTStart)))
}

// roles compares the role that each worker has stored with the cut of all that are stored.
func (o *origin) roles(when string) {
	s := o.Snapshot()
	var live []workerRecord
	for _, w := range s.workers {
		live = append(live, w)
	}
	cut := eligible(live, 3)
	for _, w := range live {
		want := "standby"
		if slices.ContainsFunc(cut, func(c workerRecord) bool { return c.WorkerID == w.WorkerID }) {
			want = "active"
		}
		o.t.Equal("DATABUS-OWNER-009", "the role of "+w.WorkerID+" "+when, want, w.Role)
	}
}

func (t *busT) roleIsCut() {
	o := t.Origin()
	var tabs []*tab
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		x := o.TabWith(name, tabRequest{})
		x.Start()
		o.Advance(1)
		tabs = append(tabs, x)
	}
	tabs[4].Subscribe("x")
	tabs[4].Subscribe("y")
	o.Settle()
	from := len(o.all)
	o.roles("of five")
	for _, x := range tabs[:3] {
		x.Visibility("hidden")
		o.Advance(heartbeat)
		o.roles("when " + x.name + " has hidden")
	}
	tabs[1].Visibility("visible")
	o.Advance(heartbeat)
	o.roles("when b is visible again")
	t.Equal("DATABUS-OWNER-009", "no role has moved a route", "nothing",
		o.all[from:].where(func(d *deed) bool { return keyOf(d.Key).family == "route" }))
	tabs[0].PageHide()
	o.Advance(heartbeat)
	o.roles("when a has left")
	tabs[0].PageShow()
	o.Advance(heartbeat)
	o.roles("when a is back, behind the others")
}

func (t *busT) hiddenOwner() {
	const law = "DATABUS-OWNER-009"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	a.Visibility("hidden")
	o.Settle()
	s := o.Snapshot()
	w, _ := s.Worker(a)
	t.Equal(law, "a hidden owner is not eligible beside a visible worker", "standby", w.Role)
	t.Equal(law, "and serves what it owns", "[a]", s.Served("x"))
	b.Visibility("hidden")
	o.Settle()
	s = o.Snapshot()
	w, _ = s.Worker(a)
	t.Equal(law, "when all are hidden it is", "active", w.Role)
	t.Equal(law, "its route has stayed", a.worker, s.Owner("x"))
}
