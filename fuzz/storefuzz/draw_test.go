package storefuzz

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A script makes choices, an octet for each; 0 when it is at its end.
type script struct{ octets []byte }

// below returns a number below n, which is 256 or less.
func (s *script) below(n int) int {
	if len(s.octets) == 0 {
		return 0
	}
	c := s.octets[0]
	s.octets = s.octets[1:]
	return int(c) % n
}

// one returns one of the choices.
func one[T any](s *script, choices ...T) T { return choices[s.below(len(choices))] }

func storeObjs() []string { return []string{"o", "o/", "p"} }
func storeIDs() []string  { return []string{"i", "I", "j"} }

func storeObj(d *script) string { return one(d, storeObjs()...) }

func storeTime(d *script) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(d.below(10))) }

// drawStoreBatch draws a batch over few names, so that what is put is put again and dropped. last is the highest number of an inbound row.
func drawStoreBatch(d *script, last *uint64, queues bool) *store.Batch {
	b := &store.Batch{Durable: d.below(2) == 1}
	count := func() int { return one(d, 0, 1, 0, 2, 1) }
	small := func() uint64 { return uint64(1 + d.below(3)) }
	class := func() store.Class { return one(d, store.Op, store.Answer) }
	octets := func() []byte { return one(d, nil, []byte{}, []byte("x"), []byte{0, 0xff}, make([]byte, 300)) }
	id := func() string { return one(d, storeIDs()...) }
	for range count() {
		o := store.Object{
			Obj: storeObj(d), Kind: one(d, "session", "queue"), State: one(d, "live", "opening", "closed", "rejected"), Opener: one(d, "a", "b"), OpenID: id(),
			Incarnation: small(), Participants: one(d, nil, []string{"a", "b"}, []string{"b"}), Queued: queues && d.below(2) == 1,
		}
		if o.State == "closed" || o.State == "rejected" {
			o.Ended = storeTime(d)
		}
		b.Objects = append(b.Objects, o)
	}
	for range count() {
		b.Counters = append(b.Counters, store.Counter{Obj: storeObj(d), LastAssigned: one(d, small(), 1<<53-1), LastPred: uint64(d.below(3))})
	}
	for range count() {
		r := store.Row{
			Obj: storeObj(d), ObjKind: "session", Class: class(), Kind: one(d, "send", "res"), ID: id(), Seq: small(), Incarnation: small(),
			Code: one(d, "", "busy"), Msg: one(d, "", "é\n"), Cap: octets(), Body: octets(),
		}
		if d.below(2) == 1 {
			r.FirstSent = storeTime(d)
		}
		b.Rows = append(b.Rows, r)
	}
	for range count() {
		b.Sent = append(b.Sent, store.Sent{Place: store.Place{Obj: storeObj(d), Seq: small()}, At: storeTime(d)})
	}
	for range count() {
		b.DropRows = append(b.DropRows, store.Place{Obj: storeObj(d), Seq: small()})
	}
	for range count() {
		b.Entries = append(b.Entries, store.Entry{
			Key: store.Key{Class: class(), ID: id()}, Obj: storeObj(d), Kind: "send", Digest: [16]byte{byte(d.below(4))}, At: storeTime(d),
		})
	}
	for range count() {
		*last += small()
		b.Inbound = append(b.Inbound, store.Inbound{
			N: *last, Obj: storeObj(d), ObjKind: "queue", Class: class(), Kind: "send", ID: id(), Seq: small(), Incarnation: small(), Cap: octets(), Body: octets(),
		})
	}
	for range count() {
		b.DropInbound = append(b.DropInbound, max(*last, 2)-uint64(d.below(3)))
	}
	return b
}
