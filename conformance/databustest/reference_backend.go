package databustest

import (
	"fmt"
	"strconv"

	"github.com/seed-6f28358b/assay/impl/databus/backend"
)

// extras are what an adapter can do besides buses: the worker behind a transport. A nil one has none.
type extras struct {
	pick  func(backendPickRequest) (backendPickReply, error)
	ping  func(backendPingRequest) (backendPingReply, error)
	ports func(backendPortsRequest) (backendPortsReply, error)
}

// referenceBackend is that of impl/databus/backend.
func referenceBackend() *extras {
	return &extras{pick: pickByReference, ping: pingByReference, ports: portsByReference}
}

// operations returns the operations of the worker behind a transport, which need no origin.
func (x *extras) operations() map[string]operation {
	return map[string]operation{
		"backend-pick":  replying(x.pick),
		"backend-ping":  replying(x.ping),
		"backend-ports": replying(x.ports),
	}
}

func pickByReference(q backendPickRequest) (backendPickReply, error) {
	words := map[backend.Kind]string{backend.Shared: backendShared, backend.Dedicated: backendDedicated, backend.MainThread: backendMain}
	r := backendPickReply{Tried: []string{}}
	kind, err := backend.Pick(backend.Mode(q.Mode), func(k backend.Kind) bool {
		r.Tried = append(r.Tried, words[k])
		return k == backend.Shared && q.Shared || k == backend.Dedicated && q.Dedicated
	})
	r.Backend = words[kind]
	return r, err
}

// A backendClock is the time of one worker.
type backendClock struct {
	now   int64
	every []*repeated
}

type repeated struct {
	at, ms int64
	f      func()
}

// Now returns the time in ms.
func (c *backendClock) Now() int64 { return c.now }

// Every calls f each ms.
func (c *backendClock) Every(ms int64, f func()) (stop func()) {
	r := &repeated{c.now + ms, ms, f}
	c.every = append(c.every, r)
	return func() { r.f = func() {} }
}

// until lets time pass until a moment. What is due at that moment is done only if it is included.
func (c *backendClock) until(end int64, included bool) {
	for {
		var next *repeated
		for _, r := range c.every {
			if (r.at < end || included && r.at == end) && (next == nil || r.at < next.at) {
				next = r
			}
		}
		if next == nil {
			c.now = end
			return
		}
		c.now = next.at
		next.at += next.ms
		next.f()
	}
}

// interval reads a number of JavaScript.
func interval(text string) (float64, error) {
	if text == "" {
		return backend.DefaultInterval, nil
	}
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("interval: %w", err)
	}
	return ms, nil
}

func pingByReference(q backendPingRequest) (r backendPingReply, err error) {
	ms, err := interval(q.Interval)
	if err != nil {
		return r, err
	}
	clock := &backendClock{}
	if _, err := backend.NewPinger(clock, ms, func() { r.Pings = append(r.Pings, clock.now) }); err != nil {
		return backendPingReply{Refused: true}, nil
	}
	clock.until(q.Until, true)
	return r, nil
}

func portsByReference(q backendPortsRequest) (r backendPortsReply, err error) {
	ms, err := interval(q.Interval)
	if err != nil {
		return r, err
	}
	clock := &backendClock{}
	ports, err := backend.NewPorts(clock, ms)
	if err != nil {
		return backendPortsReply{Refused: true}, nil
	}
	open := map[string]*backend.Port{}
	for _, m := range q.Messages {
		clock.until(m.At, false)
		port := open[m.Port]
		if port != nil {
			port.Heard()
			continue
		}
		ends := func(what string) func() {
			return func() { r.Ended = append(r.Ended, portEnded{clock.now, m.Port, what}) }
		}
		open[m.Port] = ports.Connect(ends("port"), ends("session"))
	}
	clock.until(q.Until, true)
	return r, nil
}
