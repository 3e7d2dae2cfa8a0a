package eventbustest

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// Heartbeats come every 15 s; a busy machine may send one late. What comes within idleWatch fits into the deadline of a case.
const (
	beatInterval  = 15 * time.Second
	beatTolerance = 2 * time.Second
	idleWatch     = beatInterval + beatTolerance
)

func serverIdleCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/idle/heartbeat",
			Title:    "an idle stream gets a comment after 15 s, or is given up as the server says",
			Laws:     []string{"EVENTBUS-SSE-007", "EVENTBUS-SSE-008"},
			Versions: laterOnly,
			Needs:    webNeeds(),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.live("idle")
				opened := time.Now()
				st.watch(idleWatch)
				if e := st.await(ofKind("client_evicted"), 0); e != nil {
					w.idleEviction(st, e)
					return
				}
				w.Step()
				beat, ok := st.heartbeat()
				if !ok {
					w.Broken(conformance.Break{
						Law: "EVENTBUS-SSE-007", Reason: "an idle stream gets a heartbeat comment every 15 s", Timed: true,
						Expected: fmt.Sprintf(`": heartbeat" within %v`, idleWatch), Seen: st.seen(),
					})
					return
				}
				after := beat.at.Sub(opened)
				w.Note("heartbeat", "after %v", after.Round(100*time.Millisecond))
				w.Check(after > beatInterval-beatTolerance, "EVENTBUS-SSE-007", "a heartbeat comes after 15 s and not long before", "about 15 s", after.Round(time.Second).String())
				w.Check(beat.text == ": heartbeat", "EVENTBUS-SSE-007", "a heartbeat is a comment block", ": heartbeat", fmt.Sprintf("%q", webClip(beat.text, 60)))
				w.Check(len(st.blocks.rest()) == 0, "EVENTBUS-SSE-007", "a heartbeat splits no other frame", "nothing incomplete", fmt.Sprintf("%q", webClip(string(st.blocks.rest()), 60)))
			}),
		},
		{
			ID:       "eventbus/server/idle/writer-timeout",
			Title:    "a stream that is idle for longer than the reference was told to wait is given up",
			Laws:     []string{"EVENTBUS-SSE-008"},
			Versions: laterOnly,
			Needs:    conformance.Needs{Options: []string{WebSessions, WebPublish}, Transports: []string{"http"}, Reference: true},
			Run: overHTTP(func(w *webT) {
				x := w.openAt(idlePlace)
				st := x.live("idle")
				word := x.publish()
				st.expect("EVENTBUS-SSE-008", "a stream is not given up before its time", "the event that was published", holding(word))
				e := st.await(ofKind("client_evicted"), referenceIdle+w.Timing().Close)
				if e == nil {
					w.Stopped(st.lack("EVENTBUS-SSE-008", "an idle stream is given up", "client_evicted"))
				}
				w.equals("EVENTBUS-SSE-008", "timeoutMs is the limit that was set", e, "timeoutMs", referenceIdle.Milliseconds())
				w.idleEviction(st, e)
			}),
		},
	}
}

// watch reads for a while.
func (st *webStream) watch(d time.Duration) {
	deadline := time.Now().Add(d)
	for st.pull(deadline) {
	}
	st.w.Watched(d)
}

// heartbeat returns the first block without data that is not the retry block.
func (st *webStream) heartbeat() (webComment, bool) {
	for _, c := range st.blocks.comments {
		if c.text != "retry: 3000" {
			return c, true
		}
	}
	return webComment{}, false
}

// idleEviction judges the eviction of a reader to which nothing could be written for long.
func (w *webT) idleEviction(st *webStream, e *webEvent) {
	const law = "EVENTBUS-SSE-008"
	w.Check(e.text("reason") == "writer_idle_timeout" && e.text("errorKind") == "writer_idle_timeout", law, "an idle stream is given up with a reason of its own", "writer_idle_timeout", e.String())
	w.exactly(law, "data holds the reason twice, how long it was idle and the limit", e, "errorKind idleForMs reason timeoutMs")
	idle, _ := e.number("idleForMs")
	limit, ok := e.number("timeoutMs")
	w.Check(ok && idle >= limit, law, "a stream is not given up early", "idleForMs of at least timeoutMs", e.String())
	w.Check(st.ends(w.Timing().Close).clean(), law, "the response of a stream that is given up ends normally", "a clean end", st.seen())
}
