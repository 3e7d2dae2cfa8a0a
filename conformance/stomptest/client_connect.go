package stomptest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientConnectCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/connect/opens-a-session",
			Title:    "CONNECT, answered with CONNECTED, is a session to the user",
			Laws:     []string{"STOMP-CONNECT-018"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p, f, o := c.Dial(nil)
				c.needsOffer(f)
				p.Send(p.ConnectedFrame(f))
				c.succeeds(o, "STOMP-CONNECT-018", "a client that is answered with CONNECTED is connected")
			}),
		},
		{
			ID:       "stomp/client/connect/carries-version-and-host",
			Title:    "the first frame is CONNECT with accept-version and host",
			Laws:     []string{"STOMP-CONNECT-001"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				_, f, _ := c.Dial(nil)
				c.needsOffer(f)
				for _, name := range []string{"accept-version", "host"} {
					v, ok := f.Lookup(name)
					c.Check(ok && v != "", "STOMP-CONNECT-001", "CONNECT of 1.1 and 1.2 carries accept-version and host", name, f.String())
				}
			}),
		},
		{
			ID:    "stomp/client/connect/command-by-default",
			Title: "a client that is not told otherwise sends CONNECT, not STOMP",
			Laws:  []string{"STOMP-CONNECT-006"},
			Run: runClient(func(c *clientT) {
				_, f, _ := c.Dial(fields{"version": "default"})
				c.CheckEqual("STOMP-CONNECT-006", "CONNECT is understood by servers of every version", "CONNECT", f.Command)
			}),
		},
		{
			ID:       "stomp/client/connect/no-receipt",
			Title:    "CONNECT asks for no receipt",
			Laws:     []string{"STOMP-CONNECT-003"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				_, f, _ := c.Dial(nil)
				c.needsOffer(f)
				v, ok := f.Lookup("receipt")
				c.Check(!ok, "STOMP-CONNECT-003", "only frames other than CONNECT may ask for a receipt", "no receipt header", fmt.Sprintf("receipt:%q", v))
			}),
		},
		{
			ID:    "stomp/client/connect/accept-version-increases",
			Title: "accept-version is a comma-separated list in increasing order",
			Laws:  []string{"STOMP-NEGOTIATE-001"},
			Run: runClient(func(c *clientT) {
				_, f, _ := c.Dial(fields{"version": "default"})
				v, ok := f.Lookup("accept-version")
				if !ok {
					c.Unsupported("the client offers 1.0 by sending no accept-version")
				}
				list := strings.Split(v, ",")
				bad := slices.ContainsFunc(list, func(v string) bool { return !versionSyntax.MatchString(v) })
				c.Check(!bad && strictlyIncreasing(list), "STOMP-NEGOTIATE-001",
					"accept-version lists versions in increasing order, without spaces", "1.0,1.1,1.2 or a part of it", fmt.Sprintf("%q", v))
			}),
		},
		{
			ID:       "stomp/client/connect/credentials",
			Title:    "login and passcode are sent when the user gives them, as they are",
			Laws:     []string{"STOMP-CONNECT-002", "STOMP-ESC-007"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				// A colon and a backslash stay as they are: the headers of CONNECT are not escaped.
				_, f, _ := c.Dial(fields{"login": `user:one`, "passcode": `p\:c`})
				c.needsOffer(f)
				for name, want := range map[string]string{"login": `user:one`, "passcode": `p\:c`} {
					got, ok := f.Lookup(name)
					if !ok {
						c.Chose("STOMP-CONNECT-002", "a client may send "+name, "absent")
						continue
					}
					law := "STOMP-ESC-007"
					if f.Command == "STOMP" {
						c.Chose(law, "the headers of a STOMP frame are no exception from escaping", conformance.EscapeMax([]byte(got), 80))
						continue
					}
					c.CheckEqual(law, "CONNECT is not escaped, so that a server of any version can read it", want, got)
				}
			}),
		},
		{
			ID:       "stomp/client/connect/heart-beat-syntax",
			Title:    "a heart-beat header is two numbers and a comma",
			Laws:     []string{"STOMP-HEARTBEAT-001"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				_, f, _ := c.Dial(fields{"beats": []int{1000, 2000}})
				c.needsOffer(f)
				v, ok := f.Lookup("heart-beat")
				c.Check(!ok || beatSyntax.MatchString(v), "STOMP-HEARTBEAT-001",
					"a heart-beat header is two non-negative integers and a comma", "digits,digits", fmt.Sprintf("%q", v))
			}),
		},
		{
			ID:       "stomp/client/connect/lower-version-is-taken",
			Title:    "a client that offers several versions speaks the one that the broker chose",
			Laws:     []string{"STOMP-NEGOTIATE-009"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{OwnHeaders}},
			Run: runClient(func(c *clientT) {
				p, f, o := c.Dial(fields{"version": "default"})
				c.needsOffer(f)
				if !strings.Contains(f.Get("accept-version"), ",") {
					c.Unsupported("the client offers one version only: accept-version %q", f.Get("accept-version"))
				}
				p.receipts = true
				p.Send(p.ConnectedFrame(f))
				c.succeeds(o, "STOMP-NEGOTIATE-009", "the broker chooses among the versions offered")
				c.Do("send", fields{"destination": "/queue/a", "headers": map[string]string{"x-colon": "a:b"}, "body": octets("x"), "text": true})
				sent := p.Expect("STOMP-NEGOTIATE-009", "a session in the chosen version works", "SEND", is("SEND"))
				want := `x-colon:a\cb`
				if c.Version() == "1.0" {
					want = "x-colon:a:b"
				}
				c.Check(strings.Contains(string(sent.Raw), "\n"+want+"\n"), "STOMP-NEGOTIATE-009",
					"after CONNECTED the rules of the version chosen hold, escaping among them", want, conformance.EscapeMax(sent.Raw, 200))
			}),
		},
		{
			ID:       "stomp/client/connect/error-is-told",
			Title:    "CONNECT answered with ERROR is no session",
			Laws:     []string{"STOMP-CONNECT-018"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p, f, o := c.Dial(nil)
				c.needsOffer(f)
				p.Send(frameOf("ERROR", "message", "login failed").Carrying("who are you"))
				p.Close()
				c.fails(o, "STOMP-CONNECT-018", "a refused connection is no session")
			}),
		},
		{
			ID:       "stomp/client/connect/close-is-told",
			Title:    "a connection that ends before CONNECTED is no session",
			Laws:     []string{"STOMP-CONNECT-018"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p, f, o := c.Dial(nil)
				c.needsOffer(f)
				p.Close()
				c.fails(o, "STOMP-CONNECT-018", "without CONNECTED there is no session")
			}),
		},
		{
			ID:       "stomp/client/connect/nothing-before-connected",
			Title:    "no frame is sent before CONNECTED has come",
			Laws:     []string{"STOMP-CONNECT-019"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p, f, _ := c.Dial(nil)
				c.needsOffer(f)
				p.Quiet("STOMP-CONNECT-019", "a client waits for CONNECTED before it sends another frame", anyFrame)
			}),
		},
		{
			ID:       "stomp/client/connect/extra-headers-on-connected",
			Title:    "headers of CONNECTED that the client does not know are passed over",
			Laws:     []string{"STOMP-HDR-012"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				c.opens("STOMP-HDR-012", "a server may add headers of its own to CONNECTED", "a session whose CONNECTED had more headers works", func(p *wire, f *wireFrame) {
					p.Send(p.ConnectedFrame(f, "x-server", "1", "x-empty", "", "user-name", "assay"))
				})
			}),
		},
		{
			ID:       "stomp/client/connect/bare-connected",
			Title:    "CONNECTED with a version, or in 1.0 a session, and nothing else is enough",
			Laws:     []string{"STOMP-CONNECT-018"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.opens("STOMP-CONNECT-018", "the version is all that CONNECTED must have, and in 1.0 a session", "a session with a bare CONNECTED works", func(p *wire, f *wireFrame) {
					// The 1.0 text shows a session header and does not say that it may be left out.
					bare := frameOf("CONNECTED", "session", "s")
					if c.Version() != "1.0" {
						bare = frameOf("CONNECTED", "version", c.Version())
					}
					p.Send(bare)
				})
			}),
		},
		{
			ID:       "stomp/client/connect/connected-verbatim",
			Title:    "header values of CONNECTED may hold colons and backslashes as they are",
			Laws:     []string{"STOMP-ESC-007"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.opens("STOMP-ESC-007", "CONNECTED is not escaped: a backslash and a colon in it are data", "a session with such a CONNECTED works", func(p *wire, f *wireFrame) {
					p.Send(p.ConnectedFrame(f, "session", `ID:host-1:2\q`))
				})
			}),
		},
		{
			ID:       "stomp/client/connect/eols-after-connected",
			Title:    "EOLs after CONNECTED are no frames",
			Laws:     []string{"STOMP-FRAME-010"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.opens("STOMP-FRAME-010", "any number of EOLs may follow the NUL of a frame", "a session with EOLs behind CONNECTED works", func(p *wire, f *wireFrame) {
					p.Raw(append(p.ConnectedFrame(f).Encode(p.version), "\n\n\n\n"...))
				})
			}),
		},
		{
			ID:       "stomp/client/ambiguity/eols-before-connected",
			Title:    "EOLs before the first frame of the broker",
			Laws:     []string{"STOMP-FRAME-010"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				p, f, o := c.Dial(nil)
				c.needsOffer(f)
				p.Raw(append([]byte("\n\n"), p.ConnectedFrame(f).Encode(p.version)...))
				r, err := o.Try()
				seen := "connected"
				if err != nil || r.Error != "" {
					seen = "not connected"
				}
				// The grammar has EOLs behind a frame, and before the first one there is none.
				c.Chose("STOMP-FRAME-010", "no version has EOLs before the first frame", seen)
			}),
		},
		{
			ID:       "stomp/client/connect/connected-in-pieces",
			Title:    "CONNECTED that comes octet by octet is CONNECTED",
			Laws:     []string{"STOMP-FRAME-012"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.opens("STOMP-FRAME-012", "where a stream is cut into packets makes no difference", "a session whose CONNECTED came in pieces works", func(p *wire, f *wireFrame) {
					for _, b := range p.ConnectedFrame(f).Encode(p.version) {
						p.Raw([]byte{b})
					}
				})
			}),
		},
	}
}

