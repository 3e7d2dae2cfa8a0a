package stompmodel

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

// A SessionEdgeInvariant is a law about one call of the session machine.
type SessionEdgeInvariant = model.EdgeInvariant[SessionState, SessionAction, SessionOutput]

// EdgeInvariants returns what holds on every step of the machine, each named by its law.
func (m *Session) EdgeInvariants() []SessionEdgeInvariant {
	edges := []SessionEdgeInvariant{
		{Law: "STOMP-CLIENT-001", Title: "the state moves forward", Check: movesForward},
		{Law: "STOMP-CLIENT-010", Title: "Closed is final and says nothing", Check: closedIsFinal},
		{Law: "STOMP-CLIENT-002", Title: "a refused send changes nothing but the time", Check: m.refusalChangesNothing},
		{Law: "STOMP-CLIENT-006", Title: "a failed receive or tick closes and returns nothing", Check: failureCloses},
		{Law: "STOMP-CLIENT-007", Title: "receive in Fresh or Closed fails", Check: noReceiveBeforeConnect},
		{Law: "STOMP-CLIENT-009", Title: "end closes", Check: endCloses},
		{Law: "STOMP-CONNECT-016", Title: "nothing is written in Connecting", Check: func(before SessionState, _ SessionAction, _ SessionState, o SessionOutput) error {
			if before.phase == SessionConnecting && o.Octets != "" {
				return fmt.Errorf("%q is written before CONNECTED", o.Octets)
			}
			return nil
		}},
		{Law: "STOMP-NEGOTIATE-007", Title: "the version is one that was offered", Check: versionWasOffered},
		{Law: "STOMP-SEND-005", Title: "SEND has a destination", Check: sendHasDestination},
		{Law: "STOMP-SUBSCRIBE-014", Title: "a Message names a subscription on record", Check: messageIsKnown},
		{Law: "STOMP-RECEIPT-005", Title: "a Receipt was pending", Check: receiptWasPending},
		{Law: "STOMP-RECEIPT-004", Title: "each Receipt removes the receipt that it names and no other", Check: receiptsCorrelate},
		{Law: "STOMP-ERROR-006", Title: "ERROR closes", Check: func(_ SessionState, _ SessionAction, after SessionState, o SessionOutput) error {
			if has(o, EventServerError) && after.phase != SessionClosed {
				return fmt.Errorf("%s after ERROR", after.phase)
			}
			return nil
		}},
		{Law: "STOMP-ERROR-007", Title: "no frame follows ERROR", Check: lastIsLast},
		{Law: "STOMP-DISCONNECT-005", Title: "Disconnecting ends with the receipt of DISCONNECT", Check: byeCloses},
		{Law: "STOMP-DISCONNECT-006", Title: "DISCONNECT without receipt closes and is written", Check: disconnectCloses},
		{Law: "STOMP-UNSUBSCRIBE-004", Title: "a Message of a subscription that is being removed is taken", Check: leavingHears},
		{Law: "STOMP-UNSUBSCRIBE-005", Title: "a subscription that is being removed is left alone", Check: leavingIsLeft},
		{Law: "STOMP-UNSUBSCRIBE-006", Title: "only the matching receipt completes a removal", Check: removalByReceipt},
		{Law: "STOMP-UNSUBSCRIBE-007", Title: "UNSUBSCRIBE without receipt removes at once, with one it does not", Check: removalAtOnce},
		{Law: "STOMP-UNSUBSCRIBE-008", Title: "UNSUBSCRIBE leaves deliveries alone", Check: removalKeepsDeliveries},
	}
	return slices.Concat(edges, settlementEdges(), m.timeEdges())
}

// accepted reports that the action was the send of a command, and that it was accepted.
func accepted(a SessionAction, o SessionOutput, commands ...string) bool {
	return a.Op == SessionSend && o.Reason == "" && slices.Contains(commands, a.Frame.Command)
}

