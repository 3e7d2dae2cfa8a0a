package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/broker/brokertest"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// TestManyGoroutinesShareAClient has producers in every style and consumers in every style on one connection: each
// message is delivered once and acknowledged once.
func TestManyGoroutinesShareAClient(t *testing.T) {
	for _, scheme := range []string{"tcp", "ws"} {
		t.Run(scheme, func(t *testing.T) {
			addr := ""
			if scheme == "ws" {
				addr = overWebSocket(t)
			} else {
				_, host := brokertest.Start(t, broker.Config{HeartBeat: heartbeat.Pair{Send: 20, Want: 20}, Tolerance: time.Minute})
				addr = "tcp://" + host
			}
			timing := client.DefaultTiming()
			timing.Connect, timing.Receipt = time.Minute, time.Minute
			c := dial(t, addr, client.Config{HeartBeat: beats(20), Tolerance: time.Minute, Timing: timing})
			share(t, c)
			if err := c.Disconnect(ctx); err != nil {
				t.Error(err)
			}
		})
	}
}

func share(t *testing.T, c *client.Client) {
	const producers, each = 8, 60
	var producing, consuming sync.WaitGroup
	var left atomic.Int64
	left.Store(producers * each)
	finished := make(chan struct{})
	var mu sync.Mutex
	seen := make(map[string]int)
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	got := func(d *client.Delivery, ack func() error) bool {
		mu.Lock()
		seen[string(d.Body())]++
		mu.Unlock()
		if err := ack(); err != nil {
			t.Errorf("acknowledge: %v", err)
			return false
		}
		if left.Add(-1) == 0 {
			close(finished)
		}
		return true
	}
	for i := range 4 {
		s, err := c.Subscribe(ctx, "/queue/work", client.SubscribeOptions{Ack: client.AckIndividual, Confirm: i%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		consuming.Go(func() {
			switch i {
			case 0:
				for d, err := range s.Messages(stop) {
					if err != nil || !got(d, func() error { return d.Ack(ctx) }) {
						return
					}
				}
			case 1:
				for {
					select {
					case d := <-s.C():
						if d == nil || !got(d, func() error { return d.Ack(ctx) }) {
							return
						}
					case <-stop.Done():
						return
					}
				}
			default:
				for {
					d, err := s.Next(stop)
					if err != nil {
						return
					}
					tx, err := c.Begin(ctx)
					if err != nil {
						t.Error(err)
						return
					}
					if !got(d, func() error { return errors.Join(tx.Ack(ctx, d), tx.Commit(ctx)) }) {
						return
					}
				}
			}
		})
	}
	for i := range producers {
		producing.Go(func() {
			var pending []*client.Pending
			for j := range each {
				m := client.Message{Destination: "/queue/work", Body: fmt.Appendf(nil, "%d-%d", i, j)}
				var err error
				switch (i + j) % 4 {
				case 0:
					err = c.Send(ctx, m)
				case 1:
					err = c.SendReceipt(ctx, m)
				case 2:
					var p *client.Pending
					p, err = c.SendAsync(ctx, m)
					pending = append(pending, p)
				default:
					_, err = c.Receipt(ctx, time.Minute, fmt.Sprintf("r-%d-%d", i, j), &frame.Frame{
						Command: frame.SEND, Headers: []frame.Header{{Name: "destination", Value: m.Destination}}, Body: m.Body,
					})
				}
				if err != nil {
					t.Errorf("produce: %v", err)
					return
				}
			}
			for _, p := range pending {
				if err := p.Wait(ctx); err != nil {
					t.Error(err)
				}
			}
		})
	}
	producing.Wait()
	select {
	case <-finished:
	case <-c.Done():
		t.Errorf("closed: %v", c.Err())
	}
	cancel()
	consuming.Wait()
	if len(seen) != producers*each {
		t.Errorf("%d messages came, of %d", len(seen), producers*each)
	}
	for body, n := range seen {
		if n != 1 {
			t.Errorf("%s came %d times", body, n)
		}
	}
}

// TestCloseAlwaysReturns closes clients from many goroutines while others use them, on a server that dies at random.
func TestCloseAlwaysReturns(t *testing.T) {
	for seed := range 30 {
		random := rand.New(rand.NewPCG(7, uint64(seed)))
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		reads := random.IntN(40)
		served := make(chan struct{})
		go func() {
			defer close(served)
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			buf := make([]byte, 200)
			if _, err := c.Read(buf); err != nil {
				return
			}
			_, _ = io.WriteString(c, connected)
			for range reads {
				if _, err := c.Read(buf); err != nil {
					return
				}
			}
			if tcp := c.(*net.TCPConn); seed%2 == 0 {
				_ = tcp.SetLinger(0)
			}
		}()
		c := dial(t, "tcp://"+l.Addr().String(), client.Config{})
		s, err := c.Subscribe(ctx, "/queue/a", client.SubscribeOptions{})
		var all sync.WaitGroup
		if err == nil {
			all.Go(func() { _, _ = s.Next(ctx) })
			all.Go(func() {
				for range s.C() {
					continue
				}
			})
		}
		for range 3 {
			all.Go(func() {
				for c.Send(ctx, client.Message{Destination: "d", Body: make([]byte, 5000)}) == nil {
					continue
				}
			})
			all.Go(func() { _, _ = c.Wait(ctx, time.Minute, anything) })
			all.Go(func() { _ = c.SendReceipt(ctx, client.Message{Destination: "d"}) })
		}
		for range 2 {
			all.Go(func() { _ = c.Close() })
		}
		all.Wait()
		_ = l.Close()
		<-served
	}
}

// TestFloodsAreBounded has a server that says anything as fast as it can: the client closes or lives, within its limits.
func TestFloodsAreBounded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := []string{"\n", message("s", "1", "x"), message("s", "2", ""), receipt("r"), receipt("x"), refusal, "MESSAGE\n", "\x00", "\r\n", connected, "content-length:9\n", "\xff"}
		script := rapid.SliceOfN(rapid.SampledFrom(words), 0, 60).Draw(rt, "script")
		ours, theirs := net.Pipe()
		defer theirs.Close()
		go func() {
			buf := make([]byte, 4096)
			if _, err := theirs.Read(buf); err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, theirs) }()
			if _, err := io.WriteString(theirs, connected); err != nil {
				return
			}
			for _, w := range script {
				if _, err := io.WriteString(theirs, w); err != nil {
					return
				}
			}
			_ = theirs.Close()
		}()
		cfg := limits(func(l *client.Limits) { l.Events = 3 })
		cfg.Host = "h"
		c, err := client.New(ctx, ours, cfg)
		if err != nil {
			return
		}
		_ = c.SendFrame(frame.New(frame.SUBSCRIBE, "id", "s", "destination", "d"))
		_ = c.SendFrame(frame.New(frame.SEND, "receipt", "r", "destination", "d"))
		if s := c.Stats(); s.Events > 3 {
			rt.Errorf("%+v", s)
		}
		<-c.Done()
		_ = c.Close()
		if s := c.Stats(); s != (client.Stats{}) {
			rt.Errorf("%+v", s)
		}
		if c.Err() == nil {
			rt.Error("no reason")
		}
	})
}
