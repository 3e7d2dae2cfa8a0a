package databustest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func subscribeCases() []conformance.Case {
	return slices.Concat(subscribeCountCases(), subscribeOrderCases(), subscribeSelfCases(), subscribeQueueCases(), subscribeIntentCases())
}

// outward are the kinds of deeds that others of the origin or the server can notice.
func outward() []string {
	return []string{didWrite, didRemove, didRefused, didPost, didTSub, didTUnsub, didTPub, didTStart, didTStop}
}

// subscribeCountCases are about several handlers of one topic.
func subscribeCountCases() []conformance.Case {
	counted := laws("DATABUS-SUBSCRIBE-001")
	const law = "DATABUS-SUBSCRIBE-001"
	return []conformance.Case{
		one("subscribe/count", "the first handler of a topic enters the cluster, further ones do nothing", counted, nil, func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			t.Equal(law, "the first writes the subscriber record once", 1, len(a.Handle("x", "h1").Family("subscriber")))
			t.quiet(law, "the second is nobody's business", a.Handle("x", "h2"), outward()...)
			t.quiet(law, "nor is the third", a.Handle("x", "h3"), outward()...)
			t.Equal(law, "one publication calls each once", []string{"A h1 1", "A h2 1", "A h3 1"}, calledAnyOrder(o.Server("x", "1")))
		}),
		one("subscribe/count-remote", "three handlers, with the owner elsewhere, make one SUBSCRIBE", counted, nil, func(t *busT) {
			o, a, b := t.pair()
			did := b.Handle("x", "h1")
			did = append(did, b.Handle("x", "h2")...)
			did = append(did, b.Handle("x", "h3")...)
			t.Equal(law, "one subscriber record is written", 1, len(did.Family("subscriber")))
			did = append(did, o.Drain()...)
			t.Equal(law, "SUBSCRIBE is sent once", 1, len(posted(did, isSubscribe)))
			o.owns(a, "x")
			did = append(o.Server("x", "1"), o.Drain()...)
			t.Equal(law, "one publication calls each once", []string{"B h1 1", "B h2 1", "B h3 1"}, calledAnyOrder(did))
		}),
		one("subscribe/count-again", "the first handler after the last had left enters anew", counted, nil, func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			for range 3 {
				t.Equal(law, "the first enters", 1, len(a.Handle("x", "h1").Family("subscriber").Of(didWrite)))
				t.quiet(law, "the second does not", a.Handle("x", "h2"), outward()...)
				a.Unhandle("x", "h1")
				a.Unhandle("x", "h2")
			}
			t.Equal(law, "nobody subscribes in the end", []string(nil), o.Snapshot().Subscribers("x"))
		}),
		one("subscribe/count-topics", "each topic has a count of its own", counted, nil, func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			a.Handle("x", "h")
			t.Equal(law, "another topic enters", 1, len(a.Handle("X", "h").Family("subscriber")))
			t.Equal(law, "and another", 1, len(a.Handle("x ", "h").Family("subscriber")))
			t.Equal(law, "a publication is of one topic", []string{"A h 1"}, called(o.Server("X", "1")))
		}),
	}
}

