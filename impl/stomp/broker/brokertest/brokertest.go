// Package brokertest starts a STOMP broker inside a test.
package brokertest

import (
	"context"
	"net"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
)

// Start serves a broker on a free port of 127.0.0.1 until the test ends, and returns it with its address in the form
// "host:port". The zero Config lets anybody in. It fails the test if cfg is not valid.
func Start(t testing.TB, cfg broker.Config) (b *broker.Broker, addr string) {
	t.Helper()
	b, err := broker.New(cfg)
	if err != nil {
		t.Fatalf("start a STOMP broker: %v", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("start a STOMP broker: %v", err)
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(context.Background(), l) }()
	t.Cleanup(func() {
		_ = b.Close()
		if err := <-served; err != nil {
			t.Errorf("STOMP broker: %v", err)
		}
	})
	return b, l.Addr().String()
}
