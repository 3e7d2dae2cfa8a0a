package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// A Call names an open, send, req or close of this side until [Settle] says how it ended.
type Call struct {
	ID   string // the idempotency key, minted once (SUBSTRATE-OUTBOX-003)
	Kind string
	Obj  string
}

// A call is one that has not been settled. It lives as long as the process (SUBSTRATE-ANSWER-005).
type call struct {
	Call
	objKind     string
	incarnation uint64
	seq         uint64    // of its row
	n           uint64    // order of the calls
	at          time.Time // when it was made
	trace       *trace    // nil: nobody looks
}

// answered reports whether an answer settles the call, rather than the ack (SUBSTRATE-VERB-001, -002, -003).
func (c *call) answered() bool { return c.Kind == wire.Open || c.Kind == wire.Req }

// wait begins to wait for the end of a call, or goes on to with a changed one.
func (e *Engine) wait(c *call) {
	was := e.calls[c.ID]
	e.calls[c.ID] = c
	e.undo.step(func() {
		if was == nil {
			delete(e.calls, c.ID)
		} else {
			e.calls[c.ID] = was
		}
	})
}

// settle ends a call, if it waits (SUBSTRATE-ANSWER-001).
func (e *Engine) settle(id string, s Settle) bool {
	c := e.calls[id]
	if c == nil {
		return false
	}
	delete(e.calls, id)
	e.undo.step(func() { e.calls[id] = c })
	s.Call = c.Call
	e.traceEnd(c, s.Code)
	if terminal, _ := wire.ClassOf(s.Code); s.Code != "" && !terminal {
		s.Retryable = true
	}
	e.emit(s)
	return true
}

// failCalls rejects the calls of the incarnations from one to another that wait for an answer (SUBSTRATE-ANSWER-006).
func (e *Engine) failCalls(obj string, from, to uint64, code string) {
	var dead []*call
	for _, c := range e.calls {
		if c.Obj == obj && c.incarnation >= from && c.incarnation <= to && c.answered() {
			dead = append(dead, c)
		}
	}
	slices.SortFunc(dead, func(a, b *call) int { return cmp.Compare(a.n, b.n) })
	for _, c := range dead {
		e.settle(c.ID, Settle{Code: code})
	}
}
