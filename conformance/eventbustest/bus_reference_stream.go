package eventbustest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/eventbus/reducer"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// parseByReference reads a body chunk by chunk, as the reference's client does, and returns the envelopes in it.
func parseByReference(chunks []parseChunk) eventsReply {
	reply := eventsReply{Events: []json.RawMessage{}}
	var p sse.Parser
	for _, c := range chunks {
		p.Feed(bytes.Repeat(c.octets, c.times))
		for m, ok := p.Next(); ok; m, ok = p.Next() {
			// EVENTBUS-SSE-013: what is no envelope is skipped.
			if e, err := sse.DecodeEnvelope(m.Data); err == nil {
				reply.Events = append(reply.Events, slices.Clone(e.Raw))
			}
		}
	}
	if err := p.Err(); err != nil {
		reply.Error = &parseError{Name: "SseFramingError", Message: err.Error()}
	}
	return reply
}

// reduceByReference returns the fresh view and the view after each event.
func reduceByReference(dialect string, events []json.RawMessage) ([]json.RawMessage, error) {
	known := map[string]reducer.Dialect{"": reducer.Later, "later": reducer.Later, "seed": reducer.Seed}
	d, ok := known[dialect]
	if !ok {
		return nil, fmt.Errorf("no dialect %q", dialect)
	}
	view := reducer.New(d)
	views := make([]json.RawMessage, 0, len(events)+1)
	for i := range len(events) + 1 {
		if i > 0 {
			e, err := sse.DecodeEnvelope(events[i-1])
			if err != nil {
				bad, _ := errors.AsType[*sse.EnvelopeError](err)
				return nil, &adapter.UnsupportedError{Reason: "the reducer takes envelopes only: " + bad.Error()}
			}
			view = view.After(reducer.Event(e))
		}
		text, err := encode(view)
		if err != nil {
			return nil, err
		}
		views = append(views, text)
	}
	return views, nil
}
