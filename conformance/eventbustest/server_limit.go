package eventbustest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverLimitCases() []conformance.Case {
	needs := webNeeds(WebSessions, WebPublish, WebSubscribers)
	return []conformance.Case{
		{
			ID:       "eventbus/server/limit/as-many-as-promised",
			Title:    "the promised number of streams is served, each with every event",
			Laws:     []string{"EVENTBUS-LIMIT-001", "EVENTBUS-PUBLISH-006"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, streams := w.crowded()
				word := x.publish()
				for _, st := range streams {
					st.expect("EVENTBUS-PUBLISH-006", "one event reaches every live stream", "an event that holds the word just published", holding(word))
				}
				st := x.stream("too-many", ask{})
				st.answers(!st.streams() || len(st.numbered()) == 0, "EVENTBUS-LIMIT-001", "one stream more is refused", "a refusal")
				w.refused(x, st, "EVENTBUS-LIMIT-001")
			}),
		},
		{
			ID:       "eventbus/server/limit/status-429",
			Title:    "one stream too many is answered with 429 and says when to come back",
			Laws:     []string{"EVENTBUS-LIMIT-005"},
			Versions: laterOnly,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				const law = "EVENTBUS-LIMIT-005"
				x, _ := w.crowded()
				st := x.stream("too-many", ask{})
				if !st.answers(st.resp.status == 429, law, "one stream too many is answered with 429", "429") {
					return
				}
				after, _ := st.resp.field("Retry-After")
				w.Check(after == "5", law, "the refusal says when to come back", "Retry-After: 5", "Retry-After: "+after)
				var body struct {
					Error, Code string
					Limit       int
				}
				_ = json.Unmarshal(st.body, &body) // what is missing shows as empty
				st.answers(body.Error != "" && body.Code == "subscriber_limit_exceeded" && body.Limit == w.limit(), law, "the refusal is JSON with error, code and limit",
					fmt.Sprintf(`error, code "subscriber_limit_exceeded", limit %d`, w.limit()))
			}),
		},
		{
			ID:       "eventbus/server/limit/stream-error",
			Title:    "one stream too many gets a readable stream_error and ends",
			Laws:     []string{"EVENTBUS-LIMIT-004", "EVENTBUS-SSE-006"},
			Versions: seedOnly,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, _ := w.crowded()
				st := x.stream("too-many", ask{})
				if !st.answers(st.streams(), "EVENTBUS-LIMIT-004", "the refused client gets a stream that says why", "200 and an event stream") {
					return
				}
				e := st.expect("EVENTBUS-LIMIT-004", "the refused client gets a stream_error instead of an empty stream", "stream_error", ofKind("stream_error"))
				text := e.text("error")
				w.Check(text != "" && text != "absent", "EVENTBUS-LIMIT-004", "stream_error tells what is wrong", "data.error that is not empty", e.String())
				w.Check(e.synthetic(), "EVENTBUS-SSE-006", "stream_error has no id", "no id", e.lines[0])
				end := st.ends(w.Timing().Close)
				w.Check(end.clean() && st.events[len(st.events)-1] == e, "EVENTBUS-SSE-006", "stream_error is the last frame of a response that ends", "a clean end behind stream_error", st.seen())
			}),
		},
		{
			ID:       "eventbus/server/limit/refusal-changes-nothing",
			Title:    "a refused stream leaves the others as they are",
			Laws:     []string{"EVENTBUS-LIMIT-003"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, streams := w.crowded()
				for range 3 {
					w.refused(x, x.stream("too-many", ask{after: "0"}), "EVENTBUS-LIMIT-003")
				}
				word := x.publish()
				for _, st := range streams {
					st.expect("EVENTBUS-LIMIT-003", "streams that are open go on when another one is refused", "an event that holds the word just published", holding(word))
					all := st.numbered()
					w.Check(holes(all) == "", "EVENTBUS-LIMIT-003", "a refusal uses no id", "ids with step 1", span(all)+" "+holes(all))
				}
			}),
		},
		{
			ID:       "eventbus/server/limit/slot-of-a-closed-stream",
			Title:    "when one stream is closed another one finds room",
			Laws:     []string{"EVENTBUS-LIMIT-003", "EVENTBUS-ABORT-002"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, streams := w.crowded()
				w.refused(x, x.stream("too-many", ask{}), "EVENTBUS-LIMIT-003")
				streams[0].close()
				w.room(x, 1, "EVENTBUS-LIMIT-003")
			}),
		},
		{
			ID:       "eventbus/server/limit/slots-of-lost-connections",
			Title:    "streams whose connections were reset give their slots back, with nothing published",
			Laws:     []string{"EVENTBUS-ABORT-002", "EVENTBUS-SUBSCRIBE-007"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				x, streams := w.crowded()
				for _, st := range streams {
					st.conn.Reset()
				}
				w.room(x, w.limit(), "EVENTBUS-ABORT-002")
				// Slots that were given back twice would make room for one more.
				w.refused(x, x.stream("too-many", ask{}), "EVENTBUS-SUBSCRIBE-007")
			}),
		},
		{
			ID:       "eventbus/server/limit/of-each-session",
			Title:    "a full session leaves room in another",
			Laws:     []string{"EVENTBUS-LIMIT-001"},
			Versions: bothDialects,
			Needs:    needs,
			Run: overHTTP(func(w *webT) {
				w.crowded()
				y := w.open()
				st := y.stream("other", ask{})
				st.answers(st.streams(), "EVENTBUS-LIMIT-001", "the limit is that of one session", "200, text/event-stream")
				y.settle(st)
			}),
		},
	}
}

