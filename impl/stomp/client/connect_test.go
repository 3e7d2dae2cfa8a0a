package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestConnectFrame(t *testing.T) {
	// STOMP-CONNECT-001, STOMP-CONNECT-002, STOMP-CONNECT-003, STOMP-CONNECT-006, STOMP-NEGOTIATE-001, STOMP-TLS-001
	for _, c := range []struct {
		cfg    client.Config
		answer string
		want   string
	}{
		{client.Config{}, connected, "accept-version:1.2 host:h"},
		{client.Config{Host: "v", Login: "u", Passcode: `a:b\c`}, connected, `accept-version:1.2 host:v login:u passcode:a:b\c`},
		{
			client.Config{Versions: []frame.Version{frame.V10, frame.V11, frame.V12}, HeartBeat: beats(7), Headers: []frame.Header{{Name: "client-id", Value: "x"}}},
			"CONNECTED\n\n\x00", "accept-version:1.0,1.1,1.2 host:h heart-beat:7,7 client-id:x",
		},
		{client.Config{Versions: []frame.Version{frame.V12}}, connected, "accept-version:1.2 host:h"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cl, p, err := meet(t, client.New, c.cfg, c.answer)
			if err != nil {
				t.Fatal(err)
			}
			_ = cl.Close()
			<-p.ended
			d, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12})
			if err != nil {
				t.Fatal(err)
			}
			events, err := d.Feed(p.octets)
			if err != nil || len(events) != 1 || events[0].Frame.Command != frame.CONNECT {
				t.Fatalf("%q: %v", p.octets, err)
			}
			got := ""
			for _, h := range events[0].Frame.Headers {
				got += " " + h.Name + ":" + h.Value
			}
			if got != " "+c.want {
				t.Errorf("sent%s, want %s", got, c.want)
			}
		})
	}
}

func TestConnectFails(t *testing.T) {
	// STOMP-WAIT-018, STOMP-CLOCK-007, STOMP-ERROR-011, STOMP-NEGOTIATE-007, STOMP-CONNECT-017, STOMP-CONNECT-018
	for name, c := range map[string]struct {
		answer string
		want   func(error) bool
		after  time.Duration
	}{
		"silence":               {"", func(err error) bool { return errors.Is(err, client.ErrTimeout) && code(err) == "" }, 5 * time.Second},
		"heart-beats":           {"\n\n\n", func(err error) bool { return errors.Is(err, client.ErrTimeout) }, 5 * time.Second},
		"half a frame":          {"CONNECTED\nversion:1.2\n", func(err error) bool { return errors.Is(err, client.ErrTimeout) }, 5 * time.Second},
		"ERROR":                 {refusal, func(err error) bool { return code(err) == client.BrokerError }, 0},
		"CONNECTED and ERROR":   {connected + refusal, func(err error) bool { return code(err) == client.BrokerError }, 0},
		"CONNECTED and garbage": {connected + "BOGUS\n", func(err error) bool { return code(err) == client.Invalid }, 0},
		"another version":       {"CONNECTED\nversion:1.1\n\n\x00", func(err error) bool { return code(err) == client.Invalid }, 0},
		"MESSAGE":               {message("s", "1", ""), func(err error) bool { return code(err) == client.Invalid }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, connect := range connectors() {
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					_, p, err := meet(t, connect, client.Config{}, c.answer)
					if !c.want(err) || time.Since(start) != c.after {
						t.Errorf("after %v: %v", time.Since(start), err)
					}
					<-p.ended
				})
			}
		})
	}
}

func TestConnectEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := pair(t)
		p := newPeer(t, theirs)
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := client.New(short, ours, client.Config{Host: "h"}); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, client.ErrTimeout) {
			t.Error(err)
		}
		<-p.ended
	})
}

func TestRefusedPort(t *testing.T) {
	// STOMP-WAIT-018, STOMP-ERROR-011
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	_, err = client.Dial(ctx, "tcp://"+l.Addr().String(), client.Config{})
	if e := (*client.ConnectionError)(nil); !errors.As(err, &e) || e.Op != "dial" || code(err) != "" {
		t.Error(err)
	}
}

func TestStreamsAreCutAnywhere(t *testing.T) {
	// STOMP-WAIT-018, STOMP-ERROR-011, STOMP-FRAME-012: after every octet of the handshake and of a message.
	whole := "\n" + connected + "\n" + message("s", "1", "body")
	opened := len("\n" + connected)
	for cut := range len(whole) + 1 {
		for _, connect := range connectors() {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := pair(t)
				p := newPeer(t, theirs)
				served := make(chan struct{})
				go func() {
					defer close(served)
					defer theirs.Close()
					<-p.frames
					for i := range cut {
						if i == opened {
							// The message is for a subscription.
							p.hear(frame.SUBSCRIBE)
						}
						p.say(whole[i : i+1])
					}
				}()
				c, err := connect(ctx, ours, client.Config{Host: "h"})
				want := error(io.ErrUnexpectedEOF)
				if cut <= 1 || cut == opened || cut == opened+1 || cut == len(whole) {
					want = io.EOF
				}
				if cut < opened {
					if !errors.Is(err, want) {
						t.Errorf("cut at %d: %v", cut, err)
					}
					<-served
					<-p.ended
					return
				}
				if err != nil {
					// The end may be seen before connecting is over.
					if cut > opened || !errors.Is(err, io.EOF) {
						t.Errorf("cut at %d: %v", cut, err)
					}
					<-served
					<-p.ended
					return
				}
				s, err := c.Subscribe(ctx, "/queue/a", client.SubscribeOptions{ID: "s"})
				if err == nil {
					d, e := s.Next(ctx)
					if cut == len(whole) {
						if e != nil || string(d.Body()) != "body" {
							t.Errorf("the message: %v", e)
						}
						_, e = s.Next(ctx)
					}
					err = e
				}
				if !errors.Is(err, want) {
					t.Errorf("cut at %d: %v", cut, err)
				}
				<-served
				_ = c.Close()
				<-p.ended
			})
		}
	}
}

func TestNothingIsReconnectedOrRepeated(t *testing.T) {
	// STOMP-CLIENT-010
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 10)
	go func() {
		defer close(conns)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns <- c
		}
	}()
	go func() {
		p := newPeer(t, <-conns)
		p.hear(frame.CONNECT)
		p.say(connected)
		p.hear(frame.SEND)
		_ = p.conn.Close()
	}()
	c := dial(t, "tcp://"+l.Addr().String(), client.Config{})
	if err := c.SendReceipt(ctx, client.Message{Destination: "d"}); err == nil || code(err) != "" {
		t.Errorf("the message: %v", err)
	}
	<-c.Done()
	if err := c.Send(ctx, client.Message{Destination: "d"}); code(err) != client.Handle {
		t.Errorf("another: %v", err)
	}
	_ = c.Close()
	_ = l.Close()
	if extra, ok := <-conns; ok {
		t.Errorf("a second connection from %v", extra.RemoteAddr())
	}
}
