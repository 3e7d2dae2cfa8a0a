package eventbustest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// busEvictAfterCases are about what an eviction leaves behind.
func busEvictAfterCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/evict/abort-comes-too-late",
			Title:    "an abort behind an eviction takes nothing away",
			Laws:     []string{"EVENTBUS-EVICT-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(2))
				bus.Burst(3)
				sub.Abort()
				b.Sees("EVENTBUS-EVICT-006", "the frames and the end still come", sub.Drain(), "1 2 slow_client_warning client_evicted done")
			}),
		},
		{
			ID:       "eventbus/bus/evict/abort-in-the-middle-comes-too-late",
			Title:    "an abort while an evicted subscriber drains",
			Laws:     []string{"EVENTBUS-EVICT-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(4))
				bus.Burst(6)
				b.Sees("", "some are taken", sub.Next(2), "1 2 ready")
				sub.Abort()
				b.Sees("EVENTBUS-EVICT-006", "the others and the end still come", sub.Drain(), "3 slow_client_warning 4 client_evicted done")
			}),
		},
		{
			ID:       "eventbus/bus/evict/listener-is-detached",
			Title:    "abort listeners on the signal before and after the eviction",
			Laws:     []string{"EVENTBUS-EVICT-006"},
			Versions: bothDialects,
			Needs:    conformance.Needs{Options: []string{Listeners}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(1))
				bus.Burst(1)
				b.Equal("EVENTBUS-EVICT-006", "the subscription listens", 1, sub.Listeners())
				bus.Burst(1)
				b.Equal("EVENTBUS-EVICT-006", "the evicted one does not, before anybody drains it", 0, sub.Listeners())
			}),
		},
		{
			ID:       "eventbus/bus/evict/subscribe-again-at-once",
			Title:    "one slot, an eviction, and a resume from the last drained id",
			Laws:     []string{"EVENTBUS-EVICT-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxSubscribers: 1})
				first := bus.Subscribe(maxQueued(2))
				bus.Burst(3)
				again, thrown := bus.TrySubscribe(resumeAfter(2))
				if !b.Check(thrown == nil, "EVENTBUS-EVICT-007", "the eviction freed the slot", "a subscription", fmt.Sprint(thrown)) {
					return
				}
				b.Equal("EVENTBUS-EVICT-007", "the new one has the slot", 1, bus.Subscribers())
				b.Sees("EVENTBUS-EVICT-007", "the refused event is the first one replayed", again.Next(2), "3 replay_complete ready")
				b.Sees("", "the old one drains", first.Drain(), "1 2 slow_client_warning client_evicted done")
				b.Equal("EVENTBUS-EVICT-007", "draining the old one frees nothing of the new one", 1, bus.Subscribers())
				bus.PublishN(1)
				b.Sees("EVENTBUS-EVICT-007", "the session goes on", again.Next(1), "4 ready")
			}),
		},
		{
			ID:       "eventbus/bus/evict/others-are-unaffected",
			Title:    "one of four subscribers is evicted",
			Laws:     []string{"EVENTBUS-EVICT-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				before, full, after, waiting := bus.Subscribe(), bus.Subscribe(maxQueued(2)), bus.Subscribe(), bus.Subscribe()
				waiting.Park()
				bus.Burst(3)
				bus.PublishN(1)
				b.Equal("EVENTBUS-EVICT-007", "one is gone", 3, bus.Subscribers())
				b.The("", "it is the full one", full.Drain(), "client_evicted")
				for _, sub := range []*drivenSub{before, after, waiting} {
					b.Sees("EVENTBUS-EVICT-007", "the others get every event and no frame about it", sub.Drain(), "1..4 parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/evict/two-in-one-publish",
			Title:    "an event that two of three subscribers refuse",
			Laws:     []string{"EVENTBUS-EVICT-007", "EVENTBUS-EVICT-001"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				one, ok, two := bus.Subscribe(maxQueued(1)), bus.Subscribe(maxQueued(2)), bus.Subscribe(maxQueued(1))
				bus.Burst(2)
				b.Equal("EVENTBUS-EVICT-001", "both are removed in the same publish", 1, bus.Subscribers())
				for _, sub := range []*drivenSub{one, two} {
					b.Sees("EVENTBUS-EVICT-007", "each for itself", sub.Drain(), "1 slow_client_warning client_evicted done")
				}
				b.Sees("EVENTBUS-EVICT-007", "the third has room", ok.Drain(), "1 2 slow_client_warning parked")
			}),
		},
		{
			ID:       "eventbus/bus/evict/one-diagnostic",
			Title:    "what the side channel says of three evictions",
			Laws:     []string{"EVENTBUS-EVICT-008"},
			Versions: bothDialects,
			Needs:    conformance.Needs{Options: []string{DiagnosticText}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				b.Diagnostics()
				subs := []*drivenSub{bus.Subscribe(maxQueued(1)), bus.Subscribe(maxQueued(2)), bus.Subscribe(maxQueued(3))}
				bus.Burst(6)
				told := evictions(b.Diagnostics())
				if !b.Equal("EVENTBUS-EVICT-008", "one line for each eviction", 3, len(told)) {
					return
				}
				for i, sub := range subs {
					end := b.The("", "the end comes", sub.Drain(), "client_evicted")
					b.Data("EVENTBUS-EVICT-008", "the line has the data of the frame", end, told[i])
				}
				b.Equal("EVENTBUS-EVICT-008", "draining tells nothing more", 0, len(evictions(b.Diagnostics())))
			}),
		},
		{
			ID:       "eventbus/bus/evict/callback-may-take-the-diagnostic",
			Title:    "callbacks that return true, return false and throw",
			Laws:     []string{"EVENTBUS-EVICT-008"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{DiagnosticText, Callbacks}},
			Run: onBus(func(b *busT) {
				for _, c := range []struct {
					answer string
					lines  int
				}{{"true", 0}, {"false", 1}, {"throw", 1}} {
					bus := b.New(options{})
					witness, sub := bus.Subscribe(), bus.Subscribe(maxQueued(1), diagnose(c.answer))
					b.Diagnostics()
					bus.PublishEv(ev{Type: "first"})
					refused := bus.PublishEv(ev{Type: "trigger", Data: `{"k":0}`})
					d := b.Diagnostics()
					b.Equal("EVENTBUS-EVICT-008", "only exactly true takes the line over: "+c.answer, c.lines, len(evictions(d)))
					got := sub.Drain()
					b.Sees("EVENTBUS-EVICT-008", "the frames are the same whatever the callback does", got, "1 slow_client_warning client_evicted done")
					b.Sees("EVENTBUS-EVICT-008", "and so are those of others", witness.Drain(), "1 2 parked")
					if b.Check(refused != nil, "", "an event is published", "an event", "none") {
						b.callbackTold(d, sub, b.The("", "the end comes", got, "client_evicted"), refused)
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/evict/callback-of-a-byte-eviction",
			Title:    "a byte eviction with a callback, and a subscriber without one",
			Laws:     []string{"EVENTBUS-EVICT-008"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{DiagnosticText, Callbacks}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{MaxQueuedBytes: 1})
				sub := bus.Subscribe(diagnose("true"))
				bus.Subscribe()
				b.Diagnostics()
				bus.PublishEv(ev{Type: "first"})
				refused := bus.PublishEv(ev{Type: "trigger", Data: `{"s":"é€😀"}`})
				d := b.Diagnostics()
				b.Equal("EVENTBUS-EVICT-008", "the line of the one without a callback", 1, len(evictions(d)))
				if b.Check(refused != nil, "", "an event is published", "an event", "none") {
					b.callbackTold(d, sub, b.The("", "the end comes", sub.Drain(), "client_evicted"), refused)
				}
			}),
		},
	}
}

// callbackTold judges what the callback of a subscription was told of its eviction by a trigger.
func (b *busT) callbackTold(d diagnostics, sub *drivenSub, end, trigger *frame) {
	var told []callback
	for _, c := range d.Callbacks {
		if c.Sub == sub.Name() && c.Type == "client_evicted" {
			told = append(told, c)
		}
	}
	if !b.Equal("EVENTBUS-EVICT-008", "the callback is called once for the eviction", 1, len(told)) {
		return
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(end.Data(), &want); err != nil {
		b.Check(false, "", "client_evicted has data", "an object", end.String())
	}
	want["triggerEventType"] = trigger.Get("type")
	want["triggerEventBytes"] = fmt.Append(nil, trigger.Size())
	text, err := json.Marshal(want)
	if err != nil {
		b.Inconclusive("members of data: %v", err)
	}
	b.Same("EVENTBUS-EVICT-008", "it gets the data of the frame, and the type and size of the trigger", string(text), told[0].Data)
}

// evictions returns the JSON in those lines of the side channel that tell of an eviction: only its data has the member droppedAfter.
func evictions(d diagnostics) []string {
	var out []string
	for _, line := range d.Lines {
		from, to := strings.IndexByte(line, '{'), strings.LastIndexByte(line, '}')
		if strings.Contains(line, `"droppedAfter"`) && from >= 0 && to > from {
			out = append(out, line[from:to+1])
		}
	}
	return out
}