// maxCrowd is the largest number of streams that a case opens in one session.
const maxCrowd = 256

func (w *webT) limit() int { return w.http().Subscribers }

// crowded opens a session with as many streams as it takes.
func (w *webT) crowded() (*webSession, []*webStream) {
	if w.limit() > maxCrowd {
		w.Unsupported("%d streams are too many to open, at most %d are", w.limit(), maxCrowd)
	}
	x := w.open()
	var streams []*webStream
	for i := range w.limit() {
		st := x.stream(fmt.Sprintf("stream-%d", i+1), ask{})
		if !st.streams() {
			w.Blocked("prerequisite", "stream %d of %d: expected a stream, seen %s", i+1, w.limit(), st.answer())
		}
		streams = append(streams, st)
	}
	return x, streams
}

// refused breaks law unless a stream was refused as the dialect says: with a status, or with stream_error and an end.
func (w *webT) refused(x *webSession, st *webStream, law string) {
	defer st.close()
	if w.Version() == "later" || !st.streams() {
		st.answers(st.resp.status == 429, law, "a stream over the limit is refused", "429")
		return
	}
	st.expect(law, "a stream over the limit is refused", "stream_error", ofKind("stream_error"))
	st.ends(w.Timing().Close)
}

// room opens n streams, and breaks law if that does not succeed in time: a server may need a moment to see that a connection is gone.
func (w *webT) room(x *webSession, n int, law string) {
	deadline := time.Now().Add(w.Timing().Close)
	for opened := 0; opened < n; {
		st := x.stream("room", ask{})
		if st.streams() && (w.Version() == "later" || st.await(ofKind("stream_error"), w.Timing().Quiet/10) == nil) {
			opened++
			continue
		}
		w.Step()
		if time.Now().After(deadline) {
			w.Stopped(conformance.Break{
				Law: law, Reason: "the slot of a stream whose connection has ended is free again", Timed: true,
				Expected: fmt.Sprintf("%d streams within %v", n, w.Timing().Close), Seen: fmt.Sprintf("%d, then %s", opened, st.answer()),
			})
		}
		// A refused request is over, so that nothing can be waited for on it.
		w.pause(w.Timing().Quiet / 10)
	}
}

// pause lets time pass where nothing can be waited for.
func (w *webT) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.Context().Done():
	}
}
