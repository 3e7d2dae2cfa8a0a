package client

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// alarm is the one timer of a client. It is set for the earliest of the next look at the heart-beats and the times by
// which waiters give up, but not moved when that becomes later: a call that is answered in time costs no timer.
type alarm struct {
	timer *time.Timer
	at    time.Time // when it rings; zero if it is not set
	look  time.Time // when to look at the heart-beats next; zero if never
	soon  bool      // it is set to call the reader back
	last  time.Time // when to close the client because nothing can be written; zero if never
}

// watch starts to look after the heart-beats, if any were agreed on. The caller holds the lock.
func (c *Client) watch() {
	// STOMP-CLOCK-007
	if c.err != nil || c.session.Next() == heartbeat.Never {
		return
	}
	c.alarm.look = time.Now()
	c.ringBy(c.alarm.look)
}

// ringBy sets the alarm to ring at t or before. The caller holds the lock.
func (c *Client) ringBy(t time.Time) {
	a := &c.alarm
	if c.err != nil {
		return
	}
	if a.at.IsZero() {
		a.at = t
		c.all.Add(1)
		if a.timer == nil {
			a.timer = time.AfterFunc(time.Until(t), c.ring)
		} else {
			a.timer.Reset(time.Until(t))
		}
		return
	}
	if !t.Before(a.at) {
		return
	}
	// If it rings already, it sees all there is.
	if a.timer.Stop() {
		a.at = t
		a.timer.Reset(time.Until(t))
	}
}

// silence ends the alarm. The caller holds the lock.
func (c *Client) silence() {
	a := &c.alarm
	a.look = time.Time{}
	if !a.at.IsZero() && a.timer.Stop() {
		a.at = time.Time{}
		c.all.Done()
	}
}

// ring does what is due. It has a goroutine of its own.
func (c *Client) ring() {
	defer c.all.Done()
	c.mu.Lock()
	defer c.unlock()
	c.alarm.at, c.alarm.soon = time.Time{}, false
	if c.err != nil {
		return
	}
	c.recall()
	now := time.Now()
	if c.broken != nil {
		if now.Before(c.alarm.last) {
			c.ringBy(c.alarm.last)
		} else {
			c.stop(c.broken, severed)
		}
		return
	}
	if look := c.alarm.look; !look.IsZero() && !now.Before(look) && !c.beat(now) {
		return
	}
	next := c.waiters.expire(now)
	if w := c.reads; w != nil && w.expired {
		c.interrupt(w)
	}
	if look := c.alarm.look; !look.IsZero() && (next.IsZero() || look.Before(next)) {
		next = look
	}
	c.freed()
	if !next.IsZero() {
		c.ringBy(next)
	}
}

// beat sends a heart-beat if one is due, and closes the client if the server was silent for too long. The next look is
// after a tick, or before that if something is due (STOMP-HEARTBEAT-005).
func (c *Client) beat(now time.Time) (open bool) {
	before := len(c.out)
	out, err := c.session.Tick(c.out, c.now())
	if err != nil {
		c.stop(invalid("tick", err), severed)
		return false
	}
	if c.put("tick", out, before) != nil {
		return false
	}
	c.push(false)
	c.alarm.look = now.Add(c.timing.Tick)
	if next := c.session.Next(); next < int64(longest/time.Millisecond) {
		due := c.start.Add(time.Duration(next) * time.Millisecond)
		if due.Before(c.alarm.look) {
			c.alarm.look = later(due, now.Add(time.Millisecond))
		}
	}
	return true
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
