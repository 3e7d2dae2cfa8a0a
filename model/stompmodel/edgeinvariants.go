package stompmodel

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// An EdgeInvariant is a law about one step of the broker machine.
type EdgeInvariant = model.EdgeInvariant[BrokerState, Action, Output]

// EdgeInvariants returns what holds on every step of the machine, each named by its law. Those about a single frame of the client look at
// [ActWork] and so bite in Explicit machines only.
func (b *Broker) EdgeInvariants() []EdgeInvariant {
	return append([]EdgeInvariant{
		{Law: "STOMP-UNSUBSCRIBE-003", Title: "no MESSAGE after the RECEIPT of UNSUBSCRIBE", Check: afterRemoval},
		{Law: "STOMP-TX-003", Title: "no MESSAGE before COMMIT", Check: beforeCommit},
		{Law: "STOMP-SUBSCRIBE-010", Title: "a MESSAGE names an open subscription to its destination", Check: b.openSubscription},
		{Law: "STOMP-SEND-004", Title: "a MESSAGE has the body of a SEND", Check: knownBody},
		{Law: "STOMP-RECEIPT-001", Title: "a RECEIPT carries an id that was requested", Check: requested},
		{Law: "STOMP-DISCONNECT-003", Title: "the RECEIPT of DISCONNECT follows all earlier frames", Check: lastReceipt},
		{Law: "STOMP-CONNECT-007", Title: "nothing precedes CONNECTED", Check: greetedFirst},
		{Law: "STOMP-ERROR-001", Title: "in 1.2 nothing but the close follows ERROR", Check: b.onlyClose(V12)},
		{Law: "STOMP-ERROR-002", Title: "in 1.1 nothing but the close follows the ERROR of a SEND or SUBSCRIBE", Check: b.onlyClose(V11)},
		{Law: "STOMP-ERROR-004", Title: "an ERROR names no receipt but that of an unanswered frame", Check: errorID},
	}, b.frameInvariants()...)
}

// receiver returns the session that o came from, before and after the step.
func receiver(before, after BrokerState, o Output) (*session, *session) {
	si := before.current(o.Conn)
	return &before.sessions[si], &after.sessions[si]
}

func afterRemoval(before BrokerState, _ Action, after BrokerState, o Output) error {
	if o.Command != "MESSAGE" || o.Subscription == "" {
		return nil
	}
	if _, ses := receiver(before, after, o); slices.Contains(ses.removed, o.Subscription) {
		return fmt.Errorf("MESSAGE %s for %s after its removal", o.Body, o.Subscription)
	}
	return nil
}

func beforeCommit(_ BrokerState, _ Action, after BrokerState, o Output) error {
	if o.Command != "MESSAGE" {
		return nil
	}
	i := after.message(o.Body)
	if i >= 0 && after.messages[i].tx != "" && !after.messages[i].committed {
		return fmt.Errorf("MESSAGE %s of transaction %s, which is not committed", o.Body, after.messages[i].tx)
	}
	return nil
}

func (b *Broker) openSubscription(before BrokerState, _ Action, after BrokerState, o Output) error {
	if o.Command != "MESSAGE" {
		return nil
	}
	i := after.message(o.Body)
	_, ses := receiver(before, after, o)
	for _, sub := range ses.subs {
		right := i < 0 || sub.dest == after.messages[i].dest || sub.dest == b.cfg.DeadLetter
		if (sub.id == o.Subscription || o.Subscription == "") && right {
			return nil
		}
	}
	return fmt.Errorf("MESSAGE %s names subscription %q, which is not one to its destination", o.Body, o.Subscription)
}

func knownBody(_ BrokerState, _ Action, after BrokerState, o Output) error {
	if o.Command == "MESSAGE" && after.message(o.Body) < 0 {
		return fmt.Errorf("MESSAGE with body %q, which nobody sent", o.Body)
	}
	return nil
}

func requested(before BrokerState, _ Action, after BrokerState, o Output) error {
	if o.Command != "RECEIPT" {
		return nil
	}
	if ses, _ := receiver(before, after, o); !slices.Contains(ses.asked, o.ReceiptID) {
		return fmt.Errorf("RECEIPT %q, which nobody requested", o.ReceiptID)
	}
	return nil
}

func lastReceipt(before BrokerState, _ Action, after BrokerState, o Output) error {
	if o.Command != "RECEIPT" {
		return nil
	}
	_, ses := receiver(before, after, o)
	for _, f := range ses.inbox {
		if f.Command == "DISCONNECT" && f.Receipt == o.ReceiptID {
			return fmt.Errorf("RECEIPT %s of DISCONNECT with %d frames not taken", o.ReceiptID, len(ses.inbox))
		}
	}
	return nil
}

func greetedFirst(before BrokerState, _ Action, after BrokerState, o Output) error {
	if o.Command != "MESSAGE" && o.Command != "RECEIPT" {
		return nil
	}
	if ses, _ := receiver(before, after, o); ses.greeted == 0 {
		return fmt.Errorf("%v before CONNECTED", o)
	}
	return nil
}

func (b *Broker) onlyClose(v Version) func(BrokerState, Action, BrokerState, Output) error {
	return func(before BrokerState, _ Action, after BrokerState, o Output) error {
		if o.Command == "" || o.Closed || b.version(o.Conn) != v || b.cfg.ErrorStaysOpen {
			return nil
		}
		if ses, _ := receiver(before, after, o); ses.erred && ses.must {
			return fmt.Errorf("%v after ERROR", o)
		}
		return nil
	}
}

func errorID(before BrokerState, _ Action, after BrokerState, o Output) error {
	if o.Command != "ERROR" || o.ReceiptID == "" {
		return nil
	}
	ses, _ := receiver(before, after, o)
	for _, f := range append(ses.inbox[:len(ses.inbox):len(ses.inbox)], ses.cut...) {
		if f.Receipt == o.ReceiptID {
			return nil
		}
	}
	for _, owed := range ses.owed {
		if owed.frame.Receipt == o.ReceiptID {
			return nil
		}
	}
	if slices.Contains(ses.blamed, o.ReceiptID) {
		return nil
	}
	return fmt.Errorf("ERROR names receipt %q, which no unanswered frame requested", o.ReceiptID)
}
