package substratemodel

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

const (
	maxRelayOps = 4
	maxRelayBox = 8
)

// A RelayConfig is a scope of a Relay. Its zero value has no operations.
type RelayConfig struct {
	// Ops is how many operations the browser sends for one object, Flight how many it has under way at once; 0: one.
	Ops, Flight uint8
	// How often a store call fails, a connection ends, and a resend comes too early.
	StoreFail, Disconnect, Spurious uint8
}

// Validate reports the first field that is out of range.
func (c RelayConfig) Validate() error {
	for _, f := range []struct {
		name     string
		n, limit uint8
	}{{"Ops", c.Ops, maxRelayOps}, {"Flight", c.Flight, 2}, {"StoreFail", c.StoreFail, 3}, {"Disconnect", c.Disconnect, 3}, {"Spurious", c.Spurious, 2}} {
		if f.n > f.limit {
			return fmt.Errorf("substratemodel: relay config: %s is %d, want at most %d", f.name, f.n, f.limit)
		}
	}
	return nil
}

// A Relay is the machine of an edge that has nothing of its own, between a browser and a store: a model.Lively over [RelayState], [RelayAction] and [RelayOutcome].
// Each connection is to another edge.
type Relay struct {
	cfg     RelayConfig
	bug     relayBug
	actions []RelayAction
}

// NewRelay returns the machine for cfg, or the error of cfg.Validate.
func NewRelay(cfg RelayConfig) (*Relay, error) { return newRelay(cfg, 0) }

func newRelay(cfg RelayConfig, bug relayBug) (*Relay, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg.Flight = max(cfg.Flight, 1)
	m := &Relay{cfg: cfg, bug: bug}
	for op := range relayOps {
		m.actions = append(m.actions, RelayAction{Op: op})
	}
	return m, nil
}

// RelayScopes returns the scopes of a Relay.
func RelayScopes() []model.Scope[RelayConfig] {
	return []model.Scope[RelayConfig]{
		{Name: "R1", Config: RelayConfig{Ops: 3, Flight: 1, StoreFail: 2, Disconnect: 2, Spurious: 1}},
		{Name: "R2", Config: RelayConfig{Ops: 3, Flight: 2, StoreFail: 2, Disconnect: 2, Spurious: 1}},
	}
}

// A relayBug is a fault that a test seeds into the machine.
type relayBug uint8

const (
	noRelayBug       relayBug = iota
	bugAcksOnCall             // 36: the ack does not wait for the store
	bugGoesOn                 // 36: after a failure the chain goes on
	bugNoRollback             // 36: after a failure the frontier stays
	bugAcksByMemory           // 36: what is below the frontier is acked without the store
	bugRollsToReplay          // 36: the failure of a replay lowers the frontier
	bugStoresTwice            // the sink keeps a replay as well
	bugTwoCalls               // two calls of the store for one object at once
	bugAcksFailure            // a store that fails is acked
	relayBugCount
)

// A RelayOp is what is done in one action.
type RelayOp uint8

// The actions. Those up to RelayEscalate are fair.
const (
	// RelayConnect makes a connection to an edge that knows nothing.
	RelayConnect RelayOp = iota
	// RelaySend puts the next operation of the browser on the wire, RelayArrive brings the first that is under way to the edge, and RelayAck the first ack to the browser.
	RelaySend
	RelayArrive
	RelayAck
	// RelayStored is a store call that succeeds.
	RelayStored
	// RelayResend is the timer of the browser when nothing is under way, and RelayEscalate the same when it has run out.
	RelayResend
	RelayEscalate
	// RelayFails is a store call that fails without effect, and RelayLate one that is given up and succeeds after all.
	RelayFails
	RelayLate
	// RelayDrop ends the connection; a call that is pending has no effect. After RelayDropLate it has one.
	RelayDrop
	RelayDropLate
	// RelaySpurious is a resend that comes too early.
	RelaySpurious
	// RelaySecond is a call behind the first that succeeds before it: no edge makes one.
	RelaySecond
	relayOps
)

func (op RelayOp) String() string {
	return name(op, "connect", "send", "arrive", "ack", "stored", "resend", "escalate", "store fails", "store succeeds late", "disconnect", "disconnect, store succeeds late",
		"spurious resend", "second call stored")
}

// A RelayAction is one action.
type RelayAction struct{ Op RelayOp }

func (a RelayAction) String() string { return a.Op.String() }

// Fair says that the action is taken sooner or later while it stays possible.
func (a RelayAction) Fair() bool { return a.Op <= RelayEscalate }

