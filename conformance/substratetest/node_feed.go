package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// A stream is what there is of an object on the other side of an edge: seqs that grow, but not by one.
type stream struct {
	*nodeObj
	seqs []uint64
}

// Stream returns the stream of a fresh object.
func (n *node) Stream(seqs ...uint64) *stream {
	return &stream{nodeObj: n.Object("session"), seqs: seqs}
}

// prev returns the seq before one of the stream, 0 before the first.
func (s *stream) prev(seq uint64) (prev uint64) {
	for _, x := range s.seqs {
		if x >= seq {
			break
		}
		prev = x
	}
	return prev
}

// from returns the seqs from one on, that one included.
func (s *stream) from(seq uint64) []uint64 {
	return slices.DeleteFunc(slices.Clone(s.seqs), func(x uint64) bool { return x < seq })
}

// Push has an edge push the frame of a seq.
func (s *stream) Push(seq uint64) deeds {
	return s.n.Feed(feedRequest{
		Obj: s.addr, ObjKind: s.kind, Verb: "send", ID: fmt.Sprint("f", seq), Seq: seq, Prev: s.prev(seq), Body: fmt.Append(nil, seq),
	})
}

// Frame is a frame of the stream as it comes to a browser.
func (s *stream) Frame(seq uint64) *frame {
	return s.At("send", seq, fmt.Sprint(seq)).without("receipt").with("id", fmt.Sprint("f", seq)).with("prev", s.prev(seq))
}

// Resync is a resync of the browser.
func (s *stream) Resync(from uint64) *frame {
	return frameOf("kind", "resync", "obj", s.addr, "objKind", s.kind, "fromSeq", from)
}

// passed returns seq, prev and body of what an edge sends of a stream.
func passed(got deeds) string {
	all := []string{}
	for _, f := range got.Frames() {
		all = append(all, fmt.Sprintf("%s %d(%d) %s", f.kind(), f.seq(), f.number("prev"), f.body))
	}
	return fmt.Sprint(all)
}

// passes returns what passed is to return of sends.
func (s *stream) passes(seqs []uint64) string {
	all := []string{}
	for _, seq := range seqs {
		all = append(all, fmt.Sprintf("send %d(%d) %d", seq, s.prev(seq), seq))
	}
	return fmt.Sprint(all)
}

// feedCase is a case of an edge that feeds.
func feedCase(name, title string, laws, options []string, do func(*nodeT)) conformance.Case {
	return nodeCase("feed/"+name, title, laws, append(needs(RelayForm), options...), do)
}

// nodeFeedCases are about both sides of a feed.
func nodeFeedCases() []conformance.Case {
	return slices.Concat(feedingCases(), resumedCases(), gatedCases(), shedCases(), orderCases(), apartCases(), lossCases(), askingCases(), roomCases(),
		handoverCases(), trimmedCases(), followCases())
}

// feedingCases are about what an edge sends of a stream.
func feedingCases() []conformance.Case {
	out := []conformance.Case{
		feedCase("seq-and-prev-of-the-stream", "frames carry the seq of the stream, and prev is that of the frame before in the object", laws("SUBSTRATE-FEED-001"), nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			a, b := e.Stream(5, 9, 12, 13), e.Stream(1, 7, maxSeq)
			var gotA, gotB deeds
			for _, x := range []struct {
				s   *stream
				seq uint64
			}{{b, 1}, {a, 5}, {b, 7}, {a, 9}, {a, 12}, {b, maxSeq}, {a, 13}} {
				did := x.s.Push(x.seq)
				if x.s == a {
					gotA = append(gotA, did...)
				} else {
					gotB = append(gotB, did...)
				}
			}
			t.Equal("SUBSTRATE-FEED-001", "the chain of one object", a.passes(a.seqs), passed(gotA))
			t.Equal("SUBSTRATE-FEED-001", "the chain of the other", b.passes(b.seqs), passed(gotB))
		}),
		feedCase("no-receipt-and-no-row", "frames of a feed have no receipt, wait for no ack, and are not sent again", laws("SUBSTRATE-FEED-005"), nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			s := e.Stream(2, 3, 4, 8, 20)
			for _, seq := range s.seqs {
				got := s.Push(seq)
				t.Equal("SUBSTRATE-FEED-005", "one does not wait for the one before it", s.passes([]uint64{seq}), passed(got))
				for _, f := range got.Frames() {
					t.Check(!f.has("receipt"), "SUBSTRATE-FEED-005", "no receipt", "a frame without receipt", f.String())
				}
			}
			e.Quietly("SUBSTRATE-FEED-005", "nothing is sent again as time passes", e.Advance(120_000))
			e.Quietly("SUBSTRATE-FEED-005", "nor on another connection, unless it is asked for", e.Reconnect())
		}),
	}
	for _, verb := range []string{"open", "close", "req", "accept", "reject", "res", "end", "err"} {
		out = append(out, feedCase("feeds-"+verb, "what is fed may be of any kind: "+verb, laws("SUBSTRATE-FEED-001"), nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			o := e.Object("session")
			q := feedRequest{Obj: o.addr, ObjKind: o.kind, Verb: verb, ID: "an-id", Seq: 9, Prev: 4, Body: []byte("b")}
			want := frameOf("kind", verb, "obj", o.addr, "objKind", o.kind, "id", "an-id", "seq", 9, "prev", 4).carrying(q.Body)
			if verb == "reject" || verb == "err" {
				q.Code, q.Msg = "app_error", "no"
				want = want.with("code", q.Code).with("msg", q.Msg)
			}
			t.Equal("SUBSTRATE-FEED-001", "it comes as it was said", want.String(), e.sent("SUBSTRATE-FEED-001", "it is sent", e.Feed(q), verb).String())
		}))
	}
	return out
}

