package broker_test

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestSubscribeIsChecked(t *testing.T) {
	// STOMP-SUBSCRIBE-001, STOMP-SUBSCRIBE-004, STOMP-SUBSCRIBE-005, STOMP-ERROR-002
	_, addr := serve(t, broker.Config{})
	for _, c := range []struct{ version, headers, message string }{
		{"1.0", "id:1\n", "without destination"},
		{"1.1", "id:1\n", "without destination"},
		{"1.2", "id:1\ndestination:\n", "without destination"},
		{"1.1", "destination:/queue/a\n", "without id"},
		{"1.2", "destination:/queue/a\n", "without id"},
		{"1.2", "destination:/queue/a\nid:1\nack:bogus\n", "ack mode"},
		{"1.1", "destination:/queue/a\nid:1\nack: client\n", "ack mode"},
		{"1.0", "destination:/queue/a\nack:client-individual\n", "ack mode"},
	} {
		p := session(t, addr, c.version)
		p.send("SUBSCRIBE\nreceipt:r\n" + c.headers + "\n")
		p.refused(c.version+" "+c.headers, c.message, "receipt-id", "r")
	}
	for _, v := range versions {
		for _, id := range []string{"id:1\n", ""} {
			if id == "" && v != "1.0" {
				continue
			}
			p := session(t, addr, v)
			p.send("SUBSCRIBE\ndestination:/queue/a\n" + id + "\n")
			p.send("SUBSCRIBE\ndestination:/queue/a\n" + id + "\n")
			p.refused("the same subscription again", "exists already")
		}
	}
}

func TestUnknownSubscribeHeadersAreIgnored(t *testing.T) {
	// STOMP-SUBSCRIBE-009
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.send("SUBSCRIBE\nid:1\ndestination:/queue/a\nselector:x = 1\nx-unknown:1\n\n")
	p.send("SEND\ndestination:/queue/a\n\nx")
	p.message("subscribed", "x")
}

func TestSubscriptionHeader(t *testing.T) {
	// STOMP-SUBSCRIBE-002, STOMP-SUBSCRIBE-010, STOMP-SUBSCRIBE-011
	_, addr := serve(t, broker.Config{})
	for _, v := range versions {
		p := session(t, addr, v)
		seen := make(map[string]bool)
		for i, mode := range []string{"auto", "client"} {
			p.send(fmt.Sprintf("SUBSCRIBE\nid:s%d\ndestination:/queue/%s%s\nack:%s\n\n", i, v, mode, mode))
			for range 100 {
				p.send("SEND\ndestination:/queue/" + v + mode + "\n\nx")
				f := p.message(v, "x", "subscription", fmt.Sprintf("s%d", i))
				id, _ := f.Get("message-id")
				ack, has := f.Get("ack")
				if seen[id] || id == "" || has && seen["ack"+ack] {
					t.Fatalf("%s: message-id %q or ack %q is not unique", v, id, ack)
				}
				seen[id], seen["ack"+ack] = true, has
				if has != (v == "1.2" && mode == "client") {
					t.Fatalf("%s %s: ack header %q (%t)", v, mode, ack, has)
				}
			}
		}
	}
	p := session(t, addr, "1.0")
	p.send("SUBSCRIBE\ndestination:/queue/b\n\n")
	p.send("SEND\ndestination:/queue/b\n\nx")
	if f := p.message("without id", "x"); len(f.Headers) > 0 {
		if got, ok := f.Get("subscription"); ok {
			t.Errorf("subscription %q of a subscription without id", got)
		}
	}
}