// subscribeOrderCases are about what a subscription does and in which order.
func subscribeOrderCases() []conformance.Case {
	ordered := laws("DATABUS-SUBSCRIBE-002")
	const law = "DATABUS-SUBSCRIBE-002"
	return []conformance.Case{
		one("subscribe/new", "without a route: the record, a first route that nobody confirmed, and SUBSCRIBE",
			ordered, nil, func(t *busT) {
				o, a, b := t.pair()
				did := b.Subscribe("x")
				t.Equal(law, "the subscriber record is written before the route", []string{"subscriber", "route"}, families(did))
				o.firstRoute(law, did, a, 1)
				sent := posted(did, isSubscribe)
				t.Equal(law, "the elected worker is asked, once", []string{a.worker}, targets(sent))
				t.Equal(law, "the tab wants the topic", []string{"x"}, o.Snapshot().Tab(b).Subscribed)
				t.quiet(law, "and asks its own transport nothing", did, didTSub)
			}),
		one("subscribe/second", "with a live owner only the own record is written", ordered, nil, func(t *busT) {
			o, a, b := t.fanned()
			did := a.Subscribe("x")
			t.Equal(law, "the owner itself", []string{"subscriber"}, families(did))
			t.quiet(law, "the owner sends and asks nothing", did.where(noNudge), didPost, didTSub)
			c := o.Tab("C")
			did = c.Subscribe("x")
			t.Equal(law, "a third tab", []string{"subscriber"}, families(did))
			t.quiet(law, "it sends and asks nothing", did.where(noNudge), didPost, didTSub)
			t.Equal(law, "all three subscribe", []string{a.id, b.id, c.id}, o.Snapshot().Subscribers("x"))
		}),
		one("subscribe/dead-owner", "an owner that is dead is replaced with the next generation", ordered, nil, func(t *busT) {
			o, a, b := t.pair()
			c := o.Tab("C")
			a.Subscribe("x")
			o.Drain()
			a.Crash()
			o.Advance(ttl)
			did := c.Subscribe("x")
			t.quiet(law, "at the very end of its time the owner lives", did.where(noNudge), didPost)
			c.Unsubscribe("x")
			o.Advance(1)
			did = c.Subscribe("x")
			o.firstRoute(law, did, b, 2)
			t.Equal(law, "the elected worker is asked", []string{b.worker}, targets(posted(did, isSubscribe)))
			t.Equal(law, "the record is written before the route", []string{"subscriber", "route"}, families(did.Of(didWrite)))
		}),
		one("subscribe/owner-unheard-of", "an owner that nobody knows is replaced with the next generation",
			ordered, needs(Forges), func(t *busT) {
				o, a, b := t.pair()
				nobody := &tab{name: "Z", id: "tabZ", worker: "workerZ"}
				o.Put(o.routeKey("x"), o.routeTo("x", nobody, 41))
				did := b.Subscribe("x")
				o.firstRoute(law, did, a, 42)
				t.Equal(law, "the elected worker is asked", []string{a.worker}, targets(posted(did, isSubscribe)))
				o.Drain()
				o.owns(a, "x")
			}),
		one("subscribe/flush", "the record and the route wait for one flush, which writes them in that order",
			laws(law, "DATABUS-BATCH-001"), needs(ManualFlush), func(t *busT) {
				o := t.OriginWith(originRequest{Flush: flushManual})
				a := o.startFlushed("A")
				b := o.startFlushed("B")
				did := b.Subscribe("x")
				t.quiet("DATABUS-BATCH-001", "nothing is written inside the task", did, didWrite, didRemove)
				t.Equal(law, "SUBSCRIBE is sent", []string{a.worker}, targets(posted(did, isSubscribe)))
				did = b.Flush()
				t.Equal(law, "then the record and the route are written", []string{"subscriber", "route"}, families(did))
				o.firstRoute(law, did, a, 1)
			}),
	}
}

// startFlushed opens and starts a tab of an origin with manual flush, and lets what it writes reach the storage.
func (o *origin) startFlushed(name string) *tab {
	t := o.TabWith(name, tabRequest{})
	t.Start()
	t.Flush()
	o.drainFlushed()
	return t
}

// drainFlushed lets all frames arrive, and all that running tabs have to write reach the storage, until nothing is left.
func (o *origin) drainFlushed() deeds {
	var did deeds
	for range 10 {
		step := o.Drain()
		for name := range o.Snapshot().Tabs {
			step = append(step, o.do("flush", tabOnlyRequest{name})...)
		}
		did = append(did, step...)
		if len(step) == 0 {
			break
		}
	}
	return did
}

// families says of which families keys were written and removed, in order, without those of workers.
func families(did deeds) []string {
	out := []string{}
	for _, d := range did.Of(didWrite, didRemove) {
		if of := family(d.Key); of != "worker" {
			out = append(out, of)
		}
	}
	return out
}

