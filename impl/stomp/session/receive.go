package session

import "github.com/seed-6f28358b/assay/impl/stomp/frame"

// Kind says what an event is.
type Kind uint8

// The kinds of events.
const (
	HeartBeat   Kind = iota + 1 // the server sent an EOL between frames
	Connected                   // CONNECTED: the session is Active
	Message                     // MESSAGE for an open subscription
	Receipt                     // RECEIPT that was asked for: the server processed the frame, no more (STOMP-RECEIPT-006)
	ServerError                 // ERROR: the session is Closed
)

// String returns the kind in lower case with dashes, such as "server-error".
func (k Kind) String() string {
	switch k {
	case HeartBeat:
		return "heart-beat"
	case Connected:
		return "connected"
	case Message:
		return "message"
	case Receipt:
		return "receipt"
	case ServerError:
		return "server-error"
	}
	return "unknown"
}

// Event is one thing that the server said.
type Event struct {
	Kind  Kind
	Frame *frame.Frame // nil for a heart-beat
}

// Receive takes octets that arrived at now, in chunks of any size, and returns what they completed, in order. The slice
// is valid until the next Receive; the frames in it are the caller's, for good.
//
// An error is a [*Error] and has closed the session; no event of the chunk is returned (STOMP-CLIENT-006). The events
// Connected and ServerError, and the Receipt of a DISCONNECT, go with a change of [Session.State]; after the last two
// the session is closed, and another frame in the same chunk is an error (STOMP-ERROR-007, STOMP-DISCONNECT-005).
//
// An unsettled delivery keeps the string of one header of its MESSAGE and the decoder's block around it, about 20 KiB,
// which it shares with its neighbours.
func (s *Session) Receive(now int64, chunk []byte) ([]Event, error) {
	// STOMP-CLIENT-007
	if s.state == Fresh || s.state == Closed {
		return nil, s.give(problem(OpReceive, ReasonNotReceiving, "octets in state %s", s.state))
	}
	// STOMP-CLOCK-001, STOMP-CLOCK-003
	if err := s.advance(OpReceive, now); err != nil {
		return nil, s.give(err)
	}
	decoded, err := s.dec.Feed(chunk)
	if err != nil {
		// STOMP-CLIENT-006
		return nil, s.give(caused(OpReceive, ReasonSyntax, err))
	}
	if len(chunk) > 0 {
		// STOMP-HEARTBEAT-014
		s.heard = now
		if s.clock != nil {
			must(s.clock.Received(now))
		}
	}
	events := s.events[:0]
	var over Reason
	for _, d := range decoded {
		if d.Frame == nil {
			events = append(events, Event{Kind: HeartBeat})
			continue
		}
		// STOMP-ERROR-007, STOMP-DISCONNECT-005
		if over != 0 {
			return nil, s.give(problem(OpReceive, over, "a %s frame after the last one of the session", d.Frame.Command))
		}
		kind, err := s.handle(d.Frame, &over)
		if err != nil {
			return nil, s.give(err)
		}
		events = append(events, Event{Kind: kind, Frame: d.Frame})
	}
	if over == 0 {
		s.events = events
	}
	return events, nil
}

// give closes the session because of err.
func (s *Session) give(err *Error) error {
	s.close()
	return err
}

// handle records what a frame of the server means. If it closed the session, over says what another frame would be.
func (s *Session) handle(f *frame.Frame, over *Reason) (Kind, *Error) {
	switch {
	case f.Command == frame.ERROR:
		// STOMP-ERROR-006: a receipt-id in it answers nothing.
		s.close()
		*over = ReasonAfterError
		return ServerError, nil
	case s.state == Connecting && f.Command == frame.CONNECTED:
		return Connected, s.onConnected(f)
	case s.state == Connecting || f.Command == frame.CONNECTED:
		// STOMP-CONNECT-017
		return 0, problem(OpReceive, ReasonUnexpectedConnecting, "%s in state %s", f.Command, s.state)
	case f.Command == frame.MESSAGE:
		return Message, s.onMessage(f)
	case f.Command == frame.RECEIPT:
		bye, err := s.onReceipt(f)
		if bye {
			// STOMP-DISCONNECT-005
			s.close()
			*over = ReasonAfterDisconnect
		}
		return Receipt, err
	}
	// STOMP-CLIENT-008
	return 0, problem(OpReceive, ReasonUnexpected, "%s from a server", f.Command)
}
