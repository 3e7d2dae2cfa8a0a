package substratetest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// A lasting store is one that outlives a restart, and the option that it needs.
type lastingStore struct{ name, option string }

func lastingStores() []lastingStore {
	return []lastingStore{{storeHost, HostStore}, {storeFile, FileStore}, {formJournal, JournalForm}}
}

// setup returns that of a node over the store.
func (s lastingStore) setup() nodeSetup {
	if s.name == formJournal {
		return nodeSetup{Form: formJournal}
	}
	return nodeSetup{Store: s.name}
}

// storeKeptCases are about what is kept, in each store.
func storeKeptCases() []conformance.Case {
	var out []conformance.Case
	for _, s := range lastingStores() {
		out = append(out,
			nodeCase("store/none-and-empty-"+s.name, "a body of no octets is kept apart from none ("+s.name+")", laws("SUBSTRATE-STORE-010"), needs(s.option), func(t *nodeT) {
				noneAndEmpty(t, s.setup())
			}),
			nodeCase("store/counters-outlive-"+s.name, "the counters of an object outlive its record ("+s.name+")",
				laws("SUBSTRATE-STORE-010", "SUBSTRATE-STORE-001"), needs(s.option, Kept), func(t *nodeT) {
					countersOutlive(t, s.setup())
				}))
		if s.name == formJournal {
			continue
		}
		out = append(out, nodeCase("store/four-tables-"+s.name, "outbox, inbox, ledger and registry are all in the one store ("+s.name+")",
			laws("SUBSTRATE-STORE-001"), needs(s.option, Kept), func(t *nodeT) {
				fourTables(t, s.setup())
			}))
	}
	return out
}

// noneAndEmpty sends bodies and tokens that are none or of no octets, across a restart.
func noneAndEmpty(t *nodeT, s nodeSetup) {
	const law = "SUBSTRATE-STORE-010"
	n := t.New(s)
	for _, octets := range [][]byte{nil, {}, {0}, []byte("text")} {
		o := n.Object("session")
		n.Call("open", o.addr, callRequest{ObjKind: "session", Cap: octets})
		n.Restart()
		open := n.sent("", "the open is sent", n.Connect(), "open")
		capsule, has := open.env["cap"].([]byte)
		t.Check(has == (octets != nil) && slices.Equal(capsule, octets), law, "a cap of no octets is kept apart from none", fmt.Sprintf("%v: %x", octets != nil, octets), open.String())
		n.Gets(o.Answer("accept", open, ""))
		n.Ack(open)
		n.Disconnect()
		n.Call("send", o.addr, callRequest{Body: octets})
		n.Restart()
		send := n.sent("", "the send is sent", n.Connect(), "send")
		t.Check((send.body != nil) == (octets != nil) && slices.Equal(send.body, octets), law, "a body of no octets is kept apart from none", fmt.Sprintf("%v: %x", octets != nil, octets), send.String())
		n.Ack(send)
		n.Disconnect()
	}
	if s.Form == formJournal {
		return
	}
	n.Connect()
	for _, octets := range [][]byte{nil, {}, {0}} {
		o := n.Theirs("session")
		n.Gets(o.Make("send", "").carrying(octets))
		n.Restart()
		n.Connect()
		found := false
		for _, d := range n.all.Of(didDeliver) {
			if d.Obj == o.addr && d.Redelivered && d.Verb == "send" {
				found = true
				t.Check((d.Body != nil) == (octets != nil) && slices.Equal(d.Body, octets), law, "in the inbox too", fmt.Sprintf("%v: %x", octets != nil, octets), d.String())
			}
		}
		t.Check(found, "SUBSTRATE-STORE-010", "what was not handled is delivered again", "a delivery", "none")
	}
}

