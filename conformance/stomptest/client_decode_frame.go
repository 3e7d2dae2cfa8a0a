package stomptest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientDecodeLineCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/decode/crlf-lines",
			Title:    "1.2 lines may end with CR LF",
			Laws:     []string{"STOMP-FRAME-006"},
			Versions: only12,
			Run: runClient(func(c *clientT) {
				c.linesEnd("a frame with CR LF ends its lines as one with LF", func(int) string { return "\r\n" })
			}),
		},
		{
			ID:       "stomp/client/decode/mixed-line-ends",
			Title:    "1.2 lines may end with LF and CR LF inside one frame",
			Laws:     []string{"STOMP-FRAME-006"},
			Versions: only12,
			Run: runClient(func(c *clientT) {
				c.linesEnd("LF and CR LF may alternate",
					func(i int) string { return []string{"\n", "\r\n"}[i%2] }, func(i int) string { return []string{"\r\n", "\n"}[i%2] })
			}),
		},
		{
			ID:       "stomp/client/decode/crlf-between-frames",
			Title:    "1.2 EOLs between frames may be CR LF",
			Laws:     []string{"STOMP-FRAME-006"},
			Versions: only12,
			Run: runClient(func(c *clientT) {
				const reason = "an EOL between frames may be CR LF"
				s := c.listening()
				s.p.RawString("\r\n" + s.raw("", "first") + "\r\n\n\r\n" + s.raw("", "second") + "\r\n")
				c.DeliveredAs("STOMP-FRAME-006", reason, "first")
				c.DeliveredAs("STOMP-FRAME-006", reason, "second")
				s.write("", "third")
				c.DeliveredAs("STOMP-FRAME-006", reason, "third")
			}),
		},
		{
			ID:       "stomp/client/decode/cr-is-data-before-1.2",
			Title:    "before 1.2 a CR belongs to the value that it stands in",
			Laws:     []string{"STOMP-FRAME-007"},
			Versions: []string{"1.0", "1.1"},
			Run: runClient(func(c *clientT) {
				const reason = "a line ends at LF alone; a CR is an octet of the value"
				s := c.listening()
				s.write(plain+":1\nx-inside:a\rb\nx-end:a\r\nx-after:1\n", "CR")
				e := c.DeliveredAs("STOMP-FRAME-007", reason, "CR")
				c.showsHeaders(e)
				for _, h := range []header{{"x-inside", "a\rb"}, {"x-end", "a\r"}, {"x-after", "1"}} {
					if got := e.Headers[h.Name]; got != strings.ReplaceAll(h.Value, "\r", "") || got == h.Value {
						c.showsOne(e, "STOMP-FRAME-007", reason, h.Name, h.Value)
						continue
					}
					// It took the CR away; that is known of peers that are meant for 1.2 as well.
					c.tolerated(conformance.Break{Law: "STOMP-FRAME-007", Reason: reason, Expected: fmt.Sprintf("%q", h.Value), Seen: h.Name + ":" + e.Headers[h.Name]})
				}
			}),
		},
		{
			ID:       "stomp/client/decode/eols-between-frames",
			Title:    "any number of EOLs may follow a frame",
			Laws:     []string{"STOMP-FRAME-010"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				for _, n := range []int{0, 1, 2, 1000} {
					first, second := fmt.Sprintf("before %d", n), fmt.Sprintf("behind %d", n)
					reason := fmt.Sprintf("%d EOLs between two frames change neither", n)
					s.p.RawString(s.raw("", first) + strings.Repeat("\n", n) + s.raw("", second))
					c.DeliveredAs("STOMP-FRAME-010", reason, first)
					c.DeliveredAs("STOMP-FRAME-010", reason, second)
				}
			}),
		},
		{
			ID:       "stomp/client/decode/no-eol-needed",
			Title:    "a frame is whole at its NUL and needs no EOL behind it",
			Laws:     []string{"STOMP-FRAME-001"},
			Versions: every,
			Run: runClient(func(c *clientT) {
				s := c.listening()
				s.write("", "no EOL behind")
				c.DeliveredAs("STOMP-FRAME-001", "a frame ends with its NUL", "no EOL behind")
			}),
		},
	}
}

// linesEnd delivers a MESSAGE for each pattern, whose i-th line ends with eol(i), and expects it as if all had been LF.
func (c *clientT) linesEnd(reason string, eols ...func(i int) string) {
	s := c.listening()
	for n, eol := range eols {
		body := fmt.Sprintf("b\r\n %d", n)
		head := strings.TrimSuffix(s.raw(plain+":1\nx:one\nz:\n", ""), "\x00")
		var b strings.Builder
		for i, line := range strings.Split(strings.TrimSuffix(head, "\n"), "\n") {
			b.WriteString(line + eol(i))
		}
		s.p.RawString(b.String() + body + "\x00")
		e := c.DeliveredAs("STOMP-FRAME-006", reason, body)
		c.shows(e, "STOMP-FRAME-006", "an EOL leaves no CR in a name or value", "x", "one", "z", "", "destination", s.Destination)
	}
}

func clientDecodeOrderCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/client/decode/message-right-behind-subscribe",
			Title:    "a MESSAGE may come as soon as the broker has read SUBSCRIBE",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				p := c.Connect()
				dest := "/queue/" + c.Unique("q")
				o := c.Order("subscribe", fields{"id": "early", "destination": dest, "ack": "auto"})
				f := o.leadsTo(p, "SUBSCRIBE")
				p.Send(frameOf("MESSAGE", "subscription", f.Get("id"), "message-id", "m-1", "destination", dest).Carrying("early"))
				o.Done()
				c.DeliveredAs("STOMP-SUBSCRIBE-016", "a subscription exists once its SUBSCRIBE was read", "early")
			}),
		},
		{
			ID:       "stomp/client/decode/message-id-of-another-subscription",
			Title:    "two subscriptions may get messages with the same message-id",
			Laws:     []string{"STOMP-SUBSCRIBE-016"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				const reason = "a message-id identifies a message within its subscription"
				p := c.Connect()
				a, b := c.Subscribe(p, "auto"), c.Subscribe(p, "auto")
				for i, s := range []*subscription{a, b, a} {
					id := "shared-1"
					if i == 2 {
						id = "shared-2"
					}
					body := fmt.Sprintf("message %d", i)
					p.Send(frameOf("MESSAGE", "subscription", s.ID, "message-id", id, "destination", s.Destination).Carrying(body))
					c.DeliveredAs("STOMP-SUBSCRIBE-016", reason, body)
				}
			}),
		},
	}
}
