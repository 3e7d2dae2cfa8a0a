package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

func (p *script) exceeds(e *session.Error, limit, found int64) {
	p.t.Helper()
	if e.Limit != limit || e.Found != found {
		p.t.Errorf("%s: limit %d and found %d, want %d and %d", e.Reason, e.Limit, e.Found, limit, found)
	}
}

// STOMP-LIMIT-014
func TestSubscriptionCapacity(t *testing.T) {
	p := active(t, session.Config{}, "1.2")
	open := func(i int) *frame.Frame {
		return frame.New(frame.SUBSCRIBE, "id", fmt.Sprint(i), "destination", "/q")
	}
	for i := range 256 {
		p.send(open(i))
		if i == 254 {
			p.counts(session.Counts{Subscriptions: 255})
		}
	}
	p.exceeds(p.refuse(open(256), session.ReasonSubscriptionCapacity, "STOMP-LIMIT-014"), 256, 257)
	p.say("UNSUBSCRIBE id=0 receipt=r")
	p.refuse(open(256), session.ReasonSubscriptionCapacity, "STOMP-LIMIT-014")
	p.counts(session.Counts{Subscriptions: 256, Unsubscribing: 1, Receipts: 1})
	p.hear("RECEIPT receipt-id=r")
	p.send(open(256))
	p.refuse(open(257), session.ReasonSubscriptionCapacity, "STOMP-LIMIT-014")
	p.say("UNSUBSCRIBE id=1")
	p.send(open(1))
	p.counts(session.Counts{Subscriptions: 256})
}

// STOMP-LIMIT-014: deliveries of a subscription that is gone take no slot.
func TestGoneSubscriptionTakesNoSlot(t *testing.T) {
	p := with(t, session.Config{Limits: session.Limits{1, 1, 1, 2}}, "1.2", "SUBSCRIBE id=s destination=/q ack=client")
	p.hear("MESSAGE subscription=s message-id=1 ack=a destination=/q")
	p.say("UNSUBSCRIBE id=s", "SUBSCRIBE id=t destination=/q")
	p.counts(session.Counts{Subscriptions: 1, Deliveries: 1})
	p.say("ACK id=a")
	p.counts(session.Counts{Subscriptions: 1})
}

// STOMP-LIMIT-015
func TestTransactionCapacity(t *testing.T) {
	p := active(t, session.Config{}, "1.2")
	begin := func(i int) *frame.Frame { return frame.New(frame.BEGIN, "transaction", fmt.Sprint(i)) }
	for i := range 256 {
		p.send(begin(i))
		if i == 254 {
			p.counts(session.Counts{Transactions: 255})
		}
	}
	for _, end := range []string{"COMMIT", "ABORT"} {
		p.exceeds(p.refuse(begin(256), session.ReasonTransactionCapacity, "STOMP-LIMIT-015"), 256, 257)
		p.say(end + " transaction=0")
		p.send(begin(0))
	}
	p.counts(session.Counts{Transactions: 256})
}

// STOMP-LIMIT-016
func TestReceiptCapacity(t *testing.T) {
	p := with(t, session.Config{}, "1.2", "SUBSCRIBE id=s destination=/q", "BEGIN transaction=x")
	for i := range 255 {
		p.send(frame.New(frame.SEND, "destination", "/q", "receipt", fmt.Sprint(i)))
	}
	p.counts(session.Counts{Subscriptions: 1, Transactions: 1, Receipts: 255})
	p.say("UNSUBSCRIBE id=s receipt=u")
	for _, f := range []string{"SEND destination=/q", "SUBSCRIBE id=t destination=/q", "BEGIN transaction=y", "COMMIT transaction=x", "DISCONNECT"} {
		e := p.refuse(line(t, f+" receipt=z"), session.ReasonReceiptCapacity, "STOMP-LIMIT-016")
		p.exceeds(e, 256, 257)
		if f != "DISCONNECT" {
			p.say(f)
		}
	}
	p.refuseLine("SEND destination=/q receipt=u", session.ReasonReceiptPending, "STOMP-RECEIPT-003")
	p.hear("RECEIPT receipt-id=7")
	p.say("DISCONNECT receipt=z")
	p.counts(session.Counts{Subscriptions: 2, Unsubscribing: 1, Transactions: 1, Receipts: 256})
	p.state(session.Disconnecting)

	p = active(t, session.Config{Limits: session.Limits{1, 1, 1, 1}}, "1.2")
	p.say("SEND destination=/q receipt=a")
	p.refuseLine("DISCONNECT receipt=z", session.ReasonReceiptCapacity, "STOMP-LIMIT-016")
	p.say("DISCONNECT")
	p.closed()
}

