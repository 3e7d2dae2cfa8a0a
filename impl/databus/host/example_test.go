package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/host"
)

// A process subscribes a topic together with the others of its machine. Package socket has a transport to a real server.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	h, err := host.Open(host.Config{Dir: dir, Fault: func(err error) { fmt.Println(err) }})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := &databus.Server{}
	bus, err := h.New(databus.Config{Transport: server.Line(), ClusterKey: "wss://example.test", Rules: cluster.Fenced()})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := bus.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	got := make(chan string)
	if _, err := bus.Subscribe("price.feed", func(topic string, data json.RawMessage) { got <- topic + " " + string(data) }); err != nil {
		fmt.Println(err)
		return
	}
	bus.Publish("price.feed", json.RawMessage("42"))
	fmt.Println(<-got)
	// The process leaves: what it owns goes to the others.
	fmt.Println(h.Close(ctx))
	// Output:
	// price.feed 42
	// <nil>
}
