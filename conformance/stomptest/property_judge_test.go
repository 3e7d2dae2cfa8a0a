package stomptest

import (
	"strings"
	"testing"
)

// A talk is a judge that is told by hand what two connections sent and saw. What it is told besides the last frame
// must be allowed.
type talk struct {
	t *testing.T
	*judge
	last bool // whether the latest frame was allowed
}

const (
	queueA, queueB, topicC = "/queue/a", "/queue/b", "/topic/c"
)

func newTalk(t *testing.T, version string) *talk {
	return &talk{t: t, judge: newJudge(version, 2, topicC, true), last: true}
}

func (k *talk) send(conn int, f *wireFrame) {
	k.sent(conn, f, nil)
}

func (k *talk) get(conn int, f *wireFrame) {
	k.t.Helper()
	if !k.last {
		k.t.Fatalf("%s after a frame that was not allowed: %+v", f, k.found)
	}
	k.last = k.received(conn, f)
}

// settle sends ACK or NACK of the latest delivery of that body.
func (k *talk) settle(conn int, command, body string, kv ...string) {
	var hand *handed
	for _, h := range k.book.hands {
		if h.body == body {
			hand = h
		}
	}
	k.sent(conn, frameOf(command, kv...), hand)
}

func (k *talk) subscribe(conn int, id, dest, mode string) {
	k.send(conn, frameOf("SUBSCRIBE", "id", id, "destination", dest, "ack", mode, "receipt", "sub-"+id))
	k.get(conn, frameOf("RECEIPT", "receipt-id", "sub-"+id))
}

func (k *talk) deliver(conn int, id, dest, body string) {
	k.send(1, frameOf("SEND", "destination", dest).Carrying(body))
	k.get(conn, message(id, body))
}

func message(id, body string) *wireFrame {
	return frameOf("MESSAGE", "subscription", id).Carrying(body)
}

func receipt(id string) *wireFrame { return frameOf("RECEIPT", "receipt-id", id) }

