package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// observeIngressCases are about what is measured of frames that come.
func observeIngressCases() []conformance.Case {
	const ingress = "ingress.op"
	is := func(verb string) string { return ingress + " verb=" + verb + " +1" }
	out := []conformance.Case{
		nodeCase("observe/ingress", "each valid frame is counted by its kind, before the gate and whatever becomes of it",
			laws("SUBSTRATE-OBSERVE-006"), needs(Signals, GateRules), func(t *nodeT) {
				n := t.Connected(nodeSetup{Gate: []gateMember{{Verb: "req", Then: "deny", Code: "unauthorized"}}})
				o := n.Theirs("session")
				n.Signals()
				const law = "SUBSTRATE-OBSERVE-006"
				send := o.Make("send", "a")
				for range 2 {
					n.Gets(send)
				}
				n.Measured(law, "a duplicate counts too", ingress, times(2, is("send"))...)
				n.Gets(o.At("req", o.seq+1, "?"))
				n.Measured(law, "what the gate denies counts: it comes after", ingress, is("req"))
				n.Gets(o.At("send", o.seq+900, "far"))
				n.Measured(law, "what is out of the window counts", ingress, is("send"))
				for _, f := range []*frame{
					ackOf(send), bounceOf(send, "closed"), frameOf("kind", "resync", "obj", o.addr, "objKind", o.kind, "fromSeq", 1),
					o.At("res", 90, "nobody asked"), o.At("close", 900, ""),
				} {
					n.Gets(f)
					n.Measured(law, "each is labelled by its kind", ingress, is(f.kind()))
				}
			}),
		nodeCase("observe/ingress-of-invalid-frames", "a frame that is not valid is not counted", laws("SUBSTRATE-OBSERVE-006"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			n.Signals()
			for _, f := range []*frame{
				o.At("propose", 9, ""), o.At("send", 9, "").with("obj", o.addr+"@x"), o.At("send", 9, "").with("obj", o.addr+" "),
				o.At("send", 9, "").without("seq"), o.At("send", 9, "").with("objKind", "stream"),
			} {
				n.Gets(f)
				n.Measured("SUBSTRATE-OBSERVE-006", "codec, address and verb come before: "+f.String(), ingress)
			}
		}),
		nodeCase("observe/ingress-of-old-connections", "a frame on a connection that was superseded is not counted", laws("SUBSTRATE-OBSERVE-006"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			old := n.conn
			n.Connect()
			n.Signals()
			n.GetsOn(old, o.Make("send", "late"))
			n.Measured("SUBSTRATE-OBSERVE-006", "it is dropped before everything", ingress)
		}),
	}
	return slices.Concat(out, observeSequenceCases(), observeDeniedCases())
}

// observeSequenceCases are about frames that come twice, or ahead of their turn.
func observeSequenceCases() []conformance.Case {
	const both = "dedupe.duplicate seq.deferred"
	both7 := laws("SUBSTRATE-OBSERVE-007")
	const law, dup, deferred = "SUBSTRATE-OBSERVE-007", "dedupe.duplicate +1", "seq.deferred +1"
	return []conformance.Case{
		nodeCase("observe/duplicates", "what was committed before counts as a duplicate", both7, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			f := o.Make("send", "a")
			n.Signals()
			n.Gets(f)
			n.Measured(law, "the first is no duplicate", both)
			n.Gets(f)
			n.Measured(law, "a frame that the ledger has", both, dup)
			n.Reconnect()
			n.Gets(f)
			n.Measured(law, "on another connection as well", both, dup)
			n.Gets(o.At("send", 1, "another op"))
			n.Measured(law, "a frame below the frontier", both, dup)
		}),
		nodeCase("observe/deferred", "what is placed in the gap buffer counts as deferred", both7, needs(Signals, Lowered), func(t *nodeT) {
			n := t.Connected(nodeSetup{Limits: map[string]int{"window": 3}})
			o := n.Theirs("session")
			o.Make("send", "lost")
			ahead := o.Make("send", "ahead")
			n.Signals()
			n.Gets(ahead)
			n.Measured(law, "a frame ahead of its turn is deferred", both, deferred)
			n.Gets(ahead)
			n.Measured(law, "a copy is not placed beside it", both)
			n.Gets(o.At("send", o.seq+1, "further"))
			n.Measured(law, "the next is deferred too", both, deferred)
			n.Gets(o.At("send", o.seq+40, "beyond"))
			n.Measured(law, "one beyond the window is not", both)
		}),
		nodeCase("observe/deferred-frames-are-no-duplicates", "a deferred frame is counted once, and not again when its turn comes", both7, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			lost, ahead := o.Make("send", "lost"), o.Make("send", "ahead")
			n.Gets(ahead)
			n.Signals()
			got := n.Gets(lost)
			t.Equal("", "both are acked", 2, len(got.Frames("ack")))
			n.Measured(law, "nothing comes twice, or ahead", both)
		}),
	}
}

