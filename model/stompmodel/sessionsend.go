package stompmodel

import (
	"slices"
	"strings"
)

// command checks the frame against the records and enters it. On a fault the state returned is worthless.
func (m *Session) command(s SessionState, f Frame) (SessionState, *breach) {
	if f.Command == "CONNECT" || f.Command == "STOMP" {
		return m.connect(s, f)
	}
	id, asked := s.value(f, "receipt")
	if asked {
		// STOMP-RECEIPT-003, STOMP-LIMIT-016
		switch {
		case id == "":
			return s, because(ReceiptEmpty, "STOMP-RECEIPT-003")
		case s.receipt(id) >= 0 && m.bug != bugReceiptTwice:
			return s, because(ReceiptPending, "STOMP-RECEIPT-003")
		case len(s.receipts) >= m.cfg.Limits.Receipts && m.bug != bugReceiptsUnbounded:
			return s, because(ReceiptCapacity, "STOMP-LIMIT-016")
		}
	}
	s, err := m.enter(s, f, id)
	if err != nil {
		return s, err
	}
	if asked && (m.bug != bugByeForgotten || f.Command != "DISCONNECT") {
		s.receipts = append(s.receipts, clientReceipt{id: id, bye: f.Command == "DISCONNECT"})
	}
	if f.Command == "DISCONNECT" {
		// STOMP-DISCONNECT-005, STOMP-DISCONNECT-006
		if asked {
			s.phase = SessionDisconnecting
			return s, nil
		}
		if m.bug == bugDisconnectStays {
			return s, nil
		}
		return s.closed(), nil
	}
	return s, nil
}

// enter applies the rules of one command.
func (m *Session) enter(s SessionState, f Frame, receipt string) (SessionState, *breach) {
	switch f.Command {
	case "SEND":
		return m.publish(s, f)
	case "SUBSCRIBE":
		return m.subscribe(s, f)
	case "UNSUBSCRIBE":
		return m.unsubscribe(s, f, receipt)
	case "ACK", "NACK":
		return m.settle(s, f)
	case "BEGIN":
		return m.open(s, f)
	case "COMMIT", "ABORT":
		return m.finish(s, f)
	}
	return s, nil
}

// connect enters CONNECT and STOMP.
func (m *Session) connect(s SessionState, f Frame) (SessionState, *breach) {
	// STOMP-CONNECT-015: in this order.
	if host, _ := f.Get("host"); host == "" {
		return s, because(NoHost, "STOMP-CONNECT-015")
	}
	list, ok := f.Get("accept-version")
	if !ok {
		return s, because(NoAcceptVersion, "STOMP-CONNECT-015")
	}
	if !m.cfg.MultiVersion && list != "1.2" {
		return s, because(VersionsStrict, "STOMP-NEGOTIATE-007")
	}
	offered, ok := offeredVersions(list)
	if !ok {
		return s, because(VersionsOffered, "STOMP-NEGOTIATE-008")
	}
	if _, asked := f.Get("receipt"); asked {
		return s, because(ReceiptOnConnect, "STOMP-CONNECT-003")
	}
	can, want := 0, 0
	// STOMP-HEARTBEAT-009
	if text, ok := f.Get("heart-beat"); ok {
		if can, want, ok = ParseHeartBeat(text); !ok {
			return s, because(BadHeartBeat, "STOMP-CONNECT-015")
		}
	}
	s.phase, s.offered, s.can, s.want = SessionConnecting, offered, can, want
	if m.bug == bugConnectActive {
		s.phase, s.connected, s.version = SessionActive, true, V12
	}
	// STOMP-NEGOTIATE-006: octets before CONNECTED ends follow the highest version offered.
	s.decoder = m.codec.Init()
	s.decoder.version = s.speaks()
	return s, nil
}

