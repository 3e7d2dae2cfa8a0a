package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// fault is a chunk that must close the session, and why. The setup is as in refusal; a version that begins with ? is a
// session in Connecting that offered it.
type fault struct {
	why     string
	version string
	setup   []string
	chunk   string
	reason  session.Reason
	law     string
}

func faults() []fault {
	const (
		sub  = "SUBSCRIBE id=s destination=/q ack=client"
		auto = "SUBSCRIBE id=s destination=/q"
		msg  = "MESSAGE\nsubscription:s\nmessage-id:1\nack:a\ndestination:/q\n\n\x00"
	)
	var all []fault
	add := func(why, version string, setup []string, chunk string, reason session.Reason, law string) {
		all = append(all, fault{why, version, setup, chunk, reason, law})
	}
	setup := func(s ...string) []string { return s }

	for _, chunk := range []string{"", "\n", "ERROR\n\n\x00"} {
		add("fresh", "", nil, chunk, session.ReasonNotReceiving, "STOMP-CLIENT-007")
		add("closed", "1.2", setup("DISCONNECT"), chunk, session.ReasonNotReceiving, "STOMP-CLIENT-007")
		add("failed", "1.2", setup("!fail"), chunk, session.ReasonNotReceiving, "STOMP-CLIENT-007")
	}
	add("syntax", "1.2", nil, "\x00", session.ReasonSyntax, "STOMP-CLIENT-006")
	add("good frames before", "1.2", setup(auto), msg+"\n"+msg+"x\n", session.ReasonSyntax, "STOMP-CLIENT-006")
	add("syntax wins over sequence", "1.2", nil, "SEND\n\n\x00x\n", session.ReasonSyntax, "STOMP-CLIENT-006")
	add("syntax after ERROR", "1.2", nil, "ERROR\n\n\x00x\n", session.ReasonSyntax, "STOMP-CLIENT-006")
	add("syntax after the last RECEIPT", "1.2", setup("DISCONNECT receipt=r"), "RECEIPT\nreceipt-id:r\n\n\x00x\n", session.ReasonSyntax, "STOMP-CLIENT-006")
	add("too many events", "1.2", nil, strings.Repeat("\n", 1025), session.ReasonSyntax, "STOMP-CLIENT-006")
	// STOMP-NEGOTIATE-006
	add("escape of 1.2 in 1.1", "?1.1,1.2", nil, "CONNECTED\nversion:1.1\n\n\x00ERROR\nmessage:a\\rb\n\n\x00", session.ReasonSyntax, "STOMP-CLIENT-006")

	for _, next := range []string{"ERROR\n\n\x00", msg, "SEND\n\n\x00", "\nRECEIPT\nreceipt-id:r\n\n\x00"} {
		add("after ERROR", "1.2", setup(auto), "ERROR\n\n\x00"+next, session.ReasonAfterError, "STOMP-ERROR-007")
		add("after the last RECEIPT", "1.2", setup(auto, "DISCONNECT receipt=r"), "RECEIPT\nreceipt-id:r\n\n\x00"+next, session.ReasonAfterDisconnect, "STOMP-DISCONNECT-005")
	}
	for _, chunk := range []string{msg, "RECEIPT\nreceipt-id:r\n\n\x00", "SEND\n\n\x00", "CONNECT\n\n\x00", "\n\n" + msg} {
		add("before CONNECTED", "?1.2", nil, chunk, session.ReasonUnexpectedConnecting, "STOMP-CONNECT-017")
	}
	const connected = "CONNECTED\nversion:1.2\n\n\x00"
	add("CONNECTED twice", "?1.2", nil, connected+connected, session.ReasonUnexpectedConnecting, "STOMP-CONNECT-017")
	add("CONNECTED twice", "1.2", nil, connected, session.ReasonUnexpectedConnecting, "STOMP-CONNECT-017")
	add("CONNECTED late", "1.2", setup("DISCONNECT receipt=r"), connected, session.ReasonUnexpectedConnecting, "STOMP-CONNECT-017")
	for c := frame.CONNECT; c <= frame.DISCONNECT; c++ {
		add("client command", "1.2", nil, c.String()+"\n\n\x00", session.ReasonUnexpected, "STOMP-CLIENT-008")
		add("client command", "1.2", setup("DISCONNECT receipt=r"), c.String()+"\n\n\x00", session.ReasonUnexpected, "STOMP-CLIENT-008")
	}

	for _, v := range []string{"", "version:1.1\n", "version:1.2 \n", "version:\n", "version:1.1\nversion:1.2\n", "version:1.0\nheart-beat:1\n"} {
		add("strict", "", setup(connectLine), "CONNECTED\n"+v+"\n\x00", session.ReasonVersionStrict, "STOMP-NEGOTIATE-007")
	}
	for _, c := range [][2]string{{"1.0,1.1", "version:1.2\n"}, {"1.1,1.2", ""}, {"1.0,1.2", "version:1.1\n"}, {"1.0,1.1,1.2", "version:2.0\n"}, {"1.0,1.1,1.2", "version:\n"}, {"1.0,1.1,1.2", "version: 1.0\n"}, {"1.2", "version:1.0\nheart-beat:1\n"}} {
		add("offered "+c[0], "?"+c[0], nil, "CONNECTED\n"+c[1]+"\n\x00", session.ReasonVersionOffered, "STOMP-NEGOTIATE-008")
	}
	for _, v := range []string{"1.1", "1.2"} {
		for _, b := range []string{"", "1", "1,2,3", "-1,2", "1, 2", ",", "2147483648,0"} {
			add("heart-beat "+b, "?"+v, nil, "CONNECTED\nversion:"+v+"\nheart-beat:"+b+"\n\n\x00", session.ReasonHeartBeatInvalid, "STOMP-HEARTBEAT-001")
		}
	}

	full := []string{"subscription:s", "message-id:1", "ack:a", "destination:/q"}
	for i, name := range []string{"subscription", "message-id", "ack", "destination"} {
		for _, instead := range []string{"", name + ":", name + ":\n" + full[i]} {
			headers := append([]string(nil), full...)
			headers[i] = instead
			text := "MESSAGE\n"
			for _, h := range headers {
				if h != "" {
					text += h + "\n"
				}
			}
			if name == "ack" {
				add("without "+name, "1.2", setup(sub), text+"\n\x00", session.ReasonMessageAck, "STOMP-SUBSCRIBE-015")
				continue
			}
			add("without "+name, "1.2", setup(sub), text+"\n\x00", session.ReasonMessage, "STOMP-SUBSCRIBE-014")
			add("without "+name+" on auto", "1.1", setup(auto), text+"\n\x00", session.ReasonMessage, "STOMP-SUBSCRIBE-014")
			if name != "subscription" || instead != "" {
				add("without "+name+" in 1.0", "1.0", setup(auto), text+"\n\x00", session.ReasonMessage, "STOMP-SUBSCRIBE-014")
			}
		}
	}
	unknown := strings.Replace(msg, "subscription:s", "subscription:other", 1)
	anonymous := strings.Replace(msg, "subscription:s\n", "", 1)
	for _, v := range []string{"1.0", "1.1", "1.2"} {
		add("unknown subscription", v, setup(sub), unknown, session.ReasonMessage, "STOMP-SUBSCRIBE-014")
		add("gone subscription", v, setup(sub, "<MESSAGE subscription=s message-id=b ack=b destination=/q", "UNSUBSCRIBE id=s"), msg, session.ReasonMessage, "STOMP-SUBSCRIBE-014")
		// STOMP-UNSUBSCRIBE-006, STOMP-UNSUBSCRIBE-007
		add("removed subscription", v, setup(sub, "UNSUBSCRIBE id=s"), msg, session.ReasonMessage, "STOMP-SUBSCRIBE-014")
		add("left subscription", v, setup(sub, "UNSUBSCRIBE id=s receipt=r", "<RECEIPT receipt-id=r"), msg, session.ReasonMessage, "STOMP-SUBSCRIBE-014")
	}
	add("no such destination in 1.0", "1.0", setup("SUBSCRIBE id=s destination=/r"), anonymous, session.ReasonMessage, "STOMP-SUBSCRIBE-014")
	add("two of the destination in 1.0", "1.0", setup(auto, "SUBSCRIBE id=t destination=/q"), anonymous, session.ReasonMessage, "STOMP-SUBSCRIBE-014")
	add("gone, of the destination in 1.0", "1.0", setup(auto, "UNSUBSCRIBE id=s"), anonymous, session.ReasonMessage, "STOMP-SUBSCRIBE-014")
	add("ack in client-individual", "1.2", setup("SUBSCRIBE id=s destination=/q ack=client-individual"), strings.Replace(msg, "ack:a\n", "", 1), session.ReasonMessageAck, "STOMP-SUBSCRIBE-015")

	add("same ack", "1.2", setup(sub), msg+strings.Replace(msg, "message-id:1", "message-id:2", 1), session.ReasonDeliveryDuplicate, "STOMP-SUBSCRIBE-015")
	add("same ack on two", "1.2", setup(sub, "SUBSCRIBE id=t destination=/t ack=client-individual"), msg+strings.Replace(msg, ":s", ":t", 1), session.ReasonDeliveryDuplicate, "STOMP-SUBSCRIBE-015")
	add("same pair in 1.1", "1.1", setup(sub), msg+msg, session.ReasonDeliveryDuplicate, "STOMP-ACK-010")
	add("same message-id in 1.0", "1.0", setup(sub, "SUBSCRIBE id=t destination=/t ack=client"), msg+strings.Replace(msg, ":s", ":t", 1), session.ReasonDeliveryDuplicate, "STOMP-ACK-010")
	add("padded message-id in 1.0", "1.0", setup(sub), msg+strings.Replace(msg, "-id:1", "-id: 1 ", 1), session.ReasonDeliveryDuplicate, "STOMP-ACK-010")
	add("same ack staged", "1.2", setup(sub, "<MESSAGE subscription=s message-id=1 ack=a destination=/q", "BEGIN transaction=x", "ACK id=a transaction=x"), msg, session.ReasonDeliveryDuplicate, "STOMP-SUBSCRIBE-015")

	for _, id := range []string{"", "receipt-id:\n", "receipt-id:unknown\n", "receipt-id:\nreceipt-id:r\n"} {
		add("receipt "+id, "1.2", setup(auto, "SEND destination=/q receipt=r"), "RECEIPT\n"+id+"\n\x00", session.ReasonReceipt, "STOMP-RECEIPT-005")
	}
	add("receipt again", "1.2", setup("SEND destination=/q receipt=r", "<RECEIPT receipt-id=r"), "RECEIPT\nreceipt-id:r\n\n\x00", session.ReasonReceipt, "STOMP-RECEIPT-005")
	add("receipt twice", "1.2", setup("SEND destination=/q receipt=r"), "RECEIPT\nreceipt-id:r\n\n\x00RECEIPT\nreceipt-id:r\n\n\x00", session.ReasonReceipt, "STOMP-RECEIPT-005")
	return all
}

// STOMP-CLIENT-006 and the law of each row: nothing of the chunk is returned, nothing is kept.
func TestFaults(t *testing.T) {
	for _, c := range faults() {
		t.Run(fmt.Sprintf("%s %s: %.40q: %s", c.version, c.why, c.chunk, c.reason), func(t *testing.T) {
			var p *script
			if offer, ok := strings.CutPrefix(c.version, "?"); ok {
				p = dial(t, multi, offer)
			} else {
				p = prepare(t, c.version, c.setup)
			}
			e := p.closes(c.chunk, c.reason, c.law)
			if _, ok := e.Cause.(*frame.Error); ok != (c.reason == session.ReasonSyntax) {
				t.Errorf("cause %v", e.Cause)
			}
			// STOMP-CLIENT-010
			p.refuseLine(connectLine, session.ReasonClosed, "STOMP-CLIENT-010")
			p.closes("", session.ReasonNotReceiving, "STOMP-CLIENT-007")
		})
	}
}
