package substratetest

import (
	"fmt"
	"math/rand"
)

// What a move does.
const (
	moveCall    = "call"    // the application of the node sends or asks
	moveQueue   = "queue"   // the peer does
	moveHear    = "hear"    // the node gets frames that are under way
	moveTell    = "tell"    // the peer does
	moveWork    = "work"    // the application is done with a delivery
	moveLose    = "lose"    // a frame is lost
	moveTwice   = "twice"   // it comes twice
	moveSwap    = "swap"    // it is overtaken by the next
	moveEarly   = "early"   // the peer sends something before what is in flight has been acked
	moveDrop    = "drop"    // the connection ends
	moveConnect = "connect" // another begins
	moveDie     = "die"     // the process of the node is killed
	moveRefuse  = "refuse"  // the store refuses commits
	movePass    = "pass"    // time passes
	moveFinish  = "finish"  // everything is well again, and comes to its end
)

// nodeSlots is how many objects there are.
const nodeSlots = 2

// mostDays bounds the time of a sequence, so that nothing outlives its horizon.
const mostDays = 5

// A nodeMove is one command of a generated run: a plain value, chosen before anything is played, so that a sequence can be shrunk, saved
// and played again.
type nodeMove struct {
	Op    string `json:"op"`
	Obj   int    `json:"obj,omitempty"`   // from 0
	Verb  string `json:"verb,omitempty"`  // send or req
	Count int    `json:"count,omitempty"` // of frames; of commits that still succeed; how far ahead
	Times int    `json:"times,omitempty"` // of commits that are refused
	Back  bool   `json:"back,omitempty"`  // on the way to the peer
	MS    int64  `json:"ms,omitempty"`
}

// String says the move in a few words.
func (m nodeMove) String() string {
	switch m.Op {
	case moveCall:
		return fmt.Sprintf("the node: %s on object %d", m.Verb, m.Obj)
	case moveQueue:
		return fmt.Sprintf("the peer: %s on object %d", m.Verb, m.Obj)
	case moveHear, moveTell:
		return fmt.Sprintf("%s %d", m.Op, m.Count)
	case moveLose, moveTwice, moveSwap:
		if m.Back {
			return m.Op + " on the way to the peer"
		}
		return m.Op + " on the way to the node"
	case moveEarly:
		return fmt.Sprintf("the peer sends %d ahead on object %d", m.Count, m.Obj)
	case moveRefuse:
		return fmt.Sprintf("after %d commits %d are refused", m.Count, m.Times)
	case movePass:
		return fmt.Sprintf("%d ms pass", m.MS)
	}
	return m.Op
}

// Simpler returns moves that do less.
func (m nodeMove) Simpler() []nodeMove {
	var out []nodeMove
	if m.Count > 1 {
		less := m
		less.Count--
		out = append(out, less)
	}
	if m.Times > 1 {
		less := m
		less.Times--
		out = append(out, less)
	}
	if m.Verb == "req" {
		send := m
		send.Verb = "send"
		out = append(out, send)
	}
	return out
}

// A nodeScene is what a sequence of moves has come to, as far as it can be known before it is played. It is a value.
type nodeScene struct {
	Dies, Early bool
	left        int // moves still to come
	days        int
	ended       bool
}

// String tells what may happen.
func (s nodeScene) String() string {
	if s.Dies {
		return "a process that may die"
	}
	return "a peer that sends ahead"
}

// Allows reports whether m makes sense.
func (s nodeScene) Allows(m nodeMove) bool {
	if s.ended || m.Obj < 0 || m.Obj >= nodeSlots || m.Count < 0 || m.Count > 8 {
		return false
	}
	switch m.Op {
	case moveCall, moveQueue:
		return m.Verb == "send" || m.Verb == "req"
	case moveHear, moveTell:
		return m.Count >= 1
	case moveWork, moveLose, moveTwice, moveSwap, moveDrop, moveConnect, moveFinish:
		return true
	case moveEarly:
		// A receiver that has lost its frontier takes the first op that comes for the next one (SUBSTRATE-SEQ-010).
		return s.Early && m.Count >= 1
	case moveDie:
		return s.Dies
	case moveRefuse:
		return m.Times >= 0 && m.Times <= 4
	case movePass:
		return m.MS > 0 && (m.MS < day || m.MS == day && s.days < mostDays)
	}
	return false
}

// After returns the scene that m leads to.
func (s nodeScene) After(m nodeMove) nodeScene {
	s.left--
	switch {
	case m.Op == moveFinish:
		s.ended = true
	case m.Op == movePass && m.MS == day:
		s.days++
	}
	return s
}

// Draw returns a move that makes sense in s; the last one of a sequence is the end.
func (s nodeScene) Draw(r *rand.Rand) nodeMove {
	if s.left == 1 {
		return nodeMove{Op: moveFinish}
	}
	for {
		if m := drawNodeMove(r); s.Allows(m) {
			return m
		}
	}
}

// drawNodeMove returns a random move, which need not make sense.
func drawNodeMove(r *rand.Rand) nodeMove {
	obj, verb := r.Intn(nodeSlots), []string{"send", "send", "req"}[r.Intn(3)]
	switch n := r.Intn(100); {
	case n < 14:
		return nodeMove{Op: moveCall, Obj: obj, Verb: verb}
	case n < 28:
		return nodeMove{Op: moveQueue, Obj: obj, Verb: verb}
	case n < 46:
		return nodeMove{Op: moveHear, Count: 1 + r.Intn(4)}
	case n < 60:
		return nodeMove{Op: moveTell, Count: 1 + r.Intn(4)}
	case n < 70:
		return nodeMove{Op: moveWork}
	case n < 78:
		return nodeMove{Op: []string{moveLose, moveTwice, moveSwap}[r.Intn(3)], Back: r.Intn(2) == 0}
	case n < 83:
		return nodeMove{Op: moveEarly, Obj: obj, Count: 1 + r.Intn(2)}
	case n < 88:
		return nodeMove{Op: moveConnect}
	case n < 90:
		return nodeMove{Op: moveDrop}
	case n < 94:
		return nodeMove{Op: moveDie}
	case n < 97:
		return nodeMove{Op: moveRefuse, Count: r.Intn(3), Times: r.Intn(4)}
	}
	return nodeMove{Op: movePass, MS: []int64{1_000, 10_000, 30_001, 61_000, day}[r.Intn(5)]}
}
