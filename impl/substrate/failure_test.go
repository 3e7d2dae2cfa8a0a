package substrate_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// flaky is a store that fails to write as long as it is told to.
type flaky struct {
	store.Store
	down atomic.Bool
}

var errDown = errors.New("the disk is away")

func (f *flaky) Apply(peer string, b *store.Batch) error {
	if f.down.Load() {
		return errDown
	}
	return f.Store.Apply(peer, b)
}

// SUBSTRATE-OUTBOX-009, SUBSTRATE-STORE-008: what cannot be written has not happened, and what was asked for meanwhile happens later, once and
// in order.
func TestStoreFails(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		here, there := &flaky{Store: store.NewMemory()}, &flaky{Store: store.NewMemory()}
		var b record
		hold := make(chan struct{}, 100)
		c := config("gate")
		c.Storage, c.Handler = there, b.handler(t)
		c.Handler.Open = func(ctx context.Context, o *substrate.Opening) {
			for o.Accept(ctx) != nil {
				time.Sleep(time.Second)
			}
		}
		quick := c.Handler.Send
		c.Handler.Send = func(ctx context.Context, m *substrate.Message) error {
			<-hold
			return quick(ctx, m)
		}
		w.listen(c)
		d := config("c1")
		d.Remote, d.Storage = "gate", here
		p := w.dial(d)
		must(t, p.Ready(ctx))

		there.down.Store(true)
		opened := make(chan error, 1)
		go func() {
			_, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
			opened <- err
		}()
		time.Sleep(10 * time.Second)
		there.down.Store(false)
		must(t, <-opened)

		o := p.Object("s")
		for i := range 6 {
			here.down.Store(true)
			if _, err := o.Enqueue(ctx, []byte("lost")); !errors.Is(err, errDown) {
				t.Errorf("a write that fails: %v", err)
			}
			here.down.Store(false)
			call, err := o.Enqueue(ctx, []byte(strconv.Itoa(i)))
			must(t, err)
			synctest.Wait()
			// That the first is handled cannot be written while the second is refused.
			there.down.Store(true)
			hold <- struct{}{}
			time.Sleep(3 * time.Second)
			there.down.Store(false)
			must(t, call.Wait(ctx))
		}
		b.until(t, "all", func() bool { return len(b.bodys["s"]) == 6 })
		if got := b.got("s"); !slices.Equal(got, numbers(6)) {
			t.Errorf("got %v", got)
		}
	})
}

// SUBSTRATE-JOURNAL-007: a queue whose messages have to last needs more than a journal.
func TestJournalKeepsNoQueue(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		l := w.listen(config("gate"))
		j, err := journal.Open(filepath.Join(t.TempDir(), "outbox"), journal.Options{})
		must(t, err)
		w.later(func() { must(t, j.Close()) })
		d := config("c1")
		d.Remote, d.Journal = "gate", j
		answers := make(chan error, 2)
		d.Handler.Open = func(ctx context.Context, o *substrate.Opening) {
			answers <- o.AcceptQueue(ctx)
			answers <- o.Accept(ctx)
		}
		must(t, w.dial(d).Ready(ctx))
		peer, err := l.Load("c1")
		must(t, err)
		o, err := peer.Open(ctx, substrate.Queue, "q", substrate.OpenOptions{})
		must(t, err)
		wantCode(t, "a queue that lasts", <-answers, "unsupported")
		must(t, <-answers)
		must(t, o.Send(ctx, nil))
	})
}

// What is asked of a peer that is being closed fails, and leaves nobody waiting.
func TestCallsDuringClose(t *testing.T) {
	for range 20 {
		virtual(t, func(w *world) {
			t := w.t
			w.listen(config("gate"))
			d := config("c1")
			d.Remote = "gate"
			p := w.dial(d)
			ended := make(chan error, 40)
			for i := range 40 {
				go func() {
					switch i % 4 {
					case 0:
						_, err := p.Object("s").Enqueue(t.Context(), nil)
						ended <- err
					case 1:
						_, err := p.Status(t.Context())
						ended <- err
					case 2:
						ended <- p.Follow(t.Context(), substrate.Session, "s", 0)
					case 3:
						ended <- p.Ready(t.Context())
					}
				}()
			}
			must(t, p.Close(t.Context()))
			for range 40 {
				<-ended
			}
		})
	}
}
