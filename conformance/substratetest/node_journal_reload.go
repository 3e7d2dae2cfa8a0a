package substratetest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// outboxHorizon is how long after its first transmission a row is sent again, in ms (SUBSTRATE-OUTBOX-008).
const outboxHorizon = 601_200_000

// freedCases are about the ack that frees a row.
func freedCases() []conformance.Case {
	freed := laws("SUBSTRATE-JOURNAL-005")
	return []conformance.Case{
		journalCase("freed-by-its-ack", "a row is gone with the ack that has its receipt, and with no other", freed, needs(Kept), func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			f := n.sent("", "it is sent", n.Send(o.addr, "x").Did, "send")
			n.Gets(ackOf(f).with("receipt", []byte("another")))
			n.Gets(ackOf(f).with("id", "another"))
			t.Equal("SUBSTRATE-JOURNAL-005", "no other ack frees it", rowsOf([]*frame{f}), n.Rows())
			n.Ack(f)
			t.Equal("SUBSTRATE-JOURNAL-005", "its ack does", "[]", n.Rows())
		}),
		journalCase("freed-for-good", "a row that was freed before a later write is not sent after a crash", freed, needs(Kept), func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			n.Ack(n.sent("", "it is sent", n.Send(o.addr, "freed").Did, "send"))
			c := n.Send(o.addr, "left")
			n.Restart()
			t.Equal("SUBSTRATE-JOURNAL-005", "the later one alone is left", fmt.Sprintf("[send 3 %s left]", c.ID), n.Rows())
		}),
		journalCase("deletion-that-is-lost", "a row whose deletion is lost is sent again as it was, and freed by the ack of the duplicate", freed, needs(Refusing, Kept), func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			f := n.sent("", "it is sent", n.Send(o.addr, "x").Did, "send")
			n.Refuse(0, -1)
			n.Ack(f)
			n.Restart()
			n.Refuse(0, 0)
			again := n.sent("SUBSTRATE-JOURNAL-005", "it comes again", n.Connect(), "send")
			t.Equal("SUBSTRATE-JOURNAL-005", "as a duplicate", rowsOf([]*frame{f}), rowsOf([]*frame{again}))
			n.Ack(again)
			t.Equal("SUBSTRATE-JOURNAL-005", "and is gone then", "[]", n.Rows())
			n.Quietly("SUBSTRATE-JOURNAL-005", "it is not sent a third time", append(n.Reconnect(), n.Advance(60_000)...))
		}),
		journalCase("crash-after-the-ack", "a crash right after an ack causes a duplicate at most", freed, nil, func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			f := n.sent("", "it is sent", n.Send(o.addr, "x").Did, "send")
			n.Ack(f)
			n.Restart()
			got := n.Connect()
			if again := got.Frames("send"); len(again) > 0 {
				t.Equal("SUBSTRATE-JOURNAL-005", "the same op", rowsOf([]*frame{f}), rowsOf(again))
				n.Ack(again[0])
			}
			next := n.sent("SUBSTRATE-JOURNAL-005", "the next op goes on behind it", n.Send(o.addr, "y").Did, "send")
			t.Equal("SUBSTRATE-JOURNAL-005", "under the next seq", f.seq()+1, next.seq())
		}),
	}
}

// reloadedCases reload a node at each step of a run.
func reloadedCases() (out []conformance.Case) {
	const n = 3
	reload := laws("SUBSTRATE-JOURNAL-006")
	for queued := range n + 1 {
		for acked := range queued + 1 {
			out = append(out, journalCase(fmt.Sprintf("reload-with-%d-queued-and-%d-acked", queued, acked), "what is left after a reload is sent in order, and what is new comes after it",
				reload, nil, func(t *nodeT) { t.reloads(queued, acked) }))
		}
	}
	return append(out,
		journalCase("reload-with-several-objects", "each object has its rows back, in the order of its seqs", reload, needs(Kept), func(t *nodeT) {
			n := t.Journal()
			objs := []*nodeObj{n.Ours("session"), n.Ours("queue"), n.Ours("session")}
			n.Disconnect()
			want := make([]string, len(objs))
			for i := range 4 {
				for k, o := range objs {
					c := n.Send(o.addr, fmt.Sprint(i))
					want[k] += fmt.Sprintf("send %d %s %d ", i+2, c.ID, i)
				}
			}
			n.Restart()
			got := n.Connect()
			for k, o := range objs {
				t.Equal("SUBSTRATE-JOURNAL-006", "all of an object, in order", "["+want[k][:len(want[k])-1]+"]", rowsOf(n.Drains(o, got)))
			}
			t.Equal("SUBSTRATE-JOURNAL-006", "nothing is left", "[]", n.Rows())
		}),
		journalCase("reload-twice", "a reload before anything was sent loses nothing", reload, nil, func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			n.Disconnect()
			a := n.Send(o.addr, "a")
			n.Restart()
			b := n.Send(o.addr, "b")
			n.Restart()
			n.Restart()
			t.Equal("SUBSTRATE-JOURNAL-006", "both are sent", fmt.Sprintf("[send 2 %s a send 3 %s b]", a.ID, b.ID), rowsOf(n.Drains(o, n.Connect())))
		}),
	)
}

