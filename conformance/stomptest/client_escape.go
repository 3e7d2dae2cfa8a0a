package stomptest

import (
	"strings"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientEscapeCases() []conformance.Case {
	own := conformance.Needs{Options: []string{OwnHeaders}}
	return []conformance.Case{
		{
			ID:       "stomp/client/escape/colon-in-value",
			Title:    "a colon in a header value is written as the version writes it",
			Laws:     []string{"STOMP-HDR-004", "STOMP-ESC-005", "STOMP-ESC-006", "STOMP-ESC-010"},
			Versions: every,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				const value = ":a:b::"
				law := encodingLaw(c.Version())
				f := c.Sends(c.Connect(), law, fields{"headers": map[string]string{"x-colon": value}})
				if got, _ := headerAsWritten(f, "x-colon", c.Version()); c.Version() == "1.0" && got != escape(value, "1.1") {
					law = "STOMP-HDR-004"
				}
				c.Writes(f, law, "x-colon", value)
			}),
		},
		{
			ID:       "stomp/client/escape/backslash-in-value",
			Title:    "a backslash in a header value is written as the version writes it",
			Laws:     encodingLaws,
			Versions: every,
			Needs:    own,
			Run:      writesHeader("x-backslash", `\a\\b\`),
		},
		{
			ID:       "stomp/client/escape/text-of-an-escape",
			Title:    "a value that reads like an escape is data",
			Laws:     encodingLaws,
			Versions: every,
			Needs:    own,
			Run:      writesHeader("x-escape", `\n\c\\\r\t`),
		},
		{
			ID:       "stomp/client/escape/line-end-in-value",
			Title:    "an LF in a header value is escaped",
			Laws:     encodingLaws,
			Versions: since11,
			Needs:    own,
			Run:      writesHeader("x-line", "a\nb\n"),
		},
		{
			ID:       "stomp/client/escape/carriage-return-in-value",
			Title:    "a CR in a header value is escaped in 1.2",
			Laws:     encodingLaws,
			Versions: only12,
			Needs:    own,
			Run:      writesHeader("x-cr", "a\rb\r\nc"),
		},
		{
			ID:       "stomp/client/escape/carriage-return-has-no-escape",
			Title:    "a CR in a header value is not written as backslash r in 1.1",
			Laws:     []string{"STOMP-ESC-006"},
			Versions: only11,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				f := c.Sends(c.Connect(), "STOMP-ESC-006", fields{"headers": map[string]string{"x-cr": "a\rb"}})
				got, _ := headerAsWritten(f, "x-cr", "1.1")
				if c.Check(!strings.Contains(got, `\r`), "STOMP-ESC-006", "1.1 has no escape for CR, and takes backslash r for an error",
					"x-cr:a<CR>b", conformance.EscapeMax([]byte(got), 80)) && got != "a\rb" {
					c.Chose("STOMP-ESC-006", "a CR is neither written as it is nor refused", conformance.EscapeMax([]byte(got), 80))
				}
			}),
		},
		{
			ID:       "stomp/client/escape/nothing-else",
			Title:    "no other character of a value is changed",
			Laws:     encodingLaws,
			Versions: every,
			Needs:    own,
			Run:      writesHeader("x-plain", "a\tb;c=\"d\" %0A &amp; + 'e' /f, {g} ~"),
		},
		{
			ID:       "stomp/client/escape/utf8",
			Title:    "header names and values are written in UTF-8",
			Laws:     []string{"STOMP-FRAME-014"},
			Versions: since11,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				f := c.writesHeader("STOMP-FRAME-014", "x-größe", "naïve 漢字 😀")
				c.Check(utf8.Valid(f.Raw), "STOMP-FRAME-014", "header lines are UTF-8", "UTF-8", conformance.EscapeMax(f.Raw, 160))
			}),
		},
		{
			ID:       "stomp/client/ambiguity/letters-beyond-ascii-in-1.0",
			Title:    "a header value that is not US-ASCII, in 1.0",
			Laws:     []string{"STOMP-HDR-003"},
			Versions: only10,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				f := c.Sends(c.Connect(), "", fields{"headers": map[string]string{"x-letter": "é"}})
				got, _ := headerAsWritten(f, "x-letter", "1.0")
				c.Chose("STOMP-HDR-003", "1.0 has no way to write it: a client may refuse", "sent as "+conformance.EscapeMax([]byte(got), 40))
			}),
		},
		{
			ID:       "stomp/client/escape/name",
			Title:    "colon, backslash and LF in a header name are escaped like those of a value",
			Laws:     encodingLaws,
			Versions: since11,
			Needs:    own,
			Run:      writesHeader("x:na\\me\nof", "v"),
		},
		{
			ID:       "stomp/client/escape/destination",
			Title:    "a destination with a colon and a backslash is written as the version writes it",
			Laws:     encodingLaws,
			Versions: every,
			Run: runClient(func(c *clientT) {
				const place = `/queue/a:b\c`
				f := c.Sends(c.Connect(), encodingLaw(c.Version()), fields{"destination": place})
				c.Writes(f, encodingLaw(c.Version()), "destination", place)
			}),
		},
		{
			ID:       "stomp/client/escape/destination-of-subscribe",
			Title:    "SUBSCRIBE writes a destination as SEND does",
			Laws:     encodingLaws,
			Versions: every,
			Run: runClient(func(c *clientT) {
				const place = `/topic/a:b\c.>`
				p, law := c.Connect(), encodingLaw(c.Version())
				if r, err := c.Order("subscribe", fields{"id": "s-1", "destination": place, "ack": "auto"}).Try(); err != nil || r.Error != "" {
					c.Unsupported("the library refuses to subscribe to that: %s %v", r.Error, err)
				}
				c.Writes(p.Expect(law, "the client subscribes", "SUBSCRIBE", is("SUBSCRIBE")), law, "destination", place)
			}),
		},
		{
			ID:       "stomp/client/escape/subscription-id",
			Title:    "a subscription id with a colon and a backslash goes to and fro",
			Laws:     append([]string{"STOMP-SUBSCRIBE-016", "STOMP-UNSUBSCRIBE-001"}, encodingLaws...),
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{ChoiceOfID}},
			Run: runClient(func(c *clientT) {
				const id = `s:1\n`
				p, law := c.Connect(), encodingLaw(c.Version())
				sub := c.SubscribeAs(p, id, "auto")
				c.Writes(sub.Frame, law, "id", id)
				// The broker names the subscription as the client meant it, whatever it wrote.
				sub.ID = id
				sub.Deliver("there")
				c.DeliveredAs("STOMP-SUBSCRIBE-016", "the subscription header of MESSAGE is decoded before it is compared", "there")
				c.Do("unsubscribe", fields{"id": id})
				f := p.Expect("STOMP-UNSUBSCRIBE-001", "the client unsubscribes", "UNSUBSCRIBE", is("UNSUBSCRIBE"))
				c.Writes(f, law, "id", id)
			}),
		},
		{
			ID:       "stomp/client/escape/no-header-made-of-a-value",
			Title:    "a line end in a value makes no second header",
			Laws:     injectionLaws,
			Versions: every,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				f := c.sendsHostile(c.Connect(), "/queue/a", map[string]string{"x-a": "v\ninjected:yes"})
				c.injects(headerNamed(f, "injected"), f)
			}),
		},
		{
			ID:       "stomp/client/escape/no-header-made-of-a-name",
			Title:    "a line end in a header name makes no second header",
			Laws:     injectionLaws,
			Versions: every,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				f := c.sendsHostile(c.Connect(), "/queue/a", map[string]string{"x-a:v\ninjected": "yes"})
				c.injects(headerNamed(f, "injected"), f)
			}),
		},
		{
			ID:       "stomp/client/escape/no-header-made-of-a-destination",
			Title:    "a line end in a destination makes no second header",
			Laws:     injectionLaws,
			Versions: every,
			Run: runClient(func(c *clientT) {
				f := c.sendsHostile(c.Connect(), "/queue/a\ninjected:yes", nil)
				c.injects(headerNamed(f, "injected"), f)
			}),
		},
		{
			ID:       "stomp/client/escape/no-body-made-of-a-value",
			Title:    "a blank line in a value does not begin the body",
			Laws:     injectionLaws,
			Versions: every,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				f := c.sendsHostile(c.Connect(), "/queue/a", map[string]string{"x-a": "v\n\ninjected"})
				c.injects(strings.HasPrefix(string(f.Body), "injected"), f)
			}),
		},
		{
			ID:       "stomp/client/escape/no-frame-made-of-a-value",
			Title:    "a value that holds the end of a frame and another one makes no second frame",
			Laws:     injectionLaws,
			Versions: every,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				c.sendsHostile(p, "/queue/a", map[string]string{"x-a": "v\n\n\x00SEND\ndestination:/queue/injected\n\nboo"})
				second := p.Watch(anyFrame, c.Timing().Quiet)
				c.injects(second != nil, second)
			}),
		},
		{
			ID:       "stomp/client/escape/no-header-made-of-a-login",
			Title:    "a line end in a passcode makes no header of CONNECT",
			Laws:     []string{"STOMP-ESC-008"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				// The headers of CONNECT are not escaped, so that it cannot carry this passcode.
				f := c.connectsHostile(fields{"login": "user", "passcode": "secret\ninjected:yes"})
				c.Check(f == nil || !headerNamed(f, "injected"), "STOMP-ESC-008",
					"what CONNECT cannot carry is refused: the texts leave it open, and a second header is the worst of the choices",
					"no header injected", f.String())
			}),
		},
		{
			ID:       "stomp/client/ambiguity/nul-in-header",
			Title:    "a header value that holds NUL",
			Laws:     []string{"STOMP-HDR-013"},
			Versions: every,
			Needs:    own,
			Run: runClient(func(c *clientT) {
				f := c.sendsHostile(c.Connect(), "/queue/a", map[string]string{"x-nul": "a\x00b"})
				got, _ := headerAsWritten(f, "x-nul", c.Version())
				c.Chose("STOMP-HDR-013", "the grammar does not exclude NUL from headers, and hardly a broker takes it", conformance.EscapeMax([]byte(got), 40))
			}),
		},
	}
}

// encodingLaws are what the encoding of headers is judged by: by the version, encodingLaw.
var encodingLaws = []string{"STOMP-ESC-005", "STOMP-ESC-006", "STOMP-ESC-010"}

// encodingLaw returns the law of how a version writes headers.
func encodingLaw(version string) string {
	return map[string]string{"1.0": "STOMP-ESC-010", "1.1": "STOMP-ESC-006", "1.2": "STOMP-ESC-005"}[version]
}

// injectionLaws are what a line end is judged by that makes more than it should: since 1.1 it must be escaped; 1.0
// cannot carry it, and says nothing of a client that is given it all the same.
var injectionLaws = []string{"STOMP-ESC-005", "STOMP-ESC-006", "STOMP-ESC-011"}

// injects judges whether something came of a header that the user did not mean.
func (c *clientT) injects(made bool, f *wireFrame) {
	law := encodingLaw(c.Version())
	if c.Version() == "1.0" {
		law = "STOMP-ESC-011"
	}
	c.Check(!made, law, "what a user puts into one header stays in it", "one header, or a refusal", f.String())
}

// sendsHostile sends a message with headers that a library may well refuse: then the case has passed.
func (c *clientT) sendsHostile(p *wire, destination string, headers map[string]string) *wireFrame {
	o := c.Order("send", fields{"destination": destination, "headers": headers, "body": octets("x"), "text": true})
	r, err := o.Try()
	if err != nil {
		c.Blocked("prerequisite", "%v", err)
	}
	if r.Error != "" {
		c.Note("refused", "%s", r.Error)
		if f := p.Watch(is("SEND"), c.Timing().Quiet); f != nil {
			return f
		}
		c.Stop()
	}
	return p.Expect("", "what the user sends leaves", "SEND", is("SEND"))
}

// connectsHostile orders a session with credentials that a library may well refuse: then there is no CONNECT.
func (c *clientT) connectsHostile(f fields) *wireFrame {
	f["version"], f["beats"] = c.Version(), []int{0, 0}
	o := c.Order("connect", f)
	if o.reports(c.Timing().Quiet) {
		r, err := o.Try()
		c.Note("refused", "%s %v", r.Error, err)
		return nil
	}
	conn, err := c.testee.Accept("subject-1")
	if err != nil {
		c.Blocked("prerequisite", "the client neither connects nor refuses to: %v", err)
	}
	p := c.peer(conn.Name, conn)
	got := p.Expect("", "the client connects", "CONNECT", func(f *wireFrame) bool { return f.Command == "CONNECT" || f.Command == "STOMP" })
	c.needsOffer(got)
	return got
}

func headerNamed(f *wireFrame, name string) bool {
	_, ok := f.Lookup(name)
	return ok
}

// writesHeader is a case that sends a header of the user's own and reads how it is written.
func writesHeader(name, value string) caseFunc {
	return runClient(func(c *clientT) { c.writesHeader(encodingLaw(c.Version()), name, value) })
}

func (c *clientT) writesHeader(law, name, value string) *wireFrame {
	f := c.Sends(c.Connect(), law, fields{"headers": map[string]string{name: value}})
	c.Writes(f, law, name, value)
	return f
}

// Writes checks how a received frame has a header on the wire: by the one spelling that the case's version has for it.
func (c *clientT) Writes(f *wireFrame, law, name, value string) {
	got, ok := headerAsWritten(f, name, c.Version())
	if !ok {
		c.Check(false, law, "the header is in the frame, as the version writes it",
			conformance.EscapeMax([]byte(spelled(name, c.Version())+":"+spelled(value, c.Version())), 200), conformance.EscapeMax(f.Raw, 300))
		return
	}
	c.CheckEqual(law, "header "+conformance.EscapeMax([]byte(name), 60)+" is written as the version writes it", spelled(value, c.Version()), got)
}

// spelled writes a header name or value as a version does.
func spelled(text, version string) string {
	if version == "1.0" {
		return text
	}
	return escape(text, version)
}

// headerAsWritten returns what stands behind the colon of the first header line whose name is spelled that way.
func headerAsWritten(f *wireFrame, name, version string) (value string, ok bool) {
	head, _, _ := strings.Cut(strings.ReplaceAll(string(f.Raw), "\n\r\n", "\n\n"), "\n\n")
	for _, line := range strings.Split(head, "\n")[1:] {
		if version == "1.2" {
			line = strings.TrimSuffix(line, "\r")
		}
		if value, ok = strings.CutPrefix(line, spelled(name, version)+":"); ok {
			return value, true
		}
	}
	return "", false
}
