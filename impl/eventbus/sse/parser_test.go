package sse_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// A heard is a message that outlives the parser's memory.
type heard struct{ ID, Type, Data string }

// parse feeds a stream in chunks of n octets, or whole if n is 0.
func parse(t testing.TB, limits sse.Limits, stream string, n int) ([]heard, *sse.Parser) {
	t.Helper()
	p, err := sse.NewParser(limits, "")
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		n = max(len(stream), 1)
	}
	var all []heard
	for rest := []byte(stream); len(rest) > 0; {
		k := min(n, len(rest))
		// Memory of its own, spoiled after use, shows whether the parser still looks at it.
		chunk := append([]byte(nil), rest[:k]...)
		rest = rest[k:]
		p.Feed(chunk)
		for {
			m, ok := p.Next()
			if !ok {
				break
			}
			all = append(all, heard{m.ID, m.Type, string(m.Data)})
		}
		for i := range chunk {
			chunk[i] = '!'
		}
	}
	return all, p
}

// EVENTBUS-WHATWG-001, EVENTBUS-WHATWG-002, EVENTBUS-WHATWG-003, EVENTBUS-WHATWG-005, EVENTBUS-WHATWG-006,
// EVENTBUS-WHATWG-007, EVENTBUS-WHATWG-008, EVENTBUS-WHATWG-009, EVENTBUS-WHATWG-011, EVENTBUS-WHATWG-012,
// EVENTBUS-WHATWG-013, EVENTBUS-WHATWG-014, EVENTBUS-WHATWG-015, EVENTBUS-WHATWG-016, EVENTBUS-WHATWG-017,
// EVENTBUS-WHATWG-018, EVENTBUS-WHATWG-019
func TestStream(t *testing.T) {
	const bom = "\ufeff"
	for _, c := range []struct {
		why, stream string
		want        []heard
	}{
		{"nothing", "", nil},
		{"one line of data", "data: a\n\n", []heard{{"", "message", "a"}}},
		{"EVENTBUS-SSE-012: lines are joined with LF, the last has none", "data: a\ndata: b\ndata\ndata:\n\n", []heard{{"", "message", "a\nb\n\n"}}},
		{"EVENTBUS-SSE-012: one space is dropped", "data:a\n\ndata:  a\n\ndata: a \n\ndata:\ta\n\n", []heard{{"", "message", "a"}, {"", "message", " a"}, {"", "message", "a "}, {"", "message", "\ta"}}},
		{"a data line without anything makes an event without data", "data\n\n", []heard{{"", "message", ""}}},
		{"an empty data line after an event of several", "data: a\ndata: b\n\ndata\n\ndata: c\ndata: d\n\ndata:\n\n", []heard{{"", "message", "a\nb"}, {"", "message", ""}, {"", "message", "c\nd"}, {"", "message", ""}}},
		{"no data line, no event, and the type is forgotten", "event: x\n\ndata: a\n\n", []heard{{"", "message", "a"}}},
		{"the last type counts, an empty one is message", "event: x\nevent: y\ndata: a\n\nevent: x\nevent:\ndata: b\n\n", []heard{{"", "y", "a"}, {"", "message", "b"}}},
		{"an id lasts", "id: 1\ndata: a\n\ndata: b\n\nid: 2\n\ndata: c\n\nid\ndata: d\n\n", []heard{{"1", "message", "a"}, {"1", "message", "b"}, {"2", "message", "c"}, {"", "message", "d"}}},
		{"an id with NUL is none", "id: 1\nid: 2\x00\ndata: a\n\n", []heard{{"1", "message", "a"}}},
		{"an id that begins with NUL is none", "id: 1\nid: \x00\ndata: a\n\n", []heard{{"1", "message", "a"}}},
		{"comments and unknown fields are skipped", ":\n: x\nfoo: bar\nfoo\nDATA: b\n data: c\ndata : d\ndata: a\n:y\n\n", []heard{{"", "message", "a"}}},
		{"EVENTBUS-SSE-011: comment, retry and data in one block", ": x\nretry: 5\ndata: a\n\n", []heard{{"", "message", "a"}}},
		{"CR and CRLF end lines", "data: a\r\rdata: b\r\n\r\ndata: c\r\n\ndata: d\n\r\ndata: e\r\n\rdata: f\n\r", []heard{{"", "message", "a"}, {"", "message", "b"}, {"", "message", "c"}, {"", "message", "d"}, {"", "message", "e"}, {"", "message", "f"}}},
		{"EVENTBUS-SSE-014: what no blank line ends is dropped", "data: a\n\ndata: b\n", []heard{{"", "message", "a"}}},
		{"a byte order mark at the start is dropped", bom + "data: a\n\n" + bom + "data: b\n\ndata: " + bom + "c\n\n", []heard{{"", "message", "a"}, {"", "message", bom + "c"}}},
		{"only one byte order mark is dropped", bom + bom + "data: a\n\n", nil},
		{"a byte order mark alone on the first line", bom + "\ndata: a\n\n", []heard{{"", "message", "a"}}},
		{"half a byte order mark is not one", "\xef\xbbdata: a\n\n\xef\n\n", nil},
		{"NUL and other controls are data", "data: \x00\x01\v\f\u0085\u2028\n\n", []heard{{"", "message", "\x00\x01\v\f\u0085\u2028"}}},
		{"one U+FFFD for each start of a character that goes no further", "data: \xe2\x82|\xf0\x9f\x98|\xf0\x9f|\xc0\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xff|\x80\x80|\xe0\x80\x80|\xf0\x80\x80\x80|\xf4\x8f\xbf|\xed\x9f|\xe2\n\n", []heard{{"", "message", "�|�|�|��|���|����|�|��|���|����|�|�|�"}}},
		{"one U+FFFD where the next octet is the least that may follow", "data: \xe1\x80|\xe0\xa0|\xf0\x90|\xf0\x90\x80|\xf1\x80\x80|\xed\x80|\xf4\x80|\xef\xbf\n\n", []heard{{"", "message", "�|�|�|�|�|�|�|�"}}},
		{"what is not UTF-8 does not end a line", "event: \xe2\x82\ndata: \xc3\r\n\n", []heard{{"", "�", "�"}}},
		{"a name that is not UTF-8 is unknown", "data\xff: x\n\ndata: a\n\n", []heard{{"", "message", "a"}}},
	} {
		for _, n := range []int{0, 1, 2, 3, 7} {
			got, p := parse(t, sse.Limits{}, c.stream, n)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s: chunks of %d: (-want +got)\n%s", c.why, n, diff)
			}
			if p.Err() != nil {
				t.Errorf("%s: %v", c.why, p.Err())
			}
		}
	}
}

