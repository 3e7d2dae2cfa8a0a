package cluster

import (
	"slices"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// A RouteView is a stored route and, if the tab knows it, the topic of it.
type RouteView struct {
	record.Route
	Topic string // empty: not known
}

// A Snapshot is what a tab knows at one moment.
type Snapshot struct {
	Self        record.Worker
	Active      bool
	Coordinated bool
	Workers     []record.Worker // that are live, in the order of their ids
	Routes      []RouteView     // in the order of their keys
	Subscribed  []string        // topics, in the order in which they came
	Assigned    []string        // topics, in the order in which they came
	Known       map[string]string
	Pending     []string // keys that wait to be written, also those of a page that is hidden
	Ignored     int
}

// Snapshot returns what this tab knows. Unlike the diagnostic of the library it changes nothing, in the storage neither
// (DATABUS-TTL-004).
func (c *Cluster) Snapshot() Snapshot {
	s := Snapshot{
		Self: c.self, Active: c.active, Coordinated: c.coordinated, Subscribed: c.subscribed.all(), Assigned: c.Assigned(),
		Known: c.known.copied(), Ignored: c.unknown,
	}
	if c.store != nil {
		s.Pending = c.store.Pending()
	}
	keys := c.known.all()
	if c.coordinated {
		stored := c.store.Keys()
		v, _ := c.look(stored)
		s.Workers = v.workers
		keys = nil
		for _, key := range stored {
			if parsed := c.keys.Parse(key); parsed.Family == record.RouteFamily {
				keys = append(keys, parsed.TopicKey)
			}
		}
	} else if c.active {
		s.Workers = []record.Worker{c.self}
	}
	for _, key := range keys {
		if r, ok := c.route(key); ok && c.active {
			topic, _ := c.known.get(key)
			s.Routes = append(s.Routes, RouteView{r, topic})
		}
	}
	slices.SortFunc(s.Workers, func(a, b record.Worker) int { return record.Compare(a.WorkerID, b.WorkerID) })
	slices.SortFunc(s.Routes, func(a, b RouteView) int { return record.Compare(a.TopicKey, b.TopicKey) })
	return s
}
