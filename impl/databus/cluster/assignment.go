package cluster

import (
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// take makes this worker the owner of a topic: it assigns, confirms, asks the transport and counts (DATABUS-CONTROL-003).
func (c *Cluster) take(key, topic string) {
	c.assigned.set(key, topic)
	c.confirm(key)
	c.cfg.OnAssign(topic)
	c.count()
}

// confirm stamps the stored route if it names this worker and is not confirmed; nobody else does, and nothing else in it changes
// (DATABUS-CONFIRM-001, DATABUS-ROUTE-004).
func (c *Cluster) confirm(key string) {
	if !c.coordinated {
		return
	}
	r, ok := c.route(key)
	if !ok || r.WorkerID != c.self.WorkerID || r.Confirmed() {
		return
	}
	r.ConfirmedAt = max(c.cfg.Clock.Now(), r.UpdatedAt)
	c.writeRoute(r)
}

// drop ends the ownership of a topic that this worker owns, and counts.
func (c *Cluster) drop(key string) {
	if c.letGo(key) {
		c.count()
	}
}

// letGo ends the ownership of a topic, and reports whether this worker did own it. A new owner that waits for it is told after the
// transport has been (DATABUS-HANDOFF-009, DATABUS-HANDOFF-003).
func (c *Cluster) letGo(key string) bool {
	topic, ok := c.assigned.get(key)
	if !ok {
		return false
	}
	c.assigned.remove(key)
	c.forgettable(key)
	c.cfg.OnRelease(topic)
	if r, ok := c.route(key); ok && c.coordinated && r.HandoffFrom == c.self.WorkerID && r.WorkerID != c.self.WorkerID {
		c.release(topic, &r)
	}
	return true
}

// release tells the new owner of a route that this worker has let go of the topic.
func (c *Cluster) release(topic string, r *record.Route) {
	_ = c.post(signal.RouteReleased{
		Topic: topic, TopicKey: r.TopicKey, SourceWorkerID: c.self.WorkerID, TargetWorkerID: r.WorkerID, Generation: r.Generation,
	})
}

// count records how many topics this worker owns, if that has changed (DATABUS-RECORD-001). While it leaves, its record only goes.
func (c *Cluster) count() {
	if c.self.Load == c.assigned.len() || c.leaving {
		return
	}
	c.self.Load = c.assigned.len()
	if c.coordinated {
		c.writeSelf()
		c.nudge()
	}
}
