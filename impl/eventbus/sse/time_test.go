package sse_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// A beat is a piece of a body and when it came.
type beat struct {
	At   time.Duration
	Text string
}

// listen collects the blocks of a body as they come, until it ends or d has passed.
func listen(ctx context.Context, s *site, query string, d time.Duration) []beat {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	start := time.Now()
	answer := s.get(ctx, query)
	defer answer.Body.Close()
	var all []beat
	var block strings.Builder
	for body := bufio.NewReader(answer.Body); ; {
		line, err := body.ReadString('\n')
		if err != nil {
			if err == io.EOF {
				all = append(all, beat{time.Since(start), "end"})
			}
			return all
		}
		if block.WriteString(line); line == "\n" {
			all = append(all, beat{time.Since(start), strings.TrimSpace(block.String())})
			block.Reset()
		}
	}
}

// EVENTBUS-SSE-007
func TestHeartbeat(t *testing.T) {
	for _, c := range []struct {
		why     string
		dialect eventbus.Dialect
		cfg     sse.Config
		want    []beat
	}{
		{"the later dialect has them every 15 s", eventbus.Later, sse.Config{}, []beat{{0, "retry: 3000"}, {15 * time.Second, ": heartbeat"}, {30 * time.Second, ": heartbeat"}, {45 * time.Second, ": heartbeat"}}},
		{"the seed has none", eventbus.Seed, sse.Config{}, []beat{{0, "retry: 3000"}}},
		{"unless asked for", eventbus.Seed, sse.Config{Heartbeat: 30 * time.Second}, []beat{{0, "retry: 3000"}, {30 * time.Second, ": heartbeat"}}},
		{"they can be turned off", eventbus.Later, sse.Config{Heartbeat: -1}, []beat{{0, "retry: 3000"}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			bus := newBus(t, eventbus.Config{Dialect: c.dialect})
			site, stop := serve(t, newHandler(t, bus, c.cfg))
			if diff := cmp.Diff(c.want, listen(t.Context(), site, "", 50*time.Second)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", c.why, diff)
			}
			bus.Close()
			stop()
		})
	}
}

// A heart-beat comes after a time without frames, and between frames.
func TestHeartbeatWaitsForIdleness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := newBus(t, eventbus.Config{Dialect: eventbus.Later})
		site, stop := serve(t, newHandler(t, bus, sse.Config{}))
		go func() {
			for range 3 {
				time.Sleep(10 * time.Second)
				publish(t, bus, 1)
			}
		}()
		var got []string
		for _, b := range listen(t.Context(), site, "", 50*time.Second) {
			kind, _, _ := strings.Cut(b.Text, "\n")
			got = append(got, fmt.Sprintf("%v %s", b.At, kind))
		}
		want := []string{"0s retry: 3000", "10s id: 1", "20s id: 2", "30s id: 3", "45s : heartbeat"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		bus.Close()
		stop()
	})
}

// EVENTBUS-SSE-008
func TestWriterIdle(t *testing.T) {
	for _, c := range []struct {
		limit, at time.Duration
	}{
		{time.Second, time.Second},
		{900 * time.Millisecond, time.Second},
		{100 * time.Millisecond, 250 * time.Millisecond},
		{time.Minute, time.Minute},
		{61 * time.Second, 65 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			bus := newBus(t, eventbus.Config{Dialect: eventbus.Later})
			site, stop := serve(t, newHandler(t, bus, sse.Config{Heartbeat: -1, WriterIdle: c.limit}))
			got := listen(t.Context(), site, "", time.Hour)
			if len(got) != 3 || got[1].At != c.at || got[2] != (beat{c.at, "end"}) {
				t.Fatalf("limit %v: %v, want a frame and the end at %v", c.limit, got, c.at)
			}
			want := fmt.Sprintf(`{"reason":"writer_idle_timeout","errorKind":"writer_idle_timeout","idleForMs":%d,"timeoutMs":%d}`, c.at.Milliseconds(), c.limit.Milliseconds())
			if !strings.HasPrefix(got[1].Text, "event: client_evicted\n") || !strings.Contains(got[1].Text, want) {
				t.Errorf("limit %v: %q, want client_evicted with %s", c.limit, got[1].Text, want)
			}
			if bus.SubscriberCount() != 0 {
				t.Errorf("limit %v: the slot is still taken", c.limit)
			}
			bus.Close()
			stop()
		})
	}
}

