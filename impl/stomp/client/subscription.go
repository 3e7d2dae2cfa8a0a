package client

import (
	"context"
	"io"
	"iter"
	"sync"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// AckMode says how the messages of a subscription are acknowledged.
type AckMode uint8

const (
	// AckAuto takes a message as acknowledged once it was sent.
	AckAuto AckMode = iota
	// AckClient acknowledges, with a message, all messages of the subscription before it.
	AckClient
	// AckIndividual acknowledges each message by itself. It does not exist in 1.0.
	AckIndividual
)

// String returns the mode as it stands in the ack header.
func (m AckMode) String() string {
	switch m {
	case AckAuto:
		return "auto"
	case AckClient:
		return "client"
	case AckIndividual:
		return "client-individual"
	}
	return "unknown"
}

// SubscribeOptions are what a subscription may have beside its destination. The zero value is one that the server
// acknowledges by itself.
type SubscribeOptions struct {
	Ack AckMode
	// ID is the id of the subscription. Empty: the client makes one.
	ID string
	// Confirm waits for a receipt of SUBSCRIBE, for at most Timing.Receipt.
	Confirm bool
	// Headers are further headers of SUBSCRIBE.
	Headers []frame.Header
}

// Subscription gets the messages of one destination. Messages that came and were not taken count as events of the
// client and against its limits. Its methods may be called from many goroutines; each message goes to one of them.
type Subscription struct {
	client      *Client
	id          string
	destination string
	ack         AckMode

	// Guarded by client.mu.
	first, last *node // messages that nobody took
	waiting     list
	over        bool  // no more messages will come
	err         error // why

	pump  sync.Once
	taken chan *Delivery
}

// Subscribe subscribes to a destination. If o.Confirm waits in vain the subscription may exist for all that, and its
// messages be queued for [Client.Wait]: it is best to close the client then.
func (c *Client) Subscribe(ctx context.Context, destination string, o SubscribeOptions) (*Subscription, error) {
	const op = "subscribe"
	if err := reserved(op, o.Headers, "id", "destination", "ack", "receipt"); err != nil {
		return nil, err
	}
	if o.Ack > AckIndividual {
		return nil, argument(op, "ack-mode", "no such mode")
	}
	s := &Subscription{client: c, id: o.ID, destination: destination, ack: o.Ack}
	n := overhead + bound(&frame.Frame{Headers: o.Headers}) + 2*len(o.ID) + 2*len(destination)
	form := func(d *draft) {
		if s.id == "" {
			s.id = c.name("assay-s")
		}
		d.frame.Command = frame.SUBSCRIBE
		d.add("id", s.id)
		d.add("destination", destination)
		d.add("ack", o.Ack.String())
		d.frame.Headers = append(d.frame.Headers, o.Headers...)
	}
	c.mu.Lock()
	defer c.unlock()
	if !o.Confirm {
		if err := c.admit(ctx, op, n, 0); err != nil {
			return nil, err
		}
		if err := c.compose(op, "", form); err != nil {
			return nil, err
		}
		c.subs[s.id] = s
		c.push(false)
		return s, nil
	}
	p := new(Pending)
	if err := c.request(ctx, op, p, n, form); err != nil {
		return nil, err
	}
	c.subs[s.id] = s
	c.recall()
	c.unlock()
	err := p.Wait(ctx)
	c.mu.Lock()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ID returns the id of the subscription.
func (s *Subscription) ID() string { return s.id }

// Destination returns what was subscribed to.
func (s *Subscription) Destination() string { return s.destination }

// Next returns the next message. It waits until one comes or ctx is done, in which case the subscription goes on. The
// error is [io.EOF] when the subscription was ended and all messages were taken, and otherwise why the client was
// closed, or that too many calls wait.
func (s *Subscription) Next(ctx context.Context) (*Delivery, error) {
	const op = "next"
	w := &waiter{ready: make(chan struct{}, 1)}
	d, err := s.takeOrWait(op, w)
	if d != nil || err != nil {
		return d, err
	}
	e, err := s.client.await(ctx, op, w, 0, func() { s.waiting.remove(w) })
	if err != nil {
		return nil, err
	}
	return &Delivery{subscription: s, frame: e.Frame}, nil
}

func (s *Subscription) takeOrWait(op string, w *waiter) (*Delivery, error) {
	c := s.client
	c.mu.Lock()
	defer c.unlock()
	if n := s.first; n != nil {
		c.queue.remove(n)
		return &Delivery{subscription: s, frame: n.event.Frame}, nil
	}
	if s.over {
		return nil, s.err
	}
	if err := c.mayWait(op); err != nil {
		return nil, err
	}
	c.waiters.register(w)
	s.waiting.add(w)
	c.recall()
	return nil, nil
}

// Messages returns the messages that come, one by one, until the subscription ends; an error, which is the last thing
// it gives, is one of [Subscription.Next]. Breaking off the loop does not end the subscription.
func (s *Subscription) Messages(ctx context.Context) iter.Seq2[*Delivery, error] {
	return func(yield func(*Delivery, error) bool) {
		for {
			d, err := s.Next(ctx)
			if err == io.EOF {
				return
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// C returns a channel of the messages that come. It is closed when the subscription has ended and all messages were
// taken, or when the client is closed; [Subscription.Err] tells which. From the first call on, a goroutine takes
// messages for the channel, one ahead.
func (s *Subscription) C() <-chan *Delivery {
	s.pump.Do(func() {
		s.taken = make(chan *Delivery)
		c := s.client
		c.mu.Lock()
		defer c.unlock()
		if s.over && s.first == nil {
			close(s.taken)
			return
		}
		c.all.Add(1)
		go s.pumping()
	})
	return s.taken
}

func (s *Subscription) pumping() {
	c := s.client
	defer c.all.Done()
	defer close(s.taken)
	for {
		d, err := s.Next(context.Background())
		if e, ok := err.(*Error); ok && e.Reason == "waiters" {
			if !c.vacancy() {
				return
			}
			continue
		}
		if err != nil {
			return
		}
		select {
		case s.taken <- d:
		case <-c.done:
			return
		}
	}
}

// vacancy waits until there may be room for a waiter, and returns false if the client was closed first.
func (c *Client) vacancy() bool {
	c.mu.Lock()
	if c.err != nil {
		c.unlock()
		return false
	}
	if c.waiters.n < c.limits.Waiters {
		c.unlock()
		return true
	}
	if c.room == nil {
		c.room = make(chan struct{})
	}
	room := c.room
	c.unlock()
	<-room
	return true
}

// Err returns nil while messages may come, [io.EOF] when the subscription was ended, otherwise why the client was
// closed.
func (s *Subscription) Err() error {
	s.client.mu.Lock()
	defer s.client.unlock()
	return s.err
}

// Unsubscribe ends the subscription and waits for the receipt of that, for at most Timing.Receipt. Messages that come
// before the receipt are handed out, and what was not taken can still be, by [Subscription.Next] and the others, until
// they say that there is no more (STOMP-UNSUBSCRIBE-004). The client would still acknowledge them
// (STOMP-UNSUBSCRIBE-008), but many servers take back what was not acknowledged before, and answer an ACK with ERROR.
func (s *Subscription) Unsubscribe(ctx context.Context) error {
	const op = "unsubscribe"
	c := s.client
	c.mu.Lock()
	over := s.over
	c.unlock()
	if over {
		return &Error{Op: op, Code: Handle, Reason: "unsubscribed", Cause: s.Err()}
	}
	return c.confirm(ctx, op, overhead+2*len(s.id), func(d *draft) {
		d.frame.Command = frame.UNSUBSCRIBE
		d.add("id", s.id)
	})
}

// Discard drops the messages that came and were not taken, without acknowledging them, and returns how many.
func (s *Subscription) Discard() int {
	c := s.client
	c.mu.Lock()
	defer c.unlock()
	n := 0
	for ; s.first != nil; n++ {
		c.queue.remove(s.first)
	}
	return n
}

// unsubscribed ends the subscription id in good order. The caller holds the lock.
func (c *Client) unsubscribed(id string) {
	if s := c.subs[id]; s != nil {
		delete(c.subs, id)
		s.finish(io.EOF)
	}
}

// finish says that no more messages will come, and why. The caller holds the lock.
func (s *Subscription) finish(err error) {
	if s.over && s.err != io.EOF {
		return
	}
	s.over, s.err = true, err
	for w := s.waiting.first; w != nil; w = s.waiting.first {
		s.waiting.remove(w)
		s.client.waiters.finish(w, Event{}, err)
	}
}
