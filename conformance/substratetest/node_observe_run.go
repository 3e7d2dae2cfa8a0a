package substratetest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// observeRunCases are drawn runs in which every op is accounted for.
func observeRunCases() []conformance.Case {
	var out []conformance.Case
	for _, at := range []struct{ name, title string }{
		{"calm", "without failures"}, {"failing-store", "with a store that refuses now and then"}, {"restarts", "across restarts"},
	} {
		out = append(out, nodeCase("observe/conservation-"+at.name, "at every step of a drawn run each op is in the outbox or was counted out of it, "+at.title,
			laws("SUBSTRATE-OBSERVE-011", "SUBSTRATE-OBSERVE-012", "SUBSTRATE-OBSERVE-003", "SUBSTRATE-OBSERVE-004"), needs(Signals, Kept, HostStore, Refusing), func(t *nodeT) {
				r := &drawnRun{n: t.Durable(), heads: map[string]*frame{}, depth: map[string]float64{}}
				for range 3 {
					r.objs = append(r.objs, r.n.Ours("session"))
				}
				r.settle()
				for i := range 150 {
					r.step(at.name)
					if !r.settle() {
						t.Note("step", "%d", i)
						return
					}
				}
				r.drain()
			}))
	}
	return out
}

// A drawnRun is a node with objects of its own, and what was counted of it.
type drawnRun struct {
	n     *node
	objs  []*nodeObj
	heads map[string]*frame // last sent, by object
	depth map[string]float64

	enqueued, acked, answered, purged float64
}

// did takes note of what is in flight.
func (r *drawnRun) did(ds deeds) {
	for _, f := range ds.Frames() {
		if f.durable() {
			r.heads[f.obj()] = f
		}
	}
}

// step does something that is drawn.
func (r *drawnRun) step(mood string) {
	n, rand := r.n, r.n.t.Rand()
	o := r.objs[rand.IntN(len(r.objs))]
	head := r.heads[o.addr]
	if mood == "failing-store" && rand.IntN(4) == 0 {
		n.Refuse(rand.IntN(2), 1)
		defer n.Refuse(0, 0)
	}
	call := func(verb string) {
		c, refused := n.TryCall(verb, o.addr, callRequest{Body: []byte("x"), ObjKind: map[bool]string{true: "session"}[verb == "open"]})
		if refused != nil {
			r.did(refused.Did)
		} else {
			r.did(c.Did)
		}
	}
	switch what := rand.IntN(12); {
	case what < 3:
		call("send")
	case what < 5:
		call("req")
	case what == 5:
		call("open")
	case what == 6 && rand.IntN(3) == 0:
		call("close")
	case what == 7 && mood == "restarts":
		r.did(n.Restart())
	case what == 7 || n.conn == "":
		if n.conn != "" {
			n.Disconnect()
		}
		r.did(n.Connect())
	case head == nil:
		r.did(n.Advance(int64(rand.IntN(20_000))))
	default:
		r.did(n.Gets(r.reply(o, head)))
	}
}

// reply draws what the peer says to what it got last.
func (r *drawnRun) reply(o *nodeObj, head *frame) *frame {
	switch rand := r.n.t.Rand(); rand.IntN(8) {
	case 0:
		return bounceOf(head, "app_error")
	case 1:
		return bounceOf(head, "busy")
	case 2:
		return ackOf(head.with("receipt", []byte("stale")))
	case 3:
		switch head.kind() {
		case "req":
			return o.Answer("res", head, "!")
		case "open":
			return o.Answer("accept", head, "")
		}
	}
	return ackOf(head)
}

// settle counts what was measured, and compares it with what is kept. It reports whether all is accounted for.
func (r *drawnRun) settle() bool {
	t, got := r.n.t, r.n.Signals()
	r.enqueued += got.Count("substrate.ops.enqueued")
	r.acked += got.Count("substrate.ops.acked")
	r.answered += got.Count("substrate.ops.answered")
	r.purged += got.Count("substrate.ops.purged")
	for _, m := range got.Measures {
		if m.Name == "substrate.outbox.depth" {
			r.depth[m.Labels["obj"]] = m.Value
		}
	}
	kept, sum := map[string]float64{}, 0.0
	for _, row := range r.n.Kept().Outbox {
		kept[row.Obj]++
	}
	shown := maps.Clone(r.depth)
	maps.DeleteFunc(shown, func(_ string, v float64) bool { return v == 0 })
	for _, v := range r.depth {
		sum += v
	}
	ok := t.Equal("SUBSTRATE-OBSERVE-004", "at every step the gauge is the row count in the store", kept, shown)
	seen := fmt.Sprintf("%v enqueued, %v acked, %v answered, %v purged, depth %v", r.enqueued, r.acked, r.answered, r.purged, sum)
	return t.Check(r.enqueued == r.acked+r.answered+r.purged+sum, "SUBSTRATE-OBSERVE-011",
		"at every step enqueued = acked + answered + purged + depth", "a sum that comes out even", seen) && ok
}

// drain acks everything, which empties the outbox.
func (r *drawnRun) drain() {
	if r.n.conn != "" {
		r.n.Disconnect()
	}
	r.did(r.n.Connect())
	for range 400 {
		heads := slices.Sorted(maps.Keys(r.heads))
		if len(heads) == 0 {
			break
		}
		f := r.heads[heads[0]]
		delete(r.heads, heads[0])
		r.did(r.n.Ack(f))
	}
	r.settle()
	for _, v := range r.depth {
		r.n.t.Equal("SUBSTRATE-OBSERVE-011", "depth = 0 after a fair run with a reachable peer", 0.0, v)
	}
}
