package fuzz

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
)

// EVENTBUS-SUBSCRIBE-005, EVENTBUS-REPLAY-010: bus and machine take the same limits.
func TestEventbusConfigs(t *testing.T) {
	const safe = 1<<53 - 1
	for field, set := range map[string]func(n int64, real *eventbus.Config, machine *eventbusmodel.BusConfig){
		"ring": func(n int64, real *eventbus.Config, m *eventbusmodel.BusConfig) {
			real.RingSize, m.RingSize = int(n), int(n)
		},
		"octets": func(n int64, real *eventbus.Config, m *eventbusmodel.BusConfig) {
			real.MaxQueuedBytes, m.MaxQueuedBytes = n, n
		},
		"budget": func(n int64, real *eventbus.Config, m *eventbusmodel.BusConfig) {
			real.ReplayBudgetBytes, m.ReplayBudgetBytes = n, n
		},
	} {
		for _, n := range []int64{-1 << 63, -1, 0, 1, eventbusmodel.MaxRingSize, eventbusmodel.MaxRingSize + 1, safe, safe + 1, 1<<63 - 1} {
			real, machine := eventbus.Config{Dialect: eventbus.Later}, eventbusmodel.BusConfig{Dialect: eventbusmodel.Later}
			set(n, &real, &machine)
			_, err := eventbus.New(real)
			if _, want := eventbusmodel.NewBus(machine); (err == nil) != (want == nil) {
				t.Errorf("%s %d: bus: %v, machine: %v", field, n, err, want)
			}
		}
	}
}

// EVENTBUS-RING-001, EVENTBUS-LIMIT-001, EVENTBUS-SUBSCRIBE-004, EVENTBUS-SUBSCRIBE-005, EVENTBUS-REPLAY-010: the limits that hold when none are given.
func TestEventbusDefaults(t *testing.T) {
	bus, err := eventbus.New(eventbus.Config{Dialect: eventbus.Later})
	if err != nil {
		t.Fatal(err)
	}
	machine, err := eventbusmodel.NewBus(eventbusmodel.BusConfig{Dialect: eventbusmodel.Later})
	if err != nil {
		t.Fatal(err)
	}
	got, want := bus.Config(), machine.Config()
	if got.RingSize != want.RingSize || got.MaxSubscribers != want.MaxSubscribers || got.MaxQueuedBytes != want.MaxQueuedBytes ||
		got.ReplayBudgetBytes != want.ReplayBudgetBytes || eventbus.DefaultMaxQueued != eventbusmodel.DefaultMaxQueued {
		t.Errorf("bus: %+v, machine: %+v", got, want)
	}
}

// TestEventbusLongRing takes a bus beyond its default ring and one subscriber to its default cap, with the machine counting beside it.
// EVENTBUS-RING-001, EVENTBUS-REPLAY-006, EVENTBUS-SUBSCRIBE-004
func TestEventbusLongRing(t *testing.T) {
	bus, err := eventbus.New(eventbus.Config{})
	if err != nil {
		t.Fatal(err)
	}
	slow, err := bus.Subscribe(noAbort, eventbus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range eventbusmodel.DefaultRingSize + 1 {
		bus.Publish(eventbus.Input{Type: "e"})
	}
	items := 0
	for e, ok := slow.TryNext(); ok; e, ok = slow.TryNext() {
		if items++; e.Type == eventbusmodel.TypeEvicted && items != eventbusmodel.DefaultMaxQueued+2 {
			t.Errorf("evicted at item %d", items)
		}
	}
	if items != eventbusmodel.DefaultMaxQueued+2 {
		t.Errorf("%d items, want 256 events, a warning and client_evicted", items)
	}
	resumed, err := bus.Subscribe(noAbort, eventbus.Options{After: eventbus.After(0), MaxQueued: 1})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for e, ok := resumed.TryNext(); ok; e, ok = resumed.TryNext() {
		if e.ID != 0 {
			ids = append(ids, e.ID)
		}
	}
	if len(ids) != eventbusmodel.DefaultRingSize || ids[0] != 2 || ids[len(ids)-1] != eventbusmodel.DefaultRingSize+1 {
		t.Errorf("%d events replayed, from %d to %d", len(ids), ids[0], ids[len(ids)-1])
	}
}
