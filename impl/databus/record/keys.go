package record

import "strings"

// DefaultPrefix begins every key of a cluster whose prefix is not configured (DATABUS-KEY-001).
const DefaultPrefix = "cross-tab-worker-databus"

// A Family is one of the three families of keys, or none (DATABUS-KEY-001).
type Family uint8

// The families of keys.
const (
	None Family = iota
	WorkerFamily
	RouteFamily
	SubscriberFamily
)

// String returns the name of the family as it stands in a key.
func (f Family) String() string {
	return [...]string{None: "none", WorkerFamily: "worker", RouteFamily: "route", SubscriberFamily: "subscriber"}[f]
}

// A Key is a storage key in its parts. Which fields are set follows from the family.
type Key struct {
	Family   Family
	WorkerID string // of a worker
	TopicKey string // of a route or a subscriber
	TabID    string // of a subscriber
}

// Keys are the names of one cluster. Clusters with different prefix or cluster key have no name in common (DATABUS-KEY-004).
type Keys struct {
	root string
}

// NewKeys returns the names of the cluster with this key. An empty prefix means [DefaultPrefix]. Of the cluster key only its hash is
// part of a name (DATABUS-KEY-003).
func NewKeys(prefix, clusterKey string) Keys {
	if prefix == "" {
		prefix = DefaultPrefix
	}
	return Keys{prefix + ":" + Hash(clusterKey)}
}

// Channel returns the name of the channel of the cluster.
func (k Keys) Channel() string { return k.root }

// Probe returns the key with which a tab finds out whether the storage can be written. It exists only meanwhile.
func (k Keys) Probe() string { return k.root + ":probe" }

// Worker returns the key of a worker record.
func (k Keys) Worker(workerID string) string { return k.root + ":worker:" + workerID }

// Route returns the key of a route.
func (k Keys) Route(topicKey string) string { return k.root + ":route:" + topicKey }

// Subscriber returns the key under which one tab, and no other, says that it subscribes a topic (DATABUS-KEY-005).
func (k Keys) Subscriber(topicKey, tabID string) string {
	return k.root + ":subscriber:" + topicKey + ":" + tabID
}

// Parse returns the parts of a key, of family [None] if it is no record of this cluster.
func (k Keys) Parse(key string) Key {
	rest, ok := strings.CutPrefix(key, k.root)
	if !ok {
		return Key{}
	}
	if id, ok := strings.CutPrefix(rest, ":worker:"); ok && id != "" {
		return Key{Family: WorkerFamily, WorkerID: id}
	}
	if topic, ok := strings.CutPrefix(rest, ":route:"); ok && IsHash(topic) {
		return Key{Family: RouteFamily, TopicKey: topic}
	}
	if rest, ok := strings.CutPrefix(rest, ":subscriber:"); ok {
		// A tab id may hold a colon, a topic key cannot.
		topic, tab, _ := strings.Cut(rest, ":")
		if IsHash(topic) && tab != "" {
			return Key{Family: SubscriberFamily, TopicKey: topic, TabID: tab}
		}
	}
	return Key{}
}
