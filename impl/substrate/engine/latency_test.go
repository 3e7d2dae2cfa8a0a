package engine

import (
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// SUBSTRATE-OBSERVE-005: a clock that was set back while the process was not there makes no latency that is less than none.
func TestObserveLatencyAfterAClockWasSetBack(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", "m")
	w.lose()
	w.now = w.now.Add(-24 * time.Hour)
	w.a.crash()
	w.connect()
	w.pump()
	for _, h := range w.a.metrics.Snapshot().Named(observe.AckLatency).Histograms {
		if h.Count != 2 || h.Min < 0 {
			t.Errorf("%d samples, the least %v ms", h.Count, h.Min)
		}
	}
	want(t, "acked", w.a.metrics.Snapshot().Total(observe.OpsAcked), 2)
}
