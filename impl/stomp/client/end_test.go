package client_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

const refusal = "ERROR\nmessage:no such queue\nx-code:7\n\nwhat happened\x00"

func TestErrorGoesToWhoeverWaitsForIt(t *testing.T) {
	// STOMP-ERROR-008
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		other := waiting(c, time.Minute, func(client.Event) bool { return false })
		got := waiting(c, time.Minute, isKind(client.ServerError))
		p.say(refusal)
		if o := <-got; o.err != nil || string(o.event.Frame.Body) != "what happened" {
			t.Errorf("the waiter: %+v", o)
		}
		// STOMP-ERROR-009
		o := <-other
		e := (*client.Error)(nil)
		if !errors.As(o.err, &e) || e.Code != client.BrokerError || e.Frame.Command != frame.ERROR || string(e.Frame.Body) != "what happened" {
			t.Fatalf("the other: %v", o.err)
		}
		if v, _ := e.Frame.Get("x-code"); v != "7" || !strings.Contains(e.Error(), "no such queue") || e.Op == "" || e.Reason == "" {
			t.Errorf("%+v", e)
		}
		gone(t, c, p)
	})
}

func TestErrorThatNobodyWaitsForIsNotQueued(t *testing.T) {
	// STOMP-ERROR-008
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		p.say(message("s", "1", ""), refusal)
		gone(t, c, p)
		if code(c.Err()) != client.BrokerError {
			t.Errorf("Err: %v", c.Err())
		}
	})
}

func TestHandlesReportErrors(t *testing.T) {
	// STOMP-ERROR-009, STOMP-ERROR-012
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		s, err := c.Subscribe(ctx, "/queue/a", client.SubscribeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		pending, err := c.SendAsync(ctx, client.Message{Destination: "d"})
		if err != nil {
			t.Fatal(err)
		}
		next := background(func() error { _, err := s.Next(ctx); return err })
		synced := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		channel := s.C()
		synctest.Wait()
		p.say(refusal)
		_, open := <-channel
		_, again := s.Next(ctx)
		for _, err := range []error{<-next, <-synced, pending.Wait(ctx), again, s.Err(), c.Err()} {
			if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != client.BrokerError || e.Frame == nil {
				t.Errorf("%v", err)
			}
		}
		if open {
			t.Error("the channel is open")
		}
		gone(t, c, p)
	})
}

func TestCodes(t *testing.T) {
	// STOMP-ERROR-010: each has a code, an operation and a reason.
	whole := func(t *testing.T, err error, want client.Code) {
		t.Helper()
		if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != want || e.Op == "" || e.Reason == "" {
			t.Errorf("%v, want %s", err, want)
		}
	}
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		whole(t, c.SendFrame(nil), client.Argument)
		_, err := c.Subscribe(ctx, "", client.SubscribeOptions{})
		whole(t, err, client.Argument)
		_, err = c.Subscribe(ctx, "d", client.SubscribeOptions{Ack: 9})
		whole(t, err, client.Argument)
		s, err := c.Subscribe(ctx, "d", client.SubscribeOptions{ID: "s", Ack: client.AckIndividual})
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Subscribe(ctx, "d", client.SubscribeOptions{ID: "s"})
		whole(t, err, client.Argument)
		tx, err := c.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		whole(t, tx.Ack(ctx, nil), client.Handle)
		p.say(message("s", "1", ""))
		d, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := tx.Nack(ctx, d); err != nil {
			t.Fatal(err)
		}
		// STOMP-ACK-008
		whole(t, d.Ack(ctx), client.Handle)
		done := background(func() error { return tx.Abort(ctx) })
		p.hear(frame.SUBSCRIBE)
		p.hear(frame.BEGIN)
		p.hear(frame.NACK, "id", "1", "transaction", tx.ID())
		p.answer(frame.ABORT)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		whole(t, tx.Send(ctx, client.Message{Destination: "d"}), client.Handle)
		whole(t, tx.Ack(ctx, d), client.Handle)
		if err := d.Ack(ctx); err != nil {
			t.Error(err)
		}
		whole(t, d.Nack(ctx), client.Handle)
		p.say("BOGUS\n")
		<-c.Done()
		whole(t, c.Err(), client.Invalid)
		whole(t, d.Ack(ctx), client.Handle)
		whole(t, s.Unsubscribe(ctx), client.Handle)
		whole(t, c.Disconnect(ctx), client.Handle)
	})
}

