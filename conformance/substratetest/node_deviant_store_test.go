package substratetest

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A crookedStore is a store that breaks a law.
type crookedStore struct {
	store.Store
	apply     func(s store.Store, peer string, b *store.Batch) error
	committed func(s store.Store, peer string, k store.Key) (store.Entry, bool, error)
	load      func(s *store.State)
	expire    bool // it removes nothing
}

// Expire implements [store.Store].
func (c *crookedStore) Expire(peer string, before time.Time, limit int) (int, error) {
	if c.expire {
		return 0, nil
	}
	return c.Store.Expire(peer, before, limit)
}

// Apply implements [store.Store].
func (c *crookedStore) Apply(peer string, b *store.Batch) error {
	if c.apply != nil {
		return c.apply(c.Store, peer, b)
	}
	return c.Store.Apply(peer, b)
}

// Committed implements [store.Store].
func (c *crookedStore) Committed(peer string, k store.Key) (store.Entry, bool, error) {
	if c.committed != nil {
		return c.committed(c.Store, peer, k)
	}
	return c.Store.Committed(peer, k)
}

// Load implements [store.Store].
func (c *crookedStore) Load(peer string) (*store.State, error) {
	s, err := c.Store.Load(peer)
	if err == nil && c.load != nil {
		c.load(s)
	}
	return s, err
}

// crooked puts a store that breaks a law before that of each node.
func crooked(make func(n *refNode) *crookedStore) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{store: func(n *refNode, s store.Store) store.Store {
			c := make(n)
			c.Store = s
			return c
		}}
	}
}

// aged changes the time that entries of the ledger have.
func aged(by func(n *refNode, e *store.Entry)) func() nodeHooks {
	return crooked(func(n *refNode) *crookedStore {
		return &crookedStore{expire: true, committed: func(s store.Store, peer string, k store.Key) (store.Entry, bool, error) {
			e, found, err := s.Committed(peer, k)
			by(n, &e)
			return e, found, err
		}}
	})
}

