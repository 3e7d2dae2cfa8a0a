package stomptest

import (
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// clientAckValueCases are about the value by which an acknowledgement names its message: it comes back as it went.
func clientAckValueCases() []conformance.Case {
	modes := conformance.Needs{Options: []string{ChoiceOfAck}}
	escaped := slices.Concat(encodingLaws, ackLaws, []string{"STOMP-ESC-012"})
	return []conformance.Case{
		{
			ID:       "stomp/client/ack/value-with-colon-and-backslash",
			Title:    "a name with colons and backslashes comes back as the version writes it",
			Laws:     escaped,
			Versions: every,
			Needs:    modes,
			Run:      acksValue(`ID:host-1:2\q\`),
		},
		{
			ID:       "stomp/client/ack/value-like-an-escape",
			Title:    "a name that reads like an escape is decoded once and encoded once",
			Laws:     escaped,
			Versions: every,
			Needs:    modes,
			Run:      acksValue(`a\cb\\n\n`),
		},
		{
			ID:       "stomp/client/ack/value-with-line-end",
			Title:    "a name with an LF comes back escaped",
			Laws:     escaped,
			Versions: since11,
			Needs:    modes,
			Run:      acksValue("a\nb"),
		},
		{
			ID:       "stomp/client/ack/value-in-utf8",
			Title:    "a name of letters beyond ASCII comes back octet for octet",
			Laws:     escaped,
			Versions: since11,
			Needs:    modes,
			Run:      acksValue("nachricht-größe-漢-😀"),
		},
		{
			ID:       "stomp/client/ack/value-with-spaces",
			Title:    "spaces around a name are part of it",
			Laws:     append([]string{"STOMP-HDR-007"}, escaped...),
			Versions: since11,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				m := sub.named(" a b ")
				f := c.acks(sub, c.hands(sub, m))
				got, named := f.Lookup(ackHeader(c.Version()))
				if !named || c.CheckEqual("STOMP-HDR-007", "headers are never trimmed", " a b ", got) {
					c.AckNames(f, m)
				}
			}),
		},
		{
			ID:       "stomp/client/ack/value-of-digits",
			Title:    "a name of digits is no number",
			Laws:     escaped,
			Versions: every,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				for _, value := range []string{"007", "1e3", "0", "-0.50", "90071992547409931234"} {
					m := sub.named(value)
					c.AckNames(c.acks(sub, c.hands(sub, m)), m)
				}
			}),
		},
		{
			ID:       "stomp/client/ack/long-value",
			Title:    "a name of a thousand letters comes back whole",
			Laws:     escaped,
			Versions: every,
			Needs:    modes,
			Run:      acksValue(strings.Repeat("0123456789", 100)),
		},
		{
			ID:       "stomp/client/ack/first-of-repeated-headers",
			Title:    "of a repeated header the first names the message",
			Laws:     append([]string{"STOMP-HDR-009"}, ackLaws...),
			Versions: since11,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				name := map[string]string{"1.1": "message-id", "1.2": "ack"}[c.Version()]
				m := sub.MessageFrame("one", name, "an older one")
				sub.p.Send(m)
				e := c.Await("message")
				if e.Kind != "message" {
					c.Stopped(conformance.Break{Law: "STOMP-HDR-009", Reason: "headers may be repeated", Expected: "the message is shown", Seen: e.String()})
				}
				f := c.acks(sub, e)
				got, named := f.Lookup(ackHeader(c.Version()))
				if !named || c.CheckEqual("STOMP-HDR-009", "of repeated headers the first holds", m.Get(name), got) {
					c.AckNames(f, m)
				}
			}),
		},
		{
			ID:       "stomp/client/ack/takes-nothing-from-the-message",
			Title:    "what a MESSAGE says of its own body does not stand in its ACK",
			Laws:     append([]string{"STOMP-BODY-001", "STOMP-BODY-008"}, ackLaws...),
			Versions: every,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				m := sub.MessageFrame("twelve octet", "content-length", "12", "content-type", "text/plain", "x-own", "1", "priority", "4")
				e := c.hands(sub, m)
				c.Do("ack", fields{"message": e.Message})
				o := sub.p.Await(is("ACK"), c.Timing().Reply)
				if o.Frame == nil {
					c.Stopped(conformance.Break{
						Law: "STOMP-BODY-008", Reason: "an ACK says no length but that of its own body", Expected: "an ACK that ends",
						Seen: o.String() + ", a frame begun: " + conformance.EscapeMax(sub.p.reader.buf, 200), Timed: o.Timed,
					})
				}
				c.AckNames(o.Frame, m)
				c.bodiless(o.Frame)
			}),
		},
		{
			ID:       "stomp/client/ambiguity/ack-takes-headers-of-the-message",
			Title:    "whether headers of a MESSAGE find their way into its ACK",
			Laws:     []string{"STOMP-ACK-005"},
			Versions: every,
			Needs:    modes,
			Run: runClient(func(c *clientT) {
				sub := c.SubscribeAs(c.Connect(), "s-1", "client")
				e := c.hands(sub, sub.MessageFrame("x", "x-own", "1", "transaction", "of-the-sender"))
				c.Do("ack", fields{"message": e.Message})
				f := sub.p.Expect("", "the client acknowledges", "ACK", is("ACK"))
				seen := ""
				for _, name := range []string{"x-own", "transaction", "destination"} {
					if headerNamed(f, name) {
						seen += " " + name
					}
				}
				c.Chose("STOMP-ACK-005", "headers beyond those of the version are the library's choice", "taken over:"+seen)
			}),
		},
	}
}

// ackHeader returns the header by which a version's ACK names its message.
func ackHeader(version string) string {
	if version == "1.2" {
		return "id"
	}
	return "message-id"
}

// named returns the next MESSAGE of a subscription under the name that an acknowledgement has to use for it.
func (s *subscription) named(value string) *wireFrame {
	name := "message-id"
	if s.p.version == "1.2" {
		name = "ack"
	}
	m := s.MessageFrame("named")
	for i := range m.Headers {
		if m.Headers[i].Name == name {
			m.Headers[i].Value = value
		}
	}
	return m
}

// acksValue is a case that has a message with that name acknowledged.
func acksValue(value string) caseFunc {
	return runClient(func(c *clientT) {
		sub := c.SubscribeAs(c.Connect(), "s-1", "client")
		m := sub.named(value)
		f := c.acks(sub, c.hands(sub, m))
		once := "STOMP-ESC-012"
		if c.Version() == "1.0" {
			once = "STOMP-ESC-010"
		}
		got, named := f.Lookup(ackHeader(c.Version()))
		if !named || c.CheckEqual(once, "a name is decoded once, encoded once and otherwise left as it is", value, got) {
			c.AckNames(f, m)
		}
		if named && got == value {
			c.Writes(f, encodingLaw(c.Version()), ackHeader(c.Version()), value)
		}
	})
}

// bodiless checks that a frame without a body has none and says so if it says anything.
func (c *clientT) bodiless(f *wireFrame) {
	law := "STOMP-BODY-001"
	if c.Version() == "1.0" {
		law = "STOMP-BODY-008"
	}
	c.CheckEqual(law, f.Command+" has no body", "", string(f.Body))
	for _, fault := range f.Faults {
		if fault.Law == "STOMP-BODY-008" {
			c.Broken(conformance.Break{Law: fault.Law, Reason: "content-length is the number of octets of the body", Expected: "content-length:0 or none", Seen: fault.Text})
		}
	}
}
