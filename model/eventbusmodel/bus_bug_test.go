package eventbusmodel

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/model"
)

// A seededBus is a fault in the machine of the bus, the scope in which it shows, and the invariant that must see it.
type seededBus struct {
	bug     busBug
	dialect Dialect
	scope   string
	law     string
	title   string
}

// TestBusBugsAreSeen: each fault breaks a law, and each invariant is broken by a fault.
func TestBusBugsAreSeen(t *testing.T) {
	bugs, rules := make([]int, busBugCount), map[string]int{}
	for _, tc := range seededBuses {
		bugs[tc.bug]++
		rules[tc.law+": "+tc.title]++
		t.Run(fmt.Sprintf("bug %d %s", tc.bug, tc.law), func(t *testing.T) {
			t.Parallel()
			m := mustBus(t, scopeNamed(t, tc.dialect, tc.scope))
			m.bug = tc.bug
			cfg := busExhaust{Bounds: model.Bounds{States: 4000}}
			for _, inv := range m.Invariants() {
				if inv.Law == tc.law && inv.Title == tc.title {
					cfg.Invariants = append(cfg.Invariants, inv)
				}
			}
			for _, inv := range m.EdgeInvariants() {
				if inv.Law == tc.law && inv.Title == tc.title {
					cfg.EdgeInvariants = append(cfg.EdgeInvariants, inv)
				}
			}
			if len(cfg.Invariants)+len(cfg.EdgeInvariants) != 1 {
				t.Fatalf("%d invariants are called %q", len(cfg.Invariants)+len(cfg.EdgeInvariants), tc.title)
			}
			if r := exploreBus(t, m, cfg); r.Counterexample == nil {
				t.Errorf("nothing is broken: %v", r)
			}
		})
	}
	for bug := noBusBug + 1; bug < busBugCount; bug++ {
		if bugs[bug] == 0 {
			t.Errorf("bug %d is not seeded", bug)
		}
	}
	m := mustBus(t, BusConfig{})
	for _, inv := range m.Invariants() {
		if rules[inv.Law+": "+inv.Title] == 0 {
			t.Errorf("%s (%s) was never seen to fail", inv.Law, inv.Title)
		}
	}
	for _, inv := range m.EdgeInvariants() {
		if rules[inv.Law+": "+inv.Title] == 0 {
			t.Errorf("%s (%s) was never seen to fail", inv.Law, inv.Title)
		}
	}
}

func scopeNamed(t *testing.T, d Dialect, name string) BusConfig {
	t.Helper()
	scopes := BusScopes(d)
	at := slices.IndexFunc(scopes, func(sc BusScope) bool { return sc.Name == name })
	if at < 0 {
		t.Fatalf("no scope %q in dialect %s", name, d)
	}
	return scopes[at].Config
}

