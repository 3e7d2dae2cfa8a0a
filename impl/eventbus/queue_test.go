package eventbus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

func warning(size, maxQueued, last int64) string {
	return fmt.Sprintf(`slow_client_warning{"queueSize":%d,"maxQueued":%d,"lastEventId":%d}`, size, maxQueued, last)
}

func evicted(reason string, dropped, size, maxQueued, bytes, maxBytes, event int64) string {
	s := fmt.Sprintf(`client_evicted{"reason":"%s","droppedAfter":%d,"queueSize":%d,"maxQueued":%d,"queuedBytes":%d,"maxQueuedBytes":%d`,
		reason, dropped, size, maxQueued, bytes, maxBytes)
	if reason == "queue_bytes_overflow" {
		s += fmt.Sprintf(`,"eventBytes":%d`, event)
	}
	return s + "}"
}

func TestFrameCap(t *testing.T) {
	// EVENTBUS-QUEUE-001 EVENTBUS-WARN-001 EVENTBUS-WARN-003 EVENTBUS-WARN-007 EVENTBUS-WARN-008 EVENTBUS-WARN-011
	// EVENTBUS-EVICT-001 EVENTBUS-EVICT-002 EVENTBUS-EVICT-003 EVENTBUS-EVICT-004 EVENTBUS-EVICT-005 EVENTBUS-SUBSCRIBE-004
	for _, c := range []struct{ maxQueued, warnAt int }{
		{1, 1}, {2, 2}, {3, 3}, {4, 3}, {5, 4}, {7, 6}, {8, 6}, {16, 12}, {17, 13}, {100, 75}, {256, 192}, {0, 192},
	} {
		t.Run(fmt.Sprint(c.maxQueued), func(t *testing.T) {
			b := newBus(t, eventbus.Config{})
			s := subscribe(t, b, eventbus.Options{MaxQueued: c.maxQueued})
			limit := c.maxQueued
			if limit == 0 {
				limit = eventbus.DefaultMaxQueued
			}
			publish(t, b, limit)
			same(t, "count", b.SubscriberCount(), 1)
			bytes := b.Snapshot().Subscribers[0].LiveBytes
			publish(t, b, 1)
			same(t, "count", b.SubscriberCount(), 0)
			publish(t, b, 1)
			same(t, "frames", drain(t, s), words(ring(1, c.warnAt), warning(int64(c.warnAt), int64(limit), int64(c.warnAt)), ring(c.warnAt+1, limit),
				evicted("queue_overflow", int64(limit)+1, int64(limit), int64(limit), bytes, 2<<20, 0), "done"))
			same(t, "frames", drain(t, s), "done")
		})
	}
}

func TestByteCap(t *testing.T) { // EVENTBUS-QUEUE-004 EVENTBUS-QUEUE-006 EVENTBUS-WARN-002 EVENTBUS-EVICT-003
	const s = sizeOf1
	for _, c := range []struct {
		maxBytes  int64
		maxQueued int
		published int
		want      string
	}{
		{4 * s, 100, 4, words("1 2 3", warning(3, 100, 3), "4")},
		{4*s - 1, 100, 4, words("1 2 3", warning(3, 100, 3), evicted("queue_bytes_overflow", 4, 3, 100, 3*s, 4*s-1, s), "done")},
		{4*s + 1, 100, 3, words("1 2 3")},
		{4*s + 1, 100, 4, words("1 2 3 4", warning(4, 100, 4))},
		{2 * s, 2, 3, words("1 2", warning(2, 2, 2), evicted("queue_overflow", 3, 2, 2, 2*s, 2*s, 0), "done")},
		{1, 100, 2, words("1", warning(1, 100, 1), evicted("queue_bytes_overflow", 2, 1, 100, s, 1, s), "done")},
		// EVENTBUS-WARN-003: the other dimension later is no second warning.
		{5 * s, 4, 4, words("1 2 3", warning(3, 4, 3), "4")},
	} {
		b := newBus(t, eventbus.Config{MaxQueuedBytes: c.maxBytes})
		sub := subscribe(t, b, eventbus.Options{MaxQueued: c.maxQueued})
		publish(t, b, c.published)
		same(t, fmt.Sprintf("%+v", c), drain(t, sub), c.want)
	}
}

// Take gives what is there and no more, also from a run of events that is not full.
func TestTake(t *testing.T) {
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{})
	dst := make([]*eventbus.Event, 10)
	for round := range int64(20) {
		publish(t, b, 3)
		same(t, "first", take(t, s, 1), fmt.Sprint(3*round+1))
		same(t, "rest", s.Take(dst), 2)
		same(t, "ids", fmt.Sprint(dst[0].ID, dst[1].ID), fmt.Sprint(3*round+2, 3*round+3))
		same(t, "none", s.Take(dst), 0)
	}
	publish(t, b, 12)
	same(t, "as much as there is room for", s.Take(dst), 10)
	same(t, "left", drain(t, s), ring(71, 72))
}

