package fuzz

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// forgetful is a store without a ledger, and lossy one without an inbox.
type (
	forgetful struct{ store.Store }
	lossy     struct{ store.Store }
	frozen    struct{ store.Store }
)

func (forgetful) Committed(string, store.Key) (store.Entry, bool, error) {
	return store.Entry{}, false, nil
}

func (s lossy) Apply(peer string, b *store.Batch) error {
	c := *b
	c.Inbound = nil
	return s.Store.Apply(peer, &c)
}

func (s frozen) Apply(peer string, b *store.Batch) error {
	c := *b
	c.Counters = nil
	return s.Store.Apply(peer, &c)
}

// TestSubstratePairSeesFaults: whatever is wrong with an engine's surroundings parts it from the machine within some runs.
func TestSubstratePairSeesFaults(t *testing.T) {
	b := func(r *pairRun) *pairSide { return r.rig.side[substratemodel.B] }
	restart := func(s *pairSide, change func(*engine.Config)) {
		change(&s.cfg)
		s.life--
		s.start()
	}
	for what, spoil := range map[string]func(*pairRun){
		"a ledger that forgets": func(r *pairRun) { b(r).store.Store = forgetful{b(r).store.Store} },
		"an inbox that loses":   func(r *pairRun) { b(r).store.Store = lossy{b(r).store.Store} },
		"counters that stay":    func(r *pairRun) { b(r).store.Store = frozen{b(r).store.Store} },
		"a gate that is open": func(r *pairRun) {
			restart(b(r), func(c *engine.Config) { c.Authorize = engine.AllowAll })
		},
		"a gate that is shut": func(r *pairRun) {
			restart(b(r), func(c *engine.Config) {
				c.Authorize = func(*engine.OpContext) engine.Denial { return engine.Deny("unauthorized") }
			})
		},
		"an inbox of one":               func(r *pairRun) { restart(b(r), func(c *engine.Config) { c.Limits.Inbox = 1 }) },
		"an outbox of one":              func(r *pairRun) { restart(b(r), func(c *engine.Config) { c.Limits.Outbox = 1 }) },
		"a clock that is a day ahead":   func(r *pairRun) { b(r).now = b(r).now.AddDate(0, 0, 1) },
		"a network that delivers twice": func(r *pairRun) { r.rig.again = true },
	} {
		t.Run(what, func(t *testing.T) {
			for seed := range uint64(2000) {
				if runPairs(seed+1, spoil) != nil {
					return
				}
			}
			t.Error("nobody notices")
		})
	}
}
