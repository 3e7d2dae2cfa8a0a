package hub

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// STOMP-NEGOTIATE-001 to STOMP-NEGOTIATE-005, STOMP-CONNECT-009 to STOMP-CONNECT-012: what CONNECT is answered.
func TestConnecting(t *testing.T) {
	all := []frame.Version{frame.V10, frame.V11, frame.V12}
	const server = "\nserver:assay/1\nheart-beat:3,4\n\n\x00"
	denied := errors.New("no such user")
	for _, c := range []struct {
		what     string
		versions []frame.Version
		hosts    []string
		headers  string
		denied   error
		want     string
	}{
		{"highest of both", all, nil, "accept-version:1.0,1.2,1.1", nil, "CONNECTED\nversion:1.2\nsession:a-1" + server},
		{"highest of both, first", all, nil, "accept-version:1.2, 1.1 ,2.0", nil, "CONNECTED\nversion:1.2\nsession:a-1" + server},
		{"highest that the hub speaks", all[:2], nil, "accept-version:1.2,1.1", nil, "CONNECTED\nversion:1.1\nsession:a-1" + server},
		{"the only common one", all[2:], nil, "accept-version:1.1,1.2,9", nil, "CONNECTED\nversion:1.2\nsession:a-1" + server},
		{"1.0 on request", all, nil, "accept-version:1.0", nil, "CONNECTED\nversion:1.0\nsession:a-1\n\n\x00"},
		{"1.0 by silence", all, nil, "", nil, "CONNECTED\nsession:a-1\n\n\x00"},
		{
			"none", all[1:], nil, "accept-version:1.0", nil,
			"ERROR\nmessage:no common version, supported are 1.1,1.2\ncontent-type:text/plain\nversion:1.1,1.2\n",
		},
		{"a host", all, []string{"g", "h"}, "accept-version:1.2\nhost:h", nil, "CONNECTED\nversion:1.2\nsession:a-1" + server},
		{"another host", all, []string{"g", "h"}, "accept-version:1.2\nhost:i", nil, "ERROR\nmessage:unknown host\n"},
		{"no host", all, []string{"g", "h"}, "accept-version:1.1", nil, "ERROR\nmessage:unknown host\n"},
		{"no host in 1.0", all, []string{"g", "h"}, "", nil, "CONNECTED\nsession:a-1\n\n\x00"},
		{"another host in 1.0", all, []string{"g", "h"}, "host: i ", nil, "ERROR\nmessage:unknown host\n"},
		{"a padded host in 1.0", all, []string{"g", "h"}, "host: h ", nil, "CONNECTED\nsession:a-1\n\n\x00"},
		{"any host", all, nil, "accept-version:1.2\nhost:h", nil, "CONNECTED\nversion:1.2\nsession:a-1" + server},
		{"denied", all, nil, "accept-version:1.2\nreceipt:r", denied, "ERROR\nmessage:access denied\ncontent-type:text/plain\nreceipt-id:r\n"},
		// STOMP-HEARTBEAT-009
		{"bad heart-beat", all, nil, "accept-version:1.2\nheart-beat:1", nil, "ERROR\nmessage:bad heart-beat header\n"},
		{"bad heart-beat in 1.0", all, nil, "heart-beat:1", nil, "CONNECTED\nsession:a-1\n\n\x00"},
	} {
		t.Run(c.what, func(t *testing.T) {
			h := newHub(t, Config{Versions: c.versions, Hosts: c.hosts, HeartBeat: heartbeat.Pair{Send: 3, Want: 4}})
			s, err := h.Open(0, false)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "version before CONNECT", s.Version(), c.versions[len(c.versions)-1])
			f := frame.New(frame.CONNECT)
			for line := range strings.SplitSeq(c.headers, "\n") {
				if name, value, ok := strings.Cut(line, ":"); ok {
					f.Headers = append(f.Headers, frame.Header{Name: name, Value: value})
				}
			}
			h.Connect(s, f, 0, c.denied)
			got := take(t, h, s, 0)
			if strings.HasPrefix(c.want, "ERROR") && strings.HasPrefix(got, c.want) && s.Ended() {
				return
			}
			same(t, "answer", got, c.want)
			same(t, "active", s.Active(), true)
		})
	}
}

// STOMP-HEARTBEAT-002, STOMP-HEARTBEAT-004, STOMP-HEARTBEAT-005: what is promised is the larger of what both sides say, and
// the hub's beat leaves a quarter of the interval ahead, or a quarter of a second.
func TestBeatsLeaveInTime(t *testing.T) {
	for _, c := range []struct {
		ours     heartbeat.Pair
		theirs   string
		deadline int64
	}{
		{heartbeat.Pair{Send: 100}, "0,50", 75},
		{heartbeat.Pair{Send: 50}, "0,100", 75},
		{heartbeat.Pair{Send: 1000}, "0,1000", 750},
		{heartbeat.Pair{Send: 4000}, "0,1000", 3750},
		{heartbeat.Pair{Want: 40}, "100,0", 100 + 7 + 1},
		{heartbeat.Pair{Send: 100}, "100,0", heartbeat.Never},
		{heartbeat.Pair{Send: 100, Want: 100}, "", heartbeat.Never},
		{heartbeat.Pair{}, "100,100", heartbeat.Never},
	} {
		h := newHub(t, Config{HeartBeat: c.ours, Tolerance: 7})
		s, err := h.Open(1000, false)
		if err != nil {
			t.Fatal(err)
		}
		f := frame.New(frame.CONNECT, "accept-version", "1.2")
		if c.theirs != "" {
			f.Headers = append(f.Headers, frame.Header{Name: "heart-beat", Value: c.theirs})
		}
		h.Connect(s, f, 1000, nil)
		take(t, h, s, 1000)
		at := h.Deadline(s, 1000)
		if at != heartbeat.Never {
			at -= 1000
		}
		same(t, "deadline of "+c.ours.String()+" and "+c.theirs, at, c.deadline)
	}
}

// A beat that is due while octets wait is asked about again in 50 ms, one that is not yet due at its own time.
func TestDeadlineBehindWhatIsWritten(t *testing.T) {
	h := newHub(t, Config{HeartBeat: heartbeat.Pair{Send: 100}})
	s, err := h.Open(0, false)
	if err != nil {
		t.Fatal(err)
	}
	h.Connect(s, frame.New(frame.CONNECT, "accept-version", "1.2", "heart-beat", "0,100"), 0, nil)
	same(t, "before it is due", h.Deadline(s, 74), 75)
	same(t, "when it is due", h.Deadline(s, 75), 125)
	same(t, "after it was due", h.Deadline(s, 90), 140)
	take(t, h, s, 10)
	same(t, "when nothing waits", h.Deadline(s, 95), 85)
}
