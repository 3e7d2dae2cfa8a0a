package databustest

import "slices"

func (t *busT) stops() {
	const law = "DATABUS-LIFECYCLE-006"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	did := a.Stop()
	t.Equal(law, "how the stop ends", "ok", settled(did, a.lastCall()))
	t.Equal(law, "how often the transport stops", 1, len(did.Of(didTStop)))
	o.Drain()
	s := o.served(law, "what it owned is handed over", "x", b)
	v := s.Tab(a)
	t.Equal(law, "what it still wants or owns", 0, len(v.Subscribed)+len(v.Assigned)+len(v.Transport)+len(v.Server)+len(v.Known))
	t.Equal(law, "the status of a bus that stopped", "disconnected", v.Status)
	t.Equal(law, "the channel of a bus that stopped", "", v.Channel)
	_, found := s.Worker(a)
	t.Check(!found && slices.Equal(s.Subscribers("x"), []string{c.id}), law, "no record of it is left", "only "+c.id, jsonOf(s.Subscribers("x")))
	did = append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often its handlers are called", 0, len(did.By(a).Of(didDispatch)))
	t.Equal(law, "how often those of others are", 1, countOf(did.By(c), "dispatch x"))
}

func (t *busT) stopsTwice() {
	const law = "DATABUS-LIFECYCLE-006"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	a.Stop()
	did := a.Stop()
	t.Equal(law, "how the second stop ends", "ok", settled(did, a.lastCall()))
	t.Equal(law, "what else it does", 0, len(did.Of(didWrite, didRemove, didPost, didTStop, didTStart, didError)))
	t.Equal(law, "how often the transport was stopped in all", 1, len(o.all.Of(didTStop)))
}

func (t *busT) stopsListening() {
	const law = "DATABUS-LIFECYCLE-006"
	o, a, _, _ := t.ownedByA(originRequest{}, "x")
	a.Stop()
	o.Drain()
	var did deeds
	did = append(did, a.Visibility("hidden")...)
	did = append(did, a.PageHide()...)
	did = append(did, a.PageShow()...)
	did = append(did, o.Advance(60_000)...)
	t.Equal(law, "what events of the page do", "nothing", did.By(a).String())
}

func (t *busT) stopsWhileOpening() {
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	starting := a.lastCall()
	did := a.Stop()
	t.Equal("DATABUS-LIFECYCLE-006", "how the stop ends before the opening does", "", settled(did, a.lastCall()))
	t.Equal("DATABUS-LIFECYCLE-001", "what is asked of the transport meanwhile", 0, len(did.Of(didTStop, didTStart)))
	did = a.Opened()
	t.Equal("DATABUS-LIFECYCLE-006", "how often it is stopped then", 1, len(did.Of(didTStop)))
	t.Equal("DATABUS-LIFECYCLE-006", "how the stop ends", "ok", settled(did, a.lastCall()))
	t.Check(settled(o.all, starting) != "", "DATABUS-LIFECYCLE-006", "the start ends too", "it ends", "it never ends")
	t.Equal("DATABUS-LIFECYCLE-006", "the records that are left", 0, len(o.Snapshot().Storage))
	t.Equal("DATABUS-LIFECYCLE-006", "the status of a bus that stopped", "disconnected", o.Snapshot().Tab(a).Status)
	t.Equal("DATABUS-LIFECYCLE-006", "what a minute brings", 0, len(o.Advance(60_000).Of(didTStart, didTStop, didWrite)))
}

func (t *busT) stopsSuspended() {
	const law = "DATABUS-LIFECYCLE-006"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	o.Drain()
	did := a.Stop()
	t.Equal(law, "how the stop ends", "ok", settled(did, a.lastCall()))
	t.Check(len(o.all.By(a).Of(didTStop)) <= 2, law, "the transport is stopped by the stop at most once", "at most once", stepsString(o.all.By(a)))
	t.Equal(law, "what it writes", 0, len(did.By(a).Of(didWrite)))
	v := o.Snapshot().Tab(a)
	t.Equal(law, "what it still wants", 0, len(v.Subscribed))
	t.Equal(law, "the status of a bus that stopped", "disconnected", v.Status)
	t.Equal(law, "what a show does then", 0, len(a.PageShow().Of(didTStart, didWrite, didPost)))
	o.served(law, "afterwards", "x", b)
}

