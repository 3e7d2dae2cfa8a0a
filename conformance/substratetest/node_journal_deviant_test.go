package substratetest

import (
	"os"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A lyingStore is a journal that does not do what it says.
type lyingStore struct {
	store.Store
	apply func(s store.Store, peer string, b *store.Batch) error
	load  func(*store.State)
}

// Apply implements [store.Store].
func (s *lyingStore) Apply(peer string, b *store.Batch) error {
	if s.apply == nil {
		return s.Store.Apply(peer, b)
	}
	return s.apply(s.Store, peer, b)
}

// Load implements [store.Store].
func (s *lyingStore) Load(peer string) (*store.State, error) {
	state, err := s.Store.Load(peer)
	if err == nil && s.load != nil {
		s.load(state)
	}
	return state, err
}

// lying makes hooks of a store that lies.
func lying(s lyingStore) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{store: func(_ *refNode, real store.Store) store.Store {
			one := s
			one.Store = real
			return &one
		}}
	}
}

// before makes hooks that do something before certain operations.
func before(do func(*refNode), ops ...string) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{op: func(n *refNode, op string) {
			if n.q.Form == formJournal && slices.Contains(ops, op) {
				do(n)
			}
		}}
	}
}

func journalDeviants() []nodeDeviant {
	return slices.Concat(writeDeviants(), freeDeviants(), reloadDeviants(), ownerDeviants())
}

// writeDeviants write late, or not, or say so.
func writeDeviants() []nodeDeviant {
	willing := before(func(n *refNode) { n.seen.refusal.times = 0 }, "open", "send", "respond")
	return []nodeDeviant{
		{law: "SUBSTRATE-JOURNAL-001", name: "nothing is written", hooks: dropping(func(_ *refNode, d *deed) bool { return d.Kind == didCommit })},
		{law: "SUBSTRATE-JOURNAL-001", name: "what is written need not last", hooks: func() nodeHooks {
			return nodeHooks{did: ofEach(func(_ *refNode, d *deed) deeds {
				x := *d
				x.Durable = false
				return deeds{&x}
			})}
		}},
		{law: "SUBSTRATE-JOURNAL-001", name: "rows stay in memory", hooks: lying(lyingStore{apply: func(s store.Store, peer string, b *store.Batch) error {
			b.Rows = nil
			return s.Apply(peer, b)
		}})},
		{law: "SUBSTRATE-JOURNAL-002", name: "a put taken for all of it", hooks: lying(lyingStore{apply: func(s store.Store, peer string, b *store.Batch) error {
			_ = s.Apply(peer, b)
			return nil
		}})},
		{law: "SUBSTRATE-JOURNAL-003", name: "a refusal that nobody hears of", hooks: willing},
		{law: "SUBSTRATE-JOURNAL-003", name: "a quota that is not kept", only: "journal/quota", hooks: lying(lyingStore{apply: func(s store.Store, peer string, b *store.Batch) error {
			_ = s.Apply(peer, b)
			return nil
		}})},
		{law: "SUBSTRATE-JOURNAL-004", name: "a row that is left", hooks: lying(lyingStore{apply: func(s store.Store, peer string, b *store.Batch) error {
			err := s.Apply(peer, b)
			if err != nil {
				_ = s.Apply(peer, b)
			}
			return err
		}})},
		{law: "SUBSTRATE-JOURNAL-004", name: "a seq that is burnt", hooks: rewriting(func(n *refNode, f *frame) *frame {
			if !f.durable() || f.has("prev") {
				return f
			}
			return f.with("seq", f.seq()+uint64(n.seen.refusal.refused))
		})},
		{law: "SUBSTRATE-JOURNAL-004", name: "counted and not queued", only: "journal/refused-without-a-trace", hooks: before(func(n *refNode) {
			n.seen.got.Measures = append(n.seen.got.Measures, measure{Name: "substrate.ops.enqueued", As: "count", Value: 1})
		}, "refuse", "send")},
	}
}

// freeDeviants free rows otherwise.
func freeDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-JOURNAL-005", name: "any ack will do", hooks: func() nodeHooks {
			last := map[string]*frame{}
			return nodeHooks{
				did: ofEach(func(_ *refNode, d *deed) deeds {
					if f := decode(d.Octets); d.Kind == didTransmit && f.durable() {
						last[f.obj()] = f
					}
					return deeds{d}
				}),
				frame: func(_ *refNode, f *frame) *frame {
					if sent := last[f.obj()]; sent != nil && f.kind() == "ack" {
						return ackOf(sent)
					}
					return f
				},
			}
		}},
		{law: "SUBSTRATE-JOURNAL-005", name: "no ack will do", only: "journal/{freed,deletion,crash}-*", hooks: func() nodeHooks {
			sent := map[string]int{}
			return nodeHooks{frame: func(_ *refNode, f *frame) *frame {
				if f.kind() == "ack" {
					if sent[f.obj()]++; sent[f.obj()] > 1 {
						return nil
					}
				}
				return f
			}}
		}},
		{law: "SUBSTRATE-JOURNAL-005", name: "deletions that are never written", hooks: lying(lyingStore{apply: func(s store.Store, peer string, b *store.Batch) error {
			b.DropRows = nil
			return s.Apply(peer, b)
		}})},
	}
}

// reloadDeviants come back otherwise.
func reloadDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-JOURNAL-006", name: "no row comes back", hooks: lying(lyingStore{load: func(s *store.State) { s.Rows = nil }})},
		{law: "SUBSTRATE-JOURNAL-006", name: "rows come back under other ids", hooks: lying(lyingStore{load: func(s *store.State) {
			for i := range s.Rows {
				s.Rows[i].ID = "another-" + s.Rows[i].ID[:1]
			}
		}})},
		{law: "SUBSTRATE-JOURNAL-006", name: "the last write is cut off with the torn one", hooks: before(func(n *refNode) { n.disk.log.made = n.disk.log.before }, "restart")},
		{law: "SUBSTRATE-JOURNAL-006", name: "seqs begin anew", only: "journal/reload-with-0-*", hooks: lying(lyingStore{load: func(s *store.State) { s.Counters = nil }})},
		{law: "SUBSTRATE-OUTBOX-008", name: "no row expires", only: "journal/reload-after-the-horizon", hooks: lying(lyingStore{load: func(s *store.State) {
			for i := range s.Rows {
				s.Rows[i].FirstSent = time.Time{}
			}
		}})},
	}
}

// ownerDeviants accept queues, and share journals.
func ownerDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-JOURNAL-007", name: "queues for the host", hooks: func() nodeHooks {
			return nodeHooks{config: func(c *engine.Config) { c.Journal = false }}
		}},
		{law: "SUBSTRATE-JOURNAL-007", name: "queues that are accepted all the same", hooks: before(func(n *refNode) {
			for _, d := range n.given {
				_ = n.eng.Accept(n.now, d)
			}
			n.commit()
		}, "accept")},
		{law: "SUBSTRATE-JOURNAL-008", name: "a lock that holds nobody", hooks: before(func(n *refNode) { _ = os.Remove(n.disk.path + ".lock") }, "disconnect", "connect", "send")},
		{law: "SUBSTRATE-JOURNAL-008", name: "one journal for all", hooks: func() nodeHooks {
			all := store.NewMemory()
			return nodeHooks{store: func(n *refNode, _ store.Store) store.Store {
				n.disk.Store = all
				return all
			}}
		}},
	}
}
