package cluster

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// BenchmarkTick is one heartbeat of one of three tabs that subscribe twenty topics each.
func BenchmarkTick(b *testing.B) {
	w := newWorld(b, V010())
	tabs := w.open("a", "b", "c")
	for i := range 20 {
		for _, t := range tabs {
			t.subscribe(fmt.Sprint("x", i))
		}
		w.drain()
	}
	b.ReportAllocs()
	for b.Loop() {
		tabs[0].do(tabs[0].c.Tick)
		tabs[0].log = nil
	}
}

// BenchmarkPublish is a publication to another owner, and its arrival there.
func BenchmarkPublish(b *testing.B) {
	w := newWorld(b, V010())
	tabs := w.open("a", "b")
	tabs[1].subscribe("x")
	w.drain()
	f := control(signal.Publish, "x", record.Hash("x"), "b", "a")
	b.ReportAllocs()
	for b.Loop() {
		_ = tabs[1].publish("x", "1")
		tabs[0].c.Receive(f)
		w.wire, tabs[0].log, tabs[1].log = nil, nil, nil
	}
}
