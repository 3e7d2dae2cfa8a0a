package storetest

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// twin keeps what a store should keep for one peer, in the plainest way.
type twin struct {
	epoch    [8]byte
	objects  map[string]store.Object
	counters map[string]store.Counter
	rows     map[store.Place]store.Row
	entries  map[store.Key]store.Entry
	inbound  map[uint64]store.Inbound
	lastN    uint64
}

func newTwin(epoch [8]byte) *twin {
	return &twin{
		epoch: epoch, objects: map[string]store.Object{}, counters: map[string]store.Counter{}, rows: map[store.Place]store.Row{},
		entries: map[store.Key]store.Entry{}, inbound: map[uint64]store.Inbound{},
	}
}

func (w *twin) clone() *twin {
	c := *w
	c.objects, c.counters, c.rows = maps.Clone(w.objects), maps.Clone(w.counters), maps.Clone(w.rows)
	c.entries, c.inbound = maps.Clone(w.entries), maps.Clone(w.inbound)
	return &c
}

func (w *twin) apply(b *store.Batch) {
	for _, o := range b.Objects {
		o.Participants = slices.Clone(o.Participants)
		w.objects[o.Obj] = o
	}
	for _, c := range b.Counters {
		w.counters[c.Obj] = c
	}
	for _, r := range b.Rows {
		r.Cap, r.Body = bytes.Clone(r.Cap), bytes.Clone(r.Body)
		w.rows[store.Place{Obj: r.Obj, Seq: r.Seq}] = r
	}
	for _, s := range b.Sent {
		if r, ok := w.rows[s.Place]; ok {
			r.FirstSent = s.At
			w.rows[s.Place] = r
		}
	}
	for _, p := range b.DropRows {
		delete(w.rows, p)
	}
	for _, e := range b.Entries {
		if _, ok := w.entries[e.Key]; !ok {
			w.entries[e.Key] = e
		}
	}
	for _, r := range b.Inbound {
		r.Cap, r.Body = bytes.Clone(r.Cap), bytes.Clone(r.Body)
		w.inbound[r.N] = r
		w.lastN = max(w.lastN, r.N)
	}
	for _, n := range b.DropInbound {
		delete(w.inbound, n)
	}
}

func (w *twin) state() *store.State {
	s := &store.State{Epoch: w.epoch, LastN: w.lastN}
	for _, o := range w.objects {
		s.Objects = append(s.Objects, o)
	}
	for _, c := range w.counters {
		s.Counters = append(s.Counters, c)
	}
	for _, r := range w.rows {
		r.Cap, r.Body = bytes.Clone(r.Cap), bytes.Clone(r.Body)
		s.Rows = append(s.Rows, r)
	}
	slices.SortFunc(s.Rows, func(a, b store.Row) int { return cmp.Or(cmp.Compare(a.Obj, b.Obj), cmp.Compare(a.Seq, b.Seq)) })
	s.Inbound = w.waiting(func(r store.Inbound) bool { return !w.objects[r.Obj].Queued })
	return tidy(s)
}

func (w *twin) waiting(of func(store.Inbound) bool) []store.Inbound {
	var all []store.Inbound
	for _, r := range w.inbound {
		if of(r) {
			r.Cap, r.Body = bytes.Clone(r.Cap), bytes.Clone(r.Body)
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b store.Inbound) int { return cmp.Compare(a.N, b.N) })
	return all
}

func (w *twin) inbox(obj string, limit int) []store.Inbound {
	all := w.waiting(func(r store.Inbound) bool { return r.Obj == obj })
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all
}

func (w *twin) expire(before time.Time, limit int) int {
	n := 0
	for k, e := range w.entries {
		if n < limit && e.At.Before(before) {
			delete(w.entries, k)
			n++
		}
	}
	m := 0
	for k, o := range w.objects {
		if m < limit && !o.Ended.IsZero() && o.Ended.Before(before) {
			delete(w.objects, k)
			m++
		}
	}
	return n + m
}
