package substratetest

import (
	"fmt"
	"math/rand"

	"github.com/seed-6f28358b/assay/conformance"
)

// moveRefuseIt is what an application does that rejects an open and fails a req.
const moveRefuseIt = "refuse-it"

// A pairMove is one command of a generated run of two nodes.
type pairMove struct {
	Op    string `json:"op"`
	Side  int    `json:"side,omitempty"`
	Obj   int    `json:"obj,omitempty"`
	Verb  string `json:"verb,omitempty"`
	Count int    `json:"count,omitempty"`
	MS    int64  `json:"ms,omitempty"`
}

// String says the move in a few words.
func (m pairMove) String() string {
	side := [2]string{"left", "right"}[m.Side&1]
	switch m.Op {
	case moveCall:
		return fmt.Sprintf("%s: %s on object %d", side, m.Verb, m.Obj)
	case moveHear:
		return fmt.Sprintf("%s hears %d", side, m.Count)
	case moveWork, moveRefuseIt, moveDie, moveLose, moveTwice, moveSwap:
		return side + ": " + m.Op
	case movePass:
		return fmt.Sprintf("%d ms pass", m.MS)
	}
	return m.Op
}

// Simpler returns moves that do less.
func (m pairMove) Simpler() []pairMove {
	if m.Count > 1 {
		m.Count--
		return []pairMove{m}
	}
	return nil
}

// A pairScene is what a sequence of moves has come to. It is a value.
type pairScene struct {
	Dies  bool
	left  int
	ended bool
}

// String tells what may happen.
func (s pairScene) String() string {
	if s.Dies {
		return "two nodes that may die"
	}
	return "two nodes"
}

// Allows reports whether m makes sense.
func (s pairScene) Allows(m pairMove) bool {
	if s.ended || m.Side < 0 || m.Side > 1 || m.Obj < 0 || m.Obj >= nodeSlots || m.Count < 0 || m.Count > 8 {
		return false
	}
	switch m.Op {
	case moveCall:
		return m.Verb == "open" || m.Verb == "send" || m.Verb == "req" || m.Verb == "close"
	case moveHear:
		return m.Count >= 1
	case moveWork, moveRefuseIt, moveLose, moveTwice, moveSwap, moveDrop, moveConnect, moveFinish:
		return true
	case moveDie:
		return s.Dies
	case movePass:
		return m.MS > 0 && m.MS < day
	}
	return false
}

// After returns the scene that m leads to.
func (s pairScene) After(m pairMove) pairScene {
	s.left--
	s.ended = m.Op == moveFinish
	return s
}

// Draw returns a move that makes sense in s; the last one of a sequence is the end.
func (s pairScene) Draw(r *rand.Rand) pairMove {
	if s.left == 1 {
		return pairMove{Op: moveFinish}
	}
	for {
		if m := drawPairMove(r); s.Allows(m) {
			return m
		}
	}
}

// drawPairMove returns a random move, which need not make sense.
func drawPairMove(r *rand.Rand) pairMove {
	m := pairMove{Side: r.Intn(2)}
	switch n := r.Intn(100); {
	case n < 40:
		// One of the names is fought over.
		m.Op, m.Obj, m.Verb = moveCall, r.Intn(4)/3, []string{"open", "open", "open", "send", "req", "close", "close"}[r.Intn(7)]
	case n < 72:
		m.Op, m.Count = moveHear, 1+r.Intn(3)
	case n < 84:
		m.Op = moveWork
	case n < 88:
		m.Op = moveRefuseIt
	case n < 90:
		m.Op = []string{moveLose, moveTwice, moveSwap}[r.Intn(3)]
	case n < 92:
		m.Op = moveConnect
	case n < 94:
		m.Op = moveDrop
	case n < 97:
		m.Op = moveDie
	default:
		m.Op, m.MS = movePass, []int64{1_000, 10_000, 30_001, 61_000}[r.Intn(4)]
	}
	return m
}

// Play plays one move. One for which there is nothing at hand does nothing.
func (r *pairRun) Play(m pairMove) *conformance.Break {
	s := r.sides[m.Side]
	switch m.Op {
	case moveCall:
		r.call(m.Side, m.Verb, r.objs[m.Obj])
	case moveHear:
		for range m.Count {
			if len(s.wire) > 0 {
				r.hear(m.Side)
			}
		}
	case moveWork, moveRefuseIt:
		if len(s.given) > 0 {
			r.work(m.Side, m.Op == moveRefuseIt)
		}
	case moveLose, moveTwice, moveSwap:
		s.wire = onTheWay(m.Op, s.wire)
	case moveDrop:
		r.disconnect()
	case moveConnect:
		r.connect()
	case moveDie:
		r.die(m.Side)
	case movePass:
		for i, s := range r.sides {
			r.absorb(i, s.Advance(m.MS))
		}
	case moveFinish:
		r.quiet()
		r.finish()
	}
	return r.broke
}

// onTheWay is what happens to the first of the frames that are under way.
func onTheWay(op string, q []*frame) []*frame {
	switch {
	case len(q) == 0:
	case op == moveLose:
		return q[1:]
	case op == moveTwice:
		return append(q, q[0])
	case op == moveSwap && len(q) > 1:
		q[0], q[1] = q[1], q[0]
	}
	return q
}
