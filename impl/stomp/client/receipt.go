package client

import (
	"context"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// Receipt sends f with a receipt header of the id given, and waits for that receipt for at most the time given, which is
// 1 to 2147483647 ms. It returns the RECEIPT.
//
// It refuses, with an [*Error] of code [Argument], to send anything if an argument is bad, f has a receipt header, too
// many calls wait already, or an earlier RECEIPT of that id is still queued; the client is as it was
// (STOMP-WAIT-015). Whatever else the session refuses closes the client, such as an id that is pending. After a timeout
// the receipt stays pending, and if it comes it is queued (STOMP-WAIT-013).
func (c *Client) Receipt(ctx context.Context, within time.Duration, id string, f *frame.Frame) (Event, error) {
	const op = "receipt"
	switch {
	case f == nil:
		return Event{}, argument(op, "frame", "it is nil")
	case id == "":
		return Event{}, argument(op, "receipt-empty", "the id is empty")
	case !inRange(within):
		return Event{}, argument(op, "timeout", "%v is outside 1ms to %v", within, longest)
	case !f.Command.Client() || f.Command == frame.CONNECT || f.Command == frame.STOMP:
		// STOMP-CONNECT-003
		return Event{}, argument(op, "command", "%s cannot have a receipt", f.Command)
	}
	if err := reserved(op, f.Headers, "receipt"); err != nil {
		return Event{}, err
	}
	asking := &frame.Frame{Command: f.Command, Body: f.Body}
	asking.Headers = append(append(asking.Headers, f.Headers...), frame.Header{Name: "receipt", Value: id})
	w := &waiter{ready: make(chan struct{}, 1), until: time.Now().Add(within)}
	key, err := c.demand(op, id, asking, w)
	if err != nil {
		return Event{}, err
	}
	return c.await(ctx, op, w, within, func() { delete(c.waiters.receipts, key) })
}

// demand sends f, which asks for the receipt id, and registers w for that under the key that it returns.
func (c *Client) demand(op, id string, f *frame.Frame, w *waiter) (key string, err error) {
	c.mu.Lock()
	defer c.unlock()
	if c.over() {
		return "", c.closed(op)
	}
	key = c.value(f, "receipt")
	// STOMP-WAIT-015
	if c.queue.receipts[key] > 0 {
		return "", argument(op, "receipt-queued", "an earlier RECEIPT %.100q was not taken yet", id)
	}
	if err := c.mayWait(op); err != nil {
		return "", err
	}
	// An id that is pending is refused, so this replaces no waiter.
	if err := c.transmit(op, f, true); err != nil {
		return "", err
	}
	c.waiters.register(w)
	c.waiters.receipts[key] = w
	c.recall()
	c.ringBy(w.until)
	c.push(true)
	return key, nil
}

// Pending is a receipt that was asked for. It counts among the waiters until it arrives or is given up.
type Pending struct {
	client *Client
	id     string
	op     string
	w      waiter
	signal chan struct{} // kept when p is used again
}

// ID returns the receipt id.
func (p *Pending) ID() string { return p.id }

// Wait waits until the receipt arrives, for at most Timing.Receipt after the frame was sent, or until ctx is done. It
// may be called again, later, but not by two goroutines at once. Nil says that the server processed the frame, and no
// more than that (STOMP-RECEIPT-006).
func (p *Pending) Wait(ctx context.Context) error {
	c := p.client
	c.mu.Lock()
	// The server can answer only what it got.
	c.push(true)
	switch {
	case p.w.finished:
		defer c.unlock()
		return p.w.err
	case p.w.expired:
		defer c.unlock()
		_, err := p.w.result(p.op, c.timing.Receipt)
		return err
	case p.w.ready == nil:
		p.w.ready = make(chan struct{}, 1)
	}
	c.unlock()
	_, err := c.await(ctx, p.op, &p.w, c.timing.Receipt, func() {})
	return err
}

// request sends the frame that form makes, of at most n octets, once there is room for it and for its receipt, which p
// is to be. The caller holds the lock, and calls push.
func (c *Client) request(ctx context.Context, op string, p *Pending, n int, form func(*draft)) error {
	if err := c.admit(ctx, op, n, c.timing.Receipt); err != nil {
		return err
	}
	p.client, p.op, p.id = c, op, c.name("assay-r")
	if err := c.compose(op, p.id, form); err != nil {
		return err
	}
	p.w.until, p.w.kept = time.Now().Add(c.timing.Receipt), true
	c.waiters.register(&p.w)
	c.waiters.receipts[p.id] = &p.w
	c.ringBy(p.w.until)
	return nil
}

// confirm is request and the wait for the receipt.
func (c *Client) confirm(ctx context.Context, op string, n int, form func(*draft)) error {
	c.mu.Lock()
	p := c.vacant()
	if err := c.request(ctx, op, p, n, form); err != nil {
		c.unlock()
		return err
	}
	c.push(true)
	switch {
	case p.w.finished:
		c.unlock()
	case c.turns == nobodys:
		c.turns, c.reads = callers, &p.w
		c.unlock()
		c.readFor(ctx, &p.w)
	default:
		p.w.ready = p.ready()
		c.unlock()
		if _, err := c.await(ctx, op, &p.w, c.timing.Receipt, func() {}); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.unlock()
	switch {
	case p.w.finished && p.w.err == nil:
		// Nobody else refers to one that was answered.
		if len(c.spares) < cap(c.spares) {
			c.spares = append(c.spares, p)
		}
		return nil
	case p.w.finished:
		return p.w.err
	case p.w.expired:
		_, err := p.w.result(op, c.timing.Receipt)
		return err
	}
	c.waiters.leave(&p.w)
	c.freed()
	return interrupted(op, context.Cause(ctx))
}

// vacant returns a receipt for confirm. The caller holds the lock.
func (c *Client) vacant() *Pending {
	p := new(Pending)
	if n := len(c.spares); n > 0 {
		p, c.spares = c.spares[n-1], c.spares[:n-1]
		p.w = waiter{}
	}
	p.w.direct = true
	return p
}

// ready returns an empty channel.
func (p *Pending) ready() chan struct{} {
	if p.signal == nil {
		p.signal = make(chan struct{}, 1)
	}
	select {
	case <-p.signal:
	default:
	}
	return p.signal
}

// SendReceipt sends a message and waits until the server processed it, for at most Timing.Receipt; and before that,
// for as long, while there are too many receipts pending or no room in the write buffer.
func (c *Client) SendReceipt(ctx context.Context, m Message) error {
	return c.sendReceipt(ctx, "send", &m, "")
}

func (c *Client) sendReceipt(ctx context.Context, op string, m *Message, transaction string) error {
	if err := reserved(op, m.Headers, "receipt", "transaction", "destination"); err != nil {
		return err
	}
	return c.confirm(ctx, op, m.bound(), func(d *draft) { m.fill(d, transaction) })
}

// SendAsync sends a message with a receipt that is waited for later. It waits, for at most Timing.Receipt, while there
// are too many receipts pending or no room in the write buffer.
func (c *Client) SendAsync(ctx context.Context, m Message) (*Pending, error) {
	const op = "send"
	if err := reserved(op, m.Headers, "receipt", "transaction", "destination"); err != nil {
		return nil, err
	}
	p := new(Pending)
	c.mu.Lock()
	defer c.unlock()
	if err := c.request(ctx, op, p, m.bound(), func(d *draft) { m.fill(d, "") }); err != nil {
		return nil, err
	}
	c.recall()
	c.push(false)
	return p, nil
}

// Disconnect sends DISCONNECT with a receipt, waits for that, for at most Timing.Receipt and until ctx is done, and
// closes the client whatever comes of it (STOMP-DISCONNECT-001, STOMP-DISCONNECT-007). Events that nobody took are
// dropped. Nil says that the server processed everything before it.
func (c *Client) Disconnect(ctx context.Context) error {
	err := c.confirm(ctx, "disconnect", overhead, func(d *draft) { d.frame.Command = frame.DISCONNECT })
	_ = c.Close()
	return err
}
