package broker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestEveryFrameButConnectGetsItsReceipt(t *testing.T) {
	// STOMP-RECEIPT-001, STOMP-BODY-015
	_, addr := serve(t, broker.Config{})
	for _, v := range versions {
		receipts := map[string]string{"r": "r", "a b": "a b", " padded ": " padded "}
		if v != "1.0" {
			receipts["é☃"] = "é☃"
			receipts[`a\cb\\c\n`] = "a:b\\c\n"
			receipts[""] = ""
		}
		for wire, value := range receipts {
			p := connectTCP(t, addr)
			p.open(v, "receipt:"+wire)
			commands := []string{
				"SUBSCRIBE\nid:s\ndestination:/queue/" + v + "\nack:client\n", "UNSUBSCRIBE\nid:s\n",
				"SUBSCRIBE\nid:s\ndestination:/topic/" + v + "\nack:client\n", "BEGIN\ntransaction:t\n",
				"SEND\ndestination:/topic/" + v + "\n", "COMMIT\ntransaction:t\n", "BEGIN\ntransaction:t\n", "ABORT\ntransaction:t\n",
				"SEND\ndestination:/topic/" + v + "\n", "DISCONNECT\n",
			}
			for _, c := range commands {
				p.send(c + "receipt:" + wire + "\n\n")
				f := (*frame.Frame)(nil)
				if strings.HasPrefix(c, "SEND") {
					f = p.expect("effect first", frame.MESSAGE)
				}
				if r := p.expect(c, frame.RECEIPT, "receipt-id", value); len(r.Body) > 0 || len(r.Headers) != 1 {
					t.Errorf("%s: receipt %q %q", c, r.Headers, r.Body)
				}
				if f != nil {
					command := "ACK\n"
					if v != "1.0" && strings.Contains(c, "/topic/") {
						command = "NACK\n"
					}
					p.send(command + ackHeaders(v, f) + "receipt:" + wire + "\n\n")
					if command == "NACK\n" {
						again := p.expect("redelivered first", frame.MESSAGE)
						p.send("ACK\n" + ackHeaders(v, again) + "\n")
					}
					p.expect(command, frame.RECEIPT, "receipt-id", value)
				}
			}
			p.closed("after DISCONNECT")
		}
	}
}

func TestDisconnectEndsTheSession(t *testing.T) {
	// STOMP-DISCONNECT-003
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.raw("SEND\ndestination:/queue/a\nreceipt:1\n\n\x00DISCONNECT\nreceipt:2\n\n\x00SEND\ndestination:/queue/a\nreceipt:3\n\n\x00BOGUS\n")
	p.expect("first", frame.RECEIPT, "receipt-id", "1")
	p.expect("last", frame.RECEIPT, "receipt-id", "2")
	p.closed("what follows DISCONNECT is ignored")
	p = session(t, addr, "1.1")
	p.send("DISCONNECT\n\n")
	p.closed("without receipt")
}

func TestGoodFramesBeforeABadOneAreDone(t *testing.T) {
	// STOMP-RECEIPT-001, STOMP-ERROR-001
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.raw("SEND\ndestination:/queue/a\nreceipt:1\ncontent-length:3\n\n\x00a\x00\x00SEND\ndestination:/queue/a\nreceipt:2\n\n\x00\n\nBOGUS\nreceipt:3\n\n\x00SEND\ndestination:/queue/a\nreceipt:4\n\n\x00")
	p.expect("first", frame.RECEIPT, "receipt-id", "1")
	p.expect("second", frame.RECEIPT, "receipt-id", "2")
	p.refused("BOGUS", "refused")
}

func TestErrorsEndTheSession(t *testing.T) {
	// STOMP-ERROR-001, STOMP-ERROR-003, STOMP-FRAME-026
	_, addr := serve(t, broker.Config{})
	for _, v := range versions {
		frames := []string{
			"SEND\n\nx\x00", "BOGUS\n", "COMMIT\ntransaction:none\n\n\x00", "MESSAGE\ndestination:/queue/a\n\n\x00",
			"CONNECTED\n\n\x00", "RECEIPT\nreceipt-id:1\n\n\x00", "ERROR\n\n\x00", "SEND\nno colon\n", "SEND\ncontent-length:x\n\n",
			"SEND\ndestination:/queue/a\ncontent-length:1\n\nab\x00", "\x00", "GET / HTTP/1.1\r\n",
		}
		if v != "1.0" {
			frames = append(frames, "SEND\nx:\\t\n\n\x00", "SEND\ndestination:/queue/\xff\n\n\x00", "ACK\nid:a\n\nbody\x00")
		}
		for _, f := range frames {
			p := session(t, addr, v)
			p.raw(f)
			p.refused(fmt.Sprintf("%s %q", v, f), "")
		}
	}
	p := connectTCP(t, addr)
	p.raw("\x16\x03\x01\x02\x00\x01\x00\x01")
	p.refused("a TLS hello", "refused")
}

