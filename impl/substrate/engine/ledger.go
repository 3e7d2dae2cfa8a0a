package engine

import (
	"crypto/sha256"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// classOf tells answers from ops (SUBSTRATE-ANSWER-003).
func classOf(kind string) store.Class {
	switch kind {
	case wire.Accept, wire.Reject, wire.Res, wire.End, wire.Err:
		return store.Answer
	}
	return store.Op
}

func keyOf(f *wire.Frame) store.Key { return store.Key{Class: classOf(f.Kind), ID: f.ID} }

// committed looks a frame up in the ledger, the batch included. An entry that has outlived the horizon is not found, and is removed so
// that it does not stand in the way of a new one (SUBSTRATE-DEDUPE-003).
func (e *Engine) committed(key store.Key) (store.Entry, bool, error) {
	if x, ok := e.fresh[key]; ok {
		return x, true, nil
	}
	x, ok, err := e.cfg.Store.Committed(e.cfg.Remote, key)
	if err != nil || !ok {
		return store.Entry{}, false, err
	}
	if !outlived(e.now, x.At) {
		return x, true, nil
	}
	for ok && err == nil {
		var n int
		if n, err = e.expireStore(); n == 0 {
			break
		}
		_, ok, err = e.cfg.Store.Committed(e.cfg.Remote, key)
	}
	return store.Entry{}, false, err
}

// sweep is how many old entries are removed at once.
const sweep = 1024

// expireStore removes what the store has held for longer than the horizon.
func (e *Engine) expireStore() (int, error) {
	return e.cfg.Store.Expire(e.cfg.Remote, wall(e.now).Add(-store.Horizon), sweep)
}

// enter stages the entry of a frame (SUBSTRATE-DEDUPE-001, SUBSTRATE-DEDUPE-005).
func (e *Engine) enter(now time.Time, f *wire.Frame) {
	x := store.Entry{Key: keyOf(f), Obj: f.Obj, Kind: f.Kind, Digest: digest(f), At: wall(now)}
	e.batch.Entries = append(e.batch.Entries, x)
	e.batch.Durable = true
	e.fresh[x.Key] = x
}

// digest is of what a redelivery has in common with the original (SUBSTRATE-DEDUPE-006).
func digest(f *wire.Frame) [16]byte {
	h := sha256.New()
	for _, part := range [...]string{f.Kind, f.Obj} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	h.Write(f.Body)
	var sum [sha256.Size]byte
	return [16]byte(h.Sum(sum[:0])[:16])
}

// duplicate acks a frame that was committed before and does nothing else with it (SUBSTRATE-DEDUPE-001, SUBSTRATE-DEDUPE-004).
func (e *Engine) duplicate(f *wire.Frame, x *store.Entry) {
	// SUBSTRATE-OBSERVE-007
	e.mark(mark{kind: count, name: observe.DedupeDuplicate, n: 1})
	// SUBSTRATE-DEDUPE-006
	if x.Obj != f.Obj || x.Kind != f.Kind || x.Digest != digest(f) {
		e.happen(observe.EventIDConflict, observe.Warn, observe.Fields{Obj: f.Obj, ObjKind: f.ObjKind, Verb: f.Kind, ID: f.ID})
	}
	e.ack(f, "")
}

// ack acks a frame with its own receipt, on the connection on which it came (SUBSTRATE-ACK-003, SUBSTRATE-ACK-007).
func (e *Engine) ack(f *wire.Frame, level string) {
	a := &wire.Frame{
		V: wire.Version, Kind: wire.Ack, Obj: f.Obj, ObjKind: f.ObjKind, ID: f.ID, Receipt: f.Receipt, Level: level,
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldReceipt,
	}
	if level != "" {
		a.Has |= wire.FieldLevel
	}
	e.transmitFrame(a)
}
