package stomptest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// shortestBeat is the shortest interval that a client is asked to keep: some libraries take none below a second.
const shortestBeat = time.Second

const aliveReason = "a server is alive until the negotiated interval has passed without an octet"

// beatLaw says how the intervals are agreed on, and so how long a silence may be.
const beatLaw = "STOMP-HEARTBEAT-003"

// lifeLaw says what breaks a silence: any octet.
const lifeLaw = "STOMP-HEARTBEAT-007"

func clientHeartBeatCases() []conformance.Case {
	beats := conformance.Needs{Options: []string{HeartBeats}}
	return []conformance.Case{
		{
			ID:    "stomp/client/heart-beat/interval-is-what-the-client-asked",
			Title: "a server that can beat more often than the client asked need not",
			Laws:  []string{"STOMP-HEARTBEAT-003"},
			Needs: conformance.Needs{Options: []string{HeartBeats}},
			Run: runClient(func(c *clientT) {
				n := 2 * c.beat()
				p := c.beating(0, n, ms(100*time.Millisecond)+",0")
				c.staysAlive(beatLaw, p, n, n*9/10, n*9/10, nil)
				c.works(p, "STOMP-HEARTBEAT-003", "a session in which beats come every MAX of both values works")
			}),
		},
		{
			ID:       "stomp/client/heart-beat/keeps-its-promise",
			Title:    "an idle client sends octets at least every negotiated interval",
			Laws:     []string{"STOMP-HEARTBEAT-005", "STOMP-HEARTBEAT-003", "STOMP-HEARTBEAT-006"},
			Versions: since11,
			Needs:    beats,
			Alone:    true,
			Run:      runClient((*clientT).keepsItsPromise),
		},
		{
			ID:    "stomp/client/heart-beat/beats-are-signs-of-life",
			Title: "a server that sends one EOL per interval is not given up",
			Laws:  []string{lifeLaw, "STOMP-FRAME-010"},
			Needs: beats,
			Run: runClient(func(c *clientT) {
				n := c.beat()
				p := c.beating(0, n, ms(n)+",0")
				c.staysAlive(lifeLaw, p, n, n*4/10, 3*n, func(int) { p.RawString("\n") })
				c.works(p, "STOMP-FRAME-010", "EOLs between frames change nothing")
			}),
		},
		{
			ID:       "stomp/client/heart-beat/crlf-beats",
			Title:    "a 1.2 server may beat with CR LF",
			Laws:     []string{lifeLaw, "STOMP-FRAME-006"},
			Versions: only12,
			Needs:    beats,
			Run: runClient(func(c *clientT) {
				n := c.beat()
				p := c.beating(0, n, ms(n)+",0")
				c.staysAlive(lifeLaw, p, n, n*4/10, 3*n, func(int) { p.RawString("\r\n") })
				c.works(p, "STOMP-FRAME-006", "an EOL of 1.2 may be CR LF")
			}),
		},
		{
			ID:    "stomp/client/heart-beat/messages-are-signs-of-life",
			Title: "a server that sends messages in place of beats is not given up",
			Laws:  []string{lifeLaw},
			Needs: beats,
			Run: runClient(func(c *clientT) {
				n := c.beat()
				p := c.beating(0, n, ms(n)+",0")
				s := c.Subscribe(p, "auto")
				c.staysAlive(lifeLaw, p, n, n*4/10, 3*n, func(i int) { s.Deliver(fmt.Sprintf("in place of beat %d", i)) })
				s.Deliver("at last")
				for c.Delivered(lifeLaw, "a session in which messages come in place of beats works").Body != "at last" {
				}
			}),
		},
		{
			ID:    "stomp/client/heart-beat/any-octet-is-a-sign-of-life",
			Title: "a server that trickles one long frame is not given up",
			Laws:  []string{lifeLaw},
			Needs: beats,
			Run: runClient(func(c *clientT) {
				n := c.beat()
				p := c.beating(0, n, ms(n)+",0")
				s := c.Subscribe(p, "auto")
				octets := s.raw("", "trickled")
				p.RawString(octets[:len(octets)-6])
				began := time.Now()
				for i := range octets[len(octets)-6:] {
					from := time.Now()
					if p.Ends(n / 2) {
						c.givenUp(lifeLaw, n, "while an octet of a frame came every half interval", time.Since(began))
					}
					punctual(c.T, from, n)
					p.RawString(octets[len(octets)-6+i : len(octets)-5+i])
				}
				c.DeliveredAs(lifeLaw, "a frame that trickles in is delivered when it is whole", "trickled")
			}),
		},
		{
			ID:    "stomp/client/heart-beat/interval-is-the-larger",
			Title: "the interval of the server's beats is the larger of what it can and what the client wants",
			Laws:  []string{"STOMP-HEARTBEAT-003"},
			Needs: beats,
			Run: runClient(func(c *clientT) {
				n := c.beat()
				p := c.beating(0, n, ms(3*n)+",0")
				c.staysAlive(beatLaw, p, 3*n, n*5/2, n*5/2, nil)
				c.works(p, "STOMP-HEARTBEAT-003", "a session in which beats come every MAX of both values works")
			}),
		},
		{
			ID:    "stomp/client/heart-beat/zero-means-none",
			Title: "a server that offers 0,0 is not given up for its silence",
			Laws:  []string{"STOMP-HEARTBEAT-003"},
			Needs: beats,
			Run:   runClient(func(c *clientT) { c.idles(beatLaw, c.beat(), "0,0") }),
		},
		{
			ID:    "stomp/client/heart-beat/missing-means-none",
			Title: "a server that sends no heart-beat header is not given up for its silence",
			Laws:  []string{"STOMP-HEARTBEAT-002", "STOMP-CONNECT-018"},
			Needs: beats,
			Run:   runClient(func(c *clientT) { c.idles("STOMP-HEARTBEAT-002", c.beat(), "") }),
		},
		{
			ID:    "stomp/client/heart-beat/unwanted-means-none",
			Title: "a client that wants no beats does not give a silent server up",
			Laws:  []string{"STOMP-HEARTBEAT-003"},
			Run:   runClient(func(c *clientT) { c.idles(beatLaw, 0, ms(c.beat())+","+ms(c.beat())) }),
		},
		{
			ID:    "stomp/client/heart-beat/silence",
			Title: "a server that promised beats and is silent is not given up before the interval",
			Laws:  []string{"STOMP-HEARTBEAT-003", "STOMP-HEARTBEAT-008"},
			Needs: beats,
			Run:   runClient((*clientT).noticesSilence),
		},
		{
			ID:       "stomp/client/ambiguity/heart-beat-in-1.0",
			Title:    "heart-beat header in a 1.0 session",
			Laws:     []string{"STOMP-HEARTBEAT-016"},
			Versions: only10,
			Needs:    beats,
			Run: runClient(func(c *clientT) {
				n := c.beat()
				p := c.ConnectWith(fields{"beats": []int64{n.Milliseconds(), n.Milliseconds()}}, "heart-beat", ms(n)+","+ms(n))
				e := c.Next(n * 5 / 2)
				c.Chose("STOMP-HEARTBEAT-016", "heart-beats are not defined in 1.0", fmt.Sprintf("sends EOLs: %v; gives a silent server up: %v", p.EOLs() > 0, e.Over() || p.over()))
			}),
		},
	}
}

