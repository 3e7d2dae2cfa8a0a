package substratemodel

import "strings"

// A What is what happened in a step, at one side.
type What uint8

// What can happen. Those up to WhatFailed can be seen from outside; the rest shows in the store, in events or in metrics.
const (
	WhatNothing What = iota
	// WhatSent: the frame was put on the wire.
	WhatSent
	// WhatHanded: the operation was given to the application, and WhatAgain: given again, since a crash cut its handler short.
	WhatHanded
	WhatAgain
	// WhatSettled: the caller of the operation has its outcome, which is good unless the frame has a code.
	WhatSettled
	// WhatFutile: a bridge/futile event for the operation with the code.
	WhatFutile
	// WhatEnded: the side ended the connection, for the reason in the code.
	WhatEnded
	// WhatFailed: the API refused a call, or its write failed.
	WhatFailed
	// WhatCommitted: the operation or answer is in the ledger.
	WhatCommitted
	// WhatAcked and WhatAnswered: its row is freed by an ack, or by the answer.
	WhatAcked
	WhatAnswered
	// WhatPurged: its row is gone because of the code.
	WhatPurged
	// WhatDuplicate: the frame was known, and is acked only. WhatBelow: it is below the frontier, and is acked only.
	WhatDuplicate
	WhatBelow
	// WhatDenied: the gate refused it.
	WhatDenied
	// WhatSwallowed: its error was sent on this connection before.
	WhatSwallowed
	// WhatBuffered: it waits for what comes before it.
	WhatBuffered
	// WhatDropped: it has no effect and no reply.
	WhatDropped
	// WhatDied: the object is closed by the other side.
	WhatDied
	// WhatOrphan: an answer that no caller waits for.
	WhatOrphan
)

func (w What) String() string {
	return name(w, "nothing", "sent", "handed", "handed again", "settled", "futile", "ended", "failed", "committed", "acked", "answered", "purged", "duplicate",
		"below", "denied", "swallowed", "buffered", "dropped", "died", "orphan")
}

// An Effect is one thing that happened at one side. Of the frame only what the effect is about is set.
type Effect struct {
	What  What
	Side  Side
	Frame Frame
}

func (e Effect) String() string {
	if e.Frame == (Frame{}) {
		return e.Side.String() + " " + e.What.String()
	}
	return e.Side.String() + " " + e.What.String() + " (" + e.Frame.String() + ")"
}

const maxEffects = 20

// A PairOutcome is all that happened in a step, in order. It is a plain value.
type PairOutcome struct {
	effects [maxEffects]Effect
	n       uint8
}

// Effects returns what happened, in order.
func (o *PairOutcome) Effects() []Effect { return o.effects[:o.n] }

func (o PairOutcome) String() string {
	var parts []string
	for _, e := range o.Effects() {
		parts = append(parts, e.String())
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (o *PairOutcome) add(w What, x Side, f Frame) {
	if o.n == maxEffects {
		panic("substratemodel: a step with more effects than there is room for")
	}
	o.effects[o.n] = Effect{w, x, f}
	o.n++
}

// count returns how many effects of the kind there are at the side.
func (o *PairOutcome) count(w What, x Side) (n int) {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == w && e.Side == x {
			n++
		}
	}
	return n
}

// sent returns how many frames of the kind the side sent.
func (o *PairOutcome) sent(k Kind, x Side) (n int) {
	for i := range o.Effects() {
		if e := &o.effects[i]; e.What == WhatSent && e.Side == x && e.Frame.Kind == k {
			n++
		}
	}
	return n
}