// targets says to whom frames are addressed.
func targets(posts deeds) []string {
	out := []string{}
	for _, d := range posts {
		out = append(out, viewed(d.Message).TargetWorkerID)
	}
	return out
}

// noNudge keeps all but a REGISTRY.
func noNudge(d *deed) bool { return d.Kind != didPost || viewed(d.Message).Type != isRegistry }

// firstRoute wants the route of x that was written first to name a worker with a generation, and neither confirmed nor handed over.
func (o *origin) firstRoute(law string, did deeds, to *tab, generation int64) {
	written := did.Family("route").Of(didWrite)
	if !o.t.Check(len(written) > 0, law, "a route is written", "a write", did.String()) {
		return
	}
	var got routeRecord
	_ = json.Unmarshal([]byte(written[0].Value), &got)
	want := routeRecord{TopicKey: hash("x"), WorkerID: to.worker, TabID: to.id, UpdatedAt: written[0].At, Generation: generation}
	o.t.Equal(law, "the route", fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
}

// subscribeSelfCases are about a tab that elects itself.
func subscribeSelfCases() []conformance.Case {
	self := laws("DATABUS-SUBSCRIBE-003")
	const law = "DATABUS-SUBSCRIBE-003"
	selfElected := func(t *busT, o *origin, a *tab, did deeds, topic string) {
		s := o.Snapshot()
		r, _ := s.Route(topic)
		t.Equal(law, "the topic is assigned in the same task", []string{a.name}, s.Assigned(topic))
		t.Equal(law, "the route names the elector", a.worker, r.WorkerID)
		t.Check(r.ConfirmedAt > 0, law, "the route is confirmed in the same flush", "confirmedAt", fmt.Sprintf("%+v", r))
		t.Equal(law, "the transport is asked once", a.name+": tsub "+topic, did.Of(didTSub))
		t.quiet(law, "no CONTROL is sent", did.where(noNudge), didPost)
	}
	return []conformance.Case{
		one("subscribe/alone", "who is alone elects itself, without a word", self, nil, func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			selfElected(t, o, a, a.Subscribe("x"), "x")
			t.quiet(law, "nothing follows", o.Drain(), didTSub)
		}),
		one("subscribe/self-among-others", "who elects itself among others does so without CONTROL", self, nil, func(t *busT) {
			o, a, b := t.pair()
			selfElected(t, o, a, a.Subscribe("x"), "x")
			o.Drain()
			selfElected(t, o, b, b.Subscribe("y"), "y") // the other has the load
		}),
		one("subscribe/self-one-flush", "route and confirmation of oneself are one write",
			laws(law, "DATABUS-BATCH-001"), needs(ManualFlush), func(t *busT) {
				o := t.OriginWith(originRequest{Flush: flushManual})
				a := o.startFlushed("A")
				did := a.Subscribe("x")
				t.Equal(law, "the transport is asked before anything is written", "A: tsub x", did.Of(didTSub))
				t.Equal(law, "the topic is assigned before anything is written", []string{"A"}, o.Snapshot().Assigned("x"))
				t.quiet("DATABUS-BATCH-001", "nothing is written inside the task", did, didWrite, didRemove)
				did = a.Flush()
				t.Equal("DATABUS-BATCH-001", "the route is written once", 1, len(did.Family("route")))
				r, _ := o.Snapshot().Route("x")
				t.Check(r.ConfirmedAt > 0, law, "it is confirmed in that write", "confirmedAt", fmt.Sprintf("%+v", r))
			}),
		one("subscribe/self-takeover", "who takes over from the dead does so without CONTROL", self, nil, func(t *busT) {
			o, a, b := t.pair()
			a.Subscribe("x")
			o.Drain()
			a.Crash()
			o.Pass(ttl + 1)
			selfElected(t, o, b, b.Subscribe("x"), "x")
		}),
	}
}

