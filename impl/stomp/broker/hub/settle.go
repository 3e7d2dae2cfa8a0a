package hub

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// delivery is a message that a subscription has got and not settled.
type delivery struct {
	sub        *subscription
	msg        *message
	key        string       // what names it in an ACK: in 1.2 the ack header, before it the message-id
	tx         *transaction // in which its ACK or NACK waits
	prev, next *delivery    // of the same subscription
}

func (h *Hub) onSettle(s *Session, f *frame.Frame, ack bool) *Problem {
	last, p := s.named(f)
	if p != nil {
		return p
	}
	var all []*delivery
	if last.sub.mode == individual {
		// STOMP-SUBSCRIBE-007, STOMP-NACK-002
		all = append(all, last)
	} else {
		// STOMP-SUBSCRIBE-006, STOMP-NACK-002
		for d := last.sub.first; ; d = d.next {
			all = append(all, d)
			if d == last {
				break
			}
		}
	}
	for _, d := range all {
		if d.tx != nil {
			return problem(f.Command.String() + " of a message that a transaction settles already")
		}
	}
	if id, ok := s.get(f, "transaction"); ok {
		return h.stageSettle(s, all, ack, id)
	}
	h.settleAll(s, all, ack)
	h.feed(s)
	return nil
}

// named finds the delivery that an ACK or NACK names by the rules of the session's version.
func (s *Session) named(f *frame.Frame) (*delivery, *Problem) {
	header := "message-id"
	if s.version == frame.V12 {
		header = "id"
	}
	id, ok := s.get(f, header)
	if !ok {
		return nil, problem(f.Command.String() + " without " + header)
	}
	d := s.unacked[id]
	if s.version == frame.V11 {
		sub, ok := f.Get("subscription")
		if !ok {
			return nil, problem(f.Command.String() + " without subscription")
		}
		if d != nil && d.sub.id != sub {
			d = nil
		}
	}
	if d == nil {
		// STOMP-ACK-005
		return nil, problem(f.Command.String() + " of a message that waits for none")
	}
	return d, nil
}

// settleAll ends deliveries of s, which are in order.
func (h *Hub) settleAll(s *Session, all []*delivery, ack bool) {
	var back []*delivery
	for _, d := range all {
		if ack {
			h.stats.Acked++
			s.detach(d)
			h.settle(d.sub.dest, d.msg)
			h.tidy(d.sub.dest)
			continue
		}
		// STOMP-NACK-003
		h.stats.Nacked++
		switch {
		case d.msg.count >= h.cfg.MaxDeliveries:
			s.detach(d)
			h.bury(d)
		case d.sub.dest.topic && d.sub.open:
			// Nobody else can have this copy.
			s.detach(d)
			h.send(d.sub, d.msg)
		default:
			back = append(back, d)
		}
	}
	h.restore(back)
}

// restore returns deliveries to their queues, at their old places, and serves them to whoever is next. A
// topic keeps nothing: its deliveries are dropped.
func (h *Hub) restore(back []*delivery) {
	// STOMP-SUBSCRIBE-008
	slices.SortFunc(back, func(a, b *delivery) int { return cmp.Compare(a.msg.seq, b.msg.seq) })
	var order []*destination
	queued := make(map[*destination][]*message)
	for _, d := range back {
		d.sub.session.detach(d)
		dest := d.sub.dest
		if dest.topic {
			h.settle(dest, d.msg)
			continue
		}
		if queued[dest] == nil {
			order = append(order, dest)
		}
		queued[dest] = append(queued[dest], d.msg)
	}
	for _, dest := range order {
		dest.queue.restore(queued[dest])
	}
	for _, dest := range order {
		h.pump(dest)
	}
}

// bury moves a message that was refused too often to the dead-letter queue of its destination.
func (h *Hub) bury(d *delivery) {
	from, m := d.sub.dest, d.msg
	h.settle(from, m)
	defer h.tidy(from)
	if strings.HasPrefix(m.dest, h.cfg.DeadLetter) {
		h.stats.Discarded++
		return
	}
	grave, p := h.find(h.cfg.DeadLetter + m.dest)
	if p != nil || h.room(grave, 1, m.size) != nil {
		h.stats.Discarded++
		return
	}
	h.stats.DeadLettered++
	dead := *m
	dead.dest, dead.source, dead.count = grave.name, m.dest, 0
	h.hold(&dead)
	h.enqueue(grave, &dead)
}

func (s *Session) detach(d *delivery) {
	delete(s.unacked, d.key)
	s.unackedBytes -= d.msg.size
	sub := d.sub
	if d.prev != nil {
		d.prev.next = d.next
	} else {
		sub.first = d.next
	}
	if d.next != nil {
		d.next.prev = d.prev
	} else {
		sub.last = d.prev
	}
	d.prev, d.next = nil, nil
}
