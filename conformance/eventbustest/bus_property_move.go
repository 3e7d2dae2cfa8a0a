package eventbustest

import (
	"fmt"
	"math/rand"
)

// What a move does.
const (
	movePublish   = "publish"   // publishes in one tick
	moveSubscribe = "subscribe" // a subscription, with a cursor or live only
	moveTake      = "take"      // asks
	moveAbort     = "abort"     // abort, and what asks give after it
	moveReturn    = "return"    // the iterator returns
	moveSeed      = "seed"      // seeded history
	moveClose     = "close"     // the end of the bus
	moveEnd       = "end"       // everything is drained
)

// busSlots is how many subscriptions there are at a time.
const busSlots = 4

// A busMove is one command of a generated run: a plain value, chosen before anything is played, so that a sequence can be
// shrunk, saved and played again.
type busMove struct {
	Op    string `json:"op"`
	Sub   int    `json:"sub,omitempty"`   // slot of the subscription, from 0
	Count int    `json:"count,omitempty"` // of events, or of asks
	Live  bool   `json:"live,omitempty"`  // no cursor
	// Back is how far the cursor is behind the last id; what is negative is ahead of it, and none is below 0.
	Back  int  `json:"back,omitempty"`
	Wrong bool `json:"wrongEpoch,omitempty"`
}

// String says the move in a few words.
func (m busMove) String() string {
	switch m.Op {
	case movePublish, moveSeed:
		return fmt.Sprintf("%s %d", m.Op, m.Count)
	case moveTake:
		return fmt.Sprintf("s%d is asked %d times", m.Sub, m.Count)
	case moveAbort, moveReturn:
		return fmt.Sprintf("s%d %s", m.Sub, m.Op)
	case moveSubscribe:
		text := fmt.Sprintf("s%d subscribes", m.Sub)
		if m.Live {
			text += " live only"
		} else {
			text += fmt.Sprintf(" %d behind the last id", m.Back)
		}
		if m.Wrong {
			text += ", wrong epoch"
		}
		return text
	}
	return m.Op
}

// A busScene is what a sequence of moves has come to, as far as it can be known before it is played. It is a value.
type busScene struct {
	history, seeds, later bool
	ringSize              int
	left                  int // moves still to come
	subs                  [busSlots]bool
	ended                 bool
}

// String tells the size of the ring, which is what sequences begin with.
func (s busScene) String() string { return fmt.Sprintf("a ring of %d", s.ringSize) }

// Allows reports whether m makes sense.
func (s busScene) Allows(m busMove) bool {
	if s.ended || m.Sub < 0 || m.Sub >= busSlots {
		return false
	}
	switch m.Op {
	case moveEnd:
		return true
	case movePublish:
		return m.Count >= 1 && m.Count <= 4
	case moveSeed:
		return s.seeds && m.Count >= 1 && m.Count <= 4
	case moveClose:
		return s.history
	case moveSubscribe:
		return !s.subs[m.Sub] && (!m.Wrong || s.history && s.later)
	case moveTake:
		return s.subs[m.Sub] && m.Count >= 1
	case moveAbort, moveReturn:
		return s.subs[m.Sub]
	}
	return false
}

// After returns the scene that m leads to.
func (s busScene) After(m busMove) busScene {
	s.left--
	switch m.Op {
	case moveSubscribe:
		s.subs[m.Sub] = true
	case moveAbort, moveReturn:
		s.subs[m.Sub] = false
	case moveEnd:
		s.ended = true
	}
	return s
}

// Draw returns a move that makes sense in s; the last one of a sequence is the end.
func (s busScene) Draw(r *rand.Rand) busMove {
	if s.left == 1 {
		return busMove{Op: moveEnd}
	}
	for {
		if m := drawBusMove(r); s.Allows(m) {
			return m
		}
	}
}

// drawBusMove returns a random move, which need not make sense.
func drawBusMove(r *rand.Rand) busMove {
	sub := r.Intn(busSlots)
	switch n := r.Intn(100); {
	case n < 32:
		return busMove{Op: movePublish, Count: 1 + r.Intn(4)}
	case n < 58:
		return busMove{Op: moveSubscribe, Sub: sub, Live: r.Intn(6) == 0, Back: r.Intn(10) - 2, Wrong: r.Intn(8) == 0}
	case n < 82:
		return busMove{Op: moveTake, Sub: sub, Count: 1 + r.Intn(8)}
	case n < 90:
		return busMove{Op: moveAbort, Sub: sub}
	case n < 94:
		return busMove{Op: moveReturn, Sub: sub}
	case n < 98:
		return busMove{Op: moveSeed, Count: 1 + r.Intn(4)}
	}
	if r.Intn(4) > 0 {
		return busMove{Op: movePublish, Count: 4}
	}
	return busMove{Op: moveClose}
}

// drawRingSize prefers rings that drop events soon.
func drawRingSize(r *rand.Rand) int { return []int{1, 1, 2, 2, 3, 4, 6}[r.Intn(7)] }

// Simpler returns moves that do less.
func (m busMove) Simpler() []busMove {
	var out []busMove
	if m.Count > 1 {
		less := m
		less.Count--
		out = append(out, less)
	}
	if m.Wrong {
		right := m
		right.Wrong = false
		out = append(out, right)
	}
	return out
}
