package eventbustest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// Line endings by the names of cases.
var clientEndings = []struct{ name, eol string }{{"lf", "\n"}, {"crlf", "\r\n"}, {"cr", "\r"}}

func clientLineCases() []conformance.Case {
	eol, parts, prompt := clientLaw("003"), clientLaw("004"), clientLaw("010")
	var cases []conformance.Case
	for _, e := range clientEndings {
		lines := func(text string) string { return strings.ReplaceAll(text, "\n", e.eol) }
		cases = append(cases,
			clientCase("parse/"+e.name, "lines end with "+strings.ToUpper(e.name), []string{eol}, func(c *client) {
				c.reads(eol, "each of LF, CR LF and CR ends a line", lines("data: 1\n\ndata: 2\ndata: 3\n\n: c\n\ndata: 4\n\n"), "1", "2\n3", "4")
			}),
			clientCase("parse/prompt-"+e.name, "an event is delivered as soon as its blank line is in, "+strings.ToUpper(e.name), []string{prompt}, func(c *client) {
				s := c.start()
				s.request.send(lines("data: now\n\n"))
				s.delivered(byData, prompt, "an event whose blank line has arrived is delivered while the stream stays silent", data("now"))
			}),
		)
	}
	return append(cases,
		clientCase("parse/mixed-endings", "a stream may mix the endings of lines", []string{eol}, func(c *client) {
			c.reads(eol, "endings may be mixed within a block and between blocks",
				"data: 1\r\rdata: 2\n\ndata: 3\r\n\r\ndata: 4\r\n\ndata: 5\n\r\ndata: 6\r\ndata: 7\rdata: 8\n\r", "1", "2", "3", "4", "5", "6\n7\n8")
		}),
		clientCase("parse/lf-crlf", "a blank line behind LF may end with CR LF", []string{eol}, func(c *client) {
			c.reads(eol, "LF, CR LF are two endings and so one blank line", "data: 1\n\r\ndata: 2\n\r\n", "1", "2")
		}),
		clientCase("parse/lf-cr", "LF CR are two endings of lines", []string{eol}, func(c *client) {
			c.reads(eol, "LF, CR are two endings and so a blank line", "data: 1\n\rdata: 2\n\r", "1", "2")
		}),
		clientCase("parse/crlf-parted", "CR and LF in different packets are one ending", []string{eol}, func(c *client) {
			s := c.start()
			for _, piece := range []string{"data: 1\r", "\ndata: 2\r", "\n\r", "\ndata: 3\r\n\r", "\nevent: x\r", "\ndata: 4\r", "\n\r", "\n"} {
				s.request.send(piece)
				s.pause()
			}
			s.gave(byType, eol, "a LF behind a CR ends no further line, also with the next read", typed("message", "1\n2"), typed("message", "3"), typed("x", "4"))
		}),
		clientCase("parse/octet-by-octet", "a body in chunks of one octet", []string{parts}, func(c *client) {
			s := c.start()
			s.request.pieces("data: naïve\r\n\r\n: ☃\nevent: update\ndata: 日本\n\ndata: 😀\ndata: b\r\r", 1)
			s.gave(byType, parts, "chunks delimit nothing", typed("message", "naïve"), typed("update", "日本"), typed("message", "😀\nb"))
		}),
		clientCase("parse/characters-parted", "a character may be parted between packets", []string{parts}, func(c *client) {
			s := c.start()
			for _, piece := range []string{"data: \xe6\x97", "\xa5\xe6", "\x9c\xac\n\ndata: \xf0\x9f", "\x98", "\x80\n\n"} {
				s.request.send(piece)
				s.pause()
			}
			s.gave(byData, parts, "what a read brings delimits nothing", texts("日本", "😀")...)
		}),
		clientCase("parse/fields-parted", "names, colons and values may be parted between packets", []string{parts}, func(c *client) {
			s := c.start()
			for _, piece := range []string{"da", "ta", ":", " ", " a", "b\n", "ev", "ent:x", "\n", "\nd", "ata: 2\n", "\n"} {
				s.request.send(piece)
				s.pause()
			}
			s.gave(byType, parts, "what a read brings delimits nothing", typed("x", " ab"), typed("message", "2"))
		}),
		clientCase("parse/one-packet", "several blocks in one chunk are several events", []string{parts}, func(c *client) {
			s := c.start()
			s.request.octets(chunked("data: 1\n\ndata: 2\n\nda") + chunked("ta: 3\n\n") + chunked("data: 4\n\n"))
			s.gave(byData, parts, "chunks and packets delimit nothing", texts("1", "2", "3", "4")...)
		}),
		clientCase("parse/without-chunks", "a body that ends with its connection", []string{parts}, func(c *client) {
			s := c.open()
			s.first().octets("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + crossOrigin + "Connection: close\r\n\r\n")
			s.request.octets("data: 1\n\nda")
			s.pause()
			s.request.octets("ta: 2\n\n")
			s.delivered(byData, parts, "a body needs no chunks", texts("1", "2")...)
		}),
	)
}
