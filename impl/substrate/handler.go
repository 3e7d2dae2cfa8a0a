package substrate

import (
	"context"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// A Handler is who gets what the peers send. Its functions are called in goroutines: for one object of one peer one at a time, in the
// order in which the peer has queued; for different objects side by side. Their context ends when the peer is closed or released.
//
// When a function returns, the op is done with, and this is written down. If the process ends before that, the op is handed over again,
// with Redelivered set (SUBSTRATE-DEDUPE-008); so it is, too, when a function returns an error after its context has ended. Who needs an
// op to take effect once even then writes what it does and that it is done in one transaction, see [Peer.Within].
type Handler struct {
	// Open decides about an object that the peer opens. It, or somebody later, calls one of the methods of Opening. Nil: the object is
	// rejected with unsupported.
	Open func(ctx context.Context, o *Opening)
	// Send gets a message. An error is told to the peer as an answer, see [Failure]. Nil: the answer is unsupported.
	Send func(ctx context.Context, m *Message) error
	// Req gets a request and returns the answer: a body, nil for none; [ErrEnd]; or an error, see [Failure]. Nil: the answer is
	// unsupported.
	Req func(ctx context.Context, r *Request) ([]byte, error)
	// Closed is told that an object has come to its end: by a close of the peer, after all that came before it was handed over; by one
	// of this side; or by a code of object scope.
	Closed func(p *Peer, obj, code string)
	// Event is told of events, in order. One that is too slow for them misses some.
	Event func(e Event)
}

// An Event is something that a host may want to act upon: the events of package observe, and those of this package.
type Event = observe.Event

// Events of this package.
const (
	EventReady = "link/ready" // a connection of the peer is ready: peer, conn
	EventEnded = "link/ended" // it has ended: peer, conn, code of the close if there was one, err
)

// An op is what the handlers have in common.
type op struct {
	Peer        *Peer
	Object      *Object
	ID          string // unique within the ops of the peer
	Redelivered bool   // it was handed over before, in another process
	delivery    engine.Delivery
}

// An Opening is an object that the peer wants to open.
type Opening struct {
	op
	Kind string // session or queue
	Cap  []byte // the token that the peer gave for the gate; nil: none (SUBSTRATE-AUTHZ-010)
}

// A Message is a send of the peer.
type Message struct {
	op
	Body []byte // nil: none; empty and not nil: one of no octets (SUBSTRATE-WIRE-004)
	// Kind is send, or what else an edge has fed.
	Kind string
	Seq  uint64 // of the object; from a feed, of its stream
	Feed bool   // it came from a feed
}

// A Request is a req of the peer.
type Request struct {
	op
	Body []byte // nil: none
}

// An Item is a message in the inbox of a queue.
type Item struct {
	N    uint64 // order within the peer
	ID   string
	Seq  uint64
	Body []byte // nil: none
}

func itemOf(r store.Inbound) Item { return Item{N: r.N, ID: r.ID, Seq: r.Seq, Body: r.Body} }

// Accept accepts the object. It returns when that is written; if it cannot be, the opening is still to be answered.
func (o *Opening) Accept(ctx context.Context) error {
	return o.Peer.answerOpen(ctx, o, "accept", (*engine.Engine).Accept)
}

// AcceptQueue accepts a queue whose messages stay in the store until they are taken from [Peer.Inbox] (SUBSTRATE-OBJ-008). Handler.Send is
// not called for them.
func (o *Opening) AcceptQueue(ctx context.Context) error {
	return o.Peer.answerOpen(ctx, o, "accept", (*engine.Engine).AcceptQueue)
}

// Reject rejects the object with a code, and a message for people.
func (o *Opening) Reject(ctx context.Context, code, msg string) error {
	err := o.Peer.answerOpen(ctx, o, "reject", func(e *engine.Engine, now time.Time, d engine.Delivery) error {
		return e.Reject(now, d, code, msg)
	})
	if err == nil {
		o.Peer.finish(o.Object.addr, o.ID, code)
	}
	return err
}
