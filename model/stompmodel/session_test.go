package stompmodel

import (
	"fmt"
	"strings"
	"testing"
)

// A call is one step of a script, and what comes of it: the state, the reason in brackets, the events, and what is written, if one looks.
type call struct {
	a    SessionAction
	want string
}

// told is the outcome as scripts write it.
func told(o SessionOutput) string {
	var b strings.Builder
	b.WriteString(string(o.State))
	if o.Reason != "" {
		fmt.Fprintf(&b, " (%s %s)", o.Reason, o.Law)
	}
	for _, e := range o.Events {
		b.WriteString(" " + string(e.Kind))
	}
	if o.Octets == "\n" {
		b.WriteString(" LF")
	}
	return b.String()
}

// play takes the script and returns the last outcome and state.
func play(t *testing.T, cfg SessionConfig, script []call) (SessionState, SessionOutput) {
	t.Helper()
	m := mustSession(t, cfg)
	s := m.Init()
	var o SessionOutput
	for i, c := range script {
		next, out, ok := m.Do(s, c.a)
		if !ok {
			t.Fatalf("step %d, %v: impossible", i+1, c.a)
		}
		if got := told(out); got != c.want {
			t.Fatalf("step %d, %v in %v: %s, want %s", i+1, c.a, s, got, c.want)
		}
		s, o = next, out
	}
	return s, o
}

func says(now int64, chunk string) SessionAction {
	return SessionAction{Op: SessionReceive, Now: now, Chunk: chunk}
}

// active is a session of the version with the intervals 10 and 10.
func active(version Version) []call {
	v := string(version)
	return []call{
		{Sends(0, "CONNECT", "accept-version", v, "host", "h", "heart-beat", "10,10"), "connecting"},
		{says(0, "CONNECTED\nversion:"+v+"\nheart-beat:10,10\n\n\x00"), "active connected"},
	}
}

