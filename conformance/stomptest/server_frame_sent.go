package stomptest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// A capture is everything that a target sent in a session of each kind of exchange.
type capture struct {
	frames []*wireFrame
	peers  []*wire
}

// capture holds a session: subscribe, get messages of several shapes, acknowledge, unsubscribe,
// disconnect; and on another connection a BEGIN that cannot be processed. It returns what the target sent.
func (s *serverT) capture() *capture {
	c := &capture{}
	place := s.Place()
	p, sender := s.Open("a"), s.Connect("sender")
	p.Send(s.ConnectFrame(s.Version()))
	c.take(p, is("CONNECTED"), 1)
	p.version = s.Version()
	p.Send(frameOf("SUBSCRIBE", "id", "s", "destination", place, "receipt", "subscribed"))
	p.Sync()
	text := []string{"content-type", "text/plain"}
	binary := []string{"content-type", "application/octet-stream"}
	for _, f := range []*wireFrame{
		frameOf("SEND", append(text, "destination", place)...).Carrying("plain"),
		frameOf("SEND", append(text, "destination", place)...).Carrying("two lines\r\nand 日本\n"),
		frameOf("SEND", append(binary, "destination", place)...).Carrying("with\x00NUL"),
		frameOf("SEND", "destination", place, "x:y", "a\\b:c\nd", "x-ü", "日本").With("x-last", `\n\c\\`),
	} {
		if s.Version() == "1.0" {
			f.Headers = slices.DeleteFunc(f.Headers, func(h header) bool { return strings.HasPrefix(h.Name, "x") })
		}
		sender.Send(f)
	}
	c.take(p, is("MESSAGE"), 4)
	p.Send(frameOf("UNSUBSCRIBE", "id", "s", "destination", place, "receipt", `colon : backslash \`))
	p.Send(frameOf("DISCONNECT", "receipt", "bye"))
	c.take(p, is("RECEIPT", "receipt-id", "bye"), 1)
	q := s.Connect("b")
	q.Send(frameOf("BEGIN", "receipt", "refused"))
	c.take(q, is("ERROR"), 1)
	c.peers = []*wire{p, q}
	for _, peer := range c.peers {
		for f := range untilQuiet(peer) {
			c.frames = append(c.frames, f)
		}
	}
	return c
}

// take waits for n frames that match and keeps them with all that came before. What does not come is
// judged elsewhere.
func (c *capture) take(p *wire, match match, n int) {
	for range n {
		o := p.Await(match, p.s.Timing().Reply)
		if o.Error != nil {
			c.frames = append(c.frames, o.Error)
		}
		if o.Frame == nil {
			return
		}
		c.frames = append(c.frames, o.Frame)
	}
}

// untilQuiet yields what waits in the inbox and what arrives until the quiet window passes.
func untilQuiet(p *wire) func(yield func(*wireFrame) bool) {
	return func(yield func(*wireFrame) bool) {
		for f := p.Watch(anyFrame, p.s.Timing().Quiet); f != nil && yield(f); f = p.Watch(anyFrame, p.s.Timing().Quiet) {
		}
	}
}

// faults breaks law for every fault that the reader filed under one of the laws in filed.
func (c *capture) faults(s *serverT, law, reason string, filed ...string) {
	for _, f := range c.frames {
		s.Step()
		for _, fault := range f.Faults {
			if slices.Contains(filed, fault.Law) {
				s.Broken(conformance.Break{Law: law, Reason: reason, Expected: "no such frame", Seen: f.Command + ": " + fault.Text})
			}
		}
	}
}

// each applies check to every captured frame; what it returns is a break of law.
func (c *capture) each(s *serverT, law, reason, expected string, check func(*wireFrame) string) {
	for _, f := range c.frames {
		s.Step()
		if seen := check(f); seen != "" {
			s.Broken(conformance.Break{Law: law, Reason: reason, Expected: expected, Seen: f.Command + ": " + seen})
		}
	}
}

func frameServerCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/frame/server-commands",
			Title:    "a server sends CONNECTED, MESSAGE, RECEIPT and ERROR and nothing else",
			Laws:     []string{"STOMP-FRAME-004"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				s.capture().each(s, "STOMP-FRAME-004", "a server has four commands", "CONNECTED, MESSAGE, RECEIPT or ERROR", func(f *wireFrame) string {
					if slices.Contains([]string{"CONNECTED", "MESSAGE", "RECEIPT", "ERROR"}, f.Command) {
						return ""
					}
					return "unknown command " + quoted(string(f.Raw), 120)
				})
			}),
		},
		{
			ID:       "stomp/server/frame/server-lines",
			Title:    "the lines that a server sends are UTF-8 and each a header with a name and a colon",
			Laws:     []string{"STOMP-HDR-001", "STOMP-FRAME-014"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				c := s.capture()
				c.faults(s, "STOMP-HDR-001", "every header line has a name and a colon", "STOMP-HDR-001")
				c.faults(s, "STOMP-FRAME-014", "commands and headers are UTF-8", "STOMP-FRAME-014")
			}),
		},
		{
			ID:       "stomp/server/frame/server-eols-before-1.2",
			Title:    "a server ends lines with LF alone before 1.2",
			Laws:     []string{"STOMP-FRAME-007"},
			Versions: []string{"1.0", "1.1"},
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				c := s.capture()
				c.faults(s, "STOMP-FRAME-007", "a line ends at LF alone", "STOMP-FRAME-007")
				for _, p := range c.peers {
					s.Check(p.reader.cr == 0, "STOMP-FRAME-007", "an EOL between frames is LF alone", "no CR between frames",
						fmt.Sprintf("%d CRs between frames of connection %s", p.reader.cr, p.Name))
				}
			}),
		},
		{
			ID:       "stomp/server/frame/server-sends-no-bare-cr",
			Title:    "a CR that a 1.2 server sends in a line stands before its LF",
			Laws:     []string{"STOMP-FRAME-008"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				p.RawString(r.raw("SEND", `x:a\rb`+"\n", "CR"))
				m := r.gets("STOMP-FRAME-008", "a value with a CR can be relayed in 1.2", p, "CR")
				c := s.capture()
				c.frames = append(c.frames, m)
				c.each(s, "STOMP-FRAME-008", "no raw CR stands in a 1.2 line, other than the one before its LF", "no such CR", func(f *wireFrame) string {
					head, _, _ := bytes.Cut(bytes.ReplaceAll(f.Raw, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
					if bytes.IndexByte(head, '\r') < 0 {
						return ""
					}
					return conformance.EscapeMax(head, 200)
				})
			}),
		},
		{
			ID:       "stomp/server/frame/server-ends-with-a-whole-frame",
			Title:    "a server that closes has finished its last frame",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				for _, p := range s.capture().peers {
					s.Check(!p.reader.partial(), "STOMP-FRAME-001", "every frame that a server sends ends with a NUL", "nothing behind the last frame but EOLs",
						"connection "+p.Name+": "+quoted(string(p.reader.buf), 120))
				}
			}),
		},
		{
			ID:       "stomp/server/escape/server-escapes",
			Title:    "the headers that a 1.2 server sends are escaped by the table of 1.2",
			Laws:     []string{"STOMP-ESC-005"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run:      run(func(s *serverT) { s.escapesOf("STOMP-ESC-005") }),
		},
		{
			ID:       "stomp/server/escape/server-escapes-in-1.1",
			Title:    "the headers that a 1.1 server sends are escaped by the table of 1.1",
			Laws:     []string{"STOMP-ESC-006"},
			Versions: only11,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run:      run(func(s *serverT) { s.escapesOf("STOMP-ESC-006") }),
		},
	}
}

func (s *serverT) escapesOf(law string) {
	c := s.capture()
	c.faults(s, law, "a colon in a name or value is written as an escape", "STOMP-HDR-005")
	c.faults(s, law, "only the escapes of the session's version are written", "STOMP-ESC-003")
}
