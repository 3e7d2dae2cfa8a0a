package substrate_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/pipenet"
	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	"github.com/seed-6f28358b/assay/impl/substrate/link"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// stranger makes connections by hand: ready is what it does with each.
func (w *world) stranger(id string, ready func(ctx context.Context, c *link.Conn)) {
	d := link.Dialer{
		URL: w.url, Client: w.client, Jitter: func(time.Duration) time.Duration { return 0 },
		Handshake: handshake.Config{Peer: id, Epoch: [8]byte{1}, Auth: handshake.HMAC(keys)},
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = d.Run(ctx, ready)
	}()
	w.later(func() {
		cancel()
		<-done
	})
}

func frame(t *testing.T, f wire.Frame) []byte {
	t.Helper()
	f.V, f.Has = wire.Version, wire.Required(f.Kind)
	b, err := wire.Append(nil, &f)
	must(t, err)
	return b
}

// A peer that takes nothing loses its connection after a while, and nobody else notices anything.
func TestPeerThatTakesNothing(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var b record
		c := config("gate")
		c.Handler = b.handler(t)
		l := w.listen(c)
		connections := 0
		w.stranger("deaf", func(ctx context.Context, conn *link.Conn) {
			if connections++; connections == 1 {
				<-ctx.Done() // it neither reads nor closes
			}
			for {
				if _, err := conn.Read(ctx); err != nil {
					return
				}
			}
		})
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		o, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		began := time.Now()
		deaf, err := l.Load("deaf")
		must(t, err)
		must(t, deaf.Ready(ctx))
		_, err = deaf.Object("x").Enqueue(ctx, make([]byte, wire.MaxBody))
		must(t, err)
		for range 50 {
			must(t, o.Send(ctx, nil))
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the others waited %v", took)
		}
		b.until(t, "the end of the connection", func() bool {
			return slices.ContainsFunc(b.event, func(e substrate.Event) bool { return e.Name == substrate.EventEnded && e.Peer == "deaf" })
		})
		if took := time.Since(began); took < 29*time.Second || took > 40*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// SUBSTRATE-RECONNECT-004: the newer connection of a peer counts, and what was under way goes on there.
func TestNewerConnectionCounts(t *testing.T) {
	virtual(t, func(w *world) {
		t := w.t
		var b record
		c := config("gate")
		c.Handler = b.handler(t)
		l := w.listen(c)
		first, second := make(chan uint16, 1), make(chan []byte, 10)
		w.stranger("twin", func(ctx context.Context, conn *link.Conn) {
			_, err := conn.Read(ctx)
			var end *link.EndError
			if errors.As(err, &end) {
				select {
				case first <- end.Code:
				default:
				}
			}
			<-ctx.Done()
		})
		synctest.Wait()
		p := l.Peer("twin")
		old, _ := p.Connected()
		w.stranger("twin", func(ctx context.Context, conn *link.Conn) {
			for {
				m, err := conn.Read(ctx)
				if err != nil {
					return
				}
				second <- m
			}
		})
		if code := <-first; code != link.CloseSuperseded {
			t.Errorf("the first ended with %d", code)
		}
		synctest.Wait()
		if id, ok := p.Connected(); !ok || id == old {
			t.Errorf("connection %s after %s", id, old)
		}
		_, err := p.Object("x").Enqueue(t.Context(), []byte("hi"))
		must(t, err)
		if f, err := wire.Decode(<-second); err != nil || string(f.Body) != "hi" {
			t.Errorf("got %+v, %v", f, err)
		}
	})
}

// SUBSTRATE-RECONNECT-006: nothing that is queued for one peer is ever sent to another.
func TestAnotherPeerBehindTheAddress(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var b, other record
		c := config("gate")
		c.Handler = b.handler(t)
		_, stop := w.listenOn(w.net, c)
		d := config("c1")
		p := w.dial(d) // bound to whom it met first
		_, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		stop()
		call, err := p.Object("s").Enqueue(ctx, []byte("secret"))
		must(t, err)
		w.retarget(pipenet.New())
		c.ID, c.Handler = "imposter", other.handler(t)
		l, stop := w.listenOn(w.net, c)
		time.Sleep(5 * time.Second)
		if got := other.got("s"); len(got) != 0 || call.Err() != nil {
			t.Errorf("another got %v, %v", got, call.Err())
		}
		if q := l.Peer("c1"); q != nil {
			if s, err := q.Status(ctx); err != nil || len(s.Objects) != 0 {
				t.Errorf("another knows of %+v, %v", s, err)
			}
		}
		stop()
	})
}

