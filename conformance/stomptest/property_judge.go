package stomptest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

type (
	brokerAcceptor = model.Acceptor[stompmodel.BrokerState, stompmodel.Action, stompmodel.Output]
	brokerRejected = model.Rejected[stompmodel.BrokerState, stompmodel.Action, stompmodel.Output]
)

// maxPropertyStates bounds the states of the machine that one sequence may leave possible.
const maxPropertyStates = 1024

// maxPropertyDeliveries is how often a message may come before what becomes of it is no longer asked: a
// target may put aside what it delivered too often.
const maxPropertyDeliveries = 3

// A departure is what a target did that the machine does not allow.
type departure struct {
	law      string
	reason   string // the rule that should have held
	expected string
	seen     string
	timed    bool
}

// A judge follows one sequence with the broker machine. It does no I/O: it is told what was sent and seen.
type judge struct {
	machine *stompmodel.Broker
	acc     *brokerAcceptor
	book    *book
	found   *departure
	lost    bool // too many states are possible: nothing can be said any more
	// fresh means that consumers of their own ask for what is left. Before, what was delivered once already is not
	// asked for again: it is enough that it comes back to them.
	fresh bool
}

// newJudge returns the judge of a sequence over that many connections, all of them open.
func newJudge(version string, conns int, topic string, redelivers bool) *judge {
	machine, err := stompmodel.NewBroker(stompmodel.BrokerConfig{
		Conns: conns, Version: stompmodel.Version(version), Redelivers: redelivers,
		Topic: func(destination string) bool { return destination == topic },
	})
	if err != nil {
		panic(fmt.Sprintf("broker machine: %v", err))
	}
	acc := model.NewAcceptor(machine, stompmodel.Match)
	acc.MaxStates = maxPropertyStates
	return &judge{machine: machine, acc: acc, book: newBook(version, topic, conns)}
}

// sent tells that the client writes f on conn; hand is the delivery that an ACK or NACK names.
func (j *judge) sent(conn int, f *wireFrame, hand *handed) {
	cf := stompmodel.ClientFrame{
		Command: f.Command, Destination: f.Get("destination"), ID: f.Get("id"), Ack: f.Get("ack"),
		Transaction: f.Get("transaction"), Receipt: f.Get("receipt"),
	}
	switch f.Command {
	case "SEND":
		cf.Body = string(f.Body)
	case "ACK", "NACK":
		// What names the message on the wire differs by version; the machine goes by its body.
		cf.ID, cf.Message = hand.named, hand.body
	case "CONNECT":
		cf = stompmodel.ClientFrame{Command: "CONNECT"}
	}
	j.own(stompmodel.Sent(conn, cf))
	j.book.wrote(conn, f, hand)
}

// dropped tells that the client closes conn.
func (j *judge) dropped(conn int) {
	j.own(stompmodel.Dropped(conn))
	j.book.dropped(conn)
}

// closed tells that the target closed conn.
func (j *judge) closed(conn int) {
	j.own(stompmodel.Closed(conn))
	j.book.dropped(conn)
}

// own takes a step that the machine allows whatever the target did.
func (j *judge) own(step stompmodel.TraceStep) {
	err := j.acc.Step(step.Action, step.Outcome)
	var rejected *brokerRejected
	if errors.As(err, &rejected) && rejected.Step == step {
		panic(fmt.Sprintf("a step of ours that the machine does not know: %v", err))
	}
	j.lost = j.lost || err != nil
}

// received tells that f arrived on conn and reports whether the machine allows it.
func (j *judge) received(conn int, f *wireFrame) bool {
	if j.lost || j.found != nil {
		return j.found == nil
	}
	out := stompmodel.Output{Command: f.Command}
	switch f.Command {
	case "MESSAGE":
		out.Subscription, out.Body = f.Get("subscription"), string(f.Body)
	case "RECEIPT", "ERROR":
		out.ReceiptID = f.Get("receipt-id")
	}
	step := stompmodel.Received(conn, out)
	err := j.acc.Step(step.Action, step.Outcome)
	var rejected *brokerRejected
	switch {
	case errors.As(err, &rejected):
		law, reason := j.book.explain(conn, f)
		j.found = &departure{law: law, reason: reason, expected: allowed(rejected.Allowed), seen: fmt.Sprintf("c%d %s", conn, f)}
		return false
	case err != nil:
		j.lost = true
		return true
	}
	j.book.read(conn, f)
	return true
}

// unmet returns what the target still owes in every state that is possible, nil if it may owe nothing.
func (j *judge) unmet() *departure {
	if j.lost || j.found != nil {
		return nil
	}
	states := j.acc.Possible()
	lists := make([][]departure, len(states))
	for i, s := range states {
		for _, o := range j.machine.Unmet(s, -1) {
			if p := j.book.posts[o.Body]; p != nil && p.dest != j.book.topic {
				if n := j.book.deliveries(o.Body); n > maxPropertyDeliveries || n > 0 && !j.fresh {
					continue
				}
			}
			law, reason := j.book.missing(o)
			lists[i] = append(lists[i], departure{law: law, reason: reason, expected: o.What, seen: "nothing arrives", timed: true})
		}
		if len(lists[i]) == 0 {
			return nil
		}
	}
	// A law is broken only if it is broken however the target got here.
	for _, d := range lists[0] {
		everywhere := !slices.ContainsFunc(lists, func(list []departure) bool {
			return !slices.ContainsFunc(list, func(other departure) bool { return other.law == d.law })
		})
		if everywhere {
			return &d
		}
	}
	return nil
}

// allowed lists outcomes on one line.
func allowed(outcomes []stompmodel.Output) string {
	if len(outcomes) == 0 {
		return "nothing more on this connection"
	}
	const most = 10
	var parts []string
	for _, o := range outcomes {
		parts = append(parts, o.String())
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	if n := len(parts); n > most {
		parts = append(parts[:most:most], fmt.Sprintf("%d more", n-most))
	}
	return strings.Join(parts, " or ")
}
