package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// The smallest and the largest queue that can be asked for.
const (
	smallQueue = 16
	largeQueue = 2048
)

// What is published beside a reader that takes nothing: events that each fill much of a socket's buffer, in bursts that stay below
// the byte cap, so that a reader that keeps up is not overrun, and in the end more than systems hold for a connection: 4 MiB on the
// sending side of a Linux as it comes.
const (
	heavySize   = 100 << 10
	heavyBurst  = 18
	heavyEnough = 4 * heavyBurst // on such a Linux
	heavyMost   = 4 * heavyEnough
)

// An overflow is a session in which one reader took nothing for a while and another one kept up.
type overflow struct {
	x       *webSession
	reader  *webStream
	healthy *webStream // with the largest
	evicted *webEvent  // client_evicted on the reader; nil: it did not get to see it
}

// overflow opens a session with a reader that keeps up.
func (w *webT) overflow() *overflow {
	x := w.open()
	o := &overflow{x: x, healthy: x.opened("healthy", ask{query: fmt.Sprintf("maxQueued=%d", largeQueue)})}
	x.settle(o.healthy)
	return o
}

// stall has a new reader take nothing until n heavy events are published, and then everything. It reports whether the reader
// got to the end of what was published; if not its response has ended, or is about to: how soon it hears of that no law says.
func (o *overflow) stall(maxQueued, n int) bool {
	w, x := o.x.w, o.x
	o.reader = x.opened("reader", ask{query: fmt.Sprintf("maxQueued=%d", maxQueued)})
	o.reader.conn.Hold()
	for ; n > 0; n -= heavyBurst {
		x.heavy(o.healthy, min(n, heavyBurst))
	}
	word := x.settle(o.healthy)
	o.reader.conn.Release()
	kept := o.reader.await(func(e *webEvent) bool { return e.holds(word) || e.kind() == "client_evicted" }, w.Timing().Reply+w.Timing().Close)
	if kept != nil && kept.kind() != "client_evicted" {
		return true
	}
	o.evicted = kept
	o.reader.read(w.Timing().Close)
	return false
}

// overrun publishes more than a reader with the smallest queue that takes nothing can be behind.
func (w *webT) overrun() *overflow { return w.overrunBy(smallQueue) }

func (w *webT) overrunBy(maxQueued int) *overflow {
	o := w.overflow()
	for n := 2 * heavyBurst; n <= heavyMost; n *= 2 {
		if !o.stall(maxQueued, n) {
			return o
		}
		o.reader.close()
	}
	w.Unsupported("%d events of %d KiB did not overrun a reader with maxQueued=%d that took nothing", heavyMost, heavySize>>10, maxQueued)
	return nil
}

