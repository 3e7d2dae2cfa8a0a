package main

import (
	"strings"
	"testing"
)

// STOMP-INTEROP-001: numeric loopback only.
func TestServesNumericLoopbackOnly(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "localhost:0", ":0", "192.0.2.1:0", "[::]:0"} {
		if err := run(addr); err == nil || !strings.Contains(err.Error(), "not numeric loopback") {
			t.Errorf("%q is refused: %v", addr, err)
		}
	}
	if err := run("127.0.0.1"); err == nil {
		t.Error("an address without a port is refused")
	}
}

func TestOnlyGuestIsLetIn(t *testing.T) {
	for _, pair := range [][2]string{{"guest", "guest"}, {"guest", ""}, {"", "guest"}, {"", ""}, {"Guest", "guest"}} {
		if got, want := (guest{}).Authenticate(pair[0], pair[1]), pair == [2]string{"guest", "guest"}; got != want {
			t.Errorf("login %q passcode %q: %v, want %v", pair[0], pair[1], got, want)
		}
	}
}
