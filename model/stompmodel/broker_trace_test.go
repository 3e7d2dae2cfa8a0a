package stompmodel

import (
	"errors"
	"testing"

	"github.com/seed-6f28358b/assay/model"
)

// The words of the traces below.
func sub(conn int, id, mode, receipt string) TraceStep {
	return Sent(conn, ClientFrame{Command: "SUBSCRIBE", ID: id, Destination: "/q", Ack: mode, Receipt: receipt})
}

func put(conn int, body, tx, receipt string) TraceStep {
	return Sent(conn, ClientFrame{Command: "SEND", Destination: "/q", Body: body, Transaction: tx, Receipt: receipt})
}

func tx(conn int, command, id, receipt string) TraceStep {
	return Sent(conn, ClientFrame{Command: command, Transaction: id, Receipt: receipt})
}

func ack(conn int, command, body, tx, receipt string) TraceStep {
	return Sent(conn, ClientFrame{Command: command, Message: body, Transaction: tx, Receipt: receipt})
}

func unsub(conn int, id, receipt string) TraceStep {
	return Sent(conn, ClientFrame{Command: "UNSUBSCRIBE", ID: id, Receipt: receipt})
}

func bare(conn int, command, receipt string) TraceStep {
	return Sent(conn, ClientFrame{Command: command, Receipt: receipt})
}

func got(conn int, id, body string) TraceStep {
	return Received(conn, Output{Command: "MESSAGE", Subscription: id, Destination: "/q", Body: body})
}

func done(conn int, receipt string) TraceStep {
	return Received(conn, Output{Command: "RECEIPT", ReceiptID: receipt})
}

func failed(conn int, receipt string) TraceStep {
	return Received(conn, Output{Command: "ERROR", ReceiptID: receipt})
}

type trace []TraceStep

var healthy = BrokerConfig{Conns: 3, Healthy: true}

func with(change func(*BrokerConfig)) BrokerConfig {
	cfg := healthy
	change(&cfg)
	return cfg
}

func topics(c *BrokerConfig) { c.Topic = func(string) bool { return true } }