// countersOutlive opens an object again when its record has expired.
func countersOutlive(t *nodeT, s nodeSetup) {
	const law = "SUBSTRATE-STORE-010"
	n := t.Connected(s)
	o := n.Ours("session")
	for range 3 {
		n.Ack(n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send"))
	}
	last := n.sent("", "a close is sent", n.Close(o.addr).Did, "close")
	n.Ack(last)
	n.Disconnect()
	n.RestartAfter(15 * 24 * 3_600_000)
	n.Advance(3_600_000)
	for _, kept := range n.Kept().Objects {
		t.Check(kept.Obj != o.addr, "", "the record has expired", "no record", kept.State)
	}
	// That a record is gone need not last by itself, but what is written after it must.
	n.Open(n.Object("session").addr, "session")
	n.Restart()
	n.Connect()
	open := n.sent("", "an open is sent", n.Open(o.addr, "session").Did, "open")
	t.Equal(law, "counters outlive the record of their object", last.seq()+1, open.seq())
}

// fourTables restarts a node that has something in each table.
func fourTables(t *nodeT, s nodeSetup) {
	const law = "SUBSTRATE-STORE-001"
	n := t.Connected(s)
	o := n.Theirs("session")
	taken, waits := o.Make("send", "taken"), o.Make("send", "waits")
	n.Handled(n.the("", "an op is delivered", n.Gets(taken), didDeliver))
	n.the("", "another is delivered", n.Gets(waits), didDeliver)
	n.Send(o.addr, "queued")
	before := n.Kept()
	did := n.Restart()
	t.Equal(law, "what is kept is what was kept", before, n.Kept())
	did = append(did, n.Connect()...)
	t.Equal(law, "the outbox is there", "queued", string(n.sent(law, "the head of the outbox is sent", did, "send").body))
	t.Equal(law, "the inbox is there", 1, delivered(did, waits))
	t.Equal(law, "what was handled is not", 0, delivered(did, taken))
	for _, f := range []*frame{taken, waits} {
		got := n.Gets(f)
		n.Acked(law, "the ledger is there: a copy is acked", got, f)
		t.Equal(law, "and not delivered", 0, delivered(got, f))
	}
	_, refused := n.TryCall("open", o.addr, callRequest{ObjKind: "session"})
	t.Check(refused != nil && refused.Code == "already_exists", law, "the registry is there: the object is live", "already_exists", fmt.Sprint(refused))
}

// storeFailureCases are about a store that refuses.
func storeFailureCases() []conformance.Case {
	const law = "SUBSTRATE-STORE-008"
	lies := laws(law)
	out := []conformance.Case{
		nodeCase("store/refused-commit", "an op whose commit fails is not acked, leaves nothing, and is told to come later", lies, needs(Refusing, Kept), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			for _, verb := range []string{"send", "req", "close"} {
				f := o.At(verb, o.seq+1, "x")
				before := n.Kept()
				n.Refuse(0, 2)
				for range 2 {
					t.Now(law, "the receiver sends no ack and answers with a retryable err: "+verb, n.Gets(f), "transmit err code=store_unavailable")
				}
				t.Equal(law, "it rolls back", before, n.Kept())
				got := n.Gets(f)
				n.Acked(law, "when it comes again it is taken", got, f)
				o.seq++
				if d := got.Of(didDeliver); len(d) == 1 && verb != "close" {
					if verb == "req" {
						n.Respond(d[0], "!")
					} else {
						n.Handled(d[0])
					}
				}
			}
			open := n.Object("session")
			f := open.Make("open", "")
			n.Refuse(0, 1)
			t.Now(law, "an open", n.Gets(f), "transmit err code=store_unavailable")
			n.the(law, "when it comes again it is taken", n.Gets(f), didDeliver)
		}),
		nodeCase("store/refused-lookup", "an op of which the ledger cannot be asked is told to come later", lies, needs(Refusing), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Theirs("session")
			known, fresh := o.Make("send", "known"), o.Make("send", "fresh")
			n.Gets(known)
			n.refuse(refuseRequest{Node: n.name, Times: -1, Reads: true})
			for _, f := range []*frame{known, fresh} {
				t.Now(law, "a failing store never lies", n.Gets(f), "transmit err code=store_unavailable")
			}
			n.Refuse(0, 0)
			n.Acked(law, "the known one is acked when it is found", n.Gets(known), known)
			n.Acked(law, "the fresh one is taken", n.Gets(fresh), fresh)
			t.Equal(law, "each is delivered once", []int{1, 0}, []int{delivered(n.all, known), delivered(n.all, fresh)})
		}),
		nodeCase("store/refused-enqueue", "a call that is not written fails, and nothing of it is there", lies, needs(Refusing, Kept), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			for _, verb := range []string{"send", "req", "close", "open"} {
				before := n.Kept()
				obj := o.addr
				if verb == "open" {
					obj = n.Object("session").addr
				}
				n.Refuse(0, 1)
				_, refused := n.TryCall(verb, obj, callRequest{ObjKind: "session", Body: []byte("x")})
				if verb != "open" {
					_, refused = n.refusedAgain(refused, verb, obj)
				}
				t.Check(refused != nil && refused.Name == errStoreRefused, law, "if an enqueue write fails the call fails: "+verb, errStoreRefused, fmt.Sprint(refused))
				t.Equal(law, "nothing is written", before, n.Kept())
			}
			n.Refuse(0, 0)
			f := n.sent(law, "the next call is sent", n.Send(o.addr, "next").Did, "send")
			t.Equal(law, "it has the seq of the one that failed", o.open.seq()+1, f.seq())
		}),
		nodeCase("store/refused-err", "an err whose commit fails is not answered", lies, needs(Refusing), func(t *nodeT) {
			n := t.Connected(nodeSetup{})
			o := n.Ours("session")
			req := n.sent("", "a req is sent", n.Req(o.addr, "?").Did, "req")
			n.Ack(req)
			f := o.Answer("err", req, "").with("code", "app_error")
			n.Refuse(0, 1)
			n.Silent(law, "no err begets an err", n.Gets(f))
			got := n.Gets(f)
			n.Acked(law, "when it comes again it is taken", got, f)
			n.the(law, "and settles the call", got, didSettle)
		}),
	}
	for every := range 6 {
		out = append(out, nodeCase(fmt.Sprint("store/every-", every+2), fmt.Sprintf("memory is what is kept while one step in %d fails", every+2),
			laws(law), needs(Refusing, HostStore, Kept), func(t *nodeT) {
				failing(t, every+2)
			}))
	}
	return out
}

