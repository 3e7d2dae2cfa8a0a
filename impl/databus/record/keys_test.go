package record

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// DATABUS-KEY-001
func TestKeys(t *testing.T) {
	k := NewKeys("", "x")
	root := "cross-tab-worker-databus:350cf08ecd12bd0d7f41ee7a93db2dd5"
	topic := Hash("price.feed")
	for got, want := range map[string]string{
		k.Worker("w1"):            root + ":worker:w1",
		k.Route(topic):            root + ":route:95d6d57b49595457c105bb5cb8414e50",
		k.Subscriber(topic, "t1"): root + ":subscriber:95d6d57b49595457c105bb5cb8414e50:t1",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if !strings.HasPrefix(NewKeys("app", "x").Worker("w"), "app:") {
		t.Error("the prefix is not that of the configuration")
	}
}

func TestParse(t *testing.T) {
	k := NewKeys("", "x")
	topic := Hash("price.feed")
	for key, want := range map[string]Key{
		k.Worker("w1"):                {Family: WorkerFamily, WorkerID: "w1"},
		k.Worker("a:b"):               {Family: WorkerFamily, WorkerID: "a:b"},
		k.Route(topic):                {Family: RouteFamily, TopicKey: topic},
		k.Subscriber(topic, "t1"):     {Family: SubscriberFamily, TopicKey: topic, TabID: "t1"},
		k.Subscriber(topic, "t:1:"):   {Family: SubscriberFamily, TopicKey: topic, TabID: "t:1:"},
		k.Worker(""):                  {},
		k.Route("price.feed"):         {},
		k.Subscriber("x", "t"):        {},
		k.Subscriber(topic, ""):       {},
		k.Probe():                     {},
		k.Channel():                   {},
		"other":                       {},
		NewKeys("", "y").Worker("w"):  {},
		NewKeys("p", "x").Worker("w"): {},
	} {
		if got := k.Parse(key); got != want {
			t.Errorf("Parse(%q) = %+v, want %+v", key, got, want)
		}
	}
}

// DATABUS-KEY-003, -004: no name holds the cluster key or the topic, and clusters share none.
func TestKeysProperty(t *testing.T) {
	marker := rapid.StringMatching(`[A-Z]{4,12}`)
	rapid.Check(t, func(t *rapid.T) {
		cluster, other, topic := marker.Draw(t, "cluster"), marker.Draw(t, "other"), marker.Draw(t, "topic")
		a, b := NewKeys("", cluster), NewKeys("", other)
		for _, key := range []string{a.Worker("w"), a.Route(Hash(topic)), a.Subscriber(Hash(topic), "t"), a.Probe(), a.Channel()} {
			if strings.Contains(key, cluster) || strings.Contains(key, topic) {
				t.Fatalf("%s shows %s or %s", key, cluster, topic)
			}
			if cluster != other && b.Parse(key) != (Key{}) {
				t.Fatalf("%s is a key of %s and of %s", key, cluster, other)
			}
		}
	})
}
