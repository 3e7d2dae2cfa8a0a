package stomptest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// Dial orders the testee to open a session in the case's version and takes the connection in up to its
// CONNECT, which it returns. It is to be answered, by Connected or otherwise; then the order has a report.
func (c *clientT) Dial(f fields) (*wire, *wireFrame, *order) {
	v := c.Version()
	if v == "" {
		v = c.Best()
	}
	all := fields{"version": v, "beats": []int{0, 0}}
	for k, x := range f {
		all[k] = x
	}
	o := c.Order("connect", all)
	conn, err := c.testee.Accept(fmt.Sprintf("subject-%d", len(c.subjects)+1))
	if err != nil {
		r, lost := o.Try()
		c.Blocked("prerequisite", "the client opens no connection: %v; it reports %q %v", err, r.Error, lost)
	}
	p := c.peer(conn.Name, conn)
	p.version, p.reader.version = v, v
	c.subjects = append(c.subjects, p)
	got := p.Expect("", "the client connects", "CONNECT", func(f *wireFrame) bool { return f.Command == "CONNECT" || f.Command == "STOMP" })
	return p, got, o
}

// offers reports whether a CONNECT offers a version; one without accept-version offers 1.0.
func offers(connect *wireFrame, version string) bool {
	accept, ok := connect.Lookup("accept-version")
	if !ok {
		return version == "1.0"
	}
	return slices.Contains(strings.Split(strings.ReplaceAll(accept, " ", ""), ","), version)
}

// ConnectedFrame returns the CONNECTED that a broker answers a CONNECT with, in the peer's version.
func (p *wire) ConnectedFrame(connect *wireFrame, kv ...string) *wireFrame {
	f := frameOf("CONNECTED")
	if _, ok := connect.Lookup("accept-version"); ok {
		f.With("version", p.version)
	}
	f.With("session", "session-1").With("server", "assay/1")
	if p.version != "1.0" {
		f.With("heart-beat", "0,0")
	}
	for i := 0; i+1 < len(kv); i += 2 {
		f.Headers = slices.DeleteFunc(f.Headers, func(h header) bool { return h.Name == kv[i] })
		f.With(kv[i], kv[i+1])
	}
	return f
}

// Connect opens a session in the case's version, which the broker chooses from what the client offers.
func (c *clientT) Connect() *wire { return c.ConnectWith(nil) }

// ConnectWith is Connect with more fields in the order.
func (c *clientT) ConnectWith(f fields, connected ...string) *wire {
	p, connect, o := c.Dial(f)
	if !offers(connect, p.version) {
		c.Unsupported("the client does not offer %s: accept-version %q", p.version, connect.Get("accept-version"))
	}
	p.receipts = true
	p.Send(p.ConnectedFrame(connect, connected...))
	r, err := o.Try()
	switch {
	case err != nil:
		c.Blocked("stomp/client/connect/opens-a-session", "%v", err)
	case r.Error != "":
		c.Blocked("stomp/client/connect/opens-a-session", "the library failed: %s", r.Error)
	}
	return p
}

// A subscription is a subscription of the subject.
type subscription struct {
	c           *clientT
	p           *wire
	ID          string // as on the wire; empty if the client sent none
	Destination string
	Ack         string
	Frame       *wireFrame // its SUBSCRIBE
}

// Subscribe orders a subscription and takes its SUBSCRIBE in.
func (c *clientT) Subscribe(p *wire, ack string) *subscription {
	return c.SubscribeAs(p, fmt.Sprintf("s%d", c.numbered), ack)
}

// SubscribeAs is Subscribe under an id, which a library may overrule.
func (c *clientT) SubscribeAs(p *wire, id, ack string) *subscription {
	dest := "/queue/" + c.Unique("q")
	o := c.Order("subscribe", fields{"id": id, "destination": dest, "ack": ack})
	f := p.Expect("", "the client subscribes", "SUBSCRIBE", is("SUBSCRIBE"))
	o.Done()
	s := &subscription{c: c, p: p, ID: f.Get("id"), Destination: dest, Ack: ack, Frame: f}
	if s.Ack == "" {
		s.Ack = "auto"
	}
	return s
}

// MessageFrame returns the next MESSAGE of a subscription, as the version has it.
func (s *subscription) MessageFrame(body string, kv ...string) *wireFrame {
	s.c.messages++
	n := s.c.messages
	f := frameOf("MESSAGE", "destination", s.Destination, "message-id", fmt.Sprintf("m-%d", n))
	if s.ID != "" {
		f.With("subscription", s.ID)
	}
	if s.p.version == "1.2" && s.Ack != "auto" {
		f.With("ack", fmt.Sprintf("a-%d", n))
	}
	for i := 0; i+1 < len(kv); i += 2 {
		f.With(kv[i], kv[i+1])
	}
	f.Body = []byte(body)
	return f
}

// Deliver sends one MESSAGE and returns it.
func (s *subscription) Deliver(body string, kv ...string) *wireFrame {
	f := s.MessageFrame(body, kv...)
	s.p.Send(f)
	return f
}

// AckNames checks that an ACK or NACK names a message as its version demands (STOMP-ACK-001 to -003).
func (c *clientT) AckNames(f, m *wireFrame) {
	law := map[string]string{"1.0": "STOMP-ACK-001", "1.1": "STOMP-ACK-002", "1.2": "STOMP-ACK-003"}[c.Version()]
	const reason = "an acknowledgement names the message by the header that the version has for it"
	switch c.Version() {
	case "1.2":
		c.CheckEqual(law, reason, m.Get("ack"), f.Get("id"))
	case "1.1":
		c.CheckEqual(law, reason, m.Get("subscription"), f.Get("subscription"))
		fallthrough
	default:
		c.CheckEqual(law, reason, m.Get("message-id"), f.Get("message-id"))
	}
}

// WellFormed checks that every frame which the client sent so far keeps the grammar of the case's version. The
// laws that it may find broken must be cited: see wireLaws.
func (c *clientT) WellFormed(frames ...*wireFrame) {
	for _, f := range frames {
		c.Step()
		for _, fault := range f.Faults {
			c.Broken(conformance.Break{
				Law: fault.Law, Reason: "what a client sends keeps the grammar of the version",
				Expected: "a well-formed frame", Seen: fault.Text + " in " + conformance.EscapeMax(f.Raw, 160),
			})
		}
	}
}

// wireLaws are what WellFormed decides.
var wireLaws = []string{
	"STOMP-FRAME-007", "STOMP-HDR-001", "STOMP-FRAME-014", "STOMP-HDR-005", "STOMP-ESC-003", "STOMP-BODY-008", "STOMP-BODY-010",
}
