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
	judge(t, Client(), conformance.Config{
		Target: conformance.Target{Spec: "go", Scheme: "go"}, Adapter: sseclient.Adapter(library), Selection: conformance.Selection{Only: only},
	})
}
