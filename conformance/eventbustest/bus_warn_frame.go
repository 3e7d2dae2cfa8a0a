package eventbustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// busWarnFrameCases are about the frame itself, where it stands and who gets it.
func busWarnFrameCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/warn/right-behind-its-trigger",
			Title:    "cap 8 and seven events",
			Laws:     []string{"EVENTBUS-WARN-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(8))
				bus.Burst(7)
				b.Sees("EVENTBUS-WARN-007", "behind the sixth, before the seventh", sub.Drain(), "1..6 slow_client_warning 7 parked")
			}),
		},
		{
			ID:       "eventbus/bus/warn/behind-everything-that-was-queued",
			Title:    "a warning behind a resync, a replay and live events",
			Laws:     []string{"EVENTBUS-WARN-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{RingSize: 3})
				bus.Burst(5)
				sub := bus.Subscribe(resumeAfter(0), maxQueued(4))
				bus.Burst(4)
				b.Sees("EVENTBUS-WARN-007", "behind the third live event", sub.Drain(), "ring_evicted 3..5 replay_complete 6..8 slow_client_warning 9 parked")
			}),
		},
		{
			ID:       "eventbus/bus/warn/behind-the-trigger-of-a-drained-queue",
			Title:    "the second warning of a subscription, behind a partial drain",
			Laws:     []string{"EVENTBUS-WARN-007"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(8))
				bus.Burst(6)
				b.Sees("", "drained past the warning", sub.Next(7), "1..6 slow_client_warning ready")
				bus.Burst(2)
				b.Sees("", "and a little more", sub.Next(1), "7 ready")
				bus.Burst(6)
				b.Sees("EVENTBUS-WARN-007", "the sixth that is buffered is id 13", sub.Drain(), "8..13 slow_client_warning 14 parked")
			}),
		},
		{
			ID:       "eventbus/bus/warn/base-fields",
			Title:    "cap 8 on a new bus and on one that published before",
			Laws:     []string{"EVENTBUS-WARN-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, before := range []int{0, 20, 1000} {
					bus := b.New(options{})
					bus.Burst(before)
					sub := bus.Subscribe(maxQueued(8))
					bus.Burst(8)
					warning := b.The("EVENTBUS-WARN-008", "a warning comes", sub.Drain(), "slow_client_warning")
					b.Numbers("EVENTBUS-WARN-008", "count with the trigger, cap, id of the trigger", warning, "queueSize", 6, "maxQueued", 8, "lastEventId", before+6)
					b.Check(!warning.Has("id"), "EVENTBUS-WARN-008", "the frame has no id", "no id", warning.String())
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/base-fields-of-a-byte-warning",
			Title:    "two frames of a cap of 16 that reach the byte line",
			Laws:     []string{"EVENTBUS-WARN-008"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 1000})
				sub := bus.Subscribe(maxQueued(16))
				bus.BurstOf(data(400), data(350))
				warning := b.The("EVENTBUS-WARN-008", "a warning comes", sub.Drain(), "slow_client_warning")
				b.Numbers("EVENTBUS-WARN-008", "the same fields whatever the reason", warning, "queueSize", 2, "maxQueued", 16, "lastEventId", 11)
			}),
		},
		{
			ID:       "eventbus/bus/warn/byte-fields-and-threshold",
			Title:    "warnings for frames, for octets and for both at once",
			Laws:     []string{"EVENTBUS-WARN-009"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, c := range []struct {
					threshold string
					frames    int
					sizes     []int
				}{
					{"frames", 4, []int{200, 200, 349}},
					{"bytes", 100, []int{200, 550}},
					{"frames_and_bytes", 4, []int{200, 200, 350}},
					{"frames_and_bytes", 1, []int{5000}},
				} {
					bus := b.twoDigits(options{MaxQueuedBytes: 1000})
					sub := bus.Subscribe(maxQueued(c.frames))
					sum := 0
					for _, size := range c.sizes {
						bus.Publish(data(size))
						sum += size
					}
					warning := b.The("EVENTBUS-WARN-009", "a warning comes", sub.Drain(), "slow_client_warning")
					b.Exactly("EVENTBUS-WARN-009", fmt.Sprintf("%d of %d frames and %d of 1000 octets", len(c.sizes), c.frames, sum), warning, fmt.Sprintf(
						`{"v":1,"type":"slow_client_warning","data":{"queueSize":%d,"maxQueued":%d,"lastEventId":%d,"queuedBytes":%d,"maxQueuedBytes":1000,"threshold":%q}}`,
						len(c.sizes), c.frames, 9+len(c.sizes), sum, c.threshold))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/threshold-is-of-this-push",
			Title:    "a second warning names the dimension of its own episode",
			Laws:     []string{"EVENTBUS-WARN-009"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 8000})
				sub := bus.Subscribe(maxQueued(4))
				bus.BurstOf(data(100), data(100), data(100))
				first := b.The("EVENTBUS-WARN-009", "the first warning", sub.Next(4), "slow_client_warning")
				b.Equal("EVENTBUS-WARN-009", "3 of 4 frames", "frames", first.DataText("threshold"))
				bus.BurstOf(data(100), data(6000))
				second := b.The("EVENTBUS-WARN-009", "the second warning", sub.Next(3), "slow_client_warning")
				b.Equal("EVENTBUS-WARN-009", "2 of 4 frames and 6100 of 8000 octets", "bytes", second.DataText("threshold"))
				b.Numbers("EVENTBUS-WARN-009", "what is buffered now", second, "queuedBytes", 6100, "queueSize", 2)
			}),
		},
		{
			ID:       "eventbus/bus/warn/private",
			Title:    "one lags, one drains, one waits, one has a larger cap",
			Laws:     []string{"EVENTBUS-WARN-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				lagging, draining, waiting, large := bus.Subscribe(maxQueued(4)), bus.Subscribe(maxQueued(4)), bus.Subscribe(maxQueued(4)), bus.Subscribe()
				waiting.Park()
				var drained, waited []string
				for range 4 {
					bus.PublishN(1)
					drained = append(drained, draining.Next(1).String())
					waited = append(waited, waiting.Poll().String())
					waiting.Park()
				}
				b.Equal("EVENTBUS-WARN-010", "who drains is not warned", "[1 ready 2 ready 3 ready 4 ready]", drained)
				b.Equal("EVENTBUS-WARN-010", "who waits is not warned", "[1 ready 2 ready 3 ready 4 ready]", waited)
				b.Sees("EVENTBUS-WARN-010", "4 of 256 is no lag", large.Drain(), "1..4 parked")
				b.Sees("EVENTBUS-WARN-010", "who lags is", lagging.Drain(), "1..3 slow_client_warning 4 parked")
			}),
		},
		{
			ID:       "eventbus/bus/warn/not-terminal",
			Title:    "a warned subscriber catches up and goes on",
			Laws:     []string{"EVENTBUS-WARN-010"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				sub := bus.Subscribe(maxQueued(4))
				bus.Burst(4)
				b.Sees("EVENTBUS-WARN-010", "everything comes, with the warning", sub.Next(5), "1..3 slow_client_warning 4 ready")
				b.Equal("EVENTBUS-WARN-010", "the warned one is still subscribed", 1, bus.Subscribers())
				for n := 5; n <= 30; n++ {
					bus.PublishN(1)
					b.Sees("EVENTBUS-WARN-010", "a consumer that keeps up is as before", sub.Next(1), fmt.Sprint(n, " ready"))
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/none-for-the-event-that-evicts",
			Title:    "no warning between the last live frame and the eviction",
			Laws:     []string{"EVENTBUS-WARN-011"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, c := range firstWarnings {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(c.limit))
					bus.Burst(c.limit + 1)
					want := fmt.Sprintf("1..%d slow_client_warning %d..%d client_evicted done", c.warns, c.warns+1, c.limit)
					b.Sees("EVENTBUS-WARN-011", fmt.Sprintf("cap %d: the event that was refused warns of nothing", c.limit), sub.Drain(), want)
				}
			}),
		},
		{
			ID:       "eventbus/bus/warn/none-for-the-event-that-evicts-when-armed",
			Title:    "an armed subscription, below its line, and an event far too large",
			Laws:     []string{"EVENTBUS-WARN-011"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				bus := b.twoDigits(options{MaxQueuedBytes: 1000})
				sub := bus.Subscribe()
				bus.BurstOf(data(800))
				b.Sees("", "octets reach their line", sub.Next(2), "10 slow_client_warning ready")
				bus.BurstOf(data(300), data(900))
				b.Sees("EVENTBUS-WARN-011", "300 of 1000 re-arms; the event that does not fit warns of nothing", sub.Drain(), "11 client_evicted done")
			}),
		},
		{
			ID:       "eventbus/bus/warn/byte-eviction-without-a-warning",
			Title:    "700 and 400 octets against a byte cap of 1000",
			Laws:     []string{"EVENTBUS-WARN-012"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				data := b.filling()
				for _, sizes := range [][]int{{700, 400}, {749, 252}, {300, 300, 149, 500}} {
					bus := b.twoDigits(options{MaxQueuedBytes: 1000})
					sub := bus.Subscribe()
					var burst []string
					for _, size := range sizes {
						burst = append(burst, data(size))
					}
					bus.BurstOf(burst...)
					got := sub.Drain()
					b.Equal("EVENTBUS-WARN-012", fmt.Sprintf("%v go from below 750 to above 1000", sizes), 0, warnings(got))
					b.Equal("EVENTBUS-WARN-012", "all but the last are delivered", upTo(10, 8+len(sizes)), got.IDs())
					b.Check(slices.ContainsFunc(got.Frames, func(f *frame) bool { return f.Type() == "client_evicted" }), "EVENTBUS-WARN-012", "the last one evicts", "client_evicted", got.String())
				}
			}),
		},
	}
}
