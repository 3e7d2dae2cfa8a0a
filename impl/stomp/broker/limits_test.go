package broker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestConfigIsValidated(t *testing.T) {
	bad := map[string]broker.Config{
		"versions":         {Versions: []frame.Version{77}},
		"tolerance":        {Tolerance: -1},
		"connect timeout":  {ConnectTimeout: -1},
		"write timeout":    {WriteTimeout: -1},
		"linger timeout":   {LingerTimeout: -1},
		"linger bytes":     {LingerBytes: -1},
		"max deliveries":   {MaxDeliveries: -1},
		"dead letter":      {DeadLetter: "/topic/x"},
		"limits frame":     {Limits: broker.Limits{Frame: frame.Limits{Line: -1}}},
		"limits unacked":   {Limits: broker.Limits{Unacked: -1}},
		"limits outbound":  {Limits: broker.Limits{Outbound: -1}},
		"less than a mill": {ConnectTimeout: time.Microsecond},
	}
	bad["heart-beat"] = broker.Config{}
	for name, cfg := range bad {
		if name == "heart-beat" {
			cfg.HeartBeat.Send = -1
		}
		if _, err := broker.New(cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The hub counts milliseconds, and 0 of them would mean the default.
	for least, good := range map[time.Duration]bool{time.Millisecond: true, time.Millisecond - 1: false} {
		for name, cfg := range map[string]broker.Config{"tolerance": {Tolerance: least}, "connect timeout": {ConnectTimeout: least}} {
			if _, err := broker.New(cfg); (err == nil) != good {
				t.Errorf("%s of %v: %v", name, least, err)
			}
		}
	}
}

func TestFrameLimits(t *testing.T) {
	// STOMP-LIMIT-019
	_, addr := serve(t, broker.Config{Limits: broker.Limits{Frame: frame.Limits{Line: 100, Headers: 20, Body: 1000, Events: 1}}})
	for _, v := range versions {
		for bad, message := range map[string]string{
			"SEND\ndestination:/queue/a\nx:" + strings.Repeat("y", 99):                        "line-limit: limit 100, found 101",
			"SEND\n" + strings.Repeat("a:b\n", 21):                                            "header-limit: limit 20, found 21",
			"SEND\ndestination:/queue/a\n\n" + strings.Repeat("y", 1001):                      "body-limit: limit 1000, found 1001",
			"SEND\ndestination:/queue/a\ncontent-length:1" + strings.Repeat("0", 50) + "\n\n": "body-limit: limit 1000, found 9223372036854775807",
		} {
			p := session(t, addr, v)
			p.raw(bad)
			p.refused(v, message)
		}
		p := session(t, addr, v)
		// One read holds more events than Events says; that is no fault of the peer.
		p.raw(strings.Repeat("\n", 3000))
		p.send("SEND\nx:" + strings.Repeat("y", 98) + "\ndestination:/topic/a\n\n" + strings.Repeat("y", 1000))
		p.quiet("at the limit")
	}
}

func TestMessageNeverHasMoreHeadersThanAFrameMay(t *testing.T) {
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.send("SUBSCRIBE\nid:s\nack:client\ndestination:/queue/a\n\n")
	p.send("SEND\ndestination:/queue/a\nreceipt:r\ntransaction-not:1\n" + strings.Repeat("a:b\n", 119) + "\nx")
	if f := p.message("at the limit", "x"); len(f.Headers) > 128 {
		t.Errorf("MESSAGE has %d headers", len(f.Headers))
	}
	p.expect("accepted", frame.RECEIPT)
	p.send("SEND\ndestination:/queue/a\n" + strings.Repeat("a:b\n", 121) + "\nx")
	p.refused("over it", "hand on")
	// A line that fits in 1.0 but not when escaped.
	p = session(t, addr, "1.0")
	p.send("SEND\ndestination:/queue/a\nx:" + strings.Repeat(":", 5000) + "\n\nx")
	p.refused("too long for others", "header line")
}

func TestCountsAreLimited(t *testing.T) {
	// STOMP-LIMIT-019
	limits := broker.Limits{
		Subscriptions: 2, Transactions: 2, StagedFrames: 2, StagedBytes: 2000, QueueMessages: 2, QueueBytes: 3000,
		Bytes: 6000, Destinations: 5,
	}
	begin := "BEGIN\ntransaction:%d\n\n"
	staged := "SEND\ntransaction:0\ndestination:/queue/%d\n\n"
	big := strings.Repeat("x", 1200)
	for _, c := range []struct{ name, first, each, message string }{
		{"subscriptions", "", "SUBSCRIBE\nid:%d\ndestination:/queue/a\n\n", "subscriptions: limit 2, found 3"},
		{"transactions", "", begin, "transactions: limit 2, found 3"},
		{"staged frames", "BEGIN\ntransaction:0\n\n", staged, "frames in transactions: limit 2, found 3"},
		{"queue messages", "", "SEND\ndestination:/queue/a\nn:%d\n\n", "messages in a queue: limit 2, found 3"},
	} {
		_, addr := serve(t, broker.Config{Limits: limits})
		p := session(t, addr, "1.2")
		if c.first != "" {
			p.send(c.first)
		}
		for i := range 2 {
			p.send(fmt.Sprintf(c.each, i))
		}
		p2 := p.conn
		p.send(strings.Replace(fmt.Sprintf(c.each, 2), "\n", "\nreceipt:r\n", 1))
		p.refused(c.name, c.message, "receipt-id", "r")
		_ = p2.Close()
	}
	for _, c := range []struct{ name, each, message string }{
		{"staged bytes", "SEND\ntransaction:0\ndestination:/queue/%d\n\n" + big, "bytes in transactions"},
		{"queue bytes", "SEND\ndestination:/queue/a\nn:%d\n\n" + strings.Repeat("x", 1700), "bytes in a queue"},
		{"destinations", "SEND\ndestination:/queue/%d\n\n", "destinations: limit 5, found 6"},
		{"all bytes", "SEND\ndestination:/queue/%d\n\n" + big, "bytes in the broker"},
	} {
		b, addr := serve(t, broker.Config{Limits: limits})
		p := session(t, addr, "1.2")
		p.send("BEGIN\ntransaction:0\n\n")
		for i := range 6 {
			p.send(fmt.Sprintf(c.each, i))
		}
		p.refused(c.name, c.message)
		if s := b.Stats(); s.Bytes > 6000 {
			t.Errorf("%s: %d bytes held", c.name, s.Bytes)
		}
	}
}

func TestCommitIsRefusedAsAWhole(t *testing.T) {
	// STOMP-TX-003
	b, addr := serve(t, broker.Config{Limits: broker.Limits{QueueMessages: 2, Destinations: 3}})
	for _, fourth := range []string{"/queue/a", "/queue/d"} {
		p := session(t, addr, "1.2")
		p.send("BEGIN\ntransaction:t\n\n")
		for _, d := range []string{"/queue/a", "/queue/b", "/queue/a", "/queue/c", fourth} {
			p.send("SEND\ntransaction:t\ndestination:" + d + "\n\nx")
		}
		p.send("COMMIT\ntransaction:t\nreceipt:r\n\n")
		p.refused("one too many", "too many", "receipt-id", "r")
		if s := b.Stats(); s.Messages != 0 || s.Published != 0 || s.Destinations != 0 {
			t.Errorf("something was committed: %+v", s)
		}
	}
}

func TestConnectionsAreLimited(t *testing.T) {
	// STOMP-CONNECT-008
	b, addr := serve(t, broker.Config{Limits: broker.Limits{Connections: 2}})
	one, two := session(t, addr, "1.2"), session(t, addr, "1.2")
	three := connectTCP(t, addr)
	three.raw("CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
	three.refused("a third", "connections: limit 2, found 3")
	drop(b, one)
	session(t, addr, "1.2").quiet("a place is free")
	two.quiet("undisturbed")
}

func TestDestinationStats(t *testing.T) {
	b, addr := serve(t, broker.Config{})
	p, _ := deliver(t, addr, "1.2", "/queue/a", "client", 2)
	p.send("SEND\ndestination:/queue/b\n\nx")
	p.send("SUBSCRIBE\nid:t\ndestination:/topic/t\n\n")
	p.quiet("done")
	for name, want := range map[string]broker.Destination{
		"/queue/a": {Subscriptions: 1, Unsettled: 2},
		"/queue/b": {Queued: 1},
		"/topic/t": {Topic: true, Subscriptions: 1},
	} {
		got, ok := b.Destination(name)
		if want.Queued+want.Unsettled > 0 && got.Bytes == 0 {
			t.Errorf("%s holds no bytes", name)
		}
		got.Bytes = 0
		if !ok || got != want {
			t.Errorf("%s: %+v (%t), want %+v", name, got, ok, want)
		}
	}
	if got, ok := b.Destination("/queue/none"); ok {
		t.Errorf("there is a /queue/none: %+v", got)
	}
}

func TestFloodOfConnectionsIsBounded(t *testing.T) {
	// STOMP-CONNECT-013
	b, addr := serve(t, broker.Config{Limits: broker.Limits{Connections: 20}})
	var flood []net.Conn
	for range 300 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		flood = append(flood, c)
		if n := b.Stats().Connections; n > 20 {
			t.Fatalf("%d connections", n)
		}
	}
	for _, c := range flood {
		_ = c.Close()
	}
	// Those that wait in the listener's backlog have yet to come and go.
	for b.Stats().Connections > 0 || b.Stats().Opened < 20 {
		runtime.Gosched()
	}
	deadline := time.Now().Add(patience)
	for {
		p := connectTCP(t, addr)
		_, _ = io.WriteString(p.conn, "CONNECT\naccept-version:1.2\nhost:h\n\n\x00")
		f, err := p.next(patience)
		if err == nil && f.Command == frame.CONNECTED {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the flood is over and nobody is let in")
		}
	}
}

// pipe serves one end of a pipe, which buffers nothing, and returns the other.
func pipe(t testing.TB, b *broker.Broker) (*peer, <-chan error) {
	t.Helper()
	ours, theirs := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- b.ServeConn(context.Background(), theirs) }()
	return newPeer(t, ours), ended
}

func TestSlowConsumerLeavesTheQueueToOthers(t *testing.T) {
	b, addr := serve(t, broker.Config{Limits: broker.Limits{Credit: 10000, Unacked: 8}})
	for _, mode := range []string{"auto", "client"} {
		d := "/queue/" + mode
		slow, ended := pipe(t, b)
		slow.open("1.2")
		slow.send("SUBSCRIBE\nid:s\nreceipt:r\nack:" + mode + "\ndestination:" + d + "\n\n")
		slow.expect("subscribed", frame.RECEIPT)
		quick := session(t, addr, "1.2")
		quick.send("SUBSCRIBE\nid:s\ndestination:" + d + "\nreceipt:r\n\n")
		quick.expect("subscribed", frame.RECEIPT)
		p := session(t, addr, "1.2")
		const n = 200
		for range n {
			p.send("SEND\ndestination:" + d + "\n\n" + strings.Repeat("x", 1000))
		}
		p.send("SEND\ndestination:" + d + "\n\nlast")
		p.quiet("sent")
		got := 0
		for string(quick.expect(mode, frame.MESSAGE).Body) != "last" {
			got++
		}
		// What is being written, and what may wait: a batch of Credit each, and one message beyond.
		if missing := n - got; missing > 2*11 {
			t.Errorf("%s: the slow consumer has got %d messages", mode, missing)
		}
		_ = slow.conn.Close()
		<-ended
		if mode == "client" {
			for range 8 {
				if f := quick.expect("returned", frame.MESSAGE, "redelivered", "true"); len(f.Body) != 1000 {
					t.Errorf("returned %q", f.Body)
				}
			}
		}
	}
}

func TestSlowConsumerOfATopicIsClosed(t *testing.T) {
	// STOMP-LIMIT-019
	b, addr := serve(t, broker.Config{Limits: broker.Limits{Outbound: 50000, Unacked: 8}})
	for mode, why := range map[string]string{"auto": "octets wait to be written", "client": "messages wait for ACK"} {
		slow, ended := pipe(t, b)
		slow.open("1.2")
		slow.send("SUBSCRIBE\nid:s\nack:" + mode + "\ndestination:/topic/a\nreceipt:r\n\n")
		slow.expect("subscribed", frame.RECEIPT)
		quick := session(t, addr, "1.2")
		quick.send("SUBSCRIBE\nid:s\ndestination:/topic/a\nreceipt:r\n\n")
		quick.expect("subscribed", frame.RECEIPT)
		p := session(t, addr, "1.2")
		for range 100 {
			p.send("SEND\ndestination:/topic/a\nreceipt:r\n\n" + strings.Repeat("x", 1000))
			p.expect("sent", frame.RECEIPT)
			quick.expect(mode, frame.MESSAGE)
		}
		for {
			f, err := slow.next(patience)
			if err != nil {
				t.Fatalf("%s: no ERROR: %v, %v", mode, err, <-ended)
			}
			if f.Command == frame.ERROR {
				if text, _ := f.Get("message"); !strings.Contains(text, why) {
					t.Errorf("%s: %q", mode, text)
				}
				break
			}
		}
		slow.closed("after ERROR")
		if err := <-ended; !errors.As(err, new(*broker.Problem)) {
			t.Errorf("%s: ServeConn: %v", mode, err)
		}
	}
}

func TestUnreadReceiptsEndTheSession(t *testing.T) {
	// STOMP-LIMIT-019
	b, _ := serve(t, broker.Config{Limits: broker.Limits{OutboundFrames: 100}})
	p, ended := pipe(t, b)
	p.open("1.2")
	for range 400 {
		p.send("SEND\ndestination:/topic/a\nreceipt:r\n\n")
	}
	n := 0
	for f, err := p.next(patience); ; f, err = p.next(patience) {
		if err != nil {
			t.Fatal(err)
		}
		if f.Command == frame.ERROR {
			break
		}
		n++
	}
	// The limit, and what the first write took.
	if n < 100 || n > 202 {
		t.Errorf("%d receipts", n)
	}
	p.closed("after ERROR")
	<-ended
}
