package databustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func unsubscribeCases() []conformance.Case {
	return slices.Concat(
		unsubscribeCountCases(), unsubscribeOthersCases(), unsubscribeLastCases(), unsubscribeDeadCases(), unsubscribeLostCases(),
	)
}

// unsubscribeCountCases are about handlers of one topic in one tab.
func unsubscribeCountCases() []conformance.Case {
	const law = "DATABUS-UNSUBSCRIBE-001"
	return []conformance.Case{
		one("unsubscribe/count", "only the last handler leaves the cluster", laws(law), nil, func(t *busT) {
			o, _, b := t.fanned()
			b.Handle("x", "h")
			t.quiet(law, "one of two is nobody's business", b.Unhandle("x", "h"), outward()...)
			t.quiet(law, "nor is it when it is removed again", b.Unhandle("x", "h"), outward()...)
			did := append(o.Server("x", "1"), o.Drain()...)
			t.Equal(law, "the other is still called", []string{"B x 1"}, called(did))
			did = b.Unsubscribe("x")
			t.Equal(law, "the last removes the record", "remove", kindsOf(did.Family("subscriber")))
			t.Equal(law, "nobody subscribes any more", []string(nil), o.Snapshot().Subscribers("x"))
		}),
		one("unsubscribe/unknown", "to remove what is not there any more does nothing", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			b.Handle("x", "h")
			b.Handle("y", "h")
			o.Drain()
			b.Unhandle("x", "h")
			b.Unhandle("y", "h")
			o.Settle()
			for range 3 {
				t.quiet(law, "a handler that was removed, of a topic with another", b.Unhandle("x", "h"), outward()...)
				t.quiet(law, "a handler that was removed, of a topic with none", b.Unhandle("y", "h"), outward()...)
			}
			t.Equal(law, "the other is still called", []string{"B x 1"}, called(append(o.Server("x", "1"), o.Drain()...)))
			o.owns(a, "x")
			b.Unsubscribe("x")
			a.Subscribe("x")
			o.Settle()
			t.quiet(law, "a handler that was removed, of a topic that another tab subscribes", b.Unsubscribe("x"), outward()...)
			t.Equal(law, "that one stays", []string{a.id}, o.Snapshot().Subscribers("x"))
			a.Stop()
			t.quiet(law, "a handler that went with a stop", a.Unsubscribe("x"), outward()...)
		}),
		one("unsubscribe/order-of-handlers", "whichever goes last is the last", laws(law), nil, func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			for _, order := range [][]string{{"h1", "h2", "h3"}, {"h3", "h2", "h1"}, {"h2", "h3", "h1"}} {
				for _, h := range []string{"h1", "h2", "h3"} {
					a.Handle("x", h)
				}
				t.quiet(law, "the first to go", a.Unhandle("x", order[0]), outward()...)
				t.quiet(law, "the second to go", a.Unhandle("x", order[1]), outward()...)
				t.Equal(law, "the last is called", []string{"A " + order[2] + " 1"}, called(o.Server("x", "1")))
				t.Equal(law, "the last to go leaves", "A: tunsub x", a.Unhandle("x", order[2]).Of(didTUnsub))
			}
		}),
	}
}

// kindsOf says of what kind deeds are, in order.
func kindsOf(did deeds) string {
	var out string
	for i, d := range did {
		if i > 0 {
			out += ", "
		}
		out += d.Kind
	}
	return out
}

// unsubscribeOthersCases are about topics that other tabs subscribe still.
func unsubscribeOthersCases() []conformance.Case {
	const law = "DATABUS-UNSUBSCRIBE-002"
	return []conformance.Case{
		one("unsubscribe/owner-stays", "an owner that unsubscribes before others keeps the topic and fans out",
			laws(law), nil, func(t *busT) {
				o, a, b := t.fanned()
				a.Subscribe("x")
				o.Drain()
				before, _ := o.Snapshot().Route("x")
				did := a.Unsubscribe("x")
				t.Equal(law, "only its own record goes", []string{"remove subscriber"}, trail(did))
				o.Settle()
				after, _ := o.Snapshot().Route("x")
				t.Equal(law, "the route stays", before, after)
				t.Equal(law, "one subscriber is left", []string{b.id}, o.Snapshot().Subscribers("x"))
				did = append(o.Server("x", "1"), o.Drain()...)
				t.Equal(law, "it still fans out, and calls nothing here", []string{"B x 1"}, called(did))
			}),
		one("unsubscribe/other-leaves", "a tab that is not the owner leaves without a word while another stays",
			laws(law), nil, func(t *busT) {
				o, a, b := t.fanned()
				c := o.Tab("C")
				c.Subscribe("x")
				o.Drain()
				t.Equal(law, "only its own record goes", []string{"remove subscriber"}, trail(b.Unsubscribe("x")))
				o.Settle()
				o.owns(a, "x")
				t.Equal(law, "the other stays", []string{c.id}, o.Snapshot().Subscribers("x"))
			}),
	}
}

