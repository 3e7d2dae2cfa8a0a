package sse

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// batch is how many octets of frames that are at hand go into one write. It bounds what a stream holds besides its queue
// to this and one frame.
const batch = 16 << 10

// stream is one answer while it is being written, by the goroutine of its request.
type stream struct {
	h       *Handler
	sub     *eventbus.Subscription
	w       http.ResponseWriter
	control *http.ResponseController
	buf     []byte
	start   time.Time
	wrote   time.Time // when the last write was completed
	broken  bool
}

// open begins the body.
func (s *stream) open() {
	s.start = time.Now()
	s.wrote = s.start
	// A limit on the time of a request and of its answer must not end the stream; not every writer can lift it.
	_ = s.control.SetReadDeadline(time.Time{})
	_ = s.control.SetWriteDeadline(time.Time{})
	// EVENTBUS-SSE-003
	s.buf = append(s.buf, "retry: 3000\n\n"...)
}

// close leaves the connection as it was found.
func (s *stream) close() {
	if !s.broken {
		_ = s.control.SetWriteDeadline(time.Time{})
	}
}

// run writes the stream. It returns nil if the subscription ended and all of it was written.
func (s *stream) run(ctx context.Context, snapshot, resumed bool) error {
	s.open()
	defer s.close()
	if snapshot && !resumed {
		s.snapshot()
	}
	for {
		e, err := s.next(ctx)
		switch {
		case err == nil && e == nil:
			continue
		case errors.Is(err, eventbus.ErrEnded):
			return s.flush()
		case err != nil:
			return err
		}
		if err := s.frame(e); err != nil {
			// EVENTBUS-SSE-006
			s.h.cfg.Logger.Warn("event stream failed", "event", e.ID, "error", err)
			s.fail(err)
			return s.flush()
		}
		if snapshot && resumed && e.Synthetic() && e.Type == "replay_complete" {
			s.snapshot()
			snapshot = false
		}
		if len(s.buf) >= batch {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
}

// next returns the next event. When there is none at hand, what was taken is written first, and a while without any
// brings a heart-beat or the end: then it returns no event, or ErrEnded.
func (s *stream) next(ctx context.Context) (*eventbus.Event, error) {
	if e, ok := s.take(); ok {
		return e, nil
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	beat, idle := s.beatAt(), s.idleAt()
	until := beat
	if until.IsZero() || !idle.IsZero() && idle.Before(until) {
		until = idle
	}
	if until.IsZero() {
		return s.sub.Next(ctx)
	}
	wait, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	e, err := s.sub.Next(wait)
	if err == nil || errors.Is(err, eventbus.ErrEnded) || ctx.Err() != nil {
		return e, err
	}
	now := time.Now()
	if !idle.IsZero() && !now.Before(idle) {
		s.evict(now.Sub(s.wrote))
		return nil, eventbus.ErrEnded
	}
	if !beat.IsZero() && !now.Before(beat) {
		// EVENTBUS-SSE-007
		s.buf = AppendComment(s.buf, "heartbeat")
	}
	return nil, s.flush()
}

// take returns the next event that waits, if there is one.
func (s *stream) take() (*eventbus.Event, bool) {
	if gate := s.h.cfg.Gate; gate != nil {
		gate.RLock()
		defer gate.RUnlock()
	}
	return s.sub.TryNext()
}

// beatAt returns when the stream was idle long enough for a heart-beat; zero: never.
func (s *stream) beatAt() time.Time {
	if s.h.cfg.Heartbeat <= 0 {
		return time.Time{}
	}
	return s.wrote.Add(s.h.cfg.Heartbeat)
}

// idleAt returns the first check that finds the stream idle for too long; zero: never.
func (s *stream) idleAt() time.Time {
	limit := s.h.cfg.WriterIdle
	if limit == 0 {
		return time.Time{}
	}
	// EVENTBUS-SSE-008
	every := min(max(limit/4, 250*time.Millisecond), 5*time.Second)
	after := s.wrote.Add(limit).Sub(s.start)
	return s.start.Add((after + every - 1) / every * every)
}

// evict writes the end of a stream that nothing was written to for too long. The slot is free at once.
func (s *stream) evict(idle time.Duration) {
	s.sub.Abort()
	s.synthetic("client_evicted", struct {
		Reason    string `json:"reason"`
		ErrorKind string `json:"errorKind"`
		IdleForMs int64  `json:"idleForMs"`
		TimeoutMs int64  `json:"timeoutMs"`
	}{"writer_idle_timeout", "writer_idle_timeout", idle.Milliseconds(), s.h.cfg.WriterIdle.Milliseconds()})
}

// fail writes the frame that ends a stream for a reason of the server.
func (s *stream) fail(err error) {
	s.synthetic("stream_error", struct {
		Error string `json:"error"`
	}{err.Error()})
}

// snapshot writes the state of the session.
func (s *stream) snapshot() { s.synthetic("session_snapshot", s.h.cfg.Snapshot()) }

func (s *stream) synthetic(kind string, data any) {
	out, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	s.buf = appendSynthetic(s.buf, kind, out, s.h.cfg.Now())
}

// frame takes one event.
func (s *stream) frame(e *eventbus.Event) error {
	var now time.Time
	if e.Synthetic() {
		now = s.h.cfg.Now()
	}
	out, err := AppendFrame(s.buf, e, now)
	s.buf = out
	return err
}

// flush writes what was taken, all the way to the connection.
func (s *stream) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	if t := s.h.cfg.WriteTimeout; t > 0 {
		// A peer that takes nothing is given up, where the writer knows how; its connection is closed by the server.
		_ = s.control.SetWriteDeadline(time.Now().Add(t))
	}
	_, err := s.w.Write(s.buf)
	if s.buf = s.buf[:0]; cap(s.buf) > keep {
		s.buf = nil
	}
	if err == nil {
		if err = s.control.Flush(); errors.Is(err, http.ErrNotSupported) {
			err = nil
		}
	}
	s.broken = err != nil
	s.wrote = time.Now()
	return err
}
