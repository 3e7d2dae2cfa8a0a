package stomptest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// beatTolerance is how much later than promised an octet may arrive before the promise counts as
// broken (STOMP-HEARTBEAT-004).
const beatTolerance = 100 * time.Millisecond

// longestBeat bounds the interval that a case is willing to watch.
const longestBeat = 2 * time.Second

var beatSyntax = regexp.MustCompile(`^[0-9]+,[0-9]+$`)

func heartBeatCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/heart-beat/header-syntax",
			Title:    "heart-beat of CONNECTED is two numbers and a comma",
			Laws:     []string{"STOMP-HEARTBEAT-001"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Open("a")
				p.Send(s.ConnectFrame(s.Version(), "heart-beat", s.offer(1, 1)))
				f := p.Expect("", "the connection is accepted", "CONNECTED", is("CONNECTED"))
				v, ok := f.Lookup("heart-beat")
				s.Note("heart-beat header", "%q", v)
				s.Check(!ok || beatSyntax.MatchString(v), "STOMP-HEARTBEAT-001",
					"a heart-beat header is two non-negative integers and a comma", "digits,digits", fmt.Sprintf("%q", v))
			}),
		},
		{
			ID:       "stomp/server/heart-beat/missing-means-none",
			Title:    "a client that sends no heart-beat header is not timed out",
			Laws:     []string{"STOMP-HEARTBEAT-002"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				ended := p.Ends(5 * s.Timing().HeartBeat)
				s.Check(!ended, "STOMP-HEARTBEAT-002", "a missing heart-beat header means 0,0: an idle client is not timed out",
					"the connection stays open", "connection ended by the target")
				p.idleThenUsable(ended, "STOMP-HEARTBEAT-002")
			}),
		},
		{
			ID:       "stomp/server/heart-beat/zero-means-none",
			Title:    "a client that offers 0,0 is not timed out",
			Laws:     []string{"STOMP-HEARTBEAT-003"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Connect("a", "heart-beat", "0,0")
				ended := p.Ends(5 * s.Timing().HeartBeat)
				p.idleThenUsable(ended, "STOMP-HEARTBEAT-003")
			}),
		},
		{
			ID:       "stomp/server/heart-beat/server-keeps-its-promise",
			Title:    "an idle server sends octets at least every negotiated interval",
			Laws:     []string{"STOMP-HEARTBEAT-004", "STOMP-HEARTBEAT-003"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{HeartBeats}},
			Alone:    true,
			Run: run(func(s *serverT) {
				s.keepsPromise()
			}),
		},
		{
			ID:       "stomp/server/heart-beat/beat-is-one-lf-in-1.1",
			Title:    "a 1.1 heart-beat is the octet 0x0A and nothing else",
			Laws:     []string{"STOMP-HEARTBEAT-006"},
			Versions: only11,
			Needs:    conformance.Needs{Options: []string{HeartBeats}},
			Run: run(func(s *serverT) {
				p, n := s.beating("0", 1)
				p.Ends(3 * n)
				if p.reader.eols+p.reader.cr == 0 {
					s.Blocked("stomp/server/heart-beat/server-keeps-its-promise", "no beat arrived in %v", 3*n)
				}
				s.Check(p.reader.cr == 0 && !p.reader.partial(), "STOMP-HEARTBEAT-006", "a heart-beat of 1.1 is a single LF",
					"LF octets only", fmt.Sprintf("%d CR octets among the beats", p.reader.cr))
			}),
		},
		{
			ID:       "stomp/server/heart-beat/any-octet-is-a-sign-of-life",
			Title:    "a client that trickles one long frame is not timed out",
			Laws:     []string{"STOMP-HEARTBEAT-007"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{HeartBeats, Delivery}, Transports: []string{"tcp", "tls"}},
			Run: run(func(s *serverT) {
				place := s.Place()
				witness := s.Connect("witness")
				witness.Subscribe("w", place, "auto")
				p, n := s.beating("1", 0)
				octets := frameOf("SEND", "destination", place).Carrying("trickled").Encode(s.Version())
				tail := len(octets) - 8
				p.Raw(octets[:tail])
				for _, o := range octets[tail:] {
					from := time.Now()
					ended := p.Ends(n / 2)
					punctual(s.T, from, n)
					if ended {
						s.Stopped(conformance.Break{
							Law: "STOMP-HEARTBEAT-007", Reason: "any octet is a sign of life, also inside a frame",
							Expected: "the connection stays open", Seen: fmt.Sprintf("closed while an octet came every %v of an interval of %v", n/2, n),
						})
					}
					p.Raw([]byte{o})
				}
				witness.MessageOf("STOMP-HEARTBEAT-007", "a frame that trickles in is processed when it is whole", "trickled")
			}),
		},
		{
			ID:       "stomp/server/heart-beat/not-dead-before-the-interval",
			Title:    "a silent client is not given up before the negotiated interval",
			Laws:     []string{"STOMP-HEARTBEAT-003", "STOMP-HEARTBEAT-008"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{HeartBeats}},
			Run: run(func(s *serverT) {
				// From before the target knows of it: what is late on this side makes its patience look longer, never shorter.
				from := time.Now()
				p, n := s.beating("2", 0)
				p.Ends(3*n + time.Second)
				ending, at := p.conn.Ending()
				lived := at.Sub(from)
				switch {
				case ending == conformance.Open:
					s.Note("silent client", "kept for over %.1f intervals", float64(time.Since(from))/float64(n))
				case lived < n-n/10:
					s.Stopped(conformance.Break{
						Law: "STOMP-HEARTBEAT-003", Reason: "the interval is the MAX of both sides: a client is alive until it has passed",
						Expected: fmt.Sprintf("open for %v", n), Seen: fmt.Sprintf("closed after %v", lived.Round(time.Millisecond)),
					})
				default:
					s.Note("silent client", "closed after %.1f intervals", float64(lived)/float64(n))
				}
			}),
		},
		{
			ID:       "stomp/server/ambiguity/heart-beat-in-1.0",
			Title:    "heart-beat header in a 1.0 session",
			Laws:     []string{"STOMP-HEARTBEAT-016"},
			Versions: only10,
			Run: run(func(s *serverT) {
				p := s.Connect("a", "heart-beat", s.offer(1, 1))
				ended := p.Ends(4 * s.Timing().HeartBeat)
				s.Chose("STOMP-HEARTBEAT-016", "heart-beats are not defined in 1.0", fmt.Sprintf("%d EOLs, connection ended: %v", p.EOLs(), ended))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/heart-beat-malformed",
			Title:    "heart-beat values outside the two integers",
			Laws:     []string{"STOMP-HEARTBEAT-009"},
			Versions: since11,
			Run: run(func(s *serverT) {
				for _, v := range []string{"", ",", "1", "1,2,3", "abc", "1.5,2", "-1,5", "1, 2", "99999999999,0"} {
					p := s.Open("offer " + v)
					p.Send(s.ConnectFrame(s.Version(), "heart-beat", v))
					o := p.Await(is("CONNECTED"), s.Timing().Reply)
					seen := o.Kind()
					if o.Frame != nil {
						seen = "accepted, heart-beat " + strconv.Quote(o.Frame.Get("heart-beat"))
						if s.Target().Reference() {
							s.Check(false, "STOMP-HEARTBEAT-009", "the reference refuses a malformed heart-beat", "ERROR", seen)
						}
					}
					s.Chose("STOMP-HEARTBEAT-009", "what a server does with heart-beat:"+strconv.Quote(v)+" is not defined", seen)
				}
			}),
		},
	}
}

