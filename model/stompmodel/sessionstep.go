package stompmodel

import "iter"

// Step yields the one outcome of a in s: see model.Machine. It yields none if a is impossible: a delivery that does not go on where the last one
// stopped, or a call that is none.
func (m *Session) Step(s SessionState, a SessionAction) iter.Seq2[SessionState, SessionOutput] {
	return func(yield func(SessionState, SessionOutput) bool) {
		if t, o, ok := m.take(s, a); ok {
			yield(t, o)
		}
	}
}

// Do returns the state and the outcome of a call in s, and whether the call is possible: see Step.
func (m *Session) Do(s SessionState, a SessionAction) (SessionState, SessionOutput, bool) {
	return m.take(s, a)
}

func (m *Session) take(s SessionState, a SessionAction) (SessionState, SessionOutput, bool) {
	var o SessionOutput
	var f *breach
	t := s.clone()
	switch a.Op {
	case SessionSend:
		t, o.Octets, f = m.send(t, a.Now, a.Frame)
	case SessionReceive:
		t, o.Events, f = m.receive(t, a.Now, a.Chunk)
	case SessionDeliver:
		if !s.follows(a) {
			return s, o, false
		}
		t, o.Events, f = m.deliver(t, a)
	case SessionTick:
		t, o.Octets, f = m.tick(t, a.Now)
	case SessionEnd:
		t, f = m.end(t)
	case SessionFail:
		t = m.fail(t)
	default:
		return s, o, false
	}
	if f != nil {
		o.Reason, o.Law, o.Rule = f.reason, f.law, f.rule
	}
	o.State, o.Version, o.Counts, o.Next = t.phase, t.speaks(), t.counts(), t.next(m.cfg.Tolerance)
	o.Send, o.Receive = t.sendEvery, t.expectEvery
	return t, o, true
}

// accept checks a time and stores it.
func (s *SessionState) accept(now int64, regression string) *breach {
	switch {
	case now < 0:
		return because(TimeNegative, "STOMP-CLOCK-001")
	// STOMP-CLOCK-001: equal times are allowed.
	case now < s.now:
		return because(TimeRegression, regression)
	}
	s.now = now
	return nil
}

// send answers SessionSend: the state after it, and the octets or why there are none.
func (m *Session) send(s SessionState, now int64, f Frame) (SessionState, string, *breach) {
	before := s
	// STOMP-CLIENT-003: this order. STOMP-CLOCK-002: nothing changes, not even the time.
	if err := s.accept(now, "STOMP-CLOCK-002"); err != nil {
		if m.bug == bugRegressionCounts {
			before.now = max(now, 0)
		}
		return before, "", err
	}
	// STOMP-CLOCK-005: whatever comes now, the time has advanced. STOMP-CLIENT-002: but nothing else.
	refused := before
	if m.bug != bugRefusalStopsTime {
		refused.now = now
	}
	octets, err := m.sendable(s, f)
	if err == nil {
		s, err = m.command(s, f)
	}
	if err != nil {
		if id, ok := s.value(f, "receipt"); m.bug == bugRefusalRegisters && ok && s.phase == SessionActive {
			refused.receipts = append(refused.receipts, clientReceipt{id: id})
		}
		return refused, "", err
	}
	// STOMP-HEARTBEAT-014
	if s.phase != SessionClosed && m.bug != bugSendKeepsTimer {
		s.sent = now
	}
	return s, octets, nil
}

