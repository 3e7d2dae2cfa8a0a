package broker_test

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

func TestVersionIsTheHighestCommonOne(t *testing.T) {
	// STOMP-NEGOTIATE-002, STOMP-NEGOTIATE-003, STOMP-CONNECT-004, STOMP-CONNECT-005, STOMP-CONNECT-010
	_, addr := serve(t, broker.Config{})
	for _, c := range []struct{ accept, want string }{
		{"", ""},
		{"accept-version:1.0\n", "1.0"},
		{"accept-version:1.0,1.1,1.2\n", "1.2"},
		{"accept-version:1.0,1.1\n", "1.1"},
		{"accept-version:1.0,1.1,2.0\n", "1.1"},
		{"accept-version:1.2,9.9\n", "1.2"},
		{"accept-version:1.2,1.0,1.1\n", "1.2"},
		{"accept-version:1.1,1.1\n", "1.1"},
		{"accept-version:1.1, 1.0\n", "1.1"},
	} {
		for _, command := range []string{"CONNECT", "STOMP"} {
			p := connectTCP(t, addr)
			p.send(command + "\n" + c.accept + "host:h\n\n")
			f := p.expect(c.accept, frame.CONNECTED)
			if got, ok := f.Get("version"); got != c.want || ok != (c.want != "") {
				t.Errorf("%s with %q: version %q, want %q", command, c.accept, got, c.want)
			}
		}
	}
}

func TestNoCommonVersion(t *testing.T) {
	// STOMP-NEGOTIATE-004, STOMP-NEGOTIATE-005, STOMP-CONNECT-008, STOMP-ERROR-004
	_, addr := serve(t, broker.Config{})
	p := connectTCP(t, addr)
	p.send("CONNECT\naccept-version:9.9\nhost:h\nreceipt:r\n\n")
	f := p.refused("9.9 is no version", "no common version", "version", "1.0,1.1,1.2", "receipt-id", "r")
	if !strings.Contains(string(f.Body), "1.0,1.1,1.2") {
		t.Errorf("the body does not explain: %q", f.Body)
	}

	_, addr = serve(t, broker.Config{Versions: []frame.Version{frame.V12, frame.V11}})
	p = connectTCP(t, addr)
	p.send("CONNECT\nhost:h\n\n")
	p.refused("without accept-version the peer speaks 1.0 only", "no common version", "version", "1.1,1.2")
}

func TestConnectedHeaders(t *testing.T) {
	// STOMP-CONNECT-007, STOMP-CONNECT-011, STOMP-CONNECT-012
	_, addr := serve(t, broker.Config{Server: "Name/1 (x) y", HeartBeat: heartbeat.Pair{Send: 5000, Want: 6000}})
	seen := make(map[string]bool)
	for _, v := range versions {
		f := connectTCP(t, addr).open(v)
		id, ok := f.Get("session")
		if !ok || seen[id] {
			t.Errorf("session %q (%t) is missing or not unique", id, ok)
		}
		seen[id] = true
		server, ok := f.Get("server")
		beat, ok2 := f.Get("heart-beat")
		if v == "1.0" {
			if ok || ok2 {
				t.Errorf("1.0 knows neither server %q nor heart-beat %q", server, beat)
			}
		} else if server != "Name/1 (x) y" || beat != "5000,6000" {
			t.Errorf("server %q, heart-beat %q", server, beat)
		}
	}
	for _, server := range []string{" x", "/1.0", "a b\nc", "a/b/c", "a/"} {
		if _, err := broker.New(broker.Config{Server: server}); err == nil {
			t.Errorf("server %q was accepted", server)
		}
	}
	for _, server := range []string{"Apache/1.3.9", "x"} {
		if _, err := broker.New(broker.Config{Server: server}); err != nil {
			t.Error(err)
		}
	}
}

func TestCredentialsAndHosts(t *testing.T) {
	// STOMP-CONNECT-008, STOMP-CONNECT-009
	b, addr := serve(t, broker.Config{Credentials: map[string]string{"u": "p"}, Hosts: []string{"h"}})
	for _, c := range []struct{ headers, message string }{
		{"accept-version:1.2\nhost:h\nlogin:u\npasscode:wrong-secret\n", "access denied"},
		{"accept-version:1.2\nhost:h\nlogin:nobody\npasscode:\n", "access denied"},
		{"accept-version:1.2\nhost:h\n", "access denied"},
		{"accept-version:1.1\nhost:no-such-host.invalid\nlogin:u\npasscode:p\n", "unknown host"},
		{"accept-version:1.1\nlogin:u\npasscode:p\n", "unknown host"},
		{"login:u\npasscode:q\n", "access denied"},
	} {
		p := connectTCP(t, addr)
		p.send("CONNECT\n" + c.headers + "\n")
		f := p.refused(c.headers, c.message)
		if strings.Contains(string(f.Body), "wrong-secret") {
			t.Errorf("the passcode is repeated: %q", f.Body)
		}
	}
	connectTCP(t, addr).open("1.2", "login:u", "passcode:p")
	// STOMP-HDR-008: 1.0 pads values.
	connectTCP(t, addr).open("", "login: u", "passcode: p")
	if s := b.Stats(); s.Connected != 2 || s.Errors != 6 {
		t.Errorf("stats %+v", s)
	}
}

func TestConnectMustComeFirstAndOnce(t *testing.T) {
	// STOMP-CONNECT-007
	_, addr := serve(t, broker.Config{})
	p := connectTCP(t, addr)
	p.send("SEND\ndestination:/queue/a\n\nx")
	p.refused("SEND before CONNECT", "first frame must be CONNECT")
	for _, v := range versions[1:] {
		p = session(t, addr, v)
		p.send("CONNECT\naccept-version:1.2\nhost:h\n\n")
		p.refused("second CONNECT", "connected already")
	}
	p = connectTCP(t, addr)
	p.raw("\n\n\n")
	p.open("1.2")
}

func TestBadHeartBeatHeaderIsRefused(t *testing.T) {
	// STOMP-HEARTBEAT-009
	_, addr := serve(t, broker.Config{HeartBeat: heartbeat.Pair{Send: 5000, Want: 5000}})
	for _, value := range []string{"1", "1, 2", "-1,0", "2147483648,0", ""} {
		p := connectTCP(t, addr)
		p.send("CONNECT\naccept-version:1.2\nhost:h\nheart-beat:" + value + "\n\n")
		p.refused(value, "heart-beat")
	}
	// In 1.0 the header means nothing.
	p := connectTCP(t, addr)
	p.send("CONNECT\nheart-beat:nonsense\n\n")
	p.expect("a 1.0 session", frame.CONNECTED)
}

func TestRapidConnectAndDisconnect(t *testing.T) {
	// STOMP-CONNECT-013
	_, addr := serve(t, broker.Config{})
	for i := range 300 {
		p := connectTCP(t, addr)
		if i%3 > 0 {
			p.open("1.2")
		}
		_ = p.conn.Close()
	}
	session(t, addr, "1.2").quiet("the broker serves on")
}
