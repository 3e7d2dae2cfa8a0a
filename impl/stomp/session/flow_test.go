package session_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// deliver hears messages of a subscription, each with its name as message-id and ack value.
func (p *script) deliver(sub string, names ...string) {
	p.t.Helper()
	for _, n := range names {
		p.hear("MESSAGE subscription=" + sub + " message-id=" + n + " ack=" + n + " destination=/q")
	}
}

// STOMP-UNSUBSCRIBE-004
func TestUnsubscribeDrains(t *testing.T) {
	for _, v := range []string{"1.0", "1.1", "1.2"} {
		p := with(t, multi, v, "SUBSCRIBE id=s destination=/q ack=client", "UNSUBSCRIBE id=s receipt=r")
		p.counts(session.Counts{Subscriptions: 1, Unsubscribing: 1, Receipts: 1})
		chunk := wire(t, p.s.Version(), "MESSAGE subscription=s message-id=a ack=a destination=/q", "RECEIPT receipt-id=r", "")
		p.receive(chunk, session.Message, session.Receipt, session.HeartBeat)
		p.state(session.Active)
		p.counts(session.Counts{Deliveries: 1})
		p.refuseLine("SUBSCRIBE id=s destination=/q", session.ReasonUnsettled, "STOMP-SUBSCRIBE-013")
		p.say("ACK id=a message-id=a subscription=s")
		p.counts(session.Counts{})
		// STOMP-UNSUBSCRIBE-005
		p.refuseLine("UNSUBSCRIBE id=s", session.ReasonUnsubscribeID, "STOMP-UNSUBSCRIBE-009")
		p.say("SUBSCRIBE id=s destination=/q")
	}
}

// STOMP-UNSUBSCRIBE-006
func TestOnlyTheReceiptEndsASubscription(t *testing.T) {
	p := with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q", "SEND destination=/q receipt=r1", "UNSUBSCRIBE id=s receipt=r2")
	p.hear("RECEIPT receipt-id=r1")
	p.now = 1 << 40
	p.tick(p.now, "")
	p.deliver("s", "a")
	p.counts(session.Counts{Subscriptions: 1, Unsubscribing: 1, Receipts: 1})
	p.hear("RECEIPT receipt-id=r2")
	p.closes(wire(t, frame.V12, "MESSAGE subscription=s message-id=a destination=/q"), session.ReasonMessage, "STOMP-SUBSCRIBE-014")
}

// STOMP-UNSUBSCRIBE-007, STOMP-UNSUBSCRIBE-008, STOMP-SUBSCRIBE-013
func TestDeliveriesOutliveTheirSubscription(t *testing.T) {
	for _, end := range []string{"UNSUBSCRIBE id=s", "UNSUBSCRIBE id=s receipt=r"} {
		p := with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack=client", "SUBSCRIBE id=t destination=/q ack=client-individual")
		p.deliver("s", "a", "b")
		p.deliver("t", "c", "d")
		p.say(end)
		if end != "UNSUBSCRIBE id=s" {
			p.hear("RECEIPT receipt-id=r")
		}
		p.say("UNSUBSCRIBE id=t")
		p.counts(session.Counts{Deliveries: 4})
		p.say("ACK id=b", "NACK id=d")
		p.counts(session.Counts{Deliveries: 1})
		p.say("SUBSCRIBE id=s destination=/q")
		p.refuseLine("SUBSCRIBE id=t destination=/q", session.ReasonUnsettled, "STOMP-SUBSCRIBE-013")
		p.say("BEGIN transaction=x", "ACK id=c transaction=x")
		p.refuseLine("SUBSCRIBE id=t destination=/q", session.ReasonUnsettled, "STOMP-SUBSCRIBE-013")
		p.say("COMMIT transaction=x", "SUBSCRIBE id=t destination=/q")
	}
}

