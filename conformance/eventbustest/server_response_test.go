package eventbustest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Responses and what must be read from them, whatever pieces they arrive in.
var responses = []struct {
	name, octets string
	orderly      bool // the connection ended by its peer's close
	end          bodyEnd
	body         string
	fault        string // part of it
}{
	{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n", true, bodyWhole, "hello world", ""},
	{"chunked with a trailer", "HTTP/1.1 200 OK\r\ntransfer-encoding: CHUNKED\r\n\r\nA\r\n0123456789\r\n0\r\nX: y\r\n\r\n", true, bodyWhole, "0123456789", ""},
	{"cut in a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", true, bodyCut, "hel", ""},
	{"cut in a chunk header", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1", true, bodyCut, "hello", ""},
	{"cut behind a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", true, bodyCut, "hello", ""},
	{"cut inside the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", true, bodyCut, "hello", ""},
	{"chunk longer than it says", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n", true, bodyBad, "hel", "a line of over 2 octets"},
	{"chunk size that is no number", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n", true, bodyBad, "", "no hexadecimal number"},
	{"negative chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n", true, bodyBad, "", "no hexadecimal number"},
	{"chunk size beyond every number", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("f", 17) + "\r\n", true, bodyBad, "", "no hexadecimal number"},
	{"endless chunk header", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("0", 10<<10), true, bodyBad, "", "over 4096 octets"},
	{"line feeds alone in the framing", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\n0\n\n", true, bodyBad, "", "without CR"},
	{"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, bodyWhole, "hello", ""},
	{"octets behind the length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello world", true, bodyWhole, "hello", ""},
	{"length that is not reached", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", true, bodyCut, "hello", ""},
	{"no length at all", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, bodyWhole, "", ""},
	{"length that is a lie", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello", true, bodyBad, "", "content length"},
	{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", true, bodyBad, "", "content length"},
	{"until the end", "HTTP/1.0 200 OK\r\n\r\nhello", true, bodyUnframed, "hello", ""},
	{"until a reset", "HTTP/1.1 200 OK\r\n\r\nhello", false, bodyCut, "hello", ""},
	{"no content", "HTTP/1.1 204 No Content\r\n\r\n", false, bodyWhole, "", ""},
	{"interim answers", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", true, bodyWhole, "ok", ""},
	{"another coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", true, bodyBad, "", "transfer coding"},
	{"no HTTP", "SSH-2.0-x\r\n", true, bodyBad, "", "no HTTP"},
	{"another status line", "HTTP/2 200\r\n\r\n", true, bodyBad, "", "status line"},
	{"header line without a colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", true, bodyBad, "", "header line"},
	{"endless head", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 20<<10), true, bodyBad, "", "no end of the head"},
	{"nothing", "", true, bodyCut, "", ""},
	{"half a head", "HTTP/1.1 200 OK\r\nContent-", true, bodyCut, "", ""},
}

func TestResponsesAreReadWhateverThePieces(t *testing.T) {
	for _, c := range responses {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var r webResponse
				var body []byte
				for rest := []byte(c.octets); len(rest) > 0; {
					n := len(rest)
					if n < 2000 {
						n = rapid.IntRange(1, n).Draw(t, "piece")
					}
					body = append(body, r.feed(rest[:n])...)
					rest = rest[n:]
				}
				r.over(c.orderly)
				if r.end != c.end || string(body) != c.body {
					t.Fatalf("end %v, body %q, want %v, %q", r.end, body, c.end, c.body)
				}
				if (r.fault == "") != (c.fault == "") || !strings.Contains(r.fault, c.fault) || r.state() == "" {
					t.Fatalf("fault %q, want %q; state %q", r.fault, c.fault, r.state())
				}
			})
		})
	}
}

func TestHeaderFieldsAreFoundWhateverTheirCase(t *testing.T) {
	var r webResponse
	r.feed([]byte("HTTP/1.1 404 Not Found\r\nX-One: a\r\nx-one:  b \r\nContent-Length: 0\r\n\r\n"))
	if v, ok := r.field("X-ONE"); v != "a, b" || !ok || r.status != 404 || r.reason != "Not Found" {
		t.Errorf("%q %v, status %d %q", v, ok, r.status, r.reason)
	}
	if v, ok := r.field("absent"); v != "" || ok {
		t.Errorf("%q %v", v, ok)
	}
}

// A body is split into the same blocks in any pieces, and their octets are kept.
func TestBlocksAreTheSameInAnyPieces(t *testing.T) {
	const body = "retry: 3000\n\nid: 7\nevent: note\ndata: {\"id\":7,\"v\":1,\"type\":\"note\",\"data\":{\"text\":\"é世\"},\"_meta\":{\"serverTimestamp\":5}}\n\n" +
		": heartbeat\n\nevent: a\r\ndata: {\"type\":\"a\"}\r\n\r\ndata:1\rdata\r\rid\ndata: [\ndata: ]\n\nid: 9\ndata: cut"
	rapid.Check(t, func(t *rapid.T) {
		var r blockReader
		var events []*webEvent
		at := time.Unix(1, 0)
		for rest := []byte(body); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			events = append(events, r.feed(rest[:n], at)...)
			rest = rest[n:]
		}
		var seen []string
		for _, e := range events {
			seen = append(seen, fmt.Sprintf("%s %d %v %q", e.kind(), e.id(), e.synthetic(), e.data()))
		}
		want := []string{
			`note 7 false "{\"id\":7,\"v\":1,\"type\":\"note\",\"data\":{\"text\":\"é世\"},\"_meta\":{\"serverTimestamp\":5}}"`,
			`a 0 true "{\"type\":\"a\"}"`, `message 0 true "1\n"`, `message 0 false "[\n]"`,
		}
		if strings.Join(seen, "|") != strings.Join(want, "|") {
			t.Fatalf("events\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
		}
		if string(r.first) != body[:webOpening] || string(r.rest()) != "id: 9\ndata: cut" || r.total != int64(len(body)) {
			t.Fatalf("opening %q, rest %q, %d octets", r.first, r.rest(), r.total)
		}
		if len(r.comments) != 2 || r.comments[1].text != ": heartbeat" {
			t.Fatalf("blocks without data: %v", r.comments)
		}
		if e := events[0]; e.timestamp() != "5" || e.text("text") != "é世" || webNames(e.envelope) != "_meta data id type v" || !e.holds("世") {
			t.Fatalf("envelope %v", e.envelope)
		}
		if raw := string(events[1].raw); !strings.HasPrefix(raw, "event: a\r") {
			t.Fatalf("octets of a block with CR: %q", raw)
		}
	})
}

// What reads octets of a target never panics and is bounded by what it is given, and a piece changes nothing.
func FuzzServerResponse(f *testing.F) {
	for _, c := range responses {
		f.Add([]byte(c.octets), uint16(len(c.octets)/2))
	}
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1c\r\nid: 1\nevent: a\ndata: {\"id\":1}\n\n\r\n0\r\n\r\n"), uint16(50))
	f.Fuzz(func(t *testing.T, octets []byte, at uint16) {
		read := func(pieces ...[]byte) string {
			var r webResponse
			var b blockReader
			var events []*webEvent
			var body []byte
			for _, p := range pieces {
				got := r.feed(p)
				body = append(body, got...)
				events = append(events, b.feed(got, time.Time{})...)
			}
			r.over(true)
			seen := fmt.Sprintf("%d %v %q %q", r.status, r.end, body, b.rest())
			for _, e := range events {
				seen += fmt.Sprintf("|%s %d %q %q", e.kind(), e.id(), e.data(), e.lines)
			}
			return seen
		}
		cut := min(int(at), len(octets))
		if len(octets) > maxWebHead/2 {
			return // a line that is too long is found out earlier in small pieces
		}
		if whole, pieces := read(octets), read(octets[:cut], octets[cut:]); whole != pieces {
			t.Errorf("read whole  %s\nin pieces  %s", whole, pieces)
		}
	})
}

// A block without end, and a body without end, are given up.
func TestEndlessBlocksAndBodies(t *testing.T) {
	for name, c := range map[string]struct {
		chunk string
		fault string
	}{
		"a block of short lines": {strings.Repeat("x\n", 1<<15), "a block of over"},
		"a line":                 {strings.Repeat("x", 1<<20), "a line of over"},
		"a body of comments":     {":" + strings.Repeat("x", 1<<20) + "\n\n", "a body of over"},
	} {
		var r blockReader
		for range maxWebBody>>15 + 1 {
			r.feed([]byte(c.chunk), time.Time{})
			if r.fault != "" {
				break
			}
		}
		if !strings.HasPrefix(r.fault, c.fault) || len(r.block.lines) > maxWebBlock/perLine {
			t.Errorf("%s: fault %q, %d lines", name, r.fault, len(r.block.lines))
		}
		if more := r.feed([]byte("\n\ndata: x\n\n"), time.Time{}); more != nil {
			t.Errorf("%s: read on behind the fault: %v", name, more)
		}
	}
}
