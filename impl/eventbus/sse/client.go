package sse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Client reads one event stream and connects again when it ends or breaks. It holds where it is, so that ranging again
// goes on there. Its methods may be called from many goroutines, but only one loop reads at a time.
type Client struct {
	cfg  ClientConfig
	http *http.Client
	own  bool // http is ours

	state atomic.Int32

	mu     sync.Mutex
	busy   bool
	last   string // what the next request resumes after
	epoch  string
	retry  time.Duration
	asked  bool // the capabilities are known
	queued bool // and maxQueued may be asked for
}

// State is what a client does.
type State int

// The states.
const (
	Connecting State = iota // it was not ranged over yet, or it is between two connections, or making one
	Open                    // the head of a stream is in
	Closed                  // the loop has ended
)

// String returns "connecting", "open" or "closed".
func (s State) String() string {
	switch s {
	case Connecting:
		return "connecting"
	case Open:
		return "open"
	case Closed:
		return "closed"
	}
	return fmt.Sprintf("State(%d)", int(s))
}

// State returns what the client does (EVENTBUS-WHATWG-036).
func (c *Client) State() State { return State(c.state.Load()) }

// NewClient returns a client, or the error of [ClientConfig.Validate]. It connects when it is ranged over.
func NewClient(cfg ClientConfig) (*Client, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.defaults()
	c := &Client{cfg: cfg, last: cfg.LastEventID, epoch: cfg.Epoch, retry: cfg.Retry}
	if cfg.HTTP == nil {
		c.own = true
		c.http = &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableCompression: true, MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true,
		}}
	} else {
		copied := *cfg.HTTP
		c.http = &copied
	}
	if c.http.CheckRedirect == nil {
		c.http.CheckRedirect = func(r *http.Request, via []*http.Request) error {
			if len(via) > cfg.MaxRedirects {
				return &RedirectError{Limit: cfg.MaxRedirects, To: r.URL.Redacted()}
			}
			return nil
		}
	}
	return c, nil
}

// LastEventID returns what the next connection resumes after; empty: it does not. It moves when the loop asks for the next
// message, so that one whose handling failed comes again (EVENTBUS-HTTP-012).
func (c *Client) LastEventID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// SetLastEventID sets what the next connection resumes after, and the epoch of it, empty if it is unknown. It is for a
// reader that was told to load its state anew: the state says where it ends.
func (c *Client) SetLastEventID(id, epoch string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.epoch = id, epoch
}

// Epoch returns the epoch that the server named last, or the one that was set; empty: none.
func (c *Client) Epoch() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// Messages reads any event stream. Each message is the loop's own. The last event id moves by the standard.
//
// The loop ends without an error if the server says with status 204 that there will be nothing more. It ends with an
// error, which comes with an empty message, if ctx is done, if there is one of [StatusError], [ContentTypeError],
// [RedirectError], [LimitError] or [FailuresError], or with [ErrBusy]. Everything else means another connection: after
// what the server asked for, or [ClientConfig.Retry], or longer while connections fail.
func (c *Client) Messages(ctx context.Context) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		on := func(m Message) bool {
			m.Data = bytes.Clone(m.Data)
			if !yield(m, nil) {
				return false
			}
			c.SetLastEventID(m.ID, c.Epoch())
			return true
		}
		if err := c.read(ctx, false, on); err != nil {
			yield(Message{}, err)
		}
	}
}

// Events reads the stream of a bus. Frames that are no envelopes are skipped (EVENTBUS-SSE-013); id and event lines count
// for nothing (EVENTBUS-SSE-011). It resumes after the largest id it gave out (EVENTBUS-HTTP-011), which starts again from 0
// when the server names another epoch than before: ids of two epochs cannot be compared. It ends as [Client.Messages] does.
func (c *Client) Events(ctx context.Context) iter.Seq2[Envelope, error] {
	return func(yield func(Envelope, error) bool) {
		if last := c.LastEventID(); last != "" {
			if _, ok := decimal(last, maxID); !ok {
				yield(Envelope{}, &ConfigError{Field: "LastEventID " + strconv.Quote(short(last)), Max: maxID})
				return
			}
		}
		on := func(m Message) bool {
			e, err := DecodeEnvelope(bytes.Clone(m.Data))
			if err != nil {
				c.cfg.Logger.Warn("skipped a frame", "error", err)
				return true
			}
			if !yield(e, nil) {
				return false
			}
			c.advance(e.ID)
			return true
		}
		if err := c.read(ctx, true, on); err != nil {
			yield(Envelope{}, err)
		}
	}
}

