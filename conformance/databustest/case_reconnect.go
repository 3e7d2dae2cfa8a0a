package databustest

import (
	"github.com/seed-6f28358b/assay/conformance"
)

// reconnectCases are about a transport that loses its connection.
func reconnectCases() []conformance.Case {
	return []conformance.Case{
		one("reconnect/flags-only", "a lost connection clears what the transport was told, and nothing else",
			laws("DATABUS-RECONNECT-001"), needs(Statuses), func(t *busT) { t.losesFlags("disconnected") }),
		one("reconnect/flags-only-on-an-error", "so does an error",
			laws("DATABUS-RECONNECT-001"), needs(Statuses), func(t *busT) { t.losesFlags("error") }),
		one("reconnect/replay", "what is owned is subscribed once when the connection is back",
			laws("DATABUS-RECONNECT-002"), needs(Statuses), (*busT).replays),
		one("reconnect/replay-of-what-changed", "what came meanwhile is subscribed too, and what went is not",
			laws("DATABUS-RECONNECT-002", "DATABUS-RECONNECT-001"), needs(Statuses), (*busT).replaysChanges),
		one("reconnect/replay-only-the-own", "topics of others are not subscribed by who is back",
			laws("DATABUS-RECONNECT-002"), needs(Statuses), (*busT).replaysOwn),
		one("reconnect/said-twice", "connected said twice replays once, and each further loss once more",
			laws("DATABUS-RECONNECT-002"), needs(Statuses), (*busT).replaysOnTransition),
		one("reconnect/reopen", "an error has the transport opened again after 1000 ms",
			laws("DATABUS-RECONNECT-003", "DATABUS-RECONNECT-002"), needs(Statuses), (*busT).reopens),
		one("reconnect/errors-in-a-row", "errors at 0, 500 and 999 ms are one reopening",
			laws("DATABUS-RECONNECT-003"), needs(Statuses), (*busT).reopensOnce),
		one("reconnect/suppressed-error", "an error within 1000 ms schedules nothing, also for the next one",
			laws("DATABUS-RECONNECT-003"), needs(Statuses), (*busT).suppresses),
		one("reconnect/cooldown-edge", "an error 999 ms after the last one schedules nothing, one 1000 ms after it does",
			laws("DATABUS-RECONNECT-003"), needs(Statuses), (*busT).coolsDown),
		one("reconnect/reopening-fails", "a reopening that fails is an error too",
			laws("DATABUS-RECONNECT-003"), needs(Statuses, Manual), (*busT).reopensAgain),
		one("reconnect/healed-by-itself", "a connection that is back before is not opened again",
			laws("DATABUS-RECONNECT-003"), needs(Statuses), func(t *busT) {
				t.doesNotReopen(func(a *tab) { a.Status("connected") })
			}),
		one("reconnect/disconnected-by-then", "nor is one that is no longer in error",
			laws("DATABUS-RECONNECT-003"), needs(Statuses), func(t *busT) {
				t.doesNotReopen(func(a *tab) { a.Status("disconnected") })
			}),
		one("reconnect/hidden-by-then", "nor is that of a page that is away",
			laws("DATABUS-RECONNECT-003"), needs(Statuses), func(t *busT) { t.doesNotReopen(func(a *tab) { a.PageHide() }) }),
		one("reconnect/stopped-by-then", "nor is that of a bus that stopped",
			laws("DATABUS-RECONNECT-003"), needs(Statuses), func(t *busT) { t.doesNotReopen(func(a *tab) { a.Stop() }) }),
		one("reconnect/returned-by-then", "a page that returned has opened already",
			laws("DATABUS-RECONNECT-003"), needs(Statuses), (*busT).reopensByReturn),
		one("reconnect/disconnected-waits", "a lost connection alone opens nothing in a minute",
			laws("DATABUS-RECONNECT-004"), needs(Statuses), (*busT).waitsForTransport),
		one("reconnect/operation-opens", "something to do for the transport, a start or a return opens it",
			laws("DATABUS-RECONNECT-004"), needs(Statuses), (*busT).operationOpens),
	}
}

