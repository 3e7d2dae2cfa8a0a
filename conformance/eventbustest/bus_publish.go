package eventbustest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func busPublishCases() []conformance.Case {
	return slices.Concat(busPublishEventCases(), busPublishStampCases(), busPublishFanCases(), busPublishThrowCases(), busPublishRefuseCases())
}

// busPublishEventCases are about what becomes of the event.
func busPublishEventCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/publish/returned-live-and-replayed-are-equal",
			Title:    "one event with all members, as publish returned it, live, buffered and replayed",
			Laws:     []string{"EVENTBUS-PUBLISH-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				waiting, buffering := bus.Subscribe(), bus.Subscribe()
				waiting.Park()
				returned := bus.PublishEv(ev{
					Type: "tool_call", Data: `{"deep":[1,{"x":null}]}`, Originator: "client-7", Meta: `{"serverTimestamp":1690000000000,"trace":"t"}`,
				})
				want := `{"id":1,"v":1,"type":"tool_call","data":{"deep":[1,{"x":null}]},"originatorClientId":"client-7","_meta":{"serverTimestamp":1690000000000,"trace":"t"}}`
				b.Exactly("EVENTBUS-PUBLISH-001", "the event is returned as stored", returned, want)
				for how, got := range map[string]handedItems{
					"handed over": waiting.Poll(), "buffered": buffering.Next(1), "replayed": bus.Subscribe(resumeAfter(0)).Next(1),
				} {
					if b.Equal("EVENTBUS-PUBLISH-001", "the event is "+how, "1 ready", got) {
						b.Exactly("EVENTBUS-PUBLISH-001", "it is equal when "+how, got.first(), want)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/returns-each-event-at-once",
			Title:    "publish returns events while a subscriber is evicted by them",
			Laws:     []string{"EVENTBUS-PUBLISH-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 1})
				bus.Subscribe(maxQueued(1))
				for n := 1; n <= 4; n++ {
					ev := bus.Publish(fmt.Sprintf(`{"n":%d}`, n))
					if b.Check(ev != nil, "EVENTBUS-PUBLISH-001", "an open bus returns the event", "an event", "none") {
						b.Equal("EVENTBUS-PUBLISH-001", "the event is the one that was published now", n, ev.ID())
						b.Data("EVENTBUS-PUBLISH-001", "with its own data", ev, fmt.Sprintf(`{"n":%d}`, n))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/data-of-every-kind",
			Title:    "data that is null, a number, text, a list, an object, empty, deep and odd",
			Laws:     []string{"EVENTBUS-PUBLISH-001", "EVENTBUS-PUBLISH-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				texts := []string{
					`null`, `true`, `false`, `0`, `-0.5`, `1e300`, `9007199254740991`, `""`, `"data"`, `[]`, `{}`, `[[],{},""]`, `"\u0000\u001f\"\\/"`, `"ä€😀"`,
					`"\u2028\u2029<&>"`, `{"id":7,"v":2,"type":"x","_meta":{"serverTimestamp":1},"originatorClientId":"y"}`,
					`{"":{"__proto__":1,"constructor":2,"toString":3}}`, strings.Repeat("[", 60) + strings.Repeat("]", 60),
				}
				for _, text := range texts {
					b.Data("EVENTBUS-PUBLISH-005", "data is carried verbatim in what is returned", bus.Publish(text), text)
				}
				for how, got := range map[string]handedItems{"live": sub.Drain(), "replayed": bus.Subscribe(resumeAfter(0)).Next(len(texts))} {
					if !b.Equal("EVENTBUS-PUBLISH-001", "every event comes "+how, numbers(1, len(texts)), got.IDs()) {
						continue
					}
					for i, text := range texts {
						b.Data("EVENTBUS-PUBLISH-005", "data is carried verbatim "+how, got.Frames[i], text)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/random-data",
			Title:    "sixty random JSON values",
			Laws:     []string{"EVENTBUS-PUBLISH-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				var texts []string
				for range 60 {
					texts = append(texts, b.randomJSON(4))
				}
				bus.BurstOf(texts...)
				got := sub.Drain()
				if !b.Equal("EVENTBUS-PUBLISH-005", "all of them are events", numbers(1, 60), got.IDs()) {
					return
				}
				for i, text := range texts {
					b.Data("EVENTBUS-PUBLISH-005", "data is carried verbatim", got.Frames[i], text)
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/large-data",
			Title:    "an event of a mebibyte to a waiting consumer, and its replay",
			Laws:     []string{"EVENTBUS-PUBLISH-001", "EVENTBUS-PUBLISH-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				waiting := bus.Subscribe()
				waiting.Park()
				text := `"` + strings.Repeat("0123456789abcdef", 1<<16) + `"`
				returned := bus.Publish(text)
				b.Data("EVENTBUS-PUBLISH-005", "large data is carried whole", returned, text)
				for _, got := range []handedItems{waiting.Poll(), bus.Subscribe(resumeAfter(0)).Next(1)} {
					if b.Equal("EVENTBUS-PUBLISH-001", "the event is delivered", "1 ready", got) && returned != nil {
						b.Exactly("EVENTBUS-PUBLISH-001", "equal to what was returned", got.first(), returned.String())
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/absent-stays-absent",
			Title:    "events without data and without originatorClientId",
			Laws:     []string{"EVENTBUS-PUBLISH-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				events := []*frame{
					bus.PublishEv(ev{}), bus.PublishEv(ev{Data: `null`}), bus.PublishEv(ev{Data: `{}`, Originator: "c"}), bus.PublishEv(ev{Originator: "c"}),
				}
				want := []string{"_meta id type v", "_meta data id type v", "_meta data id originatorClientId type v", "_meta id originatorClientId type v"}
				live, replayed := sub.Next(4), bus.Subscribe(resumeAfter(0)).Next(4)
				for how, got := range map[string][]*frame{"returned": events, "live": live.Frames, "replayed": replayed.Frames} {
					b.Equal("EVENTBUS-PUBLISH-005", "four events are "+how, len(want), len(got))
					for i, f := range got {
						b.Check(f != nil && f.Members() == want[i], "EVENTBUS-PUBLISH-005", "a member that was not given is absent, "+how, want[i], fmt.Sprint(f))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/undefined-data-is-no-data",
			Title:    "an event whose data is undefined",
			Laws:     []string{"EVENTBUS-PUBLISH-005", "EVENTBUS-PUBLISH-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				ev := bus.PublishEv(ev{Special: undefined})
				if b.Check(ev != nil, "EVENTBUS-PUBLISH-001", "such an event has a JSON text, so that it is published", "an event", "none") {
					b.Equal("EVENTBUS-PUBLISH-005", "the JSON has no data", "_meta id type v", ev.Members())
				}
				b.Equal("EVENTBUS-PUBLISH-001", "it is replayed", numbers(1, 1), bus.Subscribe(resumeAfter(0)).Drain().IDs())
			}),
		},
		{
			ID:       "eventbus/bus/publish/originator-stays-on-the-envelope",
			Title:    "originatorClientId beside data, data with members of the same name",
			Laws:     []string{"EVENTBUS-PUBLISH-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				bus.PublishEv(ev{Data: `{"a":1}`, Originator: "client-1"})
				bus.PublishEv(ev{Data: `{"originatorClientId":"inner"}`, Originator: "ö <2>"})
				bus.PublishEv(ev{Data: `{"originatorClientId":"inner"}`})
				want := []string{
					`{"type":"note","data":{"a":1},"originatorClientId":"client-1"}`,
					`{"type":"note","data":{"originatorClientId":"inner"},"originatorClientId":"ö <2>"}`,
					`{"type":"note","data":{"originatorClientId":"inner"}}`,
				}
				for _, got := range []handedItems{sub.Next(3), bus.Subscribe(resumeAfter(0)).Next(3)} {
					if !b.Equal("EVENTBUS-PUBLISH-005", "three events", 3, len(got.Frames)) {
						continue
					}
					for i, f := range got.Frames {
						b.Same("EVENTBUS-PUBLISH-005", "it is on the envelope, and not in data", want[i], f.without("id", "v", "_meta"))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/types-mean-nothing",
			Title:    "published events whose types are those of synthetic frames, long, or odd",
			Laws:     []string{"EVENTBUS-PUBLISH-005", "EVENTBUS-PUBLISH-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				types := []string{
					"replay_complete", "state_resync_required", "client_evicted", "slow_client_warning", "session_closed", "stream_error", "message", "1", "ä€ 😀", "a\nb: c",
					strings.Repeat("t", 5000),
				}
				for i, kind := range types {
					ev := bus.PublishEv(ev{Type: kind, Data: `{"reason":"mine"}`})
					b.Check(ev != nil && ev.ID() == int64(i+1) && ev.Type() == kind, "EVENTBUS-PUBLISH-005", "a type is carried verbatim", fmt.Sprintf("%d %.40q", i+1, kind), fmt.Sprint(ev))
				}
				for _, got := range []handedItems{sub.Next(len(types)), bus.Subscribe(resumeAfter(0)).Next(len(types))} {
					if !b.Equal("EVENTBUS-PUBLISH-001", "each is an event with an id", numbers(1, len(types)), got.IDs()) {
						continue
					}
					for i, kind := range types {
						b.Equal("EVENTBUS-PUBLISH-005", "the type of a delivered event", kind, got.Frames[i].Type())
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/on-a-closed-bus",
			Title:    "three publishes after close",
			Laws:     []string{"EVENTBUS-PUBLISH-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				waiting, buffering := bus.Subscribe(), bus.Subscribe()
				bus.Burst(2)
				waiting.Drain()
				bus.Close()
				for range 3 {
					ev, thrown := bus.TryPublish(ev{Data: `{}`})
					b.Check(thrown == nil, "EVENTBUS-PUBLISH-002", "publish does not throw", "undefined", fmt.Sprint(thrown))
					b.Check(ev == nil, "EVENTBUS-PUBLISH-002", "publish returns undefined", "undefined", fmt.Sprint(ev))
					b.Equal("EVENTBUS-PUBLISH-002", "no id is assigned", 2, bus.LastEventID())
				}
				b.Sees("EVENTBUS-PUBLISH-002", "who waited gets nothing", waiting.Poll(), "done")
				b.Sees("EVENTBUS-PUBLISH-002", "who lagged gets what came before close", buffering.Drain(), "1 2 done")
			}),
		},
		{
			ID:       "eventbus/bus/publish/on-a-bus-closed-unused",
			Title:    "a bus that is closed before anything happened, a burst, and events that have no JSON",
			Laws:     []string{"EVENTBUS-PUBLISH-002"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Close()
				for _, special := range []string{"", circular, bigInt, throwingToJSON, undefined} {
					ev, thrown := bus.TryPublish(ev{Special: special})
					b.Check(ev == nil && thrown == nil, "EVENTBUS-PUBLISH-002", "publish returns undefined and does not throw", "undefined", fmt.Sprint(ev, thrown))
				}
				bus.Burst(5)
				b.Equal("EVENTBUS-PUBLISH-002", "no id is assigned", 0, bus.LastEventID())
			}),
		},
	}
}
