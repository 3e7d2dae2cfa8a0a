package frame_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestLineLimit(t *testing.T) {
	value := func(n int) string { return strings.Repeat("v", n) }
	checkRows(t, []row{
		{"STOMP-LIMIT-001", all, "SEND\nx:" + value(8190) + "\n\n\x00", "SEND{x=" + value(8190) + "} ."},
		{"STOMP-LIMIT-001", all, "SEND\nx:" + value(8191) + "\n\n\x00", "!line-limit@8197"},
		{"STOMP-LIMIT-001", "2", "SEND\nx:" + value(8189) + "\r\n\n\x00", "SEND{x=" + value(8189) + "} ."},
		{"STOMP-LIMIT-001", "2", "SEND\nx:" + value(8190) + "\r\n\n\x00", "!line-limit@8197"},
		{"STOMP-LIMIT-002", all, value(8192), "!truncated@8192"},
		{"STOMP-LIMIT-002", all, value(8193), "!line-limit@8192"},
		{"STOMP-LIMIT-002", v11up, "SEND\nx:" + strings.Repeat("\\c", 4095) + "\n\n\x00", "SEND{x=" + strings.Repeat(":", 4095) + "} ."},
		{"STOMP-LIMIT-002", v11up, "SEND\nxy:" + strings.Repeat("\\c", 4095) + "\n\n\x00", "!line-limit@8197"},
		// STOMP-FRAME-009: the NUL is looked at before the length, and only the octet that comes first counts.
		{"STOMP-FRAME-009", all, "SEND\nx:" + value(8190) + "\x00", "!nul-in-line@8197"},
		{"STOMP-FRAME-009", all, "SEND\nx:" + value(8191) + "\x00", "!line-limit@8197"},
		// STOMP-FRAME-014: UTF-8 waits for the LF, the length does not.
		{"STOMP-FRAME-014", all, "SEND\nx:\xff" + value(8190), "!line-limit@8197"},
	})
	short := frame.Limits{Line: 4, Headers: 1, Body: 9, Events: 9}
	for _, r := range []row{
		{"STOMP-LIMIT-002", all, "SEND\n\n\x00", "SEND{} ."},
		{"STOMP-LIMIT-002", all, "SENDS", "!line-limit@4"},
		{"STOMP-LIMIT-002", all, "SENDS\n", "!line-limit@4"},
		{"STOMP-LIMIT-002", all, "SEND\na:bc\n\n\x00", "SEND{a=bc} ."},
		{"STOMP-LIMIT-002", all, "SEND\na:bcd", "!line-limit@9"},
		{"STOMP-LIMIT-001", "2", "ACK\r\na:b\r\n\r\n\x00", "ACK{a=b} ."},
		{"STOMP-LIMIT-001", "2", "ACK\r\na:bc\r\n", "!line-limit@9"},
	} {
		t.Run(r.law, func(t *testing.T) { r.check(t, short) })
	}
}

func TestHeaderLimit(t *testing.T) {
	lines := func(n int, name string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s%d:v\n", name, i%3)
		}
		return b.String()
	}
	shown := func(n int, name string) string {
		return strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(lines(n, name), "\n", ","), ","), ":", "=")
	}
	at := func(n int) int { return len("SEND\n") + len(lines(n, "x")) }
	checkRows(t, []row{
		{"STOMP-LIMIT-003", all, "SEND\n" + lines(128, "x") + "\n\x00", "SEND{" + shown(128, "x") + "} ."},
		{"STOMP-LIMIT-003", all, "SEND\n" + lines(129, "x") + "\n\x00", fmt.Sprintf("!header-limit@%d", at(128))},
		{"STOMP-LIMIT-003", all, "SEND\n" + lines(128, "x") + "x0:v", fmt.Sprintf("!truncated@%d", at(128)+4)},
		// STOMP-FRAME-016: the count comes before the shape and the escapes, after UTF-8 and stray CR.
		{"STOMP-FRAME-016", all, "SEND\n" + lines(128, "x") + "nocolon\n", fmt.Sprintf("!header-limit@%d", at(128))},
		{"STOMP-FRAME-016", v11up, "SEND\n" + lines(128, "x") + "a:\\t\n", fmt.Sprintf("!header-limit@%d", at(128))},
		{"STOMP-FRAME-016", v11up, "SEND\n" + lines(128, "x") + "\xff\n", fmt.Sprintf("!utf8@%d", at(128))},
		{"STOMP-FRAME-016", "2", "SEND\n" + lines(128, "x") + "a\rb\n", fmt.Sprintf("!bare-cr@%d", at(128)+1)},
		{
			"STOMP-LIMIT-003", all, "SEND\n" + strings.Repeat("content-length:1\n", 129) + "\n",
			fmt.Sprintf("!header-limit@%d", 5+128*17),
		},
	})
}

