package session_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

func (p *script) version(want frame.Version) {
	p.t.Helper()
	if got := p.s.Version(); got != want {
		p.t.Fatalf("version %s, want %s", got, want)
	}
}

// STOMP-NEGOTIATE-008
func TestMultiVersion(t *testing.T) {
	for _, c := range []struct {
		offer   string
		highest frame.Version
		answers map[string]frame.Version
	}{
		{"1.0", frame.V10, map[string]frame.Version{"": frame.V10, "version:1.0\n": frame.V10}},
		{"1.1", frame.V11, map[string]frame.Version{"version:1.1\n": frame.V11}},
		{"1.2", frame.V12, map[string]frame.Version{"version:1.2\n": frame.V12}},
		{"1.0,1.1", frame.V11, map[string]frame.Version{"": frame.V10, "version:1.0\n": frame.V10, "version:1.1\n": frame.V11}},
		{"1.0,1.2", frame.V12, map[string]frame.Version{"": frame.V10, "version:1.2\nversion:1.1\n": frame.V12}},
		{"1.1,1.2", frame.V12, map[string]frame.Version{"version:1.1\n": frame.V11, "version:1.2\n": frame.V12}},
		{"1.0,1.1,1.2", frame.V12, map[string]frame.Version{"": frame.V10, "version:1.1\n": frame.V11, "version:1.2\n": frame.V12}},
	} {
		for answer, want := range c.answers {
			p := fresh(t, multi)
			p.version(frame.V12)
			p.say("STOMP accept-version=" + c.offer + " host=h login=me passcode=secret")
			p.version(c.highest)
			p.receive("CONNECTED\n"+answer+"\n\x00", session.Connected)
			p.state(session.Active)
			p.version(want)
			p.s.Fail()
			p.version(want)
		}
	}
}

// STOMP-NEGOTIATE-006: what follows CONNECTED in its chunk obeys the version agreed on.
func TestRulesSwitchInsideAChunk(t *testing.T) {
	for v, want := range map[string]string{"1.2": "a\rb", "1.0": `a\rb`} {
		p := dial(t, multi, "1.0,1.1,1.2")
		got := p.receive("CONNECTED\nversion:"+v+"\n\n\x00ERROR\nmessage:a\\rb\n\n\x00", session.Connected, session.ServerError)
		if m, _ := got[1].Frame.Get("message"); m != want {
			t.Errorf("%s: message %q, want %q", v, m, want)
		}
		p.closed()
	}
	// Before it those of the highest offered version: in 1.1 a CR is data.
	p := dial(t, multi, "1.0,1.1")
	got := p.receive("ERROR\nmessage:a\r\n\n\x00", session.ServerError)
	if m, _ := got[0].Frame.Get("message"); m != "a\r" {
		t.Errorf("message %q", m)
	}
}

// STOMP-CONNECT-015, STOMP-CLIENT-003: CONNECT is written verbatim by the rules of 1.2, whatever is offered.
func TestConnectOctets(t *testing.T) {
	p := fresh(t, multi)
	out := p.send(frame.New(frame.CONNECT, "accept-version", "1.0", "host", "a:\\b", "login", "é"))
	if want := "CONNECT\naccept-version:1.0\nhost:a:\\b\nlogin:é\n\n\x00"; string(out) != want {
		t.Errorf("%q, want %q", out, want)
	}
}

// STOMP-CONNECT-017: heart-beats before CONNECTED are events.
func TestConnecting(t *testing.T) {
	p := dial(t, session.Config{}, "1.2")
	p.receive("", repeated(session.HeartBeat, 0)...)
	p.receive("\n\r\n", session.HeartBeat, session.HeartBeat)
	p.receive("CONN")
	p.receive("ECTED\nversion:1.2\n\n\x00", session.Connected)

	p = dial(t, session.Config{}, "1.2")
	p.receive("ERROR\nmessage:no\n\n\x00", session.ServerError)
	p.closed()
}
