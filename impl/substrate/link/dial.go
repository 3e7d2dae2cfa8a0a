package link

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// The waiting before an attempt (SUBSTRATE-RECONNECT-007).
const (
	backoffFirst = 250 * time.Millisecond
	backoffMost  = 30 * time.Second
	// backoffReset is how long a connection has been ready after which the next attempt is a first one again.
	backoffReset = 10 * time.Second
)

// A Dialer keeps a connection to a listener.
type Dialer struct {
	// URL of the listener: ws or wss.
	URL string
	// Handshake is what this side brings.
	Handshake handshake.Config
	// Peer is the id that the other side must have. Empty: that of the first connection that became ready
	// (SUBSTRATE-RECONNECT-006).
	Peer string
	// Client makes the requests. Nil: http.DefaultClient.
	Client *http.Client
	// Header goes with each request.
	Header http.Header
	// Failed is told of each attempt that did not become ready, and how long the next one waits at most. Nil: nobody is.
	Failed func(err error, wait time.Duration)
	// Jitter returns a duration in [0, most]. Nil: a uniformly random one.
	Jitter func(most time.Duration) time.Duration
}

// Run dials until ctx ends, one attempt at a time, and calls ready with each connection that becomes ready. The connection ends when ready
// returns. Run returns the cause of ctx; there is no other end and no limit to the attempts (SUBSTRATE-RECONNECT-007).
func (d *Dialer) Run(ctx context.Context, ready func(context.Context, *Conn)) error {
	peer, backoff := d.Peer, Backoff{Jitter: d.Jitter}
	for {
		if err := sleep(ctx, backoff.Next()); err != nil {
			return err
		}
		c, err := d.dial(ctx, peer)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if d.Failed != nil {
				d.Failed(err, backoff.most())
			}
			continue
		}
		peer = c.Peer()
		began := time.Now()
		ready(ctx, c)
		c.Close(uint16(websocket.StatusNormalClosure), "")
		backoff.Ready(time.Since(began))
	}
}

// A Backoff says how long to wait before each attempt: from nothing to a time that doubles (SUBSTRATE-RECONNECT-007). The zero value is
// before the first.
type Backoff struct {
	// Jitter is that of a [Dialer].
	Jitter func(most time.Duration) time.Duration

	n int // attempts
}

// Next returns the wait before the next attempt.
func (b *Backoff) Next() time.Duration {
	most := b.most()
	b.n++
	if b.Jitter == nil {
		return rand.N(most + 1)
	}
	return b.Jitter(most)
}

// Ready takes note of a connection that has been ready for so long and is no more.
func (b *Backoff) Ready(lasted time.Duration) {
	if lasted >= backoffReset {
		b.n = 0
	}
}

// most returns the longest wait before the next attempt.
func (b *Backoff) most() time.Duration {
	if b.n > 7 { // 250 ms times 2 to the 7th is above the limit
		return backoffMost
	}
	return min(backoffMost, backoffFirst<<b.n)
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		// Of two that are there select takes either.
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// dial makes one attempt. peer is the id that is bound, if any.
func (d *Dialer) dial(ctx context.Context, peer string) (*Conn, error) {
	// The deadline counts from an open transport; this one bounds the opening.
	opening, cancel := context.WithTimeout(ctx, handshake.Deadline)
	defer cancel()
	client, dialing := farewell.Dialer(d.Client)
	ws, resp, err := websocket.Dial(opening, d.URL, &websocket.DialOptions{HTTPClient: client, HTTPHeader: d.Header})
	if err != nil {
		if resp != nil {
			return nil, fmt.Errorf("substrate link: dial %s: %s: %w", d.URL, resp.Status, err)
		}
		return nil, fmt.Errorf("substrate link: dial %s: %w", d.URL, err)
	}
	m, err := handshake.NewDialer(time.Now(), d.Handshake)
	if err != nil {
		_ = ws.CloseNow()
		return nil, err
	}
	s := socket{context.WithoutCancel(ctx), ws, dialing.Stream}
	result, err := shake(ctx, &s, m, m.Hello())
	if err != nil {
		return nil, fmt.Errorf("substrate link: %s: %w", d.URL, err)
	}
	c := &Conn{socket: s, result: result}
	if peer != "" && peer != c.Peer() {
		return nil, c.fail(&EndError{Code: CloseOtherPeer, Local: true, Reason: fmt.Sprintf("%s answers in the place of %s", c.Peer(), peer)})
	}
	return c, nil
}
