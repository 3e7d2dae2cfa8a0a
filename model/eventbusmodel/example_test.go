package eventbusmodel_test

import (
	"context"
	"fmt"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// A subscriber with room for two frames does not drain, and is evicted by the third.
func ExampleBus() {
	m, err := eventbusmodel.NewBus(eventbusmodel.BusConfig{MaxQueuedBytes: 100})
	if err != nil {
		panic(err)
	}
	s := m.Init()
	take := func(a eventbusmodel.BusAction) eventbusmodel.BusOutput {
		next, o, ok := m.Do(s, a)
		if !ok {
			panic("impossible")
		}
		s = next
		return o
	}
	take(eventbusmodel.BusAction{Op: eventbusmodel.OpSubscribe, MaxQueued: 2})
	for range 3 {
		take(eventbusmodel.BusAction{Op: eventbusmodel.OpPublish, Input: eventbusmodel.Input{Type: "tick", Size: 10}})
	}
	for {
		o := take(eventbusmodel.BusAction{Op: eventbusmodel.OpNext})
		if o.Next != eventbusmodel.NextItem {
			fmt.Println(o.Next)
			return
		}
		if o.Item.Synthetic() {
			fmt.Println(o.Item.JSON())
		} else {
			fmt.Println(o.Item.ID)
		}
	}
	// Output:
	// 1
	// 2
	// {"v":1,"type":"slow_client_warning","data":{"queueSize":2,"maxQueued":2,"lastEventId":2}}
	// {"v":1,"type":"client_evicted","data":{"reason":"queue_overflow","droppedAfter":3,"queueSize":2,"maxQueued":2,"queuedBytes":20,"maxQueuedBytes":100}}
	// done
}

// Every interleaving of a small scope keeps every law.
func ExampleBusScopes() {
	scope := eventbusmodel.BusScopes(eventbusmodel.Seed)[5]
	scope.Config.Events = 2
	m, err := eventbusmodel.NewBus(scope.Config)
	if err != nil {
		panic(err)
	}
	r, err := model.Exhaust(context.Background(), m, model.ExhaustConfig[eventbusmodel.BusState, eventbusmodel.BusAction, eventbusmodel.BusOutput]{
		Invariants: m.Invariants(), EdgeInvariants: m.EdgeInvariants(),
	})
	fmt.Println(scope.Name, r.Complete, r.States, err)
	// Output: exits true 1836 <nil>
}

func ExampleParseStream() {
	s := eventbusmodel.ParseStream([]byte("retry: 3000\n\nid: 7\nevent: tick\ndata: {\"id\":7,\"v\":1,\"type\":\"tick\"}\n\n: heartbeat\n\n"))
	for _, e := range s.Events {
		envelope, ok := eventbusmodel.DecodeEnvelope(e.Data)
		fmt.Println(e.Type, e.LastEventID, envelope.ID, ok)
	}
	fmt.Println(s.Retry)
	// Output:
	// tick 7 7 true
	// 3000
}

func ExampleReducer() {
	m, err := eventbusmodel.NewReducer(eventbusmodel.ReducerConfig{Dialect: eventbusmodel.Later})
	if err != nil {
		panic(err)
	}
	v := m.Init()
	for _, f := range []eventbusmodel.ReducerFrame{
		{Type: "state_resync_required", Data: `{"reason":"ring_evicted","lastDeliveredId":1,"earliestAvailableId":9}`},
		{ID: 9, Type: "slow_client_warning", Data: `{"queueSize":1,"maxQueued":2,"lastEventId":9}`},
		{Type: "client_evicted", Data: `{"reason":"queue_overflow"}`},
	} {
		v = m.Outcomes(v, f)[0]
		fmt.Println(v)
	}
	// Output:
	// last 0; 1 resyncs, 0 warnings, 0 unrecognized, pending [], awaiting
	// last 9; 1 resyncs, 0 warnings, 0 unrecognized, pending [], awaiting
	// last 9; 1 resyncs, 0 warnings, 0 unrecognized, pending [], ended by client_evicted, awaiting
}
