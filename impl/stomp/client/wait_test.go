package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func limits(change func(*client.Limits)) client.Config {
	l := client.DefaultLimits()
	change(&l)
	return client.Config{Limits: l}
}

func TestQueueOfEventsIsLimited(t *testing.T) {
	// STOMP-WAIT-001, STOMP-WAIT-008, STOMP-WAIT-016
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		for i := range 1024 {
			p.say(message("s", fmt.Sprint(i), ""))
		}
		synctest.Wait()
		if s := c.Stats(); c.State() != client.Active || s.Events != 1024 {
			t.Fatalf("after 1024 messages: %v, %+v", c.State(), s)
		}
		never := waiting(c, time.Minute, func(client.Event) bool { return false })
		p.say(message("s", "last", ""))
		if o := <-never; code(o.err) != client.Invalid || !strings.Contains(o.err.Error(), "limit 1024, found 1025") {
			t.Errorf("the wait: %v", o.err)
		}
		gone(t, c, p)
	})
}

func TestQueueOfEventsHasABudget(t *testing.T) {
	// STOMP-WAIT-002: a receipt of id r costs 28 octets.
	ask := func(t *testing.T, c *client.Client, p *peer) {
		t.Helper()
		if err := c.SendFrame(frame.New(frame.SEND, "destination", "/queue/a", "receipt", "r")); err != nil {
			t.Fatal(err)
		}
		p.answer(frame.SEND)
		synctest.Wait()
	}
	virtual(t, limits(func(l *client.Limits) { l.EventBytes = 28 }), func(t *testing.T, c *client.Client, p *peer) {
		for range 3 {
			ask(t, c, p)
			if s := c.Stats(); s.Events != 1 || s.EventBytes != 28 {
				t.Fatalf("%v, %+v", c.State(), s)
			}
			if _, err := c.Wait(t.Context(), time.Second, anything); err != nil {
				t.Fatal(err)
			}
			quiet(t, c)
		}
	})
	virtual(t, limits(func(l *client.Limits) { l.EventBytes = 27 }), func(t *testing.T, c *client.Client, p *peer) {
		ask(t, c, p)
		if code(c.Err()) != client.Invalid {
			t.Errorf("Err: %v", c.Err())
		}
		gone(t, c, p)
	})
}

// sized is a MESSAGE whose event costs n octets of JSON.
func sized(n int) string {
	const rest = len(`{"event":"message","frame":{"command":"MESSAGE","headers":[["destination","/queue/a"],["message-id",""],["subscription","s"],["content-length","1000000"]],"body":[]}}`)
	// The id makes up for what the body leaves.
	const body = 1000000
	octets := 4*body - 1
	left := n - rest - octets
	return "MESSAGE\ndestination:/queue/a\nmessage-id:" + strings.Repeat("i", left) + "\nsubscription:s\ncontent-length:1000000\n\n" + strings.Repeat("\xff", body) + "\x00"
}

func TestBudgetIsMet(t *testing.T) {
	// STOMP-WAIT-002: 4194304 octets are allowed, one more is not.
	const small = 4194304 - 4001000
	for _, n := range []int{4194304, 4194305} {
		virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
			subscribe(t, c, p, "s", "auto")
			p.say(sized(4001000))
			synctest.Wait()
			if s := c.Stats(); s.EventBytes != 4001000 {
				t.Fatalf("%v, %+v", c.Err(), s)
			}
			filler := `{"event":"message","frame":{"command":"MESSAGE","headers":[["destination","/queue/a"],["message-id","f"],["subscription","s"],["ack","f"]],"body":[]}}`
			octets := small - len(filler) + 1 + n - 4194304
			// An octet below 10 costs two, so the parity is up to the last one.
			body := strings.Repeat("\x01", octets/2)
			if octets%2 == 1 {
				body = body[:len(body)-1] + "A"
			}
			p.say(message("s", "f", body))
			synctest.Wait()
			if n == 4194304 {
				if s := c.Stats(); s.EventBytes != n || s.Events != 2 {
					t.Errorf("%v, %+v", c.Err(), s)
				}
				return
			}
			gone(t, c, p)
		})
	}
}

