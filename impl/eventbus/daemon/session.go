package daemon

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// session is one bus and what serves it.
type session struct {
	id     string
	daemon *Daemon
	bus    *eventbus.Bus
	stream *sse.Handler
	all    sync.WaitGroup // the readers
	gate   sync.RWMutex   // held for writing while events are published in one go, or the session ends

	mu      sync.Mutex
	ended   bool
	streams context.Context // of all event streams, until they are cut
	cut     context.CancelFunc
	readers map[int]*reader
	serial  int
	notices []Notice
	told    int
	types   map[string]bool
}

// newSession returns a session with an open bus.
func (d *Daemon) newSession() *session {
	s := &session{id: newID(), daemon: d, readers: map[int]*reader{}, types: map[string]bool{}}
	s.streams, s.cut = context.WithCancel(context.Background())
	var err error
	if s.bus, err = eventbus.New(d.cfg.bus(s.notice)); err != nil {
		panic(err)
	}
	s.stream, err = sse.NewHandler(s.bus, sse.Config{
		Heartbeat: d.cfg.Heartbeat, WriteTimeout: d.cfg.WriteTimeout, WriterIdle: d.cfg.WriterIdle, Now: d.cfg.Now,
		Gate: &s.gate, Logger: d.cfg.Logger.With("session", s.id),
		Snapshot: func() sse.Snapshot { return sse.Snapshot{SessionID: s.id} },
	})
	if err != nil {
		panic(err)
	}
	return s
}

// newID returns a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// create opens a session.
func (d *Daemon) create(w http.ResponseWriter, r *http.Request) {
	if _, ok := d.body(w, r); !ok {
		return
	}
	s := d.newSession()
	d.mu.Lock()
	full, closed := len(d.sessions) >= d.cfg.MaxSessions, d.closed
	if !full && !closed {
		d.sessions[s.id] = s
	}
	d.mu.Unlock()
	switch {
	case closed:
		s.cut()
		refuse(w, r, http.StatusServiceUnavailable, "shutting_down", "the daemon is shutting down")
	case full:
		s.cut()
		(&sse.Refusal{
			Status: http.StatusTooManyRequests, Code: "session_limit_exceeded", Limit: d.cfg.MaxSessions,
			Message: fmt.Sprintf("session limit reached (%d)", d.cfg.MaxSessions),
		}).ServeHTTP(w, r)
	default:
		d.cfg.Logger.Info("session opened", "session", s.id)
		reply(w, map[string]string{"sessionId": s.id})
	}
}

// remove ends a session.
func (d *Daemon) remove(w http.ResponseWriter, r *http.Request, s *session) {
	d.mu.Lock()
	delete(d.sessions, s.id)
	d.mu.Unlock()
	if !s.end("session_closed", "client_close") {
		refuse(w, r, http.StatusNotFound, "session_not_found", "there is no session of this id")
		return
	}
	reply(w, map[string]any{"sessionId": s.id, "lastEventId": s.bus.LastEventID()})
}

// end publishes the last event of a session and closes its bus, so that streams end once they have written it. It returns
// when the readers have ended, and false if the session has ended before.
func (s *session) end(kind, reason string) bool {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return false
	}
	s.ended = true
	for _, r := range s.readers {
		r.cancel()
	}
	s.mu.Unlock()
	data, err := eventbus.Encode(map[string]string{"sessionId": s.id, "reason": reason})
	if err != nil {
		panic(err)
	}
	// EVENTBUS-SSE-009, EVENTBUS-CLOSE-004: what is being published meanwhile comes before the last event, or not at all.
	s.gate.Lock()
	s.bus.Publish(eventbus.Input{Type: kind, Data: data})
	s.bus.Close()
	s.gate.Unlock()
	s.all.Wait()
	s.daemon.cfg.Logger.Info("session ended", "session", s.id, "type", kind, "reason", reason)
	return true
}

// uncut returns the context of the event streams of now.
func (s *session) uncut() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams
}

// cut ends the event streams of a session, but not the session: their readers connect again.
func (d *Daemon) cut(w http.ResponseWriter, _ *http.Request, s *session) {
	s.mu.Lock()
	cut := s.cut
	s.streams, s.cut = context.WithCancel(context.Background())
	s.mu.Unlock()
	cut()
	reply(w, map[string]bool{"cut": true})
}

// Notice is one warning or eviction.
type Notice struct {
	Seq  int             `json:"seq"`
	AtMs int64           `json:"atMs"`
	Kind string          `json:"kind"`
	Data json.RawMessage `json:"data"`
}

// maxNotices is how many of the newest are kept.
const maxNotices = 64

// notice takes a diagnostic of the bus.
func (s *session) notice(d eventbus.Diagnostic) {
	if d.Kind != eventbus.SlowClientWarning {
		s.daemon.cfg.Logger.Warn(d.Kind, "session", s.id, "data", string(d.Data.JSON()))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told++
	s.notices = append(s.notices, Notice{s.told, s.daemon.cfg.Now().UnixMilli(), d.Kind, d.Data.JSON()})
	if len(s.notices) > maxNotices {
		s.notices = append([]Notice(nil), s.notices[len(s.notices)-maxNotices:]...)
	}
}
