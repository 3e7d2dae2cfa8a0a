package cluster

import (
	"encoding/json"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// Subscribe records that the application of this tab subscribes a topic, and sees to it that somebody owns it. Before the start and while
// the page is hidden away only the intention is kept (DATABUS-SUBSCRIBE-006). A topic that is subscribed already changes nothing.
func (c *Cluster) Subscribe(topic string) {
	if c.subscribed.has(topic) {
		return
	}
	// DATABUS-SUBSCRIBE-002
	key := c.remember(topic)
	c.subscribed.set(topic, key)
	switch {
	case !c.active:
	case !c.coordinated:
		c.take(key, topic)
	default:
		c.writeSubscriber(key)
		r, ok := c.route(key)
		v := c.live()
		c.provide(topic, key, r, ok, v)
		c.done(v)
		if c.cfg.Rules.NudgeSubscriptions {
			c.nudge()
		}
	}
}

// writeSubscriber writes the one key that says that this tab subscribes the topic (DATABUS-KEY-005).
func (c *Cluster) writeSubscriber(key string) {
	s := record.Subscriber{TopicKey: key, TabID: c.self.TabID, UpdatedAt: c.cfg.Clock.Now()}
	c.store.Set(c.seen.subscriberOf(key, c.self.TabID), s.Encode())
}

// provide sees to it that the topic has a live owner, and reports whether it had to. Nothing but a missing route or a dead owner leads to
// an election (DATABUS-OWNER-005, DATABUS-STICKY-001).
func (c *Cluster) provide(topic, key string, r record.Route, ok bool, v *view) bool {
	if ok && v.has(r.WorkerID) && !c.stranded(&r, v) {
		return false
	}
	chosen := v.choose(&c.self, c.cfg.MaxActive)
	c.assign(topic, key, chosen.WorkerID, chosen.TabID, r.Next())
	return true
}

// assign writes a new, unconfirmed route and asks its owner to subscribe (DATABUS-ROUTE-002, DATABUS-GENERATION-001).
func (c *Cluster) assign(topic, key, workerID, tabID string, generation int64) {
	c.writeRoute(record.Route{
		TopicKey: key, WorkerID: workerID, TabID: tabID, UpdatedAt: c.cfg.Clock.Now(), Generation: generation,
	})
	c.ask(signal.Subscribe, topic, key, workerID)
	c.nudge()
}

func (c *Cluster) writeRoute(r record.Route) {
	c.store.Set(c.seen.routeOf(r.TopicKey).name, r.Encode())
}

// ask sends a control. What a worker asks of itself it does at once, and nobody hears of it (DATABUS-SUBSCRIBE-003).
func (c *Cluster) ask(action signal.Action, topic, key, workerID string) {
	f := signal.Control{
		Action: action, Topic: topic, TopicKey: key, SourceWorkerID: c.self.WorkerID, TargetWorkerID: workerID,
	}
	if workerID == c.self.WorkerID {
		_ = c.obey(f)
		return
	}
	_ = c.post(f)
}

// Unsubscribe records that the application of this tab no longer subscribes a topic. An unknown topic changes nothing.
func (c *Cluster) Unsubscribe(topic string) {
	if !c.subscribed.has(topic) {
		return
	}
	// DATABUS-CACHE-004
	key := c.remember(topic)
	c.subscribed.remove(topic)
	switch {
	case !c.active:
	case !c.coordinated:
		c.drop(key)
	default:
		v := c.live()
		c.retire(topic, key, func() bool { return c.subscribers(key, v) })
		c.done(v)
		if c.cfg.Rules.NudgeSubscriptions {
			c.nudge()
		}
	}
	if !c.assigned.has(key) {
		c.known.remove(key)
	}
}

// retire removes the own subscriber record and, if no other live tab subscribes the topic, the route (DATABUS-UNSUBSCRIBE-002,
// DATABUS-UNSUBSCRIBE-003).
func (c *Cluster) retire(topic, key string, others func() bool) {
	c.store.Remove(c.seen.subscriberOf(key, c.self.TabID))
	if others() {
		return
	}
	r, ok := c.route(key)
	if !ok {
		return
	}
	c.store.Remove(c.seen.routeOf(key).name)
	c.ask(signal.Unsubscribe, topic, key, r.WorkerID)
}

// Publish hands a publication to the live owner of the topic, and to the own transport if that is this worker or there is none
// (DATABUS-PUBLISH-001). It changes no route. Nobody acknowledges or repeats it (DATABUS-PUBLISH-004). It fails with a [*PostError] if it
// could not be sent (DATABUS-PUBLISH-003), which is always so for another owner while the page is hidden away (DATABUS-PUBLISH-005).
func (c *Cluster) Publish(topic string, data json.RawMessage) error {
	key := c.remember(topic)
	if owner := c.remoteOwner(key); owner != "" {
		return c.post(signal.Control{
			Action: signal.Publish, Topic: topic, TopicKey: key, SourceWorkerID: c.self.WorkerID, TargetWorkerID: owner, Data: data,
		})
	}
	c.cfg.OnPublish(topic, data)
	return nil
}

// remoteOwner returns the id of the live owner of a topic that is another worker, empty if there is none.
func (c *Cluster) remoteOwner(key string) string {
	if !c.coordinated {
		if !c.started || c.active || !c.writable {
			return ""
		}
		// A hidden page looks, but neither prunes nor takes part.
		value, _ := c.store.Get(c.keys.Route(key))
		r, err := record.DecodeRoute(key, value)
		if v, _ := c.look(c.store.Keys()); err == nil && v.has(r.WorkerID) {
			return r.WorkerID
		}
		return ""
	}
	v := c.live()
	defer c.done(v)
	if r, ok := c.route(key); ok && r.WorkerID != c.self.WorkerID && v.has(r.WorkerID) {
		return r.WorkerID
	}
	return ""
}

// Broadcast sends an event to all other tabs (DATABUS-GATE-002). Alone, there is nobody to send it to (DATABUS-DEGRADE-002).
func (c *Cluster) Broadcast(eventType string, payload json.RawMessage) error {
	if c.active && !c.coordinated {
		return nil
	}
	return c.post(signal.Event{SourceWorkerID: c.self.WorkerID, EventType: eventType, Payload: payload})
}
