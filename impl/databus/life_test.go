package databus

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

// bubble runs a test with a clock of its own.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// DATABUS-LIFECYCLE-001: starts share one opening.
func TestOneOpening(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := rigged(t, nil)
		r.fake.opens = make(chan error)
		results := make(chan error, 3)
		for range 3 {
			go func() { results <- r.Start(t.Context()) }()
		}
		r.took("start")
		r.fake.opens <- nil
		for range 3 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		r.start()
		r.took("open")
		r.end()
		r.took("stop", "closed")
	})
}

// DATABUS-LIFECYCLE-001: openings and stops do not overlap, however often the page goes and comes.
func TestNoOverlap(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		r.fake.stops, r.fake.opens = make(chan struct{}), make(chan error)
		r.PageHide()
		r.PageShow()
		r.PageHide()
		r.PageShow()
		r.took("stop")
		r.fake.stops <- struct{}{}
		// The opening in between was given up before it began.
		r.took("closed", "start")
		r.PageHide()
		r.PageShow()
		r.took()
		r.fake.opens <- nil
		r.took("open", "stop")
		r.fake.stops <- struct{}{}
		r.took("closed", "start")
		r.fake.opens <- nil
		r.took("open")
		if r.Status() != Connected {
			t.Errorf("status %s", r.Status())
		}
		go func() { r.fake.stops <- struct{}{} }()
		r.end()
		r.failed(0)
	})
}

// DATABUS-LIFECYCLE-002: a failed first opening leaves nothing but the handlers, and the next start opens afresh.
func TestFailedStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		r := rigged(t, func(c *Config) { c.Environment = o.Environment() })
		r.fake.opens = make(chan error, 1)
		r.sub("x")
		r.fake.opens <- errBroken
		if err := r.Start(t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("got %v", err)
		}
		r.took("start", "start failed", "stop", "closed")
		if n := keys(t, o); n != 0 {
			t.Errorf("%d keys are left", n)
		}
		pass(60_000)
		r.took()
		if r.Status() != Failed {
			t.Errorf("status %s", r.Status())
		}
		r.fake.opens <- nil
		r.start()
		r.took("start", "open", "sub x")
		r.emits("x", "1")
		r.heard("x 1")
		r.end()
		r.failed(0)
	})
}

// DATABUS-LIFECYCLE-002: with AutoStart the next operation opens afresh, and the end by the application ends that.
func TestAutoStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := &fake{opens: make(chan error, 1)}
		f.opens <- errBroken
		r := rigged(t, func(c *Config) { c.AutoStart, c.Transport = true, f })
		r.fake = f
		r.took("start", "start failed", "stop", "closed")
		f.opens <- nil
		r.sub("x")
		r.took("start", "open", "sub x")
		if err := r.Ready(t.Context()); err != nil {
			t.Error(err)
		}
		r.end()
		r.took("unsub x", "stop", "closed")
		r.sub("y")
		r.Publish("y", []byte("1"))
		if err := r.Ready(t.Context()); !errors.Is(err, ErrNotStarted) {
			t.Errorf("got %v", err)
		}
		r.took()
		r.failed(1)
		r.end()
	})
}

// DATABUS-LIFECYCLE-003: the page is hidden during the opening.
func TestHideDuringOpening(t *testing.T) {
	for name, outcome := range map[string]error{"opens": nil, "fails": errBroken} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := rigged(t, nil)
				r.fake.opens = make(chan error)
				r.sub("x")
				result := make(chan error, 1)
				go func() { result <- r.Start(t.Context()) }()
				r.took("start")
				r.PageHide()
				r.took()
				r.fake.opens <- outcome
				if err := <-result; err != nil {
					t.Errorf("reported as a failure: %v", err)
				}
				if got := r.fake.took(); got != "open, stop, closed" && got != "start failed, stop, closed" {
					t.Errorf("the transport was asked %s", got)
				}
				if r.Status() == Connected || r.life.ready {
					t.Error("the transport became ready")
				}
				r.failed(0)
				r.fake.opens = nil
				r.PageShow()
				r.took("start", "open", "sub x")
				r.end()
			})
		})
	}
}

