package substratetest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// An adapter that tells what makes no sense gets no verdict: nothing of that may count for or against the node.
func TestHostileNodesGetNoVerdict(t *testing.T) {
	t.Parallel()
	for name, d := range map[string]*deed{
		"null":               nil,
		"a kind of its own":  {Kind: "dance"},
		"no octets":          {Kind: didTransmit, Conn: "c"},
		"octets of no frame": {Kind: didTransmit, Conn: "c", Octets: []byte("{}")},
		"no delivery":        {Kind: didDeliver, Verb: "open"},
	} {
		t.Run(name, func(t *testing.T) {
			got := suitetest.One(t, nodeSuite(), conformance.Config{
				Target: suitetest.InGo(), Adapter: nodeDeviant{hooks: func() nodeHooks {
					return nodeHooks{did: func(_ *refNode, did deeds) deeds { return append(deeds{d}, did...) }}
				}}.adapter(),
			}, "substrate/node/seq/gap-asks-after-30-s")
			if got.Verdict != conformance.Inconclusive && got.Verdict != conformance.Blocked {
				t.Error(suitetest.Told(got))
			}
		})
	}
}
