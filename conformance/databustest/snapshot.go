package databustest

import (
	"encoding/json"
	"slices"
	"strings"
)

// A snapshot is an origin at one moment, with its records read.
type snapshot struct {
	snapshotReply
	workers     map[string]workerRecord // by workerId
	routes      map[string]routeRecord  // by topicKey
	subscribers map[string][]string     // tabIds by topicKey, sorted
	other       []string                // keys that are none of these, sorted
}

// The records as they stand in the storage (DATABUS-RECORD-001, DATABUS-RECORD-003).
type workerRecord struct {
	WorkerID     string `json:"workerId"`
	TabID        string `json:"tabId"`
	Load         int    `json:"load"`
	Role         string `json:"role"`
	Status       string `json:"status"`
	Visibility   string `json:"visibilityState"`
	HeartbeatAt  int64  `json:"heartbeatAt"`
	RegisteredAt int64  `json:"registeredAt"`
}

type routeRecord struct {
	TopicKey    string `json:"topicKey"`
	WorkerID    string `json:"workerId"`
	TabID       string `json:"tabId"`
	UpdatedAt   int64  `json:"updatedAt"`
	Generation  int64  `json:"generation"`
	HandoffFrom string `json:"handoffFromWorkerId"`
	ConfirmedAt int64  `json:"confirmedAt"` // 0: not confirmed
}

// Snapshot takes one. What cannot be read as a record stands in other only.
func (o *origin) Snapshot() *snapshot {
	s := &snapshot{workers: map[string]workerRecord{}, routes: map[string]routeRecord{}, subscribers: map[string][]string{}}
	o.t.MustAsk("snapshot", struct{}{}, &s.snapshotReply)
	for key, value := range s.Storage {
		s.read(key, value)
	}
	for key := range s.subscribers {
		slices.Sort(s.subscribers[key])
	}
	slices.Sort(s.other)
	return s
}

func (s *snapshot) read(key, value string) {
	parts := strings.Split(key, ":")
	if len(parts) >= 4 {
		id := strings.Join(parts[3:], ":")
		switch parts[2] {
		case "worker":
			var w workerRecord
			if json.Unmarshal([]byte(value), &w) == nil {
				s.workers[id] = w
				return
			}
		case "route":
			var r routeRecord
			if json.Unmarshal([]byte(value), &r) == nil {
				s.routes[id] = r
				return
			}
		case "subscriber":
			if topic, tabID, ok := strings.Cut(id, ":"); ok {
				s.subscribers[topic] = append(s.subscribers[topic], tabID)
				return
			}
		}
	}
	s.other = append(s.other, key)
}

// Route returns the stored route of a topic, and whether there is one.
func (s *snapshot) Route(topic string) (routeRecord, bool) {
	r, ok := s.routes[hash(topic)]
	return r, ok
}

// Owner returns the worker that the stored route of a topic names, empty if there is none.
func (s *snapshot) Owner(topic string) string { return s.routes[hash(topic)].WorkerID }

// Worker returns the stored record of the worker of a tab, and whether there is one.
func (s *snapshot) Worker(t *tab) (workerRecord, bool) {
	w, ok := s.workers[t.worker]
	return w, ok
}

// Subscribers returns the tabIds of the stored subscribers of a topic, sorted.
func (s *snapshot) Subscribers(topic string) []string { return s.subscribers[hash(topic)] }

// Assigned returns the names of the tabs that own a topic in memory, sorted.
func (s *snapshot) Assigned(topic string) []string {
	return s.tabs(func(v *tabView) bool { return slices.Contains(v.Assigned, topic) })
}

// Served returns the names of the tabs to which the server sends a topic, sorted.
func (s *snapshot) Served(topic string) []string {
	return s.tabs(func(v *tabView) bool { return slices.Contains(v.Server, topic) })
}

func (s *snapshot) tabs(is func(*tabView) bool) []string {
	var out []string
	for name, v := range s.Tabs {
		if is(v) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Tab returns what a tab knows; one that has crashed knows nothing.
func (s *snapshot) Tab(t *tab) *tabView {
	if v := s.Tabs[t.name]; v != nil {
		return v
	}
	return &tabView{}
}