// DATABUS-LIFECYCLE-004, -005, DATABUS-SUBSCRIBE-006: the page goes and comes back, and the application does nothing.
func TestHideAndShow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		r := started(t, func(c *Config) { c.Environment = o.Environment() })
		r.sub("x")
		r.PageShow() // without a hide before
		r.took("sub x")
		r.PageHide()
		r.took("unsub x", "stop", "closed")
		if n := keys(t, o); n != 0 || len(r.life.flagged) != 0 {
			t.Errorf("%d keys, flags %v", n, r.life.flagged)
		}
		s := r.Snapshot()
		if !slices.Equal(s.Subscribed, []string{"x"}) || len(s.Assigned) != 0 || s.Active {
			t.Errorf("%+v", s)
		}
		r.PageHide()
		pass(60_000)
		r.took()
		r.PageShow()
		r.took("start", "open", "sub x")
		r.emits("x", "1")
		r.heard("x 1")
		r.end()
		r.failed(0)
	})
}

// DATABUS-LIFECYCLE-006: the end in each state, and the transport is stopped at most once.
func TestStopInEachState(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*rig)
		want   string
	}{
		"new":       {func(*rig) {}, ""},
		"running":   {func(r *rig) { r.start() }, "start, open, sub x, unsub x, stop, closed"},
		"suspended": {func(r *rig) { r.start(); r.PageHide() }, "start, open, sub x, unsub x, stop, closed"},
		"failed": {func(r *rig) {
			r.fake.opens = make(chan error, 1)
			r.fake.opens <- errBroken
			_ = r.Start(r.t.Context())
		}, "start, start failed, stop, closed"},
		"starting": {func(r *rig) {
			r.fake.opens = make(chan error, 1)
			go func() { _ = r.Start(r.t.Context()) }()
			synctest.Wait()
			go func() { pass(5); r.fake.opens <- nil }()
		}, "start, open, stop, closed"},
		"in error": {func(r *rig) { r.start(); r.fake.says(Failed) }, "start, open, sub x, stop, closed"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				o := &Origin{}
				r := rigged(t, func(c *Config) { c.Environment = o.Environment() })
				r.sub("x")
				c.before(r)
				results := make(chan error)
				go func() { results <- r.Stop(context.Background()) }()
				r.end()
				if err := <-results; err != nil {
					t.Error(err)
				}
				r.end()
				pass(60_000)
				if got := r.fake.took(); got != c.want {
					t.Errorf("the transport was asked %s, want %s", got, c.want)
				}
				s := r.Snapshot()
				if keys(t, o)+len(s.Subscribed)+len(s.Assigned)+len(s.Known)+len(r.handlers) != 0 {
					t.Errorf("left: %+v", s)
				}
				if want := Disconnected; r.Status() != want {
					t.Errorf("status %s", r.Status())
				}
			})
		})
	}
}

// DATABUS-LIFECYCLE-007: a start during the stop is lost, or queued by the later rule.
func TestStartDuringStop(t *testing.T) {
	for _, queue := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			r := started(t, func(c *Config) { c.Rules = cluster.Rules{QueueStart: queue} })
			r.fake.stops = make(chan struct{})
			stopped, begun := make(chan error, 1), make(chan error, 1)
			go func() { stopped <- r.Stop(context.Background()) }()
			synctest.Wait()
			go func() { begun <- r.Start(t.Context()) }()
			synctest.Wait()
			r.fake.stops <- struct{}{}
			if err := errors.Join(<-stopped, <-begun); err != nil {
				t.Error(err)
			}
			if queue {
				r.took("stop", "closed", "start", "open")
				go func() { r.fake.stops <- struct{}{} }()
			} else {
				r.took("stop", "closed")
			}
			if r.Snapshot().Active != queue {
				t.Errorf("queue %t: active %t", queue, !queue)
			}
			r.end()
		})
	}
}

// An opening that hangs does not hold up an impatient end for ever.
func TestStopBreaksOffOpening(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := rigged(t, nil)
		r.fake.opens = make(chan error)
		go func() { _ = r.Start(context.Background()) }()
		synctest.Wait()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := r.Stop(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		r.took("start", "start broken off", "stop", "closed")
		r.end()
	})
}

