package stompmodel

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/model"
)

// drawScope draws client actions over few names, so that they meet: unknown and repeated identifiers and missing headers included.
func drawScope(t *rapid.T, conns int) []Action {
	n := rapid.IntRange(6, 22).Draw(t, "actions")
	pick := func(label string, values ...string) string { return rapid.SampledFrom(values).Draw(t, label) }
	var bodies []string
	scope := make([]Action, 0, n+5)
	if rapid.IntRange(0, 3).Draw(t, "plain start") > 0 {
		mode := pick("mode", "", "client", "client-individual")
		bodies = append(bodies, "p", "q", "r")
		scope = append(scope, subscribe(0, "a", mode), subscribe(conns-1, "b", "client"), sends(0, "p", ""), sends(conns-1, "q", ""), sends(0, "r", ""))
	}
	for i := range n {
		a := Action{Kind: ActSend, Conn: rapid.IntRange(0, conns-1).Draw(t, "conn")}
		f := ClientFrame{Command: pick("command", "SUBSCRIBE", "SUBSCRIBE", "SUBSCRIBE", "SEND", "SEND", "SEND", "SEND", "ACK", "ACK", "ACK", "NACK",
			"BEGIN", "COMMIT", "ABORT", "UNSUBSCRIBE", "DISCONNECT", "BOGUS", "CONNECT", "drop")}
		switch f.Command {
		case "drop":
			scope = append(scope, Action{Kind: ActDrop, Conn: a.Conn})
			continue
		case "SUBSCRIBE":
			f.ID, f.Destination = pick("id", "s", "u", "u", "v", ""), pick("destination", "/q", "/q", "/q", "/t", "/dlq", "")
			f.Ack = pick("ack", "", "client", "client", "client-individual", "bogus")
		case "UNSUBSCRIBE":
			f.ID = pick("id", "s", "u", "v")
		case "SEND":
			f.Body, f.Destination = fmt.Sprintf("m%d", i), pick("destination", "/q", "/q", "/q", "/t", "")
			f.Transaction = pick("transaction", "", "", "x", "y")
			bodies = append(bodies, f.Body)
		case "ACK", "NACK":
			f.Message = pick("message", append(bodies, "nobody")...)
			f.Transaction = pick("transaction", "", "", "", "x")
			f.ID = pick("id", "", "", "s", "u")
		case "BEGIN", "COMMIT", "ABORT":
			f.Transaction = pick("transaction", "x", "x", "x", "y", "")
		}
		if f.Command != "CONNECT" && rapid.IntRange(0, 2).Draw(t, "receipt") > 0 {
			f.Receipt = fmt.Sprintf("r%d", i)
		}
		a.Frame = f
		scope = append(scope, a)
	}
	return scope
}

func drawConfig(t *rapid.T) BrokerConfig {
	conns := rapid.IntRange(1, 3).Draw(t, "conns")
	cfg := BrokerConfig{
		Conns:          conns,
		Fresh:          rapid.IntRange(0, 3).Draw(t, "fresh") == 0,
		Topic:          func(d string) bool { return d == "/t" },
		Nack:           NackPolicy(rapid.IntRange(0, 3).Draw(t, "nack")),
		DeadLetter:     "/dlq",
		Healthy:        rapid.Bool().Draw(t, "healthy"),
		ErrorStaysOpen: rapid.IntRange(0, 3).Draw(t, "stays") == 0,
		TxAckAtOnce:    rapid.IntRange(0, 3).Draw(t, "at once") == 0,
		Redelivers:     rapid.Bool().Draw(t, "redelivers"),
		Scope:          drawScope(t, conns),
	}
	for range conns {
		cfg.Versions = append(cfg.Versions, rapid.SampledFrom(Versions()).Draw(t, "version"))
	}
	return cfg
}

