package fuzz

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// RunEventbusVector runs one stream vector on the reference and returns how the outcome differs from the right one. A body is
// read whole, as the vector cuts it, and octet by octet. Views and servers are those of each dialect of the vector; what reads
// a body or an envelope knows of no dialect.
func RunEventbusVector(v corpus.EventbusVector) error {
	each := func(run func(*corpus.EventbusVector, string) error) error {
		return inEach(v.Versions, func(dialect string) error { return run(&v, dialect) })
	}
	var err error
	switch v.Op {
	case corpus.ParseStream:
		err = runParse(&v)
	case corpus.ReadEnvelope:
		err = runEnvelope(&v)
	case corpus.ReadEnvelopes:
		err = runEnvelopes(&v)
	case corpus.ReduceFrames:
		err = each(runReduce)
	case corpus.ReadCursor:
		err = each(runCursor)
	case corpus.ReadMaxQueued:
		err = each(runMaxQueued)
	default:
		err = fmt.Errorf("unknown op %q", v.Op)
	}
	return named(v.Name, err)
}

// maxOctetwise is the longest body that is read octet by octet.
const maxOctetwise = 1 << 20

func runParse(v *corpus.EventbusVector) error {
	whole := v.Stream()
	ways := []struct {
		name   string
		chunks [][]byte
	}{
		{"whole", [][]byte{whole}},
		{"as cut", chunksOf(v.Feeds)},
		{"octet by octet", octetwise(whole[:min(len(whole), maxOctetwise)])},
	}
	if len(whole) > maxOctetwise {
		ways = ways[:2]
	}
	for _, w := range ways {
		got, err := parseStream(v, w.chunks)
		if err == nil {
			err = sameParse(&v.Want, got, chunkOf(v.Want.Error, w.chunks))
		}
		if err == nil && v.End {
			err = runEnded(v, w.chunks)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

// runEnded reads the body with a client, since a parser by itself knows of no end.
func runEnded(v *corpus.EventbusVector, chunks [][]byte) error {
	got, err := readMessages(chunks)
	if err == nil {
		err = sameStreamEvents(v.Want.Events, got.events)
	}
	if err == nil && got.lastEventID != string(v.Want.LastEventID) {
		err = fmt.Errorf("last event id %.200q, want %.200q", got.lastEventID, v.Want.LastEventID)
	}
	if err != nil {
		return fmt.Errorf("a client: %w", err)
	}
	return nil
}

// parsed is all that a parser shows of a body.
type parsed struct {
	events      []corpus.StreamEvent
	lastEventID string
	retry       time.Duration
	retrySet    bool
	failure     *sse.LimitError
	chunk       int // the chunk that failed, from 1
}

// parseStream feeds the chunks through one buffer that is overwritten after each, which is how a parser is seen that
// holds on to it.
func parseStream(v *corpus.EventbusVector, chunks [][]byte) (parsed, error) {
	var limits sse.Limits
	if v.Limit != nil {
		limits.MaxLine, limits.MaxEvent = *v.Limit, *v.Limit
	}
	p, err := sse.NewParser(limits, "")
	if err != nil {
		return parsed{}, err
	}
	var (
		out parsed
		buf []byte
	)
	for i, chunk := range chunks {
		buf = append(buf[:0], chunk...)
		p.Feed(buf)
		out.take(p)
		overwrite(buf)
		if failed := p.Err(); failed != nil {
			if !errors.As(failed, &out.failure) {
				return parsed{}, fmt.Errorf("error %w is not typed", failed)
			}
			out.chunk = i + 1
			// EVENTBUS-SSE-015: what follows the limit is not read.
			p.Feed([]byte("\n\ndata: x\n\n"))
			before := len(out.events)
			if out.take(p); len(out.events) != before || p.Err() == nil {
				return parsed{}, errors.New("a parser that has failed went on")
			}
			break
		}
	}
	out.lastEventID = p.LastEventID()
	out.retry, out.retrySet = p.Retry()
	return out, nil
}

func (o *parsed) take(p *sse.Parser) {
	for {
		m, ok := p.Next()
		if !ok {
			return
		}
		o.add(m)
	}
}

func (o *parsed) add(m sse.Message) {
	o.events = append(o.events, corpus.StreamEvent{Type: m.Type, Data: slices.Clone(m.Data), ID: corpus.Text(m.ID)})
}

// chunkOf is the chunk, from 1, that holds the octet at which e comes; 0 without one.
func chunkOf(e *corpus.StreamError, chunks [][]byte) int {
	if e == nil {
		return 0
	}
	end := int64(0)
	for i, c := range chunks {
		if end += int64(len(c)); *e.Offset < end {
			return i + 1
		}
	}
	return len(chunks) + 1
}

// limitLaw is the law of every error that a parser has.
const limitLaw = "EVENTBUS-SSE-015"

func sameParse(want *corpus.EventbusWant, got parsed, chunk int) error {
	if err := sameStreamEvents(want.Events, got.events); err != nil {
		return err
	}
	switch e := want.Error; {
	case e == nil && got.failure != nil:
		return fmt.Errorf("failed: %w", got.failure)
	case e != nil && got.failure == nil:
		return fmt.Errorf("no error, want one of %s at octet %d", e.Law, *e.Offset)
	case e != nil && e.Law != limitLaw:
		return fmt.Errorf("%w, which breaks %s and not %s", got.failure, limitLaw, e.Law)
	case e != nil && got.failure.Offset != *e.Offset:
		return fmt.Errorf("%w, want it at octet %d", got.failure, *e.Offset)
	case got.chunk != chunk:
		return fmt.Errorf("%w in chunk %d, want it in chunk %d", got.failure, got.chunk, chunk)
	}
	if got.lastEventID != string(want.LastEventID) {
		return fmt.Errorf("last event id %.200q, want %.200q", got.lastEventID, want.LastEventID)
	}
	if ms := got.retry.Milliseconds(); !want.Retry.Allows(ms, got.retrySet) {
		return fmt.Errorf("retry %d (set: %v), want %s", ms, got.retrySet, want.Retry)
	}
	return nil
}

func sameStreamEvents(want corpus.StreamEvents, got []corpus.StreamEvent) error {
	for i, w := range want {
		if i == len(got) {
			break
		}
		g := got[i]
		switch {
		case g.Type != w.Type:
			return fmt.Errorf("event %d has the type %.200q, want %.200q", i+1, g.Type, w.Type)
		case string(g.Data) != string(w.Data):
			return fmt.Errorf("event %d has %d octets of data %.200q, want %d %.200q", i+1, len(g.Data), g.Data, len(w.Data), w.Data)
		case string(g.ID) != string(w.ID):
			return fmt.Errorf("event %d has the id %.200q, want %.200q", i+1, g.ID, w.ID)
		}
	}
	if len(want) != len(got) {
		return fmt.Errorf("%d events, want %d", len(got), len(want))
	}
	return nil
}
