package databus

import "context"

// A wait is something that will be over at some time.
type wait struct {
	b    *Bus
	over chan struct{}
	err  error
	then []func(error) // of the application, to be called once it is over
}

func (b *Bus) newWait() *wait { return &wait{b: b, over: make(chan struct{})} }

// finished returns a wait that is over.
func (b *Bus) finished(err error) *wait {
	w := b.newWait()
	w.finish(err)
	return w
}

func (w *wait) finish(err error) {
	w.err = err
	close(w.over)
	for _, f := range w.then {
		w.b.call(func() { guard(func() { f(err) }) })
	}
}

// tell has a function called with how it ended, once it has.
func (w *wait) tell(f func(error)) {
	select {
	case <-w.over:
		w.b.call(func() { guard(func() { f(w.err) }) })
	default:
		w.then = append(w.then, f)
	}
}

func (w *wait) until(ctx context.Context) error {
	select {
	case <-w.over:
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// StartThen is [Bus.Start] for who must not wait, such as a handler: done is called, as handlers are, when it is over.
func (b *Bus) StartThen(done func(error)) {
	b.do(func() {
		w, queued := b.starting()
		if !queued {
			w.tell(done)
			return
		}
		w.tell(func(error) { b.do(func() { b.pending().tell(done) }) })
	})
}

// ReadyThen is [Bus.Ready] for who must not wait.
func (b *Bus) ReadyThen(done func(error)) {
	b.do(func() {
		b.wake()
		b.pending().tell(done)
	})
}

// StopThen is [Bus.Stop] for who must not wait. It does not wait for goroutines.
func (b *Bus) StopThen(done func(error)) {
	b.do(func() { b.end().tell(done) })
}
