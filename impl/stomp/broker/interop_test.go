package broker_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/go-stomp/stomp/v3"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
)

// serve starts a broker on loopback for the length of the test and returns its address.
func serve(t testing.TB, cfg broker.Config) (*broker.Broker, string) {
	t.Helper()
	if cfg.LingerTimeout == 0 {
		// On a busy machine a peer may need long to read its ERROR.
		cfg.LingerTimeout = time.Minute
	}
	b, err := broker.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(context.Background(), l) }()
	t.Cleanup(func() {
		_ = b.Close()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return b, l.Addr().String()
}

func TestGoStompClient(t *testing.T) {
	for _, version := range []stomp.Version{stomp.V10, stomp.V11, stomp.V12} {
		t.Run(version.String(), func(t *testing.T) {
			b, addr := serve(t, broker.Config{Credentials: map[string]string{"u": "p"}})
			c, err := stomp.Dial("tcp", addr, stomp.ConnOpt.AcceptVersion(version), stomp.ConnOpt.Login("u", "p"))
			if err != nil {
				t.Fatal(err)
			}
			if c.Version() != version {
				t.Fatalf("session version %v", c.Version())
			}
			sub, err := c.Subscribe("/queue/a", stomp.AckClient)
			if err != nil {
				t.Fatal(err)
			}
			for _, body := range []string{"one", "two"} {
				if err := c.Send("/queue/a", "text/plain", []byte(body), stomp.SendOpt.Receipt, stomp.SendOpt.Header("x-a", "b")); err != nil {
					t.Fatal(err)
				}
			}
			one, err := sub.Read()
			if err != nil {
				t.Fatal(err)
			}
			if string(one.Body) != "one" || one.ContentType != "text/plain" || one.Header.Get("x-a") != "b" {
				t.Fatalf("first message %q, %v", one.Body, one.Header)
			}
			if err := c.Ack(one); err != nil {
				t.Fatal(err)
			}
			two, err := sub.Read()
			if err != nil {
				t.Fatal(err)
			}
			if version != stomp.V10 {
				if err := c.Nack(two); err != nil {
					t.Fatal(err)
				}
				if two, err = sub.Read(); err != nil {
					t.Fatal(err)
				}
				if two.Header.Get("redelivered") != "true" || two.Header.Get("delivery-count") != "2" || string(two.Body) != "two" {
					t.Fatalf("redelivered %q, %v", two.Body, two.Header)
				}
			}
			tx := c.Begin()
			if err := tx.Ack(two); err != nil {
				t.Fatal(err)
			}
			if err := tx.Send("/queue/b", "", []byte("three")); err != nil {
				t.Fatal(err)
			}
			if err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			other, err := c.Subscribe("/queue/b", stomp.AckAuto)
			if err != nil {
				t.Fatal(err)
			}
			three, err := other.Read()
			if err != nil || string(three.Body) != "three" {
				t.Fatalf("committed message: %v, %v", three, err)
			}
			if err := other.Unsubscribe(); err != nil {
				t.Fatal(err)
			}
			if err := c.Disconnect(); err != nil {
				t.Fatal(err)
			}
			if s := b.Stats(); s.Messages != 0 || s.Acked != 2 {
				t.Errorf("after all was acknowledged: %+v", s)
			}
			if _, err := stomp.Dial("tcp", addr, stomp.ConnOpt.Login("u", "wrong")); err == nil {
				t.Error("connected with the wrong passcode")
			}
		})
	}
}
