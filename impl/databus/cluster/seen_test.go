package cluster

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// TestSeen: what is kept of a key and its value is what they say, whatever stood there before, and no more is kept than there is.
func TestSeen(t *testing.T) {
	keys := record.NewKeys("", "x")
	topic := record.Hash("t")
	worker := record.Worker{WorkerID: "w", TabID: "a", Role: record.Active, Status: record.Connected, Visibility: record.Visible}
	route := record.Route{TopicKey: topic, WorkerID: "w", TabID: "a", Generation: 1}
	subscriber := record.Subscriber{TopicKey: topic, TabID: "a"}
	next := route
	next.Generation = 2
	values := rapid.SampledFrom([]string{worker.Encode(), route.Encode(), next.Encode(), subscriber.Encode(), "", "{"})
	names := rapid.SampledFrom([]string{keys.Worker("w"), keys.Route(topic), keys.Subscriber(topic, "a"), keys.Subscriber(topic, "b"), keys.Probe()})
	rapid.Check(t, func(t *rapid.T) {
		s := newSeen(keys)
		for range rapid.IntRange(1, 20).Draw(t, "looks") {
			name, value := names.Draw(t, "key"), values.Draw(t, "value")
			r := s.at(name)
			r.read(value)
			key := keys.Parse(name)
			want := reading{name: name, key: key}
			switch key.Family {
			case record.WorkerFamily:
				want.worker, want.err = record.DecodeWorker(value)
			case record.RouteFamily:
				want.route, want.err = record.DecodeRoute(key.TopicKey, value)
			case record.SubscriberFamily:
				want.subscriber, want.err = record.DecodeSubscriber(key, value)
			default:
				want.err = errNoRecord
			}
			got := reading{name: r.name, key: r.key, worker: r.worker, route: r.route, subscriber: r.subscriber, err: r.err}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(reading{}), cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })); diff != "" {
				t.Fatal(diff)
			}
			if s.routeOf(topic).name != keys.Route(topic) || s.subscriberOf(topic, "a") != keys.Subscriber(topic, "a") {
				t.Fatal("a key is another one")
			}
		}
	})
	s := newSeen(keys)
	for n := range 10_000 {
		s.at(keys.Worker(strconv.Itoa(n)))
		s.routeOf(record.Hash(strconv.Itoa(n)))
		s.trim(100)
		if len(s.byKey) > 2*100+64+2 || len(s.routes) > len(s.byKey) {
			t.Fatalf("%d keys and %d routes are kept of 100", len(s.byKey), len(s.routes))
		}
	}
}
