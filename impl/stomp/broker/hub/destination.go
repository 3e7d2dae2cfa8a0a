package hub

import (
	"container/list"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// destination is a queue or a topic that has a subscription or a message.
type destination struct {
	name  string
	topic bool
	subs  []*subscription // of a topic, in the order of SUBSCRIBE
	users int             // subscriptions
	ready *list.List      // of a queue: *subscription with credit, the next to be served first
	queue fifo
	count int // messages queued and unsettled
	bytes int // of those
}

type ackMode uint8

const (
	auto ackMode = iota
	cumulative
	individual
)

type subscription struct {
	session *Session
	dest    *destination
	id      string
	key     string // in the session's map
	named   bool   // has an id: 1.0 subscriptions need none
	mode    ackMode
	serial  uint64
	open    bool
	place   *list.Element // in dest.ready
	starved bool
	first   *delivery // unsettled, in the order of delivery
	last    *delivery
}

// find returns the destination of that name, which is opaque but for the topic prefix (STOMP-SEND-002).
func (h *Hub) find(name string) (*destination, *Problem) {
	if d := h.dests[name]; d != nil {
		return d, nil
	}
	if n := len(h.dests); n >= h.cfg.Limits.Destinations {
		return nil, limit("destinations", h.cfg.Limits.Destinations, n+1)
	}
	if p := h.affordable(cost(name)); p != nil {
		return nil, p
	}
	return h.create(name), nil
}

func (h *Hub) create(name string) *destination {
	if d := h.dests[name]; d != nil {
		return d
	}
	d := &destination{name: strings.Clone(name), topic: strings.HasPrefix(name, TopicPrefix)}
	if !d.topic {
		d.ready = list.New()
	}
	h.dests[d.name] = d
	h.bytes += cost(d.name)
	return d
}

// cost is what keeping something of that name costs.
func cost(name string) int { return overhead + len(name) }

// tidy forgets a destination that nobody uses.
func (h *Hub) tidy(d *destination) {
	if d.users == 0 && d.count == 0 && h.dests[d.name] == d {
		delete(h.dests, d.name)
		h.bytes -= cost(d.name)
	}
}

func (d *destination) leave(sub *subscription) {
	i := slices.Index(d.subs, sub)
	d.subs = slices.Delete(d.subs, i, i+1)
}

// room is the problem with putting n more messages of so many bytes in a queue.
func (h *Hub) room(d *destination, n, bytes int) *Problem {
	if d.count+n > h.cfg.Limits.QueueMessages {
		return limit("messages in a queue", h.cfg.Limits.QueueMessages, d.count+n)
	}
	if d.bytes+bytes > h.cfg.Limits.QueueBytes {
		return limit("bytes in a queue", h.cfg.Limits.QueueBytes, d.bytes+bytes)
	}
	return nil
}

// publish makes an accepted message visible. Its bytes are already held.
func (h *Hub) publish(d *destination, m *message) {
	h.stats.Published++
	if d.topic {
		h.number(m)
		h.broadcast(d, m)
		h.release(m)
		h.tidy(d)
		return
	}
	h.enqueue(d, m)
}

func (h *Hub) number(m *message) {
	h.messages++
	m.seq = h.messages
	var id [32]byte
	m.id = string(strconv.AppendUint(append(append(id[:0], h.cfg.Instance...), '-'), m.seq, 10))
}

func (h *Hub) enqueue(d *destination, m *message) {
	h.number(m)
	d.count++
	d.bytes += m.size
	d.queue.push(m)
	h.pump(d)
}

// hold and release account for one message that the hub keeps.
func (h *Hub) hold(m *message) {
	h.bytes += m.size
	h.stats.Messages++
}

func (h *Hub) release(m *message) {
	h.bytes -= m.size
	h.stats.Messages--
}

// settle lets a message leave its queue for good.
func (h *Hub) settle(d *destination, m *message) {
	if !d.topic {
		d.count--
		d.bytes -= m.size
	}
	h.release(m)
}

func (h *Hub) broadcast(d *destination, m *message) {
	var slow []*Session
	for _, sub := range d.subs {
		s := sub.session
		if s.state != active {
			continue
		}
		if h.overflow(s) != nil || sub.mode != auto && h.laden(s) != nil {
			slow = append(slow, s)
			continue
		}
		h.send(sub, m)
	}
	for _, s := range slow {
		if s.state != active {
			continue
		}
		// STOMP-LIMIT-019: one slow reader must not hold up the others, nor grow without bound.
		p := h.overflow(s)
		if p == nil {
			p = h.laden(s)
		}
		p.Text = "subscriber is too slow, " + p.Text
		h.Fail(s, p)
	}
}

// pump hands queued messages to consumers in turn, as long as there are both.
func (h *Hub) pump(d *destination) {
	if d.topic {
		h.tidy(d)
		return
	}
	for d.queue.len() > 0 {
		front := d.ready.Front()
		if front == nil {
			return
		}
		sub := front.Value.(*subscription)
		if !h.credit(sub) {
			d.ready.Remove(front)
			sub.place = nil
			sub.starved = true
			sub.session.starved = append(sub.session.starved, sub)
			continue
		}
		d.ready.MoveToBack(front)
		h.send(sub, d.queue.pop())
	}
	h.tidy(d)
}

// credit reports whether a message from a queue may be given to sub now.
func (h *Hub) credit(sub *subscription) bool {
	s := sub.session
	return s.state == active &&
		s.pending() < h.cfg.Limits.Credit && s.frames < h.cfg.Limits.OutboundFrames &&
		(sub.mode == auto || h.laden(s) == nil)
}

// feed gives the starved subscriptions of s another turn.
func (h *Hub) feed(s *Session) {
	for n := len(s.starved); n > 0 && len(s.starved) > 0; n-- {
		sub := s.starved[0]
		if !h.credit(sub) {
			if s.pending() >= h.cfg.Limits.Credit {
				return
			}
			// Another subscription of the session may need no ACK.
			s.starved = append(s.starved[1:], sub)
			continue
		}
		s.starved = s.starved[1:]
		sub.starved = false
		sub.place = sub.dest.ready.PushBack(sub)
		h.pump(sub.dest)
	}
	if len(s.starved) == 0 {
		s.starved = nil
	}
}

// send puts one MESSAGE into the session's output.
func (h *Hub) send(sub *subscription, m *message) {
	s, d := sub.session, sub.dest
	id := m.id
	if d.topic && m.count == 0 {
		// Two subscriptions of one connection must not share an id: in 1.0 an ACK names nothing else.
		id += "." + strconv.FormatUint(sub.serial, 10)
	}
	if sub.mode == auto {
		// STOMP-SUBSCRIBE-008: in auto mode a message counts as received once sent.
		if h.encode(s, sub, m, id, "") {
			h.stats.Delivered++
		} else {
			h.stats.Discarded++
		}
		if !d.topic {
			h.settle(d, m)
		}
		return
	}
	s.deliveries++
	key, ack := id, ""
	if s.version == frame.V12 {
		ack = strconv.FormatUint(s.deliveries, 10)
		key = ack
	}
	if !h.encode(s, sub, m, id, ack) {
		h.stats.Discarded++
		if !d.topic {
			h.settle(d, m)
		} else if m.count > 0 {
			h.release(m)
		}
		return
	}
	h.stats.Delivered++
	if d.topic && m.count == 0 {
		own := *m
		own.id = id
		m = &own
		h.hold(m)
	}
	m.count++
	del := &delivery{sub: sub, msg: m, key: key, prev: sub.last}
	if sub.last != nil {
		sub.last.next = del
	} else {
		sub.first = del
	}
	sub.last = del
	s.unacked[key] = del
	s.unackedBytes += m.size
}
