package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

const connectLine = "CONNECT accept-version=1.2 host=h"

// refusal is a frame that Send must refuse, and why. A setup line that begins with < comes from the server; one that
// begins with ! is an ending.
type refusal struct {
	why     string
	version string // "" is a fresh session
	setup   []string
	frame   string
	reason  session.Reason
	law     string
}

func refusals() []refusal {
	const (
		sub    = "SUBSCRIBE id=s destination=/q ack=client"
		subOne = "SUBSCRIBE id=s destination=/q ack=client-individual"
		got    = "<MESSAGE subscription=s message-id=%[1]s ack=%[1]s destination=/q"
		begin  = "BEGIN transaction=x"
	)
	a, b := fmt.Sprintf(got, "a"), fmt.Sprintf(got, "b")
	var all []refusal
	add := func(why, version string, setup []string, frame string, reason session.Reason, law string) {
		all = append(all, refusal{why, version, setup, frame, reason, law})
	}
	setup := func(s ...string) []string { return s }

	for _, c := range []string{"SEND destination=/q", "SUBSCRIBE id=s destination=/q", "UNSUBSCRIBE id=s", begin, "COMMIT transaction=x", "ABORT transaction=x", "ACK id=a", "NACK id=a", "DISCONNECT", "CONNECTED version=1.2", "MESSAGE", "RECEIPT", "ERROR"} {
		add("before CONNECT", "", nil, c, session.ReasonNotConnect, "STOMP-CONNECT-014")
		add("before CONNECTED", "", setup(connectLine), c, session.ReasonNotConnected, "STOMP-CONNECT-016")
		add("after DISCONNECT", "1.2", setup("DISCONNECT receipt=bye"), c, session.ReasonDisconnecting, "STOMP-DISCONNECT-005")
		add("after the end", "1.2", setup("DISCONNECT"), c, session.ReasonClosed, "STOMP-CLIENT-010")
	}
	for _, c := range []string{connectLine, "STOMP accept-version=1.2 host=h"} {
		add("a second CONNECT", "", setup(connectLine), c, session.ReasonNotConnected, "STOMP-CONNECT-016")
		add("after DISCONNECT", "1.2", setup("DISCONNECT receipt=bye"), c, session.ReasonDisconnecting, "STOMP-DISCONNECT-005")
		for _, end := range []string{"!fail", "!end", "<ERROR", "!syntax", "!early", "!tick"} {
			add("closed by "+end, "1.2", setup(end), c, session.ReasonClosed, "STOMP-CLIENT-010")
		}
	}
	for _, c := range []string{connectLine, "STOMP accept-version=1.2 host=h", "CONNECTED", "MESSAGE", "RECEIPT", "ERROR"} {
		add("no client command", "1.2", nil, c, session.ReasonCommand, "STOMP-CLIENT-008")
	}
	add("no host", "", nil, "CONNECT accept-version=1.2", session.ReasonHost, "STOMP-CONNECT-015")
	add("empty host", "", nil, "STOMP accept-version=1.2 host=", session.ReasonHost, "STOMP-CONNECT-015")
	add("the first host is empty", "", nil, "CONNECT accept-version=1.2 host= host=h", session.ReasonHost, "STOMP-CONNECT-015")
	add("host is checked first", "", nil, "CONNECT receipt=r heart-beat=1", session.ReasonHost, "STOMP-CONNECT-015")
	add("no accept-version", "", nil, "CONNECT host=h receipt= heart-beat=1", session.ReasonAcceptVersion, "STOMP-CONNECT-015")
	for _, v := range []string{"", "1.1,1.2", "1.1", "_1.2", "1.2_", "1.2,1.2", "1.0"} {
		add("strict", "", nil, "CONNECT host=h receipt=r accept-version="+v, session.ReasonVersionsStrict, "STOMP-NEGOTIATE-007")
	}
	for _, v := range []string{"", "1.1,1.0", "1.2,1.2", "1.0,_1.1", "1.0,", ",1.2", "1.3", "1.0,1.2,1.1", "1.00", "1.2,2.0"} {
		add("offer", "multi", nil, "CONNECT host=h receipt=r accept-version="+v, session.ReasonVersionsOffered, "STOMP-NEGOTIATE-008")
	}
	for _, r := range []string{"", "r"} {
		add("receipt", "", nil, connectLine+" heart-beat=1 receipt="+r, session.ReasonReceiptOnConnect, "STOMP-CONNECT-003")
	}
	for _, v := range []string{"", "1", "1,2,3", "-1,2", "1,_2", ",", "2147483648,0", "0,2147483648", "+1,2", "0x1,2"} {
		add("heart-beat", "", nil, connectLine+" heart-beat="+v, session.ReasonHeartBeat, "STOMP-CONNECT-015")
	}

	// STOMP-CLIENT-003: the receipt comes before the rules of the command.
	for _, c := range []string{"SEND", "SUBSCRIBE", "UNSUBSCRIBE", "BEGIN", "COMMIT", "ABORT", "ACK", "NACK", "DISCONNECT"} {
		add("empty receipt", "1.2", nil, c+" receipt=", session.ReasonReceiptEmpty, "STOMP-RECEIPT-003")
		add("pending receipt", "1.2", setup("SEND destination=/q receipt=r"), c+" receipt=r receipt=other", session.ReasonReceiptPending, "STOMP-RECEIPT-003")
	}
	add("pending receipt in 1.0 with padding", "1.0", setup("SEND destination=/q receipt=_r"), "BEGIN receipt=r_", session.ReasonReceiptPending, "STOMP-RECEIPT-003")
	add("blank receipt in 1.0", "1.0", nil, "BEGIN receipt=__", session.ReasonReceiptEmpty, "STOMP-RECEIPT-003")
	add("no destination", "1.2", nil, "SEND transaction=x receipt=r", session.ReasonDestination, "STOMP-SEND-005")
	add("empty destination", "1.2", nil, "SEND destination= destination=/q", session.ReasonDestination, "STOMP-SEND-005")
	for _, c := range []string{"SEND destination=/q", "ACK id=none", "NACK id=a", "COMMIT", "ABORT"} {
		for _, tx := range []string{" transaction=y", " transaction="} {
			add("unknown transaction", "1.2", setup(subOne, a, begin), c+tx+" receipt=r", session.ReasonTransactionUnknown, "STOMP-TX-007")
		}
	}
	add("no transaction", "1.2", setup(begin), "COMMIT receipt=r", session.ReasonTransactionUnknown, "STOMP-TX-007")
	add("no transaction", "1.2", setup(begin), "ABORT receipt=r", session.ReasonTransactionUnknown, "STOMP-TX-007")
	add("over", "1.2", setup(begin, "COMMIT transaction=x"), "ABORT transaction=x", session.ReasonTransactionUnknown, "STOMP-TX-007")

	add("no id", "1.2", nil, "SUBSCRIBE receipt=r", session.ReasonSubscriptionID, "STOMP-SUBSCRIBE-012")
	add("empty id", "1.2", nil, "SUBSCRIBE id= destination=/q", session.ReasonSubscriptionID, "STOMP-SUBSCRIBE-012")
	add("no id in 1.0", "1.0", nil, "SUBSCRIBE destination=/q", session.ReasonSubscriptionID, "STOMP-SUBSCRIBE-012")
	add("no destination", "1.2", setup(sub), "SUBSCRIBE id=s ack=no", session.ReasonSubscriptionDestination, "STOMP-SUBSCRIBE-012")
	add("empty destination", "1.2", nil, "SUBSCRIBE id=s destination=", session.ReasonSubscriptionDestination, "STOMP-SUBSCRIBE-012")
	add("open id", "1.2", setup(sub, a), "SUBSCRIBE id=s destination=/r ack=no", session.ReasonSubscriptionDuplicate, "STOMP-SUBSCRIBE-012")
	add("leaving id", "1.2", setup(sub, a, "UNSUBSCRIBE id=s receipt=r"), "SUBSCRIBE id=s destination=/r ack=no", session.ReasonUnsubscribing, "STOMP-UNSUBSCRIBE-005")
	add("leaving twice", "1.2", setup(sub, a, "UNSUBSCRIBE id=s receipt=r"), "UNSUBSCRIBE id=s", session.ReasonUnsubscribing, "STOMP-UNSUBSCRIBE-005")
	for _, mode := range []string{"Auto", "", "_auto", "client_", "individual", "client-Individual"} {
		add("mode", "1.2", nil, "SUBSCRIBE id=s destination=/q ack="+mode, session.ReasonAckMode, "STOMP-SUBSCRIBE-012")
	}
	add("mode comes before deliveries", "1.2", setup(sub, a, "UNSUBSCRIBE id=s"), "SUBSCRIBE id=s destination=/q ack=", session.ReasonAckMode, "STOMP-SUBSCRIBE-012")
	add("mode in 1.0", "1.0", nil, "SUBSCRIBE id=s destination=/q ack=client-individual", session.ReasonAckMode, "STOMP-SUBSCRIBE-012")
	add("unsettled", "1.2", setup(sub, a, "UNSUBSCRIBE id=s"), "SUBSCRIBE id=s destination=/q", session.ReasonUnsettled, "STOMP-SUBSCRIBE-013")
	add("no id", "1.2", setup(sub), "UNSUBSCRIBE receipt=r", session.ReasonUnsubscribeID, "STOMP-UNSUBSCRIBE-009")
	add("empty id", "1.2", setup(sub), "UNSUBSCRIBE id=", session.ReasonUnsubscribeID, "STOMP-UNSUBSCRIBE-009")
	add("unknown id", "1.2", setup(sub), "UNSUBSCRIBE id=t", session.ReasonUnsubscribeID, "STOMP-UNSUBSCRIBE-009")
	add("by destination in 1.0", "1.0", setup("SUBSCRIBE id=s destination=/q"), "UNSUBSCRIBE destination=/q", session.ReasonUnsubscribeID, "STOMP-UNSUBSCRIBE-009")
	add("gone id", "1.2", setup(sub, a, "UNSUBSCRIBE id=s"), "UNSUBSCRIBE id=s receipt=r", session.ReasonUnsubscribeID, "STOMP-UNSUBSCRIBE-009")

	// STOMP-NACK-001: the encoder of 1.0 does not know the command.
	add("NACK in 1.0", "1.0", setup("SUBSCRIBE id=s destination=/q ack=client", a), "NACK message-id=a", session.ReasonEncoding, "STOMP-CLIENT-003")
	for _, c := range []string{"ACK", "NACK"} {
		for _, id := range []string{"", " id=", " id=none", " message-id=a subscription=s"} {
			add("no delivery", "1.2", setup(sub, a), c+id+" receipt=r", session.ReasonAckID, "STOMP-ACK-006")
		}
		for _, id := range []string{"", " message-id=a", " subscription=s", " message-id=a subscription=", " message-id= subscription=s", " message-id=a subscription=t", " id=a"} {
			add("no delivery in 1.1", "1.1", setup(sub, a), c+id, session.ReasonAckID, "STOMP-ACK-006")
		}
		add("settled", "1.2", setup(sub, a, "ACK id=a"), c+" id=a", session.ReasonAckID, "STOMP-ACK-006")
		add("automatic", "1.2", setup("SUBSCRIBE id=s destination=/q", a), c+" id=a", session.ReasonAckID, "STOMP-ACK-006")
		for _, tx := range []string{"", " transaction=x", " transaction=y"} {
			add("staged", "1.2", setup(subOne, a, begin, "BEGIN transaction=y", "ACK id=a transaction=x"), c+" id=a"+tx, session.ReasonStaged, "STOMP-ACK-008")
			add("overlap", "1.2", setup(sub, a, b, begin, "BEGIN transaction=y", "ACK id=a transaction=x"), c+" id=b"+tx, session.ReasonOverlap, "STOMP-ACK-009")
		}
		add("staged with others", "1.2", setup(sub, a, b, begin, "NACK id=b transaction=x"), c+" id=a", session.ReasonStaged, "STOMP-ACK-008")
	}
	for _, id := range []string{"", " message-id=b", " id=a"} {
		add("no delivery in 1.0", "1.0", setup(sub, a), "ACK"+id, session.ReasonAckID, "STOMP-ACK-006")
	}
	add("no BEGIN id", "1.2", nil, "BEGIN receipt=r", session.ReasonTransactionID, "STOMP-TX-006")
	add("empty BEGIN id", "1.2", nil, "BEGIN transaction=", session.ReasonTransactionID, "STOMP-TX-006")
	add("open BEGIN id", "1.2", setup(begin), "BEGIN transaction=x receipt=r", session.ReasonTransactionID, "STOMP-TX-006")

	// STOMP-HDR-003: 1.0 writes no empty value and nothing but ASCII; STOMP-FRAME-022: it has no STOMP.
	add("empty value in 1.0", "1.0", nil, "SEND destination=/q receipt=", session.ReasonEncoding, "STOMP-CLIENT-003")
	add("non-ASCII in 1.0", "1.0", nil, "SEND destination=\u4e2d", session.ReasonEncoding, "STOMP-CLIENT-003")
	add("STOMP in 1.0", "1.0", nil, "STOMP accept-version=1.2 host=h", session.ReasonEncoding, "STOMP-CLIENT-003")
	add("not UTF-8", "1.2", nil, "SEND destination=\xc0\xaf", session.ReasonEncoding, "STOMP-CLIENT-003")
	add("encoding comes before the state", "1.2", setup("DISCONNECT"), "SEND x=\x00", session.ReasonEncoding, "STOMP-CLIENT-003")
	add("CR in CONNECT", "", nil, "CONNECT accept-version=1.2 host=a\rb", session.ReasonEncoding, "STOMP-CLIENT-003")
	add("length", "1.2", nil, "SEND destination=/q content-length=1", session.ReasonEncoding, "STOMP-CLIENT-003")
	// STOMP-CLIENT-003: sizes come before the encoding, and both before the state.
	long := strings.Repeat("x", 2047)
	add("long pair", "", nil, "SEND x="+long, session.ReasonHeaderPair, "STOMP-LIMIT-009")
	add("long pair", "1.2", setup("DISCONNECT"), "SEND x="+long+" y=\x00", session.ReasonHeaderPair, "STOMP-LIMIT-009")
	add("many headers", "1.2", setup("DISCONNECT"), "SEND"+strings.Repeat(" x=y", 128)+" x="+long, session.ReasonHeaderCount, "STOMP-LIMIT-010")
	return all
}