// refusedAgain returns a refusal of the store; one that a rule of this side has given instead is of no use here.
func (n *node) refusedAgain(refused *refusedCall, verb, obj string) (string, *refusedCall) {
	if refused != nil && refused.Name == errRefusedCall {
		n.t.Blocked("prerequisite", "%s on %s is refused: %s", verb, obj, refused.Code)
	}
	return obj, refused
}

// A failingRun is a node whose commits fail now and then.
type failingRun struct {
	n            *node
	ours, theirs *nodeObj
	sent         *frame // by the peer, and not acked yet
	sends        int
	taken        []string // ids of what was acked
	handled      int
	commits      int
}

// failing has one step in so many fail, and compares what is in memory with what is kept.
func failing(t *nodeT, every int) {
	const law = "SUBSTRATE-STORE-008"
	n := t.Durable()
	r := &failingRun{n: n, ours: n.Ours("session"), theirs: n.Theirs("session")}
	for range 12 {
		for _, do := range []func(){r.call, r.get, r.free, r.done} {
			if r.commits++; r.commits%every == 0 {
				n.Refuse(0, 1)
			}
			do()
			n.Refuse(0, 0)
			if !r.compare() {
				return
			}
		}
	}
	before := len(n.all)
	n.Restart()
	n.Connect()
	waited := slices.Clone(r.taken[r.handled:])
	for r.handled < len(r.taken) {
		handled := r.handled
		if r.done(); handled == r.handled {
			break
		}
	}
	again := []string{}
	for _, d := range n.all[before:].Of(didDeliver) {
		again = append(again, d.ID)
	}
	t.Equal(law, "after a restart what was acked and not handled is delivered, in order", waited, again)
	f := r.theirs.At("send", r.theirs.seq+1, "after")
	n.Acked(law, "and the frontier is where it was", n.Gets(f), f)
}

// call has the application send.
func (r *failingRun) call() { r.n.TryCall("send", r.ours.addr, callRequest{Body: []byte("x")}) }