// beat returns the interval that heart-beat cases negotiate.
func (c *clientT) beat() time.Duration { return max(c.Timing().HeartBeat, shortestBeat) }

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// beating opens a session in which the client was told to send and to want beats, and answers with a heart-beat
// header; none if it is empty. A client that offers anything else in its CONNECT cannot be asked this.
func (c *clientT) beating(send, want time.Duration, connected string) *wire {
	p, _ := c.beatingAs(send, want, connected)
	return p
}

// beatingAs is beating for what needs the interval that the client promised.
func (c *clientT) beatingAs(send, want time.Duration, connected string) (p *wire, promised time.Duration) {
	if c.Version() == "" && c.Best() == "1.0" {
		c.Unsupported("the client speaks 1.0 only, which has no heart-beats")
	}
	p, f, o := c.Dial(fields{"beats": []int64{send.Milliseconds(), want.Milliseconds()}})
	c.needsOffer(f)
	// The library may add to what it was told, as a margin.
	cx, cy, _ := strings.Cut(f.Get("heart-beat"), ",")
	for _, offer := range []struct {
		told time.Duration
		sent string
	}{{send, cx}, {want, cy}} {
		if n, err := strconv.Atoi(offer.sent); (err != nil || n == 0) != (offer.told == 0) || n > 2*int(offer.told.Milliseconds()) {
			c.Unsupported("the client was told to offer %s,%s and offers heart-beat %q", ms(send), ms(want), f.Get("heart-beat"))
		}
	}
	p.receipts = true
	answer := p.ConnectedFrame(f, "heart-beat", connected)
	if connected == "" {
		answer.Headers = slices.DeleteFunc(answer.Headers, func(h header) bool { return h.Name == "heart-beat" })
	}
	p.Send(answer)
	if connected == "" {
		c.succeeds(o, "STOMP-CONNECT-018", "heart-beat is an optional header of CONNECTED")
	} else {
		o.Done()
	}
	n, _ := strconv.Atoi(cx)
	return p, time.Duration(n) * time.Millisecond
}

