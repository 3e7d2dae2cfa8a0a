package substratetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// Scope asks the rule of scopes itself.
func (t *nodeT) Scope(q scopeRequest) bool {
	var r scopeReply
	t.MustAsk("scope", q, &r)
	return r.Allows
}

// nodeAuthzCases are about the chain that is asked about inbound operations.
func nodeAuthzCases() []conformance.Case {
	return slices.Concat(authzChainCases(), authzPolicyCases(), authzOtherCases())
}

// Asked returns the members of the gate that were asked, in order.
func (ds deeds) Asked() []int {
	out := []int{}
	for _, d := range ds.Of(didAsk) {
		if d.Member != nil {
			out = append(out, *d.Member)
		}
	}
	return out
}

// upTo returns the numbers from 0 to last.
func upTo(last int) []int {
	out := make([]int, last+1)
	for i := range out {
		out[i] = i
	}
	return out
}

// chainOf returns four members that allow, of which some do something else.
func chainOf(then map[int]gateMember) []gateMember {
	out := slices.Repeat([]gateMember{{Then: "allow"}}, 4)
	for i, m := range then {
		out[i] = m
	}
	return out
}

// authzChainCases are about the order of the chain.
func authzChainCases() []conformance.Case {
	const law = "SUBSTRATE-AUTHZ-005"
	var out []conformance.Case
	for _, verb := range []string{"open", "send", "req", "close"} {
		out = append(out, nodeCase("authz/first-denial-"+verb, "the first denial of a "+verb+" ends the chain", laws(law), needs(GateRules), func(t *nodeT) {
			for at := range 4 {
				n := t.Connected(nodeSetup{Gate: chainOf(map[int]gateMember{at: {Then: "deny", Code: fmt.Sprint("denial_", at)}, 3: {Then: "deny", Code: "denial_3"}})})
				got := n.Gets(n.Object("session").At(verb, 1, ""))
				t.Equal(law, "members before it have run, in order, and later ones are not called", upTo(at), got.Asked())
				t.Now(law, "the first denial is told", got, fmt.Sprint("transmit err code=denial_", at))
			}
		}))
	}
	for _, x := range [][2]string{{"panic", "panics"}, {"unusable", "returns what is no denial"}} {
		then, what := x[0], x[1]
		out = append(out, nodeCase("authz/member-"+then, "a member that "+what+" denies with unauthorized", laws("SUBSTRATE-AUTHZ-011"), needs(GateRules), func(t *nodeT) {
			for at := range 4 {
				n := t.Connected(nodeSetup{Gate: chainOf(map[int]gateMember{at: {Then: then, Verb: "req"}})})
				o := n.Theirs("session")
				got := n.Gets(o.At("req", o.seq+1, "?"))
				t.Now("SUBSTRATE-AUTHZ-011", "it is a denial with code unauthorized", got, "transmit err code=unauthorized")
				t.Equal("SUBSTRATE-AUTHZ-011", "later members are not called", upTo(at), got.Asked())
				f := o.Make("send", "a")
				n.Acked("SUBSTRATE-AUTHZ-011", "the connection and other ops continue", n.Gets(f), f)
			}
		}))
	}
	return append(out,
		nodeCase("authz/silence-allows", "a member that says nothing allows, and all are asked", laws(law), needs(GateRules), func(t *nodeT) {
			n := t.Connected(nodeSetup{Gate: chainOf(map[int]gateMember{1: {Verb: "send", Obj: "another", Then: "deny", Code: "no"}, 2: {Verb: "close", Then: "panic"}})})
			o := n.Theirs("session")
			f := o.Make("send", "a")
			got := n.Gets(f)
			t.Equal(law, "every member is asked, once and in order", upTo(3), got.Asked())
			n.Acked(law, "a member that returns nothing allows", got, f)
			n.the(law, "it is delivered", got, didDeliver)
		}),
		nodeCase("authz/asked-each-time", "each copy of an op is asked about anew, and a change of the chain holds at once",
			laws(law, "SUBSTRATE-AUTHZ-012"), needs(GateRules), func(t *nodeT) {
				n := t.Connected(nodeSetup{Gate: []gateMember{{Then: "allow"}}})
				o := n.Theirs("session")
				f := o.Make("send", "a")
				n.Acked("", "it is taken", n.Gets(f), f)
				t.Equal(law, "the copy is offered too", []int{0}, n.Gets(f).Asked())
				n.Gate(gateMember{Verb: "send", Then: "deny", Code: "revoked"})
				n.Reconnect()
				t.Now("SUBSTRATE-AUTHZ-012", "the redelivery is denied and not acked again", n.Gets(f), "transmit err code=revoked")
				n.Gate(gateMember{Then: "allow"})
				t.Equal("SUBSTRATE-AUTHZ-012", "it was delivered once", 1, delivered(n.all, f))
			}),
		nodeCase("authz/gate-before-store", "the gate is asked before the store is read", laws("SUBSTRATE-AUTHZ-012", "SUBSTRATE-AUTHZ-002"), needs(GateRules, Refusing), func(t *nodeT) {
			n := t.Connected(nodeSetup{Gate: []gateMember{{Then: "allow"}}})
			o := n.Theirs("session")
			f := o.Make("send", "a")
			n.Gets(f)
			n.Gate(gateMember{Then: "deny", Code: "revoked"})
			before := n.Refuse(0, 0)
			n.refuse(refuseRequest{Node: n.name, Times: -1, Reads: true})
			t.Now("SUBSTRATE-AUTHZ-002", "a store that fails does not show", n.Gets(f), "transmit err code=revoked")
			after := n.Refuse(0, 0)
			t.Equal("SUBSTRATE-AUTHZ-012", "a denial beats dedupe: the ledger is not asked", before, after)
		}),
	)
}

