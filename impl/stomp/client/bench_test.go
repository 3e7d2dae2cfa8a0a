package client_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-stomp/stomp/v3"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
)

// receipts serves connections that want nothing but their receipts, as cheaply as possible, and returns its address.
func receipts(tb testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				answerReceipts(c)
			})
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

func answerReceipts(c net.Conn) {
	r := bufio.NewReaderSize(c, 128<<10)
	var out []byte
	for {
		f, err := r.ReadSlice(0)
		if err != nil {
			return
		}
		if bytes.HasPrefix(bytes.TrimLeft(f, "\n"), []byte("CONNECT")) {
			out = append(out, "CONNECTED\nversion:1.2\n\n\x00"...)
		} else if i := bytes.Index(f, []byte("\nreceipt:")); i >= 0 {
			id := f[i+len("\nreceipt:"):]
			id = id[:bytes.IndexByte(id, '\n')]
			out = append(append(append(out, "RECEIPT\nreceipt-id:"...), id...), "\n\n\x00"...)
		}
		if len(out) > 0 && (r.Buffered() == 0 || len(out) > 32<<10) {
			if _, err := c.Write(out); err != nil {
				return
			}
			out = out[:0]
		}
	}
}

// echo serves connections that want their octets back, and returns its address.
func echo(tb testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				_, _ = io.Copy(struct{ io.Writer }{c}, struct{ io.Reader }{c})
			})
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

// side is one thing measured: run does n operations.
type side struct {
	name  string
	batch int
	run   func(n int)
}

// sides returns what is compared. All end with the benchmark.
func sides(b *testing.B) []side {
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	conn, err := net.Dial("tcp", echo(b))
	must(err)
	b.Cleanup(func() { _ = conn.Close() })
	addr := receipts(b)
	ours := dial(b, "tcp://"+addr, client.Config{})
	theirs, err := stomp.Dial("tcp", addr)
	must(err)
	b.Cleanup(func() { _ = theirs.Disconnect() })

	body := bytes.Repeat([]byte("x"), 256)
	m := client.Message{Destination: "/queue/a", ContentType: "text/plain", Body: body}
	packet := make([]byte, 400)
	return []side{
		{"echo", 64, func(n int) {
			for range n {
				_, err := conn.Write(packet)
				must(err)
				_, err = io.ReadFull(conn, packet)
				must(err)
			}
		}},
		{"gostomp-receipt", 64, func(n int) {
			for range n {
				must(theirs.Send(m.Destination, m.ContentType, body, stomp.SendOpt.Receipt))
			}
		}},
		{"gostomp-oneway", 2048, func(n int) {
			for range n {
				must(theirs.Send(m.Destination, m.ContentType, body))
			}
			must(theirs.Send(m.Destination, m.ContentType, body, stomp.SendOpt.Receipt))
		}},
		{"receipt", 64, func(n int) {
			for range n {
				must(ours.SendReceipt(ctx, m))
			}
		}},
		{"inflight-64", 2048, func(n int) {
			var window [64]*client.Pending
			for i := range n {
				p := window[i%64]
				if p != nil {
					must(p.Wait(ctx))
				}
				p, err := ours.SendAsync(ctx, m)
				must(err)
				window[i%64] = p
			}
			for _, p := range window {
				if p != nil {
					must(p.Wait(ctx))
				}
			}
		}},
		{"oneway", 2048, func(n int) {
			for range n {
				must(ours.Send(ctx, m))
			}
			must(ours.SendReceipt(ctx, m))
		}},
	}
}

// BenchmarkSend measures messages of 256 octets to a server that only answers receipts, one side at a time.
func BenchmarkSend(b *testing.B) {
	for _, s := range sides(b) {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			s.run(b.N)
		})
	}
}

// BenchmarkRatios measures the same in rounds in which the sides take turns, and reports medians: microseconds for each
// operation, and how often ours does what the other does once. Run it with -benchtime=25x.
func BenchmarkRatios(b *testing.B) {
	all := sides(b)
	took := make(map[string][]float64)
	for b.Loop() {
		for _, s := range all {
			n, start := 0, time.Now()
			for time.Since(start) < 20*time.Millisecond {
				s.run(s.batch)
				n += s.batch
			}
			took[s.name] = append(took[s.name], time.Since(start).Seconds()*1e6/float64(n))
		}
	}
	for _, s := range all {
		b.ReportMetric(middle(took[s.name]), s.name+"-µs")
	}
	for _, r := range []struct {
		name, ours, base string
	}{
		{"receipt/echo", "receipt", "echo"},
		{"receipt/gostomp", "receipt", "gostomp-receipt"},
		{"inflight/gostomp", "inflight-64", "gostomp-receipt"},
		{"oneway/gostomp", "oneway", "gostomp-oneway"},
	} {
		var ratios []float64
		for i := range took[r.ours] {
			ratios = append(ratios, took[r.base][i]/took[r.ours][i])
		}
		b.ReportMetric(middle(ratios), r.name)
		b.Logf("%s: %.2f [%.2f-%.2f]", r.name, middle(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	b.ReportMetric(0, "ns/op")
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// BenchmarkDeliver measures messages of 256 octets that come for a subscription.
func BenchmarkDeliver(b *testing.B) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		r := bufio.NewReader(c)
		_, _ = r.ReadSlice(0)
		_, _ = io.WriteString(c, connected)
		_, _ = r.ReadSlice(0)
		batch := bytes.Repeat([]byte(message("s", "1", string(bytes.Repeat([]byte("x"), 256)))), 128)
		for range b.N/128 + 1 {
			if _, err := c.Write(batch); err != nil {
				return
			}
		}
		_, _ = r.ReadSlice(0)
	}()
	c := dial(b, "tcp://"+l.Addr().String(), client.Config{Limits: func() client.Limits {
		l := client.DefaultLimits()
		l.Events, l.EventBytes = 1<<30, 1<<40
		return l
	}()})
	defer c.Close()
	defer l.Close()
	s, err := c.Subscribe(b.Context(), "/queue/a", client.SubscribeOptions{ID: "s"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for _, err := range s.Messages(b.Context()) {
		if err != nil {
			b.Fatal(err)
		}
		if n++; n == b.N {
			break
		}
	}
}