// observeDeniedCases are about denials and bounces.
func observeDeniedCases() []conformance.Case {
	var out []conformance.Case
	for _, verb := range []string{"open", "send", "req", "close", "chunk", "accept", "res"} {
		out = append(out, nodeCase("observe/denied-"+verb, "a denied "+verb+" is counted with verb, objKind and code, and nothing else",
			laws("SUBSTRATE-OBSERVE-008"), needs(Signals, GateRules), func(t *nodeT) {
				n := t.Connected(nodeSetup{Gate: []gateMember{{Then: "deny", Code: "too_curious"}}})
				for _, kind := range []string{"session", "queue"} {
					f := n.Object(kind).At(verb, 1, "body")
					if verb == "open" {
						f = f.with("cap", []byte("secret"))
					}
					n.Signals()
					for range 2 {
						n.Gets(f)
					}
					n.Measured("SUBSTRATE-OBSERVE-008", "+1 per denial with exactly these three labels", "authorize.denied",
						times(2, fmt.Sprintf("authorize.denied code=too_curious objKind=%s verb=%s +1", kind, verb))...)
				}
			}))
	}
	return append(out,
		nodeCase("observe/denied-is-not-allowed", "what the gate lets pass is no denial", laws("SUBSTRATE-OBSERVE-008"), needs(Signals, GateRules), func(t *nodeT) {
			n := t.Connected(nodeSetup{Gate: []gateMember{{Then: "allow"}, {Verb: "req", Then: "deny", Code: "unauthorized"}}})
			o := n.Theirs("session")
			n.Gets(o.Make("send", "a"))
			n.Gets(o.At("send", 900, "beyond"))
			n.Measured("SUBSTRATE-OBSERVE-008", "a bounce is no denial", "authorize.denied")
		}),
		nodeCase("observe/bounces", "each err that is sent as a bounce or a denial is counted, and none that is swallowed",
			laws("SUBSTRATE-OBSERVE-009"), needs(Signals, GateRules), func(t *nodeT) {
				n := t.Connected(nodeSetup{Gate: []gateMember{{Verb: "req", Then: "deny", Code: "unauthorized"}}})
				o := n.Theirs("session")
				const law, bounce = "SUBSTRATE-OBSERVE-009", "bounce"
				for _, f := range []*frame{o.At("req", 2, "?"), n.Object("session").At("send", 1, "nobody"), o.At("chunk", 2, "")} {
					n.Signals()
					n.Gets(f)
					n.Measured(law, "+1 per err that is sent", bounce, "bounce +1")
					n.Gets(f)
					n.Measured(law, "a swallowed redelivery is not counted", bounce)
					n.Reconnect()
					n.Gets(f)
					n.Measured(law, "on a later connection one is sent again", bounce, "bounce +1")
				}
				f := o.At("send", 900, "beyond")
				n.Signals()
				n.Gets(f)
				n.Measured(law, "out of the window", bounce, "bounce +1")
			}),
		nodeCase("observe/errs-of-the-application-are-no-bounces", "an err that is an answer is not counted as a bounce", laws("SUBSTRATE-OBSERVE-009"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			d := n.the("", "a req is delivered", n.Gets(o.Make("req", "?")), didDeliver)
			n.Signals()
			n.sent("", "an err is sent", n.Answer("fail", d, answerRequest{Code: "app_error"}), "err")
			n.Measured("SUBSTRATE-OBSERVE-009", "only bounces and denials count", "bounce futile")
		}),
		nodeCase("observe/futile", "each bridge/futile event is counted by its code", laws("SUBSTRATE-OBSERVE-009"), needs(Signals, Happenings), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			for _, code := range []string{"unauthorized", "app_error", "some_code_of_the_peer", "no_such_object"} {
				o := n.Ours("session")
				f := n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send")
				n.Signals()
				got := n.Gets(bounceOf(f, code)).Events("bridge/futile")
				t.Equal("", "one event is seen", 1, len(got))
				n.Measured("SUBSTRATE-OBSERVE-009", "futile +1 per event, labelled by code", "futile", "futile code="+code+" +1")
			}
		}),
	)
}

// observeConnCases are about connections.
func observeConnCases() []conformance.Case {
	const conn, ready, ended = "conn.ready conn.ended", "conn.ready +1", "conn.ended +1"
	both := laws("SUBSTRATE-OBSERVE-010")
	const law = "SUBSTRATE-OBSERVE-010"
	return []conformance.Case{
		nodeCase("observe/connections", "ready and ended are counted once each", both, needs(Signals), func(t *nodeT) {
			n := t.New(nodeSetup{})
			n.Connect()
			n.Measured(law, "ready +1 when a connection becomes ready", conn, ready)
			first := n.conn
			n.Disconnect()
			n.Measured(law, "ended +1 when it ends", conn, ended)
			n.do("disconnect", connRequest{Node: n.name, Conn: first})
			n.Measured(law, "once each", conn)
			n.Connect()
			n.Measured(law, "the next one counts anew", conn, ready)
		}),
		nodeCase("observe/superseded-connections", "a connection that is superseded has ended", both, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			old := n.conn
			n.Signals()
			n.Connect()
			r := n.Signals()
			t.Equal(law, "ready - ended is the number of live connections", []float64{1, 1}, []float64{r.Count("substrate.conn.ready"), r.Count("substrate.conn.ended")})
			n.do("disconnect", connRequest{Node: n.name, Conn: old})
			n.Measured(law, "its end was counted", conn)
		}),
		nodeCase("observe/connections-that-the-node-ends", "a connection that the node ends has ended once", both, needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			n.Signals()
			got := n.do("frame", nodeFrameRequest{n.name, n.conn, []byte{0xff}})
			n.the("", "octets that are no frame end the connection", got, didEnd)
			n.Measured(law, "ended +1 when it ends", conn, ended)
			n.Disconnect()
			n.Measured(law, "once each", conn)
		}),
	}
}
