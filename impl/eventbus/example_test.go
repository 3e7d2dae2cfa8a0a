package eventbus_test

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

func Example() {
	bus, err := eventbus.New(eventbus.Config{Now: func() time.Time { return time.UnixMilli(1719000000000) }})
	if err != nil {
		panic(err)
	}
	hello, err := eventbus.Encode(map[string]string{"text": "hello"})
	if err != nil {
		panic(err)
	}
	bus.Publish(eventbus.Input{Type: "session_update", Data: hello})

	s, err := bus.Subscribe(context.Background(), eventbus.Options{After: eventbus.After(0)})
	if err != nil {
		panic(err)
	}
	bus.Publish(eventbus.Input{Type: "session_update", Value: []int{1, 2}})
	bus.Close()
	for e := range s.All(context.Background()) {
		text, _ := e.AppendJSON(nil)
		fmt.Println(string(text))
	}
	// Output:
	// {"id":1,"v":1,"type":"session_update","data":{"text":"hello"},"_meta":{"serverTimestamp":1719000000000}}
	// {"v":1,"type":"replay_complete","data":{"replayedCount":1,"lastReplayedEventId":1,"lastEventId":1}}
	// {"id":2,"v":1,"type":"session_update","data":[1,2],"_meta":{"serverTimestamp":1719000000000}}
}

func ExampleSubscription_TryNext() {
	bus, err := eventbus.New(eventbus.Config{})
	if err != nil {
		panic(err)
	}
	slow, err := bus.Subscribe(context.Background(), eventbus.Options{MaxQueued: 4})
	if err != nil {
		panic(err)
	}
	for range 5 {
		bus.Publish(eventbus.Input{Type: "tick", Value: "tock"})
	}
	for e, ok := slow.TryNext(); ok; e, ok = slow.TryNext() {
		data, _ := e.Data()
		fmt.Println(e.ID, e.Type, data)
	}
	fmt.Println(slow.Ended(), bus.SubscriberCount())
	// Output:
	// 1 tick "tock"
	// 2 tick "tock"
	// 3 tick "tock"
	// 0 slow_client_warning {"queueSize":3,"maxQueued":4,"lastEventId":3}
	// 4 tick "tock"
	// 0 client_evicted {"reason":"queue_overflow","droppedAfter":5,"queueSize":4,"maxQueued":4,"queuedBytes":336,"maxQueuedBytes":2097152}
	// true 0
}

func ExampleBus_Subscribe() {
	bus, err := eventbus.New(eventbus.Config{RingSize: 3})
	if err != nil {
		panic(err)
	}
	for range 5 {
		bus.Publish(eventbus.Input{Type: "tick", Value: "tock"})
	}
	s, err := bus.Subscribe(context.Background(), eventbus.Options{After: eventbus.After(1)})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	for e, ok := s.TryNext(); ok; e, ok = s.TryNext() {
		data, _ := e.Data()
		fmt.Println(e.ID, e.Type, data)
	}
	// Output:
	// 0 state_resync_required {"reason":"ring_evicted","lastDeliveredId":1,"earliestAvailableId":3}
	// 3 tick "tock"
	// 4 tick "tock"
	// 5 tick "tock"
	// 0 replay_complete {"replayedCount":3,"lastReplayedEventId":5,"lastEventId":5}
}
