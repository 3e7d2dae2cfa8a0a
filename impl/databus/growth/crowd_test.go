package growth

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// A shelf is a storage in memory that counts how it is used. Each call but Keys takes the same time however much it holds.
type shelf struct {
	held   map[string]string
	keys   []string       // in the order in which they came; empty: gone since
	places map[string]int // in keys
	gone   int

	looks, reads, writes int
}

func newShelf() *shelf { return &shelf{held: map[string]string{}, places: map[string]int{}} }

func (s *shelf) Get(key string) (string, bool, error) {
	s.reads++
	value, ok := s.held[key]
	return value, ok, nil
}

func (s *shelf) Set(key, value string) error {
	s.writes++
	if _, ok := s.held[key]; !ok {
		s.places[key] = len(s.keys)
		s.keys = append(s.keys, key)
	}
	s.held[key] = value
	return nil
}

func (s *shelf) Remove(key string) error {
	s.writes++
	at, ok := s.places[key]
	if !ok {
		return nil
	}
	s.keys[at] = ""
	s.gone++
	delete(s.held, key)
	delete(s.places, key)
	return nil
}

func (s *shelf) Keys() ([]string, error) {
	s.looks++
	if s.gone > 0 {
		s.keys, s.gone = slices.DeleteFunc(s.keys, func(key string) bool { return key == "" }), 0
		for at, key := range s.keys {
			s.places[key] = at
		}
	}
	return slices.Clone(s.keys), nil
}

// A still clock shows what it is told, and nothing is ever due.
type still struct{ now int64 }

func (c *still) Now() int64 { return c.now }

func (c *still) After(int64, func()) (stop func()) { return func() {} }

func (c *still) Every(int64, func()) (stop func()) { return func() {} }

// A sink is a channel on which nobody listens.
type sink struct{ posts *int }

func (s sink) Post(signal.Frame) error { *s.posts++; return nil }

func (s sink) Close() {}

// A crowd is one tab among many records of others.
type crowd struct {
	*cluster.Cluster
	shelf *shelf
	clock *still
	posts int
	micro []func()
}

const begin = 1_000_000 // ms

var keys = record.NewKeys("", "crowd")

func topicName(i int) string { return fmt.Sprintf("topic %d", i) }

// newCrowd returns a tab that has not started, after so many others have registered, each a subscriber of so many topics, whose routes
// name the first others in turn.
func newCrowd(tb testing.TB, others, topics int) *crowd {
	c := &crowd{shelf: newShelf(), clock: &still{begin}}
	for i := range others {
		w := record.Worker{
			WorkerID: fmt.Sprintf("w%06d", i), TabID: fmt.Sprintf("t%06d", i), Role: record.Standby, Status: record.Connected,
			Visibility: record.Visible, HeartbeatAt: begin, RegisteredAt: begin - int64(others-i),
		}
		c.put(keys.Worker(w.WorkerID), w.Encode())
	}
	for i := range topics {
		key := record.Hash(topicName(i))
		owner := fmt.Sprintf("%06d", i%min(others, 3))
		r := record.Route{
			TopicKey: key, WorkerID: "w" + owner, TabID: "t" + owner, UpdatedAt: begin, Generation: 1, ConfirmedAt: begin,
		}
		c.put(keys.Route(key), r.Encode())
		s := record.Subscriber{TopicKey: key, TabID: fmt.Sprintf("t%06d", i%others), UpdatedAt: begin}
		c.put(keys.Subscriber(key, s.TabID), s.Encode())
	}
	made, err := cluster.New(cluster.Config{
		Rules: cluster.Fenced(), ClusterKey: "crowd", TabID: "me", WorkerID: "me", Storage: c.shelf, Clock: c.clock,
		Open:  func(string) (cluster.Channel, error) { return sink{&c.posts}, nil },
		Defer: func(f func()) { c.micro = append(c.micro, f) },
	})
	if err != nil {
		tb.Fatal(err)
	}
	c.Cluster = made
	return c
}

func (c *crowd) put(key, value string) { _ = c.shelf.Set(key, value) }

// do runs a task and its microtasks.
func (c *crowd) do(task func()) {
	task()
	for len(c.micro) > 0 {
		f := c.micro[0]
		c.micro = c.micro[1:]
		f()
	}
}

// started returns a crowd whose tab has started and subscribes the first so many topics.
func started(tb testing.TB, others, topics, wanted int) *crowd {
	c := newCrowd(tb, others, topics)
	c.want(wanted)
	c.do(c.Start)
	return c
}

// want has the tab subscribe the first so many topics.
func (c *crowd) want(topics int) {
	for i := range topics {
		c.do(func() { c.Subscribe(topicName(i)) })
	}
}

