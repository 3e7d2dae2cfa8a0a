package substratetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// observeBagCases are about the observers themselves.
func observeBagCases() []conformance.Case {
	var out []conformance.Case
	for _, x := range []struct {
		name, title string
		observe     []string
	}{
		{"none", "nobody observes", []string{"none"}},
		{"panics", "an observer fails at every call", []string{"panics"}},
		{"slow", "an observer is slow", []string{"slow"}},
		{"all", "there are several, some of which fail", []string{"panics", "copy", "panics", "copy"}},
	} {
		out = append(out, nodeCase("observe/changes-nothing-"+x.name, "a node does the same when "+x.title,
			laws("SUBSTRATE-OBSERVE-002", "SUBSTRATE-OBSERVE-001"), needs(Signals, Kept, GateRules, Refusing), func(t *nodeT) {
				gate := []gateMember{{Verb: "req", Obj: "denied", Then: "deny", Code: "unauthorized"}}
				plain := t.observed(nodeSetup{Gate: gate})
				other := t.observed(nodeSetup{Gate: gate, Observe: x.observe})
				t.Equal("SUBSTRATE-OBSERVE-002", "trace, state and results equal those of the other run", plain, other)
			}))
	}
	return append(out,
		nodeCase("observe/none-is-told-nothing", "a node without observers tells nobody", laws("SUBSTRATE-OBSERVE-001"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{Observe: []string{"none"}})
			o := n.Theirs("session")
			n.Gets(o.Make("send", "a"))
			r := n.Signals()
			t.Check(len(r.Measures)+len(r.Logs)+len(r.Events)+len(r.Spans) == 0, "SUBSTRATE-OBSERVE-001", "the default is null", "nothing", fmt.Sprint(r))
		}),
		nodeCase("observe/later-members-run", "an observer behind one that fails is told everything", laws("SUBSTRATE-OBSERVE-002"), needs(Signals), func(t *nodeT) {
			told := func(observe ...string) []string {
				n := t.Connected(nodeSetup{Observe: observe})
				n.life("o")
				r := n.Signals()
				return r.lines(0)
			}
			plain := told()
			t.Check(len(plain) > 10, "", "a life is observed", "more than ten calls", fmt.Sprint(plain))
			t.Equal("SUBSTRATE-OBSERVE-002", "a panicking member is isolated and later members still run", plain, told("panics"))
		}),
		nodeCase("observe/composite", "each call goes to all members, in order", laws("SUBSTRATE-OBSERVE-001"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{Observe: []string{"copy", "copy"}})
			n.life("o")
			n.Refuse(0, 1)
			n.TryCall("send", "o", callRequest{Body: []byte("refused")})
			r := n.Signals()
			for concern, turns := range r.turns() {
				t.Check(len(turns) > 0, "", "there are "+concern, "some", "none")
				t.Equal("SUBSTRATE-OBSERVE-001", "each of the "+concern+" goes to all members, in order", slices.Repeat([]int{1, 2, 0}, len(turns)/3), turns)
			}
			for by := range 2 {
				t.Equal("SUBSTRATE-OBSERVE-001", "three recordings are equal", r.lines(0), r.lines(by+1))
			}
		}),
		nodeCase("observe/events", "observers are told of the events that happen, with their levels",
			laws("SUBSTRATE-OBSERVE-001", "SUBSTRATE-OBSERVE-009"), needs(Signals, Happenings), func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				n.Signals()
				before := len(n.all)
				n.life("o")
				want, got := []string{}, []string{}
				for _, d := range n.all[before:].Of(didEvent) {
					want = append(want, fmt.Sprint(d.Name, d.Level, d.Obj, d.ID, d.Code))
				}
				for _, e := range n.Signals().Events {
					got = append(got, fmt.Sprint(e.Name, e.Level, e.Obj, e.ID, e.Code))
				}
				t.Check(len(want) >= 5, "", "events happen", "five or more", fmt.Sprint(want))
				t.Equal("SUBSTRATE-OBSERVE-001", "each event is passed on as it is", want, got)
			}),
		nodeCase("observe/spans", "a call has a span from its enqueue to its end", laws("SUBSTRATE-OBSERVE-001"), needs(Signals), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			n.Signals()
			c := n.Req(o.addr, "?")
			n.Advance(300)
			n.Gets(o.Answer("res", n.sent("", "a req is sent", c.Did, "req"), "!"))
			got := []string{}
			for _, s := range n.Signals().Spans {
				if s.Name == "substrate.op" {
					got = append(got, fmt.Sprint(s.ID == c.ID, s.Ends, s.At))
				}
			}
			t.Equal("SUBSTRATE-OBSERVE-001", "the tracer is told of its beginning and of its end", []string{"true false 0", "true true 300"}, got)
		}),
	)
}

