package client

import (
	"sync"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// Client is one connection to a STOMP server. Its methods may be called from many goroutines, but not from a function
// given to [Client.Wait].
type Client struct {
	limits    Limits
	timing    Timing
	transport transport
	start     time.Time
	version   frame.Version // agreed on
	wake      chan struct{} // one slot: the writer has something to do
	done      chan struct{} // closed when the client is
	turn      chan struct{} // one slot: it is the reader's turn again
	buf       []byte        // of whoever has the turn to read
	all       sync.WaitGroup

	mu      sync.Mutex // guards all below; released by unlock
	session *session.Session
	err     error // why the client is closed; nil before
	broken  error // why nothing can be written any more, while the client is about to be closed for that
	ending  ending
	sever   bool // the transport is to be aborted once mu is released
	alarm   alarm

	// What is to be written.
	out      []byte
	ends     []int  // where frames end in out, if the transport is framed
	rest     []byte // what is left of a batch that was written in part
	spare    []byte
	inflight int // octets of the batch being written that are not written yet
	role     role
	room     chan struct{}

	turns    turn
	reads    *waiter // what the call that reads waits for
	kicked   bool    // it was interrupted
	answered bool    // the last thing read was the receipt of a call that waited

	queue   queue
	waiters waiters
	subs    map[string]*Subscription // by id, those that may get messages
	leaving map[string]string        // ids of subscriptions by the receipt of their UNSUBSCRIBE
	serial  uint64                   // of the last id made
	spares  []*Pending               // to be used again
	draft   draft                    // of a frame being sent
}

// ending says what the writer does when the client is closed.
type ending uint8

const (
	open     ending = iota
	severed         // nothing: the connection is gone
	departed        // it takes leave, and closes
	flushing        // it writes what there is, takes leave, and gives the server a while to close
)

// keep is the largest output buffer that is kept for reuse.
const keep = 2 * crowded

func newClient(cfg Config, t transport, s *session.Session) *Client {
	c := &Client{
		limits: cfg.limits(), timing: cfg.timing(),
		transport: t, start: time.Now(), session: s,
		wake: make(chan struct{}, 1), done: make(chan struct{}), turn: make(chan struct{}, 1),
		buf:  make([]byte, smallRead),
		subs: make(map[string]*Subscription), leaving: make(map[string]string),
		spares: make([]*Pending, 0, 16),
	}
	c.waiters.receipts = make(map[string]*waiter)
	return c
}

// Version returns the version agreed on.
func (c *Client) Version() frame.Version { return c.version }

// State is the state of a session; see [session.State].
type State = session.State

// The states of a client that was connected; see [session.State].
const (
	Active        = session.Active
	Disconnecting = session.Disconnecting
	Closed        = session.Closed
)

// State returns the state of the session: Active, Disconnecting or Closed.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.unlock()
	if c.over() {
		return Closed
	}
	return c.session.State()
}

// Stats counts what a client holds.
type Stats struct {
	session.Counts
	Events     int // that nobody took yet
	EventBytes int // what they count against Limits.EventBytes
	Waiters    int
	Buffered   int  // octets that are not written yet
	Ticking    bool // whether heart-beats are looked after
}

// Stats returns the counters of now. All are 0 when the client is closed.
func (c *Client) Stats() Stats {
	c.mu.Lock()
	defer c.unlock()
	return Stats{
		Counts: c.session.Counts(), Events: c.queue.n, EventBytes: c.queue.size, Waiters: c.waiters.n,
		Buffered: c.unsent(), Ticking: !c.alarm.look.IsZero(),
	}
}

// Done returns a channel that is closed when the client is.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns nil while the client is open, then why it is not: an error that is [ErrClosed] if it was closed by its
// user, an [*Error] or a [*ConnectionError].
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.unlock()
	return c.err
}

// Close closes the connection at once. What was not written is lost, calls that wait fail, and events that nobody took
// are dropped. It returns when all goroutines of the client have ended, always nil.
func (c *Client) Close() error {
	c.mu.Lock()
	c.stop(misuse("close", "closed", "by its user"), severed)
	c.unlock()
	c.all.Wait()
	return nil
}

// now is the session's time.
func (c *Client) now() int64 { return time.Since(c.start).Milliseconds() }

// stop closes the client because of err, unless it is closed. The caller holds the lock.
func (c *Client) stop(err error, how ending) {
	if c.err != nil {
		return
	}
	if e, ok := err.(*Error); ok && e.Code == Handle && e.Cause == nil {
		e.Cause = ErrClosed
	}
	// STOMP-WAIT-016, STOMP-CLIENT-004, STOMP-DISCONNECT-007
	c.err, c.ending = err, how
	c.session.Fail()
	c.silence()
	c.queue.clear(err)
	for _, s := range c.subs {
		s.finish(err)
	}
	c.waiters.reject(err)
	clear(c.subs)
	clear(c.leaving)
	if how != flushing {
		c.out, c.ends, c.rest, c.spare, c.inflight = nil, nil, nil, nil, 0
	}
	c.sever = how == severed
	close(c.done)
	c.recall()
	c.interrupt(c.reads)
	c.freed()
	c.signal()
}

// unlock releases the lock, and closes the transport if that is to be done: closing may take a while.
func (c *Client) unlock() {
	sever := c.sever
	c.sever = false
	c.mu.Unlock()
	if sever {
		c.transport.abort()
	}
}

// over reports whether the client is closed, or about to be. The caller holds the lock.
func (c *Client) over() bool { return c.err != nil || c.broken != nil }

// closed is the error of using a closed client. The caller holds the lock.
func (c *Client) closed(op string) error {
	// STOMP-CLIENT-010, STOMP-ERROR-010
	e := misuse(op, "closed", "")
	if e.Cause = c.err; e.Cause == nil {
		e.Cause = c.broken
	}
	return e
}
