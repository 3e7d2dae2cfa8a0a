package stomptest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func escapeCases() []conformance.Case {
	return append(escapeTableCases(), escapeUndefinedCases()...)
}

func escapeTableCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/escape/in-values",
			Title:    "the four escapes of 1.2 are decoded and encoded in values",
			Laws:     []string{"STOMP-ESC-001", "STOMP-ESC-005"},
			Versions: only12,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.escaped("STOMP-ESC-001", "STOMP-ESC-005", "x", "a\nb", "y", "a:b", "z", `a\b`, "cr", "a\rb", "all", "\r\n:\\ \\:\n\r",
					"first", ":b", "last", "b:", "far", "0123456789:abcdef\\0123\n456789\r")
			}),
		},
		{
			ID:       "stomp/server/escape/in-names",
			Title:    "the four escapes of 1.2 are decoded and encoded in names",
			Laws:     []string{"STOMP-ESC-001", "STOMP-ESC-005"},
			Versions: only12,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.escaped("STOMP-ESC-001", "STOMP-ESC-005", "a\nb", "1", "a:b", "2", `a\b`, "3", "a\rb", "4", ":b", "5", "b:", "6")
			}),
		},
		{
			ID:       "stomp/server/escape/in-values-of-1.1",
			Title:    "the three escapes of 1.1 are decoded and encoded in values",
			Laws:     []string{"STOMP-ESC-002", "STOMP-ESC-006"},
			Versions: only11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.escaped("STOMP-ESC-002", "STOMP-ESC-006", "x", "a\nb", "y", "a:b", "z", `a\b`, "all", "\n:\\ \\:\n",
					"first", ":b", "last", "b:", "far", "0123456789:abcdef\\0123\n456789")
			}),
		},
		{
			ID:       "stomp/server/escape/in-names-of-1.1",
			Title:    "the three escapes of 1.1 are decoded and encoded in names",
			Laws:     []string{"STOMP-ESC-002", "STOMP-ESC-006"},
			Versions: only11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.escaped("STOMP-ESC-002", "STOMP-ESC-006", "a\nb", "1", "a:b", "2", `a\b`, "3", ":b", "4", "b:", "5")
			}),
		},
		{
			ID:       "stomp/server/escape/raw-cr-in-1.1",
			Title:    "a CR in a 1.1 header is relayed raw, never as an escape",
			Laws:     []string{"STOMP-ESC-006"},
			Versions: only11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				t := r.try(r.lines("CR in a value", "x:a\rb\n"))[0]
				if t.message == nil {
					// The grammar of 1.1 leaves a CR to the value, but no text says that a server relays it.
					s.Unsupported("a value with a CR is not taken in 1.1: %s", t.seen())
				}
				s.rawCR(t.message)
			}),
		},
		{
			ID:       "stomp/server/escape/in-receipt-ids",
			Title:    "headers that the protocol defines are escaped like any other",
			Laws:     []string{"STOMP-ESC-001"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run:      run(func(s *serverT) { s.escapedReceipt("STOMP-ESC-001", "r:1\\\n\r") }),
		},
		{
			ID:       "stomp/server/escape/in-receipt-ids-of-1.1",
			Title:    "headers that the protocol defines are escaped like any other in 1.1",
			Laws:     []string{"STOMP-ESC-002"},
			Versions: only11,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run:      run(func(s *serverT) { s.escapedReceipt("STOMP-ESC-002", "r:1\\\n") }),
		},
		{
			ID:       "stomp/server/escape/single-pass",
			Title:    "what unescaping yields is not unescaped again",
			Laws:     []string{"STOMP-ESC-012"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				p.RawString(r.raw("SEND", `x:\\n`+"\n"+`y:\\\\c`+"\n"+`z:\\\n`+"\n"+`w:\\\\\\\\`+"\n"+`a\cb:x\\n`+"\n"+`\\n:name`+"\n", "once"))
				m := r.gets("STOMP-ESC-012", "escapes are decoded once, from left to right", p, "once")
				for _, h := range []header{{"x", `\n`}, {"y", `\\c`}, {"z", "\\\n"}, {"w", `\\\\`}, {"a:b", `x\n`}, {`\n`, "name"}} {
					s.header(m, "STOMP-ESC-012", "escapes are decoded once, from left to right, after the line is split at its first colon", h.Name, h.Value)
				}
			}),
		},
		{
			ID:       "stomp/server/escape/none-in-1.0",
			Title:    "1.0 has no escapes",
			Laws:     []string{"STOMP-ESC-010"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				const value, reason = `a\nb\c\\d\t\`, "a backslash is an ordinary octet of a 1.0 header"
				t := r.try(r.lines("backslashes", "x:"+value+"\n"))[0]
				if !s.always(t, "STOMP-ESC-010", reason) {
					return
				}
				if _, ok := t.message.Lookup("x"); !ok {
					s.Unsupported("user headers are not relayed in 1.0, so that the value cannot be looked at")
				}
				s.header(t.message, "STOMP-ESC-010", reason, "x", value)
			}),
		},
		{
			ID:       "stomp/server/escape/decoded-for-1.0",
			Title:    "what a later client escaped reaches a 1.0 subscriber without escapes",
			Laws:     []string{"STOMP-ESC-010"},
			Versions: only10,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				for _, v := range since11 {
					s.across(v, "STOMP-ESC-010", "a 1.0 session has no escapes, whatever the sender's version has", "x", "a:b", "y", `a\b`)
				}
			}),
		},
		{
			ID:       "stomp/server/escape/encoded-from-1.0",
			Title:    "what a 1.0 client sent raw reaches a 1.2 subscriber escaped",
			Laws:     []string{"STOMP-ESC-005"},
			Versions: only12,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.across("1.0", "STOMP-ESC-005", "a colon is written as an escape, whatever the sender's version has", "x", "a:b")
			}),
		},
		{
			ID:       "stomp/server/escape/encoded-from-1.0-for-1.1",
			Title:    "what a 1.0 client sent raw reaches a 1.1 subscriber escaped",
			Laws:     []string{"STOMP-ESC-006"},
			Versions: only11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.across("1.0", "STOMP-ESC-006", "a colon is written as an escape, whatever the sender's version has", "x", "a:b")
			}),
		},
		{
			ID:       "stomp/server/escape/cr-from-1.2-for-1.1",
			Title:    "a CR that a 1.2 client escaped reaches a 1.1 subscriber raw, never as an escape",
			Laws:     []string{"STOMP-ESC-006"},
			Versions: only11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				if !slices.Contains(s.Capabilities().Versions, "1.2") {
					s.Unsupported("the target does not negotiate version 1.2")
				}
				r := s.relay()
				p := s.ConnectAs("sender-1.2", "1.2")
				p.Send(frameOf("SEND", "destination", r.place, "x", "a\rb").Carrying(crossed))
				o := r.witness.Await(is("MESSAGE"), s.Timing().Reply)
				if o.Frame == nil {
					// A server may have no way to say it in 1.1.
					s.Unsupported("a value with a CR does not cross from 1.2 to 1.1: %s; the sender got %s", o, p.Await(is("ERROR"), 0))
				}
				s.rawCR(o.Frame)
			}),
		},
		{
			ID:       "stomp/server/escape/not-in-bodies",
			Title:    "a body holds no escapes",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				const body = `a\cb\n\\ \t:\`
				p.Send(frameOf("SEND", "destination", r.place).Carrying(body))
				r.gets("STOMP-BODY-014", "a body is relayed octet for octet, backslashes included", p, body)
			}),
		},
	}
}

// escaped sends user headers in escaped form and checks that each arrives decoded, by the law decode, and
// that its line was written escaped, by the law encode.
func (s *serverT) escaped(decode, encode string, kv ...string) {
	r := s.relay()
	p := s.Connect("sender")
	p.Send(frameOf("SEND", append([]string{"destination", r.place}, kv...)...).Carrying("escaped"))
	m := r.gets(decode, "a frame with escapes of its version is legal", p, "escaped")
	head, _, _ := strings.Cut(strings.ReplaceAll(string(m.Raw), "\r\n", "\n"), "\n\n")
	for i := 0; i < len(kv); i += 2 {
		if !s.header(m, decode, "an escape of the version's table stands for its octet", kv[i], kv[i+1]) {
			continue
		}
		line := escape(kv[i], s.Version()) + ":" + escape(kv[i+1], s.Version())
		s.Check(strings.Contains(head+"\n", "\n"+line+"\n"), encode, "the octets of the version's table are written as escapes, and no others",
			conformance.Escape([]byte(line)), conformance.EscapeMax([]byte(head), 400))
	}
}

// rawCR checks that a 1.1 MESSAGE whose SEND had a header with a CR holds no escape for it.
func (s *serverT) rawCR(m *wireFrame) {
	s.Check(!bytes.Contains(m.Raw, []byte(`\r`)), "STOMP-ESC-006", `1.1 has no escape for CR: it is written raw, never as \r`,
		`no \r on the wire`, conformance.EscapeMax(m.Raw, 300))
}

// escapedReceipt asks for a receipt under an id that needs escapes.
func (s *serverT) escapedReceipt(law, id string) {
	p := s.Connect("a")
	p.Send(frameOf("SEND", "destination", s.Topic(), "receipt", id))
	f := p.Expect(law, "escapes are decoded in the receipt header and encoded in receipt-id", "RECEIPT", is("RECEIPT"))
	s.CheckEqual(law, "escapes are decoded in the receipt header and encoded in receipt-id", id, f.Get("receipt-id"))
}

// across sends user headers from a session of another version and checks what the witness got. A server
// that does not relay user headers from or to 1.0, which has no law for it, is let off.
func (s *serverT) across(from, law, reason string, kv ...string) {
	m := s.crossing(from, law, kv...)
	for i := 0; i < len(kv); i += 2 {
		if got, ok := m.Lookup(kv[i]); ok {
			s.CheckEqual(law, reason, kv[i+1], got)
		} else {
			s.Note("header "+kv[i], "not relayed from %s", from)
		}
	}
	for _, f := range m.Faults {
		s.Check(false, law, reason, "a well-formed MESSAGE", f.Text)
	}
}

const crossed = "from another version"

// crossing sends a message with user headers from a session of another version, and returns what a
// witness of the case's version got.
func (s *serverT) crossing(from, law string, kv ...string) *wireFrame {
	if !slices.Contains(s.Capabilities().Versions, from) {
		s.Unsupported("the target does not negotiate version %s", from)
	}
	r := s.relay()
	p := s.ConnectAs("sender-"+from, from)
	p.Send(frameOf("SEND", append([]string{"destination", r.place}, kv...)...).Carrying(crossed))
	o := r.witness.Await(is("MESSAGE"), s.Timing().Reply)
	if o.Frame == nil {
		s.Stopped(conformance.Break{Law: law, Reason: "a message crosses from one version to another", Expected: "MESSAGE", Seen: o.String(), Timed: o.Timed})
	}
	return o.Frame
}

// later returns the newest version that the target negotiates. Where that is 1.0 there is nothing to escape with: a header that
// 1.0 cannot say would be ours.
func (s *serverT) later() string {
	v := s.Best()
	if v == "1.0" {
		s.Unsupported("the target negotiates no version later than 1.0, in which such a header could be sent")
	}
	return v
}

func escapeUndefinedCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/escape/every-octet-behind-a-backslash",
			Title:    "a backslash before any octet outside the table is fatal",
			Laws:     []string{"STOMP-ESC-003", "STOMP-SEND-001"},
			Versions: since11,
			Needs:    relayed,
			Run:      run((*serverT).everyEscape),
		},
		{
			ID:       "stomp/server/escape/undefined-escape-in-name",
			Title:    "an undefined escape in a header name is fatal",
			Laws:     []string{"STOMP-ESC-003", "STOMP-SEND-001"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				s.fatal(r.try(r.lines(`\t in a name`, `x\ty:v`+"\n"), r.lines(`\N in a name`, `x\Ny:v`+"\n")))
			}),
		},
		{
			ID:       "stomp/server/escape/undefined-escape-in-destination",
			Title:    "an undefined escape in a header that the protocol defines is fatal",
			Laws:     []string{"STOMP-ESC-003", "STOMP-SEND-001"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				s.fatal(r.try(variant{`\q in the destination`, func(token string) string {
					return "SEND\ndestination:" + escape(r.place, s.Version()) + "\\q\n\n" + token + "\x00"
				}}))
			}),
		},
		{
			ID:       "stomp/server/escape/undefined-escape-in-any-command",
			Title:    "an undefined escape is fatal whatever the command",
			Laws:     []string{"STOMP-ESC-003"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: run(func(s *serverT) {
				for _, head := range []string{"SUBSCRIBE\nid:1\ndestination:" + escape(s.Topic(), s.Version()), "BEGIN\ntransaction:t", "DISCONNECT"} {
					p := s.Connect("a")
					command, _, _ := strings.Cut(head, "\n")
					o := p.behind(head + "\nreceipt:r\nx:\\t\n\n\x00")
					p.Close()
					s.Check(o.Frame == nil, "STOMP-ESC-003", "an undefined escape is a fatal error in every frame", command+": ERROR or the end of the connection", command+": "+o.String())
				}
			}),
		},
		{
			ID:       "stomp/server/escape/dangling-backslash",
			Title:    "a backslash at the end of a name or value is no escape",
			Laws:     []string{"STOMP-ESC-003", "STOMP-ESC-004", "STOMP-SEND-001"},
			Versions: since11,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				trials := r.try(r.lines(`x:v\`, `x:v\`+"\n"), r.lines(`x\:v`, `x\:v`+"\n"), r.lines(`x:\`, `x:\`+"\n"))
				never(trials, s.Broken, "STOMP-ESC-004", "a name or value ends with no unpaired backslash")
				s.fatal(trials)
			}),
		},
		neverCase("stomp/server/escape/r-in-1.1", `1.1 does not define \r`,
			only11, "STOMP-ESC-002", (*serverT).Broken, `the table of 1.1 has no escape for CR, so that \r is undefined and fatal`,
			func(r *relay) []variant {
				return []variant{r.lines(`\r in a value`, `x:a\rb`+"\n"), r.lines(`\r in a name`, `x\ry:a`+"\n")}
			}),
		{
			ID:       "stomp/server/escape/undefined-escape-in-stomp-frame",
			Title:    "the STOMP frame is not exempt from escaping",
			Laws:     []string{"STOMP-ESC-009"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Open("a")
				f := s.ConnectFrame(s.Version())
				f.Command = "STOMP"
				octets := strings.Replace(string(f.Encode(s.Version())), "\n\n", "\nx:a\\tb\n\n", 1)
				p.RawString(octets)
				o := p.Await(is("CONNECTED"), s.Timing().Reply)
				s.Check(o.Frame == nil, "STOMP-ESC-009", "only CONNECT and CONNECTED are exempt from escaping, so that an undefined escape in STOMP is fatal", "ERROR or the end of the connection", o.String())
			}),
		},
	}
}

// toldByError is what SEND asks of a server. To end the connection without a word is all that a fatal protocol error asks.
const toldByError = "a SEND that cannot be processed, for any reason, is answered with ERROR before the connection ends"

// fatal judges trials with an undefined escape: none may be delivered, and the connection is not to go on
// as if nothing had been wrong.
func (s *serverT) fatal(trials []trial) {
	const law = "STOMP-ESC-003"
	never(trials, s.Broken, law, "a frame with an undefined escape is not delivered")
	for _, t := range trials {
		if t.message == nil && t.answer.Frame != nil {
			s.Broken(conformance.Break{
				Law: law, Reason: "an undefined escape is a fatal protocol error", Expected: t.name + ": ERROR or the end of the connection",
				Seen: t.name + ": " + t.seen(),
			})
		}
		if t.answer.Ended == conformance.EOF {
			s.Loose(conformance.Break{Law: "STOMP-SEND-001", Reason: toldByError, Expected: t.name + ": ERROR", Seen: t.name + ": " + t.seen()})
		}
	}
}

// everyEscape tries each octet that may not follow a backslash.
func (s *serverT) everyEscape() {
	r := s.relay()
	var variants []variant
	for c := range 256 {
		// \r is judged by itself in 1.1.
		if !strings.ContainsRune(`rnc\`, rune(c)) {
			variants = append(variants, r.lines(fmt.Sprintf("%02X", c), "x:a\\"+string([]byte{byte(c)})+"bcd\n"))
		}
	}
	trials := r.try(variants...)
	var delivered, ignored, mute []string
	for _, t := range trials {
		switch {
		case t.message != nil:
			delivered = append(delivered, t.name)
		case t.answer.Frame != nil:
			ignored = append(ignored, t.name)
		case t.answer.Ended == conformance.EOF:
			mute = append(mute, t.name)
		}
	}
	const law = "STOMP-ESC-003"
	s.Check(len(delivered) == 0, law, "a frame with an undefined escape is not delivered", "no MESSAGE", "delivered with a backslash before octet "+strings.Join(delivered, " "))
	s.Check(len(ignored) == 0, law, "an undefined escape is a fatal protocol error", "ERROR or the end of the connection", "the connection goes on after a backslash before octet "+strings.Join(ignored, " "))
	if len(mute) > 0 {
		s.Loose(conformance.Break{
			Law: "STOMP-SEND-001", Reason: toldByError, Expected: "ERROR",
			Seen: "closed without a word after a backslash before octet " + strings.Join(mute, " "),
		})
	}
}
