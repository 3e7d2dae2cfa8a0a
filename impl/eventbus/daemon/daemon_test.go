package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/daemon"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

var dialects = []eventbus.Dialect{eventbus.Seed, eventbus.Later}

// EVENTBUS-HTTP-006, EVENTBUS-SSE-009
func TestSessionFromStartToEnd(t *testing.T) {
	for _, d := range dialects {
		h := start(t, daemon.Config{Dialect: d})
		session := h.open()
		live := h.stream(session, "")
		status, v := h.ask("POST", session+"/publish", `{"type":"a","data":{"x":"é"},"originatorClientId":"c","_meta":{"serverTimestamp":-1.5,"big":12345678901234567890,"k":{"b":1}}}`)
		if status != 200 || v["lastEventId"] != 1.0 || v["events"] != 1.0 {
			t.Errorf("%v: publish: %d %v", d, status, v)
		}
		h.publish(session, 2)
		live.want("live events", "id: 1\nevent: a\ndata: {\"id\":1,\"v\":1,\"type\":\"a\",\"data\":{\"x\":\"é\"},\"originatorClientId\":\"c\",\"_meta\":{\"serverTimestamp\":-1.5,\"big\":12345678901234567890,\"k\":{\"b\":1}}}", "id: 2\n", "id: 3\n")
		resumed := h.stream(session, "", "Last-Event-ID", "1")
		resumed.want("a resumed stream", "id: 2\n", "id: 3\n", "event: replay_complete\n")
		if status, v := h.ask("DELETE", session, ""); status != 200 || v["lastEventId"] != 4.0 {
			t.Errorf("%v: delete: %d %v", d, status, v)
		}
		for _, s := range []*stream{live, resumed} {
			s.want("the end of the session", "id: 4\nevent: session_closed\ndata: {\"id\":4,\"v\":1,\"type\":\"session_closed\",\"data\":{\"reason\":\"client_close\",\"sessionId\":", "end")
		}
		for _, request := range [][2]string{{"DELETE", ""}, {"GET", "/events"}, {"POST", "/publish"}, {"GET", "/state"}} {
			if status, v := h.ask(request[0], session+request[1], ""); status != 404 || v["code"] != "session_not_found" {
				t.Errorf("%v: %v after the end: %d %v, want 404 session_not_found", d, request, status, v)
			}
		}
		h.stop()
	}
}

// EVENTBUS-SSE-009: the end of the daemon.
func TestShutdown(t *testing.T) {
	for _, d := range dialects {
		h := start(t, daemon.Config{Dialect: d})
		var streams []*stream
		for range 3 {
			session := h.open()
			streams = append(streams, h.stream(session, ""), h.stream(session, "?maxQueued=16"))
			h.ask("POST", session+"/readers", `{"delayMs":60000}`)
			h.publish(session, 2)
		}
		h.stop()
		for _, s := range streams {
			s.want("shutdown", "id: 1\n", "id: 2\n", "id: 3\nevent: session_died\n", "end")
		}
	}
}

// A peer that takes nothing does not keep the daemon from ending.
func TestShutdownDoesNotWaitForEver(t *testing.T) {
	h := start(t, daemon.Config{ShutdownTimeout: time.Millisecond})
	session := h.open()
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s/events?maxQueued=2048 HTTP/1.1\r\nHost: localhost\r\n\r\n", session)
	first := make([]byte, 12)
	if _, err := io.ReadFull(conn, first); err != nil || string(first) != "HTTP/1.1 200" {
		t.Fatalf("%q %v", first, err)
	}
	big := fmt.Sprintf(`{"type":"t","data":%q}`, strings.Repeat("x", 1<<20))
	for range 12 {
		h.ask("POST", session+"/publish", big)
	}
	h.stop()
}

