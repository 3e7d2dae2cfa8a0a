package substrate

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/link"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// Dial returns the peer at a URL, ws or wss, which is dialled until the peer is closed: one attempt at a time, without limit
// (SUBSTRATE-RECONNECT-007). With Config.Remote Dial does not wait for a connection, and calls are queued until there is one. Without it
// Dial waits for the first connection, to learn who is there; ctx bounds that, and nothing else.
//
// The errors are [*ConfigError], those of the storage, and the cause of ctx.
func Dial(ctx context.Context, url string, c Config) (*Peer, error) {
	if err := c.validateDial(url); err != nil {
		return nil, err
	}
	st, err := openStorage(&c)
	if err != nil {
		return nil, err
	}
	if c.Remote == "" {
		return learn(ctx, url, &c, st)
	}
	p, err := c.bind(st, c.Remote)
	if err != nil {
		return nil, err
	}
	// The outbox that the hello speaks of is the one for this peer.
	d := c.dialer(url, p.eng.Epoch())
	p.dialers.Go(func() { p.dialOn(d) })
	return p, nil
}

func (c *Config) validateDial(address string) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Relay != nil {
		return &ConfigError{Field: "Relay", Problem: "is given to Dial", Remedy: "an edge listens: use NewListener"}
	}
	if u, err := url.Parse(address); err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return &ConfigError{Field: "url", Problem: "is no address of a listener: " + address, Remedy: "write ws://HOST:PORT/ or wss://HOST:PORT/", Err: err}
	}
	return nil
}

// bind makes the one peer of a side that dials. The storage ends with it.
func (c *Config) bind(s *storage, remote string) (*Peer, error) {
	st, leave, err := s.of(remote)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return newPeer(c, remote, st, func() error { return errors.Join(leave(), s.close()) }, true)
}

func (c *Config) dialer(url string, epoch [8]byte) *link.Dialer {
	return &link.Dialer{
		URL: url, Handshake: c.handshake(epoch), Peer: c.Remote, Client: c.Client, Header: c.Header, Jitter: c.Backoff,
		Failed: func(err error, wait time.Duration) {
			c.Observe.Log(observe.Info, "no connection, another attempt follows within "+wait.String(), observe.Fields{Peer: c.Remote, Err: err})
		},
	}
}

// learn dials until somebody answers, and binds them.
func learn(ctx context.Context, url string, c *Config, s *storage) (*Peer, error) {
	epoch, err := s.epoch()
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	d := c.dialer(url, epoch)
	first, hangUp := context.WithCancelCause(context.Background())
	defer context.AfterFunc(ctx, func() { hangUp(context.Cause(ctx)) })()
	type result struct {
		p   *Peer
		err error
	}
	learned := make(chan result, 1)
	go func() {
		var p *Peer
		var failure error
		err := d.Run(first, func(ctx context.Context, conn *link.Conn) {
			if p == nil {
				if p, failure = c.bind(s, conn.Peer()); failure != nil {
					conn.Close(closeAbnormal, storeUnavailable)
					hangUp(failure)
					return
				}
				p.dialers.Add(1)
				_ = p.dialled(func() { hangUp(nil) })
				learned <- result{p: p}
			}
			p.attach(ctx, conn)
		})
		switch {
		case failure != nil:
			learned <- result{err: failure}
		case p == nil:
			learned <- result{err: errors.Join(err, s.close())}
		default:
			defer p.dialers.Done()
			d.Peer = p.remote
			p.dialOn(d)
		}
	}()
	r := <-learned
	return r.p, r.err
}

// dialled takes note of what ends the present connection and attempts. It reports false, and ends them, if there are to be none.
func (p *Peer) dialled(hangUp func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialling = hangUp
	if p.closed || p.parked {
		hangUp()
		return false
	}
	return true
}

// dialOn dials until the peer is closed, but not while it is parked.
func (p *Peer) dialOn(d *link.Dialer) {
	for {
		p.mu.Lock()
		resume := p.resume
		p.mu.Unlock()
		select {
		case <-resume:
		case <-p.closing:
			return
		}
		ctx, cancel := context.WithCancel(p.cut)
		if p.dialled(cancel) {
			_ = d.Run(ctx, p.attach)
		}
		cancel()
	}
}

// hangUp cuts the present connection and attempts of a side that dials.
func (p *Peer) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dialling != nil {
		p.dialling()
	}
}

// Disconnect cuts the connection, as a network may. A side that dials does not dial again before Connect; the other side is called upon
// by its peer.
func (p *Peer) Disconnect() {
	if !p.dials {
		p.end(closeNormal)
		return
	}
	p.mu.Lock()
	if !p.parked {
		p.parked = true
		p.resume = make(chan struct{})
	}
	p.mu.Unlock()
	p.hangUp()
}

// closeNormal is the code with which a listener ends a connection at the wish of its host.
const closeNormal = 1000

// Connect dials again after Disconnect. It does not wait for a connection.
func (p *Peer) Connect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.parked {
		p.parked = false
		close(p.resume)
	}
}
