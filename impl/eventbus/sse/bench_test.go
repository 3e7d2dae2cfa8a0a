package sse_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

func BenchmarkParser(b *testing.B) {
	frame := "id: 123456\nevent: session_update\ndata: {\"id\":123456,\"v\":1,\"type\":\"session_update\",\"data\":{\"text\":\"" + strings.Repeat("x", 100) + "\"},\"_meta\":{\"serverTimestamp\":1719000000000}}\n\n"
	stream := []byte(strings.Repeat(frame, 100))
	for _, chunk := range []int{len(stream), 4096, 100} {
		b.Run(fmt.Sprintf("chunks of %d", chunk), func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			p, err := sse.NewParser(sse.Limits{}, "")
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				for rest := stream; len(rest) > 0; {
					k := min(chunk, len(rest))
					p.Feed(rest[:k])
					rest = rest[k:]
					for _, ok := p.Next(); ok; _, ok = p.Next() {
					}
				}
			}
		})
	}
}

func BenchmarkAppendFrame(b *testing.B) {
	bus, err := eventbus.New(eventbus.Config{})
	if err != nil {
		b.Fatal(err)
	}
	data, err := eventbus.Encode(map[string]string{"text": strings.Repeat("x", 100)})
	if err != nil {
		b.Fatal(err)
	}
	e, _ := bus.Publish(eventbus.Input{Type: "session_update", Data: data})
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		if buf, err = sse.AppendFrame(buf[:0], e, time.Time{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeEnvelope(b *testing.B) {
	data := []byte(`{"id":123456,"v":1,"type":"session_update","data":{"text":"` + strings.Repeat("x", 100) + `"},"_meta":{"serverTimestamp":1719000000000}}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := sse.DecodeEnvelope(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParserOfOthers(b *testing.B) {
	frame := "id: 123456\nevent: session_update\ndata: {\"id\":123456,\"v\":1,\"type\":\"session_update\",\"data\":{\"text\":\"" + strings.Repeat("x", 100) + "\"},\"_meta\":{\"serverTimestamp\":1719000000000}}\n\n"
	stream := []byte(strings.Repeat(frame, 100))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if all, err := theirs(stream); len(all) != 100 || err != nil {
			b.Fatal(len(all), err)
		}
	}
}

// One operation is one event of a replay, from the ring of a bus through HTTP on loopback to a client's envelope.
func BenchmarkReplayOverHTTP(b *testing.B) {
	const ring = 50_000
	bus, err := eventbus.New(eventbus.Config{RingSize: ring})
	if err != nil {
		b.Fatal(err)
	}
	defer bus.Close()
	data, err := eventbus.Encode(map[string]string{"text": strings.Repeat("x", 100)})
	if err != nil {
		b.Fatal(err)
	}
	for range ring {
		bus.Publish(eventbus.Input{Type: "session_update", Data: data})
	}
	handler, err := sse.NewHandler(bus, sse.Config{})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	b.ReportAllocs()
	b.ResetTimer()
	for n := 0; n < b.N; {
		c, err := sse.NewClient(sse.ClientConfig{URL: server.URL, LastEventID: "0"})
		if err != nil {
			b.Fatal(err)
		}
		for e, err := range c.Events(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
			if n++; n >= b.N || e.Type == "replay_complete" {
				break
			}
		}
	}
}
