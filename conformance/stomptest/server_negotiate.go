package stomptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// names returns the header names of a frame in a fixed order.
func names(f *wireFrame) string {
	var out []string
	for _, h := range f.Headers {
		out = append(out, h.Name)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

func negotiateCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:    "stomp/server/negotiate/single-version",
			Title: "a version that is offered alone is used, or the connection refused",
			Laws:  []string{"STOMP-NEGOTIATE-003"},
			Run: run(func(s *serverT) {
				for _, v := range every {
					s.negotiated(v)
				}
			}),
		},
		{
			ID:    "stomp/server/negotiate/highest-common-version",
			Title: "the highest version that both sides have is chosen",
			Laws:  []string{"STOMP-NEGOTIATE-003"},
			Run: run(func(s *serverT) {
				for _, offer := range []string{"1.0,1.1,1.2", "1.0,1.1", "1.1,1.2", "1.0,1.2"} {
					s.negotiated(offer)
				}
			}),
		},
		{
			ID:    "stomp/server/negotiate/unknown-versions-are-passed-over",
			Title: "versions that the server does not have do not disturb those it has",
			Laws:  []string{"STOMP-NEGOTIATE-003"},
			Run: run(func(s *serverT) {
				for _, offer := range []string{"1.0,1.1,2.0", "1.2,9.9", "1.0,1.1,1.2,1.3,2.0"} {
					s.negotiated(offer)
				}
			}),
		},
		{
			ID:    "stomp/server/negotiate/missing-accept-version-is-1.0",
			Title: "without accept-version the session is 1.0, or refused",
			Laws:  []string{"STOMP-NEGOTIATE-002"},
			Run: run(func(s *serverT) {
				p := s.Open("a")
				f := frameOf("CONNECT", "host", s.Host())
				if l := s.section().Login; l != "" {
					f = frameOf("CONNECT", "login", l, "passcode", s.section().Passcode, "host", s.Host())
				}
				p.Send(f)
				const reason = "a client that names no version supports 1.0 only"
				o := p.Await(is("CONNECTED"), s.Timing().Reply)
				switch {
				case o.Frame != nil:
					v, ok := o.Frame.Lookup("version")
					s.Check(!ok || v == "1.0", "STOMP-NEGOTIATE-002", reason, "CONNECTED without version or with version:1.0", o.String())
					if s.has(Delivery) {
						p.speaks10()
					}
				case o.Timed:
					p.miss("STOMP-NEGOTIATE-002", reason, "CONNECTED or ERROR", o)
				}
			}),
		},
		{
			ID:    "stomp/server/negotiate/no-common-version",
			Title: "without a common version a 1.2 server sends ERROR and closes",
			Laws:  []string{"STOMP-NEGOTIATE-004"},
			Run: run(func(s *serverT) {
				if s.Best() != "1.2" {
					s.Unsupported("the target does not speak 1.2, the version that this law is about")
				}
				p := s.Open("a")
				p.Send(s.ConnectFrame("9.9"))
				p.refusedVersion("STOMP-NEGOTIATE-004")
				p.End("STOMP-NEGOTIATE-004", "the connection is closed after the ERROR that finds no common version")
			}),
		},
		{
			ID:    "stomp/server/negotiate/no-common-version-lists-versions",
			Title: "the ERROR without a common version lists the versions that the server has",
			Laws:  []string{"STOMP-NEGOTIATE-005"},
			Run: run(func(s *serverT) {
				s.needsNegotiation()
				p := s.Open("a")
				p.Send(s.ConnectFrame("9.9"))
				f := p.refusedVersion("STOMP-NEGOTIATE-005")
				v := f.Get("version")
				s.Check(listsVersions(v, s.Capabilities().Versions), "STOMP-NEGOTIATE-005",
					"the ERROR carries a version header with a comma list of supported versions",
					"version:"+strings.Join(s.Capabilities().Versions, ","), fmt.Sprintf("version:%q", v))
				if len(f.Body) > 0 {
					ct := f.Get("content-type")
					s.Check(strings.HasPrefix(ct, "text/plain"), "STOMP-NEGOTIATE-005", "the explanation is text/plain", "content-type:text/plain", fmt.Sprintf("content-type:%q", ct))
				}
			}),
		},
		{
			ID:       "stomp/server/negotiate/rules-switch-inside-one-packet",
			Title:    "frames in the packet of CONNECT are read by the negotiated version",
			Laws:     []string{"STOMP-NEGOTIATE-006"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery}, Transports: []string{"tcp", "tls"}},
			Run: run(func(s *serverT) {
				place := s.Place()
				witness := s.Connect("witness")
				witness.Subscribe("w", place, "auto")
				p := s.Open("a")
				send := "SEND\ndestination:" + escape(place, s.Version()) + "\nx:a\\\\b\n\nswitched\x00"
				p.Raw(append(s.ConnectFrame(s.Version()).Encode(s.Version()), send...))
				m := witness.MessageOf("STOMP-NEGOTIATE-006", "a frame behind CONNECT in the same packet is processed", "switched")
				want := `a\b`
				if s.Version() == "1.0" {
					want = `a\\b`
				}
				s.CheckEqual("STOMP-NEGOTIATE-006", "octets behind the handshake are read by the rules of the session's version", want, m.Get("x"))
			}),
		},
		{
			ID:    "stomp/server/ambiguity/accept-version-list",
			Title: "accept-version with spaces, out of order or with repeats",
			Laws:  []string{"STOMP-NEGOTIATE-001"},
			Run: run(func(s *serverT) {
				for _, offer := range []string{"1.0, 1.1, 1.2", "1.2,1.1,1.0", "1.1,1.1", "1.2,1.0,1.1"} {
					p := s.Open("a")
					p.Send(s.ConnectFrame(offer))
					o := p.Await(is("CONNECTED"), s.Timing().Reply)
					seen := o.Kind()
					if o.Frame != nil {
						seen = fmt.Sprintf("version %q", o.Frame.Get("version"))
					}
					s.Chose("STOMP-NEGOTIATE-001", "the form of the list is only recommended: "+offer, seen)
				}
			}),
		},
	}
}

