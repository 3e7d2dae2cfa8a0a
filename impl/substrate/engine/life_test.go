package engine

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// wild queues any op on one of two objects, which may be in any state.
func (x *run) wild(s *side) {
	obj := string(rune('x' + x.r.IntN(2)))
	kind := []string{wire.Open, wire.Open, wire.Close, wire.Send, wire.Send, wire.Req}[x.r.IntN(6)]
	c, err := s.eng.Enqueue(x.now, Op{Kind: kind, Obj: obj, Body: []byte(fmt.Sprint(len(x.order)))})
	if err == nil {
		at := s.name + obj
		x.queued[at] = append(x.queued[at], c.ID)
		x.order[c.ID], x.on[c.ID] = len(x.queued[at]), at
	}
	x.settleDown(s)
}

// answerWild finishes a delivery as it should be, or rejects and fails it.
func (x *run) answerWild(s *side) {
	if len(s.held) == 0 {
		return
	}
	d := s.held[0]
	code := []string{wire.AppError, wire.Busy, wire.ObjectFailed}[x.r.IntN(3)]
	if d.Kind == wire.Close || x.r.IntN(3) > 0 || s.eng.Fail(x.now, d, code, "") != nil {
		s.finish(d)
		return
	}
	s.held = s.held[1:]
	s.commit()
}

// SUBSTRATE-OBJ-001, SUBSTRATE-OBJ-006, SUBSTRATE-OBJ-007, SUBSTRATE-FINALITY-008, SUBSTRATE-ANSWER-001, SUBSTRATE-ANSWER-006,
// SUBSTRATE-OBSERVE-011: whatever is opened, closed, rejected and failed by both sides, over whatever network, everything comes to an end
// once the network is stable, each call is settled once, and both sides agree on what is alive.
func TestPropertyLifecycleConverges(t *testing.T) {
	manySchedules(t, *schedules/2)
	rapid.Check(t, func(rt *rapid.T) {
		x := newRun(rt, rapid.Uint64().Draw(rt, "seed"))
		faults := rapid.Bool().Draw(rt, "faults")
		x.connect()
		for range rapid.IntRange(1, 120).Draw(rt, "steps") {
			switch s := x.either(); x.r.IntN(4) {
			case 0:
				x.wild(s)
			case 1:
				x.answerWild(s)
			default:
				x.quietStep(faults)
			}
		}
		x.fair()
		x.check(false)
		x.agree()
	})
}

// quietStep is a step that queues nothing.
func (x *run) quietStep(faults bool) {
	n := len(x.order)
	for range 3 {
		if s := x.either(); len(s.wire) > 0 {
			s.deliver(0, false)
		}
	}
	if x.r.IntN(3) == 0 {
		x.disturb(faults)
	}
	if len(x.order) != n {
		x.t.Fatalf("a quiet step queues")
	}
}

// agree checks that both sides have the same objects alive, and that no op was both futile for certain and handed over.
func (x *run) agree() {
	for _, obj := range []string{"x", "y"} {
		a, b := x.a.state(obj), x.b.state(obj)
		if (a == live) != (b == live) || a == opening || b == opening {
			x.t.Fatalf("%s is %q at a and %q at b\n%s", obj, a, b, x.dump())
		}
	}
	for _, s := range []*side{x.a, x.b} {
		futile := map[string]bool{}
		for _, ev := range s.events {
			if ev.Name != observe.EventFutile {
				continue
			}
			if futile[ev.ID] && s.lives == 1 {
				x.t.Fatalf("%s: %s is futile twice\n%s", s.name, ev.ID, x.dump())
			}
			futile[ev.ID] = true
			if ev.Unknown || ev.Code == wire.AppError || ev.Code == wire.ObjectFailed {
				continue // it may have been taken, or it was and the answer is an error
			}
			for _, d := range s.peer.fetched {
				if d.ID == ev.ID {
					x.t.Fatalf("%s: %s is futile (%s) and was handed over\n%s", s.name, ev.ID, ev.Code, x.dump())
				}
			}
		}
	}
}
