package eventbustest

import "github.com/seed-6f28358b/assay/conformance"

func clientFieldCases() []conformance.Case {
	comment, colon, bare, names := clientLaw("005"), clientLaw("006"), clientLaw("007"), clientLaw("008")
	return []conformance.Case{
		clientCase("field/comment-alone", "a comment in a block of its own yields nothing", []string{comment}, func(c *client) {
			c.reads(comment, "a comment yields nothing", ": hello\n\ndata: 1\n\n:\n\n::\n\ndata: 2\n\n", "1", "2")
		}),
		clientCase("field/comment-inside", "a comment inside a block changes nothing", []string{comment}, func(c *client) {
			c.compares(byType, comment, "a comment ends and resets nothing", "event: update\n: c\ndata: 1\n:c\ndata: 2\n:\n\n", typed("update", "1\n2"))
		}),
		clientCase("field/comment-like-a-field", "a comment that looks like a field is a comment", []string{comment}, func(c *client) {
			c.compares(byType, comment, "a line that begins with a colon is ignored", ":data: no\n: event: update\n:data\ndata: 1\n\n", typed("message", "1"))
		}),
		clientCase("field/first-colon", "the first colon parts name and value", []string{colon}, func(c *client) {
			c.reads(colon, "further colons belong to the value", "data: a:b\n\ndata::c\n\ndata: :d\n\ndata:e: f\n\n", "a:b", ":c", ":d", "e: f")
		}),
		clientCase("field/no-space", "the space behind the colon may be missing", []string{colon}, func(c *client) {
			c.reads(colon, "a space behind the colon is optional", "data:1\n\ndata: 1\n\n", "1", "1")
		}),
		clientCase("field/one-space", "only one space behind the colon is dropped", []string{colon}, func(c *client) {
			c.reads(colon, "exactly one space is removed", "data:  two\n\ndata:   three\n\n", " two", "  three")
		}),
		clientCase("field/tab", "a tab behind the colon belongs to the value", []string{colon}, func(c *client) {
			c.reads(colon, "only a space is removed", "data:\ttab\n\ndata: \ttab\n\n", "\ttab", "\ttab")
		}),
		clientCase("field/space-at-the-end", "spaces at the end belong to the value", []string{colon}, func(c *client) {
			c.reads(colon, "nothing is removed from the end of a value", "data: 1 \n\ndata: 2\t\n\ndata: 3  \n\n", "1 ", "2\t", "3  ")
		}),
		clientCase("field/other-spaces", "other kinds of space belong to the value", []string{colon}, func(c *client) {
			c.reads(colon, "only U+0020 is removed, and only LF and CR end lines",
				"data:\u00a0no-break\n\ndata: \u2028line\u2029\n\ndata: a\vb\fc\u0085d\n\n", "\u00a0no-break", "\u2028line\u2029", "a\vb\fc\u0085d")
		}),
		clientCase("field/nul-in-data", "a NUL in data is a character", []string{colon}, func(c *client) {
			c.reads(colon, "a value is all that stands behind the colon", "data: a\x00b\n\ndata: \x00\n\n", "a\x00b", "\x00")
		}),
		clientCase("field/data-without-colon", "the line data alone is an empty data field", []string{bare}, func(c *client) {
			c.reads(bare, "a line without a colon is a field with an empty value", "data\ndata\n\ndata\ndata: 1\n\ndata: 1\ndata\n\n", "\n", "\n1", "1\n")
		}),
		clientCase("field/event-without-colon", "the line event alone is an empty type", []string{bare}, func(c *client) {
			c.compares(byType, bare, "a line without a colon is a field with an empty value", "event: update\nevent\ndata: 1\n\n", typed("message", "1"))
		}),
		clientCase("field/letter-case", "names in other letter case are other names", []string{names}, func(c *client) {
			c.compares(byType, names, "names are compared octet for octet", "Data: a\nDATA: b\nEvent: update\nEVENT: update\ndata: 1\n\n", typed("message", "1"))
		}),
		clientCase("field/padded-names", "names with space around them are other names", []string{names}, func(c *client) {
			c.compares(byType, names, "nothing is removed from a name", " data: a\ndata : b\n\tdata: c\nevent : update\ndata: 1\n\n", typed("message", "1"))
		}),
		clientCase("field/similar-names", "longer and shorter names are other names", []string{names}, func(c *client) {
			c.compares(byType, names, "a name is the whole of what stands before the colon",
				"dat: a\ndatum: b\ndata2: c\ndatax\nevents: update\neventual: update\ndata: 1\n\n", typed("message", "1"))
		}),
		clientCase("field/unknown-names", "a block goes on behind an unknown field", []string{names}, func(c *client) {
			c.compares(byType, names, "an unknown field is ignored, and nothing else is", "event: update\nfoo: bar\nfoo\ndata: 1\nname: x\ndata: 2\n\n", typed("update", "1\n2"))
		}),
		clientCase("field/unknown-alone", "a block of unknown fields yields nothing", []string{clientLaw("012")}, func(c *client) {
			c.reads(clientLaw("012"), "a block without data yields no event", "foo: bar\n\nfoo\n\ndata: 1\n\n", "1")
		}),
		clientCase("field/colon-in-a-name-elsewhere", "a name that holds other characters is another name", []string{names}, func(c *client) {
			c.reads(names, "a name is what stands before the first colon", "{\"data\": 1}\n\"data\": 2\ndata;: 3\ndata= 4\ndata: 5\n\n", "5")
		}),
	}
}
