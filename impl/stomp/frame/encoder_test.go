package frame_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func withBody(f *frame.Frame, body string) *frame.Frame {
	f.Body = []byte(body)
	return f
}

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		law      string
		versions string
		frame    *frame.Frame
		want     string
	}{
		{"STOMP-FRAME-021", all, withBody(frame.New(frame.SEND), "a\x00b"), "SEND\ncontent-length:3\n\na\x00b\x00"},
		{"STOMP-FRAME-021", all, frame.New(frame.SEND, "x", "1", "y", "2", "x", "3"), "SEND\nx:1\ny:2\nx:3\n\n\x00"},
		{"STOMP-FRAME-022", all, &frame.Frame{}, "!unknown-command"},
		{"STOMP-FRAME-022", all, &frame.Frame{Command: 16}, "!unknown-command"},
		{"STOMP-FRAME-022", "0", frame.New(frame.NACK), "!unknown-command"},
		{"STOMP-FRAME-022", "0", frame.New(frame.STOMP), "!unknown-command"},
		{"STOMP-FRAME-024", all, frame.New(frame.MESSAGE), "MESSAGE\n\n\x00"},
		{"STOMP-FRAME-014", v11up, frame.New(frame.SEND, "x", "\xff"), "!utf8"},
		{"STOMP-FRAME-014", v11up, frame.New(frame.SEND, "x\xed\xa0\x80", "y"), "!utf8"},
		{"STOMP-FRAME-014", v11up, frame.New(frame.CONNECT, "x", "\xff"), "!utf8"},
		{"STOMP-FRAME-014", v11up, frame.New(frame.SEND, "x", "中😀"), "SEND\nx:中😀\n\n\x00"},
		{"STOMP-FRAME-014", v11up, frame.New(frame.SEND, "é", "\xff"), "!utf8"},
		{"STOMP-HDR-002", v11up, frame.New(frame.SEND, "x", ""), "SEND\nx:\n\n\x00"},
		{"STOMP-HDR-003", "0", frame.New(frame.SEND, "x", ""), "!header-shape"},
		{"STOMP-HDR-003", "0", frame.New(frame.SEND, "x", "é"), "!unrepresentable"},
		{"STOMP-HDR-003", "0", frame.New(frame.SEND, "é", "x"), "!unrepresentable"},
		{"STOMP-HDR-003", "0", frame.New(frame.SEND, "x", "\x80"), "!unrepresentable"},
		{"STOMP-HDR-003", "0", frame.New(frame.SEND, "x", "\x01\x7f\t\r"), "SEND\nx:\x01\x7f\t\r\n\n\x00"},
		{"STOMP-HDR-007", all, frame.New(frame.SEND, " x ", "  v "), "SEND\n x :  v \n\n\x00"},
		{"STOMP-HDR-013", all, frame.New(frame.SEND, "", "v"), "!header-shape"},
		{"STOMP-HDR-013", all, frame.New(frame.SEND, "x", "a\x00"), "!nul-in-line"},
		{"STOMP-HDR-013", all, frame.New(frame.SEND, "x\x00", "a"), "!nul-in-line"},
		{"STOMP-HDR-013", all, frame.New(frame.SEND, "\x01", "\x00"), "!nul-in-line"},
		{"STOMP-HDR-013", all, frame.New(frame.CONNECT, "", "v"), "!header-shape"},
		{"STOMP-ESC-005", "2", frame.New(frame.SEND, "a:b", " \r \n \\ "), "SEND\na\\cb: \\r \\n \\\\ \n\n\x00"},
		{
			"STOMP-ESC-005", "2", frame.New(frame.SEND, "a", "long plain text: and more of it;;\ttab\x01\x7f"),
			"SEND\na:long plain text\\c and more of it;;\ttab\x01\x7f\n\n\x00",
		},
		{"STOMP-ESC-005", v11up, frame.New(frame.SEND, ":", ":"), "SEND\n\\c:\\c\n\n\x00"},
		{"STOMP-ESC-005", v11up, frame.New(frame.SEND, "\\", "\\"), "SEND\n\\\\:\\\\\n\n\x00"},
		{"STOMP-ESC-005", v11up, frame.New(frame.SEND, "a:b", "c\\d"), "SEND\na\\cb:c\\\\d\n\n\x00"},
		{
			"STOMP-ESC-005", v11up, frame.New(frame.SEND, "long-name:b", "long-value:d"),
			"SEND\nlong-name\\cb:long-value\\cd\n\n\x00",
		},
		{"STOMP-ESC-006", "1", frame.New(frame.SEND, "a", "\rb\n:\\\r"), "SEND\na:\rb\\n\\c\\\\\r\n\n\x00"},
		{"STOMP-ESC-007", all, frame.New(frame.CONNECT, "login", "a\\b:c"), "CONNECT\nlogin:a\\b:c\n\n\x00"},
		{"STOMP-ESC-007", all, frame.New(frame.CONNECTED, "server", "x\\"), "CONNECTED\nserver:x\\\n\n\x00"},
		{"STOMP-ESC-008", all, frame.New(frame.CONNECT, "passcode", "a\nb"), "!unrepresentable"},
		{"STOMP-ESC-008", all, frame.New(frame.CONNECT, "passcode", "a\rb"), "!unrepresentable"},
		{"STOMP-ESC-008", all, frame.New(frame.CONNECTED, "pass:code", "a"), "!unrepresentable"},
		{"STOMP-ESC-008", all, frame.New(frame.CONNECT, "pass\rcode", "a"), "!unrepresentable"},
		{"STOMP-ESC-008", all, frame.New(frame.CONNECT, "passcode", "a\x00"), "!nul-in-line"},
		{"STOMP-ESC-008", all, frame.New(frame.CONNECT, "passcode", "a:b"), "CONNECT\npasscode:a:b\n\n\x00"},
		{"STOMP-ESC-009", v11up, frame.New(frame.STOMP, "login", "a:b"), "STOMP\nlogin:a\\cb\n\n\x00"},
		{"STOMP-ESC-010", "0", frame.New(frame.SEND, "x", "a\\n:b"), "SEND\nx:a\\n:b\n\n\x00"},
		{"STOMP-ESC-011", "0", frame.New(frame.SEND, "x", "a\nb"), "!unrepresentable"},
		{"STOMP-ESC-011", "0", frame.New(frame.SEND, "x:y", "a"), "!unrepresentable"},
		{"STOMP-BODY-001", v11up, withBody(frame.New(frame.ACK, "id", "a"), "x"), "!body-forbidden"},
		{"STOMP-BODY-001", v11up, withBody(frame.New(frame.RECEIPT), "x"), "!body-forbidden"},
		{"STOMP-BODY-002", "0", withBody(frame.New(frame.ACK), "x"), "ACK\ncontent-length:1\n\nx\x00"},
		{"STOMP-BODY-015", "0", withBody(frame.New(frame.RECEIPT), "x"), "!body-forbidden"},
		{"STOMP-BODY-012", all, withBody(frame.New(frame.SEND, "a", "b"), "x"), "SEND\na:b\ncontent-length:1\n\nx\x00"},
		{"STOMP-BODY-012", all, frame.New(frame.SEND), "SEND\n\n\x00"},
		{"STOMP-BODY-013", all, withBody(frame.New(frame.SEND, "content-length", "1"), "x"), "SEND\ncontent-length:1\n\nx\x00"},
		{"STOMP-BODY-013", all, withBody(frame.New(frame.SEND, "content-length", "01"), "x"), "SEND\ncontent-length:01\n\nx\x00"},
		{"STOMP-BODY-013", all, withBody(frame.New(frame.SEND, "content-length", "2"), "x"), "!content-length"},
		{"STOMP-BODY-013", all, withBody(frame.New(frame.SEND, "content-length", "-1"), "x"), "!content-length"},
		{"STOMP-BODY-013", v11up, withBody(frame.New(frame.SEND, "content-length", ""), "x"), "!content-length"},
		{"STOMP-BODY-013", all, withBody(frame.New(frame.SEND, "content-length", " 1"), "x"), "!content-length"},
		{"STOMP-BODY-013", all, withBody(frame.New(frame.SEND, "content-length", "2147483648"), "x"), "!content-length"},
		{"STOMP-BODY-013", all, frame.New(frame.ACK, "content-length", "0"), "ACK\ncontent-length:0\n\n\x00"},
		{"STOMP-BODY-013", all, frame.New(frame.SEND, "content-length", "1"), "!content-length"},
		{
			"STOMP-HDR-011", all, withBody(frame.New(frame.SEND, "content-length", "1", "content-length", "x"), "y"),
			"SEND\ncontent-length:1\ncontent-length:x\n\ny\x00",
		},
		{"STOMP-BODY-006", all, withBody(frame.New(frame.MESSAGE), "\x00"), "MESSAGE\ncontent-length:1\n\n\x00\x00"},
		{"STOMP-BODY-008", all, withBody(frame.New(frame.SEND), "中文"), "SEND\ncontent-length:6\n\n中文\x00"},
		{"STOMP-BODY-014", all, withBody(frame.New(frame.SEND), "\r\n\\\xff:"), "SEND\ncontent-length:5\n\n\r\n\\\xff:\x00"},
		{"STOMP-HEARTBEAT-006", all, nil, "\n"},
	} {
		for _, digit := range c.versions {
			v, _ := frame.ParseVersion("1." + string(digit))
			t.Run(fmt.Sprintf("%s/%s", c.law, v), func(t *testing.T) {
				if got := encode(t, v, c.frame); got != c.want {
					t.Errorf("%s in %s:\n got %q\nwant %q", c.law, v, got, c.want)
				}
			})
		}
	}
}

