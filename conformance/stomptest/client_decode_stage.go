package stomptest

import (
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// plain is a header that stands in every MESSAGE whose headers are judged. A library that does not show it
// shows its user no headers of a sender's own, and then the others are not to be seen either.
const plain = "x-plain"

// listening opens a session with one subscription in mode auto.
func (c *clientT) listening() *subscription { return c.Subscribe(c.Connect(), "auto") }

// raw returns the octets of the next MESSAGE of the subscription, with more header lines as they are, each
// with its line end, and a body that is not counted.
func (s *subscription) raw(lines, body string) string {
	head := string(s.MessageFrame("").Encode(s.p.version))
	return strings.TrimSuffix(head, "\n\x00") + lines + "\n" + body + "\x00"
}

// write sends what raw returns.
func (s *subscription) write(lines, body string) { s.p.RawString(s.raw(lines, body)) }

// conveys delivers bodies, each counted, and checks that the library shows each as it was sent.
func (c *clientT) conveys(law, reason, contentType string, bodies ...string) {
	s := c.listening()
	for _, body := range bodies {
		s.Deliver(body, "content-type", contentType)
		c.DeliveredAs(law, reason, body)
	}
}

// decodes delivers a MESSAGE with header lines as they are on the wire and checks how the library shows them.
func (c *clientT) decodes(law, reason, lines string, kv ...string) {
	s := c.listening()
	s.write(plain+":1\n"+lines, "decodes")
	c.shows(c.DeliveredAs(law, reason, "decodes"), law, reason, kv...)
}

// clientCase is a case of one law that needs nothing of the client but its versions.
func clientCase(id, title string, versions []string, law string, body func(c *clientT)) conformance.Case {
	return conformance.Case{ID: id, Title: title, Versions: versions, Laws: []string{law}, Run: runClient(body)}
}

func decodeCase(id, title string, versions []string, law, reason, lines string, kv ...string) conformance.Case {
	return clientCase(id, title, versions, law, func(c *clientT) { c.decodes(law, reason, lines, kv...) })
}

func headerChoice(id, title string, versions []string, law, reason, lines, name string) conformance.Case {
	return clientCase(id, title, versions, law, func(c *clientT) { c.choosesHeader(law, reason, lines, name) })
}

// shows checks headers of a message that the library shows.
func (c *clientT) shows(e event, law, reason string, kv ...string) {
	c.showsHeaders(e)
	for i := 0; i+1 < len(kv); i += 2 {
		c.showsOne(e, law, reason, kv[i], kv[i+1])
	}
}

// showsHeaders ends the case as unsupported when the library does not show the headers of a message.
func (c *clientT) showsHeaders(e event) {
	if e.Headers[plain] != "1" {
		c.Unsupported("the library does not show the headers of a message: %s", e)
	}
}

func (c *clientT) showsOne(e event, law, reason, name, want string) bool {
	got, ok := e.Headers[name]
	if !ok {
		return c.Check(false, law, reason, "header "+quoted(name, 80)+" with value "+quoted(want, 80), "no such header: "+e.String())
	}
	return c.CheckEqual(law, reason, want, got)
}

// choosesHeader records how the library shows a header of which the texts do not say how.
func (c *clientT) choosesHeader(law, reason, lines, name string) {
	s := c.listening()
	s.write(plain+":1\n"+lines, "chooses")
	e := c.Await("message")
	if e.Kind != "message" {
		c.Chose(law, reason, "not delivered; the client shows "+e.Kind)
		return
	}
	c.showsHeaders(e)
	got, ok := e.Headers[name]
	if !ok {
		c.Chose(law, reason, "delivered without the header")
		return
	}
	c.Chose(law, reason, quoted(got, 80))
}

// bears delivers a frame that is legal and large. A client may have bounds and say so; what it delivers is whole.
func (c *clientT) bears(law, what string, f *wireFrame, s *subscription) (e event, delivered bool) {
	c.Step()
	s.p.Send(f)
	e = c.Await("message")
	switch {
	case e.Kind == "message":
		return e, true
	case e.Kind == "error" || e.Over() || c.subjectEnded():
		c.Chose(law, "no text says how much a client takes: "+what, "refused")
		c.Note("refused", "%s", e)
	default:
		c.Broken(conformance.Break{Law: law, Reason: what + " is a message like any other", Expected: "delivered, or refused in the open", Seen: e.String(), Timed: true})
	}
	return e, false
}
