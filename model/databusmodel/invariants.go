package databusmodel

import (
	"errors"
	"fmt"

	"github.com/seed-6f28358b/assay/model"
)

// Invariants returns the laws about states; in a scope with a race, that it does not happen.
func (m *Cluster) Invariants() []model.Invariant[State] {
	if m.cfg.Race != "" {
		return m.raceStates()
	}
	return []model.Invariant[State]{
		{Law: "DATABUS-INV-001", Title: "records are well-formed, and a load is the number of assignments", Holds: m.wellFormed},
		{Law: "DATABUS-INV-003", Title: "each handler is called at most once for an acceptance", Holds: m.onceEach},
		{Law: "DATABUS-INV-004", Title: "no two owners once all is delivered, flushed and reconciled", Holds: m.oneOwner},
		{Law: "DATABUS-INV-005", Title: "a graceful handoff does not overlap", Holds: m.noOverlap},
		{Law: "DATABUS-LIVE-001", Title: "served again 13 s after the last heartbeat of a crashed owner", Holds: m.takenOver},
		{Law: "DATABUS-LIVE-003", Title: "a lost frame costs one heartbeat", Holds: m.compensated},
		{Law: "DATABUS-LIVE-004", Title: "what nobody wants is gone 16 s later, records of the dead after 13", Holds: m.cleaned},
	}
}

// EdgeInvariants returns the laws about steps.
func (m *Cluster) EdgeInvariants() []model.EdgeInvariant[State, Action, Outcome] {
	if m.cfg.Race != "" {
		return m.raceEdges()
	}
	return []model.EdgeInvariant[State, Action, Outcome]{
		{Law: "DATABUS-INV-002", Title: "handlers are called only where wanted, with what an owner accepted", Check: m.rightfulCalls},
		{Law: "DATABUS-INV-006", Title: "only the application changes what is wanted", Check: m.intentKept},
		{Law: "DATABUS-INV-006", Title: "a reconcile leaves a subscriber record for all that is wanted", Check: m.intentStored},
		{Law: "DATABUS-INV-007", Title: "a reconcile leaves no assignment without a route that names the worker", Check: m.assignmentsNamed},
		{Law: "DATABUS-HANDOFF-003", Title: "the old owner has let go when ROUTE_RELEASED is accepted", Check: m.letGoFirst},
		{Law: "DATABUS-LIVE-004", Title: "a reconcile leaves no subscriber record of a tab without a worker", Check: m.orphansGone},
	}
}

func (m *Cluster) wellFormed(s State) error {
	for x, r := range s.store.routes[:m.cfg.Topics] {
		if r.there && (r.gen < 1 || r.owner >= m.cfg.Tabs) {
			return fmt.Errorf("the route of %s is %v", topicName(uint8(x)), r)
		}
	}
	for i := range m.cfg.Tabs {
		t := &s.tabs[i]
		if t.phase != running {
			continue
		}
		rec := t.record()
		if t.pend.worker[i] == set {
			rec = t.pend.rec
		} else if s.store.workers[i].there {
			rec = s.store.workers[i]
		}
		if n := count(t.asg); rec.load != n || t.load != n {
			return fmt.Errorf("%s has %d assignments, and says %d", tabName(i), n, rec.load)
		}
	}
	return nil
}

func (m *Cluster) onceEach(s State) error {
	for by := range m.cfg.Tabs {
		for t := range m.cfg.Tabs {
			if n := s.pub.calls[by][t]; n > 1 {
				return fmt.Errorf("%s called its handlers %d times with what %s accepted", tabName(t), n, tabName(by))
			}
		}
	}
	return nil
}

func (m *Cluster) oneOwner(s State) error {
	for x := range m.cfg.Topics {
		if !m.quiet(&s) || !m.double(&s, x) {
			continue
		}
		if end := m.later(s, 1); m.double(&end, x) {
			return fmt.Errorf("two workers hold %s although each has reconciled: %v", topicName(x), end)
		}
	}
	return nil
}

// graceful says that no owner changes but by a handoff. Where a leave is two steps, a target that leaves between them is taken for dead,
// and its successor does not wait for the old owner: that is another change.
func (m *Cluster) graceful() bool {
	b := &m.cfg.Budgets
	return (b.Hide < 2 || !m.cfg.Split) && b.User == 0 && b.Crash == 0 && b.Freeze == 0 && b.Fail == 0 && b.Open == 0 &&
		m.cfg.TabIDs == [maxTabs]uint8{0, 1, 2}
}

func (m *Cluster) noOverlap(s State) error {
	if !m.graceful() {
		return nil
	}
	for x := range m.cfg.Topics {
		var srv uint8
		for i := range m.cfg.Tabs {
			srv |= s.tabs[i].srv >> x & 1 << i
		}
		if count(srv) > 1 {
			return fmt.Errorf("the transports of %s hold %s at once", tabSet(srv), topicName(x))
		}
	}
	return nil
}

func (m *Cluster) lost(s *State) uint8 { return m.cfg.Budgets.Loss - s.left.Loss }