func TestBodyLimit(t *testing.T) {
	const most = 1 << 20
	x := strings.Repeat("x", most)
	feedAll := func(borrow bool, pieces ...string) string {
		var chunks [][]byte
		for _, p := range pieces {
			chunks = append(chunks, []byte(p))
		}
		out := decode(t, frame.DecoderConfig{Version: frame.V12, Borrow: borrow}, chunks...)
		return strings.ReplaceAll(out, x, "X")
	}
	for _, borrow := range []bool{false, true} {
		for _, c := range []struct {
			law, want string
			pieces    []string
		}{
			{"STOMP-LIMIT-004", `SEND{}"X" .`, []string{"SEND\n\n" + x + "\x00"}},
			{"STOMP-LIMIT-004", `SEND{}"X" .`, []string{"SEND\n\n" + x, "\x00"}},
			{"STOMP-LIMIT-004", `SEND{}"X" .`, []string{"SEND\n\n" + x[:9], x[9:], "", "\x00"}},
			{"STOMP-LIMIT-004", "!body-limit@1048582", []string{"SEND\n\n" + x + "y"}},
			{"STOMP-LIMIT-004", "!body-limit@1048582", []string{"SEND\n\n" + x, "y"}},
			{"STOMP-LIMIT-004", "!body-limit@1048582", []string{"SEND\n\n" + x + "yz\x00"}},
			{"STOMP-LIMIT-004", "!truncated@1048582", []string{"SEND\n\n" + x}},
			{"STOMP-LIMIT-004", `SEND{content-length=1048576}"X" .`, []string{"SEND\ncontent-length:1048576\n\n" + x + "\x00"}},
			{"STOMP-LIMIT-004", `SEND{content-length=1048576}"X" .`, []string{"SEND\ncontent-length:1048576\n\n", x, "\x00"}},
			{"STOMP-LIMIT-005", "!body-limit@28", []string{"SEND\ncontent-length:1048577\n\n"}},
			{"STOMP-LIMIT-005", "!body-limit@31", []string{"SEND\ncontent-length:2147483648\n\n"}},
			{"STOMP-LIMIT-005", "!body-limit@41", []string{"SEND\ncontent-length:18446744073709551617\n\n"}},
			{"STOMP-LIMIT-005", "!body-limit@1021", []string{"SEND\ncontent-length:" + strings.Repeat("9", 1000) + "\n\n"}},
			{"STOMP-LIMIT-005", "!truncated@1020", []string{"SEND\ncontent-length:" + strings.Repeat("9", 1000)}},
			{"STOMP-BODY-010", "!content-length@1022", []string{"SEND\ncontent-length:" + strings.Repeat("9", 1000) + "x\n\n"}},
		} {
			if got := feedAll(borrow, c.pieces...); got != c.want {
				t.Errorf("%s, borrow %t: got %s, want %s", c.law, borrow, got, c.want)
			}
		}
	}
}

