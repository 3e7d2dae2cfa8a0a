package substratetest

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
)

// A nodeDeviant is the reference with hooks that break a law.
type nodeDeviant struct {
	law, name string
	only      string           // of substrate/node/; empty: all that cite the law
	hooks     func() nodeHooks // fresh for each adapter
}

// nodeDeviants are all of them.
func nodeDeviants() []nodeDeviant {
	return slices.Concat(
		relayDeviants(), feedDeviants(), journalDeviants(),
		timeDeviants(),
		frameDeviantsOfNodes(),
		storeDeviants(),
		callDeviants(),
		answerDeviants(),
		configDeviants(), limitDeviants(), keepDeviants(), measureDeviants(), observerDeviants(), sinkDeviants(), authzDeviants(),
	)
}

// adapter serves nodes with fresh hooks each time.
func (d nodeDeviant) adapter() adapter.Adapter {
	return func(ctx context.Context, r io.Reader, w io.Writer) error { return serveNodes(d.hooks())(ctx, r, w) }
}

// is reports whether a deed is the transmission of a frame of a kind.
func (d *deed) is(kind string) bool { return d.Kind == didTransmit && decode(d.Octets).kind() == kind }

// sends changes what is transmitted; nil: it is not.
func sends(change func(n *refNode, d *deed, f *frame) *frame) func() nodeHooks {
	return changing(func(n *refNode, d *deed) *deed {
		if d.Kind != didTransmit {
			return d
		}
		f := change(n, d, decode(d.Octets))
		if f == nil {
			return nil
		}
		c := *d
		c.Octets = f.octets()
		return &c
	})
}

// changing changes each deed; nil: it does not happen.
func changing(change func(n *refNode, d *deed) *deed) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{did: func(n *refNode, did deeds) (out deeds) {
			for _, d := range did {
				if d = change(n, d); d != nil {
					out = append(out, d)
				}
			}
			return out
		}}
	}
}

// dropping keeps deeds from happening.
func dropping(which func(n *refNode, d *deed) bool) func() nodeHooks {
	return changing(func(n *refNode, d *deed) *deed {
		if which(n, d) {
			return nil
		}
		return d
	})
}

// drifting makes the clock of a node wrong by ms whenever time passes.
func drifting(ms int) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{op: func(n *refNode, op string) {
			if op == "advance" {
				n.now = n.now.Add(time.Duration(ms) * time.Millisecond)
			}
		}}
	}
}

// saying changes the codes of refused calls.
func saying(code, instead string) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{code: func(c string) string {
			if c == code {
				return instead
			}
			return c
		}}
	}
}

// deaf keeps frames from arriving.
func deaf(which func(n *refNode, f *frame) bool) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{frame: func(n *refNode, f *frame) *frame {
			if which(n, f) {
				return nil
			}
			return f
		}}
	}
}

// setUp changes how engines are set up.
func setUp(change func(*engine.Config)) func() nodeHooks {
	return func() nodeHooks { return nodeHooks{config: change} }
}

func unlimited(c *engine.Config) { c.Limits = engine.Limits{} }

