package substrate_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/pipenet"
	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

var cutSeed = flag.Uint64("cut-seed", 1, "where the proxy cuts connections")

// numbers are the texts of 0 to n-1.
func numbers(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strconv.Itoa(i)
	}
	return all
}

// enqueueAll queues numbers on an object and waits until all are committed at the other side.
func enqueueAll(ctx context.Context, o *substrate.Object, n int) error {
	calls := make([]*substrate.Call, 0, n)
	for i := range n {
		// Not more than an outbox holds (SUBSTRATE-LIMIT-002).
		if i >= 512 {
			if err := calls[i-512].Wait(ctx); err != nil {
				return err
			}
		}
		c, err := o.Enqueue(ctx, []byte(strconv.Itoa(i)))
		if err != nil {
			return err
		}
		calls = append(calls, c)
	}
	for _, c := range calls {
		if err := c.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// SUBSTRATE-RECONNECT-001, SUBSTRATE-DEDUPE-001, SUBSTRATE-SEQ-003: each message once and in order, both ways, wherever the socket is cut.
func TestExactlyOnceThroughCuts(t *testing.T) {
	const objects, each, cuts = 20, 100, 40
	w := actual(t)
	dir := t.TempDir()
	var a, b record
	c := config("gate")
	c.Handler, c.DBPath = b.handler(t), filepath.Join(dir, "gate")
	l := w.listen(c)
	p := newProxy(t, w.net.Addr().String(), *cutSeed, cuts, 500, 60_000)
	w.later(p.close)
	w.url = p.url()
	d := config("c1")
	d.Remote, d.Handler, d.DBPath = "gate", a.handler(t), filepath.Join(dir, "c1")
	peer := w.dial(d)

	var all sync.WaitGroup
	errs := make(chan error, 2*objects)
	for i := range objects {
		name := fmt.Sprintf("o%d", i)
		all.Go(func() {
			o, err := peer.Open(t.Context(), substrate.Session, name, substrate.OpenOptions{})
			if err != nil {
				errs <- err
				return
			}
			all.Go(func() { errs <- enqueueAll(t.Context(), l.Peer("c1").Object(name), each) })
			errs <- enqueueAll(t.Context(), o, each)
		})
	}
	all.Wait()
	for range 2 * objects {
		must(t, <-errs)
	}
	if p.left() == cuts {
		t.Error("nothing was cut")
	}
	t.Logf("%d cuts", cuts-p.left())
	for _, side := range []*record{&a, &b} {
		for i := range objects {
			name := fmt.Sprintf("o%d", i)
			side.until(t, name, func() bool { return len(side.bodys[name]) >= each })
			if got := side.got(name); !slices.Equal(got, numbers(each)) {
				t.Errorf("%s: got %v", name, got)
			}
		}
	}
}

// SUBSTRATE-RECONNECT-002, SUBSTRATE-OUTBOX-007: a side that is closed and opened again on the same file goes on with what was pending.
func TestRestartOfEitherSide(t *testing.T) {
	for _, side := range []string{"dialer", "listener"} {
		t.Run(side, func(t *testing.T) {
			virtual(t, func(w *world) {
				t, ctx := w.t, w.t.Context()
				dir := t.TempDir()
				var a, b record
				c := config("gate")
				c.Handler, c.DBPath = b.handler(t), filepath.Join(dir, "gate")
				l, stop := w.listenOn(w.net, c)
				d := config("c1")
				d.Remote, d.Handler, d.DBPath, d.Client = "gate", a.handler(t), filepath.Join(dir, "c1"), w.client
				p, err := substrate.Dial(ctx, w.url, d)
				must(t, err)
				_, err = p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
				must(t, err)
				must(t, p.Object("s").Send(ctx, []byte("0")))
				p.Disconnect()
				synctest.Wait()
				for i := 1; i < 10; i++ {
					_, err := p.Object("s").Enqueue(ctx, []byte(strconv.Itoa(i)))
					must(t, err)
					_, err = l.Peer("c1").Object("s").Enqueue(ctx, []byte(strconv.Itoa(i-1)))
					must(t, err)
				}
				if side == "dialer" {
					must(t, p.Close(ctx))
					p, err = substrate.Dial(ctx, w.url, d)
					must(t, err)
				} else {
					stop()
					w.retarget(pipenet.New())
					l, stop = w.listenOn(w.net, c)
					p.Connect()
				}
				b.until(t, "to the listener", func() bool { return len(b.bodys["s"]) >= 10 })
				a.until(t, "to the dialer", func() bool { return len(a.bodys["s"]) >= 9 })
				must(t, p.Object("s").Send(ctx, []byte("10")))
				must(t, l.Peer("c1").Object("s").Send(ctx, []byte("9")))
				synctest.Wait()
				if !slices.Equal(b.got("s"), numbers(11)) || !slices.Equal(a.got("s"), numbers(10)) {
					t.Errorf("got %v and %v", b.got("s"), a.got("s"))
				}
				must(t, p.Close(ctx))
				stop()
			})
		})
	}
}

// SUBSTRATE-DEDUPE-008: what was committed and not handled is handed over by the next process.
func TestUnhandledIsHandedOverAgain(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var b record
		c := config("gate")
		c.DBPath = filepath.Join(t.TempDir(), "gate")
		c.Handler = b.handler(t)
		good := c.Handler.Send
		c.Handler.Send = func(ctx context.Context, _ *substrate.Message) error {
			<-ctx.Done()
			return ctx.Err()
		}
		_, stop := w.listenOn(w.net, c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		o, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		must(t, o.Send(ctx, []byte("1")))
		must(t, o.Send(ctx, []byte("2")))
		stop()
		w.retarget(pipenet.New())
		again := make(chan bool, 2)
		c.Handler.Send = func(ctx context.Context, m *substrate.Message) error {
			again <- m.Redelivered
			return good(ctx, m)
		}
		l := w.listen(c)
		_, err = l.Load("c1") // it need not be connected
		must(t, err)
		b.until(t, "both", func() bool { return len(b.bodys["s"]) == 2 })
		first, second := <-again, <-again
		if !first || !second || !slices.Equal(b.got("s"), []string{"1", "2"}) {
			t.Errorf("got %v", b.got("s"))
		}
	})
}

// fileStore is a real file whose transactions are counted.
type fileStore struct {
	*sqlite.Store
	applied atomic.Int64
}

func (s *fileStore) Apply(peer string, b *store.Batch) error {
	s.applied.Add(1)
	return s.Store.Apply(peer, b)
}

// Calls of many objects share transactions: the write to the disk is what costs.
func TestObjectsShareCommits(t *testing.T) {
	const objects, each = 64, 10
	w := actual(t)
	open := func(name string) *fileStore {
		s, err := sqlite.Open(filepath.Join(t.TempDir(), name), sqlite.Options{})
		must(t, err)
		return &fileStore{Store: s}
	}
	here, there := open("c1"), open("gate")
	w.later(func() { must(t, here.Store.Close()) })
	w.later(func() { must(t, there.Store.Close()) })
	var b record
	c := config("gate")
	c.Handler, c.Storage = b.handler(t), there
	w.listen(c)
	d := config("c1")
	d.Remote, d.Storage = "gate", here
	p := w.dial(d)
	var all sync.WaitGroup
	for i := range objects {
		all.Go(func() {
			o, err := p.Open(t.Context(), substrate.Session, fmt.Sprintf("o%d", i), substrate.OpenOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			for range each {
				if err := o.Send(t.Context(), []byte("x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	const ops = objects * (each + 1)
	// Each op is written and freed on one side, and committed and handled on the other.
	if n, m := here.applied.Load(), there.applied.Load(); n > ops || m > ops {
		t.Errorf("%d ops took %d transactions here and %d there", ops, n, m)
	} else {
		t.Logf("%d ops took %d transactions here and %d there", ops, n, m)
	}
}