// heavy publishes n heavy events at once and waits until a reader has them.
func (x *webSession) heavy(st *webStream, n int) {
	word := x.w.Unique("b")
	x.burstText(n, word+strings.Repeat("x", heavySize))
	x.came(st, n, word)
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

// laggard is a case with a reader that takes nothing for a while. It runs alone, since what it publishes is heavy.
func laggard(id, title string, versions, laws []string, run func(w *webT)) conformance.Case {
	return conformance.Case{ID: id, Title: title, Laws: laws, Versions: versions, Needs: webNeeds(WebPublish, WebBurst), Alone: true, Run: overHTTP(run)}
}

func serverEvictCases() []conformance.Case {
	return []conformance.Case{
		laggard("eventbus/server/evict/last-frame", "a reader that is overrun gets client_evicted as its last frame", bothDialects, []string{"EVENTBUS-SSE-005"}, func(w *webT) {
			o := w.overrun()
			if o.evicted == nil {
				w.Stopped(conformance.Break{
					Law: "EVENTBUS-SSE-005", Reason: "an overflow reaches the client as client_evicted", Timed: o.reader.resp.end == bodyOpen,
					Expected: "client_evicted", Seen: o.seen(),
				})
			}
			last := o.reader.events[len(o.reader.events)-1]
			w.Check(last == o.evicted, "EVENTBUS-SSE-005", "client_evicted is the last frame", "nothing behind it", last.String())
		}),
		laggard("eventbus/server/evict/clean-end", "the response of a reader that is overrun ends normally", bothDialects, []string{"EVENTBUS-SSE-005"}, func(w *webT) {
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
		laggard("eventbus/server/evict/queued-frames-first", "an evicted reader gets what was queued before, in order and without gap", bothDialects, []string{"EVENTBUS-SSE-005", "EVENTBUS-EVICT-002"}, func(w *webT) {
			o := w.overrun()
			o.mustEvict()
			all := o.reader.numbered()
			w.Check(holes(all) == "", "EVENTBUS-EVICT-002", "the frames before client_evicted are those that were queued", "ids with step 1", span(all)+" "+holes(all))
			w.Check(len(all) >= smallQueue, "EVENTBUS-SSE-005", "the frames that were queued are delivered", fmt.Sprintf("at least %d", smallQueue), span(all))
		}),
		laggard("eventbus/server/evict/members", "what client_evicted says", bothDialects, []string{"EVENTBUS-EVICT-003", "EVENTBUS-EVICT-005"}, func(w *webT) {
			e := w.overrun().mustEvict()
			w.Check(e.text("reason") == "queue_overflow", "EVENTBUS-EVICT-003", "a full queue evicts for its frames", "queue_overflow", e.String())
			w.equals("EVENTBUS-EVICT-003", "maxQueued is the cap of this reader", e, "maxQueued", smallQueue)
			w.equals("EVENTBUS-EVICT-003", "queueSize is the number of frames before the refused event", e, "queueSize", smallQueue)
			w.exactly("EVENTBUS-EVICT-005", "data holds the reason, droppedAfter and four measurements", e, "droppedAfter maxQueued maxQueuedBytes queueSize queuedBytes reason")
			bytes, ok := e.number("queuedBytes")
			w.Check(ok && bytes > 0, "EVENTBUS-EVICT-003", "queuedBytes is the size of what was queued", "a number over 0", e.String())
		}),
		laggard("eventbus/server/evict/bytes", "a reader with room for many more frames is evicted at the byte cap", bothDialects, []string{"EVENTBUS-EVICT-003", "EVENTBUS-EVICT-005", "EVENTBUS-EVICT-004", "EVENTBUS-SUBSCRIBE-005"}, func(w *webT) {
			o := w.overrunBy(largeQueue)
			e := o.mustEvict()
			w.Check(e.text("reason") == "queue_bytes_overflow", "EVENTBUS-EVICT-003", "a queue that is full by its octets evicts for them", "queue_bytes_overflow", e.String())
			w.exactly("EVENTBUS-EVICT-005", "data holds the reason, droppedAfter, four measurements and the size of the refused event", e, "droppedAfter eventBytes maxQueued maxQueuedBytes queueSize queuedBytes reason")
			w.equals("EVENTBUS-SUBSCRIBE-005", "maxQueuedBytes is 2 MiB", e, "maxQueuedBytes", 2<<20)
			w.equals("EVENTBUS-EVICT-003", "maxQueued is the cap of this reader", e, "maxQueued", largeQueue)
			queued, _ := e.number("queuedBytes")
			event, _ := e.number("eventBytes")
			w.Check(queued <= 2<<20 && queued+event > 2<<20, "EVENTBUS-EVICT-003", "the refused event would have gone over the cap, and what was queued had not", "queuedBytes + eventBytes over 2097152", e.String())
			w.equals("EVENTBUS-EVICT-004", "droppedAfter is the id of the refused event", e, "droppedAfter", o.reader.last()+1)
		}),
		laggard("eventbus/server/evict/no-id", "client_evicted has no id", bothDialects, []string{"EVENTBUS-EVICT-005", "EVENTBUS-ID-004"}, func(w *webT) {
			e := w.overrun().mustEvict()
			_, has := e.envelope["id"]
			w.Check(!has && len(e.idLines) == 0, "EVENTBUS-ID-004", "client_evicted has no id", "no id line and no member id", e.lines[0])
			w.Check(webNames(e.envelope) == "_meta data type v", "EVENTBUS-EVICT-005", "the envelope holds v, type and data, and _meta on the wire", "_meta data type v", webNames(e.envelope))
		}),
		laggard("eventbus/server/evict/dropped-after", "droppedAfter is the id of the first event that the reader did not get", bothDialects, []string{"EVENTBUS-EVICT-004"}, func(w *webT) {
			o := w.overrun()
			w.equals("EVENTBUS-EVICT-004", "droppedAfter is the id of the refused event", o.mustEvict(), "droppedAfter", o.reader.last()+1)
		}),
		laggard("eventbus/server/evict/byte-cap", "the byte cap is that of the server, whatever the query says", bothDialects, []string{"EVENTBUS-HTTP-005", "EVENTBUS-SUBSCRIBE-005"}, func(w *webT) {
			w.equals("EVENTBUS-HTTP-005", "maxQueuedBytes is 2 MiB", w.overrun().mustEvict(), "maxQueuedBytes", 2<<20)
		}),
		laggard("eventbus/server/evict/comes-back", "an evicted reader that resumes gets the refused event first", bothDialects, []string{"EVENTBUS-EVICT-007", "EVENTBUS-RING-004"}, func(w *webT) {
			o := w.overrun()
			last := o.reader.last()
			if last == 0 {
				w.Inconclusive("the reader got no event before it was evicted")
			}
			r := o.x.resume("again", last, ask{query: fmt.Sprintf("maxQueued=%d", largeQueue)})
			if e := r.resync(); e != nil && e.text("reason") == "ring_evicted" {
				w.Inconclusive("the burst was longer than what the target keeps")
			}
			w.Check(r.first() == last+1 && holes(r.frames) == "", "EVENTBUS-RING-004", "an event that was refused for one reader is kept", fmt.Sprintf("ids from %d, step 1", last+1), r.String())
			if r.resync() == nil { // a target need not replay megabytes
				r.goesOn(o.x, "EVENTBUS-EVICT-007")
			}
		}),
		laggard("eventbus/server/evict/others-stay", "a reader beside the evicted one gets every event", bothDialects, []string{"EVENTBUS-EVICT-007", "EVENTBUS-ID-005"}, func(w *webT) {
			o := w.overrun()
			all := o.healthy.numbered()
			w.Check(holes(all) == "" && len(all) > heavyBurst, "EVENTBUS-EVICT-007", "other readers are not affected", fmt.Sprintf("over %d events, step 1", heavyBurst), span(all)+" "+holes(all))
			// A frame that is made for one reader takes no id, so that no id is missing before and behind it.
			o.x.settle(o.healthy)
			all = o.healthy.numbered()
			w.Check(holes(all) == "", "EVENTBUS-ID-005", "an eviction uses no id", "ids with step 1", span(all)+" "+holes(all))
			w.Check(len(o.healthy.all(ofKind("client_evicted"))) == 0, "EVENTBUS-EVICT-007", "the eviction is told to the evicted reader only", "no client_evicted", o.healthy.seen())
		}),
	}
}