// STOMP-ACK-007, STOMP-NACK-005
func TestSettlementScope(t *testing.T) {
	for _, c := range []string{"ACK", "NACK"} {
		p := with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack=client", "SUBSCRIBE id=t destination=/q ack=client")
		p.deliver("s", "a")
		p.deliver("t", "b")
		p.deliver("s", "c", "d")
		p.say(c + " id=c")
		p.pending(2)
		p.refuseLine(c+" id=a", session.ReasonAckID, "STOMP-ACK-006")
		p.say(c+" id=b", c+" id=d")
		p.pending(0)

		p = with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack=client-individual")
		p.deliver("s", "a", "b", "c")
		p.say(c + " id=b")
		p.pending(2)
		p.refuseLine("ACK id=b", session.ReasonAckID, "STOMP-ACK-006")
		p.say(c+" id=c", c+" id=a")
		p.pending(0)
	}
}

// STOMP-ACK-001, STOMP-ACK-002, STOMP-ACK-003, STOMP-ACK-010
func TestDeliveryKeys(t *testing.T) {
	p := with(t, multi, "1.1", "SUBSCRIBE id=s destination=/q ack=client", "SUBSCRIBE id=t destination=/q ack=client-individual")
	p.hear("MESSAGE subscription=s message-id=1 destination=/q", "MESSAGE subscription=t message-id=1 destination=/q")
	p.say("ACK subscription=t message-id=1")
	p.refuseLine("ACK subscription=t message-id=1", session.ReasonAckID, "STOMP-ACK-006")
	p.say("NACK subscription=s message-id=1")
	p.pending(0)

	p = with(t, multi, "1.0", "SUBSCRIBE id=s destination=/q ack=client")
	p.hear("MESSAGE message-id=1 destination=/q", "MESSAGE subscription=s message-id=2 destination=/q")
	p.say("ACK message-id=2")
	p.pending(0)

	// In 1.2 the message-id names nothing, and may repeat.
	p = with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack=client-individual")
	p.hear("MESSAGE subscription=s message-id=1 ack=a destination=/q", "MESSAGE subscription=s message-id=1 ack=b destination=/q")
	p.refuseLine("ACK id=1", session.ReasonAckID, "STOMP-ACK-006")
	p.say("ACK id=b", "ACK id=a")
}

// STOMP-SUBSCRIBE-015
func TestAutoIsNotRecorded(t *testing.T) {
	for _, mode := range []string{"", " ack=auto"} {
		p := with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q"+mode)
		p.deliver("s", "a", "a")
		p.hear("MESSAGE subscription=s message-id=a destination=/q", "MESSAGE subscription=s message-id=a ack= destination=/q")
		p.pending(0)
		p.refuseLine("ACK id=a", session.ReasonAckID, "STOMP-ACK-006")
	}
}

// STOMP-SUBSCRIBE-014: in 1.0 a MESSAGE may leave out whose it is, if there is no doubt.
func TestMessageWithoutSubscriptionIn10(t *testing.T) {
	anonymous := "MESSAGE message-id=1 destination=/q"
	p := with(t, multi, "1.0", "SUBSCRIBE id=s destination=/q", "SUBSCRIBE id=t destination=/r", "SUBSCRIBE id=u destination=/q", "SUBSCRIBE id=v destination=/q")
	p.say("UNSUBSCRIBE id=u", "UNSUBSCRIBE id=s")
	p.hear(anonymous)
	p.say("SUBSCRIBE id=s destination=/q", "SUBSCRIBE id=u destination=/q", "UNSUBSCRIBE id=u", "UNSUBSCRIBE id=v")
	p.hear(anonymous)
	// One that leaves is still there (STOMP-UNSUBSCRIBE-004).
	p.say("UNSUBSCRIBE id=s receipt=r")
	p.hear(anonymous, "RECEIPT receipt-id=r")
	p.closes(wire(t, frame.V10, anonymous), session.ReasonMessage, "STOMP-SUBSCRIBE-014")
}