// offeredVersions reads an accept-version list that the client may send.
func offeredVersions(list string) ([]Version, bool) {
	// STOMP-NEGOTIATE-008: increasing, no duplicates, no spaces, nothing unknown.
	var out []Version
	for _, text := range strings.Split(list, ",") {
		v := Version(text)
		if !v.Known() || len(out) > 0 && v <= out[len(out)-1] {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// inTransaction checks the optional transaction header of f.
func (m *Session) inTransaction(s SessionState, f Frame) (string, *breach) {
	// STOMP-SEND-005, STOMP-TX-007: an empty one is never open.
	tx, ok := s.value(f, "transaction")
	if ok && !slices.Contains(s.txs, tx) && m.bug != bugUnknownTransaction {
		return "", because(TransactionUnknown, "STOMP-TX-007")
	}
	return tx, nil
}

func (m *Session) publish(s SessionState, f Frame) (SessionState, *breach) {
	if dest, _ := s.value(f, "destination"); dest == "" && m.bug != bugNoDestination {
		return s, because(NoDestination, "STOMP-SEND-005")
	}
	_, err := m.inTransaction(s, f)
	return s, err
}

func (m *Session) subscribe(s SessionState, f Frame) (SessionState, *breach) {
	id, _ := s.value(f, "id")
	dest, _ := s.value(f, "destination")
	mode, given := s.value(f, "ack")
	if !given {
		mode = modeAuto
	}
	at := s.sub(id)
	known := mode == modeAuto || mode == modeClient || mode == modeIndividual && s.version != V10
	switch {
	case id == "":
		return s, because(SubscriptionID, "STOMP-SUBSCRIBE-012")
	case dest == "":
		return s, because(SubscriptionDestination, "STOMP-SUBSCRIBE-012")
	case at >= 0 && s.subs[at].leaving != "":
		return s, because(Unsubscribing, "STOMP-UNSUBSCRIBE-005")
	case at >= 0 && m.bug != bugSubscribeTwice:
		return s, because(SubscriptionDuplicate, "STOMP-SUBSCRIBE-012")
	case !known:
		return s, because(AckMode, "STOMP-SUBSCRIBE-012")
	case slices.ContainsFunc(s.deliveries, func(d clientDelivery) bool { return d.sub == id }) && m.bug != bugReuseUnsettled:
		return s, because(Unsettled, "STOMP-SUBSCRIBE-013")
	case len(s.subs) >= m.cfg.Limits.Subscriptions && m.bug != bugSubscriptionsUnbounded:
		return s, because(SubscriptionCapacity, "STOMP-LIMIT-014")
	}
	s.subs = append(s.subs, clientSub{id: id, dest: dest, mode: mode})
	return s, nil
}

func (m *Session) unsubscribe(s SessionState, f Frame, receipt string) (SessionState, *breach) {
	id, _ := s.value(f, "id")
	at := s.sub(id)
	// No subscription has an empty id.
	if at < 0 {
		return s, because(UnsubscribeID, "STOMP-UNSUBSCRIBE-009")
	}
	if s.subs[at].leaving != "" && m.bug != bugUnsubscribeTwice {
		return s, because(Unsubscribing, "STOMP-UNSUBSCRIBE-005")
	}
	if m.bug == bugUnsubscribeDrops {
		s.deliveries = slices.DeleteFunc(s.deliveries, func(d clientDelivery) bool { return d.sub == id })
	}
	// STOMP-UNSUBSCRIBE-004, STOMP-UNSUBSCRIBE-007. STOMP-UNSUBSCRIBE-008: deliveries stay.
	if receipt != "" && m.bug != bugUnsubscribeAtOnce {
		s.subs[at].leaving = receipt
		return s, nil
	}
	s.subs = slices.Delete(s.subs, at, at+1)
	return s, nil
}

func (m *Session) open(s SessionState, f Frame) (SessionState, *breach) {
	tx, _ := s.value(f, "transaction")
	if tx == "" || slices.Contains(s.txs, tx) && m.bug != bugBeginTwice {
		return s, because(TransactionID, "STOMP-TX-006")
	}
	if len(s.txs) >= m.cfg.Limits.Transactions && m.bug != bugTransactionsUnbounded {
		return s, because(TransactionCapacity, "STOMP-LIMIT-015")
	}
	s.txs = append(s.txs, tx)
	return s, nil
}
