package eventbustest

import (
	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func clientStatusCases() []conformance.Case {
	only200, stop, kind := clientLaw("030"), clientLaw("031"), clientLaw("032")
	cases := []conformance.Case{
		clientCase("status/204", "a first answer of 204 ends the source", []string{stop}, func(c *client) {
			s := c.open()
			s.first().octets("HTTP/1.1 204 No Content\r\n" + crossOrigin + "Connection: close\r\n\r\n")
			s.request.conn.Close()
			s.asksNoMore(stop, "204 tells a client to stop")
		}),
		clientCase("status/204-on-reconnect", "204 on a reconnect ends the source", []string{stop}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\n")
			s.over()
			s.again().octets("HTTP/1.1 204 No Content\r\n" + crossOrigin + "Connection: close\r\n\r\n")
			s.request.conn.Close()
			s.asksNoMore(stop, "204 tells a client to stop")
		}, again),
		clientCase("status/404-on-reconnect", "404 on a reconnect ends the source", []string{only200}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\n")
			s.over()
			s.again().answer("404 Not Found", "Content-Type: text/event-stream\r\n", "data: no\n\n")
			s.refused(only200, "a status other than 200 fails the source for good", data("1"))
		}, again),
		clientCase("status/500-on-reconnect", "500 and 503 on a reconnect end the source", []string{only200}, func(c *client) {
			for _, status := range []string{"500 Internal Server Error", "503 Service Unavailable"} {
				s := c.start()
				s.request.send(soon + "data: 1\n\n")
				s.over()
				s.again().answer(status, "Content-Type: text/event-stream\r\n", "data: no\n\n")
				s.refused(only200, "a status other than 200 fails the source for good", data("1"))
			}
		}, again),
		clientCase("status/type-on-reconnect", "another type on a reconnect ends the source", []string{kind}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\n")
			s.over()
			s.again().answer("200 OK", "Content-Type: text/html\r\n", "data: no\n\n")
			s.refused(kind, "only text/event-stream is a stream", data("1"))
		}, again),
	}
	for _, status := range []string{
		"201 Created", "202 Accepted", "205 Reset Content", "206 Partial Content", "299 Odd", "400 Bad Request", "401 Unauthorized", "403 Forbidden",
		"404 Not Found", "410 Gone", "429 Too Many Requests", "500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable", "599 Odd",
	} {
		cases = append(cases, clientCase("status/"+status[:3], "a first answer of "+status[:3]+" ends the source", []string{only200}, func(c *client) {
			s := c.open()
			body := soon + "data: no\n\n"
			if status[:3] == "205" {
				body = ""
			}
			s.first().answer(status, "Content-Type: text/event-stream\r\n", body)
			s.refused(only200, "a status other than 200 fails the source for good")
		}))
	}
	for _, t := range []struct{ name, value string }{
		{"plain-text", "text/plain"},
		{"html", "text/html; charset=utf-8"},
		{"json", "application/json"},
		{"longer-type", "text/event-stream-x"},
		{"other-tree", "application/event-stream"},
		{"type-in-a-parameter", `text/plain; a="text/event-stream"`},
		{"no-type", ""},
	} {
		cases = append(cases, clientCase("status/"+t.name, "200 with content type "+display(t.value), []string{kind}, func(c *client) {
			s := c.open()
			s.first().streamAs("200 OK", t.value)
			s.request.send(soon + "data: no\n\n")
			s.request.end()
			s.refused(kind, "only text/event-stream is a stream")
		}))
	}
	for _, t := range []struct{ name, value string }{
		{"parameters", "text/event-stream; charset=utf-8; x=y"}, {"quoted-parameter", `text/event-stream;x="a;b, c"`}, {"letter-case", "Text/Event-STREAM"}, {"padded", "  text/event-stream ;charset=utf-8"},
	} {
		cases = append(cases, clientCase("status/type-with-"+t.name, "200 with content type "+display(t.value), []string{kind}, func(c *client) {
			s := c.open()
			s.first().streamAs("200 OK", t.value)
			s.request.send("data: 1\n\n")
			s.gave(byData, kind, "letter case and parameters of the type do not matter", data("1"))
		}))
	}
	return cases
}

// refused requires that nothing was delivered of an answer and that the client asks no more. What came of streams before it is
// given.
func (s *source) refused(law, reason string, before ...sseclient.Event) {
	s.asksNoMore(law, reason)
	s.collect(0, 0)
	if got := byData.list(s.events); got != byData.list(before) {
		s.c.Broken(conformance.Break{Law: law, Reason: reason, Expected: byData.list(before), Seen: got})
	}
}
