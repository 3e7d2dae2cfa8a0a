package frame_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestFrameLaws(t *testing.T) {
	checkRows(t, []row{
		{"STOMP-FRAME-001", all, "SEND\ndestination:/q\n\nhi\x00", `SEND{destination=/q}"hi" .`},
		{"STOMP-FRAME-001", all, "SEND\ndestination:/q\nhi\x00", "!nul-in-line@22"},
		{"STOMP-FRAME-001", all, "SEND\ndestination:/q\n\nhi", "!truncated@23"},
		{"STOMP-FRAME-002", "0", "NACK\nid:a\n\n\x00", "!unknown-command@0"},
		{"STOMP-FRAME-002", "0", "STOMP\n\n\x00", "!unknown-command@0"},
		{"STOMP-FRAME-003", v11up, "NACK\nid:a\n\n\x00STOMP\n\n\x00", "NACK{id=a} STOMP{} ."},
		{"STOMP-FRAME-005", all, "send\n", "!unknown-command@0"},
		{"STOMP-FRAME-005", all, "Send\n", "!unknown-command@0"},
		{"STOMP-FRAME-006", "2", "SEND\nx:v\n\nb\x00", `SEND{x=v}"b" .`},
		{"STOMP-FRAME-006", "2", "SEND\r\nx:v\r\n\r\nb\x00", `SEND{x=v}"b" .`},
		{"STOMP-FRAME-006", "2", "SEND\r\nx:v\n\r\nb\x00\r\nSEND\nx:v\r\n\nb\x00", `SEND{x=v}"b" ~ SEND{x=v}"b" .`},
		{"STOMP-FRAME-007", "01", "SEND\nx:a\r\n\n\x00", "SEND{x=a\r} ."},
		{"STOMP-FRAME-007", "01", "SEND\r\n", "!unknown-command@0"},
		{"STOMP-FRAME-007", "01", "\r\n", "!unknown-command@0"},
		{"STOMP-FRAME-007", "01", "SEND\n\r\n", "!header-shape@5"},
		{"STOMP-FRAME-008", "2", "SEND\nx:a\rb\n", "!bare-cr@8"},
		{"STOMP-FRAME-008", "2", "SEND\nx:a\r\r\n", "!bare-cr@8"},
		{"STOMP-FRAME-008", "2", "SEND\nx:a\r\n\n\x00", "SEND{x=a} ."},
		{"STOMP-FRAME-008", "2", "SE\rND\n", "!bare-cr@2"},
		{"STOMP-FRAME-008", "2", "\r\r\n", "!bare-cr@0"},
		{"STOMP-FRAME-008", "2", "SEND\nx:a\r", "!truncated@9"},
		{"STOMP-FRAME-009", all, "SEND\nx\x00", "!nul-in-line@6"},
		{"STOMP-FRAME-009", all, "SE\x00", "!nul-in-line@2"},
		{"STOMP-FRAME-009", all, "\x00", "!nul-in-line@0"},
		{"STOMP-FRAME-009", all, "SEND\nx:\xff\x00\n", "!nul-in-line@8"},
		{"STOMP-FRAME-009", all, "SEND\n\n\x00", "SEND{} ."},
		{"STOMP-FRAME-010", all, "SEND\n\n\x00SEND\n\n\x00", "SEND{} SEND{} ."},
		{"STOMP-FRAME-010", all, "SEND\n\n\x00\nSEND\n\n\x00", "SEND{} ~ SEND{} ."},
		{"STOMP-FRAME-010", all, "SEND\n\n\x00\n\nSEND\n\n\x00", "SEND{} ~ ~ SEND{} ."},
		{
			"STOMP-FRAME-010", all, "SEND\n\n\x00" + strings.Repeat("\n", 1000) + "SEND\n\n\x00",
			"SEND{} " + strings.Repeat("~ ", 1000) + "SEND{} .",
		},
		{"STOMP-FRAME-011", "2", "\n\r\nACK\nid:a\n\n\x00\n", "~ ~ ACK{id=a} ~ ."},
		{"STOMP-FRAME-011", all, "\n\n\n\n\n\n\n\n\n\n\n", strings.Repeat("~ ", 11) + "."},
		{"STOMP-FRAME-013", all, "BOGUS", "!truncated@5"},
		{"STOMP-FRAME-013", all, "BOGUS\n", "!unknown-command@0"},
		{"STOMP-FRAME-013", all, "SEND \n", "!unknown-command@0"},
		{"STOMP-FRAME-013", all, " SEND\n", "!unknown-command@0"},
		{"STOMP-FRAME-013", all, "SEND\t\n", "!unknown-command@0"},
		{"STOMP-FRAME-013", all, "\xef\xbb\xbfSEND\n", "!unknown-command@0"},
		{"STOMP-FRAME-013", all, "\n\nBOGUS\n", "!unknown-command@2"},
		{"STOMP-FRAME-014", v11up, "SEND\nx:\xc0\xaf\n", "!utf8@7"},
		{"STOMP-FRAME-014", v11up, "SEND\nx:a\xed\xa0\x80\n", "!utf8@8"},
		{"STOMP-FRAME-014", v11up, "SEND\nx:\xf4\x90\x80\x80\n", "!utf8@7"},
		{"STOMP-FRAME-014", v11up, "SEND\nx:\xe4\xb8\n", "!utf8@7"},
		{"STOMP-FRAME-014", v11up, "SEND\nx:\xe4\xb8", "!truncated@9"},
		{"STOMP-FRAME-014", v11up, "SE\xffND\n", "!utf8@2"},
		{"STOMP-FRAME-014", all, "SEND\nx:\xe4\xb8\xad\xf0\x9f\x98\x80\n\n\x00", "SEND{x=中😀} ."},
		// STOMP-HDR-003 makes it illegal to send; this receiver takes it.
		{"STOMP-FRAME-014", "0", "SEND\nx:\xff\n\n\x00", "SEND{x=\xff} ."},
		{"STOMP-FRAME-015", all, "DISCONNECT\n\n\x00", "DISCONNECT{} ."},
		{"STOMP-FRAME-016", "2", "SE\xff\rND\n", "!utf8@2"},
		{"STOMP-FRAME-016", "2", "SE\rND\xff\n", "!utf8@5"},
		{"STOMP-FRAME-016", "2", "SEND\nab\r\\t\n", "!bare-cr@7"},
		{"STOMP-FRAME-016", v11up, "SEND\nab\\t\n", "!header-shape@5"},
		{"STOMP-FRAME-016", v11up, "SEND\n\\t:b:c\n", "!raw-colon@9"},
		{"STOMP-FRAME-016", v11up, "SEND\n\\t:\\0\n", "!escape@5"},
		{"STOMP-FRAME-018", all, "SEND\n\n\x00BAD\n", "!unknown-command@7"},
		{"STOMP-FRAME-019", all, "", "."},
		{"STOMP-FRAME-020", all, "S", "!truncated@1"},
		{"STOMP-FRAME-020", all, "\r", "!truncated@1"},
		{"STOMP-FRAME-020", all, "SEND\n", "!truncated@5"},
		{"STOMP-FRAME-020", all, "SEND\nx:v", "!truncated@8"},
		{"STOMP-FRAME-020", all, "SEND\nx:v\n", "!truncated@9"},
		{"STOMP-FRAME-020", all, "SEND\n\na", "!truncated@7"},
		{"STOMP-FRAME-020", all, "SEND\ncontent-length:3\n\na\x00", "!truncated@25"},
		{"STOMP-FRAME-020", all, "SEND\ncontent-length:0\n\n", "!truncated@23"},
		{"STOMP-FRAME-020", all, "SEND\ncontent-length:1\n\na", "!truncated@24"},
		{"STOMP-FRAME-024", all, "MESSAGE\n\n\x00ACK\n\n\x00", "MESSAGE{} ACK{} ."},
	})
}

