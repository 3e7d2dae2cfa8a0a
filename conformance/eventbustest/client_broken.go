package eventbustest

import (
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

func clientBrokenCases() []conformance.Case {
	broken, unanswered := clientLaw("026"), clientLaw("029")
	return []conformance.Case{
		clientCase("reconnect/after-a-reset", "after a reset the client asks again", []string{broken}, func(c *client) {
			s := c.brief(broken)
			s.request.reset()
			s.asksAgain(broken, "a connection that was reset is one that ended")
		}),
		clientCase("reconnect/after-a-cut-chunk", "after a cut inside a chunk the client asks again", []string{broken}, func(c *client) {
			s := c.brief(broken)
			s.request.octets("40\r\ndata: never")
			s.request.conn.Close()
			s.asksAgain(broken, "a body that breaks off inside a chunk is one that ended")
		}),
		clientCase("reconnect/after-a-missing-end", "after a body without its last chunk the client asks again", []string{broken}, func(c *client) {
			s := c.brief(broken)
			s.request.conn.Close()
			s.asksAgain(broken, "a body that ends without its last chunk is one that ended")
		}),
		clientCase("reconnect/after-a-short-body", "after a body shorter than announced the client asks again", []string{broken}, func(c *client) {
			s := c.open()
			s.first().octets("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + crossOrigin + "Connection: close\r\nContent-Length: 1000\r\n\r\n")
			s.request.octets(soon + "data: 1\n\n")
			s.delivered(byData, broken, "an event is delivered before the body breaks off", data("1"))
			s.request.conn.Close()
			s.asksAgain(broken, "a body that is shorter than announced is one that ended")
		}),
		clientCase("reconnect/id-after-a-reset", "after a reset the last event id is reported", []string{clientLaw("027")}, func(c *client) {
			s := c.start()
			s.request.send(soon + "id: 4\ndata: 1\n\n")
			s.until(func() bool { return len(s.events) > 0 })
			s.request.reset()
			if !s.came() {
				c.Blocked("eventbus/client/reconnect/after-a-reset", "no further request came after a reset")
			}
			s.lastEventID(s.request, clientLaw("027"), "a last event id that is not empty is reported after a reset as well", "4")
		}),
		clientCase("reconnect/unanswered", "a reconnect without an answer is tried again", []string{unanswered}, func(c *client) {
			s := c.start()
			s.request.send(soon + "id: 4\ndata: 1\n\n")
			s.over()
			s.again().reset()
			s.asksAgain(unanswered, "an attempt that was reset is tried again").conn.Close()
			r := s.asksAgain(unanswered, "an attempt that got no answer is tried again")
			s.lastEventID(r, unanswered, "the last event id stays over attempts without an answer", "4")
			s.starts(r)
			s.gave(byData, unanswered, "the connection that is answered at last is read", data("1"))
		}, again),
		clientCase("reconnect/cut-head", "a reconnect that breaks off in the head is tried again", []string{unanswered}, func(c *client) {
			s := c.start()
			s.request.send(soon + "data: 1\n\n")
			s.over()
			r := s.again()
			r.octets("HTTP/1.1 200 OK\r\nContent-Type: text/ev")
			r.conn.Close()
			s.asksAgain(unanswered, "an attempt whose answer broke off in the head is tried again")
		}, again),
		clientCase("reconnect/first-unanswered", "what becomes of a first attempt without an answer", []string{unanswered}, func(c *client) {
			s := c.open()
			s.first().reset()
			if s.came() {
				c.Chose(unanswered, "a client may give up where it knows that trying is futile", "the first attempt is tried again")
				return
			}
			s.collect(0, 0)
			c.Chose(unanswered, "a client may give up where it knows that trying is futile", "the first attempt is not tried again; the client is "+s.condition())
		}),
	}
}

// brief starts a client and has it show one event of a stream that asks it to be quick.
func (c *client) brief(law string) *source {
	s := c.start()
	s.request.send(soon + "data: 1\n\n")
	s.delivered(byData, law, "an event is delivered before the connection breaks", data("1"))
	return s
}

// ends reports whether the client ends the connection of the newest request while we are patient.
func (s *source) ends() bool {
	for deadline := time.Now().Add(s.c.patience()); ; {
		if _, ok := s.request.conn.Next(s.c.Context(), deadline); ok {
			continue
		}
		ending, _ := s.request.conn.Ending()
		return ending != conformance.Open
	}
}