func (m *Cluster) takenOver(s State) error {
	if m.cfg.Budgets.Crash == 0 {
		return nil
	}
	return m.within(&s, true, heartbeat+ttl+heartbeat*m.lost(&s))
}

func (m *Cluster) compensated(s State) error {
	if m.cfg.Budgets.Crash > 0 {
		return nil
	}
	return m.within(&s, true, heartbeat*m.lost(&s))
}

func (m *Cluster) cleaned(s State) error {
	for w := range m.cfg.Tabs {
		if r := s.store.workers[w]; r.there && r.age > heartbeat+ttl && s.tabs[w].phase != running && m.awake(&s) != 0 {
			return fmt.Errorf("the record of %s is there %d s after its last heartbeat", tabName(w), r.age)
		}
	}
	return m.within(&s, false, heartbeat+ttl+heartbeat*(1+m.lost(&s)))
}

// within says that no topic that is wanted, or not wanted, has been wrong for longer.
func (m *Cluster) within(s *State, wanted bool, seconds uint8) error {
	for x := range m.cfg.Topics {
		if m.wanted(s, x) == wanted && s.idle[x] > seconds {
			return fmt.Errorf("%s is not as it should be for %d s, want at most %d", topicName(x), s.idle[x], seconds)
		}
	}
	return nil
}

func (m *Cluster) rightfulCalls(_ State, _ Action, _ State, o Outcome) error {
	for _, e := range o.Effects() {
		if e.Kind == EffectDispatch && e.Odd {
			return fmt.Errorf("%v", e)
		}
	}
	return nil
}

func (m *Cluster) intentKept(before State, a Action, after State, _ Outcome) error {
	for i := range m.cfg.Tabs {
		want := before.tabs[i].sub
		if i == a.Tab {
			switch a.Op {
			case OpSubscribe:
				want |= bit(a.Topic)
			case OpUnsubscribe:
				want &^= bit(a.Topic)
			case OpCrash, OpOpen:
				want = 0
			}
		}
		if got := after.tabs[i].sub; got != want {
			return fmt.Errorf("%s wants %s, its application %s", tabName(i), topicSet(got), topicSet(want))
		}
	}
	return nil
}

// reconciles says that the action is, or ends with, a reconcile of its tab.
func (m *Cluster) reconciles(before *State, a Action) bool {
	switch a.Op {
	case OpBeat, OpShow, OpVisibility:
		return true
	case OpDeliver:
		return before.wire[a.Peer][a.Tab].frames[0].kind == FrameRegistry
	}
	return false
}

func (m *Cluster) intentStored(before State, a Action, after State, _ Outcome) error {
	if !m.reconciles(&before, a) {
		return nil
	}
	k := m.task(&after, &Outcome{}, a.Tab)
	for x := range m.cfg.Topics {
		if k.tab.sub&bit(x) != 0 && k.subscribers(x)&bit(k.tabID(a.Tab)) == 0 {
			return fmt.Errorf("%s wants %s and has no record", tabName(a.Tab), topicName(x))
		}
	}
	return nil
}

func (m *Cluster) assignmentsNamed(before State, a Action, after State, _ Outcome) error {
	if !m.reconciles(&before, a) {
		return nil
	}
	k := m.task(&after, &Outcome{}, a.Tab)
	for x := range m.cfg.Topics {
		if r := k.route(x); k.tab.asg&bit(x) != 0 && (!r.there || r.owner != a.Tab) {
			return errors.New(tabName(a.Tab) + " is assigned " + topicName(x) + ", and its route is " + r.String())
		}
	}
	return nil
}

// orphansGone: every worker reconciles with each heartbeat, so that records are gone 13 s after the last one of a tab that crashed.
// DATABUS-GC-001
func (m *Cluster) orphansGone(before State, a Action, after State, _ Outcome) error {
	if !m.reconciles(&before, a) {
		return nil
	}
	k := m.task(&after, &Outcome{}, a.Tab)
	var tabs uint8
	for w := range m.cfg.Tabs {
		if k.worker(w).there {
			tabs |= bit(k.tabID(w))
		}
	}
	for x := range m.cfg.Topics {
		if orphans := k.subscribers(x) &^ tabs; orphans != 0 {
			return fmt.Errorf("%s leaves records of %s for %s", tabName(a.Tab), tabSet(orphans), topicName(x))
		}
	}
	return nil
}

// letGoFirst: a stale frame must not be taken for the one that is still to come. An old owner that has come back in another life, and owns
// the topic again by an election, has nothing more to let go.
func (m *Cluster) letGoFirst(before State, a Action, _ State, o Outcome) error {
	k, old := m.task(&before, &Outcome{}, a.Tab), &before.tabs[a.Peer]
	for _, e := range o.Effects() {
		if e.Kind == EffectAccept && old.srv&bit(e.Topic) != 0 && k.route(e.Topic).fromLife == old.life {
			return fmt.Errorf("%v while the transport of %s is subscribed", e, tabName(a.Peer))
		}
	}
	return nil
}