// STOMP-HDR-008: in 1.0 spaces around what the protocol defines do not count, later they do.
func TestPaddingIn10(t *testing.T) {
	p := with(t, multi, "1.0", "SUBSCRIBE id=_s destination=/q_ ack=_client receipt=_r", "BEGIN transaction=x_")
	p.hear("RECEIPT receipt-id=r__", "MESSAGE message-id=_1 destination=_/q", "MESSAGE subscription=s_ message-id=2 destination=/q")
	p.pending(2)
	p.say("ACK message-id=1 transaction=_x", "COMMIT transaction=x", "ACK message-id=_2_", "UNSUBSCRIBE id=s")
	p.counts(session.Counts{})

	p = with(t, multi, "1.1", "SUBSCRIBE id=_s destination=/q", "SUBSCRIBE id=s destination=/q", "SEND destination=_ receipt=_")
	p.counts(session.Counts{Subscriptions: 2, Receipts: 1})
	p.closes(wire(t, frame.V11, "RECEIPT receipt-id=__"), session.ReasonReceipt, "STOMP-RECEIPT-005")
}

// STOMP-ACK-008, STOMP-ACK-009, STOMP-TX-008
func TestStaging(t *testing.T) {
	p := with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack=client", "BEGIN transaction=x", "BEGIN transaction=y")
	p.deliver("s", "a", "b", "c")
	p.say("ACK id=b transaction=x")
	p.pending(3)
	p.deliver("s", "d")
	for _, f := range []string{"ACK id=c", "NACK id=d", "ACK id=c transaction=x", "NACK id=c transaction=y"} {
		p.refuseLine(f, session.ReasonOverlap, "STOMP-ACK-009")
	}
	for _, f := range []string{"ACK id=a", "NACK id=b", "ACK id=b transaction=x"} {
		p.refuseLine(f, session.ReasonStaged, "STOMP-ACK-008")
	}
	p.say("ABORT transaction=x", "ACK id=a", "NACK id=c transaction=y")
	p.pending(3)
	p.say("COMMIT transaction=y")
	p.pending(1)
	p.say("ACK id=d")
	p.pending(0)

	// In client-individual others are free, and so is staging in two transactions.
	p = with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack=client-individual", "BEGIN transaction=x", "BEGIN transaction=y")
	p.deliver("s", "a", "b", "c", "d")
	p.say("ACK id=a transaction=x", "NACK id=c transaction=x", "ACK id=b transaction=y", "ACK id=d")
	p.pending(3)
	p.say("COMMIT transaction=x")
	p.pending(1)
	p.refuseLine("ACK id=b", session.ReasonStaged, "STOMP-ACK-008")
	p.say("ABORT transaction=y", "ACK id=b")
	p.pending(0)
	// STOMP-TX-006
	p.say("BEGIN transaction=x", "SEND destination=/q transaction=x receipt=r", "ABORT transaction=x", "BEGIN transaction=x")

	// Staged deliveries of a subscription that is gone keep its id until the end of the transaction.
	p = with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack=client", "BEGIN transaction=x")
	p.deliver("s", "a", "b")
	p.say("ACK id=b transaction=x", "UNSUBSCRIBE id=s")
	p.refuseLine("SUBSCRIBE id=s destination=/q", session.ReasonUnsettled, "STOMP-SUBSCRIBE-013")
	p.say("COMMIT transaction=x", "SUBSCRIBE id=s destination=/q")
}

// STOMP-RECEIPT-003, STOMP-RECEIPT-004
func TestReceipts(t *testing.T) {
	p := with(t, session.Config{}, "1.2", "SEND destination=/q receipt=r1", "SUBSCRIBE id=s destination=/q receipt=r2", "BEGIN transaction=x receipt=r3")
	got := p.receive(wire(t, frame.V12, "RECEIPT receipt-id=r3", "RECEIPT receipt-id=r1", "RECEIPT receipt-id=r2"), repeated(session.Receipt, 3)...)
	for i, want := range []string{"r3", "r1", "r2"} {
		if id, _ := got[i].Frame.Get("receipt-id"); id != want {
			t.Errorf("receipt %d is %q, want %q", i, id, want)
		}
	}
	p.counts(session.Counts{Subscriptions: 1, Transactions: 1})
	p.say("SEND destination=/q receipt=r1")
}