// STOMP-LIMIT-005: a declared length is no reason to allocate.
func TestDeclaredLengthAllocatesNothing(t *testing.T) {
	wire := []byte("SEND\ncontent-length:1048576\n\nx")
	const many = 64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range many {
		d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
		if _, err := d.Feed(wire); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / many; each > 128<<10 {
		t.Errorf("a declared body of which one octet arrived took %d octets of memory", each)
	}
}

func TestEventLimit(t *testing.T) {
	beats := func(n int) string { return strings.Repeat("\n", n) }
	for _, c := range []struct {
		want  string
		feeds []string
	}{
		{strings.Repeat("~ ", 1024) + ".", []string{beats(1024)}},
		{"!event-limit@1024", []string{beats(1025)}},
		{strings.Repeat("~ ", 1023) + "SEND{} .", []string{beats(1023) + "SEND\n\n\x00"}},
		{"!event-limit@1030", []string{beats(1024) + "SEND\n\n\x00"}},
		{strings.Repeat("~ ", 2048) + ".", []string{beats(1024), beats(1024)}},
		{strings.Repeat("~ ", 1024) + "SEND{} .", []string{beats(1024) + "SEND\n\n", "\x00"}},
		{"!event-limit@1025", []string{beats(1024) + "\r\n"}},
		{strings.Repeat("SEND{} ", 1024) + ".", []string{strings.Repeat("SEND\n\n\x00", 1024)}},
		{"!event-limit@7168", []string{strings.Repeat("SEND\n\n\x00", 1024) + "\n"}},
	} {
		var chunks [][]byte
		for _, f := range c.feeds {
			chunks = append(chunks, []byte(f))
		}
		for _, borrow := range []bool{false, true} {
			if got := decode(t, frame.DecoderConfig{Version: frame.V12, Borrow: borrow}, chunks...); got != c.want {
				t.Errorf("STOMP-LIMIT-006: got %.60s, want %.60s", got, c.want)
			}
		}
	}
}

// STOMP-LIMIT-007
func TestLimitRanges(t *testing.T) {
	for _, l := range []frame.Limits{{0, 1, 1, 1}, {1, -1, 1, 1}, {1, 1, -1, 1}, {1, 1, 1, 0}, {-1, 0, 0, 1}} {
		_, err := frame.NewDecoder(frame.DecoderConfig{Limits: l})
		var e *frame.Error
		if !errors.As(err, &e) || e.Rule != frame.ConfigRule || e.Offset != -1 || !strings.Contains(err.Error(), "Limits.") {
			t.Errorf("STOMP-LIMIT-007: limits %+v give %v", l, err)
		}
	}
	var e *frame.Error
	if _, err := frame.NewDecoder(frame.DecoderConfig{Version: 3}); !errors.As(err, &e) || e.Offset != -1 || e.Limit != 2 || e.Found != 3 {
		t.Errorf("version 3 gives %v", err)
	}
	least := frame.Limits{Line: 5, Headers: 0, Body: 0, Events: 1}
	for wire, want := range map[string]string{
		"SEND\r\n\r\n\x00": "SEND{} .",
		"SEND\n\na":        "!body-limit@6",
		"SEND\nx:v\n":      "!header-limit@5",
	} {
		row{"STOMP-LIMIT-007", "2", wire, want}.check(t, least)
	}
	if got := decode(t, frame.DecoderConfig{Version: frame.V12, Limits: least}, []byte("\n\n")); got != "!event-limit@1" {
		t.Errorf("STOMP-LIMIT-007: two heart-beats in one feed give %s", got)
	}
	if d := frame.DefaultLimits(); d != (frame.Limits{Line: 8192, Headers: 128, Body: 1048576, Events: 1024}) {
		t.Errorf("default limits are %+v", d)
	}
	huge := int(^uint(0) >> 1)
	row{"STOMP-LIMIT-007", all, "SEND\na:b\ncontent-length:2\n\nab\x00SEND\n\nc\x00", `SEND{a=b,content-length=2}"ab" SEND{}"c" .`}.
		check(t, frame.Limits{Line: huge, Headers: huge, Body: huge, Events: huge})
}

// Errors tell the limit and the number that met it.
func TestErrorNumbers(t *testing.T) {
	for _, c := range []struct {
		wire         string
		limits       frame.Limits
		limit, found int64
		law          string
	}{
		{"SENDS", frame.Limits{Line: 4, Headers: 1, Body: 1, Events: 1}, 4, 5, "STOMP-LIMIT-002"},
		{"SEND\na:b\nc:d\n", frame.Limits{Line: 4, Headers: 1, Body: 1, Events: 1}, 1, 2, "STOMP-LIMIT-003"},
		{"SEND\n\nab", frame.Limits{Line: 4, Headers: 1, Body: 1, Events: 1}, 1, 2, "STOMP-LIMIT-004"},
		{"SEND\ncontent-length:77\n\n", frame.Limits{Line: 40, Headers: 1, Body: 1, Events: 1}, 1, 77, "STOMP-LIMIT-005"},
		// The largest numbers that an int64 holds are told as they are, and one beyond as the largest.
		{"SEND\ncontent-length:9223372036854775800\n\n", frame.Limits{}, 1 << 20, 9223372036854775800, "STOMP-LIMIT-005"},
		{"SEND\ncontent-length:9223372036854775808\n\n", frame.Limits{}, 1 << 20, 9223372036854775807, "STOMP-LIMIT-005"},
		{"\n\n", frame.Limits{Line: 4, Headers: 1, Body: 1, Events: 1}, 1, 2, "STOMP-LIMIT-006"},
		{"SENT\n", frame.Limits{}, 0, 0, "STOMP-FRAME-013"},
		{"ACK\n\nabc\x00", frame.Limits{}, 0, 3, "STOMP-BODY-001"},
		{"SEND\ncontent-length:1\n\naX", frame.Limits{}, 1, 'X', "STOMP-BODY-004"},
		{"SEND\na:\\t\n", frame.Limits{}, 0, 't', "STOMP-ESC-003"},
	} {
		_, err := newDecoder(t, frame.DecoderConfig{Version: frame.V12, Limits: c.limits}).Feed([]byte(c.wire))
		var e *frame.Error
		if !errors.As(err, &e) || e.Limit != c.limit || e.Found != c.found || e.Law != c.law {
			t.Errorf("%q: got %+v, want limit %d, found %d, law %s", c.wire, e, c.limit, c.found, c.law)
			continue
		}
		for _, part := range []string{e.Rule.String(), c.law, fmt.Sprintf("octet %d", e.Offset)} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the text %q lacks %q", err, part)
			}
		}
	}
}
