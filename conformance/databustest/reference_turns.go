package databustest

// turns let functions that wait run as if they did not: whoever runs one goes on when it waits or is done, so that at any time only one of
// them does something. Its zero value is ready.
type turns struct {
	back chan any // what the one that runs panicked with, or nil, when it waits or is done
}

// run runs f until it waits or is done.
func (t *turns) run(f func()) {
	if t.back == nil {
		t.back = make(chan any)
	}
	go func() {
		defer func() { t.back <- recover() }()
		f()
	}()
	t.turn()
}

// turn waits for the one that runs.
func (t *turns) turn() {
	if v := <-t.back; v != nil {
		panic(v)
	}
}

// wait is called by what is run. It begins something, and waits until that is over. Over must not be called by begin.
func (t *turns) wait(begin func(over func())) {
	goOn := make(chan struct{})
	begin(func() {
		close(goOn)
		t.turn()
	})
	t.back <- nil
	<-goOn
}