// outlivedCases are about what comes back after a reload, and for how long.
func outlivedCases() []conformance.Case {
	reload := laws("SUBSTRATE-JOURNAL-006")
	return []conformance.Case{
		journalCase("reload-keeps-answers", "an answer is sent after a reload as well", reload, nil, func(t *nodeT) {
			n := t.Journal()
			o := n.Object("session")
			d := n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver)
			accept := n.sent("", "it is accepted", n.Accept(d), "accept")
			n.Restart()
			t.Equal("SUBSTRATE-JOURNAL-006", "the accept comes again", rowsOf([]*frame{accept}), rowsOf(n.Drains(o, n.Connect())))
		}),
		journalCase("reload-after-six-days", "time alone takes no row", reload, nil, func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			f := n.sent("", "it is sent", n.Send(o.addr, "x").Did, "send")
			n.RestartAfter(outboxHorizon - 10_000)
			t.Equal("SUBSTRATE-JOURNAL-006", "it is sent again", rowsOf([]*frame{f}), rowsOf(n.Drains(o, n.Connect())))
		}),
		journalCase("reload-after-the-horizon", "a row that was first sent 7 days less an hour ago is purged after a reload, and one that never was is not", laws("SUBSTRATE-OUTBOX-008"),
			needs(Happenings), func(t *nodeT) {
				n := t.Journal()
				o := n.Ours("session")
				f := n.sent("", "it is sent", n.Send(o.addr, "x").Did, "send")
				c := n.Send(o.addr, "y")
				n.RestartAfter(outboxHorizon)
				got := append(n.Connect(), n.Advance(0)...)
				t.Equal("SUBSTRATE-OUTBOX-008", "what was never sent is sent, and nothing else", fmt.Sprintf("[send 3 %s y]", c.ID), rowsOf(got.Frames("send")))
				var gone []string
				for _, d := range n.all.Events("bridge/futile") {
					gone = append(gone, d.ID+" "+d.Code)
				}
				t.Equal("SUBSTRATE-OUTBOX-008", "one event", fmt.Sprint([]string{f.id() + " expired"}), fmt.Sprint(gone))
			}),
	}
}

// reloads queues ops, acks some of them and reloads.
func (t *nodeT) reloads(queued, acked int) {
	n := t.Journal()
	o := n.Ours("session")
	var ids []string
	var did deeds
	for i := range queued {
		c := n.Send(o.addr, fmt.Sprint(i))
		ids, did = append(ids, c.ID), append(did, c.Did...)
	}
	for range acked {
		did = n.Ack(n.sent("", "the head is in flight", did, "send"))
	}
	n.Restart()
	fresh := n.Send(o.addr, "fresh")
	n.Quietly("SUBSTRATE-JOURNAL-006", "there is no connection", fresh.Did)
	got := n.Connect()
	head := n.sent("SUBSTRATE-JOURNAL-006", "what is left is sent again", got, "send")
	t.Check(head.seq() <= uint64(acked)+2, "SUBSTRATE-JOURNAL-006", "the first that is left goes first", fmt.Sprint("seq ", acked+2, " at most"), head.String())
	sent := n.Drains(o, got)
	// What was acked last may come again (SUBSTRATE-JOURNAL-005).
	for acked > 0 && len(sent) > queued-acked+1 {
		acked--
	}
	want := []string{}
	for i := acked; i < queued; i++ {
		want = append(want, fmt.Sprintf("send %d %s %d", i+2, ids[i], i))
	}
	want = append(want, fmt.Sprintf("send %d %s fresh", queued+2, fresh.ID))
	t.Equal("SUBSTRATE-JOURNAL-006", "all that is left is sent in order under its ids, then what is new", fmt.Sprint(want), rowsOf(sent))
}

// tornCases end a journal in the middle of a record.
func tornCases() (out []conformance.Case) {
	for _, torn := range []int{1, 4, 8, 9, 40, 1 << 16} {
		out = append(out, journalCase(fmt.Sprintf("torn-after-%d-octets", torn), "a write that a crash tore is cut off, and all before it is there", laws("SUBSTRATE-JOURNAL-006"), needs(TornJournal, Kept), func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			n.Disconnect()
			n.Send(o.addr, "a")
			n.Send(o.addr, "b")
			rows := n.Rows()
			n.Torn(torn)
			t.Equal("SUBSTRATE-JOURNAL-006", "what was written is there", rows, n.Rows())
			n.Send(o.addr, "c")
			rows = n.Rows()
			n.Torn(torn)
			t.Equal("SUBSTRATE-JOURNAL-006", "and so is what was written behind the torn end", rows, n.Rows())
			t.Equal("SUBSTRATE-JOURNAL-006", "and it is sent", rows, rowsOf(n.Drains(o, n.Connect())))
		}))
	}
	return out
}

