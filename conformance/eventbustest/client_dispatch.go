package eventbustest

import (
	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func clientDispatchCases() []conformance.Case {
	join, none, empty, kind, once, rest := clientLaw("011"), clientLaw("012"), clientLaw("013"), clientLaw("014"), clientLaw("015"), clientLaw("016")
	return []conformance.Case{
		clientCase("field/data-lines", "data lines are joined with LF", []string{join}, func(c *client) {
			c.reads(join, "data lines are joined with LF and the last LF is removed", "data: a\ndata: b\ndata: c\n\n", "a\nb\nc")
		}),
		clientCase("field/empty-data-lines", "empty data lines count", []string{join}, func(c *client) {
			c.reads(join, "exactly one LF is removed from the end", "data: a\ndata:\ndata: b\n\ndata:\ndata:\n\ndata:\ndata: a\n\ndata: a\ndata:\ndata:\n\n", "a\n\nb", "\n", "\na", "a\n\n")
		}),
		clientCase("field/data-parted-by-others", "data lines join across other fields", []string{join}, func(c *client) {
			c.reads(join, "all data lines of a block belong together", "data: a\nevent: update\nevent:\ndata: b\nfoo: bar\ndata: c\n\n", "a\nb\nc")
		}),
		clientCase("field/type-without-data", "a type without data yields no event", []string{none}, func(c *client) {
			c.compares(byType, none, "a block without data yields no event, and its type is dropped", "event: update\n\ndata: 1\n\n", typed("message", "1"))
		}),
		clientCase("field/id-without-data", "an id without data yields no event", []string{none}, func(c *client) {
			c.reads(none, "a block without data yields no event", "id: 1\n\ndata: 1\n\n", "1")
		}),
		clientCase("field/retry-without-data", "a retry without data yields no event", []string{none}, func(c *client) {
			c.reads(none, "a block without data yields no event", "retry: 3000\n\ndata: 1\n\n", "1")
		}),
		clientCase("field/empty-data", "a data field with an empty value yields an event", []string{empty}, func(c *client) {
			c.reads(empty, "a data field is one also when its value is empty", "data:\n\ndata: \n\ndata\n\n", "", "", "")
		}),
		clientCase("field/empty-data-of-a-type", "a type with empty data yields an event", []string{empty}, func(c *client) {
			c.compares(byType, empty, "a data field is one also when its value is empty", "event: update\ndata:\n\n", typed("update", ""))
		}),
		clientCase("field/type", "the event field names the type", []string{kind}, func(c *client) {
			c.compares(byType, kind, "the event field names the type", "event: update\ndata: 1\n\ndata: 2\nevent:other\n\n", typed("update", "1"), typed("other", "2"))
		}),
		clientCase("field/no-type", "an event without a type is a message", []string{kind}, func(c *client) {
			c.compares(byType, kind, "without a type an event is a message", "data: 1\n\nevent: message\ndata: 2\n\n", typed("message", "1"), typed("message", "2"))
		}),
		clientCase("field/last-type", "of several types the last counts", []string{kind}, func(c *client) {
			c.compares(byType, kind, "a later event field replaces an earlier one", "event: first\ndata: 1\nevent: last\n\n", typed("last", "1"))
		}),
		clientCase("field/empty-type", "an empty type is message", []string{kind}, func(c *client) {
			c.compares(byType, kind, "an empty type is none", "event:\ndata: 1\n\nevent: update\nevent: \ndata: 2\n\n", typed("message", "1"), typed("message", "2"))
		}),
		clientCase("field/odd-types", "a type is any text", []string{kind}, func(c *client) {
			c.compares(byType, kind, "a type is text, and only the one space is removed",
				"event: a b\ndata: 1\n\nevent: naïve ☃\ndata: 2\n\nevent: Update\ndata: 3\n\nevent:tab\there\ndata: 4\n\n",
				typed("a b", "1"), typed("naïve ☃", "2"), typed("Update", "3"), typed("tab\there", "4"))
		}),
		clientCase("field/type-once", "a type holds for one event", []string{once}, func(c *client) {
			c.compares(byType, once, "after an event the type is empty again", "event: update\ndata: 1\n\ndata: 2\n\n", typed("update", "1"), typed("message", "2"))
		}),
		clientCase("parse/end-in-a-block", "a block without a blank line is discarded", []string{rest}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\ndata: 2\n")
			s.afterEnd(rest, "a block that the end of the stream cuts off is not dispatched", texts("1"))
		}, again),
		clientCase("parse/end-in-a-line", "a line without an end is discarded", []string{rest}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\ndata: 2")
			s.afterEnd(rest, "a line that the end of the stream cuts off is not processed", texts("1"))
		}, again),
		clientCase("parse/nothing-left-over", "a further connection begins anew", []string{rest}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\nevent: update\ndata: 2\ndata: thr")
			s.over()
			s.starts(s.again())
			s.request.send("ee\ndata: 4\n\n")
			s.gave(byType, rest, "nothing of a cut block is left over for the next stream", typed("message", "1"), typed("message", "4"))
		}, again),
	}
}

// afterEnd ends the stream and compares all that came until the client was served by a further connection, whose first event is the
// barrier. Blocks that were cut off would have come before it.
func (s *source) afterEnd(law, reason string, want []sseclient.Event) {
	s.over()
	s.starts(s.again())
	s.gave(byData, law, reason, want...)
}
