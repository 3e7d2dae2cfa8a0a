package databus_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-6f28358b/assay/impl/databus"
)

// Two tabs of one origin share one subscription at the server.
func Example() {
	ctx := context.Background()
	origin, server := &databus.Origin{}, &databus.Server{}
	got := make(chan string)
	var tabs []*databus.Bus
	for range 2 {
		bus, err := databus.New(databus.Config{Transport: server.Line(), Environment: origin.Environment(), ClusterKey: "wss://example.test"})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := bus.Start(ctx); err != nil {
			fmt.Println(err)
			return
		}
		if _, err := bus.Subscribe("price.feed", func(topic string, data json.RawMessage) { got <- topic + " " + string(data) }); err != nil {
			fmt.Println(err)
			return
		}
		tabs = append(tabs, bus)
	}
	tabs[1].Publish("price.feed", json.RawMessage("42"))
	fmt.Println(<-got)
	fmt.Println(<-got)
	fmt.Println(server.Subscribed("price.feed"))
	for _, bus := range tabs {
		if err := bus.Stop(ctx); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// price.feed 42
	// price.feed 42
	// 1
}