// over reports whether the connection has ended as far as is known by now.
func (p *wire) over() bool {
	e, _ := p.conn.Ending()
	return e != conformance.Open
}

// punctual ends the case when the suite itself was later than a promise of n.
func punctual(t *conformance.T, from time.Time, n time.Duration) {
	if late := time.Since(from); late > n {
		t.Inconclusive("this machine let %v pass at a promise of %v", late.Round(time.Millisecond), n)
	}
}

func (c *clientT) givenUp(law string, n time.Duration, when string, after time.Duration) {
	c.Stopped(conformance.Break{
		Law: law, Reason: aliveReason, Expected: fmt.Sprintf("the session lasts, at an interval of %v", n),
		Seen: fmt.Sprintf("ended %s, after %v", when, after.Round(time.Millisecond)), Timed: true,
	})
}

// staysAlive has the broker send something at a pace for as long as given, or nothing, and needs the session to last.
// n is the interval that was negotiated, zero for none.
func (c *clientT) staysAlive(law string, p *wire, n, pace, long time.Duration, feed func(i int)) {
	c.Step()
	began := time.Now()
	last := began
	for i := 0; time.Since(began) < long; i++ {
		if feed != nil {
			feed(i)
		}
		last = time.Now()
		for next := last.Add(pace); time.Now().Before(next); {
			e := c.Next(max(time.Until(next), time.Millisecond))
			if n > 0 {
				punctual(c.T, last, n)
			}
			if e.Kind == "error" || e.Kind == "lost" || e.Over() || p.over() {
				c.givenUp(law, n, "with "+e.String(), time.Since(began))
			}
		}
	}
}

// idles lets a session without beats from the server be idle.
func (c *clientT) idles(law string, offer time.Duration, connected string) {
	p := c.beating(offer, offer, connected)
	c.staysAlive(law, p, 0, c.beat()*5/2, c.beat()*5/2, nil)
	c.works(p, law, "an idle session without heart-beats goes on working")
}

// keepsItsPromise watches an idle client for four intervals. The runner repeats what rests on a deadline.
func (c *clientT) keepsItsPromise() {
	n := c.beat()
	p, promised := c.beatingAs(n, 0, "0,"+ms(n))
	n = max(n, promised)
	from := time.Now()
	c.Next(4 * n)
	to := time.Now()
	if _, at := p.conn.Ending(); p.over() {
		c.givenUp(beatLaw, 0, "though the server promised no beats", at.Sub(from))
	}
	gap := longestGap(from, p.arrivals, to)
	c.Note("heart-beats", "longest gap %v at a promise of %v", gap.Round(time.Millisecond), n)
	c.Step()
	if gap > n+beatTolerance {
		c.Broken(conformance.Break{
			Law: "STOMP-HEARTBEAT-005", Reason: "a client that promised a beat every n ms sends octets at least that often",
			Expected: fmt.Sprintf("a gap of at most %v, tolerance %v", n, beatTolerance), Seen: fmt.Sprintf("a gap of %v", gap.Round(time.Millisecond)), Timed: true,
		})
	}
	if c.Version() == "1.1" {
		c.Check(p.reader.cr == 0 && !p.reader.partial(), "STOMP-HEARTBEAT-006", "a heart-beat of 1.1 is a single LF",
			"LF octets only", fmt.Sprintf("%d CR octets among the beats, %d octets of something else", p.reader.cr, len(p.reader.buf)))
	}
}

// noticesSilence watches a client whose server promised beats and sends none.
func (c *clientT) noticesSilence() {
	n := c.beat()
	p := c.beating(0, n, ms(n)+",0")
	from := time.Now()
	var after time.Duration
	for after = 0; after < 5*n; after = time.Since(from) {
		if e := c.Next(n / 4); e.Kind != "none" || p.over() {
			break
		}
	}
	seen := "kept for over 5 intervals"
	if after < 5*n {
		if _, at := p.conn.Ending(); p.over() && at.Sub(from) < after {
			after = at.Sub(from)
		} else {
			after = time.Since(from)
		}
		if after < n-n/10 {
			c.givenUp(beatLaw, n, "in silence", after)
		}
		seen = fmt.Sprintf("given up after about %d intervals", int(after/n))
	}
	c.Chose("STOMP-HEARTBEAT-008", "a client may take a silent server for dead, and should allow a margin", seen)
}
