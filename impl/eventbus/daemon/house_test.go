package daemon_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
)

// A house is a daemon that serves on loopback until the test ends, or stop is called.
type house struct {
	t    testing.TB
	url  string
	http *http.Client
	stop func()
}

func start(t testing.TB, cfg daemon.Config) *house {
	t.Helper()
	d, err := daemon.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Serve(ctx, l) }()
	transport := &http.Transport{DisableCompression: true}
	h := &house{t: t, url: "http://" + l.Addr().String(), http: &http.Client{Transport: transport}}
	stopped := false
	h.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		transport.CloseIdleConnections()
	}
	t.Cleanup(h.stop)
	return h
}

// ask sends a request and returns the status and what the JSON says.
func (h *house) ask(method, path, body string, headers ...string) (int, map[string]any) {
	h.t.Helper()
	answer := h.send(method, path, body, headers...)
	defer answer.Body.Close()
	out, err := io.ReadAll(answer.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(out, &v); err != nil {
		h.t.Fatalf("%s %s: %q: %v", method, path, out, err)
	}
	return answer.StatusCode, v
}

func (h *house) send(method, path, body string, headers ...string) *http.Response {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	h.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	answer, err := h.http.Do(r)
	if err != nil {
		h.t.Fatal(err)
	}
	return answer
}

// open opens a session.
func (h *house) open() string {
	h.t.Helper()
	status, v := h.ask("POST", "/session", "")
	id, _ := v["sessionId"].(string)
	if status != 200 || id == "" {
		h.t.Fatalf("POST /session: %d %v", status, v)
	}
	return "/session/" + id
}

// publish publishes n events of type "t".
func (h *house) publish(session string, n int) {
	h.t.Helper()
	list := strings.TrimSuffix(strings.Repeat(`{"type":"t","data":{"a":[1]}},`, n), ",")
	if status, v := h.ask("POST", session+"/publish", "["+list+"]"); status != 200 || v["events"] != float64(n) {
		h.t.Fatalf("publish %d: %d %v", n, status, v)
	}
}

// A stream is an open event stream.
type stream struct {
	t    testing.TB
	http *http.Response
	body *bufio.Reader
}

func (h *house) stream(session, query string, headers ...string) *stream {
	h.t.Helper()
	answer := h.send("GET", session+"/events"+query, "", headers...)
	h.t.Cleanup(func() { _ = answer.Body.Close() })
	s := &stream{t: h.t, http: answer, body: bufio.NewReader(answer.Body)}
	if answer.StatusCode == 200 {
		if first := s.block(); first != "retry: 3000" {
			h.t.Fatalf("the stream begins with %q", first)
		}
	}
	return s
}

// block returns the next block, or "end" at a clean end.
func (s *stream) block() string {
	s.t.Helper()
	var block strings.Builder
	for {
		line, err := s.body.ReadString('\n')
		if err == io.EOF && line == "" {
			return "end"
		}
		if err != nil {
			s.t.Fatalf("the stream breaks: %v", err)
		}
		if line == "\n" {
			return strings.TrimSuffix(block.String(), "\n")
		}
		block.WriteString(line)
	}
}

// want reads blocks, and wants each to begin with a text.
func (s *stream) want(why string, starts ...string) {
	s.t.Helper()
	for _, start := range starts {
		if got := s.block(); !strings.HasPrefix(got, start) {
			s.t.Fatalf("%s: got %q, want %q", why, got, start)
		}
	}
}
