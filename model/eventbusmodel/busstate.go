package eventbusmodel

import (
	"fmt"
	"slices"
	"strings"
)

// A BusState is all that a bus and its subscriptions know. It is a value: nothing that it points to is ever changed.
type BusState struct {
	published int64 // the highest id assigned
	closed    bool
	count     int // subscribers attached
	ring      []Frame
	seeded    int64 // the highest id that seeding assigned
	subs      []busSub
}

// A busSub is one slot: the last subscription that was opened in it.
type busSub struct {
	opened   bool
	attached bool // the bus delivers to it, and it takes one of the places
	ended    bool // its queue takes nothing more
	evicted  bool
	callback Callback
	limit    int // maxQueued
	live     int
	bytes    int64
	warned   bool
	asks     int // calls of next that wait
	queue    []busEntry
	seen     busSeen
}

type busEntry struct {
	frame  Frame
	forced bool
	bytes  int64
}

// A busSeen is what the consumer of a subscription has been given; only invariants read it.
type busSeen struct {
	cursor    bool
	after     int64
	start     int64   // the id that comes first
	holes     []int64 // ids that need not follow the one before: behind a replay that was cut short, and behind history that was seeded meanwhile
	last      int64   // the last id, 0: none
	resyncs   int
	completes int
	terminals int
}

// LastEventID returns the highest id assigned so far.
func (s BusState) LastEventID() int64 { return s.published }

// Count returns the number of subscribers attached.
func (s BusState) Count() int { return s.count }

// Closed says whether the bus is closed.
func (s BusState) Closed() bool { return s.closed }

// Ring returns the events that can be replayed, oldest first.
func (s BusState) Ring() []Frame { return slices.Clone(s.ring) }

// A SubView is what can be seen of a subscription from outside.
type SubView struct {
	Opened, Attached, Ended, Evicted, Warned bool
	MaxQueued, Live, Buffered, Asks          int
	Bytes                                    int64
}

// Slots returns the number of slots.
func (s BusState) Slots() int { return len(s.subs) }

// Sub returns what can be seen of the subscription in a slot.
func (s BusState) Sub(slot int) SubView {
	b := s.subs[slot]
	return SubView{
		Opened: b.opened, Attached: b.attached, Ended: b.ended, Evicted: b.evicted, Warned: b.warned,
		MaxQueued: b.limit, Live: b.live, Buffered: len(b.queue), Asks: b.asks, Bytes: b.bytes,
	}
}

// String returns the state on one line.
func (s BusState) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "last %d, %d attached", s.published, s.count)
	if s.closed {
		b.WriteString(", closed")
	}
	b.WriteString(", ring")
	for _, f := range s.ring {
		fmt.Fprintf(&b, " %d", f.ID)
	}
	for i, sub := range s.subs {
		if sub.opened {
			fmt.Fprintf(&b, "; #%d %s", i, sub)
		}
	}
	return b.String()
}

func (s busSub) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "live %d/%d bytes %d asks %d", s.live, s.limit, s.bytes, s.asks)
	for _, flag := range []struct {
		on   bool
		name string
	}{{s.attached, "attached"}, {s.ended, "ended"}, {s.evicted, "evicted"}, {s.warned, "warned"}} {
		if flag.on {
			b.WriteString(" " + flag.name)
		}
	}
	b.WriteString(" [")
	for i, e := range s.queue {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.frame.String())
	}
	b.WriteByte(']')
	return b.String()
}

// String returns the id, or the type of a frame without one.
func (f Frame) String() string {
	if f.Synthetic() {
		if f.Control.Reason != "" {
			return f.Type + "(" + f.Control.Reason + ")"
		}
		return f.Type
	}
	return fmt.Sprintf("%d(%d)", f.ID, f.Size)
}
