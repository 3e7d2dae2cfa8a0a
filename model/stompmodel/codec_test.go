package stompmodel

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show renders events on one line: ~ for a heart-beat, and COMMAND[name=value,...]"body" for a frame.
func show(events []Event) string {
	var parts []string
	for _, e := range events {
		if e.Heartbeat {
			parts = append(parts, "~")
			continue
		}
		var headers []string
		for _, h := range e.Frame.Headers {
			headers = append(headers, h.Name+"="+h.Value)
		}
		parts = append(parts, fmt.Sprintf("%s[%s]%q", e.Frame.Command, strings.Join(headers, ","), e.Frame.Body))
	}
	return strings.Join(parts, " ")
}

func fault(err *CodecError) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%s@%d", err.Rule, err.Offset)
}

func decode(t testing.TB, cfg CodecConfig, end bool, chunks ...string) Decoded {
	t.Helper()
	var feeds [][]byte
	for _, c := range chunks {
		feeds = append(feeds, []byte(c))
	}
	d, err := Decode(cfg, feeds, end)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const all = "1.0 1.1 1.2"

// TestDecodeTable feeds each text as one chunk and ends the stream, in each of the versions named.
func TestDecodeTable(t *testing.T) {
	for _, tc := range []struct {
		law, versions, in, want, fault string
	}{
		{"STOMP-FRAME-001", all, "SEND\ndestination:/q\n\nhi\x00", `SEND[destination=/q]"hi"`, ""},
		{"STOMP-FRAME-001", all, "SEND\ndestination:/q\nhi\x00", "", "nul-in-line@22"},
		{"STOMP-FRAME-001", all, "SEND\ndestination:/q\n\nhi", "", "truncated@23"},
		{"STOMP-FRAME-002", "1.0", "NACK\n\n\x00", "", "unknown-command@4"},
		{"STOMP-FRAME-002", "1.0", "STOMP\n\n\x00", "", "unknown-command@5"},
		{"STOMP-FRAME-003", "1.1 1.2", "NACK\n\n\x00STOMP\n\n\x00", `NACK[]"" STOMP[]""`, ""},
		{"STOMP-FRAME-004", all, "CONNECTED\nversion:1.2\n\n\x00MESSAGE\n\n\x00RECEIPT\n\n\x00ERROR\n\n\x00", `CONNECTED[version=1.2]"" MESSAGE[]"" RECEIPT[]"" ERROR[]""`, ""},
		{"STOMP-FRAME-005", all, "send\n", "", "unknown-command@4"},
		{"STOMP-FRAME-006", "1.2", "SEND\r\nx:a\r\n\r\n\x00\r\n\n", `SEND[x=a]"" ~ ~`, ""},
		{"STOMP-FRAME-006", "1.2", "SEND\r\nx:a\ny:b\r\n\nz\r\n\x00", `SEND[x=a,y=b]"z\r\n"`, ""},
		{"STOMP-FRAME-007", "1.0 1.1", "SEND\nx:a\r\n\n\x00", "SEND[x=a\r]\"\"", ""},
		{"STOMP-FRAME-007", "1.0 1.1", "SEND\r\n", "", "unknown-command@5"},
		{"STOMP-FRAME-007", "1.0 1.1", "\r\n", "", "unknown-command@1"},
		{"STOMP-FRAME-007", "1.0 1.1", "SEND\n\r\n", "", "header-shape@6"},
		{"STOMP-FRAME-008", "1.2", "SEND\nx:a\rb\n", "", "bare-cr@10"},
		{"STOMP-FRAME-008", "1.2", "SEND\nx:a\r\r\n", "", "bare-cr@10"},
		{"STOMP-FRAME-008", "1.2", "\rSEND\n", "", "bare-cr@5"},
		{"STOMP-FRAME-008", "1.2", "\r\r\n", "", "bare-cr@2"},
		{"STOMP-FRAME-009", all, "SEND\nx\x00", "", "nul-in-line@6"},
		{"STOMP-FRAME-009", all, "\x00", "", "nul-in-line@0"},
		{"STOMP-FRAME-009", all, "SEND\n\n\x00", `SEND[]""`, ""},
		{"STOMP-FRAME-010", all, "ACK\n\n\x00\n\n\nACK\n\n\x00", `ACK[]"" ~ ~ ~ ACK[]""`, ""},
		{"STOMP-FRAME-011", "1.2", "\n\r\nACK\nid:a\n\n\x00\n", `~ ~ ACK[id=a]"" ~`, ""},
		{"STOMP-FRAME-013", all, "BOGUS", "", "truncated@5"},
		{"STOMP-FRAME-013", all, "BOGUS\n", "", "unknown-command@5"},
		{"STOMP-FRAME-013", all, "SEND \n", "", "unknown-command@5"},
		{"STOMP-FRAME-013", all, " SEND\n", "", "unknown-command@5"},
		{"STOMP-FRAME-013", all, "SEND\t\n", "", "unknown-command@5"},
		{"STOMP-FRAME-013", all, "\xEF\xBB\xBFSEND\n", "", "unknown-command@7"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\xC0\xAF\n", "", "utf8@9"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\xED\xA0\x80\n", "", "utf8@10"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\xF4\x90\x80\x80\n", "", "utf8@11"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\xE4\xB8\n", "", "utf8@9"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\xE0\x9F\xBF\n", "", "utf8@10"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\xF0\x8F\xBF\xBF\n", "", "utf8@11"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\x80\n", "", "utf8@8"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\xF5\x80\x80\x80\n", "", "utf8@11"},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\u4e2d\U0001f600\n\n\x00", "SEND[x=\u4e2d\U0001f600]\"\"", ""},
		{"STOMP-FRAME-014", "1.1 1.2", "SEND\nx:\uD7FF\uE000\U0010FFFF\u0080\u0800\U00010000\n\n\x00", "SEND[x=\uD7FF\uE000\U0010FFFF\u0080\u0800\U00010000]\"\"", ""},
		{"STOMP-FRAME-014", "1.0", "SEND\nx:\xFF\n\n\x00", "SEND[x=\xFF]\"\"", ""},
		{"STOMP-FRAME-014", "1.1 1.2", "\xFF\n", "", "utf8@1"},
		{"STOMP-FRAME-015", all, "DISCONNECT\n\n\x00", `DISCONNECT[]""`, ""},
		{"STOMP-FRAME-016", "1.2", "SEND\n\xFF\r:\n", "", "utf8@8"},
		{"STOMP-FRAME-016", "1.2", "BOGUS\rX\n", "", "bare-cr@7"},
		{"STOMP-FRAME-016", "1.1 1.2", "SEND\n:\\t:\n", "", "header-shape@9"},
		{"STOMP-FRAME-016", "1.1 1.2", "SEND\n\\t:v\n", "", "escape@9"},
		{"STOMP-FRAME-017", all, "ACK\nid:a\n\n\x00BAD\n", "", "unknown-command@14"},
		{"STOMP-FRAME-020", all, "S", "", "truncated@1"},
		{"STOMP-FRAME-020", all, "\r", "", "truncated@1"},
		{"STOMP-FRAME-020", all, "SEND\n", "", "truncated@5"},
		{"STOMP-FRAME-020", all, "SEND\nx:v\n", "", "truncated@9"},
		{"STOMP-FRAME-020", all, "SEND\n\na", "", "truncated@7"},
		{"STOMP-FRAME-020", all, "SEND\ncontent-length:3\n\na\x00", "", "truncated@25"},
		{"STOMP-FRAME-020", all, "SEND\ncontent-length:0\n\n", "", "truncated@23"},
		{"STOMP-FRAME-024", all, "MESSAGE\n\n\x00ACK\n\n\x00", `MESSAGE[]"" ACK[]""`, ""},
		{"STOMP-HDR-001", all, "SEND\nabc\n", "", "header-shape@8"},
		{"STOMP-HDR-001", all, "SEND\n:v\n", "", "header-shape@7"},
		{"STOMP-HDR-001", all, "SEND\na:v\n\n\x00", `SEND[a=v]""`, ""},
		{"STOMP-HDR-002", all, "SEND\nx:\n\n\x00", `SEND[x=]""`, ""},
		{"STOMP-HDR-004", "1.0", "SEND\nx:a:b\n\n\x00", `SEND[x=a:b]""`, ""},
		{"STOMP-HDR-005", "1.1 1.2", "SEND\na:b:c\n", "", "raw-colon@10"},
		{"STOMP-HDR-005", "1.1 1.2", "SEND\na:b\\cc\n\n\x00", `SEND[a=b:c]""`, ""},
		{"STOMP-HDR-005", all, "CONNECT\nlogin:b:c\n\n\x00", `CONNECT[login=b:c]""`, ""},
		{"STOMP-HDR-006", all, "SEND\nContent-Length:1\n\nabc\x00", `SEND[Content-Length=1]"abc"`, ""},
		{"STOMP-HDR-007", all, "SEND\nx:  v \n\n\x00", `SEND[x=  v ]""`, ""},
		{"STOMP-HDR-008", "1.0", "SEND\ncontent-length: 2 \n\n\x00\x00\x00", `SEND[content-length= 2 ]"\x00\x00"`, ""},
		{"STOMP-HDR-008", "1.1 1.2", "SEND\ncontent-length: 2\n\n", "", "content-length@23"},
		{"STOMP-HDR-009", all, "SEND\ncontent-length:1\ncontent-length:0\n\nz\x00", `SEND[content-length=1,content-length=0]"z"`, ""},
		{"STOMP-HDR-010", all, "SEND\nx:1\ny:2\nx:3\n\n\x00", `SEND[x=1,y=2,x=3]""`, ""},
		{"STOMP-HDR-011", all, "SEND\ncontent-length:0\ncontent-length:3\n\n\x00", `SEND[content-length=0,content-length=3]""`, ""},
		{"STOMP-HDR-011", all, "SEND\ncontent-length:0\ncontent-length:abc\n\n\x00", `SEND[content-length=0,content-length=abc]""`, ""},
		{"STOMP-HDR-011", all, "SEND\ncontent-length:abc\ncontent-length:0\n\n\x00", "", "content-length@41"},
		{"STOMP-ESC-001", "1.2", "SEND\nx\\cy:a\\r\\n\\c\\\\b\n\n\x00", "SEND[x:y=a\r\n:\\b]\"\"", ""},
		{"STOMP-ESC-002", "1.1", "SEND\nx:a\\n\\c\\\\b\n\n\x00", "SEND[x=a\n:\\b]\"\"", ""},
		{"STOMP-ESC-002", "1.1", "SEND\nx:a\\rb\n", "", "escape@11"},
		{"STOMP-ESC-003", "1.1 1.2", "SEND\nx:a\\tb\n", "", "escape@11"},
		{"STOMP-ESC-004", "1.1 1.2", "SEND\na:v\\\n", "", "escape@9"},
		{"STOMP-ESC-004", "1.1 1.2", "SEND\na:v\\\\\n\n\x00", `SEND[a=v\]""`, ""},
		{"STOMP-ESC-004", "1.1 1.2", "SEND\na\\:v\n", "", "escape@9"},
		{"STOMP-ESC-007", all, "CONNECT\nlogin:a\\t:b\n\n\x00CONNECTED\nserver:x\\\n\n\x00", `CONNECT[login=a\t:b]"" CONNECTED[server=x\]""`, ""},
		{"STOMP-ESC-009", "1.1 1.2", "STOMP\nlogin:a\\cb\n\n\x00", `STOMP[login=a:b]""`, ""},
		{"STOMP-ESC-009", "1.1 1.2", "STOMP\nlogin:a\\tb\n", "", "escape@16"},
		{"STOMP-ESC-010", "1.0", "SEND\nx:a\\nb\\c\n\n\x00", `SEND[x=a\nb\c]""`, ""},
		{"STOMP-ESC-012", "1.1 1.2", "SEND\na\\cb:x\\\\n\n\n\x00", `SEND[a:b=x\n]""`, ""},
		{"STOMP-BODY-001", "1.1 1.2", "ACK\nid:a\n\nx\x00", "", "body-forbidden@11"},
		{"STOMP-BODY-001", "1.1 1.2", "ACK\nid:a\n\n\x00", `ACK[id=a]""`, ""},
		{"STOMP-BODY-002", "1.0", "SUBSCRIBE\n\nxyz\x00", `SUBSCRIBE[]"xyz"`, ""},
		{"STOMP-BODY-003", all, "SEND\ncontent-length:5\n\n\x00a\xFF\r\n\x00", `SEND[content-length=5]"\x00a\xff\r\n"`, ""},
		{"STOMP-BODY-004", all, "SEND\ncontent-length:1\n\nab\x00", "", "terminator@24"},
		{"STOMP-BODY-004", all, "SEND\ncontent-length:1\n\na\x00", `SEND[content-length=1]"a"`, ""},
		{"STOMP-BODY-005", all, "SEND\ndestination:/q\n\nab\x00\n", `SEND[destination=/q]"ab" ~`, ""},
		{"STOMP-BODY-009", all, "ACK\ncontent-length:0\n\n\x00", `ACK[content-length=0]""`, ""},
		{"STOMP-BODY-009", "1.1 1.2", "ACK\ncontent-length:1\n\na\x00", "", "body-forbidden@23"},
		{"STOMP-BODY-011", all, "SEND\ncontent-length:0\n\nx\x00", "", "terminator@23"},
		{"STOMP-BODY-014", all, "SEND\n\n\\c\r\n\xFF\\\x00", `SEND[]"\\c\r\n\xff\\"`, ""},
	} {
		for _, v := range strings.Fields(tc.versions) {
			d := decode(t, DefaultCodecConfig(Version(v)), true, tc.in)
			if got := show(d.Events); got != tc.want || fault(d.Err) != tc.fault {
				t.Errorf("%s in %s: %q gives\n%s and fault %q, want\n%s and %q", tc.law, v, tc.in, got, fault(d.Err), tc.want, tc.fault)
			}
		}
	}
}

