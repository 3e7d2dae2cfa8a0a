package eventbusmodel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestParseStream holds what the check lines of the laws say of one body.
func TestParseStream(t *testing.T) {
	for _, tc := range []struct{ law, body, want string }{
		{"EVENTBUS-SSE-010", "data: a\n\ndata: b\r\n\r\ndata: c\n\n", "message a; message b; message c"},
		{"EVENTBUS-SSE-011", ": x\nretry: 5\ndata: a\n\n", "message a; retry 5"},
		{"EVENTBUS-SSE-012", "data: {\ndata:  1}\n\ndata:{}\n\n", "message {\\n 1}; message {}"},
		{"EVENTBUS-WHATWG-001", "data: a\xffb\n\ndata: \xe2\x82\n\ndata: \xf0\x9f\x98\n\ndata: é€😀\n\n", "message a\ufffdb; message \ufffd; message \ufffd; message é€😀"},
		{"EVENTBUS-WHATWG-001", "data: \xe0\x80\xaf\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\n\n", "message " + strings.Repeat("\ufffd", 12)},
		{"EVENTBUS-WHATWG-002", "\ufeffdata: a\n\n", "message a"},
		{"EVENTBUS-WHATWG-002", "\ufeff\ufeffdata: a\n\ndata: \ufeffb\n\n", "message \ufeffb"},
		{"EVENTBUS-WHATWG-003", "data: a\rdata: b\n\rdata: c\r\r\n", "message a\\nb; message c"},
		{"EVENTBUS-WHATWG-005", ": a\n:\ndata: a\n:data: b\n\n", "message a"},
		{"EVENTBUS-WHATWG-006", "data:x\n\ndata: x\n\ndata:  x\n\ndata:\tx\n\ndata: x \n\ndata:a:b:\n\n", "message x; message x; message  x; message \tx; message x ; message a:b:"},
		{"EVENTBUS-WHATWG-007", "id: 1\ndata: a\n\ndata\nid\nevent: t\nevent\n\n", "message a #1; message "},
		{"EVENTBUS-WHATWG-008", "Data: a\nDATA: a\n data: a\ndata : a\ndatum: a\ndat: a\ndata: b\n\n", "message b"},
		{"EVENTBUS-WHATWG-009", "data: a\n\ndata: b\n\n\ndata: c\n\n\n\n\n\n", "message a; message b; message c"},
		{"EVENTBUS-WHATWG-011", "data: a\ndata:\ndata: b\n\ndata:\ndata:\n\ndata: a\ndata\n\n", "message a\\n\\nb; message \\n; message a\\n"},
		{"EVENTBUS-WHATWG-012", "event: a\n\nid: 1\n\nretry: 1\n\n:\n\ndata: x\n\n", "message x #1; retry 1"},
		{"EVENTBUS-WHATWG-013", "data:\n\ndata: \n\ndata\n\n", "message ; message ; message "},
		{"EVENTBUS-WHATWG-014", "event: update\ndata: a\n\nevent: b\nevent: c\ndata: a\n\nevent:\ndata: a\n\n", "update a; c a; message a"},
		{"EVENTBUS-WHATWG-015", "event: update\ndata: a\n\ndata: b\n\n", "update a; message b"},
		{"EVENTBUS-WHATWG-016", "data: a\n\ndata: b\n", "message a"},
		{"EVENTBUS-WHATWG-016", "data: a\n\ndata: b", "message a"},
		{"EVENTBUS-WHATWG-017", "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n", "message a #1; message b #1; message c #2; last 2"},
		{"EVENTBUS-WHATWG-018", "id: 1\ndata: a\n\nid: 2\x003\ndata: b\n\n", "message a #1; message b #1; last 1"},
		{"EVENTBUS-WHATWG-019", "id: 1\ndata: a\n\nid:\ndata: b\n\n", "message a #1; message b"},
		{"EVENTBUS-WHATWG-020", "id: 1\ndata: a\n\nid: 2\ndata: x\n", "message a #1; last 1"},
		{"EVENTBUS-WHATWG-021", "id: 1\ndata: a\n\nid: 7\n\n", "message a #1; last 7"},
		{"EVENTBUS-WHATWG-022", "id: 9\n\nid: 5\n\nid: a b\n\n", "last a b"},
		{"EVENTBUS-WHATWG-023", "retry: 2500\n", "retry 2500"},
		{"EVENTBUS-WHATWG-023", "retry: 2500\n\nretry: 1\n", "retry 1"},
		{"EVENTBUS-WHATWG-024", "retry: 2000\nretry: 1x\nretry: +1\nretry: -1\nretry: 1.5\nretry: 1e0\nretry: 1 \nretry:  1\nretry: １\n", "retry 2000"},
	} {
		if got := telling(ParseStream([]byte(tc.body))); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: %q\n got %s\nwant %s", tc.law, tc.body, got, tc.want)
		}
	}
	if got := ParseStreamAfter("5", []byte("data: a\n\n")); telling(got) != "message a #5; last 5" {
		t.Errorf("EVENTBUS-WHATWG-027: %s", telling(got))
	}
}

