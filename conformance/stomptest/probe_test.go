package stomptest

import (
	"bufio"
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest/peer"
)

// The round trip is the least of those that the probe sees: the first session of a target can be slow for reasons that never
// come again.
func TestTheRoundTripIsNotTheFirstOne(t *testing.T) {
	const slow = time.Second
	var once sync.Once
	address := peer.Serve(t, func(c *net.TCPConn, stop <-chan struct{}) {
		first := false
		once.Do(func() { first = true })
		if _, err := bufio.NewReader(c).ReadString(0); err != nil {
			return
		}
		if first {
			select {
			case <-time.After(slow):
			case <-stop:
			}
		}
		_, _ = c.Write([]byte(connected))
		peer.Silent(c, stop)
	})
	target, err := conformance.ParseTarget("tcp://" + address)
	if err != nil {
		t.Fatal(err)
	}
	// This target answers nothing after CONNECT: only the first half of the probe is looked at.
	suite := Server()
	suite.Probe = func(_ context.Context, t *conformance.T) conformance.Capabilities {
		caps := conformance.Capabilities{Settings: map[string]string{}}
		(&serverT{t}).probeVersions(&caps)
		return caps
	}
	res, err := conformance.Run(t.Context(), suite, conformance.Config{
		Target: target, Selection: conformance.Selection{Only: []string{"stomp/server/connect/connected@1.2"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.Header.Timing.RTT; got <= 0 || got >= slow {
		t.Errorf("round trip %v, and all but the first were answered at once", got)
	}
}