// TestContentLengthSyntax checks STOMP-BODY-010 and STOMP-LIMIT-005.
func TestContentLengthSyntax(t *testing.T) {
	in := func(value string) string { return "SEND\ncontent-length:" + value + "\n\n" }
	for _, v := range Versions() {
		for _, bad := range []string{"", "+1", "-1", "0x1", "1.0", "1,1", "1 1", "\t1", "\uFF11", "abc", "1e3"} {
			want := fmt.Sprintf("content-length@%d", len(in(bad))-1)
			if got := fault(decode(t, DefaultCodecConfig(v), false, in(bad)).Err); got != want {
				t.Errorf("%s: %q gives %q, want %q", v, bad, got, want)
			}
		}
		for _, good := range []string{"0", "17", "0005", strings.Repeat("0", 29) + "3"} {
			if d := decode(t, DefaultCodecConfig(v), false, in(good)); d.Err != nil {
				t.Errorf("%s: %q gives %v", v, good, d.Err)
			}
		}
		for _, large := range []string{"1048577", "2147483648", "18446744073709551617", "9223372036854775808", strings.Repeat("9", 1000)} {
			want := fmt.Sprintf("body-limit@%d", len(in(large))-1)
			if got := fault(decode(t, DefaultCodecConfig(v), false, in(large)).Err); got != want {
				t.Errorf("%s: %q gives %q, want %q", v, large, got, want)
			}
		}
		// Syntax comes before the limit, however long the digits before the fault.
		if got := decode(t, DefaultCodecConfig(v), false, in(strings.Repeat("9", 1000)+"x")).Err; got == nil || got.Rule != RuleContentLength {
			t.Errorf("%s: %v", v, got)
		}
	}
}

