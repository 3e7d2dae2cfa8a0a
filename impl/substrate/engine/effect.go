package engine

import (
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// An Effect is something that whoever drives the engine has to do. It is one of [Transmit], [EndConn], [Deliver], [Arrive], [Settle],
// [Refuse], [Event], [StoreOp] and [Resume]. Effects come in the order in which they were caused.
type Effect interface{ effect() }

// Transmit sends octets, one message, on a connection; on no other (SUBSTRATE-ACK-007). If the connection is gone they are dropped.
type Transmit struct {
	Conn  string
	Bytes []byte
}

// EndConn ends a connection with a close code. The engine has forgotten it already.
type EndConn struct {
	Conn string
	Code uint16
}

// Deliver hands an op of the peer to the application. The next op of its object comes after [Engine.Handled], or after the answer
// (SUBSTRATE-SEQ-003).
type Deliver struct{ Delivery }

// Arrive says that an op waits in the inbox of a queue that the host takes from (SUBSTRATE-OBJ-008).
type Arrive struct {
	Obj string
	N   uint64
}

// Settle says how a call ended. It comes once for each call.
type Settle struct {
	Call Call
	// Kind is that of the frame that settled it: ack for send and close; accept, reject, res, end or err. Empty if nothing came.
	Kind      string
	Code, Msg string // of reject and err, or why nothing comes any more
	Body      []byte // of accept, res and end
	Retryable bool   // the code is one that passes (SUBSTRATE-FINALITY-007)
	Unknown   bool   // the op may have been taken nevertheless
	// Err says that the call never came to be: an error of the store, or an [*Error]. It has consumed nothing (SUBSTRATE-OUTBOX-009).
	Err error
}

// OK reports whether the call ended well.
func (s *Settle) OK() bool { return s.Err == nil && s.Code == "" }

// Refuse says that an answer, or Handled, could not be written, and has changed nothing: the delivery is still to be answered.
type Refuse struct {
	Delivery Delivery
	Verb     string // accept, reject, res, err, end, or handled
	Err      error
}

// Event is one of the events of package observe. The observers have had it already.
type Event struct{ observe.Event }

// StoreOp asks to store an op in the sink; the result comes back by [Engine.Stored] with the token (SUBSTRATE-RELAY-002).
type StoreOp struct {
	Token uint64
	Peer  string // with ID: what the sink is idempotent by (SUBSTRATE-RELAY-006)
	Class store.Class
	Row   store.Inbound // N and Incarnation are 0
}

// Resume asks to push the stream of an object, from a seq inclusive, by [Engine.Feed] (SUBSTRATE-FEED-003).
type Resume struct {
	Obj, ObjKind string
	From         uint64
}

func (Transmit) effect() {}
func (EndConn) effect()  {}
func (Deliver) effect()  {}
func (Arrive) effect()   {}
func (Settle) effect()   {}
func (Refuse) effect()   {}
func (Event) effect()    {}
func (StoreOp) effect()  {}
func (Resume) effect()   {}

// A Delivery is an op of the peer that the application is to handle.
type Delivery struct {
	N            uint64 // commit order, or arrival order for a feed
	Obj, ObjKind string
	Kind         string // open, send, req or close; from a feed any other too
	ID           string
	Seq          uint64
	Cap          []byte // of open (SUBSTRATE-AUTHZ-010)
	Code, Msg    string // of err and reject, from a feed
	Body         []byte // nil: none; empty and not nil: one of no octets (SUBSTRATE-WIRE-004)
	Redelivered  bool   // it was committed before this process began (SUBSTRATE-DEDUPE-008)
	Feed         bool   // it came from a feed
}

// Take returns the effects that have been released since the last time. The caller owns them.
func (e *Engine) Take() []Effect {
	out := e.out
	e.out = nil
	return out
}

// emit leaves an effect to be released when what was staged with it is written.
func (e *Engine) emit(x Effect) { e.pending = append(e.pending, x) }