func TestForeignDelivery(t *testing.T) {
	// STOMP-ERROR-010
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		other, q, err := meet(t, client.New, client.Config{}, connected)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = other.Close(); <-q.ended }()
		s, err := c.Subscribe(ctx, "d", client.SubscribeOptions{ID: "s", Ack: client.AckClient})
		if err != nil {
			t.Fatal(err)
		}
		p.say(message("s", "1", ""))
		d, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := other.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := tx.Ack(ctx, d); code(err) != client.Handle {
			t.Error(err)
		}
	})
}

func TestEndsOfTheStreamAreToldApart(t *testing.T) {
	// STOMP-ERROR-011, STOMP-CLIENT-009
	for last, want := range map[string]error{"": io.EOF, "\n": io.EOF, "MESS": io.ErrUnexpectedEOF, "MESSAGE\n\n": io.ErrUnexpectedEOF} {
		virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
			got := waiting(c, time.Minute, func(client.Event) bool { return false })
			if last != "" {
				p.say(last)
			}
			_ = p.conn.Close()
			o := <-got
			other := map[error]error{io.EOF: io.ErrUnexpectedEOF, io.ErrUnexpectedEOF: io.EOF}[want]
			if !errors.Is(o.err, want) || errors.Is(o.err, other) || code(o.err) != "" || !errors.As(o.err, new(*client.ConnectionError)) {
				t.Errorf("after %q: %v", last, o.err)
			}
			gone(t, c, p)
		})
	}
}

// broken fails to read and to write when it is told to.
type broken struct {
	net.Conn
	now <-chan struct{}
}

var errBroken = errors.New("cable cut")

func (b broken) Write(p []byte) (int, error) {
	select {
	case <-b.now:
		return 0, errBroken
	default:
		return b.Conn.Write(p)
	}
}

func TestWriteErrorCloses(t *testing.T) {
	// STOMP-CLIENT-004, STOMP-ERROR-011, STOMP-CLIENT-010
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pair(t)
		p := newPeer(t, theirs)
		cut := make(chan struct{})
		go func() { <-p.frames; p.say(connected) }()
		c, err := client.New(ctx, broken{ours, cut}, client.Config{Host: "h"})
		if err != nil {
			t.Fatal(err)
		}
		got := waiting(c, time.Minute, func(client.Event) bool { return false })
		before := p.received()
		close(cut)
		if err := c.Send(ctx, client.Message{Destination: "d"}); err != nil {
			t.Errorf("local intent: %v", err)
		}
		synctest.Wait()
		if err := c.Send(ctx, client.Message{Destination: "d"}); !errors.Is(err, errBroken) || c.State() != client.Closed {
			t.Errorf("after that: %v, %v", err, c.State())
		}
		if o := <-got; !errors.Is(o.err, errBroken) || code(o.err) != "" {
			t.Errorf("the waiter: %v", o.err)
		}
		gone(t, c, p)
		if n := p.received() - before; n != 0 {
			t.Errorf("%d octets after the error", n)
		}
		_ = c.Close()
	})
}

