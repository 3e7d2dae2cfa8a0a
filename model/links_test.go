package model

import (
	"fmt"
	"iter"
)

const (
	linkObjects  = 2
	linkMessages = 3
	linkCapacity = 3

	// What the whole system has, by this explorer, by Spin on testdata/links.pml and by
	// every other exact tool that it was given to.
	linkStates = 5_022_081
	linkEdges  = 49_772_610
)

// linkQueue holds the messages under way on one link, oldest first, as their
// number plus 1; 0 is a free place.
type linkQueue [linkCapacity]uint8

func (q *linkQueue) full() bool { return q[linkCapacity-1] != 0 }

func (q *linkQueue) put(message uint8) {
	for i := range q {
		if q[i] == 0 {
			q[i] = message + 1
			return
		}
	}
}

func (q *linkQueue) take() uint8 {
	head := q[0] - 1
	copy(q[:], q[1:])
	q[linkCapacity-1] = 0
	return head
}

// linkObject is one stop-and-wait sender with its receiver and the two links
// between them. A link that may append a copy of its head and may lose its
// head also reorders.
type linkObject struct {
	acked    uint8 // messages that the sender has seen acknowledged
	expected uint8 // the message that the receiver wants next
	got      uint8 // two bits a message: how often it was handed over
	data     linkQueue
	ack      linkQueue
}

type linkState [linkObjects]linkObject

type linkVerb uint8

const (
	linkSend linkVerb = iota
	linkDeliver
	linkLose
	linkDuplicate
	linkAckDeliver
	linkAckLose
	linkAckDuplicate
	linkVerbs
)

func (v linkVerb) String() string {
	return [...]string{"send", "deliver", "lose", "duplicate", "ack deliver", "ack lose", "ack duplicate"}[v]
}

// linkAction is a verb on one object.
type linkAction struct {
	object uint8
	verb   linkVerb
}

// linkMachine is the system that explorers are compared on. With bits set to
// 1, sequence numbers are compared modulo 2, which is not enough for links
// that reorder.
type linkMachine struct{ bits uint8 }

func (m linkMachine) Init() linkState { return linkState{} }

func (m linkMachine) Actions(s linkState) iter.Seq[linkAction] {
	return everyLinkAction
}

func everyLinkAction(yield func(linkAction) bool) {
	for object := range uint8(linkObjects) {
		for verb := range linkVerbs {
			if !yield(linkAction{object, verb}) {
				return
			}
		}
	}
}

func (m linkMachine) Step(s linkState, a linkAction) iter.Seq2[linkState, struct{}] {
	// A copy, since a parameter whose address is taken is allocated apart from the closure.
	if object := s[a.object]; !object.allows(a.verb) {
		return noLinkStep
	}
	return func(yield func(linkState, struct{}) bool) {
		after := s
		after[a.object].apply(a.verb, m.mask())
		yield(after, struct{}{})
	}
}

// fastLinks is the same machine with Expand.
type fastLinks struct{ linkMachine }

func (m fastLinks) Expand(s linkState, yield func(linkAction, linkState, struct{}) bool) {
	mask := m.mask()
	for object := range uint8(linkObjects) {
		for verb := range linkVerbs {
			if !s[object].allows(verb) {
				continue
			}
			after := s
			after[object].apply(verb, mask)
			if !yield(linkAction{object, verb}, after, struct{}{}) {
				return
			}
		}
	}
}

func noLinkStep(func(linkState, struct{}) bool) {}

func (m linkMachine) mask() uint8 {
	if m.bits == 0 {
		return 0xff
	}
	return 1<<m.bits - 1
}

func (o *linkObject) allows(v linkVerb) bool {
	switch v {
	case linkSend:
		return o.acked < linkMessages && !o.data.full()
	case linkDeliver, linkLose:
		return o.data[0] != 0
	case linkDuplicate:
		return o.data[0] != 0 && !o.data.full()
	case linkAckDeliver, linkAckLose:
		return o.ack[0] != 0
	default:
		return o.ack[0] != 0 && !o.ack.full()
	}
}

func (o *linkObject) apply(v linkVerb, mask uint8) {
	switch v {
	case linkSend:
		o.data.put(o.acked)
	case linkDeliver:
		message := o.data.take()
		if message&mask == o.expected&mask && o.expected < linkMessages {
			o.expected++
			o.got += 1 << (2 * message)
		}
		o.ack.put(message)
	case linkLose:
		o.data.take()
	case linkDuplicate:
		o.data.put(o.data[0] - 1)
	case linkAckDeliver:
		if message := o.ack.take(); message&mask == o.acked&mask && o.acked < linkMessages {
			o.acked++
		}
	case linkAckLose:
		o.ack.take()
	case linkAckDuplicate:
		o.ack.put(o.ack[0] - 1)
	}
}

func (m linkMachine) AppendKey(dst []byte, s linkState) []byte {
	for i := range s {
		o := &s[i]
		dst = append(dst, o.acked, o.expected, o.got,
			o.data[0], o.data[1], o.data[2], o.ack[0], o.ack[1], o.ack[2])
	}
	return dst
}

// linkOnce is the law that the system is checked against.
var linkOnce = Invariant[linkState]{
	Law:   "LINK-ONCE",
	Title: "each message is handed over at most once, in order",
	Holds: func(s linkState) error {
		for i := range s {
			if want := uint8(1<<(2*s[i].expected)-1) & 0b010101; s[i].got != want {
				return fmt.Errorf("object %d has handed over %d messages, two bits each: %06b", i, s[i].expected, s[i].got)
			}
		}
		return nil
	},
}