// The slot of a reader that is idle for too long is free at once, even if it does not take its last frame.
func TestWriterIdleFreesTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := newBus(t, eventbus.Config{Dialect: eventbus.Later})
		site, stop := serve(t, newHandler(t, bus, sse.Config{Heartbeat: -1, WriterIdle: time.Second, WriteTimeout: time.Hour}))
		conn, _ := site.pipes.Dial(t.Context(), "", "")
		_, _ = io.WriteString(conn, "GET / HTTP/1.0\r\nHost: bus\r\n\r\n")
		for all, one := "", make([]byte, 1); !strings.HasSuffix(all, "retry: 3000\n\n"); all += string(one) {
			if _, err := io.ReadFull(conn, one); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := bus.SubscriberCount(); n != 1 {
			t.Errorf("%d subscribers, want 1", n)
		}
		time.Sleep(2 * time.Second)
		if n := bus.SubscriberCount(); n != 0 {
			t.Errorf("%d subscribers while the last frame is not taken, want 0", n)
		}
		_ = conn.Close()
		bus.Close()
		stop()
	})
}

// Heart-beats and frames keep a stream from being idle; the seed has no such limit.
func TestWriterIdleIsOff(t *testing.T) {
	for d, cfg := range map[eventbus.Dialect]sse.Config{
		eventbus.Later: {Heartbeat: 15 * time.Second, WriterIdle: 16 * time.Second},
		eventbus.Seed:  {WriterIdle: time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			bus := newBus(t, eventbus.Config{Dialect: d})
			site, stop := serve(t, newHandler(t, bus, cfg))
			for _, b := range listen(t.Context(), site, "", 10*time.Minute) {
				if b.Text != "retry: 3000" && b.Text != ": heartbeat" {
					t.Errorf("%v: %v", d, b)
				}
			}
			bus.Close()
			stop()
		})
	}
}

// EVENTBUS-ABORT-002: a client that goes away frees its slot at once, whether the server is writing or waiting.
func TestSlotIsFreedWhenTheClientGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := newBus(t, eventbus.Config{Dialect: eventbus.Later})
		site, stop := serve(t, newHandler(t, bus, sse.Config{WriteTimeout: -1}))
		ctx, cancel := context.WithCancel(t.Context())
		site.get(ctx, "")
		synctest.Wait()
		if n := bus.SubscriberCount(); n != 1 {
			t.Fatalf("%d subscribers, want 1", n)
		}
		start := time.Now()
		cancel()
		synctest.Wait()
		if n := bus.SubscriberCount(); n != 0 || time.Since(start) != 0 {
			t.Errorf("%d subscribers %v after the client went", n, time.Since(start))
		}
		// One that stops reading in the middle of a frame, and then goes.
		conn, _ := site.pipes.Dial(t.Context(), "", "")
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: bus\r\n\r\n")
		_, _ = io.ReadFull(conn, make([]byte, 10))
		publish(t, bus, 10)
		synctest.Wait()
		_ = conn.Close()
		synctest.Wait()
		if n := bus.SubscriberCount(); n != 0 || time.Since(start) != 0 {
			t.Errorf("%d subscribers %v after the stalled client went", n, time.Since(start))
		}
		bus.Close()
		stop()
	})
}

// A peer that never reads is given up, and never keeps the bus or others waiting.
func TestStalledPeerIsGivenUp(t *testing.T) {
	for _, d := range dialects {
		synctest.Test(t, func(t *testing.T) {
			bus := newBus(t, eventbus.Config{Dialect: d})
			site, stop := serve(t, newHandler(t, bus, sse.Config{WriteTimeout: 7 * time.Second}))
			conn, _ := site.pipes.Dial(t.Context(), "", "")
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: bus\r\n\r\n")
			synctest.Wait()
			start := time.Now()
			publish(t, bus, 100)
			if time.Since(start) != 0 {
				t.Errorf("%v: publishing took %v", d, time.Since(start))
			}
			time.Sleep(7*time.Second - 1)
			synctest.Wait()
			if n := bus.SubscriberCount(); n != 1 {
				t.Errorf("%v: %d subscribers just before the time is up, want 1", d, n)
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if n := bus.SubscriberCount(); n != 0 {
				t.Errorf("%v: %d subscribers when the time is up, want 0", d, n)
			}
			// The server has closed the connection.
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("%v: %v", d, err)
			}
			bus.Close()
			stop()
		})
	}
}

