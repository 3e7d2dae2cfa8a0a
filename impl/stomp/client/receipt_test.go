package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

var ctx = context.Background()

// background starts do and returns where its error goes.
func background(do func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	return done
}

func TestReceiptRefusesBeforeItSends(t *testing.T) {
	// STOMP-WAIT-015
	send := func() *frame.Frame { return frame.New(frame.SEND, "destination", "d") }
	for name, c := range map[string]struct {
		id string
		f  *frame.Frame
	}{
		"no frame":         {"r", nil},
		"empty id":         {"", send()},
		"own receipt":      {"r", frame.New(frame.SEND, "destination", "d", "receipt", "mine")},
		"CONNECT":          {"r", frame.New(frame.CONNECT, "accept-version", "1.2", "host", "h")},
		"a server's frame": {"r", frame.New(frame.MESSAGE)},
		"no command":       {"r", &frame.Frame{}},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, client.Config{}, func(t *testing.T, cl *client.Client, p *peer) {
				synctest.Wait()
				before := p.received()
				if _, err := cl.Receipt(ctx, time.Second, c.id, c.f); code(err) != client.Argument {
					t.Errorf("refused with %v", err)
				}
				quiet(t, cl)
				if n := p.received() - before; n != 0 {
					t.Errorf("%d octets were sent", n)
				}
				// It works after that.
				done := background(func() error { _, err := cl.Receipt(ctx, time.Second, "r", send()); return err })
				p.answer(frame.SEND)
				if err := <-done; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestReceiptsCorrelateInAnyOrder(t *testing.T) {
	// STOMP-RECEIPT-004, STOMP-RECEIPT-007
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		var all []*client.Pending
		for range 3 {
			r, err := c.SendAsync(ctx, client.Message{Destination: "d"})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
			p.hear(frame.SEND, "receipt", r.ID())
		}
		if s := c.Stats(); s.Waiters != 3 || s.Receipts != 3 {
			t.Errorf("%+v", s)
		}
		for _, i := range []int{2, 0, 1} {
			p.say(receipt(all[i].ID()))
			if err := all[i].Wait(ctx); err != nil {
				t.Error(err)
			}
			if err := all[i].Wait(ctx); err != nil {
				t.Errorf("again: %v", err)
			}
		}
		quiet(t, c)
	})
}

func TestUnsolicitedReceiptCloses(t *testing.T) {
	// STOMP-RECEIPT-005
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		done := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		id, _ := p.hear(frame.SEND).Get("receipt")
		p.say(receipt(id))
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		p.say(receipt(id))
		synctest.Wait()
		if code(c.Err()) != client.Invalid {
			t.Errorf("Err: %v", c.Err())
		}
		gone(t, c, p)
	})
}

func TestReceiptsTimeOut(t *testing.T) {
	// STOMP-CLOCK-007, STOMP-WAIT-013: 5 s by default, and a late receipt is no trouble.
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		// Once so that the next call may read for itself.
		done := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		p.answer(frame.SEND)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		err := c.SendReceipt(ctx, client.Message{Destination: "d"})
		if !errors.Is(err, client.ErrTimeout) || time.Since(start) != 5*time.Second {
			t.Fatalf("after %v: %v", time.Since(start), err)
		}
		if s := c.Stats(); c.State() != client.Active || s.Receipts != 1 || s.Waiters != 0 {
			t.Errorf("%v, %+v", c.State(), s)
		}
		p.answer(frame.SEND)
		quiet(t, c)
		done = background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		p.answer(frame.SEND)
		if err := <-done; err != nil {
			t.Errorf("after a timeout: %v", err)
		}
	})
}

func TestPendingTimesOutAndIsStillAnswered(t *testing.T) {
	// STOMP-WAIT-013
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		start := time.Now()
		r, err := c.SendAsync(ctx, client.Message{Destination: "d"})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		for range 2 {
			if err := r.Wait(ctx); !errors.Is(err, client.ErrTimeout) || time.Since(start) != 5*time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
		}
		p.answer(frame.SEND)
		synctest.Wait()
		if err := r.Wait(ctx); err != nil {
			t.Error(err)
		}
		quiet(t, c)
	})
}

