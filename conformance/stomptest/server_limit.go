package stomptest

import (
	"fmt"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

const mib = 1 << 20

func limitCases() []conformance.Case {
	return append([]conformance.Case{
		oversizeCase("stomp/server/limit/16-mib-header-line", "a header line of 16 MiB is taken, or refused with ERROR and close", oversize{
			what: "a header line of 16 MiB", head: func(s *serverT, _ int) string { return s.sendTo(s.Topic()) + "x:" },
			piece: strings.Repeat("a", 64<<10), pieces: 256, tail: "\n\nx\x00",
		}),
		oversizeCase("stomp/server/limit/16-mib-command-line", "a command line of 16 MiB without an end is refused with ERROR and close", oversize{
			what: "a command line of 16 MiB", head: func(*serverT, int) string { return "" },
			piece: strings.Repeat("SEND", 16<<10), pieces: 256, tail: "\n\n\x00", nonsense: true,
		}, "STOMP-FRAME-026"),
		oversizeCase("stomp/server/limit/100000-headers", "100000 headers are taken, or refused with ERROR and close", oversize{
			what: "100000 headers", head: func(s *serverT, _ int) string { return s.sendTo(s.Topic()) },
			piece: strings.Repeat("x:abcdefgh\n", 1000), pieces: 100, tail: "\nx\x00",
		}),
		oversizeCase("stomp/server/limit/20-mib-body", "a body of 20 MiB is taken, or refused with ERROR and close", oversize{
			what: "an uncounted body of 20 MiB", head: func(s *serverT, _ int) string { return s.sendTo(s.Topic()) + "\n" },
			piece: strings.Repeat("b", 64<<10), pieces: 320, tail: "\x00",
		}),
		oversizeCase("stomp/server/limit/20-mib-counted-body", "a counted body of 20 MiB is taken, or refused with ERROR and close", oversize{
			what: "a counted body of 20 MiB", head: func(s *serverT, n int) string { return fmt.Sprintf("%scontent-length:%d\n\n", s.sendTo(s.Topic()), n) },
			piece: strings.Repeat("b", 64<<10), pieces: 320, tail: "\x00",
		}),
		{
			ID:       "stomp/server/limit/1-mib-body",
			Title:    "a body of 1 MiB arrives as it was sent, or is refused with ERROR and close",
			Laws:     []string{"STOMP-SEND-004", "STOMP-LIMIT-019"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Alone:    true,
			Run: run(func(s *serverT) {
				r := s.relay()
				p := s.Connect("sender")
				body := strings.Repeat("0123456789abcdef", mib/16)
				o := p.behind(string(frameOf("SEND", "destination", r.place).Carrying(body).Encode(p.version)))
				if o.Frame == nil {
					s.refusedForSize(p, "a body of 1 MiB", o)
					return
				}
				m := r.witness.Await(is("MESSAGE"), s.Timing().Reply)
				s.Check(m.Frame != nil && string(m.Frame.Body) == body, "STOMP-SEND-004", "a body that was taken is conveyed octet for octet", "MESSAGE with the body of 1 MiB", m.String())
			}),
		},
		{
			ID:       "stomp/server/limit/declared-10-gib",
			Title:    "a content-length of 10 GiB with 10 octets behind it harms nobody else",
			Laws:     []string{"STOMP-BODY-003", "STOMP-DISCONNECT-004"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Alone:    true,
			Run: run(func(s *serverT) {
				const reason = "a body has exactly the counted octets; before they have come there is nothing to deliver"
				r := s.relay()
				for _, n := range []string{"10737418240", "9223372036854775807", "99999999999999999999999999999999"} {
					p := s.Connect("sender")
					p.RawString(strings.TrimSuffix(r.raw("SEND", "content-length:"+n+"\n", "0123456789"), "\x00"))
					s.serves("a content-length of " + n)
				}
				r.witness.Quiet("STOMP-BODY-003", reason, is("MESSAGE"))
			}),
		},
	}, referenceLimitCases()...)
}

// largePatience is how many times longer than for the end of a connection we wait for what a frame of many megabytes comes to: a
// parser at its work on a busy machine is slow and not silent.
const largePatience = 4

func oversizeCase(id, title string, v oversize, more ...string) conformance.Case {
	return conformance.Case{
		ID: id, Title: title, Versions: since11, Laws: append([]string{"STOMP-LIMIT-019", "STOMP-DISCONNECT-004"}, more...),
		Needs: conformance.Needs{Options: []string{Receipts}}, Alone: true, Run: run(v.judge),
	}
}

// An oversize is a frame that grows until the target refuses it.
type oversize struct {
	what     string
	head     func(s *serverT, octets int) string // what comes before so many octets of pieces
	piece    string
	pieces   int // at most
	tail     string
	nonsense bool // the frame is to be refused whatever its size
}

// sendTo returns the first lines of a SEND.
func (s *serverT) sendTo(destination string) string {
	return "SEND\ndestination:" + escape(destination, s.Version()) + "\n"
}

// judge sends the frame, each time four times larger, and judges by STOMP-LIMIT-019 what comes of it;
// then the target must serve others. It stops where the target refuses, and before a step that would
// keep it busy for longer than the deadline of an answer: slowness is no break.
func (v oversize) judge(s *serverT) {
	for share := 64; share > 0; share /= 4 {
		pieces := max(1, v.pieces/share)
		p := s.Connect("sender")
		start := time.Now()
		p.RawString(v.head(s, pieces*len(v.piece)))
		for range pieces {
			if _, err := p.conn.Write([]byte(v.piece)); err != nil {
				break
			}
		}
		o := p.behind(v.tail)
		if o.Timed {
			o = p.Await(is("RECEIPT"), largePatience*s.Timing().Close)
		}
		took := time.Since(start)
		s.Note(fmt.Sprintf("%d octets", pieces*len(v.piece)), "%s after %d ms", o, took.Milliseconds())
		if o.Error != nil && v.nonsense {
			break
		}
		// An unknown command may be refused without a word whatever its size, so that no limit need have been met. The
		// reference has one, and tells of it.
		if o.Ended == conformance.EOF && v.nonsense && !s.Target().Reference() {
			s.Chose("STOMP-FRAME-026", "a server may answer an unknown command with ERROR, or not at all", v.what+": "+o.String())
			break
		}
		if o.Frame == nil {
			s.refusedForSize(p, v.what, o)
			break
		}
		p.Close()
		if share > 1 && took > s.Timing().Reply/4 {
			s.Note("left out", "what is larger, since %d octets took %d ms", pieces*len(v.piece), took.Milliseconds())
			break
		}
	}
	s.serves(v.what)
}

// refusedForSize judges how a frame was refused that is larger than the target takes.
func (s *serverT) refusedForSize(p *wire, what string, o reply) {
	const law = "STOMP-LIMIT-019"
	switch {
	case o.Error != nil:
		p.End(law, "the ERROR for a limit is followed by the end of the connection")
	case o.Ended == conformance.EOF || o.Timed:
		s.Broken(conformance.Break{
			Law: law, Reason: "a server that limits the size of frames says so by ERROR and closes", Expected: what + ": RECEIPT, or ERROR", Seen: what + ": " + o.String(), Timed: o.Timed,
		})
	default:
		s.Chose(law, "a reset may have swallowed the ERROR", what+": "+o.String())
	}
}

// referenceLimitCases measure the limits that the reference states. Others have limits of their own.
func referenceLimitCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/limit/reference-line",
			Title:    "the reference takes lines of 8192 octets and no more",
			Laws:     []string{"STOMP-LIMIT-001", "STOMP-LIMIT-002"},
			Versions: every,
			Run: run(func(s *serverT) {
				s.boundary("STOMP-LIMIT-001", "a header line of 8192 octets", func(n int) string {
					return s.anyFrame("x:"+strings.Repeat("a", 8190+n)+"\n", "")
				})
				if s.Version() == "1.2" {
					s.boundary("STOMP-LIMIT-001", "a header line of 8192 octets with its CR", func(n int) string {
						return s.anyFrame("x:"+strings.Repeat("a", 8189+n)+"\r\n", "")
					})
				}
				p := s.Connect("unended")
				p.RawString("x:" + strings.Repeat("a", 8191))
				s.Check(p.Await(is("ERROR"), s.Timing().Reply).Frame != nil, "STOMP-LIMIT-002", "the octet beyond the limit fails at once, before the line ends", "ERROR", "no ERROR")
				if s.Version() != "1.0" {
					s.boundary("STOMP-LIMIT-002", "a header line of 8192 octets, escapes counted as written", func(n int) string {
						return s.anyFrame("x:"+strings.Repeat(`\n`, 4094+n)+"aa\n", "")
					})
				}
			}),
		},
		{
			ID:       "stomp/server/limit/reference-headers",
			Title:    "the reference takes 128 headers and no more",
			Laws:     []string{"STOMP-LIMIT-003"},
			Versions: every,
			Run: run(func(s *serverT) {
				s.boundary("STOMP-LIMIT-003", "128 headers", func(n int) string {
					return s.anyFrame(strings.Repeat("x:a\n", 126+n), "")
				})
			}),
		},
		{
			ID:       "stomp/server/limit/reference-body",
			Title:    "the reference takes bodies of 1 MiB and no more",
			Laws:     []string{"STOMP-LIMIT-004", "STOMP-LIMIT-005"},
			Versions: every,
			Alone:    true,
			Run: run(func(s *serverT) {
				send := func(lines, body string) string {
					return "SEND\ndestination:" + s.Topic() + "\n" + lines + "\n" + body + "\x00"
				}
				s.boundary("STOMP-LIMIT-004", "an uncounted body of 1 MiB", func(n int) string { return send("", strings.Repeat("b", mib+n)) })
				s.boundary("STOMP-LIMIT-004", "a counted body of 1 MiB", func(n int) string {
					return send(fmt.Sprintf("content-length:%d\n", mib+n), strings.Repeat("b", mib+n))
				})
				p := s.Connect("unended")
				p.RawString(strings.TrimSuffix(send("", strings.Repeat("b", mib+1)), "\x00"))
				s.Check(p.Await(is("ERROR"), s.Timing().Reply).Frame != nil, "STOMP-LIMIT-004", "the octet beyond the limit fails at once, before the body ends", "ERROR", "no ERROR")
				for _, v := range []string{"1048577", "2147483648", "18446744073709551617", strings.Repeat("9", 1000)} {
					p := s.Connect("sender")
					p.RawString(strings.TrimSuffix(send("content-length:"+v+"\n", ""), "\x00"))
					o := p.Await(is("ERROR"), s.Timing().Reply)
					s.Check(o.Frame != nil, "STOMP-LIMIT-005", "a declared length over the limit fails at the blank line, before any octet of the body", "content-length:"+v+": ERROR", o.String())
				}
			}),
		},
	}
}

// anyFrame returns a SUBSCRIBE with two headers of its own and more lines.
func (s *serverT) anyFrame(lines, body string) string {
	return "SUBSCRIBE\nid:" + s.Unique("s") + "\ndestination:" + s.Topic() + "\n" + lines + "\n" + body + "\x00"
}

// boundary checks that the reference takes octets(0) and refuses octets(1).
func (s *serverT) boundary(law, what string, octets func(n int) string) {
	if !s.Target().Reference() {
		s.Unsupported("the limit is the reference's own")
	}
	at, over := s.Connect("at").behind(octets(0)), s.Connect("over").behind(octets(1))
	s.Check(at.Frame != nil, law, what+" is within the limit", "RECEIPT of the frame behind", at.String())
	s.Check(over.Error != nil, law, what+" and one more is over the limit", "ERROR", over.String())
}