// storeDeviants are those whose store breaks a law, or whose engine says of it what is not true.
func storeDeviants() []nodeDeviant {
	swallows := crooked(func(*refNode) *crookedStore {
		return &crookedStore{
			apply: func(s store.Store, peer string, b *store.Batch) error {
				_ = s.Apply(peer, b)
				return nil
			},
			committed: func(s store.Store, peer string, k store.Key) (store.Entry, bool, error) {
				e, found, _ := s.Committed(peer, k)
				return e, found, nil
			},
		}
	})
	forgets := crooked(func(*refNode) *crookedStore {
		mine := map[store.Key]bool{}
		return &crookedStore{
			apply: func(s store.Store, peer string, b *store.Batch) error {
				for _, e := range b.Entries {
					mine[e.Key] = true
				}
				return s.Apply(peer, b)
			},
			committed: func(s store.Store, peer string, k store.Key) (store.Entry, bool, error) {
				e, found, err := s.Committed(peer, k)
				return e, found && mine[k], err
			},
		}
	})
	return []nodeDeviant{
		{law: "SUBSTRATE-STORE-008", name: "swallows errors", only: "fail/commit-*", hooks: swallows},
		{law: "SUBSTRATE-ACK-002", name: "swallows errors", only: "fail/lookup", hooks: swallows},
		{law: "SUBSTRATE-OUTBOX-008", name: "swallows errors", only: "fail/first*", hooks: swallows},
		{law: "SUBSTRATE-OUTBOX-009", name: "swallows errors", only: "fail/{call,answer}-*", hooks: swallows},
		{law: "SUBSTRATE-RECONNECT-001", name: "swallows errors", only: "crash/refused-*", hooks: swallows},
		{law: "SUBSTRATE-OUTBOX-009", name: "consumes the seq", only: "fail/enqueue-*", hooks: func() nodeHooks {
			wasted := 0
			return nodeHooks{did: func(_ *refNode, did deeds) deeds {
				for _, d := range did {
					if f := decode(d.Octets); d.is("send") && wasted > 0 {
						d.Octets = f.with("seq", int(f.seq())+wasted).octets()
					}
				}
				return did
			}, code: nil, op: func(n *refNode, _ string) { wasted = n.seen.refusal.refused }}
		}},
		{law: "SUBSTRATE-OUTBOX-001", name: "writes afterwards", only: "fail/write-before-wire", hooks: func() nodeHooks {
			return nodeHooks{did: func(_ *refNode, did deeds) deeds { return append(did.Outward(), did.Of(didCommit)...) }}
		}},
		{law: "SUBSTRATE-ACK-002", name: "writes afterwards", only: "fail/write-before-wire", hooks: func() nodeHooks {
			return nodeHooks{did: func(_ *refNode, did deeds) deeds { return append(did.Outward(), did.Of(didCommit)...) }}
		}},
		{law: "SUBSTRATE-DEDUPE-007", name: "writes by half", only: "fail/commit-send-file", hooks: crooked(func(n *refNode) *crookedStore {
			return &crookedStore{apply: func(s store.Store, peer string, b *store.Batch) error {
				err := s.Apply(peer, b)
				if half := (&store.Batch{Inbound: b.Inbound, Durable: true}); err != nil && !half.Empty() {
					_ = n.disk.Apply(peer, half)
				}
				return err
			}}
		})},
		{law: "SUBSTRATE-ACK-002", name: "the inbox is volatile", only: "crash/{host,file}-*", hooks: crooked(func(*refNode) *crookedStore {
			return &crookedStore{load: func(s *store.State) { s.Inbound = nil }}
		})},
		{law: "SUBSTRATE-OUTBOX-006", name: "the outbox is volatile", only: "crash/{host,file}-*", hooks: crooked(func(*refNode) *crookedStore {
			return &crookedStore{load: func(s *store.State) { s.Rows = nil }}
		})},
		{
			law: "SUBSTRATE-OUTBOX-008", name: "the outbox is volatile", only: "expire/restart-*",
			hooks: crooked(func(*refNode) *crookedStore {
				return &crookedStore{load: func(s *store.State) { s.Rows = nil }}
			}),
		},
		{
			law: "SUBSTRATE-DEDUPE-008", name: "the inbox is volatile", only: "dedupe/outlives-restart",
			hooks: crooked(func(*refNode) *crookedStore {
				return &crookedStore{load: func(s *store.State) { s.Inbound = nil }}
			}),
		},
		{
			law: "SUBSTRATE-DEDUPE-001", name: "does not say that it was before", only: "crash/host-*",
			hooks: changing(func(_ *refNode, d *deed) *deed {
				c := *d
				c.Redelivered = false
				return &c
			}),
		},
		{law: "SUBSTRATE-DEDUPE-002", name: "a ledger for each life", only: "dedupe/outlives-restart", hooks: forgets},
		{law: "SUBSTRATE-DEDUPE-001", name: "a ledger for each life", only: "crash/host-*", hooks: forgets},
		{
			law: "SUBSTRATE-DEDUPE-003", name: "looks refresh", only: "dedupe/no-refresh",
			hooks: aged(func(n *refNode, e *store.Entry) { e.At = n.now }),
		},
		{
			law: "SUBSTRATE-DEDUPE-003", name: "a week and a ms", only: "dedupe/age-*",
			hooks: aged(func(_ *refNode, e *store.Entry) { e.At = e.At.Add(time.Millisecond) }),
		},
		{
			law: "SUBSTRATE-DEDUPE-003", name: "two ms less than a week", only: "dedupe/age-*",
			hooks: aged(func(_ *refNode, e *store.Entry) { e.At = e.At.Add(-2 * time.Millisecond) }),
		},
		{
			law: "SUBSTRATE-DEDUPE-003", name: "an hour less than a week", only: "dedupe/downtime-*",
			hooks: aged(func(_ *refNode, e *store.Entry) { e.At = e.At.Add(-time.Hour) }),
		},
		{
			law: "SUBSTRATE-DEDUPE-003", name: "a restart refreshes", only: "dedupe/downtime-*",
			hooks: aged(func(n *refNode, e *store.Entry) { e.At = n.now }),
		},
		{law: "SUBSTRATE-DEDUPE-003", name: "the amount of the age", only: "dedupe/clock*", hooks: aged(func(n *refNode, e *store.Entry) {
			if n.now.Before(e.At) {
				e.At = e.At.Add(-9 * day * time.Millisecond)
			}
		})},
		{law: "SUBSTRATE-OUTBOX-008", name: "forgets when it first sent", only: "expire/restart-*", hooks: crooked(func(*refNode) *crookedStore {
			return &crookedStore{load: func(s *store.State) {
				for i := range s.Rows {
					s.Rows[i].FirstSent = time.Time{}
				}
			}}
		})},
	}
}
