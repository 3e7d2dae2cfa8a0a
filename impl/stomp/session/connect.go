package session

import (
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// connect checks a CONNECT or STOMP frame in the order of STOMP-CONNECT-015.
func (s *Session) connect(f *frame.Frame) *Error {
	// STOMP-CONNECT-015
	if host, _ := f.Get("host"); host == "" {
		return refuse(ReasonHost, "%s without a host", f.Command)
	}
	list, ok := f.Get("accept-version")
	// STOMP-CONNECT-015
	if !ok {
		return refuse(ReasonAcceptVersion, "%s without accept-version", f.Command)
	}
	// STOMP-NEGOTIATE-007
	if s.profile == Strict && list != "1.2" {
		return refuse(ReasonVersionsStrict, "accept-version %.40q is not 1.2", list)
	}
	// STOMP-NEGOTIATE-001, STOMP-NEGOTIATE-008
	offered, highest, ok := versions(list)
	if !ok {
		return refuse(ReasonVersionsOffered, "accept-version %.40q is no increasing list of 1.0, 1.1 and 1.2", list)
	}
	// STOMP-CONNECT-003
	if _, ok := f.Get("receipt"); ok {
		return refuse(ReasonReceiptOnConnect, "%s with a receipt header", f.Command)
	}
	beat, err := pair(f)
	// STOMP-CONNECT-015
	if err != nil {
		return caused(OpSend, ReasonHeartBeat, err)
	}
	s.offered, s.version, s.beat = offered, highest, beat
	// STOMP-NEGOTIATE-006
	s.dec.SetVersion(highest)
	// STOMP-CLIENT-001
	s.state = Connecting
	return nil
}

// versions reads an accept-version list.
func versions(list string) (offered [frame.V12 + 1]bool, highest frame.Version, ok bool) {
	for first := true; ; first = false {
		item, rest, more := strings.Cut(list, ",")
		v, known := frame.ParseVersion(item)
		if !known || !first && v <= highest {
			return offered, highest, false
		}
		offered[v], highest = true, v
		if !more {
			return offered, highest, true
		}
		list = rest
	}
}

// pair reads the heart-beat header. None means 0,0: STOMP-HEARTBEAT-002.
func pair(f *frame.Frame) (heartbeat.Pair, error) {
	v, ok := f.Get("heart-beat")
	if !ok {
		return heartbeat.Pair{}, nil
	}
	// STOMP-HEARTBEAT-009
	return heartbeat.Parse(v)
}

// onConnected handles the CONNECTED that answers CONNECT.
func (s *Session) onConnected(f *frame.Frame) *Error {
	name, present := f.Get("version")
	v, known := frame.ParseVersion(name)
	if !present {
		v, known = frame.V10, true
	}
	if s.profile == Strict && name != "1.2" {
		// STOMP-NEGOTIATE-007
		return problem(OpReceive, ReasonVersionStrict, "CONNECTED with version %.40q, not 1.2", name)
	}
	// STOMP-NEGOTIATE-008
	if !known || !s.offered[v] {
		return problem(OpReceive, ReasonVersionOffered, "CONNECTED with version %.40q, which was not offered", name)
	}
	var send, receive int64
	// STOMP-HEARTBEAT-016: 1.0 knows no heart-beats, so its header means nothing.
	if v > frame.V10 {
		server, err := pair(f)
		if err != nil {
			// STOMP-HEARTBEAT-001, STOMP-HEARTBEAT-009
			return caused(OpReceive, ReasonHeartBeatInvalid, err)
		}
		// STOMP-HEARTBEAT-003
		send, receive, err = heartbeat.Negotiate(s.beat, server)
		must(err)
	}
	if send > 0 || receive > 0 {
		// STOMP-HEARTBEAT-010
		clock, err := heartbeat.New(send, receive, s.tolerance, s.now)
		must(err)
		s.clock = clock
	}
	s.send, s.receive = send, receive
	s.version, s.enc.Version = v, v
	if v == frame.V10 {
		s.byDestination = make(map[string]*subscription)
	}
	// STOMP-CLIENT-001
	s.state = Active
	return nil
}
