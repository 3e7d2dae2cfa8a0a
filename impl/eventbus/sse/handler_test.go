package sse_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// EVENTBUS-SSE-001, EVENTBUS-SSE-002, EVENTBUS-SSE-003, EVENTBUS-SSE-004
func TestWire(t *testing.T) {
	for _, d := range dialects {
		now := time.UnixMilli(1719000000000)
		bus := newBus(t, eventbus.Config{Dialect: d, Now: func() time.Time { return now }})
		publish(t, bus, 1)
		now = now.Add(time.Second)
		site, stop := serve(t, newHandler(t, bus, sse.Config{Now: func() time.Time { return now }}))
		answer := site.get(t.Context(), "", "Last-Event-ID", "0")
		bus.Publish(eventbus.Input{Type: "a b", Originator: "c1", Data: payload(t, "x\r\ny")})
		bus.Close()
		want := "retry: 3000\n\n" +
			"id: 1\nevent: t\ndata: {\"id\":1,\"v\":1,\"type\":\"t\",\"data\":{\"n\":1},\"_meta\":{\"serverTimestamp\":1719000000000}}\n\n" +
			"event: replay_complete\ndata: {\"v\":1,\"type\":\"replay_complete\",\"data\":{\"replayedCount\":1,\"lastReplayedEventId\":1,\"lastEventId\":1},\"_meta\":{\"serverTimestamp\":1719000001000}}\n\n" +
			"id: 2\nevent: a b\ndata: {\"id\":2,\"v\":1,\"type\":\"a b\",\"data\":\"x\\r\\ny\",\"originatorClientId\":\"c1\",\"_meta\":{\"serverTimestamp\":1719000001000}}\n\n"
		got := rest(t, answer)
		if diff := cmp.Diff(frames(t, want), frames(t, got), cmp.AllowUnexported(wire{})); diff != "" {
			t.Errorf("%v: (-want +got)\n%s", d, diff)
		}
		for _, frame := range frames(t, got) {
			if id, ok := frame.json["id"].(float64); ok != (frame.id != "") || ok && strconv.Itoa(int(id)) != frame.id {
				t.Errorf("%v: id line %q, JSON %v", d, frame.id, frame.json["id"])
			}
			if frame.json["type"] != frame.kind {
				t.Errorf("%v: event line %q, JSON %v", d, frame.kind, frame.json["type"])
			}
		}
		stop()
	}
}