func TestBudgetIsNoBodyLimit(t *testing.T) {
	// STOMP-WAIT-003, STOMP-WAIT-006, STOMP-LIMIT-008
	const mebi = 1 << 20
	high := "MESSAGE\ndestination:/queue/a\nmessage-id:1\nsubscription:s\ncontent-length:1048576\n\n" + strings.Repeat("\xff", mebi) + "\x00"
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		got := waiting(c, time.Minute, anything)
		p.say(high)
		if o := <-got; o.err != nil || len(o.event.Frame.Body) != mebi {
			t.Errorf("with a waiter: %v", o.err)
		}
		quiet(t, c)
		p.say(message("s", "low", strings.Repeat("A", mebi)))
		synctest.Wait()
		if s := c.Stats(); s.Events != 1 || s.EventBytes < 3145729 || s.EventBytes > 3145729+200 {
			t.Errorf("octets of 65: %+v", s)
		}
	})
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		p.say(high)
		gone(t, c, p)
	})
}

func TestWaitersAreLimited(t *testing.T) {
	// STOMP-WAIT-004
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		outcomes := make(chan error, 256)
		for range 256 {
			go func() {
				_, err := c.Wait(t.Context(), time.Minute, func(client.Event) bool { return false })
				outcomes <- err
			}()
		}
		synctest.Wait()
		if n := c.Stats().Waiters; n != 256 {
			t.Fatalf("%d waiters", n)
		}
		if _, err := c.Wait(t.Context(), time.Minute, anything); code(err) != client.Argument || !strings.Contains(err.Error(), "limit 256, found 257") {
			t.Errorf("the 257th: %v", err)
		}
		if _, err := c.Receipt(t.Context(), time.Minute, "r", frame.New(frame.SEND, "destination", "d")); code(err) != client.Argument {
			t.Errorf("a receipt: %v", err)
		}
		p.say(message("s", "1", ""))
		synctest.Wait()
		if e, err := c.Wait(t.Context(), time.Minute, anything); err != nil || e.Kind != client.MessageKind {
			t.Errorf("from the queue: %v", err)
		}
		if c.State() != client.Active {
			t.Errorf("state %v", c.State())
		}
		_ = c.Close()
		for range 256 {
			if err := <-outcomes; !errors.Is(err, client.ErrClosed) {
				t.Fatal(err)
			}
		}
	})
}

func TestWaitersComeInTurnAndBypassTheQueue(t *testing.T) {
	// STOMP-WAIT-006
	virtual(t, limits(func(l *client.Limits) { l.Events = 1 }), func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		first := waiting(c, time.Minute, isKind(client.MessageKind))
		second := waiting(c, time.Minute, isKind(client.MessageKind))
		p.say(message("s", "1", "one"), message("s", "2", "two"))
		for i, got := range []<-chan outcome{first, second} {
			if o := <-got; o.err != nil || string(o.event.Frame.Body) != []string{"one", "two"}[i] {
				t.Errorf("waiter %d: %+v", i, o)
			}
		}
		quiet(t, c)
	})
}

