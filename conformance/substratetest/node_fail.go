package substratetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// nodeFailCases are about a store that refuses to write, and about what is written before what.
func nodeFailCases() []conformance.Case {
	var out []conformance.Case
	for k := range 3 {
		title := fmt.Sprintf("of three sends the %s is not written", []string{"first", "second", "third"}[k])
		out = append(out, nodeCase(fmt.Sprintf("fail/enqueue-%d-of-3", k+1), title, laws("SUBSTRATE-OUTBOX-009", "SUBSTRATE-STORE-008"),
			needs(Refusing), func(t *nodeT) { t.oneOfThree(k) }))
	}
	for _, verb := range []string{"open", "send", "req", "close"} {
		out = append(out, nodeCase("fail/call-"+verb, "the store refuses a call: "+verb, laws("SUBSTRATE-OUTBOX-009", "SUBSTRATE-OUTBOX-001"),
			needs(Refusing), func(t *nodeT) { t.callFails(verb) }))
	}
	for _, verb := range []string{"accept", "reject", "respond", "end", "fail"} {
		out = append(out, nodeCase("fail/answer-"+verb, "the store refuses an answer: "+verb,
			laws("SUBSTRATE-OUTBOX-009", "SUBSTRATE-OUTBOX-001", "SUBSTRATE-ANSWER-001", "SUBSTRATE-ANSWER-002"),
			needs(Refusing), func(t *nodeT) { t.answerFails(verb) }))
	}
	for _, store := range []string{storeMemory, storeFile} {
		for _, kind := range []string{"open", "send", "req", "close", "accept", "res"} {
			out = append(out, nodeCase("fail/commit-"+kind+"-"+store, "the store refuses to take what comes: "+kind+", store "+store,
				laws("SUBSTRATE-STORE-008", "SUBSTRATE-ACK-002", "SUBSTRATE-TOMBSTONE-004", "SUBSTRATE-DEDUPE-007"),
				append(storeNeeds(store), Refusing),
				func(t *nodeT) { t.commitFails(kind, store) }))
		}
	}
	return append(out,
		nodeCase("fail/commit-err", "an err that cannot be written is neither acked nor answered",
			laws("SUBSTRATE-STORE-008", "SUBSTRATE-BOUNCE-002"),
			needs(Refusing), func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Ours("session")
				c := n.Req(o.addr, "?")
				q := n.sent("", "a req is sent", c.Did, "req")
				n.Ack(q)
				f := o.Answer("err", q, "").with("code", "app_error")
				n.Refuse(0, 1)
				n.Silent("SUBSTRATE-STORE-008", "nothing is said of it", n.Gets(f))
				got := n.Gets(f)
				n.Acked("SUBSTRATE-STORE-008", "it is taken when it comes again", got, f)
				s := c.Settled(got)
				t.Check(s != nil && s.Code == "app_error", "SUBSTRATE-STORE-008", "and settles the call", "settle app_error", got.String())
			}),
		nodeCase("fail/first-transmission", "what has not been written as sent is not sent",
			laws("SUBSTRATE-OUTBOX-008", "SUBSTRATE-RECONNECT-003"),
			needs(Refusing), func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				n.Disconnect()
				n.Send(o.addr, "a")
				n.Refuse(0, -1)
				n.Silent("SUBSTRATE-OUTBOX-008", "the time of the first transmission is written before it", n.Connect())
				n.Silent("SUBSTRATE-OUTBOX-008", "and it is not sent later, as long as that cannot be", n.Advance(20_000))
				n.Refuse(0, 0)
				got := append(n.Advance(60_000), n.Reconnect()...)
				t.Check(len(got.Frames("send")) > 0, "SUBSTRATE-RECONNECT-003", "it is sent when that can be", "transmit send", got.String())
			}),
		nodeCase("fail/free", "the store refuses to free a row: nothing is lost, and the next op is sent once",
			laws("SUBSTRATE-STORE-008", "SUBSTRATE-OUTBOX-006", "SUBSTRATE-SEQ-001"), needs(Refusing), (*nodeT).freeFails),
		nodeCase("fail/lookup", "a ledger that cannot be read takes nothing and acks nothing", laws("SUBSTRATE-STORE-008", "SUBSTRATE-ACK-002"),
			needs(Refusing), func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				o := n.Theirs("session")
				f := o.Make("send", "a")
				n.refuse(refuseRequest{Node: n.name, Times: -1, Reads: true})
				got := n.Gets(f)
				t.Check(len(got.Frames("ack")) == 0 && len(got.Of(didDeliver)) == 0, "SUBSTRATE-ACK-002", "no ack, no delivery",
					"neither", got.String())
				n.Refuse(0, 0)
				got = n.Gets(f)
				n.Acked("SUBSTRATE-STORE-008", "it is taken when the store works again", got, f)
				n.the("SUBSTRATE-STORE-008", "and delivered", got, didDeliver)
			}),
		nodeCase("fail/others-go-on", "a store that refuses one op delays no other",
			laws("SUBSTRATE-SEQ-014", "SUBSTRATE-STORE-008"), needs(Refusing), func(t *nodeT) {
				n := t.Connected(nodeSetup{})
				a, b := n.Theirs("session"), n.Theirs("session")
				bad, good := a.Make("send", "bad"), b.Make("send", "good")
				n.Refuse(0, 1)
				n.Gets(bad)
				got := n.Gets(good)
				n.Acked("SUBSTRATE-SEQ-014", "the other object goes on", got, good)
				n.the("SUBSTRATE-SEQ-014", "and is delivered", got, didDeliver)
			}),
		nodeCase("fail/write-before-wire", "whatever is sent was written before",
			laws("SUBSTRATE-OUTBOX-001", "SUBSTRATE-ACK-002"), needs(Refusing), (*nodeT).writesFirst),
	)
}

