package databustest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
)

// unhurried is long enough for all histories of a case, on a machine that does much else.
const unhurried = conformance.Duration(10 * time.Minute)

// explored runs one of the generated cases, with steps to repeat, if not nil.
func explored(t *testing.T, serve adapter.Adapter, id string, steps json.RawMessage) conformance.CaseResult {
	t.Helper()
	cfg := conformance.Config{
		Target: suitetest.InGo(), Adapter: serve, Steps: steps,
		Profile: conformance.Profile{Deadlines: conformance.ProfileDeadlines{Case: unhurried}},
	}
	return suitetest.One(t, Suite(), cfg, "databus/tab/explore/"+id)
}

// stepsOfRace is the shortest way of DATABUS-RACE-001, which needs no fault but a frame that takes its time.
func stepsOfRace(moves ...tabMove) json.RawMessage {
	data, err := json.Marshal(tabSteps{Faults: true, Moves: append(moves,
		tabMove{Op: moveWant, Tab: 1}, tabMove{Op: moveWant, Tab: 1}, tabMove{Op: moveWant, Tab: 0}, tabMove{Op: moveFinish})})
	if err != nil {
		panic(err)
	}
	return data
}

// A replay plays exactly its moves.
func TestExploredReplay(t *testing.T) {
	t.Parallel()
	got := explored(t, ServeReference, "faults@fenced", stepsOfRace(
		tabMove{Op: moveFreeze, Tab: 2}, tabMove{Op: movePass, MS: 5}, tabMove{Op: moveRefuse, Tab: 0, Pick: 1}, tabMove{Op: moveServer},
	))
	if got.Verdict != conformance.Pass {
		t.Fatal(suitetest.Told(got))
	}
	want := []string{"freeze", "advance", "fail", "server", "subscribe", "unsubscribe", "subscribe", "thaw"}
	for _, op := range suitetest.Asked(got) {
		if len(want) > 0 && op == want[0] {
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("%v: no %s at its turn", suitetest.Asked(got), want[0])
	}
	for _, steps := range []string{
		`[]`, `{"moves":[{"op":"finish"}]}`, `{"faults":true,"moves":[{"op":"dance"}]}`, `{"faults":true,"moves":[{"op":"want","tab":3}]}`,
		`{"faults":true,"moves":[{"op":"sync"}]}`, `{"faults":true,"lags":true,"moves":[{"op":"finish"}]}`,
		`{"faults":true,"moves":[{"op":"freeze"},{"op":"publish"}]}`, `{"faults":true,"moves":[{"op":"hide"},{"op":"break"}]}`,
	} {
		if got := explored(t, ServeReference, "faults@fenced", json.RawMessage(steps)); got.Verdict != conformance.Inconclusive {
			t.Errorf("%s: %s: %s", steps, got.Verdict, got.Reason)
		}
	}
}

// A view that is behind is that of the tab alone, until it is shown what others wrote, one write after the other.
func TestExploredLag(t *testing.T) {
	t.Parallel()
	steps := func(moves ...tabMove) json.RawMessage {
		data, err := json.Marshal(tabSteps{Faults: true, Lags: true, Moves: append(moves, tabMove{Op: moveFinish})})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	// A owns the topic of B, and is asked before it can know; then it is shown what B has written, and asked again.
	got := explored(t, ServeReference, "lagging@fenced", steps(
		tabMove{Op: moveWant, Tab: 1}, tabMove{Op: moveDeliver}, tabMove{Op: moveSync, Pick: 1}, tabMove{Op: moveSync},
		tabMove{Op: movePass, MS: heartbeat}, tabMove{Op: moveDeliver}, tabMove{Op: moveServer},
	))
	if got.Verdict != conformance.Pass {
		t.Fatal(suitetest.Told(got))
	}
	if asked := suitetest.Asked(got); !slices.Contains(asked, "sync") {
		t.Errorf("%v: nobody is shown anything", asked)
	}
}

// exploreDeviants break what generated histories look for.
func exploreDeviants() []deviant {
	unfenced := ruled(func(r *cluster.Rules) { *r = cluster.Drifted() })
	return []deviant{
		{law: "DATABUS-LIVE-005", name: "what 0.1.0 does", only: "explore/faults@fenced", factory: unfenced},
		{law: "DATABUS-LIVE-005", name: "what 0.1.0 does", only: "explore/late@fenced", factory: unfenced},
		{law: "DATABUS-LIVE-005", name: "what 0.1.0 does", only: "explore/lagging@fenced", factory: unfenced},
		{law: "DATABUS-INV-001", name: "routes without a generation", only: "explore/lagging-raced@v010", hooks: storing("route", func(_ *page, m map[string]any) map[string]any {
			m["generation"] = 0
			return m
		})},
		{law: "DATABUS-LIVE-004", name: "a server that goes on", only: "explore/prompt@v010", hooks: viewing(func(p *page, v *tabView) {
			if p == p.b.pages[0] && !slices.ContainsFunc(p.b.pages, func(p *page) bool { return slices.Contains(p.bus.View().Subscribed, topicName(0)) }) {
				v.Server = append(v.Server, topicName(0))
			}
		})},
		{law: "DATABUS-INV-004", name: "a server that sends to all", only: "explore/prompt@fenced", hooks: viewing(func(_ *page, v *tabView) {
			v.Server = []string{topicName(0), topicName(1)}
		})},
		{law: "DATABUS-INV-001", name: "routes without a generation", only: "explore/raced@v010", hooks: storing("route", func(_ *page, m map[string]any) map[string]any {
			m["generation"] = 0
			return m
		})},
		{law: "DATABUS-INV-001", name: "a load of its own", only: "explore/faults@fenced", hooks: storing("worker", func(_ *page, m map[string]any) map[string]any {
			m["load"] = 7
			return m
		})},
		{law: "DATABUS-INV-002", name: "a gate that is open", only: "explore/raced@v010", hooks: callsOthers},
		{law: "DATABUS-INV-003", name: "says everything twice", only: "explore/faults@fenced", hooks: receivesTwice},
		{law: "DATABUS-INV-006", name: "forgets while it is hidden", only: "explore/prompt@v010", hooks: viewing(func(_ *page, v *tabView) {
			if !v.Active {
				v.Subscribed = []string{}
			}
		})},
		{law: "DATABUS-KEY-003", name: "topics in clear", only: "explore/faults@fenced", hooks: storing("route", func(_ *page, m map[string]any) map[string]any {
			m["topic"] = topicName(0)
			return m
		})},
	}
}

// callsOthers has handlers of a topic that nobody wants called with each that is.
func callsOthers() hooks {
	return hooks{did: func(_ *bridge, ds deeds) (out deeds) {
		for _, d := range ds {
			if out = append(out, d); d.Kind == didDispatch {
				other := *d
				other.Topic = topicName(9)
				out = append(out, &other)
			}
		}
		return out
	}}
}

// receivesTwice has each EVENT received twice.
func receivesTwice() hooks {
	return hooks{receive: func(_ *page, message json.RawMessage) []json.RawMessage {
		if viewed(message).Type == "EVENT" {
			return []json.RawMessage{message, message}
		}
		return []json.RawMessage{message}
	}}
}

// What breaks a law is found by histories too, and made small.
func TestExploredFindAndShrink(t *testing.T) {
	t.Parallel()
	for _, d := range exploreDeviants() {
		t.Run(d.only+" "+d.law, func(t *testing.T) {
			got := explored(t, d.adapter(), strings.TrimPrefix(d.only, "explore/"), nil)
			if !slices.Contains([]conformance.Verdict{conformance.Fail, conformance.Lax}, got.Verdict) || got.Findings[0].Law != d.law {
				t.Fatalf("%s: %s", got.Verdict, suitetest.Told(got))
			}
			moves := 0
			for _, n := range got.Notes {
				if strings.HasPrefix(n.Key, "move ") {
					moves++
				}
			}
			if moves == 0 || moves > 8 {
				t.Errorf("the smallest history has %d moves: %v", moves, got.Notes)
			}
			t.Log(moves, got.Notes)
		})
	}
}
