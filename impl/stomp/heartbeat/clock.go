package heartbeat

import (
	"fmt"
	"math"
)

const (
	// DefaultTolerance is the error margin, in milliseconds, that a receiver should grant its peer.
	DefaultTolerance = 100
	// Never is what [Clock.Next] returns when no time matters.
	Never = math.MaxInt64
)

// Clock watches one connection: when this side owes data and when the other side is dead. Times are
// milliseconds, 0 or more, that never decrease; only their differences matter. A Clock is not safe for
// concurrent use.
type Clock struct {
	send      int64
	receive   int64
	tolerance int64
	sent      int64
	received  int64
	now       int64
}

// New starts a clock at now with the intervals that [Negotiate] returned: send for this side, receive
// for the peer, 0 meaning none. Tolerance is the margin beyond receive, usually [DefaultTolerance].
// Intervals and tolerance outside 0 to [MaxInterval] are a [*RangeError], a negative now a [*TimeError].
func New(send, receive, tolerance, now int64) (*Clock, error) {
	// STOMP-HEARTBEAT-012
	if err := inRange("tolerance", tolerance); err != nil {
		return nil, err
	}
	if err := inRange("send interval", send); err != nil {
		return nil, err
	}
	if err := inRange("receive interval", receive); err != nil {
		return nil, err
	}
	// STOMP-CLOCK-001
	if now < 0 {
		return nil, &TimeError{Found: now}
	}
	return &Clock{
		send: send, receive: receive, tolerance: tolerance,
		sent: now, received: now, now: now,
	}, nil
}

// Sent records that this side put data on the connection: a frame or a beat, whole or in part.
func (c *Clock) Sent(now int64) error {
	if err := c.advance(now); err != nil {
		return err
	}
	// STOMP-HEARTBEAT-014
	c.sent = now
	return nil
}

// Received records that at least one octet arrived. The caller must not report an empty read.
func (c *Clock) Received(now int64) error {
	if err := c.advance(now); err != nil {
		return err
	}
	// STOMP-HEARTBEAT-007, STOMP-HEARTBEAT-014
	c.received = now
	return nil
}

// Poll says whether a beat is due and whether the peer is dead. When the peer is dead no beat is due.
// Polling records nothing: a beat stays due until [Clock.Sent]. A time before the last one accepted is
// a [*TimeError] and changes nothing.
func (c *Clock) Poll(now int64) (due, dead bool, err error) {
	if err := c.advance(now); err != nil {
		return false, false, err
	}
	// STOMP-HEARTBEAT-011: dead only strictly beyond the interval and the tolerance.
	if c.receive > 0 && now-c.received > c.receive+c.tolerance {
		// STOMP-HEARTBEAT-013
		return false, true, nil
	}
	// STOMP-HEARTBEAT-010: due at the interval exactly. STOMP-HEARTBEAT-015: not marked as sent.
	return c.send > 0 && now-c.sent >= c.send, false, nil
}

// Next returns the first time at which [Clock.Poll] will say due or dead if nothing more is sent or
// received, or [Never]. It may lie in the past.
func (c *Clock) Next() int64 {
	at := int64(Never)
	if c.send > 0 {
		at = later(c.sent, c.send)
	}
	if c.receive > 0 {
		at = min(at, later(c.received, c.receive+c.tolerance+1))
	}
	return at
}

func (c *Clock) advance(now int64) error {
	// STOMP-CLOCK-001
	if now < c.now {
		return &TimeError{Found: now, Last: c.now}
	}
	c.now = now
	return nil
}

func later(at, ms int64) int64 {
	if at > Never-ms {
		return Never
	}
	return at + ms
}

// TimeError is a time that is negative or before the last accepted one.
type TimeError struct {
	Found int64 // the time given
	Last  int64 // the earliest time that was acceptable
}

func (e *TimeError) Error() string {
	return fmt.Sprintf("heart-beat clock: time %d ms is before %d", e.Found, e.Last)
}