// A type that holds line ends does not end its line: the JSON has it as it is.
func TestTypeDoesNotBreakOut(t *testing.T) {
	bus := newBus(t, eventbus.Config{})
	sub, _ := bus.Subscribe(t.Context(), eventbus.Options{})
	for _, kind := range []string{"a\n\ndata: evil\n\n", "a\rdata: evil\r\r", "\r\n", "", " a ", "é", "a\xff", "\u2028", "a:b"} {
		bus.Publish(eventbus.Input{Type: kind})
		e, _ := sub.TryNext()
		out, err := sse.AppendFrame([]byte("before"), e, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		all := read(&sse.Parser{}, [][]byte{out[len("before"):]})
		if len(all) != 1 || strings.Count(string(out), "\n") != 4 {
			t.Fatalf("type %q: %q is read as %q", kind, out, all)
		}
		envelope, err := sse.DecodeEnvelope([]byte(all[0].Data))
		if want := strings.ToValidUTF8(kind, "\uFFFD"); err != nil || envelope.Type != want {
			t.Errorf("type %q: JSON says %q, %v", kind, envelope.Type, err)
		}
		line := strings.NewReplacer("\r", "\uFFFD", "\n", "\uFFFD").Replace(envelope.Type)
		if line == "" {
			line = "message"
		}
		if all[0].Type != line {
			t.Errorf("type %q: the event line is read as %q, want %q", kind, all[0].Type, line)
		}
	}
}

// EVENTBUS-HTTP-001, EVENTBUS-HTTP-002, EVENTBUS-HTTP-003
func TestLastEventID(t *testing.T) {
	for _, c := range []struct {
		value  []string
		want   string // ids and types of what comes before event 6
		logged int
	}{
		{nil, "", 0},
		{[]string{""}, "", 0},
		{[]string{"3"}, "4 5 replay_complete", 0},
		{[]string{"0"}, "1 2 3 4 5 replay_complete", 0},
		{[]string{"007"}, "state_resync_required 1 2 3 4 5 replay_complete", 0},
		{[]string{"0000000000000000000000005"}, "replay_complete", 0},
		{[]string{"5"}, "replay_complete", 0},
		{[]string{"9007199254740991"}, "state_resync_required 1 2 3 4 5 replay_complete", 0},
		{[]string{"9007199254740992"}, "", 1},
		{[]string{"99999999999999999999999"}, "", 1},
		{[]string{"-1"}, "", 1},
		{[]string{"+5"}, "", 1},
		{[]string{"1.5"}, "", 1},
		{[]string{"5e0"}, "", 1},
		{[]string{"0x5"}, "", 1},
		{[]string{"abc"}, "", 1},
		{[]string{"5, 6"}, "", 1},
		{[]string{"5", "6"}, "", 1},
		{[]string{"", "5"}, "", 1},
		{[]string{"５"}, "", 1},
		{[]string{"٥"}, "", 1},
		{[]string{strings.Repeat("9", 100_000)}, "", 1},
	} {
		for _, d := range dialects {
			var log logged
			bus := newBus(t, eventbus.Config{Dialect: d})
			publish(t, bus, 5)
			h := newHandler(t, bus, sse.Config{Logger: log.logger(slog.LevelInfo)})
			site, stop := serve(t, h)
			var headers []string
			for _, v := range c.value {
				headers = append(headers, "Last-Event-ID", v)
			}
			answer := site.get(t.Context(), "", headers...)
			if answer.StatusCode != 200 {
				t.Errorf("%v: %.40q: status %d, want 200", d, c.value, answer.StatusCode)
			}
			publish(t, bus, 1)
			bus.Close()
			if got, want := kinds(frames(t, rest(t, answer))), strings.TrimSpace(c.want+" 6"); got != want {
				t.Errorf("%v: %.40q: %s, want %s", d, c.value, got, want)
			}
			if log.lines() != c.logged || log.buf.Len() > 400 {
				t.Errorf("%v: %.40q: %d lines logged, want %d: %.300s", d, c.value, log.lines(), c.logged, log.buf.String())
			}
			stop()
		}
	}
}

// EVENTBUS-HTTP-004, EVENTBUS-HTTP-005
func TestMaxQueued(t *testing.T) {
	for query, want := range map[string]int{
		"": 256, "?": 256, "?maxQueued=16": 16, "?maxQueued=2048": 2048, "?maxQueued=016": 16, "?maxQueued=00000000000000000000000256": 256,
		"?maxqueued=1": 256, "?maxQueued[]=16": 256, "?maxQueuedBytes=1": 256, "?maxQueuedBytes=99999999&maxQueued=17": 17, "?max%51ueued=18": 18,
		"?maxQueued=15": 0, "?maxQueued=2049": 0, "?maxQueued=": 0, "?maxQueued": 0, "?maxQueued=abc": 0, "?maxQueued=16.0": 0,
		"?maxQueued=-16": 0, "?maxQueued=1e2": 0, "?maxQueued=%2016": 0, "?maxQueued=16%20": 0, "?maxQueued=+16": 0, "?maxQueued=%2B16": 0,
		"?maxQueued=16&maxQueued=16": 0, "?maxQueued=%zz": 0, "?maxQueued=16;": 0, "?maxQueued=%EF%BC%91%EF%BC%96": 0,
		"?maxQueued=99999999999999999999": 0, "?maxQueued=0x20": 0,
	} {
		for _, d := range dialects {
			bus := newBus(t, eventbus.Config{Dialect: d})
			site, stop := serve(t, newHandler(t, bus, sse.Config{}))
			answer := site.get(t.Context(), query)
			if want == 0 {
				var body struct{ Error, Code string }
				err := json.NewDecoder(answer.Body).Decode(&body)
				if answer.StatusCode != 400 || err != nil || body.Code != "invalid_max_queued" || body.Error == "" {
					t.Errorf("%v: %s: status %d, %+v %v, want 400 invalid_max_queued", d, query, answer.StatusCode, body, err)
				}
			} else if subs := bus.Snapshot().Subscribers; answer.StatusCode != 200 || len(subs) != 1 || subs[0].MaxQueued != want {
				t.Errorf("%v: %s: status %d, %+v, want maxQueued %d", d, query, answer.StatusCode, subs, want)
			}
			bus.Close()
			stop()
		}
	}
}

// EVENTBUS-HTTP-007
func TestEpoch(t *testing.T) {
	for _, c := range []struct {
		epoch, cursor string
		want          string
		logged        int
	}{
		{"", "2", "3 replay_complete", 0},
		{"right", "2", "3 replay_complete", 0},
		{"wrong", "2", "state_resync_required 1 2 3 replay_complete", 0},
		{"wrong", "", "", 0},
		{"bad epoch!", "2", "3 replay_complete", 1},
		{strings.Repeat("a", 65), "2", "3 replay_complete", 1},
		{strings.Repeat("a", 64), "2", "state_resync_required 1 2 3 replay_complete", 0},
		{"é", "2", "3 replay_complete", 1},
		{"AZaz09_-", "2", "state_resync_required 1 2 3 replay_complete", 0},
		{"a@", "2", "3 replay_complete", 1},
		{"a[", "2", "3 replay_complete", 1},
		{"a`", "2", "3 replay_complete", 1},
		{"a{", "2", "3 replay_complete", 1},
		{"a/", "2", "3 replay_complete", 1},
		{"a:", "2", "3 replay_complete", 1},
	} {
		for _, d := range dialects {
			var log logged
			bus := newBus(t, eventbus.Config{Dialect: d})
			publish(t, bus, 3)
			site, stop := serve(t, newHandler(t, bus, sse.Config{Logger: log.logger(slog.LevelInfo)}))
			headers := []string{"Last-Event-ID", c.cursor, sse.EpochHeader, c.epoch}
			if c.epoch == "right" {
				headers[3] = bus.Epoch()
			}
			answer := site.get(t.Context(), "", headers...)
			want, lines := c.want, c.logged
			if d == eventbus.Seed {
				if lines = 0; c.cursor != "" {
					want = "3 replay_complete"
				}
			}
			if got := answer.Header.Get(sse.EpochHeader); got != bus.Epoch() || (got == "") != (d == eventbus.Seed) {
				t.Errorf("%v: epoch header %q, bus %q", d, got, bus.Epoch())
			}
			bus.Close()
			if got := kinds(frames(t, rest(t, answer))); got != want || log.lines() != lines {
				t.Errorf("%v: epoch %.70q cursor %q: %s and %d lines logged, want %s and %d", d, c.epoch, c.cursor, got, log.lines(), want, lines)
			}
			stop()
		}
	}
}

// EVENTBUS-HTTP-008
func TestSnapshot(t *testing.T) {
	mode := "plan"
	for _, c := range []struct {
		query, cursor string
		want          string
	}{
		{"?snapshot=1", "", "session_snapshot 4"},
		{"?snapshot=1", "2", "3 replay_complete session_snapshot 4"},
		{"?snapshot=1", "abc", "session_snapshot 4"},
		{"?snapshot=true", "", "4"},
		{"?snapshot=01", "2", "3 replay_complete 4"},
		{"?snapshot=1&snapshot=1", "", "4"},
		{"", "", "4"},
	} {
		for _, d := range dialects {
			bus := newBus(t, eventbus.Config{Dialect: d})
			publish(t, bus, 3)
			site, stop := serve(t, newHandler(t, bus, sse.Config{Snapshot: func() sse.Snapshot {
				return sse.Snapshot{SessionID: "s1", CurrentApprovalMode: &mode, RecordingDegraded: true}
			}}))
			answer := site.get(t.Context(), c.query, "Last-Event-ID", c.cursor)
			publish(t, bus, 1)
			bus.Close()
			all := frames(t, rest(t, answer))
			want := c.want
			if d == eventbus.Seed {
				want = strings.ReplaceAll(strings.ReplaceAll(want, "session_snapshot ", ""), "  ", " ")
			}
			if got := kinds(all); got != want {
				t.Errorf("%v: %s cursor %q: %s, want %s", d, c.query, c.cursor, got, want)
			}
			for _, w := range all {
				if w.kind != "session_snapshot" {
					continue
				}
				data := map[string]any{"sessionId": "s1", "currentModelId": nil, "currentApprovalMode": "plan", "recordingDegraded": true}
				if diff := cmp.Diff(data, w.json["data"]); diff != "" || w.json["v"] != 1.0 {
					t.Errorf("%v: (-want +got)\n%s", w.json, diff)
				}
				if meta, _ := w.json["_meta"].(map[string]any); meta["serverTimestamp"] == nil {
					t.Errorf("no timestamp in %v", w.json)
				}
			}
			stop()
		}
	}
}

// EVENTBUS-HTTP-009
func TestMethodsAndHeaders(t *testing.T) {
	for _, d := range dialects {
		bus := newBus(t, eventbus.Config{Dialect: d})
		h := newHandler(t, bus, sse.Config{})
		for method, want := range map[string]int{
			"HEAD": 200, "POST": 405, "PUT": 405, "DELETE": 405, "OPTIONS": 405, "PATCH": 405, strings.Repeat("X", 5000): 405,
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, "/", nil))
			if w.Code != want || bus.SubscriberCount() != 0 {
				t.Errorf("%v: %.20s: status %d and %d subscribers, want %d and none", d, method, w.Code, bus.SubscriberCount(), want)
			}
			if want == 405 && (w.Header().Get("Allow") != "GET, HEAD" || !json.Valid(w.Body.Bytes()) || w.Body.Len() > 300) {
				t.Errorf("%v: %.20s: Allow %q, body %.400s", d, method, w.Header().Get("Allow"), w.Body)
			}
			if want == 200 && (w.Header().Get("Content-Type") != "text/event-stream" || w.Body.Len() != 0) {
				t.Errorf("%v: HEAD: type %q, body %q", d, w.Header().Get("Content-Type"), w.Body)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("HEAD", "/?maxQueued=1", nil))
		if w.Code != 400 {
			t.Errorf("%v: HEAD with a bad maxQueued: status %d, want 400", d, w.Code)
		}
		w = httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", strings.NewReader("body")))
		if w.Code != 400 || bus.SubscriberCount() != 0 {
			t.Errorf("%v: GET with a body: status %d, want 400", d, w.Code)
		}
		site, stop := serve(t, h)
		answer := site.get(t.Context(), "")
		for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform"} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%v: %s is %q, want %q", d, name, got, want)
			}
		}
		bus.Close()
		stop()
	}
}