// speaks10 checks that a session works by a rule that 1.0 alone has: SUBSCRIBE needs no id.
func (p *wire) speaks10() {
	place := p.s.Place()
	p.version = "1.0"
	p.Send(frameOf("SUBSCRIBE", "destination", place))
	p.SyncUnder("STOMP-NEGOTIATE-002", "the session is a 1.0 session, in which SUBSCRIBE needs no id")
	other := p.s.ConnectAs("producer", p.s.Best())
	other.Send(frameOf("SEND", "destination", place).Carrying("by the rules of 1.0"))
	p.MessageOf("STOMP-NEGOTIATE-002", "the session is a 1.0 session, in which a subscription without id works", "by the rules of 1.0")
}

// needsNegotiation ends the case where the target speaks 1.0 only: accept-version is nothing to it, and it
// acknowledges every CONNECT.
func (s *serverT) needsNegotiation() {
	if s.Best() == "1.0" {
		s.Unsupported("the target speaks 1.0 only, which has no negotiation")
	}
}

// negotiated offers versions and checks the choice against what the target was found to speak.
func (s *serverT) negotiated(offer string) {
	s.needsNegotiation()
	var want string
	listed := strings.Split(offer, ",")
	for _, v := range listed {
		if slices.Contains(s.Capabilities().Versions, v) {
			want = max(want, v)
		}
	}
	p := s.Open("offer-" + offer)
	p.Send(s.ConnectFrame(offer))
	s.Step()
	o := p.Await(is("CONNECTED"), s.Timing().Reply)
	if o.Frame == nil {
		if o.Timed || want != "" {
			p.miss("STOMP-NEGOTIATE-003", "an offer of "+offer+" is answered", "CONNECTED version:"+want, o)
		}
		return
	}
	got := o.Frame.Get("version")
	if got == "" {
		got = "1.0"
	}
	if want == "" {
		s.Check(slices.Contains(listed, got), "STOMP-NEGOTIATE-003", "the version chosen is one that the client listed", "ERROR, or a version out of "+offer, "version "+got)
		return
	}
	s.CheckEqual("STOMP-NEGOTIATE-003", "the highest common version of "+offer+" is chosen", want, got)
}

// refusedVersion waits for the ERROR that says there is no common version.
func (p *wire) refusedVersion(law string) *wireFrame {
	const reason = "a connection without a common version is refused with ERROR"
	o := p.Await(is("CONNECTED"), p.s.Timing().Reply)
	if o.Frame != nil {
		p.s.Stopped(conformance.Break{Law: law, Reason: reason, Expected: "ERROR", Seen: o.String()})
	}
	if o.Error == nil {
		p.miss(law, reason, "ERROR", o)
	}
	return o.Error
}

// listsVersions reports whether v is a comma list that holds every version of have.
func listsVersions(v string, have []string) bool {
	list := strings.Split(v, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	for _, h := range have {
		if !slices.Contains(list, h) {
			return false
		}
	}
	return true
}