// subscribeQueueCases are about subscriptions that the transport cannot take yet, and about repeated ones.
func subscribeQueueCases() []conformance.Case {
	const queued, repeated = "DATABUS-SUBSCRIBE-004", "DATABUS-SUBSCRIBE-005"
	return []conformance.Case{
		one("subscribe/while-opening", "what is subscribed while the transport opens is subscribed once it has",
			laws(queued), needs(Manual), func(t *busT) {
				o := t.Origin()
				a := o.TabWith("A", tabRequest{Opens: opensManual})
				a.Start()
				did := append(a.Handle("x", "h1"), a.Handle("x", "h2")...)
				did = append(did, a.Subscribe("y")...)
				did = append(did, a.Subscribe("gone")...)
				did = append(did, a.Unsubscribe("gone")...)
				did = append(did, o.Drain()...)
				t.quiet(queued, "a transport that opens is asked nothing", did, didTSub)
				did = a.Opened().Of(didTSub)
				t.Equal(queued, "each topic is subscribed once", []string{"tsub x", "tsub y"}, sortedTrail(append(did.For("x"), did.For("y")...)))
				t.Equal(queued, "what is not wanted any more is not served", []string(nil), o.Snapshot().Served("gone"))
				t.quiet(queued, "and no second time", o.Settle(), didTSub)
				t.Equal(queued, "publications arrive", []string{"A h1 1", "A h2 1"}, calledAnyOrder(o.Server("x", "1")))
			}),
		one("subscribe/before-start", "what is subscribed before the start is subscribed once it has", laws(queued), nil, func(t *busT) {
			o := t.Origin()
			a := o.TabWith("A", tabRequest{})
			var first didReply
			if thrown := t.Ask("subscribe", handlerRequest{Tab: a.name, Topic: "x", Handler: "x"}, &first); thrown != nil {
				t.Unsupported("nothing can be subscribed before the start: %s", thrown.Message)
			}
			did := append(o.noted(first.Did), a.Subscribe("y")...)
			t.quiet(queued, "before the start nothing happens outside", did, outward()...)
			did = append(a.Start(), o.Settle()...)
			t.Equal(queued, "each topic is subscribed once", []string{"tsub x", "tsub y"}, sortedTrail(did.Of(didTSub)))
			t.Equal(queued, "the record is there", []string{a.id}, o.Snapshot().Subscribers("x"))
			t.Equal(queued, "publications arrive", []string{"A x 1"}, called(o.Server("x", "1")))
		}),
		one("subscribe/owner-opening", "SUBSCRIBE at an owner whose transport opens waits for it",
			laws(queued, repeated), needs(Manual), func(t *busT) {
				o := t.Origin()
				a := o.TabWith("A", tabRequest{Opens: opensManual})
				a.Start()
				b := o.Tab("B")
				did := append(b.Subscribe("x"), o.Drain()...)
				did = append(did, o.Advance(2*heartbeat)...)
				t.Equal("", "A is the owner", []string{"A"}, o.Snapshot().Assigned("x"))
				t.quiet(queued, "a transport that opens is asked nothing", did, didTSub)
				did = append(a.Opened(), o.Settle()...)
				t.Equal(queued, "it is asked once it has", "A: tsub x", did.Of(didTSub))
			}),
		one("subscribe/repeated", "SUBSCRIBE again and again asks the transport once for each connection",
			laws(repeated), needs(Forges, Statuses), func(t *busT) {
				_, a, b := t.fanned()
				again := controlFrame(isSubscribe, "x", b.worker, a.worker, "")
				for range 5 {
					t.quiet(repeated, "the transport has been asked", a.Inject(again), didTSub)
				}
				a.Status("disconnected")
				did := append(a.Inject(again), a.Status("connected")...)
				t.Equal(repeated, "once when it has a connection again", "A: tsub x", did.Of(didTSub))
				for range 3 {
					t.quiet(repeated, "and not again", a.Inject(again), didTSub)
				}
			}),
		one("subscribe/again-after-release", "a topic that was released is subscribed anew, once", laws(repeated), nil, func(t *busT) {
			o, a, b := t.fanned()
			for range 3 {
				did := append(b.Unsubscribe("x"), o.Drain()...)
				t.Equal("", "A lets go", "A: tunsub x", did.Of(didTUnsub))
				did = append(b.Subscribe("x"), o.Settle()...)
				t.Equal(repeated, "A is asked once", "A: tsub x", did.Of(didTSub))
			}
			o.owns(a, "x")
		}),
		one("subscribe/retried", "SUBSCRIBE that is sent again because its confirmation is not stored asks once",
			laws(repeated), needs(Failures), func(t *busT) {
				o, a, b := t.pair()
				b.Subscribe("x")
				a.FailWrites(-1)
				did := append(o.Drain(), o.Advance(2*heartbeat)...)
				t.Check(len(posted(did.By(b), isSubscribe)) >= 2, "", "B asks again", "at least 2", did.String())
				t.Equal(repeated, "the transport of A is asked once", "A: tsub x", did.Of(didTSub))
			}),
	}
}

