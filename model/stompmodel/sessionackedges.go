package stompmodel

import (
	"fmt"
	"slices"
)

// settlementEdges are the laws about acknowledgements and transactions. They say by set what the machine does by list.
func settlementEdges() []SessionEdgeInvariant {
	return []SessionEdgeInvariant{
		{Law: "STOMP-ACK-007", Title: "outside a transaction an acknowledgement removes what it covers", Check: settlementScope},
		{Law: "STOMP-ACK-008", Title: "in a transaction an acknowledgement stages what it covers, and removes nothing", Check: stagingScope},
		{Law: "STOMP-ACK-006", Title: "an acknowledgement names an unstaged delivery", Check: ackNamesPending},
		{Law: "STOMP-TX-007", Title: "what names a transaction names an open one", Check: transactionIsOpen},
		{Law: "STOMP-TX-008", Title: "COMMIT removes and ABORT restores what is staged in the transaction", Check: finishScope},
		{Law: "STOMP-LIMIT-017", Title: "deliveries come by MESSAGE and go by acknowledgement, COMMIT and the end", Check: deliveriesStay},
	}
}

// namedBy returns the delivery that an ACK or NACK names.
func namedBy(s SessionState, f Frame) (clientDelivery, bool) {
	for _, d := range s.deliveries {
		id, _ := f.Get("id")
		message, _ := f.Get("message-id")
		sub, _ := f.Get("subscription")
		if s.version == V12 && d.ack == id || s.version == V11 && d.messageID == message && d.sub == sub || s.version == V10 && d.messageID == message {
			return d, true
		}
	}
	return clientDelivery{}, false
}

// coveredBy returns the deliveries that an acknowledgement of named covers, as they were.
func coveredBy(s SessionState, named clientDelivery) []clientDelivery {
	var out []clientDelivery
	for _, d := range s.deliveries {
		if d == named {
			return append(out, d)
		}
		if named.mode == modeClient && d.sub == named.sub {
			out = append(out, d)
		}
	}
	return out
}

func settlementScope(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	_, staging := a.Frame.Get("transaction")
	if !accepted(a, o, "ACK", "NACK") || staging {
		return nil
	}
	named, ok := namedBy(before, a.Frame)
	covered := coveredBy(before, named)
	for _, d := range before.deliveries {
		settled := ok && slices.Contains(covered, d)
		if settled == slices.Contains(after.deliveries, d) {
			return fmt.Errorf("%v: %q is covered: %t, and on record: %t", a, before.key(d), settled, !settled)
		}
	}
	return nil
}

func stagingScope(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	tx, staging := a.Frame.Get("transaction")
	if !accepted(a, o, "ACK", "NACK") || !staging {
		return nil
	}
	if len(after.deliveries) != len(before.deliveries) {
		return fmt.Errorf("%v: %d deliveries of %d are left", a, len(after.deliveries), len(before.deliveries))
	}
	named, ok := namedBy(before, a.Frame)
	covered := coveredBy(before, named)
	for i, d := range before.deliveries {
		if ok && slices.Contains(covered, d) {
			d.tx = tx
		}
		if after.deliveries[i] != d {
			return fmt.Errorf("%v: %q is staged in %q, want %q", a, before.key(d), after.deliveries[i].tx, d.tx)
		}
	}
	return nil
}

func ackNamesPending(before SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	if !accepted(a, o, "ACK", "NACK") {
		return nil
	}
	if d, ok := namedBy(before, a.Frame); !ok || d.tx != "" {
		return fmt.Errorf("%v is written, and what it names is pending: %t, staged in %q", a, ok, d.tx)
	}
	return nil
}

func transactionIsOpen(before SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	tx, ok := a.Frame.Get("transaction")
	if accepted(a, o, "SEND", "ACK", "NACK", "COMMIT", "ABORT") && ok && !slices.Contains(before.txs, tx) {
		return fmt.Errorf("%v is written, and %q is not open", a, tx)
	}
	return nil
}

func finishScope(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if !accepted(a, o, "COMMIT", "ABORT") {
		return nil
	}
	tx, _ := a.Frame.Get("transaction")
	var want []clientDelivery
	for _, d := range before.deliveries {
		switch {
		case d.tx != tx:
			want = append(want, d)
		case a.Frame.Command == "ABORT":
			d.tx = ""
			want = append(want, d)
		}
	}
	if !slices.Equal(want, after.deliveries) {
		return fmt.Errorf("%v leaves %+v, want %+v", a, after.deliveries, want)
	}
	return nil
}

func deliveriesStay(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if after.phase == SessionClosed || accepted(a, o, "ACK", "NACK", "COMMIT", "ABORT") {
		return nil
	}
	var recorded int
	for _, e := range o.Events {
		id, _ := e.Frame.Get("subscription")
		if at := before.sub(id); e.Kind == EventMessage && at >= 0 && before.subs[at].mode != modeAuto {
			recorded++
		}
	}
	n := len(before.deliveries)
	if len(after.deliveries) < n || !slices.Equal(after.deliveries[:n], before.deliveries) || len(after.deliveries) > n+recorded && before.version != V10 {
		return fmt.Errorf("%v changes the deliveries from %+v to %+v", a, before.deliveries, after.deliveries)
	}
	return nil
}
