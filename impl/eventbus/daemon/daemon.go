package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// Daemon holds sessions and answers requests about them.
type Daemon struct {
	cfg  Config
	mux  http.Handler
	page page

	mu       sync.Mutex
	closed   bool
	sessions map[string]*session
}

// New returns a daemon without sessions, or the error of [Config.Validate]. Its sessions have goroutines: see
// [Daemon.Close].
func New(cfg Config) (*Daemon, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	d := &Daemon{cfg: cfg.defaults(), sessions: map[string]*session{}, page: newPage()}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /session", d.create)
	mux.HandleFunc("DELETE /session/{id}", d.session(d.remove))
	mux.HandleFunc("/session/{id}/events", d.events)
	mux.HandleFunc("POST /session/{id}/publish", d.session(d.publish))
	mux.HandleFunc("GET /session/{id}/state", d.session(d.state))
	mux.HandleFunc("POST /session/{id}/cut", d.session(d.cut))
	mux.HandleFunc("POST /session/{id}/readers", d.session(d.openReader))
	mux.HandleFunc("DELETE /session/{id}/readers/{reader}", d.session(d.closeReader))
	mux.HandleFunc("GET /capabilities", d.capabilities)
	mux.HandleFunc("GET /health", d.health)
	mux.HandleFunc("GET /{$}", d.page.serve)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, http.StatusNotFound, "not_found", "there is nothing at this address")
	})
	d.mux = mux
	return d, nil
}

// ServeHTTP answers a request.
func (d *Daemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Not every writer can bound these times.
	control := http.NewResponseController(w)
	if r.ContentLength != 0 {
		_ = control.SetReadDeadline(d.cfg.deadline(1))
	}
	_ = control.SetWriteDeadline(d.cfg.deadline(2))
	if !d.expects(r.Host) {
		refuse(w, r, http.StatusForbidden, "foreign_host", "the host is not one of this daemon")
		return
	}
	// Pages of other origins name theirs in every request that may change anything.
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host && origin != "https://"+r.Host {
		refuse(w, r, http.StatusForbidden, "foreign_origin", "the page that asks is not of this daemon")
		return
	}
	d.mux.ServeHTTP(w, r)
}

// expects reports whether a Host header is one that the daemon is known by. Names of others that lead here are a trick.
func (d *Daemon) expects(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return host == "localhost" || net.ParseIP(host) != nil || slices.ContainsFunc(d.cfg.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// Serve answers the connections of a listener until ctx is done, then ends all sessions, lets their streams end and
// returns nil. A listener that fails is an error. The listener is closed in any case, and so is the daemon.
func (d *Daemon) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: d, ReadHeaderTimeout: d.cfg.HeaderTimeout, MaxHeaderBytes: 64 << 10, IdleTimeout: d.cfg.HeaderTimeout * 12,
		ErrorLog: slog.NewLogLogger(d.cfg.Logger.Handler(), slog.LevelWarn),
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	var failed error
	select {
	case failed = <-done:
	case <-ctx.Done():
	}
	d.Close()
	// EVENTBUS-SSE-009: what the sessions said last is written before the connections go.
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.cfg.ShutdownTimeout)
	defer cancel()
	if err := server.Shutdown(wait); err != nil {
		d.cfg.Logger.Warn("connections were cut", "error", err)
		_ = server.Close()
	}
	if failed == nil {
		failed = <-done
	}
	if errors.Is(failed, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("daemon serve: %w", failed)
}

// Close ends all sessions with session_died, and refuses new ones. It returns when their goroutines have ended; streams
// end by themselves.
func (d *Daemon) Close() {
	d.mu.Lock()
	d.closed = true
	sessions := d.sessions
	d.sessions = map[string]*session{}
	d.mu.Unlock()
	for _, s := range sessions {
		s.end("session_died", "daemon_shutdown")
	}
}

// session finds the session of a request for a handler.
func (d *Daemon) session(h func(http.ResponseWriter, *http.Request, *session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		s, ok := d.sessions[r.PathValue("id")]
		d.mu.Unlock()
		if !ok {
			// EVENTBUS-HTTP-009
			refuse(w, r, http.StatusNotFound, "session_not_found", "there is no session of this id")
			return
		}
		h(w, r, s)
	}
}

// events is the event stream of a session.
func (d *Daemon) events(w http.ResponseWriter, r *http.Request) {
	// EVENTBUS-HTTP-009: before the session is looked up.
	if _, err := sse.MaxQueued(r.URL.RawQuery); err != nil {
		var refusal *sse.Refusal
		errors.As(err, &refusal)
		refusal.ServeHTTP(w, r)
		return
	}
	d.session(func(w http.ResponseWriter, r *http.Request, s *session) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.uncut(), cancel)()
		s.stream.ServeHTTP(w, r.WithContext(ctx))
	})(w, r)
}

func (d *Daemon) health(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]string{"status": "ok"})
}

// EVENTBUS-HTTP-010
func (d *Daemon) capabilities(w http.ResponseWriter, _ *http.Request) {
	reply(w, map[string]any{
		"v": 1, "dialect": d.cfg.Dialect.String(),
		"features": []string{"session_events", "slow_client_warning", "typed_event_schema"},
	})
}
