package eventbustest

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// retryBlock is what every body begins with.
const retryBlock = "retry: 3000\n\n"

func serverFrameCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/server/frame/retry-first",
			Title:    "the body of a live stream begins with the retry block",
			Laws:     []string{"EVENTBUS-SSE-003"},
			Versions: bothDialects,
			Needs:    webNeeds(),
			Run: overHTTP(func(w *webT) {
				w.open().live("a").retryFirst("EVENTBUS-SSE-003")
			}),
		},
		{
			ID:       "eventbus/server/frame/retry-before-the-replay",
			Title:    "the body of a resumed stream begins with the retry block",
			Laws:     []string{"EVENTBUS-SSE-003"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(3)
				x.resume("replay", 0, ask{}).stream.retryFirst("EVENTBUS-SSE-003")
				x.resume("reset", 1<<40, ask{}).stream.retryFirst("EVENTBUS-SSE-003")
			}),
		},
		{
			ID:       "eventbus/server/frame/retry-once",
			Title:    "no second retry block follows",
			Laws:     []string{"EVENTBUS-SSE-003"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(3)
				r := x.resume("replay", 0, ask{})
				x.settle(r.stream)
				n := 0
				for _, c := range r.stream.blocks.comments {
					if strings.Contains(c.text, "retry:") {
						n++
					}
				}
				w.Check(n == 1, "EVENTBUS-SSE-003", "the retry block is sent once", "1 retry block", fmt.Sprintf("%d", n))
			}),
		},
		{
			ID:       "eventbus/server/frame/layout-of-live-events",
			Title:    "lines of a live frame, their order and ends",
			Laws:     []string{"EVENTBUS-SSE-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.primed(4)
				w.layout(st.events)
			}),
		},
		{
			ID:       "eventbus/server/frame/layout-of-replayed-events",
			Title:    "lines of a replayed frame, their order and ends",
			Laws:     []string{"EVENTBUS-SSE-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(4)
				w.layout(x.resume("replay", 0, ask{}).stream.events)
			}),
		},
		{
			ID:       "eventbus/server/frame/layout-of-synthetic-events",
			Title:    "a frame without an id has no id line, and its envelope no id",
			Laws:     []string{"EVENTBUS-SSE-001", "EVENTBUS-ID-004"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				x.primed(2)
				r := x.resume("reset", 1<<40, ask{})
				for _, e := range append(r.resyncs(), r.complete) {
					w.layout([]*webEvent{e})
					w.Check(len(e.idLines) == 0, "EVENTBUS-SSE-001", "a synthetic frame has no id line", "no id line", e.lines[0])
					_, has := e.envelope["id"]
					w.Check(!has, "EVENTBUS-ID-004", "the envelope of a synthetic frame has no member id", "no id", string(e.envelope["id"]))
				}
			}),
		},
		{
			ID:       "eventbus/server/frame/envelope-agrees-with-the-lines",
			Title:    "id and type of the envelope equal the id and event lines",
			Laws:     []string{"EVENTBUS-SSE-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(3)
				r := x.resume("replay", 0, ask{})
				reset := x.resume("reset", 1<<40, ask{})
				for _, st := range []*webStream{live, r.stream, reset.stream} {
					for _, e := range st.events {
						w.envelope(e)
					}
				}
			}),
		},
		{
			ID:       "eventbus/server/frame/characters-beyond-ascii",
			Title:    "an event whose text has characters of two, three and four octets",
			Laws:     []string{"EVENTBUS-SSE-001", "EVENTBUS-SSE-002"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				st := x.live("a")
				word := w.Unique("p")
				x.publishText(word + " é世😀")
				e := st.expect("", "an event that was published arrives", "an event that holds "+word, holding(word))
				w.layout([]*webEvent{e})
				w.envelope(e)
				r := x.resume("replay", 0, ask{})
				for _, again := range r.frames {
					if again.id() == e.id() {
						w.Check(again.compact() == e.compact(), "EVENTBUS-SSE-002", "a replayed frame carries the same characters", webClip(e.compact(), 300), webClip(again.compact(), 300))
					}
				}
			}),
		},
		{
			ID:       "eventbus/server/frame/schema-version",
			Title:    "every frame, real or synthetic, has v equal to 1",
			Laws:     []string{"EVENTBUS-ID-003"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				live := x.primed(3)
				replay, reset := x.resume("replay", 0, ask{}), x.resume("reset", 1<<40, ask{})
				for _, st := range []*webStream{live, replay.stream, reset.stream} {
					for _, e := range st.events {
						v := string(e.envelope["v"])
						w.Check(v == "1", "EVENTBUS-ID-003", "the envelope has the integer v equal to 1", `"v":1`, e.String()+`, "v":`+v)
					}
				}
			}),
		},
		{
			ID:       "eventbus/server/frame/ids-grow-by-one",
			Title:    "ids of the events of a session are whole numbers that grow by one",
			Laws:     []string{"EVENTBUS-ID-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebPublish),
			Run: overHTTP(func(w *webT) {
				x := w.open()
				all := x.primed(12).numbered()
				w.Check(holes(all) == "", "EVENTBUS-ID-001", "each event has the id of the one before plus one", "step 1", span(all)+" "+holes(all))
				for _, e := range all {
					id := string(e.envelope["id"])
					w.Check(e.id() >= 1 && id == fmt.Sprint(e.id()), "EVENTBUS-ID-001", "an id is a JSON integer of at least 1", fmt.Sprint(e.id()), id)
				}
			}),
		},
		{
			ID:       "eventbus/server/frame/first-id-of-a-session",
			Title:    "each session counts its events from 1",
			Laws:     []string{"EVENTBUS-ID-001"},
			Versions: bothDialects,
			Needs:    webNeeds(WebSessions, WebPublish),
			Run: overHTTP(func(w *webT) {
				for _, name := range []string{"one", "other"} {
					x := w.open()
					x.primed(1)
					r := x.resume(name, 0, ask{})
					w.Check(r.first() == 1, "EVENTBUS-ID-001", "the first event of a fresh session has the id 1", "id 1", r.String())
				}
			}),
		},
	}
}

