package sse_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/eventbus"
	"github.com/seed-6f28358b/assay/impl/eventbus/reducer"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// EVENTBUS-SSE-013
func TestBadEnvelopes(t *testing.T) {
	for field, list := range map[string][]string{
		"": {
			"", "hello", "{", `{"v":1,"type":"x"`, `{"v":1,"type":"x"}}`, "null", "true", "7", `"x"`, "[]", `[{"v":1,"type":"x"}]`, "\ufeff{\"v\":1,\"type\":\"x\"}",
			`{'v':1,'type':'x'}`, `{"v":1,"type":"x",}`, `{"v":1,"type":"x","data":NaN}`, strings.Repeat("[", 100_000),
		},
		"v": {
			`{}`, `{"type":"x"}`, `{"v":2,"type":"x"}`, `{"v":"1","type":"x"}`, `{"v":true,"type":"x"}`, `{"v":null,"type":"x"}`, `{"v":1.5,"type":"x"}`,
			`{"v":[1],"type":"x"}`, `{"V":1,"type":"x"}`, `{"v":1,"v":2,"type":"x"}`, `{"v":-1,"type":"x"}`,
		},
		"type": {`{"v":1}`, `{"v":1,"type":7}`, `{"v":1,"type":null}`, `{"v":1,"type":["x"]}`, `{"v":1,"Type":"x"}`, `{"v":1,"type":"x","type":1}`},
		"id": {
			`{"v":1,"type":"x","id":0}`, `{"v":1,"type":"x","id":-1}`, `{"v":1,"type":"x","id":1.5}`, `{"v":1,"type":"x","id":"3"}`, `{"v":1,"type":"x","id":null}`,
			`{"v":1,"type":"x","id":9007199254740992}`, `{"v":1,"type":"x","id":1e999}`, `{"v":1,"type":"x","id":-0}`, `{"v":1,"type":"x","id":[]}`, `{"v":1,"type":"x","\u0069d":0}`,
		},
	} {
		for _, data := range list {
			e, err := sse.DecodeEnvelope([]byte(data))
			var bad *sse.EnvelopeError
			if !errors.As(err, &bad) || bad.Field != field || len(err.Error()) > 200 {
				t.Errorf("%.60q: %+v, %v, want an EnvelopeError of field %q", data, e, err, field)
			}
		}
	}
}

// What an error shows of a frame is cut behind 64 octets, and a frame of 64 is whole.
func TestErrorsShowFramesInPart(t *testing.T) {
	for size, want := range map[int]string{64: strings.Repeat("x", 64), 65: strings.Repeat("x", 64) + "..."} {
		_, err := sse.DecodeEnvelope([]byte(strings.Repeat("x", size)))
		var bad *sse.EnvelopeError
		if !errors.As(err, &bad) || bad.Found != want {
			t.Errorf("a frame of %d octets: %v, want it to show %s", size, err, want)
		}
	}
}

