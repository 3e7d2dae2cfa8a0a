package stomptest

import (
	"slices"

	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// How much a law demands.
const (
	weightMay = iota
	weightShould
	weightMust
)

// The laws that a generated session can find broken, with the versions in which each speaks of the target and how
// much it demands there. Elsewhere a departure is only recorded.
var propertyLaws = []struct {
	law      string
	versions []string
	weight   int
}{
	{"STOMP-CONNECT-007", every, weightMust},
	{"STOMP-SEND-004", every, weightMust},
	{"STOMP-SUBSCRIBE-001", since11, weightMust},
	{"STOMP-SUBSCRIBE-002", only10, weightShould},
	{"STOMP-SUBSCRIBE-005", only10, weightMust},
	{"STOMP-SUBSCRIBE-006", since11, weightMust},
	{"STOMP-SUBSCRIBE-007", since11, weightMust},
	{"STOMP-SUBSCRIBE-008", every, weightMay},
	{"STOMP-SUBSCRIBE-010", every, weightMust},
	{"STOMP-UNSUBSCRIBE-002", only10, weightMust},
	{"STOMP-UNSUBSCRIBE-003", every, weightMust},
	{"STOMP-NACK-002", since11, weightMust},
	{"STOMP-TX-003", every, weightMust},
	{"STOMP-TX-004", every, weightShould},
	{"STOMP-TX-005", since11, weightMust},
	{"STOMP-RECEIPT-001", every, weightMust},
	{"STOMP-ERROR-004", since11, weightShould},
}

// propertyWeight tells how much a law demands in a version.
func propertyWeight(law, version string) int {
	for _, l := range propertyLaws {
		if l.law == law && slices.Contains(l.versions, version) {
			return l.weight
		}
	}
	return weightMay
}

// explain names the law that f, which the machine rejected on conn, breaks, and the rule in words. The
// fallback is a MAY: where no other law fits, nobody is blamed.
func (b *book) explain(conn int, f *wireFrame) (law, rule string) {
	s := b.session(conn)
	if !s.greeted && f.Command != "ERROR" {
		return "STOMP-CONNECT-007", "CONNECTED comes before anything else"
	}
	switch f.Command {
	case "CONNECTED":
		return "STOMP-CONNECT-007", "CONNECT is answered with exactly one CONNECTED"
	case "MESSAGE":
		if law, rule := b.explainMessage(s, f); law != "" {
			return law, rule
		}
	case "RECEIPT":
		switch s.receipts[f.Get("receipt-id")] {
		case neverAsked:
			return "STOMP-RECEIPT-001", "a RECEIPT carries an id that was requested on its connection"
		case receiptAnswered:
			return "STOMP-RECEIPT-001", "each request is answered by one RECEIPT"
		case receiptRefused:
			return "STOMP-RECEIPT-001", "a frame that was answered by ERROR gets no RECEIPT"
		}
	case "ERROR":
		if id, ok := f.Lookup("receipt-id"); ok && s.receipts[id] != receiptPending {
			return "STOMP-ERROR-004", "an ERROR names no receipt but that of the frame to blame"
		}
	}
	return "STOMP-SUBSCRIBE-008", "a message that waits for its ACK is not delivered again while its consumer lives and has not refused it"
}

func (b *book) explainMessage(s *pageSession, f *wireFrame) (law, rule string) {
	body := string(f.Body)
	p := b.posts[body]
	if p == nil {
		return "STOMP-SEND-004", "a MESSAGE carries the body of a SEND, unchanged"
	}
	switch p.fate {
	case postStaged:
		return "STOMP-TX-003", "a message sent in a transaction is not visible before its COMMIT"
	case postAborted:
		return "STOMP-TX-003", "a message sent in a transaction is never visible after its ABORT"
	case postAbandoned:
		return "STOMP-TX-005", "a transaction that was not committed is aborted when its connection ends"
	}
	sub, law, rule := b.addressee(s, f, p)
	if law != "" {
		return law, rule
	}
	var last *handed
	for _, h := range b.hands {
		if h.body != body || p.dest == b.topic && h.sub != sub {
			continue
		}
		if h.state == handAcked && h.confirmed {
			return b.settledLaw(h)
		}
		last = h
	}
	if n := b.nacked; n != nil && last != nil && last != n && last.sub == n.sub && last.state == handWaiting {
		return "STOMP-NACK-002", "a NACK is about the named message, in client mode also about those before it, and never about a later one"
	}
	return "", ""
}

// addressee returns the subscription that a MESSAGE is for, or the law that it breaks to be there.
func (b *book) addressee(s *pageSession, f *wireFrame, p *post) (sub *pageSub, law, rule string) {
	id, named := f.Lookup("subscription")
	sub = s.sub(id)
	if b.version == "1.0" && sub == nil {
		sub = s.to(p.dest)
		if named && sub != nil {
			return nil, "STOMP-SUBSCRIBE-002", "in 1.0 a subscription header carries the id of the subscription"
		}
	}
	if sub == nil {
		return nil, "STOMP-SUBSCRIBE-010", "a MESSAGE names a subscription of its connection"
	}
	former := func(o *pageSub) bool { return o.id == sub.id && o.dest == p.dest && o.removed }
	switch {
	case sub.removed && b.version == "1.0":
		return nil, "STOMP-UNSUBSCRIBE-002", "an UNSUBSCRIBE by id or by destination removes the subscription, and after its RECEIPT no MESSAGE follows"
	case sub.removed, sub.dest != p.dest && slices.ContainsFunc(s.subs, former):
		return nil, "STOMP-UNSUBSCRIBE-003", "after the RECEIPT of its UNSUBSCRIBE a subscription gets no MESSAGE"
	case sub.dest != p.dest:
		return nil, "STOMP-SUBSCRIBE-010", "a MESSAGE names a subscription to its destination"
	}
	return sub, "", ""
}

// settledLaw names the law that says that h is settled.
func (b *book) settledLaw(h *handed) (law, rule string) {
	switch {
	case h.viaTx:
		return "STOMP-TX-004", "an ACK in a transaction takes effect at its COMMIT, and what it settles does not come back"
	case h.sub.mode == "client-individual":
		return "STOMP-SUBSCRIBE-007", "a message that was acknowledged individually is settled and must not come back"
	case b.version == "1.0":
		return "STOMP-SUBSCRIBE-005", "a message that was acknowledged in client mode is settled and must not come back"
	default:
		return "STOMP-SUBSCRIBE-006", "a message covered by a cumulative ACK is settled and must not come back"
	}
}

// missing names the law that the lack of o breaks. A message that had been delivered before is another matter than
// one that never was: the laws leave redelivery to the target, so only what took the message away can be wrong.
func (b *book) missing(o stompmodel.Obligation) (law, rule string) {
	var last *handed
	for _, h := range b.hands {
		if h.body == o.Body && b.posts[o.Body].dest != b.topic {
			last = h
		}
	}
	const stays = ": the target redelivers what is not acknowledged, and this does not come back"
	switch {
	case last == nil:
		return o.Law, owedRule(o.Law)
	case last.undone:
		return "STOMP-TX-004", "an ACK in a transaction that was not committed has no effect" + stays
	case last.sub.mode == "client-individual" && b.ackedBeside(last, func(*handed) bool { return true }):
		return "STOMP-SUBSCRIBE-007", "an individual ACK settles the named message alone" + stays
	case last.sub.mode == "client" && b.version != "1.0" && b.ackedBeside(last, func(h *handed) bool {
		return h.sub != last.sub || slices.Index(b.hands, h) < slices.Index(b.hands, last)
	}):
		return "STOMP-SUBSCRIBE-006", "a cumulative ACK covers the named message and those before it on its subscription, and no other" + stays
	}
	return "STOMP-SUBSCRIBE-008", "a message that was not acknowledged becomes available again" + stays
}

// ackedBeside reports whether the session of h acknowledged another message that matches.
func (b *book) ackedBeside(h *handed, match func(*handed) bool) bool {
	return slices.ContainsFunc(b.hands, func(o *handed) bool { return o != h && o.session == h.session && o.state == handAcked && match(o) })
}

func owedRule(law string) string {
	switch law {
	case "STOMP-RECEIPT-001":
		return "a frame with a receipt header is answered by one RECEIPT once it is processed"
	case "STOMP-TX-003":
		return "all messages of a transaction are visible after its COMMIT"
	case "STOMP-SUBSCRIBE-001":
		return "a subscription that was made gets the messages of its destination"
	default:
		return "what the target owes arrives"
	}
}
