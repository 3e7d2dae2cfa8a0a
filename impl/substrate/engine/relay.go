package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

const (
	// storeTimeout is how long a store call may take (SUBSTRATE-RELAY-008).
	storeTimeout = 30 * time.Second
	// levelStored is the level of the ack of an edge (SUBSTRATE-RELAY-003).
	levelStored = "stored"
)

// A chain is what an edge is to store for one object: one op at a time, in the order in which they came (SUBSTRATE-RELAY-002).
type chain struct {
	ops     []*chainOp // the first of them is being stored if token is set
	token   uint64
	started time.Time
	highest uint64 // seq that was stored on this connection
}

// A chainOp is an op that an edge has accepted. It is never changed.
type chainOp struct {
	f    *wire.Frame
	conn string
}

type storeResult struct {
	token     uint64
	duplicate bool
	failed    bool
}

// relay passes an op on to the sink: all that is kept of it here is volatile, and taken from what the peer sends
// (SUBSTRATE-RELAY-001). turn says that it has waited for its turn. It reports whether the op was accepted.
func (e *Engine) relay(now time.Time, f *wire.Frame, turn bool) bool {
	if old := e.tombs.find(now, keyOf(f)); old != nil {
		e.rebounce(f, old)
		return false
	}
	o := e.find(f.Obj)
	if code := e.refusesRelay(o, f); code != "" {
		e.bounce(now, f, code, true)
		return false
	}
	o = e.adopt(f)
	switch o.seq.judge(f, e.limits.Window) {
	case inSequence:
		e.touch(o).seq.next = f.Seq + 1
	case below:
		// SUBSTRATE-RELAY-006: it may have been accepted and not been stored. The sink knows.
		e.mark(mark{kind: count, name: observe.DedupeDuplicate, n: 1})
	case ahead:
		e.buffer(now, o, f)
		return false
	case beyond:
		e.bounce(now, f, wire.OutOfSeq, true)
		return false
	}
	s := e.touch(o)
	s.chain.ops = append(s.chain.ops, &chainOp{f, e.conn})
	e.storeNext(now, o)
	if !turn {
		e.drain(now, o)
	}
	return true
}

// refusesRelay returns the code with which an edge refuses an op, or nothing.
func (e *Engine) refusesRelay(o *object, f *wire.Frame) string {
	r := e.record(o)
	switch {
	case r == nil && e.live >= e.limits.Objects:
		// SUBSTRATE-LIMIT-003: an edge has no outbox for a reject.
		return wire.RateLimited
	case r != nil && r.Kind != f.ObjKind:
		return wire.KindMismatch
	case f.Kind == wire.Req && f.ObjKind == wire.Queue:
		return wire.Unsupported
	case o != nil && o.chain.waiting() >= e.limits.Chain:
		return wire.QueueFull
	}
	return ""
}

// waiting returns how many ops wait behind the one that is being stored.
func (c *chain) waiting() int {
	if c.token != 0 {
		return len(c.ops) - 1
	}
	return len(c.ops)
}

// adopt returns the object of a frame, with a record that is not kept.
func (e *Engine) adopt(f *wire.Frame) *object {
	o := e.object(f.Obj)
	if o.rec == nil {
		r := e.begins(o, f.ObjKind, e.cfg.Remote, f.ID)
		r.State = live
		e.setRecord(o, r)
	}
	return o
}

// storeNext has the first op of a chain stored, if none is.
func (e *Engine) storeNext(now time.Time, o *object) {
	s := e.touch(o)
	if s.chain.token != 0 || len(s.chain.ops) == 0 {
		return
	}
	s.chain.token, s.chain.started = next(&e.token), now
	f := s.chain.ops[0].f
	e.emit(StoreOp{Token: s.chain.token, Peer: e.cfg.Remote, Class: classOf(f.Kind), Row: inboundOf(f)})
}

// Stored says how a store call ended: that the sink has the op, under a seq of its own, or had it before; or that it failed. A result that
// comes late, or twice, is ignored (SUBSTRATE-RELAY-008).
func (e *Engine) Stored(now time.Time, token, _ uint64, duplicate bool, err error) {
	_ = e.do(input{what: inStored, at: now, store: storeResult{token, duplicate, err != nil}})
}

func (e *Engine) storedOp(now time.Time, r storeResult) {
	o := e.stored[r.token]
	if o == nil || o.chain.token != r.token {
		return
	}
	if r.failed {
		e.abandon(now, o)
		return
	}
	s := e.touch(o)
	x := s.chain.ops[0]
	e.popChain(s)
	if x.conn == e.conn {
		// SUBSTRATE-RELAY-003, SUBSTRATE-RELAY-006
		s.chain.highest = max(s.chain.highest, x.f.Seq)
		e.ack(x.f, levelStored)
	}
	if x.f.Kind == wire.Close && s.rec != nil {
		e.forget(o)
	}
	e.storeNext(now, o)
}

// forget drops the record of an object that was closed, and where it stood if nothing waits: what comes later is adopted anew.
func (e *Engine) forget(o *object) {
	s := e.touch(o)
	e.live--
	s.rec = nil
	if len(s.chain.ops) == 0 && len(s.seq.gap) == 0 {
		s.seq, s.chain = sequencer{}, chain{}
	}
}

func (e *Engine) popChain(s *state) {
	s.chain.token, s.chain.started = 0, time.Time{}
	if s.chain.ops = s.chain.ops[1:]; len(s.chain.ops) == 0 {
		s.chain.ops = nil
	}
}

// abandon gives up an op that could not be stored, and all behind it: nothing is sent, and the peer sends them again. The frontier goes
// back to the first seq that is not stored, so that they are stored in order (SUBSTRATE-RELAY-004, SUBSTRATE-RELAY-005).
func (e *Engine) abandon(_ time.Time, o *object) {
	s := e.touch(o)
	n := s.chain.ops[0].f.Seq
	if s.chain.highest != 0 {
		n = s.chain.highest + 1
	}
	e.clearGap(o)
	s.seq.next = n
	s.chain.ops, s.chain.token, s.chain.started = nil, 0, time.Time{}
}

// leaveChain forgets what waits to be stored when the connection ends; what is being stored goes on. The next connection starts anew, as
// on another replica (SUBSTRATE-RELAY-001).
func (e *Engine) leaveChain(o *object) {
	s := e.touch(o)
	if s.chain.token != 0 {
		s.chain.ops = s.chain.ops[:1:1]
	} else {
		s.chain.ops = nil
	}
	s.chain.highest, s.seq.next = 0, 0
	if s.rec == nil || s.chain.token != 0 {
		return
	}
	e.live--
	s.rec = nil
}

// chainDue returns when a store call has taken too long.
func (e *Engine) chainDue(o *object) time.Time {
	if o.chain.token == 0 {
		return time.Time{}
	}
	return o.chain.started.Add(storeTimeout + tick)
}

// tickChain gives up a store call that takes too long (SUBSTRATE-RELAY-008).
func (e *Engine) tickChain(now time.Time, o *object) {
	if due := e.chainDue(o); !due.IsZero() && !now.Before(due) {
		e.abandon(now, o)
	}
}
