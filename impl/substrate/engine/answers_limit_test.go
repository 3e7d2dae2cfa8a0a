package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// answerCap lowers the cap of both sides.
func answerCap(n int) func(string, *Config) { return func(_ string, c *Config) { c.Limits.Outbox = n } }

// SUBSTRATE-LIMIT-008: what the peer asks while too many answers are unfreed, and what it says besides.
func TestLimitAnswers(t *testing.T) {
	for _, tc := range []struct {
		what  string
		f     wire.Frame
		reply string
		trace bool
	}{
		{"a send", op(wire.Send, "o", "x", 4), "err:busy", false},
		{"a req", op(wire.Req, "o", "x", 4), "err:busy", false},
		{"an open", op(wire.Open, "o", "x", 4), "err:busy", false},
		{"a req that is ahead", op(wire.Req, "o", "x", 6), "err:busy", false},
		{"a copy of what is known", op(wire.Req, "o", "q1", 3), "ack", false},
		{"an answer", op(wire.Res, "o", "x", 4), "ack", true},
		{"a close", op(wire.Close, "o", "x", 4), "ack", true},
		{"an op of another object", op(wire.Open, "p", "x", 1), "ack accept", true},
	} {
		t.Run(tc.what, func(t *testing.T) {
			w := twoLive(t, answerCap(2))
			for i := range uint64(2) {
				w.b.inject(op(wire.Req, "o", fmt.Sprint("q", i), i+2))
			}
			before := w.b.eng.Digest()
			want(t, "reply", kinds(w.b.inject(tc.f)), tc.reply)
			want(t, "a trace", w.b.eng.Digest() != before, tc.trace)
			if tc.reply == "err:busy" {
				want(t, "no tombstone", kinds(w.b.inject(tc.f)), "err:busy")
			}
		})
	}
}

// SUBSTRATE-LIMIT-008: once an answer is freed there is room, also after a restart; and errs and rejects are answers.
func TestLimitAnswersFreed(t *testing.T) {
	w := twoLive(t, answerCap(3))
	w.b.inject(op(wire.Req, "o", "q", 2))
	w.b.inject(op(wire.Open, "o", "taken", 3))
	w.b.reaction = func(d Delivery) {
		w.b.held = nil
		if err := w.b.eng.Fail(w.now, d, wire.AppError, ""); err != nil {
			t.Fatal(err)
		}
		w.b.commit()
	}
	w.b.inject(op(wire.Send, "o", "fails", 4))
	want(t, "answers", w.b.rows("o"), 3)
	late := op(wire.Send, "o", "late", 5)
	want(t, "full", kinds(w.b.inject(late)), "err:busy")
	w.b.crash()
	w.connect()
	want(t, "full after a restart", kinds(w.b.inject(late)), "err:busy")
	head := w.b.sent[len(w.b.sent)-2]
	want(t, "the first answer is sent again", head.Kind, wire.Res)
	w.b.inject(ackOf(&head))
	want(t, "room", kinds(w.b.inject(late)), "ack")
}

// SUBSTRATE-LIMIT-008: the own op gives way to the answers behind it, unless there are fewer.
func TestLimitAnswersYield(t *testing.T) {
	for _, code := range []string{wire.Busy, wire.QueueFull, wire.RateLimited, wire.StoreUnavailable} {
		for _, tc := range []struct {
			kind    string
			answers int
			futile  bool
		}{{wire.Req, 2, true}, {wire.Send, 2, true}, {wire.Req, 1, false}} {
			t.Run(fmt.Sprint(code, " ", tc.kind, " ", tc.answers), func(t *testing.T) {
				w := twoLive(t, answerCap(2))
				var asked []Delivery
				w.b.reaction = func(d Delivery) {
					asked = append(asked, d)
					w.b.held = nil
					if err := w.b.eng.Handled(w.now, d); err != nil {
						t.Fatal(err)
					}
					w.b.commit()
				}
				for i := range uint64(tc.answers) {
					w.b.inject(op(wire.Req, "o", fmt.Sprint("q", i), i+2))
				}
				w.lose()
				own := w.b.call(w.b.eng.Enqueue(w.now, Op{Kind: tc.kind, Obj: "o"}))
				for _, d := range asked {
					if err := w.b.eng.Respond(w.now, d, nil); err != nil {
						t.Fatal(err)
					}
					w.b.commit()
				}
				got := w.b.inject(bounceOf("o", own.ID, code))
				s, settled := w.b.settled[own.ID]
				want(t, "settled", settled, tc.futile)
				if !tc.futile {
					want(t, "it waits", kinds(got), "")
					return
				}
				want(t, "code", fmt.Sprint(s.Kind, " ", s.Code, " ", s.Retryable, " ", s.Unknown), "err "+code+" true false")
				want(t, "futile", w.b.count("bridge/futile"), 1)
				want(t, "the answers follow", kinds(got), "res")
				want(t, "prev", got[0].Prev, uint64(1))
			})
		}
	}
}

