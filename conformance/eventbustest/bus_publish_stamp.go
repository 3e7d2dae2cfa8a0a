package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// busPublishStampCases are about _meta.serverTimestamp.
func busPublishStampCases() []conformance.Case {
	clock := conformance.Needs{Options: []string{Clock}}
	return []conformance.Case{
		{
			ID:       "eventbus/bus/publish/stamps-what-has-no-number",
			Title:    "events with no _meta, an empty one, and time stamps that are no finite numbers",
			Laws:     []string{"EVENTBUS-PUBLISH-004"},
			Versions: bothDialects,
			Needs:    clock,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				events := []ev{
					{},
					{Meta: `{}`},
					{Meta: `{"k":1}`},
					{Meta: `{"serverTimestamp":"nope"}`},
					{Meta: `{"serverTimestamp":"1690000000000"}`},
					{Meta: `{"serverTimestamp":null}`},
					{Meta: `{"serverTimestamp":true}`},
					{Meta: `{"serverTimestamp":[1]}`},
					{Meta: `{"serverTimestamp":{"valueOf":1}}`},
					{Special: nanTimestamp},
					{Special: infiniteTimestamp},
				}
				var stamps []string
				for i, ev := range events {
					now := startOfTime + int64(1000*i)
					b.Clock(now)
					stamps = append(stamps, fmt.Sprint(now))
					f := bus.PublishEv(ev)
					if b.Check(f != nil, "EVENTBUS-PUBLISH-004", "the event is published", "an event", "none") {
						b.Same("EVENTBUS-PUBLISH-004", "the wall clock at publish replaces "+ev.Meta+ev.Special, stamps[i], f.Timestamp())
					}
				}
				b.Clock(startOfTime + 1_000_000)
				b.stamped(sub.Next(len(events)), stamps, "live")
				b.stamped(bus.Subscribe(resumeAfter(0)).Next(len(events)), stamps, "replayed")
			}),
		},
		{
			ID:       "eventbus/bus/publish/keeps-finite-stamps",
			Title:    "time stamps that are finite numbers: zero, negative, fractional, small and large",
			Laws:     []string{"EVENTBUS-PUBLISH-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				stamps := []string{"5", "0", "-1.5", "-1", "0.1", "1e-7", "1690000000000", "1700000000000.25", "9007199254740991", "-9007199254740991", "1e300", "-1e300"}
				for _, stamp := range stamps {
					f := bus.PublishEv(ev{Meta: `{"serverTimestamp":` + stamp + `}`})
					if b.Check(f != nil, "EVENTBUS-PUBLISH-004", "the event is published", "an event", "none") {
						b.Same("EVENTBUS-PUBLISH-004", "a finite number is kept", stamp, f.Timestamp())
					}
				}
				b.stamped(sub.Next(len(stamps)), stamps, "live")
				b.stamped(bus.Subscribe(resumeAfter(0)).Next(len(stamps)), stamps, "replayed")
			}),
		},
		{
			ID:       "eventbus/bus/publish/keeps-other-meta",
			Title:    "_meta with further members, with and without a time stamp of its own",
			Laws:     []string{"EVENTBUS-PUBLISH-004"},
			Versions: bothDialects,
			Needs:    clock,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe()
				metas := [][2]string{
					{`{"trace":"t"}`, `{"trace":"t","serverTimestamp":1700000000000}`},
					{`{"trace":"t","serverTimestamp":5}`, `{"trace":"t","serverTimestamp":5}`},
					{`{"trace":"t","deep":{"a":[1,null]},"none":null,"zero":0,"":""}`, `{"trace":"t","deep":{"a":[1,null]},"none":null,"zero":0,"":"","serverTimestamp":1700000000000}`},
					{`{"a":1,"serverTimestamp":-1.5,"b":2}`, `{"a":1,"serverTimestamp":-1.5,"b":2}`},
					{`{"a":1,"serverTimestamp":"nope","b":2}`, `{"a":1,"serverTimestamp":1700000000000,"b":2}`},
					{`{"servertimestamp":5,"id":7,"v":9}`, `{"servertimestamp":5,"id":7,"v":9,"serverTimestamp":1700000000000}`},
				}
				for _, m := range metas {
					if f := bus.PublishEv(ev{Data: `{}`, Meta: m[0]}); f != nil {
						b.Same("EVENTBUS-PUBLISH-004", "other members are kept as they are", m[1], f.Get("_meta"))
					}
				}
				for _, got := range []handedItems{sub.Next(len(metas)), bus.Subscribe(resumeAfter(0)).Next(len(metas))} {
					if !b.Equal("EVENTBUS-PUBLISH-004", "all are delivered", len(metas), len(got.Frames)) {
						continue
					}
					for i, m := range metas {
						b.Same("EVENTBUS-PUBLISH-004", "they are delivered with the event", m[1], got.Frames[i].Get("_meta"))
					}
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/stamps-once",
			Title:    "the clock moves between publish, subscription, delivery and two replays",
			Laws:     []string{"EVENTBUS-PUBLISH-004"},
			Versions: bothDialects,
			Needs:    clock,
			Run: onBus(func(b *busT) {
				b.Clock(startOfTime)
				bus := b.New(options{})
				b.Clock(startOfTime + 1)
				sub := bus.Subscribe()
				b.Clock(startOfTime + 2)
				bus.Publish(`{}`)
				b.Clock(startOfTime + 3)
				bus.Publish(`{}`)
				b.Clock(startOfTime + 4)
				stamps := []string{fmt.Sprint(startOfTime + 2), fmt.Sprint(startOfTime + 3)}
				late := bus.Subscribe(resumeAfter(0))
				b.Clock(startOfTime + 5)
				b.stamped(sub.Next(2), stamps, "live, taken later")
				b.stamped(late.Next(2), stamps, "replayed, taken later")
				b.Clock(startOfTime - 50_000)
				b.stamped(bus.Subscribe(resumeAfter(0)).Next(2), stamps, "replayed after the clock went back")
				bus.Publish(`{}`)
				b.stamped(bus.Subscribe(resumeAfter(2)).Next(1), []string{fmt.Sprint(startOfTime - 50_000)}, "published after the clock went back")
			}),
		},
		{
			ID:       "eventbus/bus/publish/one-stamp-for-all-subscribers",
			Title:    "a burst to three subscribers",
			Laws:     []string{"EVENTBUS-PUBLISH-004"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				one, other, waiting := bus.Subscribe(), bus.Subscribe(), bus.Subscribe()
				waiting.Park()
				bus.Burst(3)
				want := bus.Subscribe(resumeAfter(0)).Next(3)
				if !b.Equal("EVENTBUS-PUBLISH-004", "three events are replayed", numbers(1, 3), want.IDs()) {
					return
				}
				var stamps []string
				for _, f := range want.Frames {
					stamps = append(stamps, string(f.Timestamp()))
				}
				for _, sub := range []*drivenSub{one, other, waiting} {
					b.stamped(sub.Next(3), stamps, "live")
				}
			}),
		},
	}
}

// stamped compares the time stamps of real frames.
func (b *busT) stamped(got handedItems, stamps []string, how string) {
	if !b.Equal("EVENTBUS-PUBLISH-004", "all events come "+how, len(stamps), len(got.IDs())) {
		return
	}
	i := 0
	for _, f := range got.Frames {
		if !f.Has("id") {
			continue
		}
		b.Same("EVENTBUS-PUBLISH-004", fmt.Sprintf("event %d carries the stamp of its publish, %s", f.ID(), how), stamps[i], f.Timestamp())
		i++
	}
}
