package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// A sink is the durable stream behind an edge: idempotent by id.
type sink struct {
	ids  []string
	seen map[string]bool
}

func (k *sink) store(x StoreOp) (seq uint64, duplicate bool) {
	key := fmt.Sprint(x.Class, x.Row.ID)
	if k.seen[key] {
		return 0, true
	}
	if k.seen == nil {
		k.seen = map[string]bool{}
	}
	k.seen[key] = true
	k.ids = append(k.ids, string(x.Row.Body))
	return uint64(len(k.ids)), false
}

// edge returns a browser a and an edge b, connected. The browser sends on names that it has no record of, as after a change of replica.
func edge(t *testing.T, change ...func(string, *Config)) *world {
	t.Helper()
	w := newWorld(t, append([]func(string, *Config){func(name string, c *Config) {
		if name == "b" {
			c.Relay = &Relay{Remembers: store.Horizon}
		} else {
			c.Feeds = true
		}
	}}, change...)...)
	w.connect()
	return w
}

// stored ends the oldest store call.
func (s *side) stored(k *sink, err error) {
	x := s.stores[0]
	s.stores = s.stores[1:]
	seq, duplicate := uint64(0), false
	if err == nil {
		seq, duplicate = k.store(x)
	}
	s.eng.Stored(s.w.now, x.Token, seq, duplicate, err)
	s.commit()
}

// SUBSTRATE-RELAY-001, SUBSTRATE-RELAY-003, SUBSTRATE-RELAY-006
func TestRelayStoresAndAcks(t *testing.T) {
	w := edge(t)
	k := &sink{}
	c := w.a.send("o", "1")
	w.pump()
	want(t, "no ack before it is stored", kinds(w.b.sent), "")
	w.b.stored(k, nil)
	want(t, "ack", kinds(w.b.sent), "ack")
	want(t, "level", w.b.sent[0].Level, "stored")
	w.lose()
	w.drop()
	w.b.crash() // another replica
	w.connect()
	w.pump()
	w.b.stored(k, nil)
	w.pump()
	want(t, "settled", w.a.settled[c.ID].Kind, wire.Ack)
	want(t, "stored once", strings.Join(k.ids, " "), "1")
	want(t, "peer", w.b.store.calls, 0)
}

// SUBSTRATE-RELAY-001: a replica that has seen nothing takes seq 41 without an open.
func TestRelayAdopts(t *testing.T) {
	for swap := range 8 {
		w := edge(t)
		k := &sink{}
		want(t, "fresh", kinds(w.b.inject(op(wire.Send, "p", "x", 41))), "")
		w.b.stored(k, nil)
		for i := range 3 {
			w.a.send("o", fmt.Sprint(i))
		}
		for step := range 12 {
			if step == swap {
				w.drop()
				w.b.crash()
				w.b.stores = nil
				w.connect()
			}
			switch {
			case len(w.a.wire) > 0:
				w.a.deliver(0, false)
			case len(w.b.stores) > 0:
				w.b.stored(k, nil)
			case len(w.b.wire) > 0:
				w.b.deliver(0, false)
			}
		}
		for range 10 {
			w.pump()
			if len(w.b.stores) > 0 {
				w.b.stored(k, nil)
			}
		}
		want(t, fmt.Sprint("swap at ", swap), strings.Join(k.ids, " "), "x 0 1 2")
		want(t, "rows", w.a.rows("o"), 0)
	}
}

// SUBSTRATE-RELAY-002
func TestRelaySerialByObject(t *testing.T) {
	w := edge(t)
	for i := range uint64(5) {
		w.b.inject(op(wire.Send, "o", fmt.Sprint("o", i), i+1))
		w.b.inject(op(wire.Send, "p", fmt.Sprint("p", i), i+1))
		want(t, "at most one each", len(w.b.stores), 2)
	}
	k := &sink{}
	w.b.stores[0], w.b.stores[1] = w.b.stores[1], w.b.stores[0]
	for range 5 {
		w.b.stored(k, nil)
	}
	for len(w.b.stores) > 0 {
		w.b.stored(k, nil)
	}
	var o, p []string
	for _, id := range k.ids {
		if id[0] == 'o' {
			o = append(o, id)
		} else {
			p = append(p, id)
		}
	}
	want(t, "o", strings.Join(o, " "), "o0 o1 o2 o3 o4")
	want(t, "p", strings.Join(p, " "), "p0 p1 p2 p3 p4")
}

