package cluster

import (
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// Receive takes a frame of the channel. What this worker sent itself, what is addressed to another and what comes while it does not listen
// changes nothing (DATABUS-CONTROL-002, DATABUS-GATE-004).
func (c *Cluster) Receive(f signal.Frame) {
	if !c.coordinated || c.leaving || f.Source() == c.self.WorkerID {
		return
	}
	if c.cfg.Rules.IgnoreUnknown && !signal.Keyed(f) {
		c.unknown++
		return
	}
	switch f := f.(type) {
	case signal.Control:
		if f.TargetWorkerID == c.self.WorkerID {
			f.TopicKey = c.keyOf(f.Topic)
			c.remember(f.Topic)
			if !c.obey(f) && f.Action == signal.Subscribe {
				c.refused(f.TopicKey, f.Topic)
			}
		}
	case signal.RouteReleased:
		if f.TargetWorkerID == c.self.WorkerID {
			f.TopicKey = c.keyOf(f.Topic)
			if !c.accept(f) {
				c.refused(f.TopicKey, f.Topic)
			}
		}
	case signal.Event:
		c.cfg.OnEvent(f)
	case signal.Registry:
		// DATABUS-REGISTRY-002
		c.reconcile()
	default:
		// DATABUS-CONTROL-005
		if c.cfg.Rules.IgnoreUnknown {
			c.unknown++
			return
		}
		c.reconcile()
	}
}

// Ignored returns how many frames were ignored because of their type or their key (DATABUS-CONTROL-005).
func (c *Cluster) Ignored() int { return c.unknown }

// obey does what a control asks of this worker, and reports whether it was allowed.
func (c *Cluster) obey(f signal.Control) bool {
	if f.Action == signal.Publish {
		// DATABUS-PUBLISH-002
		c.cfg.OnPublish(f.Topic, f.Data)
		return true
	}
	r, ok := c.route(f.TopicKey)
	mine := ok && r.WorkerID == c.self.WorkerID
	if f.Action == signal.Subscribe {
		if !c.maySubscribe(&r, mine) {
			return false
		}
		c.take(f.TopicKey, f.Topic)
		return true
	}
	if c.cfg.Rules.AuthorizeUnsubscribe && mine {
		// DATABUS-CONTROL-004, DATABUS-FENCE-001
		return false
	}
	c.drop(f.TopicKey)
	return true
}

// maySubscribe applies the rules on a SUBSCRIBE (DATABUS-CONTROL-004, DATABUS-FENCE-002).
func (c *Cluster) maySubscribe(r *record.Route, mine bool) bool {
	return !c.cfg.Rules.AuthorizeSubscribe || mine && !(r.HandingOver() && c.waiting(r, c.live()))
}

// accept takes a topic over from the worker that had it, and reports whether the stored route says so (DATABUS-HANDOFF-005).
func (c *Cluster) accept(f signal.RouteReleased) bool {
	r, ok := c.route(f.TopicKey)
	if !ok || r.WorkerID != c.self.WorkerID || r.HandoffFrom != f.SourceWorkerID || !c.fits(f.Generation, r.Generation) {
		return false
	}
	c.take(f.TopicKey, f.Topic)
	return true
}

// fits is the test of the generation of a release (DATABUS-GENERATION-003).
func (c *Cluster) fits(told, stored int64) bool {
	switch c.cfg.Rules.Release {
	case ReleaseNotOlder:
		return told >= stored
	case ReleaseInverted:
		return told <= stored
	}
	return told == stored
}