// sortedTrail is trail, sorted.
func sortedTrail(did deeds) []string {
	out := trail(did)
	slices.Sort(out)
	return out
}

// subscribeIntentCases are about what an application wants, which nothing but itself changes.
func subscribeIntentCases() []conformance.Case {
	intent := laws("DATABUS-SUBSCRIBE-006")
	const law = "DATABUS-SUBSCRIBE-006"
	wants := func(t *busT, o *origin, b *tab, reason string, want ...string) {
		got := slices.Clone(o.Snapshot().Tab(b).Subscribed)
		slices.Sort(got)
		t.Equal(law, reason, fmt.Sprint(want), fmt.Sprint(got))
	}
	return []conformance.Case{
		one("subscribe/intent-transport", "what the transport does leaves the wishes of a tab alone",
			intent, needs(Statuses, Manual), func(t *busT) {
				o, a, b := t.fanned()
				b.Subscribe("y")
				for _, status := range []string{"disconnected", "connected", "error", "connecting", "connected", "error"} {
					b.Status(status)
					a.Status(status)
					wants(t, o, b, "after "+status, "x", "y")
				}
				b.Opens(opensFail)
				o.Settle()
				wants(t, o, b, "after failed openings", "x", "y")
				b.Unsubscribe("x")
				wants(t, o, b, "after unsubscribe", "y")
			}),
		one("subscribe/intent-page", "hiding and showing the page leaves the wishes of a tab alone", intent, nil, func(t *busT) {
			o, _, b := t.fanned()
			b.Subscribe("y")
			b.PageHide()
			wants(t, o, b, "while the page is away", "x", "y")
			o.Settle()
			b.Subscribe("z")
			b.Unsubscribe("y")
			wants(t, o, b, "what the application does meanwhile counts", "x", "z")
			b.PageShow()
			o.Settle()
			wants(t, o, b, "when the page is back", "x", "z")
			t.Equal(law, "and it is served", []string{b.id}, o.Snapshot().Subscribers("z"))
			did := append(o.Server("z", "1"), o.Drain()...)
			t.Equal(law, "publications of what was wished meanwhile arrive", []string{"B z 1"}, called(did))
		}),
		one("subscribe/intent-owner", "handoff and takeover leave the wishes of a tab alone", intent, nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			c.Subscribe("x")
			a.PageHide()
			o.Settle()
			wants(t, o, b, "after a handoff", "x")
			wants(t, o, c, "after a handoff", "x")
			owner, other := b, c
			if o.Snapshot().Owner("x") == c.worker {
				owner, other = c, b
			}
			owner.Crash()
			o.Settle()
			wants(t, o, other, "after a takeover", "x")
			did := append(o.Server("x", "1"), o.Drain()...)
			t.Equal(law, "and its handler is called", []string{other.name + " x 1"}, called(did))
		}),
		one("subscribe/intent-stop", "stop ends all wishes", intent, nil, func(t *busT) {
			o, _, b := t.fanned()
			b.Subscribe("y")
			b.Stop()
			o.Drain()
			wants(t, o, b, "after stop")
			b.Start()
			o.Drain()
			wants(t, o, b, "after another start")
		}),
	}
}