// promised is how many idle connections are watched at once: a server's timers may miss a beat on some
// and not on others, by when each was opened.
const promised = 12

// keepsPromise watches idle connections for four intervals each. One overrun may be a hiccup of the
// machine; the promise counts as broken when two connections show one.
func (s *serverT) keepsPromise() {
	var (
		peers []*wire
		n     time.Duration
	)
	for range promised {
		p, interval := s.beating("0", 1)
		p.opened = time.Now()
		n = interval
		peers = append(peers, p)
		p.Ends(n / promised)
	}
	for deadline := time.Now().Add(4 * n); peers[0].pull(deadline); {
	}
	end := time.Now()
	late, longest := 0, time.Duration(0)
	for _, p := range peers {
		for p.pull(end) {
		}
		ending, _ := p.conn.Ending()
		s.Check(ending == conformance.Open, "STOMP-HEARTBEAT-003", "a client that promises no beats is not timed out", "the connection stays open", "connection "+ending.String())
		gap := longestGap(p.opened, p.arrivals, end)
		longest = max(longest, gap)
		if gap > n+beatTolerance {
			late++
		}
	}
	s.Note("heart-beats", "longest gap %v at a promise of %v; late on %d of %d connections", longest.Round(time.Millisecond), n, late, promised)
	s.Step()
	switch {
	case late == 1:
		s.Inconclusive("one connection of %d had a gap of %v at a promise of %v", promised, longest.Round(time.Millisecond), n)
	case late > 1:
		s.Broken(conformance.Break{
			Law: "STOMP-HEARTBEAT-004", Reason: "a server that promised a beat every n ms sends octets at least that often",
			Expected: fmt.Sprintf("a gap of at most %v, tolerance %v", n, beatTolerance),
			Seen:     fmt.Sprintf("gaps of up to %v, on %d of %d connections", longest.Round(time.Millisecond), late, promised), Timed: true,
		})
	}
}

