package stompmodel

import "slices"

// receive answers SessionReceive.
func (m *Session) receive(s SessionState, now int64, chunk string) (SessionState, []SessionEvent, *breach) {
	if err := m.arrives(&s, now, chunk != ""); err != nil {
		return m.broken(s, nil, err)
	}
	// STOMP-FRAME-017: the decoder sees all of the chunk first.
	next, decoded, broken := m.codec.Feed(s.decoder, []byte(chunk))
	if broken != nil {
		return m.broken(s, nil, &breach{reason: Syntax, law: "STOMP-CLIENT-006", rule: broken.Rule})
	}
	s.decoder = next
	var frames []Frame
	for _, e := range decoded {
		frames = append(frames, e.Frame)
	}
	return m.digest(s, frames)
}

// follows reports whether a delivery can go on where the state's stream stopped.
func (s SessionState) follows(a SessionAction) bool {
	if s.phase == SessionFresh || s.phase == SessionClosed || !s.begun {
		return true
	}
	// Within a frame, an EOL is no heart-beat.
	return len(a.Frames) == 0 || a.Frames[0].Command != ""
}

// deliver answers SessionDeliver.
func (m *Session) deliver(s SessionState, a SessionAction) (SessionState, []SessionEvent, *breach) {
	if err := m.arrives(&s, a.Now, len(a.Frames) > 0 || a.Rest != RestNothing); err != nil {
		return m.broken(s, nil, err)
	}
	if a.Rest == RestBroken {
		return m.broken(s, nil, &breach{reason: Syntax, law: "STOMP-CLIENT-006"})
	}
	if len(a.Frames) > 0 || a.Rest == RestBegun {
		s.begun = a.Rest == RestBegun
	}
	for _, f := range a.Frames {
		s.decoder.version = m.codec.versionAfter(s.decoder.version, f)
	}
	return m.digest(s, a.Frames)
}

// arrives checks that octets may come now, and notes them.
func (m *Session) arrives(s *SessionState, now int64, some bool) *breach {
	// STOMP-CLIENT-007: even an empty chunk, and before the time.
	if s.phase == SessionFresh || s.phase == SessionClosed {
		return because(NotReceiving, "STOMP-CLIENT-007")
	}
	if err := s.accept(now, "STOMP-CLOCK-003"); err != nil {
		return err
	}
	// STOMP-HEARTBEAT-014: a part of a frame counts, nothing does not.
	if some || m.bug == bugEmptyRefreshes {
		s.received = now
	}
	return nil
}

// broken is the end of a receive that failed.
func (m *Session) broken(s SessionState, events []SessionEvent, f *breach) (SessionState, []SessionEvent, *breach) {
	// STOMP-CLIENT-006: closed, cleared, and no events.
	if m.bug != bugFaultKeepsEvents {
		events = nil
	}
	if m.bug == bugFreshStays && s.phase == SessionFresh {
		return s, events, f
	}
	return s.closed(), events, f
}

// digest takes the frames of one chunk in order; the zero frame is a heart-beat.
func (m *Session) digest(s SessionState, frames []Frame) (SessionState, []SessionEvent, *breach) {
	var events []SessionEvent
	// over is why no frame may follow any more.
	var over *breach
	for _, f := range frames {
		if f.Command == "" {
			events = append(events, SessionEvent{Kind: EventHeartBeat})
			continue
		}
		if over != nil {
			if m.bug == bugFramesAfterEnd {
				continue
			}
			return m.broken(s, events, over)
		}
		kind, err := m.frame(&s, f)
		if err != nil {
			return m.broken(s, events, err)
		}
		events = append(events, SessionEvent{Kind: kind, Frame: f})
		if s.phase == SessionClosed {
			over = because(AfterError, "STOMP-ERROR-007")
			if kind == EventReceipt {
				over = because(AfterDisconnect, "STOMP-DISCONNECT-005")
			}
		}
	}
	return s, events, nil
}

// frame takes one frame of the server.
func (m *Session) frame(s *SessionState, f Frame) (SessionEventKind, *breach) {
	switch {
	// STOMP-ERROR-006: in any of the three states.
	case f.Command == "ERROR":
		if m.bug != bugServerErrorGoesOn {
			*s = s.closed()
		}
		return EventServerError, nil
	// STOMP-CONNECT-017
	case s.phase == SessionConnecting && f.Command != "CONNECTED", s.phase != SessionConnecting && f.Command == "CONNECTED":
		return "", because(UnexpectedConnecting, "STOMP-CONNECT-017")
	case f.Command == "CONNECTED":
		return EventConnected, m.connected(s, f)
	case f.Command == "MESSAGE":
		return EventMessage, m.message(s, f)
	case f.Command == "RECEIPT":
		return EventReceipt, m.receipt(s, f)
	}
	return "", because(Unexpected, "STOMP-CLIENT-008")
}

