package substratetest

import (
	"net/http"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/storetest"
)

// The reference obeys every law that the suite can decide. This is the suite's own calibration. The second run is of the cases that race
// with the target, but for the one that waits 10 s.
func TestReference(t *testing.T) {
	t.Parallel()
	for _, c := range suitetest.Calibrate(t, Suite(), conformance.Config{}, "substrate/peer/{ack,answer,dedupe,fault,finality,limit,obj,reconnect,seq,tombstone}/*").Cases {
		if c.Verdict != conformance.Pass {
			t.Errorf("%s is %s", c.ID, suitetest.Told(c))
		}
	}
}

// A peer, a store and a sink of a user's own are judged by the entries that they have.
func TestTargetsOfAUser(t *testing.T) {
	t.Parallel()
	address, stop, err := serveReference(asItIs[http.Handler], asItIs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	only := []string{"substrate/peer/verb/*", "SUBSTRATE-AUTH-006"}
	TestPeer(t, "ws://"+address, suitetest.Options{Profile: Profile(), Only: only, Baseline: &conformance.Baseline{}})
	TestNodes(t, ServeReference, suitetest.Options{Only: []string{"substrate/node/{seq,local}/*"}})
	TestStore(t, func(*testing.T) store.Store { return store.NewMemory() }, storetest.Options{})
	TestSink(t, func(*testing.T) (relay.Sink, func() []relay.Op) {
		m := &relay.Memory{}
		return m, m.Ops
	})
}

// A target of which nothing is known but its address, which believes whoever comes, is judged by the cases that need no more.
func TestWithoutAProfile(t *testing.T) {
	t.Parallel()
	address, stop, err := serveReference(asItIs[http.Handler], asItIs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	res, err := conformance.Run(t.Context(), Suite(), conformance.Config{
		Target: suitetest.Target(t, "ws://"+address+referenceNone), Profile: conformance.Profile{Deadlines: Profile().Deadlines},
	})
	if err != nil {
		t.Fatal(err)
	}
	counts := res.Footer.Counts
	if counts[conformance.Pass] < 200 || counts.Total() != counts[conformance.Pass]+counts[conformance.Unsupported]+counts[conformance.NotRun] {
		t.Errorf("what can be judged passes, and the rest is unsupported: %v", counts)
	}
}
