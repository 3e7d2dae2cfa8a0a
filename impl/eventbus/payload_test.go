package eventbus_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

func TestPayload(t *testing.T) { // EVENTBUS-QUEUE-008
	for _, c := range []struct{ text, want string }{
		{" [ 1 , 2.50 ] ", "[1,2.50]"},
		{`"\u0041\u00e9\u2028\/\u001f\u000a\u0022\u005c\\u0041"`, `"Aé` + "\u2028" + `/\u001f\n\"\\\\u0041"`},
		{`"\uD83D\uDE00\uD83Dx\uDE00\uD83D\u0041"`, `"😀\ud83dx\ude00\ud83dA"`},
		{`"\ud83d"`, `"\ud83d"`},
		{`"\u007f\u0080\u07ff\u0800"`, "\"\x7f\u0080\u07ff\u0800\""},
		{"\"\xff\xc3\"", "\"\uFFFD\uFFFD\""},
		{"\"\x80\"", "\"\uFFFD\""},
		{"null", "null"},
	} {
		same(t, c.text, raw(t, c.text).String(), c.want)
	}
	for _, bad := range []string{"", " ", "{", "1 2", "nul", `"\x"`, "{1:2}"} {
		var e *eventbus.PayloadError
		if _, err := eventbus.Raw([]byte(bad)); !errors.As(err, &e) || e.Error() == "" {
			t.Errorf("Raw(%q) failed with %v", bad, err)
		}
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "null"},
		{map[string]any{"b": "<>&\u2028", "a": 1.5}, `{"a":1.5,"b":"<>&` + "\u2028" + `"}`},
		{json.RawMessage(` { "k" : "\u00e9" } `), `{"k":"é"}`},
		{"\x00\x1f\b\f\x7f", `"\u0000\u001f\b\f` + "\x7f" + `"`},
	} {
		p, err := eventbus.Encode(c.v)
		if err != nil {
			t.Errorf("Encode(%v): %v", c.v, err)
		}
		same(t, "encoded", string(p.JSON()), c.want)
	}
	if _, err := eventbus.Encode(panicking{}); err == nil {
		t.Error("encoded a marshaler that panics")
	}
	var none eventbus.Payload
	if !none.IsZero() || none.JSON() != nil || raw(t, "0").IsZero() {
		t.Error("the zero payload is not the only one that is zero")
	}
}

func TestEventMembers(t *testing.T) {
	inBoth(t, func(t *testing.T, d eventbus.Dialect) {
		meta := map[string]any{"b": 2, "a": 1, "serverTimestamp": 3}
		b := newBus(t, eventbus.Config{Dialect: d})
		e, _ := b.Publish(eventbus.Input{Type: "x", Data: raw(t, "[]"), Value: "not used", Meta: meta})
		meta["a"] = 9
		same(t, "event", text1(t, e), `{"id":1,"v":1,"type":"x","data":[],"_meta":{"serverTimestamp":3,"a":1,"b":2}}`)
		got := maps.Collect(e.Meta())
		if len(got) != 2 || got["a"] != 1 || got["b"] != 2 {
			t.Errorf("members %v", got)
		}
		for k := range e.Meta() {
			same(t, "first", k, "a")
			break
		}
		if text, err := json.Marshal([]*eventbus.Event{e}); err != nil || string(text) != "["+text1(t, e)+"]" {
			t.Errorf("marshaled as %s, %v", text, err)
		}
		e, _ = b.Publish(eventbus.Input{Type: "x"})
		if len(slices.Collect(maps.Keys(maps.Collect(e.Meta())))) != 0 || e.Synthetic() {
			t.Error("an event without members has some")
		}
		same(t, "dialect", b.Dialect(), d)
		if id, ok := eventbus.After(7).ID(); id != 7 || !ok {
			t.Errorf("cursor %d, %v", id, ok)
		}
	})
}
