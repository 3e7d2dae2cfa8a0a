package conformance

import "testing"

// A suite that speaks WebSocket itself is given what carries it, and any other a WebSocket.
func TestCarrier(t *testing.T) {
	for spec, want := range map[string]string{"ws://h/p": "tcp", "wss://h/p": "tls", "tcp://h:1": "tcp", "ref": "ref"} {
		target, err := ParseTarget(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := target.carrier(&Suite{OwnWebSocket: true}); got.Scheme != want || got.Address != target.Address {
			t.Errorf("%s is dialled as %s at %s, want %s", spec, got.Scheme, got.Address, want)
		}
		if got := target.carrier(&Suite{}); got.Scheme != target.Scheme {
			t.Errorf("%s is dialled as %s", spec, got.Scheme)
		}
	}
}
