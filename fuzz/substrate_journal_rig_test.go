package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/journal"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/relay"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

const (
	journalQuota = 1 << 16
	// journalHalf is half the time after which a row is not sent again. SUBSTRATE-OUTBOX-008
	journalHalf = 601_200_000 * time.Millisecond / 2
)

// A journalRig is a page with its journal, an edge for each connection with the sink that they share, and the network between them, which take the actions of the machine of a
// journal. A write stands still at its beginning and when it waits for the disk. What a crash leaves of the file is what was synced and, of what was written behind it, a torn piece.
type journalRig struct {
	path    string
	journal *journal.Journal // nil: the page is not loaded
	eng     *engine.Engine
	edge    *engine.Engine
	sink    relay.Memory
	now     time.Time
	rand    *rand.Rand
	life    int
	conn    string
	frames  [][]byte
	acks    [][]byte
	asked   uint8
	waits   map[uint8]bool // operations whose call waits in this life

	write   func() (string, bool) // takes the write under way to where it stands still next
	pause   func(string) bool     // within it
	fails   error                 // what the write comes to
	kept    int64                 // octets of the file that a crash leaves
	deletes []int64               // where the deletes end that are not synced
	expired bool                  // a row was given up, and those behind it have a prev

	left   []byte // what a crash would have left of the file when it was looked at last
	leaves *store.State

	seen journalSeen
	bad  journalFaults
}

// journalFaults are what a test puts in the place of something right.
type journalFaults struct {
	syncs      bool // a sync says that it was done, and was not
	successful bool // a write that failed is taken for done
	forgets    bool // a page that is loaded again knows of no rows
	early      bool // time passes twice as fast
	twice      bool // the network brings each frame twice
	keeps      bool // a crash loses nothing
}

// A journalSeen is what page and edge did in a step.
type journalSeen struct {
	Op, Seq       uint8 // of the frame that came to the edge, or of the row that left the outbox
	Rejected      bool
	Handed, Known bool
	Sent          []substratemodel.JournalRow
	Expired       uint8
	Fault         string
}

// newJournalRig returns a page with a journal in which nothing is but its epoch, as the file has it that is given. None: a new one.
func newJournalRig(path string, file []byte) *journalRig {
	r := &journalRig{path: path, kept: int64(len(file)), now: pairEpoch, rand: rand.New(rand.NewPCG(3, 3))}
	if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, file, 0o600)); err != nil {
		panic(err)
	}
	r.load()
	return r
}

func (r *journalRig) fault(format string, args ...any) {
	r.seen.Fault += fmt.Sprintf(format, args...) + "; "
}

// A journalStore is the journal of a page, whose writes stand still.
type journalStore struct {
	*journal.Journal
	rig *journalRig
}

func (s journalStore) Apply(peer string, b *store.Batch) error {
	r := s.rig
	if r.pause != nil {
		r.pause("begun")
		if r.fails != nil {
			// SUBSTRATE-JOURNAL-003: it does not fit.
			full := *b
			full.Rows = slices.Clone(b.Rows)
			full.Rows[0].Body = make([]byte, journalQuota)
			b = &full
		}
	}
	was := s.Size()
	err := s.Journal.Apply(peer, b)
	if size := s.Size(); size > was && r.kept < size {
		r.deletes = append(r.deletes, size)
	}
	if r.bad.successful {
		err = nil
	}
	return err
}