// EVENTBUS-HTTP-009
func TestRefusals(t *testing.T) {
	h := start(t, daemon.Config{MaxBody: 100, MaxSessions: 2})
	session := h.open()
	h.open()
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/session/none/events", "", 404, "session_not_found"},
		{"GET", "/session/none/events?maxQueued=1", "", 400, "invalid_max_queued"},
		{"GET", session + "/events?maxQueued=1", "", 400, "invalid_max_queued"},
		{"POST", session + "/events", "", 405, "method_not_allowed"},
		{"POST", session + "/publish", "", 400, "invalid_event"},
		{"POST", session + "/publish", "{", 400, "invalid_event"},
		{"POST", session + "/publish", "null", 400, "invalid_event"},
		{"POST", session + "/publish", "[7]", 400, "invalid_event"},
		{"POST", session + "/publish", `{"data":1}`, 400, "invalid_event"},
		{"POST", session + "/publish", `{"Type":"x"}`, 400, "invalid_event"},
		{"POST", session + "/publish", `{"type":7}`, 400, "invalid_event"},
		{"POST", session + "/publish", `{"type":null}`, 400, "invalid_event"},
		{"POST", session + "/publish", `{"type":"x","originatorClientId":7}`, 400, "invalid_event"},
		{"POST", session + "/publish", `{"type":"x","_meta":[]}`, 400, "invalid_event"},
		{"POST", session + "/publish", `[{"type":"x"},{"type":7}]`, 400, "invalid_event"},
		{"POST", session + "/publish", `{"type":"` + strings.Repeat("x", 100) + `"}`, 413, "body_too_large"},
		{"POST", "/session", strings.Repeat("x", 101), 413, "body_too_large"},
		{"POST", "/session", "", 429, "session_limit_exceeded"},
		{"POST", session + "/readers", "", 400, "invalid_reader"},
		{"POST", session + "/readers", `{"delayMs":0}`, 400, "invalid_reader"},
		{"POST", session + "/readers", `{"delayMs":60001}`, 400, "invalid_reader"},
		{"POST", session + "/readers", `{"delayMs":100,"maxQueued":15}`, 400, "invalid_max_queued"},
		{"DELETE", session + "/readers/1", "", 404, "reader_not_found"},
		{"DELETE", session + "/readers/x", "", 404, "reader_not_found"},
		{"GET", "/nothing", "", 404, "not_found"},
	} {
		status, v := h.ask(c.method, c.path, c.body)
		if status != c.status || v["code"] != c.code || v["error"] == "" {
			t.Errorf("%s %s %.60s: %d %v, want %d %s", c.method, c.path, c.body, status, v, c.status, c.code)
		}
	}
	if _, v := h.ask("GET", session+"/state", ""); v["lastEventId"] != 0.0 {
		t.Errorf("a refused event was published: %v", v["lastEventId"])
	}
}

