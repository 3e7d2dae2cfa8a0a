package eventbustest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// warnTries bounds the search for a warning.
const warnTries = 12

func serverWarnCases() []conformance.Case {
	return []conformance.Case{
		laggard("eventbus/server/warn/before-an-eviction", "a reader is warned before it is evicted for its frames", bothDialects, []string{"EVENTBUS-WARN-001"}, func(w *webT) {
			o := w.overrun()
			o.mustEvict()
			w.Check(len(o.warnings()) > 0, "EVENTBUS-WARN-001", "a queue that fills up passes the warning line first", "slow_client_warning", o.seen())
			for _, e := range o.warnings() {
				n, _ := e.number("queueSize")
				bytes, _ := e.number("queuedBytes")
				w.Check(n >= 0.75*smallQueue || bytes >= 0.75*(2<<20), "EVENTBUS-WARN-001", "a warning comes at three quarters of a cap", "queueSize of at least 12", e.String())
			}
		}),
		laggard("eventbus/server/warn/behind-its-trigger", "a warning stands right behind the event that caused it", bothDialects, []string{"EVENTBUS-WARN-007", "EVENTBUS-WARN-008"}, func(w *webT) {
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
		laggard("eventbus/server/warn/base-members", "a warning says no more than the seed lets it say", seedOnly, []string{"EVENTBUS-WARN-008"}, func(w *webT) {
			for _, e := range w.warned().warnings() {
				w.exactly("EVENTBUS-WARN-008", "data holds queueSize, maxQueued and lastEventId", e, "lastEventId maxQueued queueSize")
			}
		}),
		laggard("eventbus/server/warn/members", "a warning tells frames and bytes, and which of them it is about", laterOnly, []string{"EVENTBUS-WARN-009"}, func(w *webT) {
			for _, e := range w.warned().warnings() {
				w.exactly("EVENTBUS-WARN-009", "data has six members", e, "lastEventId maxQueued maxQueuedBytes queueSize queuedBytes threshold")
				w.Check(strings.Contains(" frames bytes frames_and_bytes ", " "+e.text("threshold")+" "), "EVENTBUS-WARN-009", "threshold names the dimension", "frames, bytes or frames_and_bytes", e.text("threshold"))
			}
		}),
		laggard("eventbus/server/warn/is-private", "a reader that keeps up gets no warning of another one's", bothDialects, []string{"EVENTBUS-WARN-010", "EVENTBUS-ID-004"}, func(w *webT) {
			o := w.warned()
			for _, e := range o.warnings() {
				w.Check(e.synthetic() && len(e.idLines) == 0, "EVENTBUS-ID-004", "a warning has no id", "no id", e.lines[0])
			}
			for _, e := range o.healthy.all(ofKind("slow_client_warning")) {
				// The other reader may have lagged itself: its own cap tells whose warning it is.
				n, _ := e.number("maxQueued")
				w.Check(n != smallQueue, "EVENTBUS-WARN-010", "a warning goes to the reader that lags", "no warning with its cap on another stream", e.String())
			}
		}),
	}
}

// warnings returns the warnings of the reader.
func (o *overflow) warnings() []*webEvent { return o.reader.all(ofKind("slow_client_warning")) }

// warned finds the number of events at which a reader that takes nothing is warned and not yet overrun: how many the systems on
// both ends hold for it is theirs to choose, and the range above that has only a quarter of its queue. A target on which that
// number is never the same twice cannot be judged.
func (w *webT) warned() *overflow {
	o := w.overflow()
	few, many := 0, heavyEnough
	for range warnTries {
		n := (few + many) / 2
		switch kept := o.stall(smallQueue, n); {
		case kept && len(o.warnings()) > 0:
			return o
		case kept:
			few = n
		default:
			many = n
		}
		o.reader.close()
		if many-few <= 1 {
			few, many = max(0, few-heavyBurst), min(heavyEnough, many+heavyBurst)
		}
	}
	w.Unsupported("between %d and %d events of %d KiB brought a reader with maxQueued=%d no warning in %d tries", few, many, heavySize>>10, smallQueue, warnTries)
	return nil
}
