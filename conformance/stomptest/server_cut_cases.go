package stomptest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

const wholeFrames = "a frame that was cut short is not whole and not processed"

func cutCases() []conformance.Case {
	return append(cutPlainCases(), cutSettleCases()...)
}

// cutCase is a case that cuts a dialogue everywhere.
func cutCase(name, title string, options, laws []string, c cutting) conformance.Case {
	return conformance.Case{
		ID: "stomp/server/robustness/cut-" + name, Title: "a connection that is cut at any octet of " + title,
		Laws:     append([]string{served, "STOMP-FRAME-001", "STOMP-SEND-004"}, laws...),
		Versions: every, Needs: conformance.Needs{Options: append([]string{Delivery, Receipts}, options...)},
		Run: run(func(s *serverT) {
			c := c
			c.s = s
			if c.early == "" {
				c.early, c.reason = "STOMP-FRAME-001", wholeFrames
			}
			// 1.0 does not say what becomes of a transaction when its connection fails.
			if c.early == "STOMP-TX-005" && s.Version() == "1.0" {
				c.early, c.reason = "STOMP-TX-003", "no message of a transaction is visible before its COMMIT"
			}
			c.everywhere()
		}),
	}
}

func cutPlainCases() []conformance.Case {
	transactional := []string{Transactions}
	tx := []string{"STOMP-TX-003", "STOMP-TX-005"}
	const aborted = "a transaction that was not committed when its connection failed has no effect"
	return []conformance.Case{
		cutCase("connect", "CONNECT", nil, nil, cutting{
			handshake: true, visible: -1,
			frames: func(c *cutting, _ string) []string {
				return []string{string(c.s.ConnectFrame(c.s.Version()).Encode(c.s.Version()))}
			},
		}),
		cutCase("connect-send", "CONNECT and SEND in one packet", nil, nil, cutting{
			handshake: true, visible: 1,
			frames: func(c *cutting, n string) []string {
				return []string{string(c.s.ConnectFrame(c.s.Version()).Encode(c.s.Version())), c.send(n)}
			},
		}),
		cutCase("send", "SEND", nil, nil, cutting{
			frames: func(c *cutting, n string) []string { return []string{c.send(n)} },
		}),
		cutCase("two-sends", "two SENDs, with escapes and an EOL between them", nil, nil, cutting{
			visible: 1,
			frames: func(c *cutting, n string) []string {
				first := c.frame("SEND", "destination", c.s.Topic(), "x", "first") + "\n"
				if c.s.Version() == "1.0" {
					return []string{first, c.send(n, "x", `a\b`)}
				}
				return []string{first, c.send(n, "x:y", "a\\b\nc", "größe", "日本")}
			},
		}),
		cutCase("subscribe", "SUBSCRIBE", nil, nil, cutting{
			visible: -1,
			frames: func(c *cutting, _ string) []string {
				return []string{c.frame("SUBSCRIBE", "id", "1", "destination", c.place, "ack", "client")}
			},
		}),
		cutCase("unsubscribe", "SUBSCRIBE and UNSUBSCRIBE", nil, nil, cutting{
			visible: -1,
			frames: func(c *cutting, _ string) []string {
				return []string{c.frame("SUBSCRIBE", "id", "1", "destination", c.place), c.frame("UNSUBSCRIBE", "id", "1", "destination", c.place)}
			},
		}),
		cutCase("commit", "BEGIN, SEND and COMMIT", transactional, tx, cutting{
			visible: 2, early: "STOMP-TX-005", reason: aborted,
			frames: func(c *cutting, n string) []string {
				return []string{c.frame("BEGIN", "transaction", "t"), c.send(n, "transaction", "t"), c.frame("COMMIT", "transaction", "t")}
			},
		}),
		cutCase("abort", "BEGIN, SEND and ABORT", transactional, tx, cutting{
			visible: -1, early: "STOMP-TX-005", reason: aborted,
			frames: func(c *cutting, n string) []string {
				return []string{c.frame("BEGIN", "transaction", "t"), c.send(n, "transaction", "t"), c.frame("ABORT", "transaction", "t")}
			},
		}),
		cutCase("disconnect", "SEND and DISCONNECT", nil, nil, cutting{
			frames: func(c *cutting, n string) []string {
				return []string{c.send(n), c.frame("DISCONNECT", "receipt", "bye")}
			},
		}),
	}
}

