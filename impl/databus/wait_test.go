package databus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

// What does not wait ends as what waits does, and may be asked for by a handler (DATABUS-LIFECYCLE-001, DATABUS-LIFECYCLE-006).
func TestThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rigged(t, func(c *Config) { c.Rules = cluster.Rules{QueueStart: true} })
		r.fake.opens, r.fake.stops = make(chan error), make(chan struct{})
		var ends []string
		then := func(what string) func(error) {
			return func(err error) {
				ends = append(ends, fmt.Sprint(what, " ", err))
				r.Status() // the bus can be asked
			}
		}
		ended := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if !slices.Equal(ends, want) {
				t.Errorf("ended %q, want %q", ends, want)
			}
			ends = nil
		}
		r.ReadyThen(then("ready"))
		ended("ready databus open: the bus does not run")
		r.StopThen(then("stop"))
		ended("stop <nil>")
		r.StartThen(then("start"))
		r.ReadyThen(then("ready"))
		ended()
		r.fake.opens <- nil
		ended("start <nil>", "ready <nil>")
		r.StartThen(then("again"))
		ended("again <nil>")
		r.StopThen(then("stop"))
		r.StartThen(then("queued"))
		ended()
		r.fake.stops <- struct{}{}
		ended("stop <nil>")
		r.fake.opens <- errors.New("broken")
		r.fake.stops <- struct{}{}
		ended("queued databus open: broken")
		r.fake.opens, r.fake.stops = nil, nil
		r.end()
	})
}

// An environment says when a task is flushed, and where the bus waits for its transport (DATABUS-BATCH-001).
func TestEnvironmentDefersAndWaits(t *testing.T) {
	o := &Origin{}
	var later, waits []func()
	run := func(all *[]func()) {
		for len(*all) > 0 {
			f := (*all)[0]
			*all = (*all)[1:]
			f()
		}
	}
	r := rigged(t, func(c *Config) {
		c.Environment = o.Environment()
		c.Environment.Clock = clockStub{}
		c.Environment.Defer = func(f func()) { later = append(later, f) }
		c.Environment.Go = func(f func()) { waits = append(waits, f) }
	})
	var started, stopped bool
	r.StartThen(func(err error) { started = err == nil })
	r.sub("t")
	if n := keys(t, o); n != 0 || len(later) != 1 || len(waits) != 1 || started {
		t.Errorf("%d keys, %d flushes and %d openings wait, started %v, want 0, 1, 1, false", n, len(later), len(waits), started)
	}
	run(&later)
	if n := keys(t, o); n != 3 {
		t.Errorf("%d keys, want worker, route and subscriber", n)
	}
	run(&waits)
	run(&later)
	if !started || r.Status() != Connected {
		t.Errorf("started %v, status %s, want true, connected", started, r.Status())
	}
	r.StopThen(func(err error) { stopped = err == nil })
	run(&waits)
	if n := keys(t, o); !stopped || n != 0 {
		t.Errorf("stopped %v with %d keys, want true with 0", stopped, n)
	}
	if err := r.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}
