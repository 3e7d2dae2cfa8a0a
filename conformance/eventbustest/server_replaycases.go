package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverReplayCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/replay/complete-in-every-case",
			Title:    "replay_complete comes once for cursors at the start, inside, at the end and beyond it",
			Laws:     []string{"EVENTBUS-REPLAY-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(3).last()
				for _, cursor := range []int64{0, last / 2, last, last + 1, last + 1000} {
					r := x.resumeUnder("EVENTBUS-REPLAY-002", fmt.Sprintf("after-%d", cursor), ask{after: fmt.Sprint(cursor)})
					x.settle(r.stream)
					n := len(r.stream.all(ofKind("replay_complete")))
					w.Check(n == 1, "EVENTBUS-REPLAY-002", "a resumed stream has exactly one replay_complete", "1", fmt.Sprint(n))
					r.stream.close()
				}
			}),
		},
		{
			ID:       "eventbus/server/replay/complete-stands-before-live-events",
			Title:    "replay_complete stands behind the last replayed event and before the first live one",
			Laws:     []string{"EVENTBUS-REPLAY-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(4)
				known := live.last()
				r := x.resume("a", 0, ask{})
				w.Check(r.last() >= known, "EVENTBUS-REPLAY-002", "what was there before the stream was opened is replayed before replay_complete", fmt.Sprintf("ids up to %d", known), r.String())
				word := x.settle(r.stream)
				for _, e := range r.frames {
					w.Check(!e.holds(word), "EVENTBUS-REPLAY-002", "what is published later comes behind replay_complete", "no such event in the replay", e.String())
				}
			}),
		},
		{
			ID:       "eventbus/server/replay/complete-counts-the-frames",
			Title:    "replayedCount and lastReplayedEventId tell what was replayed",
			Laws:     []string{"EVENTBUS-REPLAY-003"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(6).last()
				for _, cursor := range []int64{0, last - 2, last + 50} {
					w.counts(x.resume("a", cursor, ask{}))
				}
			}),
		},
		{
			ID:       "eventbus/server/replay/members-of-complete",
			Title:    "replay_complete has no id and no members but those that are named",
			Laws:     []string{"EVENTBUS-REPLAY-003"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(3)
				e := x.resume("a", 0, ask{}).complete
				have := webNames(e.members())
				w.Check(have == "lastReplayedEventId replayedCount" || have == "lastEventId lastReplayedEventId replayedCount", "EVENTBUS-REPLAY-003",
					"data holds the count, the last id and at most its alias", "lastReplayedEventId replayedCount", have)
				w.Check(webNames(e.envelope) == "_meta data type v", "EVENTBUS-REPLAY-003", "the envelope holds v, type and data, and _meta on the wire", "_meta data type v", webNames(e.envelope))
			}),
		},
		{
			ID:       "eventbus/server/replay/alias-of-the-last-id",
			Title:    "lastEventId of replay_complete, where it is there, equals lastReplayedEventId",
			Laws:     []string{"EVENTBUS-REPLAY-005"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(3)
				r := x.resume("a", 0, ask{})
				if alias := r.complete.text("lastEventId"); alias != "absent" {
					w.Check(alias == r.complete.text("lastReplayedEventId"), "EVENTBUS-REPLAY-005", "the alias says the same", r.complete.text("lastReplayedEventId"), alias)
				}
			}),
		},
		{
			ID:       "eventbus/server/replay/passes-the-live-cap",
			Title:    "a replay far longer than maxQueued is delivered whole",
			Laws:     []string{"EVENTBUS-REPLAY-006"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebBurst, WebKeepsMany),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.filled(200)
				r := x.resume("a", 0, ask{query: "maxQueued=16"})
				w.Check(len(r.frames) >= 200 && holes(r.frames) == "", "EVENTBUS-REPLAY-006", "replayed frames are queued whatever maxQueued is", "at least 200 events, step 1", r.String()+" "+holes(r.frames))
				for _, e := range r.opening {
					w.Check(e.kind() != "slow_client_warning" && e.kind() != "client_evicted", "EVENTBUS-REPLAY-006", "a replay alone neither warns nor evicts", "neither", e.String())
				}
			}),
		},
		{
			ID:       "eventbus/server/replay/nobody-listened",
			Title:    "events that nobody listened to are kept",
			Laws:     []string{"EVENTBUS-RING-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				words := []string{x.publish(), x.publish(), x.publish()}
				r := x.resume("a", 0, ask{})
				x.settle(r.stream)
				all := r.stream.numbered()
				w.Check(len(all) > 0 && all[0].id() == 1 && holes(all) == "", "EVENTBUS-RING-001", "subscribers are not needed for an event to be kept", "ids from 1, step 1", span(all)+" "+holes(all))
				for _, word := range words {
					w.Check(len(r.stream.all(holding(word))) > 0, "EVENTBUS-RING-001", "each event that was published is there", "an event that holds its word", "none")
				}
			}),
		},
		{
			ID:       "eventbus/server/replay/synthetic-frames-are-not-kept",
			Title:    "what one stream got as synthetic frames is replayed to no other",
			Laws:     []string{"EVENTBUS-RING-003", "EVENTBUS-ID-005"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(2)
				for range 3 {
					r := x.resume("beyond", 1<<40, ask{})
					x.settle(live, r.stream)
				}
				x.settle(live)
				all := live.numbered()
				w.Check(holes(all) == "", "EVENTBUS-ID-005", "synthetic frames of others use no id", "ids with step 1", span(all)+" "+holes(all))
				r := x.resume("a", 0, ask{})
				for _, e := range r.opening {
					w.Check(!e.synthetic(), "EVENTBUS-RING-003", "a replay holds published events only", "none", e.String())
				}
			}),
		},
		{
			ID:       "eventbus/server/replay/positions-are-independent",
			Title:    "a stream resumed further back does not move another one's place",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-006"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(5).last()
				near, far := x.resume("near", last-1, ask{}), x.resume("far", 0, ask{})
				near.follows("EVENTBUS-SUBSCRIBE-006", last-1)
				far.follows("EVENTBUS-SUBSCRIBE-006", 0)
				x.settle(near.stream, far.stream)
				for _, r := range []*webReplay{near, far} {
					all := r.stream.numbered()
					w.Check(holes(all) == "", "EVENTBUS-SUBSCRIBE-006", "each stream has a place of its own", "ids with step 1", span(all)+" "+holes(all))
				}
			}),
		},
	}
}

// counts checks that replay_complete tells what was replayed.
func (w *webT) counts(r *webReplay) {
	const law = "EVENTBUS-REPLAY-003"
	w.equals(law, "replayedCount is the number of frames that were replayed", r.complete, "replayedCount", int64(len(r.frames)))
	if len(r.frames) > 0 {
		w.equals(law, "lastReplayedEventId is the id of the last replayed frame", r.complete, "lastReplayedEventId", r.last())
	}
}

// filled makes the session keep at least n events, most of them from one burst, and returns the last id that was seen.
func (x *webSession) filled(n int) int64 {
	st := x.opened("filling", ask{query: "maxQueued=2048"})
	x.settle(st)
	x.came(st, n, x.burst(n))
	x.settle(st)
	st.close()
	return st.last()
}