// resumedCases are about an edge that is asked for a stream.
func resumedCases() (out []conformance.Case) {
	any := laws("SUBSTRATE-FEED-003")
	seqs := []uint64{3, 4, 9, 11, 30}
	for cut := range len(seqs) + 1 {
		out = append(out, feedCase(fmt.Sprintf("another-replica-after-%d-of-%d", cut, len(seqs)), "another replica pushes what the browser asks for", any, nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			s, other := e.Stream(seqs...), e.Stream(1, 2)
			t.resumes(e, s, 1)
			var got deeds
			for _, seq := range seqs[:cut] {
				got = append(got, s.Push(seq)...)
			}
			e.Restart()
			e.Quietly("SUBSTRATE-FEED-003", "nothing is pushed without being asked for", e.Connect())
			last := s.prev(maxSeq)
			if cut < len(seqs) {
				last = s.prev(seqs[cut])
			}
			from := last + 1
			t.resumes(e, s, from)
			t.resumes(e, other, 1)
			for _, seq := range s.from(from) {
				got = append(got, s.Push(seq)...)
			}
			t.Equal("SUBSTRATE-FEED-003", "what comes is the stream, in order, once", s.passes(seqs), passed(got))
		}))
	}
	return out
}

// gatedCases are about a stream that is trimmed, and one that is denied.
func gatedCases() []conformance.Case {
	return []conformance.Case{
		feedCase("begins-where-it-is-kept", "where a stream is trimmed the edge says where it begins, and goes on from there", laws("SUBSTRATE-FEED-006"), nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			s := e.Stream(5, 9, 12)
			t.resumesBy("SUBSTRATE-FEED-006", e, s, 1)
			got := e.Feed(feedRequest{Obj: s.addr, ObjKind: s.kind, Base: 9})
			base := e.sent("SUBSTRATE-FEED-006", "a resync with the base", got, "resync")
			want := frameOf("kind", "resync", "obj", s.addr, "objKind", s.kind, "base", 9)
			t.Equal("SUBSTRATE-FEED-006", "it names the first that is kept", want.String(), base.String())
			got = append(s.Push(9), s.Push(12)...)
			t.Equal("SUBSTRATE-FEED-006", "and goes on from there", s.passes([]uint64{9, 12}), passed(got))
		}),
		feedCase("gate-on-resume", "a resync is offered to the gate, and a denial pushes nothing and is not answered", laws("SUBSTRATE-FEED-007"), needs(GateRules), func(t *nodeT) {
			e := t.Edge(nodeSetup{Gate: []gateMember{{Then: "allow"}}})
			no, yes := e.Stream(1, 2), e.Stream(3, 4)
			e.Gate(gateMember{Verb: "resync", Obj: no.addr, Then: "deny", Code: "unauthorized"}, gateMember{Then: "allow"})
			got := e.Gets(no.Resync(1))
			asks := got.Of(didAsk)
			if t.Check(len(asks) > 0, "SUBSTRATE-FEED-007", "the gate is asked", "an ask", got.String()) {
				t.Equal("SUBSTRATE-FEED-007", "about a resync of the object", "resync "+no.addr, asks[0].Verb+" "+asks[0].Obj)
			}
			t.Check(len(got.Of(didResume)) == 0, "SUBSTRATE-FEED-007", "a denial resumes nothing", "no resume", got.String())
			e.Quietly("SUBSTRATE-FEED-007", "a denial is not answered", got)
			t.resumesBy("SUBSTRATE-FEED-007", e, yes, 1)
			e.Gate()
			t.resumesBy("SUBSTRATE-FEED-007", e, no, 1)
		}),
		feedCase("denied-resume-is-counted", "a denial of a resync is counted", laws("SUBSTRATE-FEED-007"), needs(GateRules, Signals), func(t *nodeT) {
			e := t.Edge(nodeSetup{Gate: []gateMember{{Verb: "resync", Then: "deny", Code: "unauthorized"}}})
			s := e.Stream(1)
			e.Signals()
			for range 3 {
				e.Gets(s.Resync(1))
			}
			r := e.Signals()
			t.Equal("SUBSTRATE-FEED-007", "each denial is counted", 3, int(r.Count("substrate.authorize.denied")))
		}),
	}
}

