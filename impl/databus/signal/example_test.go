package signal_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

func ExampleEncode() {
	octets, err := signal.Encode(signal.Event{
		SourceWorkerID: "w1", EventType: signal.PublicationType, Payload: json.RawMessage(`{"topic":"x","data":1}`),
	})
	fmt.Println(string(octets), err)
	// Output:
	// {"type":"EVENT","sourceWorkerId":"w1","eventType":"DATABUS_PUBLICATION","payload":{"topic":"x","data":1}} <nil>
}

func ExampleDecode() {
	frame, err := signal.Decode([]byte(`{"type":"REGISTRY","sourceWorkerId":"w1"}`))
	fmt.Println(frame.Type(), frame.Source(), err)
	_, err = signal.Decode([]byte(`{"type":"REGISTRY"}`))
	fmt.Println(err)
	// Output:
	// REGISTRY w1 <nil>
	// databus: decode frame REGISTRY: sourceWorkerId: is no id
}
