package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// How a reader is made to lag: with the smallest queue there is, by a burst that a target hands on at once.
const (
	smallQueue    = 16
	smallestBurst = 300
	burstTries    = 6
	warnTries     = 12
)

// An overflow is a session in which one reader was overrun and another one was not.
type overflow struct {
	x       *webSession
	reader  *webStream // with the smallest queue; its response has ended
	healthy *webStream // with the largest
	evicted *webEvent  // nil: the reader did not get to see it
}

// overrun opens two readers and publishes bursts until the response of the one with the small queue ends. A target may well
// keep up with a burst; one that always does cannot be judged.
func (w *webT) overrun() *overflow {
	x := w.open()
	o := &overflow{x: x, healthy: x.opened("healthy", ask{query: "maxQueued=2048"})}
	x.settle(o.healthy)
	for try := range burstTries {
		o.reader = x.opened("reader", ask{query: fmt.Sprintf("maxQueued=%d", smallQueue)})
		count := smallestBurst + 50*try
		x.came(o.healthy, count, x.burst(count))
		word := x.settle(o.healthy)
		// Either the reader gets what the healthy one got, or it is gone. How soon it hears of either no law says.
		kept := o.reader.await(func(e *webEvent) bool { return e.holds(word) || e.kind() == "client_evicted" }, w.Timing().Reply+w.Timing().Close)
		if kept == nil || kept.kind() == "client_evicted" {
			o.evicted = kept
			o.reader.read(w.Timing().Close)
			return o
		}
		o.reader.close()
	}
	w.Unsupported("%d bursts of %d events and more did not overrun a reader with maxQueued=%d", burstTries, smallestBurst, smallQueue)
	return nil
}

// seen tells how the reader's response ended, without what differs from run to run.
func (o *overflow) seen() string {
	var kinds []string
	for _, e := range o.reader.all(func(e *webEvent) bool { return e.synthetic() }) {
		kinds = append(kinds, e.kind())
	}
	return fmt.Sprintf("synthetic frames: %s; %s; body %s", strings.Join(kinds, ", "), span(o.reader.numbered()), o.reader.resp.state())
}

// mustEvict returns client_evicted, without which the case is blocked.
func (o *overflow) mustEvict() *webEvent {
	if o.evicted == nil {
		o.x.w.Note("evicted reader", "%s", o.seen())
		o.x.w.Blocked("eventbus/server/evict/last-frame", "client_evicted did not arrive")
	}
	return o.evicted
}

