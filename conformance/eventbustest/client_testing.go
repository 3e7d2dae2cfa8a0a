package eventbustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

// TestClient judges a Go client of event streams inside a Go test, one subtest for each case that only names: globs over case ids, or
// law ids; none: all. Subtests end as those of [TestBus] do. The cases play the server on loopback.
func TestClient(t *testing.T, library sseclient.Library, only ...string) {
	t.Helper()
	judgeClient(t, conformance.Config{
		Target: conformance.Target{Spec: "go", Scheme: "go"}, Adapter: sseclient.Adapter(library), Selection: conformance.Selection{Only: only},
	})
}

// judgeClient runs the suite and makes a subtest of each case.
func judgeClient(t *testing.T, cfg conformance.Config) {
	t.Helper()
	res, err := conformance.Run(t.Context(), Client(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Cases {
		if c.Verdict == conformance.NotRun {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			switch c.Verdict {
			case conformance.Unsupported:
				t.Skip(c.Reason)
			case conformance.Pass:
			case conformance.Lax, conformance.Info:
				t.Log(told(c))
			default:
				t.Error(told(c))
			}
		})
	}
}
