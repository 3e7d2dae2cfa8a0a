package substrate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// both runs a test over pipes under virtual time and over sockets.
func both(t *testing.T, run func(w *world)) {
	t.Run("virtual", func(t *testing.T) { virtual(t, run) })
	t.Run("sockets", func(t *testing.T) { run(actual(t)) })
}

// SUBSTRATE-VERB-001, SUBSTRATE-VERB-002, SUBSTRATE-VERB-003: the whole life of an object.
func TestDialogue(t *testing.T) {
	both(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var a, b record
		c := config("gate")
		c.Handler = b.handler(t)
		l := w.listen(c)
		d := config("c1")
		d.Remote, d.Handler = "gate", a.handler(t)
		p := w.dial(d)

		o, err := p.Open(ctx, substrate.Session, "chat", substrate.OpenOptions{Cap: []byte("token")})
		must(t, err)
		must(t, o.Send(ctx, []byte("hello")))
		answer, err := o.Req(ctx, []byte("what"))
		must(t, err)
		if string(answer) != "re:what" {
			t.Errorf("answered %q", answer)
		}
		// The other side speaks on the same object.
		back := l.Peer("c1").Object("chat")
		must(t, back.Send(ctx, []byte("hi")))
		if answer, err := back.Req(ctx, nil); err != nil || string(answer) != "re:" {
			t.Errorf("answered %q, %v", answer, err)
		}
		must(t, o.Close(ctx))
		<-o.Done()
		<-back.Done()
		b.until(t, "closed at the other side", func() bool { return len(b.ended["chat"]) == 1 })
		a.until(t, "closed at this side", func() bool { return len(a.ended["chat"]) == 1 })
		if !slices.Equal(a.got("chat"), []string{"hi"}) || !slices.Equal(b.got("chat"), []string{"hello"}) {
			t.Errorf("got %v and %v", a.got("chat"), b.got("chat"))
		}
		wantCode(t, "a message on a closed object", o.Send(ctx, nil), wire.Closed)
		for range 2000 {
			if c, err := o.Enqueue(ctx, nil); err == nil {
				t.Fatalf("a message was queued on a closed object: %v", c.Err())
			}
		}
		id, ok := p.Connected()
		if other, _ := l.Peer("c1").Connected(); !ok || id != other {
			t.Errorf("connections %s and %s", id, other) // SUBSTRATE-HANDSHAKE-003
		}
	})
}

// SUBSTRATE-RECONNECT-005: nothing is refused for lack of a connection.
func TestOfflineOpsWait(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		opened := make(chan error, 1)
		go func() {
			_, err := p.Open(ctx, substrate.Queue, "q", substrate.OpenOptions{})
			opened <- err
		}()
		synctest.Wait()
		if s, err := p.Status(ctx); err != nil || len(s.Objects) != 1 || s.Objects[0].State != "opening" || s.Objects[0].Outbox != 1 {
			t.Errorf("status %+v, %v", s, err)
		}
		_, err := p.Object("q").Enqueue(ctx, nil)
		wantCode(t, "a message before accept", err, "not_live") // SUBSTRATE-OBJ-005
		var b record
		c := config("gate")
		c.Handler = b.handler(t)
		w.listen(c)
		must(t, <-opened)
	})
}

// SUBSTRATE-ANSWER-006, SUBSTRATE-FINALITY-001: what handlers refuse, and what they leave.
func TestRefusals(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		c := config("gate")
		c.Handler = substrate.Handler{
			Open: func(ctx context.Context, o *substrate.Opening) {
				if o.Kind == substrate.Queue {
					must(t, o.Reject(ctx, "no_queues", "not here"))
					return
				}
				must(t, o.Accept(ctx))
			},
			Req: func(_ context.Context, r *substrate.Request) ([]byte, error) {
				switch string(r.Body) {
				case "busy":
					return nil, &substrate.Failure{Code: wire.Busy, Msg: "later"}
				case "end":
					return nil, substrate.ErrEnd
				case "large":
					return make([]byte, wire.MaxBody+1), nil
				case "die":
					return nil, &substrate.Failure{Code: wire.ObjectFailed}
				}
				return nil, errors.New("secret")
			},
		}
		w.listen(c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		_, err := p.Open(ctx, substrate.Queue, "q", substrate.OpenOptions{})
		wantCode(t, "a queue", err, "no_queues")
		o, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		for body, code := range map[string]string{"busy": wire.Busy, "any": wire.AppError, "large": wire.PayloadTooLarge} {
			_, err := o.Req(ctx, []byte(body))
			wantCode(t, body, err, code)
			var e *substrate.Error
			if errors.As(err, &e) && (e.Retryable != (code == wire.Busy) || !e.Remote || e.Msg != map[string]string{"busy": "later"}[body]) {
				t.Errorf("%s: %+v", body, e)
			}
		}
		if answer, err := o.Req(ctx, []byte("end")); err != nil || answer != nil {
			t.Errorf("an end: %q, %v", answer, err) // SUBSTRATE-VERB-003
		}
		_, err = o.Req(ctx, []byte("die"))
		wantCode(t, "die", err, wire.ObjectFailed)
		<-o.Done()
		wantCode(t, "the object", o.Err(), wire.ObjectFailed)
		if _, err := p.Open(ctx, "stream", "s", substrate.OpenOptions{}); err == nil {
			t.Error("a stream was opened")
		}
		_, err = p.Open(ctx, substrate.Session, "a@b", substrate.OpenOptions{})
		if err == nil {
			t.Error("a@b was opened")
		}
		// Nobody handles messages there.
		o, err = p.Open(ctx, substrate.Session, "t", substrate.OpenOptions{})
		must(t, err)
		must(t, o.Send(ctx, nil))
	})
}

