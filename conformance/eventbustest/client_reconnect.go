package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func clientReconnectCases() []conformance.Case {
	ended, reported, none, silent := clientLaw("025"), clientLaw("027"), clientLaw("028"), clientLaw("037")
	return []conformance.Case{
		clientCase("reconnect/after-the-end", "when the body ends the client asks again", []string{ended}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\n")
			s.delivered(byData, ended, "an event is delivered before the end", data("1"))
			s.request.end()
			s.starts(s.asksAgain(ended, "the end of the body is not the end of the source"))
			s.gave(byData, ended, "the further connection is read")
		}),
		clientCase("reconnect/many-times", "the client asks again as often as the body ends", []string{ended}, func(c *client) {
			s := c.start()
			for i := range 4 {
				s.request.send(soon + fmt.Sprintf("data: %d\n\n", i))
				s.delivered(byData, ended, "events of each connection are delivered", data(fmt.Sprint(i)))
				s.over()
				s.starts(s.asksAgain(ended, "the client asks again as often as the body ends"))
			}
		}, again),
		clientCase("reconnect/empty-body", "a body without any event is a stream as well", []string{ended}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\n")
			s.over()
			s.starts(s.again())
			s.drop()
			s.starts(s.asksAgain(ended, "the end of an empty body is not the end of the source"))
			s.gave(byData, ended, "the further connection is read", data("1"))
		}, again),
		clientCase("reconnect/same-request", "the further request is the same as the first", []string{ended}, func(c *client) {
			s := c.start()
			first := s.request
			s.request.send(soon + "data: 1\n\n")
			s.over()
			r := s.again()
			if r.method != "GET" || first.method != "GET" {
				c.Broken(conformance.Break{Law: ended, Reason: "a source is fetched by GET", Expected: "GET, GET", Seen: first.method + ", " + r.method})
			}
			for _, name := range []string{"host", "accept"} {
				before, _ := first.get(name)
				if after, _ := r.get(name); after != before {
					c.Broken(conformance.Break{Law: ended, Reason: "the same request is sent anew: " + name, Expected: before, Seen: after})
				}
			}
		}, again),
		clientCase("reconnect/reports-the-id", "a further request reports the last event id", []string{reported}, func(c *client) {
			c.reports(reported, "a last event id that is not empty is reported", "id: 4\ndata: 1\n\n", "4")
			c.reports(reported, "an event without an id does not take the id away", "id: 4\ndata: 1\n\ndata: 2\n\n", "4")
		}, again),
		clientCase("reconnect/keeps-the-id", "an id stays over connections that bring none", []string{reported}, func(c *client) {
			s := c.start()
			s.request.send(soon + "id: 4\ndata: 1\n\n")
			s.over()
			for i := range 2 {
				r := s.again()
				s.lastEventID(r, reported, fmt.Sprintf("request %d reports the id of the first stream", i+2), "4")
				s.starts(r)
				s.request.send(": nothing\n\n")
				s.drop()
			}
			s.lastEventID(s.again(), reported, "request 4 reports the id of the first stream", "4")
		}, again),
		clientCase("reconnect/id-of-events-behind", "what a further stream's events without id carry", []string{reported}, func(c *client) {
			s := c.start()
			s.request.send(soon + "id: 4\ndata: 1\n\n")
			s.over()
			s.starts(s.again())
			s.request.send("data: 2\n\n")
			if got, ok := s.toBarrier(); ok && len(got) > 0 {
				c.Chose(reported, "the standard begins each stream with an empty buffer of ids, and browsers keep the id", "the event carries id "+display(got[len(got)-1].ID))
			}
		}, again),
		clientCase("reconnect/new-id", "a further stream's id replaces the older", []string{reported}, func(c *client) {
			s := c.start()
			s.request.send(soon + "id: 4\ndata: 1\n\n")
			s.over()
			s.starts(s.again())
			s.request.send("id: b\ndata: 2\n\n")
			s.over()
			s.lastEventID(s.again(), reported, "the last event id is that of the newest stream", "b")
		}, again),
		clientCase("reconnect/no-id-at-first", "the first request reports no id", []string{none}, func(c *client) {
			s := c.open()
			s.lastEventID(s.first(), none, "a client that never saw an id reports none", "")
		}),
		clientCase("reconnect/no-id-without-ids", "a client that saw no id reports none", []string{none}, func(c *client) {
			c.reports(none, "a client that never saw an id reports none", "data: 1\n\n", "")
		}, again),
		clientCase("reconnect/starting-id", "a client that was given an id reports it at once", []string{reported}, func(c *client) {
			s := c.openWith(sseclient.Order{LastEventID: "41"})
			s.lastEventID(s.first(), reported, "the id that a client was given is its last event id", "41")
			s.request.stream()
			s.request.send(soon + "id: 42\ndata: 1\n\n")
			s.over()
			s.lastEventID(s.again(), reported, "a newer id replaces the one that was given", "42")
		}, again, sseclient.StartingID),
		clientCase("reconnect/shut-while-open", "a closed client gives its connection up", []string{silent}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\n")
			s.delivered(byData, silent, "an event is delivered before the client is closed", data("1"))
			s.shut()
			s.givesUp(silent, "a client that its user has closed ends its connection")
			s.asksNoMore(silent, "a client that its user has closed does not ask again")
		}),
		clientCase("reconnect/shut-while-waiting", "a client that is closed while it waits does not ask again", []string{silent}, func(c *client) {
			s := c.start()
			s.request.send("retry: 1500\ndata: 1\n\n")
			s.delivered(byData, silent, "an event is delivered before the end", data("1"))
			s.over()
			s.pause()
			s.shut()
			s.asksNoMore(silent, "a client that its user has closed does not ask again")
		}),
	}
}

// givesUp requires that the client ends its connection.
func (s *source) givesUp(law, reason string) {
	if !s.ends() {
		s.c.Broken(conformance.Break{
			Law: law, Reason: reason, Expected: "the end of the connection", Seen: fmt.Sprintf("it is open after %v", s.c.patience()), Timed: true,
		})
	}
}
