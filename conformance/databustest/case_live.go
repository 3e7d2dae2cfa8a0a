package databustest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// liveCases are about what comes about in the end.
func liveCases() []conformance.Case {
	return []conformance.Case{
		one("live/takeover", "a dead owner is replaced within 13000 ms of its last heartbeat",
			laws("DATABUS-LIVE-001"), nil, (*busT).takesOver),
		one("live/takeover-when-control-is-lost", "each SUBSCRIBE that is lost costs one heartbeat more",
			laws("DATABUS-LIVE-001", "DATABUS-LIVE-003"), nil, (*busT).takesOverLate),
		one("live/takeover-of-a-dying-successor", "a successor that dies too is replaced too",
			laws("DATABUS-LIVE-001"), nil, (*busT).takesOverTwice),
		one("live/leave", "what an owner that leaves hands over is served without any time passing",
			laws("DATABUS-LIVE-002"), nil, func(t *busT) { t.leavesAtOnce((*tab).PageHide) }),
		one("live/stop", "so is what one that stops hands over",
			laws("DATABUS-LIVE-002"), nil, func(t *busT) { t.leavesAtOnce((*tab).Stop) }),
		one("live/owner-vanishes", "a topic whose owner left in another way is taken over with the next REGISTRY, or heartbeat",
			laws("DATABUS-LIVE-002"), needs(Forges), (*busT).vanishes),
		one("live/target-crashes", "a successor that dies before the release reaches it is replaced when it is dead",
			laws("DATABUS-LIVE-001"), nil, (*busT).targetCrashes),
		one("live/target-hides", "one that hides before is replaced with its REGISTRY",
			laws("DATABUS-LIVE-002"), nil, (*busT).targetHides),
		one("live/all-leave-but-one", "however many leave one after the other, who is left serves itself",
			laws("DATABUS-LIVE-002"), nil, (*busT).leavesInARow),
		one("live/any-frame-lost", "whichever frame of a run is lost, one heartbeat later all is as if none had been",
			laws("DATABUS-LIVE-003"), nil, (*busT).losesAny),
		one("live/lost-unsubscribe", "a lost UNSUBSCRIBE leaves an owner one heartbeat too long",
			laws("DATABUS-LIVE-003"), nil, (*busT).losesUnsubscribe),
		one("live/garbage", "what a crash leaves behind is gone after 13000 ms, and who served it is free one heartbeat later",
			laws("DATABUS-LIVE-004"), nil, (*busT).garbage),
		one("live/old-route", "a route that nobody wants is gone 13000 ms later",
			laws("DATABUS-LIVE-004"), needs(Forges), (*busT).oldRoute),
		one("live/service", "after crashes, hides and losses each topic that is wanted has one owner",
			laws("DATABUS-LIVE-005", "DATABUS-INV-004"), nil, (*busT).service),
		under(fenced, one("live/service-after-a-quick-leave", "also when an old UNSUBSCRIBE meets a fresh route",
			laws("DATABUS-LIVE-005"), nil, (*busT).serviceAfterRace)),
	}
}

func (t *busT) takesOver() {
	const law = "DATABUS-LIVE-001"
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	o.Advance(heartbeat)
	a.Crash()
	o.Advance(heartbeat + ttl)
	r, _ := o.Snapshot().Route("x")
	t.Check(r.WorkerID != a.worker && r.Generation == 2, law, "the route names a live worker", "another worker, generation 2", jsonOf(r))
	o.single(law, "as frames arrive, it serves by then", "x")
	did := append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often the subscriber is called", 1, countOf(did.By(c), "dispatch x"))
}

func (t *busT) takesOverLate() {
	o := t.Origin()
	a := o.Tab("A")
	b, c := o.Tab("B"), o.Tab("C")
	c.Subscribe("x")
	o.Drain()
	o.served("", "of equal workers the first is chosen", "x", a)
	a.Crash()
	o.Pass(4 * heartbeat)
	o.owner("DATABUS-LIVE-001", "12000 ms after its last heartbeat", "x", b)
	for range 2 {
		t.Check(o.Lose("CONTROL", "SUBSCRIBE") >= 1, "DATABUS-LIVE-003", "a subscriber asks the new owner, again after each heartbeat",
			"a SUBSCRIBE", "none")
		o.Drain()
		t.Equal("DATABUS-LIVE-001", "who serves without a SUBSCRIBE", 0, len(o.Snapshot().Served("x")))
		o.Pass(heartbeat)
	}
	o.Drain()
	o.served("DATABUS-LIVE-003", "with the third", "x", b)
	r := o.owner("DATABUS-LIVE-001", "in the end", "x", b)
	t.Equal("DATABUS-LIVE-001", "the generation after one takeover", 2, r.Generation)
}

