package fuzz

import (
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

// A packet is a message under way, on a connection.
type packet struct {
	conn string
	raw  []byte
}

// A pairRig is two engines, the network between them and the clock of each, which take the actions of the machine of a pair. Where the machine's A does what no engine would, which
// is to send before it has an ack, the rig has one engine and says what the machine's A says.
type pairRig struct {
	cfg    substratemodel.PairConfig
	side   [2]*pairSide
	third  *thirdPeers
	wire   [2][]packet // by the side that they go to
	old    [2][]packet // of a superseded connection
	link   string      // empty: none
	before string      // the connection that is being superseded
	conns  int
	script int
	asked  int // by the application of B
	denied uint16
	marks  int
	epoch  byte                   // of the outbox of a spoken A
	spoken []substratemodel.Frame // what the machine's A says in this step
	seen   *pairSeen
	again  bool // the network delivers what it delivers twice
}

// newPairRig returns two engines that have what the machine has at its beginning.
func newPairRig(cfg substratemodel.PairConfig) *pairRig {
	r := &pairRig{cfg: cfg, seen: new(pairSeen), epoch: 1}
	for _, op := range cfg.Denied {
		r.denied |= 1 << op
	}
	for x, names := range [2][2]string{{"a", "b"}, {"b", "a"}} {
		s := &pairSide{rig: r, x: substratemodel.Side(x), now: pairEpoch, tokens: newTokens(), cut: map[string]bool{}}
		r.side[x] = s
		s.store = &pairStore{Store: store.NewMemory(), side: s}
		s.cfg = engine.Config{
			Local: names[0], Remote: names[1], Store: s.store, Authorize: engine.AllowAll, Rand: octets{rand.NewPCG(uint64(x), 5)},
			Observe: observe.Bag{Metrics: s}, Limits: engine.Limits{Window: int(cfg.Window), Outbox: int(cfg.Outbox)},
		}
		if s.x == substratemodel.B {
			s.cfg.Authorize, s.cfg.Limits.Inbox = r.policy, int(cfg.Inbox)
		}
		if cfg.Live && !(cfg.Half && s.x == substratemodel.B) {
			s.keep(&store.Batch{Objects: []store.Object{{
				Obj: pairObject, Kind: wire.Session, State: "live", Opener: "a", OpenID: pairIDs[0], Incarnation: 1, Participants: []string{"a", "b"},
			}}})
		}
		if s.x == substratemodel.A && cfg.Pipeline {
			for receipt := range uint8(128) {
				s.tokens.known[fmt.Sprintf("receipt-%d", receipt)] = receipt
			}
			s.life = 1
			continue
		}
		s.start()
	}
	r.third = newThirdPeers(r)
	return r
}

// keep writes a batch into the store of a side that no engine uses yet.
func (s *pairSide) keep(b *store.Batch) {
	b.Durable = true
	if _, err := s.store.Load(s.cfg.Remote); err != nil {
		panic(err)
	}
	if err := s.store.Store.Apply(s.cfg.Remote, b); err != nil {
		panic(err)
	}
}

// policy is that of B. SUBSTRATE-AUTHZ-008: answers are allowed.
func (r *pairRig) policy(c *engine.OpContext) engine.Denial {
	answer := kindNamed(c.Verb).Answer()
	if id := numberOf(c.ID); !answer && id < 16 && r.denied&(1<<id) != 0 {
		return engine.Deny(wire.Unauthorized)
	}
	return engine.Denial{}
}

// Do takes an action and returns what came of it.
func (r *pairRig) Do(a substratemodel.PairAction) *pairSeen {
	r.seen = new(pairSeen)
	s := r.side[a.Side]
	switch a.Op {
	case substratemodel.OpEnqueue, substratemodel.OpEnqueueFails:
		r.enqueue(s, a.Op == substratemodel.OpEnqueueFails)
	case substratemodel.OpAppOpen:
		s.ask(substratemodel.KindOpen, r.idOf(substratemodel.OpOpenB))
	case substratemodel.OpAppClose:
		s.ask(substratemodel.KindClose, r.idOf(substratemodel.OpCloseB))
	case substratemodel.OpAppAsk:
		s.ask(substratemodel.KindReq, substratemodel.OpOpenB+uint8(r.asked))
		r.asked++
	case substratemodel.OpTransmit, substratemodel.OpResend, substratemodel.OpSpurious, substratemodel.OpEscalate:
		r.timer(s, a.Op)
	case substratemodel.OpHandover:
		s.hand()
	case substratemodel.OpHandled:
		s.finish()
	case substratemodel.OpFlip:
		r.denied ^= 1 << 1
	case substratemodel.OpExpire:
		r.pass(store.Horizon + time.Hour)
	case substratemodel.OpTick:
		r.marks++
		r.tick(pairEpoch.Add(time.Duration(r.cfg.Marks[r.marks-1]) * time.Millisecond))
	case substratemodel.OpForeign:
		r.third.say(a.N)
	case substratemodel.OpStaleAck:
		r.forge(int(a.N))
	case substratemodel.OpCrash:
		r.crash(s)
	case substratemodel.OpConnect, substratemodel.OpTakeover, substratemodel.OpDisconnect:
		r.connection(a.Op)
	default:
		r.network(s, a.Op)
	}
	r.speak()
	if r.seen.Side[0].Ended != 0 || r.seen.Side[1].Ended != 0 {
		r.hangUp()
	}
	return r.seen
}

func (r *pairRig) idOf(op uint8) uint8 {
	if r.cfg.SameID && op >= substratemodel.OpOpenB {
		return 1
	}
	return op
}

// speak says what the machine's A says, where that is not an engine. What it hears and does besides is its own.
func (r *pairRig) speak() {
	for _, f := range r.spoken {
		w := toWire(f)
		raw, err := wire.Append(nil, &w)
		if err != nil {
			panic(err)
		}
		r.wire[substratemodel.B] = append(r.wire[substratemodel.B], packet{r.link, raw})
	}
	r.spoken = nil
}

// enqueue is a call of A's application.
func (r *pairRig) enqueue(s *pairSide, fails bool) {
	kind, id := r.cfg.Script[r.script], uint8(r.script+1)
	if !fails {
		r.script++
	}
	if s.eng == nil {
		return
	}
	s.store.fail = fails
	s.ask(kind, id)
	s.store.fail = false
}

// timer lets the timer of a head run out.
func (r *pairRig) timer(s *pairSide, op substratemodel.PairOp) {
	if s.eng != nil {
		s.wait()
	} else if op == substratemodel.OpEscalate {
		r.hangUp()
	}
}

// network lets a packet arrive, or not.
func (r *pairRig) network(s *pairSide, op substratemodel.PairOp) {
	queue, at := &r.wire[s.x], 0
	switch op {
	case substratemodel.OpReorder:
		at = 1
	case substratemodel.OpDeliverOld:
		queue = &r.old[s.x]
	}
	if len(*queue) <= at {
		s.fault("nothing is under way")
		return
	}
	p := (*queue)[at]
	if op != substratemodel.OpDuplicate {
		*queue = slices.Delete(slices.Clone(*queue), at, at+1)
	}
	if op == substratemodel.OpDrop || s.eng == nil {
		return
	}
	if s.store.fail = op == substratemodel.OpDeliverFails; s.store.fail {
		s.store.lied = false
	}
	if s.receive(p); r.again {
		s.receive(p)
	}
	if s.store.fail && !s.store.lied {
		s.fault("nothing was written")
	}
	s.store.fail = false
}

// connection makes a connection, or ends one.
func (r *pairRig) connection(op substratemodel.PairOp) {
	if op == substratemodel.OpDisconnect {
		r.hangUp()
		return
	}
	r.conns++
	r.before, r.link = r.link, fmt.Sprintf("conn-%d", r.conns)
	for x := range r.wire {
		// Of a connection that is superseded the last that was under way may still come.
		r.old[x] = nil
		if over := r.wire[x]; op == substratemodel.OpTakeover {
			r.old[x] = over[max(0, len(over)-2):]
		}
		r.wire[x] = nil
	}
	for _, s := range r.side {
		if s.eng == nil {
			continue
		}
		s.superseded = false
		s.eng.Connected(s.now, engine.Conn{ID: r.link, Epoch: r.side[s.x.Peer()].epoch()})
		s.commit()
		// SUBSTRATE-RECONNECT-004
		if s.superseded != (op == substratemodel.OpTakeover) {
			s.fault("the connection before is superseded: %t", s.superseded)
		}
	}
	r.before = ""
}

func (s *pairSide) epoch() [8]byte {
	if s.eng == nil {
		return [8]byte{s.rig.epoch}
	}
	return s.eng.Epoch()
}

// hangUp ends the connection with all that is under way.
func (r *pairRig) hangUp() {
	link := r.link
	r.link, r.wire, r.old = "", [2][]packet{}, [2][]packet{}
	for _, s := range r.side {
		if s.eng != nil && link != "" {
			s.eng.Disconnected(s.now, link)
			s.commit()
		}
	}
}

// crash ends the process of a side, and begins another.
func (r *pairRig) crash(s *pairSide) {
	r.hangUp()
	if s.eng == nil {
		if s.life++; r.cfg.Volatile {
			r.epoch++
		}
		return
	}
	if s.busy {
		s.cut[s.given.Kind+s.given.ID] = true
	}
	if s.x == substratemodel.A && r.cfg.Volatile {
		s.loseOutbox()
	}
	s.start()
}

// loseOutbox moves what is kept to another store, but for the outbox: it gets another epoch. SUBSTRATE-SEQ-011
func (s *pairSide) loseOutbox() {
	was, err := s.store.Load(s.cfg.Remote)
	if err != nil {
		panic(err)
	}
	s.store.Store = store.NewMemory()
	// Of entries that follow each other under one id the last is the one that is known.
	entries := slices.Clone(s.store.kept)
	slices.Reverse(entries)
	s.keep(&store.Batch{Objects: was.Objects, Entries: entries, Inbound: was.Inbound})
}

// pass lets time pass on both sides.
func (r *pairRig) pass(d time.Duration) {
	for _, s := range r.side {
		if s.eng != nil {
			s.now = s.now.Add(d)
			s.eng.Tick(s.now)
			s.commit()
		}
	}
}

// tick moves both clocks to a time.
func (r *pairRig) tick(at time.Time) {
	for _, s := range r.side {
		if s.eng != nil {
			s.now = at
			s.eng.Tick(s.now)
			s.commit()
			// An engine looks at the clock when it is told something: a call that it refuses, say.
			if _, err := s.eng.Send(s.now, "", nil); err == nil {
				s.fault("an address that is none is taken")
			}
		}
	}
}

// forge puts an ack under way to A that nobody has sent, for the nth row of its outbox.
func (r *pairRig) forge(n int) {
	a := r.side[substratemodel.A]
	if a.eng == nil {
		return
	}
	rows := a.snapshot().Rows
	if n >= len(rows) {
		a.fault("there is no row %d", n)
		return
	}
	f := wire.Frame{
		V: wire.Version, Kind: wire.Ack, Obj: pairObject, ObjKind: wire.Session, ID: rows[n].ID, Receipt: fmt.Appendf(nil, "nobody's of %d", n),
		Has: wire.FieldV | wire.FieldKind | wire.FieldObj | wire.FieldObjKind | wire.FieldID | wire.FieldReceipt,
	}
	raw, err := wire.Append(nil, &f)
	if err != nil {
		panic(err)
	}
	r.wire[substratemodel.A] = append(r.wire[substratemodel.A], packet{r.link, raw})
}
