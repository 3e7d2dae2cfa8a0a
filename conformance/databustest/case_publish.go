package databustest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func publishCases() []conformance.Case {
	return slices.Concat(publishRouteCases(), publishOnceCases(), publishWaitCases())
}

// publishRouteCases are about where a publication of the application goes.
func publishRouteCases() []conformance.Case {
	const law = "DATABUS-PUBLISH-001"
	own := func(t *busT, reason string, did deeds, from *tab) {
		t.Equal(law, reason+": the own transport publishes, once", from.name+": tpub x 1", did.Of(didTPub))
		t.Equal(law, reason+": no CONTROL is sent", "nothing", did.where(noNudge).Of(didPost))
		stored := append(did.Family("route"), did.Family("subscriber")...)
		t.quiet(law, reason+": no route and no subscriber is written", stored, didWrite)
	}
	sent := func(t *busT, reason string, did deeds, to *tab) {
		t.Equal(law, reason+": PUBLISH goes to the owner", []string{to.worker}, targets(posted(did, isPublish)))
		t.Equal(law, reason+": the own transport does not publish", "nothing", did.Of(didTPub))
		stored := append(did.Family("route"), did.Family("subscriber")...)
		t.quiet(law, reason+": no route and no subscriber is written", stored, didWrite)
	}
	return []conformance.Case{
		one("publish/no-route", "without a route the own transport publishes", laws(law), nil, func(t *busT) {
			o, a, b := t.pair()
			own(t, "without a route", b.Publish("x", "1"), b)
			own(t, "again", a.Publish("x", "1"), a)
			o.Settle()
			s := o.Snapshot()
			t.Equal(law, "nothing of the topic is stored", fmt.Sprint(0, []string(nil)), fmt.Sprint(len(s.routes), s.Subscribers("x")))
		}),
		one("publish/self", "an owner publishes by its own transport", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			own(t, "as the owner", a.Publish("x", "1"), a)
			a.Subscribe("x")
			own(t, "as the owner that subscribes", a.Publish("x", "1"), a)
			b.Unsubscribe("x")
			o.Drain()
			own(t, "as the only subscriber", a.Publish("x", "1"), a)
		}),
		one("publish/owner-elsewhere", "with a live owner elsewhere it is asked, subscribed or not", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			sent(t, "from a subscriber", b.Publish("x", "1"), a)
			sent(t, "from anybody", c.Publish("x", "1"), a)
			did := o.Drain()
			t.Equal(law, "the transport of the owner publishes", "A: tpub x 1; A: tpub x 1", did.Of(didTPub))
			t.Equal(law, "nobody else subscribes", []string{b.id}, o.Snapshot().Subscribers("x"))
		}),
		one("publish/dead-owner", "an owner is asked until its time is over, and no longer", laws(law), nil, func(t *busT) {
			o, a, b := t.pair()
			a.Subscribe("x")
			o.Drain()
			a.Crash()
			o.Advance(ttl)
			sent(t, "at the very end of its time", b.Publish("x", "1"), a)
			o.Advance(1)
			own(t, "a millisecond later", b.Publish("x", "1"), b)
			t.Equal(law, "the route is as it was", a.worker, o.Snapshot().Owner("x"))
		}),
		one("publish/owner-unheard-of", "a route that names nobody is none", laws(law), needs(Forges), func(t *busT) {
			o, _, b := t.pair()
			o.Put(o.routeKey("x"), o.routeTo("x", &tab{id: "tabZ", worker: "workerZ"}, 3))
			own(t, "with a route that names nobody", b.Publish("x", "1"), b)
			t.Equal(law, "the route is as it was", "workerZ", o.Snapshot().Owner("x"))
		}),
		one("publish/unconfirmed", "an owner that has not confirmed is asked like any other", laws(law), nil, func(t *busT) {
			o, a, b := t.pair()
			b.Subscribe("x")
			sent(t, "before the owner knows", b.Publish("x", "1"), a)
			t.Equal(law, "it publishes", "A: tpub x 1", o.Drain().Of(didTPub))
		}),
		one("publish/unhealthy-owner", "an owner without a connection is still the owner", laws(law), needs(Statuses), func(t *busT) {
			o, a, b := t.fanned()
			a.Status("disconnected")
			o.Drain()
			sent(t, "to a disconnected owner", b.Publish("x", "1"), a)
		}),
	}
}

