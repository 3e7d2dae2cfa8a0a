package client

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strings"

	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// Dial connects to address, which is tcp://host:port, tls://host:port, or the URL of a WebSocket with scheme ws or wss,
// and returns once the server said CONNECTED. It takes at most Timing.Connect, and until ctx is done.
//
// What is wrong with address or cfg is found before any I/O and reported as an [*Error] with code [Argument]. So is a
// login over tcp or ws to a host other than this one, unless cfg allows it (STOMP-TLS-007). Proxies are not used, and
// redirects of a WebSocket not followed.
func Dial(ctx context.Context, address string, cfg Config) (*Client, error) {
	const op = "connect"
	a, refused := parseAddress(address)
	if refused == nil {
		refused = cfg.validate()
	}
	if refused != nil {
		return nil, refused
	}
	if cfg.exposes(a.secure()) && !loopback(a.host) {
		return nil, argument(op, "plain-login", "a login without TLS to %s, which is not this machine", a.host)
	}
	host := cfg.Host
	if host == "" {
		host = a.host
	}
	s, octets, err := cfg.open(host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := cfg.limit(ctx)
	defer cancel()
	t, err := a.dial(ctx, &cfg)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, gone(cause)
		}
		if e := (*Error)(nil); errors.As(err, &e) {
			return nil, e
		}
		return nil, &ConnectionError{Op: "dial", Cause: err}
	}
	return connect(ctx, cfg, t, s, octets)
}

// New connects over c, which it owns from then on: it closes it on error too. The virtual host is cfg.Host, or else the
// address of c if it has one of TCP. A [*tls.Conn] must verify the certificate; its handshake is completed first. See
// [Dial].
func New(ctx context.Context, c net.Conn, cfg Config) (*Client, error) {
	const op = "connect"
	if c == nil {
		return nil, argument(op, "connection", "it is nil")
	}
	s, octets, err := prepare(c, &cfg)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	ctx, cancel := cfg.limit(ctx)
	defer cancel()
	if t, ok := c.(*tls.Conn); ok {
		if err := handshake(ctx, t); err != nil {
			return nil, err
		}
	}
	return connect(ctx, cfg, newStream(c), s, octets)
}

func prepare(c net.Conn, cfg *Config) (*session.Session, []byte, error) {
	const op = "connect"
	if err := cfg.validate(); err != nil {
		return nil, nil, err
	}
	_, secure := c.(*tls.Conn)
	if cfg.exposes(secure) && remote(c) {
		return nil, nil, argument(op, "plain-login", "a login without TLS to %v, which is not this machine", c.RemoteAddr())
	}
	host := cfg.Host
	if host == "" {
		a, ok := c.RemoteAddr().(*net.TCPAddr)
		if !ok {
			return nil, nil, argument(op, "host", "Host is empty and the connection has no address")
		}
		host = a.IP.String()
	}
	return cfg.open(host)
}

// handshake completes the handshake of a connection that somebody else configured.
func handshake(ctx context.Context, t *tls.Conn) error {
	// STOMP-TLS-004, STOMP-TLS-005
	err := t.HandshakeContext(ctx)
	if err == nil && len(t.ConnectionState().VerifiedChains) > 0 {
		return nil
	}
	_ = t.NetConn().Close()
	if err == nil {
		// STOMP-TLS-002, STOMP-TLS-003
		return argument("connect", "tls", "the certificate of the connection was not verified")
	}
	if cause := context.Cause(ctx); cause != nil {
		return gone(cause)
	}
	return &ConnectionError{Op: "handshake", Cause: err}
}

// limit bounds the whole of connecting.
func (c *Config) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	// STOMP-CLOCK-007
	after := c.timing().Connect
	return context.WithTimeoutCause(ctx, after, &TimeoutError{Op: "connect", After: after})
}

// gone is the error of a context that is done.
func gone(cause error) error {
	if e := (*TimeoutError)(nil); errors.As(cause, &e) {
		return e
	}
	return interrupted("connect", cause)
}

func (c *Config) dialer() func(ctx context.Context, network, address string) (net.Conn, error) {
	if c.Dialer != nil {
		return c.Dialer
	}
	return new(net.Dialer).DialContext
}

// dial opens a transport to a.
func (a address) dial(ctx context.Context, cfg *Config) (transport, error) {
	inspect := func(c net.Conn) error {
		// A name may mean another machine than it says.
		if cfg.exposes(a.secure()) && remote(c) {
			return argument("connect", "plain-login", "a login without TLS to %v, which is not this machine", c.RemoteAddr())
		}
		return nil
	}
	var secure *tls.Config
	if a.secure() {
		if secure = cfg.TLS.Clone(); secure == nil {
			secure = new(tls.Config)
		}
		if secure.ServerName == "" {
			// STOMP-TLS-006: an address is verified, but not sent.
			secure.ServerName = strings.TrimSuffix(a.host, ".")
		}
	}
	if a.webSocket() {
		s, err := dialWebSocket(ctx, a, cfg, secure, inspect)
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	c, err := cfg.dialer()(ctx, "tcp", a.hostPort())
	if err != nil {
		return nil, err
	}
	if err := inspect(c); err != nil {
		_ = c.Close()
		return nil, err
	}
	if secure == nil {
		return newStream(c), nil
	}
	t := tls.Client(c, secure)
	// STOMP-TLS-004, STOMP-TLS-005
	if err := t.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, err
	}
	return newStream(t), nil
}

// connect sends CONNECT, which the session made, and waits for CONNECTED. Ctx ends in time.
func connect(ctx context.Context, cfg Config, t transport, s *session.Session, octets []byte) (*Client, error) {
	const op = "connect"
	c := newClient(cfg, t, s)
	w := &waiter{ready: make(chan struct{}, 1)}
	c.mu.Lock()
	c.waiters.register(w)
	c.waiters.connect = w
	c.all.Add(2)
	go c.write()
	go c.reading()
	if c.put(op, octets, 0) == nil {
		c.push(false)
	}
	c.unlock()
	_, err := c.await(ctx, op, w, 0, func() { c.waiters.connect = nil })
	if err == nil {
		// STOMP-WAIT-018
		c.mu.Lock()
		err = c.err
		c.version = c.session.Version()
		c.watch()
		c.unlock()
	}
	if err != nil {
		// STOMP-WAIT-018
		_ = c.Close()
		if e := (*TimeoutError)(nil); errors.As(err, &e) {
			return nil, e
		}
		return nil, err
	}
	return c, nil
}
