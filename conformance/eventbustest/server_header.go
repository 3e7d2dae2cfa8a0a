package eventbustest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverHeaderCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/header/opens-a-stream",
			Title:    "a stream is answered with status 200, a content type and no caching",
			Laws:     []string{"EVENTBUS-HTTP-009"},
			Versions: laterOnly,
			Needs:    webNeeds(),
			Run: overHTTP(func(w *webT) {
				st := w.open().stream("a", ask{})
				st.answers(st.streams(), "EVENTBUS-HTTP-009", "an event stream is answered with 200 and text/event-stream", "200, text/event-stream")
				control, _ := st.resp.field("Cache-Control")
				w.Check(directives(control, "no-cache", "no-transform"), "EVENTBUS-HTTP-009", "an event stream is neither cached nor changed on its way",
					"Cache-Control: no-cache, no-transform", "Cache-Control: "+control)
			}),
		},
		{
			ID:       "eventbus/server/header/not-encoded",
			Title:    "a client that accepts gzip gets the octets of the stream all the same",
			Laws:     []string{"EVENTBUS-SSE-003"},
			Versions: bothDialects,
			Needs:    webNeeds(),
			Run: overHTTP(func(w *webT) {
				st := w.open().opened("a", ask{fields: []webField{{"Accept-Encoding", "gzip, deflate, br"}}})
				coding, _ := st.resp.field("Content-Encoding")
				w.Check(coding == "" || coding == "identity", "EVENTBUS-SSE-003", "the first octets of the body are the retry block, not an encoding of it",
					"no Content-Encoding", "Content-Encoding: "+coding)
				st.retryFirst("EVENTBUS-SSE-003")
			}),
		},
		{
			ID:       "eventbus/server/header/unknown-session",
			Title:    "the stream of a session that does not exist",
			Laws:     []string{"EVENTBUS-HTTP-009"},
			Versions: laterOnly,
			Needs:    webNeeds(WebSessions),
			Run: overHTTP(func(w *webT) {
				w.unknownSession(ask{})
			}),
		},
		{
			ID:       "eventbus/server/header/unknown-session-with-a-cursor",
			Title:    "the stream of a session that does not exist, resumed",
			Laws:     []string{"EVENTBUS-HTTP-009"},
			Versions: laterOnly,
			Needs:    webNeeds(WebSessions),
			Run: overHTTP(func(w *webT) {
				w.unknownSession(ask{after: "5"})
			}),
		},
		{
			ID:       "eventbus/server/header/query-before-session",
			Title:    "a bad maxQueued for a session that does not exist",
			Laws:     []string{"EVENTBUS-HTTP-009", "EVENTBUS-HTTP-004"},
			Versions: laterOnly,
			Needs:    webNeeds(WebSessions),
			Run: overHTTP(func(w *webT) {
				st := w.nowhere().stream("a", ask{query: "maxQueued=1"})
				st.answers(st.resp.status == 400 && st.code() == "invalid_max_queued", "EVENTBUS-HTTP-009",
					"a bad maxQueued is reported before the session is looked up", `400 with code "invalid_max_queued"`)
			}),
		},
		{
			ID:       "eventbus/server/header/capability-tags",
			Title:    "the capabilities name the features of the event streams",
			Laws:     []string{"EVENTBUS-HTTP-010"},
			Versions: bothDialects,
			Needs:    webNeeds(WebCapabilities),
			Run: overHTTP(func(w *webT) {
				doc := w.capabilities("capabilities")
				var features []string
				if json.Unmarshal(doc["features"], &features) != nil {
					w.Stopped(conformance.Break{
						Law: "EVENTBUS-HTTP-010", Reason: "the capabilities document lists features",
						Expected: "a list of strings", Seen: webClip(string(doc["features"]), 200),
					})
				}
				for _, tag := range []string{"session_events", "slow_client_warning", "typed_event_schema"} {
					w.Check(slices.Contains(features, tag), "EVENTBUS-HTTP-010", "the capabilities announce "+tag, tag, webClip(strings.Join(features, " "), 300))
				}
			}),
		},
	}
}

// nowhere returns a session that does not exist.
func (w *webT) nowhere() *webSession {
	return &webSession{w: w, place: w.dialect(), id: w.Unique("nowhere"), over: true}
}

func (w *webT) unknownSession(a ask) {
	st := w.nowhere().stream("a", a)
	st.answers(st.resp.status == 404, "EVENTBUS-HTTP-009", "an unknown session is answered with 404", "404")
	st.answers(st.code() == "session_not_found", "EVENTBUS-HTTP-009", "the answer for an unknown session carries a code", `code "session_not_found"`)
}

// code returns the member code of an answer that is a JSON object.
func (st *webStream) code() string {
	var answer struct{ Code string }
	_ = json.Unmarshal(st.body, &answer) // no object, no code
	return answer.Code
}

// directives reports whether a list of comma-separated words holds each of those, whatever their case.
func directives(list string, words ...string) bool {
	var have []string
	for part := range strings.SplitSeq(list, ",") {
		have = append(have, strings.ToLower(strings.TrimSpace(part)))
	}
	for _, word := range words {
		if !slices.Contains(have, word) {
			return false
		}
	}
	return true
}
