package loopback

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
)

// STOMP-INTEROP-001: numeric loopback only.
func TestServesNumericLoopbackOnly(t *testing.T) {
	served := errors.New("served")
	serve := func(_ context.Context, l net.Listener) error { return errors.Join(served, l.Close()) }
	for _, addr := range []string{"0.0.0.0:0", "localhost:0", ":0", "192.0.2.1:0", "[::]:0"} {
		if err := listen(addr, serve); err == nil || !strings.Contains(err.Error(), "not numeric loopback") {
			t.Errorf("%q is refused: %v", addr, err)
		}
	}
	if err := listen("127.0.0.1", serve); err == nil || errors.Is(err, served) {
		t.Errorf("an address without a port is refused: %v", err)
	}
	if err := listen("127.0.0.1:0", serve); !errors.Is(err, served) {
		t.Errorf("loopback is served: %v", err)
	}
}
