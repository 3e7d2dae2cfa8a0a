package eventbustest

import "github.com/seed-6f28358b/assay/conformance"

func serverStampCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/stamp/every-frame",
			Title:    "every frame carries a numeric serverTimestamp, synthetic ones too",
			Laws:     []string{"EVENTBUS-SSE-004"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(3)
				replay, reset := x.resume("replay", 0, ask{}), x.resume("reset", 1<<40, ask{})
				for _, st := range []*webStream{live, replay.stream, reset.stream} {
					for _, e := range st.events {
						w.Check(e.timestamp() != "", "EVENTBUS-SSE-004", "_meta.serverTimestamp is a number", "a number", e.String()+", _meta "+webClip(string(e.envelope["_meta"]), 100))
					}
				}
			}),
		},
		{
			ID:       "eventbus/server/stamp/kept-in-the-replay",
			Title:    "live and replayed copies of an event carry the time of its publication",
			Laws:     []string{"EVENTBUS-SSE-004", "EVENTBUS-PUBLISH-004"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(4)
				first, second := x.resume("first", 0, ask{}), x.resume("second", 0, ask{})
				stamps := map[int64]string{}
				for _, e := range first.frames {
					stamps[e.id()] = e.timestamp()
				}
				for _, e := range second.frames {
					w.Check(stamps[e.id()] == e.timestamp(), "EVENTBUS-SSE-004", "two replays of an event carry the same time", stamps[e.id()], e.timestamp())
				}
				for _, e := range live.numbered() {
					w.Check(stamps[e.id()] == e.timestamp(), "EVENTBUS-PUBLISH-004", "a replay carries the time of the live copy", e.timestamp(), stamps[e.id()])
				}
			}),
		},
		{
			ID:       "eventbus/server/stamp/whole-envelope-in-the-replay",
			Title:    "a replayed event equals its live copy, member by member",
			Laws:     []string{"EVENTBUS-PUBLISH-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(4)
				replayed := map[int64]string{}
				for _, e := range x.resume("replay", 0, ask{}).frames {
					replayed[e.id()] = e.compact()
				}
				for _, e := range live.numbered() {
					w.Check(replayed[e.id()] == e.compact(), "EVENTBUS-PUBLISH-001", "what a subscriber gets live and by replay is equal",
						webClip(e.compact(), 300), webClip(replayed[e.id()], 300))
				}
			}),
		},
		{
			ID:       "eventbus/server/stamp/same-for-every-stream",
			Title:    "streams of one session get each event once, equal and in the same order",
			Laws:     []string{"EVENTBUS-PUBLISH-006", "EVENTBUS-SUBSCRIBE-006"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				a, b, c := x.live("a"), x.live("b"), x.live("c")
				first := x.settle(a, b, c)
				for range 5 {
					x.publish()
				}
				last := x.settle(a, b, c)
				want := between(a, first, last)
				for _, st := range []*webStream{b, c} {
					got := between(st, first, last)
					w.Check(equalIDs(got, want) && holes(got) == "", "EVENTBUS-PUBLISH-006", "each live subscriber gets each event once", span(want), span(got)+" "+holes(got))
					for i := range min(len(got), len(want)) {
						w.Check(got[i].compact() == want[i].compact(), "EVENTBUS-SUBSCRIBE-006", "subscribers of one session see equal events",
							webClip(want[i].compact(), 300), webClip(got[i].compact(), 300))
					}
				}
			}),
		},
	}
}

// between returns the numbered events from the first that holds a word to the first that holds another.
func between(st *webStream, first, last string) []*webEvent {
	var out []*webEvent
	for _, e := range st.numbered() {
		if len(out) > 0 || e.holds(first) {
			out = append(out, e)
		}
		if len(out) > 0 && e.holds(last) {
			break
		}
	}
	return out
}