// STOMP-FRAME-003, STOMP-FRAME-004, STOMP-FRAME-022: the names, their sides and their versions.
func TestCommands(t *testing.T) {
	names := strings.Fields("CONNECT STOMP SEND SUBSCRIBE UNSUBSCRIBE BEGIN COMMIT ABORT ACK NACK DISCONNECT " +
		"CONNECTED MESSAGE RECEIPT ERROR")
	for i, name := range names {
		c, ok := frame.ParseCommand(name)
		if !ok || c.String() != name {
			t.Fatalf("ParseCommand(%q) = %v, %t", name, c, ok)
		}
		if client := i < 11; c.Client() != client || c.Server() == client {
			t.Errorf("%s: client %t, server %t", name, c.Client(), c.Server())
		}
		for _, v := range []frame.Version{frame.V10, frame.V11, frame.V12} {
			want := name + "{} ."
			if v == frame.V10 && (name == "NACK" || name == "STOMP") {
				want = "!unknown-command@0"
			}
			cfg := frame.DecoderConfig{Version: v, Switch: func(*frame.Frame) frame.Version { return v }}
			if got := everyWay(t, cfg, name+"\n\n\x00"); got != want {
				t.Errorf("%s in %s: got %s, want %s", name, v, got, want)
			}
			_, err := frame.Append(nil, v, frame.New(c))
			if ok := want[0] != '!'; (err == nil) != ok {
				t.Errorf("encoding %s in %s: %v", name, v, err)
			}
		}
		// One octet less or another last octet is another word.
		for _, near := range []string{name[:len(name)-1], name[:len(name)-1] + "_", name + "S", strings.ToLower(name)} {
			if c, ok := frame.ParseCommand(near); ok && c.String() != near {
				t.Errorf("ParseCommand(%q) = %v", near, c)
			}
		}
	}
	if c, ok := frame.ParseCommand(""); ok || c.String() != "unknown" || c.Client() || c.Server() {
		t.Error("the empty name is a command")
	}
}

