package hub

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

type state uint8

const (
	fresh  state = iota // before CONNECT
	active              // after CONNECTED
	ending              // ERROR, the last RECEIPT or nothing more is in out; no frame is handled
	gone                // the driver let go of it
)

// Session is one connection. Only the methods of its [Hub] change it.
type Session struct {
	id      string
	state   state
	version frame.Version
	opened  int64
	clock   *heartbeat.Clock // nil: no heart-beats
	problem *Problem

	out     []byte // encoded frames that wait
	frames  int    // how many
	ends    []int  // where each ends, if framed
	framed  bool
	taken   int  // octets that the driver is writing
	writing bool // between Take and Written
	dirty   bool

	subs         map[string]*subscription
	list         []*subscription // the same, in the order of SUBSCRIBE
	starved      []*subscription // those that left their queue's ready list for want of credit
	unacked      map[string]*delivery
	unackedBytes int
	deliveries   uint64 // ack values given out
	txs          map[string]*transaction
	stagedOps    int
	stagedBytes  int
}

// ID returns the session header's value, unique in the hub.
func (s *Session) ID() string { return s.id }

// Version returns the version in force: before CONNECT, the highest on offer.
func (s *Session) Version() frame.Version { return s.version }

// Active reports whether the session is between CONNECTED and its end.
func (s *Session) Active() bool { return s.state == active }

// Ended reports whether the session handles no more frames: once [Hub.Take] returns nothing, the
// connection can be closed.
func (s *Session) Ended() bool { return s.state >= ending }

// Problem returns why the session got an ERROR, or nil.
func (s *Session) Problem() *Problem { return s.problem }

// Idle reports whether nothing waits to be written and nothing is being written.
func (s *Session) Idle() bool { return len(s.out) == 0 && !s.writing }

func (s *Session) pending() int { return len(s.out) + s.taken }

// emit appends f to what s has to write. An error means that f cannot be said in the version of s.
func (h *Hub) emit(s *Session, f *frame.Frame) error {
	out, err := frame.Append(s.out, s.version, f)
	if err != nil {
		return err
	}
	s.out = out
	s.frames++
	if s.framed {
		s.ends = append(s.ends, len(out))
	}
	h.mark(s)
	return nil
}

// overflow is the problem of s if it has more to write than it may.
func (h *Hub) overflow(s *Session) *Problem {
	if n := s.pending(); n > h.cfg.Limits.Outbound {
		return limit("octets wait to be written", h.cfg.Limits.Outbound, n)
	}
	if s.frames > h.cfg.Limits.OutboundFrames {
		return limit("frames wait to be written", h.cfg.Limits.OutboundFrames, s.frames)
	}
	return nil
}

// Take hands over all that s has to write, in exchange for an empty buffer to fill next; ends tells where
// each frame ends if s is framed, and is valid until the next Take. It reports false if there is nothing or
// the last batch has not been [Hub.Written].
func (h *Hub) Take(s *Session, spare []byte) (batch []byte, ends []int, ok bool) {
	if s.writing || len(s.out) == 0 {
		return nil, nil, false
	}
	batch, ends = s.out, s.ends
	s.out, s.ends, s.frames = spare[:0], nil, 0
	s.taken, s.writing = len(batch), true
	return batch, ends, true
}

// Written tells that the last batch of s was written at now; room for more messages follows from it.
func (h *Hub) Written(s *Session, now int64) {
	s.taken, s.writing = 0, false
	if s.state >= ending {
		return
	}
	if s.clock != nil {
		_ = s.clock.Sent(now)
	}
	h.feed(s)
}

// Received tells that octets of s arrived at now, even if they complete no frame.
func (h *Hub) Received(s *Session, now int64) {
	// STOMP-HEARTBEAT-007
	if s.clock != nil {
		_ = s.clock.Received(now)
	}
}

// Tick does what is due at now: a heart-beat, or the end of a peer that is silent or never sent CONNECT.
func (h *Hub) Tick(s *Session, now int64) {
	switch {
	case s.state == fresh && now-s.opened >= h.cfg.ConnectTimeout:
		h.Fail(s, problem("no CONNECT in time"))
	case s.state == active && s.clock != nil:
		due, dead, err := s.clock.Poll(now)
		if err != nil {
			return
		}
		if dead {
			// STOMP-HEARTBEAT-008
			h.Fail(s, problem("no heart-beat in time"))
			return
		}
		if due && s.Idle() {
			// STOMP-HEARTBEAT-004, STOMP-HEARTBEAT-006
			s.out = append(s.out, '\n')
			if s.framed {
				s.ends = append(s.ends, len(s.out))
			}
			h.mark(s)
		}
	}
}

// Deadline returns when [Hub.Tick] should be called next if nothing happens before, or
// [heartbeat.Never].
func (h *Hub) Deadline(s *Session, now int64) int64 {
	switch {
	case s.state == fresh:
		return s.opened + h.cfg.ConnectTimeout
	case s.state == active && s.clock != nil:
		next := s.clock.Next()
		if next <= now && !s.Idle() {
			// A beat cannot overtake what is being written.
			next = now + 50
		}
		return next
	}
	return heartbeat.Never
}

// laden is the problem with one more delivery that waits for ACK.
func (h *Hub) laden(s *Session) *Problem {
	if n := len(s.unacked); n >= h.cfg.Limits.Unacked {
		return limit("messages wait for ACK", h.cfg.Limits.Unacked, n+1)
	}
	if n := s.unackedBytes; n >= h.cfg.Limits.UnackedBytes {
		return limit("bytes wait for ACK", h.cfg.Limits.UnackedBytes, n)
	}
	return nil
}

// get returns the value of a header that the protocol defines.
func (s *Session) get(f *frame.Frame, name string) (string, bool) {
	v, ok := f.Get(name)
	if s.version == frame.V10 {
		// STOMP-HDR-008
		v = strings.Trim(v, " ")
	}
	return v, ok
}

func (s *Session) drop(sub *subscription) {
	delete(s.subs, sub.key)
	i := slices.Index(s.list, sub)
	s.list = slices.Delete(s.list, i, i+1)
	if i := slices.Index(s.starved, sub); i >= 0 {
		s.starved = slices.Delete(s.starved, i, i+1)
	}
}
