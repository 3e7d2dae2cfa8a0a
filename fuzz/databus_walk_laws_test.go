package fuzz

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// A ledger is what the applications of a walk have asked for, and which owners have accepted a publication.
type ledger struct {
	wants    map[string]map[string]bool // topics by tab
	accepted map[string]bool            // tabs
}

func newLedger(done []string) ledger {
	l := ledger{map[string]map[string]bool{}, map[string]bool{}}
	for _, do := range done {
		l.note(do)
	}
	return l
}

// note takes down what a step asks for.
func (l *ledger) note(do string) {
	words := strings.Fields(do)
	switch words[0] {
	case "subscribe":
		if l.wants[words[1]] == nil {
			l.wants[words[1]] = map[string]bool{}
		}
		l.wants[words[1]][words[2]] = true
	case "unsubscribe":
		delete(l.wants[words[1]], words[2])
	case "crash":
		delete(l.wants, words[1])
	}
}

// check holds what a step has led to against the laws that hold in every step, whatever the rules.
func (l *ledger) check(r *raceRig, do string, reconciles bool) error {
	l.note(do)
	if err := l.calls(r.seen); err != nil {
		return err
	}
	if err := wellFormed(r.disk); err != nil {
		return err
	}
	for _, t := range r.tabs {
		if t.phase == "closed" {
			continue
		}
		s := t.c.Snapshot()
		// DATABUS-INV-006, DATABUS-SUBSCRIBE-006
		want := slices.Sorted(maps.Keys(l.wants[t.name]))
		if got := slices.Sorted(slices.Values(s.Subscribed)); !slices.Equal(got, want) {
			return fmt.Errorf("DATABUS-INV-006: %s subscribes %v, its application %v", t.name, got, want)
		}
		// DATABUS-INV-001
		if s.Self.Load != len(s.Assigned) {
			return fmt.Errorf("DATABUS-INV-001: %s has %d assignments, and a load of %d", t.name, len(s.Assigned), s.Self.Load)
		}
	}
	if reconciles {
		return reconciled(r.tab(strings.Fields(do)[1]))
	}
	return nil
}

// calls holds each dispatch to what the application wants, and to what an owner accepted (DATABUS-INV-002).
func (l *ledger) calls(seen []string) error {
	for _, e := range seen {
		who, what, _ := strings.Cut(e, " ")
		if strings.HasPrefix(what, "accepts publication of ") {
			l.accepted[who] = true
		}
		if by, ok := strings.CutPrefix(what, "dispatches what "); ok {
			by = strings.TrimSuffix(by, " accepted")
			if !l.wants[who]["x"] || !l.accepted[by] {
				return fmt.Errorf("DATABUS-INV-002: %s, which wants %v, %s", who, l.wants[who], what)
			}
		}
	}
	return nil
}

// wellFormed reports a key or a record of the storage that is none (DATABUS-KEY-001, DATABUS-INV-001).
func wellFormed(disk map[string]string) error {
	for key, value := range disk {
		var err error
		switch k := raceKeys.Parse(key); k.Family {
		case record.WorkerFamily:
			var w record.Worker
			if w, err = record.DecodeWorker(value); err == nil && w.WorkerID != k.WorkerID {
				err = errors.New("of another worker")
			}
		case record.RouteFamily:
			var r record.Route
			if r, err = record.DecodeRoute(k.TopicKey, value); err == nil && r.Confirmed() && r.ConfirmedAt < r.UpdatedAt {
				err = errors.New("confirmed before it was assigned")
			}
		case record.SubscriberFamily:
			_, err = record.DecodeSubscriber(k, value)
		default:
			err = errors.New("of no family")
		}
		if err != nil {
			return fmt.Errorf("DATABUS-INV-001: %s holds %s: %w", key, value, err)
		}
	}
	return nil
}

