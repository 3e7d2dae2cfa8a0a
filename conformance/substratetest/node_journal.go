package substratetest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// Journal makes a node of the journal form, connected.
func (t *nodeT) Journal() *node { return t.Connected(nodeSetup{Form: formJournal}) }

// journalCase is a case of a node with a journal.
func journalCase(name, title string, laws, options []string, do func(*nodeT)) conformance.Case {
	return nodeCase("journal/"+name, title, laws, append(needs(JournalForm), options...), do)
}

// nodeJournalCases are about the outbox in a journal.
func nodeJournalCases() []conformance.Case {
	return slices.Concat(writtenCases(), lateCases(), unwrittenCases(), fullCases(), freedCases(), reloadedCases(), outlivedCases(), tornCases(), queueCases(), ownerCases())
}

// Rows lists what waits in the outbox for the peer, as seqs and bodies.
func (n *node) Rows() string {
	all := []string{}
	for _, r := range n.Kept().Outbox {
		all = append(all, fmt.Sprintf("%s %d %s %s", r.Verb, r.Seq, r.ID, r.Body))
	}
	return fmt.Sprint(all)
}

// Drains acks what the node sends of an object, beginning with what it did, until it sends no more, and returns the frames.
func (n *node) Drains(o *nodeObj, did deeds) (sent []*frame) {
	for range 64 {
		next := slices.DeleteFunc(did.Frames(), func(f *frame) bool { return f.obj() != o.addr || !f.durable() })
		if len(next) == 0 {
			return sent
		}
		if len(next) > 1 {
			n.t.Blocked("prerequisite", "more than one frame of %s is in flight: %s", o.addr, did)
		}
		sent = append(sent, next[0])
		did = n.Ack(next[0])
	}
	n.t.Blocked("prerequisite", "%s sends more than 64 frames", o.addr)
	return nil
}

// rowsOf lists frames as Rows lists rows.
func rowsOf(sent []*frame) string {
	all := []string{}
	for _, f := range sent {
		all = append(all, fmt.Sprintf("%s %d %s %s", f.kind(), f.seq(), f.id(), f.body))
	}
	return fmt.Sprint(all)
}

// writtenFirst wants a transaction that has to be on the disk before the only op or answer among deeds.
func (t *nodeT) writtenFirst(got deeds, verb string) {
	const law = "SUBSTRATE-JOURNAL-001"
	written := slices.IndexFunc(got, func(d *deed) bool { return d.Kind == didCommit && d.Durable })
	sent := slices.IndexFunc(got, func(d *deed) bool { return d.Kind == didTransmit && d.frame.kind() == verb })
	if t.Check(sent >= 0, law, "what is written is sent", "a "+verb, got.String()) {
		t.Check(written >= 0 && written < sent, law, "it is written and durable before it is on the wire", "a durable commit, then "+verb, got.String())
	}
}

// writtenCases are about what is written before it is sent.
func writtenCases() (out []conformance.Case) {
	first := laws("SUBSTRATE-JOURNAL-001")
	for _, verb := range []string{"open", "send", "req", "close"} {
		out = append(out, journalCase(verb+"-is-written-first", verb+" is in the journal before it can be on the wire", first, needs(Refusing), func(t *nodeT) {
			n := t.Journal()
			o := n.Object("session")
			if verb != "open" {
				o = n.Ours("session")
			}
			t.writtenFirst(n.Call(verb, o.addr, callRequest{ObjKind: o.kind}).Did, verb)
		}))
	}
	for _, x := range []struct{ to, verb, sends string }{
		{"open", "accept", "accept"},
		{"open", "reject", "reject"},
		{"req", "respond", "res"},
		{"req", "end", "end"},
		{"req", "fail", "err"},
	} {
		out = append(out, journalCase(x.sends+"-is-written-first", x.sends+" is in the journal before it can be on the wire", first, needs(Refusing), func(t *nodeT) {
			n := t.Journal()
			o := n.Object("session")
			if x.to == "req" {
				o = n.Theirs("session")
			}
			d := n.the("", "it is delivered", n.Gets(o.Make(x.to, "")), didDeliver)
			q := answerRequest{}
			if x.verb == "reject" || x.verb == "fail" {
				q.Code = "app_error"
			}
			t.writtenFirst(n.Answer(x.verb, d, q), x.sends)
		}))
	}
	return append(out, journalCase("written-without-a-connection", "an op is on the disk when its call returns, connection or not", first, nil, func(t *nodeT) {
		n := t.Journal()
		o := n.Ours("session")
		n.Disconnect()
		c := n.Send(o.addr, "kept")
		n.Restart()
		sent := n.Drains(o, n.Connect())
		t.Equal("SUBSTRATE-JOURNAL-001", "it is there after a crash", fmt.Sprintf("[send 2 %s kept]", c.ID), rowsOf(sent))
	}))
}

