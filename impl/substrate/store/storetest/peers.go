package storetest

import (
	"fmt"
	"sync"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

func checkEmpty(p *probe) {
	s := p.load("p")
	p.same("", "load a peer that is not known yet", &store.State{Epoch: s.Epoch}, s)
	if _, ok := p.committed("p", store.Key{Class: store.Op, ID: "x"}); ok {
		p.found("SUBSTRATE-DEDUPE-001", "look up an id that was never committed", "not found", "found")
	}
	p.same("", "read an inbox that nothing was written to", 0, len(p.inbox("p", "o", 0)))
	n, err := p.s.Depth("p", "o")
	p.must("count an inbox that nothing was written to", err)
	p.same("", "count an inbox that nothing was written to", 0, n)
	p.same("", "expire what is not there", 0, p.expire("p", base.Add(store.Horizon), 10))
	p.apply("p", &store.Batch{})
	p.same("", "load after an empty batch", &store.State{Epoch: s.Epoch}, p.load("p"))
}

func checkEpoch(p *probe) {
	a, b := p.load("a").Epoch, p.load("b").Epoch
	if a == ([8]byte{}) || b == ([8]byte{}) {
		p.found("", "load two new peers", "an epoch of random octets each", fmt.Sprintf("%x and %x", a, b))
	}
	if a == b {
		p.found("", "load two new peers", "an epoch of its own for each", fmt.Sprintf("%x for both", a))
	}
	p.apply("a", full("o"))
	p.same("", "load a peer again after a batch", a, p.load("a").Epoch)
}

func checkEpochAfterReopen(p *probe) {
	a := p.load("a").Epoch
	p.again()
	p.same("", "load a peer that nothing was written for after reopening", a, p.load("a").Epoch)
	if b := p.load("b").Epoch; b == a {
		p.found("", "load a new peer after reopening", "an epoch of its own", fmt.Sprintf("%x as the other one", b))
	}
}

func checkFirstLoads(p *probe) {
	var (
		all    sync.WaitGroup
		epochs [8]*store.State
		errs   [8]error
	)
	for i := range epochs {
		all.Go(func() { epochs[i], errs[i] = p.s.Load("p") })
	}
	all.Wait()
	for i := range epochs {
		p.must("load a new peer from 8 goroutines at once", errs[i])
		p.same("", "load a new peer from 8 goroutines at once", epochs[0].Epoch, epochs[i].Epoch)
	}
}

func checkReadingChangesNothing(p *probe) {
	p.apply("p", full("o"))
	p.apply("p", &store.Batch{Objects: []store.Object{{Obj: "o", Kind: "queue", State: "live", Queued: true}}})
	before, waiting := p.load("p"), p.inbox("p", "o", 0)
	for range 2 {
		p.inbox("p", "o", 1)
		p.committed("p", store.Key{Class: store.Op, ID: "in-o"})
		if _, err := p.s.Depth("p", "o"); err != nil {
			p.must("count an inbox", err)
		}
		p.same("", "load after reads only", before, p.load("p"))
		p.same("", "read the inbox after reads only", waiting, p.inbox("p", "o", 0))
	}
}

// checkPeers runs one trace for two peers with equal names and ids, and expects for each what a store of its own would have.
func checkPeers(p *probe) {
	twins := map[string]*twin{}
	for _, peer := range []string{"a", "b"} {
		twins[peer] = newTwin(p.load(peer).Epoch)
	}
	do := func(peer string, b *store.Batch) {
		p.apply(peer, b)
		twins[peer].apply(b)
		for other, w := range twins {
			p.same("", fmt.Sprintf("load %q after a batch for %q", other, peer), w.state(), p.load(other))
			p.same("", fmt.Sprintf("read the inbox of %q after a batch for %q", other, peer), w.inbox("o", 0), p.inbox(other, "o", 0))
			n, err := p.s.Depth(other, "o")
			p.must("count an inbox", err)
			p.same("", fmt.Sprintf("count the inbox of %q after a batch for %q", other, peer), len(w.inbox("o", 0)), n)
			_, want := w.entries[store.Key{Class: store.Op, ID: "in-o"}]
			_, got := p.committed(other, store.Key{Class: store.Op, ID: "in-o"})
			p.same("SUBSTRATE-DEDUPE-005", fmt.Sprintf("look up an id for %q after a batch for %q", other, peer), want, got)
		}
	}
	do("a", full("o"))
	b := full("o")
	b.Rows[0].Body, b.Inbound[0].Body, b.Counters[0].LastAssigned = []byte("of b"), []byte("of b"), 7
	do("b", b)
	do("a", &store.Batch{DropRows: []store.Place{{Obj: "o", Seq: 1}}, DropInbound: []uint64{1}})
	do("b", &store.Batch{Sent: []store.Sent{{Place: store.Place{Obj: "o", Seq: 1}, At: base}}})
	p.same("", "expire for one of two peers", twins["a"].expire(base.Add(store.Horizon), 100), p.expire("a", base.Add(store.Horizon), 100))
	do("b", &store.Batch{})
}

// checkPeerNames uses names that run into one another when keys are made by joining them.
func checkPeerNames(p *probe) {
	type place struct{ peer, obj string }
	places := []place{
		{"a", "b.c"},
		{"a.b", "c"},
		{"a", "b"},
		{"a.b.c", "d"},
		{"a", "b.c.d"},
		{"a-b", "c"},
		{"a", "b-c"},
		{"a_b", "c"},
		{"a", "b_c"},
		{"a.", "b"},
		{"1", "11"},
		{"11", "1"},
		{"a", "b/c"},
		{"a", "b/"},
		{"ab", "b"},
		{"a", "./b"},
		{"a", "b//c"},
	}
	for _, at := range places {
		p.apply(at.peer, &store.Batch{Rows: []store.Row{{Obj: at.obj, Seq: 1, ID: at.peer + ":" + at.obj, Class: store.Op}}})
	}
	seen := map[place]string{}
	for _, at := range places {
		for _, r := range p.load(at.peer).Rows {
			seen[place{at.peer, r.Obj}] = r.ID
		}
	}
	want := map[place]string{}
	for _, at := range places {
		want[at] = at.peer + ":" + at.obj
	}
	p.same("", "write one row for each of several peers and objects whose names look alike, and load them", want, seen)
}
