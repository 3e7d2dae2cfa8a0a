package slogsink_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/observe/slogsink"
)

func line(t *testing.T, level slog.Level, use func(b observe.Bag)) map[string]any {
	t.Helper()
	var out bytes.Buffer
	s := slogsink.New(slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: level})))
	use(observe.Bag{Logger: s, Metrics: s, Events: s})
	if out.Len() == 0 {
		return nil
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("one line of JSON expected, found %q: %v", out.String(), err)
	}
	delete(got, "time")
	return got
}

func TestKeysAreFixed(t *testing.T) { // SUBSTRATE-OBSERVE-001
	full := observe.Fields{
		Peer: "p", Conn: "c", Obj: "o", ObjKind: "session", Verb: "send", ID: "i", Code: "closed", From: 2, To: 3, Unknown: true,
		Err: errors.New("why"),
	}
	fields := map[string]any{
		"peer": "p", "conn": "c", "obj": "o", "objKind": "session", "verb": "send", "id": "i", "code": "closed", "from": 2.0, "to": 3.0,
		"unknown": true, "error": "why",
	}
	with := func(more map[string]any) map[string]any {
		for k, v := range fields {
			if _, ok := more[k]; !ok {
				more[k] = v
			}
		}
		return more
	}
	for _, c := range []struct {
		name string
		use  func(observe.Bag)
		want map[string]any
	}{
		{"line", func(b observe.Bag) { b.Log(observe.Warn, "hello", full) }, with(map[string]any{"level": "WARN", "msg": "hello"})},
		{"bare line", func(b observe.Bag) { b.Log(observe.Error, "x", observe.Fields{}) }, map[string]any{"level": "ERROR", "msg": "x"}},
		{"event", func(b observe.Bag) {
			b.Emit(observe.Event{Name: observe.EventFutile, Level: observe.Info, At: time.Unix(0, 0).UTC(), Fields: full})
		}, with(map[string]any{"level": "INFO", "msg": observe.EventFutile, "event": observe.EventFutile, "at": "1970-01-01T00:00:00Z"})},
		{"count", func(b observe.Bag) {
			b.Count(observe.AuthorizeDenied, observe.Labels{Verb: "send", ObjKind: "queue", Code: "unauthorized"}, 1)
		}, map[string]any{
			"level": "DEBUG", "msg": "count", "metric": observe.AuthorizeDenied, "value": 1.0, "verb": "send", "objKind": "queue", "code": "unauthorized",
		}},
		{
			"gauge", func(b observe.Bag) { b.Gauge(observe.OutboxDepth, observe.Labels{Obj: "o"}, 0) },
			map[string]any{"level": "DEBUG", "msg": "gauge", "metric": observe.OutboxDepth, "value": 0.0, "obj": "o"},
		},
		{
			"observe", func(b observe.Bag) { b.Observe(observe.AckLatency, observe.Labels{}, 1500*time.Microsecond) },
			map[string]any{"level": "DEBUG", "msg": "observe", "metric": observe.AckLatency, "value": 1.5},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, line(t, slog.LevelDebug, c.use)); diff != "" {
				t.Errorf("line (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLevelsAreKept(t *testing.T) {
	levels := []observe.Level{observe.Debug, observe.Info, observe.Warn, observe.Error}
	for i, floor := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError} {
		for j, l := range levels {
			logged := line(t, floor, func(b observe.Bag) { b.Log(l, "x", observe.Fields{}) }) != nil
			emitted := line(t, floor, func(b observe.Bag) { b.Emit(observe.Event{Level: l}) }) != nil
			if logged != (j >= i) || emitted != (j >= i) {
				t.Errorf("%v on a handler of %v: logged %t, emitted %t", l, floor, logged, emitted)
			}
		}
		if measured := line(t, floor, func(b observe.Bag) { b.Count("n", observe.Labels{}, 1) }) != nil; measured != (i == 0) {
			t.Errorf("measurement on a handler of %v: written %t", floor, measured)
		}
	}
}

func TestNilIsTheDefaultLogger(t *testing.T) {
	old := slog.Default()
	defer slog.SetDefault(old)
	var out strings.Builder
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, nil)))
	slogsink.New(nil).Log(observe.Info, "found me", observe.Fields{})
	if !strings.Contains(out.String(), "found me") {
		t.Errorf("the default logger has %q", out.String())
	}
}

func ExampleConsole() {
	w := &withoutTime{}
	b := slogsink.Console(w)
	b.Emit(observe.Event{Name: observe.EventFutile, Level: observe.Warn, Fields: observe.Fields{Obj: "jobs", ID: "M-1", Code: "closed"}})
	// Output:
	// level=WARN msg=bridge/futile event=bridge/futile obj=jobs id=M-1 code=closed
}

type withoutTime struct{}

func (*withoutTime) Write(p []byte) (int, error) {
	_, rest, _ := strings.Cut(string(p), " ")
	if _, err := os.Stdout.WriteString(rest); err != nil {
		return 0, err
	}
	return len(p), nil
}
