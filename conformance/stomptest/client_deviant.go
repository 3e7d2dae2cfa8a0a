package stomptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientDeviantCases() []conformance.Case {
	return slices.Concat(clientDeviantHeaderCases(), clientDeviantFrameCases(), clientDeviantLengthCases(), clientDeviantSessionCases(), clientDeviantConnectCases())
}

// behind is the body of the good message with which a deviant broker carries on.
const behind = "good, behind"

// A deviant is one way in which what a broker sends breaks a law.
type deviant struct {
	name   string
	octets func(s *subscription) string
}

// lined is a MESSAGE with header lines that break a law.
func lined(name, lines string) deviant {
	return deviant{name, func(s *subscription) string { return s.raw(lines, "bad") }}
}

// commanded is a MESSAGE under another command line.
func commanded(name, command string) deviant {
	return deviant{name, func(s *subscription) string { return command + strings.TrimPrefix(s.raw("", "bad"), "MESSAGE") }}
}

// A reaction is what a client made of a deviant.
type reaction struct {
	wrong  []event // messages that it showed, other than the good one
	good   bool    // it showed the good message
	told   string  // the error or the end that it showed
	closed bool    // it closed the connection and showed nothing
	stuck  bool    // its process has ended or hangs, so that nothing more can be tried with it
}

// String says what the client did without anything that differs from run to run.
func (r reaction) String() string {
	var out []string
	if len(r.wrong) > 0 {
		out = append(out, "delivers it")
	}
	switch {
	case r.good:
		out = append(out, "goes on")
	case r.told != "":
		out = append(out, r.told)
	case r.closed:
		out = append(out, "closes the connection")
	case r.stuck:
		out = append(out, "hangs")
	default:
		out = append(out, "shows nothing more")
	}
	return strings.Join(out, " and ")
}

// reacts sends octets and then a good message, and watches what the library shows.
func (s *subscription) reacts(octets string) reaction {
	s.c.Step()
	s.p.RawString(octets)
	s.Deliver(behind)
	return s.watch()
}

// watch takes what the library shows up to the good message, an ERROR, the end, or silence.
func (s *subscription) watch() (r reaction) {
	c := s.c
	for range 20 {
		e := c.Next(c.Timing().Quiet)
		switch {
		case e.Kind == "message" && e.Body == behind:
			r.good = true
			return r
		case e.Kind == "message":
			r.wrong = append(r.wrong, e)
		case e.Kind == "error" || e.Kind == "closed":
			r.told = "tells of it"
			c.Note("told", "%s", e)
			return r
		case e.Kind == "lost":
			r.stuck = true
			if !e.Hangs {
				r.told = "its process ends"
				c.Note("told", "%s", e)
			}
			return r
		case e.Kind == "none":
			r.closed = s.p.Ends(c.Timing().Quiet / 10)
			return r
		}
	}
	return r
}

// tries sends each deviant in a session of its own, all in one process. What is delivered as a message is judged by
// wrong; what is neither delivered nor told is recorded.
func (c *clientT) tries(law, reason string, wrong func(conformance.Break), deviants ...deviant) {
	var delivered, passed []string
	var sample event
	for _, d := range deviants {
		s := c.listening()
		r := s.reacts(d.octets(s))
		s.p.Close()
		c.Note(d.name, "%s", r)
		switch {
		case len(r.wrong) > 0:
			sample = r.wrong[0]
			delivered = append(delivered, d.name)
		case r.told == "" && !r.closed:
			passed = append(passed, d.name+": "+r.String())
		}
		if r.stuck {
			c.Note("tried up to", "%s, after which the client did not go on", d.name)
			break
		}
	}
	if len(delivered) > 0 {
		wrong(conformance.Break{
			Law: law, Reason: reason, Expected: "no message, but an error or the end", Seen: fmt.Sprintf("delivered: %s; the last as %s", strings.Join(delivered, ", "), sample),
		})
	}
	if len(passed) > 0 {
		c.Chose(law, "no text says more than that it is wrong: "+reason, strings.Join(passed, "; "))
	}
}

// deviantCase tries deviants; wrong judges those that are delivered.
func deviantCase(id, title string, versions []string, law string, wrong func(*clientT, conformance.Break), reason string, deviants ...deviant) conformance.Case {
	return clientCase(id, title, versions, law, func(c *clientT) {
		c.tries(law, reason, func(b conformance.Break) { wrong(c, b) }, deviants...)
	})
}

