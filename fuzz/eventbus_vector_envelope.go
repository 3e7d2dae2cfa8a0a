package fuzz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

func runEnvelope(v *corpus.EventbusVector) error {
	got, err := sse.DecodeEnvelope(slices.Clone([]byte(*v.Text)))
	if err == nil && v.Want.Dropped {
		return fmt.Errorf("accepted as %.300q of type %.100q with id %d", got.Raw, got.Type, got.ID)
	}
	var typed *sse.EnvelopeError
	switch {
	case v.Want.Dropped && !errors.As(err, &typed):
		return fmt.Errorf("error %w is not typed", err)
	case v.Want.Dropped:
		return nil
	case err != nil:
		return fmt.Errorf("dropped: %w", err)
	}
	return sameEnvelope(v.Want.Envelope, got.ID, got.Type, got.Originator, got.Data)
}

// runEnvelopes lets a client read the body from a connection that hands it over chunk by chunk.
func runEnvelopes(v *corpus.EventbusVector) error {
	whole := v.Stream()
	for name, chunks := range map[string][][]byte{
		"whole": {whole}, "as cut": chunksOf(v.Feeds), "octet by octet": octetwise(whole),
	} {
		got, err := readEnvelopes(chunks)
		if err == nil && len(got) != len(v.Want.Envelopes) {
			err = fmt.Errorf("%d envelopes, want %d", len(got), len(v.Want.Envelopes))
		}
		for i := 0; i < len(got) && err == nil; i++ {
			if err = sameEnvelope(&v.Want.Envelopes[i], got[i].ID, got[i].Type, got[i].Originator, got[i].Data); err != nil {
				err = fmt.Errorf("envelope %d: %w", i+1, err)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func readEnvelopes(chunks [][]byte) ([]sse.Envelope, error) {
	var out []sse.Envelope
	err := readScripted(chunks, func(ctx context.Context, c *sse.Client) error {
		for e, err := range c.Events(ctx) {
			if err != nil {
				return err
			}
			e.Data, e.Raw = slices.Clone(e.Data), slices.Clone(e.Raw)
			out = append(out, e)
		}
		return nil
	})
	return out, err
}

// readMessages reads a body that ends as any event stream.
func readMessages(chunks [][]byte) (parsed, error) {
	var out parsed
	err := readScripted(chunks, func(ctx context.Context, c *sse.Client) error {
		defer func() { out.lastEventID = c.LastEventID() }()
		for m, err := range c.Messages(ctx) {
			if err != nil {
				return err
			}
			out.add(m)
		}
		return nil
	})
	return out, err
}

// readScripted lets read range over a client whose only connection brings the chunks. The context of read is done once they
// are read; the error that says so is none.
func readScripted(chunks [][]byte, read func(context.Context, *sse.Client) error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := sse.NewClient(sse.ClientConfig{
		URL:  "http://vector.invalid/events",
		HTTP: &http.Client{Transport: &scriptedBody{chunks: chunks, spent: cancel}},
	})
	if err != nil {
		return err
	}
	if err := read(ctx, c); err != nil && ctx.Err() == nil {
		return fmt.Errorf("read the stream: %w", err)
	}
	if ctx.Err() == nil {
		return errors.New("the reading ended before the body")
	}
	return nil
}

// scriptedBody answers a request with a body that is read chunk by chunk; spent is called at its end.
type scriptedBody struct {
	chunks [][]byte
	spent  func()
}

// RoundTrip answers without a connection.
func (b *scriptedBody) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: -1,
		Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(b),
	}, nil
}

func (b *scriptedBody) Read(p []byte) (int, error) {
	for len(b.chunks) > 0 && len(b.chunks[0]) == 0 {
		b.chunks = b.chunks[1:]
	}
	if len(b.chunks) == 0 {
		b.spent()
		return 0, io.EOF
	}
	n := copy(p, b.chunks[0])
	if n == len(b.chunks[0]) {
		b.chunks = b.chunks[1:]
	} else {
		b.chunks = append([][]byte{b.chunks[0][n:]}, b.chunks[1:]...)
	}
	return n, nil
}

// sameEnvelope compares an envelope that was handed on, where id 0 and an empty originator stand for none.
func sameEnvelope(want *corpus.Envelope, id int64, typ, originator string, data []byte) error {
	if wantID := valueOf(want.ID); id != wantID {
		return fmt.Errorf("id %d, want %d", id, wantID)
	}
	if typ != string(*want.Type) {
		return fmt.Errorf("type %.200q, want %.200q", typ, *want.Type)
	}
	if wanted := string(valueOf(want.Originator)); originator != wanted {
		return fmt.Errorf("originator %.200q, want %.200q", originator, wanted)
	}
	if want.Data == nil {
		return nil
	}
	same, err := sameJSON(data, *want.Data)
	if err == nil && !same {
		err = fmt.Errorf("data %.300q, want %.300q", data, *want.Data)
	}
	return err
}

func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// sameJSON compares two JSON texts as values.
func sameJSON(a, b []byte) (bool, error) {
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		return false, fmt.Errorf("read %.300q: %w", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		return false, fmt.Errorf("read %.300q: %w", b, err)
	}
	return reflect.DeepEqual(x, y), nil
}
