package storetest

import (
	"fmt"
	"reflect"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

func equalStates(a, b *store.State) bool { return reflect.DeepEqual(a, b) }

func checkClosed(p *probe) {
	p.load("p")
	p.must("close the store", p.s.Close())
	errs := map[string]error{}
	_, errs["Load"] = p.s.Load("p")
	_, _, errs["Committed"] = p.s.Committed("p", store.Key{Class: store.Op, ID: "x"})
	errs["Apply"] = p.s.Apply("p", full("o"))
	_, errs["Inbox"] = p.s.Inbox("p", "o", 0)
	_, errs["Depth"] = p.s.Depth("p", "o")
	_, errs["Expire"] = p.s.Expire("p", base, 1)
	for call, err := range errs {
		if err == nil {
			p.found("", "call "+call+" after Close", "an error", "none")
		}
	}
}

// checkFailedBatch fails a batch in each of its parts and expects that nothing of it is there, also after reopening.
func checkFailedBatch(p *probe) {
	w := newTwin(p.load("p").Epoch)
	first := full("o")
	p.apply("p", first)
	w.apply(first)
	for i, part := range Parts() {
		b := full("new")
		b.Rows[0].ID, b.Entries[0].ID = fmt.Sprint("id", i), fmt.Sprint("id", i)
		b.Inbound[0].N, b.Inbound[1].N = 100, 101
		b.Sent = []store.Sent{{Place: store.Place{Obj: "o", Seq: 2}, At: base.Add(time.Minute)}}
		b.DropRows = []store.Place{{Obj: "o", Seq: 1}}
		b.DropInbound = []uint64{1}
		mend := p.sabotage(p.s, part)
		err := p.s.Apply("p", b)
		mend()
		doing := fmt.Sprintf("apply a batch that fails in %s", part)
		if err == nil {
			p.found("SUBSTRATE-STORE-008", doing, "an error", "none")
			w.apply(b)
			continue
		}
		look := func(doing string) {
			p.same("", doing+", then load: nothing of it is there", w.state(), p.load("p"))
			p.same("", doing+", then read the inbox", w.inbox("o", 0), p.inbox("p", "o", 0))
			if _, ok := p.committed("p", b.Entries[0].Key); ok {
				p.found("", doing+", then look its id up", "not found: a redelivery would be taken for a duplicate and be lost", "found")
			}
		}
		look(doing)
		if p.reopen != nil {
			p.again()
			look(doing + ", then reopen")
		}
	}
	b := full("after")
	p.apply("p", b)
	w.apply(b)
	p.same("SUBSTRATE-OUTBOX-009", "apply a batch after failed ones", w.state(), p.load("p"))
}

// checkCrash crashes between batches: all that was durable is there and nothing by half. What was not durable may be lost from some
// batch on, but not before one that is there.
func checkCrash(p *probe) {
	epoch := p.load("p").Epoch
	var history []*twin
	w := newTwin(epoch)
	durable := 0
	for i := range uint64(30) {
		b := &store.Batch{
			Counters: []store.Counter{{Obj: "o", LastAssigned: i + 1}},
			Rows:     []store.Row{{Obj: "o", Seq: i + 1, ID: fmt.Sprint(i)}},
			Entries:  []store.Entry{{Key: store.Key{Class: store.Op, ID: fmt.Sprint(i)}, At: base}},
			Inbound:  []store.Inbound{{N: i + 1, Obj: "o", ID: fmt.Sprint(i), Body: []byte{byte(i)}}},
			Objects:  []store.Object{{Obj: "o", State: "live", Incarnation: i + 1}},
			Durable:  i%3 == 0,
		}
		if i > 0 {
			b.DropRows, b.DropInbound = []store.Place{{Obj: "o", Seq: i}}, []uint64{i}
		}
		p.must("apply a batch", p.s.Apply("p", b))
		w.apply(b)
		history = append(history, w.clone())
		if b.Durable {
			durable = len(history) - 1
		}
		if i%7 != 6 && i != 29 {
			continue
		}
		p.crash(p.s)
		p.s = p.reopen(p.s)
		got := p.load("p")
		found := -1
		for j := durable; j < len(history); j++ {
			if equalStates(history[j].state(), got) {
				found = j
			}
		}
		if found < 0 {
			p.same("", fmt.Sprintf("load after a crash that followed batch %d; the last durable one was %d", len(history)-1, durable),
				history[durable].state(), got)
			return
		}
		w = history[found].clone()
		p.entries(w)
		if _, ok := p.committed("p", store.Key{Class: store.Op, ID: fmt.Sprint(i)}); ok != (found == len(history)-1) {
			p.found("", "look up the id of the last batch after a crash", "found exactly if the rest of its batch is there", fmt.Sprintf("%t", ok))
		}
		if found != len(history)-1 {
			// The trace goes on from what is left, so that seqs stay without gaps.
			history = append(history[:found+1], w.clone())
		}
	}
}
