package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// busPublishRefuseCases are about events that have no JSON text: delivered in one dialect, refused in the other.
func busPublishRefuseCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/bus/publish/unencodable-is-delivered",
			Title:    "events without a JSON text between good ones",
			Laws:     []string{"EVENTBUS-PUBLISH-007"},
			Versions: seedOnly,
			Run: onBus(func(b *busT) {
				for _, special := range unencodable() {
					bus := b.New(options{})
					waiting, lagging := bus.Subscribe(), bus.Subscribe()
					waiting.Park()
					bus.Publish(`{}`)
					ev := bus.PublishEv(ev{Special: special})
					b.Check(ev != nil && ev.ID() == 2, "EVENTBUS-PUBLISH-007", special+" has consumed an id", "2", fmt.Sprint(ev))
					b.Equal("EVENTBUS-PUBLISH-007", "the id counts", 2, bus.LastEventID())
					bus.Publish(`{}`)
					b.Sees("EVENTBUS-PUBLISH-007", "it is delivered to who lags", lagging.Drain(), "1..3 parked")
					b.Sees("EVENTBUS-PUBLISH-007", "and to who waits", waiting.Drain(), "1..3 parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/unencodable-takes-a-slot",
			Title:    "an event without a JSON text in a queue of 2",
			Laws:     []string{"EVENTBUS-PUBLISH-007"},
			Versions: seedOnly,
			Run: onBus(func(b *busT) {
				for _, special := range unencodable() {
					bus := b.New(options{})
					sub := bus.Subscribe(maxQueued(2))
					bus.PublishEv(ev{Special: special})
					bus.Publish(`{}`)
					b.Equal("EVENTBUS-PUBLISH-007", "two events fit", 1, bus.Subscribers())
					bus.PublishEv(ev{Special: special})
					got := sub.Drain()
					b.Sees("EVENTBUS-PUBLISH-007", "each is one live frame", got, "1 2 slow_client_warning client_evicted done")
					b.Numbers("EVENTBUS-PUBLISH-007", "by frames", b.The("EVENTBUS-PUBLISH-007", "a third evicts", got, "client_evicted"), "queueSize", 2, "droppedAfter", 3)
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/unencodable-adds-no-octets",
			Title:    "events without a JSON text under a byte cap for two good ones",
			Laws:     []string{"EVENTBUS-PUBLISH-007"},
			Versions: seedOnly,
			Run: onBus(func(b *busT) {
				s := b.sizeWith(`{"k":1}`)
				for _, special := range unencodable() {
					bus := b.New(options{MaxQueuedBytes: 2 * s})
					sub := bus.Subscribe()
					bus.PublishN(1)
					bus.PublishEv(ev{Special: special})
					bus.PublishN(1)
					bus.PublishEv(ev{Special: special})
					b.Equal("EVENTBUS-PUBLISH-007", "two good and two bad events fit into twice the size of a good one", 1, bus.Subscribers())
					bus.PublishN(1)
					end := b.The("EVENTBUS-PUBLISH-007", "a third good one evicts", sub.Drain(), "client_evicted")
					b.Numbers("EVENTBUS-PUBLISH-007", "by the octets of two, with four frames", end, "queueSize", 4, "queuedBytes", 2*s, "droppedAfter", 5, "eventBytes", s)
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/unencodable-is-kept",
			Title:    "the replay of an event without a JSON text, on rings of 1 and 3",
			Laws:     []string{"EVENTBUS-RING-001", "EVENTBUS-REPLAY-001"},
			Versions: seedOnly,
			Run: onBus(func(b *busT) {
				for _, special := range unencodable() {
					one, three := b.New(options{RingSize: 1}), b.New(options{RingSize: 3})
					for _, bus := range []*drivenBus{one, three} {
						bus.PublishN(2)
						bus.PublishEv(ev{Special: special})
					}
					b.Equal("EVENTBUS-RING-001", "it takes its place in the ring", numbers(3, 3), one.Subscribe(resumeAfter(0)).Drain().IDs())
					b.Equal("EVENTBUS-REPLAY-001", "it is replayed as others are", numbers(2, 3), three.Subscribe(resumeAfter(1)).Drain().IDs())
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/unencodable-is-diagnosed",
			Title:    "what is told of an event without a JSON text that is buffered",
			Laws:     []string{"EVENTBUS-PUBLISH-007"},
			Versions: seedOnly,
			Needs:    conformance.Needs{Options: []string{DiagnosticText}},
			Run: onBus(func(b *busT) {
				for _, special := range unencodable() {
					bus := b.New(options{})
					bus.Subscribe()
					b.Diagnostics()
					bus.PublishEv(ev{Type: "odd_kind", Special: special})
					lines := b.Diagnostics().Lines
					b.Check(len(lines) > 0, "EVENTBUS-PUBLISH-007", "a diagnostic goes to stderr for "+special, "a line", strings.Join(lines, "\n"))
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/unencodable-burns-no-id",
			Title:    "good, bad, good, for each payload without a JSON text",
			Laws:     []string{"EVENTBUS-PUBLISH-008"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				for _, special := range unencodable() {
					bus := b.New(options{})
					waiting, lagging := bus.Subscribe(), bus.Subscribe()
					first := bus.Publish(`{}`)
					waiting.Drain()
					for range 3 {
						ev := bus.PublishEv(ev{Special: special})
						b.Check(ev == nil, "EVENTBUS-PUBLISH-008", special+" is not published", "undefined", fmt.Sprint(ev))
						b.Equal("EVENTBUS-PUBLISH-008", "no id is taken", 1, bus.LastEventID())
					}
					b.Sees("EVENTBUS-PUBLISH-008", "who waits goes on waiting", waiting.Poll(), "parked")
					second := bus.Publish(`{}`)
					b.Check(first != nil && second != nil && first.ID() == 1 && second.ID() == 2, "EVENTBUS-PUBLISH-008", "the next good event takes the id", "1, 2", fmt.Sprint(first, second))
					b.Sees("EVENTBUS-PUBLISH-008", "who lags sees good events alone", lagging.Drain(), "1 2 parked")
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/unencodable-first",
			Title:    "the very first event of a bus has no JSON text",
			Laws:     []string{"EVENTBUS-PUBLISH-008"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				bus.PublishEv(ev{Special: circular})
				b.Equal("EVENTBUS-PUBLISH-008", "nothing has been published", 0, bus.LastEventID())
				b.Sees("EVENTBUS-PUBLISH-008", "there is nothing to replay, nor a gap", bus.Subscribe(resumeAfter(0)).Drain(), "replay_complete parked")
				b.Equal("EVENTBUS-PUBLISH-008", "the first good event has id 1", 1, idOf(bus.Publish(`{}`)))
			}),
		},
		{
			ID:       "eventbus/bus/publish/unencodable-touches-no-ring",
			Title:    "refused events on full rings of 1, 2 and 3",
			Laws:     []string{"EVENTBUS-PUBLISH-008"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				for size := 1; size <= 3; size++ {
					bus := b.filled(options{RingSize: size}, size)
					for _, special := range unencodable() {
						bus.PublishEv(ev{Special: special})
					}
					b.Sees("EVENTBUS-PUBLISH-008", "a refused event neither enters the ring nor trims it", bus.Subscribe(resumeAfter(0)).Drain(), fmt.Sprintf("%d..%d replay_complete parked", 1, size))
				}
			}),
		},
		{
			ID:       "eventbus/bus/publish/unencodable-touches-no-queue",
			Title:    "refused events to queues that are almost and quite full",
			Laws:     []string{"EVENTBUS-PUBLISH-008"},
			Versions: laterOnly,
			Run: onBus(func(b *busT) {
				bus := b.New(options{})
				almost, full := bus.Subscribe(maxQueued(4)), bus.Subscribe(maxQueued(2))
				bus.Burst(2)
				for _, special := range unencodable() {
					bus.PublishEv(ev{Special: special})
				}
				b.Equal("EVENTBUS-PUBLISH-008", "a refused event evicts nobody", 2, bus.Subscribers())
				b.Sees("EVENTBUS-PUBLISH-008", "a refused event warns nobody", almost.Next(2), "1 2 ready")
				b.Sees("EVENTBUS-PUBLISH-008", "a full queue is left as it was", full.Next(3), "1 2 slow_client_warning ready")
				bus.Burst(2)
				b.Sees("EVENTBUS-PUBLISH-008", "good events go on", almost.Drain(), "3 4 parked")
			}),
		},
		{
			ID:       "eventbus/bus/publish/refusal-names-the-type",
			Title:    "what is told of a refused event",
			Laws:     []string{"EVENTBUS-PUBLISH-008"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{DiagnosticText}},
			Run: onBus(func(b *busT) {
				for _, special := range unencodable() {
					bus := b.New(options{})
					bus.Subscribe()
					b.Diagnostics()
					bus.PublishEv(ev{Type: "odd_kind", Originator: "secret-client", Meta: `{"secret-name":"secret-value"}`, Special: special})
					lines := b.Diagnostics().Lines
					if b.Equal("EVENTBUS-PUBLISH-008", "one line is written for "+special, 1, len(lines)) {
						b.Check(strings.Contains(lines[0], "odd_kind"), "EVENTBUS-PUBLISH-008", "it names the type", "odd_kind", lines[0])
						b.Check(!strings.Contains(lines[0], "secret"), "EVENTBUS-PUBLISH-008", "and nothing else of the event", "the type alone", lines[0])
					}
				}
			}),
		},
	}
}