func TestWaitersOfBothLevelsComeInTurn(t *testing.T) {
	// STOMP-WAIT-006: a subscription that waits stands in the same line.
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		s, err := c.Subscribe(t.Context(), "/queue/a", client.SubscribeOptions{ID: "s"})
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		var all []<-chan outcome
		next := func() {
			got := make(chan outcome, 1)
			go func() {
				d, err := s.Next(context.Background())
				if err == nil {
					got <- outcome{event: client.Event{Frame: d.Frame()}}
				} else {
					got <- outcome{err: err}
				}
			}()
			synctest.Wait()
			all = append(all, got)
		}
		all = append(all, waiting(c, time.Minute, func(e client.Event) bool { return string(e.Frame.Body) == "3" }))
		next()
		all = append(all, waiting(c, time.Minute, anything))
		next()
		for i := range 4 {
			p.say(message("s", fmt.Sprint(i), fmt.Sprint(i)))
		}
		for _, got := range all {
			o := <-got
			if o.err != nil {
				t.Fatal(o.err)
			}
			order = append(order, string(o.event.Frame.Body))
		}
		if got := strings.Join(order, " "); got != "3 0 1 2" {
			t.Errorf("the four waiters got %s", got)
		}
		quiet(t, c)
		// In the queue both see the same events.
		p.say(message("s", "4", "4"), message("s", "5", "5"), message("s", "6", "6"))
		synctest.Wait()
		if e, err := c.Wait(t.Context(), time.Second, func(e client.Event) bool { return string(e.Frame.Body) == "5" }); err != nil || e.Frame == nil {
			t.Fatal(err)
		}
		for _, want := range []string{"4", "6"} {
			if d, err := s.Next(t.Context()); err != nil || string(d.Body()) != want {
				t.Errorf("%v, %v, want %s", d, err, want)
			}
		}
		quiet(t, c)
	})
}

func TestHeartBeatsAreNotQueued(t *testing.T) {
	// STOMP-WAIT-007
	virtual(t, limits(func(l *client.Limits) { l.Events = 1 }), func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		p.say(strings.Repeat("\n", 32), message("s", "1", ""))
		synctest.Wait()
		if s := c.Stats(); c.State() != client.Active || s.Events != 1 {
			t.Errorf("%v, %+v", c.State(), s)
		}
		got := waiting(c, time.Minute, isKind(client.HeartBeat))
		p.say("\n\n")
		if o := <-got; o.err != nil || o.event.Kind != client.HeartBeat {
			t.Errorf("a heart-beat: %+v", o)
		}
	})
}

func TestManySmallEventsInOneReadAreNoFlood(t *testing.T) {
	// STOMP-WAIT-007, STOMP-LIMIT-008
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		// The reader reads more at once the more there is.
		for range 20 {
			p.say(strings.Repeat("\n", 64<<10))
		}
		p.say(message("s", "1", ""))
		if _, err := c.Wait(t.Context(), time.Second, anything); err != nil {
			t.Error(err)
		}
		quiet(t, c)
	})
}

func TestControlWaitersHavePriority(t *testing.T) {
	// STOMP-WAIT-009
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		first := waiting(c, time.Minute, anything)
		done := make(chan error, 1)
		go func() {
			_, err := c.Receipt(t.Context(), time.Minute, "r", frame.New(frame.SEND, "destination", "d"))
			done <- err
		}()
		p.answer(frame.SEND)
		if err := <-done; err != nil {
			t.Error(err)
		}
		p.say(message("s", "1", ""))
		if o := <-first; o.err != nil || o.event.Kind != client.MessageKind {
			t.Errorf("the first waiter: %+v", o)
		}
	})
}

