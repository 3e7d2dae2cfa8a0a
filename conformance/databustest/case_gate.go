package databustest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func gateCases() []conformance.Case {
	return slices.Concat(gateFirstCases(), gateSecondCases(), gateThirdCases(), gateAssignedCases(), gateThrowCases())
}

// dropped wants a publication to have gone nowhere.
func (t *busT) dropped(law, reason string, did deeds) {
	t.Equal(law, reason, "nothing", append(posted(did, isEvent), did.Of(didDispatch, didError)...))
}

// gateFirstCases are about publications that a transport hands in though its worker does not own the topic.
func gateFirstCases() []conformance.Case {
	const law = "DATABUS-GATE-001"
	return []conformance.Case{
		one("gate/not-owner", "what comes to a tab that does not own the topic goes nowhere", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			t.dropped(law, "at a subscriber", append(b.Emit("x", "1"), o.Drain()...))
			t.dropped(law, "of a topic that nobody knows, at a tab that owns another", append(a.Emit("y", "1"), o.Drain()...))
			t.Equal(law, "at the owner it is taken", []string{"B x 2"}, called(append(a.Emit("x", "2"), o.Drain()...)))
		}),
		one("gate/released", "what comes after the topic was released goes nowhere", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			b.Unsubscribe("x")
			t.Equal("", "the owner does not know yet", []string{"A"}, o.Snapshot().Assigned("x"))
			o.Drain()
			t.dropped(law, "after the owner let go", append(a.Emit("x", "1"), o.Drain()...))
		}),
		one("gate/own-release", "what comes after the owner itself unsubscribed as the last goes nowhere", laws(law), nil, func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			a.Subscribe("x")
			o.owns(a, "x")
			a.Unsubscribe("x")
			t.dropped(law, "after", a.Emit("x", "2"))
		}),
		one("gate/overtaken", "what comes after the route went to another worker goes nowhere", laws(law), needs(Forges), func(t *busT) {
			o, a, b := t.fanned()
			a.Subscribe("x")
			o.Put(o.routeKey("x"), o.routeTo("x", b, 2))
			a.Inject(registryFrame(b.worker))
			t.Equal("", "the old owner let go", []string(nil), o.Snapshot().Assigned("x"))
			t.dropped(law, "at the old owner, subscribed or not", append(a.Emit("x", "1"), o.Drain()...))
		}),
	}
}

// gateSecondCases are about the fan-out.
func gateSecondCases() []conformance.Case {
	const law, echo = "DATABUS-GATE-002", "DATABUS-GATE-004"
	return []conformance.Case{
		one("gate/one-event", "each publication that is taken makes one EVENT with topic and payload", laws(law), nil, func(t *busT) {
			o, a, _ := t.fanned()
			for i, data := range []string{`"one"`, `{"two":[2]}`, `"one"`} {
				sent := posted(a.Emit("x", data), isEvent)
				if !t.Equal(law, fmt.Sprintf("posts of publication %d", i+1), 1, len(sent)) {
					continue
				}
				f := viewed(sent[0].Message)
				t.Equal(law, "the type of the event", "DATABUS_PUBLICATION", f.EventType)
				t.Check(holdsAll(string(f.Payload), []string{`"x"`, data}), law, "it carries topic and payload", `"x" and `+data, string(f.Payload))
			}
			a.Handle("x", "h1")
			a.Handle("x", "h2")
			o.Drain()
			t.Equal(law, "handlers of the owner make no more of them", 1, len(posted(a.Emit("x", "1"), isEvent)))
		}),
		one("gate/fan-out", "a publication reaches each handler of each tab once", laws(law, "DATABUS-GATE-003", echo), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			a.Handle("x", "h")
			c.Handle("x", "h1")
			c.Handle("x", "h2")
			b.Handle("y", "other")
			o.Drain()
			did := append(o.Server("x", "1"), o.Drain()...)
			t.Equal(law, "one EVENT", 1, len(posted(did, isEvent)))
			want := []string{"A h 1", "B x 1", "C h1 1", "C h2 1"}
			t.Equal("DATABUS-GATE-003", "each handler of the topic is called once", want, calledAnyOrder(did))
			t.quiet(echo, "and nothing is called later", o.Settle(), didDispatch)
		}),
		one("gate/no-echo", "an owner does not take its own EVENT", laws(echo), needs(Forges), func(t *busT) {
			o, a, b := t.fanned()
			a.Subscribe("x")
			o.Drain()
			frame := o.eventFrame("x", "1")
			o.Drain()
			t.Equal(echo, "its own EVENT", "nothing", a.Inject(frame))
			t.Equal("", "the same from another worker is taken", []string{"A x 1"}, called(a.Inject(strings.Replace(frame, a.worker, b.worker, 1))))
			t.Equal(echo, "once more its own", "nothing", a.Inject(frame))
		}),
		one("gate/not-forwarded", "a tab that receives an EVENT does not send it on", laws(law), nil, func(t *busT) {
			o, _, _ := t.fanned()
			c := o.Tab("C")
			c.Subscribe("x")
			o.Drain()
			sent := posted(append(o.Server("x", "1"), o.Drain()...), isEvent)
			t.Equal(law, "one post, by the owner", "A", fmt.Sprint(tabsOfDeeds(sent)...))
		}),
	}
}