// timeDeviants are those that do something too early, too late or not at all.
func timeDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-SEQ-006", name: "no resync", hooks: dropping(func(_ *refNode, d *deed) bool { return d.is("resync") })},
		{law: "SUBSTRATE-SEQ-007", name: "a clock that runs ahead", hooks: drifting(1)},
		{law: "SUBSTRATE-SEQ-007", name: "never gives up", hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didEnd })},
		{
			law: "SUBSTRATE-SEQ-014", name: "waits for the gap", only: "seq/gap-holds-nobody-else-up",
			hooks: deaf(func(n *refNode, _ *frame) bool { return n.ms() > 20_000 }),
		},
		{law: "SUBSTRATE-SEQ-002", name: "acks one of two", only: "seq/gap-filled*", hooks: func() nodeHooks {
			return nodeHooks{did: func(_ *refNode, did deeds) deeds {
				if len(did) > 1 && did[len(did)-1].is("ack") {
					return did[:len(did)-1]
				}
				return did
			}}
		}},
		{
			law: "SUBSTRATE-SEQ-013", name: "loses what waited", only: "seq/gap-goes*",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didDeliver && string(d.Body) == "ahead" }),
		},
		{
			law: "SUBSTRATE-OUTBOX-008", name: "forgets within 8 days", only: "expire/never*",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didTransmit && d.At >= 8*day }),
		},
		{
			law: "SUBSTRATE-OUTBOX-008", name: "tells no caller", only: "expire/{late-ack,an-open}",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didSettle }),
		},
		{
			law: "SUBSTRATE-TOMBSTONE-004", name: "deaf in another life", only: "dedupe/tombstone-is*",
			hooks: deaf(func(n *refNode, f *frame) bool { return n.lives > 1 && f.kind() == "send" }),
		},
		{
			law: "SUBSTRATE-SEQ-014", name: "a failure that spreads", only: "fail/others*",
			hooks: deaf(func(_ *refNode, f *frame) bool { return string(f.body) == "good" }),
		},
		{
			law: "SUBSTRATE-OUTBOX-005", name: "never escalates", only: "outbox/ladder",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didEnd }),
		},
		{
			law: "SUBSTRATE-OUTBOX-005", name: "never resends", only: "outbox/ladder-of-an-answer",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didTransmit && d.At > 0 }),
		},
		{law: "SUBSTRATE-OUTBOX-005", name: "resends a little early", only: "outbox/ladder-*", hooks: drifting(3)},
		{law: "SUBSTRATE-OUTBOX-008", name: "a clock that lags", only: "expire/*", hooks: drifting(-1)},
		{law: "SUBSTRATE-OUTBOX-008", name: "a clock that runs ahead", only: "expire/*", hooks: drifting(1)},
		{
			law: "SUBSTRATE-OUTBOX-008", name: "says nothing of it", only: "expire/*",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Name == "bridge/futile" }),
		},
		{law: "SUBSTRATE-FINALITY-007", name: "does not back off", only: "outbox/back*", hooks: drifting(-40)},
		{
			law: "SUBSTRATE-TOMBSTONE-004", name: "a tombstone for ever", only: "dedupe/tombstone-ages",
			hooks: deaf(func(n *refNode, _ *frame) bool { return n.ms() > horizon }),
		},
	}
}

