package fuzz

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

var errDisk = errors.New("disk full")

// A pairStore is what one side keeps. It refuses a write when it is told to.
type pairStore struct {
	store.Store
	side *pairSide
	kept []store.Entry // those of the peer, to move them to another store
	fail bool
	lied bool // a write was refused
}

func (s *pairStore) Apply(peer string, b *store.Batch) error {
	if s.fail {
		s.lied = true
		return errDisk
	}
	if err := s.Store.Apply(peer, b); err != nil {
		return err
	}
	if peer == s.side.cfg.Remote {
		s.kept = append(s.kept, b.Entries...)
		for _, x := range b.Entries {
			s.side.seen().Committed = append(s.side.seen().Committed, seenOp{Kind: kindNamed(x.Kind), ID: numberOf(x.Key.ID)})
		}
	}
	return nil
}

// octets makes randomness that can be had again.
type octets struct{ r *rand.PCG }

func (o octets) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(o.r.Uint64())
	}
	return len(b), nil
}

// pairEpoch is when the clocks begin.
var pairEpoch = time.UnixMilli(1_900_000_000_000).UTC()

// A pairSide is one engine with its store, its clock, and the application on it.
type pairSide struct {
	rig    *pairRig
	x      substratemodel.Side
	cfg    engine.Config
	eng    *engine.Engine // nil: the machine speaks for this side
	store  *pairStore
	now    time.Time
	life   uint8
	tokens tokens
	// The application: what it is given and has not taken, or whose handler runs; and what handlers were cut short by a crash.
	given *engine.Delivery
	busy  bool
	cut   map[string]bool
	// closing says that this side itself closes the object, which is no death.
	closing, superseded bool
}

func (s *pairSide) seen() *sideSeen { return &s.rig.seen.Side[s.x] }

func (s *pairSide) fault(format string, args ...any) {
	s.rig.seen.Faults = append(s.rig.seen.Faults, s.x.String()+": "+fmt.Sprintf(format, args...))
}

// Count implements [observe.Metrics].
func (s *pairSide) Count(name string, _ observe.Labels, n int64) {
	switch name {
	case observe.OpsAcked:
		s.seen().Acked += int(n)
	case observe.OpsAnswered:
		s.seen().Answered += int(n)
	case observe.OpsPurged:
		s.seen().Purged += int(n)
	case observe.DedupeDuplicate:
		s.seen().Known += int(n)
	case observe.AuthorizeDenied:
		s.seen().Denied += int(n)
	case observe.SeqDeferred:
		s.seen().Buffered += int(n)
	}
}

// Gauge implements [observe.Metrics].
func (s *pairSide) Gauge(string, observe.Labels, int64) {}

// Observe implements [observe.Metrics].
func (s *pairSide) Observe(string, observe.Labels, float64) {}

// start begins a process over what the store has.
func (s *pairSide) start() {
	eng, err := engine.New(s.now, s.cfg)
	if err != nil {
		panic(err)
	}
	s.eng = eng
	s.life++
	s.given, s.busy = nil, false
	s.take()
}

// commit writes what the engine was told and does what follows.
func (s *pairSide) commit() {
	err := s.eng.Commit(s.now, nil)
	if err != nil && !errors.Is(err, errDisk) {
		s.fault("commit: %v", err)
	}
	s.take()
}

func (s *pairSide) take() {
	for _, x := range s.eng.Take() {
		s.effect(x)
	}
}

func (s *pairSide) effect(x engine.Effect) {
	switch x := x.(type) {
	case engine.Transmit:
		f, err := wire.Decode(x.Bytes)
		if err != nil || x.Conn != s.rig.link {
			s.fault("a frame for %q while the connection is %q: %v", x.Conn, s.rig.link, err)
			return
		}
		s.seen().Sent = append(s.seen().Sent, s.sent(&f))
		s.rig.wire[s.x.Peer()] = append(s.rig.wire[s.x.Peer()], packet{x.Conn, x.Bytes})
	case engine.EndConn:
		if x.Code == engine.CloseSuperseded && x.Conn == s.rig.before {
			s.superseded = true
			return
		}
		if x.Code != engine.CloseTimeout || x.Conn != s.rig.link {
			s.fault("ends %q with %d", x.Conn, x.Code)
		}
		s.seen().Ended = substratemodel.CodeAckTimeout
	case engine.Deliver:
		if s.given != nil {
			s.fault("%s %s is handed over before the one before is done with", x.Kind, x.ID)
		}
		s.given = &x.Delivery
	case engine.Settle:
		if x.Err != nil {
			s.seen().Failed = true
			return
		}
		s.seen().Settled = append(s.seen().Settled, seenOp{Kind: kindNamed(x.Call.Kind), ID: numberOf(x.Call.ID), Code: codeNamed(x.Code)})
	case engine.Event:
		s.event(&x.Event)
	default:
		s.fault("%T %+v", x, x)
	}
}

