package generate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/generate"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
)

// A step adds to a sum; 0 ends the sequence.
type step int

func (s step) String() string { return fmt.Sprintf("add %d", int(s)) }

func (s step) Simpler() []step {
	if s > 1 {
		return []step{s - 1}
	}
	return nil
}

// sums is the scene: how many steps are to come.
type sums int

func (s sums) String() string { return "nothing" }

func (s sums) Draw(r *rand.Rand) step {
	if s == 1 {
		return 0
	}
	return step(1 + r.Intn(9))
}
func (s sums) Allows(m step) bool { return s > 0 && m >= 0 }
func (s sums) After(step) sums    { return s - 1 }

// broken is a target that can count to 20 only.
type broken struct{ sum int }

func (b *broken) Play(m step) *conformance.Break {
	if b.sum += int(m); b.sum > 20 {
		return &conformance.Break{Law: "STOMP-FRAME-001", Reason: "it adds", Expected: fmt.Sprint(b.sum), Seen: "20"}
	}
	return nil
}

// judged runs a campaign on that target, as one case.
func judged(t *testing.T, steps string) conformance.CaseResult {
	t.Helper()
	campaign := generate.Campaign[sums, step]{
		Runs: 50, Shortest: 4, Longest: 30, Shrinks: 500, Share: 0.9,
		Begin: func(_ *rand.Rand, moves int) sums { return sums(moves) },
		Open:  func(sums) generate.Play[step] { return &broken{} },
		Save:  func(s generate.Sequence[sums, step]) any { return s.Moves },
		Load: func(raw json.RawMessage) (s generate.Sequence[sums, step], err error) {
			err = json.Unmarshal(raw, &s.Moves)
			s.Begin = sums(len(s.Moves))
			return s, err
		},
	}
	suite := &conformance.Suite{
		Protocol: "stomp",
		Probe:    func(context.Context, *conformance.T) conformance.Capabilities { return conformance.Capabilities{} },
		Cases: []conformance.Case{{
			ID: "stomp/test/adds", Laws: []string{"STOMP-FRAME-001"}, Explores: true,
			Run: func(_ context.Context, t *conformance.T) { campaign.Judge(t) },
		}},
	}
	cfg := conformance.Config{Target: suitetest.InGo(), Adapter: func(context.Context, io.Reader, io.Writer) error { return nil }}
	if steps != "" {
		cfg.Steps = json.RawMessage(steps)
	}
	return suitetest.One(t, suite, cfg, "stomp/test/adds")
}

func TestWhatIsFoundIsMadeSmallAndNoted(t *testing.T) {
	got := judged(t, "")
	if got.Verdict != conformance.Fail {
		t.Fatal(suitetest.Told(got))
	}
	sum, moves := 0, 0
	for _, n := range got.Notes {
		var add int
		if _, err := fmt.Sscanf(n.Value, "add %d", &add); err == nil {
			sum, moves = sum+add, moves+1
		}
	}
	// No step of it can be left out, nor be smaller.
	if sum != 21 || moves < 3 {
		t.Errorf("%d steps to %d: %v", moves, sum, got.Notes)
	}
	if again := judged(t, ""); cmp.Diff(got.Notes, again.Notes) != "" {
		t.Error(cmp.Diff(got.Notes, again.Notes))
	}
}

func TestReplaysArePlayedAsTheyAre(t *testing.T) {
	for steps, want := range map[string]conformance.Verdict{
		"[9,9,9]": conformance.Fail, "[9,0]": conformance.Pass, "[-1]": conformance.Inconclusive, "{}": conformance.Inconclusive,
	} {
		if got := judged(t, steps); got.Verdict != want {
			t.Errorf("%s: %s", steps, suitetest.Told(got))
		}
	}
}
