package stompmodel

import "slices"

// faulty reports that the first frame in the inbox of session si is one that a broker may answer with ERROR whatever its means: wrong in itself or
// in this state.
func (b *Broker) faulty(s *BrokerState, si int) bool {
	ses := &s.sessions[si]
	f := ses.inbox[0]
	v := b.version(ses.conn)
	if mustFail(v, f.ClientFrame) || !v.ClientCommand(f.Command) {
		return true
	}
	open := f.Transaction != "" && ses.tx(f.Transaction) >= 0
	switch f.Command {
	case "SEND":
		return f.Transaction != "" && !open
	case "SUBSCRIBE":
		known := f.Ack == "" || f.Ack == "auto" || f.Ack == "client" || f.Ack == "client-individual" && v != V10
		return !known || f.ID != "" && ses.sub(f.ClientFrame) >= 0
	case "UNSUBSCRIBE":
		return b.closes(ses, f.ClientFrame) < 0
	case "BEGIN":
		return open
	case "COMMIT", "ABORT":
		return !open
	case "ACK", "NACK":
		return f.Transaction != "" && !open || b.unknownAck(s, si, f)
	case "CONNECT", "STOMP":
		return true
	}
	return false
}

// unknownAck reports that f names no delivery that waits to be settled.
func (b *Broker) unknownAck(s *BrokerState, si int, f inFrame) bool {
	i := s.message(f.Message)
	if i < 0 {
		return true
	}
	j := s.messages[i].held(si, f.ID)
	// STOMP-ACK-005: named a second time, or no longer its own.
	return j < 0 || s.messages[i].hands[j].at != f.n || s.messages[i].hands[j].staged || s.messages[i].hands[j].loose
}

// errors yields each ERROR that may come next on session si.
func (b *Broker) errors(s BrokerState, si int, yield func(BrokerState, Output) bool) bool {
	ses := &s.sessions[si]
	if ses.phase == connecting {
		// STOMP-CONNECT-008
		return b.fail(s, si, ClientFrame{Command: "CONNECT"}, "", yield)
	}
	if !b.inboxErrors(s, si, yield) {
		return false
	}
	for _, f := range ses.suspects {
		u := s.clone()
		u.sessions[si].trust(f)
		u.sessions[si].owed = slices.DeleteFunc(u.sessions[si].owed, func(o owedReceipt) bool { return o.frame == f })
		if !b.blame(u, si, f, yield) {
			return false
		}
	}
	for _, id := range ses.blamed {
		// No law says that a frame which failed is named only once.
		if !b.fail(s, si, ClientFrame{}, id, yield) {
			return false
		}
	}
	for _, f := range ses.cut {
		if !b.blame(s, si, f.ClientFrame, yield) {
			return false
		}
	}
	if b.cfg.Healthy {
		return true
	}
	return b.owedErrors(s, si, yield) && b.fail(s, si, ClientFrame{}, "", yield)
}

// inboxErrors yields those for frames that wait, each taken after those before it.
func (b *Broker) inboxErrors(s BrokerState, si int, yield func(BrokerState, Output) bool) bool {
	ses, t := &s.sessions[si], s
	for k, f := range ses.inbox {
		if t.sessions[si].over {
			break
		}
		if !b.cfg.Healthy || b.faulty(&t, si) {
			u := t.clone()
			u.sessions[si].inbox = u.sessions[si].inbox[1:]
			b.lose(&u, f.ClientFrame)
			if !b.blame(u, si, f.ClientFrame, yield) {
				return false
			}
		}
		if k == len(ses.inbox)-1 {
			break
		}
		// A broker that is Explicit has taken what it has taken.
		next, ok := b.advance(t, si, func(t *BrokerState) bool { return len(t.sessions[si].inbox) < len(ses.inbox)-k })
		if !ok {
			break
		}
		t = next
	}
	return true
}

// owedErrors yields those for frames that were taken because a later one was answered: they may have failed after all.
func (b *Broker) owedErrors(s BrokerState, si int, yield func(BrokerState, Output) bool) bool {
	for i, o := range s.sessions[si].owed {
		if b.cfg.Explicit {
			break
		}
		u := s.clone()
		u.sessions[si].owed = slices.Delete(u.sessions[si].owed, i, i+1)
		u.sessions[si].trust(o.frame)
		for _, body := range o.about {
			u.messages[u.message(body)].sure = false
		}
		if !b.blame(u, si, o.frame, yield) {
			return false
		}
	}
	return true
}

// trust takes a frame that was answered off the list of suspects.
func (ses *session) trust(f ClientFrame) {
	if i := slices.Index(ses.suspects, f); i >= 0 {
		ses.suspects = slices.Delete(slices.Clone(ses.suspects), i, i+1)
	}
}

// blame yields the ERRORs for a frame that failed; the caller has taken it out of s.
func (b *Broker) blame(s BrokerState, si int, f ClientFrame, yield func(BrokerState, Output) bool) bool {
	// STOMP-ERROR-004: that it names the receipt is a SHOULD.
	if f.Receipt != "" {
		id := f.Receipt
		if b.bug == bugWrongErrorID {
			id += "?"
		}
		if !b.fail(s, si, f, id, yield) {
			return false
		}
	}
	return b.fail(s, si, f, "", yield)
}

// fail yields an ERROR on session si for f, which is zero if no frame is to blame.
func (b *Broker) fail(s BrokerState, si int, f ClientFrame, receipt string, yield func(BrokerState, Output) bool) bool {
	v := b.version(s.sessions[si].conn)
	// STOMP-ERROR-001: 1.2 must close. STOMP-ERROR-002: 1.1 must after a failed SEND or SUBSCRIBE. A failed CONNECT leaves nothing to go on with.
	must := v == V12 || v == V11 && (f.Command == "SEND" || f.Command == "SUBSCRIBE") || f.Command == "CONNECT"
	t := s.clone()
	ses := &t.sessions[si]
	ses.phase, ses.fault, ses.erred, ses.must = doomed, true, true, ses.must || must
	out := Output{Conn: ses.conn, Command: "ERROR", ReceiptID: receipt}
	if !yield(t, out) {
		return false
	}
	if must && !b.cfg.ErrorStaysOpen || t.sessions[si].fading {
		return true
	}
	t = s.clone()
	ses = &t.sessions[si]
	ses.fault, ses.erred = true, true
	if receipt != "" && !slices.Contains(ses.blamed, receipt) {
		ses.blamed = append(ses.blamed, receipt)
	}
	return yield(t, out)
}

// close yields the end of the connection by the server.
func (b *Broker) close(s BrokerState, si int, yield func(BrokerState, Output) bool) bool {
	if b.cfg.Healthy && !b.mayClose(s, si) {
		return true
	}
	t := s.clone()
	b.leave(&t, si)
	return yield(t, Output{Conn: s.sessions[si].conn, Closed: true})
}

// mayClose reports that a close has a cause in what the client sent. The ERROR before it may have been lost (STOMP-ERROR-005).
func (b *Broker) mayClose(s BrokerState, si int) bool {
	ses := &s.sessions[si]
	if ses.fault || ses.over || ses.phase == doomed || ses.phase == connecting {
		return true
	}
	if b.cfg.Explicit {
		return len(ses.inbox) > 0 && b.faulty(&s, si)
	}
	t := s.clone()
	for len(t.sessions[si].inbox) > 0 {
		if b.faulty(&t, si) || !b.work(&t, si) || t.sessions[si].over {
			return true
		}
	}
	return false
}