// reconciles reports whether a step is, or ends with, a reconcile of its tab.
func (r *raceRig) reconciles(do string) bool {
	words := strings.Fields(do)
	switch words[0] {
	case "beat", "show", "visibility", "open":
		return true
	case "deliver":
		frames := r.wire[[2]string{words[3], words[1]}]
		return len(frames) > 0 && frames[0].Type() == "REGISTRY"
	}
	return false
}

// reconciled holds what a tab sees right after a reconcile to DATABUS-INV-006 and DATABUS-INV-007.
func reconciled(t *raceTab) error {
	s := t.c.Snapshot()
	routes := map[string]cluster.RouteView{}
	for _, route := range s.Routes {
		routes[route.TopicKey] = route
	}
	for _, topic := range s.Assigned {
		if route, ok := routes[record.Hash(topic)]; !ok || route.WorkerID != t.name {
			return fmt.Errorf("DATABUS-INV-007: %s is assigned %s, and its route is %+v", t.name, topic, route)
		}
	}
	for _, topic := range s.Subscribed {
		key := raceKeys.Subscriber(record.Hash(topic), t.tabID)
		if _, stored := t.rig.disk[key]; !stored && !slices.Contains(s.Pending, key) {
			return fmt.Errorf("DATABUS-INV-006: %s wants %s and has no record", t.name, topic)
		}
	}
	return nil
}

// newest returns the greatest generation of a stored route.
func (r *raceRig) newest() (generation int64) {
	for _, topic := range raceTopics {
		key := record.Hash(topic)
		if route, err := record.DecodeRoute(key, r.disk[raceKeys.Route(key)]); err == nil {
			generation = max(generation, route.Generation)
		}
	}
	return generation
}

// atRest ends all faults, lets time pass, and says in what the tabs break a law about rest: no topic has two owners, and with serves each
// one that is wanted has exactly one, on which the transports and a confirmed route agree, and, if no two workers share a tab, no other has
// any (DATABUS-INV-004, DATABUS-LIVE-005, DATABUS-LIVE-004, DATABUS-RACE-013).
func (r *raceRig) atRest(serves bool) error { return r.atRestAfter(raceHeartbeats, serves) }

func (r *raceRig) atRestAfter(heartbeats int, serves bool) error {
	if r.afterwards(heartbeats) == "storm" && serves {
		return fmt.Errorf("DATABUS-LIVE-005: frames beget frames without end: %v", r)
	}
	tabIDs := map[string]bool{}
	for _, t := range r.tabs {
		tabIDs[t.tabID] = true
	}
	for _, topic := range raceTopics {
		var assigned, held []string
		for _, t := range r.tabs {
			if t.phase == "running" && slices.Contains(t.c.Assigned(), topic) {
				assigned = append(assigned, t.name)
			}
			if t.phase == "running" && t.held[topic] {
				held = append(held, t.name)
			}
		}
		route, err := record.DecodeRoute(record.Hash(topic), r.disk[raceKeys.Route(record.Hash(topic))])
		wanted := slices.ContainsFunc(r.tabs, func(t *raceTab) bool {
			return t.phase == "running" && slices.Contains(t.c.Snapshot().Subscribed, topic)
		})
		running := slices.ContainsFunc(r.tabs, func(t *raceTab) bool { return t.phase == "running" })
		switch {
		case len(assigned) > 1 || len(held) > 1:
			return fmt.Errorf("DATABUS-INV-004: %s is assigned to %v, and the transports of %v hold it: %v", topic, assigned, held, r)
		case !serves || !running:
		case wanted && (err != nil || !route.Confirmed() || !slices.Equal(assigned, []string{route.WorkerID}) || !slices.Equal(assigned, held)):
			return fmt.Errorf("DATABUS-LIVE-005: %s is assigned to %v, held by %v: %v", topic, assigned, held, r)
		case !wanted && len(tabIDs) == len(r.tabs) && (err == nil || len(assigned)+len(held) > 0):
			return fmt.Errorf("DATABUS-LIVE-004: nobody wants %s: %v", topic, r)
		}
	}
	return nil
}