// EVENTBUS-LIMIT-004
func TestLimitSeed(t *testing.T) {
	bus := newBus(t, eventbus.Config{})
	site, stop := serve(t, newHandler(t, bus, sse.Config{}))
	for range 64 {
		site.get(t.Context(), "")
	}
	answer := site.get(t.Context(), "", "Last-Event-ID", "0")
	all := frames(t, rest(t, answer))
	if answer.StatusCode != 200 || kinds(all) != "stream_error" {
		t.Fatalf("stream 65: status %d and %s, want 200 and stream_error", answer.StatusCode, kinds(all))
	}
	data, _ := all[0].json["data"].(map[string]any)
	if data["error"] != "EventBus subscriber limit reached (64)" || len(data) != 1 {
		t.Errorf("stream 65: data %v", data)
	}
	if bus.SubscriberCount() != 64 {
		t.Errorf("%d subscribers after a refusal", bus.SubscriberCount())
	}
	bus.Close()
	stop()
}

// EVENTBUS-LIMIT-005
func TestLimitLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := newBus(t, eventbus.Config{Dialect: eventbus.Later})
		site, stop := serve(t, newHandler(t, bus, sse.Config{}))
		var first *http.Response
		for range 64 {
			first = site.get(t.Context(), "")
		}
		answer := site.get(t.Context(), "")
		body := rest(t, answer)
		want := `{"error":"EventBus subscriber limit reached (64)","code":"subscriber_limit_exceeded","limit":64}`
		if answer.StatusCode != 429 || answer.Header.Get("Retry-After") != "5" || body != want {
			t.Errorf("stream 65: %d, Retry-After %q, %s, want 429, 5, %s", answer.StatusCode, answer.Header.Get("Retry-After"), body, want)
		}
		first.Body.Close()
		synctest.Wait()
		if answer := site.get(t.Context(), ""); answer.StatusCode != 200 {
			t.Errorf("after one left: status %d, want 200", answer.StatusCode)
		}
		bus.Close()
		stop()
	})
}

