package observe_test

import (
	"fmt"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

func Example() {
	metrics := &observe.InMemory{}
	bag := observe.Bag{Metrics: metrics}

	bag.Gauge(observe.OutboxDepth, observe.Labels{Obj: "jobs"}, 2)
	bag.Count(observe.OpsEnqueued, observe.Labels{}, 2)

	for _, g := range metrics.Snapshot().Named(observe.OutboxDepth).Gauges {
		fmt.Println(g.Obj, g.Value)
	}
	// Output: jobs 2
}
