// Package hub is the state of a STOMP broker without its sockets: destinations, sessions, subscriptions,
// unsettled deliveries and transactions. It does no I/O, starts no goroutine and reads no clock: the
// driver feeds it decoded frames and times, and takes the octets that it wants written.
//
// A [Hub] is not safe for concurrent use; the driver holds one lock around all its calls. For each
// connection: [Hub.Open], then [Hub.Connect] for CONNECT and STOMP frames and [Hub.Handle] for all
// others, [Hub.Fail] when decoding failed, and [Hub.Gone] at the end, always. After any call, sessions with
// something to write are in [Hub.Dirty]; [Hub.Take] and [Hub.Written] move their octets out. Times are
// int64 milliseconds from any fixed moment, 0 or more, never decreasing.
package hub

import (
	"slices"
	"strconv"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// Hub is a broker's state.
type Hub struct {
	cfg      Config
	versions string
	dests    map[string]*destination
	sessions uint64 // opened so far
	messages uint64 // sequence number of the last message
	subs     uint64 // serial number of the last subscription
	bytes    int    // held by messages and names
	dirty    []*Session
	scratch  []frame.Header
	answer   frame.Frame // the RECEIPT being encoded
	receipt  [1]frame.Header
	stats    Stats
}

// Stats counts what a hub did and holds.
type Stats struct {
	Connections   int    // open now, in any state
	Destinations  int    // now
	Subscriptions int    // now
	Messages      int    // queued, unsettled or staged now
	Bytes         int    // of those messages, and of all names, with an estimate of the overhead
	Opened        uint64 // connections ever
	Connected     uint64 // CONNECTED frames sent
	Received      uint64 // frames received
	Published     uint64 // messages accepted from SEND, at COMMIT if in a transaction
	Delivered     uint64 // MESSAGE frames sent
	Acked         uint64 // deliveries acknowledged by ACK
	Nacked        uint64 // deliveries refused by NACK
	DeadLettered  uint64 // messages moved to a dead-letter queue
	Discarded     uint64 // messages dropped: a dead letter refused again, or no room for it, or inexpressible
	Errors        uint64 // ERROR frames sent
}

// New returns an empty hub, or the error of [Config.Validate].
func New(cfg Config) (*Hub, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.defaults()
	h := &Hub{cfg: cfg, dests: make(map[string]*destination), answer: frame.Frame{Command: frame.RECEIPT}}
	for i, v := range cfg.Versions {
		if i > 0 {
			h.versions += ","
		}
		h.versions += v.String()
	}
	return h, nil
}

// Config returns the configuration in force, defaults filled in.
func (h *Hub) Config() Config { return h.cfg }

// Stats returns the counters.
func (h *Hub) Stats() Stats {
	s := h.stats
	s.Destinations = len(h.dests)
	s.Bytes = h.bytes
	return s
}

// DestinationStats tells what one destination holds.
type DestinationStats struct {
	Topic         bool
	Subscriptions int
	Queued        int // messages that wait for a consumer
	Unsettled     int // messages delivered that wait for ACK or NACK; 0 for a topic
	Bytes         int // of both, with an estimate of their overhead
}

// Destination returns what the destination of that name holds, and whether there is one.
func (h *Hub) Destination(name string) (DestinationStats, bool) {
	d := h.dests[name]
	if d == nil {
		return DestinationStats{}, false
	}
	n := d.queue.len()
	return DestinationStats{
		Topic: d.topic, Subscriptions: d.users, Queued: n, Unsettled: d.count - n, Bytes: d.bytes,
	}, true
}

// Open admits a connection at now. Framed sessions remember where frames end, for a transport that keeps
// message boundaries. The error, a [*Problem], says that there are too many.
func (h *Hub) Open(now int64, framed bool) (*Session, error) {
	// STOMP-CONNECT-013: a connection costs little before its CONNECT, and its place is free when it is gone.
	if h.stats.Connections >= h.cfg.Limits.Connections {
		return nil, limit("connections", h.cfg.Limits.Connections, h.stats.Connections+1)
	}
	h.stats.Connections++
	h.stats.Opened++
	h.sessions++
	return &Session{
		id:      h.cfg.Instance + "-" + strconv.FormatUint(h.sessions, 10),
		opened:  now,
		version: h.highest(),
		framed:  framed,
		subs:    make(map[string]*subscription),
		unacked: make(map[string]*delivery),
		txs:     make(map[string]*transaction),
	}, nil
}

// Fail ends s with ERROR, unless it has ended: what the driver calls when decoding failed.
func (h *Hub) Fail(s *Session, p *Problem) { h.fail(s, p, nil) }

func (h *Hub) fail(s *Session, p *Problem, f *frame.Frame) {
	if s.state >= ending {
		return
	}
	s.problem = p
	answer := p.describe(f)
	h.end(s)
	h.stats.Errors++
	if h.emit(s, answer) != nil {
		// A 1.0 session cannot say every receipt-id.
		answer.Headers = slices.DeleteFunc(answer.Headers, func(header frame.Header) bool { return header.Name == "receipt-id" })
		_ = h.emit(s, answer)
	}
}

// Gone forgets s, whose connection is closed or about to be: nothing more will be read or written.
func (h *Hub) Gone(s *Session) {
	if s.state == gone {
		return
	}
	if s.state < ending {
		// STOMP-DISCONNECT-004
		h.end(s)
	}
	s.state = gone
	s.out, s.ends, s.frames = nil, nil, 0
	h.stats.Connections--
}

// Drain stops deliveries to s and lets what waits be written: the graceful end of a connection by the hub.
func (h *Hub) Drain(s *Session) {
	if s.state < ending {
		h.end(s)
		h.mark(s)
	}
}

// end returns everything that s holds. No frame is handled or delivered after it.
func (h *Hub) end(s *Session) {
	s.state = ending
	// STOMP-TX-005
	for _, tx := range s.txs {
		h.abort(s, tx)
	}
	touched := make([]*destination, 0, len(s.list))
	for len(s.list) > 0 {
		sub := s.list[len(s.list)-1]
		touched = append(touched, sub.dest)
		h.unsubscribe(sub)
	}
	s.starved = nil
	back := make([]*delivery, 0, len(s.unacked))
	for _, d := range s.unacked {
		back = append(back, d)
	}
	h.restore(back)
	for _, d := range touched {
		h.pump(d)
	}
}

// Dirty returns the sessions that got something to write, or whose state changed, since the last call. The
// slice is valid until the next call of any method.
func (h *Hub) Dirty() []*Session {
	d := h.dirty
	for _, s := range d {
		s.dirty = false
	}
	h.dirty = h.dirty[:0]
	return d
}

func (h *Hub) mark(s *Session) {
	if !s.dirty {
		s.dirty = true
		h.dirty = append(h.dirty, s)
	}
}

func (h *Hub) highest() frame.Version { return h.cfg.Versions[len(h.cfg.Versions)-1] }