// Other people's pages, and names that were made to lead here, get nothing.
func TestForeignPages(t *testing.T) {
	d, err := daemon.New(daemon.Config{Hosts: []string{"Bus.internal"}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, c := range []struct {
		host, origin string
		want         int
	}{
		{"127.0.0.1:80", "", 200},
		{"localhost", "", 200},
		{"LOCALHOST.:9", "", 200},
		{"[::1]:80", "http://[::1]:80", 200},
		{"bus.internal:1", "https://bus.internal:1", 200},
		{"localhost:80", "http://localhost:80", 200},
		{"localhost:80", "http://localhost:81", 403},
		{"localhost:80", "null", 403},
		{"localhost:80", "http://evil.example", 403},
		{"evil.example", "http://evil.example", 403},
		{"127.0.0.1.evil.example", "", 403},
		{"", "", 403},
	} {
		r := httptest.NewRequest("GET", "/health", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		if w.Code != c.want || !json.Valid(w.Body.Bytes()) {
			t.Errorf("host %q origin %q: %d %s, want %d", c.host, c.origin, w.Code, w.Body, c.want)
		}
	}
}

// EVENTBUS-HTTP-010
func TestCapabilities(t *testing.T) {
	h := start(t, daemon.Config{})
	_, v := h.ask("GET", "/capabilities", "")
	features, _ := v["features"].([]any)
	for _, tag := range []any{"session_events", "slow_client_warning", "typed_event_schema"} {
		if !slices.Contains(features, tag) {
			t.Errorf("features %v lack %s", features, tag)
		}
	}
	if status, v := h.ask("GET", "/health", ""); status != 200 || v["status"] != "ok" {
		t.Errorf("health: %d %v", status, v)
	}
}

// EVENTBUS-LIMIT-004, EVENTBUS-LIMIT-005
func TestSubscriberLimit(t *testing.T) {
	for _, d := range dialects {
		h := start(t, daemon.Config{Dialect: d, MaxSubscribers: 3})
		session := h.open()
		for range 3 {
			h.stream(session, "")
		}
		if d == eventbus.Later {
			if status, v := h.ask("GET", session+"/events", ""); status != 429 || v["code"] != "subscriber_limit_exceeded" || v["limit"] != 3.0 {
				t.Errorf("%d %v", status, v)
			}
		} else {
			h.stream(session, "").want("refused", "event: stream_error\n", "end")
		}
		if status, v := h.ask("POST", session+"/readers", `{"delayMs":100}`); status != 429 || v["code"] != "subscriber_limit_exceeded" {
			t.Errorf("%d %v", status, v)
		}
		h.stop()
	}
}

// EVENTBUS-HTTP-008
func TestSnapshotFrame(t *testing.T) {
	h := start(t, daemon.Config{Dialect: eventbus.Later})
	session := h.open()
	h.publish(session, 1)
	s := h.stream(session, "?snapshot=1", "Last-Event-ID", "0")
	s.want("snapshot", "id: 1\n", "event: replay_complete\n", "event: session_snapshot\ndata: {\"v\":1,\"type\":\"session_snapshot\",\"data\":{\"sessionId\":\""+strings.TrimPrefix(session, "/session/")+"\",\"currentModelId\":null,\"currentApprovalMode\":null,\"recordingDegraded\":false}")
}

func TestCutEndsStreamsNotSessions(t *testing.T) {
	h := start(t, daemon.Config{})
	session := h.open()
	first := h.stream(session, "")
	h.publish(session, 1)
	first.want("before the cut", "id: 1\n")
	h.ask("POST", session+"/cut", "")
	first.want("the cut", "end")
	h.publish(session, 1)
	second := h.stream(session, "", "Last-Event-ID", "1")
	second.want("after the cut", "id: 2\n", "event: replay_complete\n")
}

// EVENTBUS-SSE-005, EVENTBUS-QUEUE-003: an array is published in one go, so that what it does to a waiting reader is
// known to the frame.
func TestArrayIsPublishedInOneGo(t *testing.T) {
	for _, d := range dialects {
		h := start(t, daemon.Config{Dialect: d})
		for range 10 {
			session := h.open()
			s := h.stream(session, "?maxQueued=16")
			for waiting := false; !waiting; {
				_, v := h.ask("GET", session+"/state", "")
				waiting = v["subscribers"].([]any)[0].(map[string]any)["waiting"].(bool)
			}
			h.publish(session, 300)
			for id := 1; id <= 13; id++ {
				s.want("the first directly, then 12 that wait", fmt.Sprintf("id: %d\n", id))
			}
			s.want("three quarters of 16", "event: slow_client_warning\n")
			s.want("up to 16 that wait", "id: 14\n", "id: 15\n", "id: 16\n", "id: 17\n")
			s.want("the end", "event: client_evicted\ndata: {\"v\":1,\"type\":\"client_evicted\",\"data\":{\"reason\":\"queue_overflow\",\"droppedAfter\":18,", "end")
		}
		h.stop()
	}
}

func TestStateShowsAWarningAndAnEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := daemon.New(daemon.Config{RingSize: 10})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(method, path, body string) (v struct {
			daemon.State
			ReaderID int `json:"readerId"`
		},
		) {
			t.Helper()
			w := httptest.NewRecorder()
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.Host = "localhost"
			d.ServeHTTP(w, r)
			if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != 200 || err != nil {
				t.Fatalf("%s %s: %d %s %v", method, path, w.Code, w.Body, err)
			}
			return v
		}
		session := "/session/" + ask("POST", "/session", "").SessionID
		ask("POST", session+"/readers", `{"delayMs":1000,"maxQueued":16}`)
		synctest.Wait()
		publish := func(n int) {
			ask("POST", session+"/publish", "["+strings.TrimSuffix(strings.Repeat(`{"type":"t"},`, n), ",")+"]")
		}
		publish(1)
		synctest.Wait()
		publish(11)
		state := ask("GET", session+"/state", "")
		if len(state.Subscribers) != 1 || state.Subscribers[0].Live != 11 || state.Subscribers[0].Warned || len(state.Notices) != 0 {
			t.Errorf("11 frames waiting: %+v %+v", state.Subscribers, state.Notices)
		}
		if state.Ring != (daemon.Ring{Size: 10, Length: 10, First: 3, Last: 12}) {
			t.Errorf("ring %+v", state.Ring)
		}
		publish(1)
		state = ask("GET", session+"/state", "")
		if !state.Subscribers[0].Warned || len(state.Notices) != 1 || state.Notices[0].Kind != eventbus.SlowClientWarning {
			t.Errorf("12 frames waiting: %+v %+v", state.Subscribers, state.Notices)
		}
		time.Sleep(1500 * time.Millisecond)
		publish(6)
		state = ask("GET", session+"/state", "")
		if len(state.Subscribers) != 0 || len(state.Notices) != 2 || state.Notices[1].Kind != eventbus.SubscriberEvicted || state.Notices[1].Seq != 2 {
			t.Errorf("17 frames: %+v %+v", state.Subscribers, state.Notices)
		}
		time.Sleep(time.Minute)
		state = ask("GET", session+"/state", "")
		if r := state.Readers; len(r) != 1 || !r[0].Ended || r[0].Last != "client_evicted" {
			t.Errorf("the reader: %+v", state.Readers)
		}
		if !slices.Contains(state.Types, "t") || !slices.Contains(state.Types, "session_update") {
			t.Errorf("types %v", state.Types)
		}
		ask("DELETE", session+"/readers/1", "")
		for range 40 {
			reader := ask("POST", session+"/readers", `{"delayMs":60000,"maxQueued":16}`)
			publish(20)
			ask("DELETE", fmt.Sprintf("%s/readers/%d", session, reader.ReaderID), "")
		}
		state = ask("GET", session+"/state", "")
		if n := state.Notices; len(state.Readers) != 0 || len(n) != 64 || n[63].Seq != 82 {
			t.Errorf("%d readers, %d notices, the last %+v", len(state.Readers), len(n), n[len(n)-1])
		}
		d.Close()
	})
}