// encode returns the octets, or the rule of the error after an exclamation mark. It goes both ways out and checks that
// a refused frame leaves no octets.
func encode(t *testing.T, v frame.Version, f *frame.Frame) string {
	t.Helper()
	before := []byte("before")
	out, err := frame.Append(before[:6:6], v, f)
	e := frame.Encoder{Version: v}
	var b bytes.Buffer
	n, werr := e.WriteTo(&b, f)
	if (err == nil) != (werr == nil) || int(n) != b.Len() || string(out) != "before"+b.String() {
		t.Fatalf("Append gives %q, %v and WriteTo %q, %d, %v", out, err, b.String(), n, werr)
	}
	if err == nil {
		return b.String()
	}
	var fe *frame.Error
	if !errors.As(err, &fe) || fe.Offset != -1 || fe.Law == "" {
		t.Fatalf("error %#v", err)
	}
	return "!" + fe.Rule.String()
}

func TestBounds(t *testing.T) {
	many := func(n int, more ...string) *frame.Frame {
		f := frame.New(frame.SEND, more...)
		for len(f.Headers) < n {
			f.Headers = append(f.Headers, frame.Header{Name: "x", Value: "y"})
		}
		return f
	}
	pair := func(n int, octet string) *frame.Frame {
		return frame.New(frame.SEND, "name", strings.Repeat(octet, (n-4)/len(octet)))
	}
	for _, c := range []struct {
		law, what, want string
		frame           *frame.Frame
	}{
		{"STOMP-LIMIT-009", "2047 octets", "", pair(2047, "v")},
		{"STOMP-LIMIT-009", "2047 octets, escaping doubles them", "", pair(2047, ":")},
		{"STOMP-LIMIT-009", "2048 octets", "!pair-limit", pair(2048, "v")},
		{"STOMP-LIMIT-009", "2047 octets of 3-octet characters and a name", "", frame.New(frame.SEND, "n", strings.Repeat("中", 682))},
		{"STOMP-LIMIT-009", "2048 octets of them", "!pair-limit", frame.New(frame.SEND, "nn", strings.Repeat("中", 682))},
		{"STOMP-LIMIT-010", "127 and a body", "", withBody(many(127), "x")},
		{"STOMP-LIMIT-010", "128 and a body", "!header-limit", withBody(many(128), "x")},
		{"STOMP-LIMIT-010", "128 with content-length and a body", "", withBody(many(128, "content-length", "1"), "x")},
		{"STOMP-LIMIT-010", "128 and no body", "", many(128)},
		{"STOMP-LIMIT-010", "129 and no body", "!header-limit", many(129)},
		{"STOMP-LIMIT-010", "129 with content-length", "!header-limit", withBody(many(129, "content-length", "1"), "x")},
		{"STOMP-LIMIT-011", "1 MiB body", "", withBody(many(1), strings.Repeat("x", 1<<20))},
		{"STOMP-LIMIT-011", "1 MiB and one octet", "!body-limit", withBody(many(1), strings.Repeat("x", 1<<20+1))},
	} {
		bounds := frame.ClientBounds()
		e := frame.Encoder{Version: frame.V12, Bounds: &bounds}
		out, err := e.Append(nil, c.frame)
		got := ""
		if err != nil {
			got = "!" + err.(*frame.Error).Rule.String()
		}
		if got != c.want || err != nil && out != nil {
			t.Errorf("%s, %s: got %q, want %q", c.law, c.what, got, c.want)
		}
		// STOMP-LIMIT-012: without bounds everything passes.
		if _, err := frame.Append(nil, frame.V12, c.frame); err != nil {
			t.Errorf("STOMP-LIMIT-012, %s: %v", c.what, err)
		}
		// STOMP-LIMIT-013: what the client may send fits the default decoder.
		if err == nil {
			events, err := newDecoder(t, frame.DecoderConfig{Version: frame.V12}).Feed(out)
			if err != nil || len(events) != 1 {
				t.Errorf("STOMP-LIMIT-013, %s: %d events, %v", c.what, len(events), err)
			}
		}
	}
	big := withBody(many(200), strings.Repeat("x", 2<<20))
	if _, err := frame.Append(nil, frame.V12, big); err != nil {
		t.Errorf("STOMP-LIMIT-012: %v", err)
	}
}

