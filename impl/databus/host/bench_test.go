package host

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// One reconcile of a process among eight that subscribe fifty topics: what a heartbeat and each nudge cost.
func BenchmarkReconcile(b *testing.B) {
	dir, server := b.TempDir(), &databus.Server{}
	var one *databus.Bus
	var poke func()
	for i := range 8 {
		h, err := Open(Config{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = h.Close(b.Context()) }()
		bus, err := h.New(databus.Config{
			Transport: server.Line(), ClusterKey: "k", TabID: fmt.Sprint("t", i), Rules: cluster.Fenced(), Heartbeat: 3_600_000, TTL: 7_200_000,
		})
		if err != nil {
			b.Fatal(err)
		}
		if err := bus.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		for k := range 50 {
			if _, err := bus.Subscribe(fmt.Sprint("topic ", k), func(string, json.RawMessage) {}); err != nil {
				b.Fatal(err)
			}
		}
		if one == nil {
			one = bus
			for c := range h.channels {
				poke = func() { c.receive(signal.Registry{SourceWorkerID: "w"}) }
			}
		}
	}
	b.ResetTimer()
	for b.Loop() {
		poke()
	}
	b.StopTimer()
	if s := one.Snapshot(); len(s.Workers) != 8 || len(s.Routes) != 50 {
		b.Fatalf("%d workers, %d routes", len(s.Workers), len(s.Routes))
	}
}

// One write and one read of a record.
func BenchmarkStorage(b *testing.B) {
	h, err := Open(Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = h.Close(b.Context()) }()
	w := record.Worker{WorkerID: "w", TabID: "t", Role: record.Active, Status: record.Connected, Visibility: record.Visible}
	value := w.Encode()
	b.Run("set", func(b *testing.B) {
		for b.Loop() {
			if err := h.storage.Set("k", value); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := h.storage.Get("k"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