// EVENTBUS-SSE-013
func TestGoodEnvelopes(t *testing.T) {
	for data, want := range map[string]sse.Envelope{
		`{"v":1,"type":"x"}`:                                      {Type: "x"},
		` { "v" : 1.0 , "type" : "" } `:                           {},
		`{"v":10e-1,"type":"x","id":9007199254740991}`:            {Type: "x", ID: 9007199254740991},
		`{"v":1,"type":"x","_meta":{"serverTimestamp":0.5}}`:      {Type: "x", Timestamp: 0.5},
		`{"v":1,"type":"x","id":9}`:                               {Type: "x", ID: 9},
		`{"v":1,"type":"x","id":1e3,"data":null}`:                 {Type: "x", ID: 1000, Data: json.RawMessage("null")},
		`{"v":1,"type":"x","id":2.0,"data":{"id":0,"v":[2,"]"]}}`: {Type: "x", ID: 2, Data: json.RawMessage(`{"id":0,"v":[2,"]"]}`)},
		`{"\u0076":1,"type":"\"}\\","ID":0,"data":"a\\"}`:         {Type: `"}\`, Data: json.RawMessage(`"a\\"`)},
		`{"v":2,"v":1,"type":7,"type":"x","id":null,"id":4}`:      {Type: "x", ID: 4},
		`{"v":1,"type":"x","originatorClientId":"c","_meta":{"a":{"serverTimestamp":1},"serverTimestamp":-1.5}}`: {Type: "x", Originator: "c", Timestamp: -1.5},
		`{"v":1,"type":"x","originatorClientId":7,"_meta":[5],"data":[]}`:                                        {Type: "x", Data: json.RawMessage("[]")},
		`{"_meta":{"serverTimestamp":"1"},"data":-1e5,"type":"\ud800","v":1}`:                                    {Type: "\ufffd", Data: json.RawMessage("-1e5")},
		"{\r\n\t\"v\":1,\n\"type\":\"x\",\n\"data\":true}":                                                       {Type: "x", Data: json.RawMessage("true")},
	} {
		got, err := sse.DecodeEnvelope([]byte(data))
		if err != nil {
			t.Errorf("%s: %v", data, err)
			continue
		}
		want.Raw = json.RawMessage(data)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", data, diff)
		}
	}
}

// slowEnvelope decides with the standard library what an envelope is.
func slowEnvelope(data []byte) (id int64, kind string, ok bool) {
	var m map[string]any
	if json.Unmarshal(data, &m) != nil || m == nil {
		return 0, "", false
	}
	v, isNumber := m["v"].(float64)
	kind, isText := m["type"].(string)
	if !isNumber || v != 1 || !isText {
		return 0, "", false
	}
	raw, present := m["id"]
	n, isNumber := raw.(float64)
	if present && (!isNumber || n != math.Trunc(n) || n < 1 || n > 1<<53-1) {
		return 0, "", false
	}
	return int64(n), kind, true
}

func sameEnvelope(t interface {
	Helper()
	Fatalf(string, ...any)
}, data []byte,
) {
	t.Helper()
	id, kind, ok := slowEnvelope(data)
	got, err := sse.DecodeEnvelope(data)
	if (err == nil) != ok || got.ID != id || err == nil && got.Type != kind {
		t.Fatalf("%q: %+v %v, want id %d, type %q, %t", data, got, err, id, kind, ok)
	}
	if ok {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if string(m["data"]) != string(got.Data) {
			t.Fatalf("%q: data %q, want %q", data, got.Data, m["data"])
		}
	}
}

func TestEnvelopesAgreeWithTheStandardLibrary(t *testing.T) {
	part := rapid.SampledFrom([]string{
		`{`, `}`, `[`, `]`, `,`, `:`, `"v":1`, `"type":"x"`, `"id":`, `7`, `-1`, `1.0`, `null`, `"a\"b"`, `"\\"`, ` `, "\n", `"data":{"v":[1,{"a":"}"}]}`, `"_meta":{"serverTimestamp":5}`, `"ID":3`,
	})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "")
		if rapid.Bool().Draw(t, "object") {
			list := rapid.SliceOfN(rapid.SampledFrom([]string{`"v":1`, `"v": 2`, `"type":"x"`, `"type" : 7`, `"id":5`, `"id":0`, `"id":"5"`, `"\u0069d":6`, `"data":[{},"]"]`, `"data":"\"}"`, `"":1`, `"Data":1`}), 0, 6).Draw(t, "members")
			s = "{" + strings.Join(list, ",") + "}"
		}
		sameEnvelope(t, []byte(s))
	})
}

func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{`{"v":1,"type":"x","id":3,"data":{"a":[1,"]"]}}`, `{"v":1.0,"type":"\ud83d"}`, `[]`, `{"\u0076":1,"type":""} `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameEnvelope(t, data) })
}

// What a bus publishes and a handler writes is what a client reads and a view takes.
func TestFramesAreEnvelopes(t *testing.T) {
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab\"\\{}\n\r\x00é日😀\u2028")))
	rapid.Check(t, func(t *rapid.T) {
		bus, err := eventbus.New(eventbus.Config{})
		if err != nil {
			t.Fatal(err)
		}
		in := eventbus.Input{Type: text.Draw(t, "type"), Originator: text.Draw(t, "originator"), Value: map[string]string{text.Draw(t, "key"): text.Draw(t, "value")}}
		sub, _ := bus.Subscribe(t.Context(), eventbus.Options{After: eventbus.After(0)})
		if _, ok := bus.Publish(in); !ok {
			t.Fatal("refused")
		}
		var stream []byte
		for e, ok := sub.TryNext(); ok; e, ok = sub.TryNext() {
			if stream, err = sse.AppendFrame(stream, e, time.UnixMilli(7)); err != nil {
				t.Fatal(err)
			}
		}
		view := reducer.New(reducer.Seed)
		var ids []int64
		for _, m := range read(&sse.Parser{}, cut(stream, rapid.Uint64().Draw(t, "cuts"))) {
			e, err := sse.DecodeEnvelope([]byte(m.Data))
			if err != nil {
				t.Fatalf("%q: %v", m.Data, err)
			}
			ids = append(ids, e.ID)
			view = view.After(reducer.Event(e))
			if e.ID == 1 && (e.Type != in.Type || e.Originator != in.Originator) {
				t.Fatalf("%+v, want %+v", e, in)
			}
		}
		if diff := cmp.Diff([]int64{0, 1}, ids); diff != "" || view.LastEventID != 1 {
			t.Fatalf("ids %v, cursor %d", ids, view.LastEventID)
		}
	})
}