// Each law's own check, as far as scripts can say it. The scopes of the explorer cover the rest.
func TestSessionScripts(t *testing.T) {
	multi := SessionConfig{MultiVersion: true}
	strict := SessionConfig{}
	send := func(now int64) SessionAction { return Sends(now, "SEND", "destination", "/q") }
	for _, tc := range []struct {
		laws   string
		cfg    SessionConfig
		script []call
	}{
		{"STOMP-CLOCK-001 STOMP-CLOCK-002", strict, []call{
			{Ticks(10), "fresh"},
			{Sends(9, "CONNECT", "accept-version", "1.2", "host", "h"), "fresh (time-regression STOMP-CLOCK-002)"},
			{Sends(-1, "CONNECT", "accept-version", "1.2", "host", "h"), "fresh (time-negative STOMP-CLOCK-001)"},
			{Sends(10, "CONNECT", "accept-version", "1.2", "host", "h"), "connecting"},
			{Ticks(NeverTick), "connecting"},
			{Ticks(NeverTick), "connecting"},
		}},
		{"STOMP-CLOCK-003 STOMP-CLOCK-004", strict, []call{
			{Sends(100, "CONNECT", "accept-version", "1.2", "host", "h"), "connecting"},
			{Ticks(101), "connecting"},
			{says(100, "CONNECTED\nversion:1.2\n\n\x00"), "closed (time-regression STOMP-CLOCK-003)"},
			{Ticks(-1), "closed"},
			{Ticks(0), "closed"},
		}},
		{"STOMP-CLOCK-005", strict, append(active(V12), []call{
			{Sends(50, "SEND"), "active (destination STOMP-SEND-005)"},
			{send(49), "active (time-regression STOMP-CLOCK-002)"},
			{send(50), "active"},
		}...)},
		{"STOMP-CLOCK-006", strict, []call{
			{Sends(0, "CONNECT", "accept-version", "1.2", "host", "h"), "connecting"},
			{Ticks(1_000_000_000_000), "connecting"},
		}},
		{"STOMP-HEARTBEAT-010 STOMP-HEARTBEAT-015", strict, append(active(V12), []call{{Ticks(9), "active"}, {Ticks(10), "active LF"}, {Ticks(10), "active"}}...)},
		{"STOMP-HEARTBEAT-011 STOMP-HEARTBEAT-014", strict, append(active(V12), []call{
			{says(100, "M"), "active"}, {says(150, ""), "active"}, {Ticks(210), "active LF"}, {Ticks(211), "closed (timeout STOMP-HEARTBEAT-011)"},
		}...)},
		{"STOMP-HEARTBEAT-013", strict, append(active(V11)[:0:0], []call{
			{Sends(0, "CONNECT", "accept-version", "1.2", "host", "h", "heart-beat", "10,10"), "connecting"},
			{says(0, "CONNECTED\nversion:1.2\nheart-beat:10,10\n\n\x00"), "active connected"},
			{says(1000, "\n"), "active heart-beat"},
			{Ticks(1000), "active LF"},
			{Ticks(2000), "closed (timeout STOMP-HEARTBEAT-011)"},
		}...)},
		{"STOMP-HEARTBEAT-014", strict, append(active(V12), []call{{send(9), "active"}, {Ticks(18), "active"}, {Ticks(19), "active LF"}}...)},
		{"STOMP-HEARTBEAT-016", multi, append(active(V10), []call{{Ticks(1_000_000), "active"}}...)},
		{"STOMP-NEGOTIATE-006", multi, []call{
			{Sends(0, "CONNECT", "accept-version", "1.0,1.1,1.2", "host", "h"), "connecting"},
			{says(0, "CONNECTED\nversion:1.1\n\n\x00ERROR\nmessage:a\\rb\n\n\x00"), "closed (syntax STOMP-CLIENT-006)"},
		}},
		{"STOMP-NEGOTIATE-008", multi, []call{
			{Sends(0, "CONNECT", "accept-version", "1.1, 1.2", "host", "h"), "fresh (versions-offered STOMP-NEGOTIATE-008)"},
			{Sends(0, "CONNECT", "accept-version", "1.2,1.1", "host", "h"), "fresh (versions-offered STOMP-NEGOTIATE-008)"},
			{Sends(0, "CONNECT", "accept-version", "1.1,1.2", "host", "h"), "connecting"},
			{says(0, "CONNECTED\n\n\x00"), "closed (version-offered STOMP-NEGOTIATE-008)"},
		}},
		{"STOMP-CONNECT-003 STOMP-CONNECT-015", strict, []call{
			{Sends(0, "CONNECT", "receipt", "r"), "fresh (host STOMP-CONNECT-015)"},
			{Sends(0, "CONNECT", "host", "h", "receipt", "r"), "fresh (accept-version STOMP-CONNECT-015)"},
			{Sends(0, "CONNECT", "host", "h", "accept-version", "1.2", "receipt", "", "heart-beat", "1"), "fresh (receipt-on-connect STOMP-CONNECT-003)"},
			{Sends(0, "CONNECT", "host", "h", "accept-version", "1.2", "heart-beat", "1"), "fresh (heart-beat STOMP-CONNECT-015)"},
			{Sends(0, "CONNECT", "host", "h", "accept-version", "1.2"), "connecting"},
		}},
		{"STOMP-CONNECT-014 STOMP-CONNECT-017", strict, []call{
			{send(0), "fresh (not-connect STOMP-CONNECT-014)"},
			{connect12(), "connecting"},
			{connect12(), "connecting (not-connected STOMP-CONNECT-016)"},
			{says(0, "\nCONNECTED\nversion:1.2\n\n\x00"), "active heart-beat connected"},
			{says(0, "CONNECTED\nversion:1.2\n\n\x00"), "closed (unexpected-connecting STOMP-CONNECT-017)"},
		}},
		{"STOMP-CLIENT-003", strict, append(active(V12), []call{
			{SessionAction{Op: SessionFail}, "closed"},
			{SessionAction{Op: SessionSend, Frame: Frame{Command: "SEND", Body: make([]byte, maxSentBody+1)}}, "closed (body-size STOMP-LIMIT-011)"},
			{Sends(0, "BOGUS"), "closed (encoding STOMP-CLIENT-003)"},
			{Sends(0, "DISCONNECT"), "closed (closed STOMP-CLIENT-010)"},
		}...)},
		{"STOMP-CLIENT-008", strict, append(active(V12), []call{
			{Sends(0, "MESSAGE"), "active (command STOMP-CLIENT-008)"},
			{says(0, "SEND\n\n\x00"), "closed (unexpected STOMP-CLIENT-008)"},
		}...)},
		{"STOMP-NACK-001 STOMP-CLIENT-003", multi, append(active(V10), call{Sends(0, "NACK", "message-id", "m"), "active (encoding STOMP-CLIENT-003)"})},
		{"STOMP-UNSUBSCRIBE-009 STOMP-SUBSCRIBE-012", multi, append(active(V10), []call{
			{Sends(0, "UNSUBSCRIBE", "id", "s"), "active (unsubscribe-id STOMP-UNSUBSCRIBE-009)"},
			{Sends(0, "SUBSCRIBE", "destination", "/q"), "active (subscription-id STOMP-SUBSCRIBE-012)"},
			{opens("s", "client-individual"), "active (ack-mode STOMP-SUBSCRIBE-012)"},
		}...)},
		{"STOMP-SUBSCRIBE-014", multi, append(active(V10), []call{
			{opens("s", "auto"), "active"},
			{says(0, "MESSAGE\ndestination:/q\nmessage-id:1\n\n\x00"), "active message"},
			{opens("t", "auto"), "active"},
			{says(0, "MESSAGE\ndestination:/q\nmessage-id:1\n\n\x00"), "closed (message STOMP-SUBSCRIBE-014)"},
		}...)},
		{"STOMP-UNSUBSCRIBE-004", strict, append(active(V12), []call{
			{opens("s", "client"), "active"},
			{Sends(0, "UNSUBSCRIBE", "id", "s", "receipt", "r"), "active"},
			{says(0, "MESSAGE\nsubscription:s\ndestination:/q\nmessage-id:1\nack:1\n\n\x00RECEIPT\nreceipt-id:r\n\n\x00"), "active message receipt"},
			{Sends(0, "ACK", "id", "1"), "active"},
		}...)},
		{"STOMP-NACK-005 STOMP-SUBSCRIBE-013", strict, append(active(V12), []call{
			{opens("s", "client"), "active"},
			{Delivers(0, arrival("s", "1"), arrival("s", "2")), "active message message"},
			{Sends(0, "UNSUBSCRIBE", "id", "s"), "active"},
			{opens("s", "client"), "active (unsettled STOMP-SUBSCRIBE-013)"},
			{Sends(0, "NACK", "id", "2"), "active"},
			{opens("s", "client"), "active"},
		}...)},
		{"STOMP-HDR-008", multi, append(active(V10), []call{
			{Sends(0, "SUBSCRIBE", "id", " s", "destination", "/q ", "ack", " client"), "active"},
			{says(0, "MESSAGE\nsubscription:s \ndestination: /q\nmessage-id: 1\n\n\x00"), "active message"},
			{Sends(0, "ACK", "message-id", "1  "), "active"},
			{Sends(0, "SEND", "destination", " "), "active (destination STOMP-SEND-005)"},
		}...)},
		{"STOMP-HDR-008", multi, append(active(V11), []call{
			{Sends(0, "SUBSCRIBE", "id", " s", "destination", "/q"), "active"},
			{says(0, "MESSAGE\nsubscription:s\ndestination:/q\nmessage-id:1\n\n\x00"), "closed (message STOMP-SUBSCRIBE-014)"},
		}...)},
		{"STOMP-ERROR-007", strict, append(active(V12), call{says(0, "ERROR\n\n\x00\nMESS"), "closed server-error heart-beat"})},
		{"STOMP-ERROR-007", strict, append(active(V12), call{says(0, "ERROR\n\n\x00\x00"), "closed (syntax STOMP-CLIENT-006)"})},
		{"STOMP-DISCONNECT-005", strict, append(active(V12), []call{
			{Sends(0, "SEND", "destination", "/q", "receipt", "r"), "active"},
			{Sends(0, "DISCONNECT", "receipt", "bye"), "disconnecting"},
			{send(0), "disconnecting (disconnecting STOMP-DISCONNECT-005)"},
			{Ticks(1_000_000), "disconnecting"},
			{says(1_000_000, "RECEIPT\nreceipt-id:r\n\n\x00"), "disconnecting receipt"},
			{says(1_000_000, "RECEIPT\nreceipt-id:bye\n\n\x00ERROR\n\n\x00"), "closed (after-disconnect STOMP-DISCONNECT-005)"},
		}...)},
		{"STOMP-CLIENT-009", strict, append(active(V12), []call{
			{says(0, "MESS"), "active"},
			{SessionAction{Op: SessionEnd}, "closed (truncated STOMP-CLIENT-009)"},
			{SessionAction{Op: SessionEnd}, "closed (spent STOMP-CLIENT-009)"},
		}...)},
		{"STOMP-CLIENT-007", strict, []call{{says(-1, ""), "closed (not-receiving STOMP-CLIENT-007)"}, {connect12(), "closed (closed STOMP-CLIENT-010)"}}},
		{"STOMP-LIMIT-008", SessionConfig{Limits: SessionLimits{1, 1, 1, 1}}, append(active(V12), []call{
			{says(0, strings.Repeat("\n", 1024)), "active" + strings.Repeat(" heart-beat", 1024)},
			{says(0, strings.Repeat("\n", 1025)), "closed (syntax STOMP-CLIENT-006)"},
		}...)},
	} {
		t.Run(tc.laws, func(t *testing.T) { play(t, tc.cfg, tc.script) })
	}
}

