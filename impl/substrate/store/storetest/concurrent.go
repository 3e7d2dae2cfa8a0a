package storetest

import (
	"fmt"
	"sync"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// checkConcurrent writes from several goroutines, some of which share a peer, while others read.
func checkConcurrent(p *probe) {
	const writers, rounds = 8, 12
	peers := []string{"a", "b"}
	twins := map[string]*twin{}
	for _, peer := range peers {
		twins[peer] = newTwin(p.load(peer).Epoch)
	}
	var all sync.WaitGroup
	report := func(doing string, err error) {
		if err != nil {
			p.found("", doing+" while others write", "no error", err.Error())
		}
	}
	for i := range writers {
		peer, obj := peers[i%2], fmt.Sprint("o", i)
		all.Go(func() {
			for k := range uint64(rounds) {
				n := uint64(i*rounds) + k + 1
				b := &store.Batch{
					Objects:  []store.Object{{Obj: obj, State: "live", Incarnation: k + 1, Participants: []string{"x", "y"}}},
					Counters: []store.Counter{{Obj: obj, LastAssigned: k + 1}},
					Rows:     []store.Row{{Obj: obj, Seq: k + 1, ID: fmt.Sprint(n), Body: []byte(obj)}},
					Entries:  []store.Entry{{Key: store.Key{Class: store.Op, ID: fmt.Sprint(n)}, At: base}},
					Inbound:  []store.Inbound{{N: n, Obj: obj, ID: fmt.Sprint(n), Body: []byte(obj)}},
					Durable:  k%4 == 0,
				}
				if k > 0 {
					b.DropRows, b.DropInbound = []store.Place{{Obj: obj, Seq: k}}, []uint64{n - 1}
				}
				report("apply", p.s.Apply(peer, b))
				p.mu.Lock()
				twins[peer].apply(b)
				p.mu.Unlock()
			}
		})
	}
	for _, peer := range peers {
		all.Go(func() {
			for k := range rounds {
				_, err := p.s.Load(peer)
				report("load", err)
				_, _, err = p.s.Committed(peer, store.Key{Class: store.Op, ID: fmt.Sprint(k)})
				report("look up", err)
				_, err = p.s.Inbox(peer, "o1", 3)
				report("read an inbox", err)
				_, err = p.s.Depth(peer, "o0")
				report("count an inbox", err)
				_, err = p.s.Expire(peer, base, 5)
				report("expire", err)
			}
		})
	}
	all.Wait()
	for _, peer := range peers {
		p.same("", fmt.Sprintf("load %q after %d goroutines wrote", peer, writers), twins[peer].state(), p.load(peer))
		for k := range twins[peer].entries {
			if _, ok := p.committed(peer, k); !ok {
				p.found("", fmt.Sprintf("look up %v of %q after %d goroutines wrote", k, peer, writers), "found", "not found")
			}
		}
	}
}

// checkReaders loads while a batch after another moves everything by one: a load must never see a part of a batch.
func checkReaders(p *probe) {
	const rounds = 60
	p.load("p")
	var all sync.WaitGroup
	done := make(chan struct{})
	all.Go(func() {
		defer close(done)
		for k := range uint64(rounds) {
			b := &store.Batch{
				Objects:  []store.Object{{Obj: "o", State: "live", Incarnation: k + 1}},
				Counters: []store.Counter{{Obj: "o", LastAssigned: k + 1}},
				Rows:     []store.Row{{Obj: "o", Seq: k + 1}},
				Inbound:  []store.Inbound{{N: k + 1, Obj: "o"}},
				Durable:  k%8 == 0,
			}
			if k > 0 {
				b.DropRows, b.DropInbound = []store.Place{{Obj: "o", Seq: k}}, []uint64{k}
			}
			if err := p.s.Apply("p", b); err != nil {
				p.found("", "apply while another goroutine loads", "no error", err.Error())
				return
			}
		}
	})
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				s, err := p.s.Load("p")
				if err != nil {
					p.found("", "load while another goroutine applies", "no error", err.Error())
					return
				}
				if len(s.Rows) == 0 && s.LastN == 0 {
					continue
				}
				whole := len(s.Rows) == 1 && len(s.Inbound) == 1 && len(s.Objects) == 1 && len(s.Counters) == 1
				if whole {
					k := s.LastN
					whole = s.Rows[0].Seq == k && s.Inbound[0].N == k && s.Objects[0].Incarnation == k && s.Counters[0].LastAssigned == k
				}
				if !whole {
					p.found("", "load while another goroutine applies batches that move everything by one", "one row of each, all of the same batch",
						fmt.Sprintf("%+v", s))
					return
				}
			}
		})
	}
	all.Wait()
}
