package session

import (
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// Session is the protocol state of one client connection. It is not safe for concurrent use and must not be copied.
type Session struct {
	profile   Profile
	limits    Limits
	tolerance int64

	state   State
	version frame.Version
	now     int64 // the last accepted time

	enc frame.Encoder
	dec *frame.Decoder // nil when closed

	offered       [frame.V12 + 1]bool
	beat          heartbeat.Pair   // what CONNECT offered
	clock         *heartbeat.Clock // nil: no heart-beats
	send, receive int64            // the negotiated intervals
	heard         int64            // when the last octet arrived

	// Those that are gone but have deliveries are among them.
	subs    map[string]*subscription
	open    int // how many are not gone
	leaving int // how many await the receipt of their UNSUBSCRIBE
	// The subscriptions to a destination, in a list; kept in 1.0 only, where a MESSAGE need not say whose it is.
	byDestination map[string]*subscription
	transactions  map[string]*transaction
	receipts      map[string]pending
	deliveries    map[deliveryKey]*delivery
	spare         *delivery // settled ones, to be used again

	events []Event
}

// New returns a session in state Fresh, or a [*ConfigError] that names the field of cfg that is out of range.
func New(cfg Config) (*Session, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	// STOMP-LIMIT-008: the capacities of the session do not touch the decoder's limits.
	dec, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12, Limits: frame.DefaultLimits()})
	if err != nil {
		return nil, err
	}
	s := &Session{
		profile: cfg.Profile, limits: cfg.Limits, tolerance: cfg.Tolerance,
		version: frame.V12, enc: frame.Encoder{Version: frame.V12}, dec: dec,
		subs:         make(map[string]*subscription),
		transactions: make(map[string]*transaction),
		receipts:     make(map[string]pending),
		deliveries:   make(map[deliveryKey]*delivery),
	}
	if s.limits == (Limits{}) {
		s.limits = DefaultLimits()
	}
	if s.tolerance == 0 {
		s.tolerance = heartbeat.DefaultTolerance
	}
	return s, nil
}

// State returns where the session stands.
func (s *Session) State() State { return s.state }

// Version returns the version in force, which stays when the session closes. Before CONNECTED it is the highest that was
// offered, and before CONNECT the highest that may be.
func (s *Session) Version() frame.Version { return s.version }

// Counts returns how many records the session holds.
func (s *Session) Counts() Counts {
	return Counts{
		Subscriptions: s.open,
		Unsubscribing: s.leaving,
		Transactions:  len(s.transactions),
		Receipts:      len(s.receipts),
		Deliveries:    len(s.deliveries),
	}
}

// Fail says that the transport failed, or that octets returned by Send or Tick were not all written: the session is
// closed. It may be called in any state and more than once (STOMP-CLIENT-004, STOMP-CLIENT-005).
func (s *Session) Fail() { s.close() }

// End says that the peer closed the stream. The session is closed in every case. The error is a [*Error]: truncated if
// the stream stopped inside a frame or line, spent if the session was closed before.
func (s *Session) End() error {
	// STOMP-CLIENT-009
	if s.state == Closed {
		return problem(OpEnd, ReasonSpent, "the session was closed before")
	}
	err := s.dec.End()
	s.close()
	if err != nil {
		return caused(OpEnd, ReasonTruncated, err)
	}
	return nil
}

// close ends the session and releases every record: STOMP-CLIENT-005.
func (s *Session) close() {
	s.state = Closed
	s.dec, s.clock = nil, nil
	s.send, s.receive = 0, 0
	s.subs, s.open, s.leaving, s.byDestination = nil, 0, 0, nil
	s.transactions, s.receipts = nil, nil
	s.deliveries, s.spare = nil, nil
	s.events = nil
}

// advance checks and records the time of a call.
func (s *Session) advance(op Op, now int64) *Error {
	// STOMP-CLOCK-001
	if now < 0 {
		return exceed(op, ReasonTimeNegative, 0, now, "the time is negative")
	}
	if now < s.now {
		e := exceed(op, ReasonTimeRegression, s.now, now, "the time is before that of an earlier call")
		// STOMP-CLOCK-002 is about Send alone.
		if op != OpSend {
			e.Law = "STOMP-CLOCK-003"
		}
		return e
	}
	// STOMP-CLOCK-005: before anything else is checked.
	s.now = now
	return nil
}

// value returns the first header called name, as the version in force compares it.
func (s *Session) value(f *frame.Frame, name string) (string, bool) {
	v, ok := f.Get(name)
	if s.version == frame.V10 {
		// STOMP-HDR-008
		v = strings.Trim(v, " ")
	}
	return v, ok
}
