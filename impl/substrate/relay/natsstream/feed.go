package natsstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-6f28358b/assay/impl/substrate/relay"
)

// maxContended is how often Publish tries again when another publisher of the same object was faster.
const maxContended = 16

// A Publisher appends events to the streams of objects.
type Publisher struct {
	js     jetstream.JetStream
	stream string
	prefix string
}

// NewPublisher returns the publisher of a stream that takes PREFIX.> as its subjects.
func NewPublisher(js jetstream.JetStream, stream, prefix string) *Publisher {
	return &Publisher{js, stream, prefix}
}

// Publish appends an event and returns its seq. The event names the one before it, so that a reader can tell one that was lost or
// trimmed from the events of other objects between them. It fails with what JetStream says, also when others keep being faster.
//
// After an error the event may be in the stream all the same, or come into it later. One that has an id may be published again: within
// the duplicate window of the stream an object takes each kind and id once, and Publish returns the seq that it has. Without an id it
// would be a second event.
func (p *Publisher) Publish(ctx context.Context, peer, obj string, says relay.Message) (uint64, error) {
	s, err := p.js.Stream(ctx, p.stream)
	if err != nil {
		return 0, fmt.Errorf("publish to %s: %w", obj, err)
	}
	at := subject(p.prefix, peer, obj)
	var options []jetstream.PublishOpt
	if says.ID != "" {
		// Neither a subject nor a kind has a colon.
		options = append(options, jetstream.WithMsgID(at+":"+cmp.Or(says.Kind, "send")+":"+says.ID))
	}
	for range maxContended {
		last, prev, e := before(ctx, s, at)
		if e != nil {
			return 0, fmt.Errorf("publish to %s: %w", obj, e)
		}
		m := message(at, says.Body, header{HeaderKind, says.Kind}, header{HeaderID, says.ID}, header{HeaderCode, says.Code}, header{HeaderMsg, says.Msg})
		m.Header.Set(HeaderPrev, strconv.FormatUint(prev, 10))
		var ack *jetstream.PubAck
		if ack, err = p.js.PublishMsg(ctx, m, append(options, jetstream.WithExpectLastSequencePerSubject(last))...); err == nil {
			return ack.Sequence, nil
		}
		var api *jetstream.APIError
		if !errors.As(err, &api) || api.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequence && api.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequenceConstant {
			break
		}
	}
	return 0, fmt.Errorf("publish to %s: %w", obj, err)
}

// before returns the seq of the last message of a subject, 0 if there is none, and what the next one names as the one before it. Of an
// object that has no message any more nobody knows where its last one was: it lay below all that the stream still has, and saying
// too much there reports a gap that may be none, where saying nothing would hide one (SUBSTRATE-FEED-006).
func before(ctx context.Context, s jetstream.Stream, at string) (last, prev uint64, err error) {
	switch m, err := s.GetLastMsgForSubject(ctx, at); {
	case err == nil:
		return m.Sequence, m.Sequence, nil
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, 0, err
	}
	info, err := s.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	return 0, max(info.State.FirstSeq, 1) - 1, nil
}

// A Feed reads a stream that a [Publisher] writes.
type Feed struct {
	js     jetstream.JetStream
	stream string
	prefix string
}

// NewFeed returns the feed of a stream that takes PREFIX.> as its subjects.
func NewFeed(js jetstream.JetStream, stream, prefix string) *Feed { return &Feed{js, stream, prefix} }

// An UnlinkedError says that a message of the stream does not name the one before it: no [Publisher] wrote it, and a reader could not
// tell whether it has all that came before.
type UnlinkedError struct {
	Stream string
	Seq    uint64
}

func (e *UnlinkedError) Error() string {
	return fmt.Sprintf("message %d of stream %s has no sound header %s: only what a publisher of this package writes can be fed", e.Seq, e.Stream, HeaderPrev)
}

// Resume reads the events of an object from seq from on.
func (f *Feed) Resume(ctx context.Context, peer, obj string, from uint64) (relay.Events, error) {
	c, err := f.js.OrderedConsumer(ctx, f.stream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{subject(f.prefix, peer, obj)},
		DeliverPolicy:  jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:    max(from, 1),
	})
	if err != nil {
		return nil, fmt.Errorf("resume %s from %d: %w", obj, from, err)
	}
	messages, err := c.Messages()
	if err != nil {
		return nil, fmt.Errorf("resume %s from %d: %w", obj, from, err)
	}
	return &events{messages: messages, stream: f.stream, from: max(from, 1)}, nil
}

type events struct {
	messages jetstream.MessagesContext
	stream   string
	from     uint64
	once     sync.Once
}

// Next returns the next event. It is trimmed if the event before it was asked for and did not come.
func (e *events) Next(ctx context.Context) (relay.Event, error) {
	m, err := e.messages.Next(jetstream.NextContext(ctx))
	if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
		return relay.Event{}, relay.ErrClosed
	}
	if err != nil {
		return relay.Event{}, fmt.Errorf("feed from %s: %w", e.stream, err)
	}
	meta, err := m.Metadata()
	if err != nil {
		return relay.Event{}, fmt.Errorf("feed from %s: %w", e.stream, err)
	}
	h := m.Headers()
	ev := relay.Event{Seq: meta.Sequence.Stream, Message: relay.Message{
		Kind: h.Get(HeaderKind), ID: h.Get(HeaderID), Code: h.Get(HeaderCode), Msg: h.Get(HeaderMsg), Body: m.Data(),
	}}
	if ev.Prev, err = strconv.ParseUint(h.Get(HeaderPrev), 10, 64); err != nil || ev.Prev >= ev.Seq {
		return relay.Event{}, &UnlinkedError{e.stream, ev.Seq}
	}
	switch {
	case h.Get(HeaderNoBody) != "":
		ev.Body = nil
	case ev.Body == nil:
		ev.Body = []byte{}
	}
	ev.Trimmed = ev.Prev >= e.from
	e.from = ev.Seq + 1
	return ev, nil
}

func (e *events) Close() { e.once.Do(e.messages.Stop) }
