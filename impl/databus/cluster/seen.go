package cluster

import (
	"errors"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

var errNoRecord = errors.New("databus cluster: the key is that of no record")

// seen keeps what the keys and values of the storage were last found to say. Each reconcile looks at all of them, and most have not changed
// since the one before.
type seen struct {
	keys   record.Keys
	byKey  map[string]*reading
	routes map[string]*reading // by topic key
	own    map[string]string   // keys of the subscribers of this tab, by topic key
}

// A reading is what a key and the value that was last seen under it say.
type reading struct {
	name  string
	key   record.Key
	value string
	known bool // the value has been read
	err   error

	worker     record.Worker
	route      record.Route
	subscriber record.Subscriber
}

func newSeen(keys record.Keys) seen {
	return seen{keys, map[string]*reading{}, map[string]*reading{}, map[string]string{}}
}

// trim forgets everything when much of it must have gone, for as many keys as there are.
func (s *seen) trim(keys int) {
	if max(len(s.byKey), len(s.own)) > 2*keys+64 {
		clear(s.byKey)
		clear(s.routes)
		clear(s.own)
	}
}

// at returns the reading of a key.
func (s *seen) at(key string) *reading {
	r := s.byKey[key]
	if r == nil {
		r = &reading{name: key, key: s.keys.Parse(key)}
		s.byKey[key] = r
	}
	return r
}

// routeOf returns the reading of the route of a topic.
func (s *seen) routeOf(topicKey string) *reading {
	r := s.routes[topicKey]
	if r == nil {
		r = s.at(s.keys.Route(topicKey))
		s.routes[topicKey] = r
	}
	return r
}

// subscriberOf returns the key under which the own tab says that it subscribes a topic.
func (s *seen) subscriberOf(topicKey, tabID string) string {
	key, ok := s.own[topicKey]
	if !ok {
		key = s.keys.Subscriber(topicKey, tabID)
		s.own[topicKey] = key
	}
	return key
}

// read reads the value of the key as a record of its family, unless it has been read.
func (r *reading) read(value string) {
	if r.known && r.value == value {
		return
	}
	r.value, r.known = value, true
	switch r.key.Family {
	case record.WorkerFamily:
		r.worker, r.err = record.DecodeWorker(value)
	case record.RouteFamily:
		r.route, r.err = record.DecodeRoute(r.key.TopicKey, value)
	case record.SubscriberFamily:
		r.subscriber, r.err = record.DecodeSubscriber(r.key, value)
	default:
		r.err = errNoRecord
	}
}
