package natsstream_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/relay/natsstream"
	"github.com/seed-6f28358b/assay/impl/substrate/relay/relaytest"
)

// The library's dispatcher of callbacks ends a moment after its connection.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a server with JetStream in this process, on files of the test.
func serve(t *testing.T) jetstream.JetStream {
	t.Helper()
	s, err := server.NewServer(&server.Options{JetStream: true, StoreDir: t.TempDir(), DontListen: true, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	c, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	js, err := jetstream.New(c, jetstream.WithDefaultTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func create(t *testing.T, js jetstream.JetStream, window time.Duration) jetstream.Stream {
	t.Helper()
	s, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "GATE", Subjects: []string{"gate.>"}, Duplicates: window, Storage: jetstream.FileStorage,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSink(t *testing.T) {
	relaytest.Sink(t, func(t *testing.T) (relay.Sink, func() []relay.Op) {
		js := serve(t)
		stream := create(t, js, relay.Window)
		s, err := natsstream.NewSink(t.Context(), js, "GATE", "gate")
		if err != nil {
			t.Fatal(err)
		}
		return s, func() []relay.Op { return read(t, stream) }
	})
}

// read returns the ops that lie in a stream.
func read(t *testing.T, s jetstream.Stream) (ops []relay.Op) {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint64(1); seq <= info.State.LastSeq; seq++ {
		m, err := s.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		h := m.Header
		op := relay.Op{
			Peer: h.Get(natsstream.HeaderPeer), Obj: h.Get(natsstream.HeaderObj), ObjKind: h.Get(natsstream.HeaderObjKind), Kind: h.Get(natsstream.HeaderKind),
			ID: h.Get(natsstream.HeaderID), Code: h.Get(natsstream.HeaderCode), Msg: h.Get(natsstream.HeaderMsg),
		}
		op.Answer = op.Kind == "res" || op.Kind == "reject"
		if op.Seq, err = strconv.ParseUint(h.Get(natsstream.HeaderSeq), 10, 64); err != nil {
			t.Fatal(err)
		}
		if h.Get(natsstream.HeaderNoBody) == "" {
			op.Body = append([]byte{}, m.Data...)
		}
		ops = append(ops, op)
	}
	return ops
}

func TestFeed(t *testing.T) {
	relaytest.Feed(t, func(t *testing.T) relaytest.Source {
		js := serve(t)
		stream := create(t, js, 0)
		p := natsstream.NewPublisher(js, "GATE", "gate")
		return relaytest.Source{
			Feed: natsstream.NewFeed(js, "GATE", "gate"),
			Publish: func(peer, obj string, says relay.Message) uint64 {
				seq, err := p.Publish(t.Context(), peer, obj, says)
				if err != nil {
					t.Fatal(err)
				}
				return seq
			},
			Trim: func(_, _ string, below uint64) {
				if err := stream.Purge(t.Context(), jetstream.WithPurgeSequence(below)); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

// The duplicate window that a stream has by default is two minutes.
func TestStreamThatForgetsIsRefused(t *testing.T) { // SUBSTRATE-RELAY-007
	js := serve(t)
	create(t, js, 0)
	_, err := natsstream.NewSink(t.Context(), js, "GATE", "gate")
	var forgets *relay.ForgetfulError
	if !errors.As(err, &forgets) || forgets.Remembers != 2*time.Minute {
		t.Errorf("%v", err)
	}
	if _, err := natsstream.NewSink(t.Context(), js, "OTHER", "gate"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("a stream that is not there: %v", err)
	}
}

// Of an object that was trimmed whole nobody knows any more what it had. A reader who missed it is told.
func TestEventAfterAllThatWasTrimmedIsMarked(t *testing.T) { // SUBSTRATE-FEED-006
	js := serve(t)
	stream := create(t, js, 0)
	p, f := natsstream.NewPublisher(js, "GATE", "gate"), natsstream.NewFeed(js, "GATE", "gate")
	var last uint64
	for i := range 3 {
		var err error
		if last, err = p.Publish(t.Context(), "p", "a", relay.Message{Body: []byte{byte(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	seq, err := p.Publish(t.Context(), "p", "a", relay.Message{Body: []byte("later")})
	if err != nil {
		t.Fatal(err)
	}
	for from, trimmed := range map[uint64]bool{1: true, last: true, last + 1: false} {
		events, err := f.Resume(t.Context(), "p", "a", from)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		ev, err := events.Next(ctx)
		cancel()
		events.Close()
		if err != nil || ev.Seq != seq || ev.Trimmed != trimmed {
			t.Errorf("from %d: %+v, %v; want seq %d, trimmed %v", from, ev, err, seq, trimmed)
		}
	}
}

// A message that somebody else put there does not say what came before it.
func TestForeignMessageIsRefused(t *testing.T) {
	js := serve(t)
	create(t, js, 0)
	for i, prev := range []string{"", "x", "1", "99"} {
		m := nats.NewMsg(fmt.Sprintf("gate.p.o%d", i))
		if prev != "" {
			m.Header.Set(natsstream.HeaderPrev, prev)
		}
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		events, err := natsstream.NewFeed(js, "GATE", "gate").Resume(t.Context(), "p", fmt.Sprint("o", i), 1)
		if err != nil {
			t.Fatal(err)
		}
		_, err = events.Next(t.Context())
		events.Close()
		var unlinked *natsstream.UnlinkedError
		if sound := i == 2; !sound && !errors.As(err, &unlinked) || sound && err != nil {
			t.Errorf("message %d: %v", i+1, err)
		}
	}
}

// Who does not know whether an event is in the stream publishes it again.
func TestEventWithAnIDIsPublishedOnce(t *testing.T) {
	js := serve(t)
	stream := create(t, js, 0)
	p := natsstream.NewPublisher(js, "GATE", "gate")
	seqs := map[string]uint64{}
	for _, e := range []struct{ obj, kind, id, as string }{
		{"a", "send", "1", "first"},
		{"a", "send", "1", "first"},
		{"a", "ack", "1", "another kind"},
		{"b", "send", "1", "another object"},
		{"a", "", "2", "another id"},
		{"a", "", "1", "first"},
		{"a", "", "2", "another id"},
		{"a", "", "", "no id"},
		{"a", "", "", "no id again"},
	} {
		seq, err := p.Publish(t.Context(), "p", e.obj, relay.Message{Kind: e.kind, ID: e.id})
		if err != nil {
			t.Fatal(err)
		}
		if was, ok := seqs[e.as]; ok && was != seq {
			t.Errorf("%s is event %d and then event %d", e.as, was, seq)
		}
		seqs[e.as] = seq
	}
	info, err := stream.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := uint64(len(seqs)); info.State.Msgs != want {
		t.Errorf("the stream has %d events, want %d", info.State.Msgs, want)
	}
}

// Publishers of one object do not tear its chain.
func TestPublishersOfOneObject(t *testing.T) { // SUBSTRATE-FEED-001
	js := serve(t)
	create(t, js, 0)
	done := make(chan error)
	// The others together are never faster as often as would end the patience of one.
	const publishers, each = 4, 5
	for range publishers {
		go func() {
			p := natsstream.NewPublisher(js, "GATE", "gate")
			for range each {
				if _, err := p.Publish(t.Context(), "p", "a", relay.Message{}); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range publishers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if t.Failed() {
		return
	}
	events, err := natsstream.NewFeed(js, "GATE", "gate").Resume(t.Context(), "p", "a", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	var prev uint64
	for range publishers * each {
		ev, err := events.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if ev.Prev != prev {
			t.Fatalf("event %d names %d as the one before it, which was %d", ev.Seq, ev.Prev, prev)
		}
		prev = ev.Seq
	}
}