// SUBSTRATE-RELAY-004, SUBSTRATE-RELAY-005
func TestRelayFailure(t *testing.T) {
	w := edge(t)
	k := &sink{}
	for i := range uint64(4) {
		w.b.inject(op(wire.Send, "o", fmt.Sprint(i+1), i+1))
	}
	w.b.stored(k, nil)
	want(t, "acks", acks(w.b.sent), "1=r-1")
	w.b.sent = nil
	w.b.stored(k, errors.New("no"))
	want(t, "no reply", kinds(w.b.sent), "")
	want(t, "no call", len(w.b.stores), 0)
	w.b.inject(op(wire.Send, "o", "3", 3)) // ahead of the first that is not stored
	want(t, "not stored before it", len(w.b.stores), 0)
	for i := range uint64(3) {
		w.b.inject(op(wire.Send, "o", fmt.Sprint(i+2), i+2))
	}
	for len(w.b.stores) > 0 {
		w.b.stored(k, nil)
	}
	want(t, "order", strings.Join(k.ids, " "), "1 2 3 4")
}

// SUBSTRATE-RELAY-005: a replay that fails does not take the frontier back to it.
func TestRelayFailedReplay(t *testing.T) {
	w := edge(t)
	k := &sink{}
	for i := range uint64(2) {
		w.b.inject(op(wire.Send, "o", fmt.Sprint(i+1), i+1))
		w.b.stored(k, nil)
	}
	w.b.inject(op(wire.Send, "o", "1", 1))
	w.b.stored(k, errors.New("no"))
	w.b.inject(op(wire.Send, "o", "3", 3))
	want(t, "no stall", len(w.b.stores), 1)
	w.b.inject(op(wire.Send, "o", "1", 1))
	w.b.stored(k, nil)
	w.b.sent = nil
	w.b.stored(k, nil)
	want(t, "acked", acks(w.b.sent), "1=r-1")
	want(t, "once", strings.Join(k.ids, " "), "1 2 3")
}

// SUBSTRATE-RELAY-007
func TestRelayShortMemory(t *testing.T) {
	for _, d := range []time.Duration{0, 120 * time.Second, store.Horizon - 1} {
		c := Config{Local: "a", Remote: "b", Authorize: AllowAll, Relay: &Relay{Remembers: d}}
		if _, err := New(start(), c); err == nil {
			t.Errorf("a sink that remembers for %v passes", d)
		}
	}
}

// SUBSTRATE-RELAY-008
func TestRelayTimeout(t *testing.T) {
	w := edge(t)
	k := &sink{}
	w.b.inject(op(wire.Send, "o", "1", 1))
	x := w.b.stores[0]
	w.advance(30*time.Second, false)
	w.b.inject(op(wire.Send, "o", "2", 2))
	want(t, "still out", w.b.eng.find("o").chain.token, x.Token)
	w.advance(time.Millisecond, false)
	want(t, "given up", w.b.eng.find("o").chain.token, 0)
	seq, dup := k.store(x)
	w.b.eng.Stored(w.now, x.Token, seq, dup, nil)
	w.b.commit()
	want(t, "late", kinds(w.b.sent), "")
	w.b.stores = nil
	w.b.inject(op(wire.Send, "o", "1", 1))
	w.b.stored(k, nil)
	want(t, "then", acks(w.b.sent), "1=r-1")
	want(t, "once", strings.Join(k.ids, " "), "1")
}

// SUBSTRATE-RELAY-008
func TestRelayChainBound(t *testing.T) {
	w := edge(t)
	for i := range uint64(65) {
		want(t, "fits", kinds(w.b.inject(op(wire.Send, "o", fmt.Sprint(i), i+1))), "")
	}
	want(t, "65 wait", kinds(w.b.inject(op(wire.Send, "o", "over", 66))), "err:queue_full")
	k := &sink{}
	w.b.stored(k, nil)
	want(t, "room", kinds(w.b.inject(op(wire.Send, "o", "over", 66))), "")
	w.b.sent = nil
	w.drop()
	w.connect()
	w.b.stored(k, nil)
	want(t, "no ack on another connection", kinds(w.b.sent), "")
	want(t, "what waited is gone", len(w.b.stores), 0)
}

// SUBSTRATE-RELAY-009: a denied op never reaches the sink.
func TestRelayGate(t *testing.T) {
	denied := []string{wire.Send}
	w := edge(t, policy("b", &denied))
	want(t, "denied", kinds(w.b.inject(op(wire.Send, "o", "x", 1))), "err:unauthorized")
	want(t, "stores", len(w.b.stores), 0)
	want(t, "objects", len(w.b.eng.objects), 0)
}

