package eventbustest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverQueryCases() []conformance.Case {
	return []conformance.Case{
		queryCase("in-range", "the smallest and the largest value, and one between", true, "maxQueued=16", "maxQueued=2048", "maxQueued=256"),
		queryCase("leading-zeros", "leading zeros", true, "maxQueued=016", "maxQueued=0002048"),
		queryCase("out-of-range", "values outside of 16 to 2048", false, "maxQueued=15", "maxQueued=2049", "maxQueued=0", "maxQueued="+strings.Repeat("9", 30)),
		queryCase("empty", "no value", false, "maxQueued=", "maxQueued"),
		queryCase("signed", "a sign", false, "maxQueued=-16", "maxQueued=%2B16"),
		queryCase("no-integer", "fractions, exponents, other bases and words", false, "maxQueued=16.0", "maxQueued=1e2", "maxQueued=0x20", "maxQueued=abc", "maxQueued=16px"),
		queryCase("padded", "spaces around the value", false, "maxQueued=%2016", "maxQueued=16%20"),
		queryCase("digits-beyond-ascii", "digits of other scripts", false, "maxQueued=%EF%BC%91%EF%BC%96"),
		queryCase("repeated", "the parameter twice", false, "maxQueued=16&maxQueued=16", "maxQueued=16&maxQueued=17"),
		{
			ID:       "eventbus/server/query/refusal-opens-no-stream",
			Title:    "the refusal of a value is an answer in JSON, and the session goes on",
			Laws:     []string{"EVENTBUS-HTTP-004"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.stream("a", ask{query: "maxQueued=1"})
				kind, _ := st.resp.field("Content-Type")
				w.Check(strings.HasPrefix(kind, "application/json"), "EVENTBUS-HTTP-004", "the refusal is JSON", "application/json", kind)
				w.Check(st.resp.end == bodyWhole, "EVENTBUS-HTTP-004", "the refusal is complete", "a whole body", st.resp.state())
				x.primed(1)
			}),
		},
		{
			ID:       "eventbus/server/query/with-a-cursor",
			Title:    "a value in range does not change what is replayed",
			Laws:     []string{"EVENTBUS-HTTP-006"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish, WebKeepsFew),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(4)
				x.resume("a", 1, ask{query: "maxQueued=16"}).follows("EVENTBUS-HTTP-006", 1)
			}),
		},
		{
			ID:       "eventbus/server/query/byte-cap-is-not-the-clients",
			Title:    "maxQueuedBytes is no parameter",
			Laws:     []string{"EVENTBUS-HTTP-005"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				for _, query := range []string{"maxQueuedBytes=1", "maxQueuedBytes=99999999", "maxQueuedBytes=abc", "maxQueued=16&maxQueuedBytes=1"} {
					st := x.stream("a", ask{query: query})
					if st.answers(st.streams(), "EVENTBUS-HTTP-005", "maxQueuedBytes is ignored", "200, text/event-stream") {
						x.settle(st)
						w.Check(len(st.all(ofKind("client_evicted"))) == 0, "EVENTBUS-HTTP-005", "maxQueuedBytes has no effect", "no eviction", st.seen())
					}
					st.close()
				}
			}),
		},
	}
}

// queryCase judges queries that are all accepted, or all refused.
func queryCase(name, title string, accepted bool, queries ...string) conformance.Case {
	const law = "EVENTBUS-HTTP-004"
	return conformance.Case{
		ID:       "eventbus/server/query/" + name,
		Title:    "maxQueued: " + title,
		Laws:     []string{law},
		Versions: bothDialects,
		Needs:    webNeeds(),
		Run: overHTTP(func(w *webT) {
			x := w.open()
			for _, query := range queries {
				w.Note("query", "%s", webClip(query, 80))
				st := x.stream("a", ask{query: query})
				if accepted {
					st.answers(st.streams(), law, "a whole number from 16 to 2048 is accepted", "200, text/event-stream")
				} else {
					st.answers(st.resp.status == 400, law, "any other value is refused before a stream is opened", "400")
					st.answers(st.resp.status != 400 || st.code() == "invalid_max_queued", law, "the refusal carries a code", `code "invalid_max_queued"`)
				}
				st.close()
			}
		}),
	}
}
