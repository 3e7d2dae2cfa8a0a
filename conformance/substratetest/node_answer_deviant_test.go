package substratetest

import (
	"slices"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// answerDeviants are those that break a law about answers, participants and inboxes of hosts.
func answerDeviants() []nodeDeviant {
	return []nodeDeviant{
		{law: "SUBSTRATE-ANSWER-001", name: "each answer settles", only: "answer/first-decides-for-good", hooks: func() nodeHooks {
			var last *deed
			return nodeHooks{did: func(_ *refNode, did deeds) deeds {
				if settled := did.Of(didSettle); len(settled) > 0 {
					last = settled[0]
				} else if last != nil && slices.ContainsFunc(did, func(d *deed) bool { return d.is("ack") }) {
					did = append(did, last)
				}
				return did
			}}
		}},
		{
			law: "SUBSTRATE-ANSWER-004", name: "an answer frees nothing", only: "answer/frees-its-own-op",
			hooks: dropping(func(_ *refNode, d *deed) bool { return d.is("send") }),
		},
		{
			law: "SUBSTRATE-OBJ-002", name: "the peer takes no part", only: "object/participants", hooks: crooked(func(*refNode) *crookedStore {
				return &crookedStore{apply: func(s store.Store, peer string, b *store.Batch) error {
					for i := range b.Objects {
						b.Objects[i].Participants = b.Objects[i].Participants[:1]
					}
					return s.Apply(peer, b)
				}}
			}),
		},
		{
			law: "SUBSTRATE-OBJ-008", name: "rows are handed over too", only: "object/durable-inbox", hooks: changing(func(_ *refNode, d *deed) *deed {
				if d.Kind == didArrive {
					c := *d
					c.Kind = didDeliver
					return &c
				}
				return d
			}),
		},
	}
}