// STOMP-FRAME-017, STOMP-FRAME-018: a failing feed returns nothing, later calls fail, nothing is held.
func TestErrorSpendsTheDecoder(t *testing.T) {
	for name, c := range map[string]struct{ before, bad string }{
		"command line": {"ACK\nid:a\n\n\x00SE", "ND \n"},
		"header line":  {"SEND\na:b\nc", "\\:d\n"},
		"body":         {"SEND\na:b\n\n" + strings.Repeat("x", 1<<20), "x"},
		"terminator":   {"SEND\ncontent-length:1\n\nx", "x"},
		"same chunk":   {"", "ACK\nid:a\n\n\x00\nBAD\n"},
	} {
		for _, borrow := range []bool{false, true} {
			d := newDecoder(t, frame.DecoderConfig{Version: frame.V12, Borrow: borrow})
			if _, err := d.Feed([]byte(c.before)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			events, first := d.Feed([]byte(c.bad))
			if first == nil || events != nil {
				t.Fatalf("%s: got %v, %v", name, events, first)
			}
			if l, h, b := d.Pending(); l+h+b != 0 {
				t.Errorf("%s: holds %d line octets, %d headers, %d body octets after the error", name, l, h, b)
			}
			for _, chunk := range []string{"", "\n", "SEND\n\n\x00"} {
				_, err := d.Feed([]byte(chunk))
				wantSpent(t, err, "STOMP-FRAME-018", first)
			}
			wantSpent(t, d.End(), "STOMP-FRAME-018", first)
		}
	}
	d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
	events, err := d.Feed([]byte("ACK\nid:a\n\n\x00"))
	if err != nil || len(events) != 1 {
		t.Fatalf("STOMP-FRAME-017: the same frame in a feed of its own: %v, %v", events, err)
	}
}

// STOMP-FRAME-019, STOMP-FRAME-020: the end succeeds once and spends; a failed end spends too.
func TestEndSpendsTheDecoder(t *testing.T) {
	for _, before := range []string{"", "\n", "SEND\n\n\x00"} {
		d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
		if _, err := d.Feed([]byte(before)); err != nil {
			t.Fatal(err)
		}
		if err := d.End(); err != nil {
			t.Fatalf("end after %q: %v", before, err)
		}
		wantSpent(t, d.End(), "STOMP-FRAME-019", nil)
		_, err := d.Feed(nil)
		wantSpent(t, err, "STOMP-FRAME-019", nil)
	}
	d := newDecoder(t, frame.DecoderConfig{Version: frame.V12})
	if _, err := d.Feed([]byte("SEND\na:b\n")); err != nil {
		t.Fatal(err)
	}
	first := d.End()
	if first == nil {
		t.Fatal("end inside a header block succeeded")
	}
	wantSpent(t, d.End(), "STOMP-FRAME-018", first)
	if l, h, b := d.Pending(); l+h+b != 0 {
		t.Errorf("holds %d, %d, %d after a failed end", l, h, b)
	}
}

func newDecoder(t reporter, cfg frame.DecoderConfig) *frame.Decoder {
	t.Helper()
	d, err := frame.NewDecoder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func wantSpent(t *testing.T, err error, law string, cause error) {
	t.Helper()
	var e *frame.Error
	if !errors.As(err, &e) || e.Rule != frame.Spent || e.Law != law {
		t.Fatalf("%s: a spent decoder answered %v", law, err)
	}
	if cause != nil && !errors.Is(err, cause) {
		t.Errorf("%v does not wrap %v", err, cause)
	}
}
