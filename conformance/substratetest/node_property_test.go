package substratetest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// generated runs one of the generated cases against nodes with hooks, with steps to repeat, if not nil.
func generated(t *testing.T, serve adapter.Adapter, id string, steps json.RawMessage) conformance.CaseResult {
	t.Helper()
	cfg := conformance.Config{Target: suitetest.InGo(), Adapter: serve, Steps: steps, Profile: conformance.Profile{Deadlines: patient()}}
	return suitetest.One(t, nodeSuite(), cfg, "substrate/node/property/"+id)
}

func TestGeneratedReplayPlaysExactlyItsSteps(t *testing.T) {
	data, err := json.Marshal(nodeSteps{Dies: true, Moves: []nodeMove{
		{Op: moveCall, Verb: "send"},
		{Op: moveDie},
		{Op: movePass, MS: 5},
		{Op: moveConnect},
		{Op: moveRefuse, Count: 1, Times: 1},
		{Op: moveFinish},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := generated(t, ServeReference, "crashes", data)
	if got.Verdict != conformance.Pass {
		t.Fatal(suitetest.Told(got))
	}
	ops := suitetest.Asked(got)
	if want := "send restart advance connect refuse"; !strings.Contains(strings.Join(ops, " "), want) {
		t.Errorf("%v, want %s in it", ops, want)
	}
}

func TestGeneratedReplayOfNonsenseIsInconclusive(t *testing.T) {
	for _, steps := range []string{
		`[]`, `{"moves":[]}`, `{"dies":true,"moves":[{"op":"dance"}]}`, `{"dies":true,"moves":[{"op":"early","count":1}]}`,
		`{"early":true,"moves":[{"op":"die"}]}`, `{"dies":true,"moves":[{"op":"call","obj":7,"verb":"send"}]}`,
	} {
		if got := generated(t, ServeReference, "crashes", json.RawMessage(steps)); got.Verdict != conformance.Inconclusive {
			t.Errorf("%s: %s: %s", steps, got.Verdict, got.Reason)
		}
	}
}

// Two nodes that break a law are found out by what becomes of them.
func TestGeneratedPairsFindAndShrink(t *testing.T) {
	for law, hooks := range map[string]func() nodeHooks{
		"SUBSTRATE-ANSWER-001": func() nodeHooks {
			return nodeHooks{did: func(_ *refNode, did deeds) deeds { return append(did, did.Of(didSettle)...) }}
		},
		"SUBSTRATE-OBJ-010": deaf(func(_ *refNode, f *frame) bool { return f.kind() == "accept" }),
		"SUBSTRATE-DEDUPE-001": changing(func(_ *refNode, d *deed) *deed {
			c := *d
			c.Redelivered = false
			return &c
		}),
	} {
		t.Run(law, func(t *testing.T) {
			got := generated(t, nodeDeviant{hooks: hooks}.adapter(), "pairs-that-die", nil)
			if got.Verdict != conformance.Fail || len(got.Findings) == 0 || got.Findings[0].Law != law && law != "SUBSTRATE-OBJ-010" {
				t.Fatalf("%s: %s", got.Verdict, suitetest.Told(got))
			}
		})
	}
	for _, steps := range []string{
		`[]`, `{"moves":[{"op":"die"}]}`, `{"moves":[{"op":"call","verb":"chunk"}]}`, `{"moves":[{"op":"hear","side":2,"count":1}]}`,
	} {
		if got := generated(t, ServeReference, "pairs", json.RawMessage(steps)); got.Verdict != conformance.Inconclusive {
			t.Errorf("%s: %s: %s", steps, got.Verdict, got.Reason)
		}
	}
}

// Some of the nodes that break a law are found out by generated sequences too, and what is found is made small.
func TestGeneratedRunsFindAndShrink(t *testing.T) {
	for _, d := range nodeDeviants() {
		most := map[string]int{
			"SUBSTRATE-ACK-002 the inbox is volatile": 8, "SUBSTRATE-OUTBOX-006 the outbox is volatile": 6,
			"SUBSTRATE-DEDUPE-001 a ledger for each life": 7, "SUBSTRATE-RECONNECT-001 swallows errors": 6,
		}[d.law+" "+d.name]
		if most == 0 {
			continue
		}
		t.Run(d.law+" "+d.name, func(t *testing.T) {
			got := generated(t, d.adapter(), "crashes", nil)
			if got.Verdict != conformance.Fail {
				t.Fatalf("%s: %s", got.Verdict, got.Reason)
			}
			moves := 0
			for _, n := range got.Notes {
				if strings.HasPrefix(n.Key, "move ") {
					moves++
				}
			}
			if moves == 0 || moves > most {
				t.Errorf("the smallest sequence has %d moves, more than %d: %v", moves, most, got.Notes)
			}
		})
	}
}