// SUBSTRATE-LIMIT-005: an edge holds no more objects than it may.
func TestRelayObjects(t *testing.T) {
	w := edge(t, func(_ string, c *Config) { c.Limits.Objects = 3 })
	for i := range 3 {
		w.b.inject(op(wire.Send, fmt.Sprint("o", i), fmt.Sprint(i), 9))
	}
	want(t, "fourth", kinds(w.b.inject(op(wire.Send, "o4", "x", 9))), "err:rate_limited")
	k := &sink{}
	w.b.inject(op(wire.Close, "o0", "bye", 10))
	for len(w.b.stores) > 0 {
		w.b.stored(k, nil)
	}
	want(t, "closed", len(w.b.eng.objects), 2)
	want(t, "room", kinds(w.b.inject(op(wire.Send, "o4", "x", 9))), "")
}

// A stream is what an edge feeds: frames of several objects with seqs of the stream.
type stream struct {
	frames []FeedFrame
	prev   map[string]uint64
	first  uint64 // what is below is trimmed
}

func (m *stream) add(obj string, seq uint64) {
	if m.prev == nil {
		m.prev = map[string]uint64{}
	}
	m.frames = append(m.frames, FeedFrame{
		Obj: obj, ObjKind: wire.Session, Kind: wire.Send, ID: fmt.Sprint("f", seq), Seq: seq, Prev: m.prev[obj], Body: []byte(fmt.Sprint(seq)),
	})
	m.prev[obj] = seq
}

