package heartbeat

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func start(t *testing.T, send, receive, tolerance, now int64) *Clock {
	t.Helper()
	c, err := New(send, receive, tolerance, now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func poll(t *testing.T, c *Clock, now int64, due, dead bool) {
	t.Helper()
	gotDue, gotDead, err := c.Poll(now)
	if err != nil || gotDue != due || gotDead != dead {
		t.Errorf("Poll(%d) = due %t, dead %t, %v; want %t, %t", now, gotDue, gotDead, err, due, dead)
	}
}

func TestBeatIsDueAtExactlyTheInterval(t *testing.T) {
	// STOMP-HEARTBEAT-010
	c := start(t, 10, 0, DefaultTolerance, 0)
	poll(t, c, 9, false, false)
	// STOMP-HEARTBEAT-015: polling twice reports due twice.
	poll(t, c, 10, true, false)
	poll(t, c, 10, true, false)
	if err := c.Sent(10); err != nil {
		t.Fatal(err)
	}
	poll(t, c, 19, false, false)
	poll(t, c, 20, true, false)
}

func TestPeerIsDeadOnlyBeyondTolerance(t *testing.T) {
	// STOMP-HEARTBEAT-011
	c := start(t, 0, 10, DefaultTolerance, 0)
	if err := c.Received(100); err != nil {
		t.Fatal(err)
	}
	poll(t, c, 210, false, false)
	poll(t, c, 211, false, true)

	// STOMP-HEARTBEAT-012
	c = start(t, 0, 20, 5, 0)
	if err := c.Received(19); err != nil {
		t.Fatal(err)
	}
	poll(t, c, 44, false, false)
	poll(t, c, 45, false, true)
}

func TestDeathWinsOverADueBeat(t *testing.T) {
	// STOMP-HEARTBEAT-013
	c := start(t, 10, 10, DefaultTolerance, 0)
	poll(t, c, 1000, false, true)
}

func TestInputsAreValidated(t *testing.T) {
	// STOMP-HEARTBEAT-012
	for _, tolerance := range []int64{0, MaxInterval} {
		start(t, 1, 1, tolerance, 0)
	}
	for _, in := range [][3]int64{{0, 0, -1}, {0, 0, MaxInterval + 1}, {-1, 0, 0}, {MaxInterval + 1, 0, 0}, {0, -1, 0}, {0, MaxInterval + 1, 0}} {
		_, err := New(in[0], in[1], in[2], 0)
		var out *RangeError
		if !errors.As(err, &out) {
			t.Errorf("New(%v): %v; want a RangeError", in, err)
		}
	}
	var back *TimeError
	if _, err := New(0, 0, 0, -1); !errors.As(err, &back) {
		t.Errorf("New at -1: %v; want a TimeError", err)
	}
}

func TestTimeNeverGoesBack(t *testing.T) {
	// STOMP-CLOCK-001
	c := start(t, 10, 10, 0, 50)
	before := *c
	var back *TimeError
	if err := c.Sent(49); !errors.As(err, &back) || back.Last != 50 {
		t.Errorf("Sent(49): %v", err)
	}
	if err := c.Received(49); !errors.As(err, &back) {
		t.Errorf("Received(49): %v", err)
	}
	if _, _, err := c.Poll(49); !errors.As(err, &back) {
		t.Errorf("Poll(49): %v", err)
	}
	if *c != before {
		t.Errorf("a refused time changed the clock: %+v, was %+v", *c, before)
	}
}

func TestNextIsTheFirstTimeThatPollReports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Int64Range(0, 50)
		c, err := New(small.Draw(t, "send"), small.Draw(t, "receive"), small.Draw(t, "tolerance"), small.Draw(t, "now"))
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "sends") {
			_ = c.Sent(c.now + small.Draw(t, "sent after"))
		}
		if rapid.Bool().Draw(t, "receives") {
			_ = c.Received(c.now + small.Draw(t, "received after"))
		}
		next := c.Next()
		for now := c.now; now < c.now+200; now++ {
			twin := *c
			due, dead, err := twin.Poll(now)
			if err != nil || (due || dead) != (now >= next) {
				t.Fatalf("Next() = %d but Poll(%d) = %t, %t, %v", next, now, due, dead, err)
			}
		}
	})
}

func TestNextSaturates(t *testing.T) {
	c := start(t, 10, 10, 0, math.MaxInt64-1)
	if got := c.Next(); got != Never {
		t.Errorf("Next() = %d; want Never", got)
	}
	poll(t, c, math.MaxInt64, false, false)
	if got := start(t, 0, 0, 0, 0).Next(); got != Never {
		t.Errorf("Next() without intervals = %d; want Never", got)
	}
}
