package fuzz

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/session"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// STOMP-LIMIT-018, STOMP-HEARTBEAT-012: session and machine take the same configurations.
func TestStompSessionConfigs(t *testing.T) {
	for _, tolerance := range []int64{-1, 0, 1, 1<<31 - 1, 1 << 31} {
		for i := range 3 * 3 * 3 * 3 {
			limits := session.Limits{Subscriptions: i%3 - 1, Transactions: i/3%3 - 1, Receipts: i/9%3 - 1, Deliveries: i/27%3 - 1}
			if limits == (session.Limits{}) {
				continue
			}
			cfg := session.Config{Limits: limits, Tolerance: tolerance}
			_, err := session.New(cfg)
			_, want := stompmodel.NewSession(stompmodel.SessionConfig{Limits: stompmodel.SessionLimits(limits), Tolerance: tolerance})
			if (err == nil) != (want == nil) {
				t.Errorf("%+v: session: %v, machine: %v", cfg, err, want)
			}
		}
	}
}

// STOMP-LIMIT-014, STOMP-LIMIT-015, STOMP-LIMIT-016, STOMP-LIMIT-017: the limits that hold when none are given.
func TestStompSessionDefaultLimits(t *testing.T) {
	r, err := newSessionRun(session.Config{})
	if err != nil {
		t.Fatal(err)
	}
	take := func(a stompmodel.SessionAction) stompmodel.SessionReason {
		if err := r.take(a); err != nil {
			t.Fatal(err)
		}
		return r.last.Reason
	}
	take(stompmodel.Sends(0, "CONNECT", "accept-version", "1.2", "host", "h"))
	take(stompmodel.SessionAction{Op: stompmodel.SessionReceive, Chunk: "CONNECTED\nversion:1.2\n\n\x00"})
	fill := func(n int, want stompmodel.SessionReason, a func(i int) stompmodel.SessionAction) {
		for i := range n {
			if got := take(a(i)); got != "" {
				t.Fatalf("%v: %s", a(i), got)
			}
		}
		if got := take(a(n)); got != want {
			t.Errorf("one more than %d: %q, want %s", n, got, want)
		}
	}
	fill(256, stompmodel.SubscriptionCapacity, func(i int) stompmodel.SessionAction {
		return stompmodel.Sends(0, "SUBSCRIBE", "id", fmt.Sprint(i), "destination", "/q", "ack", "client")
	})
	fill(256, stompmodel.TransactionCapacity, func(i int) stompmodel.SessionAction {
		return stompmodel.Sends(0, "BEGIN", "transaction", fmt.Sprint(i))
	})
	fill(256, stompmodel.ReceiptCapacity, func(i int) stompmodel.SessionAction {
		return stompmodel.Sends(0, "SEND", "destination", "/q", "receipt", fmt.Sprint(i))
	})
	fill(1024, stompmodel.DeliveryCapacity, func(i int) stompmodel.SessionAction {
		return stompmodel.SessionAction{Op: stompmodel.SessionReceive, Chunk: fmt.Sprintf("MESSAGE\nsubscription:%d\ndestination:/q\nmessage-id:m\nack:%d\n\n\x00", i%256, i)}
	})
}
