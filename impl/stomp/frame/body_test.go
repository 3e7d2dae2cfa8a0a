package frame_test

import (
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestBodyLaws(t *testing.T) {
	checkRows(t, []row{
		{"STOMP-BODY-001", v11up, "ACK\nid:a\n\nx\x00", "!body-forbidden@11"},
		{"STOMP-BODY-001", v11up, "ACK\nid:a\n\n\x00", "ACK{id=a} ."},
		{"STOMP-BODY-001", v11up, "ERROR\n\nx\x00MESSAGE\n\nx\x00SEND\n\nx\x00", `ERROR{}"x" MESSAGE{}"x" SEND{}"x" .`},
		{"STOMP-BODY-001", v11up, "CONNECTED\n\nx\x00", "!body-forbidden@12"},
		{"STOMP-BODY-002", "0", "SUBSCRIBE\n\nxyz\x00", `SUBSCRIBE{}"xyz" .`},
		{
			"STOMP-BODY-003", all, "SEND\ncontent-length:5\n\n\x00a\xff\r\n\x00",
			`SEND{content-length=5}"\x00a\xff\r\n" .`,
		},
		{"STOMP-BODY-004", all, "SEND\ncontent-length:1\n\nab\x00", "!terminator@24"},
		{"STOMP-BODY-004", all, "SEND\ncontent-length:1\n\naX", "!terminator@24"},
		{"STOMP-BODY-004", all, "SEND\ncontent-length:1\n\na\n", "!terminator@24"},
		{"STOMP-BODY-004", all, "SEND\ncontent-length:1\n\na\x00", `SEND{content-length=1}"a" .`},
		{"STOMP-BODY-005", all, "SEND\ndestination:/q\n\nab\x00\n", `SEND{destination=/q}"ab" ~ .`},
		{"STOMP-BODY-008", all, "SEND\ncontent-length:6\n\n中文\x00", `SEND{content-length=6}"中文" .`},
		{"STOMP-BODY-008", all, "SEND\ncontent-length:2\n\na\x00", "!truncated@25"},
		{"STOMP-BODY-009", all, "ACK\nid:a\ncontent-length:0\n\n\x00", "ACK{id=a,content-length=0} ."},
		{"STOMP-BODY-009", v11up, "ACK\nid:a\ncontent-length:1\n\na\x00", "!body-forbidden@28"},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:\n\n", "!content-length@21"},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:+1\n\n", "!content-length@23"},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:-1\n\n", "!content-length@23"},
		{"STOMP-BODY-010", v11up, "SEND\ncontent-length: 1\n\n", "!content-length@23"},
		{"STOMP-BODY-010", v11up, "SEND\ncontent-length:1 \n\n", "!content-length@23"},
		{"STOMP-BODY-010", "0", "SEND\ncontent-length:  1 \n\na\x00", `SEND{content-length=  1 }"a" .`},
		{"STOMP-BODY-010", "0", "SEND\ncontent-length: \n\n", "!content-length@22"},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:\t1\n\n", "!content-length@23"},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:0x1\n\n", "!content-length@24"},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:1.0\n\n", "!content-length@24"},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:1,1\n\n", "!content-length@24"},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:\uff11\n\n", "!content-length@24"},
		{"STOMP-BODY-010", "01", "SEND\ncontent-length:1\r\n\n", "!content-length@23"},
		{"STOMP-BODY-010", "2", "SEND\r\ncontent-length:1\r\n\r\na\x00", `SEND{content-length=1}"a" .`},
		{"STOMP-BODY-010", all, "SEND\ncontent-length:0005\n\nabcde\x00", `SEND{content-length=0005}"abcde" .`},
		{
			"STOMP-BODY-010", all, "SEND\ncontent-length:" + strings.Repeat("0", 29) + "3\n\nabc\x00",
			`SEND{content-length=` + strings.Repeat("0", 29) + `3}"abc" .`,
		},
		{"STOMP-BODY-011", all, "SEND\ncontent-length:0\n\n\x00", "SEND{content-length=0} ."},
		{"STOMP-BODY-011", all, "SEND\ncontent-length:0\n\nx\x00", "!terminator@23"},
		{"STOMP-BODY-014", all, "SEND\n\n\r\n\\t\xff: \r\n\x00", `SEND{}"\r\n\\t\xff: \r\n" .`},
	})
	row{
		"STOMP-BODY-010", all, "SEND\ncontent-length:17\n\n" + strings.Repeat("x", 17) + "\x00",
		`SEND{content-length=17}"` + strings.Repeat("x", 17) + `" .`,
	}.check(t, frame.Limits{})
}

// Bodies of many sizes, whole and in pieces, arrive whatever the memory they pass through.
func TestBodySizes(t *testing.T) {
	for _, size := range []int{1, 100, 4095, 4096, 4097, 65535, 65536, 65537, 300000, 1 << 20} {
		body := make([]byte, size)
		for i := range body {
			body[i] = byte('a' + i%23)
		}
		counted, err := frame.Append(nil, frame.V12, &frame.Frame{Command: frame.SEND, Body: body})
		if err != nil {
			t.Fatal(err)
		}
		plain := append(append([]byte("SEND\n\n"), body...), 0)
		for _, borrow := range []bool{false, true} {
			d := newDecoder(t, frame.DecoderConfig{Version: frame.V12, Borrow: borrow})
			n := 0
			for _, wire := range [][]byte{counted, plain, plain, counted} {
				for _, step := range []int{len(wire), 1000, 4096, 70001} {
					for at := 0; at < len(wire); at += step {
						events, err := d.Feed(append([]byte(nil), wire[at:min(at+step, len(wire))]...))
						if err != nil {
							t.Fatal(err)
						}
						for _, e := range events {
							n++
							if string(e.Frame.Body) != string(body) {
								t.Fatalf("size %d, step %d, borrow %t: another body of %d octets", size, step, borrow, len(e.Frame.Body))
							}
							if cap(e.Frame.Body) != len(e.Frame.Body) {
								t.Fatalf("an append to the body would write into memory of the decoder")
							}
						}
					}
				}
			}
			if n != 16 {
				t.Errorf("size %d: %d frames of 16", size, n)
			}
		}
	}
}

// Bodies that arrive in pieces and belong to the caller are not written to again.
func TestOwnedBodiesArrivingInPieces(t *testing.T) {
	for _, size := range []int{100, 5000, 70000, 300000} {
		d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
		var got []*frame.Frame
		for i := range 12 {
			body := strings.Repeat(string(rune('a'+i)), size-i)
			wire := "SEND\n\n" + body + "\x00"
			if i%3 == 2 {
				out, err := frame.Append(nil, frame.V12, &frame.Frame{Command: frame.SEND, Body: []byte(body)})
				if err != nil {
					t.Fatal(err)
				}
				wire = string(out)
			}
			for _, piece := range []string{wire[:60], wire[60 : size-20], wire[size-20:]} {
				events, err := d.Feed([]byte(piece))
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					got = append(got, e.Frame)
				}
			}
		}
		if len(got) != 12 {
			t.Fatalf("%d frames of 12", len(got))
		}
		for i, f := range got {
			if want := strings.Repeat(string(rune('a'+i)), size-i); string(f.Body) != want {
				t.Errorf("size %d: the body of frame %d is %d octets that begin %.9q", size, i, len(f.Body), f.Body)
			}
		}
	}
}