// life has a little of everything happen on an object of a node that is connected.
func (n *node) life(obj string) {
	call := func(verb string, o callRequest) deeds {
		o.ID = n.t.Unique("fixed")
		return n.Call(verb, obj, o).Did
	}
	o := &nodeObj{n: n, addr: obj, kind: "session"}
	open := n.sent("", "an open is sent", call("open", callRequest{ObjKind: "session", Cap: []byte("secret")}), "open")
	n.Gets(o.Answer("accept", open, ""))
	req := n.sent("", "a req is sent", call("req", callRequest{Body: []byte("?")}), "req")
	call("send", callRequest{Body: []byte("queued")})
	n.Advance(10_000)
	in := o.Make("send", "in")
	n.Gets(in)
	n.Gets(o.At("send", o.seq+2, "early"))
	n.Gets(o.At("send", o.seq, "late"))
	n.Gets(n.Object("queue").At("send", 1, "nobody"))
	n.Gets((&nodeObj{n: n, addr: "denied", kind: "session"}).At("req", 1, "?"))
	n.Ack(req)
	n.Ack(req)
	n.Gets(o.At("res", o.seq+1, "!").with("id", req.id()))
	if sends := n.all.Frames("send"); len(sends) > 0 {
		n.Gets(bounceOf(sends[0], "app_error"))
	}
	n.Gets(in.carrying([]byte("another")))
	n.Reconnect()
	n.Gets(o.At("res", o.seq+3, "nobody asked"))
	n.Gets(o.At("close", o.seq+4, ""))
}

// observed returns what a node does in a life with its store failing now and then, without what is drawn at random.
func (t *nodeT) observed(s nodeSetup) []string {
	n := t.Connected(s)
	n.life("o")
	n.Refuse(0, 1)
	n.TryCall("open", "p", callRequest{ObjKind: "session", ID: t.Unique("fixed")})
	n.Refuse(0, 0)
	n.TryCall("open", "p", callRequest{ObjKind: "session", ID: t.Unique("fixed")})
	n.Advance(100_000)
	drawn := regexp.MustCompile(`(receipt|id|obj)=\S+( \(\d+ octets\))?|fixed\S*|` + n.name + `\S*`)
	out := []string{}
	for _, d := range n.all {
		out = append(out, drawn.ReplaceAllString(d.String(), ""))
	}
	kept := n.Kept()
	for _, row := range kept.Outbox {
		out = append(out, fmt.Sprintf("row %s %s %d %s", row.Obj, row.Verb, row.Seq, row.Body))
	}
	return append(out, fmt.Sprintf("%d in the inbox, objects %v", len(kept.Inbox), kept.Objects))
}

// lines are what one member was told.
func (r *signalsReply) lines(by int) (out []string) {
	drawn := regexp.MustCompile(`\S*\d+\S*\.\S*`)
	for _, m := range r.Measures {
		if m.By == by {
			out = append(out, m.String())
		}
	}
	for _, l := range r.Logs {
		if l.By == by {
			out = append(out, "log "+l.Level+" "+drawn.ReplaceAllString(l.Msg, ""))
		}
	}
	for _, e := range r.Events {
		if e.By == by {
			out = append(out, strings.Join([]string{"event", e.Name, e.Level, e.Code}, " "))
		}
	}
	for _, s := range r.Spans {
		if s.By == by {
			out = append(out, fmt.Sprint("span ", s.Name, s.Ends, s.At))
		}
	}
	return out
}

// turns are the members that were told, one after the other, by what they were told of.
func (r *signalsReply) turns() map[string][]int {
	t := map[string][]int{}
	for _, m := range r.Measures {
		t["measurements"] = append(t["measurements"], m.By)
	}
	for _, l := range r.Logs {
		t["log lines"] = append(t["log lines"], l.By)
	}
	for _, e := range r.Events {
		t["events"] = append(t["events"], e.By)
	}
	for _, s := range r.Spans {
		if s.Name == "substrate.op" && !s.Ends {
			t["spans"] = append(t["spans"], s.By)
		}
	}
	return t
}