func tabsOfDeeds(did deeds) []any {
	var out []any
	for _, d := range did {
		out = append(out, d.Tab)
	}
	return out
}

// gateThirdCases are about tabs that do not want what they receive.
func gateThirdCases() []conformance.Case {
	const law, memory = "DATABUS-GATE-003", "DATABUS-GATE-006"
	return []conformance.Case{
		one("gate/owner-without-interest", "an owner that does not subscribe calls nobody", laws(law), nil, func(t *busT) {
			o, a, _ := t.fanned()
			a.Handle("y", "other")
			o.Drain()
			did := o.Server("x", "1")
			t.quiet(law, "at the owner", did, didDispatch)
			t.Equal(law, "at the subscriber", []string{"B x 1"}, called(o.Drain()))
		}),
		one("gate/left-in-flight", "an EVENT that arrives after its topic was left calls nobody", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			c.Subscribe("x")
			o.Drain()
			o.Server("x", "1")
			b.Unsubscribe("x")
			t.Equal(law, "only who still subscribes is called", []string{"C x 1"}, called(o.Drain()))
			a.Subscribe("x")
			o.Drain()
			a.Unsubscribe("x")
			t.Equal(law, "the owner that left", []string{"C x 2"}, called(append(o.Server("x", "2"), o.Drain()...)))
		}),
		one("gate/joined-in-flight", "an EVENT that arrives after its topic was subscribed calls the handler",
			laws(law), nil, func(t *busT) {
				o, _, _ := t.fanned()
				c := o.Tab("C")
				o.Server("x", "1")
				c.Subscribe("x")
				t.Equal(law, "the topic is subscribed when the EVENT arrives", []string{"B x 1", "C x 1"}, calledAnyOrder(o.Drain()))
			}),
		one("gate/strange-topics", "an EVENT of a topic that nobody subscribes calls nobody, whatever its name",
			laws(law), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				for _, topic := range []string{"", "X", "x ", "constructor", "__proto__", "toString", hash("x")} {
					frame := strings.Replace(o.eventFrame("x", "1"), `"x"`, fmt.Sprintf("%q", topic), 1)
					o.Drain()
					t.dropped(law, fmt.Sprintf("EVENT of %q", topic), b.Inject(frame))
					t.dropped(law, fmt.Sprintf("publication of %q", topic), a.Emit(topic, "1"))
				}
			}),
		one("gate/record-gone", "local interest is what the tab knows, not what is stored", laws(memory), needs(Forges), func(t *busT) {
			o, a, b := t.fanned()
			o.Remove(o.subscriberKey("x", b))
			t.Equal(memory, "without its record a handler is called", []string{"B x 1"}, called(append(o.Server("x", "1"), o.Drain()...)))
			o.Put(o.subscriberKey("x", a), fmt.Sprintf(`{"topicKey":%q,"tabId":%q,"updatedAt":%d}`, hash("x"), a.id, start))
			t.Equal(memory, "a record calls nobody", []string{"B x 2"}, called(append(o.Server("x", "2"), o.Drain()...)))
		}),
	}
}

