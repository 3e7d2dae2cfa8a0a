package eventbustest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// butIdle names the cases that do not wait 17 s for a heartbeat.
const butIdle = "eventbus/server/[^i]*/*"

// The reference obeys every law that the suite can decide, in both dialects. This is the suite's own calibration. The second run is
// of the cases that race with the server.
func TestServerReference(t *testing.T) {
	for _, c := range suitetest.Calibrate(t, Server(), conformance.Config{}, "eventbus/server/{evict,end,limit,warn}/*").Cases {
		if c.Verdict != conformance.Pass {
			t.Errorf("%s is %s", c.ID, suitetest.Told(c))
		}
	}
}

// A target of which nothing is known but the address of a stream is judged by the cases that need no more.
func TestServerWithoutAProfile(t *testing.T) {
	t.Parallel()
	ref, err := serverReference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Stop()
	x := (&plainClient{t, ref.Address}).open()
	res, err := conformance.Run(t.Context(), Server(), conformance.Config{
		Target:    suitetest.Target(t, "http://"+ref.Address+"/later/session/"+x+"/events"),
		Selection: conformance.Selection{Only: []string{butIdle}},
	})
	if err != nil {
		t.Fatal(err)
	}
	counts := res.Footer.Counts
	if counts[conformance.Pass] < 8 || counts.Total() != counts[conformance.Pass]+counts[conformance.Unsupported]+counts[conformance.NotRun] {
		t.Errorf("what can be judged passes, and the rest is unsupported: %v", counts)
	}
}

// A server of a user's own is judged as the reference is.
func TestServerOfAUser(t *testing.T) {
	t.Parallel()
	ref, err := serverReference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ref.Stop)
	TestServer(t, "http://"+ref.Address, suitetest.Options{
		Profile: ServerProfile(), Only: []string{"eventbus/server/resync/*", "EVENTBUS-HTTP-004"}, Baseline: &conformance.Baseline{},
	})
}
