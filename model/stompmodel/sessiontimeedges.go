package stompmodel

import "fmt"

// timeEdges are the laws about time and heart-beats.
func (m *Session) timeEdges() []SessionEdgeInvariant {
	return []SessionEdgeInvariant{
		{Law: "STOMP-CLOCK-002", Title: "a send before the last time is refused and changes not even the time", Check: regressingSend},
		{Law: "STOMP-CLOCK-003", Title: "a receive or tick before the last time closes", Check: regressionCloses},
		{Law: "STOMP-CLOCK-004", Title: "every live tick advances the time, and a closed one does nothing", Check: tickAdvances},
		{Law: "STOMP-CLOCK-005", Title: "a refused send advances the time", Check: refusalAdvances},
		{Law: "STOMP-HEARTBEAT-016", Title: "beats and timeouts happen only in Active with an interval", Check: beatsOnlyActive},
		{Law: "STOMP-HEARTBEAT-010", Title: "a beat is written when it is due, and not before", Check: m.beatWhenDue},
		{Law: "STOMP-HEARTBEAT-011", Title: "the peer is dead beyond interval and tolerance, and not before", Check: m.deadBeyond},
		{Law: "STOMP-HEARTBEAT-013", Title: "a tick writes at most one octet, and none with a timeout", Check: oneBeat},
		{Law: "STOMP-HEARTBEAT-014", Title: "what is written restarts the send timer, and what arrives the other", Check: timersRestart},
	}
}

func early(before SessionState, a SessionAction) bool { return a.Now < before.now || a.Now < 0 }

func regressingSend(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if a.Op == SessionSend && early(before, a) && (o.Reason != TimeNegative && o.Reason != TimeRegression || after.now != before.now) {
		return fmt.Errorf("send at %d after %d: %q, and the time is %d", a.Now, before.now, o.Reason, after.now)
	}
	return nil
}

func regressionCloses(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	timed := a.Op == SessionReceive || a.Op == SessionDeliver || a.Op == SessionTick && before.phase != SessionClosed
	if timed && early(before, a) && (o.Reason == "" || after.phase != SessionClosed) {
		return fmt.Errorf("%s at %d after %d: %s", a.Op, a.Now, before.now, after.phase)
	}
	return nil
}

func tickAdvances(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if a.Op != SessionTick {
		return nil
	}
	if before.phase == SessionClosed {
		if o.Reason != "" || o.Octets != "" || after.now != before.now {
			return fmt.Errorf("a closed tick does %v", o)
		}
		return nil
	}
	if !early(before, a) && after.now != a.Now {
		return fmt.Errorf("tick at %d leaves the time at %d", a.Now, after.now)
	}
	return nil
}

func refusalAdvances(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if a.Op == SessionSend && !early(before, a) && o.Reason != "" && after.now != a.Now {
		return fmt.Errorf("refused for %s at %d, and the time is %d", o.Reason, a.Now, after.now)
	}
	return nil
}

func beatsOnlyActive(before SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	if a.Op != SessionTick || before.phase == SessionActive && before.version != V10 {
		return nil
	}
	if o.Octets != "" || o.Reason == TimedOut {
		return fmt.Errorf("a tick in %s of a %s session does %v", before.phase, before.version, o)
	}
	return nil
}

// dead is the law of the timeout, by subtraction.
func (m *Session) dead(s SessionState, now int64) bool {
	return s.phase == SessionActive && s.expectEvery > 0 && now-s.received > s.expectEvery+m.cfg.Tolerance
}

func (m *Session) beatWhenDue(before SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	if a.Op != SessionTick || early(before, a) || before.phase != SessionActive || m.dead(before, a.Now) {
		return nil
	}
	due := before.sendEvery > 0 && a.Now-before.sent >= before.sendEvery
	if due != (o.Octets != "") {
		return fmt.Errorf("%d ms after the last octet of %d: written %q", a.Now-before.sent, before.sendEvery, o.Octets)
	}
	return nil
}

func (m *Session) deadBeyond(before SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	if a.Op == SessionTick && !early(before, a) && m.dead(before, a.Now) != (o.Reason == TimedOut) {
		return fmt.Errorf("%d ms after the last octet of %d+%d: %q", a.Now-before.received, before.expectEvery, m.cfg.Tolerance, o.Reason)
	}
	return nil
}

func oneBeat(_ SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	if a.Op == SessionTick && (len(o.Octets) > 1 || o.Octets != "" && o.Reason != "") {
		return fmt.Errorf("a tick writes %q and says %q", o.Octets, o.Reason)
	}
	return nil
}

func timersRestart(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if before.phase != SessionActive || after.phase != SessionActive {
		return nil
	}
	sent, received := before.sent, before.received
	if o.Octets != "" {
		sent = a.Now
	}
	if a.Chunk != "" || len(a.Frames) > 0 || a.Rest != RestNothing {
		received = a.Now
	}
	if after.sent != sent || after.received != received {
		return fmt.Errorf("%v: the timers start at %d and %d, want %d and %d", a, after.sent, after.received, sent, received)
	}
	return nil
}
