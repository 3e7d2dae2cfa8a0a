package corpus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/corpus"
)

// good is a vector that loads; each fault below changes one thing in it.
const good = `# head
- name: one
  laws: [STOMP-ESC-003]
  op: decode
  versions: ["1.1", "1.2"]
  limits: {line: 9, headers: 1, body: 0, events: 2}
  feeds:
    - 'SEND\n'
    - ['x:\\', {repeat: t, count: 3}, '\n']
  after: [{feed: ''}, {end: true}]
  want:
    events: []
    error: {rule: escape, feed: 2, offset: 11}
`

func load(vectors string) ([]corpus.StompVector, error) {
	return inFile(corpus.LoadStompVectors, "v", vectors)
}

func TestLoadStompVectors(t *testing.T) {
	got, err := load(good)
	if err != nil {
		t.Fatal(err)
	}
	empty, offset := corpus.Text{}, int64(11)
	want := []corpus.StompVector{{
		Citation: corpus.Citation{
			Name: "one", Laws: []string{"STOMP-ESC-003"}, Versions: []string{"1.1", "1.2"}, Place: corpus.Place{File: "v/a.yaml", Line: 2},
		},
		Op:     corpus.Decode,
		Limits: &corpus.Limits{Line: 9, Headers: 1, Body: 0, Events: 2},
		Feeds:  []corpus.Text{corpus.Text("SEND\n"), corpus.Text("x:\\ttt\n")},
		After:  []corpus.Call{{Feed: &empty}, {End: true}},
		Want: corpus.StompWant{
			Events: corpus.Events{},
			Error:  &corpus.Error{Rules: corpus.Rules{"escape"}, Feed: 2, Offset: &offset},
		},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the loaded vector differs (-want +got):\n%s", d)
	}
	if s := string(got[0].Stream()); s != "SEND\nx:\\ttt\n" {
		t.Errorf("stream is %q", s)
	}
}

func TestLoadStompVectorsRefuses(t *testing.T) {
	refuses(t, good, load, []refusal{
		{"unknown key", "  op: decode", "  op: decode\n  colour: red", 5, "colour"},
		{"unknown key in want", "    events: []", "    event: []", 12, "event"},
		{"unknown key in error", "rule: escape", "rules: escape", 13, "rules"},
		{"unknown key in a repetition", "count: 3", "times: 3", 9, "times"},
		{"double key", "  op: decode", "  op: decode\n  op: encode", 5, "op"},
		{"syntax", "  op: decode", "  op: [decode", 5, ""},
		{"tab", "  op: decode", "\top: decode", 4, ""},
		{"wrong type", "offset: 11", "offset: twelve", 13, "int64"},
		{"text as number", "'SEND\\n'", "12", 8, "quote it"},
		{"text with a bad escape", "'SEND\\n'", `'SEND\q'`, 8, `unknown escape \q`},
		{"count 0", "count: 3", "count: 0", 9, "count 0"},
		{"text too long", "count: 3", "count: 16777216", 9, "longer"},
		{"repetition without repeat", "{repeat: t, count: 3}", "{count: 3}", 9, "without repeat"},
		{"limits with a gap", "events: 2}", "}", 6, "all of its 4"},
		{"no name", "name: one", "name: ''", 2, "name"},
		{"name with a space", "name: one", "name: one two", 2, "name"},
		{"no law", "laws: [STOMP-ESC-003]", "laws: []", 2, "no law"},
		{"law of another form", "STOMP-ESC-003", "STOMP-ESC-3", 2, "STOMP-ESC-3"},
		{"law that nobody wrote", "STOMP-ESC-003", "STOMP-ESC-999", 2, "not a law of stomp in force"},
		{"law that was withdrawn", "STOMP-ESC-003", "STOMP-TLS-008", 2, "not a law of stomp in force"},
		{"law of another protocol", "STOMP-ESC-003", "EVENTBUS-SSE-010", 2, "not a law of stomp in force"},
		{"law twice", "STOMP-ESC-003", "STOMP-ESC-003, STOMP-ESC-003", 2, "twice"},
		{"version without a law", `"1.1", "1.2"`, `"1.0", "1.1"`, 2, "[STOMP-ESC-003] holds in 1.0"},
		{"no version", `["1.1", "1.2"]`, "[]", 2, "versions are empty"},
		{"unknown op", "op: decode", "op: decoding", 2, "decoding"},
		{"unknown version", `"1.2"`, `"1.3"`, 2, "1.3"},
		{"versions that decrease", `"1.1", "1.2"`, `"1.2", "1.1"`, 2, "increase"},
		{"unknown rule", "rule: escape", "rule: escapes", 2, "escapes"},
		{"unknown rule in a list", "rule: escape", "rule: [escape, utf-8]", 2, "utf-8"},
		{"feed out of range", "feed: 2", "feed: 3", 2, "feed 3 of 2"},
		{"feed missing", "feed: 2, ", "", 2, "feed 0 of 2"},
		{"calls behind the error", "feed: 2, offset: 11", "feed: 1", 2, "after"},
		{"offset before its feed", "offset: 11", "offset: 4", 2, "offset 4 "},
		{"offset behind its feed", "offset: 11", "offset: 12", 2, "offset 12"},
		{"error at an end that is not called", "feed: 2, offset: 11", "end: true", 2, "End"},
		{"field of another op", "  op: decode", "  op: decode\n  from: client", 2, "from"},
		{"result of another op", "    events: []", "    events: []\n    reject: true", 2, "want.reject"},
		{"call that is neither", "{feed: ''}", "{}", 2, "after"},
		{"call that is both", "{feed: ''}", "{feed: '', end: true}", 2, "after"},
		{"unknown event", "events: []", "events: [heartbeats]", 12, "heartbeats"},
		{"frame without command", "events: []", "events: [{body: x}]", 12, "command"},
		{"header of three", "events: []", "events: [{command: SEND, headers: [[a, b, c]]}]", 12, "name and value"},
		{"nothing wanted", "    events: []\n    error: {rule: escape, feed: 2, offset: 11}", "    events:", 2, "neither"},
		{"not a list", good, "name: one\n", 1, "not a list"},
		{"two documents", "# head", "[]\n---\n# head", 0, "documents"},
	})
}

func TestLoadStompVectorsRefusesOtherOps(t *testing.T) {
	const head = "- {name: a, laws: [STOMP-FRAME-001], versions: ['1.2'], op: "
	refusesRest(t, head, load, map[string]string{
		"decode, want: {events: []}}":                                                                  "makes no call",
		"decode, end: true, after: [{end: true}], want: {events: []}}":                                 "",
		"decode, feeds: [''], after: [{end: true}], want: {events: []}}":                               "neither an error nor an end",
		"decode, end: true, want: {error: {rule: truncated, end: true, offset: 1}}}":                   "length of the stream",
		"decode, feeds: [a], want: {events: [], error: {rule: utf8, feed: 1, optional: true}}}":        "",
		"decode, feeds: [a], want: {events: []}, alternatives: [{verdict: lax, why: x, events: []}]}":  "",
		"decode, feeds: [a], want: {events: []}, alternatives: [{verdict: fail, why: x, events: []}]}": "not lax or info",
		"decode, feeds: [a], want: {events: []}, alternatives: [{verdict: lax, events: []}]}":          "does not say why",
		"decode, feeds: [a], want: {events: []}, alternatives: [{verdict: lax, why: x}]}":              "neither events",
		"encode, frame: {command: SEND}, want: {bytes: x}}":                                            "",
		"encode, frame: {command: SEND}, want: {bytes: x, error: {rule: escape}}}":                     "either",
		"encode, frame: {command: SEND}, want: {bytes: x, error: {rule: escape, optional: true}}}":     "",
		"encode, frame: {command: SEND}, want: {error: {rule: escape, optional: true}}}":               "either",
		"encode, frame: {command: SEND}, want: {}}":                                                    "either",
		"encode, frame: {command: SEND}, want: {error: {rule: escape, feed: 1}}}":                      "no place",
		"encode, frame: {command: SEND, absent: [x]}, want: {bytes: x}}":                               "look-ups",

		"encode, want: {bytes: x}}":                                                     "one of frame and beat",
		"encode, beat: true, want: {bytes: x}}":                                         "",
		"encode, beat: true, frame: {command: SEND}, want: {bytes: x}}":                 "one of frame and beat",
		"encode, frame: {command: SEND}, bounds: {pair: 1, body: 1}, want: {bytes: x}}": "all of its 3",
		"limits, want: {reject: true}}":                                                 "without limits",
		"heartbeat, value: '1,2', want: {pair: [1, 2]}}":                                "",
		"heartbeat, value: '1,2', want: {pair: [1, 2], reject: true}}":                  "one of pair and reject",
		"heartbeat, value: '1,2', want: {pair: [1]}}":                                   "1 numbers",
		"heartbeat, want: {reject: true}}":                                              "needs a value",
		"heartbeat-format, pair: [1, 2], want: {}}":                                     "one of bytes and reject",
		"negotiate-heartbeat, client: [1, 2], want: {reject: true}}":                    "needs client, server",
		"heartbeat-clock, want: {reject: true}}":                                        "without a clock",
		"heartbeat-clock, clock: {send: 1, receive: 1, now: 0}, want: {reject: true}}":  "all of its 4",

		"heartbeat-clock, clock: {send: 1, receive: 1, tolerance: 0, now: 0}, steps: [{sent: 1}], want: {reject: true}}":      "takes no steps",
		"heartbeat-clock, clock: {send: 1, receive: 1, tolerance: 0, now: 0}, steps: [{sent: 1, poll: 1}], want: {}}":         "exactly one",
		"heartbeat-clock, clock: {send: 1, receive: 1, tolerance: 0, now: 0}, steps: [{poll: 1}], want: {}}":                  "due or dead",
		"heartbeat-clock, clock: {send: 1, receive: 1, tolerance: 0, now: 0}, steps: [{sent: 1, due: true}], want: {}}":       "due or dead",
		"judge, feeds: [a], from: broker, want: {clear: [STOMP-HDR-014]}}":                                                    "neither client nor server",
		"judge, feeds: [a], from: server, want: {}}":                                                                          "findings or clear",
		"judge, feeds: [a], from: server, want: {clear: [HDR-014]}}":                                                          "HDR-014",
		"judge, feeds: [a], from: server, want: {clear: []}}":                                                                 "clear of no law",
		"judge, feeds: [a], from: server, want: {clear: [STOMP-FRAME-002]}}":                                                  "holds in 1.2",
		"judge, feeds: [a], from: server, want: {findings: [{law: STOMP-FRAME-002, verdict: fail}]}}":                         "holds in 1.2",
		"judge, feeds: [a], from: server, want: {findings: [{law: STOMP-HDR-014, verdict: pass}]}}":                           "not fail or lax",
		"judge, feeds: [a], from: server, want: {findings: [{law: STOMP-HDR-014, verdict: fail}], clear: [STOMP-FRAME-001]}}": "",
	})
}

func TestLoadExpandsRepetitions(t *testing.T) {
	vs, err := load(strings.Replace(good, "events: []",
		"events: [{repeat: heartbeat, count: 2}, {command: SEND, headers: [{repeat: [a, ['b', {repeat: c, count: 2}]], count: 2}, ['', '']]}]", 1))
	if err != nil {
		t.Fatal(err)
	}
	h := corpus.Header{Name: corpus.Text("a"), Value: corpus.Text("bcc")}
	want := corpus.Events{{}, {}, {Frame: &corpus.Frame{
		Command: corpus.Text("SEND"),
		Headers: corpus.Headers{h, h, {Name: corpus.Text{}, Value: corpus.Text{}}},
	}}}
	if d := cmp.Diff(want, vs[0].Want.Events); d != "" {
		t.Errorf("the expanded events differ (-want +got):\n%s", d)
	}
}

// FuzzLoadStompVectors holds that no file makes a loader panic and that every error has a place.
func FuzzLoadStompVectors(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("- name: a\n- name"))
	f.Add([]byte("- {want: {events: [[]]}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := load(string(data))
		placed(t, err)
	})
}

func ExampleStompVectors() {
	vectors, err := corpus.StompVectors()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range vectors {
		if v.Name == "escape-undefined-t" {
			fmt.Println(v.Laws, v.Versions, corpus.Quote(v.Stream()), v.Want.Error.Rules, *v.Want.Error.Offset)
		}
	}
	// Output: [STOMP-ESC-003] [1.1 1.2] SEND\nx:a\\tb\n [escape] 11
}
