package frame_test

import (
	"io"
	"testing"

	peer "github.com/go-stomp/stomp/v3/frame"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func BenchmarkDecode(b *testing.B) {
	for _, name := range inputNames {
		stream := inputNamed(name, streamSize)
		in := &stream
		run := func(name string, pass func()) {
			b.Run(in.name+"/"+name, func(b *testing.B) {
				pass()
				b.ReportAllocs()
				b.SetBytes(int64(len(in.data)))
				for b.Loop() {
					pass()
				}
				b.ReportMetric(float64(in.count)*float64(b.N)/b.Elapsed().Seconds()/1000, "kframes/s")
			})
		}
		borrowed, owned := newOurs(true), newOurs(false)
		run("go-stomp", func() { runPeer(in) })
		run("borrowed", func() { borrowed.read(in, in.chunk) })
		run("owned", func() { owned.read(in, in.chunk) })
		run("in-place", func() { borrowed.place(in, in.chunk) })
	}
}

func BenchmarkEncode(b *testing.B) {
	for _, c := range encodeCases() {
		b.Run(c.name+"/go-stomp", func(b *testing.B) {
			w := peer.NewWriter(io.Discard)
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Write(c.peer); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/assay", func(b *testing.B) {
			e := frame.Encoder{Version: frame.V12}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.WriteTo(io.Discard, c.ours); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type encodeCase struct {
	name string
	peer *peer.Frame
	ours *frame.Frame
}

func encodeCases() []encodeCase {
	plain := []string{
		"destination", "/queue/orders", "content-type", "text/plain", "receipt", "r-1234567", "x-tenant", "north-west",
		"timestamp", "1700000123456",
	}
	escaped := []string{
		"destination", "/queue/orders", "content-type", "text:plain", "receipt", "r:1234567\\x", "x-tenant", "north-west",
		"timestamp", "2026-01-02T03:04:05",
	}
	var cases []encodeCase
	for _, c := range []struct {
		name string
		kv   []string
		body int
	}{{"100B", plain, 100}, {"1KiB", plain, 1 << 10}, {"64KiB", plain, 64 << 10}, {"escaped", escaped, 100}} {
		p, o := peer.New("SEND", c.kv...), frame.New(frame.SEND, c.kv...)
		p.Body, o.Body = make([]byte, c.body), make([]byte, c.body)
		for i := range c.body {
			p.Body[i], o.Body[i] = 'x', 'x'
		}
		cases = append(cases, encodeCase{c.name, p, o})
	}
	return cases
}
