package stomptest

import "github.com/seed-6f28358b/assay/conformance"

func clientDecodeEscapeCases() []conformance.Case {
	const table = "an escape of the version's table stands for its octet"
	return []conformance.Case{
		{
			ID:       "stomp/client/decode/escapes-in-values",
			Title:    "the four escapes of 1.2 are decoded in values",
			Laws:     []string{"STOMP-ESC-001"},
			Versions: only12,
			Run: runClient(func(c *clientT) {
				c.decodes("STOMP-ESC-001", table, `x-cr:a\rb`+"\n"+`x-lf:a\nb`+"\n"+`x-colon:a\cb`+"\n"+`x-bs:a\\b`+"\n"+`x-all:\r\n\c\\ \c\\ \n\r`+"\n"+`x-first:\cb`+"\n"+`x-last:b\c`+"\n",
					"x-cr", "a\rb", "x-lf", "a\nb", "x-colon", "a:b", "x-bs", `a\b`, "x-all", "\r\n:\\ :\\ \n\r", "x-first", ":b", "x-last", "b:")
			}),
		},
		{
			ID:       "stomp/client/decode/escapes-in-names",
			Title:    "the four escapes of 1.2 are decoded in names",
			Laws:     []string{"STOMP-ESC-001"},
			Versions: only12,
			Run: runClient(func(c *clientT) {
				c.decodes("STOMP-ESC-001", table, `a\nb:1`+"\n"+`a\cb:2`+"\n"+`a\\b:3`+"\n"+`a\rb:4`+"\n"+`\cb:5`+"\n"+`b\c:6`+"\n",
					"a\nb", "1", "a:b", "2", `a\b`, "3", "a\rb", "4", ":b", "5", "b:", "6")
			}),
		},
		{
			ID:       "stomp/client/decode/escapes-in-values-of-1.1",
			Title:    "the three escapes of 1.1 are decoded in values",
			Laws:     []string{"STOMP-ESC-002"},
			Versions: only11,
			Run: runClient(func(c *clientT) {
				c.decodes("STOMP-ESC-002", table, `x-lf:a\nb`+"\n"+`x-colon:a\cb`+"\n"+`x-bs:a\\b`+"\n"+`x-all:\n\c\\ \c\\ \n`+"\n"+`x-first:\cb`+"\n"+`x-last:b\c`+"\n",
					"x-lf", "a\nb", "x-colon", "a:b", "x-bs", `a\b`, "x-all", "\n:\\ :\\ \n", "x-first", ":b", "x-last", "b:")
			}),
		},
		{
			ID:       "stomp/client/decode/escapes-in-names-of-1.1",
			Title:    "the three escapes of 1.1 are decoded in names",
			Laws:     []string{"STOMP-ESC-002"},
			Versions: only11,
			Run: runClient(func(c *clientT) {
				c.decodes("STOMP-ESC-002", table, `a\nb:1`+"\n"+`a\cb:2`+"\n"+`a\\b:3`+"\n"+`\cb:4`+"\n"+`b\c:5`+"\n",
					"a\nb", "1", "a:b", "2", `a\b`, "3", ":b", "4", "b:", "5")
			}),
		},
		{
			ID:       "stomp/client/decode/escapes-single-pass",
			Title:    "what unescaping yields is not unescaped again",
			Laws:     []string{"STOMP-ESC-012"},
			Versions: since11,
			Run: runClient(func(c *clientT) {
				c.decodes("STOMP-ESC-012", "escapes are decoded once, from left to right, after the line is split at its first colon",
					`x:\\n`+"\n"+`y:\\\\c`+"\n"+`z:\\\n`+"\n"+`w:\\\\\\\\`+"\n"+`v:\\c\c`+"\n"+`a\cb:x\\n`+"\n"+`\\n:name`+"\n",
					"x", `\n`, "y", `\\c`, "z", "\\\n", "w", `\\\\`, "v", `\c:`, "a:b", `x\n`, `\n`, "name")
			}),
		},
		{
			ID:       "stomp/client/decode/escapes-in-subscription",
			Title:    "headers that the protocol defines are decoded like any other",
			Laws:     []string{"STOMP-ESC-001"},
			Versions: only12,
			Needs:    conformance.Needs{Options: []string{ChoiceOfID}},
			Run:      runClient(func(c *clientT) { c.routesEscaped("STOMP-ESC-001") }),
		},
		{
			ID:       "stomp/client/decode/escapes-in-subscription-of-1.1",
			Title:    "headers that the protocol defines are decoded like any other in 1.1",
			Laws:     []string{"STOMP-ESC-002"},
			Versions: only11,
			Needs:    conformance.Needs{Options: []string{ChoiceOfID}},
			Run:      runClient(func(c *clientT) { c.routesEscaped("STOMP-ESC-002") }),
		},
		decodeCase("stomp/client/decode/no-escapes-in-1.0", "1.0 has no escapes",
			only10, "STOMP-ESC-010", "a backslash is an ordinary octet of a 1.0 header",
			`x:a\nb\c\\d\t\`+"\n"+`y\n:\r`+"\n", "x", `a\nb\c\\d\t\`, `y\n`, `\r`),
	}
}

// routesEscaped delivers to a subscription whose id needs escapes.
func (c *clientT) routesEscaped(law string) {
	p := c.Connect()
	s := c.SubscribeAs(p, `a:b\n`, "auto")
	if s.ID != `a:b\n` {
		c.Unsupported("the client subscribes under %q", s.ID)
	}
	s.Deliver("routed")
	c.DeliveredAs(law, "an id that was escaped in SUBSCRIBE comes back escaped in MESSAGE, and names the subscription once decoded", "routed")
}
