package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// exits are the ways in which a subscription ends.
var exits = []string{"abort", "return", "evict", "close"}

// exit makes a subscription, with a cap of 2, take one of them; an exit that throws breaks EVENTBUS-ABORT-004.
func (b *busT) exit(bus *drivenBus, sub *drivenSub, how string) {
	var thrown *adapter.TargetError
	switch how {
	case "abort", "return":
		thrown = b.Ask(how, subRequest{Sub: sub.name}, nil)
	case "close":
		thrown = b.Ask("close", busRequest{bus.name}, nil)
	case "evict":
		// Four events are too many for the cap even if a waiting consumer takes the first.
		thrown = b.Ask("burst", burstRequest{Bus: bus.name, Count: 4, Event: ev{Data: `{}`}.json()}, &burstReply{})
	}
	b.Check(thrown == nil, "EVENTBUS-ABORT-004", how+" raises no error", "none", fmt.Sprint(thrown))
}

// leave takes exits in turn and looks after each of them whether the slot was released once. Two others stay.
func (b *busT) leave(waiting bool, hows ...string) {
	bus := b.New(options{})
	bus.Subscribe()
	sub := bus.Subscribe(maxQueued(2))
	bus.Subscribe()
	if waiting {
		sub.Park()
	} else {
		bus.Burst(1)
	}
	others := 2
	for i, how := range hows {
		b.exit(bus, sub, how)
		if how == "close" {
			others = 0
		}
		b.Equal("EVENTBUS-ABORT-004", fmt.Sprintf("subscribers after %v", hows[:i+1]), others, bus.Subscribers())
	}
	b.Equal("EVENTBUS-ABORT-004", fmt.Sprintf("the subscription is over after %v", hows), stateDone, sub.Drain().State)
	b.Equal("EVENTBUS-ABORT-004", fmt.Sprintf("being told so releases nothing more after %v", hows), others, bus.Subscribers())
}

// maxID returns the largest id among the items, 0 for none.
func maxID(got handedItems) int64 {
	var id int64
	for _, f := range got.Frames {
		id = max(id, f.ID())
	}
	return id
}