func (t *busT) takesOverTwice() {
	const law = "DATABUS-LIVE-001"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	a.Crash()
	o.Advance(heartbeat + ttl)
	o.owner(law, "of equal workers the first that is left", "x", b)
	b.Crash()
	o.Advance(heartbeat + ttl)
	r := o.owner(law, "who is left then", "x", c)
	t.Equal(law, "the generation after two takeovers", 3, r.Generation)
	o.single(law, "in the end", "x")
}

func (t *busT) leavesAtOnce(leave func(*tab) deeds) {
	const law = "DATABUS-LIVE-002"
	o, a, _, c := t.ownedByA(originRequest{}, "x", "y", "z")
	leave(a)
	o.Drain()
	s := o.Snapshot()
	t.Equal(law, "the time that passed", start, s.Now)
	for _, topic := range []string{"x", "y", "z"} {
		o.single(law, "at the same moment", topic)
	}
	did := append(o.Server("y", "1"), o.Drain()...)
	t.Equal(law, "how often the subscriber is called", 1, countOf(did.By(c), "dispatch y"))
}

func (t *busT) vanishes() {
	const law = "DATABUS-LIVE-002"
	o, a, b, c := t.ownedByA(originRequest{}, "x", "y")
	b.Subscribe("y")
	worker := a.key("worker", a.worker)
	a.Crash()
	o.Remove(worker)
	c.Nudge()
	o.Drain()
	o.single(law, "with a REGISTRY", "x")
	o.Advance(heartbeat)
	o.single(law, "one heartbeat later", "y")
}

func (t *busT) targetCrashes() {
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	b.Crash()
	o.Drain()
	o.Advance(heartbeat + ttl)
	o.single("DATABUS-LIVE-001", "13000 ms later", "x")
	did := append(o.Server("x", "1"), o.Drain()...)
	t.Equal("DATABUS-LIVE-001", "how often the subscriber is called", 1, countOf(did.By(c), "dispatch x"))
}

func (t *busT) targetHides() {
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	b.PageHide()
	o.Drain()
	o.served("DATABUS-LIVE-002", "at the same moment", "x", c)
	o.single("DATABUS-LIVE-002", "at the same moment", "x")
}

func (t *busT) leavesInARow() {
	const law = "DATABUS-LIVE-002"
	o := t.Origin()
	var tabs []*tab
	for _, name := range []string{"A", "B", "C", "D", "E"} {
		one := o.Tab(name)
		one.Subscribe("x")
		o.Drain()
		tabs = append(tabs, one)
	}
	for n := range 4 {
		tabs[n].PageHide()
		o.Drain()
		o.single(law, "when tab "+tabs[n].name+" has left", "x")
	}
	o.served(law, "who is left", "x", tabs[4])
	r, _ := o.Snapshot().Route("x")
	t.Equal(law, "the generation after four leaves", 5, r.Generation)
}

// A room is one of many clusters in which the same is done.
type room struct {
	a, b, c *tab
	x, y    string // topics
	passed  int    // how many frames arrived or were lost
	lose    int    // the place of the one that is lost; -1: none
	lost    string
}

// roomOf makes a cluster of three tabs.
func (o *origin) roomOf(n, lose int) *room {
	r := &room{x: fmt.Sprintf("x%d", n), y: fmt.Sprintf("y%d", n), lose: lose}
	var tabs []*tab
	for _, letter := range []string{"a", "b", "c"} {
		one := o.TabWith(fmt.Sprintf("%s%d", letter, n), tabRequest{ClusterKey: fmt.Sprintf("room%d", n)})
		one.Start()
		o.Drain()
		tabs = append(tabs, one)
	}
	r.a, r.b, r.c = tabs[0], tabs[1], tabs[2]
	return r
}

// arrive lets all frames arrive but for the one that is lost.
func (r *room) arrive(o *origin) {
	for {
		all := o.Wire()
		if len(all) == 0 {
			return
		}
		if r.passed == r.lose {
			r.lost = string(all[0].Message)
			o.Drop(all[0])
		} else {
			o.Deliver(all[0])
		}
		r.passed++
	}
}

// run takes subscriptions up and gives them up; what is left is x, wanted by b and c.
func (r *room) run(o *origin) {
	for _, do := range []func(){
		func() { r.b.Subscribe(r.x) }, func() { r.c.Subscribe(r.y) }, func() { r.c.Subscribe(r.x) }, func() { r.c.Visibility("hidden") },
		func() { r.c.Unsubscribe(r.y) },
	} {
		do()
		r.arrive(o)
	}
}

