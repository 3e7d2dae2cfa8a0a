package databusmodel

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// A Race is a law of the group RACE: something that the protocol lets happen. Exactly one of its two functions says whether it has.
type Race struct {
	Law, Title string

	state func(m *Cluster, s *State) bool
	edge  func(m *Cluster, before *State, a Action, after *State, o Outcome) bool
}

// Races returns all of them.
func Races() []Race {
	return []Race{
		{Law: "DATABUS-RACE-001", Title: "an old UNSUBSCRIBE silences a confirmed route for ever", state: (*Cluster).stranded},
		{Law: "DATABUS-RACE-002", Title: "two transports hold one topic until an UNSUBSCRIBE arrives", state: (*Cluster).doubled},
		{Law: "DATABUS-RACE-003", Title: "two elections at once, and every tab is called twice", state: (*Cluster).calledTwice},
		{Law: "DATABUS-RACE-004", Title: "a late confirmation brings a deleted route back", state: (*Cluster).revivedSilent},
		{Law: "DATABUS-RACE-005", Title: "a lost ROUTE_RELEASED leaves the handoff pending for ever", state: (*Cluster).handoffStuck},
		{Law: "DATABUS-RACE-006", Title: "the target hides before ROUTE_RELEASED arrives", state: (*Cluster).handoffStuck},
		{Law: "DATABUS-RACE-007", Title: "a channel that loses what is posted before it closes", state: (*Cluster).handoffStuck},
		{Law: "DATABUS-RACE-008", Title: "ROUTE_RELEASED of an old round is accepted", edge: oddEdge(EffectAccept)},
		{Law: "DATABUS-RACE-009", Title: "a SUBSCRIBE outruns its route, and is undone", edge: oddEdge(EffectDrop)},
		{Law: "DATABUS-RACE-010", Title: "an owner that was stalled fans out beside its successor", state: (*Cluster).calledTwice},
		{Law: "DATABUS-RACE-011", Title: "a publication dies with the owner that had it", state: (*Cluster).lostPublication},
		{Law: "DATABUS-RACE-012", Title: "a tab of the same id takes a subscriber record away", state: (*Cluster).robbed},
		{Law: "DATABUS-RACE-013", Title: "a reloaded tab keeps records alive that nobody wants", state: (*Cluster).leaked},
		{Law: "DATABUS-RACE-014", Title: "a handoff is stored after its acknowledgement is spent", state: (*Cluster).handoffStuck},
		{Law: "DATABUS-RACE-015", Title: "a retried write takes a generation back", edge: (*Cluster).overwrites},
		{Law: "DATABUS-RACE-016", Title: "a topic is handed to a worker that is dead", edge: (*Cluster).handsToDead},
		{Law: "DATABUS-RACE-017", Title: "a cleanup deletes the route of a new subscriber", edge: oddEdge(EffectErase)},
		{Law: "DATABUS-RACE-018", Title: "two workers that took each other for dead elect without end", state: (*Cluster).endless},
	}
}

func raceOf(law string) (Race, bool) {
	races := Races()
	i := slices.IndexFunc(races, func(r Race) bool { return r.Law == law })
	if i < 0 {
		return Race{}, false
	}
	return races[i], true
}

func (m *Cluster) raceStates() []model.Invariant[State] {
	r, _ := raceOf(m.cfg.Race)
	if r.state == nil {
		return nil
	}
	return []model.Invariant[State]{{Law: r.Law, Title: r.Title, Holds: func(s State) error {
		if r.state(m, &s) {
			return errRace
		}
		return nil
	}}}
}

func (m *Cluster) raceEdges() []model.EdgeInvariant[State, Action, Outcome] {
	r, _ := raceOf(m.cfg.Race)
	if r.edge == nil {
		return nil
	}
	check := func(before State, a Action, after State, o Outcome) error {
		if r.edge(m, &before, a, &after, o) {
			return errRace
		}
		return nil
	}
	return []model.EdgeInvariant[State, Action, Outcome]{{Law: r.Law, Title: r.Title, Check: check}}
}

var errRace = fmt.Errorf("the race has happened")

// anyTopic says that one of the topics is so.
func (m *Cluster) anyTopic(so func(x uint8) bool) bool {
	for x := range m.cfg.Topics {
		if so(x) {
			return true
		}
	}
	return false
}

