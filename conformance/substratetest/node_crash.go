package substratetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// How many requests, and how many commits, the dialogue of these cases has, about: a target that needs fewer meets no fault in the last
// cases, which is no matter.
const (
	dialogueRequests = 40
	dialogueCommits  = 38
)

// invariants are the laws that an honest peer holds a node to.
func invariants() []string {
	return laws(
		"SUBSTRATE-RECONNECT-001", "SUBSTRATE-DEDUPE-001", "SUBSTRATE-DEDUPE-008", "SUBSTRATE-SEQ-003", "SUBSTRATE-OUTBOX-002",
		"SUBSTRATE-OUTBOX-003", "SUBSTRATE-OUTBOX-004", "SUBSTRATE-OUTBOX-006", "SUBSTRATE-ACK-002", "SUBSTRATE-ACK-006",
		"SUBSTRATE-ACK-007", "SUBSTRATE-ANSWER-001",
		"SUBSTRATE-BOUNCE-001",
	)
}

// nodeCrashCases are one dialogue, with a crash after each of its requests in turn, and with each of its commits refused in turn.
func nodeCrashCases() []conformance.Case {
	laws := invariants()
	var out []conformance.Case
	for _, store := range []string{storeHost, storeFile} {
		for at := 1; at <= dialogueRequests; at++ {
			if store == storeFile && at%2 == 0 {
				continue // a file takes longer; what is written is the same
			}
			out = append(out, nodeCase(fmt.Sprintf("crash/%s-%02d", store, at),
				fmt.Sprintf("the process dies after request %d of a dialogue, seen by nobody or by the peer; store %s", at, store),
				laws, storeNeeds(store), func(t *nodeT) {
					t.dialogue(store, mishap{at: at, crash: true, lost: true})
					t.dialogue(store, mishap{at: at, crash: true})
				}))
		}
	}
	for at := 1; at <= dialogueCommits; at++ {
		title := fmt.Sprintf("commit %d of a dialogue is refused, or three from there", at)
		out = append(out, nodeCase(fmt.Sprintf("crash/refused-%02d", at), title,
			laws, needs(Refusing), func(t *nodeT) {
				t.dialogue(t.lasting(), mishap{at: at, times: 1})
				t.dialogue(t.lasting(), mishap{at: at, times: 3})
			}))
	}
	return out
}

// dialogue is one in which both sides open, send and ask, with a time without a connection, while something goes wrong.
func (t *nodeT) dialogue(store string, m mishap) {
	h := newHonest(t.New(nodeSetup{Store: store}))
	h.mishap = m
	if m.times > 0 {
		h.n.Refuse(m.at-1, m.times)
	}
	h.connect()
	theirs, ours := h.object(t.Unique("o"), "session"), h.object(t.Unique("o"), "queue")
	h.queue(theirs, theirs.Make("open", ""))
	h.quiet()
	opened := h.call("open", ours, "") != nil
	h.quiet()
	for _, word := range []string{"one", "two"} {
		h.queue(theirs, theirs.Make("send", word))
		h.queue(theirs, theirs.Make("req", word))
		h.call("send", theirs, word)
		h.call("req", theirs, word)
		if opened {
			h.call("send", ours, word)
			h.queue(ours, ours.Make("send", word))
		}
		h.quiet()
	}
	h.disconnect()
	h.call("send", theirs, "later")
	h.queue(theirs, theirs.Make("send", "later"))
	h.connect()
	h.quiet()
	h.finish()
	if h.broke != nil {
		t.Broken(*h.broke)
	}
}
