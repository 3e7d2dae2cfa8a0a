package backend

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
)

// DATABUS-DEGRADE-004: what is there, two by two, for each mode.
func TestPick(t *testing.T) {
	for mode, want := range map[Mode][4]Kind{
		// neither, shared only, dedicated only, both
		"":            {MainThread, Shared, Dedicated, Dedicated},
		ModeDedicated: {MainThread, Shared, Dedicated, Dedicated},
		ModeShared:    {MainThread, Shared, Dedicated, Shared},
		ModeAuto:      {MainThread, Shared, Dedicated, Shared},
	} {
		for n, want := range want {
			got, err := Pick(mode, func(k Kind) bool {
				if k == MainThread {
					t.Error("asked about the main thread")
				}
				return k == Shared && n&1 != 0 || k == Dedicated && n&2 != 0
			})
			if err != nil || got != want {
				t.Errorf("%q with %d: got %s, %v, want %s", mode, n, got, err, want)
			}
		}
	}
	var e *ModeError
	if _, err := Pick("service", nil); !errors.As(err, &e) || e.Mode != "service" {
		t.Errorf("got %v", err)
	}
}

// A dial is a clock that the test turns.
type dial struct {
	now    int64
	timers []*timer
}

type timer struct {
	at, every int64
	f         func()
	stopped   bool
}

func (d *dial) Now() int64 { return d.now }

func (d *dial) Every(ms int64, f func()) func() {
	t := &timer{d.now + ms, ms, f, false}
	d.timers = append(d.timers, t)
	return func() { t.stopped = true }
}

func (d *dial) to(end int64) {
	for d.now < end {
		d.now++
		for _, t := range d.timers {
			if !t.stopped && t.at == d.now {
				t.at += t.every
				t.f()
			}
		}
	}
}

// DATABUS-HEARTBEAT-004: a silent port is alive at 30000 ms and goes at the first sweep after; a ping at 29999 keeps it.
func TestSilentPort(t *testing.T) {
	d := &dial{}
	p, err := NewPorts(d, DefaultInterval)
	if err != nil {
		t.Fatal(err)
	}
	var log []string
	connect := func(name string) *Port {
		return p.Connect(func() { log = append(log, "close "+name) }, func() { log = append(log, "stop "+name) })
	}
	connect("silent")
	pinged := connect("pinged")
	d.to(29_999)
	pinged.Heard()
	d.to(39_999)
	if p.Len() != 2 || len(log) != 0 {
		t.Errorf("before the sweep: %v", log)
	}
	d.to(40_000)
	if !slices.Equal(log, []string{"close silent", "stop silent"}) || p.Len() != 1 {
		t.Errorf("after the sweep: %v", log)
	}
	d.to(59_999)
	if p.Len() != 1 {
		t.Error("the other port was ended early")
	}
	d.to(60_000)
	if p.Len() != 0 {
		t.Error("the other port stays")
	}
	connect("last").End()
	left := connect("left")
	p.Close()
	left.End()
	d.to(200_000)
	want := []string{
		"close silent", "stop silent", "close pinged", "stop pinged", "close last", "stop last", "close left", "stop left",
	}
	if !slices.Equal(log, want) {
		t.Errorf("got %v, want %v", log, want)
	}
}

// DATABUS-HEARTBEAT-004: a tab that pings is kept for ever.
func TestPinger(t *testing.T) {
	d := &dial{}
	p, err := NewPorts(d, DefaultInterval)
	if err != nil {
		t.Fatal(err)
	}
	ended, pings := false, 0
	port := p.Connect(func() { ended = true }, func() {})
	stop, err := NewPinger(d, DefaultInterval, func() { pings++; port.Heard() })
	if err != nil {
		t.Fatal(err)
	}
	d.to(300_000)
	if ended || pings != 30 {
		t.Errorf("ended %t after %d pings", ended, pings)
	}
	stop()
	d.to(350_000)
	if !ended || pings != 30 {
		t.Errorf("ended %t after %d pings", ended, pings)
	}
}

// DATABUS-HEARTBEAT-004: infinity turns pings off; zero, negative and NaN are refused.
func TestInterval(t *testing.T) {
	for _, bad := range []float64{0, -1, math.Inf(-1), math.NaN()} {
		_, err := NewPinger(&dial{}, bad, nil)
		var e *IntervalError
		if !errors.As(err, &e) || fmt.Sprint(e.Found) != fmt.Sprint(bad) {
			t.Errorf("%g: got %v", bad, err)
		}
		if _, err := NewPorts(&dial{}, bad); err == nil {
			t.Errorf("%g: no error", bad)
		}
	}
	d := &dial{}
	stop, err := NewPinger(d, math.Inf(1), func() { t.Error("a ping") })
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPorts(d, math.Inf(1))
	if err != nil {
		t.Fatal(err)
	}
	p.Connect(func() { t.Error("a port was closed") }, func() {})
	d.to(100_000)
	stop()
}
