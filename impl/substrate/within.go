package substrate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// A Beginner begins transactions: a [sql.DB] or a [sql.Conn].
type Beginner interface {
	BeginTx(ctx context.Context, o *sql.TxOptions) (*sql.Tx, error)
}

// A hosted store can write in a transaction of the host. That of package sqlite can, if it was made by sqlite.New.
type hosted interface {
	ApplyIn(tx *sql.Tx, peer string, b *store.Batch) error
	InboxIn(tx *sql.Tx, peer, obj string, limit int) ([]store.Inbound, error)
}

// ErrNotHosted is what Within fails with if the store of the peer is not in a database of the host.
var ErrNotHosted = errors.New("the store is not one in a database of the host")

var errPanic = errors.New("a panic")

// A Tx is a transaction of the host in which the substrate writes too. It is used by the one goroutine that runs the function it was given
// to, and not after it.
type Tx struct {
	*sql.Tx
	peer  *Peer
	store hosted
	calls []*Call
}

// Within begins a transaction on db, which is the database of the store of this peer, and runs do. What do writes, and what it has the
// substrate do by the methods of Tx, is committed together when do returns nil, and only then does anything of it take effect: a message
// is sent, say. If do returns an error, or the commit fails, there is nothing of either (SUBSTRATE-DEDUPE-007, SUBSTRATE-OUTBOX-001).
//
// Meanwhile the peer stands still, so that nobody waits for a lock that the transaction has. So do has to be brief, and must not call
// other methods of the peer, its objects or its inboxes: it would wait for itself.
func (p *Peer) Within(ctx context.Context, db Beginner, do func(tx *Tx) error) (err error) {
	st, ok := p.store.(hosted)
	if !ok {
		return fmt.Errorf("substrate: within a transaction: %w", ErrNotHosted)
	}
	giveBack, err := p.borrow(ctx)
	if err != nil {
		return fmt.Errorf("substrate: within a transaction: %w", err)
	}
	defer giveBack()
	p.inbox.Lock()
	defer p.inbox.Unlock()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("substrate: begin a transaction: %w", err)
	}
	t := &Tx{Tx: tx, peer: p, store: st}
	committed := false
	defer func() {
		if !committed {
			_ = tx.Rollback()
			p.eng.Discard()
			t.discard(err)
		}
	}()
	if err = do(t); err != nil {
		return err
	}
	committed = true
	return t.commit()
}

// borrow has the loop stand still and lends what belongs to it, until it is given back.
func (p *Peer) borrow(ctx context.Context) (giveBack func(), err error) {
	lent, back := make(chan struct{}), make(chan struct{})
	err = p.post(ctx, func(now time.Time) {
		// What was gathered is not part of the transaction.
		p.commit(now)
		select {
		case lent <- struct{}{}:
			<-back
		case <-ctx.Done():
		}
	})
	if err != nil {
		return nil, err
	}
	select {
	case <-lent:
		return func() { close(back) }, nil
	case <-p.stopped:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// commit writes what the substrate has to and commits. The engine may try again, one thing at a time, which a transaction that has failed
// does not allow.
func (t *Tx) commit() error {
	p := t.peer
	var failure error
	over := false
	apply := func(b *store.Batch) error {
		if over {
			return failure
		}
		over = true
		if failure = t.store.ApplyIn(t.Tx, p.remote, b); failure != nil {
			_ = t.Tx.Rollback()
			return failure
		}
		failure = t.Tx.Commit()
		return failure
	}
	_ = p.eng.Commit(time.Now(), apply)
	if !over {
		// There was nothing for the engine to write.
		failure = t.Tx.Commit()
	}
	// Calls that could not be written are settled before Within says so.
	p.perform()
	if failure != nil {
		return fmt.Errorf("substrate: commit a transaction: %w", failure)
	}
	return nil
}

// discard settles the calls of a transaction that was rolled back.
func (t *Tx) discard(err error) {
	if err == nil {
		err = errPanic
	}
	p := t.peer
	for _, c := range t.calls {
		delete(p.waiting, c.id)
		c.settle(&engine.Settle{Err: fmt.Errorf("the transaction was rolled back: %w", err)})
	}
}

// Send queues a message on an object.
func (t *Tx) Send(addr string, body []byte) (*Call, error) {
	c := newCall(wire.Send, addr)
	made, err := t.peer.eng.Send(time.Now(), addr, body)
	if err != nil {
		return nil, failed(wire.Send, addr, err)
	}
	t.peer.enlist(c, made)
	t.calls = append(t.calls, c)
	return c, nil
}

// Handled says that a message is done with. Its handler then returns nil.
func (t *Tx) Handled(m *Message) error {
	if err := t.peer.eng.Handled(time.Now(), m.delivery); err != nil {
		return failed("handled", m.delivery.Obj, err)
	}
	return nil
}

// Respond answers a request. What its handler returns does not count any more.
func (t *Tx) Respond(r *Request, body []byte) error {
	if err := t.peer.eng.Respond(time.Now(), r.delivery, body); err != nil {
		return failed(wire.Res, r.delivery.Obj, err)
	}
	return nil
}

// Take takes the first message of an inbox, and reports false if there is none.
func (t *Tx) Take(addr string) (Item, bool, error) {
	rows, err := t.store.InboxIn(t.Tx, t.peer.remote, addr, 1)
	if err == nil && len(rows) > 0 {
		err = t.store.ApplyIn(t.Tx, t.peer.remote, &store.Batch{DropInbound: []uint64{rows[0].N}})
	}
	if err != nil {
		return Item{}, false, &Error{Verb: "take", Obj: addr, Err: err}
	}
	if len(rows) == 0 {
		return Item{}, false, nil
	}
	return itemOf(rows[0]), true, nil
}
