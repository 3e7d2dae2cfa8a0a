package conformance

import (
	"fmt"
	"time"
)

// Timing holds the deadlines of a run. Each is a ceiling for something that a healthy target does
// at once; none of them is what a target is measured against. JSON carries nanoseconds.
type Timing struct {
	Reply time.Duration `json:"reply"` // until an answer is given up; default 2 s
	Close time.Duration `json:"close"` // until the end of a connection after ERROR; default 3 s
	Quiet time.Duration `json:"quiet"` // window behind "nothing arrived"; default 300 ms
	// HeartBeat is the interval that the heart-beat cases offer; default 500 ms.
	HeartBeat time.Duration `json:"heartbeat"`
	Case      time.Duration `json:"case"` // until a whole case is given up; default 20 s
	// RTT is the measured round trip of an answered CONNECT; 0 until measured.
	RTT time.Duration `json:"rtt"`
}

// DefaultTiming returns the deadlines for a target on the same machine.
func DefaultTiming() Timing {
	return Timing{
		Reply:     2 * time.Second,
		Close:     3 * time.Second,
		Quiet:     300 * time.Millisecond,
		HeartBeat: 500 * time.Millisecond,
		Case:      20 * time.Second,
	}
}

// Validate reports the first deadline outside 10 ms to 10 min.
func (t Timing) Validate() error {
	for _, f := range []struct {
		name string
		d    time.Duration
	}{{"reply", t.Reply}, {"close", t.Close}, {"quiet", t.Quiet}, {"heartbeat", t.HeartBeat}, {"case", t.Case}} {
		if f.d < 10*time.Millisecond || f.d > 10*time.Minute {
			return fmt.Errorf("deadline %s is %v, allowed are 10ms to 10m", f.name, f.d)
		}
	}
	return nil
}

// maxStretch bounds what a slow round trip makes of a deadline: one hiccup must not turn each silent case into minutes.
const maxStretch = 10

// Measured returns t stretched to a measured round trip: a reply may take 50 round trips and a quiet window lasts at least 10,
// but no deadline becomes more than maxStretch times what it was. It never shortens a deadline. What is stretched is whole
// milliseconds.
func (t Timing) Measured(rtt time.Duration) Timing {
	stretch := func(d time.Duration, trips int) time.Duration {
		return max(d, min(time.Duration(trips)*rtt, maxStretch*d).Round(time.Millisecond))
	}
	t.RTT = rtt
	t.Reply = stretch(t.Reply, 50)
	t.Close = stretch(t.Close, 100)
	t.Quiet = stretch(t.Quiet, 10)
	t.Case = stretch(t.Case, 1000)
	return t
}

// Scaled returns t with every waiting time multiplied by f. The heart-beat interval stays: it is
// negotiated with the target and not a patience of ours.
func (t Timing) Scaled(f float64) Timing {
	mul := func(d time.Duration) time.Duration { return time.Duration(float64(d) * f) }
	t.Reply, t.Close, t.Quiet = mul(t.Reply), mul(t.Close), mul(t.Quiet)
	if f > 1 {
		t.Case = mul(t.Case)
	}
	return t
}
