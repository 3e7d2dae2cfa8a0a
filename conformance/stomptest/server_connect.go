package stomptest

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// anyFrame matches every frame.
func anyFrame(*wireFrame) bool { return true }

// serverHeader is the grammar of the CONNECTED server header (STOMP-CONNECT-012): a name token, an
// optional version, comments each behind a space.
var serverHeader = regexp.MustCompile(`^[!#$%&'*+.^_|~0-9A-Za-z-]+(/[^ ]+)?( .*)?$`)

// rapidConnections is how often the rapid case connects: more than servers of good size hold at a time,
// so that one which forgets to give a place back is found.
const rapidConnections = 1200

func connectCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/connect/connected",
			Title:    "CONNECT is answered with one CONNECTED, before anything else",
			Laws:     []string{"STOMP-CONNECT-007"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Open("a")
				p.Send(s.ConnectFrame(s.Version()))
				f := p.Expect("STOMP-CONNECT-007", "a server that accepts a connection answers CONNECT", "a frame", anyFrame)
				s.CheckEqual("STOMP-CONNECT-007", "the first frame of a session is CONNECTED", "CONNECTED", f.Command)
				p.Quiet("STOMP-CONNECT-007", "a session has one CONNECTED", is("CONNECTED"))
			}),
		},
		{
			ID:    "stomp/server/connect/version-header",
			Title: "CONNECTED names the version of the session",
			Laws:  []string{"STOMP-CONNECT-010"},
			// It picks its own versions: one that CONNECTED does not name is not found by the probe.
			Run: run(func(s *serverT) {
				judged := 0
				for _, v := range since11 {
					if !slices.Contains(s.Profile().Versions, v) && !slices.Contains(s.Capabilities().Versions, v) {
						continue
					}
					judged++
					p := s.Open("offer " + v)
					p.Send(s.ConnectFrame(v))
					if o := p.Await(is("CONNECTED"), s.Timing().Reply); o.Frame != nil {
						s.CheckEqual("STOMP-CONNECT-010", "CONNECTED carries the version in use, the only one offered", v, o.Frame.Get("version"))
					}
				}
				if judged == 0 {
					s.Unsupported("the target speaks 1.0 only, which has no version header")
				}
			}),
		},
		{
			ID:       "stomp/server/connect/stomp-command",
			Title:    "STOMP is handled like CONNECT",
			Laws:     []string{"STOMP-CONNECT-004"},
			Versions: only12,
			Run:      run(func(s *serverT) { s.stompCommand("STOMP-CONNECT-004") }),
		},
		{
			ID:       "stomp/server/connect/stomp-command-in-1.1",
			Title:    "STOMP is handled like CONNECT in 1.1",
			Laws:     []string{"STOMP-CONNECT-005"},
			Versions: only11,
			Run:      run(func(s *serverT) { s.stompCommand("STOMP-CONNECT-005") }),
		},
		{
			ID:       "stomp/server/connect/nothing-before-connect",
			Title:    "no MESSAGE and no RECEIPT before CONNECT has been answered",
			Laws:     []string{"STOMP-CONNECT-007"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}},
			Run: run(func(s *serverT) {
				place := s.Place()
				witness := s.Connect("witness")
				witness.Subscribe("w", place, "auto")
				p := s.Open("a")
				p.Send(frameOf("SUBSCRIBE", "id", "1", "destination", place, "receipt", "early-1"))
				p.Send(frameOf("SEND", "destination", place, "receipt", "early-2").Carrying("early"))
				p.Quiet("STOMP-CONNECT-007", "CONNECTED comes before any RECEIPT", is("RECEIPT"))
				p.Quiet("STOMP-CONNECT-007", "CONNECTED comes before any MESSAGE", is("MESSAGE"))
				// The order of CONNECTED is that of its own connection; what else a server may not do with such frames is in no text.
				if m := witness.Watch(carries("early"), s.Timing().Quiet); m != nil {
					s.tolerated(conformance.Break{Law: "STOMP-CONNECT-007", Reason: "what is sent before CONNECT is not processed", Expected: "no such frame", Seen: m.String()})
				}
			}),
		},
		{
			ID:    "stomp/server/connect/wrong-passcode",
			Title: "a refused connection gets an ERROR and is closed",
			Laws:  []string{"STOMP-CONNECT-008"},
			// A server that accepts anybody has nothing to refuse.
			Versions: since11,
			Run: run(func(s *serverT) {
				if s.section().Login == "" {
					s.Unsupported("the profile names no login: the target may accept anybody")
				}
				p := s.Open("a")
				p.Send(frameOf("CONNECT", "accept-version", s.Version(), "host", s.Host(),
					"login", s.section().Login, "passcode", s.Unique("wrong")))
				const reason = "a rejected connection is told why by an ERROR"
				o := p.Await(is("CONNECTED"), s.Timing().Reply)
				if o.Frame != nil {
					s.Stopped(conformance.Break{Law: "STOMP-CONNECT-008", Reason: "a wrong passcode is refused", Expected: "ERROR", Seen: o.String()})
				}
				if o.Error == nil {
					p.miss("STOMP-CONNECT-008", reason, "ERROR", o)
				}
				p.End("STOMP-CONNECT-008", "a rejected connection is closed after its ERROR")
			}),
		},
		{
			ID:       "stomp/server/connect/session-is-unique",
			Title:    "session, if sent, differs between connections",
			Laws:     []string{"STOMP-CONNECT-011"},
			Versions: every,
			Run: run(func(s *serverT) {
				session := func(name string) string {
					p := s.Open(name)
					p.Send(s.ConnectFrame(s.Version()))
					return p.Expect("", "the connection is accepted", "CONNECTED", is("CONNECTED")).Get("session")
				}
				a, b := session("a"), session("b")
				s.Note("session header", "%q and %q", a, b)
				s.Check(a == "" || a != b, "STOMP-CONNECT-011", "a session id is unique to its session", "two values", fmt.Sprintf("%q twice", a))
			}),
		},
		{
			ID:       "stomp/server/connect/server-header-grammar",
			Title:    "server, if sent, is a name, an optional version and comments",
			Laws:     []string{"STOMP-CONNECT-012"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Open("a")
				p.Send(s.ConnectFrame(s.Version()))
				f := p.Expect("", "the connection is accepted", "CONNECTED", is("CONNECTED"))
				v, ok := f.Lookup("server")
				s.Note("server header", "%q", v)
				s.Check(!ok || serverHeader.MatchString(v), "STOMP-CONNECT-012",
					"a server header begins with a name token, then an optional /version, then comments behind spaces",
					"name[/version] *(SP comment)", fmt.Sprintf("%q", v))
			}),
		},
		{
			ID:       "stomp/server/connect/rapid-connections",
			Title:    "clients may connect and disconnect rapidly",
			Laws:     []string{"STOMP-CONNECT-013", "STOMP-DISCONNECT-004"},
			Versions: since11,
			Alone:    true,
			Run: run(func(s *serverT) {
				for i := range rapidConnections {
					p, err := s.TryDial("rapid")
					if err != nil {
						s.Stopped(conformance.Break{
							Law: "STOMP-CONNECT-013", Reason: "clients that connect and disconnect rapidly are served",
							Expected: fmt.Sprint(rapidConnections, " connections one after the other"), Seen: fmt.Sprintf("connection %d: %v", i+1, err), Timed: true,
						})
					}
					peer := s.peer("rapid", p)
					if i%10 != 0 {
						peer.Send(s.ConnectFrame(s.Version()))
						peer.Expect("STOMP-CONNECT-013", "clients that connect and disconnect rapidly are served", "CONNECTED", is("CONNECTED"))
					}
					peer.Close()
				}
				p := s.Open("after")
				p.Send(s.ConnectFrame(s.Version()))
				p.Expect("STOMP-DISCONNECT-004", "the server goes on serving after abrupt closes", "CONNECTED", is("CONNECTED"))
			}),
		},
		{
			ID:       "stomp/server/connect/verbatim-headers",
			Title:    "CONNECT headers are read verbatim: a backslash in an unknown header is no escape",
			Laws:     []string{"STOMP-ESC-007"},
			Versions: since11,
			Run: run(func(s *serverT) {
				// The texts keep who writes CONNECT from escaping; that who reads it must not decode is read into them.
				s.verbatim("STOMP-ESC-007", s.tolerated, "octets of a CONNECT header are ordinary, never an escape error", s.ConnectFrame(s.Version()))
			}),
		},
		{
			ID:       "stomp/server/connect/verbatim-headers-in-1.0",
			Title:    "a backslash in a header of a 1.0 CONNECT is no escape",
			Laws:     []string{"STOMP-ESC-010"},
			Versions: only10,
			Run: run(func(s *serverT) {
				const reason = "a backslash is an ordinary octet of a 1.0 header, in CONNECT too"
				s.verbatim("STOMP-ESC-010", s.Broken, reason, s.ConnectFrame("1.0"))
				old := s.ConnectFrame("1.0")
				old.Headers = slices.DeleteFunc(old.Headers, func(h header) bool { return h.Name == "accept-version" })
				p := s.Open("plain")
				p.Send(old)
				if o := p.Await(is("CONNECTED"), s.Timing().Reply); o.Frame == nil {
					s.Note("without accept-version", "no session whatever its headers: %s", o)
					return
				}
				s.verbatim("STOMP-ESC-010", s.Broken, reason, old)
			}),
		},
		{
			ID:       "stomp/server/ambiguity/connect-host-unknown",
			Title:    "CONNECT with a host that nobody serves",
			Laws:     []string{"STOMP-CONNECT-009"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Open("a")
				f := frameOf("CONNECT", "accept-version", s.Version(), "host", "no-such-host.invalid")
				s.choice(p, f, "STOMP-CONNECT-009", "an unknown virtual host may be refused or served by a default")
			}),
		},
		{
			ID:       "stomp/server/ambiguity/connect-without-host",
			Title:    "CONNECT without the host that 1.1 and 1.2 require of clients",
			Laws:     []string{"STOMP-CONNECT-001"},
			Versions: since11,
			Run: run(func(s *serverT) {
				s.choice(s.Open("a"), frameOf("CONNECT", "accept-version", s.Version()), "STOMP-CONNECT-001",
					"host is required of the client; no text says what a server does without it")
			}),
		},
		{
			ID:       "stomp/server/ambiguity/connect-with-receipt",
			Title:    "CONNECT that asks for a receipt",
			Laws:     []string{"STOMP-CONNECT-003"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Open("a")
				p.Send(s.ConnectFrame(s.Version(), "receipt", "c1"))
				o := p.Await(is("CONNECTED"), s.Timing().Reply)
				seen := o.Kind()
				if o.Frame != nil && o.Frame.Get("receipt-id") != "" {
					seen += " with receipt-id"
				}
				if p.Watch(is("RECEIPT"), s.Timing().Quiet) != nil {
					seen += ", then RECEIPT"
				}
				s.Chose("STOMP-CONNECT-003", "only frames other than CONNECT may ask for a receipt; the reaction is not defined", seen)
			}),
		},
		{
			ID:       "stomp/server/ambiguity/second-connect",
			Title:    "CONNECT inside a session",
			Laws:     []string{"STOMP-CONNECT-007"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(s.ConnectFrame(s.Version()))
				o := p.Await(anyFrame, s.Timing().Reply)
				s.answered("STOMP-CONNECT-007", "no text says what a second CONNECT does", o)
			}),
		},
		{
			ID:       "stomp/server/ambiguity/eol-before-connect",
			Title:    "EOLs before the first frame",
			Laws:     []string{"STOMP-FRAME-011"},
			Versions: every,
			Run: run(func(s *serverT) {
				p := s.Open("a")
				p.RawString("\n\n")
				s.choice(p, s.ConnectFrame(s.Version()), "STOMP-FRAME-011", "the grammar has EOLs only behind a frame")
			}),
		},
	}
}