// prepare brings a session to where a setup wants it.
func prepare(t *testing.T, version string, setup []string) *script {
	t.Helper()
	var p *script
	switch version {
	case "":
		p = fresh(t, session.Config{})
	case "multi":
		p = fresh(t, multi)
	default:
		p = active(t, multi, version)
	}
	for _, text := range setup {
		switch {
		case text == "!fail":
			p.s.Fail()
		case text == "!end":
			if err := p.s.End(); err != nil {
				t.Fatal(err)
			}
		case text == "!syntax":
			p.closes("\x00", session.ReasonSyntax, "STOMP-CLIENT-006")
		case text == "!early":
			p.now = 10
			p.receive("\n", session.HeartBeat)
			p.now = 9
			p.closes("\n", session.ReasonTimeRegression, "STOMP-CLOCK-003")
			p.now = 10
		case text == "!tick":
			p.tickCloses(-1, session.ReasonTimeNegative, "STOMP-CLOCK-001")
		case strings.HasPrefix(text, "<"):
			p.hear(text[1:])
		default:
			p.say(text)
		}
	}
	return p
}

// STOMP-CLIENT-002, STOMP-CLIENT-003 and the law of each row.
func TestRefusals(t *testing.T) {
	for _, c := range refusals() {
		t.Run(fmt.Sprintf("%s: %.40s: %s", c.why, c.frame, c.reason), func(t *testing.T) {
			p := prepare(t, c.version, c.setup)
			p.refuseLine(c.frame, c.reason, c.law)
			p.refuseLine(c.frame, c.reason, c.law)
		})
	}
}

