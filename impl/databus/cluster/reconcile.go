package cluster

import (
	"github.com/seed-6f28358b/assay/impl/databus/owner"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// Tick is one heartbeat: it rewrites the own record and reconciles (DATABUS-HEARTBEAT-001). The clock calls it while the cluster is active;
// before and after it does nothing.
func (c *Cluster) Tick() {
	if !c.coordinated || c.leaving {
		return
	}
	c.writeSelf()
	c.reconcile()
}

// reconcile brings the storage and the own assignments in line with what this tab sees and wants (DATABUS-HEARTBEAT-002).
func (c *Cluster) reconcile() {
	c.restore()
	v := c.live()
	c.collect(v)
	c.rank(v)
	for _, topic := range c.subscribed.all() {
		c.uphold(topic, v)
	}
	c.shed(v)
	c.count()
	c.done(v)
}

// restore writes the own record if it is missing, as it is when another took this worker for dead while it slept: who sees no other worker
// takes over what this one has, and tells it to reconcile (DATABUS-FENCE-003, DATABUS-RACE-018). What cannot be read is missing
// (DATABUS-RECORD-005).
func (c *Cluster) restore() {
	if !c.cfg.Rules.RestoreRecord {
		return
	}
	if value, ok := c.store.Get(c.workerKey); ok {
		if w, err := record.DecodeWorker(value); err == nil && w.WorkerID == c.self.WorkerID {
			return
		}
	}
	c.writeSelf()
}

// collect removes the subscribers whose tab is not live and then the routes without a subscriber that are older than the TTL
// (DATABUS-GC-001, DATABUS-GC-002, DATABUS-GC-003).
func (c *Cluster) collect(v *view) {
	alive := map[string]bool{}
	for _, reading := range v.found {
		if reading.key.Family == record.SubscriberFamily {
			if s, ok := c.subscriberAt(reading); ok && v.hasTab(s.TabID) {
				alive[reading.key.TopicKey] = true
			} else {
				// DATABUS-RECORD-005
				c.store.Remove(reading.name)
			}
		}
	}
	for _, reading := range v.found {
		if reading.key.Family != record.RouteFamily || alive[reading.key.TopicKey] {
			continue
		}
		if r, ok := c.routeAt(reading); ok && c.cfg.Clock.Now()-r.UpdatedAt > c.cfg.TTL {
			c.store.Remove(reading.name)
		}
	}
}

// rank writes the own role if it has changed. It moves no route (DATABUS-OWNER-009).
func (c *Cluster) rank(v *view) {
	role := owner.RoleOf(v.workers, c.cfg.MaxActive, c.self.WorkerID)
	if c.cfg.Rules.ActiveOwners && c.assigned.len() > 0 {
		role = record.Active
	}
	if role != c.self.Role {
		c.self.Role = role
		c.writeSelf()
	}
}

// uphold rewrites the own subscriber record of a topic, and elects or asks its owner again as needed.
func (c *Cluster) uphold(topic string, v *view) {
	key := c.remember(topic)
	c.writeSubscriber(key)
	r, ok := c.route(key)
	if c.provide(topic, key, r, ok, v) {
		return
	}
	// DATABUS-CONFIRM-002, DATABUS-HANDOFF-004
	if !r.Confirmed() && !c.waiting(&r, v) {
		c.ask(signal.Subscribe, topic, key, r.WorkerID)
	}
}

// shed lets go of the assignments that no route backs, as a lost UNSUBSCRIBE or a removed route leaves them (DATABUS-UNSUBSCRIBE-005,
// DATABUS-GC-004, DATABUS-INV-007), and does what the rules say for the other routes that name this worker. The load follows once for all
// (DATABUS-HEARTBEAT-002).
func (c *Cluster) shed(v *view) {
	for _, key := range c.assigned.all() {
		topic, _ := c.assigned.get(key)
		if r, ok := c.route(key); ok && r.WorkerID == c.self.WorkerID {
			continue
		}
		c.letGo(key)
		if !c.subscribed.has(topic) {
			// DATABUS-CACHE-004
			c.known.remove(key)
		}
	}
	if c.cfg.Rules.Reclaim {
		c.repair(v)
	}
}

// repair takes up the confirmed routes that name this worker and whose assignment was lost (DATABUS-CONFIRM-003).
func (c *Cluster) repair(v *view) {
	interests := c.interests(func(string) bool { return true })
	for _, key := range c.store.Keys() {
		parsed := &c.seen.at(key).key
		if parsed.Family != record.RouteFamily {
			continue
		}
		r, ok := c.route(parsed.TopicKey)
		if !ok || r.WorkerID != c.self.WorkerID {
			continue
		}
		if c.subscribersAmong(interests[parsed.TopicKey], v) && r.Confirmed() && !c.assigned.has(parsed.TopicKey) {
			c.reclaim(r)
		}
	}
}

// reclaim takes a topic on again or, if the rules say so, has a subscriber, who knows its name, ask for it.
func (c *Cluster) reclaim(r record.Route) {
	if topic, ok := c.known.get(r.TopicKey); ok {
		c.take(r.TopicKey, topic)
		return
	}
	if !c.cfg.Rules.AskAgain {
		return
	}
	r.ConfirmedAt, r.HandoffFrom = 0, ""
	c.writeRoute(r)
	c.nudge()
}
