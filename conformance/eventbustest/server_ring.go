package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverRingCases() []conformance.Case {
	needs := webNeeds(WebSessions, WebPublish, WebBurst, WebRing)
	return []conformance.Case{
		{
			ID:       "eventbus/server/ring/keeps-the-newest",
			Title:    "after more events than the ring holds, the newest of that number are kept",
			Laws:     []string{"EVENTBUS-RING-001"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				_, r := w.overflowed()
				w.Check(len(r.frames) == w.ring() && holes(r.frames) == "", "EVENTBUS-RING-001", "exactly the newest events that the ring holds are replayed",
					fmt.Sprintf("%d events, step 1", w.ring()), r.String()+" "+holes(r.frames))
			}),
		},
		{
			ID:       "eventbus/server/ring/not-full-yet",
			Title:    "as long as the ring is not full nothing is dropped",
			Laws:     []string{"EVENTBUS-RING-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebBurst, WebRing, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.filled(w.ring() - 60)
				if last > int64(w.ring()) {
					w.Inconclusive("the burst made %d events, more than the ring of %d holds", last, w.ring())
				}
				r := x.resume("a", 0, ask{})
				if r.last() <= int64(w.ring()) {
					w.Check(r.first() == 1 && r.resync() == nil, "EVENTBUS-RING-002", "an event is dropped only when the ring holds more than its size", "ids from 1, no resync", r.String())
				}
			}),
		},
		{
			ID:       "eventbus/server/ring/evicted-frame",
			Title:    "a cursor that the ring has left behind begins with ring_evicted",
			Laws:     []string{"EVENTBUS-RESYNC-002", "EVENTBUS-RESYNC-003"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				_, r := w.overflowed()
				e := w.evicted("EVENTBUS-RESYNC-002", r)
				w.equals("EVENTBUS-RESYNC-002", "lastDeliveredId is the cursor", e, "lastDeliveredId", 0)
				w.equals("EVENTBUS-RESYNC-002", "earliestAvailableId is the first id that is kept", e, "earliestAvailableId", r.first())
				w.exactly("EVENTBUS-RESYNC-002", "data of ring_evicted has three members", e, "earliestAvailableId lastDeliveredId reason")
				w.Check(webNames(e.envelope) == "_meta data type v", "EVENTBUS-RESYNC-002", "the envelope holds v, type and data, and _meta on the wire", "_meta data type v", webNames(e.envelope))
				w.Check(r.opening[0] == e && len(r.resyncs()) == 1, "EVENTBUS-RESYNC-003", "the resync is the first frame, and the only one", "state_resync_required first, once", r.opening[0].String())
			}),
		},
		{
			ID:       "eventbus/server/ring/count-is-of-frames",
			Title:    "replayedCount behind a resync counts the frames and not the ids",
			Laws:     []string{"EVENTBUS-REPLAY-003"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				_, r := w.overflowed()
				w.counts(r)
			}),
		},
		{
			ID:       "eventbus/server/ring/edge",
			Title:    "the cursor just before the first kept id reports no gap, the one before that does",
			Laws:     []string{"EVENTBUS-RESYNC-001"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, r := w.overflowed()
				first, seenNone, seenOne := r.first(), false, false
				r.stream.close()
				for range maxTries {
					for _, cursor := range []int64{first - 1, first - 2} {
						r := x.resume(fmt.Sprintf("after-%d", cursor), cursor, ask{})
						// The ring may have moved on: what counts is the first id of this very replay.
						first = r.first()
						gap := first > cursor+1
						w.Check((r.resync() != nil) == gap, "EVENTBUS-RESYNC-001", "a resync comes exactly if the first kept id is over the cursor plus 1",
							fmt.Sprintf("resync %v for cursor %d and first kept id %d", gap, cursor, first), r.String())
						seenNone, seenOne = seenNone || first == cursor+1, seenOne || first == cursor+2
						r.stream.close()
					}
					if seenNone && seenOne {
						return
					}
				}
				w.Inconclusive("the target published between each of %d resumptions", maxTries)
			}),
		},
		{
			ID:       "eventbus/server/ring/reset-of-a-full-ring",
			Title:    "a cursor beyond the end replays the whole ring from its first id",
			Laws:     []string{"EVENTBUS-RESYNC-006", "EVENTBUS-RESYNC-007"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, before := w.overflowed()
				r := w.resets(x, "EVENTBUS-RESYNC-007", before.last()+100_000)
				w.Check(len(r.frames) == w.ring() && holes(r.frames) == "", "EVENTBUS-RESYNC-007", "a reset replays all that is kept", fmt.Sprintf("%d events, step 1", w.ring()), r.String()+" "+holes(r.frames))
				w.equals("EVENTBUS-RESYNC-006", "earliestAvailableId is the first id that is kept", r.resync(), "earliestAvailableId", r.first())
			}),
		},
		{
			ID:       "eventbus/server/ring/goes-on",
			Title:    "live events follow ring_evicted on the same stream",
			Laws:     []string{"EVENTBUS-RESYNC-004"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, r := w.overflowed()
				w.evicted("EVENTBUS-RESYNC-004", r)
				r.goesOn(x, "EVENTBUS-RESYNC-004")
			}),
		},
		{
			ID:       "eventbus/server/ring/reset-before-eviction",
			Title:    "a cursor beyond the end is a reset even when the ring has dropped events",
			Laws:     []string{"EVENTBUS-RESYNC-005", "EVENTBUS-RESYNC-003"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, before := w.overflowed()
				r := w.resets(x, "EVENTBUS-RESYNC-005", before.last()+100_000)
				w.Check(len(r.resyncs()) == 1, "EVENTBUS-RESYNC-003", "a reset excludes ring_evicted", "1 resync", fmt.Sprint(len(r.resyncs())))
			}),
		},
	}
}

// maxRing is the largest ring that a case overflows, in events.
const maxRing = 2000

func (w *webT) ring() int { return w.http().Ring }

// overflowed opens a session, publishes more events than its ring holds, and resumes at 0.
func (w *webT) overflowed() (*webSession, *webReplay) {
	if w.ring() > maxRing {
		w.Unsupported("a ring of %d events is too large to overflow, at most %d are", w.ring(), maxRing)
	}
	x := w.open()
	x.filled(w.ring() + 20)
	return x, x.resume("overflowed", 0, ask{})
}

// evicted ends the case unless a replay begins with ring_evicted.
func (w *webT) evicted(law string, r *webReplay) *webEvent {
	e := r.resync()
	if e == nil || e.text("reason") != "ring_evicted" {
		w.Step()
		w.Stopped(conformance.Break{Law: law, Reason: "a cursor that the ring has left behind begins with ring_evicted", Expected: "state_resync_required, reason ring_evicted", Seen: r.String()})
	}
	return e
}
