package sse

import (
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// Snapshot is what a session_snapshot frame tells (EVENTBUS-HTTP-008).
type Snapshot struct {
	SessionID string `json:"sessionId"`
	// CurrentModelID and CurrentApprovalMode are null when nil.
	CurrentModelID      *string `json:"currentModelId"`
	CurrentApprovalMode *string `json:"currentApprovalMode"`
	RecordingDegraded   bool    `json:"recordingDegraded"`
}

// Config says how a handler serves a bus. The zero value works.
type Config struct {
	// Heartbeat is how long a stream is idle before it gets a comment. 0 means 15 s in the later dialect
	// (EVENTBUS-SSE-007) and none in the seed. Negative: none.
	Heartbeat time.Duration
	// WriteTimeout is how long one write may take before the peer is given up. 0 means [DefaultWriteTimeout]. Negative:
	// for ever.
	WriteTimeout time.Duration
	// WriterIdle is how long a stream goes without a write before its reader is evicted (EVENTBUS-SSE-008). 0: for ever.
	// Heart-beats are writes. At least 1 ms otherwise. Of the later dialect; the seed takes no notice of it.
	WriterIdle time.Duration
	// Snapshot tells what ?snapshot=1 asks for, in the later dialect. Nil: it is ignored. It is called once the stream is
	// subscribed.
	Snapshot func() Snapshot
	// Gate, if it is not nil, is held for reading while a stream takes an event that waits for it. Who holds it for writing
	// and publishes several events shows them to all readers in one go: none makes room meanwhile.
	Gate *sync.RWMutex
	// Now stamps synthetic frames. Nil means [time.Now].
	Now func() time.Time
	// Logger gets what a request was not granted (warn) and how streams ended early (debug). Nil: nothing.
	Logger *slog.Logger
}

// The times that zero values stand for.
const (
	DefaultHeartbeat    = 15 * time.Second
	DefaultWriteTimeout = 30 * time.Second
)

// Validate returns a *ConfigError that names the first field out of range, or nil.
func (c Config) Validate() error {
	if c.WriterIdle < 0 || c.WriterIdle > 0 && c.WriterIdle < time.Millisecond {
		return &ConfigError{Field: "WriterIdle", Found: int64(c.WriterIdle), Min: int64(time.Millisecond), Max: maxInt}
	}
	return nil
}

// Handler serves one bus as an event stream to any number of readers, up to the limit of the bus. It starts no goroutine.
// Closing the bus ends all streams.
type Handler struct {
	bus *eventbus.Bus
	cfg Config
}

// NewHandler returns a handler of bus, or the error of [Config.Validate].
func NewHandler(bus *eventbus.Bus, cfg Config) (*Handler, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	later := bus.Dialect() == eventbus.Later
	if cfg.Heartbeat == 0 && later {
		cfg.Heartbeat = DefaultHeartbeat
	}
	if cfg.WriteTimeout == 0 {
		cfg.WriteTimeout = DefaultWriteTimeout
	}
	if !later {
		cfg.WriterIdle, cfg.Snapshot = 0, nil
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &Handler{bus: bus, cfg: cfg}, nil
}

// ServeHTTP streams the events of the bus, until the bus ends the subscription, or the peer goes or takes nothing. HEAD
// gets the headers of a stream; other methods than GET are refused with 405.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.refuse(w, r, &Refusal{
			Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "an event stream is read with GET, found " + short(r.Method),
		})
		return
	}
	options, err := h.options(r)
	if err != nil {
		var refusal *Refusal
		errors.As(err, &refusal)
		h.refuse(w, r, refusal)
		return
	}
	if r.Method == http.MethodHead {
		h.header(w)
		return
	}
	// The end of the request is the abort signal: EVENTBUS-ABORT-002 frees the slot at once.
	sub, err := h.bus.Subscribe(r.Context(), options)
	if err != nil {
		h.full(w, r, err)
		return
	}
	defer sub.Abort()
	s := stream{h: h, sub: sub, control: http.NewResponseController(w), w: w}
	h.header(w)
	if err := s.run(r.Context(), h.wantsSnapshot(r), options.After != (eventbus.Cursor{})); err != nil {
		h.cfg.Logger.Debug("event stream ended early", "remote", r.RemoteAddr, "error", err)
	}
}

// options reads what a request asks for. The error is a *Refusal.
func (h *Handler) options(r *http.Request) (eventbus.Options, error) {
	var o eventbus.Options
	// EVENTBUS-HTTP-005: there is no parameter for octets.
	n, err := MaxQueued(r.URL.RawQuery)
	if err != nil {
		return o, err
	}
	o.MaxQueued = n
	if r.ContentLength != 0 {
		// A body that is not read would hide that the peer goes away.
		return o, &Refusal{Status: http.StatusBadRequest, Code: "unexpected_body", Message: "a request for an event stream has no body"}
	}
	id, ok, bad := cursor(r.Header)
	if bad != "" {
		// EVENTBUS-HTTP-002
		h.cfg.Logger.Warn("rejected Last-Event-ID, the stream is live only", "remote", r.RemoteAddr, "value", short(bad))
	}
	if ok {
		o.After = eventbus.After(id)
	}
	if h.bus.Dialect() == eventbus.Later {
		value, bad := epoch(r.Header)
		if bad != "" {
			h.cfg.Logger.Warn("rejected "+EpochHeader, "remote", r.RemoteAddr, "value", short(bad))
		}
		o.Epoch = value
	}
	return o, nil
}

// wantsSnapshot reports whether a request asks for a snapshot, and gets one.
func (h *Handler) wantsSnapshot(r *http.Request) bool {
	values := parameter(r.URL.RawQuery, "snapshot")
	// EVENTBUS-HTTP-008
	return h.cfg.Snapshot != nil && len(values) == 1 && values[0] == "1"
}

// header writes the head of a stream.
func (h *Handler) header(w http.ResponseWriter) {
	header := w.Header()
	// EVENTBUS-HTTP-009
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	header.Set("X-Content-Type-Options", "nosniff")
	if h.bus.Dialect() == eventbus.Later {
		header.Set(EpochHeader, h.bus.Epoch())
	}
	w.WriteHeader(http.StatusOK)
}

// full answers a request that the bus has no room for.
func (h *Handler) full(w http.ResponseWriter, r *http.Request, err error) {
	h.cfg.Logger.Warn("event stream refused", "remote", r.RemoteAddr, "error", err)
	var limit *eventbus.SubscriberLimitError
	if errors.As(err, &limit) && h.bus.Dialect() == eventbus.Later {
		// EVENTBUS-LIMIT-005
		w.Header().Set("Retry-After", "5")
		(&Refusal{
			Status: http.StatusTooManyRequests, Code: "subscriber_limit_exceeded", Message: err.Error(), Limit: limit.Limit,
		}).ServeHTTP(w, r)
		return
	}
	// EVENTBUS-LIMIT-004
	h.header(w)
	s := stream{h: h, control: http.NewResponseController(w), w: w}
	s.open()
	s.fail(err)
	if err := s.flush(); err != nil {
		h.cfg.Logger.Debug("event stream ended early", "remote", r.RemoteAddr, "error", err)
	}
	s.close()
}

func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, refusal *Refusal) {
	h.cfg.Logger.Warn("event stream refused", "remote", r.RemoteAddr, "error", refusal)
	refusal.ServeHTTP(w, r)
}