// A RelayOutcome is what came of an action: each field is a seq, or 0.
type RelayOutcome struct {
	Sent   uint8 // by the browser
	Called uint8 // a store call began
	Stored uint8 // it is in the sink, whether it was there before or not
	Acked  uint8 // by the edge
	Freed  uint8 // its row at the browser
	Ended  bool  // the browser gave the connection up
}

// A relayBox is a list of seqs, oldest first.
type relayBox struct {
	seqs [maxRelayBox]uint8
	n    uint8
}

func (b *relayBox) put(seq uint8) {
	if b.n == maxRelayBox {
		panic("substratemodel: relay: a list with more seqs than there is room for")
	}
	b.seqs[b.n] = seq
	b.n++
}

func (b *relayBox) take(i uint8) uint8 {
	seq := b.seqs[i]
	copy(b.seqs[i:], b.seqs[i+1:])
	b.n--
	b.seqs[b.n] = 0
	return seq
}

func (b *relayBox) all() []uint8 { return b.seqs[:b.n] }

// A RelayState is one state of a Relay. It is a plain value.
type RelayState struct {
	// The browser: rows are those from head to the last operation.
	head, flight, resends uint8
	// The edge: what is lost with the connection. stored is the highest seq stored on it.
	up           bool
	next, stored uint8
	chain, gap   relayBox
	// The wire.
	in, acks relayBox
	// The sink.
	sink relayBox
	// What is left.
	fails, drops, early uint8
}

func (s RelayState) String() string {
	return fmt.Sprintf("up %t; head %d, %d in flight; coming %d, acks %d; next %d, stored %d, chain %d, aside %d; sink %d",
		s.up, s.head, s.flight, s.in.all(), s.acks.all(), s.next, s.stored, s.chain.all(), s.gap.all(), s.sink.all())
}

// Init returns the state in which nothing has happened yet.
func (m *Relay) Init() RelayState {
	return RelayState{head: 1, fails: m.cfg.StoreFail, drops: m.cfg.Disconnect, early: m.cfg.Spurious}
}

// Actions yields every action.
func (m *Relay) Actions(RelayState) iter.Seq[RelayAction] { return slices.Values(m.actions) }

// Step yields what a comes to, or nothing if it is impossible.
func (m *Relay) Step(s RelayState, a RelayAction) iter.Seq2[RelayState, RelayOutcome] {
	return func(yield func(RelayState, RelayOutcome) bool) {
		if next, o, ok := m.take(s, a.Op); ok {
			yield(next, o)
		}
	}
}

// AppendKey appends the canonical key of s.
func (m *Relay) AppendKey(dst []byte, s RelayState) []byte {
	dst = append(dst, s.head, s.flight, s.resends, flags(s.up), s.next, s.stored, s.fails, s.drops, s.early)
	for _, b := range []*relayBox{&s.chain, &s.gap, &s.in, &s.acks, &s.sink} {
		dst = append(append(dst, b.n), b.all()...)
	}
	return dst
}

func (m *Relay) take(s RelayState, op RelayOp) (RelayState, RelayOutcome, bool) {
	var o RelayOutcome
	fails, pending := s.fails > 0 && s.chain.n > 0, s.chain.n > 0
	switch {
	case op == RelayConnect && !s.up:
		s.up = true
	case op == RelaySend && s.up && s.flight < m.cfg.Flight && s.head+s.flight <= m.cfg.Ops:
		o.Sent = s.head + s.flight
		s.in.put(o.Sent)
		s.flight++
	case op == RelayArrive && s.in.n > 0:
		m.arrive(&s, s.in.take(0), &o)
	case op == RelayAck && s.acks.n > 0:
		// SUBSTRATE-ACK-004, with one row for each seq: an ack of what is not in flight has no effect.
		if seq := s.acks.take(0); seq == s.head && s.flight > 0 {
			o.Freed = seq
			s.head++
			s.flight--
			s.resends = 0
		}
	case op == RelayStored && pending:
		m.stored(&s, 0, &o)
	case op == RelaySecond && m.bug == bugTwoCalls && s.chain.n > 1:
		m.stored(&s, 1, &o)
	case op == RelayFails && fails, op == RelayLate && fails:
		s.fails--
		m.failed(&s, op == RelayLate, &o)
	case op == RelayResend && s.quiet() && s.resends < escalateAfter:
		s.resends++
		o.Sent = s.head
		s.in.put(s.head)
	case op == RelaySpurious && s.up && s.flight > 0 && s.early > 0:
		s.early--
		o.Sent = s.head
		s.in.put(s.head)
	case op == RelayEscalate && s.quiet() && s.resends >= escalateAfter:
		o.Ended = true
		s.disconnect()
	case op == RelayDrop && s.up && s.drops > 0:
		s.drops--
		s.disconnect()
	case op == RelayDropLate && s.up && s.drops > 0 && pending:
		s.drops--
		m.keep(&s, s.chain.seqs[0], &o)
		s.disconnect()
	default:
		return s, o, false
	}
	return s, o, true
}

