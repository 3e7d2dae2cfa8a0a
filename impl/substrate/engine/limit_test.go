package engine

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-LIMIT-001
func TestLimitBody(t *testing.T) {
	w := twoLive(t)
	w.a.send("o", string(make([]byte, wire.MaxBody)))
	before := w.a.eng.Digest()
	_, err := w.a.eng.Send(w.now, "o", make([]byte, wire.MaxBody+1))
	want(t, "code", codeOf(err), wire.PayloadTooLarge)
	want(t, "unchanged", w.a.eng.Digest(), before)
	w.pump()
	want(t, "delivered", len(w.b.fetched), 1)
	f := op(wire.Send, "o", "big", 3)
	f.Body = make([]byte, wire.MaxBody+1)
	want(t, "inbound", kinds(w.b.inject(f)), "err:payload_too_large")
}

// SUBSTRATE-LIMIT-002
func TestLimitOutbox(t *testing.T) {
	w := twoLive(t)
	w.drop()
	for range 1024 {
		w.a.send("o", "m")
	}
	before := w.a.eng.Digest()
	for _, kind := range []string{wire.Send, wire.Req} {
		_, err := w.a.eng.Enqueue(w.now, Op{Kind: kind, Obj: "o"})
		want(t, kind, codeOf(err), wire.QueueFull)
	}
	want(t, "no trace", w.a.eng.Digest(), before)
	w.connect()
	w.a.deliver(0, false)
	w.b.deliver(0, false)
	w.a.send("o", "fits")
	w.a.closes("o")
	w.pump()
	want(t, "delivered", len(w.b.fetched), 1024+2)
}

// SUBSTRATE-LIMIT-002
func TestLimitInbox(t *testing.T) {
	w := twoLive(t)
	w.b.reaction = func(Delivery) {}
	for i := range uint64(1024) {
		want(t, "fits", kinds(w.b.inject(op(wire.Send, "o", fmt.Sprint("s", i), i+2))), "ack")
	}
	before := w.b.eng.Digest()
	over := op(wire.Send, "o", "over", 1026)
	want(t, "over", kinds(w.b.inject(over)), "err:queue_full")
	want(t, "over again", kinds(w.b.inject(over)), "err:queue_full")
	want(t, "no trace", w.b.eng.Digest(), before)
	want(t, "answers pass", kinds(w.b.inject(op(wire.Res, "o", "res", 1026))), "ack")
	w.b.reaction = nil
	w.b.reaction = func(Delivery) {}
	w.b.finish(w.b.held[0])
	over.Seq = 1027
	want(t, "room", kinds(w.b.inject(over)), "ack")
	want(t, "close passes", kinds(w.b.inject(op(wire.Close, "o", "bye", 1028))), "ack")
	w.b.reaction = nil
	w.b.finish(w.b.held[0])
	last := w.b.fetched[len(w.b.fetched)-2]
	want(t, "in order", string(last.Body), "over")
}

// SUBSTRATE-LIMIT-002: reqs that are put off count as well.
func TestLimitUnanswered(t *testing.T) {
	w := twoLive(t, func(_ string, c *Config) { c.Limits.Inbox = 3 })
	w.b.reaction = func(d Delivery) {
		w.b.held = nil
		if err := w.b.eng.Handled(w.now, d); err != nil {
			t.Fatal(err)
		}
		w.b.commit()
	}
	for i := range uint64(3) {
		want(t, "fits", kinds(w.b.inject(op(wire.Req, "o", fmt.Sprint("q", i), i+2))), "ack")
	}
	want(t, "over", kinds(w.b.inject(op(wire.Req, "o", "q3", 5))), "err:queue_full")
	if err := w.b.eng.Respond(w.now, w.b.fetched[1], nil); err != nil {
		t.Fatal(err)
	}
	w.b.commit()
	want(t, "room", kinds(w.b.inject(op(wire.Req, "o", "q3", 5))), "ack")
}

// SUBSTRATE-LIMIT-003
func TestLimitObjects(t *testing.T) {
	w := newWorld(t)
	w.connect()
	for i := range 256 {
		w.b.inject(op(wire.Open, fmt.Sprint("o", i), fmt.Sprint("id", i), 1))
	}
	want(t, "live", w.b.eng.live, 256)
	want(t, "over", kinds(w.b.inject(op(wire.Open, "p", "over", 1))), "ack reject:rate_limited")
	_, err := w.b.eng.Open(w.now, wire.Session, "q", nil)
	want(t, "local", codeOf(err), wire.RateLimited)
	w.b.inject(op(wire.Close, "o7", "bye", 2))
	want(t, "room", kinds(w.b.inject(op(wire.Open, "p", "fits", 2))), "ack")
	want(t, "live", w.b.eng.live, 256)
}

