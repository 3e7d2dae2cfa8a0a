package databustest

// handOver writes, behind the back of all, that a topic of from goes to another tab, in the generation after the stored one.
func (o *origin) handOver(topic string, from, to *tab) routeRecord {
	// A leaver that registered at the same moment may have come back from the handoff.
	o.Pass(1)
	s := o.Snapshot()
	r, _ := s.Route(topic)
	r = routeRecord{WorkerID: to.worker, TabID: to.id, UpdatedAt: s.Now, Generation: r.Generation + 1, HandoffFrom: from.worker}
	from.PutRoute(topic, r)
	return r
}

func (t *busT) releasesLate() {
	const law = "DATABUS-HANDOFF-009"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	o.handOver("x", a, b)
	did := append(b.Nudge(), c.Nudge()...)
	t.Equal("DATABUS-HANDOFF-004", "what is asked for while the old owner holds the topic", 0, len(did.Of(didPost).For("x")))
	t.Equal("DATABUS-HANDOFF-003", "what the new owner subscribes by then", 0, countOf(did, "tsub x"))
	did = a.Nudge().By(a)
	t.Equal(law, "what the old owner does when it notices", []string{"tunsub x", "post ROUTE_RELEASED"},
		stepsOf(did.steps("tunsub x", "post ROUTE_RELEASED")))
	for _, d := range did.steps("post ROUTE_RELEASED") {
		f := viewed(d.Message)
		t.Equal(law, "the generation that it names", 2, f.Generation)
		t.Equal(law, "whom it tells", b.worker, f.TargetWorkerID)
	}
	o.Drain()
	o.served(law, "when that has arrived", "x", b)
	t.Equal(law, "who handed over, after the confirmation", a.worker, o.owner(law, "still", "x", b).HandoffFrom)
}

func (t *busT) releasesOnUnsubscribe() {
	const law = "DATABUS-HANDOFF-009"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	o.handOver("x", a, b)
	did := a.Inject(controlFrame("UNSUBSCRIBE", "x", c.worker, a.worker, "")).By(a)
	t.Equal(law, "what the old owner does", []string{"tunsub x", "post ROUTE_RELEASED"}, stepsOf(did.steps("tunsub x", "post ROUTE_RELEASED")))
	o.Drain()
	o.served(law, "when that has arrived", "x", b)
}

func (t *busT) waitsForRelease() {
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	o.handOver("x", a, b)
	a.Freeze()
	did := append(b.Nudge(), c.Nudge()...)
	did = append(did, o.Advance(3*heartbeat)...)
	t.Equal("DATABUS-HANDOFF-004", "the control frames of three heartbeats", 0, countOf(did, "post CONTROL SUBSCRIBE"))
	t.Equal("DATABUS-HANDOFF-003", "what is subscribed without a release", 0, countOf(did, "tsub x"))
	o.owner("DATABUS-HANDOFF-004", "all the while", "x", b)
	// The old owner, whose last heartbeat was at the start, is dead at 10001 ms; the heartbeat after that is the one at 12000 ms.
	did = o.Advance(heartbeat)
	t.Equal("DATABUS-HANDOFF-008", "what is subscribed when the old owner is dead", 1, countOf(did, "tsub x"))
	t.Equal("DATABUS-HANDOFF-008", "who owns the topic then", tabNames(b), without(o.Snapshot().Assigned("x"), a.name))
}

// without returns the names but one.
func without(all []string, name string) []string {
	out := []string{}
	for _, n := range all {
		if n != name {
			out = append(out, n)
		}
	}
	return out
}

// ignores wants a tab to take no notice of a frame.
func (b *tab) ignores(law, why, frame string) {
	o := b.o
	did := b.Inject(frame)
	o.t.Equal(law, why+": what it does", "nothing", did.Of(didWrite, didRemove, didPost, didTSub, didTUnsub, didTPub).String())
	v := o.Snapshot().Tab(b)
	o.t.Check(len(v.Assigned) == 0, law, why+": it is assigned nothing", "nothing", jsonOf(v.Assigned))
}

func (t *busT) refusesReleases() {
	const law = "DATABUS-HANDOFF-005"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	o.handOver("x", a, b)
	b.ignores(law, "an older generation", releaseOf("x", a.worker, b.worker, 1))
	b.ignores(law, "a sender that handed nothing over", releaseOf("x", c.worker, b.worker, 2))
	b.ignores(law, "a release for another worker", releaseOf("x", a.worker, c.worker, 2))
	b.ignores(law, "a topic without a route", releaseOf("y", a.worker, b.worker, 2))
	c.ignores(law, "a worker that the route does not name", releaseOf("x", a.worker, c.worker, 2))
	t.Equal(law, "when the route was confirmed", 0, o.owner(law, "after all that", "x", b).ConfirmedAt)
	did := b.Inject(releaseOf("x", a.worker, b.worker, 2))
	t.Equal(law, "what the one that fits sets off", 1, countOf(did, "tsub x"))
	t.Check(o.owner(law, "then", "x", b).ConfirmedAt != 0, law, "the new owner confirms", "confirmed", "not confirmed")
}

func (t *busT) refusesNewer() {
	const law = "DATABUS-HANDOFF-005"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	o.handOver("x", a, b)
	did := b.Inject(releaseOf("x", a.worker, b.worker, 3))
	if countOf(did, "tsub x") > 0 {
		t.Step()
		t.Loose(looseRelease(law, did))
		return
	}
	t.Equal(law, "when the route was confirmed", 0, o.owner(law, "afterwards", "x", b).ConfirmedAt)
}

func (t *busT) refusesUnasked() {
	const law = "DATABUS-HANDOFF-005"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	now := o.Snapshot().Now
	a.PutRoute("y", routeRecord{WorkerID: b.worker, TabID: b.id, UpdatedAt: now, Generation: 1})
	b.ignores(law, "a route without a handoff", releaseOf("y", a.worker, b.worker, 1))
	a.PutRoute("y", routeRecord{WorkerID: c.worker, TabID: c.id, UpdatedAt: now, Generation: 2, HandoffFrom: a.worker})
	b.ignores(law, "a route that goes to another worker", releaseOf("y", a.worker, b.worker, 2))
	b.ignores(law, "a route that somebody else owns", releaseOf("x", a.worker, b.worker, 1))
	o.served(law, "afterwards", "x", a)
}
