package databusmodel

import (
	"fmt"
	"iter"
)

// An Op is what is done in one action.
type Op uint8

// The actions. Those up to OpLeave are fair: while they stay possible they are taken sooner or later. Each of the rest spends a budget.
const (
	// OpDeliver lets Tab process the oldest frame from Peer.
	OpDeliver Op = iota
	// OpFlush stores what Tab has pending. DATABUS-BATCH-001
	OpFlush
	// OpSync shows Tab the oldest write of others that it has not seen yet. DATABUS-ROUTE-001
	OpSync
	// OpLook has Tab look again at the routes of what it refused, once it sees more or all: Rules.LookAgain
	OpLook
	// OpRetry is the timer of a flush that failed, once storage takes writes again. DATABUS-BATCH-003
	OpRetry
	// OpBeat is the heartbeat of Tab, which is due. DATABUS-HEARTBEAT-001
	OpBeat
	// OpTime moves the clock to the next mark; nothing is under way then but to those that sleep.
	OpTime
	// OpReceive hands the publication from the transport of Tab to its bus.
	OpReceive
	// OpThaw ends a freeze.
	OpThaw
	// OpLeave is the second half of a leave, in scopes where that is two steps.
	OpLeave
	// OpSubscribe and OpUnsubscribe are calls of the application.
	OpSubscribe
	OpUnsubscribe
	// OpHide is pagehide and OpShow pageshow. DATABUS-HANDOFF-001, DATABUS-LIFECYCLE-004
	OpHide
	OpShow
	// OpCrash ends a tab with all that it has in memory; OpOpen starts a worker that was not there.
	OpCrash
	OpOpen
	OpFreeze
	// OpLose loses the oldest frame from Peer to Tab.
	OpLose
	// OpRefuse lets storage refuse the writes of Tab until its timer.
	OpRefuse
	// OpVisibility turns the visibility of the page of Tab.
	OpVisibility
	// OpPublish is a publication of the server, which is under way to every transport that is subscribed.
	OpPublish
)

func (op Op) String() string {
	return name(op, "deliver", "flush", "sync", "look", "retry", "beat", "time", "receive", "thaw", "leave", "subscribe", "unsubscribe", "hide", "show",
		"crash", "open", "freeze", "lose", "refuse", "visibility", "publish")
}

// An Action is one action.
type Action struct {
	Op    Op
	Tab   uint8
	Peer  uint8 // the sender, of OpDeliver and OpLose
	Topic uint8 // of OpSubscribe and OpUnsubscribe
}

// String returns the action in words.
func (a Action) String() string {
	switch a.Op {
	case OpTime, OpPublish:
		return a.Op.String()
	case OpDeliver, OpLose:
		return fmt.Sprintf("%v %s from %s", a.Op, tabName(a.Tab), tabName(a.Peer))
	case OpSubscribe, OpUnsubscribe:
		return fmt.Sprintf("%v %s %s", a.Op, tabName(a.Tab), topicName(a.Topic))
	}
	return fmt.Sprintf("%v %s", a.Op, tabName(a.Tab))
}

// Fair says that the action is taken sooner or later while it stays possible.
func (a Action) Fair() bool { return a.Op <= OpLeave }

func tabName(t uint8) string   { return string(rune('A' + t)) }
func topicName(x uint8) string { return string(rune('x' + x)) }

// repertoire returns every action that the configuration has room for.
func (m *Cluster) repertoire() []Action {
	c, b := &m.cfg, &m.cfg.Budgets
	var out []Action
	each := func(op Op, budget, who uint8) {
		for t := range c.Tabs {
			if budget > 0 && (who == 0 || who&bit(t) != 0) {
				out = append(out, Action{Op: op, Tab: t})
			}
		}
	}
	pairs := func(op Op) {
		for t := range c.Tabs {
			for p := range c.Tabs {
				if p != t {
					out = append(out, Action{Op: op, Tab: t, Peer: p})
				}
			}
		}
	}
	for t := range c.Tabs {
		for x := range c.Topics {
			if b.User > 0 && (c.Users == 0 || c.Users&bit(t) != 0) && (c.Wanted == 0 || c.Wanted&bit(x) != 0) {
				out = append(out, Action{Op: OpSubscribe, Tab: t, Topic: x})
				if c.Stay&bit(t) == 0 {
					out = append(out, Action{Op: OpUnsubscribe, Tab: t, Topic: x})
				}
			}
		}
	}
	pairs(OpDeliver)
	each(OpFlush, flags(c.Late), 0)
	each(OpSync, c.Lag, 0)
	each(OpLook, flags(c.Rules.LookAgain), 0)
	each(OpRetry, b.Fail, c.Failers)
	each(OpBeat, flags(c.Clock), 0)
	if c.Clock {
		out = append(out, Action{Op: OpTime})
	}
	each(OpReceive, b.Publish, 0)
	each(OpThaw, b.Freeze, c.Freezers)
	each(OpLeave, b.Hide*flags(c.Split), c.Hiders)
	each(OpHide, b.Hide, c.Hiders)
	each(OpShow, b.Show, c.Hiders)
	each(OpCrash, b.Crash, c.Crashers)
	each(OpOpen, b.Open, 0)
	each(OpFreeze, b.Freeze, c.Freezers)
	if b.Loss > 0 {
		pairs(OpLose)
	}
	each(OpRefuse, b.Fail, c.Failers)
	each(OpVisibility, b.Visibility, 0)
	if b.Publish > 0 {
		out = append(out, Action{Op: OpPublish})
	}
	return out
}

// Init returns the state after the setup.
func (m *Cluster) Init() State { return m.start }

// Actions yields the actions that are possible in s.
func (m *Cluster) Actions(s State) iter.Seq[Action] {
	return func(yield func(Action) bool) {
		for _, a := range m.actions {
			if m.possible(&s, a) && !yield(a) {
				return
			}
		}
	}
}

// Step yields the one outcome of a possible action.
func (m *Cluster) Step(s State, a Action) iter.Seq2[State, Outcome] {
	return func(yield func(State, Outcome) bool) {
		if next, o, ok := m.do(s, a); ok {
			yield(next, o)
		}
	}
}

// Expand yields what Actions and Step yield.
func (m *Cluster) Expand(s State, yield func(Action, State, Outcome) bool) {
	for _, a := range m.actions {
		if next, o, ok := m.do(s, a); ok && !yield(a, next, o) {
			return
		}
	}
}