// SUBSTRATE-LIMIT-008, SUBSTRATE-FINALITY-007: a close keeps its place, and so does an answer.
func TestLimitAnswersKeep(t *testing.T) {
	w := twoLive(t, answerCap(1))
	end := w.b.closes("o")
	w.b.inject(op(wire.Open, "o", "again", 2))
	want(t, "rows", w.b.rows("o"), 2)
	w.b.inject(bounceOf("o", end.ID, wire.StoreUnavailable))
	want(t, "the close stays", w.b.rows("o"), 2)
	w.advance(time.Second, false)
	want(t, "and is sent again", w.b.sentKind(wire.Close), 2)
	head := w.b.sent[len(w.b.sent)-1]
	w.b.inject(ackOf(&head))
	w.b.inject(bounceOf("o", "again", wire.StoreUnavailable))
	want(t, "the accept stays", w.b.rows("o"), 1)
	want(t, "nothing is futile", w.b.count("bridge/futile"), 0)
}

// SUBSTRATE-LIMIT-008: an op of which a copy is under way may be taken although it is said to be futile. What comes of the copy concerns no
// other row.
func TestLimitAnswersYieldUnknown(t *testing.T) {
	w := twoLive(t, answerCap(1))
	own := w.b.req("o", "?")
	w.lose()
	w.advance(10*time.Second, false)
	want(t, "sent twice", w.b.sentKind(wire.Req), 2)
	w.b.inject(op(wire.Req, "o", own.ID, 2))
	want(t, "the answer of the same id follows", kinds(w.b.inject(bounceOf("o", own.ID, wire.Busy))), "res")
	s := w.b.settled[own.ID]
	want(t, "code", fmt.Sprint(s.Code, " ", s.Unknown), "busy true")
	w.b.inject(bounceOf("o", own.ID, wire.NoSuchObject))
	want(t, "the answer stays", w.b.rows("o"), 1)
}

// SUBSTRATE-LIMIT-008, SUBSTRATE-LIMIT-005: a peer that asks 5,000 times and acks nothing has so many rows kept and no more, whatever it
// asks again, while the application answers at once or late.
func TestLimitHostileAsker(t *testing.T) {
	const names, cap, inbox = 3, 16, 8
	w := newWorld(t, func(_ string, c *Config) { c.Limits = Limits{Outbox: cap, Inbox: inbox} })
	w.quiet = true
	w.connect()
	late := func(d Delivery) {
		if d.Kind != wire.Req || d.N%2 == 0 {
			w.b.finish(d)
			return
		}
		w.b.held = nil
		if err := w.b.eng.Handled(w.now, d); err != nil {
			t.Fatal(err)
		}
		w.b.commit()
	}
	w.b.reaction = late
	next, busy := [names]uint64{}, 0
	for n := range names {
		w.b.inject(op(wire.Open, fmt.Sprint("o", n), fmt.Sprint("open", n), 1))
		next[n] = 2
	}
	for i := range 5000 {
		n := i % names
		for _, f := range w.b.inject(op(wire.Req, fmt.Sprint("o", n), fmt.Sprint("q", i), next[n])) {
			switch {
			case f.Kind == wire.Ack:
				next[n]++
			case f.Code == wire.Busy:
				busy++
			}
		}
		if i%500 == 499 {
			w.b.crash()
			w.connect()
		}
		if got := w.b.rows(fmt.Sprint("o", n)); got > cap+inbox {
			t.Fatalf("%d rows are kept for an object", got)
		}
	}
	if busy < 4000 {
		t.Fatalf("%d ops were bounced busy, want nearly all", busy)
	}
}

