package stomptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// relayed are the options on which an experiment stands that sends a SEND and looks at its MESSAGE.
var relayed = conformance.Needs{Options: []string{Delivery, Receipts}}

// bytewise is relayed for experiments on how octets are cut into packets.
var bytewise = conformance.Needs{Options: []string{Delivery, Receipts}, Transports: []string{"tcp", "tls"}}

func frameCases() []conformance.Case {
	return slices.Concat(frameCommandCases(), frameLineCases(), framePacketCases(), frameServerCases())
}

func frameCommandCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/frame/client-commands",
			Title:    "every client command of 1.1 and 1.2 is known",
			Laws:     []string{"STOMP-FRAME-003"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Nack, Transactions}},
			Run:      run(func(s *serverT) { s.commands("STOMP-FRAME-003", "ACK", "NACK") }),
		},
		{
			ID:       "stomp/server/frame/client-commands-of-1.0",
			Title:    "every client command of 1.0 is known",
			Laws:     []string{"STOMP-FRAME-002"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks, Transactions}},
			Run:      run(func(s *serverT) { s.commands("STOMP-FRAME-002", "ACK") }),
		},
		{
			ID:       "stomp/server/frame/nack-is-no-1.0-command",
			Title:    "NACK is no command of 1.0",
			Laws:     []string{"STOMP-FRAME-002"},
			Versions: only10,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Queues, Acks}},
			Run: run(func(s *serverT) {
				q := s.Queue()
				s.Connect("sender").Deliver(q, "m1")
				p := s.Connect("a")
				p.Subscribe("s", q, "client")
				m := p.Message("", "a message arrives")
				p.Send(p.AckFrame("NACK", m).With("receipt", "nack"))
				o := p.Await(is("RECEIPT", "receipt-id", "nack"), s.Timing().Reply)
				if o.Frame != nil {
					s.optional(conformance.Break{
						Law: "STOMP-FRAME-002", Reason: "a 1.0 session has nine client commands and NACK is none of them; no text forbids one more",
						Expected: "ERROR, the end of the connection, or silence", Seen: o.String(),
					})
				}
				s.settleAll(q)
			}),
		},
		foreignCase("stomp/server/frame/unknown-command-is-not-processed", "a frame with an unknown command is not taken for another command",
			since11, "STOMP-FRAME-003", (*serverT).tolerated, "BOGUS", "SENDX", "SENX", "SEN", "PUBLISH", "S"),
		foreignCase("stomp/server/frame/unknown-command-is-not-processed-in-1.0", "a frame with a command that 1.0 does not have is not taken for another command",
			only10, "STOMP-FRAME-002", (*serverT).tolerated, "BOGUS", "SENDX", "SENX", "SEN", "PUBLISH", "S"),
		foreignCase("stomp/server/frame/server-commands-are-not-for-clients", "MESSAGE, RECEIPT, ERROR and CONNECTED from a client are not processed",
			since11, "STOMP-FRAME-003", (*serverT).tolerated, "MESSAGE", "RECEIPT", "ERROR", "CONNECTED"),
		foreignCase("stomp/server/frame/commands-are-case-sensitive", "a command in another letter case is another, unknown command",
			every, "STOMP-FRAME-005", (*serverT).Broken, "send", "Send", "SENd"),
		foreignCase("stomp/server/frame/command-line-is-not-trimmed", "octets around a command make it another one",
			every, "STOMP-FRAME-013", (*serverT).Broken, "SEND ", " SEND", "SEND\t", "\tSEND", "\xef\xbb\xbfSEND", "SEND:"),
		{
			ID:       "stomp/server/frame/no-headers",
			Title:    "a frame may have no headers at all",
			Laws:     []string{"STOMP-FRAME-015"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.RawString("DISCONNECT\n\n\x00")
				p.Quiet("STOMP-FRAME-015", "a DISCONNECT without headers is whole and legal", is("ERROR"))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/unknown-command",
			Title:    "what a server says to an unknown command",
			Laws:     []string{"STOMP-FRAME-026"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.RawString("BOGUS\n\n\x00")
				s.Chose("STOMP-FRAME-026", "a server may answer an unknown command with ERROR, or not at all",
					p.Await(is("ERROR"), s.Timing().Quiet).String())
			}),
		},
	}
}

// foreignCase sends frames like a SEND with other commands and checks that none is delivered. That letter case
// matters is a sentence of the specification; that a frame beyond the lists is nothing at all is none, so that who
// takes it for a SEND tolerates it.
func foreignCase(id, title string, versions []string, law string, judge func(*serverT, conformance.Break), commands ...string) conformance.Case {
	return neverCase(id, title, versions, law, judge, "a command that the version does not have is not processed as SEND", func(r *relay) []variant {
		var variants []variant
		for _, c := range commands {
			variants = append(variants, r.command(fmt.Sprintf("%q", c), c))
		}
		return variants
	})
}

