package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverEndCases() []conformance.Case {
	needs := webNeeds(WebSessions, WebPublish, WebShut)
	return []conformance.Case{
		{
			ID:       "eventbus/server/end/session-closed",
			Title:    "a session that is shut sends session_closed with the next id",
			Laws:     []string{"EVENTBUS-SSE-009"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.primed(2)
				x.shut()
				w.endsWith("session_closed", st)
			}),
		},
		{
			ID:       "eventbus/server/end/every-stream",
			Title:    "every stream of a session that is shut ends the same way",
			Laws:     []string{"EVENTBUS-SSE-009"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				a := x.primed(2)
				b, c, d := x.live("b"), x.resume("c", 0, ask{}).stream, x.resume("d", 1<<40, ask{}).stream
				x.shut()
				streams := []*webStream{a, b, c, d}
				for _, st := range streams {
					w.endsWith("session_closed", st)
				}
				for _, st := range streams[1:] {
					w.Check(st.last() == a.last(), "EVENTBUS-SSE-009", "session_closed is one event for all", fmt.Sprintf("id %d", a.last()), fmt.Sprintf("id %d", st.last()))
				}
			}),
		},
		{
			ID:       "eventbus/server/end/clean",
			Title:    "the response of a stream whose session is shut ends normally",
			Laws:     []string{"EVENTBUS-SSE-009", "EVENTBUS-CLOSE-001"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				streams := []*webStream{x.primed(1), x.live("b"), x.resume("c", 0, ask{}).stream}
				x.shut()
				for _, st := range streams {
					w.endsCleanly(st, "EVENTBUS-SSE-009")
				}
			}),
		},
		{
			ID:       "eventbus/server/end/queued-events-first",
			Title:    "events published just before the end arrive before it",
			Laws:     []string{"EVENTBUS-CLOSE-001"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.live("a")
				var words []string
				for range 5 {
					words = append(words, x.publish())
				}
				x.shut()
				w.endsCleanly(st, "EVENTBUS-CLOSE-001")
				for _, word := range words {
					w.Check(len(st.all(holding(word))) > 0, "EVENTBUS-CLOSE-001", "what is queued is delivered before the end", "an event that holds the word", st.seen())
				}
				all := st.numbered()
				w.Check(holes(all) == "", "EVENTBUS-CLOSE-001", "nothing is lost before the end", "ids with step 1", span(all)+" "+holes(all))
			}),
		},
		{
			ID:       "eventbus/server/end/no-synthetic-frame",
			Title:    "the end of a session is told by no frame without an id",
			Laws:     []string{"EVENTBUS-CLOSE-001"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.primed(1)
				x.shut()
				w.endsCleanly(st, "EVENTBUS-CLOSE-001")
				for _, e := range st.events {
					w.Check(!e.synthetic(), "EVENTBUS-CLOSE-001", "closing a bus adds no synthetic frame", "none", e.String())
				}
			}),
		},
		{
			ID:       "eventbus/server/end/of-one-session-only",
			Title:    "another session goes on",
			Laws:     []string{"EVENTBUS-SSE-009"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, y := w.open(), w.open()
				a, b := x.primed(1), y.primed(1)
				x.shut()
				w.endsWith("session_closed", a)
				y.settle(b)
				w.Check(len(b.all(ofKind("session_closed"))) == 0 && b.resp.end == bodyOpen, "EVENTBUS-SSE-009", "only the session that was shut ends", "an open stream", b.seen())
			}),
		},
		{
			ID:       "eventbus/server/end/no-stream-afterwards",
			Title:    "a session that was shut has no streams to open",
			Laws:     []string{"EVENTBUS-HTTP-009"},
			Versions: laterOnly,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.primed(1)
				x.shut()
				st.ends(w.Timing().Close)
				again := x.stream("again", ask{after: "0"})
				again.answers(again.resp.status == 404, "EVENTBUS-HTTP-009", "a session that is gone is unknown", "404")
			}),
		},
		{
			ID:       "eventbus/server/end/in-the-middle-of-a-burst",
			Title:    "a session is shut while events stream: the stream ends normally and the server goes on",
			Laws:     []string{"EVENTBUS-CLOSE-004", "EVENTBUS-SSE-009"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebShut, WebBurst),
			Alone:    true,
			Run: overHTTP(func(w *webT) {
				for range 4 {
					x := w.open()
					st := x.opened("a", ask{query: "maxQueued=2048"})
					x.came(st, 1, x.burst(500))
					x.shut()
					w.endsCleanly(st, "EVENTBUS-CLOSE-004")
					all := st.numbered()
					w.Check(holes(all) == "", "EVENTBUS-CLOSE-004", "what arrives before the end has no gap", "ids with step 1", span(all)+" "+holes(all))
					w.endsWith("session_closed", st)
				}
				w.serves("EVENTBUS-CLOSE-004", "sessions were shut in the middle of a burst")
			}),
		},
	}
}

// endsWith waits for the end of a stream and breaks EVENTBUS-SSE-009 unless its last event is of that kind and has the next id.
func (w *webT) endsWith(kind string, st *webStream) {
	const law = "EVENTBUS-SSE-009"
	e := st.await(ofKind(kind), w.Timing().Close)
	if e == nil {
		w.Stopped(st.lack(law, "the end of a session is told by an event", kind))
	}
	st.ends(w.Timing().Close)
	w.Check(!e.synthetic(), law, kind+" is an ordinary event with an id", "an id", e.String())
	all := st.numbered()
	w.Check(holes(all) == "", law, kind+" carries the next id", "ids with step 1", span(all)+" "+holes(all))
	last := st.events[len(st.events)-1]
	w.Check(last == e, law, kind+" is the last event", "nothing behind it", last.String())
}

// endsCleanly waits for the end of a response and breaks law unless it is a normal one.
func (w *webT) endsCleanly(st *webStream, law string) {
	w.Step()
	if end := st.ends(w.Timing().Close); !end.clean() {
		w.Broken(conformance.Break{
			Law: law, Reason: "the response of a stream that is over ends normally", Expected: "the end of the body by its framing",
			Seen: st.seen(), Timed: end == bodyOpen,
		})
	}
}