// stranded: the route is confirmed, its owner runs and is not assigned. DATABUS-CONFIRM-003
func (m *Cluster) stranded(s *State) bool {
	return m.anyTopic(func(x uint8) bool {
		r := s.store.routes[x]
		return r.there && r.confirmed && s.tabs[r.owner].awake() && s.tabs[r.owner].asg&bit(x) == 0 && m.silent(s, x)
	})
}

func (m *Cluster) revivedSilent(s *State) bool {
	return m.anyTopic(func(x uint8) bool { return s.revived&bit(x) != 0 && m.silent(s, x) })
}

// handoffStuck: a handoff is pending, and stays so. DATABUS-HANDOFF-008
func (m *Cluster) handoffStuck(s *State) bool {
	return m.anyTopic(func(x uint8) bool {
		r := s.store.routes[x]
		return r.there && r.from > 0 && !r.confirmed && m.silent(s, x)
	})
}

func (m *Cluster) doubled(s *State) bool {
	return m.anyTopic(func(x uint8) bool { return m.double(s, x) })
}

// calledTwice: each tab that wants it was called twice with one publication, once by each of two owners.
func (m *Cluster) calledTwice(s *State) bool {
	if count(s.pub.accepted) < 2 {
		return false
	}
	for t := range m.cfg.Tabs {
		n := uint8(0)
		for by := range m.cfg.Tabs {
			n += s.pub.calls[by][t]
		}
		if s.tabs[t].sub&1 != 0 && n < 2 {
			return false
		}
	}
	return true
}

// lostPublication: the server has made it and no transport has it any more, and a tab that wanted it was not called.
func (m *Cluster) lostPublication(s *State) bool {
	if s.pub.sent == 0 || s.pub.inbox != 0 || s.pub.accepted != 0 {
		return false
	}
	for t := range m.cfg.Tabs {
		if s.pub.wanted&bit(t) != 0 && s.tabs[t].awake() {
			return true
		}
	}
	return false
}

// robbed: a tab wants the topic, and neither its record nor a route is there.
func (m *Cluster) robbed(s *State) bool {
	return m.anyTopic(func(x uint8) bool {
		return m.quiet(s) && m.wanted(s, x) && !s.store.routes[x].there && s.store.subs[x] == 0 && !m.served(s, x)
	})
}

// leaked: nobody wants the topic, and its route and the duty of its owner stay.
func (m *Cluster) leaked(s *State) bool {
	return m.anyTopic(func(x uint8) bool {
		if !m.quiet(s) || m.wanted(s, x) || !s.store.routes[x].there || !m.served(s, x) {
			return false
		}
		end := m.later(*s, forever)
		return end.store.routes[x].there && m.served(&end, x)
	})
}

// endless: two workers run and neither has a record, and what is under way leads to more without end while no time passes.
func (m *Cluster) endless(s *State) bool {
	missing := 0
	for t := range m.cfg.Tabs {
		if s.tabs[t].ready() && !s.store.workers[t].there {
			missing++
		}
	}
	if missing < 2 {
		return false
	}
	end := m.calm(*s)
	return !m.quiet(&end)
}

// overwrites: a retry stores a route over one of a later generation, and two transports hold the topic.
func (m *Cluster) overwrites(before *State, a Action, after *State, o Outcome) bool {
	return a.Op == OpRetry && oddEdge(EffectStore)(m, before, a, after, o) && before.store.routes[0].confirmed
}

// handsToDead: a handoff goes to a worker that has crashed. DATABUS-RACE-016
func (m *Cluster) handsToDead(_ *State, _ Action, after *State, o Outcome) bool {
	return slices.ContainsFunc(o.Effects(), func(e Effect) bool { return e.Kind == EffectHandoff && after.tabs[e.To].phase == closed })
}

// oddEdge is a step with an odd effect of that kind.
func oddEdge(kind EffectKind) func(*Cluster, *State, Action, *State, Outcome) bool {
	return func(_ *Cluster, _ *State, _ Action, _ *State, o Outcome) bool {
		return slices.ContainsFunc(o.Effects(), func(e Effect) bool { return e.Kind == kind && e.Odd })
	}
}