// TestRejectedFramesBreakTheLawThatFits: the last frame of each talk is wrong, and the law is the one that says so.
func TestRejectedFramesBreakTheLawThatFits(t *testing.T) {
	for name, tc := range map[string]struct {
		law     string
		version string
		talk    func(k *talk)
	}{
		"a body that was never sent": {"STOMP-SEND-004", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("SEND", "destination", queueA).Carrying("m1."))
			k.get(0, message("s", "m1"))
		}},
		"before COMMIT": {"STOMP-TX-003", "1.1", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("BEGIN", "transaction", "t"))
			k.send(1, frameOf("SEND", "destination", queueA, "transaction", "t").Carrying("m"))
			k.get(0, message("s", "m"))
		}},
		"after ABORT": {"STOMP-TX-003", "1.0", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("BEGIN", "transaction", "t"))
			k.send(1, frameOf("SEND", "destination", queueA, "transaction", "t").Carrying("m"))
			k.send(1, frameOf("ABORT", "transaction", "t", "receipt", "r"))
			k.get(1, receipt("r"))
			k.get(0, message("s", "m"))
		}},
		"of a transaction whose connection ended": {"STOMP-TX-005", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("BEGIN", "transaction", "t"))
			k.send(1, frameOf("SEND", "destination", queueA, "transaction", "t").Carrying("m"))
			k.dropped(1)
			k.get(0, message("s", "m"))
		}},
		"for a subscription that there never was": {"STOMP-SUBSCRIBE-010", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("SEND", "destination", queueA).Carrying("m"))
			k.get(0, message("other", "m"))
		}},
		"for a subscription to something else": {"STOMP-SUBSCRIBE-010", "1.1", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("SEND", "destination", queueB).Carrying("m"))
			k.get(0, message("s", "m"))
		}},
		"with another subscription header in 1.0": {"STOMP-SUBSCRIBE-002", "1.0", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("SEND", "destination", queueA).Carrying("m"))
			k.get(0, message("other", "m"))
		}},
		"after UNSUBSCRIBE": {"STOMP-UNSUBSCRIBE-003", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(0, frameOf("UNSUBSCRIBE", "id", "s", "receipt", "u"))
			k.send(1, frameOf("SEND", "destination", queueA).Carrying("m"))
			k.get(0, receipt("u"))
			k.get(0, message("s", "m"))
		}},
		"after UNSUBSCRIBE, the id in use again": {"STOMP-UNSUBSCRIBE-003", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(0, frameOf("UNSUBSCRIBE", "id", "s", "receipt", "u"))
			k.get(0, receipt("u"))
			k.send(0, frameOf("SUBSCRIBE", "id", "s", "destination", queueB, "ack", "auto"))
			k.send(1, frameOf("SEND", "destination", queueA).Carrying("m"))
			k.get(0, message("s", "m"))
		}},
		"after UNSUBSCRIBE by destination": {"STOMP-UNSUBSCRIBE-002", "1.0", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(0, frameOf("UNSUBSCRIBE", "destination", queueA, "receipt", "u"))
			k.get(0, receipt("u"))
			k.send(1, frameOf("SEND", "destination", queueA).Carrying("m"))
			k.get(0, message("s", "m"))
		}},
		"settled cumulatively": {"STOMP-SUBSCRIBE-006", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.deliver(0, "s", queueA, "m1")
			k.deliver(0, "s", queueA, "m2")
			k.settle(0, "ACK", "m2", "receipt", "r")
			k.get(0, receipt("r"))
			k.get(0, message("s", "m1"))
		}},
		"settled in 1.0": {"STOMP-SUBSCRIBE-005", "1.0", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.deliver(0, "s", queueA, "m")
			k.settle(0, "ACK", "m", "receipt", "r")
			k.get(0, receipt("r"))
			k.get(0, message("s", "m"))
		}},
		"settled individually": {"STOMP-SUBSCRIBE-007", "1.1", func(k *talk) {
			k.subscribe(0, "s", queueA, "client-individual")
			k.subscribe(1, "u", queueA, "auto")
			k.deliver(0, "s", queueA, "m")
			k.settle(0, "ACK", "m", "receipt", "r")
			k.get(0, receipt("r"))
			k.dropped(0)
			k.get(1, message("u", "m"))
		}},
		"settled by COMMIT": {"STOMP-TX-004", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.deliver(0, "s", queueA, "m")
			k.send(0, frameOf("BEGIN", "transaction", "t"))
			k.settle(0, "ACK", "m", "transaction", "t")
			k.send(0, frameOf("COMMIT", "transaction", "t", "receipt", "r"))
			k.get(0, receipt("r"))
			k.get(0, message("s", "m"))
		}},
		"behind the NACK": {"STOMP-NACK-002", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.deliver(0, "s", queueA, "m1")
			k.deliver(0, "s", queueA, "m2")
			k.settle(0, "NACK", "m1", "receipt", "r")
			k.get(0, receipt("r"))
			k.get(0, message("s", "m2"))
		}},
		"twice in auto mode, a choice": {"STOMP-SUBSCRIBE-008", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.deliver(0, "s", queueA, "m")
			k.get(0, message("s", "m"))
		}},
		"a RECEIPT that nobody asked for": {"STOMP-RECEIPT-001", "1.2", func(k *talk) { k.get(0, receipt("r")) }},
		"a RECEIPT on the other connection": {"STOMP-RECEIPT-001", "1.2", func(k *talk) {
			k.send(1, frameOf("SEND", "destination", queueA, "receipt", "r").Carrying("m"))
			k.get(0, receipt("r"))
		}},
		"a RECEIPT twice": {"STOMP-RECEIPT-001", "1.0", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.get(0, receipt("sub-s"))
		}},
		"life of a consumer whose message went on": {"STOMP-SUBSCRIBE-008", "1.2", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.subscribe(1, "u", queueA, "client")
			k.deliver(0, "s", queueA, "m")
			k.get(1, message("u", "m"))
			k.send(0, frameOf("SEND", "destination", queueB, "receipt", "r").Carrying("m2"))
			k.get(0, receipt("r"))
		}},
		"an ERROR that names what was answered": {"STOMP-ERROR-004", "1.1", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.get(0, frameOf("ERROR", "receipt-id", "sub-s"))
		}},
		"a second CONNECTED": {"STOMP-CONNECT-007", "1.2", func(k *talk) { k.get(0, frameOf("CONNECTED")) }},
		"a RECEIPT before CONNECTED": {"STOMP-CONNECT-007", "1.2", func(k *talk) {
			k.dropped(0)
			k.send(0, frameOf("CONNECT"))
			k.send(0, frameOf("SEND", "destination", queueA, "receipt", "r").Carrying("m"))
			k.get(0, receipt("r"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, tc.version)
			tc.talk(k)
			if k.last || k.found == nil {
				t.Fatal("it is allowed")
			}
			if k.found.law != tc.law || k.found.timed {
				t.Errorf("%s is said to be broken: %s", k.found.law, k.found.reason)
			}
			if k.found.seen == "" || k.found.expected == "" || strings.HasSuffix(k.found.reason, ".") {
				t.Errorf("not a line of a report: %+v", *k.found)
			}
		})
	}
}

