package fuzz

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
)

func TestEveryWantOfAStreamIsLookedAt(t *testing.T) {
	changed := notice{}
	for _, v := range eventbusVectors(t) {
		if len(v.Stream()) > 1<<16 {
			continue
		}
		v.Versions = v.Versions[len(v.Versions)-1:]
		for _, w := range streamWrongs(&v) {
			changed.sees(t, v.Name, w.what, RunEventbusVector(w.vector))
		}
	}
	changed.all(t,
		"events", "type", "data", "id", "last event id", "retry", "error", "offset", "law of the error",
		"dropped", "envelope", "envelope id", "envelope type", "envelope originator", "envelope data", "envelopes",
		"view", "absent", "cursor", "live", "breadcrumb", "maxQueued", "refused",
	)
}

type streamWrong struct {
	what   string
	vector corpus.EventbusVector
}

// streamWrongs returns copies of v, each with one expectation that cannot be met if that of v can.
func streamWrongs(v *corpus.EventbusVector) []streamWrong {
	var out []streamWrong
	change := func(what string, edit func(*corpus.EventbusWant)) {
		c := *v
		edit(&c.Want)
		out = append(out, streamWrong{what, c})
	}
	switch v.Op {
	case corpus.ParseStream:
		parseWrongs(v, change)
	case corpus.ReadEnvelope:
		change("dropped", func(w *corpus.EventbusWant) {
			if w.Dropped = !w.Dropped; !w.Dropped {
				w.Envelope = &corpus.Envelope{Type: new(corpus.Text)}
			}
		})
		if v.Want.Envelope != nil {
			for what, e := range envelopeWrongs(v.Want.Envelope) {
				change(what, func(w *corpus.EventbusWant) { w.Envelope = &e })
			}
		}
	case corpus.ReadEnvelopes:
		change("envelopes", func(w *corpus.EventbusWant) {
			w.Envelopes = append(slices.Clone(w.Envelopes), corpus.Envelope{Type: new(corpus.Text)})
		})
		for i := range v.Want.Envelopes {
			for _, e := range envelopeWrongs(&v.Want.Envelopes[i]) {
				change("envelope", func(w *corpus.EventbusWant) {
					w.Envelopes = slices.Clone(w.Envelopes)
					w.Envelopes[i] = e
				})
			}
		}
	case corpus.ReduceFrames:
		out = viewWrongs(v)
	case corpus.ReadCursor:
		change("breadcrumb", func(w *corpus.EventbusWant) { w.Breadcrumb = !w.Breadcrumb })
		change("live", func(w *corpus.EventbusWant) { w.Live, w.Cursor = !w.Live, new(int64) })
		if n := v.Want.Cursor; n != nil {
			wrong := *n + 1
			change("cursor", func(w *corpus.EventbusWant) { w.Cursor = &wrong })
		}
	case corpus.ReadMaxQueued:
		wrong := valueOf(v.Want.MaxQueued) + 1
		change("maxQueued", func(w *corpus.EventbusWant) { w.MaxQueued, w.Refused = &wrong, false })
		change("refused", func(w *corpus.EventbusWant) {
			w.Refused = !w.Refused
			if w.MaxQueued == nil {
				def := int64(256)
				w.MaxQueued = &def
			}
		})
	}
	return out
}

func parseWrongs(v *corpus.EventbusVector, change func(string, func(*corpus.EventbusWant))) {
	change("events", func(w *corpus.EventbusWant) {
		w.Events = append(slices.Clone(w.Events), corpus.StreamEvent{Type: "message"})
	})
	change("last event id", func(w *corpus.EventbusWant) { w.LastEventID = corpus.Text(string(w.LastEventID) + "-not") })
	change("retry", func(w *corpus.EventbusWant) { w.Retry = corpus.Retry{Allowed: []int64{123456789}} })
	change("error", func(w *corpus.EventbusWant) {
		if w.Error != nil {
			w.Error = nil
			return
		}
		w.Error = &corpus.StreamError{Law: limitLaw, Feed: 1, Offset: new(int64)}
	})
	if e := v.Want.Error; e != nil {
		change("offset", func(w *corpus.EventbusWant) {
			wrong := *e.Offset - 1
			w.Error = &corpus.StreamError{Law: e.Law, Feed: e.Feed, Offset: &wrong}
		})
		change("law of the error", func(w *corpus.EventbusWant) {
			w.Error = &corpus.StreamError{Law: "EVENTBUS-SSE-010", Feed: e.Feed, Offset: e.Offset}
		})
	}
	if len(v.Want.Events) == 0 {
		return
	}
	last := len(v.Want.Events) - 1
	event := func(what string, edit func(*corpus.StreamEvent)) {
		change(what, func(w *corpus.EventbusWant) {
			w.Events = slices.Clone(w.Events)
			edit(&w.Events[last])
		})
	}
	event("type", func(e *corpus.StreamEvent) { e.Type += "-not" })
	event("data", func(e *corpus.StreamEvent) { e.Data = append(slices.Clone(e.Data), '\n') })
	event("id", func(e *corpus.StreamEvent) { e.ID = append(slices.Clone(e.ID), '0') })
}

func envelopeWrongs(e *corpus.Envelope) map[string]corpus.Envelope {
	out := map[string]corpus.Envelope{}
	id := valueOf(e.ID) + 1
	typ, originator := corpus.Text(string(*e.Type)+"-not"), corpus.Text("not me")
	data := corpus.JSON(`"not this"`)
	for what, edit := range map[string]func(*corpus.Envelope){
		"envelope id":         func(c *corpus.Envelope) { c.ID = &id },
		"envelope type":       func(c *corpus.Envelope) { c.Type = &typ },
		"envelope originator": func(c *corpus.Envelope) { c.Originator = &originator },
		"envelope data":       func(c *corpus.Envelope) { c.Data = &data },
	} {
		c := *e
		edit(&c)
		out[what] = c
	}
	return out
}

func viewWrongs(v *corpus.EventbusVector) []streamWrong {
	var out []streamWrong
	step := func(what string, i int, edit func(*corpus.FrameStep)) {
		c := *v
		c.Frames = slices.Clone(v.Frames)
		edit(&c.Frames[i])
		out = append(out, streamWrong{what, c})
	}
	for i, s := range v.Frames {
		for name := range s.View {
			step("view", i, func(s *corpus.FrameStep) { s.View = corpus.View{name: json.RawMessage(`"not this"`)} })
		}
		for _, name := range s.Absent {
			step("absent", i, func(s *corpus.FrameStep) { s.View = corpus.View{name: json.RawMessage(`null`)} })
		}
		step("absent", i, func(s *corpus.FrameStep) { s.Absent = []string{"alive"} })
	}
	return out
}

// What a frame changes is seen where it must change nothing.
func TestUnchangedViewsAreLookedAt(t *testing.T) {
	n := 0
	for _, v := range eventbusVectors(t, corpus.ReduceFrames) {
		for i := range v.Frames {
			if v.Frames[i].Unchanged {
				continue
			}
			// A frame that changes nothing may hold without being marked; a warning and a resync always change something.
			first := v
			first.Frames = []corpus.FrameStep{v.Frames[i]}
			first.Frames[0].View, first.Frames[0].Absent, first.Frames[0].Unchanged = nil, nil, true
			if err := RunEventbusVector(first); err != nil {
				n++
			}
		}
	}
	if n < 60 {
		t.Errorf("%d frames were seen to change a view, want at least 60", n)
	}
}