// queueCases are about acceptQueue.
func queueCases() (out []conformance.Case) {
	const law = "SUBSTRATE-JOURNAL-007"
	refused := func(t *nodeT, n *node, d *deed) {
		rows, objects := n.Rows(), fmt.Sprint(n.Kept().Objects)
		_, refused := n.TryAnswer("accept", d, answerRequest{Queue: true})
		if !t.Check(refused != nil && refused.Code == "unsupported", law, "acceptQueue fails", "unsupported", fmt.Sprintf("%+v", refused)) {
			t.Stop()
		}
		t.Equal(law, "nothing is queued", rows, n.Rows())
		t.Equal(law, "nothing is accepted", objects, fmt.Sprint(n.Kept().Objects))
		n.Quietly(law, "nothing is sent", n.Advance(60_000))
		n.sent(law, "it can still be accepted without", n.Accept(d), "accept")
	}
	return append(out,
		journalCase("accept-queue", "acceptQueue is refused at once", laws(law), needs(HostInbox, Kept), func(t *nodeT) {
			n := t.Journal()
			o := n.Object("queue")
			refused(t, n, n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver))
		}),
		journalCase("accept-queue-of-a-feed", "acceptQueue of what comes by a feed is refused at once", laws(law), needs(Feeds, HostInbox, Kept), func(t *nodeT) {
			n := t.Connected(nodeSetup{Form: formJournal, Feeds: true})
			s := &stream{nodeObj: n.Object("queue"), seqs: []uint64{4}}
			n.Follow(s.addr, s.kind, 0)
			open := s.At("open", 4, "").without("receipt").with("prev", 0)
			refused(t, n, n.the("", "an open is delivered", n.Gets(open), didDeliver))
		}),
		journalCase("accept-queue-after-a-reload", "acceptQueue is refused after a reload as before", laws(law), needs(HostInbox, Kept), func(t *nodeT) {
			n := t.Journal()
			n.Restart()
			n.Connect()
			o := n.Object("queue")
			refused(t, n, n.the("", "an open is delivered", n.Gets(o.Make("open", "")), didDeliver))
		}),
	)
}

// ownerCases are about who has a journal.
func ownerCases() []conformance.Case {
	const law = "SUBSTRATE-JOURNAL-008"
	return []conformance.Case{
		journalCase("one-owner", "a journal that is open cannot be opened a second time, and can be once it is closed", laws(law), needs(Kept), func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			n.Disconnect()
			a := n.Send(o.addr, "a")
			for range 2 {
				_, thrown := t.TryNew(nodeSetup{Form: formJournal, With: n})
				t.Equal(law, "the second open fails", "journal_locked", refusedAs(thrown))
			}
			b := n.Send(o.addr, "b")
			rows := n.Rows()
			t.Equal(law, "the owner goes on", fmt.Sprintf("[send 2 %s a send 3 %s b]", a.ID, b.ID), rows)
			n.Stop()
			next, thrown := t.TryNew(nodeSetup{Form: formJournal, With: n})
			if !t.Check(thrown == nil, law, "after its end the journal can be opened", "a node", fmt.Sprint(thrown)) {
				return
			}
			t.Equal(law, "with what it has", rows, next.Rows())
			t.Equal(law, "and it is sent", rows, rowsOf(next.Drains(&nodeObj{n: next, addr: o.addr, kind: o.kind}, next.Connect())))
		}),
		journalCase("one-owner-after-a-crash", "a crash gives the journal up, and the next owner has it alone", laws(law), nil, func(t *nodeT) {
			n := t.Journal()
			o := n.Ours("session")
			n.Restart()
			n.Connect()
			_, thrown := t.TryNew(nodeSetup{Form: formJournal, With: n})
			t.Equal(law, "the second open fails", "journal_locked", refusedAs(thrown))
			n.sent(law, "the owner goes on", n.Send(o.addr, "x").Did, "send")
		}),
		journalCase("a-journal-for-each", "journals of two nodes are apart", laws(law), needs(Kept), func(t *nodeT) {
			a, b := t.Journal(), t.Journal()
			o := a.Ours("session")
			a.Disconnect()
			a.Send(o.addr, "x")
			t.Equal(law, "the other has none of its rows", "[]", b.Rows())
			b.Restart()
			t.Equal(law, "nor after a reload", "[]", b.Rows())
		}),
	}
}
