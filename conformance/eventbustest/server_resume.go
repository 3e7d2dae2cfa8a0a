package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverResumeCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/resume/no-cursor-is-live-only",
			Title:    "a stream without Last-Event-ID brings nothing older and no synthetic frame",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				before := x.primed(3).last()
				st := x.live("a")
				x.settle(st)
				w.liveOnly(st, before, "EVENTBUS-SUBSCRIBE-002")
			}),
		},
		{
			ID:       "eventbus/server/resume/registered-with-the-head",
			Title:    "what is published once the head has arrived is delivered",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				for range 4 {
					st := x.live("a")
					word := x.publish()
					st.expect("EVENTBUS-SUBSCRIBE-001", "an event that is published after the stream was opened is delivered on it", "an event that holds the word just published", holding(word))
					st.close()
				}
			}),
		},
		{
			ID:       "eventbus/server/resume/cursor-zero",
			Title:    "Last-Event-ID: 0 is a cursor and replays all that is kept",
			Laws:     []string{"EVENTBUS-SUBSCRIBE-003", "EVENTBUS-REPLAY-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(3).last()
				r := x.resumeUnder("EVENTBUS-SUBSCRIBE-003", "a", ask{after: "0"})
				r.follows("EVENTBUS-REPLAY-001", 0)
				w.Check(r.last() >= last, "EVENTBUS-REPLAY-001", "the replay reaches up to the last event", fmt.Sprintf("an id of at least %d", last), r.String())
			}),
		},
		{
			ID:       "eventbus/server/resume/every-cursor",
			Title:    "a stream resumed after each of the events there are brings what follows",
			Laws:     []string{"EVENTBUS-REPLAY-001", "EVENTBUS-HTTP-006"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				last := x.primed(8).last()
				for cursor := range last {
					r := x.resume(fmt.Sprintf("after-%d", cursor), cursor, ask{})
					r.follows("EVENTBUS-REPLAY-001", cursor)
					w.Check(r.last() >= last, "EVENTBUS-HTTP-006", "a resumed stream brings every event behind the cursor", fmt.Sprintf("ids up to %d", last), r.String())
					r.stream.close()
				}
			}),
		},
		{
			ID:       "eventbus/server/resume/up-to-date",
			Title:    "a cursor equal to the last id brings nothing but replay_complete",
			Laws:     []string{"EVENTBUS-REPLAY-009", "EVENTBUS-REPLAY-004"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				from := x.primed(2).last()
				for range maxTries {
					r := x.resume("a", from, ask{})
					if w.Check(r.resync() == nil, "EVENTBUS-REPLAY-009", "the last id is up to date, not beyond the end", "no state_resync_required", r.String()); len(r.frames) == 0 {
						w.exactly("EVENTBUS-REPLAY-004", "an empty replay has no last replayed id", r.complete, "replayedCount")
						w.equals("EVENTBUS-REPLAY-004", "an empty replay counts no frame", r.complete, "replayedCount", 0)
						return
					}
					from = r.last()
					r.stream.close()
				}
				w.Inconclusive("the target published between each of %d resumptions", maxTries)
			}),
		},
		{
			ID:       "eventbus/server/resume/twice-the-same",
			Title:    "two streams resumed at the same place get equal replays",
			Laws:     []string{"EVENTBUS-REPLAY-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(6)
				a, b := x.resume("a", 2, ask{}), x.resume("b", 2, ask{})
				n := min(len(a.frames), len(b.frames))
				w.Check(n > 0 && equalIDs(a.frames[:n], b.frames[:n]), "EVENTBUS-REPLAY-001", "the same cursor brings the same events", a.String(), b.String())
				for i := range n {
					w.Check(a.frames[i].compact() == b.frames[i].compact(), "EVENTBUS-REPLAY-001", "the same event is the same in both replays",
						webClip(a.frames[i].compact(), 300), webClip(b.frames[i].compact(), 300))
				}
			}),
		},
		{
			ID:       "eventbus/server/resume/goes-live",
			Title:    "live events follow the replay on the same stream, without gap or repeat",
			Laws:     []string{"EVENTBUS-REPLAY-008"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				cursor := x.primed(5).last() - 3
				r := x.resume("a", max(cursor, 0), ask{})
				r.goesOn(x, "EVENTBUS-REPLAY-008")
			}),
		},
		{
			ID:       "eventbus/server/resume/after-a-lost-connection",
			Title:    "a reader that loses its connection again and again misses and repeats nothing",
			Laws:     []string{"EVENTBUS-REPLAY-008", "EVENTBUS-HTTP-006"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				var got []*webEvent
				st := x.primed(1)
				for i := range 6 {
					word := x.publish()
					st.expect("EVENTBUS-HTTP-006", "an event that is published arrives on the resumed stream", "an event that holds the word just published", holding(word))
					got = append(got, st.numbered()...)
					cursor := st.last()
					if i%2 == 0 {
						st.conn.Reset()
					} else {
						st.close()
					}
					// What is published while nobody reads has to be replayed.
					x.publish()
					r := x.resume("again", cursor, ask{})
					w.Check(r.resync() == nil, "EVENTBUS-HTTP-006", "the last id that was received can be resumed", "no state_resync_required", r.String())
					st = r.stream
				}
				w.Check(holes(got) == "", "EVENTBUS-REPLAY-008", "over all connections each event is received once and in order", "ids with step 1", span(got)+" "+holes(got))
			}),
		},
		{
			ID:       "eventbus/server/resume/while-events-are-published",
			Title:    "streams resumed in the middle of a burst see every event once",
			Laws:     []string{"EVENTBUS-REPLAY-008", "EVENTBUS-CONCURRENCY-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebBurst, WebKeepsMany),
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.opened("live", ask{query: "maxQueued=2048"})
				x.settle(live)
				word := x.burst(200)
				var streams []*webStream
				for i := range 8 {
					streams = append(streams, x.opened(fmt.Sprintf("resumed-%d", i), ask{after: "1", query: "maxQueued=2048"}))
				}
				x.came(live, 200, word)
				x.settle(streams...)
				for _, st := range streams {
					all := st.numbered()
					w.Check(len(all) > 200 && all[0].id() == 2 && holes(all) == "", "EVENTBUS-CONCURRENCY-002", "an event is seen in the replay or live, never both or neither",
						"over 200 events from id 2 on, step 1", span(all)+" "+holes(all))
					w.Check(len(st.all(ofKind("replay_complete"))) == 1, "EVENTBUS-REPLAY-008", "one replay_complete stands between replay and live", "1", fmt.Sprint(len(st.all(ofKind("replay_complete")))))
				}
			}),
		},
		{
			ID:       "eventbus/server/resume/header-name-in-any-case",
			Title:    "the name of the header is read whatever its case",
			Laws:     []string{"EVENTBUS-HTTP-006"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(2)
				for _, name := range []string{"last-event-id", "LAST-EVENT-ID"} {
					st := x.opened("a", ask{fields: []webField{{name, "0"}}})
					st.expect("EVENTBUS-HTTP-006", "a header field name has no case", "replay_complete", ofKind("replay_complete"))
				}
			}),
		},
	}
}

// liveOnly breaks law unless a stream, which has been settled, brought no event up to an id and no synthetic frame.
func (w *webT) liveOnly(st *webStream, before int64, law string) {
	for _, e := range st.events {
		w.Check(!e.synthetic(), law, "a stream without a cursor brings no synthetic frame", "none", e.String())
		w.Check(e.synthetic() || e.id() > before, law, "a stream without a cursor brings nothing older", fmt.Sprintf("ids over %d", before), e.String())
	}
}
