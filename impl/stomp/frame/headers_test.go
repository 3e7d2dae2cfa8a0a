package frame_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestHeaderLaws(t *testing.T) {
	checkRows(t, []row{
		{"STOMP-HDR-001", all, "SEND\nabc\n", "!header-shape@5"},
		{"STOMP-HDR-001", all, "SEND\n:v\n", "!header-shape@5"},
		{"STOMP-HDR-001", all, "SEND\n:a:b\n", "!header-shape@5"},
		{"STOMP-HDR-001", all, "SEND\na:v\n\n\x00", "SEND{a=v} ."},
		{"STOMP-HDR-001", all, "SEND\na:v\nlonger-than-eight-octets\n", "!header-shape@9"},
		{"STOMP-HDR-002", all, "SEND\nx:\n\n\x00", "SEND{x=} ."},
		{"STOMP-HDR-004", "0", "SEND\nx:a:b\n\n\x00", "SEND{x=a:b} ."},
		{"STOMP-HDR-005", v11up, "SEND\na:b:c\n", "!raw-colon@8"},
		{"STOMP-HDR-005", v11up, "SEND\na::\n", "!raw-colon@7"},
		{"STOMP-HDR-005", v11up, "SEND\na-name-of-some-length:;;;;;\n\n\x00", "SEND{a-name-of-some-length=;;;;;} ."},
		{"STOMP-HDR-005", v11up, "SEND\na:b\\cc\n\n\x00", "SEND{a=b:c} ."},
		{"STOMP-HDR-005", all, "CONNECT\nlogin:b:c\n\n\x00", "CONNECT{login=b:c} ."},
		{"STOMP-HDR-006", all, "SEND\nContent-Length:1\n\nabc\x00", `SEND{Content-Length=1}"abc" .`},
		{"STOMP-HDR-007", all, "SEND\nx:  v \n\n\x00", "SEND{x=  v } ."},
		{"STOMP-HDR-007", all, "SEND\n x \t:\tv\n\n\x00", "SEND{ x \t=\tv} ."},
		{"STOMP-HDR-008", "0", "SEND\ndestination: /queue/a \n\n\x00", "SEND{destination= /queue/a } ."},
		{"STOMP-HDR-010", all, "SEND\nx:1\ny:2\nx:3\n\n\x00", "SEND{x=1,y=2,x=3} ."},
		{
			"STOMP-HDR-011", all, "SEND\ncontent-length:0\ncontent-length:3\n\n\x00",
			"SEND{content-length=0,content-length=3} .",
		},
		{
			"STOMP-HDR-011", all, "SEND\ncontent-length:1\ncontent-length:abc\n\n\x00\x00",
			`SEND{content-length=1,content-length=abc}"\x00" .`,
		},
		{"STOMP-HDR-011", all, "SEND\ncontent-length:abc\ncontent-length:0\n\n\x00", "!content-length@41"},
		{"STOMP-ESC-001", "2", "SEND\nx\\cy:a\\r\\n\\c\\\\b\n\n\x00", "SEND{x:y=a\r\n:\\b} ."},
		{"STOMP-ESC-002", "1", "SEND\nx:a\\n\\c\\\\b\n\n\x00", "SEND{x=a\n:\\b} ."},
		{"STOMP-ESC-002", "1", "SEND\nx:a\\rb\n", "!escape@8"},
		{"STOMP-ESC-002", "2", "SEND\nx:a\\rb\n\n\x00", "SEND{x=a\rb} ."},
		{"STOMP-ESC-004", v11up, "SEND\na:v\\\n", "!escape@8"},
		{"STOMP-ESC-004", v11up, "SEND\na:v\\\\\n\n\x00", "SEND{a=v\\} ."},
		{"STOMP-ESC-004", v11up, "SEND\na\\:v\n", "!escape@6"},
		{"STOMP-ESC-004", "2", "SEND\na:v\\\r\n", "!escape@8"},
		{"STOMP-ESC-004", v11up, "SEND\na:12345678\\\n", "!escape@15"},
		{"STOMP-ESC-007", all, "CONNECT\nlogin:a\\t:b\n\n\x00", "CONNECT{login=a\\t:b} ."},
		{"STOMP-ESC-007", all, "CONNECTED\nserver:x\\\n\n\x00", "CONNECTED{server=x\\} ."},
		{"STOMP-ESC-009", v11up, "STOMP\nlogin:a\\cb\n\n\x00", "STOMP{login=a:b} ."},
		{"STOMP-ESC-009", v11up, "STOMP\nlogin:a\\tb\n", "!escape@13"},
		{"STOMP-ESC-010", "0", "SEND\nx:a\\nb\\c\n\n\x00", "SEND{x=a\\nb\\c} ."},
		{"STOMP-ESC-012", v11up, "SEND\na\\cb:x\\\\n\n\n\x00", "SEND{a:b=x\\n} ."},
		{
			"STOMP-ESC-012", v11up, "SEND\nlong-plain-name:plain text of some length\\\\c then more of it\\c\n\n\x00",
			"SEND{long-plain-name=plain text of some length\\c then more of it:} .",
		},
	})
}

