package eventbus_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

// pair is a subscription of the bus and the one of the twin that must do the same.
type pair struct {
	real   *eventbus.Subscription
	twin   *twinSub
	cancel context.CancelFunc
	asks   []*string // what each Next in a goroutine returned, in call order; empty: parked
}

// collected returns what the asks got.
func (p *pair) collected() (all []string) {
	for _, a := range p.asks {
		if *a != "" {
			all = append(all, *a)
		}
	}
	return all
}

// outside keeps rapid from asking the test for its deadline, which it may not know inside a bubble.
type outside struct{ rapid.TB }

// machine drives a bus and its twin with the same calls.
type machine struct {
	bus   *eventbus.Bus
	twin  *twin
	now   int64
	pairs []*pair
	lines []string
}

func text(t *rapid.T, e *eventbus.Event) string {
	b, err := e.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := e.Size(); err != nil || n != len(b) {
		t.Fatalf("Size = %d, %v, of %d octets: %s", n, err, len(b), b)
	}
	return string(b)
}

func newMachine(t *rapid.T) *machine {
	m := &machine{now: 1719000000000}
	later := rapid.Bool().Draw(t, "later")
	c := eventbus.Config{
		RingSize:          rapid.IntRange(1, 12).Draw(t, "ring"),
		MaxSubscribers:    rapid.IntRange(1, 4).Draw(t, "subscribers"),
		MaxQueuedBytes:    int64(rapid.SampledFrom([]int{1, 90, 300, 500, 1000, 1 << 20}).Draw(t, "bytes")),
		ReplayBudgetBytes: int64(rapid.SampledFrom([]int{1, 200, 400, 1 << 20}).Draw(t, "budget")),
		Now:               func() time.Time { return time.UnixMilli(m.now) },
		Diagnose:          func(d eventbus.Diagnostic) { m.lines = append(m.lines, d.Kind+" "+d.Data.String()) },
	}
	if later {
		c.Dialect = eventbus.Later
	}
	bus, err := eventbus.New(c)
	if err != nil {
		t.Fatal(err)
	}
	m.bus = bus
	m.twin = &twin{
		later: later, ring: c.RingSize, maxSubs: c.MaxSubscribers, maxBytes: c.MaxQueuedBytes, budget: c.ReplayBudgetBytes,
		epoch: bus.Epoch(), next: 1,
	}
	return m
}

