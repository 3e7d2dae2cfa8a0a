package substratetest

import (
	"context"
	"errors"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
	carrier "github.com/seed-6f28358b/assay/impl/substrate/link"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// greet has two sides meet over the loopback.
func (b *nodeBridge) greet(q greetRequest) (any, error) {
	listens, err := q.Listener.configOf()
	if err != nil {
		return nil, err
	}
	dials, err := q.Dialer.configOf()
	if err != nil {
		return nil, err
	}
	here, there := &oneSide{}, &oneSide{news: make(chan struct{}, 1), ends: q.Nothing}
	listens.Observe, dials.Observe = observe.Bag{Logger: here}, observe.Bag{Logger: there}
	if q.Nothing {
		listens.StorageFor = func(string) (store.Store, error) { return nil, nil }
	}
	dials.Backoff = there.wait
	dials.Handler.Event = there.happened
	l, err := substrate.NewListener(listens)
	if err != nil {
		return nil, refusedSubstrate(err)
	}
	server := httptest.NewServer(l)
	defer server.Close()
	for range q.Times {
		if err = there.dial(strings.Replace(server.URL, "http", "ws", 1), dials); err != nil {
			break
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := errors.Join(err, l.Close(ctx)); err != nil {
		return nil, refusedSubstrate(err)
	}
	return greetReply{Ready: there.ready, Codes: append([]int{}, there.codes...), Listen: here.lines(), Dial: there.lines()}, nil
}

// A oneSide is what one side notes of how it meets the other.
type oneSide struct {
	ends bool          // the listener ends each connection
	news chan struct{} // filled once a dialling has come to its end

	mu    sync.Mutex
	logs  []logLine
	ready int
	codes []int
	begun bool // the present dialling has made its attempt
	over  bool // it has come to its end
}

// wait has each dialling make one attempt.
func (s *oneSide) wait(time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun {
		return time.Hour
	}
	s.begun = true
	return 0
}

// dial dials until a connection is ready or, if the listener is to end it, until it has; an attempt that fails is the last.
func (s *oneSide) dial(url string, c substrate.Config) error {
	s.mu.Lock()
	s.begun, s.over = false, false
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	type dialled struct {
		p   *substrate.Peer
		err error
	}
	attempts, stop := context.WithCancel(ctx)
	defer stop()
	result := make(chan dialled, 1)
	go func() {
		p, err := substrate.Dial(attempts, url, c)
		result <- dialled{p, err}
	}()
	var r dialled
	select {
	case <-s.news:
		stop()
		r = <-result
	case r = <-result:
		if r.p != nil {
			select {
			case <-s.news:
			case <-ctx.Done():
				return errors.Join(context.Cause(ctx), r.p.Close(ctx))
			}
		}
	}
	if r.p != nil {
		return r.p.Close(ctx)
	}
	if e, ok := errors.AsType[*substrate.ConfigError](r.err); ok {
		return e
	}
	return context.Cause(ctx)
}

// end takes note of how a dialling came to its end; what follows is of no interest.
func (s *oneSide) end(code int) {
	if s.news == nil || s.over {
		return
	}
	s.over = true
	if code != 0 {
		s.codes = append(s.codes, code)
	}
	s.news <- struct{}{}
}

// Log implements [observe.Logger].
func (s *oneSide) Log(level observe.Level, msg string, f observe.Fields) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs = append(s.logs, logLine{Level: level.String(), Msg: words(msg, f)})
	if end, ok := errors.AsType[*carrier.EndError](f.Err); ok {
		s.end(int(end.Code))
	} else if failure, ok := errors.AsType[*handshake.Failure](f.Err); ok {
		s.end(int(failure.CloseCode))
	}
}

// happened takes note of a connection that is ready or has ended.
func (s *oneSide) happened(e substrate.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	code, err := strconv.Atoi(e.Code)
	switch {
	case e.Name == substrate.EventReady && !s.over:
		s.ready++
		if !s.ends {
			s.end(0)
		}
	case e.Name == substrate.EventEnded && err == nil:
		s.end(code)
	}
}

func (s *oneSide) lines() []logLine {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]logLine{}, s.logs...)
}

// backoff says how long a side that dials waits before each attempt of its life.
func (b *nodeBridge) backoff(q backoffRequest) (any, error) {
	var life carrier.Backoff
	waits := []float64{}
	for _, a := range q.Attempts {
		life.Jitter = nil
		if draw := a.Draw; draw != nil {
			life.Jitter = func(most time.Duration) time.Duration { return time.Duration(*draw * float64(most)) }
		}
		waits = append(waits, float64(life.Next())/float64(time.Millisecond))
		if a.Ready != nil {
			life.Ready(time.Duration(*a.Ready) * time.Millisecond)
		}
	}
	return backoffReply{waits}, nil
}
