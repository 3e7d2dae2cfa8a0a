package link

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/farewell"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// A Listener takes connections as an [http.Handler]. Make one with [NewListener].
type Listener struct {
	cfg    ListenerConfig
	ctx    context.Context
	cancel context.CancelCauseFunc
	active sync.WaitGroup

	mu      sync.Mutex
	pending int
	live    map[string]*Conn // by peer
	turns   uint64
	closed  bool
}

// ListenerConfig is what a listener works with.
type ListenerConfig struct {
	// Handshake is what this side brings.
	Handshake handshake.Config
	// Ready is called with each connection that becomes ready, in a goroutine of its own. The connection ends when it returns. It is
	// required.
	Ready func(context.Context, *Conn)
	// Failed is told of each connection that did not become ready. Nil: nobody is.
	Failed func(remote string, err error)
	// Origins are patterns of the hosts whose pages may connect, besides the listener's own.
	Origins []string
}

// NewListener returns a listener. It fails if the handshake cannot be used or there is nobody to take connections.
func NewListener(c ListenerConfig) (*Listener, error) {
	if err := c.Handshake.Validate(); err != nil {
		return nil, err
	}
	if c.Ready == nil {
		return nil, &handshake.ConfigError{Field: "Ready", What: "is nil"}
	}
	l := &Listener{cfg: c, live: map[string]*Conn{}}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l, nil
}

// ServeHTTP takes one connection and returns when it has ended. Above [handshake.MaxPending] connections that are not ready, and after
// Close, it answers 503 (SUBSTRATE-HANDSHAKE-008).
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !l.begin() {
		http.Error(w, "too many connections are not ready", http.StatusServiceUnavailable)
		return
	}
	defer l.active.Done()
	c, err := l.accept(w, r)
	l.settle()
	if err != nil {
		if l.cfg.Failed != nil {
			l.cfg.Failed(r.RemoteAddr, err)
		}
		return
	}
	l.take(c)
	defer l.leave(c)
	l.cfg.Ready(l.ctx, c)
	c.Close(uint16(websocket.StatusNormalClosure), "")
}

// begin makes room for a connection that is not ready.
func (l *Listener) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.pending == handshake.MaxPending {
		return false
	}
	l.pending++
	l.active.Add(1)
	return true
}

// settle gives the room back, whether the connection is ready now or not.
func (l *Listener) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending--
}

func (l *Listener) accept(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	taking := &farewell.Taking{ResponseWriter: w}
	ws, err := websocket.Accept(taking, r, &websocket.AcceptOptions{OriginPatterns: l.cfg.Origins})
	if err != nil {
		return nil, err
	}
	m, err := handshake.NewListener(time.Now(), l.cfg.Handshake)
	if err != nil {
		_ = ws.CloseNow()
		return nil, err
	}
	s := socket{l.ctx, ws, taking.Conn}
	result, err := shake(l.ctx, &s, m, nil)
	if err != nil {
		return nil, err
	}
	return &Conn{socket: s, result: result}, nil
}

// take makes c the connection of its peer. From the one before nothing is read any more once it returns; the peer may not be there to
// say farewell to, so that nobody waits for that (SUBSTRATE-RECONNECT-004).
func (l *Listener) take(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns++
	c.turn = l.turns
	old := l.live[c.Peer()]
	l.live[c.Peer()] = c
	if l.closed {
		l.end(c, uint16(websocket.StatusGoingAway))
	}
	if old != nil {
		l.end(old, CloseSuperseded)
	}
}

// end closes a connection in a goroutine that Close waits for. The lock is held.
func (l *Listener) end(c *Conn, code uint16) {
	if why := (&EndError{Code: code, Local: true}); c.ended.CompareAndSwap(nil, why) {
		l.active.Go(func() { c.farewell(why) })
	}
}

// leave forgets c, unless another has its place.
func (l *Listener) leave(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live[c.Peer()] == c {
		delete(l.live, c.Peer())
	}
}

// Close ends all connections with 1001 and waits for what Ready does with them. When ctx ends first, the sockets are cut off.
func (l *Listener) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closed = true
	for _, c := range l.live {
		l.end(c, uint16(websocket.StatusGoingAway))
	}
	l.mu.Unlock()
	done := make(chan struct{})
	go func() {
		l.active.Wait()
		close(done)
	}()
	defer l.cancel(http.ErrServerClosed)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	l.cancel(http.ErrServerClosed)
	<-done
	return context.Cause(ctx)
}
