package stomptest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// TestBroker judges a server inside a Go test, one subtest for each case: the one at tcp://…, tls://…, ws://… or wss://…; empty: the
// reference. A broken law and a doubt fail the subtest; a broken SHOULD and a recorded choice are logged; what does not apply is
// skipped. Serve the broker on a loopback address first.
func TestBroker(t *testing.T, url string, o suitetest.Options) {
	t.Helper()
	suitetest.Run(t, Server(), o.Config(suitetest.Target(t, url)))
}

// TestClient judges a client inside a Go test, by playing the broker to a testee, a program with arguments as spec/testee.md asks
// for, which is started once for each case; empty: the reference. Subtests end as those of TestBroker do.
func TestClient(t *testing.T, command []string, o suitetest.Options) {
	t.Helper()
	target := suitetest.Target(t, "ref")
	if len(command) > 0 {
		target = conformance.ExecTarget(command)
	}
	suitetest.Run(t, Client(), o.Config(target))
}
