package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverWarnCases() []conformance.Case {
	needs := webNeeds(WebPublish, WebBurst)
	return []conformance.Case{
		{
			ID:       "eventbus/server/warn/before-an-eviction",
			Title:    "a reader is warned before it is evicted for its frames",
			Laws:     []string{"EVENTBUS-WARN-001"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.overrun()
				o.mustEvict()
				w.check(len(o.warnings()) > 0, "EVENTBUS-WARN-001", "a queue that fills up passes the warning line first", "slow_client_warning", o.seen())
				for _, e := range o.warnings() {
					n, _ := e.number("queueSize")
					bytes, _ := e.number("queuedBytes")
					w.check(n >= 0.75*smallQueue || bytes >= 0.75*(2<<20), "EVENTBUS-WARN-001", "a warning comes at three quarters of a cap", "queueSize of at least 12", e.String())
				}
			}),
		},
		{
			ID:       "eventbus/server/warn/behind-its-trigger",
			Title:    "a warning stands right behind the event that caused it",
			Laws:     []string{"EVENTBUS-WARN-007", "EVENTBUS-WARN-008"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.warned()
				var before *webEvent
				for _, e := range o.reader.events {
					if e.kind() == "slow_client_warning" && before != nil {
						w.equals("EVENTBUS-WARN-007", "the warning follows the event that it names", e, "lastEventId", before.id())
						w.equals("EVENTBUS-WARN-008", "maxQueued is the cap of this reader", e, "maxQueued", smallQueue)
					}
					if !e.synthetic() {
						before = e
					}
				}
			}),
		},
		{
			ID:       "eventbus/server/warn/base-members",
			Title:    "a warning says no more than the seed lets it say",
			Laws:     []string{"EVENTBUS-WARN-008"},
			Versions: seedOnly,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				for _, e := range w.warned().warnings() {
					w.exactly("EVENTBUS-WARN-008", "data holds queueSize, maxQueued and lastEventId", e, "lastEventId maxQueued queueSize")
				}
			}),
		},
		{
			ID:       "eventbus/server/warn/members",
			Title:    "a warning tells frames and bytes, and which of them it is about",
			Laws:     []string{"EVENTBUS-WARN-009"},
			Versions: laterOnly,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				for _, e := range w.warned().warnings() {
					w.exactly("EVENTBUS-WARN-009", "data has six members", e, "lastEventId maxQueued maxQueuedBytes queueSize queuedBytes threshold")
					w.check(strings.Contains(" frames bytes frames_and_bytes ", " "+e.text("threshold")+" "), "EVENTBUS-WARN-009", "threshold names the dimension", "frames, bytes or frames_and_bytes", e.text("threshold"))
				}
			}),
		},
		{
			ID:       "eventbus/server/warn/is-private",
			Title:    "a reader that keeps up gets no warning of another one's",
			Laws:     []string{"EVENTBUS-WARN-010", "EVENTBUS-ID-004"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.warned()
				for _, e := range o.warnings() {
					w.check(e.synthetic() && len(e.idLines) == 0, "EVENTBUS-ID-004", "a warning has no id", "no id", e.lines[0])
				}
				for _, e := range o.healthy.all(ofKind("slow_client_warning")) {
					// The other reader may have lagged itself: its own cap tells whose warning it is.
					n, _ := e.number("maxQueued")
					w.check(n != smallQueue, "EVENTBUS-WARN-010", "a warning goes to the reader that lags", "no warning with its cap on another stream", e.String())
				}
			}),
		},
	}
}

// warnings returns the warnings of the reader.
func (o *overflow) warnings() []*webEvent { return o.reader.all(ofKind("slow_client_warning")) }

// warned opens two readers and publishes bursts that just fit into the small queue until a warning has come on it. A target that
// always keeps up cannot be judged.
func (w *webT) warned() *overflow {
	x := w.open()
	o := &overflow{x: x, healthy: x.opened("healthy", ask{query: "maxQueued=2048"})}
	x.settle(o.healthy)
	for try := range warnTries {
		if o.reader == nil || o.reader.resp.end != bodyOpen {
			o.reader = x.opened("reader", ask{query: fmt.Sprintf("maxQueued=%d", smallQueue)})
		}
		count := smallQueue - try%4
		x.came(o.healthy, count, x.burst(count))
		word := x.settle(o.healthy)
		o.reader.await(holding(word), w.Timing().Reply)
		if len(o.warnings()) > 0 {
			return o
		}
	}
	w.Unsupported("%d bursts of up to %d events brought a reader with maxQueued=%d no warning", warnTries, smallQueue, smallQueue)
	return nil
}
