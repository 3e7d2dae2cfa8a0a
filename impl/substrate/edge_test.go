package substrate_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/seed-6f28358b/assay/impl/pipenet"
	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/relay/natsstream"
)

// A stream is what is behind an edge in a test.
type stream struct {
	relay.Sink
	relay.Feed
	publish func(peer, obj string, body []byte)
	stored  func() []string // bodies of the messages, in order
}

func memoryStream(*testing.T) stream {
	var m relay.Memory
	return stream{&m, &m, func(peer, obj string, body []byte) { m.Publish(peer, obj, relay.Message{Body: body}) }, func() []string {
		var all []string
		for _, op := range m.Ops() {
			all = append(all, string(op.Body))
		}
		return all
	}}
}

// jetStream is a stream in a server of its own.
func jetStream(t *testing.T) stream {
	s, err := server.NewServer(&server.Options{JetStream: true, StoreDir: t.TempDir(), DontListen: true, NoLog: true, NoSigs: true})
	must(t, err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server is not ready")
	}
	c, err := nats.Connect("", nats.InProcessServer(s))
	must(t, err)
	t.Cleanup(c.Close)
	js, err := jetstream.New(c, jetstream.WithDefaultTimeout(time.Minute))
	must(t, err)
	in, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "IN", Subjects: []string{"in.>"}, Duplicates: relay.Window})
	must(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	must(t, err)
	sink, err := natsstream.NewSink(t.Context(), js, "IN", "in")
	must(t, err)
	pub := natsstream.NewPublisher(js, "OUT", "out")
	return stream{sink, natsstream.NewFeed(js, "OUT", "out"), func(peer, obj string, body []byte) {
		if _, err := pub.Publish(t.Context(), peer, obj, relay.Message{Body: body}); err != nil {
			t.Error(err)
		}
	}, func() []string {
		info, err := in.Info(t.Context())
		must(t, err)
		var all []string
		for seq := uint64(1); seq <= info.State.LastSeq; seq++ {
			m, err := in.GetMsg(t.Context(), seq)
			must(t, err)
			all = append(all, string(m.Data))
		}
		return all
	}}
}

func edge(s stream) substrate.Config {
	c := config("edge")
	c.Relay = &substrate.Relay{Sink: s, Feed: s}
	return c
}

// browser is the other side of an edge.
func browser(t *testing.T, r *record, j *journal.Journal) substrate.Config {
	c := config("me")
	c.Remote, c.Feeds, c.Journal, c.Handler = "edge", true, j, r.handler(t)
	return c
}

// SUBSTRATE-RELAY-001, SUBSTRATE-RELAY-006, SUBSTRATE-FEED-003: edges come and go in the middle, and what the browser sends and sees is each
// there once and in order.
func replaceEdges(w *world, s stream, next func() net.Listener) {
	const each = 40
	t, ctx := w.t, w.t.Context()
	_, stop := w.listenOn(w.net, edge(s))
	j, err := journal.Open(filepath.Join(t.TempDir(), "outbox"), journal.Options{})
	must(t, err)
	w.later(func() { must(t, j.Close()) })
	var a record
	p := w.dial(browser(t, &a, j))
	must(t, p.Follow(ctx, substrate.Session, "news", 0))
	var all sync.WaitGroup
	all.Go(func() {
		for i := range each {
			if err := p.Object("work").Send(ctx, []byte(strconv.Itoa(i))); err != nil {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for i := range each {
			s.publish("me", "other", nil)
			s.publish("me", "news", []byte(strconv.Itoa(i)))
		}
	})
	for i := range 4 {
		a.until(t, "some events", func() bool { return len(a.bodys["news"]) > i*each/8 })
		stop()
		_, stop = w.listenOn(next(), edge(s))
	}
	all.Wait()
	a.until(t, "all events", func() bool { return len(a.bodys["news"]) >= each })
	stop()
	if got := a.got("news"); !slices.Equal(got, numbers(each)) {
		t.Errorf("events %v", got)
	}
	if got := s.stored(); !slices.Equal(got, numbers(each)) {
		t.Errorf("stored %v", got)
	}
}

func TestEdgeOverMemory(t *testing.T) {
	virtual(t, func(w *world) {
		replaceEdges(w, memoryStream(w.t), func() net.Listener {
			w.retarget(pipenet.New())
			return w.net
		})
	})
}

func TestEdgeOverJetStream(t *testing.T) {
	s := jetStream(t)
	w := actual(t)
	addr := w.net.Addr().String()
	replaceEdges(w, s, func() net.Listener {
		ln, err := net.Listen("tcp", addr)
		must(t, err)
		w.later(func() { _ = ln.Close() })
		return ln
	})
}

// failingSink fails, or does not answer, as long as it is told to.
type failingSink struct {
	relay.Memory
	mu   sync.Mutex
	mode string
}

func (s *failingSink) set(mode string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = mode
}

func (s *failingSink) Store(ctx context.Context, op relay.Op) (relay.Stored, error) {
	s.mu.Lock()
	mode := s.mode
	s.mu.Unlock()
	switch mode {
	case "fails":
		return relay.Stored{}, errors.New("away")
	case "late":
		// It is stored all the same (SUBSTRATE-RELAY-008).
		_, _ = s.Memory.Store(context.WithoutCancel(ctx), op)
		<-ctx.Done()
		return relay.Stored{}, ctx.Err()
	}
	return s.Memory.Store(ctx, op)
}

// SUBSTRATE-RELAY-003, SUBSTRATE-RELAY-004, SUBSTRATE-RELAY-008: nothing is acked that is not stored, and all is sent again until it is.
func TestSinkFails(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		s := &failingSink{}
		c := config("edge")
		c.Relay = &substrate.Relay{Sink: s}
		w.listen(c)
		var a record
		p := w.dial(browser(t, &a, nil))
		o := p.Object("work")
		for i, mode := range []string{"", "fails", "late"} {
			s.set(mode)
			call, err := o.Enqueue(ctx, []byte(strconv.Itoa(i)))
			must(t, err)
			if mode != "" {
				time.Sleep(35 * time.Second)
				select {
				case <-call.Done():
					t.Errorf("%s: acked", mode)
				default:
				}
				s.set("")
			}
			must(t, call.Wait(ctx))
		}
		if ops := s.Ops(); len(ops) != 3 {
			t.Errorf("stored %+v", ops)
		}
		// SUBSTRATE-JOURNAL-007 and its like: an edge has no objects of its own.
		wantCode(t, "an edge sends", w.listenPeer("me").Object("work").Send(ctx, nil), "unsupported")
	})
}

