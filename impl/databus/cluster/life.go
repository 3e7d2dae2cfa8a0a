package cluster

import (
	"github.com/seed-6f28358b/assay/impl/databus/owner"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// Start registers this worker and takes up what is subscribed. A cluster that has started changes nothing.
func (c *Cluster) Start() {
	if c.started {
		return
	}
	c.started = true
	c.writable = c.store != nil && c.probe()
	c.activate()
}

// probe reports whether the storage can be written (DATABUS-DEGRADE-001).
func (c *Cluster) probe() bool {
	return c.cfg.Storage.Set(c.keys.Probe(), "1") == nil && c.cfg.Storage.Remove(c.keys.Probe()) == nil
}

// activate makes this worker one of the cluster, at the end of the order of candidates (DATABUS-RECORD-004).
func (c *Cluster) activate() {
	now := c.cfg.Clock.Now()
	c.self.RegisteredAt, c.self.HeartbeatAt = now, now
	c.self.Load, c.self.Role, c.self.Status = 0, record.Standby, record.Connecting
	c.active = true
	c.coordinated = c.writable && c.open()
	if !c.coordinated {
		// DATABUS-DEGRADE-002
		for _, topic := range c.subscribed.all() {
			c.take(c.remember(topic), topic)
		}
		return
	}
	c.stopBeat = c.cfg.Clock.Every(c.cfg.Heartbeat, c.Tick)
	c.writeSelf()
	c.nudge()
	c.reconcile()
}

func (c *Cluster) open() bool {
	if c.cfg.Open == nil {
		return false
	}
	channel, err := c.cfg.Open(c.keys.Channel())
	if err != nil {
		return false
	}
	c.channel = channel
	return true
}

// Stop leaves the cluster and forgets all topics. A cluster that does not run changes nothing.
func (c *Cluster) Stop() {
	if !c.started {
		return
	}
	c.leave()
	c.started = false
	c.subscribed.clear()
	c.known.clear()
}

// PageHide leaves the cluster but keeps what the application subscribes (DATABUS-LIFECYCLE-005).
func (c *Cluster) PageHide() { c.leave() }

// PageShow makes a worker that left by [Cluster.PageHide] one of the cluster again. It comes back without a topic and takes none from its
// owner (DATABUS-LIFECYCLE-004, DATABUS-STICKY-004).
func (c *Cluster) PageShow() {
	if c.started && !c.active {
		c.activate()
	}
}

// Visibility says how the page is now. It moves no route (DATABUS-VISIBILITY-001).
func (c *Cluster) Visibility(v record.Visibility) {
	if v == c.self.Visibility {
		return
	}
	c.self.Visibility = v
	if c.coordinated {
		c.writeSelf()
		c.nudge()
		c.reconcile()
	}
}

// Status says how the transport is now. It moves no route either (DATABUS-STICKY-005).
func (c *Cluster) Status(s record.Status) {
	if s == c.self.Status {
		return
	}
	c.self.Status = s
	if c.coordinated {
		c.writeSelf()
		c.nudge()
	}
}

// leave gives up, in the order that keeps others from serving a topic too early or too late, everything that this worker has
// (DATABUS-HANDOFF-001).
func (c *Cluster) leave() {
	if !c.active {
		return
	}
	c.leaving = true
	c.lookNoMore()
	if c.coordinated {
		c.stopBeat()
		others := c.live().without(c.self.WorkerID)
		// One look at who subscribes what is enough: while this worker leaves nobody else does anything.
		interests := c.interests(c.concerns())
		wanted := func(key string) bool { return c.subscribersAmong(interests[key], others) }
		for _, topic := range c.subscribed.all() {
			key := c.keyOf(topic)
			c.retire(topic, key, func() bool { return wanted(key) })
		}
		c.handOver(others, wanted)
		c.store.Remove(c.workerKey)
		// DATABUS-REGISTRY-004, DATABUS-BATCH-006
		if !c.store.Flush() && c.cfg.Rules.DiscardAtTeardown {
			c.store.Discard()
		}
		c.nudge()
		c.close()
	} else {
		for _, key := range c.assigned.all() {
			c.drop(key)
		}
	}
	c.self.Load = 0
	c.leaving, c.active, c.coordinated = false, false, false
}

// concerns returns what reports whether this worker subscribes or owns a topic.
func (c *Cluster) concerns() func(key string) bool {
	keys := map[string]bool{}
	for _, topic := range c.subscribed.all() {
		keys[c.keyOf(topic)] = true
	}
	return func(key string) bool { return keys[key] || c.assigned.has(key) }
}

// handOver gives each owned topic that is still subscribed to one of the others, and drops the rest (DATABUS-HANDOFF-006).
func (c *Cluster) handOver(others *view, wanted func(key string) bool) {
	plan := owner.NewPlan(others.workers, c.cfg.MaxActive)
	for _, key := range c.assigned.all() {
		r, ok := c.route(key)
		if !ok || r.WorkerID != c.self.WorkerID {
			c.drop(key)
			continue
		}
		if !wanted(key) {
			c.store.Remove(c.seen.routeOf(key).name)
			c.drop(key)
			continue
		}
		target, ok := plan.Next()
		if !ok {
			panic("databus cluster: a topic has a live subscriber though no worker is live")
		}
		// DATABUS-HANDOFF-002
		c.writeRoute(record.Route{
			TopicKey: key, WorkerID: target.WorkerID, TabID: target.TabID, UpdatedAt: c.cfg.Clock.Now(), Generation: r.Next(),
			HandoffFrom: c.self.WorkerID,
		})
		c.store.Flush()
		// The route says by now who is to be told, after the transport was (DATABUS-HANDOFF-003).
		c.drop(key)
	}
}

// close closes the channel, one task later if the rules say so (DATABUS-RACE-007).
func (c *Cluster) close() {
	channel := c.channel
	c.channel = nil
	if c.cfg.Rules.DeferClose {
		c.cfg.Clock.After(0, channel.Close)
		return
	}
	channel.Close()
}