// STOMP-LIMIT-017
func TestDeliveryCapacity(t *testing.T) {
	message := func(sub string, i int) string {
		return fmt.Sprintf("MESSAGE\nsubscription:%s\nmessage-id:%d\nack:%d\ndestination:/q\n\n\x00", sub, i, i)
	}
	p := with(t, session.Config{}, "1.2",
		"SUBSCRIBE id=s destination=/q ack=client", "SUBSCRIBE id=t destination=/q ack=client-individual", "SUBSCRIBE id=u destination=/q", "BEGIN transaction=x")
	for i := range 1024 {
		p.receive(message([]string{"s", "t"}[i%2], i), session.Message)
	}
	p.pending(1024)
	// Deliveries of an automatic subscription do not count, staged ones do.
	p.receive(message("u", 7), session.Message)
	p.say("ACK id=1023 transaction=x", "ACK id=1022 transaction=x")
	p.pending(1024)
	p.say("ACK id=1")
	p.pending(1023)
	p.receive(message("s", 2000), session.Message)
	p.pending(1024)
	// The limit is checked before the duplicate.
	p.exceeds(p.closes(message("s", 2000), session.ReasonDeliveryCapacity, "STOMP-LIMIT-017"), 1024, 1025)

	p = with(t, session.Config{Profile: session.MultiVersion, Limits: session.Limits{1, 1, 1, 2}}, "1.1", "SUBSCRIBE id=s destination=/q ack=client")
	p.receive(message("s", 1)+message("s", 2), session.Message, session.Message)
	p.exceeds(p.closes(message("s", 3), session.ReasonDeliveryCapacity, "STOMP-LIMIT-017"), 2, 3)
}

// STOMP-LIMIT-018: each capacity bounds its own kind.
func TestCapacitiesAreIndependent(t *testing.T) {
	p := with(t, session.Config{Limits: session.Limits{1, 1, 1, 1}}, "1.2",
		"SUBSCRIBE id=s destination=/q ack=client receipt=r", "BEGIN transaction=x")
	p.hear("MESSAGE subscription=s message-id=1 ack=a destination=/q")
	p.counts(session.Counts{Subscriptions: 1, Transactions: 1, Receipts: 1, Deliveries: 1})
	p.refuseLine("SUBSCRIBE id=t destination=/q", session.ReasonSubscriptionCapacity, "STOMP-LIMIT-014")
	p.refuseLine("BEGIN transaction=y", session.ReasonTransactionCapacity, "STOMP-LIMIT-015")
	p.refuseLine("SEND destination=/q receipt=q", session.ReasonReceiptCapacity, "STOMP-LIMIT-016")
	p.closes(wire(t, frame.V12, "MESSAGE subscription=s message-id=1 ack=b destination=/q"), session.ReasonDeliveryCapacity, "STOMP-LIMIT-017")
}

// STOMP-LIMIT-009
func TestHeaderPairLimit(t *testing.T) {
	for _, unit := range []string{"x", ":", "\\", "\n", "é", "中", "😀"} {
		p := active(t, session.Config{}, "1.2")
		pair := func(total int) *frame.Frame {
			value := strings.Repeat(unit, (total-1)/len(unit))
			return frame.New(frame.SEND, "destination", "/q", strings.Repeat("n", total-len(value)), value)
		}
		p.send(pair(2046))
		decodes(t, p.send(pair(2047)), frame.V12)
		for _, n := range []int{2048, 4096} {
			p.exceeds(p.refuse(pair(n), session.ReasonHeaderPair, "STOMP-LIMIT-009"), 2047, int64(n))
		}
		p.counts(session.Counts{})
	}
	p := active(t, session.Config{}, "1.2")
	p.send(frame.New(frame.SEND, "destination", "/q", "n", strings.Repeat("x", 2046), strings.Repeat("中", 682), "v"))
	p.refuse(frame.New(frame.SEND, "destination", "/q", strings.Repeat("中", 682), "vw", "receipt", "r"), session.ReasonHeaderPair, "STOMP-LIMIT-009")
	p = fresh(t, session.Config{})
	p.refuse(frame.New(frame.CONNECT, "accept-version", "1.2", "host", strings.Repeat("h", 2044)), session.ReasonHeaderPair, "STOMP-LIMIT-009")
	p.send(frame.New(frame.CONNECT, "accept-version", "1.2", "host", strings.Repeat("h", 2043)))
}

