package eventbustest

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
	"github.com/seed-6f28358b/assay/spec"
)

// The reference client obeys every law that the suite can decide.
func TestReferenceClient(t *testing.T) {
	judge(t, Client(), conformance.Config{Target: conformance.Target{Spec: "ref", Scheme: "ref"}, Parallel: 12})
}

// A client in Go is judged by its own Run function.
func TestClientOfAUser(t *testing.T) {
	TestClient(t, sseclient.Library{Software: "mine", Absent: map[string]string{sseclient.Envelope: "reads any stream"}, Run: runReferenceClient}, "eventbus/client/field/*")
}

// The catalogue is as large and as wide as it is said to be, and every MUST and SHOULD law of clients is cited by a case.
func TestClientCatalogue(t *testing.T) {
	laws, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	cases := Client().Cases
	if err := conformance.ValidateCases(cases, func(id string) bool { _, ok := laws.Law(id); return ok }); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 180 {
		t.Errorf("%d cases, at least 180 are promised", len(cases))
	}
	groups := map[string]bool{}
	for _, c := range cases {
		parts := strings.Split(c.ID, "/")
		if len(parts) != 4 || parts[0] != "eventbus" || parts[1] != "client" || c.Title == "" {
			t.Errorf("case %s is not eventbus/client/GROUP/NAME with a title", c.ID)
			continue
		}
		groups[parts[2]] = true
		for _, option := range c.Needs.Options {
			if option != retried && !slices.Contains(clientOptions, option) {
				t.Errorf("%s needs %q, which no hello lists and no probe finds out", c.ID, option)
			}
		}
	}
	for _, g := range []string{"parse", "field", "id", "retry", "reconnect", "status", "limit", "deviant"} {
		if !groups[g] {
			t.Errorf("no case in group %s", g)
		}
	}
	cited := conformance.NewCoverage(conformance.CaseEvidence(cases))
	for _, l := range laws.Laws("eventbus") {
		if l.Role == "sse-client" && l.Active() && len(cited.Where(l.ID, conformance.ByCase)) == 0 {
			t.Errorf("%s %s: cited by no case", l.ID, l.Title)
		}
	}
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
		res, err := conformance.Run(t.Context(), Client(), conformance.Config{
			Target: conformance.Target{Spec: "go", Scheme: "go"}, Adapter: sseclient.Adapter(library), Selection: conformance.Selection{Only: []string{"eventbus/client/parse/one-event"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if v := res.Footer.Counts[conformance.Inconclusive]; v != 1 {
			t.Errorf("%s: %v, want one doubt", name, res.Footer.Counts)
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
	res, err := conformance.Run(t.Context(), Client(), conformance.Config{
		Target: conformance.Target{Spec: "go", Scheme: "go"}, Adapter: serve,
		Selection: conformance.Selection{Only: []string{"eventbus/client/parse/one-event"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range res.Cases {
		if c.Verdict != conformance.NotRun && (c.Verdict != conformance.Inconclusive || !strings.Contains(c.Reason, "more than any case sends")) {
			t.Errorf("%s: %s", c.Verdict, c.Reason)
		}
	}
}
