package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverResyncCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/resync/beyond-the-end",
			Title:    "a cursor that the session never reached",
			Laws:     []string{"EVENTBUS-RESYNC-005", "EVENTBUS-RESYNC-006", "EVENTBUS-RESYNC-007"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(3).last()
				r := w.resets(x, "EVENTBUS-RESYNC-005", last+1000)
				w.equals("EVENTBUS-RESYNC-006", "lastDeliveredId is the cursor", r.resync(), "lastDeliveredId", last+1000)
				w.equals("EVENTBUS-RESYNC-006", "earliestAvailableId is the first id that is kept", r.resync(), "earliestAvailableId", 1)
				w.Check(r.first() == 1 && holes(r.frames) == "" && r.last() >= last, "EVENTBUS-RESYNC-007", "all that is kept is replayed, whatever the cursor",
					fmt.Sprintf("ids 1 to %d", last), r.String())
			}),
		},
		{
			ID:       "eventbus/server/resync/next-id",
			Title:    "a cursor one beyond the last id resets, the last id does not",
			Laws:     []string{"EVENTBUS-RESYNC-005"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(2).last()
				for range maxTries {
					r := x.resume("one-beyond", last+1, ask{})
					if e := r.resync(); e != nil {
						w.Check(e.text("reason") == "epoch_reset", "EVENTBUS-RESYNC-005", "a cursor at or beyond the next id resets", "epoch_reset", e.String())
						up := x.upToDate("at-the-end", last)
						w.Check(up.resync() == nil, "EVENTBUS-RESYNC-005", "the last id does not reset", "no resync", up.String())
						return
					}
					// Without a reset the session must have gone on by itself: the id after the last one exists.
					later := x.resume("look", last, ask{})
					if !w.Check(len(later.frames) > 0, "EVENTBUS-RESYNC-005", "a cursor one beyond the last id resets", "state_resync_required", r.String()) {
						return
					}
					last = later.last()
				}
				w.Inconclusive("the target published between each of %d resumptions", maxTries)
			}),
		},
		{
			ID:       "eventbus/server/resync/fresh-session",
			Title:    "a cursor from another life on a session that has just been opened",
			Laws:     []string{"EVENTBUS-RESYNC-006", "EVENTBUS-RESYNC-005"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions),
			Run: overHTTP(func(w *webT) {
				r := w.resets(w.open(), "EVENTBUS-RESYNC-005", 7000)
				w.equals("EVENTBUS-RESYNC-006", "earliestAvailableId is the first id there is or will be", r.resync(), "earliestAvailableId", 1)
			}),
		},
		{
			ID:       "eventbus/server/resync/is-first",
			Title:    "the resync is the first frame, and the only one of its kind",
			Laws:     []string{"EVENTBUS-RESYNC-003"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(3).last()
				r := w.resets(x, "EVENTBUS-RESYNC-003", last+1000)
				w.Check(r.opening[0] == r.resync(), "EVENTBUS-RESYNC-003", "the resync precedes all replayed frames", "state_resync_required first", r.opening[0].String())
				w.Check(len(r.resyncs()) == 1, "EVENTBUS-RESYNC-003", "at most one leading resync is sent", "1", fmt.Sprint(len(r.resyncs())))
			}),
		},
		{
			ID:       "eventbus/server/resync/goes-on",
			Title:    "replay, replay_complete and live events follow a resync on the same stream",
			Laws:     []string{"EVENTBUS-RESYNC-004"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(3).last()
				w.resets(x, "EVENTBUS-RESYNC-004", last+1000).goesOn(x, "EVENTBUS-RESYNC-004")
			}),
		},
		{
			ID:       "eventbus/server/resync/members",
			Title:    "a reset without an epoch has three members of data and no detail",
			Laws:     []string{"EVENTBUS-RESYNC-006"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(1).last()
				e := w.resets(x, "EVENTBUS-RESYNC-006", last+1000).resync()
				w.exactly("EVENTBUS-RESYNC-006", "data of a reset has three members", e, "earliestAvailableId lastDeliveredId reason")
				w.Check(webNames(e.envelope) == "_meta data type v", "EVENTBUS-RESYNC-006", "the envelope holds v, type and data, and _meta on the wire", "_meta data type v", webNames(e.envelope))
			}),
		},
		{
			ID:       "eventbus/server/resync/uses-no-id",
			Title:    "resets of one client leave no hole in the ids of another",
			Laws:     []string{"EVENTBUS-ID-005"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(2)
				for range 4 {
					w.resets(x, "EVENTBUS-ID-005", 1<<40).stream.close()
					x.settle(live)
				}
				all := live.numbered()
				w.Check(holes(all) == "", "EVENTBUS-ID-005", "a resync takes no id", "ids with step 1", span(all)+" "+holes(all))
			}),
		},
	}
}

// resets resumes at a cursor beyond the end and ends the case unless the stream begins with a reset.
func (w *webT) resets(x *webSession, law string, cursor int64) *webReplay {
	r := x.resume("beyond", cursor, ask{})
	if e := r.resync(); e == nil || e.text("reason") != "epoch_reset" {
		w.Step()
		w.Stopped(conformance.Break{Law: law, Reason: "a cursor beyond the last id begins with an epoch_reset", Expected: "state_resync_required, reason epoch_reset", Seen: r.String()})
	}
	return r
}
