package databustest

import (
	"fmt"
	"math/rand"
)

// What a move of a generated history does.
const (
	moveWant    = "want"    // a tab subscribes a topic, or no longer does
	movePublish = "publish" // the application of a tab publishes
	moveServer  = "server"  // the server does
	moveDeliver = "deliver" // a frame arrives, the first of its sender and receiver
	moveLose    = "lose"    // it is lost
	moveDrain   = "drain"   // all arrive
	movePass    = "pass"    // time passes
	moveHide    = "hide"    // a page goes away, or comes back
	moveLook    = "look"    // it becomes hidden, or visible
	moveFreeze  = "freeze"  // it sleeps, or wakes
	moveCrash   = "crash"   // it crashes, and another is opened in its place
	moveBreak   = "break"   // its transport fails
	moveRefuse  = "refuse"  // the storage refuses its next writes
	moveSync    = "sync"    // a tab sees the next writes of others
	moveFinish  = "finish"  // all faults end, and time settles what they have left
)

const (
	moveTabs   = 3
	moveTopics = 2
)

// A tabMove is one command of a generated history: a plain value, chosen before anything is played, so that a history can be shrunk, saved
// and played again.
type tabMove struct {
	Op    string `json:"op"`
	Tab   int    `json:"tab,omitempty"`   // from 0
	Topic int    `json:"topic,omitempty"` // from 0
	Pick  int    `json:"pick,omitempty"`  // which of the frames that can arrive, from the oldest; of refuse: how many writes; of sync: as well, 0: all
	MS    int64  `json:"ms,omitempty"`
}

// String says the move in a few words.
func (m tabMove) String() string {
	switch m.Op {
	case moveWant, movePublish:
		return fmt.Sprintf("%s: %s topic %d", tabName(m.Tab), m.Op, m.Topic)
	case moveServer:
		return fmt.Sprintf("the server publishes topic %d", m.Topic)
	case moveDeliver, moveLose:
		return fmt.Sprintf("%s frame %d", m.Op, m.Pick)
	case movePass:
		return fmt.Sprintf("%d ms pass", m.MS)
	case moveHide, moveLook, moveFreeze, moveCrash, moveBreak:
		return tabName(m.Tab) + ": " + m.Op
	case moveRefuse:
		return fmt.Sprintf("%s: the storage refuses %d writes", tabName(m.Tab), m.Pick)
	case moveSync:
		if m.Pick > 0 {
			return fmt.Sprintf("%s: sees %d writes of others", tabName(m.Tab), m.Pick)
		}
		return tabName(m.Tab) + ": sees all writes"
	}
	return m.Op
}

// tabName is that of a tab of a history.
func tabName(tab int) string { return string(rune('A' + tab)) }

// Simpler returns moves that do less.
func (m tabMove) Simpler() []tabMove {
	if m.Pick > 0 && (m.Op != moveRefuse || m.Pick > 1) {
		less := m
		less.Pick--
		return []tabMove{less}
	}
	return nil
}

// A tabScene is what a history has come to, as far as it can be known before it is played. It is a value.
type tabScene struct {
	Faults bool // frames are late or lost, tabs sleep, storage refuses; otherwise each frame arrives at once
	Late   bool // a task is flushed when its tab does something again
	Lags   bool // a tab sees what others write when it is shown that, in the order in which it was written
	left   int  // moves still to come
	away   [moveTabs]bool
	asleep [moveTabs]bool
	ended  bool
}

// String tells what may happen.
func (s tabScene) String() string {
	switch {
	case s.Late:
		return "three tabs with every fault, whose writes come late"
	case s.Lags:
		return "three tabs with every fault, whose views stay behind"
	case s.Faults:
		return "three tabs with every fault"
	}
	return "three tabs whose frames arrive at once"
}

// Allows reports whether m makes sense.
func (s tabScene) Allows(m tabMove) bool {
	if s.ended || m.Tab < 0 || m.Tab >= moveTabs || m.Topic < 0 || m.Topic >= moveTopics || m.Pick < 0 || m.Pick > 8 {
		return false
	}
	switch m.Op {
	case moveWant, movePublish, moveCrash, moveLook, moveBreak:
		return !s.asleep[m.Tab] && (!s.away[m.Tab] || m.Op == moveWant || m.Op == moveCrash)
	case moveHide:
		return !s.asleep[m.Tab]
	case moveServer, moveFinish:
		return true
	case movePass:
		return m.MS > 0 && m.MS <= 2*ttl
	case moveDeliver, moveLose, moveDrain:
		return s.Faults
	case moveFreeze:
		return s.Faults && !s.away[m.Tab]
	case moveRefuse:
		return s.Faults && m.Pick > 0 && !s.asleep[m.Tab]
	case moveSync:
		return s.Lags
	}
	return false
}

// After returns the scene that m leads to.
func (s tabScene) After(m tabMove) tabScene {
	s.left--
	switch m.Op {
	case moveHide:
		s.away[m.Tab] = !s.away[m.Tab]
	case moveFreeze:
		s.asleep[m.Tab] = !s.asleep[m.Tab]
	case moveCrash:
		s.away[m.Tab] = false
	case moveFinish:
		s.ended = true
	}
	return s
}

// Draw returns a move that makes sense in s; the last one of a history is the end.
func (s tabScene) Draw(r *rand.Rand) tabMove {
	if s.left == 1 {
		return tabMove{Op: moveFinish}
	}
	if s.Lags && r.Intn(6) == 0 {
		return tabMove{Op: moveSync, Tab: r.Intn(moveTabs), Pick: r.Intn(4)}
	}
	for {
		if m := drawTabMove(r); s.Allows(m) {
			return m
		}
	}
}

// drawTabMove returns a random move, which need not make sense.
func drawTabMove(r *rand.Rand) tabMove {
	tab, topic := r.Intn(moveTabs), r.Intn(moveTopics)
	switch n := r.Intn(100); {
	case n < 25:
		return tabMove{Op: moveWant, Tab: tab, Topic: topic}
	case n < 29:
		return tabMove{Op: movePublish, Tab: tab, Topic: topic}
	case n < 36:
		return tabMove{Op: moveServer, Topic: topic}
	case n < 56:
		return tabMove{Op: moveDeliver, Pick: r.Intn(4)}
	case n < 60:
		return tabMove{Op: moveLose, Pick: r.Intn(4)}
	case n < 65:
		return tabMove{Op: moveDrain}
	case n < 77:
		return tabMove{Op: movePass, MS: []int64{1, 50, 1000, heartbeat, heartbeat, ttl, ttl + 1}[r.Intn(7)]}
	case n < 84:
		return tabMove{Op: moveHide, Tab: tab}
	case n < 87:
		return tabMove{Op: moveLook, Tab: tab}
	case n < 91:
		return tabMove{Op: moveFreeze, Tab: tab}
	case n < 94:
		return tabMove{Op: moveCrash, Tab: tab}
	case n < 97:
		return tabMove{Op: moveBreak, Tab: tab}
	}
	return tabMove{Op: moveRefuse, Tab: tab, Pick: 1 + r.Intn(3)}
}
