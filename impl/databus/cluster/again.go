package cluster

// Delays of the looks of [Rules.LookAgain], in milliseconds.
const (
	FirstLook = 50
	LastLook  = 1600
)

// refused notes a topic whose SUBSCRIBE or ROUTE_RELEASED this worker did not obey. Of very many the later ones wait for a heartbeat.
func (c *Cluster) refused(key, topic string) {
	if !c.cfg.Rules.LookAgain || c.again.len() >= MaxKnown && !c.again.has(key) {
		return
	}
	c.again.set(key, topic)
	if c.stopLook != nil && c.lookDelay > FirstLook {
		c.stopLook()
		c.stopLook = nil
	}
	if c.stopLook == nil {
		c.lookIn(FirstLook)
	}
}

func (c *Cluster) lookIn(ms int64) {
	c.lookDelay = ms
	c.stopLook = c.cfg.Clock.After(ms, c.lookAgain)
}

// lookAgain takes on the topics that were refused and whose route names this worker by now and waits for nobody, as a SUBSCRIBE that came now
// would have it do (DATABUS-FENCE-002). While it finds none it looks less and less often, and at last no more.
func (c *Cluster) lookAgain() {
	c.stopLook = nil
	next := 2 * c.lookDelay
	for _, key := range c.again.all() {
		r, ok := c.route(key)
		if !ok || r.WorkerID != c.self.WorkerID || r.HandingOver() && c.waiting(&r, c.live()) {
			continue
		}
		topic, _ := c.again.get(key)
		c.again.remove(key)
		c.take(key, topic)
		next = FirstLook
	}
	switch {
	case next > LastLook:
		c.again.clear()
	case c.again.len() > 0:
		c.lookIn(next)
	}
}

// lookNoMore forgets what was refused.
func (c *Cluster) lookNoMore() {
	c.again.clear()
	if c.stopLook != nil {
		c.stopLook()
		c.stopLook = nil
	}
}
