package stomptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientDecodeHeaderCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/decode/unknown-headers-on-message",
			Title:    "a MESSAGE with headers that no text defines is a message",
			Laws:     []string{"STOMP-HDR-012", "STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				const reason = "a server may add headers of its own to a MESSAGE"
				s := c.listening()
				s.Deliver("extended", "x-server", "1", "redelivered", "false", "timestamp", "1700000000000", "priority", "4", "persistent", "true", "JMSXGroupID", "g")
				c.DeliveredAs("STOMP-SUBSCRIBE-016", reason, "extended")
			}),
		},
		{
			ID:       "stomp/client/decode/any-order",
			Title:    "the headers of a MESSAGE may stand in any order",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				for turn := range 3 {
					body := fmt.Sprintf("a\x00\nb %d", turn)
					if c.Version() == "1.0" {
						body = fmt.Sprintf("a %d", turn)
					}
					f := s.MessageFrame(body, "content-type", "text/plain", "content-length", fmt.Sprint(len(body)))
					f.Headers = append(f.Headers[turn+1:], f.Headers[:turn+1]...)
					if turn == 2 {
						slices.Reverse(f.Headers)
					}
					s.p.Send(f)
					c.DeliveredAs("STOMP-FRAME-001", "a frame has header lines in no particular order", body)
				}
			}),
		},
		decodeCase("stomp/client/decode/first-of-repeats", "of a repeated header the first is its value",
			every, "STOMP-HDR-009", "of a repeated header the first is its value",
			"foo:World\nfoo:Hello\nbar:1\nfoo:last\n", "foo", "World", "bar", "1"),
		decodeCase("stomp/client/decode/empty-value", "a header with an empty value is a header",
			since11, "STOMP-HDR-002", "an empty value is legal, and not the same as no header",
			"x-empty:\nx-after:1\n", "x-empty", "", "x-after", "1"),
		headerChoice("stomp/client/ambiguity/empty-value-in-1.0", "an empty value in 1.0, whose grammar has none",
			only10, "STOMP-HDR-003", "a 1.0 value has at least one character; what a receiver does with none is not said", "x-empty:\n", "x-empty"),
		decodeCase("stomp/client/decode/spaces-of-values", "spaces around a value are data",
			since11, "STOMP-HDR-007", "spaces at the ends of a value are kept", "x-both:  v \nx-left: v\nx-right:v \nx-only: \n",
			"x-both", "  v ", "x-left", " v", "x-right", "v ", "x-only", " "),
		decodeCase("stomp/client/decode/tabs-of-values", "tabs around a value are data",
			since11, "STOMP-HDR-007", "only CR, LF, colon and backslash are special in a value; it is not trimmed", "x-tab:\tv\t\n", "x-tab", "\tv\t"),
		decodeCase("stomp/client/decode/spaces-of-names", "spaces around a name are data",
			since11, "STOMP-HDR-007", "spaces at the ends of a name are kept",
			" x-left:1\nx-right :2\nx inside:3\n", " x-left", "1", "x-right ", "2", "x inside", "3"),
		headerChoice("stomp/client/ambiguity/padding-in-1.0", "spaces around a 1.0 header value",
			only10, "STOMP-HDR-008", "1.0 examples pad values, and no text says whether a receiver trims them", "x-both:  v \n", "x-both"),
		decodeCase("stomp/client/decode/letter-case-of-names", "headers whose names differ in letter case are two headers",
			since11, "STOMP-HDR-006", "header names are compared octet for octet",
			"x-case:lower\nX-Case:upper\n", "x-case", "lower", "X-Case", "upper"),
		{
			ID:       "stomp/client/decode/letter-case-of-defined-names",
			Title:    "Subscription and Message-Id are not subscription and message-id",
			Laws:     []string{"STOMP-HDR-006"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				const reason = "a header name in another letter case does not stand for the defined one"
				s := c.listening()
				head, tail, _ := strings.Cut(s.raw(plain+":1\n", "cased"), "\n")
				s.p.RawString(head + "\nSubscription:nobody\nMessage-Id:other\nDestination:/other\n" + tail)
				e := c.DeliveredAs("STOMP-HDR-006", reason, "cased")
				c.shows(e, "STOMP-HDR-006", reason, "destination", s.Destination, "subscription", s.ID)
			}),
		},
		{
			ID:       "stomp/client/decode/100-headers",
			Title:    "a MESSAGE with 100 headers is delivered with all of them",
			Laws:     []string{"STOMP-SUBSCRIBE-016", "STOMP-HDR-001"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				f := s.MessageFrame("many headers", plain, "1")
				for i := range 100 {
					f.With(fmt.Sprintf("x-%d", i), fmt.Sprint(i))
				}
				e, ok := c.bears("STOMP-SUBSCRIBE-016", "a MESSAGE with 100 headers", f, s)
				if !ok {
					return
				}
				c.showsHeaders(e)
				for i := range 100 {
					if !c.showsOne(e, "STOMP-HDR-001", "each header line is a header", fmt.Sprintf("x-%d", i), fmt.Sprint(i)) {
						return
					}
				}
			}),
		},
		{
			ID:       "stomp/client/decode/header-of-4-kib",
			Title:    "a header value of 4 KiB is delivered whole",
			Laws:     []string{"STOMP-SUBSCRIBE-016", "STOMP-HDR-001"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				value := strings.Repeat("0123456789abcdef", 256)
				if e, ok := c.bears("STOMP-SUBSCRIBE-016", "a header value of 4 KiB", s.MessageFrame("long header", plain, "1", "x-long", value), s); ok {
					c.shows(e, "STOMP-HDR-001", "a value is what stands between the first colon and the line end", "x-long", value)
				}
			}),
		},
	}
}

func clientDecodeTextCases() []conformance.Case {
	return []conformance.Case{
		decodeCase("stomp/client/decode/utf-8-values-of-the-basic-plane", "header values are UTF-8, with characters of two and three octets",
			since11, "STOMP-FRAME-014", "headers are UTF-8", "x-2:größe\nx-3:日本語\nx-nbsp:a\u00a0v\nx-combining:e\u0301\n",
			"x-2", "größe", "x-3", "日本語", "x-nbsp", "a\u00a0v", "x-combining", "e\u0301"),
		decodeCase("stomp/client/decode/utf-8-values", "header values are UTF-8",
			since11, "STOMP-FRAME-014", "headers are UTF-8", "x-2:größe\nx-3:日本語\nx-4:😀\nx-nbsp:a\u00a0v\nx-combining:e\u0301\nx-last:\U0010ffff\n",
			"x-2", "größe", "x-3", "日本語", "x-4", "😀", "x-nbsp", "a\u00a0v", "x-combining", "e\u0301", "x-last", "\U0010ffff"),
		decodeCase("stomp/client/decode/utf-8-names", "header names are UTF-8",
			since11, "STOMP-FRAME-014", "header names are UTF-8 too", "größe:2\n日本語:3\n😀:4\n", "größe", "2", "日本語", "3", "😀", "4"),
		headerChoice("stomp/client/ambiguity/non-ascii-header-in-1.0", "a 1.0 header outside US-ASCII",
			only10, "STOMP-HDR-003", "1.0 headers are US-ASCII; what a receiver does with others is not said", "x:größe\n", "x"),
		decodeCase("stomp/client/decode/colons-in-1.0", "only the first colon of a 1.0 header line separates",
			only10, "STOMP-HDR-004", "further colons of a 1.0 header line belong to its value",
			"x:a:b:\ny::\nz:ID:host-1:2\n", "x", "a:b:", "y", ":", "z", "ID:host-1:2"),
	}
}