// quiet says that the head is in flight, and neither it nor its ack is under way or in the chain.
func (s *RelayState) quiet() bool {
	return s.up && s.flight > 0 && !slices.Contains(s.in.all(), s.head) && !slices.Contains(s.acks.all(), s.head) && !slices.Contains(s.chain.all(), s.head)
}

// disconnect ends the connection: the edge and what is under way are gone. SUBSTRATE-RELAY-001
func (s *RelayState) disconnect() {
	s.up, s.flight, s.resends, s.next, s.stored = false, 0, 0, 0, 0
	s.chain, s.gap, s.in, s.acks = relayBox{}, relayBox{}, relayBox{}, relayBox{}
}

// arrive puts what is next on the chain, and what is ahead aside. SUBSTRATE-RELAY-001: an edge without a frontier takes the first for its own. SUBSTRATE-RELAY-006: what is
// below goes through the chain as well.
func (m *Relay) arrive(s *RelayState, seq uint8, o *RelayOutcome) {
	switch {
	case s.next == 0 || seq == s.next:
		s.next = seq + 1
		m.enchain(s, seq, o)
		for i := 0; i < int(s.gap.n); {
			if s.gap.seqs[i] != s.next {
				i++
				continue
			}
			s.next++
			m.enchain(s, s.gap.take(uint8(i)), o)
			i = 0
		}
	case seq < s.next && m.bug == bugAcksByMemory:
		m.ack(s, seq, o)
	case seq < s.next:
		m.enchain(s, seq, o)
	case !slices.Contains(s.gap.all(), seq):
		s.gap.put(seq)
	}
}

func (m *Relay) enchain(s *RelayState, seq uint8, o *RelayOutcome) {
	s.chain.put(seq)
	if s.chain.n == 1 {
		o.Called = seq
	}
	if m.bug == bugAcksOnCall {
		m.ack(s, seq, o)
	}
}

func (m *Relay) ack(s *RelayState, seq uint8, o *RelayOutcome) {
	s.acks.put(seq)
	o.Acked = seq
}

// keep puts an operation into the sink, unless it is there. SUBSTRATE-RELAY-006
func (m *Relay) keep(s *RelayState, seq uint8, o *RelayOutcome) {
	o.Stored = seq
	if !slices.Contains(s.sink.all(), seq) || m.bug == bugStoresTwice {
		s.sink.put(seq)
	}
}

// stored is a call that succeeded. SUBSTRATE-RELAY-002, SUBSTRATE-RELAY-003
func (m *Relay) stored(s *RelayState, i uint8, o *RelayOutcome) {
	seq := s.chain.take(i)
	m.keep(s, seq, o)
	s.stored = max(s.stored, seq)
	if m.bug != bugAcksOnCall {
		m.ack(s, seq, o)
	}
	if s.chain.n > 0 {
		o.Called = s.chain.seqs[0]
	}
}

// failed is a call that failed, or was given up and has an effect that nobody hears of (SUBSTRATE-RELAY-008). SUBSTRATE-RELAY-004, SUBSTRATE-RELAY-005
func (m *Relay) failed(s *RelayState, late bool, o *RelayOutcome) {
	seq := s.chain.take(0)
	if late {
		m.keep(s, seq, o)
	}
	switch m.bug {
	case bugAcksFailure:
		m.ack(s, seq, o)
	case bugGoesOn:
		return
	case bugNoRollback:
		s.chain, s.gap = relayBox{}, relayBox{}
		return
	}
	s.chain, s.gap = relayBox{}, relayBox{}
	s.next = seq
	if s.stored > 0 && m.bug != bugRollsToReplay {
		s.next = s.stored + 1
	}
}

// Liveness says that every operation is stored and acked in the end. SUBSTRATE-RECONNECT-001
func (m *Relay) Liveness() model.Liveness[RelayState, RelayAction] {
	return model.Liveness[RelayState, RelayAction]{
		Law: "SUBSTRATE-RECONNECT-001", Title: "every operation is stored and acked",
		Fair: RelayAction.Fair,
		Goal: func(s RelayState) bool {
			return s.head > m.cfg.Ops && s.sink.n >= m.cfg.Ops && s.chain.n == 0 && s.in.n == 0 && s.acks.n == 0
		},
		Strict: true,
	}
}