// pieces records the slices it is given.
type pieces struct {
	got  [][]byte
	fail int // the call that fails, from 1
}

var errFull = errors.New("full")

func (p *pieces) Write(b []byte) (int, error) {
	p.got = append(p.got, b)
	if len(p.got) == p.fail {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriteToDoesNotCopyLargeBodies(t *testing.T) {
	for size, calls := range map[int]int{0: 1, 4096: 1, 4097: 3, 1 << 20: 3} {
		f := withBody(frame.New(frame.SEND, "a", "b"), strings.Repeat("x", size))
		var p pieces
		e := frame.Encoder{Version: frame.V12}
		if _, err := e.WriteTo(&p, f); err != nil {
			t.Fatal(err)
		}
		if len(p.got) != calls {
			t.Errorf("a body of %d octets takes %d writes, want %d", size, len(p.got), calls)
		}
		if calls == 3 && &p.got[1][0] != &f.Body[0] {
			t.Errorf("a body of %d octets was copied", size)
		}
	}
	f := withBody(frame.New(frame.SEND), strings.Repeat("x", 5000))
	e := frame.Encoder{Version: frame.V12}
	n, err := e.WriteTo(&pieces{fail: 2}, f)
	if !errors.Is(err, errFull) || n != int64(len("SEND\ncontent-length:5000\n\n")) {
		t.Errorf("a writer that fails at the body gives %d, %v", n, err)
	}
	var b bytes.Buffer
	if _, err := e.WriteTo(&b, f); err != nil || b.Len() != 5000+27 {
		t.Errorf("after a writer's error: %d octets, %v", b.Len(), err)
	}
}
