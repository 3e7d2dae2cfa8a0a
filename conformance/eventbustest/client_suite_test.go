package eventbustest

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// manyClients are judged at a time: what takes long about them is to wait.
const manyClients = 24

// The reference client obeys every law that the suite can decide.
func TestReferenceClient(t *testing.T) {
	t.Parallel()
	suitetest.Calibrate(t, Client(), conformance.Config{Parallel: manyClients})
}

// A client in Go is judged by its own Run function.
func TestClientOfAUser(t *testing.T) {
	t.Parallel()
	library := sseclient.Library{Software: "mine", Absent: map[string]string{sseclient.Envelope: "reads any stream"}, Run: runReferenceClient}
	TestClient(t, library, suitetest.Options{Only: []string{"eventbus/client/field/*"}})
}

// An adapter that speaks for another protocol, or that calls an unknown option absent, is at fault itself.
func TestClientProbeDoubts(t *testing.T) {
	for name, library := range map[string]sseclient.Library{
		"unknown option": {Absent: map[string]string{"teleport": "cannot"}},
		"no request": {Run: func(ctx context.Context, _ sseclient.Order, _ *sseclient.Source) error {
			<-ctx.Done()
			return ctx.Err()
		}},
	} {
		got := suitetest.One(t, Client(), conformance.Config{
			Target: suitetest.InGo(), Adapter: sseclient.Adapter(library),
			Profile: conformance.Profile{Deadlines: conformance.ProfileDeadlines{Reply: conformance.Duration(300 * time.Millisecond)}},
		}, "eventbus/client/parse/one-event")
		if got.Verdict != conformance.Inconclusive {
			t.Errorf("%s: %s", name, suitetest.Told(got))
		}
	}
}

// A client that hands out events without end is a doubt, and does not fill our memory.
func TestClientThatFloods(t *testing.T) {
	flood := make([]sseclient.Event, 40_000)
	library := sseclient.Adapter(sseclient.Library{Run: runReferenceClient})
	serve := func(ctx context.Context, r io.Reader, w io.Writer) error {
		inner := adapter.Local(library, adapter.Config{})
		defer inner.Close()
		return adapter.Serve(ctx, r, w, func(ctx context.Context, request *adapter.Request) (any, error) {
			if request.Op == "collect" {
				return sseclient.Collection{Events: flood, State: sseclient.Open, Errors: []string{}}, nil
			}
			var members map[string]any
			if err := json.Unmarshal(request.JSON(), &members); err != nil {
				return nil, err
			}
			delete(members, "n")
			delete(members, "op")
			var reply json.RawMessage
			err := inner.Call(ctx, request.Op, members, &reply)
			return reply, err
		})
	}
	got := suitetest.One(t, Client(), conformance.Config{Target: suitetest.InGo(), Adapter: serve}, "eventbus/client/parse/one-event")
	if got.Verdict != conformance.Inconclusive || !strings.Contains(got.Reason, "more than any case sends") {
		t.Error(suitetest.Told(got))
	}
}