// frameDeviantsOfNodes are those that send something else than they should.
func frameDeviantsOfNodes() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-OUTBOX-004", name: "a receipt for each time", only: "outbox/*", hooks: sends(func(_ *refNode, d *deed, f *frame) *frame {
			if f.kind() == "send" && d.At > 0 {
				return f.with("receipt", []byte{1, byte(d.At / 1000)})
			}
			return f
		})},
		{
			law: "SUBSTRATE-OUTBOX-006", name: "forgets within a day", only: "outbox/silence*",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didTransmit && d.At >= day }),
		},
		{law: "SUBSTRATE-OUTBOX-002", name: "two in flight", only: "crash/host-01", hooks: func() nodeHooks {
			return nodeHooks{did: func(_ *refNode, did deeds) (out deeds) {
				for _, d := range did {
					out = append(out, d)
					if d.is("send") {
						c := *d
						c.Octets = decode(d.Octets).with("id", "more").octets()
						out = append(out, &c)
					}
				}
				return out
			}}
		}},
		{law: "SUBSTRATE-OUTBOX-003", name: "an id for each life", only: "crash/host-*", hooks: sends(func(n *refNode, _ *deed, f *frame) *frame {
			if f.kind() == "send" && n.lives > 1 {
				return f.with("id", "again-"+f.id())
			}
			return f
		})},
		{
			law: "SUBSTRATE-OUTBOX-007", name: "a restart skips a seq", only: "outbox/restart",
			hooks: sends(func(n *refNode, _ *deed, f *frame) *frame {
				if n.lives > 1 && string(f.body) == "4" {
					return f.with("seq", int(f.seq()+1)).with("prev", int(f.seq()-1))
				}
				return f
			}),
		},
		{law: "SUBSTRATE-ACK-005", name: "one receipt for all lives", only: "outbox/restart", hooks: oneReceipt},
		{law: "SUBSTRATE-RECONNECT-003", name: "heads by name", only: "outbox/heads-first", hooks: func() nodeHooks {
			return nodeHooks{did: func(_ *refNode, did deeds) deeds {
				slices.SortStableFunc(did, func(a, b *deed) int { return strings.Compare(decode(a.Octets).obj(), decode(b.Octets).obj()) })
				return did
			}}
		}},
		{
			law: "SUBSTRATE-RECONNECT-005", name: "loses one", only: "outbox/offline-order",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didTransmit && string(decode(d.Octets).body) == "50" }),
		},
		{
			law: "SUBSTRATE-SEQ-009", name: "no prev", only: "expire/the-next*",
			hooks: sends(func(_ *refNode, _ *deed, f *frame) *frame { return f.without("prev") }),
		},
		{
			law: "SUBSTRATE-ACK-006", name: "acks once", only: "dedupe/never-too-often",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.is("ack") && d.At > 0 }),
		},
		{law: "SUBSTRATE-DEDUPE-002", name: "acks once", only: "dedupe/outlives-*", hooks: func() nodeHooks {
			acked := map[string]bool{}
			return dropping(func(_ *refNode, d *deed) bool {
				id := decode(d.Octets).id()
				known := d.is("ack") && acked[id]
				acked[id] = acked[id] || d.is("ack")
				return known
			})()
		}},
		{
			law: "SUBSTRATE-STORE-008", name: "loses the next one", only: "fail/free",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didTransmit && string(decode(d.Octets).body) == "b" }),
		},
		{law: "SUBSTRATE-ANSWER-002", name: "answers are not kept", only: "fail/answer-*", hooks: dropping(func(_ *refNode, d *deed) bool {
			return d.is("accept") || d.is("reject") || d.is("res") || d.is("end") || d.is("err")
		})},
		{
			law: "SUBSTRATE-FINALITY-009", name: "no ack for a close that crosses", only: "cross/closes",
			hooks: deaf(func(_ *refNode, f *frame) bool { return f.kind() == "close" }),
		},
		{
			law: "SUBSTRATE-OBJ-010", name: "no ack for a close that crosses", only: "cross/close-and-open",
			hooks: deaf(func(_ *refNode, f *frame) bool { return f.kind() == "close" }),
		},
		{law: "SUBSTRATE-OBJ-006", name: "another code", only: "limit/refusals", hooks: sends(func(_ *refNode, _ *deed, f *frame) *frame {
			if f.kind() == "reject" {
				return f.with("code", "busy")
			}
			return f
		})},
		{
			law: "SUBSTRATE-RECONNECT-001", name: "a message in the wrong object", only: "cross/two-nodes",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didDeliver && string(d.Body) == "later" }),
		},
	}
}

// oneReceipt is for sends of which each has the receipt that it had in the life before.
func oneReceipt() nodeHooks {
	minted := map[string]any{}
	h := sends(func(_ *refNode, _ *deed, f *frame) *frame {
		if f.kind() != "send" {
			return f
		}
		minted[f.id()] = f.env["receipt"]
		return f.with("receipt", []byte("of "+f.id()))
	})()
	h.frame = func(_ *refNode, f *frame) *frame {
		if receipt, sent := minted[f.id()]; sent {
			return f.with("receipt", receipt)
		}
		return f
	}
	return h
}

// callDeviants are those whose calls, answers and limits are wrong.
func callDeviants() []nodeDeviant {
	settling := func(when func(d *deed) bool) func() nodeHooks {
		return func() nodeHooks {
			return nodeHooks{did: func(n *refNode, did deeds) deeds {
				for _, d := range did {
					for id, call := range n.calls {
						if when(d) {
							return append(did, &deed{Kind: didSettle, Call: call, ID: id, Code: "open_conflict"})
						}
					}
				}
				return did
			}}
		}
	}
	return []nodeDeviant{
		{
			law: "SUBSTRATE-OBJ-011", name: "gives its own open up", only: "cross/glare*",
			hooks: settling(func(d *deed) bool { return d.Kind == didDeliver }),
		},
		{
			law: "SUBSTRATE-ANSWER-007", name: "no answer gets in", only: "cross/*",
			hooks: deaf(func(_ *refNode, f *frame) bool { return class(f) == "answer" && f.kind() != "ack" }),
		},
		{law: "SUBSTRATE-ANSWER-001", name: "settles twice", only: "crash/*", hooks: func() nodeHooks {
			return nodeHooks{did: func(_ *refNode, did deeds) deeds { return append(did, did.Of(didSettle)...) }}
		}},
		{law: "SUBSTRATE-ANSWER-008", name: "another code", only: "cross/answer-of*", hooks: saying("closed", "not_live")},
		{law: "SUBSTRATE-ANSWER-008", name: "pending is not live", only: "cross/answer-of-a-f*", hooks: saying("not_pending", "not_live")},
		{law: "SUBSTRATE-OBJ-012", name: "closed is not live", only: "local/closed*", hooks: saying("closed", "not_live")},
		{law: "SUBSTRATE-OBJ-012", name: "not live is closed", only: "local/{idle,opening,rejected}*", hooks: saying("not_live", "closed")},
		{law: "SUBSTRATE-OBJ-012", name: "no name twice", only: "local/live*", hooks: saying("already_exists", "not_live")},
		{law: "SUBSTRATE-OBJ-010", name: "another code", only: "cross/close-of*", hooks: saying("not_live", "closed")},
		{law: "SUBSTRATE-ADDR-003", name: "another code", only: "local/addresses", hooks: saying("routing_not_supported", "bad_address")},
		{
			law: "SUBSTRATE-VERB-002", name: "no call ends", only: "cross/two-nodes",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didSettle }),
		},
		{law: "SUBSTRATE-VERB-001", name: "closed is not live", only: "cross/two-nodes", hooks: saying("closed", "not_live")},
		{
			law: "SUBSTRATE-FINALITY-006", name: "no call ends", only: "local/idle*",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didSettle }),
		},
		{law: "SUBSTRATE-LIMIT-002", name: "no limit", only: "limit/*box", hooks: setUp(unlimited)},
		{law: "SUBSTRATE-LIMIT-003", name: "no limit", only: "limit/objects", hooks: setUp(unlimited)},
		{law: "SUBSTRATE-LIMIT-006", name: "no limit", only: "limit/names", hooks: setUp(unlimited)},
		{law: "SUBSTRATE-LIMIT-007", name: "no limit", only: "limit/refusals", hooks: setUp(unlimited)},
		{law: "SUBSTRATE-TOMBSTONE-004", name: "no limit", only: "limit/tombstones", hooks: setUp(unlimited)},
		{law: "SUBSTRATE-LIMIT-008", name: "no limit", only: "limit/answers-*", hooks: setUp(unlimited)},
		{
			law: "SUBSTRATE-LIMIT-008", name: "one answer more", only: "limit/answers-unacked",
			hooks: setUp(func(c *engine.Config) { c.Limits.Outbox++ }),
		},
		{law: "SUBSTRATE-LIMIT-008", name: "closes are refused", only: "limit/answers-exempt", hooks: deaf(func(_ *refNode, f *frame) bool {
			return f.kind() == "close"
		})},
		{law: "SUBSTRATE-LIMIT-008", name: "no op gives way", only: "limit/deadlock-broken", hooks: setUp(func(c *engine.Config) { c.Limits.Outbox++ })},
		{law: "SUBSTRATE-LIMIT-008", name: "an op gives way too soon", only: "limit/deadlock-not-yet", hooks: setUp(func(c *engine.Config) {
			c.Limits.Outbox--
		})},
		{law: "SUBSTRATE-LIMIT-008", name: "an op that gives way is not told of", only: "limit/deadlock-broken", hooks: dropping(
			func(_ *refNode, d *deed) bool { return d.Name == "bridge/futile" },
		)},
		{
			law: "SUBSTRATE-TOMBSTONE-003", name: "one tombstone", only: "limit/tombstones",
			hooks: setUp(func(c *engine.Config) { c.Limits.Tombstones = 1 }),
		},
	}
}

// For each law here there is a node that breaks it, and the suite says so.
func TestNodesThatBreakALawAreFoundOut(t *testing.T) {
	t.Parallel()
	var all []suitetest.Broken
	for _, d := range nodeDeviants() {
		b := suitetest.Broken{Name: d.law + " " + d.name, Law: d.law, Suite: nodeSuite(), Config: conformance.Config{
			Target: suitetest.InGo(), Adapter: d.adapter(), Profile: conformance.Profile{Deadlines: patient()}, Parallel: 2,
		}}
		if d.only != "" {
			b.Only = []string{"substrate/node/" + d.only}
		}
		all = append(all, b)
	}
	suitetest.GoesRed(t, 2, all, ownNodeCases())
}

// ownNodeCases are those of which each must be turned red by one of the nodes here.
func ownNodeCases() []conformance.Case {
	return slices.Concat(
		nodeRelayCases(), nodeFeedCases(), nodeJournalCases(),
		nodeSeqCases(), nodeOutboxCases(), nodeExpireCases(), nodeFailCases(), nodeDedupeCases(),
		nodeCrossCases(), nodeAnswerCases(), nodeLocalCases(), nodeCrashCases(),
		nodeConfigCases(), nodeLimitCases(), nodeAnswerLimitCases(), nodeStoreCases(), nodeObserveCases(), nodeAuthzCases(),
	)
}