// STOMP-ESC-003: all 256 octets after a backslash, in a name and in a value.
func TestEveryEscape(t *testing.T) {
	for v, table := range map[frame.Version]string{frame.V11: "nc\\", frame.V12: "nc\\r"} {
		for c := range 256 {
			for at, format := range map[int]string{8: "SEND\nx:a\\%sb\n\n\x00", 6: "SEND\na\\%sb:x\n\n\x00"} {
				wire := fmt.Sprintf(format, string([]byte{byte(c)}))
				got := everyWay(t, frame.DecoderConfig{Version: v}, wire)
				legal := false
				for i := range table {
					legal = legal || table[i] == byte(c)
				}
				if legal != (got[0] != '!') {
					t.Errorf("STOMP-ESC-003 in %s: %q gives %s", v, wire, got)
				}
				// Octets that break another rule first are not named as escapes.
				named := c >= 0x10 && c < 0x80 && c != ':'
				if !legal && named && got != fmt.Sprintf("!escape@%d", at) {
					t.Errorf("STOMP-ESC-003 in %s: %q gives %s", v, wire, got)
				}
			}
		}
	}
}

// A special octet counts wherever it stands: heads are read and written eight octets at a time.
func TestEveryPosition(t *testing.T) {
	for size := 1; size <= 26; size++ {
		for at := range size {
			// Sums of octets reach the top bit from one of these and not from the other.
			plain := []byte(strings.Repeat("va"[at%2:at%2+1], size))
			put := func(c byte) string {
				s := append([]byte(nil), plain...)
				s[at] = c
				return string(s)
			}
			for c, escape := range map[byte]string{':': "\\c", '\\': "\\\\", '\n': "\\n", '\r': "\\r"} {
				value := put(c)
				wire := "SEND\nx:" + strings.ReplaceAll(value, string(c), escape) + "\n\n\x00"
				if got := encode(t, frame.V12, frame.New(frame.SEND, "x", value)); got != wire {
					t.Fatalf("STOMP-ESC-005: value %q gives %q", value, got)
				}
				if got := decode(t, frame.DecoderConfig{Version: frame.V12}, []byte(wire)); got != "SEND{x="+value+"} ." {
					t.Fatalf("STOMP-ESC-001: %q gives %s", wire, got)
				}
				name := "SEND\n" + strings.ReplaceAll(value, string(c), escape) + ":x\n\n\x00"
				if got := encode(t, frame.V12, frame.New(frame.SEND, value, "x")); got != name {
					t.Fatalf("STOMP-ESC-005: name %q gives %q", value, got)
				}
				if got := decode(t, frame.DecoderConfig{Version: frame.V12}, []byte(name)); got != "SEND{"+value+"=x} ." {
					t.Fatalf("STOMP-ESC-001: %q gives %s", name, got)
				}
			}
			for c, rule := range map[byte]string{0: "nul-in-line", 0xff: "utf8", ':': "raw-colon"} {
				want := fmt.Sprintf("!%s@%d", rule, len("SEND\nx:")+at)
				wire := "SEND\nx:" + put(c) + "\n\n\x00"
				if got := decode(t, frame.DecoderConfig{Version: frame.V12}, []byte(wire)); got != want {
					t.Fatalf("%q gives %s, want %s", wire, got, want)
				}
				if c != ':' {
					if got := encode(t, frame.V12, frame.New(frame.SEND, "x", put(c))); got != "!"+rule {
						t.Fatalf("encoding %q gives %s", put(c), got)
					}
				}
			}
		}
	}
}

// STOMP-HDR-009, STOMP-HDR-010: lookup gives the first entry or absence.
func TestGet(t *testing.T) {
	f := frame.New(frame.MESSAGE, "foo", "World", "foo", "Hello", "empty", "")
	if v, ok := f.Get("foo"); v != "World" || !ok {
		t.Errorf("foo is %q, %t", v, ok)
	}
	if v, ok := f.Get("empty"); v != "" || !ok {
		t.Errorf("empty is %q, %t", v, ok)
	}
	if v, ok := f.Get("Foo"); v != "" || ok {
		t.Errorf("Foo is %q, %t", v, ok)
	}
}

func TestClone(t *testing.T) {
	var none *frame.Frame
	if none.Clone() != nil {
		t.Error("the clone of a heart-beat is a frame")
	}
	d := newDecoder(t, frame.DecoderConfig{Version: frame.V12, Borrow: true})
	chunk := []byte("MESSAGE\na:b\\cc\nd:e\n\nbody\x00")
	events, err := d.Feed(chunk)
	if err != nil {
		t.Fatal(err)
	}
	kept := events[0].Frame.Clone()
	clear(chunk)
	if _, err := d.Feed([]byte("SEND\nz:\\n\\n\\n\n\n\x00")); err != nil {
		t.Fatal(err)
	}
	if got, want := show(kept), `MESSAGE{a=b:c,d=e}"body"`; got != want {
		t.Errorf("the clone changed to %s, want %s", got, want)
	}
}