// state is what one sees of a room, by the first letters of its tabs.
func (r *room) state(s *snapshot) string {
	var out []string
	for _, topic := range []string{r.x, r.y} {
		route, _ := s.Route(topic)
		letters := func(all []string) string {
			var b strings.Builder
			for _, name := range all {
				b.WriteByte(name[0])
			}
			return b.String()
		}
		owner := s.tabs(func(v *tabView) bool { return v.WorkerID == route.WorkerID })
		out = append(out, fmt.Sprintf("served by %q, assigned to %q, route to %q, confirmed %t, %d subscribers", letters(s.Served(topic)),
			letters(s.Assigned(topic)), letters(owner), route.ConfirmedAt != 0, len(s.Subscribers(topic))))
	}
	return strings.Join(out, "; ")
}

func (t *busT) losesAny() {
	const law = "DATABUS-LIVE-003"
	o := t.Origin()
	whole := o.roomOf(0, -1)
	whole.run(o)
	rooms := []*room{}
	for n := range whole.passed {
		r := o.roomOf(n+1, n)
		r.run(o)
		rooms = append(rooms, r)
	}
	t.Check(len(rooms) >= 8, "", "a run takes some frames", "at least 8", fmt.Sprint(len(rooms)))
	o.Advance(heartbeat)
	s := o.Snapshot()
	for _, r := range rooms {
		t.Equal(law, "after the loss of "+r.lost, whole.state(s), r.state(s))
	}
}

func (t *busT) losesUnsubscribe() {
	const law = "DATABUS-LIVE-003"
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	b.Subscribe("x")
	o.Drain()
	o.served("", "of equal workers the first is chosen", "x", a)
	b.Unsubscribe("x")
	t.Equal(law, "the UNSUBSCRIBEs under way", 1, o.Lose("UNSUBSCRIBE"))
	o.Lose()
	o.Pass(heartbeat)
	o.served(law, "one heartbeat later", "x")
}

func (t *busT) garbage() {
	const law = "DATABUS-LIVE-004"
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	for _, topic := range []string{"x", "y", "z"} {
		b.Subscribe(topic)
		o.Drain()
	}
	s := o.Snapshot()
	t.Check(len(s.Tab(a).Server) > 0, "", "the tab that stays serves something", "topics", "none")
	b.Crash()
	o.Advance(heartbeat + ttl)
	s = o.Snapshot()
	_, found := s.Worker(b)
	t.Check(!found && len(s.subscribers) == 0, law, "what the crash left is gone", "no worker and no subscriber", jsonOf(s.Storage))
	o.Advance(heartbeat)
	s = o.Snapshot()
	t.Equal(law, "the routes that are left", 0, len(s.routes))
	t.Equal(law, "what the tab that stays still serves", 0, len(s.Tab(a).Server))
	t.Equal(law, "how many keys are left", 1, len(s.Storage))
}

func (t *busT) oldRoute() {
	const law = "DATABUS-LIVE-004"
	o := t.Origin()
	a := o.Tab("A")
	o.Pass(1000)
	now := o.Snapshot().Now
	a.PutRoute("x", routeRecord{WorkerID: a.worker, TabID: a.id, UpdatedAt: now, Generation: 1})
	o.Advance(ttl)
	_, found := o.Snapshot().Route("x")
	t.Check(found, law, "10000 ms are not too old", "a route", "none")
	o.Advance(heartbeat)
	o.owner(law, "13000 ms later", "x", nil)
}

func (t *busT) service() {
	o, a, b, c := t.ownedByA(originRequest{}, "x", "y", "z")
	d := o.Tab("D")
	d.Subscribe("x")
	a.PageHide()
	o.Lose("REGISTRY")
	o.Drain()
	b.Crash()
	d.Subscribe("w")
	o.Lose("CONTROL")
	a.PageShow()
	o.Drain()
	c.Visibility("hidden")
	o.Settle()
	for _, topic := range []string{"x", "y", "z", "w"} {
		o.single("DATABUS-LIVE-005", "in the end", topic)
		owners := o.Snapshot().Assigned(topic)
		t.Check(len(owners) <= 1, "DATABUS-INV-004", "who owns "+topic+" when all is quiet", "at most one", jsonOf(owners))
	}
	did := append(o.Server("w", "1"), o.Drain()...)
	t.Equal("DATABUS-LIVE-005", "how often the subscriber of w is called", 1, countOf(did.By(d), "dispatch w"))
}

func (t *busT) serviceAfterRace() {
	const law = "DATABUS-LIVE-005"
	o := t.Origin()
	a, b := o.Tab("A"), o.Tab("B")
	b.Subscribe("x")
	b.Unsubscribe("x")
	a.Subscribe("x")
	o.Drain()
	o.Settle()
	o.single(law, "in the end", "x")
	did := append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often the subscriber is called", 1, countOf(did.By(a), "dispatch x"))
	t.Check(!slices.Contains(o.Snapshot().Subscribers("x"), b.id), law, "who left is no subscriber", "not "+b.id, b.id)
}
