package stomptest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// clientBodyCases are about the body of a SEND, and about what is said of it.
func clientBodyCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/send/text",
			Title:    "a text of ASCII letters is sent as it is",
			Laws:     bodyLaws,
			Versions: every,
			Run:      sendsBody("hello, world", true),
		},
		{
			ID:       "stomp/client/send/text-in-utf8",
			Title:    "a text of many scripts is sent in UTF-8",
			Laws:     bodyLaws,
			Versions: every,
			Run:      sendsBody("naïve 漢字 ✓ 😀 \u200b", true),
		},
		{
			ID:       "stomp/client/send/empty",
			Title:    "a message without a body has none",
			Laws:     bodyLaws,
			Versions: every,
			Run:      sendsBody("", true),
		},
		{
			ID:       "stomp/client/send/zero",
			Title:    "the digit 0 is a body like another",
			Laws:     bodyLaws,
			Versions: every,
			Run:      sendsBody("0", true),
		},
		{
			ID:       "stomp/client/send/lines-and-escapes-in-body",
			Title:    "line ends, blank lines, colons and backslashes in a body are left alone",
			Laws:     bodyLaws,
			Versions: every,
			Run:      sendsBody("a\r\n\r\nb:c\\n\\c\\\\d\n\n\r\\", true),
		},
		{
			ID:       "stomp/client/send/spaces-around-body",
			Title:    "spaces and line ends around a body are part of it",
			Laws:     bodyLaws,
			Versions: every,
			Run:      sendsBody("\n\n  a frame\tof air \n\r\n", true),
		},
		{
			ID:       "stomp/client/send/body-like-a-frame",
			Title:    "a body that reads like a frame is a body",
			Laws:     bodyLaws,
			Versions: every,
			Run:      sendsBody("SEND\ndestination:/queue/b\ncontent-length:1\n\nb\n", true),
		},
		{
			ID:       "stomp/client/send/long-body",
			Title:    "a body of 1 MiB is sent whole",
			Laws:     bodyLaws,
			Versions: every,
			Run: runClient(func(c *clientT) {
				const piece = "0123456789abcdef"
				f := c.Sends(c.Connect(), "STOMP-BODY-014", fields{"body": octets(piece), "size": 1 << 20})
				c.bodyIs(f, strings.Repeat(piece, 1<<20/len(piece)))
			}),
		},
		{
			ID:       "stomp/client/send/binary",
			Title:    "a body of all 256 octets, NUL among them, is sent as it is and counted",
			Laws:     append([]string{"STOMP-BODY-006"}, bodyLaws...),
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Binary}},
			Run: runClient(func(c *clientT) {
				f := c.sendsExactly(everyOctet()+"\x00\x00\n", false)
				_, counted := f.Lookup("content-length")
				c.Check(counted, "STOMP-BODY-006", "a body that holds NUL must be counted", "content-length", f.String())
			}),
		},
		{
			ID:       "stomp/client/send/not-utf8",
			Title:    "a body that is no UTF-8 is sent as it is",
			Laws:     bodyLaws,
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Binary}},
			Run:      sendsBody("\xff\xfe\xc0\xaf\xed\xa0\x80\xe4\xb8", false),
		},
		{
			ID:       "stomp/client/send/nul-in-text",
			Title:    "a text that holds NUL is counted",
			Laws:     append([]string{"STOMP-BODY-006"}, bodyLaws...),
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				if plain := c.Sends(p, "STOMP-BODY-014", fields{"body": octets("plain"), "text": true}); !headerNamed(plain, "content-length") {
					// The library leaves the count of every text to its user, who has given none.
					f := c.Sends(p, "STOMP-BODY-014", fields{"body": octets("a\x00b"), "text": true})
					if !headerNamed(f, "content-length") {
						c.Loose(conformance.Break{
							Law: "STOMP-BODY-006", Reason: "a body that holds NUL must be counted, by the library or by its user",
							Expected: "content-length, or a refusal", Seen: f.String(),
						})
					}
					return
				}
				f := c.sendsExactly("a\x00b", true)
				_, counted := f.Lookup("content-length")
				c.Check(counted, "STOMP-BODY-006", "a body that holds NUL must be counted", "content-length", f.String())
			}),
		},
		{
			ID:       "stomp/client/send/one-after-the-other",
			Title:    "the length of one body does not stick to the next",
			Laws:     bodyLaws,
			Versions: every,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				for _, body := range []string{"a long body to begin with", "", "short", "é"} {
					c.bodyIs(c.Sends(p, "STOMP-BODY-014", fields{"body": octets(body)}), body)
				}
			}),
		},
		{
			ID:       "stomp/client/send/counts-octets",
			Title:    "content-length is there and counts octets, not characters",
			Laws:     append([]string{"STOMP-BODY-007"}, bodyLaws...),
			Versions: every,
			Run: runClient(func(c *clientT) {
				const body = "漢字 😀"
				f := c.Sends(c.Connect(), "STOMP-BODY-008", fields{"body": octets(body)})
				v, ok := f.Lookup("content-length")
				if c.Check(ok, "STOMP-BODY-007", "a frame with a body should carry content-length", "content-length", f.String()) {
					c.CheckEqual("STOMP-BODY-008", "content-length is the number of octets", strconv.Itoa(len(body)), strings.TrimLeft(v, "0"))
				}
				c.bodyIs(f, body)
			}),
		},
		{
			ID:       "stomp/client/send/content-type",
			Title:    "a message of text says of what type it is",
			Laws:     []string{"STOMP-BODY-007", "STOMP-HDR-014"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				f := c.Sends(c.Connect(), "", nil)
				v, ok := f.Lookup("content-type")
				if c.Check(ok, "STOMP-BODY-007", "a frame with a body should carry content-type", "content-type", f.String()) {
					c.Check(mimeSyntax.MatchString(v), "STOMP-HDR-014", "content-type is a MIME type", "type/subtype", fmt.Sprintf("%q", v))
				}
			}),
		},
		{
			ID:       "stomp/client/send/content-type-of-the-user",
			Title:    "the content-type that the user gives is the one sent",
			Laws:     []string{headersPass},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{OwnHeaders}},
			Run: runClient(func(c *clientT) {
				const kind = "application/json;charset=utf-8"
				f := c.Sends(c.Connect(), headersPass, fields{"headers": map[string]string{"content-type": kind}, "body": octets("{}")})
				c.CheckEqual(headersPass, "the user knows what the body is", kind, f.Get("content-type"))
			}),
		},
	}
}