// verbatim opens sessions by f, each with a header more that would hold an escape if it were no CONNECT; judge is
// Broken or tolerated.
func (s *serverT) verbatim(law string, judge func(conformance.Break), reason string, f *wireFrame) {
	for _, value := range []string{`a\tb`, `v\`, `a\\b:c`} {
		p := s.Open("verbatim")
		with := *f
		with.Headers = append(slices.Clone(f.Headers), header{"x-verbatim", value})
		p.Send(&with)
		s.Step()
		switch o := p.Await(is("CONNECTED"), s.Timing().Reply); {
		case o.Frame != nil:
		case o.Ended == conformance.Reset || o.Ended == conformance.Broken:
			s.Inconclusive("%s: the connection was reset, which may have swallowed the CONNECTED", reason)
		default:
			judge(conformance.Break{Law: law, Reason: reason, Expected: value + ": CONNECTED", Seen: value + ": " + o.String(), Timed: o.Timed})
		}
		p.Close()
	}
}

// stompCommand opens one session with CONNECT and one with STOMP and compares the answers.
func (s *serverT) stompCommand(law string) {
	answer := func(name, command string) reply {
		p := s.Open(name)
		f := s.ConnectFrame(s.Version())
		f.Command = command
		p.Send(f)
		return p.Await(is("CONNECTED"), s.Timing().Reply)
	}
	connect, stomp := answer("a", "CONNECT"), answer("b", "STOMP")
	if connect.Frame == nil {
		s.Blocked("stomp/server/connect/connected", "CONNECT is answered with %s", connect)
	}
	const reason = "a STOMP frame opens a session as a CONNECT frame does"
	if stomp.Frame == nil {
		s.Stopped(conformance.Break{Law: law, Reason: reason, Expected: connect.String(), Seen: stomp.String(), Timed: stomp.Timed})
	}
	s.CheckEqual(law, reason, connect.Frame.Get("version"), stomp.Frame.Get("version"))
	s.CheckEqual(law, "both answers carry the same set of headers", names(connect.Frame), names(stomp.Frame))
}

// choice sends a frame that opens a session or not, as the target chooses, and records which.
func (s *serverT) choice(p *wire, f *wireFrame, law, reason string) {
	p.Send(f)
	o := p.Await(is("CONNECTED"), s.Timing().Reply)
	s.answered(law, reason, o)
}
