package engine

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
)

// BenchmarkSendAck is a send, its delivery, its ack and the mark of its handler, over two stores in memory, codec included.
func BenchmarkSendAck(b *testing.B) {
	w := newWorld(b, func(_ string, c *Config) { c.Observe = observe.Bag{} })
	w.quiet = true
	w.connect()
	x, y := w.a.eng, w.b.eng
	move := func(from, to *Engine) {
		_ = from.Commit(w.now, nil)
		for _, f := range from.Take() {
			switch f := f.(type) {
			case Transmit:
				to.Receive(w.now, f.Conn, f.Bytes)
			case Deliver:
				if f.Kind == "open" {
					_ = from.Accept(w.now, f.Delivery)
				} else {
					_ = from.Handled(w.now, f.Delivery)
				}
			}
		}
	}
	_, _ = x.Open(w.now, "session", "o", nil)
	for range 4 {
		move(x, y)
		move(y, x)
	}
	body := make([]byte, 256)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Send(w.now, "o", body); err != nil {
			b.Fatal(err)
		}
		move(x, y)
		move(y, x)
		move(x, y)
	}
}