// bodyLaws are what sendsBody decides.
var bodyLaws = []string{"STOMP-BODY-014", "STOMP-BODY-008"}

// sendsBody is a case that sends a body, as text or as octets.
func sendsBody(body string, text bool) caseFunc {
	return runClient(func(c *clientT) { c.sendsExactly(body, text) })
}

func (c *clientT) sendsExactly(body string, text bool) *wireFrame {
	p := c.Connect()
	o := c.Order("send", fields{"destination": "/queue/a", "body": octets(body), "text": text})
	switch r, err := o.Try(); {
	case err != nil:
		c.Blocked("prerequisite", "%v", err)
	case r.Error != "":
		c.Unsupported("the library does not send that: %s", r.Error)
	}
	out := p.Await(is("SEND"), c.Timing().Reply)
	if out.Frame == nil {
		c.Stopped(conformance.Break{
			Law: "STOMP-BODY-014", Reason: "the octets of a body are sent as they are", Timed: out.Timed,
			Expected: describeBody(body), Seen: out.String() + ", and a frame begun: " + conformance.EscapeMax(p.reader.buf, 200),
		})
	}
	c.bodyIs(out.Frame, body)
	return out.Frame
}

// bodyIs checks a received body octet for octet, and that what its frame says of its length is so.
func (c *clientT) bodyIs(f *wireFrame, body string) {
	for _, fault := range f.Faults {
		if fault.Law == "STOMP-BODY-008" {
			c.Broken(conformance.Break{
				Law: fault.Law, Reason: "content-length is the number of octets of the body",
				Expected: fmt.Sprintf("content-length:%d", len(body)), Seen: fault.Text,
			})
		}
	}
	c.Step()
	if string(f.Body) != body {
		c.Broken(conformance.Break{
			Law: "STOMP-BODY-014", Reason: "the octets of a body are sent as they are",
			Expected: describeBody(body), Seen: describeBody(string(f.Body)),
		})
	}
}

// everyOctet returns all 256 octets in order.
func everyOctet() string {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return string(all)
}

func describeBody(body string) string {
	return fmt.Sprintf("%d octets: %s", len(body), quoted(body, 200))
}
