package stomptest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func framePacketCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/frame/octet-by-octet",
			Title:    "a session that arrives octet by octet is read like any other",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    bytewise,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Open("sender")
				trickle := func(octets string) {
					for i := range len(octets) {
						p.RawString(octets[i : i+1])
					}
				}
				trickle(string(s.ConnectFrame(s.Version()).Encode(s.Version())))
				p.Expect("STOMP-FRAME-012", "a CONNECT that arrives octet by octet is whole at its NUL", "CONNECTED", is("CONNECTED"))
				p.version = s.Version()
				for _, f := range r.samples() {
					trickle(f.octets)
					r.relayedAs(p, f)
				}
			}),
		},
		{
			ID:       "stomp/server/frame/every-two-way-split",
			Title:    "a SEND in two packets is read the same, wherever it is cut",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    bytewise,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				f := r.samples()[0]
				for cut := 1; cut < len(f.octets); cut++ {
					p.RawString(f.octets[:cut])
					// The target has read the first part when it has answered somebody else.
					r.witness.Sync()
					p.RawString(f.octets[cut:])
					f.name = fmt.Sprintf("cut behind octet %d", cut)
					r.relayedAs(p, f)
				}
			}),
		},
		{
			ID:       "stomp/server/frame/body-in-many-packets",
			Title:    "a body is put together however its packets cut it, also inside a character",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    bytewise,
			Run: run(func(s *serverT) {
				r := s.relay()
				for _, parts := range [][]string{{"BO", "DY"}, {"\xe6", "\x97", "\xa5\xe6\x9c", "\xac"}, {"a\r", "\nb"}, {"\n", "\n\n"}} {
					body := strings.Join(parts, "")
					p := s.Connect("sender")
					p.RawString(strings.TrimSuffix(r.raw("SEND", "", ""), "\x00"))
					for _, part := range parts {
						r.witness.Sync()
						p.RawString(part)
					}
					r.witness.Sync()
					p.RawString("\x00")
					r.gets("STOMP-FRAME-012", "a body in several packets is one body", p, body)
					p.Close()
				}
			}),
		},
		{
			ID:       "stomp/server/frame/many-frames-in-one-packet",
			Title:    "every frame of a packet is processed",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    bytewise,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				bodies := numbered("packed", 50)
				var octets strings.Builder
				for _, b := range bodies {
					octets.WriteString(r.raw("SEND", "", b))
				}
				p.RawString(octets.String())
				for _, b := range bodies {
					r.gets("STOMP-FRAME-012", "each of 50 frames in one packet is processed", p, b)
				}
			}),
		},
		{
			ID:       "stomp/server/frame/session-in-one-packet",
			Title:    "CONNECT, SUBSCRIBE and SEND in one packet",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    bytewise,
			Run: run(func(s *serverT) {
				r := s.relay()
				place := s.Place()
				p := s.Open("packed")
				octets := s.ConnectFrame(s.Version()).Encode(s.Version())
				octets = append(octets, frameOf("SUBSCRIBE", "id", "1", "destination", place).Encode(s.Version())...)
				p.Raw(append(octets, r.raw("SEND", "", "packed")...))
				const reason = "the frames behind CONNECT in its packet are processed"
				p.Expect("STOMP-FRAME-012", reason, "CONNECTED", is("CONNECTED"))
				p.version = s.Version()
				r.gets("STOMP-FRAME-012", reason, p, "packed")
				p.Sync()
				r.witness.Deliver(place, "to the subscription")
				p.MessageOf("STOMP-FRAME-012", reason, "to the subscription")
			}),
		},
		{
			ID:       "stomp/server/frame/good-frame-before-a-bad-one",
			Title:    "a frame is processed whether or not a bad one follows in its packet",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Needs:    bytewise,
			Run: run(func(s *serverT) {
				r := s.relay()
				apart, together := s.Connect("apart"), s.Connect("together")
				apart.RawString(r.raw("SEND", "", "apart"))
				apart.Sync()
				apart.RawString("BOGUS\n\n\x00")
				together.RawString(r.raw("SEND", "", "together") + "BOGUS\n\n\x00")
				const reason = "what follows a frame in its packet does not change it"
				r.gets("STOMP-FRAME-012", reason, apart, "apart")
				r.gets("STOMP-FRAME-012", reason, together, "together")
			}),
		},
		{
			ID:       "stomp/server/frame/eols-between-frames",
			Title:    "any number of EOLs may follow a frame",
			Laws:     []string{"STOMP-FRAME-010"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				for _, n := range []int{0, 1, 2, 1000} {
					first, second := fmt.Sprintf("before %d", n), fmt.Sprintf("behind %d", n)
					p.RawString(r.raw("SEND", "", first) + strings.Repeat("\n", n) + r.raw("SEND", "x:kept\n", second))
					reason := fmt.Sprintf("%d EOLs between two frames change neither", n)
					r.gets("STOMP-FRAME-010", reason, p, first)
					m := r.gets("STOMP-FRAME-010", reason, p, second)
					if v, ok := m.Lookup("x"); ok || s.Version() != "1.0" {
						s.CheckEqual("STOMP-FRAME-010", reason, "kept", v)
					}
				}
			}),
		},
		{
			ID:       "stomp/server/frame/eol-is-no-part-of-the-frame",
			Title:    "a frame is whole at its NUL and needs no EOL behind it",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				p.RawString(r.raw("SEND", "", "no EOL behind"))
				r.gets("STOMP-FRAME-001", "a frame ends with its NUL", p, "no EOL behind")
			}),
		},
	}
}

// A sample is a SEND that holds what a chunk may cut: header lines, an escape, a character of several
// octets, a counted body with a NUL.
type sample struct {
	name    string
	octets  string
	body    string
	headers []header
}

// samples returns a short frame and one with everything, as far as the version has it.
func (r *relay) samples() []sample {
	short := sample{octets: r.raw("SEND", "", "short"), body: "short", name: "short frame"}
	long := sample{
		name: "long frame", body: "b\x00\r\n\\c", octets: r.raw("SEND", "content-length:6\nx:a\\\\b\nx:late\n", "b\x00\r\n\\c"),
		headers: []header{{"x", `a\b`}},
	}
	switch r.s.Version() {
	case "1.0":
		long.headers = nil
	case "1.1":
		long.octets = r.raw("SEND", "content-length:6\nx:a\\\\b\nn\\cm:\\n日本\n", long.body)
		long.headers = append(long.headers, header{"n:m", "\n日本"})
	default:
		long.octets = strings.ReplaceAll(r.raw("SEND", "content-length:6\nx:a\\\\b\nn\\cm:\\r日本\n", ""), "\n", "\r\n")
		long.octets = strings.TrimSuffix(long.octets, "\x00") + long.body + "\x00"
		long.headers = append(long.headers, header{"n:m", "\r日本"})
	}
	// The short frame gets what fits: every octet of it is a place to cut.
	if r.s.Version() != "1.0" {
		short.octets = r.raw("SEND", "content-length:3\ny:\\c\n", "a\x00b")
		short.body, short.headers = "a\x00b", []header{{"y", ":"}}
	}
	return []sample{short, long}
}

// relayedAs expects the MESSAGE of a sample.
func (r *relay) relayedAs(p *wire, f sample) {
	m := r.gets("STOMP-FRAME-012", f.name+": the frame is read as if it came in one piece", p, f.body)
	for _, h := range f.headers {
		r.s.header(m, "STOMP-FRAME-012", f.name+": the headers are read as if they came in one piece", h.Name, h.Value)
	}
}
