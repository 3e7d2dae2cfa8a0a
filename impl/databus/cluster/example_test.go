package cluster_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

// still is a clock that stands still.
type still struct{}

func (still) Now() int64                 { return 1_000_000 }
func (still) After(int64, func()) func() { return func() {} }
func (still) Every(int64, func()) func() { return func() {} }

// Without a storage and a channel a tab owns what it subscribes.
func ExampleCluster() {
	c, err := cluster.New(cluster.Config{
		ClusterKey: "wss://example.test/stream", TabID: "tab1", WorkerID: "worker1", Clock: still{}, Defer: func(f func()) { f() },
		OnAssign:  func(topic string) { fmt.Println("transport subscribes", topic) },
		OnRelease: func(topic string) { fmt.Println("transport unsubscribes", topic) },
		OnPublish: func(topic string, data json.RawMessage) { fmt.Println("transport publishes", topic, string(data)) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Start()
	c.Subscribe("price.feed")
	if err := c.Publish("price.feed", json.RawMessage("42")); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.Coordinated(), c.Assigned())
	c.Stop()
	// Output:
	// transport subscribes price.feed
	// transport publishes price.feed 42
	// false [price.feed]
	// transport unsubscribes price.feed
}
