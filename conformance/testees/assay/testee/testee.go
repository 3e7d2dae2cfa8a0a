// Package testee is the testee for Assay's own STOMP client: it carries out the orders of the client suite
// (spec/testee.md) with package client, as a user of it would.
package testee

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-6f28358b/assay/conformance/testees/gotestee"
	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

var can = []string{
	"receipt", "nack", "transaction", "transaction-ack", "beats", "binary", "headers", "unsubscribe-receipt",
	"disconnect-receipt", "ack-mode", "error-event", "closed-event", "choose-version", "choose-id", "1.0", "1.1", "1.2",
}

var every = []frame.Version{frame.V10, frame.V11, frame.V12}

// Run connects to address and carries out orders until the control connection ends, which is no error, or ctx
// does. When it returns, nothing that it started runs.
func Run(ctx context.Context, address string) error {
	control, err := client.Dial(ctx, "tcp://"+address, client.Config{Host: "assay", Login: "assay", Passcode: "assay", Versions: every})
	if err != nil {
		return fmt.Errorf("control connection: %w", err)
	}
	defer control.Close()
	sub, err := control.Subscribe(ctx, "/assay/orders", client.SubscribeOptions{ID: "orders"})
	if err != nil {
		return fmt.Errorf("control subscription: %w", err)
	}
	orders := func(yield func([]byte, error) bool) {
		for d, err := range sub.Messages(ctx) {
			if err != nil {
				yield(nil, err)
			} else if !yield(d.Body(), nil) {
				return
			}
		}
	}
	t := gotestee.Testee{Library: "assay", Can: can, New: func(e *gotestee.Events) gotestee.Subject {
		return newSubject(address, e)
	}}
	return t.Serve(ctx, orders, func(report []byte) error {
		return control.Send(ctx, client.Message{Destination: "/assay/reports", ContentType: "application/json", Body: report})
	})
}

// A subject is the connection that is judged. Its orders come one after the other, but one that did not return in time may go on beside
// those behind it.
type subject struct {
	address string
	events  *gotestee.Events

	mu      sync.Mutex
	client  *client.Client // nil until it is connected
	subs    map[string]*client.Subscription
	txs     map[string]*client.Transaction
	closed  bool
	told    chan struct{} // closed when the end has been told
	telling int           // calls and goroutines that may have something to tell yet
	silent  sync.Cond     // when there are none
}

func newSubject(address string, e *gotestee.Events) *subject {
	s := &subject{address: address, events: e, subs: map[string]*client.Subscription{}, txs: map[string]*client.Transaction{}}
	s.silent.L = &s.mu
	return s
}