func clientDeviantHeaderCases() []conformance.Case {
	return []conformance.Case{
		deviantCase("stomp/client/deviant/undefined-escape", "a MESSAGE with an undefined escape is not delivered",
			since11, "STOMP-ESC-003", (*clientT).Broken, "an undefined escape is a fatal protocol error",
			lined(`\t`, `x:a\tb`+"\n"), lined(`\0`, `x:a\0b`+"\n"), lined(`\N`, `x:a\Nb`+"\n"), lined(`\C`, `x:a\Cb`+"\n"), lined(`\:`, `x:a\:b`+"\n"),
			lined(`\ and a space`, `x:a\ b`+"\n"), lined(`\u`, `x:a\u0041b`+"\n"), lined(`\t in a name`, `x\ty:v`+"\n")),
		deviantCase("stomp/client/deviant/dangling-backslash", "a backslash at the end of a name or value is no escape",
			since11, "STOMP-ESC-003", (*clientT).Broken, "a backslash is followed by an octet of the version's table",
			lined(`x:v\`, `x:v\`+"\n"), lined(`x:\`, `x:\`+"\n"), lined(`x\:v`, `x\:v`+"\n")),
		deviantCase("stomp/client/deviant/r-in-1.1", `1.1 does not define \r`,
			only11, "STOMP-ESC-002", (*clientT).Broken, `the table of 1.1 has no escape for CR, so that \r is undefined and fatal`,
			lined(`\r in a value`, `x:a\rb`+"\n"), lined(`\r in a name`, `x\ry:a`+"\n")),
		deviantCase("stomp/client/deviant/missing-colon", "a header line without a colon is invalid",
			every, "STOMP-HDR-001", (*clientT).tolerated, "a header line has a colon",
			lined("a line without colon", "abc\n"), lined("a line of one octet", "a\n")),
		deviantCase("stomp/client/deviant/empty-name", "a header line without a name is invalid",
			every, "STOMP-HDR-001", (*clientT).tolerated, "a header line has a name",
			lined("a value without name", ":v\n"), lined("a colon alone", ":\n")),
		deviantCase("stomp/client/deviant/raw-colon-in-value", "a second raw colon in a header line is refused by the reference",
			since11, "STOMP-HDR-005", (*clientT).Broken, "the grammar of a value has no raw colon",
			lined("x:a:b", "x:a:b\n"), lined("x::", "x::\n")),
		deviantCase("stomp/client/deviant/invalid-utf-8", "header octets that are not UTF-8",
			since11, "STOMP-FRAME-014", (*clientT).tolerated, "commands and headers are UTF-8",
			lined("C0 AF", "x:a\xc0\xaf\n"), lined("ED A0 80", "x:\xed\xa0\x80\n"), lined("E4 B8", "x:\xe4\xb8\n"), lined("FF", "x:\xff\n"), lined("80 in a name", "x\x80:v\n")),
		deviantCase("stomp/client/deviant/nul-in-header", "a NUL in a header line is refused by the reference",
			every, "STOMP-FRAME-009", (*clientT).Broken, "a NUL ends a frame and is no part of a line",
			lined("in a value", "x:a\x00b\n"), lined("in a name", "x\x00y:a\n")),
	}
}

func clientDeviantFrameCases() []conformance.Case {
	return []conformance.Case{
		deviantCase("stomp/client/deviant/bare-cr", "a CR inside a 1.2 line is illegal",
			only12, "STOMP-FRAME-008", (*clientT).tolerated, "no raw CR stands in a line, other than the one before its LF",
			lined("in a value", "x:a\rb\n"), lined("in a name", "x\ry:a\n"), lined("CR CR LF", "x:a\r\r\n"), lined("before a name", "\rx:a\n"), commanded("CR CR LF behind the command", "MESSAGE\r\r")),
		deviantCase("stomp/client/deviant/crlf-before-1.2", "before 1.2 a frame whose lines end with CR LF is none",
			[]string{"1.0", "1.1"}, "STOMP-FRAME-007", (*clientT).tolerated, "a line ends at LF alone; MESSAGE with a CR behind it is another command",
			commanded("CR LF behind the command", "MESSAGE\r"),
			deviant{"CR LF behind every line", func(s *subscription) string {
				return strings.ReplaceAll(strings.TrimSuffix(s.raw("", ""), "\x00"), "\n", "\r\n") + "bad\x00"
			}}),
		deviantCase("stomp/client/deviant/unknown-command", "a frame under a command that servers do not have is no message",
			every, "STOMP-FRAME-004", (*clientT).tolerated, "the commands of servers are CONNECTED, MESSAGE, RECEIPT and ERROR",
			commanded("BOGUS", "BOGUS"), commanded("MESSAGES", "MESSAGES"), commanded("MESSAG", "MESSAG"), commanded("no command", "")),
		deviantCase("stomp/client/deviant/client-command", "a frame of clients from the broker is no message",
			every, "STOMP-FRAME-004", (*clientT).tolerated, "the commands of servers are CONNECTED, MESSAGE, RECEIPT and ERROR",
			commanded("SEND", "SEND"), commanded("ACK", "ACK"), commanded("SUBSCRIBE", "SUBSCRIBE")),
		deviantCase("stomp/client/deviant/lower-case-command", "a command in another letter case is another command",
			every, "STOMP-FRAME-005", (*clientT).Broken, "a command is matched octet for octet",
			commanded("message", "message"), commanded("Message", "Message"), commanded("MESSAGe", "MESSAGe")),
		deviantCase("stomp/client/deviant/padded-command", "a command with something beside it is refused by the reference",
			every, "STOMP-FRAME-013", (*clientT).Broken, "a command line holds the command and nothing else",
			commanded("space behind", "MESSAGE "), commanded("space before", " MESSAGE"), commanded("tab behind", "MESSAGE\t"), commanded("byte-order mark before", "\ufeffMESSAGE")),
		deviantCase("stomp/client/deviant/no-blank-line", "a MESSAGE without the blank line behind its headers is none",
			every, "STOMP-FRAME-001", (*clientT).tolerated, "a blank line stands between the headers and the body of every frame",
			deviant{"no blank line", func(s *subscription) string { return strings.TrimSuffix(s.raw("", ""), "\n\x00") + "\x00" }}),
	}
}
