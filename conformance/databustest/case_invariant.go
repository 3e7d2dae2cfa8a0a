package databustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// invariantCases are about what holds in every state of some given histories.
func invariantCases() []conformance.Case {
	return []conformance.Case{
		one("inv/records", "in every state of a long history each record is in order, and each load is that of its worker",
			laws("DATABUS-INV-001"), nil, func(t *busT) { t.history(t.soundRecords) }),
		one("inv/gates", "whoever is called wants the topic, and its publication came to an owner",
			laws("DATABUS-INV-002"), nil, func(t *busT) { t.history(t.soundCalls) }),
		one("inv/gate-of-a-former-owner", "what comes to one that is no owner any more reaches nobody",
			laws("DATABUS-INV-002"), nil, (*busT).formerOwner),
		one("inv/once", "one publication that one owner takes reaches each handler once, also while there are two owners",
			laws("DATABUS-INV-003"), needs(Freezes), (*busT).takesOnce),
		one("inv/one-owner", "whenever all is quiet no topic has two owners",
			laws("DATABUS-INV-004"), nil, func(t *busT) { t.history(t.soundOwners) }),
		one("inv/one-owner-after-a-sleep", "nor when an owner slept so long that it was replaced",
			laws("DATABUS-INV-004"), needs(Freezes), (*busT).ownsNoMore),
		one("inv/no-overlap", "in no state of a handoff do both hold the topic, whatever arrives first",
			laws("DATABUS-INV-005"), nil, (*busT).overlapsNot),
		one("inv/no-overlap-of-a-late-release", "nor when an owner finds out late that it handed over",
			laws("DATABUS-INV-005"), needs(Forges), (*busT).overlapsNotLate),
		one("inv/intent", "what a tab wants is what its application asked for, and is recorded",
			laws("DATABUS-INV-006"), nil, func(t *busT) { t.history(t.soundIntent) }),
		one("inv/assignments", "after a reconcile a worker owns only what a route gives it",
			laws("DATABUS-INV-007"), needs(Forges), func(t *busT) { t.history(t.soundAssignments) }),
	}
}

// A lived is the world of a history at one moment: what each tab wants, and what the last step did.
type lived struct {
	o     *origin
	tabs  []*tab
	wants map[string][]string // by the name of the tab, sorted
	did   deeds
	quiet bool // no frame is under way and no fault is left
	step  int
}

// want notes that a tab wants a topic, or no longer does.
func (l *lived) want(one *tab, topic string, wanted bool) {
	l.wants[one.name] = slices.DeleteFunc(l.wants[one.name], func(s string) bool { return s == topic })
	if wanted {
		l.wants[one.name] = sortedOf(append(l.wants[one.name], topic))
	}
}

// stranger returns a tab that owns nothing of a topic, neither in its memory nor by the stored route.
func (l *lived) stranger(topic string) *tab {
	s := l.o.Snapshot()
	for _, one := range slices.Backward(l.tabs) {
		if !slices.Contains(s.Assigned(topic), one.name) && s.Owner(topic) != one.worker {
			return one
		}
	}
	l.o.t.Blocked("prerequisite", "all tabs own %s", topic)
	return nil
}

func (l *lived) sub(n int, topic string) {
	l.want(l.tabs[n], topic, true)
	l.did = append(l.did, l.tabs[n].Subscribe(topic)...)
}

func (l *lived) unsub(n int, topic string) {
	l.did = append(l.did, l.tabs[n].Unsubscribe(topic)...)
	l.want(l.tabs[n], topic, false)
}

