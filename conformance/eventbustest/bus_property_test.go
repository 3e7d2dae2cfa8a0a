package eventbustest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// generated runs one instance of the generated cases against buses of a factory, with steps to repeat, if not nil.
func generated(t *testing.T, f Factory, id string, steps json.RawMessage) conformance.CaseResult {
	t.Helper()
	return suitetest.One(t, busSuite(), conformance.Config{
		Target: suitetest.InGo(), Adapter: serveBus("a bus in Go", f, extras{}), Steps: steps,
		Profile: conformance.Profile{Deadlines: patient()},
	}, id)
}

func TestGeneratedReplayPlaysExactlyItsSteps(t *testing.T) {
	data, err := json.Marshal(busSteps{RingSize: 2, Moves: []busMove{
		{Op: movePublish, Count: 3},
		{Op: moveSubscribe, Sub: 1, Back: 3},
		{Op: moveSeed, Count: 2},
		{Op: moveTake, Sub: 1, Count: 4},
		{Op: moveClose},
		{Op: moveAbort, Sub: 1},
		{Op: moveSubscribe, Sub: 1, Live: true},
		{Op: moveEnd},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := generated(t, Reference, "eventbus/bus/property/history@later", data)
	if got.Verdict != conformance.Pass {
		t.Fatal(suitetest.Told(got))
	}
	ops := slices.DeleteFunc(suitetest.Asked(got), func(op string) bool { return op == "state" })
	want := []string{"new", "burst", "subscribe", "seed", "next", "close", "abort", "next", "subscribe", "drain"}
	if diff := cmp.Diff(want, ops); diff != "" {
		t.Error(diff)
	}
}

func TestGeneratedReplayOfNonsenseIsInconclusive(t *testing.T) {
	for _, steps := range []string{
		`[]`, `{"ringSize":0,"moves":[]}`, `{"ringSize":1,"moves":[{"op":"dance"}]}`, `{"ringSize":1,"moves":[{"op":"take","count":1}]}`,
		`{"ringSize":1,"moves":[{"op":"seed","count":1}]}`, `{"ringSize":1,"moves":[{"op":"subscribe","sub":9}]}`,
	} {
		if got := generated(t, Reference, "eventbus/bus/property/resumes@later", json.RawMessage(steps)); got.Verdict != conformance.Inconclusive {
			t.Errorf("%s: %s: %s", steps, got.Verdict, got.Reason)
		}
	}
}

// repeating replays the event that its cursor names as well.
type repeating struct{ Bus }

func (r repeating) Subscribe(o SubscribeOptions) (Subscription, error) {
	if o.After != nil && *o.After > 0 {
		before := *o.After - 1
		o.After = &before
	}
	return r.Bus.Subscribe(o)
}

func TestGeneratedRunsFindAndShrink(t *testing.T) {
	f := func(s Settings) (Bus, error) {
		bus, err := Reference(s)
		return repeating{bus}, err
	}
	got := generated(t, f, "eventbus/bus/property/resumes@seed", nil)
	if got.Verdict != conformance.Fail {
		t.Fatalf("%s: %s", got.Verdict, got.Reason)
	}
	moves := 0
	for _, n := range got.Notes {
		if strings.HasPrefix(n.Key, "move ") {
			moves++
		}
	}
	// An event, a cursor at it, and a look.
	if moves == 0 || moves > 4 {
		t.Errorf("the smallest sequence has %d moves: %v", moves, got.Notes)
	}
}
