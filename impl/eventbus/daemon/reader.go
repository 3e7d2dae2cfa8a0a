package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// The pace of a reader: the time that it takes over one event.
const (
	minPace = 10 * time.Millisecond
	maxPace = time.Minute
)

// reader is a subscriber inside the daemon that takes its time, so that one can see what a bus does with such.
type reader struct {
	id     int
	pace   time.Duration
	sub    *eventbus.Subscription
	cancel context.CancelFunc

	mu    sync.Mutex
	taken int
	last  string // type of the last event taken
	done  bool
}

// openReader starts a reader: {"delayMs", "maxQueued"?}.
func (d *Daemon) openReader(w http.ResponseWriter, r *http.Request, s *session) {
	body, ok := d.body(w, r)
	if !ok {
		return
	}
	var want struct {
		DelayMs   int64 `json:"delayMs"`
		MaxQueued int   `json:"maxQueued"`
	}
	err := json.Unmarshal(body, &want)
	pace := time.Duration(min(max(want.DelayMs, 0), maxPace.Milliseconds()+1)) * time.Millisecond
	if err != nil || pace < minPace || pace > maxPace {
		refuse(w, r, http.StatusBadRequest, "invalid_reader", fmt.Sprintf("want delayMs from %d to %d", minPace.Milliseconds(), maxPace.Milliseconds()))
		return
	}
	if want.MaxQueued != 0 && (want.MaxQueued < sse.MinMaxQueued || want.MaxQueued > sse.MaxMaxQueued) {
		refuse(w, r, http.StatusBadRequest, "invalid_max_queued", fmt.Sprintf("maxQueued must be an integer from %d to %d", sse.MinMaxQueued, sse.MaxMaxQueued))
		return
	}
	id, err := s.read(pace, want.MaxQueued)
	var limit *eventbus.SubscriberLimitError
	switch {
	case errors.As(err, &limit):
		(&sse.Refusal{Status: http.StatusTooManyRequests, Code: "subscriber_limit_exceeded", Message: err.Error(), Limit: limit.Limit}).ServeHTTP(w, r)
	case err != nil:
		(&sse.Refusal{Status: http.StatusTooManyRequests, Code: "reader_limit_exceeded", Message: err.Error(), Limit: maxReaders}).ServeHTTP(w, r)
	default:
		reply(w, map[string]int{"readerId": id})
	}
}

// read starts a reader.
func (s *session) read(pace time.Duration, maxQueued int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, fmt.Errorf("the session has ended")
	}
	if len(s.readers) >= maxReaders {
		return 0, fmt.Errorf("reader limit reached (%d)", maxReaders)
	}
	ctx, cancel := context.WithCancel(context.Background())
	sub, err := s.bus.Subscribe(ctx, eventbus.Options{MaxQueued: maxQueued})
	if err != nil {
		cancel()
		return 0, err
	}
	s.serial++
	r := &reader{id: s.serial, pace: pace, sub: sub, cancel: cancel}
	s.readers[r.id] = r
	s.all.Go(func() { r.run(ctx, &s.gate) })
	return r.id, nil
}

// run takes one event after the other until there are no more, or ctx is done.
func (r *reader) run(ctx context.Context, gate *sync.RWMutex) {
	defer r.cancel()
	for {
		e, err := r.take(ctx, gate)
		r.mu.Lock()
		if r.done = err != nil; !r.done {
			r.taken++
			r.last = e.Type
		}
		r.mu.Unlock()
		if err != nil {
			return
		}
		timer := time.NewTimer(r.pace)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// take waits for the next event. Like a stream, it takes nothing in the middle of what is published in one go.
func (r *reader) take(ctx context.Context, gate *sync.RWMutex) (*eventbus.Event, error) {
	gate.RLock()
	e, ok := r.sub.TryNext()
	gate.RUnlock()
	if ok {
		return e, nil
	}
	return r.sub.Next(ctx)
}

// closeReader ends a reader, or takes one that has ended off the list.
func (d *Daemon) closeReader(w http.ResponseWriter, r *http.Request, s *session) {
	id, _ := strconv.Atoi(r.PathValue("reader"))
	s.mu.Lock()
	reader, ok := s.readers[id]
	delete(s.readers, id)
	s.mu.Unlock()
	if !ok {
		refuse(w, r, http.StatusNotFound, "reader_not_found", "there is no reader of this number")
		return
	}
	reader.cancel()
	reply(w, map[string]int{"readerId": id})
}
