package stomptest

import (
	"github.com/seed-6f28358b/assay/conformance"
)

// offence is one frame or octet sequence that no version allows.
type offence struct {
	name   string
	octets func(s *serverT) []byte
}

var offences = []offence{
	{"an undefined escape", func(s *serverT) []byte {
		return []byte("SEND\ndestination:" + escape(s.Topic(), s.Version()) + "\nx:a\\tb\n\n\x00")
	}},
	{"a SEND without destination", func(s *serverT) []byte { return frameOf("SEND").Carrying("x").Encode(s.Version()) }},
	{"an unknown command", func(s *serverT) []byte { return frameOf("BOGUS", "destination", s.Topic()).Encode(s.Version()) }},
	{"a SUBSCRIBE without id and destination", func(s *serverT) []byte { return frameOf("SUBSCRIBE").Encode(s.Version()) }},
	{"a COMMIT of an unknown transaction", func(s *serverT) []byte { return frameOf("COMMIT", "transaction", s.Unique("tx")).Encode(s.Version()) }},
}

func errorCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/error/closes-the-connection",
			Title:    "after an ERROR no frame follows and the connection ends",
			Laws:     []string{"STOMP-ERROR-001"},
			Versions: only12,
			Run: run(func(s *serverT) {
				provoked := 0
				for _, o := range offences {
					p := s.Connect(o.name)
					p.Raw(o.octets(s))
					if out := p.Await(is("ERROR"), s.Timing().Reply); out.Frame == nil {
						s.Note(o.name, "no ERROR: %s", out)
						continue
					}
					provoked++
					p.End("STOMP-ERROR-001", "the connection is closed after the ERROR that answers "+o.name)
					if late := p.Drain(anyFrame); len(late) > 0 {
						s.Check(false, "STOMP-ERROR-001", "no frame follows the ERROR that answers "+o.name, "nothing", late[0].String())
					}
				}
				if provoked == 0 {
					s.Blocked("stomp/server/error/describes-the-problem", "none of %d offences was answered with ERROR", len(offences))
				}
			}),
		},
		{
			ID:       "stomp/server/error/failed-send-disconnects-in-1.1",
			Title:    "a SEND that cannot be processed ends in ERROR and disconnection",
			Laws:     []string{"STOMP-ERROR-002"},
			Versions: only11,
			Run:      run(func(s *serverT) { s.failedDisconnects(frameOf("SEND").Carrying("no destination")) }),
		},
		{
			ID:       "stomp/server/error/failed-subscribe-disconnects-in-1.1",
			Title:    "a SUBSCRIBE that cannot be processed ends in ERROR and disconnection",
			Laws:     []string{"STOMP-ERROR-002"},
			Versions: only11,
			Run:      run(func(s *serverT) { s.failedDisconnects(frameOf("SUBSCRIBE", "id", "1")) }),
		},
		{
			ID:       "stomp/server/error/describes-the-problem",
			Title:    "ERROR has a message header with a short description",
			Laws:     []string{"STOMP-ERROR-003"},
			Versions: every,
			Run: run(func(s *serverT) {
				provoked := 0
				for _, o := range offences {
					p := s.Connect(o.name)
					p.Raw(o.octets(s))
					out := p.Await(is("ERROR"), s.Timing().Reply)
					if out.Frame == nil {
						s.Note(o.name, "no ERROR: %s", out)
						continue
					}
					provoked++
					s.Note(o.name, "message:%q", out.Frame.Get("message"))
					s.Check(out.Frame.Get("message") != "", "STOMP-ERROR-003", "the ERROR that answers "+o.name+" describes the problem in a message header",
						"a non-empty message header", out.Frame.String())
				}
				if provoked == 0 {
					s.Unsupported("none of %d offences was answered with ERROR", len(offences))
				}
			}),
		},
		{
			ID:       "stomp/server/error/names-the-receipt",
			Title:    "an ERROR about a frame with a receipt carries its receipt-id",
			Laws:     []string{"STOMP-ERROR-004"},
			Versions: since11,
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("SEND", "receipt", "r7").Carrying("no destination"))
				out := p.Await(is("ERROR"), s.Timing().Reply)
				if out.Frame == nil {
					s.Blocked("stomp/server/send/destination-is-required", "a SEND without destination is not answered with ERROR: %s", out)
				}
				s.CheckEqual("STOMP-ERROR-004", "an ERROR identifies the frame that it is about by receipt-id", "r7", out.Frame.Get("receipt-id"))
			}),
		},
		{
			ID:       "stomp/server/ambiguity/error-then-open",
			Title:    "what a connection is worth after an ERROR that need not close it",
			Laws:     []string{"STOMP-ERROR-002"},
			Versions: []string{"1.0", "1.1"},
			Run: run(func(s *serverT) {
				p := s.Connect("a")
				p.Send(frameOf("COMMIT", "transaction", s.Unique("tx")))
				out := p.Await(is("ERROR"), s.Timing().Reply)
				if out.Frame == nil {
					s.answered("STOMP-ERROR-002", "an unknown transaction need not be answered with ERROR here", out)
					return
				}
				seen := "ERROR, connection stays open"
				if p.Ends(s.Timing().Close) {
					seen = "ERROR, then the connection is closed"
				}
				s.Chose("STOMP-ERROR-002", "only a failed SEND or SUBSCRIBE must disconnect before 1.2", seen)
			}),
		},
	}
}

func (s *serverT) failedDisconnects(f *wireFrame) {
	p := s.Connect("a")
	p.Send(f)
	p.Error("STOMP-ERROR-002", "a "+f.Command+" that cannot be processed is answered with ERROR")
	p.End("STOMP-ERROR-002", "the client is disconnected after a "+f.Command+" that cannot be processed")
}