// STOMP-LIMIT-009, STOMP-LIMIT-010, STOMP-LIMIT-011, STOMP-LIMIT-013: what is just small enough is written, and the default decoder reads it.
func TestSessionOutboundLimits(t *testing.T) {
	pairs := func(n int) []Header {
		out := []Header{{"destination", "/q"}}
		for len(out) < n {
			out = append(out, Header{"n", "v"})
		}
		return out
	}
	for _, tc := range []struct {
		f    Frame
		want SessionReason
	}{
		{Frame{Headers: pairs(128)}, ""},
		{Frame{Headers: pairs(127), Body: []byte("b")}, ""},
		{Frame{Headers: pairs(128), Body: []byte("b")}, HeaderCount},
		{Frame{Headers: append(pairs(127), Header{"content-length", "1"}), Body: []byte("b")}, ""},
		{Frame{Headers: pairs(129)}, HeaderCount},
		{Frame{Headers: append(pairs(1), Header{"n", strings.Repeat(":", 2046)})}, ""},
		{Frame{Headers: append(pairs(1), Header{"n", strings.Repeat(":", 2047)})}, HeaderPair},
		{Frame{Headers: append(pairs(1), Header{"n", strings.Repeat("€", 682)})}, ""},
		{Frame{Headers: append(pairs(1), Header{"n", strings.Repeat("€", 682) + "x"})}, HeaderPair},
		{Frame{Headers: pairs(1), Body: make([]byte, maxSentBody)}, ""},
		{Frame{Headers: pairs(1), Body: make([]byte, maxSentBody+1)}, BodySize},
	} {
		tc.f.Command = "SEND"
		m := mustSession(t, SessionConfig{})
		s, _ := play(t, SessionConfig{}, active(V12))
		_, o, _ := m.Do(s, SessionAction{Op: SessionSend, Frame: tc.f})
		if o.Reason != tc.want {
			t.Errorf("%d headers, %d octets: %q, want %q", len(tc.f.Headers), len(tc.f.Body), o.Reason, tc.want)
		}
		if o.Reason != "" {
			continue
		}
		if d, err := Decode(DefaultCodecConfig(V12), [][]byte{[]byte(o.Octets)}, true); err != nil || d.Err != nil || len(d.Events) != 1 {
			t.Errorf("%d headers, %d octets: decoded to %d events, %v", len(tc.f.Headers), len(tc.f.Body), len(d.Events), d.Err)
		}
	}
}

