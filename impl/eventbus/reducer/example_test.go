package reducer_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed-6f28358b/assay/impl/eventbus/reducer"
)

func ExampleView_After() {
	v := reducer.New(reducer.Seed)
	for _, e := range []reducer.Event{
		{ID: 7, Type: "model_switched", Data: json.RawMessage(`{"sessionId":"s","modelId":"a"}`)},
		{Type: "state_resync_required", Data: json.RawMessage(`{"reason":"ring_evicted","lastDeliveredId":7,"earliestAvailableId":20}`)},
		{ID: 20, Type: "model_switched", Data: json.RawMessage(`{"sessionId":"s","modelId":"b"}`)},
	} {
		v = v.After(e)
	}
	fmt.Println(v.CurrentModelID, v.LastEventID, v.AwaitingResync)
	// Output: a 20 true
}
