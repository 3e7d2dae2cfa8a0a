package databus

import "context"

// RecoveryCooldown is how long after an error the transport is opened again, and how long further errors change nothing, in milliseconds
// (DATABUS-RECONNECT-003).
const RecoveryCooldown = 1000

// MaxWaiting is how many publications wait for the transport to open.
const MaxWaiting = 1000

// life is what a bus knows of its transport.
type life struct {
	started, stopping, suspended bool
	halted                       bool // stopped by the application: only a start ends that
	restart                      bool // a start was asked for during the stop
	ready                        bool // the transport is connected and takes operations
	proven                       bool // an opening has succeeded since the start
	status                       Status
	flagged                      map[string]bool // topics that the transport was asked to subscribe
	waiting                      []publication

	opening  *wait // nil: none is asked for or in flight that is still wanted
	ending   *wait // of the stop that goes on
	open     bool  // the transport was started and not stopped since
	session  int   // of the transport; what an older one says is ignored
	cancel   context.CancelFunc
	queue    []func() // openings and stops, each after the one before
	idle     chan struct{}
	working  bool
	recovery func() // stops the timer of the recovery; nil: none runs
	// recovered is when a recovery was last scheduled. At first it is 0, as in 0.1.0, so that a clock below the cooldown holds the first one
	// up.
	recovered int64
}

type publication struct {
	topic string
	data  []byte
}

func (l *life) init() {
	l.status = Disconnected
	l.flagged = map[string]bool{}
	l.cancel = func() {}
}

// Start starts the bus and waits until its transport is open. A start while another one goes on waits for the same opening
// (DATABUS-LIFECYCLE-001). It fails if the first opening does, and leaves nothing behind but the handlers (DATABUS-LIFECYCLE-002); or with
// the error of ctx, and then goes on. While the bus stops it returns at once and has no effect (DATABUS-LIFECYCLE-007), unless the rules
// queue it.
func (b *Bus) Start(ctx context.Context) error {
	var w *wait
	var queued bool
	b.do(func() { w, queued = b.starting() })
	if err := w.until(ctx); err != nil || !queued {
		return err
	}
	b.do(func() { w = b.pending() })
	return w.until(ctx)
}

// starting starts the bus and returns what to wait for, and whether that is the stop which goes on, after which it starts.
func (b *Bus) starting() (w *wait, queued bool) {
	switch {
	case !b.life.stopping:
		b.begin()
		return b.pending(), false
	case b.cfg.Rules.QueueStart:
		b.life.restart = true
		return b.life.ending, true
	}
	return b.finished(nil), false
}

// begin starts the bus if it does not run.
func (b *Bus) begin() {
	l := &b.life
	if l.started || l.stopping {
		return
	}
	l.started, l.halted, l.proven, l.suspended = true, false, false, false
	b.reopen()
	for _, topic := range b.topics {
		b.cluster.Subscribe(topic)
	}
	b.cluster.Start()
	b.trace.start()
	b.trace.note("start")
}

// wake starts a bus that starts on its own and does not run (DATABUS-LIFECYCLE-002).
func (b *Bus) wake() {
	if b.cfg.AutoStart && !b.life.halted {
		b.begin()
	}
}

// pending returns what the opening of the transport waits for. If none goes on and the transport is not ready, one begins.
func (b *Bus) pending() *wait {
	l := &b.life
	switch {
	case !l.started || l.stopping:
		return b.finished(&OpError{"open", "", ErrNotStarted})
	case l.ready || l.suspended:
		return b.finished(nil)
	}
	return b.reopen()
}

// reopen has the transport opened after whatever goes on with it, unless that is due already.
func (b *Bus) reopen() *wait {
	if b.life.opening == nil {
		w := b.newWait()
		b.life.opening = w
		b.enqueue(func() { b.openTransport(w) })
	}
	return b.life.opening
}

// enqueue has an opening or a stop run after all that were asked for before (DATABUS-LIFECYCLE-001).
func (b *Bus) enqueue(f func()) {
	l := &b.life
	l.queue = append(l.queue, f)
	if !l.working {
		l.working, l.idle = true, make(chan struct{})
		idle := l.idle
		b.env.Go(func() { b.work(idle) })
	}
}

// work runs what is queued until nothing is.
func (b *Bus) work(idle chan struct{}) {
	defer close(idle)
	for {
		b.mu.Lock()
		if len(b.life.queue) == 0 {
			b.life.working = false
			b.mu.Unlock()
			return
		}
		f := b.life.queue[0]
		b.life.queue = b.life.queue[1:]
		b.mu.Unlock()
		f()
	}
}

