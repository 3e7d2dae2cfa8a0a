package engine

import (
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A tombstone says that an op was bounced, with what, and on which connection last. Nothing is said of its object,
// which can be opened all the same (SUBSTRATE-TOMBSTONE-001, SUBSTRATE-TOMBSTONE-002).
type tombstone struct {
	key  store.Key
	code string
	obj  string // as the err named it, empty if it did not
	kind string
	conn string
	at   time.Time
}

// tombstones are those that are remembered, the oldest first. They are not kept (SUBSTRATE-TOMBSTONE-004).
type tombstones struct {
	by    map[store.Key]*tombstone // never changed, only replaced
	order []*tombstone
}

// find returns the tombstone of an op, or nil. One older than the horizon is none.
func (t *tombstones) find(now time.Time, key store.Key) *tombstone {
	x := t.by[key]
	if x == nil || now.Sub(x.at) > store.Horizon {
		return nil
	}
	return x
}

// bury remembers a bounced op; the oldest makes room.
func (e *Engine) bury(x tombstone) {
	e.tickTombstones(x.at)
	t := &e.tombs
	if old := t.by[x.key]; old != nil {
		// The same op, on a later connection: it keeps its age.
		fresh := x
		fresh.at = old.at
		t.by[x.key] = &fresh
		e.undo.step(func() { t.by[x.key] = old })
		return
	}
	before := t.order
	t.by[x.key] = &x
	t.order = append(t.order, &x)
	e.undo.step(func() {
		delete(t.by, x.key)
		t.order = before
	})
	for len(t.order) > e.limits.Tombstones {
		e.exhume()
	}
}

// exhume forgets the oldest tombstone.
func (e *Engine) exhume() {
	t := &e.tombs
	x, before := t.by[t.order[0].key], t.order
	delete(t.by, x.key)
	t.order = t.order[1:]
	e.undo.step(func() {
		t.by[x.key] = x
		t.order = before
	})
}

// tickTombstones forgets those that have outlived the horizon.
func (e *Engine) tickTombstones(now time.Time) {
	for len(e.tombs.order) > 0 && now.Sub(e.tombs.order[0].at) > store.Horizon {
		e.exhume()
	}
}