// sync is the disk of the page.
func (r *journalRig) sync(f *os.File) error {
	if r.pause != nil && r.fails == nil {
		if r.pause("put"); r.fails != nil {
			err := r.fails
			r.pause = nil
			return err
		}
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !r.bad.syncs {
		r.kept, r.deletes = info.Size(), nil
	}
	return nil
}

// load begins a page over what its journal has, and connects it to an edge that knows nothing. SUBSTRATE-JOURNAL-006
func (r *journalRig) load() {
	j, err := journal.Open(r.path, journal.Options{Quota: journalQuota, Sync: r.sync})
	if err != nil {
		r.fault("open: %v", err)
		return
	}
	r.life++
	r.journal, r.waits = j, map[uint8]bool{}
	r.eng = r.engine(engine.Config{Local: "a", Remote: "edge", Store: journalStore{j, r}, Feeds: true, Journal: true})
	r.edge = r.engine(engine.Config{Local: "edge", Remote: "a", Relay: &engine.Relay{Remembers: r.sink.Remembers()}})
	r.conn = fmt.Sprint("conn-", r.life)
	r.eng.Connected(r.now, engine.Conn{ID: r.conn})
	r.edge.Connected(r.now, engine.Conn{ID: r.conn})
	r.commit(r.eng)
	r.commit(r.edge)
}

func (r *journalRig) engine(cfg engine.Config) *engine.Engine {
	cfg.Authorize, cfg.Rand = engine.AllowAll, octets{rand.NewPCG(uint64(r.life), 2)}
	eng, err := engine.New(r.now, cfg)
	if err != nil {
		panic(err)
	}
	return eng
}

// Do takes an action and returns what page and edge did.
func (r *journalRig) Do(a substratemodel.JournalAction) journalSeen {
	fault := r.seen.Fault
	r.seen = journalSeen{Fault: fault}
	switch a.Op {
	case substratemodel.JournalSend:
		r.send()
	case substratemodel.JournalPut:
		r.stands("put")
	case substratemodel.JournalComplete:
		r.stands("")
	case substratemodel.JournalAbort:
		r.fails = errDisk
		r.stands("")
	case substratemodel.JournalRestore:
		r.load()
	case substratemodel.JournalArrive:
		r.arrive()
	case substratemodel.JournalAck:
		r.ack()
	case substratemodel.JournalDelete:
		if len(r.deletes) == 0 {
			r.fault("nothing is being deleted")
			break
		}
		r.kept, r.deletes = r.deletes[0], r.deletes[1:]
	case substratemodel.JournalReload, substratemodel.JournalReloadWritten:
		r.crash(a.Op == substratemodel.JournalReloadWritten)
	case substratemodel.JournalHalf:
		r.half()
	}
	return r.seen
}

// send is a call of the application. It goes as far as to where its write begins.
func (r *journalRig) send() {
	r.asked++
	op := engine.Op{Kind: wire.Send, Obj: pairObject, ID: pairIDs[r.asked], Body: []byte(pairIDs[r.asked])}
	if _, err := r.eng.Enqueue(r.now, op); err != nil {
		r.fault("send: %v", err)
	}
	r.waits[r.asked] = true
	r.fails = nil
	// It is always taken to its end.
	r.write, _ = iter.Pull(func(yield func(string) bool) {
		r.pause = yield
		if err := r.eng.Commit(r.now, nil); (err == nil) != (r.fails == nil) {
			r.fault("commit: %v", err)
		}
		r.pause = nil
	})
	r.stands("begun")
}

// stands goes on with the write, which must come to stand still there; empty: to its end. SUBSTRATE-JOURNAL-001: until then nobody is told of anything.
func (r *journalRig) stands(where string) {
	if r.write == nil {
		r.fault("nothing is being written")
		return
	}
	if at, _ := r.write(); at != where {
		r.fault("the write stands still at %q, not at %q", at, where)
	}
	if where != "" {
		if said := r.eng.Take(); len(said) > 0 {
			r.fault("%+v, and the write is not done", said)
		}
		return
	}
	r.write = nil
	r.take(r.eng)
}

func (r *journalRig) arrive() {
	raw := r.next(&r.frames)
	f, err := wire.Decode(raw)
	if err != nil {
		r.fault("%v", err)
	}
	r.seen.Op, r.seen.Seq = numberOf(f.ID), uint8(f.Seq)
	if r.edge.Receive(r.now, r.conn, raw); r.bad.twice {
		r.edge.Receive(r.now, r.conn, raw)
	}
	r.commit(r.edge)
}

func (r *journalRig) ack() {
	was := r.rows()
	r.eng.Receive(r.now, r.conn, r.next(&r.acks))
	r.commit(r.eng)
	if is := r.rows(); len(is) < len(was) {
		r.seen.Op, r.seen.Seq = was[0].Op, was[0].Seq
	}
	// SUBSTRATE-VERB-002
	if r.waits[r.seen.Op] {
		r.fault("operation %d is acked, and its call waits", r.seen.Op)
	}
}

// half lets time pass, first to a moment before, at which nothing is given up.
func (r *journalRig) half() {
	step := journalHalf
	if r.bad.early {
		step *= 2
	}
	for _, step := range []time.Duration{step - time.Millisecond, time.Millisecond} {
		if r.seen.Expired != 0 {
			r.fault("%b are given up before it is time", r.seen.Expired)
		}
		if r.now = r.now.Add(step); r.eng != nil {
			r.eng.Tick(r.now)
			r.commit(r.eng)
		}
	}
}

// crash ends the page, and leaves of its file what was kept and a torn piece of what comes next; or all, if that was written. What still runs in it is of no consequence.
func (r *journalRig) crash(written bool) {
	r.conn, r.frames, r.acks = "", nil, nil
	if r.journal == nil {
		return
	}
	file, err := os.ReadFile(r.path)
	if err != nil {
		panic(err)
	}
	kept, deletes := r.kept, r.deletes
	if r.write != nil {
		for r.fails = errDisk; r.write != nil; {
			if at, _ := r.write(); at == "" {
				r.write = nil
			}
		}
		r.eng.Take()
	}
	if err := r.journal.Close(); err != nil {
		r.fault("close: %v", err)
	}
	if r.journal, r.eng, r.edge, r.deletes = nil, nil, nil, nil; written || r.bad.keeps {
		kept = int64(len(file))
	} else if next := int64(len(file)); next > kept {
		if len(deletes) > 0 {
			next = deletes[0]
		}
		file = slices.Clone(file[:next])
		if r.rand.IntN(2) == 0 {
			// All of it is there but for an octet.
			file[kept+r.rand.Int64N(next-kept)] ^= 0x10
		} else {
			file = file[:kept+r.rand.Int64N(next-kept)]
		}
	}
	if r.kept = kept; r.bad.forgets {
		file = nil
	}
	if err := os.WriteFile(r.path, file, 0o600); err != nil {
		panic(err)
	}
}

func (r *journalRig) next(queue *[][]byte) (raw []byte) {
	if len(*queue) == 0 {
		r.fault("nothing is under way")
		return nil
	}
	raw, *queue = (*queue)[0], (*queue)[1:]
	return bytes.Clone(raw)
}

// commit writes what an engine was told and does what it wants.
func (r *journalRig) commit(eng *engine.Engine) {
	if err := eng.Commit(r.now, nil); err != nil {
		r.fault("commit: %v", err)
	}
	r.take(eng)
}

func (r *journalRig) take(eng *engine.Engine) {
	for _, x := range eng.Take() {
		switch x := x.(type) {
		case engine.Transmit:
			r.sent(eng == r.edge, x)
		case engine.StoreOp:
			was, err := r.sink.Store(context.Background(), relay.Op{Peer: x.Peer, Obj: x.Row.Obj, Kind: x.Row.Kind, ID: x.Row.ID, Seq: x.Row.Seq, Body: x.Row.Body})
			if r.seen.Known, r.seen.Handed = was.Duplicate, !was.Duplicate; string(x.Row.Body) != x.Row.ID {
				r.fault("the body of %s is %q", x.Row.ID, x.Row.Body)
			}
			r.edge.Stored(r.now, x.Token, was.Seq, was.Duplicate, err)
			r.commit(r.edge)
		case engine.Settle:
			r.settle(&x)
		case engine.Event:
			if e := x.Event; e.Name == observe.EventFutile && e.Code == engine.Expired && e.Unknown {
				r.seen.Expired |= 1 << numberOf(e.ID)
				r.expired = true
			} else if e.Name != observe.EventStaleReceipt {
				r.fault("event %s", e.Name)
			}
		default:
			r.fault("%T", x)
		}
	}
}

// settle is the end of a call.
func (r *journalRig) settle(x *engine.Settle) {
	op := numberOf(x.Call.ID)
	if !r.waits[op] {
		r.fault("the call of operation %d ends twice", op)
	}
	delete(r.waits, op)
	var quota *journal.QuotaError
	switch {
	case errors.Is(x.Err, errDisk), errors.As(x.Err, &quota):
		// SUBSTRATE-JOURNAL-003
		r.seen.Op, r.seen.Rejected = op, true
	case x.Err != nil || x.Code != "" && x.Code != engine.Expired:
		r.fault("operation %d ends with %q and %v", op, x.Code, x.Err)
	}
}

func (r *journalRig) sent(edge bool, x engine.Transmit) {
	f, err := wire.Decode(x.Bytes)
	switch fault := f.Check(); {
	case err != nil || fault != nil || x.Conn != r.conn:
		r.fault("a frame on %q: %v, %v", x.Conn, err, fault)
	case edge && f.Kind == wire.Ack:
		r.acks = append(r.acks, x.Bytes)
	case !edge && f.Kind == wire.Send:
		// SUBSTRATE-JOURNAL-004: what was rejected leaves no hole.
		if f.Has&wire.FieldPrev != 0 && !r.expired {
			r.fault("seq %d says that its predecessor is %d", f.Seq, f.Prev)
		}
		r.seen.Sent = append(r.seen.Sent, substratemodel.JournalRow{Op: numberOf(f.ID), Seq: uint8(f.Seq)})
		r.frames = append(r.frames, x.Bytes)
	default:
		r.fault("%s is sent", f.Kind)
	}
}

// rows returns the outbox of the page.
func (r *journalRig) rows() (out []substratemodel.JournalRow) {
	for _, o := range r.eng.Snapshot().Objects {
		out = rowsOf(o.Rows)
	}
	return out
}

func rowsOf(rows []store.Row) (out []substratemodel.JournalRow) {
	for _, row := range rows {
		out = append(out, substratemodel.JournalRow{Op: numberOf(row.ID), Seq: uint8(row.Seq)})
	}
	return out
}