// delivered counts how often a frame was handed to the application.
func delivered(all deeds, f *frame) (count int) {
	for _, d := range all.Of(didDeliver) {
		if d.ID == f.id() {
			count++
		}
	}
	return count
}

// authzPolicyCases are about the policy that ships.
func authzPolicyCases() []conformance.Case {
	matrix := map[string][]string{"producer": {"open", "send", "close"}, "admin": {"*"}, "mute": {}}
	peers := map[string][]string{
		"pat": {"producer"}, "ada": {"admin"}, "max": {"mute"}, "bea": {"mute", "producer"}, "gus": {"ghost"}, "nil": {}, "eve": {"ghost", "admin"},
	}
	verbs := []string{"open", "send", "req", "close", "chunk"}
	var out []conformance.Case
	for _, peer := range []string{"pat", "ada", "max", "bea", "gus", "nil", "eve", "unknown"} {
		out = append(out, nodeCase("authz/policy-"+peer, fmt.Sprintf("the policy that ships, for a peer with the scopes %v", peers[peer]),
			laws("SUBSTRATE-AUTHZ-006"), needs(GateRules), func(t *nodeT) {
				n := t.Connected(nodeSetup{Remote: peer, Gate: []gateMember{{Scopes: peers, Matrix: matrix}}})
				for _, verb := range verbs {
					allowed := slices.ContainsFunc(peers[peer], func(scope string) bool {
						return slices.Contains(matrix[scope], verb) || slices.Contains(matrix[scope], "*")
					})
					denied := false
					for _, f := range n.Gets(n.Object("session").At(verb, 1, "")).Frames("err") {
						denied = denied || f.code() == "unauthorized"
					}
					t.Equal("SUBSTRATE-AUTHZ-006", "allowed only if a scope of the peer maps to the verb or to *: "+verb, !allowed, denied)
				}
			}))
	}
	return append(out,
		nodeCase("authz/answers-need-no-scope", "a peer without scopes can answer, and nothing else",
			laws("SUBSTRATE-AUTHZ-008", "SUBSTRATE-AUTHZ-006"), needs(GateRules), func(t *nodeT) {
				n := t.Connected(nodeSetup{Gate: []gateMember{{Scopes: map[string][]string{"peer": {}}, Matrix: matrix}}})
				o := n.Object("session")
				open := n.sent("", "an open is sent", n.Open(o.addr, o.kind).Did, "open")
				n.Ack(open)
				accept := o.Answer("accept", open, "")
				if !n.Acked("SUBSTRATE-AUTHZ-008", "accept settles an op of this side", n.Gets(accept), accept) {
					return
				}
				for _, verb := range []string{"res", "end"} {
					req := n.sent("", "a req is sent", n.Req(o.addr, "?").Did, "req")
					n.Ack(req)
					answer := o.Answer(verb, req, "")
					n.Acked("SUBSTRATE-AUTHZ-008", verb+" settles an op of this side", n.Gets(answer), answer)
				}
				t.Now("SUBSTRATE-AUTHZ-006", "a send is refused", n.Gets(o.At("send", o.seq+1, "a")), "transmit err code=unauthorized")
			}),
		nodeCase("authz/one-rule", "the rule of scopes is one, whoever asks", laws("SUBSTRATE-AUTHZ-007"), needs(GateRules, ScopeRule), func(t *nodeT) {
			rand := t.Rand()
			pick := func(from []string, most int) (out []string) {
				for range rand.IntN(most + 1) {
					out = append(out, from[rand.IntN(len(from))])
				}
				return append(out, []string{}...)
			}
			n := t.Connected(nodeSetup{Gate: []gateMember{{}}})
			for range 150 {
				table := map[string][]string{}
				for _, scope := range pick([]string{"a", "b", "c", "*", ""}, 4) {
					table[scope] = pick(append(verbs, "*", "", "Send"), 3)
				}
				scopes := pick([]string{"a", "b", "c", "d", "*", ""}, 3)
				verb := verbs[rand.IntN(len(verbs))]
				n.Gate(gateMember{Scopes: map[string][]string{"peer": scopes}, Matrix: table})
				got := n.Gets(n.Object("session").At(verb, 1, ""))
				gate := !slices.ContainsFunc(got.Frames("err"), func(f *frame) bool { return f.code() == "unauthorized" })
				rule := t.Scope(scopeRequest{Scopes: append([]string{}, scopes...), Matrix: table, Verb: verb})
				t.Equal("SUBSTRATE-AUTHZ-007", fmt.Sprintf("scopes %q, matrix %q, %s: both give the same result", scopes, table, verb), rule, gate)
			}
		}),
	)
}

