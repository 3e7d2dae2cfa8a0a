package session_test

import (
	"math"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// beating returns a session that became active at 0 with these intervals.
func beating(t testing.TB, cfg session.Config, client, server string) *script {
	t.Helper()
	p := dial(t, cfg, "1.2", "heart-beat", client)
	p.receive("CONNECTED\nversion:1.2\nheart-beat:"+server+"\n\n\x00", session.Connected)
	return p
}

// STOMP-CLOCK-001, STOMP-CLOCK-002, STOMP-CLOCK-003
func TestTime(t *testing.T) {
	connect := line(t, connectLine)
	p := fresh(t, session.Config{})
	p.exceeds(p.refuseAt(-1, connect, session.ReasonTimeNegative, "STOMP-CLOCK-001"), 0, -1)
	p.tick(0, "")
	p.tick(0, "")
	p.tick(10, "")
	p.exceeds(p.refuseAt(9, connect, session.ReasonTimeRegression, "STOMP-CLOCK-002"), 10, 9)
	p.refuseAt(-1, nil, session.ReasonTimeNegative, "STOMP-CLOCK-001")
	p.state(session.Fresh)
	p.now = 10
	p.send(connect)
	p.now = math.MaxInt64
	p.receive("CONNECTED\nversion:1.2\n\n\x00", session.Connected)
	p.say("SEND destination=/q")
	p.tick(math.MaxInt64, "")
	if got := p.s.Next(); got != heartbeat.Never {
		t.Errorf("next %d", got)
	}

	// STOMP-CLOCK-003: in every state.
	for _, setup := range [][]string{nil, {connectLine}, {connectLine, "<CONNECTED version=1.2"}, {connectLine, "<CONNECTED version=1.2", "SEND destination=/q receipt=r", "DISCONNECT receipt=bye"}} {
		for _, now := range []int64{99, -1} {
			reason, law := session.ReasonTimeRegression, "STOMP-CLOCK-003"
			if now < 0 {
				reason, law = session.ReasonTimeNegative, "STOMP-CLOCK-001"
			}
			p := prepare(t, "", setup)
			p.tick(100, "")
			p.tickCloses(now, reason, law)
			p = prepare(t, "", setup)
			p.tick(100, "")
			p.now = now
			if len(setup) == 0 {
				// STOMP-CLIENT-007 comes before the time.
				reason, law = session.ReasonNotReceiving, "STOMP-CLIENT-007"
			}
			p.closes("\x00", reason, law)
		}
	}
}

// STOMP-CLOCK-004
func TestClosedTicksAreInert(t *testing.T) {
	p := fresh(t, session.Config{})
	p.now = 100
	p.say(connectLine)
	p.tick(101, "")
	p.closes("\n", session.ReasonTimeRegression, "STOMP-CLOCK-003")
	before := p.s.Snapshot()
	for _, now := range []int64{-1, 0, 5, math.MaxInt64, math.MinInt64} {
		p.tick(now, "")
	}
	if after := p.s.Snapshot(); after != before {
		t.Errorf("%s became %s", before, after)
	}
	// They did not advance the time either.
	p.refuseAt(101, line(t, connectLine), session.ReasonClosed, "STOMP-CLIENT-010")
	p.refuseAt(100, line(t, connectLine), session.ReasonTimeRegression, "STOMP-CLOCK-002")
}

// STOMP-CLOCK-005
func TestRefusalAdvancesTime(t *testing.T) {
	p := active(t, session.Config{}, "1.2")
	good := line(t, "SEND destination=/q")
	p.refuseAt(50, line(t, "SEND"), session.ReasonDestination, "STOMP-SEND-005")
	p.refuseAt(49, good, session.ReasonTimeRegression, "STOMP-CLOCK-002")
	p.refuseAt(60, nil, session.ReasonEncoding, "STOMP-CLIENT-003")
	p.refuseAt(59, good, session.ReasonTimeRegression, "STOMP-CLOCK-002")
	p.now = 60
	p.send(good)
	p.refuseAt(70, line(t, "SEND"), session.ReasonDestination, "STOMP-SEND-005")
	p.tickCloses(69, session.ReasonTimeRegression, "STOMP-CLOCK-003")
}

// STOMP-CLOCK-006
func TestNoDeadlines(t *testing.T) {
	p := fresh(t, session.Config{})
	p.say(connectLine)
	p.tick(1_000_000_000_000, "")
	p.state(session.Connecting)
	p.now = 1_000_000_000_000
	p.receive("CONNECTED\nversion:1.2\n\n\x00", session.Connected)
	p.say("SEND destination=/q receipt=r")
	p.tick(math.MaxInt64, "")
	p.counts(session.Counts{Receipts: 1})
	p.state(session.Active)
}

// STOMP-HEARTBEAT-010, STOMP-HEARTBEAT-014, STOMP-HEARTBEAT-015
func TestBeats(t *testing.T) {
	p := beating(t, session.Config{}, "10,0", "0,10")
	if a, b := p.s.Intervals(); a != 10 || b != 0 {
		t.Errorf("intervals %d, %d", a, b)
	}
	if got := p.s.Next(); got != 10 {
		t.Errorf("next %d", got)
	}
	p.tick(9, "")
	p.tick(10, "\n")
	p.tick(10, "")
	p.tick(19, "")
	p.tick(95, "\n")
	p.tick(104, "")
	p.now = 104
	p.say("SEND destination=/q")
	p.refuseAt(113, line(t, "SEND"), session.ReasonDestination, "STOMP-SEND-005")
	p.tick(113, "")
	if got := p.s.Next(); got != 114 {
		t.Errorf("next %d", got)
	}
	p.tick(114, "\n")

	p = beating(t, session.Config{}, "10,0", "0,10")
	p.now = 9
	p.say("SEND destination=/q")
	p.tick(18, "")
	p.tick(19, "\n")
}

// STOMP-HEARTBEAT-011, STOMP-HEARTBEAT-014
func TestTimeout(t *testing.T) {
	p := beating(t, session.Config{}, "0,10", "10,0")
	p.say("SUBSCRIBE id=s destination=/q ack=client receipt=r", "BEGIN transaction=x")
	p.hear("MESSAGE subscription=s message-id=1 ack=a destination=/q")
	p.now = 100
	p.receive("M")
	if got := p.s.Next(); got != 211 {
		t.Errorf("next %d", got)
	}
	p.now = 150
	p.receive("")
	p.tick(210, "")
	p.exceeds(p.tickCloses(211, session.ReasonTimeout, "STOMP-HEARTBEAT-011"), 110, 111)
	if a, b := p.s.Intervals(); a != 0 || b != 0 || p.s.Next() != heartbeat.Never {
		t.Errorf("a closed session has intervals %d, %d", a, b)
	}

	// An octet that comes late but before the tick is a sign of life.
	p = beating(t, session.Config{}, "0,10", "10,0")
	p.now = 5000
	p.receive("\n", session.HeartBeat)
	p.tick(5110, "")
	p.tickCloses(5111, session.ReasonTimeout, "STOMP-HEARTBEAT-011")

	for _, c := range []struct{ tolerance, alive int64 }{{1, 21}, {5, 25}, {heartbeat.MaxInterval, 20 + heartbeat.MaxInterval}} {
		p := beating(t, session.Config{Tolerance: c.tolerance}, "0,20", "10,0")
		p.tick(c.alive, "")
		p.exceeds(p.tickCloses(c.alive+1, session.ReasonTimeout, "STOMP-HEARTBEAT-011"), c.alive, c.alive+1)
	}
}

// STOMP-HEARTBEAT-013
func TestTimeoutWins(t *testing.T) {
	p := beating(t, session.Config{}, "10,10", "10,10")
	p.tickCloses(1000, session.ReasonTimeout, "STOMP-HEARTBEAT-011")
	p = beating(t, session.Config{}, "10,10", "10,10")
	p.now = 1000
	p.receive("\n", session.HeartBeat)
	p.tick(1000, "\n")
	p.tick(1000, "")
}

// STOMP-HEARTBEAT-016
func TestNoBeatsOutsideActive(t *testing.T) {
	p := fresh(t, multi)
	p.tick(1000, "")
	p.now = 1000
	p.send(frame.New(frame.CONNECT, "accept-version", "1.0,1.1,1.2", "host", "h", "heart-beat", "10,10"))
	p.tick(5000, "")
	if a, b := p.s.Intervals(); a != 0 || b != 0 || p.s.Next() != heartbeat.Never {
		t.Errorf("before CONNECTED: %d, %d, next %d", a, b, p.s.Next())
	}
	p.now = 5000
	p.receive("CONNECTED\nversion:1.1\nheart-beat:20,30\n\n\x00", session.Connected)
	if a, b := p.s.Intervals(); a != 30 || b != 20 {
		t.Errorf("intervals %d, %d", a, b)
	}
	p.tick(5029, "")
	p.tick(5030, "\n")
	p.now = 5030
	p.say("DISCONNECT receipt=bye")
	p.tick(99999, "")
	if p.s.Next() != heartbeat.Never {
		t.Errorf("disconnecting, next %d", p.s.Next())
	}
	p.state(session.Disconnecting)

	// In 1.0 the header means nothing, valid or not.
	for _, b := range []string{"10,10", "nonsense"} {
		p = dial(t, multi, "1.0,1.1", "heart-beat", "10,10")
		p.receive("CONNECTED\nheart-beat:"+b+"\n\n\x00", session.Connected)
		p.tick(1_000_000, "")
		if a, b := p.s.Intervals(); a != 0 || b != 0 {
			t.Errorf("1.0: %d, %d", a, b)
		}
	}
	// STOMP-HEARTBEAT-002
	for _, c := range [][2]string{{"0,0", "heart-beat:10,10\n"}, {"10,10", "heart-beat:0,0\n"}, {"10,10", ""}} {
		p = dial(t, session.Config{}, "1.2", "heart-beat", c[0])
		p.receive("CONNECTED\nversion:1.2\n"+c[1]+"\n\x00", session.Connected)
		p.tick(1_000_000, "")
		p.state(session.Active)
	}
	p = dial(t, session.Config{}, "1.2")
	p.receive("CONNECTED\nversion:1.2\nheart-beat:10,10\n\n\x00", session.Connected)
	p.tick(1_000_000, "")
}
