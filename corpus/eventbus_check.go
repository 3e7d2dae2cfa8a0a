package corpus

import (
	"errors"
	"fmt"
	"slices"
)

// maxCursor is the largest cursor and the largest id (EVENTBUS-HTTP-003, EVENTBUS-SSE-013).
const maxCursor = 1<<53 - 1

func (v *EventbusVector) check() error {
	return checkOp(v.Op, map[EventbusOp]func() error{
		ParseStream: v.checkParse, ReadEnvelope: v.checkEnvelope, ReadEnvelopes: v.checkEnvelopes,
		ReduceFrames: v.checkReduce, ReadCursor: v.checkCursor, ReadMaxQueued: v.checkMaxQueued,
	}, v.fields())
}

func (v *EventbusVector) fields() []field[EventbusOp] {
	w := &v.Want
	return []field[EventbusOp]{
		{"feeds", v.Feeds != nil, []EventbusOp{ParseStream, ReadEnvelopes}},
		{"end", v.End, []EventbusOp{ParseStream, ReadEnvelopes}},
		{"limit", v.Limit != nil, []EventbusOp{ParseStream}},
		{"text", v.Text != nil, []EventbusOp{ReadEnvelope}},
		{"frames", v.Frames != nil, []EventbusOp{ReduceFrames}},
		{"headers", v.Headers != nil, []EventbusOp{ReadCursor}},
		{"query", v.Query != nil, []EventbusOp{ReadMaxQueued}},
		{"want.events", w.Events != nil, []EventbusOp{ParseStream}},
		{"want.lastEventId", w.LastEventID != nil, []EventbusOp{ParseStream}},
		{"want.retry", w.Retry.None || w.Retry.Allowed != nil || w.Retry.AtLeast != nil, []EventbusOp{ParseStream}},
		{"want.error", w.Error != nil, []EventbusOp{ParseStream}},
		{"want.envelope", w.Envelope != nil, []EventbusOp{ReadEnvelope}},
		{"want.dropped", w.Dropped, []EventbusOp{ReadEnvelope}},
		{"want.envelopes", w.Envelopes != nil, []EventbusOp{ReadEnvelopes}},
		{"want.cursor", w.Cursor != nil, []EventbusOp{ReadCursor}},
		{"want.live", w.Live, []EventbusOp{ReadCursor}},
		{"want.breadcrumb", w.Breadcrumb, []EventbusOp{ReadCursor}},
		{"want.maxQueued", w.MaxQueued != nil, []EventbusOp{ReadMaxQueued}},
		{"want.refused", w.Refused, []EventbusOp{ReadMaxQueued}},
	}
}

func (v *EventbusVector) checkParse() error {
	switch {
	case len(v.Feeds) == 0 && !v.End:
		return errors.New("parse makes no call")
	case v.Want.Events == nil:
		return errors.New("parse wants no events; write events: [] for none")
	case v.Limit != nil && *v.Limit < 1:
		return fmt.Errorf("limit %d is not positive", *v.Limit)
	}
	return v.checkError()
}

func (v *EventbusVector) checkError() error {
	e := v.Want.Error
	if e == nil {
		return nil
	}
	if !slices.Contains(v.Laws, e.Law) {
		return fmt.Errorf("error of %q, which the vector does not cite", e.Law)
	}
	// What follows the failure would never be fed.
	if e.Feed != len(v.Feeds) || v.End {
		return fmt.Errorf("error is in feed %d, which is not the last call", e.Feed)
	}
	if e.Offset == nil {
		return errors.New("error without an offset")
	}
	return checkOffset(*e.Offset, v.Feeds, e.Feed)
}

func (v *EventbusVector) checkEnvelope() error {
	if v.Text == nil || (v.Want.Envelope != nil) == v.Want.Dropped {
		return errors.New("envelope needs a text and one of envelope and dropped")
	}
	if v.Want.Envelope != nil {
		return v.Want.Envelope.check()
	}
	return nil
}

func (v *EventbusVector) checkEnvelopes() error {
	if len(v.Feeds) == 0 || v.Want.Envelopes == nil {
		return errors.New("envelopes needs feeds and envelopes; write envelopes: [] for none")
	}
	for i := range v.Want.Envelopes {
		if err := v.Want.Envelopes[i].check(); err != nil {
			return fmt.Errorf("envelope %d: %w", i+1, err)
		}
	}
	return nil
}

func (e *Envelope) check() error {
	if e.ID != nil && (*e.ID < 1 || *e.ID > maxCursor) {
		return fmt.Errorf("id %d is not between 1 and %d", *e.ID, int64(maxCursor))
	}
	return nil
}

func (v *EventbusVector) checkReduce() error {
	if len(v.Frames) == 0 {
		return errors.New("reduce without frames")
	}
	if v.Frames[0].Unchanged && len(v.Frames) == 1 && v.Frames[0].View == nil {
		return errors.New("a fresh view that stays fresh needs its members named")
	}
	return nil
}

func (v *EventbusVector) checkCursor() error {
	w := &v.Want
	switch {
	case v.Headers == nil:
		return errors.New("cursor needs headers; write headers: [] for none")
	case (w.Cursor != nil) == w.Live:
		return errors.New("cursor wants exactly one of cursor and live")
	case w.Cursor != nil && (*w.Cursor < 0 || *w.Cursor > maxCursor):
		return fmt.Errorf("cursor %d is not between 0 and %d", *w.Cursor, int64(maxCursor))
	case w.Cursor != nil && w.Breadcrumb:
		return errors.New("a cursor leaves no breadcrumb")
	}
	return nil
}

func (v *EventbusVector) checkMaxQueued() error {
	w := &v.Want
	switch {
	case v.Query == nil:
		return errors.New("max-queued needs a query; write query: '' for none")
	case (w.MaxQueued != nil) == w.Refused:
		return errors.New("max-queued wants exactly one of maxQueued and refused")
	case w.MaxQueued != nil && (*w.MaxQueued < 16 || *w.MaxQueued > 2048):
		// EVENTBUS-HTTP-004
		return fmt.Errorf("maxQueued %d is not between 16 and 2048", *w.MaxQueued)
	}
	return nil
}