// authzOtherCases are about streams, tokens, and the way not to ask.
func authzOtherCases() []conformance.Case {
	return []conformance.Case{
		nodeCase("authz/allow-all", "a side that asks nobody allows every op", laws("SUBSTRATE-AUTHZ-001"), needs(GateRules), func(t *nodeT) {
			run := func(s nodeSetup) []string {
				n := t.Connected(s)
				o := n.Theirs("session")
				for _, verb := range []string{"send", "req", "chunk", "res", "close"} {
					n.Gets(o.Make(verb, "x"))
				}
				n.Gets(frameOf("kind", "establish", "obj", o.addr, "objKind", "stream", "id", t.Unique("i")))
				out := []string{}
				for _, d := range n.all.Outward() {
					code := d.Code
					if d.frame != nil {
						code = d.frame.kind() + " " + d.frame.code()
					}
					out = append(out, strings.Join([]string{d.Kind, d.Verb, code}, " "))
				}
				return out
			}
			free := run(nodeSetup{})
			t.Equal("SUBSTRATE-AUTHZ-001", "it allows what a chain that allows everything does", run(nodeSetup{Gate: []gateMember{{Then: "allow"}}}), free)
			for _, line := range free {
				t.Check(!strings.Contains(line, "unauthorized"), "SUBSTRATE-AUTHZ-001", "every op of any authenticated peer is allowed", "no denial", line)
			}
		}),
		nodeCase("authz/streams", "an establish passes the same chain, a hundred times", laws("SUBSTRATE-AUTHZ-009"), needs(GateRules), func(t *nodeT) {
			const law = "SUBSTRATE-AUTHZ-009"
			n := t.Connected(nodeSetup{Gate: chainOf(map[int]gateMember{2: {Verb: "establish", Then: "deny", Code: "unauthorized"}})})
			establish := func() *frame {
				return frameOf("kind", "establish", "obj", t.Unique("o"), "objKind", "stream", "id", t.Unique("i"), "cap", []byte("token"))
			}
			for range 100 {
				f := establish()
				got := n.Gets(f)
				t.Equal(law, "an establish is offered to the chain", upTo(2), got.Asked())
				fail := n.sent(law, "it is refused with establish_fail", got, "establish_fail")
				t.Check(fail.code() == "unauthorized" && !fail.has("label") && fail.id() == f.id(), law, "before a label is allocated", "establish_fail unauthorized without a label", fail.String())
				for _, d := range got.Of(didAsk) {
					t.Equal(law, "the token is shown to each", "token", string(d.Cap))
				}
			}
			n.Gate(chainOf(nil)...)
			got := n.Gets(establish())
			t.Equal(law, "one that is allowed is offered to all", upTo(3), got.Asked())
			t.Check(!slices.ContainsFunc(got.Frames(), func(f *frame) bool { return f.code() == "unauthorized" }), law, "it is not refused by the gate", "anything else", got.String())
		}),
		nodeCase("authz/cap", "the token of an open reaches the chain and the application octet by octet", laws("SUBSTRATE-AUTHZ-010"), needs(GateRules), func(t *nodeT) {
			const law = "SUBSTRATE-AUTHZ-010"
			n := t.Connected(nodeSetup{Gate: []gateMember{{Then: "allow"}, {Then: "allow"}}})
			for _, octets := range []int{0, 1, 2, 31, 255, 256, 1023, 1024, 4095, 4096} {
				token := make([]byte, octets)
				for i := range token {
					token[i] = byte(t.Rand().UintN(256))
				}
				o := n.Object("session")
				got := n.Gets(o.Make("open", "").with("cap", token))
				for _, d := range append(got.Of(didAsk), n.the("", "the open is delivered", got, didDeliver)) {
					t.Check(d.Cap != nil && slices.Equal(d.Cap, token), law, fmt.Sprintf("ctx.cap is byte-identical, of %d octets: %s", octets, d.Kind), brief(token), brief(d.Cap))
				}
			}
			none := n.Gets(n.Object("session").Make("open", ""))
			for _, d := range append(none.Of(didAsk), none.Of(didDeliver)...) {
				t.Check(d.Cap == nil, law, "no token is none", "none", brief(d.Cap))
			}
		}),
		nodeCase("authz/cap-is-not-told", "a token is in no measurement, log line, event or span", laws("SUBSTRATE-AUTHZ-010"), needs(GateRules, Signals, Refusing), func(t *nodeT) {
			const token = "Zq7-a-token-that-is-nowhere-else"
			n := t.Connected(nodeSetup{Gate: []gateMember{{Verb: "send", Then: "deny", Code: "unauthorized"}, {Obj: "denied", Then: "deny", Code: "unauthorized"}}})
			o := n.Object("session")
			for range 2 {
				n.Gets(o.At("open", 1, "").with("cap", []byte(token)))
			}
			n.Gets((&nodeObj{n: n, addr: "denied", kind: "session"}).At("open", 1, "").with("cap", []byte(token)))
			n.Gets(o.At("open", 2, "").with("cap", []byte(token)))
			n.Refuse(0, -1)
			n.Gets(n.Object("session").At("open", 1, "").with("cap", []byte(token)))
			n.TryCall("open", "ours", callRequest{ObjKind: "session", Cap: []byte(token)})
			n.Refuse(0, 0)
			n.Call("open", "ours", callRequest{ObjKind: "session", Cap: []byte(token)})
			seen := fmt.Sprintf("%+v", n.Signals())
			t.Check(len(seen) > 200, "", "something is observed", "measurements", seen)
			t.Check(!strings.Contains(seen, token), "SUBSTRATE-AUTHZ-010", "the substrate never stores it in metrics or logs it", "no token", seen)
		}),
	}
}
