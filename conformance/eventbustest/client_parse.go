package eventbustest

import (
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func clientParseCases() []conformance.Case {
	utf8, bom, dispatch := clientLaw("001"), clientLaw("002"), clientLaw("009")
	return []conformance.Case{
		clientCase("parse/one-event", "a block and its blank line are an event", []string{dispatch}, func(c *client) {
			c.reads(dispatch, "a block with a data line and a blank line is an event", "data: hello\n\n", "hello")
		}),
		clientCase("parse/order", "a thousand events come in order", []string{dispatch}, func(c *client) {
			var body strings.Builder
			var want []string
			for i := range 1000 {
				fmt.Fprintf(&body, "data: %d\n\n", i)
				want = append(want, fmt.Sprint(i))
			}
			c.reads(dispatch, "blocks yield their events in the order of the stream", body.String(), want...)
		}),
		clientCase("parse/blank-lines", "further blank lines yield nothing", []string{dispatch}, func(c *client) {
			c.reads(dispatch, "a blank line behind a blank line ends nothing", "\n\ndata: 1\n\n\ndata: 2\n\n\n\n\n\ndata: 3\n\n\n", "1", "2", "3")
		}),
		clientCase("parse/utf-8", "text outside ASCII arrives as it was sent", []string{utf8}, func(c *client) {
			c.reads(utf8, "a stream is UTF-8", "data: naïve\n\ndata: 日本\n\ndata: 😀\n\n", "naïve", "日本", "😀")
		}),
		clientCase("parse/charset-does-not-matter", "a charset parameter does not change the decoding", []string{utf8}, func(c *client) {
			for _, charset := range []string{"iso-8859-1", "windows-1252", "utf-16"} {
				s := c.open()
				s.first().streamAs("200 OK", "text/event-stream;charset="+charset)
				s.request.send("data: naïve ☃\n\n")
				got, complete := s.toBarrier()
				if len(got) == 0 && !complete && s.state == sseclient.Closed {
					// The standard lets the parameter say nothing but utf-8, so that the server is wrong already.
					c.Loose(conformance.Break{
						Law: utf8, Reason: "a charset parameter changes nothing", Expected: "the event, under charset=" + charset,
						Seen: "the client refuses the stream",
					})
				} else {
					s.differs(byData, utf8, "a stream is UTF-8 under charset="+charset, got, complete, texts("naïve ☃"))
				}
				s.shut()
			}
		}),
		clientCase("parse/invalid-utf-8", "octets that are not UTF-8 do not end the stream", []string{utf8}, func(c *client) {
			s := c.start()
			s.request.send("data: a\xffb\n\ndata: \xc3\n\n")
			s.gave(byData, utf8, "octets that are not UTF-8 become U+FFFD", texts("a\ufffdb", "\ufffd")...)
		}),
		clientCase("parse/utf-16-mark", "the mark of UTF-16 is not one of UTF-8", []string{utf8}, func(c *client) {
			c.reads(utf8, "FF FE are two octets that are not UTF-8, and so the first name is another", "\xff\xfedata: 1\ndata: 2\n\n", "2")
		}),
		clientCase("parse/byte-order-mark", "one byte-order mark at the start is dropped", []string{bom}, func(c *client) {
			c.reads(bom, "a BOM before the first line is no part of it", "\ufeffdata: 1\n\n", "1")
		}),
		clientCase("parse/byte-order-mark-parted", "a byte-order mark may come in parts", []string{bom}, func(c *client) {
			s := c.start()
			s.request.send("\xef")
			s.pause()
			s.request.send("\xbb\xbfdata: 1\n\n")
			s.gave(byData, bom, "a BOM in two packets is one BOM", data("1"))
		}),
		clientCase("parse/second-byte-order-mark", "a second byte-order mark is a character", []string{bom}, func(c *client) {
			c.reads(bom, "only one BOM is dropped, so that the first line is no data line", "\ufeff\ufeffdata: 1\ndata: 2\n\n", "2")
		}),
		clientCase("parse/byte-order-mark-later", "a byte-order mark elsewhere is a character", []string{bom}, func(c *client) {
			c.reads(bom, "a BOM behind the start is a character like any other", "data: 1\n\n\ufeffdata: 2\ndata: \ufeff3\n\n", "1", "\ufeff3")
		}),
		clientCase("parse/byte-order-mark-alone", "a byte-order mark before a blank line", []string{bom}, func(c *client) {
			c.reads(bom, "a BOM and an end of line are a blank line", "\ufeff\ndata: 1\n\n", "1")
		}),
		clientCase("parse/byte-order-mark-again", "each stream may begin with a byte-order mark", []string{bom}, func(c *client) {
			s := c.start()
			s.request.send("\ufeff" + soon + "data: 1\n\n")
			s.delivered(byData, bom, "a BOM before the first line is no part of it", data("1"))
			s.over()
			s.starts(s.again())
			s.request.send("\ufeffdata: 2\n\n")
			s.gave(byData, bom, "the stream of a further connection may begin with a BOM as well", data("2"))
		}, again),
	}
}

// pause lets what was sent arrive by itself, so that what follows comes with another read. Nothing rests on it.
func (s *source) pause() { s.collect(maxUnseen, s.c.Timing().Quiet/6) }