// TestMissingFramesBreakTheLawThatFits: what is owed at the end of each talk, when consumers of their own ask.
func TestMissingFramesBreakTheLawThatFits(t *testing.T) {
	rest := func(k *talk, conns ...int) {
		for _, c := range conns {
			k.dropped(c)
		}
		k.send(conns[0], frameOf("CONNECT"))
		k.get(conns[0], frameOf("CONNECTED"))
		k.fresh = true
		k.subscribe(conns[0], "rest", queueA, "auto")
	}
	for name, tc := range map[string]struct {
		law  string // "" if nothing is owed
		talk func(k *talk)
	}{
		"nothing happened": {"", func(*talk) {}},
		"a RECEIPT": {"STOMP-RECEIPT-001", func(k *talk) {
			k.send(0, frameOf("SEND", "destination", queueA, "receipt", "r").Carrying("m"))
		}},
		"the RECEIPT of what was undone": {"", func(k *talk) {
			k.send(0, frameOf("BEGIN", "transaction", "t"))
			k.send(0, frameOf("SEND", "destination", queueA, "transaction", "t", "receipt", "r").Carrying("m"))
			k.send(0, frameOf("ABORT", "transaction", "t"))
		}},
		"a message": {"STOMP-SUBSCRIBE-001", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("SEND", "destination", queueA).Carrying("m"))
		}},
		"half a transaction": {"STOMP-TX-003", func(k *talk) {
			k.subscribe(0, "s", queueA, "auto")
			k.send(1, frameOf("BEGIN", "transaction", "t"))
			k.send(1, frameOf("SEND", "destination", queueA, "transaction", "t").Carrying("m1"))
			k.send(1, frameOf("SEND", "destination", queueA, "transaction", "t").Carrying("m2"))
			k.send(1, frameOf("COMMIT", "transaction", "t"))
			k.get(0, message("s", "m2"))
		}},
		"a message that another session has": {"", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.deliver(0, "s", queueA, "m")
			k.subscribe(1, "u", queueA, "auto")
		}},
		"what an individual ACK took along": {"STOMP-SUBSCRIBE-007", func(k *talk) {
			k.subscribe(0, "s", queueA, "client-individual")
			k.deliver(0, "s", queueA, "m1")
			k.deliver(0, "s", queueA, "m2")
			k.settle(0, "ACK", "m2", "receipt", "r")
			k.get(0, receipt("r"))
			rest(k, 0, 1)
		}},
		"what the ACK of another subscription took along": {"STOMP-SUBSCRIBE-006", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.subscribe(0, "u", queueA, "client")
			k.deliver(0, "s", queueA, "m1")
			k.deliver(0, "u", queueA, "m2")
			k.settle(0, "ACK", "m2", "receipt", "r")
			k.get(0, receipt("r"))
			rest(k, 0, 1)
		}},
		"what an ACK in a lost transaction took along": {"STOMP-TX-004", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.deliver(0, "s", queueA, "m")
			k.send(0, frameOf("BEGIN", "transaction", "t"))
			k.settle(0, "ACK", "m", "transaction", "t")
			rest(k, 0, 1)
		}},
		"what nobody acknowledged, a choice": {"STOMP-SUBSCRIBE-008", func(k *talk) {
			k.subscribe(0, "s", queueA, "client")
			k.deliver(0, "s", queueA, "m")
			rest(k, 0, 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, "1.2")
			tc.talk(k)
			if !k.last {
				t.Fatalf("not allowed: %+v", *k.found)
			}
			got := k.unmet()
			switch {
			case got == nil && tc.law != "":
				t.Errorf("nothing is owed, want %s", tc.law)
			case got != nil && (got.law != tc.law || !got.timed):
				t.Errorf("owed is %+v, want %q", *got, tc.law)
			}
		})
	}
}