// A refusal tells the codec's reason, and a nil frame is refused too.
func TestEncodingCause(t *testing.T) {
	p := active(t, session.Config{}, "1.2")
	e := p.refuse(frame.New(frame.SUBSCRIBE, "id", "\xff"), session.ReasonEncoding, "STOMP-CLIENT-003")
	if cause, ok := e.Cause.(*frame.Error); !ok || cause.Rule != frame.UTF8 {
		t.Errorf("cause %v", e.Cause)
	}
	for _, f := range []*frame.Frame{nil, {}, {Command: 99}, {Command: frame.SUBSCRIBE, Body: []byte("x")}} {
		e := p.refuse(f, session.ReasonEncoding, "STOMP-CLIENT-003")
		if _, ok := e.Cause.(*frame.Error); !ok {
			t.Errorf("cause %v", e.Cause)
		}
	}
}

// STOMP-CONNECT-014, STOMP-CONNECT-015, STOMP-CONNECT-016: a refusal is no end.
func TestRetryAfterRefusal(t *testing.T) {
	p := fresh(t, session.Config{})
	p.refuseLine("SEND destination=/q", session.ReasonNotConnect, "STOMP-CONNECT-014")
	p.refuseLine("CONNECT accept-version=1.2", session.ReasonHost, "STOMP-CONNECT-015")
	p.say(connectLine)
	p.refuseLine(connectLine, session.ReasonNotConnected, "STOMP-CONNECT-016")
	p.receive("\nCONNECTED\nversion:1.2\n\n\x00", session.HeartBeat, session.Connected)
	p.refuseLine("SEND", session.ReasonDestination, "STOMP-SEND-005")
	// STOMP-SEND-005: an empty body is fine.
	p.say("SEND destination=x")
}

// Every reason is in one of the tables or has a test of its own.
func TestReasonsAreCovered(t *testing.T) {
	seen := map[session.Reason]string{
		// TestTime
		session.ReasonTimeNegative: "", session.ReasonTimeRegression: "",
		// TestBodyLimit, TestCapacities
		session.ReasonBodySize: "", session.ReasonReceiptCapacity: "", session.ReasonSubscriptionCapacity: "",
		session.ReasonTransactionCapacity: "", session.ReasonDeliveryCapacity: "",
		// TestTimeout, TestEnd
		session.ReasonTimeout: "", session.ReasonSpent: "", session.ReasonTruncated: "",
	}
	for _, c := range refusals() {
		seen[c.reason] = ""
	}
	for _, c := range faults() {
		seen[c.reason] = ""
	}
	words := map[string]bool{}
	for r := session.Reason(1); r.String() != "unknown"; r++ {
		if _, ok := seen[r]; !ok {
			t.Errorf("no test provokes %s", r)
		}
		if words[r.String()] || r.String() == "" {
			t.Errorf("reason %d has the word %q of another", r, r)
		}
		words[r.String()] = true
	}
	if len(words) != 52 {
		t.Errorf("%d reasons", len(words))
	}
}