func TestOversizedEvent(t *testing.T) { // EVENTBUS-QUEUE-005
	b := newBus(t, eventbus.Config{MaxQueuedBytes: 10})
	publish(t, b, 3)
	s := subscribe(t, b, eventbus.Options{After: eventbus.After(0)})
	publish(t, b, 2)
	same(t, "behind a replay", drain(t, s), words("1 2 3", complete(3, 3), "4", warning(1, 256, 4),
		evicted("queue_bytes_overflow", 5, 1, 256, sizeOf1, 10, sizeOf1), "done"))
	s = subscribe(t, b, eventbus.Options{})
	for id := 6; id < 9; id++ {
		publish(t, b, 1)
		// EVENTBUS-WARN-006: an event of more than the line never ends the episode.
		same(t, "one at a time", typesOf(drain(t, s)), words(fmt.Sprint(id), map[bool]string{true: "slow_client_warning"}[id == 6]))
	}
}

func TestEvictionWithoutWarning(t *testing.T) { // EVENTBUS-WARN-012
	b := newBus(t, eventbus.Config{MaxQueuedBytes: 1000})
	s := subscribe(t, b, eventbus.Options{})
	b.Publish(eventbus.Input{Type: "e", Data: raw(t, `"`+strings.Repeat("x", 600)+`"`)})
	b.Publish(eventbus.Input{Type: "e", Data: raw(t, `"`+strings.Repeat("x", 400)+`"`)})
	same(t, "frames", types(t, s), "1 client_evicted done")
}

func TestThreshold(t *testing.T) { // EVENTBUS-WARN-009
	const s = sizeOf1
	for _, c := range []struct {
		maxQueued int
		maxBytes  int64
		size      int64
		want      string
	}{
		{4, 100 * s, 3, "frames"},
		{100, 4 * s, 3, "bytes"},
		{4, 4 * s, 3, "frames_and_bytes"},
	} {
		b := newBus(t, eventbus.Config{Dialect: eventbus.Later, MaxQueuedBytes: c.maxBytes})
		sub := subscribe(t, b, eventbus.Options{MaxQueued: c.maxQueued})
		publish(t, b, 3)
		want := fmt.Sprintf(`{"queueSize":3,"maxQueued":%d,"lastEventId":3,"queuedBytes":%d,"maxQueuedBytes":%d,"threshold":"%s"}`,
			c.maxQueued, 3*s, c.maxBytes, c.want)
		same(t, c.want, drain(t, sub), "1 2 3 slow_client_warning"+want)
	}
}

func TestRearm(t *testing.T) { // EVENTBUS-WARN-004 EVENTBUS-WARN-005
	for _, c := range []struct {
		left     int
		warnings int
	}{{1, 1}, {2, 1}, {3, 0}, {4, 0}} {
		b := newBus(t, eventbus.Config{})
		s := subscribe(t, b, eventbus.Options{MaxQueued: 8})
		publish(t, b, 6)
		take(t, s, 6-c.left) // the warning is behind them
		publish(t, b, 1)
		publish(t, b, 8-c.left-1)
		same(t, fmt.Sprintf("warnings after %d were left", c.left), strings.Count(types(t, s), "slow_client_warning")-1, c.warnings)
	}
	// Frames alone do not re-arm while octets are above the line.
	b := newBus(t, eventbus.Config{MaxQueuedBytes: 1000})
	s := subscribe(t, b, eventbus.Options{MaxQueued: 8})
	publish(t, b, 5)
	b.Publish(eventbus.Input{Type: "e", Data: raw(t, `"`+strings.Repeat("x", 400)+`"`)}) // warns by frames and octets
	take(t, s, 5)
	publish(t, b, 1)
	same(t, "warned", b.Snapshot().Subscribers[0].Warned, true)
	publish(t, b, 4)
	same(t, "frames", types(t, s), "6 slow_client_warning 7 8 9 10 11")
}

func TestSmallCapsRearm(t *testing.T) { // EVENTBUS-WARN-006
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{MaxQueued: 2})
	publish(t, b, 2)
	same(t, "first", types(t, s), "1 2 slow_client_warning")
	publish(t, b, 2)
	same(t, "second", types(t, s), "3 4")
	a := ask(t, s)
	publish(t, b, 1)
	same(t, "direct", a.wait(t).ID, 5)
	publish(t, b, 2)
	same(t, "third", types(t, s), "6 7 slow_client_warning")
}

