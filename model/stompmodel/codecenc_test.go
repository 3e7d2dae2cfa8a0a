package stompmodel

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func frame(command, body string, headers ...string) Frame {
	f := Frame{Command: command, Body: []byte(body)}
	for i := 0; i < len(headers); i += 2 {
		f.Headers = append(f.Headers, Header{headers[i], headers[i+1]})
	}
	return f
}

func TestEncodeTable(t *testing.T) {
	for _, tc := range []struct {
		law, versions string
		f             Frame
		want          string
		rule          Rule
	}{
		{"STOMP-FRAME-021", all, frame("SEND", "a\x00b"), "SEND\ncontent-length:3\n\na\x00b\x00", ""},
		{"STOMP-FRAME-021", all, frame("ACK", "", "x", "1", "y", "2", "x", "3"), "ACK\nx:1\ny:2\nx:3\n\n\x00", ""},
		{"STOMP-FRAME-022", all, frame("BOGUS", ""), "", RuleUnknownCommand},
		{"STOMP-FRAME-022", all, frame("send", ""), "", RuleUnknownCommand},
		{"STOMP-FRAME-022", "1.0", frame("NACK", ""), "", RuleUnknownCommand},
		{"STOMP-FRAME-022", "1.1 1.2", frame("NACK", ""), "NACK\n\n\x00", ""},
		{"STOMP-FRAME-014", "1.1 1.2", frame("SEND", "", "x", "\xFF"), "", RuleUTF8},
		{"STOMP-FRAME-014", "1.1 1.2", frame("SEND", "", "\xE4\xB8", "\xAD"), "", RuleUTF8},
		{"STOMP-FRAME-024", all, frame("MESSAGE", ""), "MESSAGE\n\n\x00", ""},
		{"STOMP-HDR-003", "1.0", frame("SEND", "", "x", ""), "", RuleHeader10},
		{"STOMP-HDR-003", "1.0", frame("SEND", "", "x", "é"), "", RuleHeader10},
		{"STOMP-HDR-003", "1.0", frame("SEND", "", "é", "x"), "", RuleHeader10},
		{"STOMP-HDR-013", all, frame("SEND", "", "", "v"), "", RuleHeaderShape},
		{"STOMP-HDR-013", all, frame("SEND", "", "x\x00", "v"), "", RuleNulInLine},
		{"STOMP-HDR-013", all, frame("SEND", "", "x", "\x00"), "", RuleNulInLine},
		{"STOMP-HDR-013", "1.1 1.2", frame("SEND", "", "x", ""), "SEND\nx:\n\n\x00", ""},
		{"STOMP-ESC-005", "1.2", frame("SEND", "", "a:b", " \r \n \\ "), "SEND\na\\cb: \\r \\n \\\\ \n\n\x00", ""},
		{"STOMP-ESC-006", "1.1", frame("SEND", "", "a:b", "\r\n:\\"), "SEND\na\\cb:\r\\n\\c\\\\\n\n\x00", ""},
		{"STOMP-ESC-007", all, frame("CONNECT", "", "login", `a\b:c`), "CONNECT\nlogin:a\\b:c\n\n\x00", ""},
		{"STOMP-ESC-008", all, frame("CONNECT", "", "passcode", "a\nb"), "", RuleUnrepresentable},
		{"STOMP-ESC-008", all, frame("CONNECT", "", "passcode", "a\rb"), "", RuleUnrepresentable},
		{"STOMP-ESC-008", all, frame("CONNECTED", "", "a:b", "c"), "", RuleUnrepresentable},
		{"STOMP-ESC-008", all, frame("CONNECT", "", "passcode", "a:b"), "CONNECT\npasscode:a:b\n\n\x00", ""},
		{"STOMP-ESC-009", "1.1 1.2", frame("STOMP", "", "login", "a:b"), "STOMP\nlogin:a\\cb\n\n\x00", ""},
		{"STOMP-ESC-010", "1.0", frame("SEND", "", "x", `a\nb:c`), "SEND\nx:a\\nb:c\n\n\x00", ""},
		{"STOMP-ESC-011", "1.0", frame("SEND", "", "x", "a\nb"), "", RuleUnrepresentable},
		{"STOMP-ESC-011", "1.0", frame("SEND", "", "x:y", "a"), "", RuleUnrepresentable},
		{"STOMP-BODY-001", "1.1 1.2", frame("ACK", "x"), "", RuleBodyForbidden},
		{"STOMP-BODY-015", "1.0", frame("RECEIPT", "x"), "", RuleBodyForbidden},
		{"STOMP-BODY-002", "1.0", frame("ACK", "x"), "ACK\ncontent-length:1\n\nx\x00", ""},
		{"STOMP-BODY-006", all, frame("SEND", "a\x00b", "x", "1"), "SEND\nx:1\ncontent-length:3\n\na\x00b\x00", ""},
		{"STOMP-BODY-008", all, frame("SEND", "\u4e2d\u6587"), "SEND\ncontent-length:6\n\n\u4e2d\u6587\x00", ""},
		{"STOMP-BODY-012", all, frame("SEND", "x"), "SEND\ncontent-length:1\n\nx\x00", ""},
		{"STOMP-BODY-012", all, frame("SEND", ""), "SEND\n\n\x00", ""},
		{"STOMP-BODY-013", all, frame("SEND", "x", "content-length", "1"), "SEND\ncontent-length:1\n\nx\x00", ""},
		{"STOMP-BODY-013", all, frame("SEND", "x", "content-length", "01"), "SEND\ncontent-length:01\n\nx\x00", ""},
		{"STOMP-BODY-013", all, frame("SEND", "", "content-length", "0"), "SEND\ncontent-length:0\n\n\x00", ""},
		{"STOMP-BODY-013", all, frame("SEND", "x", "content-length", "2"), "", RuleContentLength},
		{"STOMP-BODY-013", all, frame("SEND", "x", "content-length", "-1"), "", RuleContentLength},
		{"STOMP-BODY-013", all, frame("SEND", "x", "content-length", " 1"), "", RuleContentLength},
		{"STOMP-BODY-013", "1.1 1.2", frame("SEND", "x", "content-length", ""), "", RuleContentLength},
		{"STOMP-BODY-013", all, frame("SEND", "x", "content-length", "2147483648"), "", RuleContentLength},
		{"STOMP-BODY-013", all, frame("SEND", "x", "content-length", "1", "content-length", "9"), "SEND\ncontent-length:1\ncontent-length:9\n\nx\x00", ""},
	} {
		for _, v := range strings.Fields(tc.versions) {
			got, err := Encode(Version(v), tc.f)
			rule := Rule("")
			if err != nil {
				rule = err.Rule
			}
			if string(got) != tc.want || rule != tc.rule {
				t.Errorf("%s in %s: %v gives %q and %q, want %q and %q", tc.law, v, tc.f, got, rule, tc.want, tc.rule)
			}
		}
	}
}