// TestLegalTraces: habits of different brokers, all of them within the laws.
func TestLegalTraces(t *testing.T) {
	v10 := with(func(c *BrokerConfig) { c.Version = V10 })
	v11 := with(func(c *BrokerConfig) { c.Version = V11 })
	for name, tc := range map[string]struct {
		cfg   BrokerConfig
		trace trace
	}{
		"MESSAGE before the RECEIPT of its SEND": {healthy, trace{
			sub(0, "s", "", ""), put(0, "a", "", "r"), got(0, "s", "a"), done(0, "r"),
		}},
		"RECEIPT before the MESSAGE": {healthy, trace{
			sub(0, "s", "", "rs"), done(0, "rs"), put(0, "a", "", "r"), done(0, "r"), got(0, "s", "a"),
		}},
		"MESSAGE overtakes the RECEIPT of its SUBSCRIBE": {healthy, trace{
			put(1, "a", "", "r"), done(1, "r"), sub(0, "s", "", "rs"), got(0, "s", "a"), done(0, "rs"),
		}},
		"RECEIPT of a transactional SEND after that of COMMIT": {healthy, trace{
			sub(1, "s", "", ""), tx(0, "BEGIN", "t", ""), put(0, "a", "t", "ra"), put(0, "b", "t", "rb"), tx(0, "COMMIT", "t", "rc"),
			done(0, "rc"), done(0, "ra"), done(0, "rb"), got(1, "s", "a"), got(1, "s", "b"),
		}},
		"RECEIPT of a transactional SEND at once": {healthy, trace{
			tx(0, "BEGIN", "t", ""), put(0, "a", "t", "ra"), done(0, "ra"), tx(0, "COMMIT", "t", "rc"), sub(1, "s", "", ""), got(1, "s", "a"), done(0, "rc"),
		}},
		"no RECEIPT of a transactional SEND that was undone": {healthy, trace{
			tx(0, "BEGIN", "t", ""), put(0, "a", "t", "ra"), tx(0, "ABORT", "t", "rt"), done(0, "rt"), Quiet(-1, true),
		}},
		"a RECEIPT of a transactional SEND that was undone": {healthy, trace{
			tx(0, "BEGIN", "t", ""), put(0, "a", "t", "ra"), tx(0, "ABORT", "t", "rt"), done(0, "rt"), done(0, "ra"),
		}},
		"messages in any order": {healthy, trace{
			put(0, "a", "", ""), put(0, "b", "", ""), sub(1, "s", "", ""), got(1, "s", "b"), got(1, "s", "a"),
		}},
		"NACK requeues to the same consumer": {healthy, trace{
			sub(0, "s", "client-individual", ""), put(1, "a", "", ""), got(0, "s", "a"), ack(0, "NACK", "a", "", "rn"), got(0, "s", "a"), done(0, "rn"),
		}},
		"NACK requeues to another": {healthy, trace{
			sub(0, "s", "client-individual", ""), sub(1, "u", "", ""), put(2, "a", "", ""), got(0, "s", "a"), ack(0, "NACK", "a", "", "rn"), done(0, "rn"), got(1, "u", "a"),
		}},
		"NACK makes a dead letter": {with(func(c *BrokerConfig) { c.Nack, c.DeadLetter = NackDeadLetter, "/dlq" }), trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), ack(0, "NACK", "a", "", "rn"), done(0, "rn"), Quiet(0, true),
			Sent(1, ClientFrame{Command: "SUBSCRIBE", ID: "d", Destination: "/dlq"}),
			Received(1, Output{Command: "MESSAGE", Subscription: "d", Body: "a"}),
		}},
		"NACK discards": {with(func(c *BrokerConfig) { c.Nack = NackDiscard }), trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), ack(0, "NACK", "a", "", "rn"), done(0, "rn"), sub(1, "u", "", ""), Quiet(-1, true),
		}},
		"cumulative NACK lets all of them come again": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), put(1, "b", "", ""), got(0, "s", "a"), got(0, "s", "b"),
			ack(0, "NACK", "b", "", "rn"), done(0, "rn"), got(0, "s", "b"), got(0, "s", "a"),
		}},
		"redelivery after a lost connection": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), Dropped(0), sub(1, "u", "client", ""), got(1, "u", "a"),
		}},
		"no redelivery after a lost connection": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), Dropped(0), sub(1, "u", "client", ""), Quiet(1, true),
		}},
		"an ACK lost with its connection": {healthy, trace{
			sub(0, "s", "client", ""), put(0, "x", "", ""), got(0, "s", "x"), put(0, "b", "", ""), ack(0, "ACK", "x", "", "ra"), Dropped(0),
			sub(1, "u", "", ""), got(1, "u", "x"), got(1, "u", "b"),
		}},
		"an ACK without receipt, behind a frame with one": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), ack(0, "ACK", "a", "", ""), put(0, "b", "", "rb"), done(0, "rb"), Dropped(0),
			sub(1, "u", "", ""), got(1, "u", "a"),
		}},
		"MESSAGE in flight during UNSUBSCRIBE": {healthy, trace{
			sub(0, "s", "", ""), put(1, "a", "", ""), unsub(0, "s", "ru"), got(0, "s", "a"), done(0, "ru"),
		}},
		"MESSAGE after an UNSUBSCRIBE without receipt": {healthy, trace{
			sub(0, "s", "", ""), unsub(0, "s", ""), put(1, "a", "", "r"), done(1, "r"), got(0, "s", "a"),
		}},
		"unsettled messages return at UNSUBSCRIBE": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), unsub(0, "s", "ru"), done(0, "ru"), sub(1, "u", "", ""), got(1, "u", "a"),
		}},
		"unsettled messages stay acknowledgeable after UNSUBSCRIBE": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), unsub(0, "s", "ru"), done(0, "ru"), ack(0, "ACK", "a", "", "ra"), done(0, "ra"),
		}},
		"same id again after UNSUBSCRIBE": {healthy, trace{
			sub(0, "s", "", ""), unsub(0, "s", "ru"), done(0, "ru"), sub(0, "s", "", "rs"), put(1, "a", "", ""), got(0, "s", "a"), done(0, "rs"),
		}},
		"ERROR for an unknown ACK, then close": {healthy, trace{
			ack(0, "ACK", "nobody", "", "ra"), failed(0, "ra"), Closed(0),
		}},
		"an unknown ACK is ignored": {healthy, trace{
			ack(0, "ACK", "nobody", "", "ra"), done(0, "ra"),
		}},
		"ERROR that keeps a 1.1 session": {v11, trace{
			ack(0, "ACK", "nobody", "", ""), failed(0, ""), put(0, "a", "", "r"), done(0, "r"),
		}},
		"ERROR that closes a 1.1 session": {v11, trace{
			ack(0, "ACK", "nobody", "", ""), failed(0, ""), Closed(0),
		}},
		"ERROR that keeps a 1.2 session, a known deviation": {with(func(c *BrokerConfig) { c.ErrorStaysOpen = true }), trace{
			Sent(0, ClientFrame{Command: "SEND", Body: "x"}), failed(0, ""), put(0, "a", "", "r"), done(0, "r"),
		}},
		"close without the ERROR, which may be lost": {healthy, trace{
			Sent(0, ClientFrame{Command: "SEND", Body: "x"}), Closed(0),
		}},
		"the message of an aborted transaction is never seen": {healthy, trace{
			sub(1, "s", "", ""), tx(0, "BEGIN", "t", ""), put(0, "a", "t", ""), tx(0, "ABORT", "t", "rt"), done(0, "rt"), Quiet(-1, true),
		}},
		"a COMMIT on its way may be taken after the connection is gone": {healthy, trace{
			sub(1, "s", "", ""), tx(0, "BEGIN", "t", ""), put(0, "a", "t", ""), tx(0, "COMMIT", "t", ""), Dropped(0), got(1, "s", "a"),
		}},
		"an ACK undone by ABORT, and given again": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), tx(0, "BEGIN", "t", ""), ack(0, "ACK", "a", "t", ""), tx(0, "ABORT", "t", "rt"), done(0, "rt"),
			ack(0, "ACK", "a", "", "ra"), done(0, "ra"),
		}},
		"an ACK undone by ABORT, and redelivered": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), tx(0, "BEGIN", "t", ""), ack(0, "ACK", "a", "t", ""), tx(0, "ABORT", "t", "rt"), done(0, "rt"),
			Dropped(0), sub(1, "u", "", ""), got(1, "u", "a"),
		}},
		"1.0: no subscription header": {v10, trace{
			Sent(0, ClientFrame{Command: "SUBSCRIBE", Destination: "/q"}), put(1, "a", "", ""), got(0, "", "a"),
		}},
		"1.0: UNSUBSCRIBE by destination": {v10, trace{
			Sent(0, ClientFrame{Command: "SUBSCRIBE", ID: "s", Destination: "/q"}),
			Sent(0, ClientFrame{Command: "UNSUBSCRIBE", Destination: "/q", Receipt: "ru"}), done(0, "ru"), put(1, "a", "", ""), Quiet(0, true),
		}},
		"1.0: ACK of a later message leaves the earlier one open": {v10, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), put(1, "b", "", ""), got(0, "s", "a"), got(0, "s", "b"), ack(0, "ACK", "b", "", "rb"), done(0, "rb"),
			Dropped(0), sub(1, "u", "", ""), got(1, "u", "a"),
		}},
		"what was on its way when the connection was lost is not owed": {healthy, trace{
			put(0, "a", "", ""), Dropped(0), sub(1, "u", "", ""), Quiet(-1, true),
		}},
		"in 1.1 a RECEIPT does not vouch for earlier frames": {v11, trace{
			put(0, "a", "", ""), put(0, "b", "", "rb"), done(0, "rb"), Dropped(0), sub(1, "u", "", ""), got(1, "u", "b"), Quiet(-1, true),
		}},
		"an ACK on its way when the connection was lost may count": {with(func(c *BrokerConfig) { c.Redelivers = true }), trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), ack(0, "ACK", "a", "", ""), Dropped(0), sub(1, "u", "", ""), Quiet(-1, true),
		}},
		"an unknown command is ignored": {healthy, trace{bare(0, "BOGUS", ""), put(0, "a", "", "r"), done(0, "r")}},
		"a topic gives each subscription one": {with(topics), trace{
			sub(0, "s", "", "r0"), done(0, "r0"), sub(1, "u", "", "r1"), done(1, "r1"), put(2, "a", "", ""), got(1, "u", "a"), got(0, "s", "a"), Quiet(-1, true),
		}},
		"a topic's subscription in the balance gets it, or not": {with(topics), trace{
			sub(0, "s", "", ""), put(2, "a", "", "ra"), done(2, "ra"), got(0, "s", "a"), sub(1, "u", "", ""), put(2, "b", "", ""), got(1, "u", "b"), Quiet(1, true),
		}},
		"a topic may keep messages for later subscriptions": {with(topics), trace{
			put(1, "a", "", "ra"), done(1, "ra"), sub(0, "s", "", ""), got(0, "s", "a"),
		}},
		"a message passes on before its consumer's ERROR is read": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), bare(0, "BOGUS", ""), sub(1, "u", "", ""), got(1, "u", "a"), failed(0, ""), Closed(0),
		}},
		"a message passes on before the ERROR of its ACK is read": {BrokerConfig{}, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), ack(0, "ACK", "a", "", "ra"), sub(1, "u", "", ""), got(1, "u", "a"), failed(0, "ra"), Closed(0),
		}},
		"an ACK after UNSUBSCRIBE names nothing, and its message returns": {healthy, trace{
			sub(0, "s", "client-individual", ""), put(1, "a", "", ""), got(0, "s", "a"), unsub(0, "s", "ru"), ack(0, "ACK", "a", "", "ra"), done(0, "ru"), done(0, "ra"),
			sub(0, "v", "", ""), got(0, "v", "a"),
		}},
		"the ERROR of a frame comes to light after the effect of the next": {v11, trace{
			sub(1, "s", "", ""), tx(0, "ABORT", "t", ""), put(0, "a", "", ""), got(1, "s", "a"), failed(0, ""),
		}},
		"an ACK of an earlier delivery names nothing": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), ack(0, "NACK", "a", "", "rn"), ack(0, "ACK", "a", "", "ra"), got(0, "s", "a"), done(0, "rn"), failed(0, "ra"), Closed(0),
		}},
		"and the late reader finds it too": {healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), bare(0, "BOGUS", ""), sub(1, "u", "", ""), got(1, "u", "a"), got(0, "s", "a"), failed(0, ""), Closed(0),
		}},
		"handshake, DISCONNECT and a second session": {with(func(c *BrokerConfig) { c.Fresh = true }), trace{
			bare(0, "CONNECT", ""), sub(0, "s", "client", ""), Received(0, Output{Command: "CONNECTED"}), put(0, "a", "", ""), got(0, "s", "a"),
			bare(0, "DISCONNECT", "rd"), done(0, "rd"), Closed(0), bare(0, "CONNECT", ""), Received(0, Output{Command: "CONNECTED"}), sub(0, "s", "", ""), got(0, "s", "a"),
		}},
		"a MESSAGE under way behind the RECEIPT of DISCONNECT": {healthy, trace{
			sub(0, "s", "", ""), put(1, "a", "", ""), bare(0, "DISCONNECT", "bye"), done(0, "bye"), got(0, "s", "a"), Closed(0),
		}},
		"and one that nobody reads": {healthy, trace{
			sub(0, "s", "", ""), put(1, "a", "", "ra"), done(1, "ra"), bare(0, "DISCONNECT", "bye"), done(0, "bye"), Dropped(0), sub(1, "u", "", ""), Quiet(-1, true),
		}},
		"a message that its session gave up, and got again when nobody read any more": {with(func(c *BrokerConfig) { c.Redelivers = true }), trace{
			put(1, "a", "", "ra"), done(1, "ra"), sub(0, "s", "client", ""), got(0, "s", "a"), unsub(0, "s", "ru"), done(0, "ru"), sub(0, "v", "", ""), Dropped(0),
			sub(1, "u", "", ""), Quiet(-1, true),
		}},
		"silence that nobody vouches for": {healthy, trace{
			sub(0, "s", "", "rs"), put(1, "a", "", "ra"), Quiet(-1, false), done(0, "rs"), done(1, "ra"), Quiet(0, false), got(0, "s", "a"),
		}},
		"silence while the message may be with another": {healthy, trace{
			sub(0, "s", "", "rs"), sub(2, "v", "", ""), done(0, "rs"), put(1, "a", "", "ra"), done(1, "ra"), Quiet(0, true), got(2, "v", "a"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := model.Accepts(mustBroker(t, tc.cfg), tc.trace, Match); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestIllegalTraces: each trace is legal up to its last step, which breaks the law named.
func TestIllegalTraces(t *testing.T) {
	v11 := with(func(c *BrokerConfig) { c.Version = V11 })
	known := with(func(c *BrokerConfig) { c.Redelivers = true })
	held := trace{sub(0, "s", "client", ""), put(1, "a", "", ""), put(1, "b", "", ""), got(0, "s", "a"), got(0, "s", "b")}
	after := func(start trace, steps ...TraceStep) trace { return append(start[:len(start):len(start)], steps...) }
	for name, tc := range map[string]struct {
		law   string
		cfg   BrokerConfig
		trace trace
	}{
		"a message twice without a cause, auto": {"STOMP-SUBSCRIBE-008", healthy, trace{
			sub(0, "s", "", ""), put(1, "a", "", ""), got(0, "s", "a"), got(0, "s", "a"),
		}},
		"a message twice without a cause, client": {"STOMP-SUBSCRIBE-008", healthy, after(held, got(0, "s", "a"))},
		"a message in two hands": {"STOMP-SUBSCRIBE-008", healthy, trace{
			sub(0, "s", "client", ""), sub(1, "u", "client", ""), put(2, "a", "", ""), got(0, "s", "a"), got(1, "u", "a"),
		}},
		"a consumed message again after the connection is lost": {"STOMP-SUBSCRIBE-008", healthy, trace{
			sub(0, "s", "", ""), put(1, "a", "", ""), got(0, "s", "a"), Dropped(0), sub(1, "u", "", ""), got(1, "u", "a"),
		}},
		"a settled message redelivered": {"STOMP-SUBSCRIBE-007", healthy, trace{
			sub(0, "s", "client-individual", ""), put(1, "a", "", ""), got(0, "s", "a"), ack(0, "ACK", "a", "", "ra"), done(0, "ra"), Dropped(0),
			sub(1, "u", "", ""), got(1, "u", "a"),
		}},
		"a cumulatively settled message redelivered": {"STOMP-SUBSCRIBE-006", healthy, after(held,
			ack(0, "ACK", "b", "", "rb"), done(0, "rb"), Dropped(0), sub(1, "u", "", ""), got(1, "u", "a"),
		)},
		"a settled message redelivered in the same session": {"STOMP-SUBSCRIBE-006", healthy, after(held,
			ack(0, "ACK", "b", "", ""), unsub(0, "s", ""), sub(0, "u", "client", ""), got(0, "u", "b"),
		)},
		"an ACK committed, and redelivered": {"STOMP-TX-003", healthy, after(held,
			tx(0, "BEGIN", "t", ""), ack(0, "ACK", "b", "t", ""), tx(0, "COMMIT", "t", "rc"), done(0, "rc"), Dropped(0), sub(1, "u", "", ""), got(1, "u", "a"),
		)},
		"an ACK of one subscription settles another's": {"STOMP-SUBSCRIBE-006", known, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), sub(0, "v", "client", ""), put(1, "b", "", ""), got(0, "v", "b"),
			ack(0, "ACK", "b", "", "rb"), done(0, "rb"), Dropped(0), sub(1, "u", "", ""), Quiet(-1, true),
		}},
		"and then refuses its own ACK": {"STOMP-SUBSCRIBE-006", healthy, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), sub(0, "v", "client", ""), put(1, "b", "", ""), got(0, "v", "b"),
			ack(0, "ACK", "b", "", "rb"), done(0, "rb"), ack(0, "ACK", "a", "", "ra"), failed(0, "ra"),
		}},
		"an individual ACK settles an earlier message": {"STOMP-SUBSCRIBE-007", known, trace{
			sub(0, "s", "client-individual", ""), put(1, "a", "", ""), put(1, "b", "", ""), got(0, "s", "a"), got(0, "s", "b"),
			ack(0, "ACK", "b", "", "rb"), done(0, "rb"), Dropped(0), sub(1, "u", "", ""), Quiet(-1, true),
		}},
		"a NACK reaches a later message": {"STOMP-NACK-002", healthy, after(held, ack(0, "NACK", "a", "", "rn"), done(0, "rn"), got(0, "s", "b"))},
		"a message passes on, but its consumer lives": {"STOMP-SUBSCRIBE-008", BrokerConfig{}, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), sub(1, "u", "", ""), got(1, "u", "a"), put(0, "b", "", "rb"), done(0, "rb"),
		}},
		"a message passes on, and nothing ends": {"STOMP-SUBSCRIBE-008", BrokerConfig{}, trace{
			sub(0, "s", "client", ""), put(1, "a", "", ""), got(0, "s", "a"), sub(1, "u", "", ""), got(1, "u", "a"), Quiet(-1, true),
		}},
		"a MESSAGE after the RECEIPT of UNSUBSCRIBE": {"STOMP-UNSUBSCRIBE-003", healthy, trace{
			sub(0, "s", "", ""), put(1, "a", "", ""), unsub(0, "s", "ru"), done(0, "ru"), got(0, "s", "a"),
		}},
		"a transactional message before COMMIT": {"STOMP-TX-003", healthy, trace{
			sub(1, "s", "", ""), tx(0, "BEGIN", "t", ""), put(0, "a", "t", "ra"), done(0, "ra"), got(1, "s", "a"),
		}},
		"a message after ABORT": {"STOMP-TX-003", healthy, trace{
			sub(1, "s", "", ""), tx(0, "BEGIN", "t", ""), put(0, "a", "t", ""), tx(0, "ABORT", "t", "rt"), done(0, "rt"), got(1, "s", "a"),
		}},
		"a message after the end of its unfinished transaction": {"STOMP-TX-005", healthy, trace{
			sub(1, "s", "", ""), tx(0, "BEGIN", "t", ""), put(0, "a", "t", ""), Dropped(0), got(1, "s", "a"),
		}},
		"half a transaction": {"STOMP-TX-003", healthy, trace{
			sub(1, "s", "", ""), tx(0, "BEGIN", "t", ""), put(0, "a", "t", ""), put(0, "b", "t", ""), tx(0, "COMMIT", "t", ""), got(1, "s", "a"), Quiet(-1, true),
		}},
		"the body is changed":   {"STOMP-SEND-004", healthy, trace{sub(0, "s", "", ""), put(1, "a", "", ""), got(0, "s", "A")}},
		"a message nobody sent": {"STOMP-SEND-004", healthy, trace{sub(0, "s", "", ""), got(0, "s", "a")}},
		"a message for an unknown subscription": {"STOMP-SUBSCRIBE-010", healthy, trace{
			sub(0, "s", "", ""), put(1, "a", "", ""), got(0, "u", "a"),
		}},
		"a message for another connection's subscription": {"STOMP-SUBSCRIBE-010", healthy, trace{
			sub(0, "s", "", ""), put(1, "a", "", ""), got(1, "s", "a"),
		}},
		"no subscription header in 1.1": {"STOMP-SUBSCRIBE-010", v11, trace{sub(0, "s", "", ""), put(1, "a", "", ""), got(0, "", "a")}},
		"a receipt for another id":      {"STOMP-RECEIPT-001", healthy, trace{put(0, "a", "", "r1"), done(0, "r2")}},
		"a receipt on another connection": {"STOMP-RECEIPT-001", healthy, trace{
			put(0, "a", "", "r1"), done(1, "r1"),
		}},
		"a receipt twice":            {"STOMP-RECEIPT-001", healthy, trace{put(0, "a", "", "r1"), done(0, "r1"), done(0, "r1")}},
		"a receipt nobody asked for": {"STOMP-RECEIPT-001", healthy, trace{put(0, "a", "", ""), done(0, "")}},
		"a receipt and an ERROR":     {"STOMP-RECEIPT-001", v11, trace{ack(0, "ACK", "x", "", "ra"), failed(0, "ra"), done(0, "ra")}},
		"a receipt, then an ERROR":   {"STOMP-RECEIPT-001", v11, trace{tx(0, "ABORT", "t", "rt"), done(0, "rt"), failed(0, "")}},
		"a cumulative NACK crosses subscriptions": {"STOMP-NACK-002", healthy, trace{
			sub(0, "s", "client-individual", ""), put(1, "a", "", ""), got(0, "s", "a"), sub(0, "v", "client", ""), put(1, "b", "", ""), got(0, "v", "b"),
			ack(0, "NACK", "b", "", "rb"), done(0, "rb"), got(0, "s", "a"),
		}},
		"an ERROR for another id":    {"STOMP-ERROR-004", healthy, trace{ack(0, "ACK", "x", "", "ra"), failed(0, "rb")}},
		"a receipt for a bad SEND":   {"STOMP-SEND-001", healthy, trace{Sent(0, ClientFrame{Command: "SEND", Body: "x", Receipt: "r"}), done(0, "r")}},
		"a receipt for a bad COMMIT": {"STOMP-TX-001", healthy, trace{bare(0, "COMMIT", "r"), done(0, "r")}},
		"1.2 goes on after ERROR":    {"STOMP-ERROR-001", healthy, trace{bare(0, "BOGUS", ""), failed(0, ""), put(0, "a", "", "r"), done(0, "r")}},
		"1.2 stays open after ERROR": {"STOMP-ERROR-001", healthy, trace{bare(0, "BOGUS", ""), failed(0, ""), Quiet(0, true)}},
		"1.1 goes on after bad SEND": {"STOMP-ERROR-002", v11, trace{Sent(0, ClientFrame{Command: "SEND", Body: "x"}), failed(0, ""), put(0, "a", "", "r"), done(0, "r")}},
		"an ERROR without a cause":   {"STOMP-ERROR-001", healthy, trace{put(0, "a", "", ""), failed(0, "")}},
		"a close without a cause":    {"STOMP-ERROR-001", healthy, trace{put(0, "a", "", ""), Closed(0)}},
		"a receipt before CONNECTED": {"STOMP-CONNECT-007", with(func(c *BrokerConfig) { c.Fresh = true }), trace{bare(0, "CONNECT", ""), put(0, "a", "", "r"), done(0, "r")}},
		"a second CONNECTED":         {"STOMP-CONNECT-007", healthy, trace{put(0, "a", "", ""), Received(0, Output{Command: "CONNECTED"})}},
		"CONNECT unanswered":         {"STOMP-CONNECT-007", with(func(c *BrokerConfig) { c.Fresh = true }), trace{bare(0, "CONNECT", ""), Quiet(0, true)}},
		"no receipt of a committed SEND": {"STOMP-RECEIPT-001", healthy, trace{
			tx(0, "BEGIN", "t", ""), put(0, "a", "t", ""), tx(0, "ABORT", "t", ""), tx(0, "BEGIN", "t", ""), put(0, "b", "t", "rb"), tx(0, "COMMIT", "t", "rt"),
			done(0, "rt"), Quiet(-1, true),
		}},
		"no receipt at all": {"STOMP-RECEIPT-001", healthy, trace{put(0, "a", "", "r"), Quiet(0, true)}},
		"a RECEIPT vouches for what came before": {"STOMP-RECEIPT-002", healthy, trace{
			put(0, "a", "", ""), put(0, "b", "", "rb"), done(0, "rb"), Dropped(0), sub(1, "u", "", ""), got(1, "u", "b"), Quiet(-1, true),
		}},
		"an unsettled message is kept back": {"STOMP-SUBSCRIBE-008", known, after(held, Dropped(0), sub(1, "u", "", ""), got(1, "u", "a"), Quiet(-1, true))},
		"1.0: a MESSAGE after UNSUBSCRIBE by destination": {"STOMP-UNSUBSCRIBE-002", with(func(c *BrokerConfig) { c.Version = V10 }), trace{
			Sent(0, ClientFrame{Command: "SUBSCRIBE", ID: "s", Destination: "/q"}), put(1, "a", "", ""),
			Sent(0, ClientFrame{Command: "UNSUBSCRIBE", Destination: "/q", Receipt: "ru"}), done(0, "ru"), got(0, "s", "a"),
		}},
		"an unknown command makes a MESSAGE": {"STOMP-FRAME-026", healthy, trace{sub(0, "s", "", ""), bare(0, "BOGUS", ""), got(0, "s", "")}},
		"no message for an idle one":         {"STOMP-SUBSCRIBE-001", healthy, trace{sub(0, "s", "", ""), put(1, "a", "", ""), Quiet(-1, true)}},
		"a frame after DISCONNECT":           {"STOMP-DISCONNECT-003", healthy, trace{bare(0, "DISCONNECT", ""), put(0, "a", "", "r"), done(0, "r")}},
		"topic: one of two":                  {"STOMP-SUBSCRIBE-001", with(topics), trace{sub(0, "s", "", "r0"), done(0, "r0"), sub(1, "u", "", "r1"), done(1, "r1"), put(2, "a", "", ""), got(0, "s", "a"), Quiet(-1, true)}},
		"topic: twice":                       {"STOMP-SUBSCRIBE-008", with(topics), trace{sub(0, "s", "", ""), put(1, "a", "", ""), got(0, "s", "a"), got(0, "s", "a")}},
		"topic: before it subscribed":        {"STOMP-SUBSCRIBE-001", with(func(c *BrokerConfig) { topics(c); c.RoutesAtOnce = true }), trace{put(1, "a", "", "ra"), done(1, "ra"), sub(0, "s", "", ""), got(0, "s", "a")}},
		"NACK discards, but it returns": {"STOMP-NACK-003", with(func(c *BrokerConfig) { c.Nack = NackDiscard }), after(held,
			ack(0, "NACK", "b", "", "rn"), done(0, "rn"), got(0, "s", "a"),
		)},
		"NACK requeues, but it is lost": {"STOMP-NACK-003", with(func(c *BrokerConfig) { c.Nack, c.Redelivers = NackRequeue, true }), after(held,
			ack(0, "NACK", "b", "", "rn"), done(0, "rn"), Quiet(-1, true),
		)},
	} {
		t.Run(name+" "+tc.law, func(t *testing.T) {
			b := mustBroker(t, tc.cfg)
			err := model.Accepts(b, tc.trace, Match)
			var rejected *model.Rejected[BrokerState, Action, Output]
			if !errors.As(err, &rejected) {
				t.Fatalf("not rejected: %v", err)
			}
			if rejected.Index != len(tc.trace)-1 {
				t.Errorf("rejected too early: %v", err)
			}
			t.Log(err)
		})
	}
}
