package stomptest

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientDecodeCases() []conformance.Case {
	return slices.Concat(clientDecodeBodyCases(), clientDecodeLengthCases(), clientDecodeHeaderCases(), clientDecodeTextCases(), clientDecodeEscapeCases(), clientDecodeLineCases(), clientDecodeOrderCases())
}

const opaque = "the octets of a body reach the user as they were sent"

// octetRange returns the octets from first to 255, and back.
func octetRange(first int) (up, down string) {
	var all []byte
	for i := first; i < 256; i++ {
		all = append(all, byte(i))
	}
	up = string(all)
	slices.Reverse(all)
	return up, string(all)
}

func clientDecodeBodyCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/decode/text",
			Title:    "text bodies, also in UTF-8, are delivered as they are",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.conveys("STOMP-BODY-014", opaque, "text/plain", "hello", "größe 日本語 😀", "e\u0301", "\ufeffa", "\U0010ffff", strings.Repeat("long ", 4000))
			}),
		},
		{
			ID:       "stomp/client/decode/binary",
			Title:    "bodies of any octets are delivered as they are",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Binary}},
			Run: runClient(func(c *clientT) {
				up, down := octetRange(1)
				c.conveys("STOMP-BODY-014", opaque, "application/octet-stream", up, down, "a\xc0\xaf", "\xed\xa0\x80", "\xe4\xb8", "\xff\xfe\xfd")
			}),
		},
		{
			ID:       "stomp/client/decode/no-content-type",
			Title:    "a body without content-type is a binary blob",
			Laws:     []string{"STOMP-HDR-015"},
			Versions: since11,
			Needs:    conformance.Needs{Options: []string{Binary}},
			Run: runClient(func(c *clientT) {
				s := c.listening()
				for _, body := range []string{"\xff\xfe\x00", "\x00\x80", "\xe4\xb8"} {
					s.Deliver(body)
					c.DeliveredAs("STOMP-HDR-015", "without a content-type the body is opaque octets, not text", body)
				}
			}),
		},
		{
			ID:       "stomp/client/decode/line-ends-in-body",
			Title:    "line ends and spaces of a body are data",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.conveys("STOMP-BODY-014", "EOLs and spaces of a body are neither converted nor trimmed", "text/plain",
					"a\r\n\r\nb", "a\r\nb", "\na", "\n\na", "\r\na", "a\n", "a\r\n", "\n", "\n\n\n", "a\rb", "\r", " a ", "\ta\t", "a\n\n")
			}),
		},
		{
			ID:       "stomp/client/decode/backslashes-in-body",
			Title:    "a body holds no escapes",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.conveys("STOMP-BODY-014", "a body is not unescaped", "text/plain", `a\cb\n\\ \t:\`, `\`, `\r\n`, `{"a":"\\n"}`)
			}),
		},
		{
			ID:       "stomp/client/decode/body-like-a-frame",
			Title:    "a body that looks like a frame is a body",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				c.conveys("STOMP-BODY-014", "what looks like a frame in a body is data", "text/plain",
					"MESSAGE\ndestination:/x\nmessage-id:1\n\nbody", "ERROR\n\n", "content-length:3\n\nabc", "\nRECEIPT\nreceipt-id:1\n\n")
			}),
		},
		{
			ID:       "stomp/client/decode/frame-in-counted-body",
			Title:    "a counted body may hold whole frames",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				const reason = "exactly the counted octets are the body, whatever they look like"
				s := c.listening()
				body := "outer\x00\n" + s.raw("", "inner") + "\nERROR\nmessage:inner\n\n\x00"
				s.Deliver(body)
				c.DeliveredAs("STOMP-BODY-003", reason, body)
				s.Deliver("behind")
				c.DeliveredAs("STOMP-BODY-003", reason, "behind")
			}),
		},
		{
			ID:       "stomp/client/decode/one-mebibyte",
			Title:    "a body of 1 MiB is delivered whole",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				body := strings.Repeat("0123456789abcde\n", 1<<16)
				if e, ok := c.bears("STOMP-BODY-014", "a body of 1 MiB", s.MessageFrame(body), s); ok {
					c.Check(e.Body == shown(body), "STOMP-BODY-014", opaque, "the body as sent", e.String())
				}
			}),
		},
	}
}

func clientDecodeLengthCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/decode/counted-nuls",
			Title:    "a counted body may hold NULs",
			Laws:     []string{"STOMP-BODY-003"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				c.conveys("STOMP-BODY-003", "exactly the counted octets are the body, NULs included", "text/plain", "a\x00b", "\x00a", "a\x00", "\x00", "\x00\x00\n\x00", "a\x00\nMESSAGE\n")
			}),
		},
		{
			ID:       "stomp/client/decode/counted-nuls-in-1.0",
			Title:    "a counted 1.0 body may hold NULs",
			Laws:     []string{"STOMP-BODY-014"},
			Versions: only10,
			Run: runClient(func(c *clientT) {
				// 1.0 words it as should: a content-length should be read, and if so, the octets counted.
				s := c.listening()
				s.Deliver("a\x00b")
				if e := c.Await("message"); e.Kind != "message" || e.Body != "a\x00b" {
					c.Loose(conformance.Break{
						Law: "STOMP-BODY-014", Reason: "a body that 1.0 counts by content-length is read by its count", Expected: `"a\x00b"`, Seen: e.String(),
					})
				}
			}),
		},
		{
			ID:       "stomp/client/decode/uncounted",
			Title:    "a body without content-length ends at the first NUL",
			Laws:     []string{"STOMP-BODY-005"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				for _, body := range []string{"ab", "cd\n", "\n", "größe"} {
					s.write("", body)
					c.DeliveredAs("STOMP-BODY-005", "a body without content-length ends at the first NUL", body)
				}
			}),
		},
		{
			ID:       "stomp/client/decode/empty-body",
			Title:    "a message without octets is a message, counted or not",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				const reason = "a frame has zero or more body octets: a NUL may stand directly behind the blank line"
				s := c.listening()
				for _, lines := range []string{"", "content-length:0\n", ""} {
					s.write(lines, "")
					c.DeliveredAs("STOMP-FRAME-001", reason, "")
				}
				s.write("", "behind")
				c.DeliveredAs("STOMP-FRAME-001", reason, "behind")
			}),
		},
		{
			ID:       "stomp/client/decode/length-is-in-octets",
			Title:    "content-length counts octets, not characters",
			Laws:     []string{"STOMP-BODY-008"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				const reason = "content-length is the number of octets of the body, without the NUL behind it"
				s := c.listening()
				for _, body := range []string{"日本語", "😀😀", "größe", "abc", "a"} {
					s.Deliver(body)
					c.DeliveredAs("STOMP-BODY-008", reason, body)
				}
			}),
		},
		{
			ID:       "stomp/client/decode/length-with-leading-zeros",
			Title:    "leading zeros of a content-length do not matter to the reference",
			Laws:     []string{"STOMP-BODY-010"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				for _, v := range []string{"04", "0004", strings.Repeat("0", 29) + "4"} {
					s.write("content-length:"+v+"\n", "a\x00\nb")
					c.DeliveredAs("STOMP-BODY-010", "only the number matters, not how many zeros stand before it", "a\x00\nb")
				}
			}),
		},
		{
			ID:       "stomp/client/decode/content-length-in-other-letters",
			Title:    "Content-Length is not content-length",
			Laws:     []string{"STOMP-HDR-006"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				s.write("Content-Length:1\nCONTENT-LENGTH:2\n", "longer")
				c.DeliveredAs("STOMP-HDR-006", "a header name in another letter case does not stand for content-length", "longer")
			}),
		},
	}
}