// TestLimits checks both sides of each limit.
func TestLimits(t *testing.T) {
	def := DefaultCodecConfig(V12)
	tiny := CodecConfig{Version: V12, Line: 5, Headers: 0, Body: 0, Events: 1}
	line := func(n int) string { return "x:" + strings.Repeat("a", n-2) }
	header := "x:1\n"
	for _, tc := range []struct {
		law   string
		cfg   CodecConfig
		in    string
		fault string
	}{
		{"STOMP-LIMIT-001", def, "SEND\n" + line(8192) + "\n\n\x00", ""},
		{"STOMP-LIMIT-001", def, "SEND\n" + line(8193) + "\n\n\x00", "line-limit@8197"},
		{"STOMP-LIMIT-001", def, "SEND\n" + line(8191) + "\r\n\n\x00", ""},
		{"STOMP-LIMIT-001", def, "SEND\n" + line(8192) + "\r\n\n\x00", "line-limit@8197"},
		{"STOMP-LIMIT-002", def, strings.Repeat("S", 8193), "line-limit@8192"},
		{"STOMP-LIMIT-002", def, "SEND\nx:" + strings.Repeat(`\c`, 4096) + "\n", "line-limit@8197"},
		{"STOMP-LIMIT-002", CodecConfig{Version: V12, Line: 4, Events: 1}, "SEND\n\n\x00", ""},
		{"STOMP-LIMIT-002", CodecConfig{Version: V12, Line: 4, Events: 1}, "SENDS", "line-limit@4"},
		{"STOMP-FRAME-009", CodecConfig{Version: V12, Line: 4, Events: 1}, "SEND\x00", "nul-in-line@4"},
		{"STOMP-LIMIT-003", def, "SEND\n" + strings.Repeat(header, 128) + "\n\x00", ""},
		{"STOMP-LIMIT-003", def, "SEND\n" + strings.Repeat(header, 129) + "\n\x00", "header-limit@520"},
		{"STOMP-FRAME-016", def, "SEND\n" + strings.Repeat(header, 128) + "abc\n", "header-limit@520"},
		{"STOMP-FRAME-016", def, "SEND\n" + strings.Repeat(header, 128) + "\xFF\n", "utf8@518"},
		{"STOMP-LIMIT-004", def, "SEND\n\n" + strings.Repeat("b", 1<<20) + "\x00", ""},
		{"STOMP-LIMIT-004", def, "SEND\n\n" + strings.Repeat("b", 1<<20+1), "body-limit@1048582"},
		{"STOMP-LIMIT-004", def, "SEND\ncontent-length:1048576\n\n" + strings.Repeat("\x00", 1<<20) + "\x00", ""},
		{"STOMP-BODY-001", CodecConfig{Version: V12, Line: 9, Headers: 1, Body: 1, Events: 1}, "ACK\n\nab\x00", "body-limit@6"},
		{"STOMP-LIMIT-006", def, strings.Repeat("\n", 1024), ""},
		{"STOMP-LIMIT-006", def, strings.Repeat("\n", 1025), "event-limit@1024"},
		{"STOMP-LIMIT-006", def, strings.Repeat("\n", 1023) + "SEND\n\n\x00", ""},
		{"STOMP-LIMIT-006", def, strings.Repeat("\n", 1024) + "SEND\n\n\x00", "event-limit@1030"},
		{"STOMP-LIMIT-007", tiny, "SEND\r\n\r\n\x00", ""},
		{"STOMP-LIMIT-007", tiny, "SEND\n\na", "body-limit@6"},
		{"STOMP-LIMIT-007", tiny, "SEND\nx:v\n", "header-limit@8"},
		{"STOMP-LIMIT-007", tiny, "\n\n", "event-limit@1"},
	} {
		if got := fault(decode(t, tc.cfg, false, tc.in).Err); got != tc.fault {
			t.Errorf("%s: %.40q of %d octets: fault %q, want %q", tc.law, tc.in, len(tc.in), got, tc.fault)
		}
	}
	d := decode(t, def, true, strings.Repeat("\n", 1024), strings.Repeat("\n", 1024))
	if d.Err != nil || !cmp.Equal(d.PerFeed, []int{1024, 1024}) {
		t.Errorf("STOMP-LIMIT-006: two feeds of 1024: %v, %v", d.PerFeed, d.Err)
	}
}

