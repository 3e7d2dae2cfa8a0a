package eventbustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

// A server of a user's own is judged as the reference is.
func TestServerOfAUser(t *testing.T) {
	t.Parallel()
	ref, err := serverReference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ref.Stop)
	TestServer(t, ServerTarget{
		URL: "http://" + ref.Address, Profile: ServerProfile(), Only: []string{"eventbus/server/resync/*", "EVENTBUS-HTTP-004"},
		Baseline: &conformance.Baseline{},
	})
}
