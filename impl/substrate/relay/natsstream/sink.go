// Package natsstream has the sink and the feed of a relay edge on NATS JetStream. Start with [NewSink] and [NewFeed].
//
// Subjects are PREFIX.PEER.OBJECT, with "=" in the place of each "." of an id or an address, which have none. Whatever is needed to
// read a message stands in its headers; its data is the body of the op or the event, untouched.
package natsstream

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-6f28358b/assay/impl/substrate/relay"
)

// Headers of a message.
const (
	HeaderKind    = "Substrate-Kind"
	HeaderObj     = "Substrate-Obj"
	HeaderObjKind = "Substrate-Obj-Kind"
	HeaderPeer    = "Substrate-Peer"
	HeaderID      = "Substrate-Id"
	HeaderSeq     = "Substrate-Seq"
	HeaderCode    = "Substrate-Code"
	HeaderMsg     = "Substrate-Msg"
	HeaderNoBody  = "Substrate-No-Body" // present: the op has no body, which is not one of no octets
	HeaderPrev    = "Substrate-Prev"    // seq of the event before it in the same object
)

// A Sink stores into a stream, once for each peer, class and id, by JetStream's own message ids.
type Sink struct {
	js     jetstream.JetStream
	stream string
	prefix string
	window time.Duration
}

// NewSink returns the sink of a stream that takes PREFIX.> as its subjects. A stream whose duplicate window is shorter than
// [relay.Window] is refused with a [*relay.ForgetfulError]: an op that a browser sends again after it would be stored twice
// (SUBSTRATE-RELAY-007).
func NewSink(ctx context.Context, js jetstream.JetStream, stream, prefix string) (*Sink, error) {
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("sink: stream %s: %w", stream, err)
	}
	sink := &Sink{js: js, stream: stream, prefix: prefix, window: s.CachedInfo().Config.Duplicates}
	if err := relay.Check(sink); err != nil {
		return nil, fmt.Errorf("sink: stream %s: %w", stream, err)
	}
	return sink, nil
}

// Remembers returns the duplicate window of the stream.
func (s *Sink) Remembers() time.Duration { return s.window }

// Store publishes op and waits for the stream to say that it has it.
func (s *Sink) Store(ctx context.Context, op relay.Op) (relay.Stored, error) {
	m := message(
		subject(s.prefix, op.Peer, op.Obj), op.Body,
		header{HeaderPeer, op.Peer}, header{HeaderKind, op.Kind}, header{HeaderObj, op.Obj}, header{HeaderObjKind, op.ObjKind},
		header{HeaderID, op.ID}, header{HeaderSeq, strconv.FormatUint(op.Seq, 10)}, header{HeaderCode, op.Code}, header{HeaderMsg, op.Msg},
	)
	class := "op"
	if op.Answer {
		class = "answer"
	}
	// A peer's id has no slash.
	ack, err := s.js.PublishMsg(ctx, m, jetstream.WithMsgID(op.Peer+"/"+class+"/"+op.ID), jetstream.WithExpectStream(s.stream))
	if err != nil {
		return relay.Stored{}, fmt.Errorf("store %s %s of %s: %w", op.Kind, op.ID, op.Obj, err)
	}
	return relay.Stored{Seq: ack.Sequence, Duplicate: ack.Duplicate}, nil
}

type header struct{ name, value string }

// message returns a message with those of the headers that have a value.
func message(subject string, body []byte, headers ...header) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = body
	for _, h := range headers {
		if h.value != "" {
			m.Header.Set(h.name, h.value)
		}
	}
	if body == nil {
		m.Header.Set(HeaderNoBody, "1")
	}
	return m
}

// subject returns where messages of an object go.
func subject(prefix, peer, obj string) string {
	token := strings.NewReplacer(".", "=")
	return prefix + "." + token.Replace(peer) + "." + token.Replace(obj)
}