// owning returns a crowd whose tab owns so many topics, each of which another tab subscribes too.
func owning(tb testing.TB, others, topics int) *crowd {
	c := newCrowd(tb, others, topics)
	for i := range topics {
		_ = c.shelf.Remove(keys.Route(record.Hash(topicName(i))))
	}
	// While the others are hidden, new topics come to whom is visible.
	for _, key := range slices.Clone(c.shelf.keys) {
		if parsed := keys.Parse(key); parsed.Family == record.WorkerFamily {
			w, err := record.DecodeWorker(c.shelf.held[key])
			if err != nil {
				tb.Fatal(err)
			}
			w.Visibility = record.Hidden
			c.put(key, w.Encode())
		}
	}
	c.want(topics)
	c.do(c.Start)
	if got := len(c.Assigned()); got != topics {
		tb.Fatalf("owns %d topics of %d", got, topics)
	}
	return c
}

// A growth is one thing that a tab does, by how many tabs or topics there are, or how many of them it concerns.
type growth struct {
	name string
	// make returns what is measured, for a size; each call does it once more. again: it prepares that, and is not measured.
	make func(tb testing.TB, n int) (c *crowd, do func(), again func())
	// most is what the time may grow with, as an exponent of the size, and changed how many keys change at most, for a size.
	most float64
}

func growths() []growth {
	nothing := func() {}
	return []growth{
		{"heartbeat, by tabs", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, n, 10, 10)
			return c, func() { c.do(c.Tick) }, nothing
		}, 1},
		{"heartbeat, by topics of others", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, 3, n, 0)
			return c, func() { c.do(c.Tick) }, nothing
		}, 1},
		{"heartbeat, by own topics", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, 3, n, n)
			return c, func() { c.do(c.Tick) }, nothing
		}, 1},
		{"heartbeat, by owned topics", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := owning(tb, 3, n)
			return c, func() { c.do(c.Tick) }, nothing
		}, 1},
		{"heartbeat, by tabs and own topics", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, n, n, n)
			return c, func() { c.do(c.Tick) }, nothing
		}, 1},
		{"reconcile, by topics whose owners died", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, n, n, n)
			return c, func() { c.do(func() { c.Receive(signal.Registry{SourceWorkerID: "x"}) }) }, func() {
				for i := range n {
					key := record.Hash(topicName(i))
					r := record.Route{TopicKey: key, WorkerID: "dead", TabID: "dead", UpdatedAt: begin, Generation: 1, ConfirmedAt: begin}
					c.put(keys.Route(key), r.Encode())
				}
				c.posts = 0
			}
		}, 1},
		{"reconcile, by owned topics whose routes have gone", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := owning(tb, 3, n)
			return c, func() { c.do(func() { c.Receive(signal.Registry{SourceWorkerID: "x"}) }) }, func() {
				for i := range n {
					key := record.Hash(topicName(i))
					r := record.Route{TopicKey: key, WorkerID: "w000000", TabID: "t000000", UpdatedAt: begin, Generation: 2, ConfirmedAt: begin}
					c.put(keys.Route(key), r.Encode())
					c.do(func() {
						r.WorkerID, r.TabID, r.ConfirmedAt = "me", "me", 0
						c.put(keys.Route(key), r.Encode())
						c.Receive(signal.Control{
							Action: signal.Subscribe, Topic: topicName(i), TopicKey: key, SourceWorkerID: "x", TargetWorkerID: "me",
						})
					})
					r.WorkerID, r.TabID, r.ConfirmedAt = "w000000", "t000000", begin
					c.put(keys.Route(key), r.Encode())
				}
			}
		}, 1},
		{"subscribe and unsubscribe, by tabs", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, n, 10, 0)
			return c, func() { c.do(func() { c.Subscribe("new") }); c.do(func() { c.Unsubscribe("new") }) }, nothing
		}, 1},
		{"subscribe and unsubscribe, by topics of others", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, 3, n, 0)
			return c, func() { c.do(func() { c.Subscribe("new") }); c.do(func() { c.Unsubscribe("new") }) }, nothing
		}, 1},
		{"publish, by tabs", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, n, 10, 0)
			return c, func() { _ = c.Publish(topicName(0), []byte("1")) }, nothing
		}, 1},
		{"return, by own topics", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := started(tb, 3, n, n)
			return c, func() { c.do(c.PageShow) }, func() { c.do(c.PageHide) }
		}, 1},
		{"handoff, by owned topics", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := owning(tb, 3, n)
			return c, func() { c.do(c.PageHide) }, func() {
				for i := range n {
					_ = c.shelf.Remove(keys.Route(record.Hash(topicName(i))))
				}
				c.do(c.PageShow)
				if got := len(c.Assigned()); got != n {
					tb.Fatalf("owns %d topics of %d", got, n)
				}
			}
		}, 1},
		{"handoff, by tabs and owned topics", func(tb testing.TB, n int) (*crowd, func(), func()) {
			c := owning(tb, n, n)
			return c, func() { c.do(c.PageHide) }, func() {
				for i := range n {
					_ = c.shelf.Remove(keys.Route(record.Hash(topicName(i))))
				}
				c.do(c.PageShow)
			}
		}, 1},
	}
}
