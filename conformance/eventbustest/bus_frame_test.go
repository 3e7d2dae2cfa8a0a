package eventbustest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

func frameOf(t *testing.T, text string) *frame {
	t.Helper()
	f, err := parseFrame(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFrameTellsAbsentFromNull(t *testing.T) {
	f := frameOf(t, `{"v":1,"type":"client_evicted","id":null,"data":{"queueSize":0,"eventBytes":null,"reason":7}}`)
	for what, ok := range map[string]bool{
		"null is there": f.Has("id"), "absent is not": !f.Has("_meta") && f.Get("_meta") == nil, "null is no id": f.ID() == 0,
		"0 is a number": f.DataInt("queueSize") == 0, "null is no number": f.DataInt("eventBytes") == -1 && f.DataHas("eventBytes"),
		"absent is no number": f.DataInt("maxQueued") == -1, "a number is no text": f.DataText("reason") == "",
		"members": f.Members() == "data id type v" && f.DataMembers() == "eventBytes queueSize reason",
	} {
		if !ok {
			t.Error(what)
		}
	}
	for _, text := range []string{"null", "[]", `"x"`, "7", "", "{"} {
		if f, err := parseFrame(json.RawMessage(text)); err == nil {
			t.Errorf("%q is a frame: %v", text, f)
		}
	}
}

func TestItemsAreOneLine(t *testing.T) {
	texts := []string{
		`{"type":"state_resync_required","data":{"reason":"ring_evicted"}}`, `{"type":"state_resync_required","data":{}}`,
		`{"id":3}`, `{"id":4}`, `{"id":5}`, `{"type":"replay_complete"}`, `{"id":6}`, `{"id":7}`, `{"id":"8"}`, `{"id":1.5}`, `{}`,
	}
	items := handedItems{State: "parked"}
	for _, text := range texts {
		items.Frames = append(items.Frames, frameOf(t, text))
	}
	const want = `ring_evicted state_resync_required 3..5 replay_complete 6 7 "8" 1.5 ? parked`
	if got := items.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := fmt.Sprint(items.IDs()); got != "[3 4 5 6 7 0 0]" {
		t.Errorf("ids %s", got)
	}
}

func TestNotationRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.Int64Range(1, 12)).Draw(t, "ids")
		items := handedItems{State: "done"}
		var want []string
		for _, id := range ids {
			f, err := parseFrame(fmt.Appendf(nil, `{"id":%d}`, id))
			if err != nil {
				t.Fatal(err)
			}
			items.Frames = append(items.Frames, f)
			want = append(want, fmt.Sprint(id))
		}
		if got := tokens(items.String()); !slices.Equal(got, append(want, "done")) {
			t.Errorf("%v as %s is %v", ids, items, got)
		}
	})
}

// minimal encodes a string as JSON.stringify does: what need not be escaped is not.
func minimal(units []uint16) []byte {
	out := []byte{'"'}
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) {
			if i+1 < len(units) {
				if pair := utf16.DecodeRune(r, rune(units[i+1])); pair != 0xfffd {
					out = append(out, string(pair)...)
					i++
					continue
				}
			}
			out = fmt.Appendf(out, `\u%04x`, r)
			continue
		}
		if at := strings.IndexRune("\"\\\b\f\n\r\t", r); at >= 0 {
			out = append(out, '\\', `"\bfnrt`[at])
		} else if r < 0x20 {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, string(r)...)
		}
	}
	return append(out, '"')
}

// TestSizeDoesNotDependOnTheEscapes writes one string in many ways; the size is always that of the shortest (EVENTBUS-QUEUE-008).
func TestSizeDoesNotDependOnTheEscapes(t *testing.T) {
	unit := rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0, 0x7f), rapid.Uint16Range(0xd7ff, 0xe000), rapid.SampledFrom([]uint16{'"', '\\', '/', '<', 0x2028, 0x7f}))
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOf(unit).Draw(t, "units")
		short := minimal(units)
		long := []byte{'"'}
		for _, u := range units {
			long = fmt.Appendf(long, `\u%04X`, u)
		}
		long = append(long, '"')
		frame := func(text []byte) *frame {
			return &frame{Raw: fmt.Appendf(nil, "{ \"type\" :\t\"x\",\n\"data\": %s }", text)}
		}
		want := len(`{"type":"x","data":}`) + len(short)
		if got := frame(short).Size(); got != want {
			t.Errorf("%s: %d octets, want %d", short, got, want)
		}
		if got := frame(long).Size(); got != want {
			t.Errorf("%s: %d octets, want %d", long, got, want)
		}
	})
}

func TestSizeOfWhatGoEncodes(t *testing.T) {
	for _, text := range []string{"plain", "a/b", "<&>", "ä€😀", "\u2028\u2029", "\x00\x1f\x7f", `"\`} {
		escaped, err := json.Marshal(map[string]string{"d": text})
		if err != nil {
			t.Fatal(err)
		}
		slash := bytes.ReplaceAll(escaped, []byte("/"), []byte(`\/`))
		want := len(`{"d":}`) + len(minimal(utf16.Encode([]rune(text))))
		if a, b := compactSize(escaped), compactSize(slash); a != want || b != want {
			t.Errorf("%q: %d and %d octets, want %d", text, a, b, want)
		}
	}
}

func FuzzCompactSize(f *testing.F) {
	for _, seed := range []string{`{"a":"\u00e4"}`, `"\ud83d\ude00"`, `"\ud83d"`, `"\`, `"\u12`, "", ` [1, 2 ] `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		size := compactSize(raw)
		if !json.Valid(raw) {
			return
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			t.Fatal(err)
		}
		if size > compact.Len() || size < 1 {
			t.Errorf("%q: %d octets, compact it has %d", raw, size, compact.Len())
		}
	})
}