// EVENTBUS-SSE-005
func TestEvictionReachesTheClient(t *testing.T) {
	for _, d := range dialects {
		synctest.Test(t, func(t *testing.T) {
			bus := newBus(t, eventbus.Config{Dialect: d})
			site, stop := serve(t, newHandler(t, bus, sse.Config{Heartbeat: -1}))
			answer := site.get(t.Context(), "?maxQueued=16")
			synctest.Wait()
			publish(t, bus, 300)
			if n := bus.SubscriberCount(); n != 0 {
				t.Errorf("%v: %d subscribers after the burst, want 0: the reader is evicted", d, n)
			}
			all := frames(t, rest(t, answer))
			last := all[len(all)-1]
			if last.kind != "client_evicted" || last.id != "" {
				t.Errorf("%v: the last frame is %+v, want client_evicted", d, last)
			}
			data, _ := last.json["data"].(map[string]any)
			if data["reason"] != "queue_overflow" || data["maxQueued"] != 16.0 {
				t.Errorf("%v: data %v", d, data)
			}
			if got := kinds(all[:1]); got != "1" || !strings.Contains(kinds(all), "slow_client_warning") {
				t.Errorf("%v: frames %s", d, kinds(all))
			}
			bus.Close()
			stop()
		})
	}
}

// EVENTBUS-SSE-006
func TestStreamErrorIsFinal(t *testing.T) {
	bus := newBus(t, eventbus.Config{})
	var log logged
	site, stop := serve(t, newHandler(t, bus, sse.Config{Logger: log.logger(slog.LevelInfo)}))
	answer := site.get(t.Context(), "")
	publish(t, bus, 1)
	bus.Publish(eventbus.Input{Type: "bad", Value: func() {}})
	publish(t, bus, 1)
	all := frames(t, rest(t, answer))
	if kinds(all) != "1 stream_error" {
		t.Fatalf("%s, want 1 stream_error", kinds(all))
	}
	data, _ := all[1].json["data"].(map[string]any)
	if s, _ := data["error"].(string); s == "" || log.lines() != 1 {
		t.Errorf("data %v, %d lines logged", data, log.lines())
	}
	bus.Close()
	stop()
}