// journalRefusals are the ways in which a write to a journal is refused, and the options that they need.
var journalRefusals = []struct {
	name, law string
	options   []string
	refuse    refuseRequest
}{
	{"refused", "SUBSTRATE-JOURNAL-003", needs(Refusing, Kept), refuseRequest{Times: 1}},
	{"aborted", "SUBSTRATE-JOURNAL-002", needs(Refusing, LateRefusal, Kept), refuseRequest{Times: 1, Late: true}},
}

// Unwritten makes a call that the journal does not write.
func (n *node) Unwritten(law string, q refuseRequest, verb, obj string, o callRequest) {
	before := n.Rows()
	q.Node = n.name
	n.refuse(q)
	_, refused := n.TryCall(verb, obj, o)
	n.refuse(refuseRequest{Node: n.name})
	if !n.t.Check(refused != nil && refused.Name == errStoreRefused, law, "the call fails with what the store says", errStoreRefused, fmt.Sprintf("%+v", refused)) {
		n.t.Stop()
	}
	n.Quietly(law, "nothing is on the wire", refused.Did)
	n.t.Equal("SUBSTRATE-JOURNAL-004", "no row is left", before, n.Rows())
}

// lateCases fail the write of each op of three.
func lateCases() (out []conformance.Case) {
	const n = 3
	for _, how := range journalRefusals {
		for k := range n {
			for _, where := range []string{"online", "offline", "busy"} {
				out = append(out, journalCase(fmt.Sprintf("%s-%d-of-%d-%s", how.name, k+1, n, where), fmt.Sprintf("the write of op %d of %d is %s: it fails alone", k+1, n, how.name),
					laws(how.law, "SUBSTRATE-JOURNAL-004"), how.options, func(t *nodeT) { t.failsAlone(how.law, how.refuse, k, n, where) }))
			}
		}
	}
	return out
}

// failsAlone fails the write of op k of n.
func (t *nodeT) failsAlone(law string, refuse refuseRequest, k, n int, where string) {
	x := t.Journal()
	o := x.Ours("session")
	want := []string{}
	seq := 2
	var did deeds
	sends := func(body string) {
		c := x.Send(o.addr, body)
		did = append(did, c.Did...)
		want = append(want, fmt.Sprintf("send %d %s %s", seq, c.ID, body))
		seq++
	}
	switch where {
	case "offline":
		x.Disconnect()
	case "busy":
		sends("first")
	}
	for i := range n {
		body := fmt.Sprint(i + 1)
		if i == k {
			x.Unwritten(law, refuse, "send", o.addr, callRequest{Body: []byte(body)})
			continue
		}
		sends(body)
	}
	if where == "offline" {
		did = x.Connect()
	}
	sent := x.Drains(o, did)
	t.Equal("SUBSTRATE-JOURNAL-004", "the others are sent in order, under seqs without a hole", fmt.Sprint(want), rowsOf(sent))
	for _, f := range sent {
		t.Check(!f.has("prev"), "SUBSTRATE-JOURNAL-004", "no seq is missing, and so there is no prev", "a frame without prev", f.String())
	}
}

