package engine

import (
	"slices"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// refuses returns the code with which a fresh op or answer is refused because of its object or a cap, or nothing
// (SUBSTRATE-OBJ-003, SUBSTRATE-OBJ-004, SUBSTRATE-OBJ-005, SUBSTRATE-BOUNCE-001, SUBSTRATE-BOUNCE-005, SUBSTRATE-LIMIT-002,
// SUBSTRATE-LIMIT-008).
func (e *Engine) refuses(o *object, f *wire.Frame) string {
	r := e.record(o)
	if f.Kind == wire.Open {
		return e.refusesOpen(o, f)
	}
	switch {
	case e.waiter(o, f) != nil:
		// SUBSTRATE-ANSWER-001: whatever has become of the object.
		return ""
	case r == nil:
		return wire.NoSuchObject
	case !alive(r) && f.Kind == wire.Close:
		// SUBSTRATE-FINALITY-009
		return ""
	case r.State == rejected:
		return wire.NoSuchObject
	case r.State == closed:
		return wire.Closed
	case f.ObjKind != r.Kind:
		return wire.KindMismatch
	case f.Kind == wire.Req && r.Kind == wire.Queue:
		return wire.Unsupported
	}
	if f.Kind != wire.Send && f.Kind != wire.Req {
		return ""
	}
	switch {
	case r.State == opening:
		return wire.NotAccepted
	case e.indebted(o):
		return wire.Busy
	case e.depth(o) >= e.limits.Inbox:
		return wire.QueueFull
	}
	return ""
}

// refusesOpen returns the code with which an open is bounced. One that is answered with reject is not bounced.
func (e *Engine) refusesOpen(o *object, f *wire.Frame) string {
	r := e.record(o)
	switch {
	case o == nil && len(e.objects) >= e.limits.Names:
		// SUBSTRATE-LIMIT-005: whatever is opened has to be remembered.
		return wire.RateLimited
	case alive(r) && !e.glares(o) && f.ObjKind != r.Kind:
		return wire.KindMismatch
	case o != nil && e.indebted(o):
		return wire.Busy
	case o != nil && e.depth(o) >= e.limits.Inbox:
		return wire.QueueFull
	case e.rejects(o) != "" && (e.refusals >= e.limits.Refusals || o != nil && o.cnt.LastAssigned >= wire.MaxSeq):
		// SUBSTRATE-LIMIT-005: a peer that does not ack what it is answered gets no more answers to keep.
		return wire.Busy
	}
	return ""
}

// glares reports whether this side has an open for the object that is not answered (SUBSTRATE-OBJ-006).
func (e *Engine) glares(o *object) bool {
	r := e.record(o)
	return r != nil && r.State == opening && r.Opener == e.cfg.Local
}

// rejects returns the code with which an open of the peer is rejected, or nothing (SUBSTRATE-OBJ-006, SUBSTRATE-LIMIT-003).
func (e *Engine) rejects(o *object) string {
	switch {
	case e.glares(o) && e.cfg.Local < e.cfg.Remote:
		return wire.OpenConflict
	case e.glares(o):
		return ""
	case alive(e.record(o)):
		return wire.AlreadyExists
	case e.live >= e.limits.Objects:
		return wire.RateLimited
	}
	return ""
}

// indebted reports whether so many answers of an object await their ack that nothing more is taken that could lead to another: answers are
// exempt from the cap of the outbox, and a peer that never acks them would fill it (SUBSTRATE-LIMIT-008).
func (e *Engine) indebted(o *object) bool { return o.answers >= e.limits.Outbox }

// depth returns how many committed ops of an object wait for the application, those that it has put off to answer later included. The
// host takes rows of a queue behind the back of the engine, so that the count is looked up when it seems to be at the cap.
func (e *Engine) depth(o *object) int {
	in := &o.in
	n := len(in.queue) + len(in.asked) + in.kept
	if in.handed && len(in.queue) > 0 && slices.Contains(in.asked, in.queue[0].ID) {
		n--
	}
	if in.kept == 0 || n < e.limits.Inbox || e.cfg.Store == nil {
		return n
	}
	left, err := e.cfg.Store.Depth(e.cfg.Remote, o.name)
	if err != nil {
		return n
	}
	for i := range e.batch.Inbound {
		if e.batch.Inbound[i].Obj == o.name {
			left++
		}
	}
	n += left - in.kept
	e.touch(o).in.kept = left
	return n
}