// offer returns a heart-beat header of the case's interval times each factor.
func (s *serverT) offer(send, want int) string {
	ms := s.Timing().HeartBeat.Milliseconds()
	return fmt.Sprintf("%d,%d", int64(send)*ms, int64(want)*ms)
}

// beating opens a session in which the client promises a beat every send times the case's interval
// and wants one every want times. It returns the negotiated interval of the direction that is not
// zero, and ends the case when the target has none or one too long to watch.
func (s *serverT) beating(send string, want int) (*wire, time.Duration) {
	factor, _ := strconv.Atoi(send)
	p := s.Open("a")
	p.Send(s.ConnectFrame(s.Version(), "heart-beat", s.offer(factor, want)))
	f := p.Expect("", "the connection is accepted", "CONNECTED", is("CONNECTED"))
	p.version = s.Version()
	sx, sy, ok := strings.Cut(f.Get("heart-beat"), ",")
	can, err1 := strconv.Atoi(sx)
	wants, err2 := strconv.Atoi(sy)
	theirs, ours := can, want
	if factor > 0 {
		theirs, ours = wants, factor
	}
	if !ok || err1 != nil || err2 != nil || theirs <= 0 {
		s.Unsupported("the target does no heart-beats in this direction: heart-beat:%q", f.Get("heart-beat"))
	}
	n := max(time.Duration(theirs)*time.Millisecond, time.Duration(ours)*s.Timing().HeartBeat)
	if n > longestBeat {
		s.Unsupported("the target's interval of %v is longer than this case watches (%v)", n, longestBeat)
	}
	return p, n
}

// idleThenUsable breaks law if an idle connection was ended or no longer works.
func (p *wire) idleThenUsable(ended bool, law string) {
	const reason = "an idle session without heart-beats goes on working"
	if ended {
		p.s.Stopped(conformance.Break{Law: law, Reason: reason, Expected: "the connection stays open", Seen: "connection ended by the target"})
	}
	p.Sync()
}

// longestGap returns the longest time without an octet between from and to.
func longestGap(from time.Time, arrivals []time.Time, to time.Time) time.Duration {
	longest, last := time.Duration(0), from
	for _, at := range append(append([]time.Time(nil), arrivals...), to) {
		if at.After(last) {
			longest = max(longest, at.Sub(last))
			last = at
		}
	}
	return longest
}