var seededBuses = []seededBus{
	{bugStampsAlways, Seed, "octets", "EVENTBUS-PUBLISH-004", "the time of an event is the publisher's if finite, else the clock's"},
	{bugSizeOfData, Seed, "octets", "EVENTBUS-QUEUE-008", "the size of an event is that of its JSON in UTF-8"},
	{bugForgetsOriginator, Seed, "octets", "EVENTBUS-PUBLISH-005", "the envelope passes through"},
	{bugOldVersion, Seed, "two subscribers", "EVENTBUS-ID-003", "every frame has v 1"},
	{bugPublishClosed, Seed, "two subscribers", "EVENTBUS-PUBLISH-002", "a closed bus takes nothing"},
	{bugSameID, Seed, "two subscribers", "EVENTBUS-ID-001", "a publish takes the next id"},
	{bugSameID, Seed, "two subscribers", "EVENTBUS-ID-001", "the ids of the ring are positive and consecutive"},
	{bugSameID, Seed, "two subscribers", "EVENTBUS-REPLAY-008", "the ids that a consumer sees follow each other"},
	{bugSameID, Seed, "two subscribers", "EVENTBUS-REPLAY-008", "the ids that are buffered follow each other"},
	{bugSameID, Seed, "two subscribers", "EVENTBUS-RESYNC-001", "who sees a gap has seen a resync"},
	{bugSameID, Seed, "two subscribers", "EVENTBUS-RING-001", "the ring holds the newest events, as many as fit"},
	{bugSizesLazily, Later, "two subscribers", "EVENTBUS-QUEUE-009", "seed sizes what it buffers, later sizes every event once"},
	{bugDeliversUnsized, Later, "octets", "EVENTBUS-PUBLISH-008", "later: an event without size is refused and takes no id"},
	{bugRefusalBurns, Later, "octets", "EVENTBUS-PUBLISH-008", "later: an event without size is refused and takes no id"},
	{bugReturnsNothing, Seed, "two subscribers", "EVENTBUS-EVICT-001", "a refused push evicts at once"},
	{bugReturnsNothing, Seed, "two subscribers", "EVENTBUS-ID-001", "a publish takes the next id"},
	{bugReturnsNothing, Seed, "two subscribers", "EVENTBUS-PUBLISH-006", "every subscriber gets the event once, or is evicted by it"},
	{bugReturnsNothing, Seed, "two subscribers", "EVENTBUS-QUEUE-003", "an event for one who waits is handed over and changes no count"},
	{bugReturnsNothing, Seed, "octets", "EVENTBUS-QUEUE-004", "octets refuse only beyond the cap and behind a live frame"},
	{bugReturnsNothing, Seed, "octets", "EVENTBUS-WARN-010", "a warning is private and ends nothing"},
	{bugRingTrimsEarly, Seed, "episodes", "EVENTBUS-RING-004", "an event that is refused for one is kept, and others get it"},
	{bugRingTrimsLate, Seed, "two subscribers", "EVENTBUS-RING-002", "one event goes from the ring, and only when it is too long"},
	{bugRingDropsNewest, Seed, "two subscribers", "EVENTBUS-RING-002", "one event goes from the ring, and only when it is too long"},
	{bugEvictWarns, Seed, "two subscribers", "EVENTBUS-EVICT-002", "an evicted consumer gets one client_evicted, and it is the last item"},
	{bugEvictWarns, Seed, "two subscribers", "EVENTBUS-EVICT-002", "what was buffered stays, client_evicted comes behind it, and the queue ends"},
	{bugEvictWarns, Seed, "two subscribers", "EVENTBUS-WARN-011", "the event that evicts does not warn"},
	{bugTwice, Seed, "small caps", "EVENTBUS-CONCURRENCY-001", "each of several calls that wait gets an event of its own, in call order"},
	{bugTwice, Seed, "octets", "EVENTBUS-PUBLISH-007", "seed: an event without size counts as a frame of no octets"},
	{bugNoDirect, Seed, "two subscribers", "EVENTBUS-QUEUE-003", "who waits has an empty, open queue"},
	{bugNoDirect, Seed, "small caps", "EVENTBUS-WARN-006", "caps of 1 and 2 are re-armed only by a direct delivery"},
	{bugDirectCounts, Seed, "small caps", "EVENTBUS-CONCURRENCY-003", "publish has an outcome whatever subscribers do"},
	{bugDirectCounts, Seed, "small caps", "EVENTBUS-QUEUE-001", "no more live frames than the cap"},
	{bugCapLate, Seed, "two subscribers", "EVENTBUS-CONCURRENCY-003", "publish has an outcome whatever subscribers do"},
	{bugCapEarly, Seed, "two subscribers", "EVENTBUS-QUEUE-001", "a full queue refuses, and only a full one for its frames"},
	{bugReplayCounts, Seed, "two subscribers", "EVENTBUS-QUEUE-001", "a full queue refuses, and only a full one for its frames"},
	{bugBytesInclusive, Seed, "octets", "EVENTBUS-REPLAY-007", "frames that do not count leave the whole allowance"},
	{bugBytesLoose, Seed, "octets", "EVENTBUS-QUEUE-004", "no more live octets than the cap, but for one event alone"},
	{bugOversizedRefused, Seed, "octets", "EVENTBUS-QUEUE-005", "one event of any size is admitted when no live frame is buffered, and the next is not"},
	{bugUnsizedHeavy, Seed, "octets", "EVENTBUS-REPLAY-007", "frames that do not count leave the whole allowance"},
	{bugBytesFirst, Later, "octets", "EVENTBUS-QUEUE-006", "the frame cap goes first"},
	{bugSizesNever, Seed, "two subscribers", "EVENTBUS-QUEUE-009", "seed sizes what it buffers, later sizes every event once"},
	{bugUnsizedFree, Seed, "octets", "EVENTBUS-QUEUE-002", "forced frames count for nothing, live ones for all that they are"},
	{bugAlwaysEventBytes, Seed, "octets", "EVENTBUS-QUEUE-006", "the frame cap goes first"},
	{bugDroppedBefore, Seed, "two subscribers", "EVENTBUS-EVICT-004", "droppedAfter is the id of the refused event"},
	{bugEvictMeasuresAfter, Seed, "two subscribers", "EVENTBUS-EVICT-003", "reason and measures are those before the refused event"},
	{bugEvictExtra, Seed, "two subscribers", "EVENTBUS-EVICT-005", "client_evicted has no id and no other members"},
	{bugEvictHasID, Seed, "small caps", "EVENTBUS-ID-004", "frames that the bus makes have no id, and all others have one"},
	{bugEvictHasID, Seed, "two subscribers", "EVENTBUS-REPLAY-002", "one replay_complete for a cursor, after what is replayed and before what is live"},
	{bugEvictDrops, Seed, "two subscribers", "EVENTBUS-QUEUE-010", "first in, first out"},
	{bugEvictSilent, Seed, "octets", "EVENTBUS-WARN-012", "octets can evict with no warning before"},
	{bugEvictTwice, Seed, "octets", "EVENTBUS-WARN-012", "octets can evict with no warning before"},
	{bugEvictTakesNumber, Seed, "two subscribers", "EVENTBUS-ID-005", "frames that the bus makes take no number"},
	{bugRingHoldsSynthetic, Later, "cursors", "EVENTBUS-REPLAY-010", "later: a replay ends before the sum of its sizes exceeds the budget, but has one event"},
	{bugRingHoldsSynthetic, Seed, "two subscribers", "EVENTBUS-RING-003", "no frame that the bus made is in the ring"},
	{bugRingLosesRefused, Seed, "two subscribers", "EVENTBUS-PUBLISH-001", "publish returns what it keeps and delivers"},
	{bugEvictStaysOpen, Seed, "two subscribers", "EVENTBUS-CLOSE-005", "an abort after close takes nothing back"},
	{bugEvictStaysOpen, Seed, "two subscribers", "EVENTBUS-EVICT-006", "an abort after the eviction changes nothing"},
	{bugEvictKeepsSlot, Seed, "two subscribers", "EVENTBUS-ABORT-001", "abort drops what is buffered and ends what waits"},
	{bugEvictKeepsSlot, Seed, "two subscribers", "EVENTBUS-ABORT-002", "abort frees the place at once"},
	{bugEvictKeepsSlot, Seed, "small caps", "EVENTBUS-EVICT-002", "the end is the end for ever"},
	{bugEvictKeepsSlot, Seed, "two subscribers", "EVENTBUS-EVICT-007", "an eviction is one subscriber's, and frees one place"},
	{bugEvictAll, Seed, "two subscribers", "EVENTBUS-EVICT-007", "an eviction is one subscriber's, and frees one place"},
	{bugLineAlways, Later, "octets", "EVENTBUS-EVICT-008", "one diagnostic an eviction, unless a callback took it"},
	{bugRearmEither, Seed, "two subscribers", "EVENTBUS-WARN-003", "one warning an episode"},
	{bugRearmStrict, Seed, "octets", "EVENTBUS-WARN-004", "an episode ends when both backlogs are at three eighths or below after a push"},
	{bugRearmNever, Seed, "octets", "EVENTBUS-WARN-004", "an episode ends when both backlogs are at three eighths or below after a push"},
	{bugRearmSmall, Seed, "octets", "EVENTBUS-WARN-003", "one warning an episode"},
	{bugWarnStrict, Seed, "episodes", "EVENTBUS-WARN-001", "a warning comes with the frame that reaches three quarters of the cap"},
	{bugWarnBytesStrict, Seed, "octets", "EVENTBUS-WARN-002", "a warning comes with the octets that reach three quarters of the cap"},
	{bugWarnFramesOnly, Seed, "octets", "EVENTBUS-WARN-002", "a warning comes with the octets that reach three quarters of the cap"},
	{bugWarnAgain, Seed, "two subscribers", "EVENTBUS-WARN-003", "one warning an episode"},
	{bugWarnThreshold, Later, "octets", "EVENTBUS-WARN-009", "later: octets and threshold of a warning"},
	{bugWarnEnds, Seed, "two subscribers", "EVENTBUS-QUEUE-011", "a queue that is closed takes nothing"},
	{bugWarnBefore, Seed, "two subscribers", "EVENTBUS-WARN-007", "the warning is right behind its trigger"},
	{bugWarnAll, Seed, "two subscribers", "EVENTBUS-WARN-011", "the event that evicts does not warn"},
	{bugWarnMeasuresBefore, Seed, "two subscribers", "EVENTBUS-WARN-008", "queueSize, maxQueued and lastEventId of a warning"},
	{bugSeedDelivers, Later, "cursors", "EVENTBUS-RING-006", "seeding takes ids, empties the ring and delivers nothing"},
	{bugSeedKeepsRing, Later, "cursors", "EVENTBUS-RING-006", "seeding takes ids, empties the ring and delivers nothing"},
	{bugStaleLast, Seed, "two subscribers", "EVENTBUS-ID-002", "lastEventId is the highest id assigned"},
	{bugLastFirst, Seed, "two subscribers", "EVENTBUS-QUEUE-007", "draining gives back one frame and its octets"},
	{bugForcedGivesBack, Seed, "octets", "EVENTBUS-QUEUE-004", "no more live octets than the cap, but for one event alone"},
	{bugBytesKept, Seed, "two subscribers", "EVENTBUS-QUEUE-007", "draining gives back one frame and its octets"},
	{bugDrainRearms, Seed, "episodes", "EVENTBUS-WARN-005", "nothing but a publish begins or ends an episode"},
	{bugEndCountsTwice, Seed, "two subscribers", "EVENTBUS-CLOSE-002", "a closed bus has no subscribers"},
	{bugEndCountsTwice, Seed, "two subscribers", "EVENTBUS-CLOSE-002", "close empties the set, and a second one does nothing"},
	{bugEndCountsTwice, Seed, "exits", "EVENTBUS-LIMIT-001", "no more subscribers than the limit"},
	{bugEndCountsTwice, Seed, "two subscribers", "EVENTBUS-SUBSCRIBE-007", "the count moves by one for each subscription that comes or goes"},
	{bugAbortAlways, Seed, "two subscribers", "EVENTBUS-EVICT-006", "an abort after the eviction changes nothing"},
	{bugAbortDrains, Seed, "cursors", "EVENTBUS-ABORT-003", "a signal that is aborted already gives a subscription that is over"},
	{bugAbortKeepsSlot, Seed, "cursors", "EVENTBUS-ABORT-003", "a signal that is aborted already gives a subscription that is over"},
	{bugTeardownTwice, Seed, "two subscribers", "EVENTBUS-SUBSCRIBE-007", "the count is that of the subscribers attached"},
	{bugAbortAll, Seed, "two subscribers", "EVENTBUS-SUBSCRIBE-006", "what one consumer does is nothing to another"},
	{bugReturnKeepsSlot, Seed, "two subscribers", "EVENTBUS-ABORT-005", "return frees the place and closes the queue"},
	{bugReturnDrops, Seed, "two subscribers", "EVENTBUS-ABORT-006", "return keeps what is buffered"},
	{bugCloseTwice, Seed, "two subscribers", "EVENTBUS-ID-002", "lastEventId is the highest id assigned"},
	{bugCloseSays, Seed, "two subscribers", "EVENTBUS-CLOSE-001", "close keeps what is buffered, adds nothing and ends what waits"},
	{bugCloseDrops, Seed, "two subscribers", "EVENTBUS-CLOSE-001", "close keeps what is buffered, adds nothing and ends what waits"},
	{bugCloseKeeps, Seed, "two subscribers", "EVENTBUS-ABORT-004", "what is over does not end again"},
	{bugPendingStays, Seed, "two subscribers", "EVENTBUS-ABORT-005", "return frees the place and closes the queue"},
	{bugForcedCounts, Seed, "two subscribers", "EVENTBUS-CONCURRENCY-003", "publish has an outcome whatever subscribers do"},
	{bugForcedInFront, Seed, "two subscribers", "EVENTBUS-REPLAY-002", "a cursor opens with one replay_complete behind all that it asks for"},
	{bugForcedInFront, Later, "budget", "EVENTBUS-REPLAY-011", "later: prefix, resync, replay_complete"},
	{bugForcedInFront, Seed, "two subscribers", "EVENTBUS-RESYNC-003", "at most one resync leads, as the first item"},
	{bugForcedInFront, Later, "cursors", "EVENTBUS-RESYNC-009", "later: the right epoch leaves the rule of numbers"},
	{bugSubscribeClosed, Seed, "two subscribers", "EVENTBUS-CLOSE-003", "a subscription to a closed bus is over and empty"},
	{bugClosedThrows, Seed, "two subscribers", "EVENTBUS-CLOSE-003", "a subscription to a closed bus is over and empty"},
	{bugLimitLate, Seed, "exits", "EVENTBUS-LIMIT-001", "subscribe throws if and only if the limit is reached"},
	{bugLimitWrong, Seed, "exits", "EVENTBUS-LIMIT-002", "the error carries the limit"},
	{bugLimitTakes, Seed, "exits", "EVENTBUS-LIMIT-003", "a subscription that is refused changes nothing"},
	{bugDefaultCap, Seed, "small caps", "EVENTBUS-SUBSCRIBE-004", "the default cap is 256 frames"},
	{bugRegistersLate, Seed, "two subscribers", "EVENTBUS-SUBSCRIBE-001", "a subscription is attached when subscribe returns"},
	{bugZeroIsNone, Later, "cursors", "EVENTBUS-RESYNC-008", "later: another epoch resets whatever the cursor"},
	{bugEpochIsCursor, Later, "cursors", "EVENTBUS-RESYNC-010", "later: an epoch without a cursor is nothing"},
	{bugEpochIsCursor, Later, "cursors", "EVENTBUS-SUBSCRIBE-002", "without a cursor nothing opens the stream"},
	{bugAlwaysReplays, Later, "cursors", "EVENTBUS-RESYNC-010", "later: an epoch without a cursor is nothing"},
	{bugAbortedStays, Seed, "cursors", "EVENTBUS-ABORT-003", "a signal that is aborted already gives a subscription that is over"},
	{bugReplayWarns, Seed, "two subscribers", "EVENTBUS-REPLAY-006", "replay counts for nothing and neither warns nor evicts"},
	{bugResyncExtra, Seed, "two subscribers", "EVENTBUS-RESYNC-002", "ring_evicted names the cursor and the first id of the ring"},
	{bugResyncTwice, Seed, "two subscribers", "EVENTBUS-RESYNC-003", "at most one resync leads, as the first item"},
	{bugResetKeepsCursor, Seed, "cursors", "EVENTBUS-RESYNC-007", "epoch_reset replays the whole ring"},
	{bugReplayInclusive, Seed, "two subscribers", "EVENTBUS-REPLAY-009", "a cursor that is up to date gets replay_complete alone"},
	{bugCompleteFirst, Seed, "two subscribers", "EVENTBUS-REPLAY-003", "replay_complete counts what was pushed and names the last of it"},
	{bugReplaySkips, Seed, "two subscribers", "EVENTBUS-REPLAY-001", "what is replayed is what is retained behind the cursor"},
	{bugBudgetInclusive, Later, "budget", "EVENTBUS-REPLAY-001", "what is replayed is what is retained behind the cursor"},
	{bugBudgetRefusesFirst, Later, "budget", "EVENTBUS-REPLAY-001", "what is replayed is what is retained behind the cursor"},
	{bugBudgetNone, Later, "budget", "EVENTBUS-SUBSCRIBE-003", "cursor 0 is a cursor"},
	{bugReplayIsLive, Seed, "octets", "EVENTBUS-QUEUE-004", "no more live octets than the cap, but for one event alone"},
	{bugCutSilent, Later, "budget", "EVENTBUS-RESYNC-011", "later: replay_budget_exceeded names the last event replayed and the first one not"},
	{bugCutCursor, Later, "budget", "EVENTBUS-RESYNC-011", "later: replay_budget_exceeded names the last event replayed and the first one not"},
	{bugCompleteDifference, Later, "cursors", "EVENTBUS-REPLAY-004", "an empty replay names no last event"},
	{bugCompleteAlwaysLast, Seed, "two subscribers", "EVENTBUS-REPLAY-004", "an empty replay names no last event"},
	{bugCompleteNever, Seed, "two subscribers", "EVENTBUS-RESYNC-004", "a resync ends nothing"},
	{bugCompleteUnlessEmpty, Seed, "two subscribers", "EVENTBUS-RESYNC-004", "a resync ends nothing"},
	{bugEpochIgnored, Later, "cursors", "EVENTBUS-RESYNC-008", "later: another epoch resets whatever the cursor"},
	{bugBeyondLate, Seed, "two subscribers", "EVENTBUS-RESYNC-005", "epoch_reset if and only if the cursor is beyond the last id"},
	{bugEpochTrusted, Later, "cursors", "EVENTBUS-RESYNC-005", "epoch_reset if and only if the cursor is beyond the last id"},
	{bugNoDetail, Later, "cursors", "EVENTBUS-RESYNC-008", "later: another epoch resets whatever the cursor"},
	{bugEarliestZero, Seed, "two subscribers", "EVENTBUS-RESYNC-006", "epoch_reset names the cursor and the first id of the ring, or the next id"},
	{bugSeededSilent, Later, "cursors", "EVENTBUS-RESYNC-012", "later: an empty ring behind the cursor is said"},
	{bugGapSilent, Seed, "two subscribers", "EVENTBUS-RESYNC-001", "ring_evicted if and only if the ring begins behind the event after the cursor"},
	{bugGapLate, Seed, "two subscribers", "EVENTBUS-RESYNC-001", "ring_evicted if and only if the ring begins behind the event after the cursor"},
	{bugGapNext, Seed, "two subscribers", "EVENTBUS-RESYNC-002", "ring_evicted names the cursor and the first id of the ring"},
	{bugGapEarly, Seed, "two subscribers", "EVENTBUS-RESYNC-001", "ring_evicted if and only if the ring begins behind the event after the cursor"},
}