func serverEvictCases() []conformance.Case {
	needs := webNeeds(WebPublish, WebBurst)
	return []conformance.Case{
		{
			ID:       "eventbus/server/evict/last-frame",
			Title:    "a reader that is overrun gets client_evicted as its last frame",
			Laws:     []string{"EVENTBUS-SSE-005"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.overrun()
				if o.evicted == nil {
					w.Stopped(conformance.Break{
						Law: "EVENTBUS-SSE-005", Reason: "an overflow reaches the client as client_evicted", Timed: o.reader.resp.end == bodyOpen,
						Expected: "client_evicted", Seen: o.seen(),
					})
				}
				last := o.reader.events[len(o.reader.events)-1]
				w.check(last == o.evicted, "EVENTBUS-SSE-005", "client_evicted is the last frame", "nothing behind it", last.String())
			}),
		},
		{
			ID:       "eventbus/server/evict/clean-end",
			Title:    "the response of a reader that is overrun ends normally",
			Laws:     []string{"EVENTBUS-SSE-005"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.overrun()
				end := o.reader.resp.end
				w.Step()
				if !end.clean() {
					w.Broken(conformance.Break{
						Law: "EVENTBUS-SSE-005", Reason: "the response of an evicted reader is terminated normally", Timed: end == bodyOpen,
						Expected: "the end of the body by its framing", Seen: o.seen(),
					})
				}
			}),
		},
		{
			ID:       "eventbus/server/evict/queued-frames-first",
			Title:    "an evicted reader gets what was queued before, in order and without gap",
			Laws:     []string{"EVENTBUS-SSE-005", "EVENTBUS-EVICT-002"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.overrun()
				o.mustEvict()
				all := o.reader.numbered()
				w.check(holes(all) == "", "EVENTBUS-EVICT-002", "the frames before client_evicted are those that were queued", "ids with step 1", span(all)+" "+holes(all))
				w.check(len(all) >= smallQueue, "EVENTBUS-SSE-005", "the frames that were queued are delivered", fmt.Sprintf("at least %d", smallQueue), span(all))
			}),
		},
		{
			ID:       "eventbus/server/evict/members",
			Title:    "what client_evicted says",
			Laws:     []string{"EVENTBUS-EVICT-003", "EVENTBUS-EVICT-005"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				e := w.overrun().mustEvict()
				w.check(e.text("reason") == "queue_overflow", "EVENTBUS-EVICT-003", "a full queue evicts for its frames", "queue_overflow", e.String())
				w.equals("EVENTBUS-EVICT-003", "maxQueued is the cap of this reader", e, "maxQueued", smallQueue)
				w.equals("EVENTBUS-EVICT-003", "queueSize is the number of frames before the refused event", e, "queueSize", smallQueue)
				w.exactly("EVENTBUS-EVICT-005", "data holds the reason, droppedAfter and four measurements", e, "droppedAfter maxQueued maxQueuedBytes queueSize queuedBytes reason")
				bytes, ok := e.number("queuedBytes")
				w.check(ok && bytes > 0, "EVENTBUS-EVICT-003", "queuedBytes is the size of what was queued", "a number over 0", e.String())
			}),
		},
		{
			ID:       "eventbus/server/evict/no-id",
			Title:    "client_evicted has no id",
			Laws:     []string{"EVENTBUS-EVICT-005", "EVENTBUS-ID-004"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				e := w.overrun().mustEvict()
				_, has := e.envelope["id"]
				w.check(!has && len(e.idLines) == 0, "EVENTBUS-ID-004", "client_evicted has no id", "no id line and no member id", e.lines[0])
				w.check(webNames(e.envelope) == "_meta data type v", "EVENTBUS-EVICT-005", "the envelope holds v, type and data, and _meta on the wire", "_meta data type v", webNames(e.envelope))
			}),
		},
		{
			ID:       "eventbus/server/evict/dropped-after",
			Title:    "droppedAfter is the id of the first event that the reader did not get",
			Laws:     []string{"EVENTBUS-EVICT-004"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.overrun()
				w.equals("EVENTBUS-EVICT-004", "droppedAfter is the id of the refused event", o.mustEvict(), "droppedAfter", o.reader.last()+1)
			}),
		},
		{
			ID:       "eventbus/server/evict/byte-cap",
			Title:    "the byte cap is that of the server, whatever the query says",
			Laws:     []string{"EVENTBUS-HTTP-005", "EVENTBUS-SUBSCRIBE-005"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				w.equals("EVENTBUS-HTTP-005", "maxQueuedBytes is 2 MiB", w.overrun().mustEvict(), "maxQueuedBytes", 2<<20)
			}),
		},
		{
			ID:       "eventbus/server/evict/comes-back",
			Title:    "an evicted reader that resumes gets the refused event first",
			Laws:     []string{"EVENTBUS-EVICT-007", "EVENTBUS-RING-004"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.overrun()
				last := o.reader.last()
				if last == 0 {
					w.Inconclusive("the reader got no event before it was evicted")
				}
				r := o.x.resume("again", last, ask{query: "maxQueued=2048"})
				if e := r.resync(); e != nil && e.text("reason") == "ring_evicted" {
					w.Inconclusive("the burst was longer than what the target keeps")
				}
				w.check(r.first() == last+1 && holes(r.frames) == "", "EVENTBUS-RING-004", "an event that was refused for one reader is kept", fmt.Sprintf("ids from %d, step 1", last+1), r.String())
				r.goesOn(o.x, "EVENTBUS-EVICT-007")
			}),
		},
		{
			ID:       "eventbus/server/evict/others-stay",
			Title:    "a reader beside the evicted one gets every event",
			Laws:     []string{"EVENTBUS-EVICT-007", "EVENTBUS-ID-005"},
			Versions: bothDialects,
			Needs:    needs,
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				o := w.overrun()
				all := o.healthy.numbered()
				w.check(holes(all) == "" && len(all) > smallestBurst, "EVENTBUS-EVICT-007", "other readers are not affected", fmt.Sprintf("over %d events, step 1", smallestBurst), span(all)+" "+holes(all))
				// A frame that is made for one reader takes no id, so that no id is missing before and behind it.
				o.x.settle(o.healthy)
				all = o.healthy.numbered()
				w.check(holes(all) == "", "EVENTBUS-ID-005", "an eviction uses no id", "ids with step 1", span(all)+" "+holes(all))
				w.check(len(o.healthy.all(ofKind("client_evicted"))) == 0, "EVENTBUS-EVICT-007", "the eviction is told to the evicted reader only", "no client_evicted", o.healthy.seen())
			}),
		},
	}
}