// STOMP-ERROR-006, STOMP-ERROR-007
func TestServerError(t *testing.T) {
	for _, c := range []struct {
		tail string
		more int
	}{{"", 0}, {"\n", 1}, {"\n\r\n", 2}, {"MESS", 0}, {"\nMESSAGE\nx:y\n\nbody", 1}} {
		for _, setup := range [][]string{
			{connectLine},
			{connectLine, "<CONNECTED version=1.2", "SUBSCRIBE id=s destination=/q ack=client", "SEND destination=/q receipt=r", "<MESSAGE subscription=s message-id=1 ack=a destination=/q"},
			{connectLine, "<CONNECTED version=1.2", "DISCONNECT receipt=r"},
		} {
			p := prepare(t, "", setup)
			got := p.receive("ERROR\nreceipt-id:r\nmessage:m\n\nwhy\x00"+c.tail, append([]session.Kind{session.ServerError}, repeated(session.HeartBeat, c.more)...)...)
			if m, _ := got[0].Frame.Get("message"); m != "m" || string(got[0].Frame.Body) != "why" || len(got[0].Frame.Headers) != 2 {
				t.Errorf("the event has %v", got[0].Frame)
			}
			p.closed()
			p.failed(p.s.End(), session.OpEnd, session.ReasonSpent, "STOMP-CLIENT-009")
		}
	}
	// Frames before it are events.
	p := with(t, session.Config{}, "1.2", "SEND destination=/q receipt=r")
	p.receive(wire(t, frame.V12, "RECEIPT receipt-id=r", "ERROR"), session.Receipt, session.ServerError)
	p.closed()
}

// STOMP-DISCONNECT-005
func TestDisconnectWithReceipt(t *testing.T) {
	setup := []string{"SUBSCRIBE id=s destination=/q ack=client", "SEND destination=/q receipt=r1", "UNSUBSCRIBE id=s receipt=r2", "DISCONNECT receipt=bye"}
	p := with(t, session.Config{}, "1.2", setup...)
	p.state(session.Disconnecting)
	p.counts(session.Counts{Subscriptions: 1, Unsubscribing: 1, Receipts: 3})
	p.refuseLine("SEND destination=/q", session.ReasonDisconnecting, "STOMP-DISCONNECT-005")
	p.receive("\n", session.HeartBeat)
	p.hear("RECEIPT receipt-id=r1")
	p.deliver("s", "a")
	p.hear("RECEIPT receipt-id=r2")
	p.counts(session.Counts{Receipts: 1, Deliveries: 1})
	p.receive(wire(t, frame.V12, "", "RECEIPT receipt-id=bye", "")+"MESSAGE\n", session.HeartBeat, session.Receipt, session.HeartBeat)
	p.closed()

	p = with(t, session.Config{}, "1.2", setup...)
	p.hear("ERROR message=no")
	p.closed()
}

// STOMP-DISCONNECT-006
func TestDisconnectWithoutReceipt(t *testing.T) {
	p := with(t, session.Config{}, "1.2", "SEND destination=/q receipt=r", "SUBSCRIBE id=s destination=/q")
	if f := decodes(t, p.send(frame.New(frame.DISCONNECT)), frame.V12); f.Command != frame.DISCONNECT {
		t.Errorf("wrote %v", f)
	}
	p.closed()
	p.refuseLine("DISCONNECT", session.ReasonClosed, "STOMP-CLIENT-010")
}

