package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// busQueueSizeCases are about what the size of an event is, and when it is found out.
func busQueueSizeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/queue/size-is-octets-of-utf8",
			Title:    "text of characters of 1 to 4 octets against a byte cap",
			Laws:     []string{"EVENTBUS-QUEUE-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, text := range []string{"plain", "é", "ñandú", "€", "снег", "日本語", "😀", "a😀é€", "\u2028\u2029", "<&>\u00a0"} {
					b.judgeSize("EVENTBUS-QUEUE-008", ev{Data: `{"s":` + jsonString(text) + `}`})
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/size-of-escapes",
			Title:    "text that JSON has to escape, and text that it need not",
			Laws:     []string{"EVENTBUS-QUEUE-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, data := range []string{
					`{"s":"\"\\\/"}`, `{"s":"\n\r\t\b\f"}`, `{"s":"\u0000\u001f\u007f"}`, `{"s":"\u00e9\u20ac"}`, `{"s":"\ud83d\ude00"}`, `{"s":"\u003c\u0026"}`, `{"\u00e9":1}`,
				} {
					b.judgeSize("EVENTBUS-QUEUE-008", ev{Data: data})
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/size-of-the-envelope",
			Title:    "every member of the envelope is in the size",
			Laws:     []string{"EVENTBUS-QUEUE-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, e := range []ev{
					{Data: `{}`},
					{Data: ``},
					{Data: `null`},
					{Data: `[1,2,3]`},
					{Data: `"text"`},
					{Data: `{}`, Type: "a_much_longer_type_of_event"},
					{Data: `{}`, Type: "típo€"},
					{Data: `{}`, Originator: "client-1"},
					{Data: `{}`, Originator: "cliënt"},
					{Data: `{}`, Meta: `{"serverTimestamp":5}`},
					{Data: `{}`, Meta: `{"serverTimestamp":1700000000000.25}`},
					{Data: `{}`, Meta: `{"trace":"ü","more":[1,{"a":null}]}`},
					{Data: `{"deep":{"er":[{"a":[]},true,false,null,-1.5]}}`, Originator: "c", Meta: `{"x":1}`},
				} {
					b.judgeSize("EVENTBUS-QUEUE-008", e)
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/size-is-of-compact-json",
			Title:    "data with white space between its tokens",
			Laws:     []string{"EVENTBUS-QUEUE-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, data := range []string{`{ "a" : [ 1 , 2 ] , "b" : { } }`, "{\n\t\"a\":\r\n [ ]\n}", `{"keep":"  a  b  "}`} {
					b.judgeSize("EVENTBUS-QUEUE-008", ev{Data: data})
				}
			}),
		},
		{
			ID:       "eventbus/bus/queue/size-grows-with-the-id",
			Title:    "an event is a digit larger from id 10 and id 100 on",
			Laws:     []string{"EVENTBUS-QUEUE-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				s := b.New(options{}).Publish(`{"k":0}`).Size()
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(103))
				bus.Burst(104)
				end := b.The("", "the cap of 103 is reached", sub.Drain(), "client_evicted")
				b.Numbers("EVENTBUS-QUEUE-008", "9 ids have one digit, 90 two and 4 three", end, "queueSize", 103, "queuedBytes", 9*s+90*(s+1)+4*(s+2))
			}),
		},
		{
			ID:       "eventbus/bus/queue/direct-delivery-is-not-sized",
			Title:    "how often a payload is serialised when a waiting consumer takes it",
			Laws:     []string{"EVENTBUS-QUEUE-009"},
			Versions: bothDialects,
			Needs:    conformance.Needs{Options: []string{Counted}},
			Run: onBus(func(b *busT) {
				want := map[string]int{"seed": 0, "later": 1}[b.Version()]
				bus := b.New(options{})
				b.Sized()
				bus.PublishEv(ev{Special: countingData})
				b.Equal("EVENTBUS-QUEUE-009", "nobody subscribed", want, b.Sized())
				subs := []*drivenSub{bus.Subscribe(), bus.Subscribe()}
				for _, sub := range subs {
					sub.Park()
				}
				bus.PublishEv(ev{Special: countingData})
				b.Equal("EVENTBUS-QUEUE-009", "both subscribers were waiting", want, b.Sized())
			}),
		},
		{
			ID:       "eventbus/bus/queue/sized-once-for-all",
			Title:    "how often a payload is serialised for two queues, open and full",
			Laws:     []string{"EVENTBUS-QUEUE-009"},
			Versions: bothDialects,
			Needs:    conformance.Needs{Options: []string{Counted}},
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.Subscribe(maxQueued(1))
				bus.Subscribe(maxQueued(1))
				b.Sized()
				bus.PublishEv(ev{Special: countingData})
				buffered := b.Sized()
				b.Check(buffered == 1 || b.Version() == "seed" && buffered == 2, "EVENTBUS-QUEUE-009", "two queues buffer the event: sized once for both, or in the seed for each",
					"1, in the seed at most 2", fmt.Sprint(buffered))
				bus.PublishEv(ev{Special: countingData})
				b.Equal("EVENTBUS-QUEUE-009", "both queues are full: the seed never asks for the size", map[string]int{"seed": 0, "later": 1}[b.Version()], b.Sized())
			}),
		},
	}
}

// judgeSize publishes an event to a subscriber whose byte cap is 1 until it is evicted, and compares what the eviction measures
// with the frames as they came.
func (b *busT) judgeSize(law string, e ev) {
	bus := b.New(options{MaxQueuedBytes: 1})
	sub := bus.Subscribe()
	first, second := bus.PublishEv(e), bus.PublishEv(e)
	got := sub.Drain()
	end := b.The(law, "a second event does not fit", got, "client_evicted")
	if !b.Check(first != nil && second != nil && len(got.Frames) > 0, "", "the events are published", "two events", fmt.Sprint(first, second)) {
		return
	}
	b.Numbers(law, fmt.Sprintf("the size is that of the compact JSON in UTF-8: %s", first), end, "queuedBytes", got.Frames[0].Size(), "eventBytes", second.Size())
	b.Equal(law, "the frame that was yielded is the one that was measured", first.Size(), got.Frames[0].Size())
}

// jsonString writes text with nothing escaped that JSON lets stand.
func jsonString(s string) string {
	out := []rune{'"'}
	for _, r := range s {
		if r == '"' || r == '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(append(out, '"'))
}