// unsubscribeLastCases are about topics that nobody subscribes any more.
func unsubscribeLastCases() []conformance.Case {
	const law = "DATABUS-UNSUBSCRIBE-003"
	gone := func(t *busT, o *origin, reason string) {
		s := o.Snapshot()
		_, routed := s.Route("x")
		t.Equal(law, reason+": route, subscribers, assignment and transport", fmt.Sprint(false, []string(nil), []string(nil), []string(nil)),
			fmt.Sprint(routed, s.Subscribers("x"), s.Assigned("x"), s.Served("x")))
	}
	return []conformance.Case{
		one("unsubscribe/last", "the last subscriber deletes the route and tells the owner", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			did := b.Unsubscribe("x")
			want := []string{"post UNSUBSCRIBE", "remove route", "remove subscriber"}
			t.Equal(law, "record and route are removed, the owner is told", want, sortedTrail(did))
			t.Equal(law, "the worker that the route named", []string{a.worker}, targets(posted(did, isUnsubscribe)))
			_, routed := o.Snapshot().Route("x")
			t.Equal(law, "the route is gone at once", false, routed)
			did = o.Drain()
			t.Equal(law, "the owner asks its transport once", "A: tunsub x", did.Of(didTUnsub))
			gone(t, o, "in the end")
			w, _ := o.Snapshot().Worker(a)
			t.Equal(law, "the owner does not count the topic", 0, w.Load)
			t.quiet(law, "and nothing follows", o.Settle(), didTUnsub)
		}),
		one("unsubscribe/last-is-owner", "an owner that is the last subscriber lets go in the same task", laws(law), nil, func(t *busT) {
			o, a, _ := t.pair()
			a.Subscribe("x")
			o.Drain()
			did := a.Unsubscribe("x")
			t.Equal(law, "the transport is asked once", "A: tunsub x", did.Of(didTUnsub))
			t.Equal(law, "route and record are removed", []string{"remove route", "remove subscriber"}, sortedTrail(did.Of(didRemove)))
			gone(t, o, "at once")
			t.quiet(law, "and nothing follows", o.Settle(), didTUnsub)
		}),
		one("unsubscribe/last-of-three", "of three that leave only the last deletes",
			laws("DATABUS-UNSUBSCRIBE-002", law), nil, func(t *busT) {
				o, a, b := t.fanned()
				c := o.Tab("C")
				c.Subscribe("x")
				a.Subscribe("x")
				o.Drain()
				t.Equal("DATABUS-UNSUBSCRIBE-002", "the first", []string{"remove subscriber"}, trail(a.Unsubscribe("x")))
				t.Equal("DATABUS-UNSUBSCRIBE-002", "the second", []string{"remove subscriber"}, trail(c.Unsubscribe("x")))
				did := append(b.Unsubscribe("x"), o.Drain()...)
				t.Equal(law, "the last tells the owner", []string{a.worker}, targets(posted(did, isUnsubscribe)))
				t.Equal(law, "which asks its transport once", "A: tunsub x", did.Of(didTUnsub))
				gone(t, o, "in the end")
			}),
		one("unsubscribe/last-new-owner", "the owner that is told is the one that the route names now", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			c.Subscribe("x")
			o.Drain()
			a.PageHide()
			o.Drain()
			s := o.Snapshot()
			t.Equal("", "two subscribe", 2, len(s.Subscribers("x")))
			t.Equal("", "the topic was handed over", true, s.Owner("x") != a.worker)
			did := append(b.Unsubscribe("x"), c.Unsubscribe("x")...)
			did = append(did, o.Drain()...)
			t.Equal(law, "the new owner asks its transport once", 1, len(did.Of(didTUnsub)))
			gone(t, o, "in the end")
		}),
		one("unsubscribe/none-to-tell", "the last leaves a topic without a route without a word", laws(law), needs(Forges), func(t *busT) {
			o, _, b := t.fanned()
			o.Remove(o.routeKey("x"))
			t.quiet(law, "there is nobody to tell", posted(b.Unsubscribe("x"), isUnsubscribe), didPost)
			t.Equal(law, "the record is gone", []string(nil), o.Snapshot().Subscribers("x"))
			o.Settle()
			gone(t, o, "in the end")
		}),
	}
}

