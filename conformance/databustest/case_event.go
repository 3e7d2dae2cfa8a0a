package databustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func eventCases() []conformance.Case { return append(eventTypeCases(), eventFanCases()...) }

// eventTypeCases are about events that carry no publication.
func eventTypeCases() []conformance.Case {
	const law = "DATABUS-EVENT-001"
	return []conformance.Case{
		one("event/other-type", "an EVENT of another type calls nobody", laws(law), needs(Forges), func(t *busT) {
			o, _, b := t.fanned()
			frame := o.eventFrame("x", "1")
			o.Drain()
			for _, kind := range []string{
				`"DATABUS_OTHER"`, `"databus_publication"`, `"DATABUS_PUBLICATION "`, `""`, `"PUBLICATION"`, `null`, `1`, `{}`,
				`["DATABUS_PUBLICATION"]`,
			} {
				changed := strings.Replace(frame, `"DATABUS_PUBLICATION"`, kind, 1)
				t.Check(changed != frame, "", "the frame can be changed", "another type", changed)
				if kind[0] == '"' {
					t.dropped(law, "type "+kind, b.Inject(changed))
				} else {
					t.forged(b, changed)
				}
			}
			t.Equal(law, "only what came of the server was dispatched", []string{"B x 1"}, called(o.all))
			t.Equal(law, "one of the type does", []string{"B x 1"}, called(b.Inject(frame)))
		}),
		one("event/other-channel-types", "a frame that is no EVENT calls nobody, whatever it carries",
			laws(law), needs(Forges), func(t *busT) {
				o, _, b := t.fanned()
				frame := o.eventFrame("x", "1")
				o.Drain()
				for _, kind := range []string{"REGISTRY", "CONTROL", "ROUTE_RELEASED", "event", "PUBLICATION"} {
					t.forged(b, strings.Replace(frame, `"EVENT"`, fmt.Sprintf("%q", kind), 1))
				}
				o.Settle()
				t.Equal(law, "only what came of the server was dispatched", []string{"B x 1"}, called(o.all))
			}),
		one("event/broken-payload", "an EVENT whose payload is none leaves a bus that works",
			laws("DATABUS-LIMIT-005"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				for _, payload := range []string{
					`null`, `"x"`, `1`, `[]`, `{}`, `{"topic":1,"data":1}`, `{"topic":null}`, `{"topic":"y","data":1}`,
					`{"topic":{"topic":"x"}}`,
				} {
					t.forged(b, fmt.Sprintf(`{"type":"EVENT","sourceWorkerId":%q,"eventType":"DATABUS_PUBLICATION","payload":%s}`, a.worker, payload))
				}
				did := append(o.Server("x", "1"), o.Drain()...)
				t.Equal("DATABUS-LIMIT-005", "publications arrive", []string{"B x 1"}, called(did))
			}),
	}
}

// eventFanCases are about what the fan-out promises and what it does not.
func eventFanCases() []conformance.Case {
	const law = "DATABUS-EVENT-002"
	return []conformance.Case{
		one("event/order", "publications of one owner arrive in their order", laws(law), nil, func(t *busT) {
			o, _, _ := t.fanned()
			var want []string
			for i := range 30 {
				o.Server("x", fmt.Sprint(i))
				want = append(want, fmt.Sprintf("B x %d", i))
			}
			t.Equal(law, "at a subscriber", want, called(o.Drain()))
		}),
		one("event/once", "an EVENT that arrives is dispatched once and answered by nothing", laws(law), nil, func(t *busT) {
			o, _, b := t.fanned()
			o.Server("x", "1")
			frames := o.OnWire(b, `"EVENT"`)
			t.Equal("", "one EVENT is under way to B", 1, len(frames))
			did := o.Deliver(frames[0])
			t.Equal(law, "nothing but a call follows", "B: dispatch x 1 x", did)
			t.quiet(law, "and never again", o.Settle(), didDispatch)
		}),
		one("event/lost", "an EVENT that is lost is not sent again", laws(law), nil, func(t *busT) {
			o, _, b := t.fanned()
			o.Server("x", `"marker-of-the-data"`)
			for _, f := range o.OnWire(nil, `"EVENT"`) {
				o.Drop(f)
			}
			did := o.Settle()
			b.PageHide()
			did = append(did, o.Settle()...)
			b.PageShow()
			did = append(did, o.Settle()...)
			t.quiet(law, "nobody is called", did, didDispatch)
			t.quiet(law, "nothing is sent", posted(did, isEvent), didPost)
			t.Check(!strings.Contains(o.all.Of(didWrite).String(), "marker-of-the-data"), law, "it is stored nowhere", "no marker", "a write of it")
		}),
		one("event/suspended", "a tab that is hidden away when an EVENT arrives misses it", laws(law), nil, func(t *busT) {
			o, _, b := t.fanned()
			c := o.Tab("C")
			c.Subscribe("x")
			o.Drain()
			o.Server("x", "1")
			b.PageHide()
			did := append(o.Drain(), o.Server("x", "2")...)
			did = append(did, o.Drain()...)
			did = append(did, b.PageShow()...)
			did = append(did, o.Settle()...)
			t.Equal(law, "the other tab gets both, it none", []string{"C x 1", "C x 2"}, called(did))
			t.Equal(law, "what comes later it gets", []string{"B x 3", "C x 3"}, calledAnyOrder(append(o.Server("x", "3"), o.Drain()...)))
		}),
		one("event/late", "who subscribes later does not get what was before", laws(law), nil, func(t *busT) {
			o, a, _ := t.fanned()
			o.Server("x", "1")
			o.Drain()
			c := o.Tab("C")
			did := append(c.Subscribe("x"), a.Subscribe("x")...)
			t.quiet(law, "nothing is replayed", append(did, o.Settle()...), didDispatch)
		}),
		one("event/gone", "an EVENT for a tab that stopped or crashed reaches nobody", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			c.Subscribe("x")
			o.Drain()
			o.Server("x", "1")
			b.Stop()
			c.Crash()
			t.quiet(law, "nobody is called", o.Settle(), didDispatch)
			t.Equal("", "the owner lives", true, o.Snapshot().Tab(a).Active)
		}),
		one("event/two-owners", "events of two owners arrive in any order", laws(law), nil, func(t *busT) {
			o, a, b := t.pair()
			a.Subscribe("x")
			o.Drain()
			b.Subscribe("y")
			o.Drain()
			c := o.Tab("C")
			c.Subscribe("x")
			c.Subscribe("y")
			o.Drain()
			o.Server("x", "1")
			o.Server("y", "2")
			frames := o.OnWire(c, `"EVENT"`)
			t.Equal("", "two owners have one EVENT each under way", 2, len(frames))
			did := append(o.Deliver(frames[1]), o.Deliver(frames[0])...)
			t.Equal(law, "each is dispatched when it arrives", []string{"C y 2", "C x 1"}, called(did))
		}),
	}
}