func cutSettleCases() []conformance.Case {
	settling := func(name, title, command, mode string, versions []string, options ...string) conformance.Case {
		return conformance.Case{
			ID: "stomp/server/robustness/cut-" + name, Title: "a connection that is cut at any octet of " + title,
			Laws:     []string{served, "STOMP-SUBSCRIBE-008", "STOMP-SEND-004"},
			Versions: versions, Needs: conformance.Needs{Options: append([]string{Delivery, Receipts, Queues, Acks}, options...)},
			Run: run(func(s *serverT) { s.cutSettling(command, mode) }),
		}
	}
	return []conformance.Case{
		settling("ack", "ACK in client mode", "ACK", "client", every),
		settling("ack-individual", "ACK in client-individual mode", "ACK", "client-individual", since11, ClientIndividual),
		settling("nack", "NACK", "NACK", "client-individual", since11, ClientIndividual, Nack),
	}
}

// cutSettling cuts connections at each octet of an ACK or NACK, each with a queue and a message of its
// own, and looks at what is left in the queues.
func (s *serverT) cutSettling(command, mode string) {
	const reason = "a message whose ACK or NACK did not come whole is not settled and may be delivered again"
	feeder := s.Connect("feeder")
	var queues, places []string
	whole := -1
	for whole < 0 && len(queues) < farthest {
		q, n := s.Queue(), len(queues)
		feeder.Deliver(q, fmt.Sprintf("settle %04d", n))
		p := s.stillConnects("cut", "a connection that was cut")
		p.Send(frameOf("SUBSCRIBE", "id", "s", "destination", q, "ack", mode))
		m := p.Message("", "a message arrives to be settled")
		if p.version == "1.2" && m.Get("ack") == "" {
			s.Blocked("prerequisite", "MESSAGE has no ack header to settle it by: %s", m)
		}
		octets := string(p.AckFrame(command, m).Encode(p.version))
		at := min(n, len(octets))
		if n > len(octets) {
			whole = len(octets)
		}
		p.RawString(octets[:at])
		p.leave(n)
		queues, places = append(queues, q), append(places, where([]string{octets}, at))
	}
	s.serves("connections that were cut at each octet of " + command)
	w := s.stillConnects("witness", "connections that were cut")
	for i, q := range queues {
		w.Send(frameOf("SUBSCRIBE", "id", fmt.Sprint(i), "destination", q, "ack", "auto"))
	}
	back := make([]bool, len(queues))
	for slices.Contains(back[:whole], false) {
		m := w.Await(is("MESSAGE"), s.Timing().Reply).Frame
		if m == nil {
			break
		}
		s.settled(m, back)
	}
	for f := range untilQuiet(w) {
		if f.Command == "MESSAGE" {
			s.settled(f, back)
		}
	}
	for n := range whole {
		if !back[n] {
			s.Broken(conformance.Break{Law: "STOMP-SUBSCRIBE-008", Reason: reason, Expected: places[n] + ": the message is delivered again", Seen: places[n] + ": it is gone", Timed: true})
		}
	}
	s.Note("cuts", "%d; the message came back after a whole %s: %v", len(queues), command, slices.Contains(back[whole:], true))
}

// settled notes a message that came back, which must be one that was sent.
func (s *serverT) settled(m *wireFrame, back []bool) {
	n := -1
	_, _ = fmt.Sscanf(string(m.Body), "settle %04d", &n)
	if n < 0 || n >= len(back) || string(m.Body) != fmt.Sprintf("settle %04d", n) {
		s.Check(false, "STOMP-SEND-004", "a message that is delivered again is the one that was sent", "settle and a number", m.String())
		return
	}
	back[n] = true
}
