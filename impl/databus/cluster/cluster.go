package cluster

import (
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
	"github.com/seed-6f28358b/assay/impl/databus/writer"
)

// A Cluster is one worker of one tab. Use [New] to make one.
type Cluster struct {
	cfg       Config
	keys      record.Keys
	store     *writer.Writer // nil: there is no storage
	seen      seen
	spare     []*view // to serve again
	self      record.Worker
	workerKey string // of self

	started     bool
	active      bool // it has a heartbeat and listens; a hidden page is not
	leaving     bool
	coordinated bool // active with storage and channel
	writable    bool // the storage was, when the cluster started
	channel     Channel
	stopBeat    func()

	subscribed ordered // keys, by topic
	assigned   ordered // topics, by key
	known      ordered // topics, by key
	idle       places  // of known topics; all that are not owned, and some that have been
	unknown    int     // frames ignored

	again     ordered // topics that were refused, by key
	lookDelay int64   // milliseconds
	stopLook  func()  // of the timer; nil: it does not run
}

// New returns a cluster that has not started, or a [*ConfigError].
func New(cfg Config) (*Cluster, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	c := &Cluster{
		cfg: cfg.normal(), keys: record.NewKeys(cfg.Prefix, cfg.ClusterKey),
		subscribed: newOrdered(), assigned: newOrdered(), known: newOrdered(), again: newOrdered(),
	}
	c.seen, c.workerKey = newSeen(c.keys), c.keys.Worker(cfg.WorkerID)
	c.self = record.Worker{
		WorkerID: cfg.WorkerID, TabID: cfg.TabID, Role: record.Standby, Status: record.Connecting, Visibility: c.cfg.Visibility,
	}
	if cfg.Storage != nil {
		store, err := writer.New(writer.Config{
			Storage: cfg.Storage, Defer: cfg.Defer, After: cfg.Clock.After, DropAfter: cfg.Rules.DropAfter, Guard: cfg.Rules.Guard,
		})
		if err != nil {
			return nil, err
		}
		c.store = store
	}
	return c, nil
}

// Coordinated reports whether the cluster runs with a storage and a channel. Otherwise it is alone, suspended or stopped.
func (c *Cluster) Coordinated() bool { return c.coordinated }

// IsAssigned reports whether this worker owns the topic: by its assignments and, failing that, by the stored route (DATABUS-GATE-001). It
// changes nothing, not even the cache of topics (DATABUS-GATE-005).
func (c *Cluster) IsAssigned(topic string) bool {
	key := c.keyOf(topic)
	if c.assigned.has(key) {
		return true
	}
	if !c.active {
		return false
	}
	r, ok := c.route(key)
	return ok && r.WorkerID == c.self.WorkerID
}

// keyOf returns the key of a topic.
func (c *Cluster) keyOf(topic string) string {
	if key, ok := c.subscribed.get(topic); ok {
		return key
	}
	return record.Hash(topic)
}

// HasSubscriber reports whether the application of this tab subscribes the topic, which is what the third gate asks (DATABUS-GATE-003).
func (c *Cluster) HasSubscriber(topic string) bool {
	if !c.subscribed.has(topic) {
		return false
	}
	if !c.cfg.Rules.StoredInterest || !c.coordinated {
		// DATABUS-GATE-006
		return true
	}
	_, stored := c.subscriber(c.seen.subscriberOf(c.keyOf(topic), c.self.TabID))
	return stored
}

// Assigned returns the topics that this worker owns, in the order in which it took them on.
func (c *Cluster) Assigned() []string { return c.assigned.values() }

// post sends a frame. Frames that coordinate are not missed when that fails: the next reconcile does the same (DATABUS-REGISTRY-003,
// DATABUS-CONFIRM-002).
func (c *Cluster) post(f signal.Frame) error {
	if c.channel == nil {
		return &PostError{f.Type(), ErrClosed}
	}
	if err := c.channel.Post(f); err != nil {
		return &PostError{f.Type(), err}
	}
	return nil
}

// nudge has the other tabs reconcile (DATABUS-REGISTRY-001).
func (c *Cluster) nudge() {
	_ = c.post(signal.Registry{SourceWorkerID: c.self.WorkerID})
}

// writeSelf writes the own record, which refreshes its heartbeat (DATABUS-RECORD-002, DATABUS-RECORD-004).
func (c *Cluster) writeSelf() {
	c.self.HeartbeatAt = c.cfg.Clock.Now()
	c.store.Set(c.workerKey, c.self.Encode())
}
