package eventbustest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientDeviantCases() []conformance.Case {
	names, dispatch, kind, colon, broken, parts, id := clientLaw("008"), clientLaw("009"), clientLaw("014"), clientLaw("006"), clientLaw("026"), clientLaw("004"), clientLaw("022")
	return []conformance.Case{
		clientCase("deviant/html", "a page of HTML in the stream", []string{names}, func(c *client) {
			c.reads(names, "lines with unknown names are ignored", "<!DOCTYPE html>\n<html><body style=\"color:red\">\n<p>data: no</p>\n</body></html>\ndata: 1\n\n", "1")
		}),
		clientCase("deviant/json-lines", "lines of JSON in the stream", []string{names}, func(c *client) {
			c.reads(names, "lines with unknown names are ignored", "{\"data\":\"no\"}\n[1,2]\n\"x\"\ndata: 1\n\n", "1")
		}),
		clientCase("deviant/http-in-the-body", "the head of a response in the stream", []string{names}, func(c *client) {
			c.reads(names, "lines with unknown names are ignored", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\ndata: 1\n\n", "1")
		}),
		clientCase("deviant/noise", "octets without sense between blocks", []string{dispatch}, func(c *client) {
			var noise strings.Builder
			for range 64 {
				b := byte(c.Rand().IntN(256))
				if b == '\n' || b == '\r' || b == ':' {
					b = 0
				}
				noise.WriteByte(b)
			}
			c.reads(dispatch, "a block is an event whatever else stands in it", "data: 1\n\nx"+noise.String()+"\ndata: 2\n\n", "1", "2")
		}),
		clientCase("deviant/controls", "control characters in a value", []string{colon}, func(c *client) {
			c.reads(colon, "only CR and LF end a line", "data: a\x01b\x1bc\x7fd\x08\n\ndata: 2\n\n", "a\x01b\x1bc\x7fd\x08", "2")
		}),
		clientCase("deviant/type-error", "an event of type error is an event", []string{kind}, func(c *client) {
			c.compares(byType, kind, "a type means nothing to the client", "event: error\ndata: 1\n\nevent: open\ndata: 2\n\nevent: close\ndata: 3\n\n",
				typed("error", "1"), typed("open", "2"), typed("close", "3"))
		}),
		clientCase("deviant/many-types-and-ids", "a block of a thousand types and ids", []string{kind}, func(c *client) {
			c.compares(byType, kind, "the last type of a block counts", strings.Repeat("event: first\nid: 1\n", 1000)+"event: last\ndata: 1\n\n", typed("last", "1"))
		}),
		clientCase("deviant/bad-chunk", "a chunk whose size is no number", []string{broken}, func(c *client) {
			s := c.brief(broken)
			s.request.octets("zz\r\ndata: no\n\n\r\n")
			s.asksAgain(broken, "a body that is no chunked body is one that ended")
		}),
		clientCase("deviant/body-behind-its-end", "octets behind the announced length", []string{parts}, func(c *client) {
			s := c.open()
			body := soon + "data: 1\n\n"
			s.first().octets("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + crossOrigin + "Connection: close\r\nContent-Length: 19\r\n\r\n" + body + "data: no\n\n")
			s.until(func() bool { return s.total > 0 })
			s.pause()
			s.delivered(byData, parts, "the body is as long as its head says", data("1"))
			s.request.conn.Close()
			if s.came() {
				s.starts(s.request)
				s.gave(byData, parts, "what stands behind the body is no part of it")
			}
		}),
		clientCase("deviant/event-in-an-error-page", "an answer of 500 that looks like a stream", []string{clientLaw("030")}, func(c *client) {
			s := c.open()
			s.first().streamAs("500 Internal Server Error", "text/event-stream")
			s.request.send(soon + "id: 9\ndata: no\n\n")
			s.request.end()
			s.refused(clientLaw("030"), "a status other than 200 fails the source for good")
		}),
		clientCase("deviant/split-header-injection", "an id that looks like a header", []string{id}, func(c *client) {
			c.reports(id, "an id is text", "id: 1; Last-Event-ID: 2\ndata: 1\n\n", "1; Last-Event-ID: 2")
		}, again),
		clientCase("deviant/endless-block", "a block that never ends, and then the end", []string{clientLaw("016")}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\n" + strings.Repeat("data: x\n", 1000))
			s.afterEnd(clientLaw("016"), "a block without a blank line is discarded, however long", texts("1"))
		}, again),
	}
}