func (t *busT) stopsFailed() {
	const law = "DATABUS-LIFECYCLE-006"
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	a.Subscribe("x")
	a.OpenFailed()
	did := a.Stop()
	t.Equal(law, "how the stop ends", "ok", settled(did, a.lastCall()))
	t.Check(len(did.Of(didTStop)) <= 1, law, "the transport is stopped at most once", "at most once", did.String())
	v := o.Snapshot().Tab(a)
	t.Equal(law, "the status of a bus that stopped", "disconnected", v.Status)
	t.Equal(law, "what it still wants", 0, len(v.Subscribed))
	a.Opens(opensOK)
	a.Start()
	did = append(a.Emit("x", "1"), o.Drain()...)
	t.Equal(law, "how often a forgotten handler is called", 0, len(did.Of(didDispatch)))
}

func (t *busT) stopsUnstarted() {
	const law = "DATABUS-LIFECYCLE-006"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{})
	did := a.Stop()
	t.Equal(law, "how the stop ends", "ok", settled(did, a.lastCall()))
	t.Equal(law, "what the stop does", 0, len(did.Of(didWrite, didRemove, didPost, didTStart, didError)))
	t.Equal(law, "the status of a bus that stopped", "disconnected", o.Snapshot().Tab(a).Status)
}

func (t *busT) startsAgain() {
	const law = "DATABUS-LIFECYCLE-006"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	o.Drain()
	a.Stop()
	did := a.Start()
	t.Equal(law, "how the second start ends", "ok", settled(did, a.lastCall()))
	t.Equal(law, "what it subscribes", 0, len(did.Of(didTSub)))
	t.Equal(law, "who wants x", 0, len(o.Snapshot().Subscribers("x")))
	a.Subscribe("y")
	o.Drain()
	o.served(law, "it works again", "y", a)
}

func (t *busT) startsWhileStopping() {
	const law = "DATABUS-LIFECYCLE-007"
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	a.Stop()
	did := a.Start()
	t.Equal(law, "how a start ends while the bus stops", "ok", settled(did, a.lastCall()))
	a.Opened()
	o.Advance(60_000)
	t.Equal(law, "the openings in all", 1, len(o.all.Of(didTStart)))
	t.Equal(law, "the workers in the end", 0, len(o.Snapshot().workers))
}

func (t *busT) showsWhileStopping() {
	const law = "DATABUS-LIFECYCLE-006"
	o := t.Origin()
	a := o.waiting("A")
	a.Start()
	a.PageHide()
	a.Stop()
	a.PageShow()
	a.Opened()
	o.Advance(60_000)
	t.Equal(law, "what is asked of the transport in all", []string{"tstart", "tstop"}, stepsOf(o.all.Of(didTStart, didTStop)))
	t.Equal(law, "the workers in the end", 0, len(o.Snapshot().workers))
	t.Equal(law, "the status in the end", "disconnected", o.Snapshot().Tab(a).Status)
}

// agrees wants the four sets of a tab to fit each other, now that all is quiet.
func (t *busT) agrees(a *tab, why string, wants ...string) {
	const law = "DATABUS-LIFECYCLE-008"
	v := a.o.Snapshot().Tab(a)
	t.Equal(law, why+": what it wants is what its handlers are for", sortedOf(wants), sortedOf(v.Subscribed))
	for _, topic := range v.Transport {
		t.Check(slices.Contains(v.Assigned, topic), law, why+": what its transport was told belongs to it", "assigned", topic)
	}
	if v.Status == "connected" {
		t.Equal(law, why+": what its transport was told", sortedOf(v.Assigned), sortedOf(v.Transport))
	}
}

func (t *busT) fourSets() {
	const law = "DATABUS-LIFECYCLE-008"
	o, a, b, c := t.ownedByA(originRequest{}, "x", "y")
	t.agrees(a, "after two subscriptions", "x", "y")
	a.Handle("x", "second")
	a.Unsubscribe("x")
	o.Drain()
	t.agrees(a, "with another handler left", "x", "y")
	before := o.Snapshot().Tab(a).Assigned
	a.Visibility("hidden")
	a.Publish("x", "1")
	a.Status("disconnected")
	o.Drain()
	t.agrees(a, "disconnected", "x", "y")
	t.Equal(law, "what visibility, a publication and the connection change of what it owns", before, o.Snapshot().Tab(a).Assigned)
	a.Status("connected")
	o.Drain()
	t.agrees(a, "connected again", "x", "y")
	a.Unhandle("x", "second")
	o.Drain()
	t.agrees(a, "with no handler left", "y")
	a.PageHide()
	o.Drain()
	t.agrees(a, "away", "y")
	t.agrees(b, "with what was handed over")
	a.PageShow()
	b.Crash()
	o.Settle()
	t.agrees(a, "after a crash of the owner", "y")
	t.agrees(c, "after a crash of the owner", "x", "y")
	c.Unsubscribe("x")
	o.Settle()
	t.agrees(a, "in the end", "y")
	t.agrees(c, "in the end", "y")
}