// get hands the node what it has not acked yet, or something new.
func (r *failingRun) get() {
	if r.sent == nil {
		r.sends++
		r.sent = r.theirs.At("send", r.theirs.seq+1, fmt.Sprint(r.sends))
	}
	if len(r.n.Gets(r.sent).Frames("ack")) == 1 {
		r.taken = append(r.taken, r.sent.id())
		r.theirs.seq++
		r.sent = nil
	}
}

// free acks what the node has sent last.
func (r *failingRun) free() {
	if sends := r.n.all.Frames("send"); len(sends) > 0 {
		r.n.Ack(sends[len(sends)-1])
	}
}

// done has the application be done with what comes first of what it is not done with.
func (r *failingRun) done() {
	if r.handled == len(r.taken) {
		return
	}
	for _, d := range slices.Backward(r.n.all.Of(didDeliver)) {
		if d.ID != r.taken[r.handled] {
			continue
		}
		_, refused := r.n.TryAnswer("handled", d, answerRequest{})
		if refused == nil {
			r.handled++
			return
		}
		r.n.t.Check(refused.Name == errStoreRefused, "SUBSTRATE-STORE-008", "what was not written is still to be done", errStoreRefused, refused.Name+" "+refused.Code)
		return
	}
}

// compare compares memory with what is kept: the heads by what is sent on a new connection, and what waits in the inbox.
func (r *failingRun) compare() bool {
	const law, reason = "SUBSTRATE-STORE-008", "in-memory state equals durable state after every failure"
	kept := r.n.Kept()
	heads, sent := map[string]string{}, map[string]string{}
	for _, row := range kept.Outbox {
		if heads[row.Obj] == "" {
			heads[row.Obj] = fmt.Sprint(row.Verb, " ", row.ID, " ", row.Seq)
		}
	}
	for _, f := range r.n.Reconnect().Frames() {
		sent[f.obj()] = fmt.Sprint(f.kind(), " ", f.id(), " ", f.seq())
	}
	waits := []string{}
	for _, row := range kept.Inbox {
		waits = append(waits, row.ID)
	}
	ok := r.n.t.Equal(law, reason+": the heads of the outbox", heads, sent)
	return r.n.t.Equal(law, reason+": what was acked and is not handled", append([]string{}, r.taken[r.handled:]...), waits) && ok
}

// storeOwnerCases are about files that the substrate opens.
func storeOwnerCases() []conformance.Case {
	const law = "SUBSTRATE-STORE-009"
	return []conformance.Case{
		nodeCase("store/one-owner", "a file has one owner, until that ends", laws(law), needs(FileStore, Kept), func(t *nodeT) {
			n := t.Connected(nodeSetup{Store: storeFile})
			o := n.Theirs("session")
			n.Send(o.addr, "queued")
			for range 2 {
				second, thrown := t.TryNew(nodeSetup{File: n})
				t.Check(second == nil && thrown != nil && thrown.Name == errLocked, law, "the second open fails as locked", errLocked, fmt.Sprint(thrown))
			}
			f := o.Make("send", "a")
			n.Acked(law, "the owner goes on", n.Gets(f), f)
			kept := n.Kept()
			n.Stop()
			after, thrown := t.TryNew(nodeSetup{File: n})
			if !t.Check(thrown == nil, law, "when the owner has ended it can be opened", "a node", fmt.Sprint(thrown)) {
				return
			}
			t.Equal(law, "and what it kept is there", kept, after.Kept())
			_, thrown = t.TryNew(nodeSetup{File: n})
			t.Check(thrown != nil && thrown.Name == errLocked, law, "now that one owns it", errLocked, fmt.Sprint(thrown))
		}),
		nodeCase("store/owner-of-another-file", "a file that is in use is none of another's business", laws(law), needs(FileStore), func(t *nodeT) {
			for range 3 {
				n, thrown := t.TryNew(nodeSetup{Store: storeFile})
				if !t.Check(thrown == nil, law, "each file has an owner of its own", "a node", fmt.Sprint(thrown)) {
					return
				}
				n.Connect()
				f := n.Object("session").Make("open", "")
				n.Acked(law, "which writes to it", n.Gets(f), f)
			}
		}),
	}
}
