package broker_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// deliver opens a session with a subscription s to d and n messages on it, numbered from 1.
func deliver(t *testing.T, addr, version, d, mode string, n int) (*peer, []*frame.Frame) {
	t.Helper()
	p := session(t, addr, version)
	p.send("SUBSCRIBE\nid:s\ndestination:" + d + "\nack:" + mode + "\n\n")
	for i := range n {
		p.send(fmt.Sprintf("SEND\ndestination:%s\n\nm%d", d, i+1))
	}
	all := []*frame.Frame{nil}
	for i := range n {
		all = append(all, p.message("delivered", fmt.Sprintf("m%d", i+1)))
	}
	return p, all
}

// drop ends the connection without a word and waits until the broker has noticed.
func drop(b *broker.Broker, p *peer) {
	p.t.Helper()
	before := b.Stats().Connections
	_ = p.conn.Close()
	for b.Stats().Connections == before {
		runtime.Gosched()
	}
}

func TestClientModeIsCumulative(t *testing.T) {
	// STOMP-SUBSCRIBE-006, STOMP-SUBSCRIBE-008
	b, addr := serve(t, broker.Config{})
	for _, v := range versions {
		d := "/queue/" + v
		p, m := deliver(t, addr, v, d, "client", 3)
		p.send("ACK\n" + ackHeaders(v, m[2]) + "receipt:r\n\n")
		p.expect("ACK", frame.RECEIPT, "receipt-id", "r")
		drop(b, p)
		p = session(t, addr, v)
		p.send("SUBSCRIBE\nid:t\ndestination:" + d + "\n\n")
		p.message("only m3 comes back", "m3", "redelivered", "true", "delivery-count", "2")
		p.quiet("only m3")
	}
}

func TestIndividualModeIsNot(t *testing.T) {
	// STOMP-SUBSCRIBE-007, STOMP-NACK-002
	b, addr := serve(t, broker.Config{})
	for _, v := range versions[1:] {
		d := "/queue/" + v
		p, m := deliver(t, addr, v, d, "client-individual", 4)
		p.send("ACK\n" + ackHeaders(v, m[2]) + "\n")
		p.send("NACK\n" + ackHeaders(v, m[4]) + "\n")
		again := p.message("a NACK brings the message back", "m4", "redelivered", "true", "delivery-count", "2")
		p.send("ACK\n" + ackHeaders(v, again) + "\n")
		p.quiet("nothing else moved")
		drop(b, p)
		p = session(t, addr, v)
		p.send("SUBSCRIBE\nid:t\ndestination:" + d + "\n\n")
		p.message("not acknowledged", "m1")
		p.message("not acknowledged", "m3")
		p.quiet("m2 and m4 were settled")
	}
}

func TestNackInClientModeIsCumulative(t *testing.T) {
	// STOMP-NACK-002, STOMP-NACK-003
	_, addr := serve(t, broker.Config{})
	for _, v := range versions[1:] {
		p, m := deliver(t, addr, v, "/queue/"+v, "client", 3)
		p.send("NACK\n" + ackHeaders(v, m[2]) + "\n")
		p.message("m1 again", "m1", "delivery-count", "2")
		m2 := p.message("m2 again", "m2", "delivery-count", "2")
		// m3 was delivered before them.
		p.send("ACK\n" + ackHeaders(v, m2) + "receipt:r\n\n")
		p.expect("nothing else came", frame.RECEIPT, "receipt-id", "r")
		p.send("ACK\n" + ackHeaders(v, m[3]) + "\n")
		p.refused("m3 was covered", "waits for none")
	}
}

