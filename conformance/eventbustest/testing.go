package eventbustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// TestBus judges a bus inside a Go test, one subtest for each case. A broken law and a doubt fail the subtest; a broken SHOULD and
// a recorded choice are logged; what does not apply is skipped.
func TestBus(t *testing.T, f Factory, o suitetest.Options) {
	t.Helper()
	if o.Profile.Deadlines == (conformance.ProfileDeadlines{}) {
		o.Profile.Deadlines = patient()
	}
	inGo(t, busSuite(), serveBus("a bus in Go", f, extras{}), o)
}

// TestClient judges a Go client of event streams inside a Go test. Subtests end as those of [TestBus] do. The cases play the server
// on loopback.
func TestClient(t *testing.T, library sseclient.Library, o suitetest.Options) {
	t.Helper()
	inGo(t, Client(), sseclient.Adapter(library), o)
}

// TestServer judges a server of event streams over HTTP inside a Go test, at http://HOST:PORT or https://HOST:PORT or, where the
// profile names no path of events, at the address of one stream; empty: the reference. The profile says how sessions are opened and
// events are made: of a target without one a stream is read and resumed. Subtests end as those of [TestBus] do. Serve on a loopback
// address first.
func TestServer(t *testing.T, url string, o suitetest.Options) {
	t.Helper()
	suitetest.Run(t, Server(), o.Config(suitetest.Target(t, url)))
}

// inGo judges what answers the requests of spec/adapter.md in this process.
func inGo(t *testing.T, suite *conformance.Suite, serve adapter.Adapter, o suitetest.Options) {
	t.Helper()
	cfg := o.Config(suitetest.InGo())
	cfg.Adapter = serve
	suitetest.Run(t, suite, cfg)
}
