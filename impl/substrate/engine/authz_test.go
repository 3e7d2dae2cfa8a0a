package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// SUBSTRATE-AUTHZ-001
func TestAuthzRequired(t *testing.T) {
	for field, c := range map[string]Config{
		"Authorize": {Local: "a", Remote: "b"},
		"Local":     {Remote: "b", Authorize: AllowAll},
		"Remote":    {Local: "a", Authorize: AllowAll},
	} {
		_, err := New(start(), c)
		if e, ok := err.(*ConfigError); !ok || e.Field != field { //nolint:errorlint // it is returned as it is
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := New(start(), Config{Local: "a", Remote: "b", Authorize: AllowAll}); err != nil {
		t.Error(err)
	}
	if _, err := New(start(), Config{Local: "a", Remote: "b", Authorize: AllowAll, Limits: Limits{Inbox: -1}}); err == nil {
		t.Error("a negative limit passes")
	}
}

// policy denies verbs on a side.
func policy(side string, denied *[]string) func(string, *Config) {
	return func(name string, c *Config) {
		if name == side {
			c.Authorize = func(x *OpContext) Denial {
				if slices.Contains(*denied, x.Verb) {
					return Deny(wire.Unauthorized)
				}
				return Denial{}
			}
		}
	}
}

// SUBSTRATE-AUTHZ-002, SUBSTRATE-AUTHZ-003, SUBSTRATE-AUTHZ-004, SUBSTRATE-OBSERVE-008
func TestAuthzDenialLeavesNoTrace(t *testing.T) {
	denied := []string{}
	w := twoLive(t, policy("b", &denied))
	denied = []string{wire.Open, wire.Close, wire.Send, wire.Req, wire.Chunk, wire.Accept, wire.Reject, wire.Res, wire.End}
	before := w.b.eng.Snapshot()
	n := 0
	for _, verb := range denied {
		for _, obj := range []string{"o", "nowhere"} {
			for _, seq := range []uint64{1, 2, 40, 400} {
				n++
				f := op(verb, obj, fmt.Sprint("x", n), seq)
				for range 3 {
					got := w.b.inject(f)
					if len(got) > 0 {
						want(t, verb, kinds(got), "err:unauthorized")
						got[0].Obj, got[0].ID = "", ""
						want(t, "equal replies", fmt.Sprint(got[0]), fmt.Sprint(bounceOf("", "", wire.Unauthorized)))
					}
				}
			}
		}
	}
	after := w.b.eng.Snapshot()
	want(t, "bounced once each", len(after.Tombstones), n)
	want(t, "errs", w.b.sentKind(wire.Err), n)
	after.Tombstones = nil
	want(t, "no trace", after.Digest(), before.Digest())
	f := op(wire.Send, "o", "x1", 2)
	w.drop()
	w.connect()
	w.lose()
	want(t, "once more", kinds(w.b.inject(f)), "err:unauthorized")
	m := w.b.metrics.Snapshot().Named(observe.AuthorizeDenied)
	want(t, "labels", fmt.Sprint(m.Counters[0].Labels), fmt.Sprint(observe.Labels{Verb: m.Counters[0].Verb, ObjKind: "session", Code: "unauthorized"}))
}

// SUBSTRATE-AUTHZ-004: a denied answer is purged at its sender.
func TestAuthzDeniedAnswer(t *testing.T) {
	denied := []string{}
	w := twoLive(t, policy("a", &denied))
	denied = []string{wire.Res}
	w.a.req("o", "q")
	w.pump()
	want(t, "purged", w.b.rows("o"), 0)
	want(t, "futile", w.b.count(observe.EventFutile), 1)
	want(t, "live", w.b.state("o"), live)
}

// SUBSTRATE-AUTHZ-005, SUBSTRATE-AUTHZ-011
func TestAuthzChain(t *testing.T) {
	for _, kind := range []string{"denies", "panics", "no code", "nothing"} {
		for at := range 4 {
			var called []int
			var members []Interceptor
			for i := range 4 {
				members = append(members, func(*OpContext) Denial {
					called = append(called, i)
					switch {
					case i != at:
					case kind == "denies":
						return Deny("my_code")
					case kind == "panics":
						panic("no")
					case kind == "no code":
						return Denial{Msg: "no"}
					}
					return Denial{}
				})
			}
			d := Chain(members...)(&OpContext{})
			switch kind {
			case "denies":
				want(t, kind, d.Code, "my_code")
			case "nothing":
				want(t, kind, d, Denial{})
				want(t, kind, len(called), 4)
				continue
			default:
				want(t, kind, d.Code, wire.Unauthorized)
			}
			want(t, "called", len(called), at+1)
		}
	}
	w := twoLive(t, func(_ string, c *Config) {
		c.Authorize = func(x *OpContext) Denial {
			if x.ID == "boom" {
				panic("boom")
			}
			return Denial{}
		}
	})
	want(t, "the engine", kinds(w.b.inject(op(wire.Send, "o", "boom", 2))), "err:unauthorized")
	want(t, "goes on", kinds(w.b.inject(op(wire.Send, "o", "fine", 2))), "ack")
}

// SUBSTRATE-AUTHZ-006, SUBSTRATE-AUTHZ-007, SUBSTRATE-AUTHZ-008
func TestAuthzScopes(t *testing.T) {
	matrix := wire.Matrix{"producer": {wire.Open, wire.Send, wire.Close}, "admin": {wire.AnyVerb}}
	scopes := map[string][]string{"p": {"producer"}, "root": {"admin"}, "none": {}, "odd": {"unheard"}}
	gate := ScopeAuthorizer(func(peer string) []string { return scopes[peer] }, matrix)
	verbs := []string{wire.Open, wire.Close, wire.Send, wire.Req, wire.Chunk, wire.Establish, wire.Resync, wire.Accept, wire.Reject, wire.Res, wire.End}
	for _, peer := range []string{"p", "root", "none", "odd", "stranger"} {
		for _, verb := range verbs {
			allowed := gate(&OpContext{Peer: peer, Verb: verb}) == Denial{}
			answer := slices.Contains([]string{wire.Accept, wire.Reject, wire.Res, wire.End}, verb)
			want(t, peer+" "+verb, allowed, answer || wire.ScopeAllows(matrix, scopes[peer], verb))
			want(t, peer+" "+verb, allowed, answer || peer == "root" || peer == "p" && slices.Contains(matrix["producer"], verb))
		}
	}
}

// SUBSTRATE-AUTHZ-008, SUBSTRATE-AUTHZ-010
func TestAuthzOffered(t *testing.T) {
	var seen []OpContext
	w := newWorld(t, func(name string, c *Config) {
		if name == "b" {
			c.Authorize = func(x *OpContext) Denial { seen = append(seen, *x); return Denial{} }
		}
	})
	w.connect()
	token := "\x00\xfftoken"
	w.a.call(w.a.eng.Open(w.now, wire.Session, "o", []byte(token)))
	w.pump()
	want(t, "cap", string(seen[0].Cap), token)
	want(t, "context", fmt.Sprint(seen[0].Peer, seen[0].Verb, seen[0].Obj, seen[0].ObjKind, seen[0].Conn), "aopenosession"+w.link)
	want(t, "delivered", string(w.b.fetched[0].Cap), token)
	seen = nil
	for _, kind := range []string{wire.Close, wire.Send, wire.Req, wire.Chunk, wire.Accept, wire.Reject, wire.Res, wire.End, wire.Err} {
		w.b.inject(op(kind, "o", "k-"+kind, 900))
	}
	w.b.inject(resyncOf("o", wire.FieldFromSeq, 1))
	w.b.inject(ackOf(&wire.Frame{Obj: "o", ObjKind: wire.Session, ID: "k", Receipt: []byte("r")}))
	w.b.inject(bounceOf("o", "k", "x"))
	var verbs []string
	for _, x := range seen {
		verbs = append(verbs, x.Verb)
	}
	want(t, "offered", strings.Join(verbs, " "), "close send req chunk accept reject res end")
}

// SUBSTRATE-AUTHZ-012
func TestAuthzDenialBeatsDedupe(t *testing.T) {
	denied := []string{}
	w := twoLive(t, policy("b", &denied))
	c := w.a.send("o", "m")
	w.a.deliver(0, false)
	w.lose()
	denied = []string{wire.Send}
	w.drop()
	w.connect()
	w.pump()
	want(t, "told", w.a.settled[c.ID].Code, wire.Unauthorized)
	want(t, "delivered once", w.b.bodies(wire.Send), "m")
	denied = nil
	w.a.send("o", "n")
	w.pump()
	want(t, "and goes on", w.b.bodies(wire.Send), "m n")
}
