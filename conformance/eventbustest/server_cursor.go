package eventbustest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func serverCursorCases() []conformance.Case {
	return []conformance.Case{
		cursorCase("digits", "decimal digits, with zeros in front too", "EVENTBUS-HTTP-001", true, "0", "00", "1", "007", "0000000000000000000000000000000000001"),
		cursorCase("surrounded-by-spaces", "a number with spaces and tabs around it", "EVENTBUS-HTTP-001", true, " 1 ", "\t1", "1\t "),
		cursorCase("signed", "a number with a sign", "EVENTBUS-HTTP-001", false, "-1", "+1", "-0"),
		cursorCase("fraction", "a number that is no whole one", "EVENTBUS-HTTP-001", false, "1.5", "1.0", "1e0", ".1", "1."),
		cursorCase("words", "something that is no number", "EVENTBUS-HTTP-001", false, "abc", "1a", "a1", "0x1", "NaN", "null", "1 1", "1;"),
		cursorCase("comma", "two numbers in one header", "EVENTBUS-HTTP-001", false, "1, 2", "1,1"),
		cursorCase("digits-beyond-ascii", "digits of other scripts", "EVENTBUS-HTTP-001", false, "\uff11", "\u0661", "\u09e7"),
		cursorCase("largest", "2^53 - 1 is a cursor", "EVENTBUS-HTTP-003", true, "9007199254740991", "0009007199254740991"),
		cursorCase("too-large", "2^53 and longer numbers are none", "EVENTBUS-HTTP-003", false,
			"9007199254740992", "9007199254740993", "18446744073709551617", strings.Repeat("9", 30), "1"+strings.Repeat("0", 400)),
		{
			ID:       "eventbus/server/cursor/header-twice",
			Title:    "two headers are one invalid value",
			Laws:     []string{"EVENTBUS-HTTP-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				before := x.primed(2).last()
				w.noCursor(x, before, "EVENTBUS-HTTP-001", ask{after: "1", fields: []webField{{"Last-Event-ID", "1"}}}, "two headers")
			}),
		},
		{
			ID:       "eventbus/server/cursor/empty",
			Title:    "an empty header is as good as none",
			Laws:     []string{"EVENTBUS-HTTP-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				before := x.primed(2).last()
				for _, value := range []string{"", " "} {
					w.noCursor(x, before, "EVENTBUS-HTTP-002", ask{fields: []webField{{"Last-Event-ID", value}}}, "an empty header")
				}
			}),
		},
		{
			ID:       "eventbus/server/cursor/invalid-stays-a-stream",
			Title:    "an invalid cursor is answered with a live stream and not with a refusal",
			Laws:     []string{"EVENTBUS-HTTP-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(1)
				st := x.stream("a", ask{after: "abc"})
				st.answers(st.streams(), "EVENTBUS-HTTP-002", "the request is not rejected", "200, text/event-stream")
				if st.streams() {
					word := x.publish()
					st.expect("EVENTBUS-HTTP-002", "live events arrive on a stream with an invalid cursor", "an event that holds the word just published", holding(word))
				}
			}),
		},
	}
}

// cursorCase judges values of Last-Event-ID that are all cursors, or all none. A cursor is recognised by replay_complete.
func cursorCase(name, title, law string, valid bool, values ...string) conformance.Case {
	return conformance.Case{
		ID:       "eventbus/server/cursor/" + name,
		Title:    title,
		Laws:     []string{law},
		Versions: bothDialects,
		Needs:    webNeeds(WebPublish),
		Run: overHTTP(func(w *webT) {
			x := w.open()
			before := x.primed(2).last()
			for _, value := range values {
				w.Note("value", "%q", webClip(value, 60))
				if !valid {
					w.noCursor(x, before, law, ask{after: value}, "this value")
					continue
				}
				st := x.stream("a", ask{after: value})
				if st.answers(st.streams(), law, "a stream is opened", "200, text/event-stream") {
					st.expect(law, "a number in digits is a cursor", "replay_complete", ofKind("replay_complete"))
				}
				st.close()
			}
		}),
	}
}

// noCursor breaks law unless a request opens a stream that is live only.
func (w *webT) noCursor(x *webSession, before int64, law string, a ask, what string) {
	st := x.stream("no-cursor", a)
	defer st.close()
	if !st.answers(st.streams(), law, "a stream is opened without a valid cursor", "200, text/event-stream") {
		return
	}
	word := x.publish()
	if st.await(holding(word), w.Timing().Reply) == nil {
		st.miss(law, "live events arrive on a stream without a valid cursor", "an event that holds the word just published")
	}
	for _, e := range st.events {
		w.Check(!e.synthetic() && e.id() > before, law, what+" is no cursor: nothing is replayed", "live events only", e.String())
	}
}