func TestErrorReachesAPeerThatGoesOnSending(t *testing.T) {
	// STOMP-ERROR-001: without reading on, the rest would turn the close into a reset.
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.raw("SEND\nreceipt:r\n\n\x00" + strings.Repeat("SEND\ndestination:/queue/a\n\nx\x00", 50000))
	p.refused("the ERROR is seen", "without destination", "receipt-id", "r")
}

func TestErrorReachesAPeerThatSendsTooMuch(t *testing.T) {
	// STOMP-LIMIT-019
	_, addr := serve(t, broker.Config{})
	for name, text := range map[string]string{
		"line":    "SEND\nx:" + strings.Repeat("y", 16<<20),
		"headers": "SEND\n" + strings.Repeat("a:b\n", 100000),
		"body":    "SEND\ndestination:/queue/a\n\n" + strings.Repeat("y", 16<<20) + "\x00",
	} {
		p := session(t, addr, "1.2")
		p.raw(text)
		p.refused(name, "refused")
	}
}

// TestPeerThatReadsLateGetsAll makes the broker's reader hand over what the socket does not take.
func TestPeerThatReadsLateGetsAll(t *testing.T) {
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.send("SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
	const n = 3000
	body := strings.Repeat("x", 4096)
	for i := range n {
		p.send(fmt.Sprintf("SEND\ndestination:/queue/a\nn:%d\nreceipt:%d\n\n%s", i, i, body))
	}
	messages, receipts := 0, 0
	for messages+receipts < 2*n {
		f, err := p.next(patience)
		if err != nil {
			t.Fatalf("after %d messages and %d receipts: %v", messages, receipts, err)
		}
		name, want := "n", &messages
		if f.Command == frame.RECEIPT {
			name, want = "receipt-id", &receipts
		} else if string(f.Body) != body {
			t.Fatalf("body of %d octets", len(f.Body))
		}
		if got, _ := f.Get(name); got != fmt.Sprint(*want) {
			t.Fatalf("%v %s, want %d", f.Command, got, *want)
		}
		*want++
	}
	p.quiet("all came, in order")
}

func TestErrorBodyIsBoundedAndPrintable(t *testing.T) {
	_, addr := serve(t, broker.Config{})
	p := session(t, addr, "1.2")
	p.send("SEND\n" + strings.Repeat("x-"+strings.Repeat("n", 3000)+":\x01é\x7f\n", 100) + "content-length:100000\n\n" + strings.Repeat("\x00\xff", 50000))
	f := p.refused("no destination", "without destination")
	if len(f.Body) > 8192 {
		t.Errorf("the body has %d octets", len(f.Body))
	}
	for _, c := range f.Body {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("the body holds octet %#x", c)
		}
	}
}

func TestHalfClosedPeerGetsItsAnswers(t *testing.T) {
	_, addr := serve(t, broker.Config{})
	for _, c := range []struct{ tail, message string }{{"", ""}, {"SEND\ndestination:/que", "ended inside a frame"}} {
		p := connectTCP(t, addr)
		p.raw("CONNECT\naccept-version:1.2\nhost:h\n\n\x00SEND\ndestination:/queue/a\nreceipt:1\n\n\x00" + c.tail)
		if err := p.conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		p.expect("answered", frame.CONNECTED)
		p.expect("answered", frame.RECEIPT, "receipt-id", "1")
		if c.message != "" {
			p.refused("truncated", c.message)
		} else {
			p.closed("end meets end")
		}
	}
}

func TestAbruptCloseHurtsNobodyElse(t *testing.T) {
	// STOMP-DISCONNECT-004
	b, addr := serve(t, broker.Config{})
	other := session(t, addr, "1.2")
	for _, last := range []string{"SEND\ndestination:/queue/a\ncontent-length:1000\n\nxx", "SE", "BEGIN\ntransaction:t\n\n\x00SEND\ntransaction:t\ndestination:/queue/a\n\n\x00", "\r"} {
		p, _ := deliver(t, addr, "1.2", "/queue/unacked", "client", 1)
		p.raw(last)
		if err := p.conn.(interface{ SetLinger(int) error }).SetLinger(0); err != nil {
			t.Fatal(err)
		}
		drop(b, p)
		other.send("SUBSCRIBE\nid:s\ndestination:/queue/unacked\n\n")
		other.message("returned", "m1", "redelivered", "true")
		other.send("UNSUBSCRIBE\nid:s\n\n")
		other.quiet(last)
	}
}
