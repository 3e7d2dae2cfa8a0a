package engine

import (
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// Commit writes what the inputs since the last Commit have staged, in one transaction, and releases their effects. apply writes the batch,
// for instance within a transaction of the host; it must not keep it. Nil: the store does.
//
// If that fails, memory is put back to where it was and the inputs are played again, one by one, with a transaction each. One that fails by
// itself has no effect: a call or an answer of the application fails with what the store said (SUBSTRATE-OUTBOX-009), an op of the peer is
// answered with store_unavailable (SUBSTRATE-STORE-008), what a tick was to do is done later. The first error is returned, for the log:
// who has to know is told by an effect.
func (e *Engine) Commit(now time.Time, apply func(*store.Batch) error) error {
	err := e.flush(now, apply)
	if err == nil {
		return nil
	}
	inputs := slices.Clone(e.inputs)
	e.rollback()
	for i := range inputs {
		e.again(now, &inputs[i], apply, err, len(inputs) == 1)
	}
	return err
}

// Discard forgets the inputs since the last Commit, as if they had not been.
func (e *Engine) Discard() { e.rollback() }

// again plays an input by itself. One that was alone in its batch has failed already.
func (e *Engine) again(now time.Time, in *input, apply func(*store.Batch) error, err error, alone bool) {
	if !alone {
		if err = e.play(in); err == nil {
			err = e.flush(now, apply)
		} else {
			err = e.refused(in, err)
		}
	}
	if err == nil {
		return
	}
	e.rollback()
	e.cfg.Observe.Log(observe.Error, "the store refuses to write", observe.Fields{Peer: e.cfg.Remote, Err: err})
	e.fail(now, in, err)
	e.cautious = false
	e.refresh()
	if err := e.flush(now, func(*store.Batch) error { return err }); err != nil {
		// What follows a failure stages nothing.
		panic(err)
	}
}

// refused tells the application that what it was allowed to do is not possible any more, because of an input that failed before.
func (e *Engine) refused(in *input, err error) error {
	e.fail(in.at, in, err)
	return e.flush(in.at, nil)
}

// fail does what follows from an input that could not be written. It stages nothing.
func (e *Engine) fail(now time.Time, in *input, err error) {
	switch in.what {
	case inOp:
		e.emit(Settle{Call: in.call.Call, Err: err})
	case inReply:
		e.emit(Refuse{Delivery: in.reply.d, Verb: in.reply.verb, Err: err})
	case inFrame:
		if e.conn == in.conn && e.up() && in.frame.Has&wire.FieldReceipt != 0 {
			e.bounce(now, in.frame, wire.StoreUnavailable, true)
		}
	case inConnected:
		e.cautious = true
		e.connected(in.at, in.ready)
	case inTick:
		e.hold = in.at.Add(storeRetry)
	}
}

// flush writes the batch and releases its effects. If it fails nothing is released.
func (e *Engine) flush(now time.Time, apply func(*store.Batch) error) error {
	e.collect()
	if !e.batch.Empty() {
		if apply == nil {
			apply = func(b *store.Batch) error { return e.cfg.Store.Apply(e.cfg.Remote, b) }
		}
		span := e.cfg.Observe.Start(now, observe.SpanCommit, observe.Fields{Peer: e.cfg.Remote})
		err := apply(&e.batch)
		span.End(now, observe.Fields{Err: err})
		if err != nil {
			return err
		}
	}
	e.release()
	e.begin()
	return nil
}

// collect adds the records and counters that have changed to the batch. An edge keeps nothing (SUBSTRATE-RELAY-001).
func (e *Engine) collect() {
	for _, s := range e.undo.states {
		o := s.o
		if o.dirtyRecord && e.cfg.Relay == nil && o.rec != nil {
			e.batch.Objects = append(e.batch.Objects, *o.rec)
			e.batch.Durable = true
		}
		if o.dirtyCounter {
			e.batch.Counters = append(e.batch.Counters, o.cnt)
		}
		o.dirtyRecord, o.dirtyCounter = false, false
	}
}
