package stompmodel

import (
	"cmp"
	"iter"
	"slices"
)

// Step yields every outcome of a in s: see model.Machine. It yields none if a is impossible: a frame on a closed connection, a second SEND with the
// same body, or a silence that breaks an obligation.
func (b *Broker) Step(s BrokerState, a Action) iter.Seq2[BrokerState, Output] {
	return func(yield func(BrokerState, Output) bool) {
		switch a.Kind {
		case ActSend:
			if t, ok := b.send(s, a); ok {
				yield(t, Output{})
			}
		case ActDrop:
			if t, ok := b.drop(s, a.Conn); ok {
				b.markUsed(&t, a)
				yield(t, Output{})
			}
		case ActReceive:
			if si := s.current(a.Conn); si >= 0 {
				b.receiveSeen(s, si, a.Seen, yield)
			}
		case ActQuiet:
			if !a.Obliged || len(b.Unmet(s, a.Conn)) == 0 {
				yield(s, Output{})
			}
		case ActWork:
			b.explicitWork(s, a.Conn, yield)
		case ActEnd:
			b.explicitEnd(s, a.Conn, yield)
		}
	}
}

func (b *Broker) send(s BrokerState, a Action) (BrokerState, bool) {
	if a.Conn < 0 || a.Conn >= b.cfg.Conns {
		return s, false
	}
	f := a.Frame
	si := s.current(a.Conn)
	closed := si < 0 || s.sessions[si].phase == gone
	opens := f.Command == "CONNECT" || f.Command == "STOMP"
	if closed && !opens || f.Command == "SEND" && s.message(f.Body) >= 0 {
		return s, false
	}
	t := s.clone()
	b.markUsed(&t, a)
	if closed {
		t.sessions = append(t.sessions, session{conn: a.Conn})
		return t, true
	}
	ses := &t.sessions[si]
	in := inFrame{ClientFrame: f}
	state := onItsWay
	if ses.phase == doomed || ses.fading {
		// The broker is closing; the client may not know yet.
		state = void
	} else {
		switch f.Command {
		case "SUBSCRIBE":
			ses.subscribed++
			in.n = ses.subscribed
		case "ACK", "NACK":
			in.n = t.delivery(si, f)
		}
		ses.inbox = append(ses.inbox, in)
		if f.Receipt != "" && !mustFail(b.version(a.Conn), f) {
			ses.asked = append(ses.asked, f.Receipt)
		}
	}
	if f.Command == "SEND" {
		m := message{body: f.Body, dest: f.Destination, from: si, state: state, tx: f.Transaction}
		if b.cfg.Topic(f.Destination) {
			m.due = t.dueNow(f.Destination)
		}
		t.messages = append(t.messages, m)
	}
	return t, true
}

// delivery returns the number of the delivery to session si that an ACK or NACK f sent now names, or 0.
func (s BrokerState) delivery(si int, f ClientFrame) int {
	i := s.message(f.Message)
	if i < 0 {
		return 0
	}
	j := s.messages[i].held(si, f.ID)
	if j < 0 {
		return 0
	}
	return s.messages[i].hands[j].at
}

// dueNow lists the subscriptions to dest that are sure to be in time for a message sent now.
func (s BrokerState) dueNow(dest string) []due {
	var out []due
	for i := range s.sessions {
		for _, sub := range s.sessions[i].subs {
			if sub.dest == dest && sub.sure && !sub.closing && s.sessions[i].phase == open {
				out = append(out, due{i, sub.n})
			}
		}
	}
	return out
}

// drop closes the connection from the client's side. What it sent may still be taken, or not.
func (b *Broker) drop(s BrokerState, conn int) (BrokerState, bool) {
	si := s.current(conn)
	if si < 0 || s.sessions[si].phase == gone {
		return s, false
	}
	t := s.clone()
	b.leave(&t, si)
	return t, true
}

// leave ends what the client can see of session si.
func (b *Broker) leave(s *BrokerState, si int) {
	ses := &s.sessions[si]
	ses.phase = gone
	// Until the broker notices, it may hand messages to subscriptions that nobody reads any more. Even behind the RECEIPT of DISCONNECT
	// a MESSAGE may be under way: no version says that none follows it.
	var dests []string
	for _, sub := range ses.subs {
		dests = append(dests, sub.dest)
	}
	for _, f := range ses.inbox {
		if f.Command == "SUBSCRIBE" {
			dests = append(dests, f.Destination)
		}
	}
	for _, dest := range dests {
		l := leak{dest, si}
		if !slices.Contains(s.leaky, l) {
			s.leaky = append(s.leaky, l)
			slices.SortFunc(s.leaky, func(a, b leak) int { return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.dest, b.dest)) })
		}
		for i := range s.messages {
			if m := &s.messages[i]; m.dest == dest && (len(m.hands) == 0 || s.mayPassInside(si, m)) {
				m.sure = false
			}
		}
	}
	for i := range s.messages {
		m := &s.messages[i]
		// STOMP-RECEIPT-002: only in 1.2 does a later RECEIPT vouch for a frame that had none of its own.
		if m.from == si && !m.vouched && (b.version(ses.conn) != V12 || m.state != visible) {
			m.sure = false
		}
	}
	ses.subs, ses.owed = nil, nil
}

// mayPassInside reports that a message which session si gave up, or may have given up, may have passed to another subscription of that session
// unseen.
func (s *BrokerState) mayPassInside(si int, m *message) bool {
	ses := &s.sessions[si]
	waiting := func(match func(inFrame) bool) bool { return slices.ContainsFunc(ses.inbox, match) }
	given := waiting(func(f inFrame) bool {
		return f.Command == "UNSUBSCRIBE" || f.Command == "NACK" || f.Command == "COMMIT"
	})
	again := waiting(func(f inFrame) bool { return f.Command == "SUBSCRIBE" && f.Destination == m.dest })
	return slices.ContainsFunc(m.hands, func(h hand) bool {
		other := func(sub subscription) bool { return sub.dest == m.dest && sub.n != h.n }
		return h.session == si && !h.settled && (h.loose || given) && (again || slices.ContainsFunc(ses.subs, other))
	})
}

func (b *Broker) explicitWork(s BrokerState, si int, yield func(BrokerState, Output) bool) {
	if !b.cfg.Explicit || si < 0 || si >= len(s.sessions) {
		return
	}
	ses := &s.sessions[si]
	if len(ses.inbox) == 0 || ses.ended || ses.phase == doomed || ses.phase == connecting && b.bug != bugEarlyFrames {
		return
	}
	t := s.clone()
	if b.work(&t, si) {
		yield(t, Output{})
	}
}

func (b *Broker) explicitEnd(s BrokerState, si int, yield func(BrokerState, Output) bool) {
	if !b.cfg.Explicit || si < 0 || si >= len(s.sessions) {
		return
	}
	if ses := &s.sessions[si]; ses.ended || ses.phase != gone && ses.phase != doomed {
		return
	}
	t := s.clone()
	b.end(&t, si)
	yield(t, Output{})
}
