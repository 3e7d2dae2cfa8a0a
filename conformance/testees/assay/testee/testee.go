// Package testee is the testee for Assay's own STOMP client: it carries out the orders of the client suite
// (spec/testee.md) with package client, as a user of it would.
package testee

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

var can = []string{
	"receipt", "nack", "transaction", "transaction-ack", "beats", "binary", "headers", "unsubscribe-receipt",
	"disconnect-receipt", "ack-mode", "error-event", "closed-event", "choose-version", "choose-id", "1.0", "1.1", "1.2",
}

// An order is the body of one MESSAGE of the control connection.
type order struct {
	N, Wait, Message, Size                                          int
	Do, Version, Login, Passcode, Destination, Transaction, ID, Ack string
	Beats                                                           []int64
	Headers                                                         map[string]string
	Body                                                            []byte
	Receipt                                                         bool
}

// A report is the answer to one order.
type report map[string]any

// Run connects to address and carries out orders until the control connection ends, which is no error, or ctx
// does. When it returns, nothing that it started runs.
func Run(ctx context.Context, address string) error {
	control, err := client.Dial(ctx, "tcp://"+address, client.Config{
		Host: "assay", Login: "assay", Passcode: "assay", Versions: every,
	})
	if err != nil {
		return fmt.Errorf("control connection: %w", err)
	}
	defer control.Close()
	orders, err := control.Subscribe(ctx, "/assay/orders", client.SubscribeOptions{ID: "orders"})
	if err != nil {
		return fmt.Errorf("control subscription: %w", err)
	}
	s := &subject{address: address}
	defer s.close()
	for d, err := range orders.Messages(ctx) {
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("next order: %w", err)
		}
		var o order
		if err := json.Unmarshal(d.Body(), &o); err != nil {
			return fmt.Errorf("order %q: %w", d.Body(), err)
		}
		body, err := json.Marshal(s.carryOut(ctx, o))
		if err != nil {
			return fmt.Errorf("report on order %d: %w", o.N, err)
		}
		if err := control.Send(ctx, client.Message{Destination: "/assay/reports", ContentType: "application/json", Body: body}); err != nil {
			return fmt.Errorf("report on order %d: %w", o.N, err)
		}
	}
	return nil
}

var every = []frame.Version{frame.V10, frame.V11, frame.V12}

func (o order) wait() time.Duration { return time.Duration(max(o.Wait, 1)) * time.Millisecond }

// body is the body of a message to send.
func (o order) body() []byte {
	if o.Size == 0 || len(o.Body) == 0 {
		return o.Body
	}
	return bytes.Repeat(o.Body, o.Size/len(o.Body)+1)[:o.Size]
}

func (s *subject) carryOut(ctx context.Context, o order) report {
	r := report{"n": o.N}
	within, cancel := context.WithTimeout(ctx, o.wait())
	defer cancel()
	if err := s.try(within, o, r); err != nil {
		r["error"] = err.Error()
	}
	return r
}