// What a browser opens and asks for goes to the sink, and whoever reads that answers by the feed (SUBSTRATE-ANSWER-001).
func TestAnswersThroughAFeed(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var m relay.Memory
		c := config("edge")
		c.Relay = &substrate.Relay{Sink: &m, Feed: &m}
		w.listen(c)
		var a record
		p := w.dial(browser(t, &a, nil))
		must(t, p.Follow(ctx, substrate.Session, "chat", 0))
		answer := func(n int, says relay.Message) {
			for len(m.Ops()) < n {
				time.Sleep(time.Millisecond)
			}
			op := m.Ops()[n-1]
			says.ID = op.ID
			if says.Kind == "res" {
				says.Body = append([]byte("re: "), op.Body...)
			}
			m.Publish("me", "chat", says)
		}
		go answer(1, relay.Message{Kind: "accept"})
		o, err := p.Open(ctx, substrate.Session, "chat", substrate.OpenOptions{})
		must(t, err)
		go answer(2, relay.Message{Kind: "res"})
		body, err := o.Req(ctx, []byte("x"))
		if err != nil || string(body) != "re: x" {
			t.Errorf("answered %q, %v", body, err)
		}
		go answer(3, relay.Message{Kind: "err", Code: "app_error", Msg: "not today"})
		_, err = o.Req(ctx, []byte("y"))
		wantCode(t, "a request that fails", err, "app_error")
	})
}

// SUBSTRATE-FEED-006: what a stream does not have any more is told.
func TestTrimmedFeed(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var m relay.Memory
		for i := range 6 {
			m.Publish("me", "news", relay.Message{Body: []byte(strconv.Itoa(i))})
		}
		m.Trim("me", "news", 4)
		c := config("edge")
		c.Relay = &substrate.Relay{Sink: &m, Feed: &m}
		w.listen(c)
		var a record
		p := w.dial(browser(t, &a, nil))
		must(t, p.Follow(ctx, substrate.Session, "news", 1))
		a.until(t, "the rest", func() bool { return len(a.bodys["news"]) == 3 })
		synctest.Wait()
		var gaps []string
		a.note(func() {
			for _, e := range a.event {
				if e.Name == observe.EventFeedGap {
					gaps = append(gaps, fmt.Sprint(e.Obj, e.From, e.To))
				}
			}
		})
		if !slices.Equal(gaps, []string{"news2 3"}) || !slices.Equal(a.got("news"), []string{"3", "4", "5"}) {
			t.Errorf("gaps %v, events %v", gaps, a.got("news"))
		}
		wantCode(t, "a stream", p.Follow(ctx, "stream", "news", 0), "unsupported")
	})
}

// SUBSTRATE-JOURNAL-003, SUBSTRATE-JOURNAL-004, SUBSTRATE-JOURNAL-006, SUBSTRATE-JOURNAL-008: what was queued before a reload is sent after
// it, once and in order; what could not be queued was never there.
func TestJournalReload(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		path := filepath.Join(t.TempDir(), "outbox")
		open := func() *journal.Journal {
			j, err := journal.Open(path, journal.Options{Quota: 20_000})
			must(t, err)
			return j
		}
		j := open()
		if _, err := journal.Open(path, journal.Options{}); err == nil {
			t.Error("a second owner")
		}
		var a record
		d := browser(t, &a, j)
		d.Client = w.client
		p, err := substrate.Dial(ctx, w.url, d)
		must(t, err)
		o := p.Object("work")
		var ids []string
		for i := range 5 {
			call, err := o.Enqueue(ctx, []byte(strconv.Itoa(i)))
			must(t, err)
			ids = append(ids, call.ID())
		}
		var quota *journal.QuotaError
		if _, err := o.Enqueue(ctx, make([]byte, 50_000)); !errors.As(err, &quota) {
			t.Errorf("above the quota: %v", err)
		}
		must(t, p.Close(ctx))
		must(t, j.Close())

		j = open()
		w.later(func() { must(t, j.Close()) })
		p = w.dial(browser(t, &a, j))
		after, err := p.Object("work").Enqueue(ctx, []byte("5"))
		must(t, err)
		var m relay.Memory
		c := config("edge")
		c.Relay = &substrate.Relay{Sink: &m}
		w.listen(c)
		must(t, after.Wait(ctx))
		var got, gotIDs []string
		for i, op := range m.Ops() {
			got, gotIDs = append(got, string(op.Body)), append(gotIDs, op.ID)
			if op.Seq != uint64(i+1) {
				t.Errorf("seq %d of op %d: what failed has used one", op.Seq, i)
			}
		}
		if !slices.Equal(got, numbers(6)) || !slices.Equal(gotIDs[:5], ids) {
			t.Errorf("stored %v %v, want ids %v", got, gotIDs, ids)
		}
	})
}