func has(o SessionOutput, kind SessionEventKind) bool {
	return slices.ContainsFunc(o.Events, func(e SessionEvent) bool { return e.Kind == kind })
}

func movesForward(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if before.phase == after.phase || after.phase == SessionClosed {
		return nil
	}
	switch {
	case before.phase == SessionFresh && after.phase == SessionConnecting && accepted(a, o, "CONNECT", "STOMP"):
	case before.phase == SessionConnecting && after.phase == SessionActive && has(o, EventConnected):
	case before.phase == SessionActive && after.phase == SessionDisconnecting && accepted(a, o, "DISCONNECT"):
	default:
		return fmt.Errorf("from %s to %s", before.phase, after.phase)
	}
	return nil
}

func closedIsFinal(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if before.phase != SessionClosed {
		return nil
	}
	if after.phase != SessionClosed || o.Octets != "" || len(o.Events) > 0 || a.Op == SessionSend && o.Reason == "" {
		return fmt.Errorf("a closed session does %v", o)
	}
	return nil
}

func (m *Session) refusalChangesNothing(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if a.Op != SessionSend || o.Reason == "" {
		return nil
	}
	// Both at one time: what is left to differ must not.
	before.now = after.now
	if string(m.AppendKey(nil, before)) != string(m.AppendKey(nil, after)) || o.Octets != "" {
		return fmt.Errorf("refused for %s, and there is %v with %q", o.Reason, after, o.Octets)
	}
	return nil
}

func failureCloses(_ SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if a.Op == SessionSend || o.Reason == "" {
		return nil
	}
	if after.phase != SessionClosed && a.Op != SessionEnd || len(o.Events) > 0 {
		return fmt.Errorf("%s, and the session is %s with %d events", o.Reason, after.phase, len(o.Events))
	}
	return nil
}

func noReceiveBeforeConnect(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	receives := a.Op == SessionReceive || a.Op == SessionDeliver
	if receives && (before.phase == SessionFresh || before.phase == SessionClosed) && (o.Reason == "" || after.phase != SessionClosed) {
		return fmt.Errorf("receive in %s leads to %s", before.phase, after.phase)
	}
	return nil
}

func endCloses(_ SessionState, a SessionAction, after SessionState, _ SessionOutput) error {
	if a.Op == SessionEnd && after.phase != SessionClosed {
		return fmt.Errorf("%s after the end", after.phase)
	}
	return nil
}

func versionWasOffered(before SessionState, _ SessionAction, after SessionState, o SessionOutput) error {
	if has(o, EventConnected) && !slices.Contains(before.offered, after.version) {
		return fmt.Errorf("connected in %q, offered %q", after.version, before.offered)
	}
	return nil
}

func sendHasDestination(_ SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	if dest, _ := a.Frame.Get("destination"); accepted(a, o, "SEND") && dest == "" {
		return fmt.Errorf("SEND without destination is written")
	}
	return nil
}

func messageIsKnown(before SessionState, _ SessionAction, _ SessionState, o SessionOutput) error {
	for _, e := range o.Events {
		if id, named := e.Frame.Get("subscription"); e.Kind == EventMessage && named && before.sub(id) < 0 {
			return fmt.Errorf("a Message for %q, which is not on record", id)
		}
	}
	return nil
}

func receiptWasPending(before SessionState, _ SessionAction, _ SessionState, o SessionOutput) error {
	for _, e := range o.Events {
		if id, _ := e.Frame.Get("receipt-id"); e.Kind == EventReceipt && before.receipt(id) < 0 {
			return fmt.Errorf("a Receipt %q, which was not pending", id)
		}
	}
	return nil
}

func receiptsCorrelate(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if after.phase == SessionClosed {
		return nil
	}
	for _, r := range before.receipts {
		came := slices.ContainsFunc(o.Events, func(e SessionEvent) bool {
			id, _ := e.Frame.Get("receipt-id")
			return e.Kind == EventReceipt && id == r.id
		})
		if came != (after.receipt(r.id) < 0) {
			return fmt.Errorf("receipt %q came: %t, pending: %t, after %v", r.id, came, after.receipt(r.id) >= 0, a)
		}
	}
	return nil
}

