package record_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/databus/record"
)

func ExampleKeys() {
	keys := record.NewKeys("", "wss://example.test/stream")
	topicKey := record.Hash("price.feed")
	fmt.Println(keys.Route(topicKey))
	fmt.Println(keys.Parse(keys.Subscriber(topicKey, "tab1")))
	// Output:
	// cross-tab-worker-databus:c85e90322b598f2f9c8c71cdc528b88b:route:95d6d57b49595457c105bb5cb8414e50
	// {subscriber  95d6d57b49595457c105bb5cb8414e50 tab1}
}

func ExampleDecodeRoute() {
	topicKey := record.Hash("price.feed")
	route := record.Route{TopicKey: topicKey, WorkerID: "w1", TabID: "tab1", UpdatedAt: 1000, Generation: 1}
	stored := route.Encode()
	read, err := record.DecodeRoute(topicKey, stored)
	fmt.Println(read.WorkerID, read.Confirmed(), err)
	_, err = record.DecodeRoute(topicKey, stored[:10])
	fmt.Println(err != nil)
	// Output:
	// w1 false <nil>
	// true
}
