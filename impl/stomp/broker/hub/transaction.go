package hub

import (
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// transaction holds what waits for COMMIT.
type transaction struct {
	id    string
	ops   []op
	bytes int
}

// op is one staged frame: a SEND, or an ACK or NACK of deliveries.
type op struct {
	send *message
	all  []*delivery
	ack  bool
}

func (s *Session) transaction(f *frame.Frame) (string, *Problem) {
	id, ok := s.get(f, "transaction")
	if !ok {
		// STOMP-TX-001
		return "", problem(f.Command.String() + " without transaction")
	}
	return id, nil
}

func (s *Session) begun(id string) (*transaction, *Problem) {
	tx := s.txs[id]
	if tx == nil {
		// STOMP-TX-001
		return nil, problem("unknown transaction")
	}
	return tx, nil
}

func (h *Hub) onBegin(s *Session, f *frame.Frame) *Problem {
	id, p := s.transaction(f)
	if p != nil {
		return p
	}
	if s.txs[id] != nil {
		return problem("the transaction exists already")
	}
	if n := len(s.txs); n >= h.cfg.Limits.Transactions {
		return limit("transactions", h.cfg.Limits.Transactions, n+1)
	}
	if p := h.affordable(cost(id)); p != nil {
		return p
	}
	h.bytes += cost(id)
	id = strings.Clone(id)
	s.txs[id] = &transaction{id: id}
	return nil
}

func (h *Hub) stageSend(s *Session, f *frame.Frame, name, id string) *Problem {
	tx, p := s.begun(id)
	if p != nil {
		return p
	}
	m := compose(f, name)
	if p := h.affordable(m.size); p != nil {
		return p
	}
	if n := s.stagedBytes + m.size; n > h.cfg.Limits.StagedBytes {
		return limit("bytes in transactions", h.cfg.Limits.StagedBytes, n)
	}
	if p := h.stage(s, tx, op{send: m}, 1); p != nil {
		return p
	}
	h.hold(m)
	tx.bytes += m.size
	s.stagedBytes += m.size
	return nil
}

func (h *Hub) stageSettle(s *Session, all []*delivery, ack bool, id string) *Problem {
	tx, p := s.begun(id)
	if p != nil {
		return p
	}
	// STOMP-TX-004
	if p := h.stage(s, tx, op{all: all, ack: ack}, 1); p != nil {
		return p
	}
	for _, d := range all {
		d.tx = tx
	}
	return nil
}

func (h *Hub) stage(s *Session, tx *transaction, o op, n int) *Problem {
	if s.stagedOps+n > h.cfg.Limits.StagedFrames {
		return limit("frames in transactions", h.cfg.Limits.StagedFrames, s.stagedOps+n)
	}
	s.stagedOps += n
	tx.ops = append(tx.ops, o)
	return nil
}

// forget takes tx out of s.
func (h *Hub) forget(s *Session, tx *transaction) {
	h.bytes -= cost(tx.id)
	delete(s.txs, tx.id)
	s.stagedOps -= len(tx.ops)
	s.stagedBytes -= tx.bytes
}

func (h *Hub) onCommit(s *Session, f *frame.Frame) *Problem {
	id, p := s.transaction(f)
	if p != nil {
		return p
	}
	tx, p := s.begun(id)
	if p != nil {
		return p
	}
	// STOMP-TX-003: all or nothing, so everything that can be refused is checked before anything is done.
	if p := h.committable(tx); p != nil {
		return p
	}
	h.forget(s, tx)
	// Settling cannot end the session; a topic message to itself can, so it comes after.
	for _, o := range tx.ops {
		for _, d := range o.all {
			d.tx = nil
		}
	}
	for _, o := range tx.ops {
		if o.send == nil {
			h.settleAll(s, o.all, o.ack)
		}
	}
	for _, o := range tx.ops {
		if o.send != nil {
			h.publish(h.create(o.send.dest), o.send)
		}
	}
	h.feed(s)
	return nil
}

func (h *Hub) committable(tx *transaction) *Problem {
	type load struct{ n, bytes int }
	queues := make(map[string]load)
	created := 0
	for _, o := range tx.ops {
		if o.send == nil || strings.HasPrefix(o.send.dest, TopicPrefix) {
			continue
		}
		d := h.dests[o.send.dest]
		sum, seen := queues[o.send.dest]
		if d == nil && !seen {
			created++
			d = &destination{}
		}
		sum.n++
		sum.bytes += o.send.size
		queues[o.send.dest] = sum
		if d == nil {
			d = &destination{}
		}
		if p := h.room(d, sum.n, sum.bytes); p != nil {
			return p
		}
	}
	if n := len(h.dests) + created; n > h.cfg.Limits.Destinations {
		return limit("destinations", h.cfg.Limits.Destinations, n)
	}
	return nil
}

func (h *Hub) onAbort(s *Session, f *frame.Frame) *Problem {
	id, p := s.transaction(f)
	if p != nil {
		return p
	}
	tx, p := s.begun(id)
	if p != nil {
		return p
	}
	h.restore(h.abort(s, tx))
	h.feed(s)
	return nil
}

// abort undoes tx: its messages are dropped and its deliveries wait for an ACK again. It returns those
// whose subscription has ended meanwhile, which must go back to their queue.
func (h *Hub) abort(s *Session, tx *transaction) []*delivery {
	h.forget(s, tx)
	var back []*delivery
	for _, o := range tx.ops {
		if o.send != nil {
			h.release(o.send)
		}
		for _, d := range o.all {
			d.tx = nil
			if !d.sub.open {
				back = append(back, d)
			}
		}
	}
	return back
}
