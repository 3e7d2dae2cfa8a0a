package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-RELAY-001 to SUBSTRATE-RELAY-006, SUBSTRATE-RELAY-008, SUBSTRATE-FEED-002 to SUBSTRATE-FEED-004:
// whatever the network, the sink and the replicas do, the sink has
// what the browser sent, once and in order for each object, and the browser has the stream, once and in order.
func TestPropertyRelay(t *testing.T) {
	manySchedules(t, *schedules/2)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 5))
		w := newWorld(rt, func(name string, c *Config) {
			if name == "b" {
				c.Relay = &Relay{Remembers: store.Horizon}
			} else {
				c.Feeds = true
			}
		})
		x := &relayRun{world: w, r: r, sent: map[string][]string{}}
		for _, obj := range []string{"x", "y"} {
			if err := w.a.eng.Follow(w.now, Following{Obj: obj, ObjKind: wire.Session}); err != nil {
				rt.Fatalf("follow: %v", err)
			}
		}
		w.a.commit()
		w.connect()
		for range rapid.IntRange(1, 150).Draw(rt, "steps") {
			x.step()
		}
		x.fair()
		x.check()
	})
}

type relayRun struct {
	*world
	r    *rand.Rand
	k    sink
	m    stream
	sent map[string][]string // bodies by object
	n    int
}

func (x *relayRun) obj() string { return string(rune('x' + x.r.IntN(2))) }

func (x *relayRun) step() {
	a, b := x.a, x.b
	switch n := x.r.IntN(30); {
	case n < 6:
		x.n++
		obj := x.obj()
		a.send(obj, fmt.Sprint(obj, x.n))
		x.sent[obj] = append(x.sent[obj], fmt.Sprint(obj, x.n))
	case n < 10 && len(a.wire) > 0:
		a.deliver(0, false)
	case n < 14 && len(b.wire) > 0:
		b.deliver(0, false)
	case n < 18:
		x.store()
	case n == 18 && len(a.wire) > 0:
		a.deliver(0, true)
	case n == 19 && len(a.wire) > 0:
		a.wire = slices.Delete(slices.Clone(a.wire), 0, 1)
	case n == 20 && len(b.wire) > 0:
		b.wire = slices.Delete(slices.Clone(b.wire), 0, 1)
	case n == 21:
		x.drop()
	case n == 22:
		// Another replica takes over: what is being stored may still be stored, and nobody hears of it.
		for _, s := range b.stores {
			if x.r.IntN(2) == 0 && b.eng.stored[s.Token] != nil {
				x.k.store(s)
			}
		}
		b.stores = nil
		b.crash()
	case n == 23 || x.link == "":
		x.connect()
	case n < 26:
		x.advance(time.Duration(x.r.IntN(35_000))*time.Millisecond, false)
	case n < 28:
		x.n++
		x.m.add(x.obj(), uint64(3*x.n))
		_ = b.eng.Feed(x.now, x.m.frames[len(x.m.frames)-1])
		b.commit()
	default:
		x.push()
	}
}

// store ends a store call, not always the oldest one, and not always well.
func (x *relayRun) store() {
	b := x.b
	if len(b.stores) == 0 {
		return
	}
	i := x.r.IntN(len(b.stores))
	s := b.stores[i]
	b.stores = slices.Delete(slices.Clone(b.stores), i, i+1)
	var err error
	seq, dup := uint64(0), false
	if x.r.IntN(5) > 0 {
		if b.eng.stored[s.Token] == nil {
			return // the edge has given it up, and it is taken not to have reached the sink
		}
		seq, dup = x.k.store(s)
		if x.r.IntN(6) == 0 {
			err = errors.New("the result is lost")
		}
	} else {
		err = errors.New("no")
	}
	b.eng.Stored(x.now, s.Token, seq, dup, err)
	b.commit()
}

func (x *relayRun) push() {
	for _, q := range x.b.resumes {
		for _, f := range x.m.frames {
			if f.Obj == q.Obj && f.Seq >= q.From {
				_ = x.b.eng.Feed(x.now, f)
			}
		}
	}
	x.b.resumes = nil
	x.b.commit()
}

func (x *relayRun) fair() {
	x.connect()
	for range 60 {
		x.pump()
		for len(x.b.stores) > 0 {
			s := x.b.stores[0]
			x.b.stores = x.b.stores[1:]
			if x.b.eng.stored[s.Token] == nil {
				continue
			}
			seq, dup := x.k.store(s)
			x.b.eng.Stored(x.now, s.Token, seq, dup, nil)
			x.b.commit()
		}
		x.push()
		x.pump()
		x.advance(5*time.Second, true)
		if x.link == "" {
			x.connect()
		}
	}
}

func (x *relayRun) check() {
	for _, obj := range []string{"x", "y"} {
		var in []string
		for _, id := range x.k.ids {
			if id[:1] == obj {
				in = append(in, id)
			}
		}
		if got, all := strings.Join(in, " "), strings.Join(x.sent[obj], " "); got != all {
			x.t.Fatalf("the sink has %s, %s was sent\n%s", got, all, x.dump())
		}
		if n := x.a.rows(obj); n > 0 {
			x.t.Fatalf("%d rows of %s are left\n%s", n, obj, x.dump())
		}
		var fed, all []uint64
		for _, d := range x.a.fetched {
			if d.Obj == obj {
				fed = append(fed, d.Seq)
			}
		}
		for _, f := range x.m.frames {
			if f.Obj == obj {
				all = append(all, f.Seq)
			}
		}
		// A frame that was lost last of all is not missed until another comes.
		if !slices.Equal(fed, all[:min(len(fed), len(all))]) {
			x.t.Fatalf("the stream of %s is %v, the browser has %v\n%s", obj, all, fed, x.dump())
		}
	}
}
