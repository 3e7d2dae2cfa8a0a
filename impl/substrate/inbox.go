package substrate

import (
	"context"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// An Inbox has the messages of a queue that was accepted with [Opening.AcceptQueue], in the order in which they were committed. They stay
// in the store until they are taken, and outlive the object (SUBSTRATE-OBJ-008).
type Inbox struct {
	peer *Peer
	addr string
}

// Inbox returns the inbox of a queue, which is empty for what is none.
func (p *Peer) Inbox(addr string) *Inbox { return &Inbox{p, addr} }

// Len returns how many messages wait.
func (in *Inbox) Len() (int, error) {
	if in.peer.store == nil {
		return 0, nil
	}
	return in.peer.store.Depth(in.peer.remote, in.addr)
}

// Peek returns the first messages, at most limit of them; a limit below one means all. They stay where they are.
func (in *Inbox) Peek(limit int) ([]Item, error) {
	if in.peer.store == nil {
		return nil, nil
	}
	rows, err := in.peer.store.Inbox(in.peer.remote, in.addr, limit)
	if err != nil {
		return nil, err
	}
	items := make([]Item, len(rows))
	for i, r := range rows {
		items[i] = itemOf(r)
	}
	return items, nil
}

// Take waits for a message and removes it from the store. It is gone when Take returns: who does something about it in a database of his
// own takes it in the same transaction, see [Tx.Take].
func (in *Inbox) Take(ctx context.Context) (Item, error) {
	p := in.peer
	if p.store == nil {
		return Item{}, &Error{Verb: "take", Obj: in.addr, Code: wire.Unsupported}
	}
	for {
		arrival := p.arrival(in.addr)
		item, ok, err := in.first()
		if err != nil {
			return Item{}, &Error{Verb: "take", Obj: in.addr, Err: err}
		}
		if ok {
			return item, nil
		}
		select {
		case <-arrival:
		case <-p.closing:
			return Item{}, &Error{Verb: "take", Obj: in.addr, Err: ErrClosed}
		case <-ctx.Done():
			return Item{}, &Error{Verb: "take", Obj: in.addr, Err: context.Cause(ctx)}
		}
	}
}

// first removes the first message, if there is one.
func (in *Inbox) first() (Item, bool, error) {
	p := in.peer
	p.inbox.Lock()
	defer p.inbox.Unlock()
	rows, err := p.store.Inbox(p.remote, in.addr, 1)
	if err != nil || len(rows) == 0 {
		return Item{}, false, err
	}
	if err := p.store.Apply(p.remote, &store.Batch{DropInbound: []uint64{rows[0].N}, Durable: true}); err != nil {
		return Item{}, false, err
	}
	return itemOf(rows[0]), true, nil
}

// arrival returns what is closed when something comes to an inbox.
func (p *Peer) arrival(obj string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.arrivals[obj]
	if c == nil {
		c = make(chan struct{})
		p.arrivals[obj] = c
	}
	return c
}

// arrived wakes those who wait for an inbox.
func (p *Peer) arrived(obj string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.arrivals[obj]; c != nil {
		close(c)
		delete(p.arrivals, obj)
	}
}

// Follow makes the stream of an object of an edge known, from after the seq last on, 0 for all of it. It is resumed on every connection
// (SUBSTRATE-FEED-007). Streams of objects that this side opens are followed without being asked for. The events come to Handler.Send.
func (p *Peer) Follow(ctx context.Context, kind, addr string, last uint64) error {
	result := make(chan error, 1)
	err := p.post(ctx, func(now time.Time) {
		result <- p.eng.Follow(now, engine.Following{Obj: addr, ObjKind: kind, Last: last})
	})
	if err != nil {
		return &Error{Verb: "follow", Obj: addr, Err: err}
	}
	select {
	case err = <-result:
	case <-p.stopped:
		err = ErrClosed
	}
	if err != nil {
		return failed("follow", addr, err)
	}
	return nil
}