// SUBSTRATE-LIMIT-008: two honest sides that ask each other more than they may answer, over links that break, come to an end of every call;
// what was taken is answered, or its answer is not needed any more.
func TestLimitAnswersMutual(t *testing.T) {
	for _, most := range []int{1, 2, 3} {
		yielded := 0
		for seed := range uint64(20) {
			f := &flood{twoLive(t, answerCap(most)), rand.New(rand.NewPCG(seed, uint64(most))), map[*side][]Call{}, map[*side][]Delivery{}}
			f.run()
			for _, s := range []*side{f.a, f.b} {
				want(t, "rows", s.rows("o"), 0)
				for _, c := range f.calls[s] {
					got, ok := s.settled[c.ID]
					if !ok || !got.OK() && got.Code != wire.Busy {
						t.Fatalf("seed %d: %s: %s: %+v\n%s", seed, s.name, c.ID, got, f.dump())
					}
					if !got.OK() {
						yielded++
					}
				}
			}
		}
		if yielded == 0 {
			t.Errorf("with a cap of %d no op ever gave way", most)
		}
	}
}

// A flood is two sides that ask each other all the time, and answer sooner or later.
type flood struct {
	*world
	r     *rand.Rand
	calls map[*side][]Call
	asked map[*side][]Delivery
}

// run has each side ask a hundred times, as far as its own outbox allows, and then lets everything come to rest.
func (f *flood) run() {
	left := map[*side]int{f.a: 100, f.b: 100}
	for _, s := range []*side{f.a, f.b} {
		s.reaction = func(d Delivery) {
			f.asked[s] = append(f.asked[s], d)
			if err := s.eng.Handled(f.now, d); err != nil {
				f.t.Fatalf("handled: %v", err)
			}
			s.commit()
		}
	}
	for left[f.a]+left[f.b] > 0 {
		s := []*side{f.a, f.b}[f.r.IntN(2)]
		switch k := f.r.IntN(40); {
		case k == 0:
			f.drop()
			f.connect()
		case k < 3:
			f.advance(time.Duration(f.r.IntN(4000))*time.Millisecond, false)
		case k < 18 && left[s] > 0:
			left[s]--
			if c, err := s.eng.Req(f.now, "o", nil); err == nil {
				f.calls[s] = append(f.calls[s], s.call(c, nil))
			} else if codeOf(err) != wire.QueueFull {
				f.t.Fatalf("a req is refused: %v", err)
			}
		case k < 24:
			f.answer(s)
		case len(s.wire) > 0:
			s.deliver(0, false)
		}
	}
	for range 20 {
		f.advance(time.Minute, true)
		f.answer(f.a)
		f.answer(f.b)
	}
	f.advance(time.Minute, true)
}

// answer answers whatever is put off.
func (f *flood) answer(s *side) {
	for _, d := range f.asked[s] {
		if err := s.eng.Respond(f.now, d, nil); err != nil {
			f.t.Fatalf("respond: %v", err)
		}
		s.commit()
	}
	f.asked[s] = nil
}

// SUBSTRATE-LIMIT-008, SUBSTRATE-FEED-004: what a stream asks while too many answers are unfreed is as good as lost, and what it answers is
// not.
func TestLimitAnswersOfAFeed(t *testing.T) {
	w := edge(t, answerCap(1))
	if err := w.a.eng.Follow(w.now, Following{Obj: "o", ObjKind: wire.Session}); err != nil {
		t.Fatal(err)
	}
	w.a.commit()
	feed := func(kind, id string, seq uint64) {
		t.Helper()
		x := FeedFrame{Obj: "o", ObjKind: wire.Session, Kind: kind, ID: id, Seq: seq, Prev: seq - 1}
		if err := w.b.eng.Feed(w.now, x); err != nil {
			t.Fatal(err)
		}
		w.b.commit()
		w.pump()
	}
	feed(wire.Req, "q1", 1)
	want(t, "answers", w.a.rows("o"), 1)
	feed(wire.Res, "of-nobody", 2)
	want(t, "last", w.a.eng.find("o").feed.last, 2)
	feed(wire.Req, "q2", 3)
	want(t, "last", w.a.eng.find("o").feed.last, 2)
	w.b.stored(&sink{}, nil)
	w.pump()
	want(t, "answers", w.a.rows("o"), 0)
	w.advance(feedRetry, true)
	want(t, "it is asked for", w.b.resumes[len(w.b.resumes)-1].From, 3)
	feed(wire.Req, "q2", 3)
	want(t, "last", w.a.eng.find("o").feed.last, 3)
}