func lastIsLast(_ SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	over := false
	for _, f := range a.Frames {
		if over && f.Command != "" && o.Reason == "" {
			return fmt.Errorf("%s follows ERROR in %v", f.Command, a)
		}
		over = over || f.Command == "ERROR"
	}
	return nil
}

func byeCloses(before SessionState, _ SessionAction, after SessionState, o SessionOutput) error {
	if before.phase != SessionDisconnecting || o.Reason != "" || has(o, EventServerError) {
		return nil
	}
	came := false
	for _, e := range o.Events {
		id, _ := e.Frame.Get("receipt-id")
		came = came || e.Kind == EventReceipt && before.receipt(id) >= 0 && before.receipts[before.receipt(id)].bye
	}
	if got := has(o, EventReceipt) && after.phase == SessionClosed; got != came {
		return fmt.Errorf("the receipt of DISCONNECT came: %t, and the session is %s", came, after.phase)
	}
	return nil
}

func disconnectCloses(_ SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	_, asked := a.Frame.Get("receipt")
	if accepted(a, o, "DISCONNECT") && !asked && (after.phase != SessionClosed || o.Octets == "") {
		return fmt.Errorf("%s after DISCONNECT, %d octets written", after.phase, len(o.Octets))
	}
	return nil
}

func leavingHears(before SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	if len(a.Frames) != 1 || o.Reason != BadMessage {
		return nil
	}
	id, _ := a.Frames[0].Get("subscription")
	dest, _ := a.Frames[0].Get("destination")
	if at := before.sub(id); at >= 0 && before.subs[at].leaving != "" && dest != "" {
		return fmt.Errorf("MESSAGE on %q closes the session before the receipt %q", id, before.subs[at].leaving)
	}
	return nil
}

func leavingIsLeft(before SessionState, a SessionAction, _ SessionState, o SessionOutput) error {
	id, _ := a.Frame.Get("id")
	if at := before.sub(id); accepted(a, o, "SUBSCRIBE", "UNSUBSCRIBE") && at >= 0 && before.subs[at].leaving != "" {
		return fmt.Errorf("%s of %q, which waits for %q", a.Frame.Command, id, before.subs[at].leaving)
	}
	return nil
}

func removalByReceipt(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if after.phase == SessionClosed || a.Op == SessionSend {
		return nil
	}
	for _, sub := range before.subs {
		came := slices.ContainsFunc(o.Events, func(e SessionEvent) bool {
			id, _ := e.Frame.Get("receipt-id")
			return e.Kind == EventReceipt && id == sub.leaving && id != ""
		})
		if came != (after.sub(sub.id) < 0) {
			return fmt.Errorf("subscription %q: its receipt %q came: %t, on record: %t", sub.id, sub.leaving, came, after.sub(sub.id) >= 0)
		}
	}
	return nil
}

func removalAtOnce(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if a.Op != SessionSend || after.phase == SessionClosed {
		return nil
	}
	_, asked := a.Frame.Get("receipt")
	named, _ := a.Frame.Get("id")
	for _, sub := range before.subs {
		gone := accepted(a, o, "UNSUBSCRIBE") && named == sub.id && !asked
		if gone != (after.sub(sub.id) < 0) {
			return fmt.Errorf("subscription %q is on record after %v: %t", sub.id, a, !gone)
		}
	}
	return nil
}

func removalKeepsDeliveries(before SessionState, a SessionAction, after SessionState, o SessionOutput) error {
	if accepted(a, o, "UNSUBSCRIBE") && !slices.Equal(before.deliveries, after.deliveries) {
		return fmt.Errorf("UNSUBSCRIBE leaves %d deliveries of %d", len(after.deliveries), len(before.deliveries))
	}
	return nil
}