// unwrittenCases are about what else follows from a write that fails.
func unwrittenCases() (out []conformance.Case) {
	for _, how := range journalRefusals {
		out = append(out,
			journalCase(how.name+"-and-a-crash", "what was not written is not there after a crash either", laws(how.law, "SUBSTRATE-JOURNAL-004"), how.options, func(t *nodeT) {
				n := t.Journal()
				o := n.Ours("session")
				n.Disconnect()
				first := n.Send(o.addr, "1")
				n.Unwritten(how.law, how.refuse, "send", o.addr, callRequest{Body: []byte("lost")})
				n.Restart()
				second := n.Send(o.addr, "2")
				sent := n.Drains(o, n.Connect())
				t.Equal("SUBSTRATE-JOURNAL-004", "what is sent", fmt.Sprintf("[send 2 %s 1 send 3 %s 2]", first.ID, second.ID), rowsOf(sent))
			}),
			journalCase(how.name+"-answer", "an answer that is not written can be given again, under the same seq", laws(how.law, "SUBSTRATE-JOURNAL-004"), how.options, func(t *nodeT) {
				n := t.Journal()
				o := n.Theirs("session")
				d := n.the("", "a req is delivered", n.Gets(o.Make("req", "?")), didDeliver)
				q := how.refuse
				q.Node = n.name
				n.refuse(q)
				_, refused := n.TryAnswer("respond", d, answerRequest{Body: []byte("!")})
				n.refuse(refuseRequest{Node: n.name})
				if !t.Check(refused != nil && refused.Name == errStoreRefused, how.law, "the answer fails with what the store says", errStoreRefused, fmt.Sprintf("%+v", refused)) {
					return
				}
				n.Quietly(how.law, "nothing is on the wire", refused.Did)
				res := n.sent("SUBSTRATE-JOURNAL-004", "it can be given again", n.Respond(d, "!"), "res")
				t.Equal("SUBSTRATE-JOURNAL-004", "under the seq that was not consumed", uint64(2), res.seq())
			}),
			journalCase(how.name+"-open", "an open that is not written leaves no object", laws(how.law, "SUBSTRATE-JOURNAL-004"), how.options, func(t *nodeT) {
				n := t.Journal()
				o := n.Object("session")
				n.Unwritten(how.law, how.refuse, "open", o.addr, callRequest{ObjKind: o.kind})
				t.Equal("SUBSTRATE-JOURNAL-004", "no object is left", 0, len(n.Kept().Objects))
				c, refused := n.TryCall("open", o.addr, callRequest{ObjKind: o.kind})
				if !t.Check(refused == nil, "SUBSTRATE-JOURNAL-004", "it can be opened", "no refusal", fmt.Sprintf("%+v", refused)) {
					return
				}
				open := n.sent("SUBSTRATE-JOURNAL-004", "it is sent then", c.Did, "open")
				t.Equal("SUBSTRATE-JOURNAL-004", "from the first seq on", uint64(1), open.seq())
			}),
		)
	}
	return out
}

// fullCases are about a store that is full.
func fullCases() []conformance.Case {
	return []conformance.Case{
		journalCase("refused-without-a-trace", "a write that fails changes no depth and counts nothing as queued", laws("SUBSTRATE-JOURNAL-004", "SUBSTRATE-JOURNAL-003"), needs(Refusing, Signals, Kept), func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			n.Send(o.addr, "1")
			n.Signals()
			n.Unwritten("SUBSTRATE-JOURNAL-003", refuseRequest{Times: 1}, "send", o.addr, callRequest{Body: []byte("lost")})
			r := n.Signals()
			t.Equal("SUBSTRATE-JOURNAL-004", "nothing is queued", 0, int(r.Count("substrate.ops.enqueued")))
			for _, m := range r.Measures {
				t.Check(m.Name != "substrate.outbox.depth" || m.Value == 1, "SUBSTRATE-JOURNAL-004", "the depth is what it was", "1", fmt.Sprintf("%+v", m))
			}
		}),
		journalCase("quota", "a journal that is full refuses calls until there is room", laws("SUBSTRATE-JOURNAL-003", "SUBSTRATE-JOURNAL-004"), needs(Quota, Kept), func(t *nodeT) {
			n := t.Connected(nodeSetup{Form: formJournal, Quota: 8192})
			o := n.Ours("session")
			body := string(slices.Repeat([]byte{'x'}, 1000))
			did := n.Send(o.addr, body).Did
			var refused *refusedCall
			for range 16 {
				if _, refused = n.TryCall("send", o.addr, callRequest{Body: []byte(body)}); refused != nil {
					break
				}
			}
			if !t.Check(refused != nil && refused.Name == errStoreRefused, "SUBSTRATE-JOURNAL-003", "17 bodies of 1000 octets do not fit into 8192", errStoreRefused, fmt.Sprintf("%+v", refused)) {
				return
			}
			rows := n.Rows()
			sent := n.Drains(o, did)
			t.Equal("SUBSTRATE-JOURNAL-004", "what is sent is what was written", rows, rowsOf(sent))
			last := n.sent("SUBSTRATE-JOURNAL-003", "there is room again", n.Send(o.addr, "y").Did, "send")
			t.Equal("SUBSTRATE-JOURNAL-004", "and no seq is missing", uint64(len(sent))+2, last.seq())
		}),
	}
}

// refusedAs returns the code of what TryNew was refused with.
func refusedAs(thrown *adapter.TargetError) (code string) {
	if thrown == nil {
		return "no error"
	}
	if raw, given := thrown.Members["code"]; !given || json.Unmarshal(raw, &code) != nil {
		return thrown.Name
	}
	return code
}
