package client

import (
	"context"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// Transaction groups messages and acknowledgements: the server handles them together at [Transaction.Commit], or not at
// all. Using it after its end is refused with code [Handle].
type Transaction struct {
	client *Client
	id     string
}

// Begin begins a transaction.
func (c *Client) Begin(ctx context.Context) (*Transaction, error) {
	const op = "begin"
	c.mu.Lock()
	// STOMP-TX-002
	t := &Transaction{client: c, id: c.name("assay-t")}
	c.unlock()
	if err := c.one(ctx, op, frame.New(frame.BEGIN, "transaction", t.id)); err != nil {
		return nil, err
	}
	return t, nil
}

// ID returns the id of the transaction.
func (t *Transaction) ID() string { return t.id }

// Send is [Client.Send] within the transaction.
func (t *Transaction) Send(ctx context.Context, m Message) error {
	return t.client.send(ctx, "send", &m, t.id)
}

// SendReceipt is [Client.SendReceipt] within the transaction. The receipt says nothing about the commit.
func (t *Transaction) SendReceipt(ctx context.Context, m Message) error {
	return t.client.sendReceipt(ctx, "send", &m, t.id)
}

// Ack is [Delivery.Ack] within the transaction. When that is aborted, the delivery is as if it had not been settled.
func (t *Transaction) Ack(ctx context.Context, d *Delivery) error {
	return t.settle(ctx, "ack", frame.ACK, d)
}

// Nack is [Delivery.Nack] within the transaction.
func (t *Transaction) Nack(ctx context.Context, d *Delivery) error {
	return t.settle(ctx, "nack", frame.NACK, d)
}

func (t *Transaction) settle(ctx context.Context, op string, command frame.Command, d *Delivery) error {
	if d == nil || d.subscription.client != t.client {
		return misuse(op, "foreign", "the delivery belongs to another client")
	}
	return d.settle(ctx, op, command, t.id)
}

// Commit ends the transaction and waits for the receipt of that, for at most Timing.Receipt. After a timeout it is not
// known whether the server did it.
func (t *Transaction) Commit(ctx context.Context) error { return t.end(ctx, "commit", frame.COMMIT) }

// Abort takes everything in the transaction back, and waits as [Transaction.Commit] does.
func (t *Transaction) Abort(ctx context.Context) error { return t.end(ctx, "abort", frame.ABORT) }

func (t *Transaction) end(ctx context.Context, op string, command frame.Command) error {
	return t.client.confirm(ctx, op, overhead, func(d *draft) {
		d.frame.Command = command
		d.add("transaction", t.id)
	})
}