var versionSyntax = regexp.MustCompile(`^[0-9]+\.[0-9]+$`)

// strictlyIncreasing compares versions of one digit on each side of the point, which are all there are.
func strictlyIncreasing(versions []string) bool {
	for i := 1; i < len(versions); i++ {
		if versions[i-1] >= versions[i] {
			return false
		}
	}
	return true
}

// needsOffer ends the case as unsupported when the client does not offer the case's version.
func (c *clientT) needsOffer(connect *wireFrame) {
	if v := c.Version(); v != "" && !offers(connect, v) {
		c.Unsupported("the client does not offer %s: accept-version %q", v, connect.Get("accept-version"))
	}
}

// opens answers a CONNECT in a way of its own; the session must be one, and work.
func (c *clientT) opens(law, reason, works string, answer func(p *wire, connect *wireFrame)) {
	p, f, o := c.Dial(nil)
	c.needsOffer(f)
	p.receipts = true
	answer(p, f)
	c.succeeds(o, law, reason)
	c.works(p, law, works)
}

// succeeds waits for the report of an order that the library must manage.
func (c *clientT) succeeds(o *order, law, reason string) report {
	c.Step()
	r, err := o.Try()
	switch {
	case err != nil:
		c.Stopped(conformance.Break{Law: law, Reason: reason, Expected: o.text + " succeeds", Seen: err.Error()})
	case r.Error != "":
		c.Stopped(conformance.Break{Law: law, Reason: reason, Expected: o.text + " succeeds", Seen: "the library fails: " + r.Error})
	}
	return r
}

// fails waits for the report of an order that the library must not say to have managed. That it ends or hangs
// is noted: it does not claim what is not.
func (c *clientT) fails(o *order, law, reason string) {
	c.Step()
	r, err := o.Try()
	switch {
	case err != nil:
		c.Note("instead of an error", "%v", err)
	case r.Error == "":
		c.Broken(conformance.Break{Law: law, Reason: reason, Expected: o.text + " fails", Seen: "the library says that it succeeded"})
	default:
		c.Note("error", "%s", r.Error)
	}
}

// works checks that a session carries a message in each direction.
func (c *clientT) works(p *wire, law, reason string) {
	sub := c.Subscribe(p, "auto")
	sub.Deliver("works")
	c.DeliveredAs(law, reason, "works")
}
