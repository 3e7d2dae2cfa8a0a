package session

import "github.com/seed-6f28358b/assay/impl/stomp/heartbeat"

// Tick appends the heart-beat that is due at now, one LF, or nothing, and returns dst. It counts as sent: if it cannot
// be written, call [Session.Fail] (STOMP-HEARTBEAT-015). An error is a [*Error] and has closed the session: the time was
// not acceptable, or the peer was silent for too long. dst comes back unchanged then.
//
// In Closed Tick does nothing, whatever the time (STOMP-CLOCK-004).
func (s *Session) Tick(dst []byte, now int64) ([]byte, error) {
	// STOMP-CLOCK-004
	if s.state == Closed {
		return dst, nil
	}
	// STOMP-CLOCK-003
	if err := s.advance(OpTick, now); err != nil {
		s.close()
		return dst, err
	}
	// STOMP-HEARTBEAT-016
	if s.state != Active || s.clock == nil {
		return dst, nil
	}
	due, dead, err := s.clock.Poll(now)
	must(err)
	// STOMP-HEARTBEAT-011, STOMP-HEARTBEAT-013
	if dead {
		e := exceed(OpTick, ReasonTimeout, s.receive+s.tolerance, now-s.heard, "the peer was silent for too long, in ms")
		s.close()
		return dst, e
	}
	// STOMP-HEARTBEAT-010
	if due {
		must(s.clock.Sent(now))
		dst = append(dst, '\n')
	}
	return dst, nil
}

// Next returns the first time, in milliseconds, at which Tick will give a heart-beat or find the peer dead if nothing
// more is sent or received, or [heartbeat.Never]. It may lie in the past.
func (s *Session) Next() int64 {
	if s.state != Active || s.clock == nil {
		return heartbeat.Never
	}
	return s.clock.Next()
}

// Intervals returns the negotiated heart-beats in milliseconds, 0 meaning none: how often this side must send something,
// and how often the server must. Both are 0 before CONNECTED, in 1.0 and when closed.
func (s *Session) Intervals() (send, receive int64) { return s.send, s.receive }

// must panics on an error of the heart-beat clock, whose times the session has checked before.
func must(err error) {
	if err != nil {
		panic("stomp session: " + err.Error())
	}
}