func TestPredicates(t *testing.T) {
	bad := map[string]func(client.Event) bool{
		"nil":   nil,
		"panic": func(client.Event) bool { panic("no") },
		"error": func(client.Event) bool { panic(errors.New("no")) },
		"index": func(e client.Event) bool { return e.Frame.Headers[100].Name == "" },
	}
	for name, accept := range bad {
		t.Run(name, func(t *testing.T) {
			// STOMP-WAIT-010, STOMP-WAIT-011
			virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
				if err := c.SendFrame(frame.New(frame.SEND, "destination", "d", "receipt", "r")); err != nil {
					t.Fatal(err)
				}
				p.answer(frame.SEND)
				synctest.Wait()
				_, err := c.Wait(t.Context(), time.Second, accept)
				if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != client.Argument || e.Reason != "predicate" {
					t.Errorf("the wait: %v", err)
				}
				if s := c.Stats(); s.Events != 1 || s.Waiters != 0 || c.State() != client.Active {
					t.Errorf("%v, %+v", c.State(), s)
				}
				if e, err := c.Wait(t.Context(), time.Second, anything); err != nil || e.Kind != client.ReceiptKind {
					t.Errorf("a good one: %v", err)
				}
				quiet(t, c)
			})
			if accept == nil {
				return
			}
			// STOMP-WAIT-012, STOMP-WAIT-016
			virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
				subscribe(t, c, p, "s", "auto")
				other := waiting(c, time.Minute, func(client.Event) bool { return false })
				failing := waiting(c, time.Minute, accept)
				p.say(message("s", "1", ""))
				for _, got := range []<-chan outcome{other, failing} {
					if o := <-got; code(o.err) != client.Argument {
						t.Errorf("a waiter: %v", o.err)
					}
				}
				gone(t, c, p)
			})
		})
	}
	t.Run("goexit", func(t *testing.T) {
		virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
			got := waiting(c, time.Minute, func(client.Event) bool { runtime.Goexit(); return true })
			p.say("\n")
			if o := <-got; o.err == nil {
				t.Error("the wait succeeded")
			}
			gone(t, c, p)
		})
	})
}

func TestWaitTimesOut(t *testing.T) {
	// STOMP-WAIT-013
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		start := time.Now()
		_, err := c.Receipt(t.Context(), 3*time.Second, "r", frame.New(frame.SEND, "destination", "d"))
		if e := (*client.TimeoutError)(nil); !errors.As(err, &e) || !errors.Is(err, client.ErrTimeout) || code(err) != "" || time.Since(start) != 3*time.Second {
			t.Fatalf("after %v: %v", time.Since(start), err)
		}
		if s := c.Stats(); c.State() != client.Active || s.Receipts != 1 || s.Waiters != 0 {
			t.Errorf("%v, %+v", c.State(), s)
		}
		p.answer(frame.SEND)
		synctest.Wait()
		if s := c.Stats(); s.Events != 1 || s.Receipts != 0 {
			t.Errorf("the late receipt: %v, %+v", c.State(), s)
		}
		// STOMP-WAIT-015
		if _, err := c.Receipt(t.Context(), time.Second, "r", frame.New(frame.SEND, "destination", "d")); code(err) != client.Argument {
			t.Errorf("while it is queued: %v", err)
		}
		if e, err := c.Wait(t.Context(), time.Second, anything); err != nil || e.Kind != client.ReceiptKind {
			t.Errorf("the late receipt: %v", err)
		}
		quiet(t, c)
	})
	// Reusing an id that is pending is a refusal of the session, which closes.
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		if _, err := c.Receipt(t.Context(), time.Second, "r", frame.New(frame.SEND, "destination", "d")); !errors.Is(err, client.ErrTimeout) {
			t.Fatal(err)
		}
		_, err := c.Receipt(t.Context(), time.Second, "r", frame.New(frame.SEND, "destination", "d"))
		if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != client.Invalid || e.Reason != "receipt-pending" {
			t.Errorf("a pending id: %v", err)
		}
		gone(t, c, p)
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Wait(ctx, time.Minute, anything); !errors.Is(err, context.DeadlineExceeded) || code(err) != "" {
			t.Error(err)
		}
		quiet(t, c)
	})
}

func TestWaitTimes(t *testing.T) {
	// STOMP-WAIT-014
	virtual(t, client.Config{}, func(t *testing.T, c *client.Client, p *peer) {
		const most = math.MaxInt32 * time.Millisecond
		for _, d := range []time.Duration{0, -1, -time.Second, time.Millisecond - 1, most + 1, most + time.Millisecond, math.MaxInt64} {
			if _, err := c.Wait(t.Context(), d, anything); code(err) != client.Argument {
				t.Errorf("%v: %v", d, err)
			}
			if _, err := c.Receipt(t.Context(), d, "r", frame.New(frame.SEND, "destination", "d")); code(err) != client.Argument {
				t.Errorf("%v: %v", d, err)
			}
		}
		for _, d := range []time.Duration{time.Millisecond, client.DefaultWait, most} {
			start := time.Now()
			if _, err := c.Wait(t.Context(), d, anything); !errors.Is(err, client.ErrTimeout) || time.Since(start) != d {
				t.Errorf("%v: after %v, %v", d, time.Since(start), err)
			}
		}
		quiet(t, c)
	})
}