// resumes has the browser ask an edge for a stream.
func (t *nodeT) resumes(e *edge, s *stream, from uint64) {
	t.resumesBy("SUBSTRATE-FEED-003", e, s, from)
}

func (t *nodeT) resumesBy(law string, e *edge, s *stream, from uint64) {
	got := e.Gets(s.Resync(from))
	d := e.node.the(law, "the stream is asked for", got, didResume)
	t.Equal(law, "that of the object, from the seq on, inclusive", fmt.Sprintf("%s %s %d", s.addr, s.kind, from), fmt.Sprintf("%s %s %d", d.Obj, d.ObjKind, d.From))
	e.Quietly(law, "and nothing is answered by the edge itself", got)
}

// shedCases are about an edge that has much to send.
func shedCases() []conformance.Case {
	return []conformance.Case{
		feedCase("sheds-nothing-in-silence", "a frame that an edge does not send is followed by a later one, or by the end of the connection", laws("SUBSTRATE-FEED-008"), nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			a, b := e.Stream(), e.Stream()
			for i := range uint64(150) {
				a.seqs, b.seqs = append(a.seqs, 2*i+1), append(b.seqs, 2*i+2)
			}
			t.resumesBy("SUBSTRATE-FEED-008", e, a, 1)
			t.resumesBy("SUBSTRATE-FEED-008", e, b, 1)
			for i := range a.seqs {
				a.Push(a.seqs[i])
				b.Push(b.seqs[i])
			}
			ended := len(e.all.Of(didEnd)) > 0
			for _, s := range []*stream{a, b} {
				var last uint64
				for _, f := range e.all.Frames("send") {
					if f.obj() == s.addr {
						last = f.seq()
					}
				}
				newest := s.seqs[len(s.seqs)-1]
				t.Check(ended || last == newest, "SUBSTRATE-FEED-008", "the newest frame is sent, or the connection ends", fmt.Sprint("frame ", newest, ", or an end"), fmt.Sprint("frame ", last, " last"))
			}
		}),
		feedCase("sheds-nothing-on-another-connection", "what is pushed while there is no connection is not held for the next", laws("SUBSTRATE-FEED-008", "SUBSTRATE-FEED-005"), nil, func(t *nodeT) {
			e := t.Edge(nodeSetup{})
			s := e.Stream(1, 2, 3)
			t.resumesBy("SUBSTRATE-FEED-008", e, s, 1)
			s.Push(1)
			e.Disconnect()
			e.Quietly("SUBSTRATE-FEED-005", "there is no connection to send it on", s.Push(2))
			e.Quietly("SUBSTRATE-FEED-005", "it is not kept for the next one", e.Connect())
			t.resumesBy("SUBSTRATE-FEED-008", e, s, 2)
			got := append(s.Push(2), s.Push(3)...)
			t.Equal("SUBSTRATE-FEED-008", "on the next one it is sent when it is pushed again", s.passes([]uint64{2, 3}), passed(got))
		}),
	}
}