// EVENTBUS-CLOSE-001
func TestClosedBusEndsStreamsCleanly(t *testing.T) {
	bus := newBus(t, eventbus.Config{})
	site, stop := serve(t, newHandler(t, bus, sse.Config{}))
	answer := site.get(t.Context(), "")
	publish(t, bus, 40)
	bus.Close()
	if got := len(frames(t, rest(t, answer))); got != 40 {
		t.Errorf("%d frames, want the 40 that were published", got)
	}
	// EVENTBUS-CLOSE-003
	answer = site.get(t.Context(), "", "Last-Event-ID", "0")
	if body := rest(t, answer); body != "retry: 3000\n\n" {
		t.Errorf("a stream of a closed bus is %q", body)
	}
	stop()
}

// EVENTBUS-HTTP-006
func TestResumeEqualsTheBus(t *testing.T) {
	for _, d := range dialects {
		bus := newBus(t, eventbus.Config{Dialect: d, RingSize: 5})
		publish(t, bus, 12)
		h := newHandler(t, bus, sse.Config{})
		for cursor := range 15 {
			sub, err := bus.Subscribe(t.Context(), eventbus.Options{After: eventbus.After(int64(cursor))})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for e, ok := sub.TryNext(); ok; e, ok = sub.TryNext() {
				out, err := sse.AppendFrame(nil, e, time.UnixMilli(0))
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, kinds(frames(t, "retry: 3000\n\n"+string(out))))
			}
			sub.Abort()
			site, stop := serve(t, h)
			answer := site.get(t.Context(), "", "Last-Event-ID", fmt.Sprint(cursor))
			var body []byte
			buf := make([]byte, 1)
			for strings.Count(string(body), "\n\n") < len(want)+1 {
				if _, err := io.ReadFull(answer.Body, buf); err != nil {
					t.Fatal(err)
				}
				body = append(body, buf...)
			}
			if got := kinds(frames(t, string(body))); got != strings.Join(want, " ") {
				t.Errorf("%v: cursor %d: %s, want %s", d, cursor, got, want)
			}
			answer.Body.Close()
			stop()
		}
		bus.Close()
	}
}