func TestDirectDelivery(t *testing.T) { // EVENTBUS-QUEUE-003
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{MaxQueued: 1})
	a := ask(t, s)
	same(t, "waiting", s.Waiting(), true)
	publish(t, b, 3)
	same(t, "direct", a.wait(t).ID, 1)
	same(t, "rest", drain(t, s), words("2", warning(1, 1, 2), evicted("queue_overflow", 3, 1, 1, sizeOf1, 2<<20, 0), "done"))
}

func TestServedInCallOrder(t *testing.T) { // EVENTBUS-CONCURRENCY-001
	b := newBus(t, eventbus.Config{})
	s := subscribe(t, b, eventbus.Options{})
	first, second, third := ask(t, s), ask(t, s), ask(t, s)
	b.PublishAll(make([]eventbus.Input, 2))
	same(t, "first", first.wait(t).ID, 1)
	same(t, "second", second.wait(t).ID, 2)
	s.Close()
	third.wait(t)
	same(t, "third", third.err, eventbus.ErrEnded)
}

func TestEvictionKeepsTheRest(t *testing.T) { // EVENTBUS-EVICT-006 EVENTBUS-EVICT-007 EVENTBUS-RING-004 EVENTBUS-QUEUE-011
	b := newBus(t, eventbus.Config{MaxSubscribers: 1, RingSize: 2})
	s := subscribe(t, b, eventbus.Options{MaxQueued: 2})
	publish(t, b, 3)
	again := subscribe(t, b, eventbus.Options{After: eventbus.After(2)})
	publish(t, b, 200)
	s.Abort()
	s.Close()
	same(t, "evicted", types(t, s), "1 2 slow_client_warning client_evicted done")
	same(t, "again", take(t, again, 2), words("3", complete(1, 3)))
}

func TestDiagnostics(t *testing.T) { // EVENTBUS-EVICT-008
	for _, c := range []struct {
		name  string
		taken func() bool
		lines int
	}{
		{"true", func() bool { return true }, 0},
		{"false", func() bool { return false }, 2},
		{"panic", func() bool { panic("no") }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lines, told []string
			b := newBus(t, eventbus.Config{Dialect: eventbus.Later, Diagnose: func(d eventbus.Diagnostic) {
				lines = append(lines, d.Line())
				panic("must be ignored")
			}})
			s := subscribe(t, b, eventbus.Options{MaxQueued: 1, Diagnose: func(d eventbus.Diagnostic) bool {
				told = append(told, d.Kind+" "+d.Data.String())
				return c.taken()
			}})
			publish(t, b, 2)
			eviction := evicted("queue_overflow", 2, 1, 1, sizeOf1, 2<<20, 0)
			warning := fmt.Sprintf(`{"queueSize":1,"maxQueued":1,"lastEventId":1,"queuedBytes":%d,"maxQueuedBytes":2097152,"threshold":"frames"}`, sizeOf1)
			same(t, "frames", drain(t, s), words("1", "slow_client_warning"+warning, eviction, "done"))
			data := strings.TrimPrefix(eviction, "client_evicted")
			extra := fmt.Sprintf(`,"triggerEventType":"e","triggerEventBytes":%d}`, sizeOf1)
			same(t, "told", strings.Join(told, "\n"), "slow_client_warning "+strings.TrimSuffix(warning, "}")+extra+
				"\nsubscriber evicted "+strings.TrimSuffix(data, "}")+extra)
			want := []string{"EventBus slow_client_warning " + warning, "EventBus subscriber evicted " + data}
			same(t, "lines", strings.Join(lines, "\n"), strings.Join(want[:c.lines], "\n"))
		})
	}
}

// A subscription is told its diagnostics even if the bus has nobody else to tell.
func TestDiagnosticsOfASubscriptionAlone(t *testing.T) { // EVENTBUS-EVICT-008
	var told []string
	b := newBus(t, eventbus.Config{Dialect: eventbus.Later})
	subscribe(t, b, eventbus.Options{MaxQueued: 1, Diagnose: func(d eventbus.Diagnostic) bool {
		told = append(told, d.Kind)
		return false
	}})
	publish(t, b, 2)
	same(t, "told", strings.Join(told, ", "), "slow_client_warning, subscriber evicted")
}

// A diagnostic may use the bus, and what it causes is told after it.
func TestDiagnosticsUseTheBus(t *testing.T) { // EVENTBUS-PUBLISH-003
	var b *eventbus.Bus
	var lines []string
	b = newBus(t, eventbus.Config{Diagnose: func(d eventbus.Diagnostic) {
		lines = append(lines, d.Kind)
		if len(lines) < 4 {
			publish(t, b, 1)
		}
		lines = append(lines, "end")
	}})
	subscribe(t, b, eventbus.Options{MaxQueued: 1})
	publish(t, b, 1)
	same(t, "diagnostics", strings.Join(lines, ", "), "slow_client_warning, end, subscriber evicted, end")
}