// EVENTBUS-SSE-010, EVENTBUS-WHATWG-003, EVENTBUS-WHATWG-004: mixed separators, cut anywhere.
func TestCutsMakeNoDifference(t *testing.T) {
	stream := "\ufeffid: 1\r\nevent: ü\r\ndata: 日本\r\ndata: b\r\n\r\nretry: 7\ndata: x\n\ndata: \xf0\x9f\r\r: c\rid: z\rdata: q\r\r\n"
	want, _ := parse(t, sse.Limits{}, stream, 0)
	if len(want) != 4 {
		t.Fatalf("%d messages, want 4: %q", len(want), want)
	}
	for i := range stream {
		p, _ := sse.NewParser(sse.Limits{}, "")
		var got []heard
		for _, part := range []string{stream[:i], stream[i:]} {
			p.Feed([]byte(part))
			for m, ok := p.Next(); ok; m, ok = p.Next() {
				got = append(got, heard{m.ID, m.Type, string(m.Data)})
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("cut at %d: (-want +got)\n%s", i, diff)
		}
	}
}

// EVENTBUS-WHATWG-010
func TestMessagesComeAtOnce(t *testing.T) {
	p, _ := sse.NewParser(sse.Limits{}, "")
	p.Feed([]byte("data: a\r\n\r"))
	if m, ok := p.Next(); !ok || string(m.Data) != "a" {
		t.Error("a blank line that ends with CR is not known to be one before the next octet")
	}
	p.Feed([]byte("\n"))
	if m, ok := p.Next(); ok {
		t.Errorf("the second half of CRLF ended %q", m)
	}
	if n := p.Buffered(); n != 0 {
		t.Errorf("%d octets held between events, want 0", n)
	}
}

func TestFeedKeepsWhatWasNotRead(t *testing.T) {
	p, _ := sse.NewParser(sse.Limits{}, "")
	p.Feed([]byte("data: a\n\ndata: b\n\n"))
	first, _ := p.Next()
	p.Feed([]byte("data: c\n\n"))
	if string(first.Data) != "a" {
		t.Errorf("first message %q", first.Data)
	}
	for _, want := range []string{"b", "c"} {
		if m, ok := p.Next(); !ok || string(m.Data) != want {
			t.Errorf("got %q %t, want %q", m.Data, ok, want)
		}
	}
}

// EVENTBUS-WHATWG-020, EVENTBUS-WHATWG-021
func TestParserLastEventID(t *testing.T) {
	p, _ := sse.NewParser(sse.Limits{}, "old")
	step := func(stream, want string) {
		t.Helper()
		p.Feed([]byte(stream))
		for _, ok := p.Next(); ok; _, ok = p.Next() {
		}
		if got := p.LastEventID(); got != want {
			t.Errorf("after %q the id is %q, want %q", stream, got, want)
		}
	}
	step("data: a\n\n", "old")
	step("id: 1\n", "old")
	step("\n", "1")
	step("id: 2\ndata: b\n\nid: 3", "2")
	step("\nid:\n\n", "")
}

// EVENTBUS-WHATWG-023, EVENTBUS-WHATWG-024
func TestRetry(t *testing.T) {
	for _, c := range []struct {
		lines string
		want  time.Duration
		asked bool
	}{
		{"", 0, false},
		{"retry: 3000\n", 3 * time.Second, true},
		{"retry:0\n", 0, true},
		{"retry: 007\n", 7 * time.Millisecond, true},
		{"retry: 5\nretry: -1\nretry: 1.5\nretry:  1\nretry: 1 \nretry:\nretry\nretry: ٣\nretry: 0x1\n", 5 * time.Millisecond, true},
		{"retry: 99999999999999999999999999999999999999\n", sse.MaxRetry, true},
		{"retry: 9223372036854775807\nretry: 9\n", 9 * time.Millisecond, true},
	} {
		_, p := parse(t, sse.Limits{}, c.lines, 0)
		if got, asked := p.Retry(); got != c.want || asked != c.asked {
			t.Errorf("%q: retry %v %t, want %v %t", c.lines, got, asked, c.want, c.asked)
		}
	}
}

// EVENTBUS-SSE-015 for limits of 8 and 20 octets.
func TestParserLimits(t *testing.T) {
	limits := sse.Limits{MaxLine: 8, MaxEvent: 20}
	for _, c := range []struct {
		why, stream string
		messages    int
		what        string
		offset      int64
	}{
		{"a line of the limit", "data: ab\n\n", 1, "", 0},
		{"one octet more", "data: abc\n\n", 0, "line", 8},
		{"one octet more that never ends", "data: abc", 0, "line", 8},
		{"a comment has the limit too", "data: a\n\n:23456789", 1, "line", 17},
		{"comments do not sum up", strings.Repeat(":2345678\n", 100) + "data: a\n\n", 1, "", 0},
		{"an event of the limit", "data: ab\ndata:a\nx:a\n\n", 1, "", 0},
		{"one octet more with the end of a line", "data: ab\ndata:a\nx:ab\n\n", 0, "event", 20},
		{"one octet more before it", "data: ab\ndata:a\nx:abc\n\n", 0, "event", 20},
		{"events do not sum up", strings.Repeat("data: ab\n\n", 100), 100, "", 0},
		{"unknown fields count", strings.Repeat("x\n", 11), 0, "event", 20},
		{"blank lines do not", strings.Repeat("\r\n", 50) + "data: a\n\n", 1, "", 0},
	} {
		for _, n := range []int{0, 1, 3} {
			got, p := parse(t, limits, c.stream, n)
			var limit *sse.LimitError
			errors.As(p.Err(), &limit)
			if len(got) != c.messages || (limit != nil) != (c.what != "") {
				t.Errorf("%s: chunks of %d: %d messages and %v, want %d and %q", c.why, n, len(got), p.Err(), c.messages, c.what)
				continue
			}
			if limit != nil && (limit.What != c.what || limit.Offset != c.offset) {
				t.Errorf("%s: chunks of %d: %v, want %s at %d", c.why, n, limit, c.what, c.offset)
			}
		}
	}
}

// What is held is the line and the data of the event in progress, and asking again changes nothing.
func TestBuffered(t *testing.T) {
	p, _ := sse.NewParser(sse.Limits{}, "")
	for _, c := range []struct {
		chunk string
		want  int
	}{{"data: abc\nid", 5}, {": 7", 8}, {"\n", 3}, {"data: de\n", 6}, {"\n", 0}, {"id", 2}} {
		p.Feed([]byte(c.chunk))
		for range 3 {
			p.Next()
		}
		if got := p.Buffered(); got != c.want {
			t.Errorf("after %q: %d octets held, want %d", c.chunk, got, c.want)
		}
	}
}

// Memory is used again by the next event, unless there was much of it: then it is let go.
func TestParserKeepsLittleMemory(t *testing.T) {
	for what, kept := range map[string]string{"a line in pieces": "data: %s", "two lines of data": "data: %s\ndata:", "a line that is not UTF-8": "data: \xff%s"} {
		feed := func(p *sse.Parser, size int) {
			stream := []byte(fmt.Sprintf(kept, strings.Repeat("x", size)) + "\n\n")
			n := 0
			for _, chunk := range [][]byte{stream[:9], stream[9:]} {
				p.Feed(chunk)
				for _, ok := p.Next(); ok; _, ok = p.Next() {
					n++
				}
			}
			if n != 1 {
				t.Fatalf("%s: %d messages", what, n)
			}
		}
		p, _ := sse.NewParser(sse.Limits{}, "")
		feed(p, 100)
		small := testing.AllocsPerRun(20, func() { feed(p, 100) })
		fresh := testing.AllocsPerRun(20, func() {
			p, _ := sse.NewParser(sse.Limits{}, "")
			feed(p, 100)
		})
		if small >= fresh {
			t.Errorf("%s: %v allocations, and %v with a new parser", what, small, fresh)
		}
		parsers := make([]*sse.Parser, 32)
		before := heap()
		for i := range parsers {
			parsers[i], _ = sse.NewParser(sse.Limits{}, "")
			feed(parsers[i], 1<<20)
			feed(parsers[i], 1)
		}
		if each := (heap() - before) / int64(len(parsers)); each > 128<<10 {
			t.Errorf("%s: a parser holds %d octets after an event of 1 MiB", what, each)
		}
		runtime.KeepAlive(parsers)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestErrorIsFinalAndReleases(t *testing.T) {
	_, p := parse(t, sse.Limits{MaxLine: 4}, "id:1\n\nid: 22222\n", 0)
	first := p.Err()
	p.Feed([]byte("data:\n\n"))
	if _, ok := p.Next(); ok || p.Err() != first || p.Buffered() != 0 {
		t.Errorf("after an error: message %t, error %v, %d octets held", ok, p.Err(), p.Buffered())
	}
	if p.LastEventID() != "1" {
		t.Errorf("id %q after an error, want 1: it is what a reader resumes with", p.LastEventID())
	}
}

// EVENTBUS-SSE-015
func TestDefaultLimits(t *testing.T) {
	const most = 1 << 24
	line := []byte("data:" + strings.Repeat("x", most-5))
	var p sse.Parser
	p.Feed(line)
	if _, ok := p.Next(); ok || p.Err() != nil {
		t.Fatalf("%d octets: %v", len(line), p.Err())
	}
	p.Feed([]byte("x"))
	p.Next()
	var limit *sse.LimitError
	if !errors.As(p.Err(), &limit) || limit.What != "line" || limit.Limit != most || limit.Offset != most {
		t.Errorf("%d octets: %v, want a LimitError of %d", most+1, p.Err(), most)
	}
}

func TestLimitsAreChecked(t *testing.T) {
	for field, l := range map[string]sse.Limits{"MaxLine": {MaxLine: -1}, "MaxEvent": {MaxEvent: -7}} {
		var bad *sse.ConfigError
		if _, err := sse.NewParser(l, ""); !errors.As(err, &bad) || bad.Field != field {
			t.Errorf("%+v: %v, want a ConfigError of %s", l, err, field)
		}
	}
}

// A stream of lines that end with CR is searched for a LF once a chunk, not once a line.
func TestParserAllocatesLittle(t *testing.T) {
	stream := []byte(strings.Repeat("id: 7\nevent: session_update\ndata: {\"id\":7,\"v\":1}\n\n", 100))
	p, _ := sse.NewParser(sse.Limits{}, "")
	read := func() {
		p.Feed(stream)
		n := 0
		for _, ok := p.Next(); ok; _, ok = p.Next() {
			n++
		}
		if n != 100 {
			t.Fatalf("%d messages, want 100", n)
		}
	}
	read()
	// Ids of one octet cost nothing, types are known: nothing is left to allocate.
	if got := testing.AllocsPerRun(20, read); got > 0 {
		t.Errorf("%v allocations for 100 events, want 0", got)
	}
}
