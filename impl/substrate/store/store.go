// Package store says what one side of the substrate keeps, and keeps it in memory. Start with [Store]; package sqlite keeps the same
// in a file or in the host's own database.
//
// Everything is scoped by the peer that it is kept for: two peers that share a store never see each other's rows (SUBSTRATE-STORE-005).
package store

import "time"

// Horizon is how long a committed op is remembered: an op that is older may be forgotten, a younger one never is
// (SUBSTRATE-DEDUPE-002, SUBSTRATE-DEDUPE-003).
const Horizon = 7 * 24 * time.Hour

// A Store keeps the outbox, the inbox, the ledger and the registry of the peers of one side (SUBSTRATE-STORE-001).
//
// A store may be used from several goroutines at once. Whatever Apply has returned nil for survives a crash if the store is durable at
// all; whatever it has returned an error for has left no trace (SUBSTRATE-DEDUPE-007, SUBSTRATE-STORE-008).
type Store interface {
	// Load returns all that is kept for peer but for its ledger. A peer that the store has not heard of gets an epoch, which is kept
	// before Load returns (SUBSTRATE-SEQ-011).
	Load(peer string) (*State, error)

	// Committed looks up an entry of the ledger. now decides nothing: an entry that has outlived the horizon may still be found
	// until Expire removes it, and the caller looks at its age.
	Committed(peer string, key Key) (Entry, bool, error)

	// Apply writes a batch, all of it or nothing.
	Apply(peer string, b *Batch) error

	// Inbox returns the committed rows of an object that have not been taken yet, in commit order, at most limit of them;
	// a limit below one means all (SUBSTRATE-OBJ-008).
	Inbox(peer, obj string, limit int) ([]Inbound, error)

	// Depth returns how many rows Inbox has for an object.
	Depth(peer, obj string) (int, error)

	// Expire removes entries of the ledger, and records of dead objects, that were written before the given time, at most limit of
	// each. It returns how many it removed.
	Expire(peer string, before time.Time, limit int) (int, error)

	// Close ends the use of the store. Calls that come later fail.
	Close() error
}

// A Class tells ops from the answers to them: both sides may use one id for an op of theirs and for an answer (SUBSTRATE-ANSWER-003).
type Class uint8

// The classes of the ledger.
const (
	Op     Class = 1 // open, close, send, req
	Answer Class = 2 // accept, reject, res, end, and err that is an answer
)

// A Key names an entry of the ledger within a peer.
type Key struct {
	Class Class
	ID    string
}

// An Entry says that an op or an answer was committed.
type Entry struct {
	Key
	Obj    string
	Kind   string
	Digest [16]byte // of kind, object and body, to tell a redelivery from a reused id (SUBSTRATE-DEDUPE-006)
	At     time.Time
}

// A Row is one op or answer of this side that is not freed yet.
type Row struct {
	Obj         string
	ObjKind     string
	Class       Class
	Kind        string
	ID          string
	Seq         uint64    // within object and epoch, from 1
	Incarnation uint64    // of the object, when the row was written
	Code, Msg   string    // of reject and err
	Cap         []byte    // of open
	Body        []byte    // nil: none; empty and not nil: one of no octets
	FirstSent   time.Time // zero: never (SUBSTRATE-OUTBOX-008)
}

// A Counter is where the outgoing direction of an object stands. It outlives the rows (SUBSTRATE-OUTBOX-007).
type Counter struct {
	Obj          string
	LastAssigned uint64 // the seq of the last row that was written
	LastPred     uint64 // the seq of the last row that was freed by an ack or an answer (SUBSTRATE-SEQ-009)
}

// An Inbound row is an op or an answer of the peer that is committed and not handed over yet.
type Inbound struct {
	N           uint64 // commit order within the peer, from 1
	Obj         string
	ObjKind     string
	Class       Class
	Kind        string
	ID          string
	Seq         uint64
	Incarnation uint64
	Code, Msg   string
	Cap         []byte
	Body        []byte // nil: none; empty and not nil: one of no octets
}

// An Object is the record of a named object in the scope of one peer.
type Object struct {
	Obj          string
	Kind         string // session or queue
	State        string // opening, live, rejected, closed
	Opener       string // peer id
	OpenID       string // of the open that began this incarnation
	Incarnation  uint64 // from 1
	Participants []string
	Queued       bool      // accepted as a queue whose inbox the host takes from (SUBSTRATE-OBJ-008)
	Ended        time.Time // when it came to rejected or closed, zero before
}

// A State is what Load returns. The caller owns it.
type State struct {
	Epoch    [8]byte
	Objects  []Object
	Counters []Counter
	Rows     []Row     // by object, then by seq
	Inbound  []Inbound // in commit order, without those of queues whose inbox the host takes from
	LastN    uint64    // the highest N that was ever given
}

// A Batch is what one transaction writes. Parts are applied in the order of the fields, so that what is put can be dropped again in the
// same batch. The store keeps nothing of it but copies.
type Batch struct {
	Objects     []Object  // put, by name
	Counters    []Counter // put, by name
	Rows        []Row     // put, by object and seq
	Sent        []Sent    // set on a row that is there
	DropRows    []Place
	Entries     []Entry // put; an entry that is there stays as it is, with its time (SUBSTRATE-DEDUPE-003)
	Inbound     []Inbound
	DropInbound []uint64 // by N; one that is not there is no error: the host may have taken it
	Durable     bool     // false: nothing in the batch needs to be on the disk before Apply returns
}

// A Sent says when a row was first transmitted.
type Sent struct {
	Place
	At time.Time
}

// A Place names a row of the outbox within a peer.
type Place struct {
	Obj string
	Seq uint64
}

// Empty reports whether b writes nothing.
func (b *Batch) Empty() bool {
	return len(b.Objects)+len(b.Counters)+len(b.Rows)+len(b.Sent)+len(b.DropRows)+len(b.Entries)+len(b.Inbound)+len(b.DropInbound) == 0
}

// Reset empties b and keeps its memory.
func (b *Batch) Reset() {
	*b = Batch{
		Objects: b.Objects[:0], Counters: b.Counters[:0], Rows: b.Rows[:0], Sent: b.Sent[:0], DropRows: b.DropRows[:0],
		Entries: b.Entries[:0], Inbound: b.Inbound[:0], DropInbound: b.DropInbound[:0],
	}
}