// A writer that fails ends the stream and frees the slot, also when nobody ends the request.
func TestBrokenWriter(t *testing.T) {
	for most, want := range map[int]int{0: 0, 1: 1} {
		var log logged
		bus := newBus(t, eventbus.Config{MaxSubscribers: 1})
		h := newHandler(t, bus, sse.Config{Logger: log.logger(slog.LevelDebug)})
		if most == 0 {
			// EVENTBUS-LIMIT-004: one for whom there is no room is told so in a stream.
			if _, err := bus.Subscribe(t.Context(), eventbus.Options{}); err != nil {
				t.Fatal(err)
			}
			want++
		}
		h.ServeHTTP(broken{httptest.NewRecorder()}, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		if n := bus.SubscriberCount(); n != 1-most {
			t.Errorf("%d subscribers, want %d", n, 1-most)
		}
		if !strings.Contains(log.buf.String(), "event stream ended early") || log.lines() != want+1-most {
			t.Errorf("logged %q", log.buf.String())
		}
	}
}

// A stream that ends as it should is nothing to log.
func TestGoodStreamsAreNotLogged(t *testing.T) {
	var log logged
	bus := newBus(t, eventbus.Config{})
	bus.Close()
	newHandler(t, bus, sse.Config{Logger: log.logger(slog.LevelDebug)}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	if log.lines() != 0 {
		t.Errorf("logged %q", log.buf.String())
	}
}

// writes notes what is written at a time, and closes the bus at the end of a replay.
type writes struct {
	*httptest.ResponseRecorder
	sizes *[]int
	bus   *eventbus.Bus
}

func (w writes) Write(p []byte) (int, error) {
	*w.sizes = append(*w.sizes, len(p))
	if strings.Contains(string(p), "replay_complete") {
		w.bus.Close()
	}
	return w.ResponseRecorder.Write(p)
}

// A long replay is written in pieces of about 16 KiB, however many events it has, and all of it.
func TestReplaysAreWrittenInPieces(t *testing.T) {
	const events, size = 100, 1 << 10
	bus := newBus(t, eventbus.Config{})
	for range events {
		bus.Publish(eventbus.Input{Type: "t", Data: payload(t, strings.Repeat("x", size))})
	}
	var sizes []int
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	request.Header.Set("Last-Event-ID", "0")
	newHandler(t, bus, sse.Config{}).ServeHTTP(writes{recorder, &sizes, bus}, request)
	if got := frames(t, recorder.Body.String()); len(got) != events+1 {
		t.Errorf("%d frames, want %d and the end of the replay", len(got), events)
	}
	if len(sizes) > 10 || slices.Max(sizes) > 16<<10+2*size {
		t.Errorf("written in pieces of %v octets", sizes)
	}
}

type broken struct{ *httptest.ResponseRecorder }

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// What is published while the gate is held comes to a reader in one go: it makes no room meanwhile.
func TestGate(t *testing.T) {
	var gate sync.RWMutex
	bus := newBus(t, eventbus.Config{})
	site, stop := serve(t, newHandler(t, bus, sse.Config{Gate: &gate}))
	answer := site.get(t.Context(), "?maxQueued=16")
	body := make(chan string)
	go func() { body <- rest(t, answer) }()
	for !bus.Snapshot().Subscribers[0].Waiting {
		runtime.Gosched()
	}
	gate.Lock()
	for i := range 18 {
		publish(t, bus, 1)
		for range 1000 {
			runtime.Gosched()
		}
		// EVENTBUS-QUEUE-003: the first is handed over, 16 wait, the next is one too many.
		if n := bus.SubscriberCount(); (n == 0) != (i == 17) {
			t.Fatalf("%d subscribers after event %d", n, i+1)
		}
	}
	gate.Unlock()
	if got := kinds(frames(t, <-body)); got != "1 2 3 4 5 6 7 8 9 10 11 12 13 slow_client_warning 14 15 16 17 client_evicted" {
		t.Errorf("frames %s", got)
	}
	bus.Close()
	stop()
}

// deadlines notes the write deadlines of a connection.
type deadlines struct {
	*httptest.ResponseRecorder
	all *[]time.Time
}

func (d deadlines) SetWriteDeadline(at time.Time) error {
	*d.all = append(*d.all, at)
	return nil
}

// The next request on a connection must not run into the write deadline of the last stream.
func TestConnectionIsLeftAsItWasFound(t *testing.T) {
	bus := newBus(t, eventbus.Config{})
	bus.Close()
	var all []time.Time
	newHandler(t, bus, sse.Config{}).ServeHTTP(deadlines{httptest.NewRecorder(), &all}, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	set := slices.ContainsFunc(all, func(at time.Time) bool { return !at.IsZero() })
	if !set || !all[len(all)-1].IsZero() {
		t.Errorf("write deadlines %v, want one while writing and none in the end", all)
	}
}

func TestConfigIsChecked(t *testing.T) {
	bus := newBus(t, eventbus.Config{})
	for least, good := range map[time.Duration]bool{time.Millisecond: true, time.Millisecond - 1: false} {
		if _, err := sse.NewHandler(bus, sse.Config{WriterIdle: least}); (err == nil) != good {
			t.Errorf("WriterIdle %v: %v", least, err)
		}
	}
	if _, err := sse.NewHandler(bus, sse.Config{WriterIdle: -1}); err == nil || !strings.Contains(err.Error(), "WriterIdle") {
		t.Errorf("%v, want an error that names WriterIdle", err)
	}
}