// STOMP-LIMIT-018, STOMP-HEARTBEAT-012: what cannot be configured.
func TestSessionConfigs(t *testing.T) {
	ok := SessionLimits{1, 1, 1, 1}
	for _, tc := range []struct {
		cfg  SessionConfig
		want string
	}{
		{SessionConfig{}, ""},
		{SessionConfig{Limits: ok, Tolerance: maxDeclared}, ""},
		{SessionConfig{Limits: SessionLimits{0, 1, 1, 1}}, "Limits.Subscriptions"},
		{SessionConfig{Limits: SessionLimits{1, 0, 1, 1}}, "Limits.Transactions"},
		{SessionConfig{Limits: SessionLimits{1, 1, -1, 1}}, "Limits.Receipts"},
		{SessionConfig{Limits: SessionLimits{1, 1, 1, 0}}, "Limits.Deliveries"},
		{SessionConfig{Tolerance: -1}, "Tolerance"},
		{SessionConfig{Tolerance: maxDeclared + 1}, "Tolerance"},
		{SessionConfig{Scope: []SessionAction{{}}}, "Scope[0].Op"},
	} {
		_, err := NewSession(tc.cfg)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %q", tc.cfg, err, tc.want)
		}
	}
}

// STOMP-LIMIT-014, STOMP-LIMIT-015, STOMP-LIMIT-016, STOMP-LIMIT-017: the defaults.
func TestSessionDefaultLimits(t *testing.T) {
	m := mustSession(t, SessionConfig{Limits: DefaultSessionLimits()})
	s, _ := play(t, SessionConfig{}, active(V12))
	take := func(n int, a func(i string) SessionAction) SessionReason {
		for i := range n {
			next, o, _ := m.Do(s, a(fmt.Sprint(i)))
			if o.Reason != "" {
				t.Fatalf("%v: %s after %d", a(fmt.Sprint(i)), o.Reason, i)
			}
			s = next
		}
		_, o, _ := m.Do(s, a(fmt.Sprint(n)))
		return o.Reason
	}
	if got := take(256, func(i string) SessionAction { return opens(i, "client") }); got != SubscriptionCapacity {
		t.Errorf("a subscription more: %q", got)
	}
	if got := take(256, func(i string) SessionAction { return Sends(0, "BEGIN", "transaction", i) }); got != TransactionCapacity {
		t.Errorf("a transaction more: %q", got)
	}
	if got := take(256, func(i string) SessionAction { return Sends(0, "SEND", "destination", "/q", "receipt", i) }); got != ReceiptCapacity {
		t.Errorf("a receipt more: %q", got)
	}
	if got := take(1024, func(i string) SessionAction { return Delivers(0, arrival("0", i)) }); got != DeliveryCapacity {
		t.Errorf("a delivery more: %q", got)
	}
}