// openTransport opens the transport if it is still wanted.
func (b *Bus) openTransport(w *wait) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var r Receiver
	b.do(func() {
		l := &b.life
		if l.opening != w {
			w.finish(nil)
			return
		}
		l.session++
		l.open, l.cancel = true, cancel
		r = receiver{b, l.session}
		b.setStatus(Connecting)
	})
	if r == nil {
		return
	}
	err := b.transport.Start(ctx, r)
	b.do(func() { b.opened(w, err) })
}

// opened is the end of an opening. If the page was hidden or the bus stopped meanwhile it is no failure, whatever it is
// (DATABUS-LIFECYCLE-003).
func (b *Bus) opened(w *wait, err error) {
	l := &b.life
	l.cancel = func() {}
	if l.opening != w {
		w.finish(nil)
		return
	}
	l.opening = nil
	switch {
	case err == nil:
		l.proven = true
		if l.status == Connecting {
			b.setStatus(Connected)
		}
	default:
		b.dropWaiting(err)
		if l.proven {
			b.fail("open", "", err)
			b.setStatus(Failed)
		} else {
			b.abandon()
		}
		err = &OpError{"open", "", err}
	}
	w.finish(err)
}

// abandon ends a start whose first opening has failed. The handlers stay for the next one (DATABUS-LIFECYCLE-002).
func (b *Bus) abandon() {
	b.cluster.Stop()
	b.life.started = false
	b.detach()
	b.setStatus(Failed)
	b.enqueue(b.stopTransport)
	b.trace.end()
	b.trace.note("failed")
}

// stopTransport stops the transport if it was started since it was last stopped.
func (b *Bus) stopTransport() {
	var open bool
	b.do(func() {
		open = b.life.open
		b.life.open = false
	})
	if !open {
		return
	}
	if err := b.transport.Stop(context.Background()); err != nil {
		b.do(func() { b.fail("stop", "", err) })
	}
}

// detach gives up the opening that goes on, and what the transport says until it is opened anew.
func (b *Bus) detach() {
	b.life.opening, b.life.waiting = nil, nil
	b.life.session++
}

// PageHide says that the page goes away, perhaps to come back: the bus leaves the cluster, stops its transport and keeps its handlers
// (DATABUS-LIFECYCLE-005).
func (b *Bus) PageHide() {
	b.do(func() {
		l := &b.life
		if !l.started || l.stopping || l.suspended {
			return
		}
		b.cluster.PageHide()
		l.suspended = true
		b.detach()
		b.setStatus(Disconnected)
		b.enqueue(b.stopTransport)
		b.trace.discard()
		b.trace.note("suspend")
	})
}

// PageShow says that the page is back. Without a PageHide before it changes nothing (DATABUS-LIFECYCLE-004).
func (b *Bus) PageShow() {
	b.do(func() {
		if !b.life.suspended || b.life.stopping {
			return
		}
		b.life.suspended = false
		b.reopen()
		b.cluster.PageShow()
		b.trace.note("resume")
	})
}

// Stop ends the bus: it leaves the cluster, forgets its handlers and stops its transport once what goes on with it is over
// (DATABUS-LIFECYCLE-006). A bus that does not run is done at once. If ctx ends first Stop returns its error and has an opening that still
// goes on broken off; the stop itself goes on.
func (b *Bus) Stop(ctx context.Context) error {
	var w *wait
	b.do(func() { w = b.end() })
	if err := w.until(ctx); err != nil {
		b.do(func() { b.life.cancel() })
		return err
	}
	var idle chan struct{}
	b.do(func() {
		if !b.life.started {
			idle = b.life.idle
		}
	})
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// end begins to stop the bus, and returns what to wait for.
func (b *Bus) end() *wait {
	l := &b.life
	clear(b.handlers)
	b.topics = nil
	l.halted, l.restart = true, false
	if l.stopping {
		return l.ending
	}
	if !l.started {
		b.setStatus(Disconnected) // of a bus that could not start
		return b.finished(nil)
	}
	l.stopping, l.ending = true, b.newWait()
	b.cluster.Stop()
	b.detach()
	b.setStatus(Disconnected)
	if l.recovery != nil {
		l.recovery()
		l.recovery = nil
	}
	b.trace.end()
	b.trace.note("stop")
	b.enqueue(b.stopTransport)
	b.enqueue(func() {
		b.do(func() {
			l.started, l.stopping, l.suspended = false, false, false
			if l.restart {
				l.restart = false
				b.begin()
			}
			l.ending.finish(nil)
		})
	})
	return l.ending
}