// TestEncoderHasNoLimits checks STOMP-LIMIT-012.
func TestEncoderHasNoLimits(t *testing.T) {
	f := frame("SEND", strings.Repeat("b", 2<<20))
	for range 200 {
		f.Headers = append(f.Headers, Header{"x", strings.Repeat("v", 9000)})
	}
	if _, err := Encode(V12, f); err != nil {
		t.Error(err)
	}
}

func drawFrame(t *rapid.T) Frame {
	text := rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("ab :\\\r\n\x00é\u4e2d\U0001f600cnr")), 0, 8, -1),
		rapid.SampledFrom([]string{"content-length", "0", "1", "003", "version", "1.0", "\xFF", " x "}),
	)
	f := Frame{Command: rapid.SampledFrom([]string{
		"SEND", "MESSAGE", "ERROR", "ACK", "NACK", "CONNECT", "STOMP", "CONNECTED", "RECEIPT", "SUBSCRIBE", "DISCONNECT", "BOGUS",
	}).Draw(t, "command")}
	for range rapid.IntRange(0, 4).Draw(t, "headers") {
		f.Headers = append(f.Headers, Header{text.Draw(t, "name"), text.Draw(t, "value")})
	}
	f.Body = rapid.SliceOfN(rapid.SampledFrom([]byte{0, '\n', '\r', '\\', ':', 'x', 0xFF}), 0, 6).Draw(t, "body")
	return f
}