// SUBSTRATE-SEQ-014: a handler that does not return holds up its object and no other.
func TestSlowHandlerDelaysNoOtherObject(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var b record
		free := make(chan struct{})
		c := config("gate")
		c.Handler = b.handler(t)
		quick := c.Handler.Send
		c.Handler.Send = func(ctx context.Context, m *substrate.Message) error {
			if m.Object.Address() == "slow" {
				<-free
			}
			return quick(ctx, m)
		}
		w.listen(c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		slow, err := p.Open(ctx, substrate.Session, "slow", substrate.OpenOptions{})
		must(t, err)
		other, err := p.Open(ctx, substrate.Session, "other", substrate.OpenOptions{})
		must(t, err)
		for i := range 10 {
			// SUBSTRATE-ACK-001: the acks do not wait.
			must(t, slow.Send(ctx, fmt.Append(nil, i)))
		}
		time.Sleep(10 * time.Minute)
		for range 100 {
			_, err := other.Req(ctx, nil)
			must(t, err)
		}
		if n := len(b.got("slow")); n != 0 {
			t.Errorf("%d were handled", n)
		}
		close(free)
		b.until(t, "the slow ones", func() bool { return len(b.bodys["slow"]) == 10 })
		if !slices.IsSorted(b.got("slow")) {
			t.Errorf("out of order: %v", b.got("slow"))
		}
	})
}

// SUBSTRATE-OBJ-007: an object that has ended before its open was handed over is not the one that has its name since.
func TestNameIsUsedAgain(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var b record
		free := make(chan struct{})
		c := config("gate")
		c.Handler = b.handler(t)
		seen := make(chan *substrate.Object, 3)
		c.Handler.Open = func(ctx context.Context, o *substrate.Opening) {
			<-free
			if err := o.Accept(ctx); err != nil {
				// Which of the two it is depends on whether the name was opened again by then.
				if e := (*substrate.Error)(nil); !errors.As(err, &e) || e.Code != wire.Closed && e.Code != engine.NotPending {
					t.Errorf("accept: got %v, want code %s or %s", err, wire.Closed, engine.NotPending)
				}
			}
			seen <- o.Object
		}
		l := w.listen(c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		for range 2 {
			_, err := p.EnqueueOpen(ctx, substrate.Session, "s", substrate.OpenOptions{})
			must(t, err)
			_, err = p.Object("s").EnqueueClose(ctx)
			must(t, err)
		}
		last, err := p.EnqueueOpen(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		synctest.Wait()
		close(free)
		must(t, last.Wait(ctx))
		<-(<-seen).Done()
		<-(<-seen).Done()
		live := <-seen
		if live.Err() != nil || l.Peer("c1").Object("s") != live {
			t.Errorf("the live object: %v", live.Err())
		}
		must(t, live.Send(ctx, nil))
		must(t, p.Object("s").Close(ctx))
		<-live.Done()
		b.until(t, "all ends", func() bool { return len(b.ended["s"]) == 3 })
	})
}

// A handler that cannot do its work now is called again, with what is behind waiting.
func TestHandlerIsCalledAgain(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		var b record
		c := config("gate")
		c.Handler = b.handler(t)
		good := c.Handler.Send
		tries := 0
		c.Handler.Send = func(ctx context.Context, m *substrate.Message) error {
			if tries++; tries < 4 {
				return fmt.Errorf("%w: the database is away", substrate.ErrRetry)
			}
			return good(ctx, m)
		}
		w.listen(c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		o, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		must(t, o.Send(ctx, []byte("1")))
		must(t, o.Send(ctx, []byte("2")))
		b.until(t, "both", func() bool { return len(b.bodys["s"]) == 2 })
		if tries != 5 || !slices.IsSorted(b.got("s")) {
			t.Errorf("%d calls, %v", tries, b.got("s"))
		}
	})
}

func TestCallsEndWithTheirContextAndThePeer(t *testing.T) {
	virtual(t, func(w *world) {
		t := w.t
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		var e *substrate.Error
		if !errors.As(err, &e) || !e.Unknown || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("without a connection: %v", err)
		}
		if err := p.Ready(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ready: %v", err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := p.Open(t.Context(), substrate.Session, "t", substrate.OpenOptions{})
			ended <- err
		}()
		synctest.Wait()
		must(t, p.Close(t.Context()))
		if err := <-ended; !errors.Is(err, substrate.ErrClosed) || !errors.As(err, &e) || !e.Unknown {
			t.Errorf("a call when the peer was closed: %v", err)
		}
		if err := p.Object("s").Send(t.Context(), nil); !errors.Is(err, substrate.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		if err := p.Ready(t.Context()); !errors.Is(err, substrate.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
		<-p.Done()
	})
}
