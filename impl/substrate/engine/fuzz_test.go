package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

// A hostileScript is what comes from a hostile peer: each step is a few octets that choose a frame or something else that happens.
type hostileScript struct{ data []byte }

func (s *hostileScript) next() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

// frame makes a frame, mostly one that passes the codec, of few names and ids so that they meet.
func (s *hostileScript) frame() []byte {
	kinds := []string{
		wire.Open, wire.Accept, wire.Reject, wire.Close, wire.Send, wire.Ack, wire.Req, wire.Res, wire.Err, wire.End, wire.Chunk,
		wire.Resync, wire.Establish, wire.EstablishOK, wire.EstablishFail, "odd",
	}
	codes := []string{wire.Closed, wire.NoSuchObject, wire.ObjectFailed, wire.QueueFull, wire.AppError, "odd"}
	names := []string{"o", "p", "q", "bad name", "a@b"}
	objKinds := []string{wire.Session, wire.Queue, wire.Stream, "odd"}
	f := wire.Frame{V: 1, Kind: kinds[s.next()%16], Has: wire.FieldV | wire.FieldKind}
	f.Obj, f.ObjKind = names[s.next()%5], objKinds[min(s.next()%16, 3)%4]
	f.ID = fmt.Sprint("id", s.next()%12)
	f.Has |= wire.FieldObj | wire.FieldObjKind | wire.FieldID
	switch f.Kind {
	case wire.Resync:
		f.Has &^= wire.FieldID
		f.ID = ""
		if s.next()%2 == 0 {
			f.FromSeq, f.Has = uint64(s.next()), f.Has|wire.FieldFromSeq
		} else {
			f.Base, f.Has = uint64(s.next()), f.Has|wire.FieldBase
		}
	case wire.Ack:
		f.Receipt, f.Has = []byte{s.next()}, f.Has|wire.FieldReceipt
	default:
		if f.Kind != wire.Err || s.next()%2 == 0 {
			f.Seq, f.Has = uint64(s.next()%80), f.Has|wire.FieldSeq|wire.FieldReceipt
			f.Receipt = []byte("r")
		}
		if s.next()%8 == 0 {
			f.Prev, f.Has = uint64(s.next()%80), f.Has|wire.FieldPrev
		}
		f.Code, f.Has = codes[s.next()%6], f.Has|wire.FieldCode
		f.Body = []byte{s.next()}
	}
	if f.Kind == wire.Establish || f.Kind == wire.EstablishOK || f.Kind == wire.EstablishFail {
		f.Has &^= wire.FieldSeq | wire.FieldReceipt | wire.FieldPrev
		f.Has |= wire.FieldLabel
		f.ObjKind, f.Seq, f.Prev, f.Receipt = wire.Stream, 0, 0, nil
	}
	raw, err := wire.Append(nil, &f)
	if err != nil {
		return s.data
	}
	if s.next() == 255 {
		raw = append(raw, s.next())
	}
	return raw
}

// FuzzReceive: no frame of a hostile peer makes an engine panic, answer an err with an err (SUBSTRATE-BOUNCE-002, the kit checks it), or hold
// more than its limits (SUBSTRATE-LIMIT-005); and memory stays what a restart would find (SUBSTRATE-STORE-008).
func FuzzReceive(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01\x01\x01\x01\x01"))
	f.Add([]byte{4, 0, 0, 1, 2, 1, 0, 0, 1, 6, 0, 0, 2, 3, 1, 0, 0, 1, 3, 0, 0, 5, 4, 1, 0, 0, 1})
	f.Add([]byte("\xd020220201000\xd020")) // an id that is given again once a guessed ack has removed its row
	f.Add([]byte("\x80frame that is none\xff\x08\x00\x00\x01\x00\x05"))
	for seed := range byte(40) {
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(i*i*int(seed+3) + i*7 + int(seed)*31)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for role := range 3 {
			hostileRun(t, &hostileScript{data}, role)
		}
	})
}

func hostileRun(t *testing.T, s *hostileScript, role int) {
	w := newWorld(t, func(_ string, c *Config) {
		c.Limits = Limits{Names: 16, Refusals: 4, Inbox: 8, Outbox: 8, Tombstones: 8, GapBytes: 64, PeerGapBytes: 96, Objects: 3, Chain: 4, Window: 16}
		c.Observe = observe.Bag{}
		switch role {
		case 1:
			c.Feeds = true
		case 2:
			c.Relay = &Relay{Remembers: store.Horizon}
		}
	})
	w.quiet = true
	w.checkReload = true
	w.b.metrics = nil
	w.b.reaction = func(Delivery) {}
	w.connect()
	for n := 0; len(s.data) > 0 && n < 200; n++ {
		switch c := s.next(); {
		case c < 200:
			raw := s.frame()
			w.b.receive(packet{w.link, raw})
		case c < 210:
			id := fmt.Sprint("id", s.next()%12)
			w.b.forgetGone(id)
			_, _ = w.b.eng.Enqueue(w.now, Op{Kind: []string{wire.Open, wire.Send, wire.Req, wire.Close}[c%4], Obj: "o", ID: id})
			w.b.commit()
			w.b.settled = map[string]Settle{}
		case c < 220 && len(w.b.held) > 0:
			w.b.finish(w.b.held[0])
		case c < 225:
			w.advance(time.Duration(s.next())*time.Second, false)
		case c < 230:
			w.connect()
		case c < 233:
			w.b.store.failAt = w.b.store.calls + 1 + int(s.next()%3)
		case c < 236 && len(w.b.stores) > 0:
			w.b.eng.Stored(w.now, w.b.stores[0].Token, 1, c%2 == 0, nil)
			w.b.stores = w.b.stores[1:]
			w.b.commit()
		case c == 255:
			w.b.receive(packet{w.link, s.data})
		}
		w.lose()
		w.b.bounded(t)
	}
}

// bounded checks that what an engine holds is within its limits.
func (s *side) bounded(t *testing.T) {
	t.Helper()
	e, l := s.eng, s.eng.limits
	if e.live > l.Objects || len(e.tombs.by) > l.Tombstones || e.gapBytes > l.PeerGapBytes || e.refusals > l.Refusals || e.gapBytes < 0 {
		t.Fatalf("%d live, %d tombstones, %d bytes ahead, %d refusals", e.live, len(e.tombs.by), e.gapBytes, e.refusals)
	}
	live, bytes := 0, 0
	for _, o := range e.objects {
		if alive(o.rec) {
			live++
		}
		bytes += o.seq.gapBytes
		if len(o.seq.gap) > l.Window || o.chain.waiting() > l.Chain {
			t.Fatalf("%s: %d ahead, %d in the chain", o.name, len(o.seq.gap), len(o.chain.ops))
		}
	}
	if live != e.live || bytes != e.gapBytes {
		t.Fatalf("%d live counted as %d, %d bytes ahead counted as %d", live, e.live, bytes, e.gapBytes)
	}
}