func TestLastWordsAreHeard(t *testing.T) {
	// STOMP-ERROR-008, STOMP-ERROR-005: a server that refuses a frame says ERROR and closes while more is being written.
	for _, last := range []string{refusal, ""} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := pair(t)
			p := newPeer(t, theirs)
			cut := make(chan struct{})
			go func() { <-p.frames; p.say(connected) }()
			c, err := client.New(ctx, broken{ours, cut}, client.Config{Host: "h"})
			if err != nil {
				t.Fatal(err)
			}
			close(cut)
			if err := c.Send(ctx, client.Message{Destination: "d"}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if last == "" {
				_ = theirs.Close()
			} else {
				p.say(last)
			}
			<-c.Done()
			if last == "" && !errors.Is(c.Err(), io.EOF) || last != "" && code(c.Err()) != client.BrokerError {
				t.Errorf("after %q: %v", last, c.Err())
			}
			_ = c.Close()
			<-p.ended
		})
	}
}

func TestDisconnect(t *testing.T) {
	// STOMP-DISCONNECT-001, STOMP-DISCONNECT-007
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		got := waiting(c, time.Minute, func(client.Event) bool { return false })
		done := background(func() error { return c.Disconnect(ctx) })
		id, _ := p.hear(frame.DISCONNECT).Get("receipt")
		synctest.Wait()
		select {
		case <-p.ended:
			t.Error("the connection is closed before the receipt")
		default:
		}
		// STOMP-DISCONNECT-002, STOMP-DISCONNECT-005
		if err := c.Send(ctx, client.Message{Destination: "d"}); code(err) != client.Handle || c.State() != client.Disconnecting {
			t.Errorf("a message after DISCONNECT: %v, %v", err, c.State())
		}
		p.say(receipt(id))
		if err := <-done; err != nil {
			t.Error(err)
		}
		if o := <-got; !errors.Is(o.err, client.ErrClosed) {
			t.Errorf("the waiter: %v", o.err)
		}
		if !errors.Is(c.Err(), client.ErrClosed) {
			t.Errorf("Err: %v", c.Err())
		}
		gone(t, c, p)
	})
	// Unanswered.
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		start := time.Now()
		if err := c.Disconnect(ctx); !errors.Is(err, client.ErrTimeout) || time.Since(start) != 5*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		gone(t, c, p)
	})
	// STOMP-ERROR-005: closed, reset or ERROR instead.
	for _, last := range []string{"", "REC", refusal} {
		virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
			start := time.Now()
			done := background(func() error { return c.Disconnect(ctx) })
			p.hear(frame.DISCONNECT)
			if last != "" {
				p.say(last)
			}
			_ = p.conn.Close()
			if err := <-done; err == nil || time.Since(start) > 0 {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			gone(t, c, p)
		})
	}
}

func TestDisconnectFrame(t *testing.T) {
	// STOMP-DISCONNECT-006: without a receipt it closes at once, once all is written.
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		got := waiting(c, time.Minute, func(client.Event) bool { return false })
		if err := c.Send(ctx, client.Message{Destination: "d", Body: make([]byte, 200000)}); err != nil {
			t.Fatal(err)
		}
		if err := c.SendFrame(frame.New(frame.DISCONNECT)); err != nil {
			t.Fatal(err)
		}
		if c.State() != client.Closed {
			t.Errorf("state %v", c.State())
		}
		if err := c.SendFrame(frame.New(frame.SEND, "destination", "d")); code(err) != client.Handle {
			t.Errorf("a frame after DISCONNECT: %v", err)
		}
		if o := <-got; !errors.Is(o.err, client.ErrClosed) {
			t.Errorf("the waiter: %v", o.err)
		}
		p.hear(frame.SEND)
		p.hear(frame.DISCONNECT)
		_ = c.Close()
		gone(t, c, p)
	})
	// STOMP-DISCONNECT-005: with one, whoever waits gets the receipt.
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		if err := c.SendFrame(frame.New(frame.DISCONNECT, "receipt", "bye")); err != nil {
			t.Fatal(err)
		}
		p.hear(frame.DISCONNECT)
		got := waiting(c, time.Minute, isKind(client.ReceiptKind))
		p.say(receipt("bye"))
		if o := <-got; o.err != nil {
			t.Error(o.err)
		}
		gone(t, c, p)
	})
}