// sendable checks what does not depend on the records: size, form and state.
func (m *Session) sendable(s SessionState, f Frame) (string, *breach) {
	// STOMP-LIMIT-010: as it will be on the wire, the automatic content-length counted (STOMP-BODY-012).
	wire := len(f.Headers)
	if _, declared := f.Get("content-length"); !declared && len(f.Body) > 0 {
		wire++
	}
	if wire > maxSentHeaders {
		return "", because(HeaderCount, "STOMP-LIMIT-010")
	}
	if len(f.Body) > maxSentBody {
		return "", because(BodySize, "STOMP-LIMIT-011")
	}
	for _, h := range f.Headers {
		if len(h.Name)+len(h.Value) > maxSentPair {
			return "", because(HeaderPair, "STOMP-LIMIT-009")
		}
	}
	// STOMP-FRAME-022, STOMP-NACK-001: what the version does not have is refused here, a NACK in 1.0 for one.
	octets, err := Encode(s.encodes(), f)
	if err != nil {
		return "", &breach{reason: Encoding, law: "STOMP-CLIENT-003", rule: err.Rule}
	}
	opens := f.Command == "CONNECT" || f.Command == "STOMP"
	switch {
	case s.phase == SessionFresh && !opens:
		return "", because(NotConnect, "STOMP-CONNECT-014")
	case s.phase == SessionConnecting && m.bug != bugEarlySend:
		return "", because(NotConnected, "STOMP-CONNECT-016")
	// STOMP-CLIENT-008: V12 has the nine and the two that open.
	case s.phase == SessionActive && (opens || !V12.ClientCommand(f.Command)):
		return "", because(WrongCommand, "STOMP-CLIENT-008")
	// STOMP-DISCONNECT-002
	case s.phase == SessionDisconnecting:
		return "", because(IsDisconnecting, "STOMP-DISCONNECT-005")
	case s.phase == SessionClosed && m.bug != bugClosedSends:
		return "", because(IsClosed, "STOMP-CLIENT-010")
	}
	return string(octets), nil
}

// tick answers SessionTick.
func (m *Session) tick(s SessionState, now int64) (SessionState, string, *breach) {
	// STOMP-CLOCK-004: inert, whatever the time.
	if s.phase == SessionClosed {
		return s, "", nil
	}
	was := s.now
	if err := s.accept(now, "STOMP-CLOCK-003"); err != nil {
		if m.bug == bugRegressionTolerated {
			return s, "", err
		}
		return s.closed(), "", err
	}
	if m.bug == bugTickKeepsTime {
		s.now = was
	}
	// STOMP-CLOCK-006, STOMP-HEARTBEAT-016: nothing but the time outside Active, and in 1.0 the intervals are 0.
	if s.phase != SessionActive && (m.bug != bugBeatDisconnecting || s.phase != SessionDisconnecting) {
		return s, "", nil
	}
	// STOMP-HEARTBEAT-011: strictly greater. STOMP-HEARTBEAT-013: before any beat.
	limit := s.expectEvery + m.cfg.Tolerance
	if m.bug == bugDeadAtBound {
		limit--
	}
	if s.expectEvery > 0 && now-s.received > limit {
		octets := ""
		if m.bug == bugTimeoutBeats {
			octets = "\n"
		}
		return s.closed(), octets, because(TimedOut, "STOMP-HEARTBEAT-011")
	}
	// STOMP-HEARTBEAT-010: at exactly the interval.
	every := s.sendEvery
	if m.bug == bugLateBeat && every > 0 {
		every++
	}
	if every == 0 || now-s.sent < every {
		return s, "", nil
	}
	// STOMP-HEARTBEAT-015: recorded as sent. STOMP-HEARTBEAT-013, STOMP-HEARTBEAT-006: one LF, however late.
	octets := "\n"
	if m.bug == bugTwoBeats && now-s.sent >= 2*every {
		octets = "\n\n"
	}
	s.sent = now
	return s, octets, nil
}

// end answers SessionEnd: the peer closed the stream.
func (m *Session) end(s SessionState) (SessionState, *breach) {
	// STOMP-CLIENT-009: it always closes, and reports a decoder that was spent or stopped inside something.
	if s.phase == SessionClosed {
		return s, &breach{reason: SessionSpent, law: "STOMP-CLIENT-009"}
	}
	after := s.closed()
	if m.bug == bugEndStays {
		after = s
	}
	if s.phase == SessionFresh {
		return after, nil
	}
	if _, err := m.codec.End(s.decoder); err != nil || s.begun {
		return after, &breach{reason: SessionTruncated, law: "STOMP-CLIENT-009", rule: RuleTruncated}
	}
	return after, nil
}

// fail answers SessionFail: the transport broke.
func (m *Session) fail(s SessionState) SessionState {
	// STOMP-CLIENT-005
	after := s.closed()
	if m.bug == bugFailKeepsReceipts {
		after.receipts = s.receipts
	}
	return after
}