// advance moves the cursor of a bus.
func (c *Client) advance(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// EVENTBUS-HTTP-011
	if at, _ := decimal(c.last, maxID); id > at {
		c.last = strconv.FormatInt(id, 10)
	}
}

// errStop says that the loop was left.
var errStop = errors.New("the loop was left")

// read connects until something ends it. on returns false to stop.
func (c *Client) read(ctx context.Context, bus bool, on func(Message) bool) error {
	c.mu.Lock()
	if c.busy {
		c.mu.Unlock()
		return ErrBusy
	}
	c.busy = true
	c.mu.Unlock()
	c.state.Store(int32(Connecting))
	defer func() {
		c.state.Store(int32(Closed))
		c.mu.Lock()
		c.busy = false
		c.mu.Unlock()
		if c.own {
			c.http.CloseIdleConnections()
		}
	}()
	for failures := 0; ; {
		some, err := c.connect(ctx, bus, on)
		switch {
		case ctx.Err() != nil && err != errStop:
			return context.Cause(ctx)
		case err == errStop || err == errNoContent:
			return nil
		case final(err):
			return err
		}
		// EVENTBUS-WHATWG-025, EVENTBUS-WHATWG-026, EVENTBUS-WHATWG-029
		if failures++; some {
			failures = 0
		}
		if limit := c.cfg.MaxFailures; limit > 0 && failures >= limit {
			return &FailuresError{Limit: limit, Last: err}
		}
		wait := c.wait(failures)
		c.cfg.Logger.Debug("connecting again", "after", wait, "failures", failures, "error", err)
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// final reports whether an error is one that another connection would meet again.
func final(err error) bool {
	var status *StatusError
	var kind *ContentTypeError
	var redirect *RedirectError
	var limit *LimitError
	return errors.As(err, &status) || errors.As(err, &kind) || errors.As(err, &redirect) || errors.As(err, &limit)
}

// longest is the longest wait to which a quarter can be added.
const longest = time.Duration(1 << 62)

// wait returns how long to wait before the next connection, after so many failures in a row.
func (c *Client) wait(failures int) time.Duration {
	c.mu.Lock()
	wait := min(c.retry, longest)
	c.mu.Unlock()
	if failures > 0 {
		// A server that asks for no wait and then fails must not be asked without pause.
		back := max(wait, 100*time.Millisecond)
		most := min(c.cfg.MaxBackoff, longest)
		for range failures - 1 {
			if back >= most {
				break
			}
			back *= 2
		}
		wait = max(wait, min(back, most))
	}
	return wait + time.Duration(float64(wait/4)*c.cfg.Jitter())
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stream reads one body.
func (c *Client) stream(body io.Reader, bus bool, on func(Message) bool) (some bool, err error) {
	initial := c.LastEventID()
	if bus {
		initial = ""
	}
	p, err := NewParser(c.cfg.Limits, initial)
	if err != nil {
		return false, err
	}
	buf := make([]byte, 16<<10)
	for {
		n, err := body.Read(buf)
		p.Feed(buf[:n])
		for m, ok := p.Next(); ok; m, ok = p.Next() {
			some = true
			if !on(m) {
				return some, errStop
			}
			c.keepRetry(p)
		}
		c.keepRetry(p)
		if !bus {
			// An id without data moves it too.
			c.SetLastEventID(p.LastEventID(), c.Epoch())
		}
		if p.Err() != nil {
			return some, p.Err()
		}
		switch {
		case err == io.EOF:
			return some, errEnd
		case err != nil:
			return some, err
		}
	}
}

func (c *Client) keepRetry(p *Parser) {
	if retry, asked := p.Retry(); asked {
		c.mu.Lock()
		c.retry = min(retry, c.cfg.MaxRetry)
		c.mu.Unlock()
	}
}

// isStream reports whether a content type is that of an event stream, whatever its parameters.
func isStream(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.Trim(kind, " \t"), "text/event-stream")
}