// oneOfThree refuses the kth of three sends.
func (t *nodeT) oneOfThree(k int) {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	before := n.all.Frames("accept")[0].seq()
	n.Disconnect()
	for i := range 3 {
		if i == k {
			n.Refuse(0, 1)
		}
		_, refused := n.TryCall("send", o.addr, callRequest{Body: []byte(fmt.Sprint(i))})
		t.Check((refused != nil) == (i == k), "SUBSTRATE-OUTBOX-009", fmt.Sprintf("call %d of three, of which %d is not written", i+1, k+1),
			fmt.Sprint("refused ", i == k), fmt.Sprint("refused ", refused != nil))
	}
	got := n.Connect()
	for i := range 3 {
		if i == k {
			continue
		}
		f := n.sent("SUBSTRATE-OUTBOX-009", "the others are sent", got, "send")
		before++
		t.Equal("SUBSTRATE-OUTBOX-009", "in their order", fmt.Sprint(i), string(f.body))
		t.Equal("SUBSTRATE-OUTBOX-009", "the seqs have no gap", before, f.seq())
		t.Check(!f.has("prev") || f.number("prev") == before-1, "SUBSTRATE-OUTBOX-009", "nothing is skipped", "no prev", f.String())
		got = n.Ack(f)
	}
}

// callFails refuses a call.
func (t *nodeT) callFails(verb string) {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	obj := o.addr
	if verb == "open" {
		obj = n.Object("session").addr
	}
	n.Refuse(0, 1)
	_, refused := n.TryCall(verb, obj, callRequest{})
	if !t.Check(refused != nil && refused.Name == errStoreRefused, "SUBSTRATE-OUTBOX-009", "the call fails", errStoreRefused, "it does not") {
		return
	}
	t.Now("SUBSTRATE-OUTBOX-001", "what is not written is not sent", refused.Did)
	n.Silent("SUBSTRATE-OUTBOX-001", "not later either", n.Advance(100_000))
	n.Silent("SUBSTRATE-OUTBOX-009", "nor on another connection", n.Reconnect())
	c := n.Call(verb, obj, callRequest{})
	f := n.sent("SUBSTRATE-OUTBOX-009", "the same call succeeds afterwards", c.Did, verb)
	want := uint64(1)
	if verb != "open" {
		want = n.all.Frames("accept")[0].seq() + 1
	}
	t.Equal("SUBSTRATE-OUTBOX-009", "the seq was not consumed", want, f.seq())
}

// answerFails refuses an answer.
func (t *nodeT) answerFails(verb string) {
	n := t.Connected(nodeSetup{})
	var o *nodeObj
	var op *frame
	if verb == "accept" || verb == "reject" {
		o = n.Object("session")
		op = o.Make("open", "")
	} else {
		o = n.Theirs("session")
		op = o.Make("req", "?")
	}
	d := n.the("", "the op is delivered", n.Gets(op), didDeliver)
	answer := codeFor(verb)
	n.Refuse(0, 1)
	_, refused := n.TryAnswer(verb, d, answer)
	failed := refused != nil && refused.Name == errStoreRefused
	if !t.Check(failed, "SUBSTRATE-OUTBOX-009", "the answer fails", errStoreRefused, refused.String()) {
		return
	}
	t.Now("SUBSTRATE-OUTBOX-001", "what is not written is not sent", refused.Did)
	n.Silent("SUBSTRATE-OUTBOX-001", "nor later", n.Reconnect())
	got, again := n.TryAnswer(verb, d, answer)
	if t.Check(again == nil, "SUBSTRATE-OUTBOX-009", "the op can still be answered", "an answer", "it is refused") {
		kind := map[string]string{"accept": "accept", "reject": "reject", "respond": "res", "end": "end", "fail": "err"}[verb]
		f := n.sent("SUBSTRATE-ANSWER-002", "the answer is sent", got, kind)
		t.Equal("SUBSTRATE-ANSWER-001", "to that op", op.id(), f.id())
	}
}