func (m *Session) connected(s *SessionState, f Frame) *breach {
	text, ok := f.Get("version")
	version := Version(text)
	if !m.cfg.MultiVersion {
		// STOMP-NEGOTIATE-007
		if version != V12 && m.bug != bugAnyVersion {
			return because(VersionStrict, "STOMP-NEGOTIATE-007")
		}
	} else {
		// STOMP-NEGOTIATE-008: a missing version counts as 1.0.
		if !ok {
			version = V10
		}
		if !slices.Contains(s.offered, version) && m.bug != bugAnyVersion {
			return because(VersionOffered, "STOMP-NEGOTIATE-008")
		}
	}
	can, want, err := m.beats(version, f)
	if err != nil {
		return err
	}
	s.phase, s.connected, s.version = SessionActive, true, version
	// STOMP-HEARTBEAT-010: both timers start here.
	s.sent, s.received = s.now, s.now
	// STOMP-HEARTBEAT-003
	send, receive := Intervals(s.can, s.want, can, want)
	s.sendEvery, s.expectEvery = int64(send), int64(receive)
	return nil
}

// beats reads the heart-beat header of CONNECTED.
func (m *Session) beats(version Version, f Frame) (can, want int, err *breach) {
	text, ok := f.Get("heart-beat")
	// STOMP-HEARTBEAT-002. STOMP-HEARTBEAT-016: none in 1.0, whatever the header says.
	if !ok || version == V10 && m.bug != bugBeatsIn10 {
		return 0, 0, nil
	}
	// STOMP-HEARTBEAT-009
	if can, want, ok = ParseHeartBeat(text); !ok {
		return 0, 0, because(HeartBeatInvalid, "STOMP-HEARTBEAT-001")
	}
	return can, want, nil
}

func (m *Session) message(s *SessionState, f Frame) *breach {
	bad := because(BadMessage, "STOMP-SUBSCRIBE-014")
	dest, _ := s.value(f, "destination")
	id, _ := s.value(f, "message-id")
	name, named := s.value(f, "subscription")
	if dest == "" || id == "" {
		return bad
	}
	at := s.sub(name)
	if !named && s.version == V10 {
		// STOMP-SUBSCRIBE-014, note: exactly one open subscription with that destination.
		at = -1
		for i, sub := range s.subs {
			switch {
			case sub.dest != dest:
			case at >= 0:
				return bad
			default:
				at = i
			}
		}
	}
	if m.bug == bugLeavingDeaf && at >= 0 && s.subs[at].leaving != "" {
		at = -1
	}
	if at < 0 {
		if m.bug == bugUnknownMessage {
			return nil
		}
		return bad
	}
	sub := s.subs[at]
	// STOMP-SUBSCRIBE-015: auto deliveries are never recorded.
	if sub.mode == modeAuto && m.bug != bugAutoRecorded {
		return nil
	}
	ack, _ := s.value(f, "ack")
	d := clientDelivery{sub: sub.id, messageID: id, ack: ack, mode: sub.mode}
	if s.version == V12 && ack == "" && m.bug != bugAutoRecorded {
		return because(MessageAck, "STOMP-SUBSCRIBE-015")
	}
	// STOMP-LIMIT-017: staged ones count. STOMP-SUBSCRIBE-015, note: before the duplicate check.
	if len(s.deliveries) >= m.cfg.Limits.Deliveries && m.bug != bugDeliveriesUnbounded {
		return because(DeliveryCapacity, "STOMP-LIMIT-017")
	}
	for _, other := range s.deliveries {
		if s.key(other) != s.key(d) || m.bug == bugDeliveryTwice {
			continue
		}
		if s.version == V12 {
			return because(DeliveryDuplicate, "STOMP-SUBSCRIBE-015")
		}
		return because(DeliveryDuplicate, "STOMP-ACK-010")
	}
	s.deliveries = append(s.deliveries, d)
	return nil
}

func (m *Session) receipt(s *SessionState, f Frame) *breach {
	id, _ := s.value(f, "receipt-id")
	at := s.receipt(id)
	// STOMP-RECEIPT-005: no pending receipt is empty.
	if at < 0 {
		if m.bug == bugAnyReceipt {
			return nil
		}
		return because(BadReceipt, "STOMP-RECEIPT-005")
	}
	if m.bug == bugOldestReceipt {
		at = 0
	}
	// STOMP-RECEIPT-004: in any order, one each.
	bye := s.receipts[at].bye
	s.receipts = slices.Delete(s.receipts, at, at+1)
	// STOMP-UNSUBSCRIBE-006
	s.subs = slices.DeleteFunc(s.subs, func(sub clientSub) bool {
		switch m.bug {
		case bugAnyReceiptUnsubscribes:
			return sub.leaving != ""
		case bugReceiptKeepsSubscription:
			return false
		}
		return sub.leaving == id && id != ""
	})
	// STOMP-DISCONNECT-005
	if bye && m.bug != bugByeStays || m.bug == bugAnyReceiptCloses && s.phase == SessionDisconnecting {
		*s = s.closed()
	}
	return nil
}
