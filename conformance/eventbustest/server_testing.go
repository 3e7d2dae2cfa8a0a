package eventbustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// A ServerTarget is an HTTP server of event streams for [TestServer].
type ServerTarget struct {
	// URL is http://host:port or https://host:port or, where the profile names no path of events, the address of one stream;
	// empty: the reference.
	URL string
	// Profile says how sessions are opened and events are made. Of a target without one a stream is read and resumed.
	Profile conformance.Profile
	// Only are globs over case ids, or law ids; nil: all.
	Only []string
	// Baseline lists known deviations: what deviates as listed passes, and what no longer does fails. Nil: every break of a law
	// fails.
	Baseline *conformance.Baseline
}

// TestServer judges a server inside a Go test, one subtest for each case. A broken law and a doubt fail the subtest; a broken
// SHOULD and a recorded choice are logged; what does not apply is skipped. Serve on a loopback address first.
func TestServer(t *testing.T, target ServerTarget) {
	t.Helper()
	parsed, err := conformance.ParseTarget(target.URL)
	if err != nil {
		t.Fatal(err)
	}
	judge(t, Server(), conformance.Config{
		Target: parsed, Profile: target.Profile, Baseline: target.Baseline, Selection: conformance.Selection{Only: target.Only},
	})
}
