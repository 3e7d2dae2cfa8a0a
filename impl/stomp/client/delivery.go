package client

import (
	"context"
	"sync/atomic"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// Delivery is a message that came for a subscription. It must not be changed.
type Delivery struct {
	subscription *Subscription
	frame        *frame.Frame
	settled      atomic.Bool
}

// Frame returns the MESSAGE.
func (d *Delivery) Frame() *frame.Frame { return d.frame }

// Body returns the octets of the body, as they came (STOMP-HDR-015).
func (d *Delivery) Body() []byte { return d.frame.Body }

// Header returns the value of the first header called name, and whether there is one.
func (d *Delivery) Header(name string) (string, bool) { return d.frame.Get(name) }

// Destination returns the destination that the message was sent to.
func (d *Delivery) Destination() string {
	v, _ := d.frame.Get("destination")
	return v
}

// ID returns the message-id.
func (d *Delivery) ID() string {
	v, _ := d.frame.Get("message-id")
	return v
}

// Subscription returns the subscription that the message came for.
func (d *Delivery) Subscription() *Subscription { return d.subscription }

// Ack says that the message was processed, and in [AckClient] mode all messages of the subscription before it. A message
// that was settled before, or came in [AckAuto] mode, is refused with code [Handle]. It waits only while the write buffer
// is full, and until ctx is done.
func (d *Delivery) Ack(ctx context.Context) error { return d.settle(ctx, "ack", frame.ACK, "") }

// Nack says that the message was not processed, and like [Delivery.Ack] all before it in [AckClient] mode. What the
// server does about it is up to the server (STOMP-NACK-005). It does not exist in 1.0.
func (d *Delivery) Nack(ctx context.Context) error { return d.settle(ctx, "nack", frame.NACK, "") }

func (d *Delivery) settle(ctx context.Context, op string, command frame.Command, transaction string) error {
	c := d.subscription.client
	if d.settled.Load() {
		return misuse(op, "ack-id", "the delivery was settled before")
	}
	f := &frame.Frame{Command: command, Headers: make([]frame.Header, 0, 3)}
	switch c.version {
	case frame.V12:
		// STOMP-ACK-003
		id, _ := d.frame.Get("ack")
		f.Headers = append(f.Headers, frame.Header{Name: "id", Value: id})
	case frame.V11:
		// STOMP-ACK-002
		f.Headers = append(f.Headers, frame.Header{Name: "message-id", Value: d.ID()}, frame.Header{Name: "subscription", Value: d.subscription.id})
	default:
		// STOMP-ACK-001
		f.Headers = append(f.Headers, frame.Header{Name: "message-id", Value: d.ID()})
	}
	if transaction != "" {
		f.Headers = append(f.Headers, frame.Header{Name: "transaction", Value: transaction})
	}
	if err := c.one(ctx, op, f); err != nil {
		return err
	}
	// In a transaction that is up to its end.
	if transaction == "" {
		d.settled.Store(true)
	}
	return nil
}
