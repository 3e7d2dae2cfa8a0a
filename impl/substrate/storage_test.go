package substrate_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/pipenet"
	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// counted is a store that counts what is done with it.
type counted struct {
	store.Store
	applied, closed atomic.Int64
}

func newCounted() *counted { return &counted{Store: store.NewMemory()} }

func (c *counted) Apply(peer string, b *store.Batch) error {
	c.applied.Add(1)
	return c.Store.Apply(peer, b)
}

func (c *counted) Close() error {
	c.closed.Add(1)
	return c.Store.Close()
}

// SUBSTRATE-STORE-001, SUBSTRATE-STORE-002, SUBSTRATE-STORE-003: of the four options the first that is there is used, and no other is
// touched; what was given is never closed, and what was opened is.
func TestStoragePrecedence(t *testing.T) {
	names := []string{"storageFor", "storage", "dbPathFor", "dbPath"}
	for subset := range 16 {
		want, label := "memory", "none"
		for i := len(names) - 1; i >= 0; i-- {
			if subset&(1<<i) != 0 {
				want = names[i]
				label = names[i] + "+" + label
			}
		}
		t.Run(label, func(t *testing.T) {
			virtual(t, func(w *world) {
				t := w.t
				dir := t.TempDir()
				each, all := newCounted(), newCounted()
				var b record
				c := config("gate")
				c.Handler = b.handler(t)
				var asked []string
				if subset&1 != 0 {
					c.StorageFor = func(peer string) (store.Store, error) {
						asked = append(asked, "storageFor "+peer)
						return each, nil
					}
				}
				if subset&2 != 0 {
					c.Storage = all
				}
				if subset&4 != 0 {
					c.DBPathFor = func(peer string) (string, error) {
						asked = append(asked, "dbPathFor "+peer)
						return filepath.Join(dir, "for-"+peer), nil
					}
				}
				if subset&8 != 0 {
					c.DBPath = filepath.Join(dir, "all")
				}
				_, stop := w.listenOn(w.net, c)
				d := config("c1")
				d.Remote = "gate"
				p := w.dial(d)
				_, err := p.Open(t.Context(), substrate.Session, "s", substrate.OpenOptions{})
				must(t, err)
				must(t, p.Close(t.Context()))
				stop()
				exists := func(name string) bool {
					_, err := os.Stat(filepath.Join(dir, name))
					return err == nil
				}
				used := map[string]bool{
					"storageFor": each.applied.Load() > 0, "storage": all.applied.Load() > 0, "dbPathFor": exists("for-c1"), "dbPath": exists("all"),
				}
				for _, name := range names {
					if used[name] != (name == want) {
						t.Errorf("%s was used: %v, want %s alone", name, used[name], want)
					}
				}
				if n := len(asked); n > 1 || n == 1 && asked[0] != want+" c1" {
					t.Errorf("asked %v", asked)
				}
				if each.closed.Load()+all.closed.Load() != 0 {
					t.Error("a store that was given was closed")
				}
				for _, name := range []string{"for-c1", "all"} {
					if !exists(name) {
						continue
					}
					s, err := sqlite.Open(filepath.Join(dir, name), sqlite.Options{})
					if err != nil {
						t.Errorf("what was opened was not closed: %v", err)
						continue
					}
					_ = s.Close()
				}
			})
		})
	}
}

// SUBSTRATE-STORE-003: without an option a restart knows nothing any more, so that what was handed over comes again.
func TestMemoryForgets(t *testing.T) {
	for _, durable := range []bool{true, false} {
		virtual(t, func(w *world) {
			t := w.t
			var b record
			c := config("gate")
			c.Handler = b.handler(t)
			if durable {
				c.DBPath = filepath.Join(t.TempDir(), "db")
			}
			_, stop := w.listenOn(w.net, c)
			d := config("c1")
			d.Remote = "gate"
			p := w.dial(d)
			_, err := p.Open(t.Context(), substrate.Session, "s", substrate.OpenOptions{})
			must(t, err)
			stop()
			w.retarget(pipenet.New())
			w.listen(c)
			err = p.Object("s").Send(t.Context(), []byte("x"))
			if durable {
				must(t, err)
			} else {
				wantCode(t, "an object that is forgotten", err, "no_such_object")
			}
		})
	}
}

