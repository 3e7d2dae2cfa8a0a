package substratetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// Suite returns the suite that judges peers of the substrate: one that listens on a WebSocket, and nodes inside a process through an
// adapter. Each target is judged by the cases of the way on which it is reached, the reference by all.
func Suite() *conformance.Suite {
	return &conformance.Suite{
		Name: "substrate", Protocol: "substrate", Title: "Substrate peer",
		Section:      Section{},
		Cases:        slices.Concat(cases(), nodeCases()),
		Schemes:      []string{"ws", "wss", "exec"},
		OwnWebSocket: true,
		Reference:    reference,
		Probe:        probe,
		Alive:        alive,
		Death:        "SUBSTRATE-LIMIT-005",
	}
}

// cases are those of a peer that listens.
func cases() []conformance.Case {
	all := slices.Concat(
		wireCases(), codecCases(), addrCases(), verbCases(), objCases(), seqCases(), outboxCases(), ackCases(),
		answerCases(), dedupeCases(), finalityCases(), tombstoneCases(), bounceCases(), handshakeCases(), authCases(),
		authzCases(), reconnectCases(), cutCases(), faultCases(),
	)
	for i := range all {
		all[i].Needs.Transports = []string{"ws", "wss"}
	}
	return all
}

// one is a case with no needs but what most have.
func one(name, title string, laws []string, options []string, do func(*subT)) conformance.Case {
	return conformance.Case{
		ID: "substrate/peer/" + name, Title: title, Laws: laws, Needs: conformance.Needs{Options: options}, Run: run(do),
	}
}

// needs are the options of a case.
func needs(options ...string) []string { return options }

// laws are those of a case.
func laws(ids ...string) []string { return ids }

// probe finds out what a target can do on each way on which it is reached.
func probe(ctx context.Context, t *conformance.T) conformance.Capabilities {
	if !overNetwork(t) {
		return probeNodes(ctx, t)
	}
	caps := probePeer(t)
	if !t.Target().Reference() {
		return caps
	}
	// Option names of the two ways differ, so that what one way does without is not missed on the other.
	inside := probeNodes(ctx, t)
	maps.Copy(caps.Absent, inside.Absent)
	caps.Software = inside.Software
	return caps
}

// probePeer finds out whether the target can be judged at all: it lets the suite in, accepts an object, and answers a req.
func probePeer(t *conformance.T) conformance.Capabilities {
	s := wordsOf(t)
	p := s.profile()
	caps := conformance.Capabilities{Missing: map[string]string{}, Absent: map[string]string{}, Settings: map[string]string{}}
	for option, given := range map[string]bool{
		Keys: p.Key != "", Stranger: p.Stranger != "", None: p.None != "" || p.Key == "", Queues: p.Queue != "", Rejects: p.Reject != "",
		Silences: p.Silent != "", Denials: p.Denied != "", Commands: p.Commands,
	} {
		if !given {
			caps.Absent[option] = "the profile does not spell it out"
		}
	}
	me := s.Party()
	l, err := me.TryDial()
	if err != nil {
		var not *refused
		if errors.As(err, &not) {
			t.Inconclusive("%v: is %s the path of a substrate?", err, me.path)
		}
		t.Inconclusive("no WebSocket can be opened: %v", err)
	}
	l.Greet("", "the target takes the suite's peer to ready")
	o := me.Live("session", p.Session)
	began := time.Now()
	if res := o.Ask("", "the application answers a req", []byte("hello"), "res"); string(res.body) != "hello" {
		t.Inconclusive("the application answers a req with %q, which should be its own body", brief(res.body))
	}
	caps.RTT = time.Since(began)
	if id, _ := l.shake.ok["peer"].(string); id != "" {
		caps.Settings["peer"] = id
	}
	return caps
}

// alive repeats the shortest useful dialogue.
func alive(_ context.Context, t *conformance.T) {
	if overNetwork(t) {
		wordsOf(t).Session()
	}
}