func TestContextEndsTheWaitForAReceipt(t *testing.T) {
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		for range 3 {
			short, cancel := context.WithTimeout(ctx, time.Second)
			start := time.Now()
			err := c.SendReceipt(short, client.Message{Destination: "d"})
			if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, client.ErrTimeout) || time.Since(start) != time.Second {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			cancel()
			p.answer(frame.SEND)
			quiet(t, c)
			done := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
			p.answer(frame.SEND)
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestSendingWaitsForRoom(t *testing.T) {
	// STOMP-LIMIT-016, STOMP-WAIT-004: messages wait for their turn where frames are refused.
	for name, cfg := range map[string]client.Config{
		"receipts": limits(func(l *client.Limits) { l.Receipts = 2 }),
		"waiters":  limits(func(l *client.Limits) { l.Waiters = 2 }),
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, cfg, func(t *testing.T, c *client.Client, p *peer) {
				done := make(chan error, 10)
				for range 10 {
					go func() { done <- c.SendReceipt(ctx, client.Message{Destination: "d"}) }()
				}
				for range 10 {
					synctest.Wait()
					if s := c.Stats(); s.Receipts > 2 || s.Waiters > 2 {
						t.Fatalf("%+v", s)
					}
					p.answer(frame.SEND)
				}
				for range 10 {
					if err := <-done; err != nil {
						t.Error(err)
					}
				}
				quiet(t, c)
				// Not for ever.
				for range 2 {
					if _, err := c.SendAsync(ctx, client.Message{Destination: "d"}); err != nil {
						t.Fatal(err)
					}
				}
				start := time.Now()
				if name == "receipts" {
					if _, err := c.SendAsync(ctx, client.Message{Destination: "d"}); !errors.Is(err, client.ErrTimeout) || time.Since(start) != 5*time.Second {
						t.Errorf("after %v: %v", time.Since(start), err)
					}
				}
			})
		})
	}
}

func TestRefusedMessagesLeaveTheClientAlone(t *testing.T) {
	// STOMP-CLIENT-002
	long := strings.Repeat("x", 2048)
	many := make([]frame.Header, 129)
	for i := range many {
		many[i] = frame.Header{Name: fmt.Sprint("h", i), Value: "v"}
	}
	for name, m := range map[string]client.Message{
		"no destination":   {},
		"long destination": {Destination: long},
		"long header":      {Destination: "d", Headers: []frame.Header{{Name: "n", Value: long}}},
		"many headers":     {Destination: "d", Headers: many},
		"large body":       {Destination: "d", Body: make([]byte, 1<<20+1)},
		"wrong length":     {Destination: "d", Body: []byte("abc"), Headers: []frame.Header{{Name: "content-length", Value: "2"}}},
		"receipt":          {Destination: "d", Headers: []frame.Header{{Name: "receipt", Value: "r"}}},
		"transaction":      {Destination: "d", Headers: []frame.Header{{Name: "transaction", Value: "t"}}},
		"destination":      {Destination: "d", Headers: []frame.Header{{Name: "destination", Value: "e"}}},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
				synctest.Wait()
				before := p.received()
				_, asynchronous := c.SendAsync(ctx, m)
				for _, err := range []error{c.Send(ctx, m), c.SendReceipt(ctx, m), asynchronous} {
					if code(err) != client.Argument {
						t.Errorf("refused with %v", err)
					}
				}
				quiet(t, c)
				if n := p.received() - before; n != 0 || c.Stats().Receipts != 0 {
					t.Errorf("%d octets were sent, %+v", n, c.Stats())
				}
			})
		})
	}
}

func TestBodiesAreNotInspected(t *testing.T) {
	// STOMP-SEND-006, STOMP-HDR-015, STOMP-HDR-012
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		body := "\xff\xfe\x00{"
		if err := c.Send(ctx, client.Message{Destination: "d", ContentType: "application/json", Body: []byte(body)}); err != nil {
			t.Fatal(err)
		}
		if f := p.hear(frame.SEND, "content-type", "application/json"); string(f.Body) != body {
			t.Errorf("sent %q", f.Body)
		}
		subscribe(t, c, p, "s", "auto")
		p.say("MESSAGE\ndestination:d\nmessage-id:1\nsubscription:s\nx-server:1\ncontent-length:4\n\n", body, "\x00")
		if e, err := c.Wait(ctx, time.Second, anything); err != nil || string(e.Frame.Body) != body {
			t.Errorf("got %+v, %v", e, err)
		}
	})
}
