package cluster

import (
	"slices"

	"github.com/seed-6f28358b/assay/impl/databus/owner"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// A view is the live workers as one tab sees them at one moment.
type view struct {
	found   []*reading // of the keys that were looked at
	workers []record.Worker
	byID    map[string]int // places in workers; nil: there are few
	tabs    map[string]bool
	cut     []record.Worker // the eligible ones; nil: not asked for yet
}

// fewWorkers are found as fast without an index.
const fewWorkers = 8

// index makes the indices, if there is something to gain by them.
func (v *view) index() *view {
	if len(v.workers) <= fewWorkers {
		return v
	}
	v.byID, v.tabs = make(map[string]int, len(v.workers)), make(map[string]bool, len(v.workers))
	for i := range v.workers {
		v.byID[v.workers[i].WorkerID] = i
		v.tabs[v.workers[i].TabID] = true
	}
	return v
}

func (v *view) has(workerID string) bool { return v.find(workerID) != nil }

func (v *view) find(workerID string) *record.Worker {
	if v.byID != nil {
		if i, ok := v.byID[workerID]; ok {
			return &v.workers[i]
		}
		return nil
	}
	for i := range v.workers {
		if v.workers[i].WorkerID == workerID {
			return &v.workers[i]
		}
	}
	return nil
}

func (v *view) hasTab(tabID string) bool {
	if v.tabs != nil {
		return v.tabs[tabID]
	}
	return slices.ContainsFunc(v.workers, func(w record.Worker) bool { return w.TabID == tabID })
}

// without returns the view without one worker.
func (v *view) without(workerID string) *view {
	others := slices.DeleteFunc(slices.Clone(v.workers), func(w record.Worker) bool { return w.WorkerID == workerID })
	return (&view{workers: others}).index()
}

// choose returns the owner for a topic that has none. The own record counts as it is now, with what was taken on since; nothing else of who
// is eligible changes in a task (DATABUS-OWNER-002, DATABUS-OWNER-003).
func (v *view) choose(self *record.Worker, most int) record.Worker {
	if v.cut == nil {
		v.cut = owner.Cut(v.workers, most)
	}
	for i := range v.cut {
		if v.cut[i].WorkerID == self.WorkerID {
			v.cut[i] = *self
		}
	}
	chosen, _ := owner.Least(v.cut)
	return chosen
}

// live returns the live workers, and removes the records of the dead (DATABUS-TTL-004).
func (c *Cluster) live() *view {
	v, dead := c.look(c.store.Keys())
	for _, key := range dead {
		c.store.Remove(key)
	}
	return v
}

// look returns the live workers among some keys and the keys of the dead, and changes nothing. A record is dead when it is older than the
// TTL (DATABUS-TTL-001). While this worker is active it counts itself, as it knows itself, and never as dead (DATABUS-OWNER-006).
func (c *Cluster) look(keys []string) (v *view, dead []string) {
	now := c.cfg.Clock.Now()
	c.seen.trim(len(keys))
	v = c.view()
	for _, key := range keys {
		reading := c.seen.at(key)
		v.found = append(v.found, reading)
		parsed := &reading.key
		if parsed.Family != record.WorkerFamily || c.active && parsed.WorkerID == c.self.WorkerID {
			continue
		}
		value, ok := c.store.Get(key)
		if !ok {
			continue
		}
		reading.read(value)
		w, err := reading.worker, reading.err
		switch {
		case err != nil || w.WorkerID != parsed.WorkerID:
			// DATABUS-RECORD-005
		case now-w.HeartbeatAt > c.cfg.TTL:
			dead = append(dead, key)
		default:
			v.workers = append(v.workers, w)
		}
	}
	if c.active {
		v.workers = append(v.workers, c.self)
	}
	return v.index(), dead
}

// view returns one without workers. It may serve again once it was [Cluster.done] with; one view is made while another is in use.
func (c *Cluster) view() *view {
	if len(c.spare) == 0 {
		return &view{}
	}
	v := c.spare[len(c.spare)-1]
	c.spare = c.spare[:len(c.spare)-1]
	*v = view{found: v.found[:0], workers: v.workers[:0]}
	return v
}

// done has a view serve again, which nobody uses from now on.
func (c *Cluster) done(v *view) { c.spare = append(c.spare, v) }

// route returns the route of a topic. Without a storage it follows from what the tab itself subscribes and owns (DATABUS-DEGRADE-003).
func (c *Cluster) route(key string) (record.Route, bool) {
	if !c.coordinated {
		topic, known := c.known.get(key)
		if !c.assigned.has(key) && (!known || !c.subscribed.has(topic)) {
			return record.Route{}, false
		}
		return record.Route{
			TopicKey: key, WorkerID: c.self.WorkerID, TabID: c.self.TabID, UpdatedAt: c.self.RegisteredAt, Generation: 1,
		}, true
	}
	return c.routeAt(c.seen.routeOf(key))
}

// routeAt returns the route that is stored now.
func (c *Cluster) routeAt(reading *reading) (record.Route, bool) {
	value, ok := c.store.Get(reading.name)
	if !ok {
		return record.Route{}, false
	}
	// DATABUS-RECORD-005
	reading.read(value)
	r, err := reading.route, reading.err
	return r, err == nil
}

// subscriber returns what is stored under the key of a subscriber.
func (c *Cluster) subscriber(key string) (record.Subscriber, bool) {
	return c.subscriberAt(c.seen.at(key))
}

func (c *Cluster) subscriberAt(reading *reading) (record.Subscriber, bool) {
	value, ok := c.store.Get(reading.name)
	if !ok {
		return record.Subscriber{}, false
	}
	reading.read(value)
	s, err := reading.subscriber, reading.err
	return s, err == nil
}

// subscribers reports whether a live tab subscribes the topic. Records of other tabs are removed on sight (DATABUS-UNSUBSCRIBE-004).
func (c *Cluster) subscribers(topicKey string, v *view) bool {
	var keys []string
	for _, key := range c.store.Keys() {
		if parsed := &c.seen.at(key).key; parsed.Family == record.SubscriberFamily && parsed.TopicKey == topicKey {
			keys = append(keys, key)
		}
	}
	return c.subscribersAmong(keys, v)
}

// interests returns the keys of the subscribers of some topics.
func (c *Cluster) interests(of func(topicKey string) bool) map[string][]string {
	out := map[string][]string{}
	for _, key := range c.store.Keys() {
		if parsed := &c.seen.at(key).key; parsed.Family == record.SubscriberFamily && of(parsed.TopicKey) {
			out[parsed.TopicKey] = append(out[parsed.TopicKey], key)
		}
	}
	return out
}

// subscribersAmong is subscribers, from the keys that may be those of its subscribers.
func (c *Cluster) subscribersAmong(keys []string, v *view) bool {
	found := false
	for _, key := range keys {
		if _, ok := c.store.Get(key); !ok {
			continue // it has gone since
		}
		if s, ok := c.subscriber(key); ok && v.hasTab(s.TabID) {
			found = true
		} else {
			c.store.Remove(key)
		}
	}
	return found
}

// waiting reports whether a route waits for its old owner to let go of the topic (DATABUS-HANDOFF-004).
func (c *Cluster) waiting(r *record.Route, v *view) bool {
	// DATABUS-HANDOFF-008
	return r.HandingOver() && (c.cfg.Rules.Gone != GoneAtOnce || !gone(r, v))
}

// stranded reports whether a handoff has waited for so long for a worker that is gone that a new owner is due.
func (c *Cluster) stranded(r *record.Route, v *view) bool {
	return c.cfg.Rules.Gone == GoneAfterTTL && r.HandingOver() && gone(r, v) && c.cfg.Clock.Now()-r.UpdatedAt > c.cfg.TTL
}

// gone reports whether the old owner of a route that is handed over no longer is the one that handed it over.
func gone(r *record.Route, v *view) bool {
	old := v.find(r.HandoffFrom)
	return old == nil || old.RegisteredAt >= r.UpdatedAt
}