// TestRoundTrip checks STOMP-FRAME-023 and STOMP-BODY-014: what the encoder accepts decodes to the same frame, but for the content-length it added.
func TestRoundTrip(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(Versions()).Draw(t, "version")
		f := drawFrame(t)
		wire, fault := Encode(v, f)
		if fault != nil {
			if wire != nil {
				t.Fatalf("octets with an error: %q", wire)
			}
			return
		}
		accepted++
		d, err := Decode(DefaultCodecConfig(v), [][]byte{wire}, true)
		if err != nil || d.Err != nil || len(d.Events) != 1 {
			t.Fatalf("%q: %v %v %v", wire, d.Events, d.Err, err)
		}
		got := d.Events[0].Frame
		if _, given := f.Get("content-length"); !given && len(f.Body) > 0 {
			got.Headers = got.Headers[:len(got.Headers)-1]
		}
		if diff := cmp.Diff(f, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q: %s", wire, diff)
		}
	})
	if accepted == 0 {
		t.Error("no frame was accepted")
	}
}

// TestChunksDoNotMatter checks STOMP-FRAME-012 on streams of frames, broken ones included: any partition gives the events and the error of one
// octet at a time, but for the events that a failing feed loses.
func TestChunksDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := DefaultCodecConfig(rapid.SampledFrom(Versions()).Draw(t, "version"))
		var stream []byte
		for range rapid.IntRange(0, 4).Draw(t, "frames") {
			wire, fault := Encode(rapid.SampledFrom(Versions()).Draw(t, "encoded in"), drawFrame(t))
			if fault == nil {
				stream = append(stream, wire...)
			}
			stream = append(stream, rapid.SampledFrom([]string{"", "\n", "\r\n", "\x00", "x:y\n"}).Draw(t, "between")...)
		}
		var single, cut [][]byte
		for i := range stream {
			single = append(single, stream[i:i+1])
		}
		for rest := stream; ; {
			n := rapid.IntRange(0, len(rest)).Draw(t, "cut")
			cut = append(cut, rest[:n])
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
		slow, _ := Decode(cfg, single, true)
		fast, _ := Decode(cfg, cut, true)
		lost := slow.Events
		if fast.Err != nil && fast.Err.Rule != RuleTruncated {
			lost = slow.Events[:len(fast.Events)]
		}
		same := slices.EqualFunc(lost, fast.Events, func(a, b Event) bool { a.Feed = b.Feed; return cmp.Equal(a, b) })
		if !same || !cmp.Equal(slow.Err, fast.Err) || slow.Version != fast.Version {
			t.Fatalf("one by one: %v %v\nin chunks: %v %v", slow.Events, slow.Err, fast.Events, fast.Err)
		}
	})
}

// FuzzDecode checks that any octets decode to the same frames again after encoding (STOMP-FRAME-023), where the version can write them.
func FuzzDecode(f *testing.F) {
	f.Add("SEND\nx\\cy:a\\r\n\nbody\x00\n", uint8(2))
	f.Add("CONNECTED\nversion:1.1\n\n\x00MESSAGE\na:b\r\ncontent-length:1\n\n\x00\x00", uint8(2))
	f.Fuzz(func(t *testing.T, stream string, version uint8) {
		cfg := DefaultCodecConfig(Versions()[version%3])
		cfg.Pinned = true
		d, err := Decode(cfg, [][]byte{[]byte(stream)}, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range d.Events {
			if e.Heartbeat {
				continue
			}
			wire, fault := Encode(cfg.Version, e.Frame)
			if fault != nil {
				continue
			}
			again, _ := Decode(cfg, [][]byte{wire}, true)
			if again.Err != nil || len(again.Events) != 1 || !bytes.Equal(again.Events[0].Frame.Body, e.Frame.Body) {
				t.Fatalf("%q: %v %v", wire, again.Events, again.Err)
			}
		}
	})
}
