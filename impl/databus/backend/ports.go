package backend

import (
	"fmt"
	"math"
)

// DefaultInterval is the time between two pings of a tab, in milliseconds (DATABUS-HEARTBEAT-004).
const DefaultInterval = 10000

// silences is how many intervals without a message end a port.
const silences = 3

// An IntervalError is an interval of pings that is not positive.
type IntervalError struct {
	Found float64 // milliseconds
}

// Error returns a one line description.
func (e *IntervalError) Error() string {
	return fmt.Sprintf("databus backend: ping interval: want more than 0 ms, found %g", e.Found)
}

// checked returns an [*IntervalError] unless the interval is positive. Infinity is: it means never.
func checked(interval float64) error {
	if !(interval > 0) { // NaN is not
		return &IntervalError{interval}
	}
	return nil
}

// A Clock calls functions at times, in milliseconds.
type Clock interface {
	Now() int64
	Every(ms int64, f func()) (stop func())
}

// NewPinger has ping called every interval, in milliseconds, until stop is called. An infinite interval calls it never. It fails with an
// [*IntervalError].
func NewPinger(clock Clock, interval float64, ping func()) (stop func(), err error) {
	if err := checked(interval); err != nil {
		return nil, err
	}
	if math.IsInf(interval, 1) {
		return func() {}, nil
	}
	return clock.Every(whole(interval), ping), nil
}

// whole returns an interval in whole milliseconds, at least one.
func whole(interval float64) int64 { return int64(max(1, min(interval, math.MaxInt32))) }

// Ports are the tabs that share one worker. Use [NewPorts] to make them.
type Ports struct {
	clock    Clock
	interval float64
	stop     func()
	open     []*Port
}

// A Port is one tab.
type Port struct {
	all         *Ports
	heard       int64
	closed      bool
	close, stop func()
}

// NewPorts returns a worker without ports that looks for silent ones every interval, in milliseconds. It fails with an [*IntervalError].
func NewPorts(clock Clock, interval float64) (*Ports, error) {
	p := &Ports{clock: clock, interval: interval}
	var err error
	p.stop, err = NewPinger(clock, interval, p.sweep)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Connect adds a tab. When it ends, by [Port.End] or by silence, close is called to close its port and then stop to end its session.
func (p *Ports) Connect(close, stop func()) *Port {
	port := &Port{all: p, heard: p.clock.Now(), close: close, stop: stop}
	p.open = append(p.open, port)
	return port
}

// Heard says that a message has come over the port, a ping or any other.
func (t *Port) Heard() { t.heard = t.all.clock.Now() }

// End ends a port and the session behind it, once.
func (t *Port) End() {
	if t.closed {
		return
	}
	t.closed = true
	kept := t.all.open[:0]
	for _, other := range t.all.open {
		if other != t {
			kept = append(kept, other)
		}
	}
	clear(t.all.open[len(kept):])
	t.all.open = kept
	// The session must not answer on a port that is about to go.
	t.close()
	t.stop()
}

// Len returns how many ports are open.
func (p *Ports) Len() int { return len(p.open) }

// sweep ends the ports that have been silent for more than three intervals.
func (p *Ports) sweep() {
	var silent []*Port
	for _, t := range p.open {
		if float64(p.clock.Now()-t.heard) > silences*p.interval {
			silent = append(silent, t)
		}
	}
	for _, t := range silent {
		t.End()
	}
}

// Close ends all ports.
func (p *Ports) Close() {
	p.stop()
	for len(p.open) > 0 {
		p.open[0].End()
	}
}