// SUBSTRATE-WIRE-006, SUBSTRATE-LIMIT-001: what is no frame ends the connection with the code of the law, and what was queued survives.
func TestNoFrameEndsTheConnection(t *testing.T) {
	for name, test := range map[string]struct {
		message []byte
		code    uint16
	}{
		"garbage":   {[]byte("garbage"), 4004},
		"version 2": {nil, 4004},
		"too large": {make([]byte, wire.MaxFrame+1), 4009},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(w *world) {
				t := w.t
				l := w.listen(config("gate"))
				codes := make(chan uint16, 1)
				got := make(chan string, 10)
				n := 0
				w.stranger("x", func(ctx context.Context, conn *link.Conn) {
					if n++; n == 1 {
						m := test.message
						if m == nil {
							f := wire.Frame{V: 2, Kind: wire.Send, Obj: "o", ObjKind: wire.Session, ID: "i", Seq: 1, Receipt: []byte{1}, Has: wire.Required(wire.Send)}
							m, _ = wire.Append(nil, &f)
						}
						go func() { _ = conn.Write(ctx, m) }()
					}
					for {
						m, err := conn.Read(ctx)
						var end *link.EndError
						if errors.As(err, &end) && n == 1 {
							codes <- end.Code
						}
						if err != nil {
							return
						}
						if f, err := wire.Decode(m); err == nil && n > 1 {
							got <- f.Kind
						}
					}
				})
				if code := <-codes; code != test.code {
					t.Errorf("ended with %d, want %d", code, test.code)
				}
				_, err := l.Peer("x").Object("o").Enqueue(t.Context(), nil)
				must(t, err)
				if kind := <-got; kind != wire.Send {
					t.Errorf("then came %s", kind)
				}
			})
		})
	}
}

// Close does not wait longer than it is told to, whatever handlers and peers do.
func TestCloseHasPatienceAsLongAsItsContext(t *testing.T) {
	virtual(t, func(w *world) {
		t := w.t
		free := make(chan struct{})
		c := config("gate")
		c.Handler.Open = func(ctx context.Context, o *substrate.Opening) {
			must(t, o.Accept(ctx))
			<-free // it does not look at its context
		}
		l, stop := w.listenOn(w.net, c)
		w.stranger("rude", func(ctx context.Context, conn *link.Conn) {
			_ = conn.Write(ctx, frame(t, wire.Frame{Kind: wire.Open, Obj: "o", ObjKind: wire.Session, ID: "i", Seq: 1, Receipt: []byte{1}}))
			<-ctx.Done() // it never hears of a close
		})
		synctest.Wait()
		p := l.Peer("rude")
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := p.Close(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("close: %v after %v", err, time.Since(began))
		}
		if err := l.Release(ctx, "rude"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("release: %v", err)
		}
		select {
		case <-p.Done():
			t.Error("done while a handler is not")
		default:
		}
		close(free)
		<-p.Done()
		stop()
	})
}

// A handler of events that is too slow misses some, and delays nobody.
func TestSlowHandlerOfEvents(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		free := make(chan struct{})
		var b record
		c := config("gate")
		c.Handler = b.handler(t)
		c.Handler.Event = func(substrate.Event) { <-free }
		w.listen(c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		for i := range 1200 {
			o, err := p.Open(ctx, substrate.Session, "o"+strconv.Itoa(i), substrate.OpenOptions{})
			must(t, err)
			must(t, o.Close(ctx))
		}
		close(free)
	})
}