// history has three tabs live through a good deal, and checks the world after each step.
func (t *busT) history(check func(*lived)) {
	o := t.Origin()
	l := &lived{o: o, tabs: []*tab{o.Tab("A"), o.Tab("B"), o.Tab("C")}, wants: map[string][]string{}}
	a, b, c := l.tabs[0], l.tabs[1], l.tabs[2]
	do := func(ds deeds) { l.did = append(l.did, ds...) }
	quiet := func() { do(o.Settle()); l.quiet = true }
	for _, move := range []func(){
		func() { l.sub(2, "x") }, func() { do(o.Drain()) }, func() { l.sub(1, "x") }, func() { l.sub(1, "y") }, func() { l.sub(0, "z") }, quiet,
		func() { do(o.Server("x", "1")) }, func() { do(o.Drain()) }, func() { do(c.Publish("y", "2")) }, func() { do(a.Visibility("hidden")) },
		func() { do(o.Advance(heartbeat)) }, func() { do(a.PageHide()) }, func() { do(o.Drain()) }, func() { do(o.Server("x", "3")) },
		func() { l.unsub(2, "x") }, quiet, func() { do(a.PageShow()) }, func() { do(l.stranger("z").Emit("z", "4")) },
		func() { do(o.Drain()) }, quiet,
		func() { l.sub(2, "z") }, func() { do(o.Pass(1000)) }, func() { do(b.PageHide()) }, func() { do(b.PageShow()) }, quiet,
		func() { do(o.Server("y", "5")) }, func() { do(a.Visibility("visible")) }, func() { l.unsub(1, "y") }, func() { do(o.Pass(2*heartbeat + 1)) },
		func() { do(o.Server("z", "6")) }, quiet, func() { l.sub(0, "x") }, func() { do(l.stranger("x").Emit("x", "7")) },
		func() { do(o.Drain()) }, quiet,
		func() { do(c.PageHide()) }, func() { do(a.PageHide()) }, func() { do(o.Drain()) }, func() { do(c.PageShow()) }, func() { do(a.PageShow()) }, quiet,
	} {
		l.did, l.quiet = nil, false
		move()
		l.step++
		check(l)
	}
}

func (t *busT) soundRecords(l *lived) {
	const law = "DATABUS-INV-001"
	s := l.o.Snapshot()
	at := fmt.Sprintf("step %d: ", l.step)
	t.Equal(law, at+"keys that are no record", 0, len(s.other))
	for id, w := range s.workers {
		t.Check(w.WorkerID == id && w.TabID != "" && w.Load >= 0 && slices.Contains([]string{"active", "standby"}, w.Role) &&
			slices.Contains([]string{"connecting", "connected", "disconnected", "error"}, w.Status) &&
			slices.Contains([]string{"visible", "hidden"}, w.Visibility) && w.RegisteredAt <= w.HeartbeatAt && w.HeartbeatAt <= s.Now,
			law, at+"a worker's record is in order", "each member in its domain", jsonOf(w))
	}
	for key, r := range s.routes {
		t.Check(r.TopicKey == key && r.WorkerID != "" && r.TabID != "" && r.Generation >= 1 && (r.ConfirmedAt == 0 || r.ConfirmedAt >= r.UpdatedAt),
			law, at+"a route is in order", "its topic, an owner, a generation, and a confirmation that is not older", jsonOf(r))
		if w, found := s.workers[r.WorkerID]; found {
			t.Equal(law, at+"the tab of a route is that of its worker", w.TabID, r.TabID)
		}
	}
	for _, one := range l.tabs {
		if w, found := s.Worker(one); found {
			t.Equal(law, at+"the load of tab "+one.name, len(s.Tab(one).Assigned), w.Load)
		}
	}
}

func (t *busT) soundCalls(l *lived) {
	const law = "DATABUS-INV-002"
	for _, d := range l.did.Of(didDispatch) {
		t.Check(slices.Contains(l.wants[d.Tab], d.Topic), law, fmt.Sprintf("step %d: tab %s is called for what it wants", l.step, d.Tab),
			fmt.Sprint(l.wants[d.Tab]), d.Topic)
		t.Check(string(d.Data) != "4" && string(d.Data) != "7", law, fmt.Sprintf("step %d: what comes to one that owns nothing of it is dropped", l.step),
			"not dispatched", d.String())
	}
}

func (t *busT) soundOwners(l *lived) {
	const law = "DATABUS-INV-004"
	if !l.quiet {
		t.Step()
		return
	}
	s := l.o.Snapshot()
	for _, topic := range []string{"x", "y", "z"} {
		t.Check(len(s.Assigned(topic)) <= 1, law, fmt.Sprintf("step %d: who owns %s", l.step, topic), "at most one", jsonOf(s.Assigned(topic)))
		t.Check(len(s.Served(topic)) <= 1, law, fmt.Sprintf("step %d: whom the server sends %s", l.step, topic), "at most one", jsonOf(s.Served(topic)))
	}
}

func (t *busT) soundIntent(l *lived) {
	const law = "DATABUS-INV-006"
	s := l.o.Snapshot()
	for _, one := range l.tabs {
		v := s.Tab(one)
		t.Equal(law, fmt.Sprintf("step %d: what tab %s wants", l.step, one.name), fmt.Sprint(l.wants[one.name]), fmt.Sprint(sortedOf(v.Subscribed)))
		if !l.quiet || !v.Active {
			continue
		}
		for _, topic := range l.wants[one.name] {
			t.Check(slices.Contains(s.Subscribers(topic), one.id), law, fmt.Sprintf("step %d: that tab %s wants %s is recorded", l.step, one.name, topic),
				one.id, jsonOf(s.Subscribers(topic)))
		}
	}
}