// publishOnceCases are about how often a publication is made.
func publishOnceCases() []conformance.Case {
	const once, failed, most = "DATABUS-PUBLISH-002", "DATABUS-PUBLISH-003", "DATABUS-PUBLISH-004"
	return []conformance.Case{
		one("publish/each-once", "each PUBLISH is carried out once, with its data, in order", laws(once), nil, func(t *busT) {
			o, a, b := t.fanned()
			var want []string
			for _, data := range []string{"null", "0", "false", `""`, `"text"`, "[1,[2]]", `{"a":{"b":null}}`, `"😀"`, `{"a":{"b":null}}`} {
				b.Publish("x", data)
				want = append(want, "A: tpub x "+data)
			}
			t.Equal(once, "without a subscription of its own", strings.Join(want, "; "), o.Drain().Of(didTPub))
			a.Subscribe("x")
			b.Publish("x", "1")
			t.Equal(once, "with a subscription of its own", "A: tpub x 1", o.Drain().Of(didTPub))
			t.quiet(once, "and never again", o.Settle(), didTPub)
		}),
		one("publish/each-frame", "a PUBLISH that comes again is carried out again", laws(once), needs(Forges), func(t *busT) {
			o, a, b := t.fanned()
			frame := controlFrame(isPublish, "x", b.worker, a.worker, "7")
			for range 3 {
				t.Equal(once, "once for each frame", "A: tpub x 7", a.Inject(frame).Of(didTPub))
			}
			t.quiet(once, "and never again", o.Settle(), didTPub)
		}),
		one("publish/not-dispatched", "what is published comes back by the server only", laws(once), nil, func(t *busT) {
			o, a, b := t.fanned()
			a.Subscribe("x")
			did := append(b.Publish("x", "1"), a.Publish("x", "2")...)
			did = append(did, o.Settle()...)
			t.quiet(once, "no handler is called", did, didDispatch)
			t.quiet(once, "nothing is fanned out", posted(did, isEvent), didPost)
		}),
		one("publish/failed-post", "a PUBLISH that cannot be sent is told to the application, once",
			laws(failed), needs(Failures), func(t *busT) {
				o, a, b := t.fanned()
				b.FailPosts(1)
				var r didReply
				thrown := t.Ask("publish", dataRequest{b.name, "x", []byte("1")}, &r)
				t.Check(thrown == nil, failed, "publish returns normally", "nothing thrown", fmt.Sprint(thrown))
				did := o.noted(r.Did)
				t.Equal(failed, "one error is told", 1, len(did.Of(didError)))
				t.quiet(failed, "the own transport is no stopgap", did, didTPub)
				t.quiet(failed, "it is not tried again", append(o.Settle(), o.Drain()...), didTPub, didError)
				b.Publish("x", "2")
				t.Equal(failed, "the next one is sent", "A: tpub x 2", o.Drain().Of(didTPub))
				t.Equal("", "the owner stayed", a.worker, o.Snapshot().Owner("x"))
			}),
		one("publish/lost", "a PUBLISH that is lost is lost", laws(most), nil, func(t *busT) {
			o, a, b := t.fanned()
			b.Publish("x", `"marker-of-the-data"`)
			o.Drop(o.firstTo(a, isPublish))
			did := o.Settle()
			a.PageHide()
			did = append(did, o.Settle()...)
			a.PageShow()
			did = append(did, o.Settle()...)
			t.quiet(most, "nobody ever publishes it", did, didTPub)
			t.quiet(most, "nobody sends it again", posted(did, isPublish), didPost)
			t.quiet(most, "and nobody is told", did, didError)
			t.Check(!strings.Contains(o.all.Of(didWrite).String(), "marker-of-the-data"), most, "it is stored nowhere", "no marker", "a write of it")
		}),
		one("publish/crashed-owner", "a PUBLISH for an owner that has crashed is lost, takeover or not", laws(most), nil, func(t *busT) {
			o, a, b := t.fanned()
			a.Crash()
			did := b.Publish("x", "1")
			did = append(did, o.Settle()...)
			t.Equal("", "another worker took over", []string{"B"}, o.Snapshot().Served("x"))
			t.quiet(most, "nobody ever publishes it", did, didTPub)
			t.Equal(most, "it was sent once", 1, len(posted(did, isPublish)))
			b.Publish("x", "2")
			t.Equal(most, "the next one is published", "B: tpub x 2", o.all.Of(didTPub))
		}),
		one("publish/no-answer", "a PUBLISH is not acknowledged", laws(most), nil, func(t *busT) {
			o, _, b := t.fanned()
			b.Publish("x", "1")
			t.Equal(most, "the owner does nothing but publish", "A: tpub x 1", o.Drain())
		}),
	}
}

// publishWaitCases are about tabs that cannot publish now.
func publishWaitCases() []conformance.Case {
	const law = "DATABUS-PUBLISH-005"
	return []conformance.Case{
		one("publish/suspended", "a tab that is hidden away publishes nothing, now or later", laws(law), nil, func(t *busT) {
			o, _, b := t.pair()
			b.PageHide()
			o.Drain()
			did := b.Publish("x", "1")
			t.quiet(law, "without an owner it is dropped", did, didTPub, didPost, didWrite)
			did = append(o.Settle(), b.PageShow()...)
			did = append(did, o.Settle()...)
			t.quiet(law, "and not made up for", did, didTPub)
			t.Equal(law, "the next one is published", "B: tpub x 2", b.Publish("x", "2").Of(didTPub))
		}),
		one("publish/suspended-remote", "a tab that is hidden away cannot reach the owner, and is told", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			c.PageHide()
			o.Drain()
			did := c.Publish("x", "1")
			t.Equal(law, "one error is told", 1, len(did.Of(didError)))
			t.quiet(law, "nothing is sent or published", did, didTPub, didPost)
			did = append(c.PageShow(), o.Settle()...)
			t.quiet(law, "it is not made up for", did, didTPub)
			t.Equal("", "the owner stayed", fmt.Sprint(a.worker, []string{b.id}), fmt.Sprint(o.Snapshot().Owner("x"), o.Snapshot().Subscribers("x")))
		}),
		one("publish/to-suspended", "a PUBLISH under way to an owner that hides away is never made", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			b.Publish("x", "1")
			a.PageHide()
			did := o.Settle()
			a.PageShow()
			did = append(did, o.Settle()...)
			t.quiet(law, "nobody publishes it", did, didTPub)
		}),
		one("publish/opening", "while the transport opens publications wait for it, in order", laws(law), needs(Manual), func(t *busT) {
			o := t.Origin()
			a := o.TabWith("A", tabRequest{Opens: opensManual})
			a.Start()
			did := append(a.Publish("x", "1"), a.Publish("x", "2")...)
			did = append(did, o.Settle()...)
			t.quiet(law, "a transport that opens publishes nothing", did, didTPub)
			t.Equal(law, "once it has it publishes each once", "A: tpub x 1; A: tpub x 2", a.Opened().Of(didTPub))
			t.quiet(law, "and no second time", o.Settle(), didTPub)
		}),
	}
}
