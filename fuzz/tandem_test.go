package fuzz

import (
	"errors"
	"flag"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/session"
	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

var steps = flag.Int("steps", 40_000, "steps that each real thing and its machine take together; fewer may not reach every law")

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// ways counts what happened in the steps that a machine and a real thing took together.
type ways map[string]int

// check demands that all that the contract foresees has happened, and nothing else.
func (w ways) check(t *testing.T, contract []string, steps int) {
	t.Helper()
	rarest, least := "", math.MaxInt
	for _, way := range contract {
		if w[way] < least {
			rarest, least = way, w[way]
		}
		if w[way] == 0 {
			t.Errorf("%d steps did not reach %q", steps, way)
		}
	}
	for _, way := range slices.Sorted(maps.Keys(w)) {
		if !slices.Contains(contract, way) {
			t.Errorf("%q happened %d times and is not foreseen", way, w[way])
		}
	}
	t.Logf("%d steps; rarest is %q, %d times", steps, rarest, least)
}

// A real thing that does something else than the machine is seen, and so is one that shows something else.
func TestTandemSeesDifferences(t *testing.T) {
	connect := stompmodel.Sends(0, "CONNECT", "accept-version", "1.2", "host", "h")
	begin := func() *sessionRun {
		r, err := newSessionRun(session.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ahead := begin()
	ahead.rig.Do(connect)
	shown := begin()
	shown.Look = func(stompmodel.SessionAction, stompmodel.SessionState) error { return errors.ErrUnsupported }
	for what, r := range map[string]*sessionRun{"a session that is ahead": ahead, "a look that differs": shown} {
		err := r.take(connect)
		var parting *model.PartingError[stompmodel.SessionState, stompmodel.SessionAction, stompmodel.SessionOutput]
		if !errors.As(err, &parting) || len(parting.Taken) != 1 || parting.Before.Phase() != stompmodel.SessionFresh {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if err := begin().take(stompmodel.SessionAction{Op: "none"}); err == nil || !strings.Contains(err.Error(), "cannot") {
		t.Errorf("an action that is none gives %v", err)
	}
}
