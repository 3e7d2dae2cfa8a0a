package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A Snapshot is a copy of the state of an engine, without what is drawn at random and never compared: receipts. Two engines whose
// snapshots are equal go on alike. Bodies are shared with the engine and must not be changed.
type Snapshot struct {
	Epoch      [8]byte
	LastN      uint64
	Conn       string           // empty: none
	Objects    []ObjectSnapshot // by name; those of which nothing is known are left out
	Tombstones []TombstoneSnapshot
	Calls      []Call // in the order in which they were made
}

// An ObjectSnapshot is the state of one object.
type ObjectSnapshot struct {
	Obj     string
	Record  *store.Object // nil: idle
	Counter store.Counter
	Rows    []store.Row // of the outbox, by seq; the first one has the time when it was first sent
	Inbox   []store.Inbound

	// What a restart forgets.
	Head    HeadSnapshot
	Next    uint64   // seq that is expected; 0: none in particular
	Gap     []uint64 // seqs that wait
	Since   time.Time
	Resyncs int
	Handed  bool     // the first of Inbox is with the application
	Asked   []string // reqs without an answer
	Last    uint64   // of the feed
	Lost    bool
	Chain   []uint64 // seqs that are to be stored, the first of them by now if Storing is set
	Storing bool
}

// A HeadSnapshot is the state of the row that is sent, or is to be.
type HeadSnapshot struct {
	Prev              uint64
	InFlight          bool // on the present connection
	BackingOff        bool
	Resends, Refusals int
	Due               time.Time
}

// A TombstoneSnapshot is one bounced op.
type TombstoneSnapshot struct {
	store.Key
	Code, Conn string
}

// Snapshot returns a copy of the present state, with what has not been committed.
func (e *Engine) Snapshot() Snapshot {
	s := Snapshot{Epoch: e.epoch, LastN: e.lastN, Conn: e.conn}
	for _, o := range e.objects {
		if x := e.snapshotOf(o); x != nil {
			s.Objects = append(s.Objects, *x)
		}
	}
	slices.SortFunc(s.Objects, func(a, b ObjectSnapshot) int { return cmp.Compare(a.Obj, b.Obj) })
	for _, t := range e.tombs.order {
		x := e.tombs.by[t.key]
		s.Tombstones = append(s.Tombstones, TombstoneSnapshot{x.key, x.code, x.conn})
	}
	waiting := make([]*call, 0, len(e.calls))
	for _, c := range e.calls {
		waiting = append(waiting, c)
	}
	slices.SortFunc(waiting, func(a, b *call) int { return cmp.Compare(a.n, b.n) })
	for _, c := range waiting {
		s.Calls = append(s.Calls, c.Call)
	}
	return s
}

// snapshotOf copies the state of an object, nil if nothing is known of it.
func (e *Engine) snapshotOf(o *object) *ObjectSnapshot {
	x := &ObjectSnapshot{
		Obj: o.name, Counter: o.cnt, Next: o.seq.next, Since: o.seq.since, Resyncs: o.seq.resyncs,
		Handed: o.in.handed, Asked: slices.Clone(o.in.asked), Last: o.feed.last, Lost: o.feed.lost, Storing: o.chain.token != 0,
	}
	if known := (&object{state: o.state}); e.record(o) == nil {
		// A record that has outlived the horizon is none.
		if known.rec = nil; known.blank() {
			return nil
		}
	}
	if r := e.record(o); r != nil {
		y := *r
		y.Participants = slices.Clone(r.Participants)
		x.Record = &y
	}
	for i, r := range o.rows {
		row := r.Row
		if i == 0 {
			row.FirstSent = o.head.firstSent
			h := &o.head
			x.Head = HeadSnapshot{h.prev, h.mode == waiting, h.mode == backing, h.resends, h.refusals, h.due}
		}
		x.Rows = append(x.Rows, row)
	}
	for _, in := range o.in.queue {
		if !in.feed {
			x.Inbox = append(x.Inbox, in.Inbound)
		}
	}
	for _, g := range o.seq.gap {
		x.Gap = append(x.Gap, g.f.Seq)
	}
	for _, c := range o.chain.ops {
		x.Chain = append(x.Chain, c.f.Seq)
	}
	return x
}

// Durable returns the part of s that a restart keeps: what an engine has right after [New] over the same store, before it is connected
// (SUBSTRATE-STORE-008).
func (s Snapshot) Durable() Snapshot {
	d := Snapshot{Epoch: s.Epoch, LastN: s.LastN}
	for _, o := range s.Objects {
		k := ObjectSnapshot{Obj: o.Obj, Record: o.Record, Counter: o.Counter, Rows: o.Rows, Inbox: o.Inbox}
		if o.Record != nil || o.Counter.LastAssigned != 0 || len(o.Rows)+len(o.Inbox) > 0 {
			d.Objects = append(d.Objects, k)
		}
	}
	return d
}

// Digest returns a hash of a snapshot: equal for equal ones.
func (s Snapshot) Digest() [sha256.Size]byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Errorf("digest a snapshot: %w", err))
	}
	return sha256.Sum256(b)
}

// Digest returns the digest of the present state.
func (e *Engine) Digest() [sha256.Size]byte { return e.Snapshot().Digest() }