// SUBSTRATE-STORE-004: a peer that the option has nothing for is refused, and nobody else.
func TestStorageForNobody(t *testing.T) {
	for name, change := range map[string]func(c *substrate.Config, dir string){
		"storageFor": func(c *substrate.Config, _ string) {
			all := store.NewMemory()
			c.StorageFor = func(peer string) (store.Store, error) {
				if peer == "bad" {
					return nil, nil
				}
				return all, nil
			}
		},
		"dbPathFor": func(c *substrate.Config, dir string) {
			c.DBPathFor = func(peer string) (string, error) {
				if peer == "bad" {
					return "", nil
				}
				return filepath.Join(dir, "one"), nil // SUBSTRATE-STORE-005
			}
		},
		"an error": func(c *substrate.Config, _ string) {
			c.StorageFor = func(peer string) (store.Store, error) {
				if peer == "bad" {
					return nil, errors.New("away")
				}
				return store.NewMemory(), nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(w *world) {
				t := w.t
				var b, bad record
				c := config("gate")
				c.Handler = b.handler(t)
				c.DBPath = filepath.Join(t.TempDir(), "other") // never fallen back to
				change(&c, t.TempDir())
				l := w.listen(c)
				for _, id := range []string{"bad", "good", "better"} {
					d := config(id)
					d.Remote = "gate"
					if id == "bad" {
						d.Handler.Event = bad.handler(t).Event
					}
					p := w.dial(d)
					if id == "bad" {
						bad.until(t, "refused", func() bool {
							for _, e := range bad.event {
								if e.Name == substrate.EventEnded && e.Code == "1011" {
									return true
								}
							}
							return false
						})
						continue
					}
					o, err := p.Open(t.Context(), substrate.Session, "same", substrate.OpenOptions{})
					must(t, err)
					must(t, o.Send(t.Context(), []byte(id)))
				}
				if l.Peer("bad") != nil || len(l.Peers()) != 2 {
					t.Errorf("peers %v", l.Peers())
				}
				if _, err := os.Stat(c.DBPath); err == nil {
					t.Error("another option was used")
				}
			})
		})
	}
}

// SUBSTRATE-STORE-006: who is released comes again and finds what there was.
func TestRelease(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		all := newCounted()
		var a, b record
		c := config("gate")
		c.Handler, c.Storage = b.handler(t), all
		l := w.listen(c)
		d := config("c1")
		d.Remote, d.Handler = "gate", a.handler(t)
		p := w.dial(d)
		_, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		p.Disconnect()
		synctest.Wait()
		old := l.Peer("c1")
		pending, err := old.Object("s").Enqueue(ctx, []byte("pending"))
		must(t, err)
		dump := func() string {
			s, err := all.Load("c1")
			must(t, err)
			return fmt.Sprintf("%+v", s)
		}
		before := dump()
		must(t, l.Release(ctx, "c1"))
		must(t, l.Release(ctx, "c1"))
		<-old.Done()
		if !errors.Is(pending.Err(), substrate.ErrClosed) {
			t.Errorf("the call of a peer that was released: %v", pending.Err())
		}
		if after := dump(); after != before || all.closed.Load() != 0 {
			t.Errorf("rows before: %s\nafter: %s, closed %d", before, after, all.closed.Load())
		}
		if l.Peer("c1") != nil {
			t.Error("the peer is still there")
		}
		p.Connect()
		a.until(t, "what was pending", func() bool { return len(a.bodys["s"]) == 1 })
		must(t, p.Object("s").Send(ctx, nil))
	})
}

// A release under a live connection is a reconnect for the peer.
// Whoever releases a peer again while it comes anew does not look at what is still being made.
func TestReleaseWhileItComesAnew(t *testing.T) {
	virtual(t, func(w *world) {
		ctx := w.t.Context()
		l := w.listen(config("gate"))
		for range 200 {
			_, err := l.Load("c1")
			must(w.t, err)
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if err := l.Release(ctx, "c1"); err != nil {
						w.t.Error(err)
					}
				})
			}
			all.Go(func() { _, _ = l.Load("c1") })
			all.Wait()
		}
		must(w.t, l.Release(ctx, "c1"))
	})
}

func TestReleaseOfAConnectedPeer(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var b record
		c := config("gate")
		c.Handler = b.handler(t)
		l := w.listen(c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		o, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		for i := range 5 {
			must(t, l.Release(ctx, "c1"))
			must(t, o.Send(ctx, fmt.Append(nil, i)))
		}
		b.until(t, "all", func() bool { return len(b.bodys["s"]) == 5 })
	})
}

// Peers beyond MaxPeers are refused until there is room.
func TestMaxPeers(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		c := config("gate")
		c.MaxPeers = 1
		l := w.listen(c)
		first, second := config("c1"), config("c2")
		first.Remote, second.Remote = "gate", "gate"
		p := w.dial(first)
		must(t, p.Ready(ctx))
		other := w.dial(second)
		time.Sleep(time.Second)
		if _, err := l.Load("c2"); err == nil || l.Peer("c2") != nil {
			t.Errorf("a second peer was loaded: %v", err)
		}
		p.Disconnect()
		must(t, l.Release(ctx, "c1"))
		must(t, other.Ready(ctx))
		time.Sleep(time.Second)
		if l.Peer("c2") == nil {
			t.Error("the second peer did not get the room")
		}
	})
}