func (t *busT) losesFlags(status string) {
	const law = "DATABUS-RECONNECT-001"
	o, a, _, c := t.ownedByA(originRequest{}, "x", "y")
	did := a.Status(status)
	s := o.Snapshot()
	v := s.Tab(a)
	t.Equal(law, "what the transport was told", 0, len(v.Transport))
	t.Equal(law, "what is wanted", []string{"x", "y"}, sortedOf(v.Subscribed))
	t.Equal(law, "what is owned", []string{"x", "y"}, sortedOf(v.Assigned))
	t.Equal(law, "what the transport is told to leave, which it has lost", 0, len(did.Of(didTUnsub)))
	t.Equal(law, "who wants x", []string{a.id, c.id}, s.Subscribers("x"))
	t.Equal(law, "the routes that move", 0, len(append(did, o.Drain()...).Family("route")))
	w, _ := o.Snapshot().Worker(a)
	t.Equal(law, "what the record says", status, w.Status)
}

func (t *busT) replays() {
	const law = "DATABUS-RECONNECT-002"
	o, a, _, _ := t.ownedByA(originRequest{}, "x", "y")
	a.Status("disconnected")
	o.Drain()
	did := a.Status("connecting")
	t.Equal(law, "what is subscribed while it connects", 0, len(did.Of(didTSub)))
	did = a.Status("connected")
	t.Equal(law, "what is subscribed then", []string{"tsub x", "tsub y"}, sortedOf(stepsOf(did.Of(didTSub))))
	o.Drain()
	did = append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often the handlers are called", 2, countOf(did, "dispatch x"))
}

func (t *busT) replaysChanges() {
	const law = "DATABUS-RECONNECT-002"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("stays")
	a.Subscribe("goes")
	o.Drain()
	a.Status("error")
	did := append(a.Subscribe("comes"), a.Unsubscribe("goes")...)
	t.Equal("DATABUS-RECONNECT-001", "what it is told to leave, which it has lost already", 0, len(did.Of(didTUnsub)))
	did = o.Advance(cooldown)
	t.Equal(law, "what is subscribed when it is open again", []string{"tsub comes", "tsub stays"}, sortedOf(stepsOf(did.Of(didTSub))))
	v := o.Snapshot().Tab(a)
	t.Equal("DATABUS-RECONNECT-001", "what is wanted", []string{"comes", "stays"}, sortedOf(v.Subscribed))
	t.Equal(law, "what the server sends is what is owned", sortedOf(v.Assigned), sortedOf(v.Server))
}

func (t *busT) replaysOwn() {
	const law = "DATABUS-RECONNECT-002"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	c.Subscribe("y")
	o.Drain()
	o.owner("", "the less loaded worker is chosen", "y", b)
	c.Status("disconnected")
	did := append(o.Drain(), c.Status("connected")...)
	t.Equal(law, "what a subscriber that owns nothing subscribes", 0, len(did.Of(didTSub)))
	a.Status("disconnected")
	o.Drain()
	did = append(a.Status("connected"), o.Drain()...)
	t.Equal(law, "what an owner subscribes", []string{"tsub x"}, stepsOf(did.Of(didTSub)))
}

func (t *busT) replaysOnTransition() {
	const law = "DATABUS-RECONNECT-002"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	o.Drain()
	t.Equal(law, "what connected without a loss sets off", 0, len(a.Status("connected").Of(didTSub)))
	for range 3 {
		a.Status("disconnected")
		t.Equal(law, "what the return of the connection sets off", 1, countOf(a.Status("connected"), "tsub x"))
		t.Equal(law, "what saying it again does", 0, countOf(a.Status("connected"), "tsub x"))
	}
}

// broken is a tab that owns x and whose transport has just failed.
func (t *busT) broken() (*origin, *tab) {
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	o.Drain()
	a.Status("error")
	return o, a
}

// openedAt are the moments at which the transport was opened, in ms from the start of the case, without the first.
func openedAt(ds deeds) []int64 {
	at := []int64{}
	for n, d := range ds.Of(didTStart) {
		if n > 0 {
			at = append(at, d.At-start)
		}
	}
	return at
}

