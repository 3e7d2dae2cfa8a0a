package stompmodel

import (
	"fmt"
	"slices"
)

// An Obligation is something that the broker must still do.
type Obligation struct {
	// Law is the id of the law that demands it.
	Law string
	// What says what is missing.
	What string
	// Body is the body of the message that is missing, if it is one.
	Body string
}

// Unmet lists what the broker must still do in s on conn, or on any connection if conn is negative, given all the time it needs: receipts and
// CONNECTED, the close after an ERROR, a queue's message while a subscription that could take it is idle, and a topic's message for a subscription that was
// confirmed before it was sent. A queue's message is owed only if every subscription that may have taken it is among the connections asked for.
func (b *Broker) Unmet(s BrokerState, conn int) []Obligation {
	var out []Obligation
	asked := func(si int) bool { return conn < 0 || s.sessions[si].conn == conn }
	for si := range s.sessions {
		ses := &s.sessions[si]
		if !asked(si) || ses.phase == gone {
			continue
		}
		switch {
		case ses.phase == connecting:
			out = append(out, Obligation{Law: "STOMP-CONNECT-007", What: "CONNECT was not answered"})
		case ses.fading && ses.phase == open:
			out = append(out, Obligation{Law: "STOMP-SUBSCRIBE-008", What: "a message went to another connection although this one is open"})
		case ses.phase == doomed && ses.must && !b.cfg.ErrorStaysOpen:
			out = append(out, Obligation{Law: mustCloseLaw(b.version(ses.conn)), What: "the connection is open after an ERROR"})
		}
	}
	t := s.clone()
	for si := range t.sessions {
		for len(t.sessions[si].inbox) > 0 {
			f := t.sessions[si].inbox[0]
			if b.work(&t, si) {
				continue
			}
			if asked(si) && t.sessions[si].phase == open {
				out = append(out, Obligation{Law: refusalLaw(f.Command), What: fmt.Sprintf("%v was not refused", f.ClientFrame)})
			}
			break
		}
	}
	for si := range t.sessions {
		ses := &t.sessions[si]
		if !asked(si) || ses.phase != open || ses.fading {
			continue
		}
		for _, o := range ses.owed {
			// A broker may hold the RECEIPT of a transactional frame back until COMMIT, and for good after ABORT.
			if o.waived || o.frame.Transaction != "" && o.frame.Command != "COMMIT" && ses.tx(o.frame.Transaction) >= 0 {
				continue
			}
			out = append(out, Obligation{Law: "STOMP-RECEIPT-001", What: fmt.Sprintf("RECEIPT %s of %s", o.frame.Receipt, o.frame.Command)})
		}
	}
	for si := range t.sessions {
		if ses := &t.sessions[si]; ses.phase == gone || ses.phase == doomed {
			// It had time to notice. What it may not have received, it need not have published.
			b.release(&t, si)
			for i := range t.messages {
				if m := &t.messages[i]; m.from == si && s.messages[i].state != visible {
					m.sure = false
				}
			}
		}
	}
	for i := range t.messages {
		out = append(out, b.undelivered(&t, &t.messages[i], asked)...)
	}
	return out
}

func mustCloseLaw(v Version) string {
	if v == V11 {
		return "STOMP-ERROR-002"
	}
	return "STOMP-ERROR-001"
}

func refusalLaw(command string) string {
	switch command {
	case "SEND":
		return "STOMP-SEND-001"
	case "SUBSCRIBE":
		return "STOMP-SUBSCRIBE-001"
	}
	return "STOMP-TX-001"
}

// undelivered says whether m is owed to a subscription that asked covers.
func (b *Broker) undelivered(s *BrokerState, m *message, asked func(int) bool) []Obligation {
	if m.state != visible || !m.sure {
		return nil
	}
	law := "STOMP-SUBSCRIBE-001"
	if m.committed {
		// STOMP-TX-003: all are visible after COMMIT.
		law = "STOMP-TX-003"
	}
	if b.cfg.Topic(m.dest) {
		for _, d := range m.due {
			got := slices.ContainsFunc(m.hands, func(h hand) bool { return h.session == d.session && h.n == d.n })
			i := slices.IndexFunc(s.sessions[d.session].subs, func(sub subscription) bool { return sub.n == d.n && !sub.closing })
			if !got && i >= 0 && asked(d.session) && s.idle(d.session, s.sessions[d.session].subs[i]) {
				return []Obligation{{Law: law, What: fmt.Sprintf("topic message %s for a subscription of c%d", m.body, s.sessions[d.session].conn), Body: m.body}}
			}
		}
		return nil
	}
	if slices.ContainsFunc(m.hands, func(h hand) bool { return !h.loose || s.leaks(m.dest, h.session) }) {
		return nil
	}
	idle := false
	for si := range s.sessions {
		if s.sessions[si].phase != open || s.sessions[si].fading {
			continue
		}
		for _, sub := range s.sessions[si].subs {
			if sub.dest != m.dest {
				continue
			}
			if !asked(si) {
				return nil
			}
			idle = idle || !sub.closing && s.idle(si, sub)
		}
	}
	if !idle {
		return nil
	}
	return []Obligation{{Law: law, What: fmt.Sprintf("queue message %s for an idle subscription", m.body), Body: m.body}}
}

// idle reports that a subscription can take one more message whatever its prefetch: it is in auto mode, or holds nothing.
func (s *BrokerState) idle(si int, sub subscription) bool {
	if sub.mode == "auto" {
		return true
	}
	for i := range s.messages {
		for _, h := range s.messages[i].hands {
			if h.session == si && h.n == sub.n && !h.settled && !h.dead && !h.loose {
				return false
			}
		}
	}
	return true
}