func TestReadersAreBounded(t *testing.T) {
	h := start(t, daemon.Config{})
	session := h.open()
	for range 16 {
		if status, v := h.ask("POST", session+"/readers", `{"delayMs":60000}`); status != 200 {
			t.Fatalf("%d %v", status, v)
		}
	}
	if status, v := h.ask("POST", session+"/readers", `{"delayMs":60000}`); status != 429 || v["code"] != "reader_limit_exceeded" {
		t.Errorf("%d %v", status, v)
	}
}

// Types that a page can listen to are remembered up to a bound.
func TestTypesAreBounded(t *testing.T) {
	h := start(t, daemon.Config{})
	session := h.open()
	for i := range 30 {
		var list []string
		for j := range 20 {
			list = append(list, fmt.Sprintf(`{"type":"type-%d-%d"}`, i, j), fmt.Sprintf(`{"type":"%s%d"}`, strings.Repeat("x", 200), j))
		}
		h.ask("POST", session+"/publish", "["+strings.Join(list, ",")+"]")
	}
	_, v := h.ask("GET", session+"/state", "")
	types, _ := v["types"].([]any)
	if n := len(types); n != 58+256 {
		t.Errorf("%d types remembered, want 314", n)
	}
}

// EVENTBUS-RING-005
func TestRingSize(t *testing.T) {
	for s, want := range map[string]int{
		"1": 1, "1000000": 1000000, "0100": 100, "0": 0, "-1": 0, "1.5": 0, "abc": 0, "": 0, "1000001": 0, "99999999999999999999": 0, "+5": 0, " 5": 0, "1e3": 0,
	} {
		got, err := daemon.ParseRingSize(s)
		var bad *daemon.RingSizeError
		if got != want || errors.As(err, &bad) != (want == 0) {
			t.Errorf("%q: %d %v, want %d", s, got, err, want)
		}
		if bad != nil && (!strings.Contains(bad.Error(), s) || !strings.Contains(bad.Error(), "1000000")) {
			t.Errorf("%q: %v names neither value nor range", s, bad)
		}
	}
	h := start(t, daemon.Config{RingSize: 3})
	session := h.open()
	h.publish(session, 5)
	h.stream(session, "", "Last-Event-ID", "0").want("a ring of 3", "event: state_resync_required\n", "id: 3\n", "id: 4\n", "id: 5\n", "event: replay_complete\n")
}

