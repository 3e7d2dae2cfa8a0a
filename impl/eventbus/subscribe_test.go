package eventbus_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

func TestRing(t *testing.T) { // EVENTBUS-RING-001 EVENTBUS-RING-002 EVENTBUS-REPLAY-003
	for _, c := range []struct{ size, published int }{{1, 1}, {1, 2}, {3, 3}, {3, 4}, {3, 5}, {64, 1000}, {0, 8000}, {0, 8001}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			b := newBus(t, eventbus.Config{RingSize: c.size})
			publish(t, b, c.published)
			size := b.Config().RingSize
			first, lead := max(1, c.published-size+1), ""
			if first > 1 {
				lead = resync("ring_evicted", 0, int64(first))
			}
			same(t, "resumed from 0", drain(t, subscribe(t, b, eventbus.Options{After: eventbus.After(0)})),
				words(lead, ring(first, c.published), complete(c.published-first+1, c.published)))
			n := b.Snapshot()
			same(t, "ring", fmt.Sprint(n.RingFirst, n.RingLast, n.RingLen), fmt.Sprint(first, c.published, c.published-first+1))
		})
	}
}

// Frames made for one subscription are nobody else's, and take no id.
func TestSyntheticFramesArePrivate(t *testing.T) { // EVENTBUS-RING-003 EVENTBUS-RING-004 EVENTBUS-ID-004 EVENTBUS-ID-005 EVENTBUS-WARN-010
	b := newBus(t, eventbus.Config{RingSize: 5})
	slow, healthy := subscribe(t, b, eventbus.Options{MaxQueued: 2}), subscribe(t, b, eventbus.Options{})
	publish(t, b, 3)
	subscribe(t, b, eventbus.Options{After: eventbus.After(99)})
	publish(t, b, 1)
	same(t, "healthy", drain(t, healthy), "1 2 3 4")
	same(t, "slow", types(t, slow), "1 2 slow_client_warning client_evicted done")
	again := subscribe(t, b, eventbus.Options{After: eventbus.After(2)})
	same(t, "replay", drain(t, again), words("3 4", complete(2, 4)))
	for s := subscribe(t, b, eventbus.Options{After: eventbus.After(99)}); ; {
		e, ok := s.TryNext()
		if !ok {
			break
		}
		if text := text1(t, e); e.Synthetic() && (strings.Contains(text, `"id"`) || strings.Contains(text, "_meta")) {
			t.Errorf("synthetic frame %s", text)
		}
	}
}

func TestReplay(t *testing.T) {
	// EVENTBUS-REPLAY-001 EVENTBUS-REPLAY-002 EVENTBUS-REPLAY-004 EVENTBUS-REPLAY-005 EVENTBUS-REPLAY-009
	// EVENTBUS-RESYNC-001 EVENTBUS-RESYNC-002 EVENTBUS-RESYNC-003 EVENTBUS-RESYNC-005 EVENTBUS-RESYNC-006
	// EVENTBUS-RESYNC-007 EVENTBUS-SUBSCRIBE-002 EVENTBUS-SUBSCRIBE-003
	const far = 1<<53 - 1
	for _, c := range []struct {
		size, published int
		after           eventbus.Cursor
		want            string
	}{
		{3, 0, eventbus.Cursor{}, ""},
		{3, 5, eventbus.Cursor{}, ""},
		{3, 0, eventbus.After(0), complete(0, 0)},
		{3, 0, eventbus.After(1), words(resync("epoch_reset", 1, 1), complete(0, 0))},
		{3, 0, eventbus.After(7), words(resync("epoch_reset", 7, 1), complete(0, 0))},
		{9, 3, eventbus.After(0), words("1 2 3", complete(3, 3))},
		{9, 3, eventbus.After(2), words("3", complete(1, 3))},
		{9, 3, eventbus.After(3), complete(0, 0)},
		{9, 3, eventbus.After(4), words(resync("epoch_reset", 4, 1), "1 2 3", complete(3, 3))},
		{9, 3, eventbus.After(far), words(resync("epoch_reset", far, 1), "1 2 3", complete(3, 3))},
		{3, 5, eventbus.After(0), words(resync("ring_evicted", 0, 3), "3 4 5", complete(3, 5))},
		{3, 5, eventbus.After(1), words(resync("ring_evicted", 1, 3), "3 4 5", complete(3, 5))},
		{3, 5, eventbus.After(2), words("3 4 5", complete(3, 5))},
		{3, 5, eventbus.After(5), complete(0, 0)},
		{3, 5, eventbus.After(99), words(resync("epoch_reset", 99, 3), "3 4 5", complete(3, 5))},
		{3, 5, eventbus.After(-1 << 63), words(resync("ring_evicted", -1<<63, 3), "3 4 5", complete(3, 5))},
		{3, 5, eventbus.After(1<<63 - 1), words(resync("epoch_reset", 1<<63-1, 3), "3 4 5", complete(3, 5))},
	} {
		inBoth(t, func(t *testing.T, d eventbus.Dialect) {
			b := newBus(t, eventbus.Config{Dialect: d, RingSize: c.size})
			publish(t, b, c.published)
			s := subscribe(t, b, eventbus.Options{After: c.after, MaxQueued: 1})
			// EVENTBUS-RESYNC-004 EVENTBUS-SUBSCRIBE-001: what comes later follows.
			publish(t, b, 1)
			want := words(c.want, fmt.Sprint(c.published+1))
			got := strings.TrimSuffix(types(t, s), " slow_client_warning")
			same(t, "types", got, typesOf(want))
			b = newBus(t, eventbus.Config{Dialect: d, RingSize: c.size})
			publish(t, b, c.published)
			same(t, "frames", drain(t, subscribe(t, b, eventbus.Options{After: c.after})), c.want)
		})
	}
}

