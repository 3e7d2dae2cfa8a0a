package sse_test

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
	"github.com/seed-6f28358b/assay/impl/pipenet"
)

// raw answers each connection with the next octets, one at a time, then closes it, and returns the Last-Event-ID of each
// request once the last was answered.
func raw(p *pipenet.Network, answers []string) <-chan []string {
	done := make(chan []string, 1)
	go func() {
		var last []string
		for _, answer := range answers {
			conn, err := p.Accept()
			if err != nil {
				break
			}
			request, err := http.ReadRequest(bufio.NewReader(conn))
			if err != nil {
				break
			}
			last = append(last, request.Header.Get("Last-Event-ID"))
			for _, c := range []byte(answer) {
				if _, err := conn.Write([]byte{c}); err != nil {
					break
				}
			}
			_ = conn.Close()
		}
		done <- last
	}()
	return done
}

// EVENTBUS-WHATWG-026, EVENTBUS-WHATWG-029, EVENTBUS-WHATWG-016: whatever breaks, the client goes on after the last event
// that came whole.
func TestBrokenAnswers(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	chunked := func(body string) string {
		var b strings.Builder
		b.WriteString(head + "Transfer-Encoding: chunked\r\n\r\n")
		for _, c := range []byte(body) {
			b.WriteString("1\r\n" + string(rune(c)) + "\r\n")
		}
		return b.String()
	}
	answers := []string{
		chunked("id: 1\ndata: a\n\n") + "0\r\n\r\n",
		chunked("id: 2\ndata: b\n\nid: 3\ndata: lost") + "ff\r\n cut in a chunk",
		head + "Content-Length: 1000\r\n\r\nid: 4\r\ndata: d\r\n\r\nid: 5\r\ndata: lost",
		"",
		"HTTP/1.1 200",
		"not HTTP at all\r\n\r\n",
		head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
		"HTTP/1.1 200 OK\r\nX-Large: " + strings.Repeat("x", 11<<20),
		head + "\r\nid: 6\rdata: f\r\r",
		"HTTP/1.1 204 No Content\r\n\r\n",
	}
	synctest.Test(t, func(t *testing.T) {
		p := pipenet.New()
		done := raw(p, answers)
		transport := &http.Transport{DialContext: p.Dial, DisableCompression: true, DisableKeepAlives: true, MaxResponseHeaderBytes: 64 << 10}
		c, err := sse.NewClient(sse.ClientConfig{URL: "http://bus/", HTTP: &http.Client{Transport: transport}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for m, err := range c.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m.ID+" "+string(m.Data))
		}
		if diff := cmp.Diff([]string{"1 a", "2 b", "4 d", "6 f"}, got); diff != "" {
			t.Errorf("messages (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff([]string{"", "1", "2", "4", "4", "4", "4", "4", "4", "6"}, <-done); diff != "" {
			t.Errorf("requests (-want +got)\n%s", diff)
		}
		_ = p.Close()
		time.Sleep(time.Second)
	})
}

// A server that sends an event without end, slowly or not, is left at the limit, and nothing of it is given out.
func TestEndlessEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent atomic.Int64
		site, stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				n, err := io.WriteString(w, "data: never a blank line\n")
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		}))
		c, err := sse.NewClient(sse.ClientConfig{URL: "http://bus/", HTTP: site.http, Limits: sse.Limits{MaxEvent: 1 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		for m, err := range c.Messages(t.Context()) {
			limit, ok := err.(*sse.LimitError)
			if !ok || limit.What != "event" || limit.Limit != 1<<20 {
				t.Errorf("%.40q %v, want a LimitError of the event", m.Data, err)
			}
		}
		stop()
		if n := sent.Load(); n > 2<<20 {
			t.Errorf("the server could send %d octets, want little more than the limit", n)
		}
	})
}
