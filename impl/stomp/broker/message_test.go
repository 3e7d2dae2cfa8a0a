package broker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestSendNeedsADestination(t *testing.T) {
	// STOMP-SEND-001, STOMP-ERROR-001, STOMP-ERROR-002, STOMP-ERROR-004
	_, addr := serve(t, broker.Config{})
	for _, v := range versions {
		p := session(t, addr, v)
		p.send("SEND\nreceipt:r7\nx:y\n\nsecret body")
		f := p.refused(v, "without destination", "receipt-id", "r7")
		if body := string(f.Body); !strings.Contains(body, "SEND") || !strings.Contains(body, "x:y") || !strings.Contains(body, "secret body") {
			t.Errorf("the body does not show the frame: %q", body)
		}
	}
}

func TestDestinationsAreOpaque(t *testing.T) {
	// STOMP-SEND-002
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	for i, d := range []string{"/queue/a", "/topic/a b", "jms.queue.x", "/temp-queue/é☃", `/queue/a\cb\\c`, " padded ", "/", "/queue/" + strings.Repeat("n", 4000)} {
		want := strings.NewReplacer(`\c`, ":", `\\`, `\`).Replace(d)
		p.send(fmt.Sprintf("SUBSCRIBE\nid:%d\ndestination:%s\n\n", i, d))
		p.send("SEND\ndestination:" + d + "\n\nx")
		p.message(d, "x", "destination", want, "subscription", fmt.Sprint(i))
	}
}

func TestUserHeadersPassThrough(t *testing.T) {
	// STOMP-SEND-003, STOMP-HDR-009
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.send("SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
	p.send("SEND\nx-a:1\ndestination:/queue/a\nx-b:\nx-c:é☃\nx-d:a\\cb\\nc\\r\\\\\nx\\cy:z\nx-a:2\ncontent-type:text/plain;charset=utf-8\nid:7\n\nx")
	f := p.message("user headers", "x", "x-a", "1", "x-b", "", "x-c", "é☃", "x-d", "a:b\nc\r\\", "x:y", "z", "id", "7",
		"content-type", "text/plain;charset=utf-8", "content-length", "1")
	var repeats []string
	for _, h := range f.Headers {
		if h.Name == "x-a" {
			repeats = append(repeats, h.Value)
		}
	}
	if len(repeats) != 2 || repeats[1] != "2" {
		t.Errorf("repeats of x-a: %q", repeats)
	}
}

func TestProtocolHeadersCannotBeForged(t *testing.T) {
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.send("SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client\n\n")
	p.send("SEND\nmessage-id:forged\nsubscription:forged\nack:forged\nredelivered:true\ndelivery-count:9\ndead-letter-source:forged\n" +
		"destination:/queue/a\ndestination:forged\nreceipt:r\n\nx")
	f := p.message("a MESSAGE comes before the receipt of its SEND", "x", "destination", "/queue/a", "subscription", "s")
	p.expect("receipt", frame.RECEIPT, "receipt-id", "r")
	names := make(map[string]int)
	for _, h := range f.Headers {
		if h.Value == "forged" {
			t.Errorf("%s is what the sender says", h.Name)
		}
		names[h.Name]++
	}
	for _, name := range []string{"receipt", "transaction", "redelivered", "delivery-count"} {
		if names[name] > 0 {
			t.Errorf("%s is handed on", name)
		}
	}
	for _, name := range []string{"message-id", "ack", "destination", "subscription"} {
		if names[name] != 1 {
			t.Errorf("%s occurs %d times", name, names[name])
		}
	}
}

func TestBodiesArriveUnchanged(t *testing.T) {
	// STOMP-SEND-004, STOMP-BODY-014
	_, addr := serve(t, broker.Config{})
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, from := range versions {
		for _, to := range versions {
			in, out := session(t, addr, from), session(t, addr, to)
			out.send("SUBSCRIBE\nid:s\ndestination:/queue/" + from + to + "\nreceipt:r\n\n")
			out.expect("subscribed", frame.RECEIPT)
			for _, body := range []string{"", "x", string(all), strings.Repeat("\x00", 5000), strings.Repeat("y", 65536), "\r\n\\:\n"} {
				in.send(fmt.Sprintf("SEND\ndestination:/queue/%s%s\ncontent-length:%d\n\n%s", from, to, len(body), body))
				out.message(from+" to "+to, body, "content-length", fmt.Sprint(len(body)))
			}
		}
	}
}

func TestOldReceiversGetWhatTheyCanBeTold(t *testing.T) {
	// STOMP-HDR-003, STOMP-ESC-002
	_, addr := serve(t, broker.Config{})
	in := session(t, addr, "1.2")
	for _, v := range versions[:2] {
		out := session(t, addr, v)
		out.send("SUBSCRIBE\nid:s\ndestination:/topic/a\nreceipt:r\n\n")
		out.expect("subscribed", frame.RECEIPT)
		in.send("SEND\ndestination:/topic/a\nx:1\nline:a\\nb\nempty:\ncolon\\cname:v\nreturn:a\\rb\n\nbody")
		f := out.message(v, "body", "x", "1")
		if value, ok := f.Get("line"); ok != (v == "1.1") || ok && value != "a\nb" {
			t.Errorf("%s: line is %q (%t)", v, value, ok)
		}
		_ = out.conn.Close()
	}
}

func TestSubscribeBodyIsIgnoredIn10(t *testing.T) {
	// STOMP-BODY-002
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.0")
	p.send("SUBSCRIBE\ndestination:/queue/a\n\nxyz")
	p.send("SEND\ndestination: /queue/a\n\nx")
	p.message("subscribed", "x", "destination", "/queue/a")
	p = session(t, addr, "1.2")
	p.send("SUBSCRIBE\ndestination:/queue/a\nid:1\n\nxyz")
	p.refused("a body on SUBSCRIBE", "refused")
}