// besideCrashed is fanned with a third tab that subscribed the topic and has crashed.
func (t *busT) besideCrashed() (o *origin, b *tab) {
	o, _, b = t.fanned()
	c := o.Tab("C")
	c.Subscribe("x")
	o.Drain()
	c.Crash()
	return o, b
}

// unsubscribeDeadCases are about records of tabs that are no more.
func unsubscribeDeadCases() []conformance.Case {
	const law = "DATABUS-UNSUBSCRIBE-004"
	return []conformance.Case{
		one("unsubscribe/absent", "the record of a tab without a worker counts for nothing and goes",
			laws(law), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				absent := &tab{id: "tabZ"}
				o.Put(o.subscriberKey("x", absent), fmt.Sprintf(`{"topicKey":%q,"tabId":"tabZ","updatedAt":%d}`, hash("x"), start))
				did := b.Unsubscribe("x")
				s := o.Snapshot()
				_, routed := s.Route("x")
				t.Equal(law, "the route is deleted", false, routed)
				t.Equal(law, "the owner is told", []string{a.worker}, targets(posted(did, isUnsubscribe)))
				t.Equal(law, "the record is removed on sight", []string(nil), s.Subscribers("x"))
			}),
		one("unsubscribe/crashed", "a crashed subscriber counts until its time is over", laws(law), nil, func(t *busT) {
			o, b := t.besideCrashed()
			o.Advance(ttl)
			did := b.Unsubscribe("x")
			_, routed := o.Snapshot().Route("x")
			t.Equal(law, "at the very end of its time the route stays", true, routed)
			t.quiet(law, "and the owner is not told", posted(did, isUnsubscribe), didPost)
		}),
		one("unsubscribe/dead", "a dead subscriber does not count", laws(law), nil, func(t *busT) {
			o, b := t.besideCrashed()
			o.Advance(ttl + 1)
			did := b.Unsubscribe("x")
			s := o.Snapshot()
			_, routed := s.Route("x")
			t.Equal(law, "a millisecond after its time the route is deleted", false, routed)
			t.Equal(law, "the owner is told", 1, len(posted(did, isUnsubscribe)))
			t.Equal(law, "the record is removed on sight", []string(nil), s.Subscribers("x"))
		}),
		one("unsubscribe/other-topic", "subscribers of another topic count for nothing",
			laws(law, "DATABUS-UNSUBSCRIBE-003"), nil, func(t *busT) {
				o, a, b := t.fanned()
				c := o.Tab("C")
				c.Subscribe("y")
				o.Drain()
				did := b.Unsubscribe("x")
				t.Equal("DATABUS-UNSUBSCRIBE-003", "the owner is told", []string{a.worker}, targets(posted(did, isUnsubscribe)))
				t.Equal(law, "their record stays", []string{c.id}, o.Snapshot().Subscribers("y"))
			}),
	}
}

// unsubscribeLostCases are about an UNSUBSCRIBE that does not arrive.
func unsubscribeLostCases() []conformance.Case {
	const law = "DATABUS-UNSUBSCRIBE-005"
	healed := func(t *busT, o *origin, did deeds) {
		s := o.Snapshot()
		t.Equal(law, "within one heartbeat the owner asks its transport itself", "A: tunsub x", did.Of(didTUnsub))
		t.Equal(law, "it has let go", fmt.Sprint([]string(nil), []string(nil)), fmt.Sprint(s.Assigned("x"), s.Served("x")))
	}
	return []conformance.Case{
		one("unsubscribe/lost", "an owner that is not told lets go within one heartbeat", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			b.Unsubscribe("x")
			o.Drop(o.firstTo(a, isUnsubscribe))
			o.Drain()
			t.Equal("", "the owner does not know yet", []string{"A"}, o.Snapshot().Assigned("x"))
			healed(t, o, o.Advance(heartbeat))
		}),
		one("unsubscribe/unsent", "an owner that could not be told lets go within one heartbeat",
			laws(law), needs(Failures), func(t *busT) {
				o, _, b := t.fanned()
				b.FailPosts(-1)
				b.Unsubscribe("x")
				o.Drain()
				t.Equal("", "the owner does not know yet", []string{"A"}, o.Snapshot().Assigned("x"))
				healed(t, o, o.Advance(heartbeat))
			}),
		one("unsubscribe/lost-and-nudged", "an owner that is not told lets go when it reconciles", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			b.Unsubscribe("x")
			o.Drop(o.firstTo(a, isUnsubscribe))
			b.Visibility("hidden")
			healed(t, o, o.Drain())
		}),
	}
}
