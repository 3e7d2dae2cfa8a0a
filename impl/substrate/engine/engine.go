package engine

import (
	"io"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// An Engine is one side of one pair of peers. Use [New] to make one.
type Engine struct {
	cfg    Config
	limits Limits
	ids    *wire.IDs
	epoch  [8]byte
	now    time.Time // of the last input

	scalars
	objects map[string]*object
	calls   map[string]*call // by id
	tombs   tombstones
	fresh   map[store.Key]store.Entry // entries of the batch

	timers timers
	busy   map[*object]struct{} // those with rows in the outbox
	stored map[uint64]*object   // by the token of the op that is being stored
	stale  []*object            // those whose place in the three above must be looked at

	batch   store.Batch
	undo    undo
	inputs  []input
	pending []Effect
	marks   []mark
	out     []Effect
}

// scalars are the parts of an engine that are copied at the beginning of a batch, to be put back if it fails.
type scalars struct {
	conn        string // id of the live connection, empty: none
	remoteEpoch [8]byte
	met         bool   // remoteEpoch is that of a connection
	lastN       uint64 // of the inbox
	feedN       uint64 // of deliveries from feeds
	order       uint64 // of rows and calls in this process
	token       uint64
	live        int // objects that are opening or live
	refusals    int // refused opens that await their ack
	gapBytes    int
	hold        time.Time // ticks before do nothing, because the store failed
	swept       time.Time // when old entries were last removed
	cautious    bool      // nothing may be staged for the input that is played: the store has refused it
}

// Epoch returns the epoch of the outbox of this side, for the hello (SUBSTRATE-SEQ-011).
func (e *Engine) Epoch() [8]byte { return e.epoch }

// up reports whether there is a connection.
func (e *Engine) up() bool { return e.conn != "" }

// next counts a counter up.
func next(n *uint64) uint64 {
	*n++
	return *n
}

// wall returns the wall clock of now, in whole milliseconds and without a monotonic reading: what is kept is compared by it alone.
func wall(now time.Time) time.Time { return time.UnixMilli(now.UnixMilli()).UTC() }

// random fills b from the source of randomness.
func (e *Engine) random(b []byte) {
	if _, err := io.ReadFull(e.cfg.Rand, b); err != nil {
		panic(err)
	}
}
