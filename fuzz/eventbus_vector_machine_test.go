package fuzz

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// machineStream runs a vector on the machines, which read a body whole and know the bound of one without a blank line by its
// default only.
func machineStream(v *corpus.EventbusVector, dialect eventbusmodel.Dialect) error {
	switch v.Op {
	case corpus.ParseStream:
		return machineParse(v)
	case corpus.ReadEnvelope:
		e, ok := eventbusmodel.DecodeEnvelope(string(*v.Text))
		if ok == v.Want.Dropped {
			return fmt.Errorf("accepted: %v", ok)
		}
		if !ok {
			return nil
		}
		return machineEnvelope(v.Want.Envelope, e)
	case corpus.ReadEnvelopes:
		got := eventbusmodel.ReadEnvelopes(v.Stream())
		if len(got) != len(v.Want.Envelopes) {
			return fmt.Errorf("%d envelopes, want %d", len(got), len(v.Want.Envelopes))
		}
		for i := range got {
			if err := machineEnvelope(&v.Want.Envelopes[i], got[i]); err != nil {
				return fmt.Errorf("envelope %d: %w", i+1, err)
			}
		}
		return nil
	case corpus.ReadCursor:
		return machineCursor(v)
	case corpus.ReadMaxQueued:
		return machineMaxQueued(v)
	case corpus.ReduceFrames:
		return machineReduce(v, dialect)
	default:
		return fmt.Errorf("unknown op %q", v.Op)
	}
}

func machineParse(v *corpus.EventbusVector) error {
	body := v.Stream()
	if v.Limit == nil && !strings.Contains(string(body), "\n\n") {
		if got := eventbusmodel.Unframed(string(body)); got != (v.Want.Error != nil) {
			return fmt.Errorf("beyond the bound: %v", got)
		}
	}
	if v.Want.Error != nil {
		body = body[:*v.Want.Error.Offset]
	}
	s := eventbusmodel.ParseStream(body)
	got := make([]corpus.StreamEvent, len(s.Events))
	for i, e := range s.Events {
		got[i] = corpus.StreamEvent{Type: e.Type, Data: corpus.Text(e.Data), ID: corpus.Text(e.LastEventID)}
	}
	if err := sameStreamEvents(v.Want.Events, got); err != nil {
		return err
	}
	if s.LastEventID != string(v.Want.LastEventID) {
		return fmt.Errorf("last event id %.200q, want %.200q", s.LastEventID, v.Want.LastEventID)
	}
	if !v.Want.Retry.Allows(int64(min(s.Retry, math.MaxInt64)), s.Retried) {
		return fmt.Errorf("retry %d (set: %v), want %s", s.Retry, s.Retried, v.Want.Retry)
	}
	return nil
}

func machineEnvelope(want *corpus.Envelope, e eventbusmodel.Envelope) error {
	if e.HasID != (want.ID != nil) {
		return fmt.Errorf("has an id: %v", e.HasID)
	}
	var originator string
	if text, ok := e.Members["originatorClientId"]; ok {
		if err := decodeNumbers(text, &originator); err != nil {
			return err
		}
	}
	return sameEnvelope(want, e.ID, e.Type, originator, e.Members["data"])
}

func machineCursor(v *corpus.EventbusVector) error {
	values := make([]string, len(v.Headers))
	for i, h := range v.Headers {
		values[i] = string(h)
	}
	got := eventbusmodel.ParseLastEventID(strings.Join(values, ", "))
	want := eventbusmodel.HeaderCursor{Breadcrumb: v.Want.Breadcrumb}
	if c := v.Want.Cursor; c != nil {
		want.Cursor, want.After = true, *c
	}
	if got != want {
		return fmt.Errorf("the header is %+v, want %+v", got, want)
	}
	return nil
}

func machineMaxQueued(v *corpus.EventbusVector) error {
	query, err := url.ParseQuery(string(*v.Query))
	if err != nil {
		return err
	}
	got, ok := eventbusmodel.ParseMaxQueued(slices.Clone(query["maxQueued"]))
	if ok == v.Want.Refused || ok && int64(got) != *v.Want.MaxQueued {
		return fmt.Errorf("maxQueued is %d, accepted: %v", got, ok)
	}
	return nil
}