func telling(s Stream) string {
	var out []string
	for _, e := range s.Events {
		text := e.Type + " " + strings.ReplaceAll(e.Data, "\n", `\n`)
		if e.LastEventID != "" {
			text += " #" + e.LastEventID
		}
		out = append(out, text)
	}
	if s.Retried {
		out = append(out, fmt.Sprintf("retry %d", s.Retry))
	}
	if s.LastEventID != "" {
		out = append(out, "last "+s.LastEventID)
	}
	return strings.Join(out, "; ")
}

// TestParseStreamLineEndings: a body means the same with any ending of its lines, and mixed ones. EVENTBUS-WHATWG-003
func TestParseStreamLineEndings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{"", "data: a", "data", "id: 1", "event: e", ": c", "retry: 7", "data:  x:y"})).Draw(t, "lines")
		endings := rapid.SliceOfN(rapid.SampledFrom([]string{"\n", "\r", "\r\n"}), len(lines), len(lines)).Draw(t, "endings")
		var mixed, plain strings.Builder
		for i, line := range lines {
			// CR before a line that begins with LF would be one ending: an empty line keeps the one before it apart.
			if i > 0 && line == "" && endings[i-1] == "\r" && endings[i] == "\n" {
				endings[i] = "\r"
			}
			mixed.WriteString(line + endings[i])
			plain.WriteString(line + "\n")
		}
		a, b := ParseStream([]byte(mixed.String())), ParseStream([]byte(plain.String()))
		if !slices.Equal(a.Events, b.Events) || a.LastEventID != b.LastEventID || a.Retry != b.Retry {
			t.Fatalf("%q: %s\n%q: %s", mixed.String(), telling(a), plain.String(), telling(b))
		}
	})
}

// TestDecodeEnvelope: EVENTBUS-SSE-013
func TestDecodeEnvelope(t *testing.T) {
	for _, tc := range []struct {
		data string
		id   int64 // -1: skipped
	}{
		{`{"v":1,"type":"a"}`, 0},
		{`{"v":1,"type":"","data":null}`, 0},
		{`{"v":1.0,"type":"a","id":3}`, 3},
		{`{"v":10e-1,"type":"a","id":3.0}`, 3},
		{`{"v":1,"type":"a","id":9007199254740991}`, maxSafeInteger},
		{`{"v":1,"type":"a","id":9007199254740992}`, -1},
		{`{"v":1,"type":"a","id":0}`, -1},
		{`{"v":1,"type":"a","id":-1}`, -1},
		{`{"v":1,"type":"a","id":1.5}`, -1},
		{`{"v":1,"type":"a","id":"3"}`, -1},
		{`{"v":1,"type":"a","id":null}`, -1},
		{`{"v":1,"type":"a","id":1e400}`, -1},
		{`{"v":"1","type":"a"}`, -1},
		{`{"v":2,"type":"a"}`, -1},
		{`{"type":"a"}`, -1},
		{`{"v":1}`, -1},
		{`{"v":1,"type":1}`, -1},
		{`[{"v":1,"type":"a"}]`, -1},
		{`null`, -1},
		{`"a"`, -1},
		{``, -1},
		{`{"v":1,"type":"a"} x`, -1},
		{`not json`, -1},
	} {
		e, ok := DecodeEnvelope(tc.data)
		if ok != (tc.id >= 0) || ok && (e.ID != tc.id || e.HasID != (tc.id > 0)) {
			t.Errorf("%s: %+v %t, want id %d", tc.data, e, ok, tc.id)
		}
	}
	// EVENTBUS-SSE-011: the id line is nothing to an envelope.
	body := "id: 9\nevent: other\ndata: {\"v\":1,\"type\":\"a\",\"id\":3}\n\ndata: {}\n\ndata: {\"v\":1,\ndata: \"type\":\"b\"}\n\n"
	if got := ReadEnvelopes([]byte(body)); len(got) != 2 || got[0].ID != 3 || got[0].Type != "a" || got[1].Type != "b" {
		t.Errorf("%+v", got)
	}
}