// STOMP-LIMIT-010
func TestHeaderCountLimit(t *testing.T) {
	for _, c := range []struct {
		caller, body int
		explicit     bool
		wire         int
	}{
		{127, 3, false, 128},
		{128, 3, false, 129},
		{128, 3, true, 128},
		{128, 0, false, 128},
		{128, 0, true, 128},
		{129, 0, false, 129},
		{129, 3, true, 129},
		{129, 3, false, 130},
	} {
		p := active(t, session.Config{}, "1.2")
		f := frame.New(frame.SEND, "destination", "/q", "receipt", "r")
		if c.explicit {
			f.Headers = append(f.Headers, frame.Header{Name: "content-length", Value: fmt.Sprint(c.body)})
		}
		for len(f.Headers) < c.caller {
			f.Headers = append(f.Headers, frame.Header{Name: "n", Value: "v"})
		}
		f.Body = []byte("abc")[:c.body]
		if c.wire > 128 {
			p.exceeds(p.refuse(f, session.ReasonHeaderCount, "STOMP-LIMIT-010"), 128, int64(c.wire))
			p.counts(session.Counts{})
			continue
		}
		if got := decodes(t, p.send(f), frame.V12); len(got.Headers) != c.wire {
			t.Errorf("%+v: %d headers on the wire", c, len(got.Headers))
		}
		p.counts(session.Counts{Receipts: 1})
	}
}

// STOMP-LIMIT-011
func TestBodyLimit(t *testing.T) {
	p := active(t, session.Config{}, "1.2")
	f := frame.New(frame.SEND, "destination", "/q")
	f.Body = make([]byte, 1048577)
	for range 2 {
		p.exceeds(p.refuse(f, session.ReasonBodySize, "STOMP-LIMIT-011"), 1048576, 1048577)
	}
	p.state(session.Active)
	f.Body = f.Body[:1048576]
	if got := decodes(t, p.send(f), frame.V12); len(got.Body) != 1048576 {
		t.Errorf("%d octets arrived", len(got.Body))
	}
	// STOMP-CLIENT-003
	p.say("DISCONNECT")
	f.Body = f.Body[:1048577]
	p.refuse(f, session.ReasonBodySize, "STOMP-LIMIT-011")
}

// STOMP-LIMIT-008: the capacities do not touch the decoder.
func TestIncomingLimits(t *testing.T) {
	for _, cfg := range []session.Config{{}, {Limits: session.Limits{1, 1, 1, 1}}} {
		head := "MESSAGE\nsubscription:s\nmessage-id:1\ndestination:/q\n"
		p := with(t, cfg, "1.2", "SUBSCRIBE id=s destination=/q")
		chunk := head + "content-length:1048576\n\n" + strings.Repeat("\x00", 1048577)
		if got := p.receive(chunk, session.Message); len(got[0].Frame.Body) != 1048576 {
			t.Errorf("%d octets", len(got[0].Frame.Body))
		}
		p.receive(head+"\n"+strings.Repeat("x", 1048576)+"\x00", session.Message)
		p.receive(head+strings.Repeat("n:v\n", 125)+"\n\x00", session.Message)
		p.receive(head+"n:"+strings.Repeat("v", 8190)+"\n\n\x00", session.Message)
		p.receive(strings.Repeat("\n", 1024), repeated(session.HeartBeat, 1024)...)
		for _, chunk := range []string{
			head + "content-length:1048577\n\n",
			head + "\n" + strings.Repeat("x", 1048577),
			head + strings.Repeat("n:v\n", 126),
			head + "n:" + strings.Repeat("v", 8191),
			strings.Repeat("\n", 1025),
		} {
			p := with(t, cfg, "1.2", "SUBSCRIBE id=s destination=/q")
			p.closes(chunk, session.ReasonSyntax, "STOMP-CLIENT-006")
		}
	}
}

func repeated(k session.Kind, n int) []session.Kind {
	all := make([]session.Kind, n)
	for i := range all {
		all[i] = k
	}
	return all
}

// decodes reads exactly one frame with a default decoder: STOMP-LIMIT-013.
func decodes(t testing.TB, octets []byte, v frame.Version) *frame.Frame {
	t.Helper()
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: v})
	if err != nil {
		t.Fatal(err)
	}
	events, err := d.Feed(octets)
	if err != nil || len(events) != 1 || events[0].Frame == nil || d.End() != nil {
		t.Fatalf("%.80q decodes to %v, %v", octets, events, err)
	}
	return events[0].Frame
}
