package substratemodel

import "slices"

// A SideView is what one side holds in a state of a Pair, for who compares it with a real engine.
type SideView struct {
	// Object is idle, opening, live, rejected or closed; Opener says, unless it is idle, that the side opened it.
	Object string
	Opener bool
	// Rows are those of the outbox, of which the first InFlight are under way on the connection.
	Rows     []RowView
	InFlight uint8
	// Last is the seq assigned last, Pred that of the row freed last.
	Last, Pred uint8
	// Inbox holds what is committed and waits for the application, or is with it.
	Inbox []Frame
	// Ledger has the bits of the ids that are committed, of operations and of answers.
	Ledger [2]uint32
	// Calls and Unknown have the bits of operations: those whose callers wait, and those that were futile with an outcome that is not known.
	Calls, Unknown uint16
	// Next is the frontier, 0: none; Gap holds the seqs that are buffered, Asked is how many resyncs were sent for them.
	Next  uint8
	Gap   []uint8
	Asked uint8
	// Second says that the gap was left when an earlier one was filled.
	Second bool
	// Resends is how often the head was sent again on this connection.
	Resends uint8
}

// A RowView is a row of an outbox. Sent says that it was transmitted, in this life of the process or before.
type RowView struct {
	Kind    Kind
	ID, Seq uint8
	Code    Code
	Sent    bool
}

// View returns what a side holds.
func (s PairState) View(x Side) SideView {
	e := &s.side[x]
	v := SideView{
		Object: e.obj.String(), Opener: e.opener && e.obj != phaseIdle, InFlight: e.flight, Last: e.last, Pred: e.pred, Ledger: e.ledger, Calls: e.calls,
		Unknown: s.seen[x].unknown & s.seen[x].futile, Next: e.next, Asked: e.asked, Second: s.seen[x].left != 0, Resends: e.resends,
	}
	for i := range e.outbox() {
		r := &e.rows[i]
		v.Rows = append(v.Rows, RowView{r.kind, r.id, r.seq, r.code, r.sent})
	}
	for _, in := range e.inbox[:e.waiting] {
		v.Inbox = append(v.Inbox, Frame{Kind: in.kind, ID: in.id})
	}
	for _, f := range e.gap[:e.gaps] {
		v.Gap = append(v.Gap, f.Seq)
	}
	return v
}

// Coming returns the frames under way to a side, oldest first.
func (s PairState) Coming(x Side) []Frame { return slices.Clone(s.wire[x].all()) }

// Head returns the seq of the first row of a side, 0 if it has none, and whether it is under way on the connection.
func (s PairState) Head(x Side) (seq uint8, inFlight bool) {
	return s.side[x].rows[0].seq, s.side[x].flight > 0
}

// Possible says that an action can be taken in a state, unless the state has no room for what comes of it.
func (m *Pair) Possible(s PairState, a PairAction) bool { return m.possible(s.pairState, a) }
