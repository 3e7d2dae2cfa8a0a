package substratemodel

import (
	"fmt"
	"iter"
	"slices"
)

// A PairOp is what is done in one action.
type PairOp uint8

// The actions. Those up to OpHandled are fair: while they stay possible they are taken sooner or later. Each of the rest spends a budget.
const (
	// OpEnqueue lets A's application ask for the next operation of the script: an API call. A call that the API must refuse is part of it.
	OpEnqueue PairOp = iota
	// OpConnect makes a new connection, ready on both sides.
	OpConnect
	// OpTransmit puts the next row of the outbox of Side on the wire.
	OpTransmit
	// OpDeliver lets Side process the first frame that is under way to it.
	OpDeliver
	// OpResend is the timer of Side for the head of its outbox, when neither the frame nor what it leads to is under way.
	OpResend
	// OpEscalate is that timer when it has run out: Side ends the connection.
	OpEscalate
	// OpHandover gives the first arrival of Side to its application, which answers what wants an answer.
	OpHandover
	// OpHandled is the return of the handler, in scopes where a handover is two steps.
	OpHandled
	// OpDrop loses the first frame under way to Side, OpDuplicate lets Side process it and leaves a copy, and OpReorder lets it process the second first.
	OpDrop
	OpDuplicate
	OpReorder
	// OpDisconnect ends the connection with all that is under way.
	OpDisconnect
	// OpTakeover makes a new connection while frames of the old one are still under way, and OpDeliverOld brings one of those to Side.
	OpTakeover
	OpDeliverOld
	// OpCrash stops Side and starts it again: what is volatile is lost.
	OpCrash
	// OpSpurious is the timer of OpResend that goes off too early.
	OpSpurious
	// OpOpenB and OpCloseB let B's application open or close the object by itself.
	OpAppOpen
	OpAppClose
	// OpFlip changes B's mind about the first operation of the script.
	OpFlip
	// OpEnqueueFails is OpEnqueue with a store that refuses the write, and OpDeliverFails OpDeliver with one that refuses the commit.
	OpEnqueueFails
	OpDeliverFails
	// OpStaleAck puts an ack under way to A that names row N of its outbox and must not free it.
	OpStaleAck
	// OpExpire lets more than seven days pass.
	OpExpire
	// OpForeign is a frame from a third peer that knows the name: see Foreign.
	OpForeign
	// OpTick moves the clock to the next mark, and lets the timers run.
	OpTick
	// OpAppAsk lets B's application ask for something.
	OpAppAsk
	pairOps
)

func (op PairOp) String() string {
	return name(op, "enqueue", "connect", "transmit", "deliver", "resend", "escalate", "handover", "handled", "drop", "duplicate", "reorder", "disconnect",
		"takeover", "deliver old", "crash", "spurious resend", "app opens", "app closes", "flip", "enqueue fails", "deliver, commit fails", "stale ack", "expire",
		"foreign", "tick", "app asks")
}

// The frames of a third peer, as PairAction.N of OpForeign.
const (
	ForeignClose  uint8 = iota // a close, in sequence
	ForeignAhead               // a close whose seq is far ahead
	ForeignErr                 // an error about the object, with a receipt
	ForeignSame                // an operation for an object of its own of the same name, under the id of A's first operation
	foreignFrames = ForeignSame + 1
)

// A PairAction is one action.
type PairAction struct {
	Op   PairOp
	Side Side
	// N is the row of OpStaleAck or the frame of OpForeign.
	N uint8
}

func (a PairAction) String() string {
	switch a.Op {
	case OpEnqueue, OpEnqueueFails, OpConnect, OpDisconnect, OpTakeover, OpAppOpen, OpAppClose, OpFlip, OpExpire, OpTick, OpAppAsk:
		return a.Op.String()
	case OpStaleAck, OpForeign:
		return fmt.Sprintf("%v %d", a.Op, a.N)
	}
	return fmt.Sprintf("%v %v", a.Op, a.Side)
}

// Fair says that the action is taken sooner or later while it stays possible.
func (a PairAction) Fair() bool { return a.Op <= OpHandled || a.Op == OpDeliverOld }

// repertoire returns every action that the configuration has room for, those of A before those of B.
func (m *Pair) repertoire() []PairAction {
	b := &m.cfg.Budgets
	out := []PairAction{{Op: OpEnqueue}, {Op: OpConnect}}
	both := func(op PairOp) { out = append(out, PairAction{Op: op, Side: A}, PairAction{Op: op, Side: B}) }
	for _, op := range []PairOp{OpTransmit, OpDeliver, OpResend, OpEscalate, OpHandover} {
		both(op)
	}
	for _, some := range []struct {
		budget uint8
		ops    []PairOp
	}{
		{b.Drop, []PairOp{OpDrop}},
		{b.Duplicate, []PairOp{OpDuplicate}},
		{b.Reorder, []PairOp{OpReorder}},
		{b.Takeover, []PairOp{OpDeliverOld}},
		{b.Spurious, []PairOp{OpSpurious}},
		{b.StoreFail, []PairOp{OpDeliverFails}},
	} {
		for _, op := range some.ops {
			if some.budget > 0 {
				both(op)
			}
		}
	}
	if m.cfg.Handler {
		both(OpHandled)
	}
	for _, one := range []struct {
		possible bool
		action   PairAction
	}{
		{b.Disconnect > 0, PairAction{Op: OpDisconnect}},
		{b.Takeover > 0, PairAction{Op: OpTakeover}},
		{b.CrashA > 0, PairAction{Op: OpCrash, Side: A}},
		{b.CrashB > 0, PairAction{Op: OpCrash, Side: B}},
		{b.OpenB > 0, PairAction{Op: OpAppOpen, Side: B}},
		{b.CloseB > 0, PairAction{Op: OpAppClose, Side: B}},
		{b.AskB > 0, PairAction{Op: OpAppAsk, Side: B}},
		{b.Flip > 0, PairAction{Op: OpFlip, Side: B}},
		{b.StoreFail > 0, PairAction{Op: OpEnqueueFails}},
		{b.StaleAck > 0, PairAction{Op: OpStaleAck}},
		{b.StaleAck > 0, PairAction{Op: OpStaleAck, N: 1}},
		{b.Expire > 0, PairAction{Op: OpExpire}},
		{len(m.cfg.Marks) > 0, PairAction{Op: OpTick}},
	} {
		if one.possible {
			out = append(out, one.action)
		}
	}
	for n := uint8(0); n < foreignFrames && b.Foreign > 0; n++ {
		out = append(out, PairAction{Op: OpForeign, Side: B, N: n})
	}
	return out
}

// Actions yields every action of the scope; those that are impossible have no outcome.
func (m *Pair) Actions(PairState) iter.Seq[PairAction] { return slices.Values(m.actions) }