// STOMP-CLIENT-009
func TestEnd(t *testing.T) {
	for _, setup := range [][]string{nil, {connectLine}, {connectLine, "<CONNECTED version=1.2", "SEND destination=/q receipt=r"}, {connectLine, "<CONNECTED version=1.2", "DISCONNECT receipt=r"}} {
		p := prepare(t, "", setup)
		if err := p.s.End(); err != nil {
			t.Errorf("%v: %v", setup, err)
		}
		p.closed()
		p.failed(p.s.End(), session.OpEnd, session.ReasonSpent, "STOMP-CLIENT-009")
		p.closed()
	}
	for _, part := range []string{"MESS", "MESSAGE\n", "MESSAGE\n\nx", "\nMESSAGE\ncontent-length:1\n\nx"} {
		p := with(t, session.Config{}, "1.2", "SEND destination=/q receipt=r")
		p.receive(part, repeated(session.HeartBeat, len(part)-len(trimLF(part)))...)
		e := p.failed(p.s.End(), session.OpEnd, session.ReasonTruncated, "STOMP-CLIENT-009")
		if cause, ok := e.Cause.(*frame.Error); !ok || cause.Rule != frame.Truncated {
			t.Errorf("%q: cause %v", part, e.Cause)
		}
		p.closed()
	}
}

func trimLF(s string) string {
	for len(s) > 0 && s[0] == '\n' {
		s = s[1:]
	}
	return s
}

// STOMP-CLIENT-004, STOMP-CLIENT-005
func TestFail(t *testing.T) {
	fill := func() *script {
		p := beating(t, session.Config{}, "10,10", "10,10")
		p.say("SUBSCRIBE id=s destination=/q ack=client", "SUBSCRIBE id=t destination=/q", "BEGIN transaction=x", "UNSUBSCRIBE id=t receipt=r")
		p.deliver("s", "a", "b")
		p.say("ACK id=a transaction=x")
		p.receive("MESSAGE\nhalf:")
		p.counts(session.Counts{Subscriptions: 2, Unsubscribing: 1, Transactions: 1, Receipts: 1, Deliveries: 2})
		return p
	}
	for _, p := range []*script{fresh(t, session.Config{}), dial(t, session.Config{}, "1.2"), fill()} {
		p.s.Fail()
		p.closed()
		p.s.Fail()
		p.closed()
		p.refuseLine("SEND destination=/q", session.ReasonClosed, "STOMP-CLIENT-010")
		p.tick(1<<50, "")
		p.closes("", session.ReasonNotReceiving, "STOMP-CLIENT-007")
	}
	p := fill()
	p.closes("\x00", session.ReasonSyntax, "STOMP-CLIENT-006")
}

// STOMP-SEND-006: a body is written as it is, whatever the headers say of it.
func TestBodiesAreNotInspected(t *testing.T) {
	p := active(t, session.Config{}, "1.2")
	f := frame.New(frame.SEND, "destination", "any thing:at\\all", "content-type", "application/json;charset=utf-8")
	f.Body = []byte("\x00\xff{not json")
	got := decodes(t, p.send(f), frame.V12)
	if dest, _ := got.Get("destination"); dest != f.Headers[0].Value || string(got.Body) != string(f.Body) {
		t.Errorf("wrote %v", got)
	}
}

// The frames of an event stay as they are when the chunk and the session go on.
func TestFramesAreTheCallers(t *testing.T) {
	p := with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q ack=client-individual")
	chunk := []byte(wire(t, frame.V12, "MESSAGE subscription=s message-id=1 ack=a destination=/q"))
	events, err := p.s.Receive(0, chunk)
	if err != nil {
		t.Fatal(err)
	}
	kept := events[0].Frame
	clear(chunk)
	p.deliver("s", "b", "c")
	p.s.Fail()
	if ack, _ := kept.Get("ack"); ack != "a" || kept.Command != frame.MESSAGE {
		t.Errorf("the frame became %v", kept)
	}
}