// A peer that reads one octet now and then gets everything as long as it does.
func TestSlowPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := newBus(t, eventbus.Config{})
		site, stop := serve(t, newHandler(t, bus, sse.Config{WriteTimeout: 10 * time.Minute}))
		conn, _ := site.pipes.Dial(t.Context(), "", "")
		go func() {
			for _, c := range []byte("GET /?maxQueued=16 HTTP/1.0\r\nHost: bus\r\nLast-Event-ID: 0\r\n\r\n") {
				_, _ = conn.Write([]byte{c})
				time.Sleep(time.Second)
			}
		}()
		publish(t, bus, 20)
		var all []byte
		for one := make([]byte, 1); ; {
			n, err := conn.Read(one)
			all = append(all, one[:n]...)
			if err != nil {
				break
			}
			if strings.HasSuffix(string(all), `"type":"replay_complete"`) {
				bus.Close()
			}
			time.Sleep(100 * time.Millisecond)
		}
		_, body, _ := strings.Cut(string(all), "\r\n\r\n")
		if got := kinds(frames(t, body)); !strings.HasPrefix(got, "1 2 3") || !strings.HasSuffix(got, "19 20 replay_complete") {
			t.Errorf("frames %s", got)
		}
		stop()
	})
}

// One whose headers are too large is answered by the server and never comes to the bus.
func TestHugeHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := newBus(t, eventbus.Config{})
		site, stop := serve(t, newHandler(t, bus, sse.Config{}))
		conn, _ := site.pipes.Dial(t.Context(), "", "")
		go func() {
			_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: bus\r\n")
			line := "X-Large: " + strings.Repeat("x", 4000) + "\r\n"
			for range 2000 {
				if _, err := io.WriteString(conn, line); err != nil {
					return
				}
			}
		}()
		answer, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(answer, " 431 ") || bus.SubscriberCount() != 0 {
			t.Errorf("%q %v, %d subscribers, want 431 and none", answer, err, bus.SubscriberCount())
		}
		_ = conn.Close()
		// The server lingers for half a second over a connection that it refused.
		time.Sleep(time.Second)
		bus.Close()
		stop()
	})
}

// EVENTBUS-HTTP-012: a loop that takes longer over a message than a stream may be silent loses nothing of what waits meanwhile.
func TestSlowLoopIsNoSilence(t *testing.T) {
	s := &script{respond: func(n int, w http.ResponseWriter, r *http.Request) bool {
		if n > 0 {
			w.WriteHeader(http.StatusNoContent)
			return true
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range 3 {
			_, _ = io.WriteString(w, "data: x\n\n")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
				return true
			}
		}
		return true
	}}
	count := 0
	asked := bubble(t, s, sse.ClientConfig{Idle: 10 * time.Second}, func(t *testing.T, c *sse.Client) {
		for _, err := range c.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if count++; count == 1 {
				time.Sleep(30 * time.Second)
			}
		}
	})
	if count != 3 {
		t.Errorf("%d messages of 3, requests %v", count, asked)
	}
}

// A wait that no clock can hold does not become none.
func TestLongestWait(t *testing.T) {
	for _, cfg := range []sse.ClientConfig{
		{MaxRetry: math.MaxInt64},
		{MaxRetry: math.MaxInt64, MaxBackoff: math.MaxInt64},
		{Retry: math.MaxInt64, MaxBackoff: math.MaxInt64},
	} {
		s := &script{bodies: []string{"retry: 9223372036854\ndata: x\n\n", "retry: 9223372036854\n", "", "", ""}}
		cfg.Jitter = func() float64 { return 0.99 }
		asked := bubble(t, s, cfg, func(t *testing.T, c *sse.Client) {
			ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
			defer cancel()
			for range c.Messages(ctx) {
			}
		})
		if len(asked) > 24 {
			t.Errorf("%d requests in a day, the first of them %v", len(asked), asked[:4])
		}
	}
}
