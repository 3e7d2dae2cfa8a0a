package stomptest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

func robustEndCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "stomp/server/robustness/reset-in-each-state",
			Title:    "a client that resets its connection, whatever the state of the session",
			Laws:     []string{served, "STOMP-FRAME-001", "STOMP-TX-003"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Alone:    true,
			Run:      run(func(s *serverT) { s.leaveInEachState("reset", (*wire).Reset) }),
		},
		{
			ID:       "stomp/server/robustness/close-in-each-state",
			Title:    "a client that closes its connection without DISCONNECT, whatever the state of the session",
			Laws:     []string{served, "STOMP-FRAME-001", "STOMP-TX-003"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}},
			Alone:    true,
			Run:      run(func(s *serverT) { s.leaveInEachState("close", (*wire).Close) }),
		},
		{
			ID:       "stomp/server/robustness/half-close",
			Title:    "a client that closes its sending direction",
			Laws:     []string{served, "STOMP-FRAME-001"},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts}, Transports: []string{"tcp"}},
			Alone:    true,
			Run: run(func(s *serverT) {
				r := s.relay()
				whole := s.Connect("whole")
				whole.Deliver(r.place, "whole")
				_ = whole.conn.CloseWrite()
				half := s.Connect("half")
				half.RawString(r.raw("SEND", "", "half")[:len(r.raw("SEND", "", "half"))-1])
				_ = half.conn.CloseWrite()
				early := s.Open("early")
				_ = early.conn.CloseWrite()
				s.serves("a half-closed connection")
				s.Note("frame before a half-close", "%s", r.witness.Watch(carries("whole"), s.Timing().Quiet))
				r.witness.Quiet("STOMP-FRAME-001", "a frame without its NUL is not whole and not processed", is("MESSAGE"))
			}),
		},
		{
			ID:       "stomp/server/robustness/unfinished-transactions",
			Title:    "100 transactions that are never finished leave nothing behind",
			Laws:     []string{"STOMP-TX-003", "STOMP-TX-005", served},
			Versions: every,
			Needs:    conformance.Needs{Options: []string{Delivery, Receipts, Transactions}},
			Alone:    true,
			Run: run(func(s *serverT) {
				r := s.relay()
				for i, leave := range []func(*wire){(*wire).Reset, (*wire).Close} {
					p := s.Connect("a")
					for n := range 50 {
						tx := fmt.Sprintf("t%d", n)
						p.Send(frameOf("BEGIN", "transaction", tx))
						p.Send(frameOf("SEND", "destination", r.place, "transaction", tx).Carrying(fmt.Sprintf("staged %d-%d", i, n)))
					}
					p.Sync()
					leave(p)
				}
				s.serves("100 unfinished transactions")
				law := "STOMP-TX-005"
				if s.Version() == "1.0" {
					law = "STOMP-TX-003"
				}
				r.witness.Quiet(law, "a transaction that was not committed when its connection failed has no effect", is("MESSAGE"))
			}),
		},
	}
}

// leaveInEachState brings sessions into every state, leaves each, and checks that the target serves on
// and did nothing by half.
func (s *serverT) leaveInEachState(how string, leave func(*wire)) {
	r := s.relay()
	send := r.raw("SEND", "", "half")
	connect := s.ConnectFrame(s.Version()).Encode(s.Version())
	states := []struct {
		name string
		run  func(p *wire)
	}{
		{"before CONNECT", func(*wire) {}},
		{"inside CONNECT", func(p *wire) { p.Raw(connect[:len(connect)/2]) }},
		{"before CONNECTED", func(p *wire) { p.Raw(connect) }},
		{"inside a command", s.inside(connect, send[:3])},
		{"inside a header", s.inside(connect, send[:8])},
		{"inside a body", s.inside(connect, send[:len(send)-2])},
		{"before the NUL", s.inside(connect, send[:len(send)-1])},
		{"with a subscription", s.inside(connect, string(frameOf("SUBSCRIBE", "id", "1", "destination", s.Topic()).Encode(s.Version())))},
		{"after an ERROR", s.inside(connect, "BOGUS\n\n\x00")},
		{"after DISCONNECT", s.inside(connect, "DISCONNECT\nreceipt:bye\n\n\x00")},
	}
	if s.has(Transactions) {
		begin := string(frameOf("BEGIN", "transaction", "t").Encode(s.Version())) + r.raw("SEND", "transaction:t\n", "staged")
		states = append(states, []struct {
			name string
			run  func(p *wire)
		}{
			{"inside a transaction", s.inside(connect, begin)},
			{"inside COMMIT", s.inside(connect, begin+"COMMIT\ntransaction:t\n\n")},
		}...)
	}
	for _, state := range states {
		for range 3 {
			p := s.stillDials("leaving", "a client that left "+state.name)
			state.run(p)
			leave(p)
		}
		s.Step()
	}
	s.serves("a client that left by " + how + " in each state")
	if m := r.witness.Watch(is("MESSAGE"), s.Timing().Quiet); m != nil {
		law, reason := "STOMP-FRAME-001", "a frame without its NUL is not whole and not processed"
		if string(m.Body) == "staged" {
			law, reason = "STOMP-TX-003", "no message of a transaction is visible before its COMMIT"
		}
		s.Broken(conformance.Break{Law: law, Reason: reason, Expected: "no MESSAGE", Seen: m.String()})
	}
}

// inside returns what opens a session and sends octets, which may end anywhere.
func (s *serverT) inside(connect []byte, octets string) func(*wire) {
	return func(p *wire) {
		p.Raw(connect)
		p.Await(is("CONNECTED"), s.Timing().Reply)
		p.RawString(octets)
	}
}