// gateAssignedCases are about how a worker knows that it owns a topic.
func gateAssignedCases() []conformance.Case {
	const law = "DATABUS-GATE-005"
	return []conformance.Case{
		one("gate/unflushed", "an assignment counts before its route is written", laws(law), needs(ManualFlush), func(t *busT) {
			o := t.OriginWith(originRequest{Flush: flushManual})
			a := o.startFlushed("A")
			a.Subscribe("x")
			_, routed := o.Snapshot().Route("x")
			t.Equal("", "the route is not written", false, routed)
			t.Equal(law, "the worker owns the topic", []string{"A x 1"}, called(a.Emit("x", "1")))
		}),
		one("gate/memory-first", "an assignment counts though the stored route is gone or another's",
			laws(law), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				o.Put(o.routeKey("x"), o.routeTo("x", b, 2))
				t.Equal(law, "with a route to another", []string{"B x 1"}, called(append(a.Emit("x", "1"), o.Drain()...)))
				o.Remove(o.routeKey("x"))
				t.Equal(law, "without a route", []string{"B x 2"}, called(append(a.Emit("x", "2"), o.Drain()...)))
			}),
		one("gate/route-second", "without an assignment a stored route that names the worker counts",
			laws(law), needs(Forges), func(t *busT) {
				o, _, b := t.fanned()
				c := o.Tab("C")
				o.Put(o.routeKey("y"), o.routeTo("y", c, 1))
				t.Equal(law, "it is fanned out", 1, len(posted(c.Emit("y", "1"), isEvent)))
				t.dropped(law, "at another worker it is not", b.Emit("y", "1"))
			}),
		one("gate/reads-only", "to ask for the owner changes nothing", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			before := o.Snapshot().state()
			for i := range 100 {
				a.Emit(fmt.Sprintf("unknown%d", i), "1")
				b.Emit("x", "1")
			}
			t.Equal(law, "everything is as it was", before, o.Snapshot().state())
		}),
		one("gate/keeps-no-topics", "to ask for the owner of a topic does not cache it", laws(law), needs(KnownTopics), func(t *busT) {
			o, a, _ := t.fanned()
			for i := range 510 {
				a.Emit(fmt.Sprintf("unknown%d", i), "1")
			}
			t.Equal(law, "the cache is as it was", []string{hash("x")}, o.Snapshot().Tab(a).Known)
		}),
	}
}

// gateThrowCases are about handlers that throw.
func gateThrowCases() []conformance.Case {
	const law = "DATABUS-GATE-007"
	return []conformance.Case{
		one("gate/throw-owner", "a handler that throws at the owner stops nothing", laws(law), nil, func(t *busT) {
			o, a, _ := t.fanned()
			a.Throw("x", "bad")
			a.Handle("x", "good")
			o.Drain()
			for _, data := range []string{"1", "2"} {
				did := append(o.Server("x", data), o.Drain()...)
				t.Equal(law, "all handlers are called", []string{"A bad " + data, "A good " + data, "B x " + data}, calledAnyOrder(did))
				t.Equal(law, "one error is told, to its tab", "A", fmt.Sprint(tabsOfDeeds(did.Of(didError))...))
			}
		}),
		one("gate/throw-receiver", "a handler that throws in another tab stops nothing", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			b.Throw("x", "bad")
			b.Handle("x", "good")
			for _, data := range []string{"1", "2"} {
				did := append(o.Server("x", data), o.Drain()...)
				t.Equal(law, "all handlers are called", []string{"B bad " + data, "B good " + data, "B x " + data}, calledAnyOrder(did))
				t.Equal(law, "one error is told, to its tab", "B", fmt.Sprint(tabsOfDeeds(did.Of(didError))...))
			}
			o.Settle()
			o.owns(a, "x")
		}),
		one("gate/throw-only", "a bus whose only handler throws goes on", laws(law), nil, func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			a.Throw("x", "bad")
			for range 3 {
				did := o.Server("x", "1")
				t.Equal(law, "it is called, and one error told", "1 1", fmt.Sprint(len(did.Of(didDispatch)), len(did.Of(didError))))
			}
			a.Unhandle("x", "bad")
			t.quiet(law, "it can be removed", o.Server("x", "1"), didDispatch)
		}),
	}
}
