package substrate_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// send queues the next number on an object.
func (s *clockSide) send(obj string) {
	s.next[obj]++
	c, err := s.eng.Send(s.now(), obj, []byte(strconv.Itoa(s.next[obj])))
	must(s.w.t, err)
	s.body[c.ID] = obj
	s.w.note("%s sends %d on %s", s.name, s.next[obj], obj)
	s.settle()
}

// hear has the first frame that is on its way arrive.
func (s *clockSide) hear() bool {
	if len(s.peer.out) == 0 {
		return false
	}
	b := s.peer.out[0]
	s.peer.out = s.peer.out[1:]
	s.eng.Receive(s.now(), s.w.link, b)
	s.settle()
	return true
}

// pump has all arrive that is on its way, and what follows from it.
func (w *clockWorld) pump() {
	for w.a.hear() || w.b.hear() {
	}
}

// pass has time pass, with a tick wherever a side wants one and, if flow is set, all frames delivered on the way.
func (w *clockWorld) pass(d time.Duration, flow bool) {
	for end := w.now.Add(d); ; {
		if flow {
			w.pump()
		}
		step := end.Sub(w.now)
		if step <= 0 {
			return
		}
		for _, s := range []*clockSide{w.a, w.b} {
			if due, ok := s.eng.Next(); ok {
				step = min(step, max(due.Sub(s.now()), time.Millisecond))
			}
		}
		w.now = w.now.Add(step)
		for _, s := range []*clockSide{w.a, w.b} {
			s.eng.Tick(s.now())
			s.settle()
		}
	}
}

// jump sets the wall clock of one side.
func (w *clockWorld) jump(s *clockSide) {
	steps := []time.Duration{time.Minute, time.Hour, day, 6 * day, 7*day - time.Hour, 8 * day, 365 * day, 10 * 365 * day}
	d := steps[w.r.IntN(len(steps))]
	// What is gone by now went by the clock as it is.
	w.ledgers()
	// Not beyond what a clock shows.
	if w.r.IntN(2) == 0 && s.off > -20*365*day || s.off > 60*365*day {
		d = -d
	}
	s.off += d
	w.jumps++
	w.note("the clock of %s jumps by %v", s.name, d)
}

// step has something happen.
func (w *clockWorld) step() {
	s := []*clockSide{w.a, w.b}[w.r.IntN(2)]
	switch n := w.r.IntN(100); {
	case n < 35:
		s.send(fmt.Sprint("o", w.r.IntN(clockObjects)))
	case n < 60:
		for range 1 + w.r.IntN(6) {
			s.hear()
			s = s.peer
		}
	case n < 70:
		w.drop()
	case n < 82:
		w.connect()
	case n < 90:
		w.jump(s)
	case n < 93:
		w.jump(s)
		s.restart()
	case n < 95:
		s.restart()
	case n < 99:
		w.pass(time.Duration(w.r.IntN(100))*time.Second, w.r.IntN(2) == 0)
	default:
		w.pass(3*time.Hour, true)
	}
	if w.r.IntN(8) == 0 {
		w.ledgers()
	}
}

func (w *clockWorld) ledgers() {
	w.a.ledger()
	w.b.ledger()
}

// finish lets the clocks alone and looks at what has come of it.
func (w *clockWorld) finish() {
	w.ledgers()
	for range 4 {
		w.connect()
		w.pass(5*time.Minute, true)
	}
	for _, s := range []*clockSide{w.a, w.b} {
		for i := range clockObjects {
			s.send(fmt.Sprint("o", i))
		}
	}
	w.pass(5*time.Minute, true)
	for _, s := range []*clockSide{w.a, w.b} {
		for _, o := range s.eng.Snapshot().Objects {
			if len(o.Rows) > 0 || len(o.Inbox) > 0 || o.Record == nil || o.Record.State != "live" {
				w.fail("%s: in the end %s has %d rows out and %d in, record %+v", s.name, o.Obj, len(o.Rows), len(o.Inbox), o.Record)
			}
		}
		for id := range s.body {
			if !s.acked[id] && !s.expired[id] && !s.peer.got[id] {
				w.fail("%s: nothing has become of %s", s.name, id)
			}
			if s.acked[id] && !s.peer.got[id] {
				w.fail("%s: %s is acked and lost", s.name, id)
			}
		}
		for _, name := range []string{observe.AckLatency, observe.AnswerLatency} {
			for _, h := range s.metrics.Snapshot().Named(name).Histograms {
				if h.Min < 0 {
					w.fail("%s: %s of %v ms (SUBSTRATE-OBSERVE-005)", s.name, name, h.Min)
				}
			}
		}
	}
}

