package client

import (
	"context"
	"strconv"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/session"
)

// Message is what is sent to a destination.
type Message struct {
	Destination string
	// ContentType is the MIME type of the body. Empty: none is said.
	ContentType string
	// Headers are sent as they are, after the others.
	Headers []frame.Header
	Body    []byte
}

// draft is a frame to be sent, with its memory.
type draft struct {
	frame   frame.Frame
	headers [8]frame.Header
}

// add adds a header.
func (d *draft) add(name, value string) {
	d.frame.Headers = append(d.frame.Headers, frame.Header{Name: name, Value: value})
}

// compose sends the frame that form makes, with a receipt header if there is an id. What the session refuses leaves the
// client as it was. The caller holds the lock, and calls push.
func (c *Client) compose(op, receipt string, form func(*draft)) error {
	d := &c.draft
	d.frame.Headers = d.headers[:0]
	if receipt != "" {
		d.add("receipt", receipt)
	}
	form(d)
	err := c.transmit(op, &d.frame, false)
	// What was sent is not kept.
	d.frame = frame.Frame{}
	clear(d.headers[:])
	return err
}

// fill makes d the SEND of m.
func (m *Message) fill(d *draft, transaction string) {
	d.frame.Command, d.frame.Body = frame.SEND, m.Body
	d.add("destination", m.Destination)
	if m.ContentType != "" {
		d.add("content-type", m.ContentType)
	}
	if transaction != "" {
		d.add("transaction", transaction)
	}
	d.frame.Headers = append(d.frame.Headers, m.Headers...)
}

// reserved returns an error if headers hold one that the client sets itself.
func reserved(op string, headers []frame.Header, names ...string) error {
	for i := range headers {
		for _, n := range names {
			if headers[i].Name == n {
				return argument(op, "headers", "%s is not to be given as a header", n)
			}
		}
	}
	return nil
}

// SendFrame sends one frame. It never waits: success means that the octets are in the write buffer (STOMP-CLIENT-004).
// Whatever the session refuses closes the client, and so does a full write buffer (STOMP-WAIT-016, STOMP-WAIT-005).
// DISCONNECT without a receipt closes the client too, once all is written.
func (c *Client) SendFrame(f *frame.Frame) error {
	const op = "send"
	if f == nil {
		return argument(op, "frame", "it is nil")
	}
	c.mu.Lock()
	defer c.unlock()
	if err := c.transmit(op, f, true); err != nil {
		return err
	}
	c.push(false)
	return nil
}

// Send sends a message. It waits only while the write buffer has no room for it, and until ctx is done.
func (c *Client) Send(ctx context.Context, m Message) error {
	return c.send(ctx, "send", &m, "")
}

func (c *Client) send(ctx context.Context, op string, m *Message, transaction string) error {
	if err := reserved(op, m.Headers, "receipt", "transaction", "destination"); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.unlock()
	if err := c.admit(ctx, op, m.bound(), 0); err != nil {
		return err
	}
	if err := c.compose(op, "", func(d *draft) { m.fill(d, transaction) }); err != nil {
		return err
	}
	c.push(false)
	return nil
}

// one sends a frame that asks for no receipt.
func (c *Client) one(ctx context.Context, op string, f *frame.Frame) error {
	c.mu.Lock()
	defer c.unlock()
	if err := c.admit(ctx, op, bound(f), 0); err != nil {
		return err
	}
	if err := c.transmit(op, f, false); err != nil {
		return err
	}
	c.push(false)
	return nil
}

// crowded is how many octets may wait to be written before those that can wait do.
const crowded = 256 << 10

// admit waits until there is room for a frame of at most n octets; with a time given also for its receipt, for at most
// that time. The caller holds the lock, which is released meanwhile.
func (c *Client) admit(ctx context.Context, op string, n int, receipt time.Duration) error {
	var expired <-chan time.Time
	for {
		if c.over() {
			return c.closed(op)
		}
		unsent := c.unsent()
		fits := unsent == 0 || unsent+n <= min(c.limits.WriteBuffer, crowded)
		if fits && (receipt == 0 || c.waiters.n < c.limits.Waiters && c.session.Counts().Receipts < c.limits.Receipts) {
			return nil
		}
		if c.session.State() != session.Active {
			// The session says why.
			return nil
		}
		if c.room == nil {
			c.room = make(chan struct{})
		}
		room := c.room
		// What is to be written makes no room before it is.
		c.push(false)
		c.unlock()
		if receipt > 0 && expired == nil {
			timer := time.NewTimer(receipt)
			defer timer.Stop()
			expired = timer.C
		}
		var err error
		select {
		case <-room:
		case <-expired:
			err = &TimeoutError{Op: op, After: receipt}
		case <-ctx.Done():
			err = interrupted(op, context.Cause(ctx))
		}
		c.mu.Lock()
		if err != nil {
			return err
		}
	}
}

// freed tells those that wait for room to look again. The caller holds the lock.
func (c *Client) freed() {
	if c.room != nil {
		close(c.room)
		c.room = nil
	}
}

// overhead is how many octets a frame has at most beside its headers and its body, and those the client adds to a
// message.
const overhead = 512

// bound returns how many octets f has at most: escapes double an octet.
func bound(f *frame.Frame) int {
	n := overhead + len(f.Body)
	for i := range f.Headers {
		n += 2*len(f.Headers[i].Name) + 2*len(f.Headers[i].Value) + len(":\n")
	}
	return n
}

func (m *Message) bound() int {
	return bound(&frame.Frame{Headers: m.Headers, Body: m.Body}) + 2*len(m.Destination) + 2*len(m.ContentType)
}

// name makes an id that the client did not make before. The caller holds the lock.
func (c *Client) name(kind string) string {
	c.serial++
	var b [40]byte
	return string(strconv.AppendUint(append(b[:0], kind...), c.serial, 36))
}