func TestConfigIsChecked(t *testing.T) {
	for field, cfg := range map[string]daemon.Config{
		"RingSize": {RingSize: 1000001}, "MaxSubscribers": {MaxSubscribers: -1}, "MaxQueuedBytes": {MaxQueuedBytes: 1 << 53},
		"MaxSessions": {MaxSessions: -1}, "MaxBody": {MaxBody: -1}, "BodyTimeout": {BodyTimeout: -1}, "HeaderTimeout": {HeaderTimeout: -1},
		"ShutdownTimeout": {ShutdownTimeout: -1}, "WriterIdle": {WriterIdle: -1}, "Dialect": {Dialect: 7},
	} {
		if _, err := daemon.New(cfg); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v, want an error that names it", field, err)
		}
	}
}

// EVENTBUS-CLOSE-004, EVENTBUS-CONCURRENCY-002: sessions end while others publish, read, cut and look.
func TestManyAtOnce(t *testing.T) {
	h := start(t, daemon.Config{RingSize: 50, Dialect: eventbus.Later})
	session := h.open()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan string)
	run := func(f func()) {
		go func() {
			for ctx.Err() == nil {
				f()
			}
			done <- ""
		}()
	}
	quiet := func(method, path, body string) {
		r, _ := http.NewRequest(method, h.url+path, strings.NewReader(body))
		if answer, err := h.http.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 20_000))
			_ = answer.Body.Close()
		}
	}
	run(func() { quiet("POST", session+"/publish", `[{"type":"a"},{"type":"b","data":[1]}]`) })
	run(func() { quiet("GET", session+"/state", "") })
	run(func() { quiet("POST", session+"/cut", "") })
	run(func() { quiet("GET", session+"/events?maxQueued=16", "") })
	client, err := sse.NewClient(sse.ClientConfig{URL: h.url + session + "/events", HTTP: h.http, LastEventID: "0", Retry: time.Millisecond, MaxRetry: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	last, resyncs, seen := int64(0), 0, 0
	ended := false
	for e, err := range client.Events(t.Context()) {
		if err != nil {
			var status *sse.StatusError
			if ended && errors.As(err, &status) && status.Status == 404 {
				break
			}
			t.Fatal(err)
		}
		switch {
		case e.Type == "state_resync_required":
			resyncs++
			last = 0
		case e.ID != 0:
			if last != 0 && e.ID != last+1 {
				t.Errorf("event %d after %d", e.ID, last)
			}
			last = e.ID
			seen++
		}
		if seen == 400 {
			ended = true
			go func() { quiet("DELETE", session, "") }()
		}
		if e.Type == "session_closed" {
			break
		}
	}
	cancel()
	for range 4 {
		<-done
	}
	t.Logf("%d events, %d resyncs", seen, resyncs)
}
