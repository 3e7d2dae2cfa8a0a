package socket

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/farewell"
)

// A Transport is the connection of one bus to a server. Use [New] to make one. A handler holds up what comes after the publication that it
// is called for, and that is also the answer of a server that is asked whether it is there: one that takes longer than the timeout of the
// configuration lets the server pass for dead.
type Transport struct {
	cfg Config

	mu  sync.Mutex
	now *session // nil: it is not open
}

// New returns a transport that is not open. It fails with a [*ConfigError].
func New(c Config) (*Transport, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Transport{cfg: c.normal()}, nil
}

// Start opens the connection. A connection that has failed is given up before.
func (t *Transport) Start(ctx context.Context, r databus.Receiver) error {
	t.mu.Lock()
	old := t.now
	t.now = nil
	t.mu.Unlock()
	if old != nil {
		old.fail(ErrNotOpen)
		old.running.Wait()
	}
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Timeout)
	defer cancel()
	client, dialed := farewell.Dialer(t.cfg.Client)
	ws, _, err := websocket.Dial(ctx, t.cfg.URL, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: t.cfg.Header, Subprotocols: []string{Subprotocol},
	})
	if err != nil {
		return err
	}
	if ws.Subprotocol() != Subprotocol {
		_ = ws.CloseNow()
		return ErrSubprotocol
	}
	ws.SetReadLimit(MaxMessage)
	s := &session{
		cfg: &t.cfg, ws: ws, below: dialed.Stream, to: r, queue: newQueue(t.cfg.Queue, t.cfg.QueueBytes), leaving: make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	t.mu.Lock()
	t.now = s
	t.mu.Unlock()
	s.begin()
	return nil
}

// Subscribe subscribes a topic until the connection ends.
func (t *Transport) Subscribe(topic string) { t.ask(opSubscribe, topic) }

// Unsubscribe ends that.
func (t *Transport) Unsubscribe(topic string) { t.ask(opUnsubscribe, topic) }

// ask sends what must not be lost while the connection lives: what does not fit in ends it.
func (t *Transport) ask(op, topic string) {
	s := t.session()
	if s == nil {
		return
	}
	octets, err := encode(op, topic, nil)
	if err != nil {
		t.cfg.Ended(err)
		return
	}
	if !s.queue.put(octets) {
		s.fail(ErrBacklog)
	}
}

// Publish sends a publication. It fails with [ErrNotOpen], [ErrBacklog] or a [*MessageError].
func (t *Transport) Publish(topic string, data json.RawMessage) error {
	s := t.session()
	if s == nil || s.ctx.Err() != nil {
		return ErrNotOpen
	}
	octets, err := encode(opPublish, topic, data)
	if err != nil {
		return err
	}
	if !s.queue.put(octets) {
		return ErrBacklog
	}
	return nil
}

func (t *Transport) session() *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// Stop sends what waits, closes the connection and returns when it is closed. When ctx ends, and after the timeout of a farewell, what
// waits is dropped.
func (t *Transport) Stop(ctx context.Context) error {
	t.mu.Lock()
	s := t.now
	t.now = nil
	t.mu.Unlock()
	if s == nil {
		return nil
	}
	s.stop(ctx)
	return nil
}

// A session is one connection of a transport.
type session struct {
	cfg     *Config
	ws      *websocket.Conn
	below   io.Closer
	to      databus.Receiver
	queue   *queue
	ctx     context.Context // ends with the connection
	cancel  context.CancelCauseFunc
	running sync.WaitGroup
	leaving chan struct{} // closed when the end is asked for
}

// errLeft is the cause of the end of a session that was asked to end.
var errLeft = errors.New("left")

func (s *session) begin() {
	s.running.Go(s.read)
	s.running.Go(s.write)
	s.running.Go(func() {
		if !keepAlive(s.ctx, s.ws, s.cfg.KeepAlive, s.cfg.Timeout) {
			s.fail(ErrSilent)
		}
	})
}

// fail ends the connection. Of several calls the first counts.
func (s *session) fail(err error) {
	s.cancel(err)
	s.queue.finish(true)
}

// read hands on what the server sends, and says so when the connection has ended without being asked to.
func (s *session) read() {
	err := s.why(s.receive())
	select {
	case <-s.leaving:
		s.fail(errLeft)
		return
	default:
	}
	s.fail(err)
	_ = s.ws.CloseNow()
	if errors.Is(context.Cause(s.ctx), ErrNotOpen) {
		return
	}
	s.cfg.Ended(err)
	s.to.Status(databus.Failed)
}

// why says how a connection has ended whose reader failed with err. If that only follows from what was done to the connection from here,
// whoever did that says why.
func (s *session) why(err error) error {
	var closed websocket.CloseError
	if errors.As(err, &closed) {
		return &EndError{int(closed.Code), closed.Reason, err}
	}
	if errors.Is(err, net.ErrClosed) || errors.Is(err, context.Canceled) {
		select {
		case <-s.ctx.Done():
			err = context.Cause(s.ctx)
		case <-s.leaving:
		case <-time.After(s.cfg.Timeout):
		}
	}
	return &EndError{Err: err}
}

func (s *session) receive() error {
	for {
		kind, octets, err := s.ws.Read(s.ctx)
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			return &MessageError{"", "is binary"}
		}
		m, err := decode(octets)
		if err != nil {
			return err
		}
		if m.Op == opMessage {
			s.to.Message(*m.Topic, m.Data)
		}
	}
}

// write sends what waits until nothing comes any more.
func (s *session) write() {
	for {
		octets, more := s.queue.next(s.ctx)
		if !more {
			break
		}
		if err := writeOne(s.ctx, s.ws, octets, s.cfg.Timeout); err != nil {
			s.fail(err)
			return
		}
	}
	if s.ctx.Err() == nil {
		// The reader sees the farewell of the server.
		farewell.Say(s.ctx, s.ws, s.below, s.cfg.Timeout, websocket.StatusNormalClosure, "")
	}
}

// stop ends the connection in order, and within a time.
func (s *session) stop(ctx context.Context) {
	close(s.leaving)
	s.queue.finish(false)
	late := time.AfterFunc(s.cfg.Timeout, func() { s.cancel(errLeft) })
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { s.cancel(errLeft) })()
	s.running.Wait()
	_ = s.ws.CloseNow()
}