// DATABUS-RECONNECT-001, -002, DATABUS-LIFECYCLE-008: a disconnect clears the flags only, and the next connect replays what is assigned
// then.
func TestReplay(t *testing.T) {
	for _, lost := range []Status{Disconnected, Failed} {
		bubble(t, func(t *testing.T) {
			r := started(t, nil)
			x := r.sub("x")
			r.sub("y")
			r.took("sub x", "sub y")
			r.fake.says(lost)
			if len(r.life.flagged) != 0 || len(r.Snapshot().Assigned) != 2 {
				t.Errorf("flags %v, assigned %v", r.life.flagged, r.Snapshot().Assigned)
			}
			x.Unsubscribe()
			r.took()
			r.fake.says(Connected)
			r.took("sub y")
			r.fake.says(Connected)
			r.took()
			if want := []string{string(lost), "connected"}; !slices.Equal(r.states, want) {
				t.Errorf("told %v, want %v", r.states, want)
			}
			r.end()
		})
	}
}

// DATABUS-RECONNECT-003: one opening 1000 ms after an error, and errors within the cooldown change nothing.
func TestRecovery(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		r.sub("x")
		r.took("sub x")
		r.fake.says(Failed)
		pass(500)
		r.fake.says(Failed)
		pass(499)
		r.fake.says(Failed)
		r.took()
		pass(1)
		r.took("start", "open", "sub x")
		pass(60_000)
		r.took()
		// At its end the recovery is skipped if the error is over, or the page is hidden.
		r.fake.says(Failed)
		pass(500)
		r.fake.says(Connected)
		r.took("sub x")
		pass(60_000)
		r.took()
		r.fake.says(Failed)
		pass(500)
		r.PageHide()
		r.took("stop", "closed")
		pass(60_000)
		r.took()
		r.end()
	})
}

// DATABUS-RECONNECT-003: an opening of the recovery that fails is reported and followed by the next one; what is published meanwhile does
// not hasten it.
func TestRecoveryFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		r.sub("x")
		r.fake.took()
		r.fake.opens = make(chan error, 2)
		r.fake.opens <- errBroken
		r.fake.opens <- nil
		r.fake.says(Failed)
		pass(500)
		r.fake.says(Failed) // suppressed: nothing follows it
		r.Publish("y", []byte("1"))
		r.took()
		pass(500)
		r.took("start", "start failed")
		r.failed(2) // the publication that waited, and the opening
		pass(999)
		r.took()
		pass(1)
		r.took("start", "open", "sub x")
		r.end()
	})
}

// A recovery does not outlive the run of the bus in which it was scheduled, nor does what that run has proven.
func TestRunsApart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		r.fake.says(Failed)
		r.end()
		r.start()
		r.fake.took()
		r.fake.says(Disconnected)
		r.Publish("x", []byte("1"))
		r.took("start", "open", "pub x 1")
		r.end()
		r.fake.took()
		r.fake.opens = make(chan error, 1)
		r.fake.opens <- errBroken
		if err := r.Start(t.Context()); !errors.Is(err, errBroken) || r.Snapshot().Active {
			t.Errorf("got %v", err)
		}
		pass(60_000)
		r.took("start", "start failed", "stop", "closed")
	})
}

// DATABUS-RECONNECT-004: after disconnected nothing is opened until something is asked for.
func TestDisconnectedWaits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		r.fake.says(Disconnected)
		pass(60_000)
		r.took()
		r.Publish("x", []byte("1"))
		r.took("start", "open", "pub x 1")
		r.fake.says(Disconnected)
		r.start()
		r.took("start", "open")
		r.end()
	})
}

// What a session of the transport says after it was stopped is ignored.
func TestStaleSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		r.sub("x")
		old := r.fake.to
		r.PageHide()
		r.PageShow()
		r.fake.took()
		old.Status(Failed)
		old.Message("x", []byte("1"))
		r.heard()
		if r.Status() != Connected {
			t.Errorf("status %s", r.Status())
		}
		r.end()
	})
}

// A status that the transport tells while it opens stands.
func TestStatusDuringStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := rigged(t, nil)
		r.sub("x")
		r.fake.during = func(to Receiver) { to.Status(Connected) }
		r.start()
		r.took("start", "sub x", "open")
		r.fake.during = func(to Receiver) { to.Status(Disconnected) }
		r.PageHide()
		r.PageShow()
		r.took("unsub x", "stop", "closed", "start", "open")
		if r.Status() != Disconnected {
			t.Errorf("status %s", r.Status())
		}
		r.end()
	})
}