func TestPeerThatDoesNotReadFillsTheWriteBuffer(t *testing.T) {
	// STOMP-WAIT-005, STOMP-WAIT-016
	for _, over := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := pair(t)
			first := newFirst(t, theirs)
			c, err := client.New(ctx, ours, client.Config{Host: "h"})
			if err != nil {
				t.Fatal(err)
			}
			<-first
			got := waiting(c, time.Minute, func(client.Event) bool { return false })
			left := 2097152
			for left > 0 {
				n := min(left, 1<<20)
				if err := c.SendFrame(sendOf(n)); err != nil {
					t.Fatalf("with %d left: %v", left, err)
				}
				left -= n
			}
			synctest.Wait()
			if n := c.Stats().Buffered; n != 2097152 || c.State() != client.Active {
				t.Fatalf("%d octets are buffered, %v", n, c.Err())
			}
			if over > 0 {
				// One more octet would be a heart-beat; the smallest frame is more.
				err := c.SendFrame(frame.New(frame.SEND, "destination", "d"))
				if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != client.Invalid || e.Reason != "write-buffer" {
					t.Errorf("one more: %v", err)
				}
				if o := <-got; code(o.err) != client.Invalid {
					t.Errorf("the waiter: %v", o.err)
				}
				if s := c.Stats(); s != (client.Stats{}) {
					t.Errorf("%+v", s)
				}
			}
			_ = c.Close()
		})
	}
}

func TestHeartBeatThatDoesNotFitCloses(t *testing.T) {
	// STOMP-WAIT-005: exactly one octet over the limit.
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pair(t)
		go func() {
			buf := make([]byte, 4096)
			_, _ = theirs.Read(buf)
			_, _ = theirs.Write([]byte(beating(1000)))
		}()
		c, err := client.New(ctx, ours, client.Config{Host: "h", HeartBeat: beats(1000)})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := c.SendFrame(sendOf(1 << 20)); err != nil {
				t.Fatal(err)
			}
		}
		<-c.Done()
		if e := (*client.Error)(nil); !errors.As(c.Err(), &e) || e.Reason != "write-buffer" || !strings.Contains(e.Detail, "limit 2097152, found 2097153") {
			t.Errorf("Err: %v", c.Err())
		}
		_ = c.Close()
	})
}

// newFirst reads the first frame, answers it, and reads no more.
func newFirst(t *testing.T, theirs net.Conn) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 4096)
		if _, err := theirs.Read(buf); err != nil {
			t.Error(err)
		}
		if _, err := theirs.Write([]byte(connected)); err != nil {
			t.Error(err)
		}
	}()
	return done
}

// sendOf is a SEND of n octets on the wire.
func sendOf(n int) *frame.Frame {
	const head = len("SEND\ndestination:d\ncontent-length:1000000\n\n\x00")
	body := n - head
	for pad := 0; ; pad++ {
		f := frame.New(frame.SEND, "destination", "d"+strings.Repeat("x", pad))
		f.Body = make([]byte, body-pad)
		if out, err := frame.Append(nil, frame.V12, f); err == nil && len(out) == n {
			return f
		}
	}
}

func TestPeerThatDoesNotReadIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pair(t)
		first := newFirst(t, theirs)
		timing := client.DefaultTiming()
		timing.Write = 7 * time.Second
		c, err := client.New(ctx, ours, client.Config{Host: "h", Timing: timing})
		if err != nil {
			t.Fatal(err)
		}
		<-first
		start := time.Now()
		// It waits for room, and not for ever.
		for err == nil {
			err = c.Send(ctx, client.Message{Destination: "d", Body: make([]byte, 100000)})
		}
		if time.Since(start) != 7*time.Second || code(err) != client.Handle {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		<-c.Done()
		if code(c.Err()) != "" || !errors.As(c.Err(), new(*client.ConnectionError)) {
			t.Errorf("Err: %v", c.Err())
		}
		_ = c.Close()
	})
}
