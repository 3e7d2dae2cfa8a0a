package fuzz

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
)

// A bentFeed has the events of another, changed.
type bentFeed struct {
	relay.Feed
	from func(uint64) uint64
	bend func(*relay.Event)
}

func (f bentFeed) Resume(ctx context.Context, peer, obj string, from uint64) (relay.Events, error) {
	if f.from != nil {
		from = f.from(from)
	}
	events, err := f.Feed.Resume(ctx, peer, obj, from)
	return bentEvents{events, f.bend}, err
}

type bentEvents struct {
	relay.Events
	bend func(*relay.Event)
}

func (e bentEvents) Next(ctx context.Context) (relay.Event, error) {
	x, err := e.Events.Next(ctx)
	if e.bend != nil {
		e.bend(&x)
	}
	return x, err
}

// TestSubstrateFeedSeesFaults: whatever is wrong around a browser and its edges parts them from the machine within some runs.
func TestSubstrateFeedSeesFaults(t *testing.T) {
	bend := func(f func(*relay.Event)) func(*feedRig) {
		return func(r *feedRig) { r.stream = bentFeed{Feed: r.stream, bend: f} }
	}
	for what, spoil := range map[string]func(*feedRig){
		"a stream without predecessors":   bend(func(e *relay.Event) { e.Prev = 0 }),
		"a stream that seems dense":       bend(func(e *relay.Event) { e.Prev = e.Seq - 1 }),
		"a stream that hides its end":     bend(func(e *relay.Event) { e.Trimmed = false }),
		"a stream that is always trimmed": bend(func(e *relay.Event) { e.Trimmed = true }),
		"a stream from behind": func(r *feedRig) {
			r.stream = bentFeed{Feed: r.stream, from: func(from uint64) uint64 { return from + 1 }}
		},
		"a stream from its beginning": func(r *feedRig) {
			r.stream = bentFeed{Feed: r.stream, from: func(uint64) uint64 { return 1 }}
		},
		"a gate that is open":           func(r *feedRig) { r.gate = engine.AllowAll },
		"an inbox of four":              func(r *feedRig) { r.limits.Inbox = 4 },
		"a clock that is slow":          func(r *feedRig) { r.step -= time.Second },
		"a clock that is fast":          func(r *feedRig) { r.step += time.Second },
		"a network that delivers twice": func(r *feedRig) { r.twice = true },
		"an application that is hasty":  func(r *feedRig) { r.hasty = true },
		"a stream that is not trimmed":  func(r *feedRig) { r.trim = func(string, string, uint64) {} },
	} {
		t.Run(what, func(t *testing.T) {
			for seed := range uint64(2000) {
				if feedsTogether(draws{rand.New(rand.NewPCG(seed, 2)).IntN}, pairSteps, spoil, ways{}) != nil {
					return
				}
			}
			t.Error("nobody notices")
		})
	}
}