// retryFirst breaks law unless the first octets of the body are the retry block.
func (st *webStream) retryFirst(law string) {
	st.w.Step()
	for deadline := time.Now().Add(st.w.Timing().Reply); len(st.blocks.first) < len(retryBlock) && st.pull(deadline); {
	}
	first := st.blocks.first[:min(len(st.blocks.first), len(retryBlock))]
	if !bytes.Equal(first, []byte(retryBlock)) {
		st.w.Broken(conformance.Break{
			Law: law, Reason: "the body opens with the block retry: 3000", Expected: fmt.Sprintf("%q", retryBlock), Seen: fmt.Sprintf("%q", first),
			Timed: len(first) < len(retryBlock) && st.resp.end == bodyOpen,
		})
	}
}

// layout breaks EVENTBUS-SSE-001 for each event whose octets are not an id line if the envelope has an id, an event line, one data
// line and an empty line, each ended by LF.
func (w *webT) layout(events []*webEvent) {
	for _, e := range events {
		want := []string{"event", "data"}
		if e.envelope["id"] != nil {
			want = []string{"id", "event", "data"}
		}
		var have []string
		for _, line := range e.lines {
			name, value, _ := strings.Cut(line, ":")
			if !strings.HasPrefix(value, " ") {
				name += " without a space"
			}
			have = append(have, name)
		}
		w.Check(strings.Join(have, ", ") == strings.Join(want, ", "), "EVENTBUS-SSE-001", "a frame is an id line if it has an id, an event line and one data line",
			strings.Join(want, ", "), strings.Join(have, ", ")+" in "+webClip(string(e.raw), 200))
		w.Check(!bytes.Contains(e.raw, []byte("\r")), "EVENTBUS-SSE-001", "lines of a frame end with LF alone", "no CR", fmt.Sprintf("%q", webClip(string(e.raw), 200)))
	}
}

// envelope breaks EVENTBUS-SSE-002 unless the data of an event is its whole envelope and agrees with its lines.
func (w *webT) envelope(e *webEvent) {
	const law = "EVENTBUS-SSE-002"
	if !w.Check(e.fault == "", law, "the data of a frame is one JSON object", "a JSON object", e.fault+": "+webClip(e.data(), 200)) {
		return
	}
	for _, name := range []string{"v", "type", "_meta"} {
		_, has := e.envelope[name]
		w.Check(has, law, "the envelope has the member "+name, name, webNames(e.envelope))
	}
	w.Check(len(e.eventLines) == 1 && e.eventLines[0] == e.kind(), law, "the event line is the type of the envelope", e.kind(), strings.Join(e.eventLines, ", "))
	if id, has := e.envelope["id"]; has {
		w.Check(len(e.idLines) == 1 && e.idLines[0] == string(id), law, "the id line is the id of the envelope", string(id), strings.Join(e.idLines, ", "))
	}
}
