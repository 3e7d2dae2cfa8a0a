package fuzz

import (
	"slices"

	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// A pairSeen is what two engines, or their machine, did in a step: all that the peer, the application, the host and the store can see.
type pairSeen struct {
	Side   [2]sideSeen
	Faults []string // what no machine can say
}

type sideSeen struct {
	Sent      []seenFrame // in order
	Handed    []seenOp
	Settled   []seenOp
	Futile    []seenOp
	Orphans   []seenOp
	Committed []seenOp
	Failed    bool // a call was refused, or its write failed
	Ended     substratemodel.Code
	Died      int // objects that the other side ended
	// Counts of the metrics.
	Acked, Answered, Purged, Known, Denied, Buffered int
}

// A seenFrame is a frame on the wire. The receipt is what the machine says for it.
type seenFrame struct {
	Kind         substratemodel.Kind
	ID           uint8
	Seq, Prev    uint8
	Receipt      uint8
	Code         substratemodel.Code
	PrevExplicit bool
}

// A seenOp is an operation, and how it ended. Flag says that it was handed over before, or that its outcome is not known.
type seenOp struct {
	Kind substratemodel.Kind
	ID   uint8
	Code substratemodel.Code
	Flag bool
}

func (p *pairSeen) same(q *pairSeen) bool {
	return p.Side[0].same(&q.Side[0]) && p.Side[1].same(&q.Side[1]) && slices.Equal(p.Faults, q.Faults)
}

func (s *sideSeen) same(t *sideSeen) bool {
	return slices.Equal(s.Sent, t.Sent) && slices.Equal(s.Handed, t.Handed) && slices.Equal(s.Settled, t.Settled) && slices.Equal(s.Futile, t.Futile) &&
		slices.Equal(s.Orphans, t.Orphans) && slices.Equal(s.Committed, t.Committed) && s.Failed == t.Failed && s.Ended == t.Ended && s.Died == t.Died &&
		s.Acked == t.Acked && s.Answered == t.Answered && s.Purged == t.Purged && s.Known == t.Known && s.Denied == t.Denied && s.Buffered == t.Buffered
}

// add notes what the machine says of a step that leads to a state.
func (p *pairSeen) add(o *substratemodel.PairOutcome, after substratemodel.PairState) {
	for _, e := range o.Effects() {
		s, f := &p.Side[e.Side], e.Frame
		op := seenOp{Kind: f.Kind, ID: f.ID, Code: f.Code}
		switch e.What {
		case substratemodel.WhatSent:
			s.Sent = append(s.Sent, modelSent(f))
		case substratemodel.WhatHanded, substratemodel.WhatAgain:
			op.Flag = e.What == substratemodel.WhatAgain
			s.Handed = append(s.Handed, op)
		case substratemodel.WhatSettled:
			s.Settled = append(s.Settled, op)
		case substratemodel.WhatFutile:
			// SUBSTRATE-FINALITY-008: the event does not tell the kind.
			op.Kind, op.Flag = 0, !f.OfAnswer && after.View(e.Side).Unknown&(1<<f.Op) != 0
			s.Futile = append(s.Futile, op)
		case substratemodel.WhatOrphan:
			s.Orphans = append(s.Orphans, op)
		case substratemodel.WhatCommitted:
			op.Code = 0
			s.Committed = append(s.Committed, op)
		case substratemodel.WhatFailed:
			s.Failed = true
		case substratemodel.WhatEnded:
			// SUBSTRATE-SEQ-007, SUBSTRATE-OUTBOX-005: one close code for both.
			s.Ended = substratemodel.CodeAckTimeout
		case substratemodel.WhatDied:
			s.Died++
		case substratemodel.WhatAcked:
			s.Acked++
		case substratemodel.WhatAnswered:
			s.Answered++
		case substratemodel.WhatPurged:
			s.Purged++
		case substratemodel.WhatDuplicate, substratemodel.WhatBelow:
			s.Known++
		case substratemodel.WhatDenied:
			s.Denied++
		case substratemodel.WhatBuffered:
			s.Buffered++
		}
	}
}

// modelSent is a frame of the machine as it goes over the wire. SUBSTRATE-SEQ-009: prev is there exactly when it is not seq-1.
func modelSent(f substratemodel.Frame) seenFrame {
	out := seenFrame{Kind: f.Kind, ID: f.ID, Seq: f.Seq, Prev: f.Prev, Receipt: f.Receipt, Code: f.Code}
	if f.Kind.Operation() {
		out.PrevExplicit = f.Prev != f.Seq-1
	}
	if f.Kind == substratemodel.KindResync {
		out.ID, out.Receipt = 0, 0
	}
	return out
}
