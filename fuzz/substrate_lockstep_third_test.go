package fuzz

import (
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
	"github.com/seed-6f28358b/assay/model/substratemodel"
)

// thirdPeers are two more peers of B, which share its store: c, which knows the name of the object and has none, and d, which has one of its own of that name.
type thirdPeers struct {
	rig  *pairRig
	c, d *engine.Engine
}

func newThirdPeers(r *pairRig) *thirdPeers {
	if r.cfg.Budgets.Foreign == 0 {
		return nil
	}
	b := r.side[substratemodel.B]
	object := store.Object{
		Obj: pairObject, Kind: wire.Session, State: "live", Opener: "d", OpenID: pairIDs[0], Incarnation: 1, Participants: []string{"d", "b"},
	}
	if _, err := b.store.Load("d"); err != nil {
		panic(err)
	}
	if err := b.store.Store.Apply("d", &store.Batch{Objects: []store.Object{object}, Durable: true}); err != nil {
		panic(err)
	}
	begin := func(remote string) *engine.Engine {
		eng, err := engine.New(b.now, engine.Config{Local: "b", Remote: remote, Store: b.store, Authorize: engine.AllowAll, Rand: b.cfg.Rand})
		if err != nil {
			panic(err)
		}
		eng.Connected(b.now, engine.Conn{ID: remote})
		if err := eng.Commit(b.now, nil); err != nil {
			panic(err)
		}
		return eng
	}
	return &thirdPeers{rig: r, c: begin("c"), d: begin("d")}
}

// say lets one of them say something, and notes what B says and does.
func (p *thirdPeers) say(n uint8) {
	b := p.rig.side[substratemodel.B]
	f := substratemodel.Frame{Kind: substratemodel.KindClose, ID: 1, Seq: 1, Receipt: 1}
	eng, conn := p.c, "c"
	if sn := b.snapshot().Next; sn != 0 {
		f.Seq = uint8(sn)
	}
	switch f.Prev = f.Seq - 1; n {
	case substratemodel.ForeignAhead:
		f.Seq += 3
		f.Prev += 3
	case substratemodel.ForeignErr:
		f.Kind, f.Code = substratemodel.KindErr, substratemodel.CodeClosed
	case substratemodel.ForeignSame:
		eng, conn, f.Kind, f.Seq, f.Prev = p.d, "d", substratemodel.KindSend, 1, 0
	}
	w := toWire(f)
	raw, err := wire.Append(nil, &w)
	if err != nil {
		panic(err)
	}
	eng.Receive(b.now, conn, raw)
	if err := eng.Commit(b.now, nil); err != nil {
		b.fault("commit for %s: %v", conn, err)
	}
	for _, x := range eng.Take() {
		switch x := x.(type) {
		case engine.Transmit:
			f, err := wire.Decode(x.Bytes)
			if err != nil || x.Conn != conn {
				b.fault("a frame for %s: %v", x.Conn, err)
			}
			out := seenFrame{Kind: kindNamed(f.Kind), ID: numberOf(f.ID), Code: codeNamed(f.Code)}
			if f.Bounced() {
				out.Kind = substratemodel.KindBounce
			}
			b.seen().Sent = append(b.seen().Sent, out)
		case engine.Deliver:
			b.seen().Handed = append(b.seen().Handed, seenOp{Kind: kindNamed(x.Kind), ID: numberOf(x.ID)})
			if err := eng.Handled(b.now, x.Delivery); err != nil {
				b.fault("%v", err)
			}
			if err := eng.Commit(b.now, nil); err != nil {
				b.fault("commit for %s: %v", conn, err)
			}
		default:
			b.fault("%T %+v for %s", x, x, conn)
		}
	}
}
