package substratetest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/relay/relaytest"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/storetest"
)

// TestPeer judges a peer that listens at ws://HOST:PORT/PATH, or wss, inside a Go test, one subtest for each case; empty: the reference.
// The profile says what the target's application does ([Peer]). A broken law and a doubt fail the subtest; a broken SHOULD and a recorded
// choice are logged; what does not apply is skipped. Serve on a loopback address first.
func TestPeer(t *testing.T, url string, o suitetest.Options) {
	t.Helper()
	suitetest.Run(t, Suite(), o.Config(suitetest.Target(t, url)))
}

// TestNodes judges an engine of the substrate inside a Go test: what answers the requests of spec/adapter.md, as [ServeReference] does.
// Subtests end as those of [TestPeer] do.
func TestNodes(t *testing.T, serve adapter.Adapter, o suitetest.Options) {
	t.Helper()
	if o.Profile.Deadlines == (conformance.ProfileDeadlines{}) {
		o.Profile.Deadlines = patient()
	}
	cfg := o.Config(suitetest.InGo())
	cfg.Adapter = serve
	suitetest.Run(t, nodeSuite(), cfg)
}

// TestStore holds a store to its contract: what every engine of the substrate stands on. Open returns an empty store for each call,
// which is closed in the end.
func TestStore(t *testing.T, open func(t *testing.T) store.Store, o storetest.Options) {
	t.Helper()
	storetest.Run(t, open, o)
}

// TestSink holds a sink of a relay to its contract. Open returns an empty sink for each call, and what reads it back in the order of its
// stream.
func TestSink(t *testing.T, open func(t *testing.T) (s relay.Sink, stored func() []relay.Op)) {
	t.Helper()
	relaytest.Sink(t, open)
}
