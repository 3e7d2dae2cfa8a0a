package substratemodel

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

func mustFeed(t testing.TB, cfg FeedConfig, bug feedBug) *Feed {
	t.Helper()
	m, err := newFeed(cfg, bug)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestFeedScopesHold: the last frame of an object is not lost, for nothing would tell.
func TestFeedScopesHold(t *testing.T) {
	for i, n := range [][2]int64{{133182, 516746}, {3538, 11386}, {2645, 8813}, {342, 983}, {5408, 17977}} {
		sc := FeedScopes()[i]
		t.Run(sc.Name, func(t *testing.T) { machinetest.Holds(t, mustFeed(t, sc.Config, 0), n[0], n[1]) })
	}
}

func TestEveryFeedInvariantCanFail(t *testing.T) {
	in := func(scope string) FeedConfig { return machinetest.Named(t, FeedScopes(), scope) }
	seed, stuck := machinetest.Seed[FeedConfig, feedBug], machinetest.Stuck[FeedConfig, feedBug]
	machinetest.Faults(t, model.Bounds{States: 4000}, feedBugCount, func(cfg FeedConfig, bug feedBug) *Feed { return mustFeed(t, cfg, bug) },
		[]machinetest.Fault[FeedConfig, feedBug]{
			seed(bugJumpIsLoss, in("sparse"), "SUBSTRATE-FEED-002", "is no loss", 6),
			stuck(bugJumpIsLoss, in("sparse"), 0), // SUBSTRATE-FEED-003
			seed(bugLastTooEarly, in("crash"), "SUBSTRATE-FEED-004", "passes", 5),
			seed(bugFeedFullMoves, in("inbox"), "SUBSTRATE-FEED-004", "passes", 8),
			seed(bugResumesAll, in("inbox"), "SUBSTRATE-FEED-007", "", 4),
			seed(bugLossUnseen, in("reconnects"), "SUBSTRATE-FEED-002", "handed over once", 7),
			seed(bugTakesAgain, in("reconnects"), "SUBSTRATE-FEED-002", "handed over once", 16),
			seed(bugAsksAlways, in("sparse"), "SUBSTRATE-FEED-004", "outstanding", 8),
			seed(bugHidesTrim, in("trimmed"), "SUBSTRATE-FEED-006", "", 4),
			stuck(bugNoRepeat, in("reconnects"), 6),
		})
}

func TestFeedWalks(t *testing.T) {
	var machines []*Feed
	for _, sc := range FeedScopes() {
		machines = append(machines, mustFeed(t, sc.Config, 0))
	}
	machinetest.Walks(t, machines, nil)
}

func TestFeedConfigNamesTheField(t *testing.T) {
	for _, tc := range []struct {
		cfg  FeedConfig
		want string
	}{
		{FeedConfig{Stream: make([]FeedEntry, 9)}, "Stream has 9"},
		{FeedConfig{Stream: []FeedEntry{{0, 2}, {1, 2}}}, "Stream[1]"},
		{FeedConfig{Trim: 4}, "Trim is 4"},
		{FeedConfig{Inbox: 4}, "Inbox is 4"},
	} {
		if _, err := NewFeed(tc.cfg); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("want %q, got %v", tc.want, err)
		}
	}
}
