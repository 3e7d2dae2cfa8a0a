package eventbustest

import "encoding/json"

// Reduce starts a fresh view of a session, in the case's dialect, and applies events to it, each an envelope as JSON. It returns
// the fresh view and the view after each event: element i is the view after i events.
func (b *busT) Reduce(events ...string) []*frame {
	request := reduceRequest{Dialect: b.Version(), Events: []json.RawMessage{}}
	for _, e := range events {
		request.Events = append(request.Events, json.RawMessage(e))
	}
	var r reduceReply
	b.MustAsk("reduce", request, &r)
	if len(r.Views) != len(events)+1 {
		b.Inconclusive("the adapter gave %d views for %d events, wanted one more than events", len(r.Views), len(events))
	}
	return b.frames(r.Views)
}

// Parse gives the target's reader of event streams a body, one read for each chunk, and returns the events that it gave
// and the name of the error that it ended with, empty if there was none.
func (b *busT) Parse(chunks ...string) (events []*frame, failed string) {
	parts := make([]parseChunk, 0, len(chunks))
	for _, c := range chunks {
		parts = append(parts, parseChunk{[]byte(c), 1})
	}
	return b.parse(parts)
}

// ParseLong is Parse of a text, then filling so many times in one read, then the end.
func (b *busT) ParseLong(text, filling string, times int, end string) (events []*frame, failed string) {
	return b.parse([]parseChunk{{[]byte(text), 1}, {[]byte(filling), times}, {[]byte(end), 1}})
}

func (b *busT) parse(chunks []parseChunk) ([]*frame, string) {
	var r eventsReply
	b.MustAsk("parse", parseRequest{chunks}, &r)
	if r.Error != nil {
		return b.frames(r.Events), r.Error.Name
	}
	return b.frames(r.Events), ""
}
