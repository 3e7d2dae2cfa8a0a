package corpus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/corpus"
)

// goodStreams are vectors that load, one of each op.
const goodStreams = `# head
- name: one
  laws: [EVENTBUS-SSE-015, EVENTBUS-WHATWG-003]
  op: parse
  versions: [later]
  note: why
  limit: 16
  feeds:
    - 'data: a\r'
    - ['\r', {repeat: x, count: 18}]
  want:
    events: [{data: 'a'}, {repeat: {type: t, data: '', id: '1'}, count: 2}]
    lastEventId: '\0'
    retry: [none, 5]
    error: {law: EVENTBUS-SSE-015, feed: 2, offset: 26}
- name: two
  laws: [EVENTBUS-SSE-013]
  op: envelope
  text: 'x'
  want: {envelope: {id: 3, type: 't', originatorClientId: 'c', data: '[1]'}}
- name: three
  laws: [EVENTBUS-SSE-011]
  op: envelopes
  feeds: ['x']
  end: true
  want: {envelopes: [{type: ''}]}
- name: four
  laws: [EVENTBUS-REDUCER-001]
  op: reduce
  frames:
    - frame: '{"type":"t"}'
      view: {lastEventId: 9007199254740991, terminalEvent: t}
      absent: [lastResyncRequired]
    - frame: ' {}'
      unchanged: true
- name: five
  laws: [EVENTBUS-HTTP-001]
  op: cursor
  headers: ['5', '6']
  want: {live: true, breadcrumb: true}
- name: six
  laws: [EVENTBUS-HTTP-004]
  op: max-queued
  query: 'maxQueued=16'
  want: {maxQueued: 16}
`

func loadStreams(vectors string) ([]corpus.EventbusVector, error) {
	return inFile(corpus.LoadEventbusVectors, "v", vectors)
}