func typesOf(frames string) string {
	var all []string
	for _, f := range strings.Fields(frames) {
		name, _, _ := strings.Cut(f, "{")
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func TestReplayIsNotCounted(t *testing.T) { // EVENTBUS-REPLAY-006 EVENTBUS-REPLAY-007 EVENTBUS-QUEUE-002
	b := newBus(t, eventbus.Config{MaxQueuedBytes: 1 << 20})
	publish(t, b, 500)
	same(t, "replay", drain(t, subscribe(t, b, eventbus.Options{After: eventbus.After(0), MaxQueued: 2})), words(ring(1, 500), complete(500, 500)))
	s := subscribe(t, b, eventbus.Options{After: eventbus.After(495), MaxQueued: 2})
	publish(t, b, 3)
	same(t, "full behind a replay", types(t, s),
		"496 497 498 499 500 replay_complete 501 502 slow_client_warning client_evicted done")
	// Draining the replay gives nothing back.
	s = subscribe(t, b, eventbus.Options{After: eventbus.After(500), MaxQueued: 2})
	publish(t, b, 2)
	same(t, "replay", take(t, s, 3), "501 502 503")
	publish(t, b, 1)
	same(t, "evicted", typesOf(drain(t, s)), "replay_complete 504 505 slow_client_warning client_evicted done")
}

func TestReplayBudget(t *testing.T) { // EVENTBUS-REPLAY-010 EVENTBUS-REPLAY-011 EVENTBUS-RESYNC-011
	for _, c := range []struct {
		budget int64
		frames int
	}{{1, 1}, {sizeOf1, 1}, {2*sizeOf1 - 1, 1}, {2 * sizeOf1, 2}, {3*sizeOf1 - 1, 2}, {3 * sizeOf1, 3}, {0, 3}} {
		b := newBus(t, eventbus.Config{Dialect: eventbus.Later, ReplayBudgetBytes: c.budget})
		publish(t, b, 3)
		cut := ""
		if c.frames < 3 {
			cut = resync("replay_budget_exceeded", int64(c.frames), int64(c.frames)+1)
		}
		s := subscribe(t, b, eventbus.Options{After: eventbus.After(0)})
		publish(t, b, 1)
		same(t, fmt.Sprintf("budget %d", c.budget), drain(t, s), words(ring(1, c.frames), cut, complete(c.frames, c.frames), "4"))
	}
	b := newBus(t, eventbus.Config{Dialect: eventbus.Later, ReplayBudgetBytes: 2 * sizeOf1, RingSize: 3})
	publish(t, b, 5)
	s := subscribe(t, b, eventbus.Options{After: eventbus.After(0)})
	same(t, "buffered", b.Snapshot().Subscribers[0].Buffered, 5)
	same(t, "behind a gap", drain(t, s), words(resync("ring_evicted", 0, 3), "3 4", resync("replay_budget_exceeded", 4, 5), complete(2, 4)))
	// The seed dialect has no budget.
	b = newBus(t, eventbus.Config{ReplayBudgetBytes: 1})
	publish(t, b, 3)
	same(t, "seed", drain(t, subscribe(t, b, eventbus.Options{After: eventbus.After(0)})), words("1 2 3", complete(3, 3)))
}

func TestEpochResume(t *testing.T) { // EVENTBUS-RESYNC-008 EVENTBUS-RESYNC-009 EVENTBUS-RESYNC-010
	b := newBus(t, eventbus.Config{Dialect: eventbus.Later})
	publish(t, b, 3)
	mismatch := func(cursor int64) string {
		return strings.Replace(resync("epoch_reset", cursor, 1), `reset",`, `reset","detail":"epoch_mismatch",`, 1)
	}
	all := words("1 2 3", complete(3, 3))
	for _, c := range []struct {
		after eventbus.Cursor
		epoch string
		want  string
	}{
		{eventbus.After(2), b.Epoch(), words("3", complete(1, 3))},
		{eventbus.After(2), "", words("3", complete(1, 3))},
		{eventbus.After(2), "other", words(mismatch(2), all)},
		{eventbus.After(2), strings.ToUpper(b.Epoch()), words(mismatch(2), all)},
		{eventbus.After(9), b.Epoch(), words(resync("epoch_reset", 9, 1), all)},
		{eventbus.After(9), "", words(resync("epoch_reset", 9, 1), all)},
		{eventbus.After(9), "other", words(mismatch(9), all)},
		{eventbus.Cursor{}, "zzz", ""},
	} {
		same(t, fmt.Sprint(c.after, c.epoch), drain(t, subscribe(t, b, eventbus.Options{After: c.after, Epoch: c.epoch})), c.want)
	}
	seed := newBus(t, eventbus.Config{})
	publish(t, seed, 3)
	same(t, "seed", drain(t, subscribe(t, seed, eventbus.Options{After: eventbus.After(2), Epoch: "other"})), words("3", complete(1, 3)))
}

func TestSeededHistoryIsNotInTheRing(t *testing.T) { // EVENTBUS-RESYNC-012 EVENTBUS-RING-006
	b := newBus(t, eventbus.Config{Dialect: eventbus.Later})
	publish(t, b, 2)
	b.Seed(make([]eventbus.Input, 2))
	for _, c := range []struct {
		cursor int64
		want   string
	}{
		{0, words(resync("seeded_replay_not_in_ring", 0, 5), complete(0, 0))},
		{3, words(resync("seeded_replay_not_in_ring", 3, 5), complete(0, 0))},
		{4, complete(0, 0)},
		{5, words(resync("epoch_reset", 5, 5), complete(0, 0))},
	} {
		same(t, fmt.Sprint("cursor ", c.cursor), drain(t, subscribe(t, b, eventbus.Options{After: eventbus.After(c.cursor)})), c.want)
	}
	publish(t, b, 1)
	same(t, "behind an event", drain(t, subscribe(t, b, eventbus.Options{After: eventbus.After(0)})),
		words(resync("ring_evicted", 0, 5), "5", complete(1, 5)))
	same(t, "up to date", drain(t, subscribe(t, b, eventbus.Options{After: eventbus.After(4)})), words("5", complete(1, 5)))
}

func TestOwnQueue(t *testing.T) { // EVENTBUS-SUBSCRIBE-006
	b := newBus(t, eventbus.Config{})
	a, c := subscribe(t, b, eventbus.Options{}), subscribe(t, b, eventbus.Options{})
	publish(t, b, 5)
	same(t, "one", drain(t, a), "1 2 3 4 5")
	same(t, "other", drain(t, c), "1 2 3 4 5")
}

func TestLimit(t *testing.T) { // EVENTBUS-LIMIT-001 EVENTBUS-LIMIT-002 EVENTBUS-LIMIT-003
	b := newBus(t, eventbus.Config{})
	for range 64 {
		subscribe(t, b, eventbus.Options{})
	}
	_, err := b.Subscribe(t.Context(), eventbus.Options{})
	var limit *eventbus.SubscriberLimitError
	if !errors.As(err, &limit) || limit.Limit != 64 || err.Error() != "EventBus subscriber limit reached (64)" {
		t.Errorf("the 65th failed with %v", err)
	}
	b = newBus(t, eventbus.Config{MaxSubscribers: 1})
	for _, leave := range []func(*eventbus.Subscription){
		(*eventbus.Subscription).Abort,
		(*eventbus.Subscription).Close,
		func(*eventbus.Subscription) { publish(t, b, 2) },
	} {
		s := subscribe(t, b, eventbus.Options{MaxQueued: 1})
		if _, err := b.Subscribe(t.Context(), eventbus.Options{After: eventbus.After(0)}); err == nil {
			t.Fatal("two subscribers")
		}
		before := b.LastEventID()
		publish(t, b, 1)
		same(t, "first", typesOf(drain(t, s)), fmt.Sprint(before+1, " slow_client_warning"))
		leave(s)
		same(t, "count", b.SubscriberCount(), 0)
	}
}

func TestConfig(t *testing.T) { // EVENTBUS-RING-005 EVENTBUS-SUBSCRIBE-005 EVENTBUS-REPLAY-010
	for _, c := range []struct {
		config eventbus.Config
		field  string
	}{
		{eventbus.Config{}, ""},
		{eventbus.Config{RingSize: 1, MaxSubscribers: 1, MaxQueuedBytes: 1, ReplayBudgetBytes: 1}, ""},
		{eventbus.Config{RingSize: 1_000_000, MaxQueuedBytes: 1<<53 - 1, ReplayBudgetBytes: 1<<53 - 1}, ""},
		{eventbus.Config{Dialect: 2}, "Dialect"},
		{eventbus.Config{Dialect: -1}, "Dialect"},
		{eventbus.Config{RingSize: -1}, "RingSize"},
		{eventbus.Config{RingSize: 1_000_001}, "RingSize"},
		{eventbus.Config{MaxSubscribers: -1}, "MaxSubscribers"},
		{eventbus.Config{MaxQueuedBytes: -1}, "MaxQueuedBytes"},
		{eventbus.Config{MaxQueuedBytes: 1 << 53}, "MaxQueuedBytes"},
		{eventbus.Config{ReplayBudgetBytes: -5}, "ReplayBudgetBytes"},
		{eventbus.Config{ReplayBudgetBytes: 1 << 53}, "ReplayBudgetBytes"},
	} {
		_, err := eventbus.New(c.config)
		var bad *eventbus.ConfigError
		switch {
		case c.field == "":
			if err != nil {
				t.Errorf("%+v: %v", c.config, err)
			}
		case !errors.As(err, &bad) || bad.Field != c.field || !strings.Contains(err.Error(), fmt.Sprint(bad.Found)):
			t.Errorf("%+v: %v, want a ConfigError of %s", c.config, err, c.field)
		}
	}
	c := newBus(t, eventbus.Config{}).Config()
	same(t, "defaults", fmt.Sprint(c.RingSize, c.MaxSubscribers, c.MaxQueuedBytes, c.ReplayBudgetBytes), "8000 64 2097152 8388608")
	var bad *eventbus.ConfigError
	if _, err := newBus(t, eventbus.Config{}).Subscribe(t.Context(), eventbus.Options{MaxQueued: -1}); !errors.As(err, &bad) || bad.Field != "MaxQueued" {
		t.Errorf("MaxQueued -1: %v", err)
	}
	for _, d := range both {
		if got, err := eventbus.ParseDialect(d.String()); got != d || err != nil {
			t.Errorf("ParseDialect(%v) = %v, %v", d, got, err)
		}
	}
	if _, err := eventbus.ParseDialect("x"); err == nil || eventbus.Dialect(7).String() != "Dialect(7)" {
		t.Error("a dialect x")
	}
}