func (t *busT) reopens() {
	const law = "DATABUS-RECONNECT-003"
	o, a := t.broken()
	o.Pass(cooldown - 1)
	t.Equal(law, "when it opens within 999 ms", []int64{}, openedAt(o.all))
	did := o.Pass(1)
	t.Equal(law, "when it opens", []int64{1000}, openedAt(o.all))
	t.Equal("DATABUS-RECONNECT-002", "what is subscribed then", 1, countOf(did, "tsub x"))
	t.Equal(law, "the status after a reopening", "connected", o.Snapshot().Tab(a).Status)
	o.Pass(60_000)
	t.Equal(law, "when it opens in a minute", []int64{1000}, openedAt(o.all))
}

func (t *busT) reopensOnce() {
	const law = "DATABUS-RECONNECT-003"
	o, a := t.broken()
	o.Pass(500)
	a.Status("error")
	o.Pass(499)
	a.Status("error")
	o.Pass(60_000)
	t.Equal(law, "when it opens", []int64{1000}, openedAt(o.all))
}

func (t *busT) suppresses() {
	const law = "DATABUS-RECONNECT-003"
	o, a := t.broken()
	o.Pass(100)
	a.Status("connected")
	o.Pass(400)
	a.Status("error")
	a.Status("connected")
	o.Pass(900)
	// Had the error at 500 ms scheduled one, it would be due at 1500 ms, when this one is not over.
	a.Status("error")
	o.Pass(60_000)
	t.Equal(law, "when it opens for an error at 1400 ms", []int64{2400}, openedAt(o.all))
}

func (t *busT) coolsDown() {
	const law = "DATABUS-RECONNECT-003"
	o, a := t.broken()
	o.Pass(100)
	a.Status("connected")
	o.Pass(899)
	a.Status("error")
	a.Status("connected")
	o.Pass(2000)
	t.Equal(law, "when it opens for an error at 999 ms", []int64{}, openedAt(o.all))
	a.Status("error")
	o.Pass(500)
	a.Status("connected")
	o.Pass(500)
	// The one at 2999 ms was the last that scheduled; this is 1000 ms later.
	a.Status("error")
	o.Pass(60_000)
	t.Equal(law, "when it opens for an error 1000 ms after the last", []int64{4999}, openedAt(o.all))
}

func (t *busT) reopensAgain() {
	const law = "DATABUS-RECONNECT-003"
	o, a := t.broken()
	a.Opens(opensFail)
	o.Pass(3500)
	t.Equal(law, "when it opens while openings fail", []int64{1000, 2000, 3000}, openedAt(o.all))
	a.Opens(opensOK)
	o.Pass(60_000)
	t.Equal(law, "when it opens in all", []int64{1000, 2000, 3000, 4000}, openedAt(o.all))
	o.served(law, "in the end", "x", a)
}

func (t *busT) doesNotReopen(first func(*tab)) {
	const law = "DATABUS-RECONNECT-003"
	o, a := t.broken()
	o.Pass(500)
	first(a)
	o.Pass(60_000)
	t.Equal(law, "when it opens", []int64{}, openedAt(o.all))
}

func (t *busT) reopensByReturn() {
	const law = "DATABUS-RECONNECT-003"
	o, a := t.broken()
	o.Pass(300)
	a.PageHide()
	o.Pass(300)
	a.PageShow()
	o.Pass(60_000)
	t.Equal(law, "when it opens", []int64{600}, openedAt(o.all))
	o.served(law, "in the end", "x", a)
}

func (t *busT) waitsForTransport() {
	const law = "DATABUS-RECONNECT-004"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	o.Drain()
	a.Status("disconnected")
	o.Pass(60_000)
	t.Equal(law, "when it opens in a minute", []int64{}, openedAt(o.all))
	t.Equal(law, "what it owns", []string{"x"}, o.Snapshot().Tab(a).Assigned)
}

func (t *busT) operationOpens() {
	const law = "DATABUS-RECONNECT-004"
	o := t.Origin()
	a := o.Tab("A")
	for n, do := range []func(){
		func() { a.Subscribe("x") }, func() { a.Publish("x", "1") }, func() { a.Start() }, func() { a.PageHide(); a.PageShow() },
	} {
		a.Status("disconnected")
		o.Pass(100)
		do()
		o.Drain()
		t.Equal(law, "how often it has opened", n+1, len(openedAt(o.all)))
		t.Equal(law, "the status after a reopening", "connected", o.Snapshot().Tab(a).Status)
	}
}