func TestUnknownAcksAreRefused(t *testing.T) {
	// STOMP-ACK-005
	b, addr := serve(t, broker.Config{})
	for _, c := range []struct{ version, frame, message string }{
		{"1.0", "ACK\n", "without message-id"},
		{"1.1", "ACK\nsubscription:s\n", "without message-id"},
		{"1.1", "NACK\nmessage-id:1\n", "without subscription"},
		{"1.2", "ACK\nmessage-id:1\nsubscription:s\n", "without id"},
		{"1.0", "ACK\nmessage-id:invented\n", "waits for none"},
		{"1.1", "ACK\nmessage-id:invented\nsubscription:s\n", "waits for none"},
		{"1.2", "NACK\nid:invented\n", "waits for none"},
		{"1.2", "ACK\nid:01\n", "waits for none"},
		{"1.0", "NACK\nmessage-id:1\n", "refused"},
	} {
		p, _ := deliver(t, addr, c.version, "/queue/a", "client", 1)
		p.send(c.frame + "receipt:r\n\n")
		p.refused(c.version+" "+c.frame, c.message)
		p = session(t, addr, c.version)
		p.send("SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
		p.message("nothing was settled", "m1")
		drop(b, p)
	}
	p, m := deliver(t, addr, "1.1", "/queue/b", "client", 1)
	id, _ := m[1].Get("message-id")
	p.send("ACK\nmessage-id:" + id + "\nsubscription:other\n\n")
	p.refused("the subscription is part of the name", "waits for none")
	p, m = deliver(t, addr, "1.1", "/queue/c", "auto", 1)
	p.send("ACK\n" + ackHeaders("1.1", m[1]) + "\n")
	p.refused("an auto subscription waits for no ACK", "waits for none")
}

func TestReturnedMessagesKeepTheirOrder(t *testing.T) {
	// STOMP-SUBSCRIBE-008
	b, addr := serve(t, broker.Config{})
	one := session(t, addr, "1.2")
	one.send("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client\nreceipt:r\n\n")
	one.expect("subscribed", frame.RECEIPT)
	two := session(t, addr, "1.1")
	two.send("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client-individual\nreceipt:r\n\n")
	two.expect("subscribed", frame.RECEIPT)
	for i := range 6 {
		one.send(fmt.Sprintf("SEND\ndestination:/queue/a\n\n%d", i))
	}
	for i := range 3 {
		one.message("in turn", fmt.Sprint(2*i))
		two.message("in turn", fmt.Sprint(2*i+1))
	}
	// With nobody else to go to, what one had goes to two, then all is in the queue.
	one.send("UNSUBSCRIBE\nid:s\nreceipt:r\n\n")
	one.expect("unsubscribed", frame.RECEIPT)
	for i := range 3 {
		two.message("returned by UNSUBSCRIBE", fmt.Sprint(2*i), "delivery-count", "2")
	}
	one.send("SEND\ndestination:/queue/a\nreceipt:r\n\n6")
	one.expect("sent", frame.RECEIPT)
	two.message("new", "6")
	drop(b, two)
	one.send("SUBSCRIBE\nid:t\ndestination:/queue/a\n\n")
	for i := range 7 {
		one.message("all in order", fmt.Sprint(i))
	}
}

func TestRefusedTooOftenIsADeadLetter(t *testing.T) {
	// STOMP-NACK-003
	b, addr := serve(t, broker.Config{MaxDeliveries: 3, DeadLetter: "/queue/dead"})
	p := session(t, addr, "1.2")
	p.send("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client-individual\n\n")
	p.send("SEND\ndestination:/queue/a\nx:y\n\npoison")
	for i := range 3 {
		f := p.message("delivery", "poison")
		if n, ok := f.Get("delivery-count"); ok != (i > 0) || ok && n != fmt.Sprint(i+1) {
			t.Errorf("delivery %d has delivery-count %q (%t)", i+1, n, ok)
		}
		p.send("NACK\n" + ackHeaders("1.2", f) + "\n")
	}
	p.quiet("no fourth delivery")
	p.send("SUBSCRIBE\nid:d\ndestination:/queue/dead/queue/a\nack:client\n\n")
	for i := range 3 {
		f := p.message("dead letter", "poison", "x", "y", "destination", "/queue/dead/queue/a", "dead-letter-source", "/queue/a")
		if _, ok := f.Get("redelivered"); ok != (i > 0) {
			t.Errorf("delivery %d of the dead letter: redelivered is %t", i+1, ok)
		}
		p.send("NACK\n" + ackHeaders("1.2", f) + "\n")
	}
	p.quiet("a dead letter that is refused too often is dropped")
	if s := b.Stats(); s.Messages != 0 || s.DeadLettered != 1 || s.Discarded != 1 || s.Nacked != 6 {
		t.Errorf("stats %+v", s)
	}
}

func TestRefusedTopicMessageComesBackToItsSubscriber(t *testing.T) {
	b, addr := serve(t, broker.Config{MaxDeliveries: 2})
	p, m := deliver(t, addr, "1.2", "/topic/a", "client", 2)
	p.send("NACK\n" + ackHeaders("1.2", m[1]) + "\n")
	f := p.message("again", "m1", "redelivered", "true", "subscription", "s")
	p.send("NACK\n" + ackHeaders("1.2", f) + "\n")
	p.send("SUBSCRIBE\nid:d\ndestination:/queue/dead-letter/topic/a\n\n")
	p.message("m2 was sent before and is covered", "m2", "delivery-count", "2", "subscription", "s")
	p.message("dead letter", "m1", "dead-letter-source", "/topic/a", "subscription", "d")
	p.quiet("nothing else")
	drop(b, p)
	if s := b.Stats(); s.Messages != 0 || s.Destinations != 0 {
		t.Errorf("stats %+v", s)
	}
}
