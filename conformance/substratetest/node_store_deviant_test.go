package substratetest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance/adapter"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A peerless store keeps everything under one name.
type peerless struct{ store.Store }

func (s peerless) Load(string) (*store.State, error)       { return s.Store.Load("all") }
func (s peerless) Apply(_ string, b *store.Batch) error    { return s.Store.Apply("all", b) }
func (s peerless) Depth(_ string, obj string) (int, error) { return s.Store.Depth("all", obj) }
func (s peerless) Committed(_ string, k store.Key) (store.Entry, bool, error) {
	return s.Store.Committed("all", k)
}

// A blunt store takes what has no octets for none.
type blunt struct{ store.Store }

func (s blunt) Apply(peer string, b *store.Batch) error {
	b.Rows, b.Inbound = slices.Clone(b.Rows), slices.Clone(b.Inbound)
	for i := range b.Rows {
		if r := &b.Rows[i]; len(r.Body) == 0 {
			r.Body = nil
		}
	}
	for i := range b.Inbound {
		if r := &b.Inbound[i]; len(r.Body) == 0 {
			r.Body = nil
		}
	}
	return s.Store.Apply(peer, b)
}

// A loading store changes what is there after a restart.
type loading struct {
	store.Store
	change func(*store.State)
}

func (s loading) Load(peer string) (*store.State, error) {
	state, err := s.Store.Load(peer)
	if err == nil {
		s.change(state)
	}
	return state, err
}

// A liar writes what it says it has not written.
type liar struct{ *refStore }

func (s liar) Apply(peer string, b *store.Batch) error {
	err := s.refStore.Apply(peer, b)
	if err != nil {
		_ = s.Store.Apply(peer, b)
	}
	return err
}

// over puts something over the store of each node.
func over(what func(store.Store) store.Store) func() nodeHooks {
	return func() nodeHooks {
		return nodeHooks{store: func(_ *refNode, s store.Store) store.Store { return what(s) }}
	}
}

// after changes what a store has after a restart.
func after(change func(*store.State)) func() nodeHooks {
	return over(func(s store.Store) store.Store { return loading{s, change} })
}

// keepDeviants keep things where, or how, they should not.
func keepDeviants() []nodeDeviant {
	return slices.Concat(choiceDeviants(), keepingDeviants())
}

func choiceDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-STORE-003", name: "keeps things elsewhere", hooks: replying(func(r *storageReply) { r.Kept = []string{"elsewhere"} })},
		{law: "SUBSTRATE-STORE-003", name: "asks other functions too", hooks: replying(func(r *storageReply) { r.Called = append(r.Called, "storageFor p9") })},
		{law: "SUBSTRATE-STORE-003", name: "memory that lasts", only: "store/memory-starts-empty", hooks: func() nodeHooks {
			kept := store.NewMemory()
			return nodeHooks{store: func(*refNode, store.Store) store.Store { return kept }}
		}},
		{law: "SUBSTRATE-STORE-003", name: "a listener that lasts", hooks: replying(func(r *storageReply) { r.Resumed = []string{"p1", "p2"} })},
		{law: "SUBSTRATE-STORE-003", name: "a file that does not last", only: "store/restarted-*", hooks: replying(func(r *storageReply) { r.Resumed = []string{} })},
		{law: "SUBSTRATE-STORE-002", name: "closes what it was given", hooks: replying(func(r *storageReply) { r.Closed = append(r.Closed, "storage") })},
		{law: "SUBSTRATE-STORE-004", name: "falls through", hooks: replying(func(r *storageReply) { r.Refused = []string{} })},
		{law: "SUBSTRATE-STORE-004", name: "ends with 1000", hooks: replying(func(r *greetReply) { r.Codes = []int{1000, 1000} })},
		{law: "SUBSTRATE-STORE-006", name: "forgets who is released", hooks: replying(func(r *storageReply) { r.Resumed = []string{} })},
		{law: "SUBSTRATE-STORE-009", name: "locks its own peers out", hooks: replying(func(r *storageReply) { r.Refused = []string{"p2"} })},
		{law: "SUBSTRATE-STORE-009", name: "two owners", hooks: forgiving(errLocked, didReply{Epoch: []byte("an epoch")})},
		{law: "SUBSTRATE-STORE-009", name: "one lock for all files", only: "store/owner-of-another-file", hooks: throwing(&adapter.TargetError{Name: errLocked, Message: "locked"}, 1, "new")},
	}
}

func keepingDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-STORE-005", name: "no peer in the keys", hooks: over(func(s store.Store) store.Store { return peerless{s} })},
		{law: "SUBSTRATE-STORE-001", name: "keeps no inbox", only: "store/four-tables-*", hooks: after(func(s *store.State) { s.Inbound = nil })},
		{law: "SUBSTRATE-STORE-010", name: "an empty body is none", only: "store/none-and-empty-*", hooks: over(func(s store.Store) store.Store { return blunt{s} })},
		{law: "SUBSTRATE-STORE-010", name: "counters go with their objects", only: "store/counters-outlive-*", hooks: after(func(s *store.State) {
			s.Counters = slices.DeleteFunc(s.Counters, func(c store.Counter) bool {
				return !slices.ContainsFunc(s.Objects, func(o store.Object) bool { return o.Obj == c.Obj })
			})
		})},
		{law: "SUBSTRATE-STORE-008", name: "is silent when the store fails", only: "store/refused-*", hooks: dropping(func(_ *refNode, d *deed) bool { return bounces(d) })},
		{law: "SUBSTRATE-STORE-008", name: "answers an err", only: "store/refused-err", hooks: func() nodeHooks {
			return deedwise(func(_ *refNode, d *deed) []*deed {
				if d.Kind != didRefused {
					return []*deed{d}
				}
				answer := frameOf("kind", "err", "id", "i", "code", "store_unavailable")
				return []*deed{d, {Kind: didTransmit, At: d.At, Octets: answer.octets()}}
			})
		}},
		{law: "SUBSTRATE-STORE-008", name: "a call that is not written is made", only: "store/refused-enqueue", hooks: forgiving(errStoreRefused, didReply{ID: "i"})},
		{law: "SUBSTRATE-STORE-008", name: "a store that lies", only: "store/every-*", hooks: func() nodeHooks {
			return nodeHooks{config: func(c *engine.Config) {
				if s, ok := c.Store.(*refStore); ok {
					c.Store = liar{s}
				}
			}}
		}},
	}
}