// commands goes once through the commands of a session, each with a frame behind it that asks for a
// receipt. A command that is refused is unknown if it is refused as one that is certainly unknown; if
// not, the target has another reason, which is judged elsewhere.
func (s *serverT) commands(law string, settle ...string) {
	q := s.Queue()
	bodies := numbered("m", len(settle))
	unknown := refusalOf("BOGUS", s.Connect("unknown").behind("BOGUS\n\n\x00"))
	p := s.Connect("a")
	step := func(f *wireFrame) bool {
		o := p.behind(string(f.Encode(s.Version())))
		if o.Frame != nil {
			return true
		}
		if refusalOf(f.Command, o) == unknown {
			p.miss(law, f.Command+" is a command of "+s.Version(), "another answer than to an unknown command", o)
		}
		s.Note(f.Command, "known, and refused for a reason of its own: %s", o)
		p = s.Connect("another")
		return false
	}
	s.Connect("sender").Deliver(q, bodies...)
	ack := "client"
	if s.Version() != "1.0" && s.has(ClientIndividual) {
		ack = "client-individual"
	}
	if step(frameOf("SUBSCRIBE", "id", "s", "destination", q, "ack", ack)) {
		for _, command := range settle {
			m := p.Await(is("MESSAGE"), s.Timing().Reply)
			if m.Frame == nil || !step(p.AckFrame(command, m.Frame)) {
				break
			}
		}
		step(frameOf("UNSUBSCRIBE", "id", "s", "destination", q))
	}
	step(frameOf("BEGIN", "transaction", "t1"))
	step(frameOf("COMMIT", "transaction", "t1"))
	step(frameOf("BEGIN", "transaction", "t2"))
	step(frameOf("ABORT", "transaction", "t2"))
	step(frameOf("SEND", "destination", s.Topic()).Carrying("x"))
	p.Send(frameOf("DISCONNECT"))
	p.Quiet(law, "DISCONNECT is a command of "+s.Version(), is("ERROR"))
	s.settleAll(q)
}

// refusalOf names how a command was refused, without the command's own name.
func refusalOf(command string, o reply) string {
	if o.Error != nil {
		return "ERROR " + strings.ReplaceAll(o.Error.Get("message"), command, "")
	}
	return o.String()
}

// settleAll takes what is left in a queue, so that a run leaves nothing behind.
func (s *serverT) settleAll(q string) {
	p := s.Connect("cleaner")
	p.Send(frameOf("SUBSCRIBE", "id", "clean", "destination", q, "ack", "auto"))
	for p.Watch(is("MESSAGE"), s.Timing().Quiet) != nil {
	}
}

func frameLineCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/frame/crlf-lines",
			Title:    "1.2 lines may end with CR LF",
			Laws:     []string{"STOMP-FRAME-006"},
			Versions: only12,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.eols("a frame with CR LF ends its lines as one with LF", func(int) string { return "\r\n" })
			}),
		},
		{
			ID:       "stomp/server/frame/mixed-eols",
			Title:    "1.2 lines may end with LF and CR LF inside one frame",
			Laws:     []string{"STOMP-FRAME-006"},
			Versions: only12,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				s.eols("LF and CR LF may alternate", func(i int) string { return []string{"\n", "\r\n"}[i%2] })
				s.eols("LF and CR LF may alternate", func(i int) string { return []string{"\r\n", "\n"}[i%2] })
			}),
		},
		{
			ID:       "stomp/server/frame/crlf-between-frames",
			Title:    "1.2 EOLs between frames may be CR LF",
			Laws:     []string{"STOMP-FRAME-006"},
			Versions: only12,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				p.RawString("\r\n" + r.raw("SEND", "", "first") + "\r\n\n\r\n" + r.raw("SEND", "", "second"))
				r.gets("STOMP-FRAME-006", "an EOL between frames may be CR LF", p, "first")
				r.gets("STOMP-FRAME-006", "an EOL between frames may be CR LF", p, "second")
			}),
		},
		{
			ID:       "stomp/server/frame/cr-is-data-before-1.2",
			Title:    "before 1.2 a CR at the end of a line belongs to it",
			Laws:     []string{"STOMP-FRAME-007"},
			Versions: []string{"1.0", "1.1"},
			Needs:    relayed,
			Run: run(func(s *serverT) {
				const reason = "a line ends at LF alone; the CR before it is the last octet of the value"
				r := s.relay()
				t := r.try(r.lines("CR before LF", "x:a\r\n"))[0]
				if !s.always(t, "STOMP-FRAME-007", reason) {
					return
				}
				wire := string(t.message.Raw)
				switch got, ok := t.message.Lookup("x"); {
				case !ok && s.Version() == "1.0":
					s.Note("user header", "not relayed in 1.0, so that the CR cannot be looked for")
				case strings.Contains(wire, "\nx:a\r\n") && !strings.HasPrefix(wire, "MESSAGE\r"):
					// Kept: the CR stands on the line of this header alone.
				case s.Version() == "1.1" && got == `a\r`:
					// Kept as well: what it writes in place of a CR is judged by STOMP-ESC-006.
					s.Note("CR", `read as part of the value, and written as \r`)
				case got == "a":
					s.tolerated(conformance.Break{Law: "STOMP-FRAME-007", Reason: reason, Expected: `"a\r"`, Seen: `"a"`})
				default:
					s.CheckEqual("STOMP-FRAME-007", reason, "a\r", got)
				}
			}),
		},
		neverCase("stomp/server/frame/crlf-command-before-1.2", "before 1.2 a command line that ends with CR LF is no known command",
			[]string{"1.0", "1.1"}, "STOMP-FRAME-007", (*serverT).tolerated, "the CR belongs to the command, and SEND with a CR behind it is not SEND",
			func(r *relay) []variant { return []variant{r.command(`SEND\r`, "SEND\r")} }),
		neverCase("stomp/server/frame/bare-cr", "a CR inside a 1.2 line is illegal",
			only12, "STOMP-FRAME-008", (*serverT).tolerated, "no raw CR stands in a line, other than the one before its LF",
			func(r *relay) []variant {
				return []variant{
					r.lines("CR in a value", "x:a\rb\n"),
					r.lines("CR in a name", "x\ry:a\n"),
					r.lines("CR CR LF behind a value", "x:a\r\r\n"),
					r.lines("CR before a name", "\rx:a\n"),
					r.command("CR before the command", "\rSEND"),
					r.command("CR CR LF behind the command", "SEND\r\r"),
				}
			}),
		neverCase("stomp/server/frame/nul-in-a-line", "a NUL in a command or header line is refused by the reference",
			every, "STOMP-FRAME-009", (*serverT).Broken, "a NUL ends a frame and is no part of a line",
			func(r *relay) []variant {
				return []variant{
					r.lines("NUL in a value", "x:a\x00b\n"),
					r.lines("NUL in a name", "x\x00y:a\n"),
					r.command("NUL in the command", "SE\x00ND"),
				}
			}),
		{
			ID:       "stomp/server/frame/blank-line-is-required",
			Title:    "a frame without the blank line behind its headers is no frame",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Needs:    relayed,
			Run: run(func(s *serverT) {
				r := s.relay()
				s.Connect("sender").RawString(strings.TrimSuffix(r.raw("SEND", "", ""), "\n\x00") + "\x00")
				if m := r.witness.Watch(is("MESSAGE"), s.Timing().Quiet); m != nil {
					s.tolerated(conformance.Break{
						Law: "STOMP-FRAME-001", Reason: "a blank line stands between the headers and the body of every frame",
						Expected: "no MESSAGE", Seen: m.String(),
					})
				}
			}),
		},
		{
			ID:       "stomp/server/frame/disconnect-without-blank-line",
			Title:    "the DISCONNECT printed in the specification lacks the blank line that the grammar asks for",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Receipts}},
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.RawString("DISCONNECT\nreceipt:77\n\x00")
				if o := p.Await(is("RECEIPT"), s.Timing().Quiet); o.Frame != nil {
					s.tolerated(conformance.Break{
						Law: "STOMP-FRAME-001", Reason: "a blank line stands behind the headers of every frame, whatever an example prints",
						Expected: "ERROR, the end of the connection, or silence", Seen: o.String(),
					})
				}
			}),
		},
		{
			ID:       "stomp/server/ambiguity/crlf-in-connect",
			Title:    "CONNECT with CR LF, before a version is agreed",
			Laws:     []string{"STOMP-FRAME-006"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Open("a")
				lines := strings.ReplaceAll(string(s.ConnectFrame(s.Version()).Encode(s.Version())), "\n", "\r\n")
				p.RawString(lines)
				s.Chose("STOMP-FRAME-006", "no text says how lines end before the version is known", p.Await(is("CONNECTED"), s.Timing().Reply).String())
			}),
		},
	}
}

// eols sends a frame whose i-th line ends with eol(i), and expects it as if all had been LF.
func (s *serverT) eols(reason string, eol func(i int) string) {
	r := s.relay()
	p := s.Connect("sender")
	lines := []string{"SEND", "destination:" + escape(r.place, s.Version()), "x:one", `y\c:\r`, "z:", ""}
	var b strings.Builder
	for i, line := range lines {
		b.WriteString(line + eol(i))
	}
	p.RawString(b.String() + "b\r\n\x00")
	m := r.gets("STOMP-FRAME-006", reason, p, "b\r\n")
	for _, h := range []header{{"x", "one"}, {"y:", "\r"}, {"z", ""}} {
		s.header(m, "STOMP-FRAME-006", "an EOL leaves no CR in a name or value", h.Name, h.Value)
	}
}