// commitFails refuses to take what comes.
func (t *nodeT) commitFails(kind, store string) {
	n := t.Connected(nodeSetup{Store: store})
	f := n.coming(kind)
	n.Refuse(0, 1)
	got := n.Gets(f)
	t.Now("SUBSTRATE-STORE-008", "a commit that fails acks and delivers nothing, and says store_unavailable", got, "transmit err")
	err := n.sent("SUBSTRATE-STORE-008", "a retryable err", got, "err")
	t.Equal("SUBSTRATE-STORE-008", "its code", "store_unavailable", err.code())
	t.Equal("SUBSTRATE-STORE-008", "its id", f.id(), err.id())
	if store == storeFile {
		again := append(n.Restart(), n.Connect()...)
		t.Check(len(again.Of(didDeliver)) == 0, "SUBSTRATE-DEDUPE-007", "nothing of it is found after a restart", "no delivery", again.String())
	}
	got = n.Gets(f)
	n.Acked("SUBSTRATE-TOMBSTONE-004", "it is taken when it comes again: a retryable code leaves no tombstone", got, f)
	if kind != "accept" && kind != "res" {
		d := n.the("SUBSTRATE-STORE-008", "and delivered", got, didDeliver)
		t.Check(d.ID == f.id() && !d.Redelivered, "SUBSTRATE-STORE-008", "for the first time", f.id(), d.String())
	} else if n.lives == 0 {
		t.Check(len(got.Of(didSettle)) == 1, "SUBSTRATE-STORE-008", "and settles its call", "settle", got.String())
	}
}

// coming makes a node ready for a frame of a kind, and returns that.
func (n *node) coming(kind string) *frame {
	switch kind {
	case "open":
		o := n.Object("session")
		return o.Make("open", "")
	case "accept":
		o := n.Object("session")
		open := n.sent("", "an open is sent", n.Open(o.addr, "session").Did, "open")
		n.Ack(open)
		return o.Answer("accept", open, "")
	case "res":
		o := n.Ours("session")
		q := n.sent("", "a req is sent", n.Req(o.addr, "?").Did, "req")
		n.Ack(q)
		return o.Answer("res", q, "!")
	}
	o := n.Theirs("session")
	return o.Make(kind, "x")
}

// freeFails refuses to write that a row is freed.
func (t *nodeT) freeFails() {
	n := t.Connected(nodeSetup{})
	o := n.Theirs("session")
	first := n.sent("", "a send is sent", n.Send(o.addr, "a").Did, "send")
	c := n.Send(o.addr, "b")
	n.Refuse(0, 1)
	n.Ack(first)
	got := n.Ack(first)
	var second *frame
	for _, f := range append(n.all.Frames("send"), n.Advance(11_000).Frames("send")...) {
		if string(f.body) == "b" {
			second = f
		}
	}
	if !t.Check(second != nil, "SUBSTRATE-STORE-008", "the next op is sent once the ack has come again", "transmit send", got.String()) {
		return
	}
	t.Equal("SUBSTRATE-SEQ-001", "its seq is the next", first.seq()+1, second.seq())
	got = n.Ack(second)
	t.Check(c.Settled(got) != nil, "SUBSTRATE-STORE-008", "and is settled by its ack", "settle ack", got.String())
	n.Silent("SUBSTRATE-OUTBOX-006", "nothing is left to be sent", n.Reconnect())
}

// writesFirst wants a commit within each request that sends something new, before that is sent.
func (t *nodeT) writesFirst() {
	n := t.Connected(nodeSetup{})
	wants := func(law, what string, did deeds) deeds {
		commits, sent := 0, 0
		for _, d := range did {
			switch d.Kind {
			case didCommit:
				commits++
			case didTransmit:
				sent++
				t.Check(commits > 0, law, what+" is written before anything is sent", "a commit, then a message", did.String())
			}
		}
		t.Check(sent > 0, "", what+" leads to a message", "a message", did.String())
		return did
	}
	for _, verb := range []string{"accept", "reject"} {
		o := n.Object("session")
		d := n.the("", "an open is delivered", wants("SUBSTRATE-ACK-002", "an open of the peer", n.Gets(o.Make("open", ""))), didDeliver)
		wants("SUBSTRATE-OUTBOX-001", verb, n.Answer(verb, d, codeFor(verb)))
	}
	for _, verb := range []string{"respond", "end", "fail"} {
		o := n.Theirs("session")
		d := n.the("", "a req is delivered", wants("SUBSTRATE-ACK-002", "a req of the peer", n.Gets(o.Make("req", "?"))), didDeliver)
		wants("SUBSTRATE-OUTBOX-001", verb, n.Answer(verb, d, codeFor(verb)))
	}
	wants("SUBSTRATE-OUTBOX-001", "open", n.Open(n.Object("session").addr, "session").Did)
	for _, verb := range []string{"send", "req", "close"} {
		wants("SUBSTRATE-OUTBOX-001", verb, n.Call(verb, n.Theirs("session").addr, callRequest{}).Did)
		o := n.Theirs("session")
		wants("SUBSTRATE-ACK-002", "a "+verb+" of the peer", n.Gets(o.Make(verb, "x")))
	}
}

// codeFor is what an answer needs.
func codeFor(verb string) (q answerRequest) {
	if verb == "reject" || verb == "fail" {
		q.Code = "app_error"
	}
	return q
}
