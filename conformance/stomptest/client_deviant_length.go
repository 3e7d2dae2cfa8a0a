package stomptest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// lengthened is a MESSAGE with the body abcd and a content-length.
func lengthened(value string) deviant {
	return deviant{fmt.Sprintf("content-length:%q", value), func(s *subscription) string { return s.raw("content-length:"+value+"\n", "abcd") }}
}

func lengths(values ...string) []deviant {
	var out []deviant
	for _, v := range values {
		out = append(out, lengthened(v))
	}
	return out
}

func clientDeviantLengthCases() []conformance.Case {
	return []conformance.Case{
		deviantCase("stomp/client/deviant/length-is-a-number", "a content-length that is no number is refused by the reference",
			every, "STOMP-BODY-010", (*clientT).Broken, "content-length is a number in decimal digits",
			lengths("", "0x4", "4.0", "four", "4;", "4a")...),
		{
			ID:       "stomp/client/deviant/length-has-no-sign",
			Title:    "a content-length has digits only",
			Laws:     []string{"STOMP-HDR-007", "STOMP-BODY-010"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				c.tries("STOMP-HDR-007", "a value is not trimmed: with a space beside it, a content-length is no number", c.tolerated, lengths(" 4", "4 ")...)
				// No text forbids the sign, as long as the number is read.
				c.tries("STOMP-BODY-010", "content-length is digits, without a sign", c.Broken, lengths("+4")...)
			}),
		},
		{
			ID:       "stomp/client/deviant/length-is-not-negative",
			Title:    "a negative content-length is no length of a body",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				c.eachLength("no body has a negative number of octets", c.tolerated, "-1", "-4", "-2147483649")
			}),
		},
		{
			ID:       "stomp/client/deviant/length-wraps-around",
			Title:    "a content-length too large for a machine word is not read as a small one",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				// 2^32+4, 2^64+4: each the length of the body modulo a machine word; and one beyond any word.
				c.eachLength("a body has exactly the counted octets, however large the number", c.Broken,
					"4294967300", "18446744073709551620", "9223372036854775808", strings.Repeat("9", 40))
			}),
		},
		{
			ID:       "stomp/client/deviant/length-too-short",
			Title:    "a NUL stands behind the counted octets of a body",
			Laws:     []string{"STOMP-BODY-004"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				for _, v := range []string{"0", "2", "3"} {
					s := c.listening()
					r := s.reacts(s.raw("content-length:"+v+"\n", "abcd"))
					s.p.Close()
					c.miscounted(v, r)
					if r.stuck {
						return
					}
				}
			}),
		},
		{
			ID:       "stomp/client/deviant/length-counts-the-nul",
			Title:    "a content-length that counts the NUL behind the body",
			Laws:     []string{"STOMP-BODY-004"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				c.miscounted("5", s.reacts(s.raw("content-length:5\n", "abcd")))
			}),
		},
		{
			ID:       "stomp/client/deviant/length-beyond-the-end",
			Title:    "a MESSAGE is not whole before its counted octets have come, even at the end",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				for _, v := range []string{"1000", "6"} {
					s := c.listening()
					s.p.RawString(s.raw("content-length:"+v+"\n", "abcd"))
					before := s.watch()
					s.p.Close()
					after := s.watch()
					for _, e := range append(before.wrong, after.wrong...) {
						c.Broken(conformance.Break{
							Law: "STOMP-BODY-003", Reason: "a body has exactly the counted octets; before they have come there is nothing to deliver",
							Expected: "content-length:" + v + " on 4 octets: no message", Seen: e.String(),
						})
					}
					if after.stuck {
						return
					}
				}
			}),
		},
		{
			ID:       "stomp/client/deviant/length-repeated",
			Title:    "of a repeated content-length the first counts, if any",
			Laws:     []string{"STOMP-HDR-009"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				// The second value would end the body at the NUL inside.
				s := c.listening()
				r := s.reacts(s.raw("content-length:6\ncontent-length:4\n", "abcd\x00b"))
				if len(r.wrong) == 0 {
					c.Note("two values", "stricter than the rule: %s", r)
					return
				}
				c.CheckEqual("STOMP-HDR-009", "of a repeated content-length the first counts the body", "abcd\x00b", r.wrong[0].Body)
			}),
		},
	}
}

// eachLength gives a body of four octets lengths that it cannot have, each in a session of its own, with a good message in the
// same packet. To wait for the rest, and to refuse what no memory holds, are both right; a message of the four octets is
// judged by four, and one that holds octets of the good message is wrong in any case.
func (c *clientT) eachLength(reason string, four func(conformance.Break), values ...string) {
	for _, d := range lengths(values...) {
		s := c.listening()
		c.Step()
		s.p.RawString(d.octets(s) + string(s.MessageFrame(behind).Encode(s.p.version)))
		r := s.watch()
		s.p.Close()
		c.Note(d.name, "%s", r)
		for _, e := range r.wrong {
			judge := c.Broken
			if e.Body == "abcd" {
				judge = four
			}
			judge(conformance.Break{Law: "STOMP-BODY-003", Reason: reason, Expected: d.name + ": no message", Seen: d.name + ": " + e.String()})
		}
		if r.stuck {
			return
		}
	}
}

// miscounted judges what came of a body of four octets that content-length says to be of another length, with
// no NUL behind it.
func (c *clientT) miscounted(length string, r reaction) {
	c.Note("content-length:"+length+" on 4 octets", "%s", r)
	const reason = "the octet behind a counted body is NUL; with any other the frame is not whole"
	b := conformance.Break{Law: "STOMP-BODY-004", Reason: reason, Expected: "content-length:" + length + " on 4 octets: no message"}
	switch {
	case len(r.wrong) > 0:
		b.Seen = r.wrong[0].String()
		c.tolerated(b)
	case r.told == "" && !r.closed:
		c.Chose("STOMP-BODY-004", "no text says more than that it is wrong: "+reason, "content-length:"+length+" on 4 octets: "+r.String())
	}
}