func (m *machine) publish(t *rapid.T) {
	m.now += int64(rapid.IntRange(0, 5).Draw(t, "later by"))
	var group []eventbus.Input
	together := rapid.Bool().Draw(t, "together")
	for range rapid.IntRange(1, 20).Draw(t, "burst") {
		data := quote(strings.Repeat(rapid.SampledFrom([]string{"x", "é", "\"", "\u2028", "😀", "<"}).Draw(t, "letter"),
			rapid.SampledFrom([]int{0, 1, 10, 100}).Draw(t, "length")))
		payload, err := eventbus.Raw([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		typ := rapid.SampledFrom([]string{"a", "session_update", "\t"}).Draw(t, "type")
		in := eventbus.Input{Type: typ, Data: payload}
		if rapid.Bool().Draw(t, "by value") {
			in = eventbus.Input{Type: typ, Value: payloadValue(payload)}
		}
		if together {
			group = append(group, in)
			m.twin.publish(typ, payload.String(), m.now)
			continue
		}
		e, ok := m.bus.Publish(in)
		id, want := m.twin.publish(typ, payload.String(), m.now)
		if ok != want || ok && e.ID != id {
			t.Fatalf("Publish = %v, %v, want id %d, %v", e, ok, id, want)
		}
	}
	if n, last := m.bus.PublishAll(group); !m.twin.closed && n != len(group) || n > 0 && last != m.twin.next-1 {
		t.Fatalf("PublishAll = %d, %d of %d", n, last, len(group))
	}
	synctest.Wait()
}

func payloadValue(p eventbus.Payload) any {
	var raw rawMessage = p.JSON()
	return raw
}

type rawMessage []byte

func (r rawMessage) MarshalJSON() ([]byte, error) { return r, nil }

func (m *machine) subscribe(t *rapid.T) {
	cursor := int64(rapid.IntRange(-1, 15).Draw(t, "cursor"))
	o := eventbus.Options{MaxQueued: rapid.IntRange(1, 9).Draw(t, "cap")}
	if cursor >= 0 {
		if rapid.Bool().Draw(t, "near the end") {
			cursor = max(0, m.bus.LastEventID()-cursor)
		}
		o.After = eventbus.After(cursor)
	}
	o.Epoch = rapid.SampledFrom([]string{"", m.bus.Epoch(), "other"}).Draw(t, "epoch")
	ctx, cancel := context.WithCancel(context.Background())
	s, err := m.bus.Subscribe(ctx, o)
	w := m.twin.subscribe(cursor, int64(o.MaxQueued), o.Epoch)
	if (err != nil) != (w == nil) {
		t.Fatalf("Subscribe failed with %v; the twin refuses: %v", err, w == nil)
	}
	if err != nil {
		cancel()
		return
	}
	m.pairs = append(m.pairs, &pair{real: s, twin: w, cancel: cancel})
}

func (m *machine) pick(t *rapid.T) *pair {
	if len(m.pairs) == 0 {
		t.Skip("no subscription")
	}
	return rapid.SampledFrom(m.pairs).Draw(t, "subscription")
}

func (m *machine) take(t *rapid.T) {
	p := m.pick(t)
	if p.twin.parked > 0 {
		t.Skip("parked")
	}
	for range rapid.IntRange(1, 10).Draw(t, "items") {
		got := ""
		e, ok := p.real.TryNext()
		if ok {
			got = text(t, e)
		} else if p.real.Ended() {
			got = "done"
		}
		if want := p.twin.take(); got != want {
			t.Fatalf("took %q, want %q", got, want)
		}
	}
}

func (m *machine) takeMany(t *rapid.T) {
	p := m.pick(t)
	if p.twin.parked > 0 {
		t.Skip("parked")
	}
	room := make([]*eventbus.Event, rapid.IntRange(0, 12).Draw(t, "room"))
	n := p.real.Take(room)
	for _, e := range room[:n] {
		if got, want := text(t, e), p.twin.take(); got != want {
			t.Fatalf("took %q, want %q", got, want)
		}
	}
	if n < len(room) {
		if want := p.twin.take(); want != "" && want != "done" {
			t.Fatalf("took %d, but there was %q", n, want)
		}
	}
}

// park asks once, in a goroutine of its own, and lets it wait if nothing is there.
func (m *machine) park(t *rapid.T) {
	p := m.pick(t)
	if p.twin.parked >= 3 {
		t.Skip("three are parked")
	}
	if want := p.twin.take(); want == "" {
		p.twin.parked++
	} else {
		p.twin.collected = append(p.twin.collected, want)
	}
	got := new(string)
	p.asks = append(p.asks, got)
	go func() {
		e, err := p.real.Next(context.Background())
		if err != nil {
			*got = "done"
			return
		}
		b, _ := e.AppendJSON(nil)
		*got = string(b)
	}()
	synctest.Wait()
}

func (m *machine) end(t *rapid.T) {
	p := m.pick(t)
	switch rapid.SampledFrom([]string{"abort", "cancel", "close"}).Draw(t, "how") {
	case "abort":
		p.real.Abort()
		p.twin.abort()
	case "cancel":
		p.cancel()
		p.twin.abort()
	default:
		p.real.Close()
		p.twin.leave()
	}
	synctest.Wait()
}

func (m *machine) seed(t *rapid.T) {
	n := rapid.IntRange(0, 3).Draw(t, "history")
	m.bus.Seed(make([]eventbus.Input, n))
	m.twin.seed(n)
}

func (m *machine) closeBus(t *rapid.T) {
	if rapid.IntRange(0, 9).Draw(t, "closes") > 0 {
		t.Skip("not now")
	}
	m.bus.Close()
	m.twin.close()
	synctest.Wait()
}

// check compares all that can be seen without taking anything.
func (m *machine) check(t *rapid.T) {
	n := m.bus.Snapshot()
	if n.LastEventID != m.twin.next-1 || m.bus.LastEventID() != n.LastEventID {
		t.Fatalf("last id %d, want %d", n.LastEventID, m.twin.next-1)
	}
	if m.bus.SubscriberCount() != len(m.twin.subs) || len(n.Subscribers) != len(m.twin.subs) {
		t.Fatalf("%d subscribers, want %d", m.bus.SubscriberCount(), len(m.twin.subs))
	}
	if !n.Closed && n.RingLen != len(m.twin.stored) {
		t.Fatalf("%d events in the ring, want %d", n.RingLen, len(m.twin.stored))
	}
	for i, w := range m.twin.subs {
		want := eventbus.SubscriberSnapshot{
			ID: n.Subscribers[i].ID, Live: int(w.live), LiveBytes: w.bytes, Buffered: len(w.buf), Waiting: w.parked > 0,
			Warned: w.warned, MaxQueued: int(w.max),
		}
		if n.Subscribers[i] != want {
			t.Fatalf("subscriber %+v, want %+v", n.Subscribers[i], want)
		}
	}
	for _, p := range m.pairs {
		if !slices.Equal(p.collected(), p.twin.collected) {
			t.Fatalf("parked asks got %q, want %q", p.collected(), p.twin.collected)
		}
		if got, want := p.real.Ended(), p.twin.closed && len(p.twin.buf) == 0; got != want {
			t.Fatalf("Ended = %v, want %v", got, want)
		}
		if got, want := p.real.Waiting(), p.twin.parked > 0; got != want {
			t.Fatalf("Waiting = %v, want %v", got, want)
		}
	}
	// One publication may evict several subscribers, in no particular order.
	got, want := slices.Sorted(slices.Values(m.lines)), slices.Sorted(slices.Values(m.twin.diagnostics))
	if !slices.Equal(got, want) {
		t.Fatalf("diagnostics %q, want %q", got, want)
	}
}

// TestTwin compares the bus with plain lists and sums, under random calls: all laws of the ring, of replay and resync, of the
// queue, of warnings, eviction, abort, close and the subscriber limit.
//
// EVENTBUS-ID-001 EVENTBUS-ID-002 EVENTBUS-ID-005 EVENTBUS-RING-001 EVENTBUS-RING-003 EVENTBUS-RING-004 EVENTBUS-RING-006
// EVENTBUS-PUBLISH-006 EVENTBUS-SUBSCRIBE-006 EVENTBUS-SUBSCRIBE-007 EVENTBUS-REPLAY-001 EVENTBUS-REPLAY-006
// EVENTBUS-REPLAY-007 EVENTBUS-REPLAY-008 EVENTBUS-QUEUE-002 EVENTBUS-QUEUE-007 EVENTBUS-QUEUE-008 EVENTBUS-QUEUE-010
// EVENTBUS-WARN-003 EVENTBUS-WARN-005 EVENTBUS-WARN-010 EVENTBUS-ABORT-004 EVENTBUS-CONCURRENCY-001
func TestTwin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(outside{t}, func(t *rapid.T) {
			m := newMachine(t)
			defer func() {
				m.bus.Close()
				for _, p := range m.pairs {
					p.cancel()
				}
				synctest.Wait()
			}()
			t.Repeat(map[string]func(*rapid.T){
				"":          m.check,
				"publish":   m.publish,
				"publish2":  m.publish,
				"subscribe": m.subscribe,
				"take":      m.take,
				"takeMany":  m.takeMany,
				"park":      m.park,
				"end":       m.end,
				"seed":      m.seed,
				"close":     m.closeBus,
			})
		})
	})
}