func TestLoadEventbusVectors(t *testing.T) {
	got, err := loadStreams(goodStreams)
	if err != nil {
		t.Fatal(err)
	}
	var (
		both  = []string{"seed", "later"}
		cited = func(name string, line int, versions []string, laws ...string) corpus.Citation {
			return corpus.Citation{Name: name, Laws: laws, Versions: versions, Place: corpus.Place{File: "v/a.yaml", Line: line}}
		}
		text    = func(s string) *corpus.Text { t := corpus.Text(s); return &t }
		number  = func(n int64) *int64 { return &n }
		data    = corpus.JSON("[1]")
		limit   = 16
		message = corpus.StreamEvent{Type: "message", Data: corpus.Text("a")}
		typed   = corpus.StreamEvent{Type: "t", Data: corpus.Text{}, ID: corpus.Text("1")}
	)
	want := []corpus.EventbusVector{
		{
			Citation: cited("one", 2, []string{"later"}, "EVENTBUS-SSE-015", "EVENTBUS-WHATWG-003"),
			Op:       corpus.ParseStream, Note: "why", Limit: &limit,
			Feeds: []corpus.Text{corpus.Text("data: a\r"), corpus.Text("\r" + strings.Repeat("x", 18))},
			Want: corpus.EventbusWant{
				Events: corpus.StreamEvents{message, typed, typed}, LastEventID: corpus.Text{0},
				Retry: corpus.Retry{None: true, Allowed: []int64{5}},
				Error: &corpus.StreamError{Law: "EVENTBUS-SSE-015", Feed: 2, Offset: number(26)},
			},
		},
		{
			Citation: cited("two", 16, both, "EVENTBUS-SSE-013"), Op: corpus.ReadEnvelope, Text: text("x"),
			Want: corpus.EventbusWant{Envelope: &corpus.Envelope{
				ID: number(3), Type: text("t"), Originator: text("c"), Data: &data,
			}},
		},
		{
			Citation: cited("three", 21, both, "EVENTBUS-SSE-011"), Op: corpus.ReadEnvelopes,
			Feeds: []corpus.Text{corpus.Text("x")}, End: true,
			Want: corpus.EventbusWant{Envelopes: []corpus.Envelope{{Type: text("")}}},
		},
		{
			Citation: cited("four", 27, both, "EVENTBUS-REDUCER-001"), Op: corpus.ReduceFrames,
			Frames: []corpus.FrameStep{
				{
					Frame: corpus.JSON(`{"type":"t"}`), Absent: []string{"lastResyncRequired"}, Line: 31,
					View: corpus.View{"lastEventId": []byte("9007199254740991"), "terminalEvent": []byte(`"t"`)},
				},
				{Frame: corpus.JSON(" {}"), Unchanged: true, Line: 34},
			},
		},
		{
			Citation: cited("five", 36, both, "EVENTBUS-HTTP-001"), Op: corpus.ReadCursor,
			Headers: []corpus.Text{corpus.Text("5"), corpus.Text("6")},
			Want:    corpus.EventbusWant{Live: true, Breadcrumb: true},
		},
		{
			Citation: cited("six", 41, both, "EVENTBUS-HTTP-004"), Op: corpus.ReadMaxQueued,
			Query: text("maxQueued=16"), Want: corpus.EventbusWant{MaxQueued: number(16)},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the loaded vectors differ (-want +got):\n%s", d)
	}
	if s := string(got[0].Stream()); s != "data: a\r\r"+strings.Repeat("x", 18) {
		t.Errorf("stream is %q", s)
	}
}

func TestLoadEventbusVectorsRefuses(t *testing.T) {
	refuses(t, goodStreams, loadStreams, []refusal{
		{"unknown key", "note: why", "colour: red", 6, "colour"},
		{"double key", "note: why", "op: parse", 6, "op"},
		{"tag", "note: why", "note: !", 6, "no tags"},
		{"tab", "  note: why", "\tnote: why", 6, ""},
		{"unknown key in want", "lastEventId: '\\0'", "lastEventID: ''", 13, "lastEventID"},
		{"unknown key in an event", "type: t, data: ''", "kind: t, data: ''", 12, "kind"},
		{"unknown key in an error", "feed: 2, ", "call: 2, ", 15, "call"},
		{"unknown key in a retry", "[none, 5]", "{most: 5}", 14, "map"},
		{"unknown key in an envelope", "originatorClientId: 'c'", "originator: 'c'", 20, "originator"},
		{"unknown key in a step", "unchanged: true", "same: true", 35, "same"},
		{"text with a bad escape", `'data: a\r'`, `'data: a\q'`, 9, `\q`},
		{"text as a number", `'data: a\r'`, "5", 9, "quote it"},
		{"no name", "name: one", "name: ''", 2, "name"},
		{"name with a capital", "name: one", "name: One", 2, "name"},
		{"name used twice", "name: two", "name: one", 16, "already used at v/a.yaml:2"},
		{"no law", "[EVENTBUS-SSE-013]", "[]", 16, "no law"},
		{"law of another protocol", "EVENTBUS-SSE-013", "STOMP-SSE-013", 16, "STOMP-SSE-013"},
		{"law of another form", "EVENTBUS-SSE-013", "EVENTBUS-SSE-13", 16, "EVENTBUS-SSE-13"},
		{"law twice", "[EVENTBUS-SSE-013]", "[EVENTBUS-SSE-013, EVENTBUS-SSE-013]", 16, "twice"},
		{"no version", "[later]", "[]", 2, "versions are empty"},
		{"unknown version", "[later]", "[late]", 2, "late"},
		{"version twice", "[later]", "[later, later]", 2, "increase"},
		{"versions that decrease", "[later]", "[later, seed]", 2, "increase"},
		{"unknown op", "op: max-queued", "op: max_queued", 41, "max_queued"},
		{"field of another op", "  text: 'x'", "  text: 'x'\n  query: ''", 16, "query"},
		{"result of another op", "{maxQueued: 16}", "{maxQueued: 16, live: true}", 41, "want.live"},
		{"retry of another op", "{maxQueued: 16}", "{maxQueued: 16, retry: none}", 41, "want.retry"},
		{"id of another op", "{maxQueued: 16}", "{maxQueued: 16, lastEventId: ''}", 41, "want.lastEventId"},
		{"limit of nothing", "limit: 16", "limit: 0", 2, "limit 0"},
		{"events that are no list", "events: [{data: 'a'}, {repeat: {type: t, data: '', id: '1'}, count: 2}]", "events: {}", 12, "not a list"},
		{"no events", "events: [{data: 'a'}, {repeat: {type: t, data: '', id: '1'}, count: 2}]", "events:", 2, "events: []"},
		{"event without data", "{data: 'a'}", "{type: 'a'}", 12, "without data"},
		{"event with an empty type", "type: t, data: ''", "type: '', data: ''", 12, "empty type"},
		{"count of nothing", "count: 2", "count: 0", 12, "count 0"},
		{"retry of nothing", "[none, 5]", "[]", 14, "nothing"},
		{"retry in words", "[none, 5]", "[none, five]", 14, "five"},
		{"negative retry", "[none, 5]", "-5", 14, "-5"},
		{"retry of at least nothing", "[none, 5]", "{atLeast: 0}", 14, "says nothing"},
		{"error of a law not cited", "law: EVENTBUS-SSE-015", "law: EVENTBUS-SSE-010", 2, "EVENTBUS-SSE-010"},
		{"error in an early feed", "feed: 2", "feed: 1", 2, "not the last"},
		{"error before the end", "limit: 16", "end: true", 2, "not the last"},
		{"error without an offset", ", offset: 26", "", 2, "without an offset"},
		{"offset before its feed", "offset: 26", "offset: 7", 2, "octets 8 to 26"},
		{"offset behind its feed", "offset: 26", "offset: 27", 2, "offset 27"},
		{"envelope without a text", "  text: 'x'\n", "", 16, "needs a text"},
		{"envelope and dropped", "want: {envelope: {", "want: {dropped: true, envelope: {", 16, "one of"},
		{"envelope without a type", "type: 't', ", "", 20, "without a type"},
		{"envelope with id 0", "{id: 3", "{id: 0", 16, "id 0"},
		{"envelope with an id too large", "{id: 3", "{id: 9007199254740992", 16, "9007199254740992"},
		{"data that is not JSON", "'[1]'", "'[1'", 20, "not JSON"},
		{"envelopes without any", "envelopes: [{type: ''}]", "envelopes:", 21, "envelopes: []"},
		{"envelopes with id 0", "{type: ''}", "{type: '', id: 0}", 21, "envelope 1"},
		{"frame that is not JSON", `'{"type":"t"}'`, `'{type:"t"}'`, 31, "not JSON"},
		{"frame that is a list", `'{"type":"t"}'`, `'[]'`, 31, "not a JSON object"},
		{"empty view", "{lastEventId: 9007199254740991, terminalEvent: t}", "{}", 32, "empty view"},
		{"unknown member", "terminalEvent: t", "terminal: t", 32, "terminal"},
		{"member without a value", "terminalEvent: t", "terminalEvent: null", 32, "absent"},
		{"unknown absent member", "[lastResyncRequired]", "[lastResync]", 31, "lastResync"},
		{"member wanted and absent", "[lastResyncRequired]", "[lastEventId]", 31, "twice"},
		{"step without a want", "unchanged: true", "unchanged: false", 34, "wants nothing"},
		{"no headers", "  headers: ['5', '6']\n", "", 36, "headers: []"},
		{"cursor and live", "{live: true", "{cursor: 1, live: true", 36, "exactly one"},
		{"neither cursor nor live", "live: true, ", "", 36, "exactly one"},
		{"cursor with a breadcrumb", "live: true, ", "cursor: 1, ", 36, "breadcrumb"},
		{"negative cursor", "live: true, breadcrumb: true", "cursor: -1", 36, "-1"},
		{"cursor too large", "live: true, breadcrumb: true", "cursor: 9007199254740992", 36, "9007199254740992"},
		{"no query", "  query: 'maxQueued=16'\n", "", 41, "query: ''"},
		{"max-queued and refused", "{maxQueued: 16}", "{maxQueued: 16, refused: true}", 41, "exactly one"},
		{"max-queued too small", "{maxQueued: 16}", "{maxQueued: 15}", 41, "15"},
		{"max-queued too large", "{maxQueued: 16}", "{maxQueued: 2049}", 41, "2049"},
		{"not a list", goodStreams, "name: one\n", 1, "not a list"},
		{"two documents", "# head", "[]\n---\n# head", 0, "documents"},
	})
}

func TestLoadEventbusVectorsRefusesWhatDecidesNothing(t *testing.T) {
	refusesRest(t, "- {name: a, laws: [EVENTBUS-SSE-010], op: ", loadStreams, map[string]string{
		"parse, want: {events: []}}":                        "makes no call",
		"parse, end: true, want: {events: []}}":             "",
		"reduce}":                                           "without frames",
		"reduce, frames: [{frame: '{}', unchanged: true}]}": "named",
		"reduce, frames: [{frame: '{}', unchanged: true, view: {alive: true}}]}":  "",
		"cursor, headers: [], want: {live: true}}":                                "",
		"max-queued, query: '', want: {maxQueued: 256}}":                          "",
		"envelope, text: '', want: {dropped: true}}":                              "",
		"envelopes, feeds: [''], want: {envelopes: []}}":                          "",
		"envelopes, want: {envelopes: []}}":                                       "needs feeds",
		"parse, feeds: [''], want: {events: [], retry: {atLeast: 5}}}":            "",
		"parse, feeds: [''], want: {events: [], retry: {atLeast: 5, atMost: 5}}}": "atMost",
	})
}

func TestRetryAllows(t *testing.T) {
	least := int64(10)
	for _, c := range []struct {
		retry corpus.Retry
		words string
		allow []int64 // -1: unset
		deny  []int64
	}{
		{corpus.Retry{}, "none", []int64{-1}, []int64{0, 5}},
		{corpus.Retry{Allowed: []int64{0}}, "0", []int64{0}, []int64{-1, 5}},
		{corpus.Retry{None: true, Allowed: []int64{0, 5}}, "none or 0 or 5", []int64{-1, 0, 5}, []int64{1}},
		{corpus.Retry{AtLeast: &least}, "at least 10", []int64{10, 11}, []int64{-1, 9}},
	} {
		if s := c.retry.String(); s != c.words {
			t.Errorf("retry in words is %q, want %q", s, c.words)
		}
		for _, ms := range c.allow {
			if !c.retry.Allows(max(ms, 0), ms >= 0) {
				t.Errorf("%s does not allow %d", c.words, ms)
			}
		}
		for _, ms := range c.deny {
			if c.retry.Allows(max(ms, 0), ms >= 0) {
				t.Errorf("%s allows %d", c.words, ms)
			}
		}
	}
}

// FuzzLoadEventbusVectors holds that no file makes the loader panic and that every error has a place.
func FuzzLoadEventbusVectors(f *testing.F) {
	f.Add([]byte(goodStreams))
	f.Add([]byte("- name: 0\n  laws: !000000000000\n0000000000000000000"))
	f.Add([]byte("- {frames: [{frame: '{}', view: {}}]}"))
	f.Add([]byte("- {want: {retry: [[]], envelope: []}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := loadStreams(string(data))
		placed(t, err)
	})
}

func ExampleEventbusVectors() {
	vectors, err := corpus.EventbusVectors()
	if err != nil {
		fmt.Println(err)
		return
	}
	i := slices.IndexFunc(vectors, func(v corpus.EventbusVector) bool { return v.Name == "bom-double" })
	v := vectors[i]
	fmt.Println(v.Laws, v.Versions, corpus.Quote(v.Stream()), len(v.Want.Events), v.Want.Retry)
	// Output: [EVENTBUS-WHATWG-002 EVENTBUS-WHATWG-008] [seed later] \xef\xbb\xbf\xef\xbb\xbfdata: a\n\ndata: b\n\n 1 none
}
