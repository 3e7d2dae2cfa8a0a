package eventbustest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func clientRequestCases() []conformance.Case {
	accept, caches, ended := clientLaw("034"), clientLaw("035"), clientLaw("025")
	return []conformance.Case{
		clientCase("reconnect/accept", "what the request accepts", []string{accept}, func(c *client) {
			value, ok := c.open().first().get("Accept")
			if !ok || !strings.Contains(value, "text/event-stream") {
				c.Chose(accept, "a client may say that it accepts streams of events; some servers answer with one only then", "Accept: "+display(value))
			}
		}),
		clientCase("reconnect/no-caches", "the request asks caches to stand aside", []string{caches}, func(c *client) {
			value, _ := c.open().first().get("Cache-Control")
			if !strings.Contains(value, "no-cache") && !strings.Contains(value, "no-store") {
				c.Broken(conformance.Break{Law: caches, Reason: "no cache answers a request for a stream", Expected: "Cache-Control: no-cache or no-store", Seen: "Cache-Control: " + display(value)})
			}
		}),
		clientCase("reconnect/own-headers", "headers of the user go with every request", []string{ended}, func(c *client) {
			s := c.openWith(sseclient.Order{Headers: map[string]string{"X-Assay": "here"}})
			s.first().stream()
			s.request.send(soon + "data: 1\n\n")
			first, _ := s.request.get("X-Assay")
			s.over()
			second, _ := s.again().get("X-Assay")
			if first != "here" || second != "here" {
				c.Broken(conformance.Break{Law: ended, Reason: "the same request is sent anew", Expected: "X-Assay: here, twice", Seen: display(first) + ", then " + display(second)})
			}
		}, again, sseclient.Headers),
	}
}

func clientStateCases() []conformance.Case {
	state := clientLaw("036")
	return []conformance.Case{
		clientCase("reconnect/state-open", "a source is open once the head is in", []string{state}, func(c *client) {
			s := c.open()
			r := s.first()
			s.is(sseclient.Connecting, state, "before an answer the source is connecting")
			r.stream()
			s.becomes(sseclient.Open, state, "a 200 of the right type opens the source, before any event")
		}, sseclient.StateReported),
		clientCase("reconnect/state-connecting", "a source that waits is connecting", []string{state}, func(c *client) {
			s := c.start()
			s.request.send("retry: 600000\ndata: 1\n\n")
			s.becomes(sseclient.Open, state, "a 200 of the right type opens the source")
			s.over()
			s.becomes(sseclient.Connecting, state, "a source that waits to reconnect is connecting")
		}, sseclient.StateReported, again),
		clientCase("reconnect/state-closed", "a source that failed is closed", []string{state}, func(c *client) {
			s := c.open()
			s.first().answer("404 Not Found", "Content-Type: text/event-stream\r\n", "")
			s.becomes(sseclient.Closed, state, "a status other than 200 closes the source")
		}, sseclient.StateReported),
	}
}

// becomes requires that the source reaches a state while we are patient.
func (s *source) becomes(want, law, reason string) {
	s.c.Step()
	if !s.until(func() bool { return s.state == want }) {
		s.c.Broken(conformance.Break{Law: law, Reason: reason, Expected: want, Seen: s.condition(), Timed: true})
	}
}

// is requires that the source is in a state now.
func (s *source) is(want, law, reason string) {
	s.c.Step()
	s.collect(0, 0)
	if s.state != want {
		s.c.Broken(conformance.Break{Law: law, Reason: reason, Expected: want, Seen: s.condition()})
	}
}