func TestUnsubscribe(t *testing.T) {
	// STOMP-UNSUBSCRIBE-002, STOMP-UNSUBSCRIBE-003
	_, addr := serve(t, broker.Config{})
	for _, v := range versions {
		p := session(t, addr, v)
		for _, kind := range []string{"/queue/", "/topic/"} {
			d := kind + v
			p.send("SUBSCRIBE\nid:a\ndestination:" + d + "\n\n")
			p.send("UNSUBSCRIBE\nid:a\nreceipt:u\n\n")
			p.expect("unsubscribed", frame.RECEIPT, "receipt-id", "u")
			if v == "1.0" {
				p.send("SUBSCRIBE\ndestination:" + d + "\n\n")
				p.send("UNSUBSCRIBE\ndestination: " + d + "\nreceipt:u\n\n")
				p.expect("unsubscribed by destination", frame.RECEIPT, "receipt-id", "u")
			}
			for range 100 {
				p.send("SEND\ndestination:" + d + "\n\nx")
			}
			p.quiet("nothing after UNSUBSCRIBE")
		}
		p.send("UNSUBSCRIBE\nid:a\nreceipt:v\n\n")
		p.refused("a second UNSUBSCRIBE", "unknown id", "receipt-id", "v")
	}
	p := session(t, addr, "1.2")
	p.send("UNSUBSCRIBE\ndestination:/queue/a\n\n")
	p.refused("1.2 needs the id", "without id")
	p = session(t, addr, "1.0")
	p.send("UNSUBSCRIBE\ndestination:/queue/none\n\n")
	p.refused("no such subscription", "unknown destination")
}

func TestQueueServesConsumersInTurn(t *testing.T) {
	_, addr := serve(t, broker.Config{})
	var consumers []*peer
	for i := range 3 {
		c := session(t, addr, versions[i])
		c.send("SUBSCRIBE\nid:s\ndestination:/queue/a\nreceipt:r\n\n")
		c.expect("subscribed", frame.RECEIPT)
		consumers = append(consumers, c)
	}
	p := session(t, addr, "1.2")
	for i := range 9 {
		p.send(fmt.Sprintf("SEND\ndestination:/queue/a\n\n%d", i))
	}
	p.quiet("sent")
	for i := range 9 {
		consumers[i%3].message("in turn", fmt.Sprint(i))
	}
}

func TestTopicServesAllWhoAreThere(t *testing.T) {
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.send("SEND\ndestination:/topic/a\nreceipt:r\n\nnobody hears this")
	p.expect("sent", frame.RECEIPT)
	var consumers []*peer
	for _, v := range versions {
		c := session(t, addr, v)
		c.send("SUBSCRIBE\nid:s\ndestination:/topic/a\n\n")
		c.send("SUBSCRIBE\nid:t\ndestination:/topic/a\nack:client\nreceipt:r\n\n")
		c.expect("subscribed", frame.RECEIPT)
		consumers = append(consumers, c)
	}
	p.send("SEND\ndestination:/topic/a\n\nx")
	for i, c := range consumers {
		one := c.message("first subscription", "x", "subscription", "s")
		two := c.message("second subscription", "x", "subscription", "t")
		a, _ := one.Get("message-id")
		b, _ := two.Get("message-id")
		if a == b {
			t.Errorf("two subscriptions of one connection share message-id %q", a)
		}
		c.send("ACK\n" + ackHeaders(versions[i], two) + "receipt:k\n\n")
		c.expect("acknowledged", frame.RECEIPT, "receipt-id", "k")
	}
}

func TestMessagesWaitForAConsumer(t *testing.T) {
	// STOMP-DISCONNECT-003, STOMP-RECEIPT-002
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	for i := range 100 {
		p.send(fmt.Sprintf("SEND\ndestination:/queue/a\n\n%d", i))
	}
	p.send("DISCONNECT\nreceipt:bye\n\n")
	p.expect("the receipt means that all before was received", frame.RECEIPT, "receipt-id", "bye")
	p.closed("after DISCONNECT")
	c := session(t, addr, "1.0")
	c.send("SUBSCRIBE\ndestination:/queue/a\n\n")
	for i := range 100 {
		c.message("in order", fmt.Sprint(i))
	}
}
