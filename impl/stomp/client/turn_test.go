package client_test

import (
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// eagerly runs f in a bubble with a client over a connection on which calls read for themselves, and of which nobody
// reads.
func eagerly(t *testing.T, f func(t *testing.T, c *client.Client, p *peer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, p, err := meet(t, client.NewEager, client.Config{}, connected)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = c.Close()
			_ = p.conn.Close()
			<-p.ended
		}()
		for range 2 {
			done := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
			p.answer(frame.SEND)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
		}
		// The goroutine of the reader may be slower than that of the call.
		synctest.Wait()
		turn(t, c, "nobody")
		f(t, c, p)
	})
}

func turn(t *testing.T, c *client.Client, want string) {
	t.Helper()
	if got := c.Turn(); got != want {
		t.Errorf("the turn is %s's, want %s", got, want)
	}
}

func TestTheCallThatWaitsReads(t *testing.T) {
	eagerly(t, func(t *testing.T, c *client.Client, p *peer) {
		done := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		id, _ := p.hear(frame.SEND).Get("receipt")
		synctest.Wait()
		turn(t, c, "caller")
		// It reads for others too.
		beat := waiting(c, time.Minute, anything)
		p.say("\n")
		if o := <-beat; o.err != nil || o.event.Kind != client.HeartBeat {
			t.Errorf("a heart-beat: %+v", o)
		}
		turn(t, c, "caller")
		other := waiting(c, time.Minute, anything)
		p.say(receipt(id))
		if err := <-done; err != nil {
			t.Error(err)
		}
		// Somebody waits, so the reader reads.
		synctest.Wait()
		turn(t, c, "reader")
		p.say("\n")
		if o := <-other; o.err != nil {
			t.Error(o.err)
		}
	})
}

func TestWhoeverElseWaitsCallsTheReader(t *testing.T) {
	calls := map[string]func(c *client.Client) error{
		"Wait": func(c *client.Client) error {
			_, err := c.Wait(ctx, time.Millisecond, anything)
			return err
		},
		"Receipt": func(c *client.Client) error {
			_, err := c.Receipt(ctx, time.Millisecond, "r", frame.New(frame.SEND, "destination", "d"))
			return err
		},
		"SendAsync": func(c *client.Client) error {
			_, err := c.SendAsync(ctx, client.Message{Destination: "d"})
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			eagerly(t, func(t *testing.T, c *client.Client, p *peer) {
				start := time.Now()
				_ = call(c)
				turn(t, c, "reader")
				if time.Since(start) > time.Millisecond {
					t.Errorf("after %v", time.Since(start))
				}
			})
		})
	}
	t.Run("Next", func(t *testing.T) {
		eagerly(t, func(t *testing.T, c *client.Client, p *peer) {
			s, err := c.Subscribe(ctx, "/queue/a", client.SubscribeOptions{ID: "s"})
			if err != nil {
				t.Fatal(err)
			}
			turn(t, c, "nobody")
			done := background(func() error { _, err := s.Next(ctx); return err })
			synctest.Wait()
			turn(t, c, "reader")
			p.say(message("s", "1", ""))
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	})
}

func TestTheReaderComesBackSoon(t *testing.T) {
	eagerly(t, func(t *testing.T, c *client.Client, p *peer) {
		start := time.Now()
		_ = p.conn.Close()
		<-c.Done()
		if d := time.Since(start); d > 5*time.Millisecond || !errors.Is(c.Err(), io.EOF) {
			t.Errorf("the end is noticed after %v: %v", d, c.Err())
		}
	})
}

func TestTheCallThatReadsIsInterrupted(t *testing.T) {
	// By its timeout and its context elsewhere; here by the end of the client.
	for name, end := range map[string]func(c *client.Client, p *peer){
		"Close":      func(c *client.Client, p *peer) { _ = c.Close() },
		"EOF":        func(c *client.Client, p *peer) { _ = p.conn.Close() },
		"bad frame":  func(c *client.Client, p *peer) { p.say("BOGUS\n") },
		"DISCONNECT": func(c *client.Client, p *peer) { _ = c.SendFrame(frame.New(frame.DISCONNECT)) },
		"refusal":    func(c *client.Client, p *peer) { _ = c.SendFrame(frame.New(frame.ACK, "id", "x")) },
	} {
		t.Run(name, func(t *testing.T) {
			eagerly(t, func(t *testing.T, c *client.Client, p *peer) {
				done := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
				p.hear(frame.SEND)
				synctest.Wait()
				turn(t, c, "caller")
				start := time.Now()
				end(c, p)
				if err := <-done; err == nil || errors.Is(err, client.ErrTimeout) {
					t.Errorf("the call: %v", err)
				}
				if d := time.Since(start); d > 0 {
					t.Errorf("it took %v", d)
				}
				_ = c.Close()
				<-p.ended
			})
		})
	}
}

// halfPipe claims to be closed for writing only.
type halfPipe struct{ net.Conn }

func (halfPipe) CloseWrite() error { return nil }

func TestTheCallThatReadsDoesNotLinger(t *testing.T) {
	// STOMP-DISCONNECT-006: the server gets a while to close, for which nobody waits who does not have to.
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pair(t)
		p := newPeer(t, theirs)
		go func() { <-p.frames; p.say(connected) }()
		c, err := client.NewEager(ctx, halfPipe{ours}, client.Config{Host: "h"})
		if err != nil {
			t.Fatal(err)
		}
		first := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		p.answer(frame.SEND)
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		done := background(func() error { return c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		p.hear(frame.SEND)
		synctest.Wait()
		turn(t, c, "caller")
		start := time.Now()
		if err := c.SendFrame(frame.New(frame.DISCONNECT)); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, client.ErrClosed) || time.Since(start) > 0 {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		p.hear(frame.DISCONNECT)
		// What comes meanwhile is read.
		p.say(message("s", "1", ""))
		_ = c.Close()
		if d := time.Since(start); d < time.Second || d > 2*time.Second {
			t.Errorf("closed after %v", d)
		}
		<-p.ended
	})
}
