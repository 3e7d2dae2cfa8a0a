package model

import (
	"fmt"
	"iter"
)

// window is a sender that has sent some messages, of which some are
// acknowledged.
type window struct{ Sent, Acked int }

// windowMachine allows at most limit messages in flight out of total. An ack
// frees one message or all in flight, and does not say which: the machine is
// nondeterministic on purpose. With the bug, one message too many may be
// sent once something was acknowledged.
type windowMachine struct {
	limit, total int
	bug          bool
}

func (m windowMachine) Init() window { return window{} }

func (m windowMachine) Actions(window) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = yield("send") && yield("ack") && yield("count")
	}
}

func (m windowMachine) Step(s window, a string) iter.Seq2[window, string] {
	return func(yield func(window, string) bool) {
		inFlight := s.Sent - s.Acked
		switch a {
		case "send":
			room := inFlight < m.limit || m.bug && s.Acked > 0 && inFlight == m.limit
			if s.Sent < m.total && room {
				yield(window{s.Sent + 1, s.Acked}, "ok")
			}
		case "ack":
			if inFlight > 0 && !yield(window{s.Sent, s.Acked + 1}, "ok") {
				return
			}
			if inFlight > 1 {
				yield(window{s.Sent, s.Sent}, "ok")
			}
		case "count":
			if s.Sent > 0 {
				yield(s, fmt.Sprint(inFlight))
			}
		}
	}
}

func (m windowMachine) AppendKey(dst []byte, s window) []byte {
	return append(dst, byte(s.Sent), byte(s.Acked))
}

// law is the invariant that the bug breaks.
func (m windowMachine) law() Invariant[window] {
	return Invariant[window]{
		Law:   "WINDOW-001",
		Title: "at most limit messages are in flight",
		Holds: func(s window) error {
			if n := s.Sent - s.Acked; n > m.limit {
				return fmt.Errorf("%d in flight, %d allowed", n, m.limit)
			}
			return nil
		},
	}
}

// realWindow acknowledges one message at a time. off is added to what it
// counts once it has sent more than two messages.
type realWindow struct{ sent, acked, off int }

func (r *realWindow) Do(a string) string {
	switch a {
	case "send":
		r.sent++
	case "ack":
		r.acked++
	case "count":
		n := r.sent - r.acked
		if r.sent > 2 {
			n += r.off
		}
		return fmt.Sprint(n)
	}
	return "ok"
}