func (t *busT) soundAssignments(l *lived) {
	const law = "DATABUS-INV-007"
	for _, one := range l.tabs {
		one.Nudge()
		s := l.o.Snapshot()
		for _, topic := range s.Tab(one).Assigned {
			t.Equal(law, fmt.Sprintf("step %d: whom the route of %s names, which tab %s owns", l.step, topic, one.name), one.worker, s.Owner(topic))
		}
	}
}

func (t *busT) formerOwner() {
	const law = "DATABUS-INV-002"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	o.Drain()
	a.PageShow()
	o.Drain()
	o.served("", "the topic stays with the next owner", "x", b)
	did := append(a.Emit("x", "1"), o.Drain()...)
	t.Equal(law, "what the former owner hands on", 0, len(did.Of(didDispatch))+countOf(did, "post EVENT"))
	did = append(b.Emit("x", "2"), o.Drain()...)
	t.Equal(law, "how often who wants it is called by the owner", 1, countOf(did.By(c), "dispatch x"))
	did = append(b.Emit("never", "3"), o.Drain()...)
	t.Equal(law, "what comes of a topic that nobody has", 0, len(did.Of(didDispatch)))
}

func (t *busT) takesOnce() {
	const law = "DATABUS-INV-003"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	c.Handle("x", "second")
	a.Freeze()
	o.Advance(heartbeat + ttl)
	a.Thaw()
	did := append(a.Emit("x", "1"), b.Emit("x", "2")...)
	did = append(did, c.Emit("x", "3")...)
	did = append(did, o.Settle()...)
	for _, data := range []string{"1", "2", "3"} {
		for _, one := range []*tab{a, b, c} {
			for _, handler := range []string{"x", "second"} {
				n := len(did.By(one).Of(didDispatch).where(func(d *deed) bool { return string(d.Data) == data && d.Handler == handler }))
				t.Check(n <= 1, law, fmt.Sprintf("how often handler %s of tab %s is called for publication %s", handler, one.name, data), "at most once", fmt.Sprint(n))
			}
		}
	}
	o.single("", "in the end", "x")
	did = append(o.Server("x", "4"), o.Drain()...)
	t.Equal(law, "how often the handlers of tab C are called with one owner", 2, len(did.By(c).Of(didDispatch)))
}

func (t *busT) overlapsNot() {
	const law = "DATABUS-INV-005"
	o := t.Origin()
	for n, first := range []string{"b", "c"} {
		r := o.roomOf(n, -1)
		r.a.Subscribe(r.x)
		o.Drain()
		r.c.Subscribe(r.x)
		o.Drain()
		o.served("", "the first tab serves itself", r.x, r.a)
		r.a.PageHide()
		for len(o.Wire()) > 0 {
			next := o.Wire()[0]
			for _, f := range o.Wire() {
				if f.To[:1] == first {
					next = f
					break
				}
			}
			o.Deliver(next)
			s := o.Snapshot()
			t.Check(len(s.Served(r.x)) <= 1, law, "who holds the topic", "at most one", jsonOf(s.Served(r.x)))
		}
		o.single(law, "at the end of the handoff", r.x)
		did := o.all.For(r.x).steps("tunsub "+r.x, "tsub "+r.x)
		t.Equal(law, "what the transports are told", []string{"tsub " + r.x, "tunsub " + r.x, "tsub " + r.x}, stepsOf(did))
	}
}

func (t *busT) overlapsNotLate() {
	const law = "DATABUS-INV-005"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	o.handOver("x", a, b)
	a.Nudge()
	for len(o.Wire()) > 0 {
		o.Deliver(o.Wire()[0])
		s := o.Snapshot()
		t.Check(len(s.Served("x")) <= 1, law, "who holds the topic", "at most one", jsonOf(s.Served("x")))
	}
	o.single(law, "at the end of the handoff", "x")
}

func (t *busT) ownsNoMore() {
	const law = "DATABUS-INV-004"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	a.Freeze()
	o.Advance(heartbeat + ttl)
	o.owner("", "the owner sleeps, and is replaced", "x", b)
	a.Thaw()
	o.Settle()
	s := o.Snapshot()
	t.Equal(law, "who owns the topic when all is quiet", tabNames(b), append([]string{}, s.Assigned("x")...))
	t.Equal(law, "whom the server sends it", tabNames(b), append([]string{}, s.Served("x")...))
}