// TestTheJudgeAcceptsTheExplicitBroker: whatever a broker does that takes its frames one by one at moments of its own choice, the machine that judges
// accepts, although it never guesses at those moments. And it rejects each of several illegal next steps.
func TestTheJudgeAcceptsTheExplicitBroker(t *testing.T) {
	most, seen, walks, lost := 0, make(map[string]int), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		walks++
		cfg := drawConfig(t)
		judge, err := NewBroker(cfg)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Explicit = true
		explicit, err := NewBroker(cfg)
		if err != nil {
			t.Fatal(err)
		}
		acc := model.NewAcceptor(judge, Match)
		slow := model.NewAcceptor(judge, Match)
		acc.MaxStates, slow.MaxStates = 1<<10, 1<<10
		// With many states it takes long to try every outcome; until then, knowing the outcome must change nothing.
		compare := true
		last := explicit.Init()
		var observed []TraceStep
		for range 100 {
			step, after, ok := drawStep(t, explicit, last)
			if !ok {
				break
			}
			last = after
			if step.Action.Kind == ActWork || step.Action.Kind == ActEnd {
				continue
			}
			seen[step.Outcome.Command]++
			if compare = compare && slow.States() <= 64; compare {
				if err := slow.Step(step.Action, step.Outcome); err != nil {
					t.Fatalf("rejected: %v\nafter\n%v", err, observed)
				}
			}
			step.Action.Seen = step.Outcome
			err := acc.Step(step.Action, step.Outcome)
			if _, many := errors.AsType[*model.TooManyStates](err); many {
				// A session with many subscriptions that receives nothing makes more of them than any bound; of what follows nothing can be said.
				lost++
				return
			}
			if err != nil {
				t.Fatalf("rejected when seen: %v\nafter\n%v", err, observed)
			}
			if compare && acc.States() != slow.States() {
				t.Fatalf("%d states are possible, %d when the outcome is known\nafter\n%v", slow.States(), acc.States(), observed)
			}
			observed = append(observed, step)
			most = max(most, acc.States())
		}
		for _, bad := range illegalNext(last, cfg) {
			trace := append(observed[:len(observed):len(observed)], bad)
			if bad.Outcome.Command == "MESSAGE" {
				// It may have been under way to a session that the broker ended since: then that session cannot be alive.
				alive := ClientFrame{Command: "SEND", Destination: "/q", Body: "alive", Receipt: "alive"}
				trace = append(trace, Sent(bad.Action.Conn, alive), Received(bad.Action.Conn, Output{Command: "RECEIPT", ReceiptID: "alive"}))
			}
			if err := model.Accepts(judge, trace, Match); err == nil {
				t.Fatalf("accepted, although the last step is illegal:\n%v", trace)
			}
			seen["illegal"]++
		}
	})
	if seen["MESSAGE"] == 0 || seen["RECEIPT"] == 0 || seen["illegal"] == 0 {
		t.Errorf("the walks reach too little: %v", seen)
	}
	if lost*20 > walks {
		t.Errorf("%d of %d walks had to be given up: too many states were possible", lost, walks)
	}
	t.Logf("steps by command: %v; at most %d states were possible at once; %d of %d walks given up", seen, most, lost, walks)
}

// drawStep draws a possible step from s: any action, and more often than not an outcome that lets things go on.
func drawStep(t *rapid.T, b *Broker, s BrokerState) (TraceStep, BrokerState, bool) {
	type edge struct {
		step  TraceStep
		after BrokerState
	}
	var choices [][]edge
	for a := range b.Actions(s) {
		var all, calm []edge
		for after, o := range b.Step(s, a) {
			e := edge{TraceStep{Action: a, Outcome: o}, after}
			all = append(all, e)
			if !o.Closed && o.Command != "ERROR" {
				calm = append(calm, e)
			}
		}
		switch {
		case len(calm) > 0 && len(calm) < len(all):
			choices = append(choices, calm, calm, calm)
			if a.Kind == ActReceive && rapid.IntRange(0, 5).Draw(t, "trouble") == 0 {
				choices = append(choices, all)
			}
		case len(calm) > 0 && a.Kind != ActDrop || len(all) > 0 && rapid.IntRange(0, 7).Draw(t, "trouble") == 0:
			choices = append(choices, all)
		}
	}
	if len(choices) == 0 {
		return TraceStep{}, s, false
	}
	e := rapid.SampledFrom(rapid.SampledFrom(choices).Draw(t, "action")).Draw(t, "outcome")
	return e.step, e.after, true
}

// TestTheJudgeKeepsItsInvariants walks the machine that judges, whatever its configuration.
func TestTheJudgeKeepsItsInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := NewBroker(drawConfig(t))
		if err != nil {
			t.Fatal(err)
		}
		model.Walk(t, b, model.WalkConfig[BrokerState, Action, Output]{Invariants: b.Invariants(), EdgeInvariants: b.EdgeInvariants()})
	})
}

// illegalNext lists steps that nothing can justify after a run of the explicit machine that ended in s.
func illegalNext(s BrokerState, cfg BrokerConfig) []TraceStep {
	// With two subscriptions of one name, which one a MESSAGE is for stays open.
	// In 1.0 a MESSAGE need not even say.
	ambiguous := slices.Contains(cfg.Versions, V10)
	ids := make(map[Action]bool)
	for _, a := range cfg.Scope {
		if a.Frame.Command == "SUBSCRIBE" {
			key := Action{Conn: a.Conn, Frame: ClientFrame{ID: a.Frame.ID}}
			ambiguous = ambiguous || ids[key]
			ids[key] = true
		}
	}
	var out []TraceStep
	for si := range s.sessions {
		ses := &s.sessions[si]
		if si != s.current(ses.conn) {
			continue
		}
		out = append(out,
			Received(ses.conn, Output{Command: "RECEIPT", ReceiptID: "never"}),
			Received(ses.conn, Output{Command: "MESSAGE", Subscription: "s", Body: "never"}),
			Received(ses.conn, Output{Command: "MESSAGE", Subscription: "never", Body: "m0"}))
		for _, id := range ses.answered {
			// Each id is requested once.
			out = append(out, Received(ses.conn, Output{Command: "RECEIPT", ReceiptID: id}))
		}
		for i := range s.messages {
			m := &s.messages[i]
			if ambiguous {
				continue
			}
			for _, id := range ses.removed {
				out = append(out, Received(ses.conn, Output{Command: "MESSAGE", Subscription: id, Body: m.body}))
			}
			confirmed := len(m.hands) == 1 && m.hands[0].confirmed && m.dest == "/q"
			if confirmed || m.aborted {
				for _, sub := range ses.subs {
					out = append(out, Received(ses.conn, Output{Command: "MESSAGE", Subscription: sub.id, Body: m.body}))
				}
			}
		}
	}
	return out
}
