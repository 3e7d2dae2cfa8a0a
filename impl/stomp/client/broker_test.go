package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/broker/brokertest"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// dial connects to addr and closes when the test ends.
func dial(t testing.TB, addr string, cfg client.Config) *client.Client {
	t.Helper()
	c, err := client.Dial(context.Background(), addr, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// overWebSocket serves b as WebSockets and returns its address.
func overWebSocket(t *testing.T) string {
	t.Helper()
	b, err := broker.New(broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(b)
	t.Cleanup(func() {
		_ = b.Close()
		server.Close()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

func TestWorkAgainstABroker(t *testing.T) {
	for _, version := range []frame.Version{frame.V10, frame.V11, frame.V12} {
		for _, scheme := range []string{"tcp", "ws"} {
			t.Run(scheme+version.String(), func(t *testing.T) {
				addr := ""
				if scheme == "ws" {
					addr = overWebSocket(t)
				} else {
					_, host := brokertest.Start(t, broker.Config{})
					addr = "tcp://" + host
				}
				c := dial(t, addr, client.Config{Versions: []frame.Version{version}})
				if c.Version() != version {
					t.Fatalf("version %v", c.Version())
				}
				work(t, c)
			})
		}
	}
}

// work uses all of a client once.
func work(t *testing.T, c *client.Client) {
	t.Helper()
	ctx, a, moved := t.Context(), "/queue/a/"+t.Name(), "/queue/b/"+t.Name()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	individual := client.AckIndividual
	if c.Version() == frame.V10 {
		individual = client.AckClient
	}
	s, err := c.Subscribe(ctx, a, client.SubscribeOptions{Ack: individual, Confirm: true})
	must(err)
	var pending []*client.Pending
	for i := range 5 {
		p, err := c.SendAsync(ctx, client.Message{Destination: a, ContentType: "text/plain", Body: fmt.Append(nil, i)})
		must(err)
		pending = append(pending, p)
	}
	for _, p := range pending {
		must(p.Wait(ctx))
	}
	next := func(want string) *client.Delivery {
		t.Helper()
		d, err := s.Next(ctx)
		must(err)
		if string(d.Body()) != want {
			t.Fatalf("got %q, want %q", d.Body(), want)
		}
		return d
	}
	d := next("0")
	must(d.Ack(ctx))
	if err := d.Ack(ctx); code(err) != client.Handle {
		t.Errorf("a second ACK: %v", err)
	}
	tx, err := c.Begin(ctx)
	must(err)
	must(tx.Ack(ctx, next("1")))
	must(tx.Send(ctx, client.Message{Destination: moved, Body: []byte("moved")}))
	must(tx.Commit(ctx))
	if err := tx.Commit(ctx); code(err) != client.Handle {
		t.Errorf("a second COMMIT: %v", err)
	}
	tx, err = c.Begin(ctx)
	must(err)
	d = next("2")
	must(tx.Ack(ctx, d))
	must(tx.Abort(ctx))
	must(d.Ack(ctx))
	must(s.Unsubscribe(ctx))
	left := ""
	for d, err := range s.Messages(ctx) {
		must(err)
		// The broker takes back what was not acknowledged.
		left += string(d.Body())
	}
	if left != "34" {
		t.Errorf("drained %q", left)
	}
	b, err := c.Subscribe(ctx, moved, client.SubscribeOptions{})
	must(err)
	if d, ok := <-b.C(); !ok || string(d.Body()) != "moved" {
		t.Errorf("got %v from the channel: %v", d, b.Err())
	}
	must(c.Disconnect(ctx))
	if _, ok := <-b.C(); ok {
		t.Error("the channel is open")
	}
	if !errors.Is(c.Err(), client.ErrClosed) {
		t.Errorf("Err: %v", c.Err())
	}
	if err := c.Send(ctx, client.Message{Destination: a}); code(err) != client.Handle {
		t.Errorf("Send on a closed client: %v", err)
	}
}

// code returns the code of an error, or the empty one.
func code(err error) client.Code {
	if e := (*client.Error)(nil); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestDisconnectFrameLosesNothing(t *testing.T) {
	// STOMP-DISCONNECT-006: all that was sent before it arrives, although the client is closed at once.
	for _, scheme := range []string{"tcp", "ws"} {
		t.Run(scheme, func(t *testing.T) {
			addr := overWebSocket(t)
			if scheme == "tcp" {
				_, host := brokertest.Start(t, broker.Config{})
				addr = "tcp://" + host
			}
			c := dial(t, addr, client.Config{})
			for range 50 {
				if err := c.Send(t.Context(), client.Message{Destination: "/queue/a", Body: make([]byte, 10000)}); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.SendFrame(frame.New(frame.DISCONNECT)); err != nil {
				t.Fatal(err)
			}
			_ = c.Close()
			c = dial(t, addr, client.Config{})
			s, err := c.Subscribe(t.Context(), "/queue/a", client.SubscribeOptions{Ack: client.AckClient})
			if err != nil {
				t.Fatal(err)
			}
			wait, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			for range 50 {
				if _, err := s.Next(wait); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
