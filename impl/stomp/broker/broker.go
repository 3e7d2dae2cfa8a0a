// Package broker is an in-memory STOMP broker for versions 1.0, 1.1 and 1.2 over TCP, TLS, Unix sockets,
// [net.Pipe] and WebSocket: small enough to start one in every test, bounded and strict enough to face peers
// that misbehave.
//
// Start with [New], then [Broker.Serve] a listener, [Broker.ServeConn] a single connection, or mount the broker
// as an [net/http.Handler] for WebSocket. [Broker.Shutdown] and [Broker.Close] end it.
//
// Destinations that begin with "/topic/" are topics: every subscription gets every message sent while it
// exists. All others are queues: each message goes to one subscription, in turn, and waits if there is none.
// A destination is never changed or interpreted further.
//
// Headers of a SEND are handed on in order, repeats included, so that the first one wins. Those that belong to
// the protocol on one hop (destination, content-length, receipt, transaction, subscription, message-id, ack,
// redelivered, delivery-count, dead-letter-source) are the broker's own word in a MESSAGE. Messages delivered
// before carry redelivered:true and delivery-count, counting this delivery.
//
// What a session has not acknowledged when it or its subscription ends goes back to its place in the queue. A
// NACK sends a message back too, and the MaxDeliveries-th one to the dead-letter queue. Whatever is wrong
// with a frame, in every version, the answer is ERROR and the end of the connection.
//
// In auto mode a message counts as received once it is put with what waits to be written: a connection that breaks
// takes up to Limits.Credit octets of them along. Nothing is kept on disk.
//
// What peers can make the broker hold is bounded by [Limits], and a full bound is answered with ERROR and the end of
// the connection that would exceed it. Nobody waits for a slow consumer: while it has Limits.Credit octets to read
// it gets nothing more from queues, whose messages go to others or wait; a topic cannot wait, so a subscriber that
// lets Limits.Outbound octets pile up is closed with ERROR.
//
// Package brokertest starts one in a line; package hub is the broker without its sockets.
package broker

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker/hub"
)

// ErrClosed is what serving returns on a broker that was shut down or closed before.
var ErrClosed = errors.New("stomp broker: closed")

// Broker serves STOMP connections. Its methods may be called from many goroutines.
type Broker struct {
	cfg      Config
	start    time.Time
	refusals chan struct{} // a slot for each refusal in progress

	mu        sync.Mutex // guards hub and everything below
	hub       *hub.Hub
	conns     map[*hub.Session]*conn
	listeners map[net.Listener]struct{}
	closed    bool
	serving   sync.WaitGroup // Serve and ServeConn calls; added to only while not closed
}

// New returns a broker that serves nothing yet, or the error of [Config.Validate].
func New(cfg Config) (*Broker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	var instance [4]byte
	_, _ = rand.Read(instance[:])
	h, err := hub.New(cfg.hub(hex.EncodeToString(instance[:])))
	if err != nil {
		return nil, err
	}
	return &Broker{
		cfg:       cfg.defaults(),
		start:     time.Now(),
		refusals:  make(chan struct{}, 16),
		hub:       h,
		conns:     make(map[*hub.Session]*conn),
		listeners: make(map[net.Listener]struct{}),
	}, nil
}

// Stats returns the counters of now.
func (b *Broker) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hub.Stats()
}

// Serve accepts connections from l, which may be a TLS listener, and serves each, until ctx is done or the broker
// is shut down or closed; then it returns nil. It closes l, and returns only when its connections have ended:
// at once and without ceremony if ctx is done.
func (b *Broker) Serve(ctx context.Context, l net.Listener) error {
	if !b.enter() {
		_ = l.Close()
		return ErrClosed
	}
	defer b.serving.Done()
	b.mu.Lock()
	b.listeners[l] = struct{}{}
	stopped := b.closed
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.listeners, l)
		b.mu.Unlock()
	}()
	if stopped {
		_ = l.Close()
		return nil
	}
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	var conns sync.WaitGroup
	defer conns.Wait()

	pause := time.Duration(0)
	for {
		nc, err := l.Accept()
		if err == nil {
			pause = 0
			conns.Go(func() { _ = b.ServeConn(ctx, nc) })
			continue
		}
		if ctx.Err() != nil || b.isClosed() {
			return nil
		}
		if !passing(err) {
			return err
		}
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		b.cfg.Logger.Warn("accept", "error", err, "pause", pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// passing reports whether accepting may work again in a while: usually, when descriptors have been freed.
func passing(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.ECONNRESET} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// ServeConn serves one connection, of any kind, and returns when it has ended and is closed. The error says
// why: nil after DISCONNECT or a clean end of the stream, a [*Problem] if the peer got ERROR, otherwise what
// reading or writing returned. When ctx is done it closes the connection at once.
func (b *Broker) ServeConn(ctx context.Context, nc net.Conn) error {
	return b.serve(ctx, newStream(nc))
}

// Destination returns what the destination of that name holds, and false if there is none: it has neither a
// subscription nor a message.
func (b *Broker) Destination(name string) (Destination, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hub.Destination(name)
}

// Shutdown stops accepting connections, lets every session finish what waits to be written to it, closes it, and
// waits for all that, at most WriteTimeout for a write and LingerTimeout for a peer to close its side. If ctx is done first it closes what is left and returns the error of ctx.
func (b *Broker) Shutdown(ctx context.Context) error {
	b.stop(func() {
		for s := range b.conns {
			b.hub.Drain(s)
		}
	})
	done := make(chan struct{})
	go func() {
		b.serving.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		b.abort()
		<-done
		return ctx.Err()
	}
}

// Close closes all listeners and connections at once and waits until they have ended. It always returns nil.
func (b *Broker) Close() error {
	b.stop(func() {})
	b.abort()
	b.serving.Wait()
	return nil
}

// stop lets nothing new in and does what is to be done under the lock.
func (b *Broker) stop(do func()) {
	b.mu.Lock()
	b.closed = true
	for l := range b.listeners {
		_ = l.Close()
	}
	do()
	b.unlock(nil)
}

func (b *Broker) abort() {
	b.mu.Lock()
	open := make([]transport, 0, len(b.conns))
	for _, c := range b.conns {
		open = append(open, c.transport)
	}
	b.mu.Unlock()
	// Some take their time to say goodbye.
	var all sync.WaitGroup
	for _, t := range open {
		all.Go(t.close)
	}
	all.Wait()
}

// enter counts a call that Shutdown and Close wait for, unless it comes too late.
func (b *Broker) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.serving.Add(1)
	return true
}

func (b *Broker) isClosed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// now is the hub's time.
func (b *Broker) now() int64 { return time.Since(b.start).Milliseconds() }

// unlock releases mu after calls of the hub, and wakes the writers of all sessions that got something to
// write but self, which looks for itself.
func (b *Broker) unlock(self *conn) {
	for _, s := range b.hub.Dirty() {
		c := b.conns[s]
		if c == nil {
			continue
		}
		if s.Problem() != nil {
			c.hurry()
		}
		if c != self {
			c.signal()
		}
	}
	b.mu.Unlock()
}

func (b *Broker) log(c *conn, level slog.Level, text string, err error) {
	attrs := []slog.Attr{slog.String("conn", c.session.ID()), slog.String("remote", c.transport.remote())}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	b.cfg.Logger.LogAttrs(context.Background(), level, text, attrs...)
}
