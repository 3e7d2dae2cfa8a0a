package hub

import (
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// Handle does what any frame but CONNECT and STOMP asks, then answers its receipt. The frame may be
// borrowed. A frame that cannot be done ends the session with ERROR, in every version: STOMP-ERROR-001,
// STOMP-ERROR-002.
func (h *Hub) Handle(s *Session, f *frame.Frame) {
	if s.state >= ending {
		return
	}
	h.stats.Received++
	if p := h.dispatch(s, f); p != nil {
		h.fail(s, p, f)
		return
	}
	if s.state != active && f.Command != frame.DISCONNECT {
		return
	}
	if receipt, ok := f.Get("receipt"); ok {
		// STOMP-RECEIPT-001, STOMP-RECEIPT-002, STOMP-DISCONNECT-003: frames are done in order, so all
		// earlier ones are.
		h.receipt[0] = frame.Header{Name: "receipt-id", Value: receipt}
		h.answer.Headers = h.receipt[:]
		if err := h.emit(s, &h.answer); err != nil {
			h.fail(s, &Problem{Text: "receipt cannot be said in this version", Cause: err}, nil)
		}
		h.receipt[0] = frame.Header{}
	}
	if p := h.overflow(s); p != nil {
		h.fail(s, p, nil)
	}
}

func (h *Hub) dispatch(s *Session, f *frame.Frame) *Problem {
	if s.state != active {
		return problem("the first frame must be CONNECT")
	}
	switch f.Command {
	case frame.SEND:
		return h.onSend(s, f)
	case frame.SUBSCRIBE:
		return h.onSubscribe(s, f)
	case frame.UNSUBSCRIBE:
		return h.onUnsubscribe(s, f)
	case frame.ACK:
		return h.onSettle(s, f, true)
	case frame.NACK:
		return h.onSettle(s, f, false)
	case frame.BEGIN:
		return h.onBegin(s, f)
	case frame.COMMIT:
		return h.onCommit(s, f)
	case frame.ABORT:
		return h.onAbort(s, f)
	case frame.DISCONNECT:
		h.end(s)
		h.mark(s)
		return nil
	}
	// STOMP-FRAME-026
	return problem("a client must not send " + f.Command.String())
}

func (h *Hub) onSend(s *Session, f *frame.Frame) *Problem {
	name, ok := s.get(f, "destination")
	if !ok || name == "" {
		// STOMP-SEND-001
		return problem("SEND without destination")
	}
	if p := fits(f, h.cfg.Limits.Frame); p != nil {
		return p
	}
	if id, ok := s.get(f, "transaction"); ok {
		return h.stageSend(s, f, name, id)
	}
	if strings.HasPrefix(name, TopicPrefix) && h.dests[name] == nil {
		h.stats.Published++
		return nil
	}
	d, p := h.find(name)
	if p != nil {
		return p
	}
	m := compose(f, name)
	if p = h.affordable(m.size); p == nil && !d.topic {
		p = h.room(d, 1, m.size)
	}
	if p != nil {
		h.tidy(d)
		return p
	}
	h.hold(m)
	h.publish(d, m)
	return nil
}

func (h *Hub) affordable(bytes int) *Problem {
	if n := h.bytes + bytes; n > h.cfg.Limits.Bytes {
		return limit("bytes in the broker", h.cfg.Limits.Bytes, n)
	}
	return nil
}

// STOMP-SUBSCRIBE-009: headers not named here, such as selector, are ignored; so is a body, which only 1.0
// allows (STOMP-BODY-002).
func (h *Hub) onSubscribe(s *Session, f *frame.Frame) *Problem {
	name, ok := s.get(f, "destination")
	if !ok || name == "" {
		// STOMP-SUBSCRIBE-001
		return problem("SUBSCRIBE without destination")
	}
	id, named := s.get(f, "id")
	if !named && s.version > frame.V10 {
		return problem("SUBSCRIBE without id")
	}
	if n := len("subscription:") + len(id) + escapes(id); n > h.cfg.Limits.Frame.Line {
		return limit("octets in a subscription id", h.cfg.Limits.Frame.Line-len("subscription:"), len(id)+escapes(id))
	}
	said := []frame.Header{{Name: "destination", Value: name}, {Name: "subscription", Value: id}}
	if !named {
		said = said[:1]
	}
	if _, err := frame.Append(nil, s.version, &frame.Frame{Command: frame.MESSAGE, Headers: said}); err != nil {
		// STOMP-SUBSCRIBE-002, STOMP-SUBSCRIBE-010: no message could be said to it, and each that it was given would be lost to all others.
		return &Problem{Text: "no message for the subscription can be said in this version", Cause: err}
	}
	mode := auto
	if value, given := s.get(f, "ack"); given {
		// STOMP-SUBSCRIBE-004, STOMP-SUBSCRIBE-005
		switch {
		case value == "auto":
		case value == "client":
			mode = cumulative
		case value == "client-individual" && s.version > frame.V10:
			mode = individual
		default:
			return problem("SUBSCRIBE with an unknown ack mode")
		}
	}
	key := strings.Clone(id)
	if !named {
		// No id can hold a NUL.
		key = "\x00" + name
	}
	if s.subs[key] != nil {
		return problem("the subscription exists already")
	}
	if n := len(s.subs); n >= h.cfg.Limits.Subscriptions {
		return limit("subscriptions", h.cfg.Limits.Subscriptions, n+1)
	}
	d, p := h.find(name)
	if p == nil {
		p = h.affordable(cost(key))
	}
	if p != nil {
		if d != nil {
			h.tidy(d)
		}
		return p
	}
	h.bytes += cost(key)
	h.subs++
	h.stats.Subscriptions++
	sub := &subscription{session: s, dest: d, id: key, key: key, named: named, mode: mode, serial: h.subs, open: true}
	s.subs[key] = sub
	s.list = append(s.list, sub)
	d.users++
	if d.topic {
		d.subs = append(d.subs, sub)
		return nil
	}
	sub.place = d.ready.PushBack(sub)
	h.pump(d)
	return nil
}

func (h *Hub) onUnsubscribe(s *Session, f *frame.Frame) *Problem {
	id, named := s.get(f, "id")
	if named {
		sub := s.subs[id]
		if sub == nil {
			return problem("UNSUBSCRIBE of an unknown id")
		}
		h.remove(s, sub)
		return nil
	}
	name, ok := s.get(f, "destination")
	if !ok || s.version > frame.V10 {
		return problem("UNSUBSCRIBE without id")
	}
	// STOMP-UNSUBSCRIBE-002: the destination names every subscription to it.
	found := false
	for i := len(s.list) - 1; i >= 0; i-- {
		if sub := s.list[i]; sub.dest.name == name {
			h.remove(s, sub)
			found = true
		}
	}
	if !found {
		return problem("UNSUBSCRIBE of an unknown destination")
	}
	return nil
}

// remove ends one subscription; what it had not settled goes back to its queue. Deliveries named in a
// transaction wait for the end of it.
func (h *Hub) remove(s *Session, sub *subscription) {
	var back []*delivery
	for d := sub.first; d != nil; d = d.next {
		if d.tx == nil {
			back = append(back, d)
		}
	}
	// STOMP-UNSUBSCRIBE-003
	h.unsubscribe(sub)
	h.restore(back)
	h.pump(sub.dest)
	h.feed(s)
}

// unsubscribe takes sub out of its session and its destination.
func (h *Hub) unsubscribe(sub *subscription) {
	sub.open = false
	h.bytes -= cost(sub.key)
	sub.session.drop(sub)
	d := sub.dest
	d.users--
	if sub.place != nil {
		d.ready.Remove(sub.place)
		sub.place = nil
	}
	if d.topic {
		d.leave(sub)
	}
	h.stats.Subscriptions--
}
