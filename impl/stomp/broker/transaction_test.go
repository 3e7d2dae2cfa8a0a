package broker_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestTransactionsAreNamed(t *testing.T) {
	// STOMP-TX-001, STOMP-ERROR-001
	_, addr := serve(t, broker.Config{})
	for _, v := range versions {
		for frames, message := range map[string]string{
			"BEGIN\n\n":                 "without transaction",
			"COMMIT\n\n":                "without transaction",
			"ABORT\n\n":                 "without transaction",
			"COMMIT\ntransaction:t\n\n": "unknown transaction",
			"ABORT\ntransaction:t\n\n":  "unknown transaction",
			"SEND\ndestination:/queue/a\ntransaction:t\n\nx":                                    "unknown transaction",
			"BEGIN\ntransaction:t\n\n\x00BEGIN\ntransaction:t\n\n":                              "exists already",
			"BEGIN\ntransaction:t\n\n\x00COMMIT\ntransaction:t\n\n\x00ABORT\ntransaction:t\n\n": "unknown transaction",
		} {
			p := session(t, addr, v)
			p.send(frames)
			p.refused(v+" "+frames, message)
		}
	}
}

func TestTransactionalSendIsAtomic(t *testing.T) {
	// STOMP-TX-003
	b, addr := serve(t, broker.Config{})
	for _, v := range versions {
		out := session(t, addr, v)
		out.send("SUBSCRIBE\nid:q\ndestination:/queue/a\n\n")
		out.send("SUBSCRIBE\nid:t\ndestination:/topic/a\n\n")
		out.quiet("subscribed")
		p := session(t, addr, v)
		for _, end := range []string{"ABORT", "COMMIT"} {
			p.send("BEGIN\ntransaction: t1\n\n")
			p.send("SEND\ndestination:/queue/a\ntransaction: t1\n\n1")
			p.send("SEND\ndestination:/topic/a\ntransaction: t1\n\n2")
			p.send("SEND\ndestination:/queue/a\ntransaction: t1\nreceipt:r\n\n3")
			p.expect("staged", frame.RECEIPT, "receipt-id", "r")
			out.quiet("nothing before COMMIT")
			p.send(end + "\ntransaction: t1\nreceipt:r\n\n")
			p.expect(end, frame.RECEIPT, "receipt-id", "r")
			if end == "COMMIT" {
				out.message("committed", "1")
				out.message("committed", "2", "subscription", "t")
				out.message("committed", "3")
			}
			out.quiet("nothing more")
		}
		// A consumer that is still there would get its share of the next version's messages.
		drop(b, out)
		drop(b, p)
	}
}

func TestTransactionalAckWaitsForCommit(t *testing.T) {
	// STOMP-TX-004
	b, addr := serve(t, broker.Config{})
	for _, v := range versions {
		for _, end := range []string{"ABORT", "COMMIT", ""} {
			d := "/queue/" + v + end
			p, m := deliver(t, addr, v, d, "client", 3)
			p.send("BEGIN\ntransaction:t\n\n")
			p.send("ACK\n" + ackHeaders(v, m[2]) + "transaction:t\nreceipt:r\n\n")
			p.expect("staged", frame.RECEIPT, "receipt-id", "r")
			if end != "" {
				p.send(end + "\ntransaction:t\nreceipt:r\n\n")
				p.expect(end, frame.RECEIPT, "receipt-id", "r")
			}
			drop(b, p)
			p = session(t, addr, v)
			p.send("SUBSCRIBE\nid:s\ndestination:" + d + "\n\n")
			if end != "COMMIT" {
				p.message("not acknowledged", "m1")
				p.message("not acknowledged", "m2")
			}
			p.message("never acknowledged", "m3")
			p.quiet(end)
			drop(b, p)
		}
	}
}

func TestTransactionalNack(t *testing.T) {
	// STOMP-TX-004
	_, addr := serve(t, broker.Config{})
	p, m := deliver(t, addr, "1.2", "/queue/a", "client-individual", 2)
	p.send("BEGIN\ntransaction:t\n\n")
	p.send("NACK\n" + ackHeaders("1.2", m[1]) + "transaction:t\n\n")
	p.quiet("no redelivery before COMMIT")
	p.send("ABORT\ntransaction:t\n\n")
	p.quiet("no redelivery after ABORT")
	p.send("BEGIN\ntransaction:t\n\n")
	p.send("NACK\n" + ackHeaders("1.2", m[1]) + "transaction:t\n\n")
	p.send("ACK\n" + ackHeaders("1.2", m[2]) + "transaction:t\n\n")
	p.send("SEND\ndestination:/queue/a\ntransaction:t\n\nm3")
	p.send("COMMIT\ntransaction:t\n\n")
	p.message("refused", "m1", "delivery-count", "2")
	p.message("sent", "m3")
	p.quiet("all done")
}

func TestMessageOfATransactionCannotBeSettledBesides(t *testing.T) {
	b, addr := serve(t, broker.Config{})
	for _, other := range []string{"", "transaction:t\n"} {
		p, m := deliver(t, addr, "1.2", "/queue/a", "client", 2)
		p.send("BEGIN\ntransaction:t\n\n")
		p.send("ACK\n" + ackHeaders("1.2", m[1]) + "transaction:t\n\n")
		p.send("ACK\n" + ackHeaders("1.2", m[2]) + other + "\n")
		p.refused("m2 covers m1", "transaction settles already")
		p = session(t, addr, "1.2")
		p.send("SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
		p.message("aborted", "m1")
		p.message("aborted", "m2")
		drop(b, p)
	}
}

func TestStagedDeliveryOutlivesItsSubscription(t *testing.T) {
	// STOMP-TX-004
	_, addr := serve(t, broker.Config{})
	for _, end := range []string{"ABORT", "COMMIT"} {
		p, m := deliver(t, addr, "1.2", "/queue/"+end, "client-individual", 2)
		p.send("BEGIN\ntransaction:t\n\n")
		p.send("ACK\n" + ackHeaders("1.2", m[1]) + "transaction:t\n\n")
		p.send("UNSUBSCRIBE\nid:s\n\n")
		p.send("SUBSCRIBE\nid:n\ndestination:/queue/" + end + "\n\n")
		p.message("returned at once", "m2")
		p.quiet("m1 is the transaction's")
		p.send(end + "\ntransaction:t\n\n")
		if end == "ABORT" {
			p.message("returned by ABORT", "m1", "delivery-count", "2")
		}
		p.quiet(end)
	}
}

func TestUnfinishedTransactionsAreAborted(t *testing.T) {
	// STOMP-TX-005
	b, addr := serve(t, broker.Config{})
	out := session(t, addr, "1.2")
	out.send("SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
	out.quiet("subscribed")
	for _, v := range versions {
		for _, end := range []string{"DISCONNECT", "ERROR", "drop"} {
			p := session(t, addr, v)
			p.send("BEGIN\ntransaction:t\n\n")
			p.send("SEND\ndestination:/queue/a\ntransaction:t\nreceipt:r\n\nx")
			p.expect("staged", frame.RECEIPT)
			switch end {
			case "DISCONNECT":
				p.send("DISCONNECT\nreceipt:bye\n\n")
				p.expect("bye", frame.RECEIPT, "receipt-id", "bye")
			case "ERROR":
				p.send("SEND\n\nx")
				p.refused("error", "without destination")
			default:
				drop(b, p)
			}
			out.quiet(v + " " + end)
			if n := b.Stats().Messages; n != 0 {
				t.Errorf("%d messages are held after %s", n, end)
			}
		}
	}
}
