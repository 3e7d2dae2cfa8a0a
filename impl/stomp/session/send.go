package session

import "github.com/seed-6f28358b/assay/impl/stomp/frame"

// Send checks f, records what it means and appends the octets to write to dst, which it returns. The records say what
// this side intends: if the octets cannot all be written, call [Session.Fail] (STOMP-CLIENT-004).
//
// On error, which is a [*Error], f is refused: dst comes back as it was, though its spare capacity may have been
// written to, and nothing but the time has changed (STOMP-CLIENT-002). The checks come in the order of the reasons
// (STOMP-CLIENT-003).
//
// The session keeps the strings of some headers: clone a borrowed frame before.
func (s *Session) Send(dst []byte, now int64, f *frame.Frame) ([]byte, error) {
	if f == nil {
		f = &frame.Frame{}
	}
	// STOMP-CLOCK-001, STOMP-CLOCK-002
	if err := s.advance(OpSend, now); err != nil {
		return dst, err
	}
	if err := bounded(f); err != nil {
		return dst, err
	}
	out, err := s.enc.Append(dst, f)
	if err != nil {
		return dst, caused(OpSend, ReasonEncoding, err)
	}
	// STOMP-CLIENT-002: what was encoded is dropped again.
	if err := s.admit(f); err != nil {
		return dst, err
	}
	if s.clock != nil {
		// STOMP-HEARTBEAT-014
		must(s.clock.Sent(now))
	}
	return out, nil
}

// bounded compares f with the limits of what a client may send, which a default decoder always takes: STOMP-LIMIT-013.
func bounded(f *frame.Frame) *Error {
	b := frame.ClientBounds()
	// STOMP-LIMIT-010
	n := len(f.Headers)
	if n >= b.Headers && len(f.Body) > 0 {
		if _, ok := f.Get("content-length"); !ok {
			n++
		}
	}
	if n > b.Headers {
		return exceed(OpSend, ReasonHeaderCount, int64(b.Headers), int64(n), "too many header lines")
	}
	// STOMP-LIMIT-011
	if len(f.Body) > b.Body {
		return exceed(OpSend, ReasonBodySize, int64(b.Body), int64(len(f.Body)), "the body is too long")
	}
	// STOMP-LIMIT-009
	for i := range f.Headers {
		if n := len(f.Headers[i].Name) + len(f.Headers[i].Value); n > b.Pair {
			return exceed(OpSend, ReasonHeaderPair, int64(b.Pair), int64(n), "name and value of a header are too long")
		}
	}
	return nil
}

// admit applies the rules of the state, of the receipt header and of the command, in this order. It records f only if
// all are kept.
func (s *Session) admit(f *frame.Frame) *Error {
	switch s.state {
	case Fresh:
		// STOMP-CONNECT-014
		if f.Command != frame.CONNECT && f.Command != frame.STOMP {
			return refuse(ReasonNotConnect, "%s before CONNECT", f.Command)
		}
		return s.connect(f)
	case Connecting:
		// STOMP-CONNECT-016
		return refuse(ReasonNotConnected, "%s before CONNECTED", f.Command)
	case Disconnecting:
		// STOMP-DISCONNECT-002, STOMP-DISCONNECT-005
		return refuse(ReasonDisconnecting, "%s after DISCONNECT", f.Command)
	case Closed:
		// STOMP-CLIENT-010
		return refuse(ReasonClosed, "%s on a closed session", f.Command)
	}
	switch f.Command {
	case frame.SEND, frame.SUBSCRIBE, frame.UNSUBSCRIBE, frame.BEGIN, frame.COMMIT, frame.ABORT, frame.ACK, frame.NACK,
		frame.DISCONNECT:
	default:
		// STOMP-CLIENT-008
		return refuse(ReasonCommand, "%s in an active session", f.Command)
	}
	receipt, asked := s.value(f, "receipt")
	if asked {
		if err := s.receiptFree(receipt); err != nil {
			return err
		}
	}
	p := pending{bye: f.Command == frame.DISCONNECT}
	if err := s.perform(f, asked, &p); err != nil {
		return err
	}
	if asked {
		s.receipts[receipt] = p
	}
	if p.bye {
		// STOMP-DISCONNECT-005
		s.state = Disconnecting
		if !asked {
			// STOMP-DISCONNECT-006
			s.close()
		}
	}
	return nil
}

// perform applies the rules of the command.
func (s *Session) perform(f *frame.Frame, asked bool, p *pending) (err *Error) {
	switch f.Command {
	case frame.SEND:
		err = s.message(f)
	case frame.SUBSCRIBE:
		err = s.subscribe(f)
	case frame.UNSUBSCRIBE:
		p.leaving, err = s.unsubscribe(f, asked)
	case frame.BEGIN:
		err = s.begin(f)
	case frame.COMMIT:
		err = s.conclude(f, true)
	case frame.ABORT:
		err = s.conclude(f, false)
	case frame.ACK, frame.NACK:
		err = s.settle(f)
	}
	return err
}

// message checks a SEND. Its body is nobody's business here (STOMP-SEND-006).
func (s *Session) message(f *frame.Frame) *Error {
	// STOMP-SEND-005
	if dest, _ := s.value(f, "destination"); dest == "" {
		return refuse(ReasonDestination, "SEND without a destination")
	}
	_, err := s.transactionOf(f)
	return err
}
