package cluster

import (
	"container/heap"
)

// MaxKnown is how many topics a cluster can name from their keys, beside those that it owns (DATABUS-CACHE-001).
const MaxKnown = 500

// remember keeps the topic that belongs to a key, and returns the key. Beyond the cap the entry that came first goes; neither an owned one
// nor the new one does (DATABUS-CACHE-002).
func (c *Cluster) remember(topic string) string {
	key := c.keyOf(topic)
	if !c.known.has(key) {
		c.known.set(key, topic)
		c.forgettable(key)
	}
	if c.known.len() > MaxKnown {
		c.evict(key)
	}
	return key
}

// evict forgets the first topic that may go, unless it is the one that has just come.
func (c *Cluster) evict(latest string) {
	if oldest := c.known.first(); c.cfg.Rules.CapSlips && (oldest == latest || c.assigned.has(oldest)) {
		// DATABUS-CACHE-003
		return
	}
	var spared *place
	for len(c.idle) > 0 {
		p := heap.Pop(&c.idle).(place)
		switch {
		case !c.known.there(p) || c.assigned.has(p.key):
			// What is owned comes back when this worker lets go of it.
		case p.key == latest:
			spared = &p
		default:
			c.known.remove(p.key)
			if spared != nil {
				heap.Push(&c.idle, *spared)
			}
			return
		}
	}
	if spared != nil {
		heap.Push(&c.idle, *spared)
	}
}

// forgettable notes that a topic that is known is not owned.
func (c *Cluster) forgettable(key string) {
	i, ok := c.known.held[key]
	if !ok || c.assigned.has(key) {
		return
	}
	heap.Push(&c.idle, place{key, i.seq})
	if len(c.idle) <= 2*c.known.len()+8 {
		return
	}
	// What has been owned or forgotten since makes the most of it.
	c.idle = c.idle[:0]
	for _, p := range c.known.order {
		if c.known.there(p) && !c.assigned.has(p.key) {
			c.idle = append(c.idle, p)
		}
	}
}

// places is a heap of places, the first to come on top.
type places []place

// Len implements [heap.Interface].
func (p places) Len() int { return len(p) }

// Less implements [heap.Interface].
func (p places) Less(i, j int) bool { return p[i].seq < p[j].seq }

// Swap implements [heap.Interface].
func (p places) Swap(i, j int) { p[i], p[j] = p[j], p[i] }

// Push implements [heap.Interface].
func (p *places) Push(x any) { *p = append(*p, x.(place)) }

// Pop implements [heap.Interface].
func (p *places) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