// SUBSTRATE-LIMIT-005: whatever an authenticated peer sends, what it makes an engine hold has a bound.
func TestLimitHostilePeer(t *testing.T) {
	w := newWorld(t, func(_ string, c *Config) {
		c.Limits = Limits{Names: 500, Refusals: 50, Inbox: 20, Tombstones: 300, GapBytes: 1 << 12, PeerGapBytes: 1 << 14}
		c.Observe = observe.Bag{}
	})
	w.b.reaction = func(Delivery) {} // the application never answers
	w.connect()
	kinds := []string{wire.Open, wire.Send, wire.Req, wire.Close, wire.Accept, wire.Res, wire.Err, wire.Reject, wire.End, wire.Chunk}
	for i := range 12000 {
		kind := kinds[i%len(kinds)]
		obj := fmt.Sprint("o", (i*7919)%2000)
		f := op(kind, obj, fmt.Sprint("id", i), uint64(i%70+1))
		raw, err := wire.Append(nil, &f)
		if err != nil {
			t.Fatal(err)
		}
		w.b.eng.Receive(w.now, w.link, raw)
		_ = w.b.eng.Commit(w.now, nil)
		w.b.eng.Take()
		if i%100 == 0 {
			w.now = w.now.Add(time.Millisecond)
		}
	}
	e := w.b.eng
	if len(e.objects) > 500 || e.live > 256 || len(e.tombs.by) > 300 || e.gapBytes > 1<<14 || e.refusals > 50 {
		t.Fatalf("%d objects, %d live, %d tombstones, %d bytes ahead, %d refusals", len(e.objects), e.live, len(e.tombs.by), e.gapBytes, e.refusals)
	}
	queued := 0
	for _, o := range e.objects {
		queued += len(o.in.queue)
		if len(o.in.queue) > 20+64 || len(o.seq.gap) > 64 {
			t.Fatalf("%s holds %d and %d", o.name, len(o.in.queue), len(o.seq.gap))
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d objects, %d live, %d tombstones, %d rows in inboxes, heap %d MiB with the ledger", len(e.objects), e.live, len(e.tombs.by), queued, m.HeapAlloc>>20)
}

// SUBSTRATE-OBSERVE-003, SUBSTRATE-OBSERVE-004, SUBSTRATE-OBSERVE-005, SUBSTRATE-OBSERVE-006, SUBSTRATE-OBSERVE-007,
// SUBSTRATE-OBSERVE-009, SUBSTRATE-OBSERVE-010
func TestObserveCounts(t *testing.T) {
	w := twoLive(t)
	c := w.a.req("o", "q")
	_ = c
	w.now = w.now.Add(7 * time.Millisecond)
	w.pump()
	w.a.send("o", "m")
	w.lose()
	w.now = w.now.Add(40 * time.Millisecond)
	w.drop()
	w.connect()
	w.now = w.now.Add(2 * time.Millisecond)
	w.a.deliver(0, true)
	w.pump()
	a, b := w.a.metrics.Snapshot(), w.b.metrics.Snapshot()
	want(t, "enqueued a", a.Total(observe.OpsEnqueued), 3)
	want(t, "enqueued b", b.Total(observe.OpsEnqueued), 2)
	want(t, "acked a", a.Total(observe.OpsAcked), 3)
	want(t, "depth", a.Gauge(observe.OutboxDepth, observe.Labels{Obj: "o"}), 0)
	want(t, "duplicate", b.Total(observe.DedupeDuplicate), 1)
	want(t, "ready", a.Total(observe.ConnectionsReady), 2)
	want(t, "ended", a.Total(observe.ConnectionsEnded), 1)
	ack := a.Named(observe.AckLatency).Histograms[0]
	want(t, "ack samples", ack.Count, 3)
	want(t, "ack sum", ack.Sum, 7+42)
	answer := a.Named(observe.AnswerLatency).Histograms[0]
	want(t, "answer samples", answer.Count, 2)
	want(t, "answer max", answer.Max, 7)
	verbs := map[string]int64{}
	for _, c := range b.Named(observe.IngressOp).Counters {
		verbs[c.Verb] = c.Value
	}
	want(t, "ingress", fmt.Sprint(verbs), "map[ack:2 open:1 req:1 send:2]")
	w.a.send("nowhere", "x")
	w.pump()
	a, b = w.a.metrics.Snapshot(), w.b.metrics.Snapshot()
	want(t, "bounce", b.Total(observe.Bounce), 1)
	want(t, "futile", a.Total(observe.Futile), 1)
	want(t, "purged", a.Total(observe.OpsPurged), 1)
}

// SUBSTRATE-OBSERVE-004: the gauge is the number of rows, at every step and after a restart.
func TestObserveDepth(t *testing.T) {
	w := twoLive(t)
	w.drop()
	depth := func() int64 { return w.a.metrics.Snapshot().Gauge(observe.OutboxDepth, observe.Labels{Obj: "o"}) }
	for i := range 5 {
		w.a.send("o", "m")
		want(t, "depth", depth(), int64(i+1))
	}
	w.a.metrics = &observe.InMemory{}
	w.a.cfg.Observe.Metrics = w.a.metrics
	eng, err := New(w.now, w.a.cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.a.eng = eng
	want(t, "after a restart", depth(), 5)
}

// SUBSTRATE-OBSERVE-002: observers that panic change nothing.
func TestObserveChangesNothing(t *testing.T) {
	plain := newWorld(t)
	script(plain)
	loud := newWorld(t, func(_ string, c *Config) {
		c.Observe = observe.Composite(observe.Bag{Logger: angry{}, Metrics: angry{}, Events: angry{}, Tracer: angry{}}, c.Observe)
	})
	script(loud)
	want(t, "trace", loud.dump(), plain.dump())
	for i, s := range []*side{plain.a, plain.b} {
		was, is := s.eng.Snapshot(), []*side{loud.a, loud.b}[i].eng.Snapshot()
		is.Epoch = was.Epoch // drawn by the store
		want(t, s.name, is.Digest(), was.Digest())
	}
}

type angry struct{}

func (angry) Log(observe.Level, string, observe.Fields)            { panic("log") }
func (angry) Count(string, observe.Labels, int64)                  { panic("count") }
func (angry) Gauge(string, observe.Labels, int64)                  { panic("gauge") }
func (angry) Observe(string, observe.Labels, float64)              { panic("observe") }
func (angry) Emit(observe.Event)                                   { panic("emit") }
func (angry) Start(time.Time, string, observe.Fields) observe.Span { panic("start") }