// TestCodecConfigValidate checks STOMP-LIMIT-007.
func TestCodecConfigValidate(t *testing.T) {
	ok := CodecConfig{Version: V10, Line: 1, Events: 1}
	if err := ok.Validate(); err != nil {
		t.Error(err)
	}
	for field, change := range map[string]func(*CodecConfig){
		"Version": func(c *CodecConfig) { c.Version = "1.3" },
		"Line":    func(c *CodecConfig) { c.Line = 0 },
		"Headers": func(c *CodecConfig) { c.Headers = -1 },
		"Body":    func(c *CodecConfig) { c.Body = -1 },
		"Events":  func(c *CodecConfig) { c.Events = 0 },
	} {
		c := ok
		change(&c)
		if _, err := Decode(c, nil, true); err == nil || !strings.Contains(err.Error(), " "+field+" ") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestFailedAndEndedDecodersAreSpent checks STOMP-FRAME-017, STOMP-FRAME-018 and STOMP-FRAME-019.
func TestFailedAndEndedDecodersAreSpent(t *testing.T) {
	c, err := NewCodec(DefaultCodecConfig(V12))
	if err != nil {
		t.Fatal(err)
	}
	spent := func(s CodecState, what string) {
		t.Helper()
		for _, chunk := range []string{"", "\n", "ACK\n\n\x00"} {
			if _, events, fault := c.Feed(s, []byte(chunk)); fault == nil || fault.Rule != RuleSpent || events != nil {
				t.Errorf("%s: feed(%q) gives %v, %v", what, chunk, events, fault)
			}
		}
		if _, fault := c.End(s); fault == nil || fault.Rule != RuleSpent {
			t.Errorf("%s: end gives %v", what, fault)
		}
		if l, h, b := s.Retained(); l+h+b != 0 || !s.Spent() {
			t.Errorf("%s: %d line octets, %d headers, %d body octets are kept", what, l, h, b)
		}
	}
	for _, in := range []string{"BAD\n", "SEND\nx:1\ny\n", "SEND\nx:1\nab\x00", "SEND\ncontent-length:1\n\nab", "ACK\n\nx\x00"} {
		s, events, fault := c.Feed(c.Init(), []byte("ACK\n\n\x00"))
		if len(events) != 1 || fault != nil {
			t.Fatal(events, fault)
		}
		s, events, fault = c.Feed(s, []byte("\nACK\n\n\x00"+in))
		if fault == nil || events != nil {
			t.Errorf("%q: a failing feed returned %v, %v", in, events, fault)
		}
		spent(s, in)
	}
	for _, in := range []string{"", "ACK\n\n\x00", "\n"} {
		s, _, fault := c.Feed(c.Init(), []byte(in))
		if fault != nil {
			t.Fatal(fault)
		}
		s, fault = c.End(s)
		if fault != nil {
			t.Errorf("end after %q: %v", in, fault)
		}
		spent(s, "end after "+in)
	}
}

// TestVersionSwitch checks STOMP-NEGOTIATE-006: the octets behind CONNECTED, in the same chunk, obey the version that it names.
func TestVersionSwitch(t *testing.T) {
	behind := "ERROR\nmessage:a\\rb\n\n\x00"
	for _, tc := range []struct{ connected, want, fault string }{
		{"CONNECTED\nversion:1.2\n\n\x00", "a\rb", ""},
		{"CONNECTED\nversion:1.1\n\n\x00", "", "escape@42"},
		{"CONNECTED\nversion:1.0\n\n\x00", `a\rb`, ""},
		{"CONNECTED\n\n\x00", `a\rb`, ""},
		{"CONNECTED\nversion:1.1\nversion:1.2\n\n\x00", "", "escape@54"},
		{"CONNECTED\nversion:9\n\n\x00", "a\rb", ""},
	} {
		d := decode(t, DefaultCodecConfig(V12), true, tc.connected+behind)
		if fault(d.Err) != tc.fault {
			t.Errorf("%q: fault %q, want %q", tc.connected, fault(d.Err), tc.fault)
			continue
		}
		if d.Err == nil {
			if got, _ := d.Events[1].Frame.Get("message"); got != tc.want {
				t.Errorf("%q: %q, want %q", tc.connected, got, tc.want)
			}
		}
	}
	server := DefaultCodecConfig(V12)
	server.OnConnect = func(f Frame) Version {
		v, _ := f.Get("accept-version")
		return Version(v)
	}
	in := "CONNECT\r\naccept-version:1.1\r\n\r\n\x00SEND\nx:a\r\n\n\x00"
	if got := show(decode(t, server, true, in).Events); got != "CONNECT[accept-version=1.1]\"\" SEND[x=a\r]\"\"" {
		t.Errorf("after CONNECT: %s", got)
	}
	pinned := server
	pinned.Pinned = true
	if got := show(decode(t, pinned, true, in).Events); !strings.HasSuffix(got, `SEND[x=a]""`) {
		t.Errorf("pinned: %s", got)
	}
}

// TestErrorsSayWhereTheLineBegins checks CodecError.Start.
func TestErrorsSayWhereTheLineBegins(t *testing.T) {
	for in, want := range map[string]int{"SEND\nx:1\nabc\n": 9, "SEND\n\nab\x00BAD\n": 9, "SEND\ncontent-length:0\n\nx": 23, "SEND\nab": 5} {
		if err := decode(t, DefaultCodecConfig(V12), true, in).Err; err == nil || err.Start != want {
			t.Errorf("%q: %+v, want start %d", in, err, want)
		}
	}
}

// TestEventsSayWhere checks Feed and Offset over two chunks, and that a state survives a step from it (STOMP-FRAME-025).
func TestEventsSayWhere(t *testing.T) {
	chunks := [][]byte{[]byte("\nSEND\nx:"), []byte("1\n\nb\x00")}
	d, err := Decode(DefaultCodecConfig(V12), chunks, true)
	if err != nil || d.Err != nil {
		t.Fatal(err, d.Err)
	}
	want := []Event{
		{Heartbeat: true},
		{Frame: Frame{Command: "SEND", Headers: []Header{{"x", "1"}}, Body: []byte("b")}, Feed: 1, Offset: 12},
	}
	if diff := cmp.Diff(want, d.Events); diff != "" {
		t.Error(diff)
	}
	clear(chunks[1])
	if !bytes.Equal(d.Events[1].Frame.Body, []byte("b")) {
		t.Error("the event changed with the chunk")
	}
	c, _ := NewCodec(DefaultCodecConfig(V12))
	s, _, _ := c.Feed(c.Init(), []byte("SEND\na:1\n\nxy"))
	for _, tail := range []string{"1\x00", "2\x00", "\x00"} {
		_, events, fault := c.Feed(s, []byte(tail))
		if want := `SEND[a=1]` + fmt.Sprintf("%q", "xy"+strings.TrimSuffix(tail, "\x00")); fault != nil || show(events) != want {
			t.Errorf("%s, %v, want %s", show(events), fault, want)
		}
	}
}