// SUBSTRATE-DEDUPE-003, SUBSTRATE-OUTBOX-008, SUBSTRATE-DEDUPE-001, SUBSTRATE-SEQ-003: the wall clocks of both sides jump by days and
// years, forwards and backwards, while they run and while they do not. What is acked is there, in order, and once unless its entry had come
// of age; an entry goes when its age by the wall clock is more than 7 days and never before; nothing is sent again at an age of 7 days less
// an hour or more, and what was given up had that age. When the clocks are let alone all goes on.
func TestClockJumps(t *testing.T) {
	t.Logf("-fault-seed %d: %d exchanges", *faultSeed, *clockRounds)
	r := faults(t)
	var jumps, sent, acked, expired, again int
	for range *clockRounds {
		w := newClockWorld(t, r)
		for range 400 {
			w.step()
		}
		w.finish()
		jumps += w.jumps
		for _, s := range []*clockSide{w.a, w.b} {
			sent, acked, expired, again = sent+len(s.body), acked+len(s.acked), expired+len(s.expired), again+s.again
		}
	}
	t.Logf("%d jumps; %d messages, %d of them acked in the life that sent them, %d given up, %d came again after they were forgotten",
		jumps, sent, acked, expired, again)
	if expired == 0 || jumps == 0 {
		t.Error("no clock has jumped far enough for anything to be given up")
	}
}

// SUBSTRATE-OUTBOX-005, SUBSTRATE-OUTBOX-008: what is due in seconds is due by the monotonic clock, whatever the wall clock does meanwhile.
func TestClockJumpsUnderTimers(t *testing.T) {
	for _, d := range []time.Duration{-10 * 365 * day, -day, day, 6 * day, 8 * day} {
		w := newClockWorld(t, faults(t))
		w.a.send("o0")
		w.a.out = nil
		w.a.off += d
		w.pass(9*time.Second, false)
		if n := len(w.a.out); n != 0 {
			t.Errorf("a step of %v: %d frames after 9 s", d, n)
		}
		w.pass(time.Second, false)
		want := 1
		if d >= sendHorizon*time.Millisecond {
			want = 0
		}
		if n := len(w.a.out); n != want || len(w.a.expired) != 1-want {
			t.Errorf("a step of %v: %d frames after 10 s and %d given up, want %d and %d", d, n, len(w.a.expired), want, 1-want)
		}
		w.finish()
	}
}

// SUBSTRATE-TOMBSTONE-003, SUBSTRATE-TOMBSTONE-004: a bounce is remembered for 7 days that have passed, not for those that a clock has
// skipped.
func TestClockJumpsOverTombstones(t *testing.T) {
	for _, d := range []time.Duration{-10 * 365 * day, -8 * day, 8 * day, 10 * 365 * day} {
		w := newClockWorld(t, faults(t))
		bounces := func() int {
			f := wire.Frame{
				V: wire.Version, Kind: wire.Send, Obj: "nowhere", ObjKind: wire.Session, ID: "x", Seq: 1, Receipt: []byte("0123456789abcdef"),
				Has: wire.Required(wire.Send),
			}
			b, err := wire.Append(nil, &f)
			must(t, err)
			w.b.out = nil
			w.b.eng.Receive(w.b.now(), w.link, b)
			w.b.settle()
			return len(w.b.out)
		}
		first := bounces()
		w.b.off += d
		w.b.eng.Tick(w.b.now())
		w.b.settle()
		jumped := bounces()
		w.pass(7*day, true)
		edge := bounces()
		w.pass(time.Millisecond, true)
		if past := bounces(); first != 1 || jumped != 0 || edge != 0 || past != 1 {
			t.Errorf("a step of %v: %d errs, then %d, after 7 days %d, after them %d; want 1, 0, 0, 1", d, first, jumped, edge, past)
		}
	}
}

// SUBSTRATE-DEDUPE-002, SUBSTRATE-DEDUPE-003: an op comes again after the clock of who has committed it was set, across a restart. Back, or
// forward by 7 days, it is known; forward by more it is not, and that is all that the law gives up.
func TestClockJumpsOverLedger(t *testing.T) {
	for d, twice := range map[time.Duration]int{
		-10 * 365 * day: 0, -day: 0, 7*day - time.Second: 0, 7 * day: 0, 7*day + time.Second: 1, 3650 * day: 1,
	} {
		w := newClockWorld(t, faults(t))
		w.a.send("o0")
		w.b.hear() // and its ack is lost
		w.drop()
		w.b.off += d
		w.b.restart()
		w.connect()
		w.b.ledger()
		w.pump()
		if w.b.again != twice || len(w.a.acked) != 1 {
			t.Errorf("a step of %v: it came again %d times and was acked %d times, want %d and 1", d, w.b.again, len(w.a.acked), twice)
		}
		w.finish()
	}
}

// SUBSTRATE-DEDUPE-002, SUBSTRATE-DEDUPE-003: the hourly sweep after a jump takes what is older than 7 days by the clock, and no more.
func TestClockJumpsBeforeASweep(t *testing.T) {
	for _, d := range []time.Duration{-10 * 365 * day, -day, 6 * day, 7*day - 3*time.Hour, 7*day - time.Hour, 8 * day, 10 * 365 * day} {
		w := newClockWorld(t, faults(t))
		for range 3 {
			w.a.send("o0")
			w.b.send("o1")
			w.pump()
		}
		w.ledgers()
		w.a.off += d
		w.b.off += d
		w.pass(2*time.Hour, true)
		w.ledgers()
		for _, s := range []*clockSide{w.a, w.b} {
			gone := 0
			for _, purged := range s.purged {
				if purged {
					gone++
				}
			}
			want := 0
			if d+2*time.Hour > 7*day {
				want = 3
			}
			if len(s.known) != 3 || gone != want {
				t.Errorf("a step of %v: %s has known %d and forgotten %d, want 3 and %d", d, s.name, len(s.known), gone, want)
			}
		}
		w.finish()
	}
}