func TestWaitChecksInOrder(t *testing.T) {
	// STOMP-WAIT-014: predicate, timeout, queued match, closed, waiter limit.
	reason := func(err error) string {
		if e := (*client.Error)(nil); errors.As(err, &e) {
			return e.Reason
		}
		return ""
	}
	virtual(t, limits(func(l *client.Limits) { l.Waiters = 1 }), func(t *testing.T, c *client.Client, p *peer) {
		subscribe(t, c, p, "s", "auto")
		got := waiting(c, time.Minute, isKind(client.HeartBeat))
		p.say(message("s", "1", ""))
		synctest.Wait()
		if _, err := c.Wait(t.Context(), 0, nil); reason(err) != "predicate" {
			t.Errorf("nil and 0: %v", err)
		}
		if _, err := c.Wait(t.Context(), 0, anything); reason(err) != "timeout" {
			t.Errorf("0 with an event: %v", err)
		}
		if _, err := c.Wait(t.Context(), time.Second, anything); err != nil {
			t.Errorf("an event: %v", err)
		}
		if _, err := c.Wait(t.Context(), time.Second, anything); reason(err) != "waiters" {
			t.Errorf("too many: %v", err)
		}
		_ = p.conn.Close()
		if o := <-got; !errors.Is(o.err, io.EOF) {
			t.Errorf("the end: %v", o.err)
		}
		if _, err := c.Wait(t.Context(), time.Second, anything); reason(err) != "closed" || !errors.Is(err, io.EOF) {
			t.Errorf("closed: %v", err)
		}
		if _, err := c.Wait(t.Context(), 0, anything); reason(err) != "timeout" {
			t.Errorf("0 when closed: %v", err)
		}
	})
}

func TestTransportFailuresClose(t *testing.T) {
	// STOMP-WAIT-016
	for name, fail := range map[string]func(c *client.Client, p *peer){
		"ACK unknown": func(c *client.Client, p *peer) { _ = c.SendFrame(frame.New(frame.ACK, "id", "x")) },
		"receipt of ACK unknown": func(c *client.Client, p *peer) {
			_, _ = c.Receipt(context.Background(), time.Second, "r", frame.New(frame.ACK, "id", "x"))
		},
		"bad frame":          func(c *client.Client, p *peer) { p.say("BOGUS\n\n\x00") },
		"wrong direction":    func(c *client.Client, p *peer) { p.say("SEND\ndestination:d\n\n\x00") },
		"unknown receipt":    func(c *client.Client, p *peer) { p.say(receipt("x")) },
		"second CONNECTED":   func(c *client.Client, p *peer) { p.say(connected) },
		"no subscription":    func(c *client.Client, p *peer) { p.say(message("other", "1", "")) },
		"message and beyond": func(c *client.Client, p *peer) { p.say(message("s", "1", ""), "BOGUS\n") },
	} {
		t.Run(name, func(t *testing.T) {
			answering(t, client.Config{HeartBeat: beats(10000)}, beating(10000), func(t *testing.T, c *client.Client, p *peer) {
				subscribe(t, c, p, "s", "auto")
				p.say(message("s", "0", ""))
				got := waiting(c, time.Minute, func(client.Event) bool { return false })
				if s := c.Stats(); !s.Ticking || s.Events != 1 {
					t.Fatalf("%+v", s)
				}
				fail(c, p)
				if o := <-got; code(o.err) != client.Invalid {
					t.Errorf("a waiter: %v", o.err)
				}
				if code(c.Err()) != client.Invalid {
					t.Errorf("Err: %v", c.Err())
				}
				gone(t, c, p)
			})
		})
	}
}
