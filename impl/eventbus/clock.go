package eventbus

import (
	"sync/atomic"
	"time"
)

// clock reads the wall clock in whole milliseconds.
type clock struct {
	now    func() time.Time
	anchor atomic.Pointer[anchor]
}

// anchor is a reading of both clocks at one moment.
type anchor struct {
	at   time.Time
	unix int64 // nanoseconds
}

// anchorAge is how long a reading of the wall clock is carried on by the monotonic clock, which costs half as much to read.
// A step of the wall clock is seen this much later at most.
const anchorAge = time.Millisecond

func (c *clock) millis() float64 {
	if c.now != nil {
		return float64(c.called().UnixMilli())
	}
	if a := c.anchor.Load(); a != nil {
		if age := time.Since(a.at); age >= 0 && age < anchorAge {
			return float64((a.unix + int64(age)) / int64(time.Millisecond))
		}
	}
	t := time.Now()
	c.anchor.Store(&anchor{at: t, unix: t.UnixNano()})
	return float64(t.UnixMilli())
}

// called calls the clock of the configuration, which must not make a publisher panic (EVENTBUS-PUBLISH-003).
func (c *clock) called() (t time.Time) {
	defer func() {
		if recover() != nil {
			t = time.Now()
		}
	}()
	return c.now()
}