// resume pushes what was asked for.
func (m *stream) resume(t *testing.T, s *side) {
	t.Helper()
	for _, r := range s.resumes {
		if r.From < m.first {
			if err := s.eng.FeedBase(s.w.now, r.Obj, r.ObjKind, m.first); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range m.frames {
			if f.Obj == r.Obj && f.Seq >= max(r.From, m.first) {
				if err := s.eng.Feed(s.w.now, f); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	s.resumes = nil
	s.commit()
}

// follows returns an edge whose browser follows o and p.
func follows(t *testing.T, change ...func(string, *Config)) (*world, *stream) {
	t.Helper()
	w := edge(t, change...)
	for _, obj := range []string{"o", "p"} {
		if err := w.a.eng.Follow(w.now, Following{Obj: obj, ObjKind: wire.Session}); err != nil {
			t.Fatal(err)
		}
	}
	w.a.commit()
	w.pump()
	m := &stream{}
	for i, seq := range []uint64{5, 6, 9, 12, 13} {
		m.add([]string{"o", "p"}[i%2], seq)
	}
	return w, m
}

// SUBSTRATE-FEED-001, SUBSTRATE-FEED-002, SUBSTRATE-FEED-005
func TestFeedSparse(t *testing.T) {
	w, m := follows(t)
	m.resume(t, w.b)
	for _, f := range w.b.sent {
		want(t, "prev is there", f.Has&wire.FieldPrev != 0, true)
		want(t, "no receipt", f.Has&wire.FieldReceipt, 0)
	}
	w.a.sent = nil
	w.pump()
	want(t, "order", w.a.bodies(wire.Send), "5 9 13 6 12")
	want(t, "no ack, no resync", kinds(w.a.sent), "")
	for _, f := range m.frames {
		_ = w.b.eng.Feed(w.now, f)
	}
	w.b.commit()
	w.pump()
	want(t, "duplicates", w.a.bodies(wire.Send), "5 9 13 6 12")
	want(t, "handled", w.a.eng.Followed("o"), 13)
	want(t, "the edge keeps nothing", len(w.b.eng.objects), 0)
}

// SUBSTRATE-FEED-002, SUBSTRATE-FEED-004
func TestFeedLoss(t *testing.T) {
	w, m := follows(t)
	w.a.sent = nil
	push := func(seq, prev uint64) {
		f := m.frames[0]
		f.Seq, f.Prev, f.ID = seq, prev, fmt.Sprint("z", seq)
		_ = w.b.eng.Feed(w.now, f)
		w.b.commit()
		w.b.deliver(0, false)
	}
	push(5, 0)
	for i := range uint64(50) {
		push(12+i, 9+i)
	}
	want(t, "one", kinds(w.a.sent), "resync")
	want(t, "from", w.a.sent[0].FromSeq, 6)
	w.lose()
	w.advance(10*time.Second-time.Millisecond, false)
	want(t, "not yet", len(w.a.sent), 1)
	w.advance(time.Millisecond, false)
	want(t, "again", len(w.a.sent), 2)
	push(9, 5)
	w.advance(60*time.Second, false)
	want(t, "in order: no more", len(w.a.sent), 2)
	want(t, "delivered", len(w.a.fetched), 2)
}

// SUBSTRATE-FEED-003, SUBSTRATE-FEED-004, SUBSTRATE-FEED-007: a new connection at each frame, to another replica.
func TestFeedResumes(t *testing.T) {
	for stop := range 8 {
		w, m := follows(t)
		m.resume(t, w.b)
		for range min(stop, len(w.b.wire)) {
			w.b.deliver(0, false)
		}
		w.drop()
		w.b.crash()
		w.connect()
		w.pump()
		want(t, "asked for both", len(w.b.resumes), 2)
		m.resume(t, w.b)
		w.pump()
		o, p := "", ""
		for _, d := range w.a.fetched {
			if d.Obj == "o" {
				o += string(d.Body) + " "
			} else {
				p += string(d.Body) + " "
			}
		}
		want(t, fmt.Sprint("stop at ", stop), o+p, "5 9 13 6 12 ")
	}
}

// SUBSTRATE-FEED-004: what was received and not handled comes again after a restart.
func TestFeedCrashBeforeHandover(t *testing.T) {
	w, m := follows(t)
	w.a.reaction = func(Delivery) {}
	m.resume(t, w.b)
	w.pump()
	want(t, "handed over", w.a.bodies(wire.Send), "5 6")
	want(t, "handled", w.a.eng.Followed("o"), 0)
	w.a.crash()
	w.a.reaction = nil
	if err := w.a.eng.Follow(w.now, Following{Obj: "o", ObjKind: wire.Session, Last: 0}); err != nil {
		t.Fatal(err)
	}
	w.a.commit()
	w.connect()
	w.pump()
	m.resume(t, w.b)
	w.pump()
	want(t, "again", w.a.bodies(wire.Send), "5 6 5 9 13")
}

// SUBSTRATE-FEED-006
func TestFeedTrimmed(t *testing.T) {
	w, m := follows(t)
	m.first = 12
	m.resume(t, w.b)
	w.pump()
	want(t, "events", len(w.a.events), 2)
	want(t, "from", w.a.events[0].From, 1)
	want(t, "to", w.a.events[0].To, 11)
	want(t, "delivered", w.a.bodies(wire.Send), "13 12")
	_ = w.b.eng.FeedBase(w.now, "o", wire.Session, 12)
	w.b.commit()
	w.pump()
	want(t, "once", len(w.a.events), 2)
}

// SUBSTRATE-FEED-007
func TestFeedGate(t *testing.T) {
	w, m := follows(t, func(name string, c *Config) {
		if name == "b" {
			c.Authorize = func(x *OpContext) Denial {
				if x.Verb == wire.Resync && x.Obj == "o" {
					return Deny(wire.Unauthorized)
				}
				return Denial{}
			}
		}
	})
	m.resume(t, w.b)
	w.pump()
	want(t, "the other flows", w.a.bodies(wire.Send), "6 12")
	want(t, "no reply", w.b.sentKind(wire.Err), 0)
	want(t, "counted", w.b.metrics.Snapshot().Total("substrate.authorize.denied"), 1)
}

// SUBSTRATE-FEED-001, SUBSTRATE-VERB-003: answers come by the stream too.
func TestFeedAnswers(t *testing.T) {
	w := edge(t)
	k := &sink{}
	c := w.a.open("o")
	w.pump()
	w.b.stored(k, nil)
	w.pump()
	feed := func(f FeedFrame) {
		f.Obj, f.ObjKind = "o", wire.Session
		if err := w.b.eng.Feed(w.now, f); err != nil {
			t.Fatal(err)
		}
		w.b.commit()
		w.pump()
	}
	feed(FeedFrame{Kind: wire.Accept, ID: c.ID, Seq: 7})
	want(t, "open", w.a.settled[c.ID].Kind, wire.Accept)
	want(t, "live", w.a.state("o"), live)
	q := w.a.req("o", "q")
	w.pump()
	w.b.stored(k, nil)
	w.pump()
	feed(FeedFrame{Kind: wire.Res, ID: q.ID, Seq: 11, Prev: 7, Body: []byte("r")})
	want(t, "res", string(w.a.settled[q.ID].Body), "r")
	feed(FeedFrame{Kind: wire.Close, ID: "bye", Seq: 12, Prev: 11})
	want(t, "closed", w.a.state("o"), closed)
	want(t, "stored", strings.Join(k.ids, " "), " q")
}
