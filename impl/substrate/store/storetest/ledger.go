package storetest

import (
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

func checkLedger(p *probe) {
	w := newTwin(p.load("p").Epoch)
	b := full("o")
	p.apply("p", b)
	w.apply(b)
	p.apply("p", &store.Batch{DropInbound: []uint64{1, 2}, DropRows: []store.Place{{Obj: "o", Seq: 1}, {Obj: "o", Seq: 2}}})
	p.apply("p", &store.Batch{Objects: []store.Object{{Obj: "o", Kind: "session", State: "closed", Ended: base}}})
	p.entries(w)
	for _, k := range []store.Key{{Class: store.Op, ID: "out-o"}, {Class: store.Op, ID: "IN-O"}, {Class: store.Op, ID: "in-"}, {Class: 3, ID: "in-o"}} {
		if _, ok := p.committed("p", k); ok {
			p.found("SUBSTRATE-DEDUPE-001", fmt.Sprintf("look up %v, which was never committed", k), "not found", "found")
		}
	}
	one := store.Entry{Key: store.Key{Class: store.Answer, ID: "only-answer"}, At: base}
	p.apply("p", &store.Batch{Entries: []store.Entry{one}})
	if _, ok := p.committed("p", store.Key{Class: store.Op, ID: "only-answer"}); ok {
		p.found("SUBSTRATE-ANSWER-003", "look up an op by an id that only an answer has", "not found", "found")
	}
}

func checkLedgerAfterReopen(p *probe) {
	w := newTwin(p.load("p").Epoch)
	b := full("o")
	p.apply("p", b)
	w.apply(b)
	p.apply("p", &store.Batch{DropInbound: []uint64{1, 2}})
	p.again()
	p.entries(w)
}

func checkLedgerKeepsTheFirst(p *probe) {
	k := store.Key{Class: store.Op, ID: "x"}
	first := store.Entry{Key: k, Obj: "first", Kind: "send", Digest: [16]byte{1}, At: base}
	later := store.Entry{Key: k, Obj: "later", Kind: "req", Digest: [16]byte{2}, At: base.Add(time.Hour)}
	p.apply("p", &store.Batch{Entries: []store.Entry{first, later}})
	for _, doing := range []string{"put an entry twice in one batch", "put an entry that is there in another batch"} {
		got, ok := p.committed("p", k)
		if !ok {
			p.found("SUBSTRATE-DEDUPE-002", doing, "found", "not found")
		}
		p.same("", doing+": the first stays, with its time", first, got)
		p.apply("p", &store.Batch{Entries: []store.Entry{later}})
	}
}

func checkExpire(p *probe) {
	edge := base.Add(store.Horizon)
	before := map[string]bool{}
	var b store.Batch
	for id, at := range map[string]time.Time{
		"old": edge.Add(-time.Hour), "just": edge.Add(-time.Millisecond), "edge": edge, "young": edge.Add(time.Millisecond), "future": edge.Add(store.Horizon),
	} {
		b.Entries = append(b.Entries, store.Entry{Key: store.Key{Class: store.Op, ID: id}, At: at})
		before[id] = at.Before(edge)
	}
	p.apply("p", &b)
	p.same("", "expire what is older than a time: how many", 2, p.expire("p", edge, 100))
	for id, gone := range before {
		_, ok := p.committed("p", store.Key{Class: store.Op, ID: id})
		p.same("", fmt.Sprintf("look up %q after what is older than a time was expired: found", id), !gone, ok)
	}
	p.same("", "expire again: how many", 0, p.expire("p", edge, 100))
	p.apply("p", &store.Batch{Entries: []store.Entry{{Key: store.Key{Class: store.Op, ID: "old"}, At: edge}}})
	got, ok := p.committed("p", store.Key{Class: store.Op, ID: "old"})
	if !ok || !got.At.Equal(edge) {
		p.found("", "commit an id anew that was expired", fmt.Sprintf("found, of %v", edge), fmt.Sprintf("%t, of %v", ok, got.At))
	}
}

func checkExpireLimit(p *probe) {
	const many, limit = 25, 10
	var b store.Batch
	for i := range many {
		b.Entries = append(b.Entries, store.Entry{Key: store.Key{Class: store.Op, ID: fmt.Sprint("old", i)}, At: base})
		b.Entries = append(b.Entries, store.Entry{Key: store.Key{Class: store.Answer, ID: fmt.Sprint("new", i)}, At: base.Add(time.Hour)})
		b.Objects = append(b.Objects, store.Object{Obj: fmt.Sprint("old", i), State: "closed", Ended: base})
	}
	p.apply("p", &b)
	left := func() (old, young int) {
		for i := range many {
			if _, ok := p.committed("p", store.Key{Class: store.Op, ID: fmt.Sprint("old", i)}); ok {
				old++
			}
			if _, ok := p.committed("p", store.Key{Class: store.Answer, ID: fmt.Sprint("new", i)}); ok {
				young++
			}
		}
		return old, young
	}
	entries, objects := many, many
	for entries+objects > 0 {
		n := p.expire("p", base.Add(time.Minute), limit)
		old, young := left()
		ended := len(p.load("p").Objects)
		if n == 0 || n != entries-old+objects-ended || entries-old > limit || objects-ended > limit || young != many {
			p.found("", fmt.Sprintf("expire with a limit of %d while %d entries and %d objects are old", limit, entries, objects),
				"some of them removed and counted, at most the limit of each, and no young ones",
				fmt.Sprintf("said %d; %d entries, %d objects and %d of %d young entries left", n, old, ended, young, many))
			return
		}
		entries, objects = old, ended
	}
}

func checkExpireObjects(p *probe) {
	w := newTwin(p.load("p").Epoch)
	b := &store.Batch{Objects: []store.Object{
		{Obj: "live", State: "live"},
		{Obj: "old", State: "closed", Ended: base},
		{Obj: "edge", State: "rejected", Ended: base.Add(time.Hour)},
		{Obj: "young", State: "closed", Ended: base.Add(2 * time.Hour)},
	}}
	p.apply("p", b)
	w.apply(b)
	p.same("", "expire records of objects that ended before a time: how many", w.expire(base.Add(time.Hour), 10), p.expire("p", base.Add(time.Hour), 10))
	p.same("", "load after records of dead objects expired", w.state(), p.load("p"))
}

func checkObjects(p *probe) {
	w := newTwin(p.load("p").Epoch)
	for _, b := range []*store.Batch{
		{Objects: []store.Object{{Obj: "o", Kind: "queue", State: "opening", Opener: "me", OpenID: "1", Incarnation: 1}}},
		{Objects: []store.Object{{Obj: "o", Kind: "queue", State: "closed", Opener: "me", OpenID: "1", Incarnation: 1, Participants: []string{"a", "b"}, Queued: true, Ended: base}}},
		{Objects: []store.Object{{Obj: "o", Kind: "session", State: "live", Opener: "you", OpenID: "2", Incarnation: 2, Participants: []string{"b"}}}},
	} {
		p.apply("p", b)
		w.apply(b)
		p.same("", "put the record of an object in the place of an earlier one", w.state(), p.load("p"))
	}
}