func (s *pairSide) event(e *observe.Event) {
	op := seenOp{Kind: kindNamed(e.Verb), ID: numberOf(e.ID), Code: codeNamed(e.Code)}
	switch e.Name {
	case observe.EventFutile:
		op.Kind, op.Flag = 0, e.Unknown && s.own(op.ID)
		s.seen().Futile = append(s.seen().Futile, op)
	case observe.EventOrphanAnswer:
		s.seen().Orphans = append(s.seen().Orphans, op)
	case observe.EventClosed:
		if !s.closing {
			s.seen().Died++
		}
	case observe.EventStaleReceipt, observe.EventIDConflict:
		// The one is what counts as nothing, and the other an answer to an operation that came again after its horizon.
	default:
		s.fault("event %s", e.Name)
	}
}

// own says that the id is one of an operation of this side, and not of an answer.
func (s *pairSide) own(id uint8) bool {
	if s.rig.cfg.SameID {
		return false
	}
	return (id >= substratemodel.OpOpenB) == (s.x == substratemodel.B)
}

// sent is a frame of the engine in the terms of the machine.
func (s *pairSide) sent(f *wire.Frame) seenFrame {
	out := seenFrame{Kind: kindNamed(f.Kind), ID: numberOf(f.ID), Seq: uint8(f.Seq), Prev: uint8(f.Prev), Code: codeNamed(f.Code)}
	if f.Obj != pairObject || f.ObjKind != wire.Session {
		out.Kind = noKind
	}
	switch {
	case f.Kind == wire.Resync:
		out.ID, out.Seq, out.Prev = 0, uint8(f.FromSeq), uint8(f.Base)
	case f.Kind == wire.Ack:
		out.Receipt = s.rig.side[s.x.Peer()].tokens.meaning(string(f.Receipt))
	case f.Bounced():
		out.Kind = substratemodel.KindBounce
	default:
		receipt, err := s.tokens.minted(s.life, f.Seq, string(f.Receipt))
		if err != nil {
			s.fault("%v", err)
		}
		out.Receipt, out.PrevExplicit = receipt, f.Has&wire.FieldPrev != 0
		if !out.PrevExplicit {
			out.Prev = out.Seq - 1
		}
	}
	return out
}

// ask is a call of the application.
func (s *pairSide) ask(kind substratemodel.Kind, id uint8) {
	op := engine.Op{Kind: kind.String(), Obj: pairObject, ID: pairIDs[id], Body: []byte(pairIDs[id])}
	if kind == substratemodel.KindOpen {
		op.ObjKind = wire.Session
	}
	if kind == substratemodel.KindClose {
		s.closing = true
		defer func() { s.closing = false }()
	}
	if _, err := s.eng.Enqueue(s.now, op); err != nil {
		s.seen().Failed = true
		return
	}
	s.commit()
}

// hand lets the application have what it is given.
func (s *pairSide) hand() {
	if s.given == nil || s.busy {
		s.fault("nothing is handed over")
		return
	}
	d := s.given
	again := s.cut[d.Kind+d.ID]
	delete(s.cut, d.Kind+d.ID)
	// SUBSTRATE-DEDUPE-008
	if again && !d.Redelivered {
		s.fault("%s is handed over again and does not say so", d.ID)
	}
	s.seen().Handed = append(s.seen().Handed, seenOp{Kind: kindNamed(d.Kind), ID: numberOf(d.ID), Flag: again})
	if s.busy = s.rig.cfg.Handler; !s.busy {
		s.finish()
	}
}

// finish is the return of the handler: it answers what may be answered.
func (s *pairSide) finish() {
	if s.given == nil {
		s.fault("no handler runs")
		return
	}
	d := *s.given
	s.given, s.busy = nil, false
	err := errDisk
	switch {
	case d.Kind == wire.Open:
		err = s.eng.Accept(s.now, d)
	case d.Kind == wire.Req && s.rig.cfg.Fails:
		err = s.eng.Fail(s.now, d, wire.AppError, "")
	case d.Kind == wire.Req:
		err = s.eng.Respond(s.now, d, []byte("re"))
	}
	if err != nil {
		err = s.eng.Handled(s.now, d)
	}
	if err != nil {
		s.fault("%s %s cannot be finished: %v", d.Kind, d.ID, err)
	}
	s.commit()
}

// wait lets time pass until the engine says or does something of its own accord.
func (s *pairSide) wait() {
	for range 4 {
		due, ok := s.eng.Next()
		if !ok {
			break
		}
		if due.After(s.now) {
			s.now = due
		}
		s.eng.Tick(s.now)
		s.commit()
		if o := s.seen(); len(o.Sent) > 0 || o.Ended != 0 {
			return
		}
	}
	s.fault("nothing happens in time")
}

// receive takes a packet. What the engine was given is written over afterwards: it must not have kept it.
func (s *pairSide) receive(p packet) {
	raw := slices.Clone(p.raw)
	s.eng.Receive(s.now, p.conn, raw)
	overwrite(raw)
	s.commit()
}
