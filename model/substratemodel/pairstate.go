package substratemodel

import "fmt"

// A phase is the state of the object at one side. SUBSTRATE-OBJ-001
type phase uint8

const (
	phaseIdle phase = iota
	phaseOpening
	phaseLive
	phaseRejected
	phaseClosed
)

func (p phase) String() string { return name(p, "idle", "opening", "live", "rejected", "closed") }

// A row is one operation or answer in an outbox.
type row struct {
	kind  Kind
	op    uint8 // as the checker knows it
	id    uint8
	seq   uint8
	code  Code
	inc   uint8 // the incarnation of the object that it belongs to
	saved bool  // it survives a crash
	sent  bool  // it was transmitted at least once; durable
	first uint8 // the mark of the first transmission
	// prev and receipt are those of the latest transmission; a crash of the owner forgets the receipt.
	prev, receipt uint8
}

// An arrival is committed and waits for the application.
type arrival struct {
	kind        Kind
	op, id, inc uint8
}

// noIncarnation is the incarnation of a reject: what it refuses never began.
const noIncarnation = 255

// An endpoint is one side. What is durable survives a crash; of the rest nothing does.
type endpoint struct {
	// Durable.
	rows       [maxRows]row
	queued     uint8 // rows in use
	last, pred uint8 // the seq assigned last, and that of the row freed last by an ack or an answer
	epoch      uint8
	ledger     [2]uint32 // committed ids, of operations and of answers
	inbox      [maxInbox]arrival
	waiting    uint8 // arrivals in use
	obj        phase
	opener     bool  // this side opened it
	opening    uint8 // the id of the open
	inc        uint8
	over       uint8 // the mark at which the object came to rejected or closed
	// Volatile.
	flight  uint8    // rows, from the head, that are under way on this connection
	resends uint8    // of the head on this connection
	copies  uint8    // of the head: how often it was sent on this connection without being refused since; only where outboxes have a cap
	calls   uint16   // operations whose callers wait
	called  [8]uint8 // the incarnations that they are about
	next    uint8    // the frontier; 0: unsynced
	built   uint8    // the epoch of the peer under which next holds
	gap     [maxGap]Frame
	came    [maxGap]uint8 // the marks at which they came
	gaps    uint8         // frames in use
	since   uint8         // the mark from which on the gap ages
	asked   uint8         // resyncs sent for the gap
	askedAt uint8         // the mark of the latest of them
	heard   uint8         // the mark after that of the latest resync that was honoured; 0: none
	owed    uint16        // ids of rows that were purged while they were in flight on this connection, and whose reply is still to come; only where an id may come again
	tombs   uint16
	here    uint16 // tombstones whose error was sent on this connection
	codes   [16]Code
	busy    bool // the handler of the first arrival runs
	// Of the environment.
	life uint8 // of the process, from 1
}

// A channel holds the frames under way to one side, oldest first.
type channel struct {
	frames [maxWire]Frame
	n      uint8
}

// A record is what the checker remembers of one side. No transition looks at it.
type record struct {
	enqueued  uint8  // rows ever queued
	freed     uint16 // rows that an ack or an answer ended, by slot
	purged    uint16 // rows that an error, a death or the horizon ended
	lost      uint16 // rows that a volatile outbox lost
	futile    uint16 // operations that were reported futile
	unknown   uint16 // of these, the ones whose outcome is not known
	settled   uint16 // calls that came to an end
	handed    uint16 // operations given to the application
	excused   uint16 // operations whose handler a crash cut short
	committed uint16 // operations and answers ever committed
	bounced   uint16 // those that were answered by an error on this connection
	running   uint8  // the operation whose handler runs
	began     uint8  // the mark at which the first frame of the gap came
	left      uint8  // the mark after that at which the gap was left when an earlier one was filled; 0: there was none
	born      [16]uint8
}

// A PairState is one state of a Pair. It refers to what never changes, so that it costs nothing to pass around; two states are the same if their keys are.
type PairState struct{ *pairState }

type pairState struct {
	side   [2]endpoint
	wire   [2]channel    // by the side that they go to
	old    [2]oldChannel // of a superseded connection
	up     bool
	left   Budgets
	script uint8        // operations that A's application has asked for
	denied uint16       // operations that B's policy denies
	now    uint8        // the marks that have passed
	at     [2][16]uint8 // the marks at which things were committed, by slot
	// The third peer: whether it was told so on its connection, and whether its own operation is committed.
	foreignTold, foreignKept bool
	seen                     [2]record
}

// Init returns the state in which nothing has happened yet.
func (m *Pair) Init() PairState {
	s := &pairState{left: m.cfg.Budgets}
	for x := range s.side {
		s.side[x].life, s.side[x].epoch, s.side[x].built = 1, 1, 1
		if m.cfg.Live && !(m.cfg.Half && Side(x) == B) {
			s.side[x].obj, s.side[x].opener, s.side[x].inc = phaseLive, Side(x) == A, 1
		}
	}
	for _, op := range m.cfg.Denied {
		s.denied |= 1 << op
	}
	return PairState{s}
}

func (c *channel) put(f Frame) {
	if c.n == maxWire {
		panic(fmt.Sprintf("substratemodel: more than %d frames under way", maxWire))
	}
	c.frames[c.n] = f
	c.n++
}

func (c *channel) take(i uint8) Frame {
	f := c.frames[i]
	copy(c.frames[i:], c.frames[i+1:])
	c.n--
	c.frames[c.n] = Frame{}
	return f
}

func (c *channel) all() []Frame { return c.frames[:c.n] }

// An oldChannel holds what a connection that is superseded still brings.
type oldChannel struct {
	frames [maxOld]Frame
	n      uint8
}

func (c *oldChannel) take() Frame {
	f := c.frames[0]
	copy(c.frames[:], c.frames[1:])
	c.n--
	c.frames[c.n] = Frame{}
	return f
}

func (e *endpoint) outbox() []row { return e.rows[:e.queued] }

// find returns the place of the row of that id, of an answer or not, or -1.
func (e *endpoint) find(id uint8, answer bool) int {
	for i, r := range e.outbox() {
		if r.id == id && r.kind.Answer() == answer {
			return i
		}
	}
	return -1
}

// named returns the place of the row that a bounce is about, or -1: it was transmitted, and has that id. A bounce does not say whether it is about an operation or an answer.
func (e *endpoint) named(id uint8) int {
	for i, r := range e.outbox() {
		if r.id == id && r.sent {
			return i
		}
	}
	return -1
}

func (e *endpoint) knows(f Frame) bool {
	return e.ledger[class(f.Kind)]&(1<<f.ID) != 0
}

func class(k Kind) int {
	if k.Answer() {
		return 1
	}
	return 0
}

func (e *endpoint) live() bool { return e.obj == phaseLive }

func (e *endpoint) alive() bool { return e.obj == phaseOpening || e.obj == phaseLive }

// glares says that the side has opened the object and has no answer yet. SUBSTRATE-OBJ-006
func (e *endpoint) glares() bool { return e.obj == phaseOpening && e.opener }

// begin begins an incarnation. SUBSTRATE-OBJ-007: the seqs go on.
func (e *endpoint) begin(opener bool, id uint8) {
	e.obj, e.opener, e.opening, e.over = phaseOpening, opener, id, 0
	e.inc++
}

// incarnation is what a row belongs to that is queued now: none of an object that is not known.
func (e *endpoint) incarnation() uint8 {
	if e.obj == phaseIdle {
		return 0
	}
	return e.inc
}

// Settled says that the calls of that operation of the side came to an end.
func (s PairState) Settled(x Side, op uint8) bool { return s.seen[x].settled&(1<<op) != 0 }

// Handed says that the operation was given to the application of the side.
func (s PairState) Handed(x Side, op uint8) bool { return s.seen[x].handed&(1<<op) != 0 }

// Connected says that there is a connection that both sides hold for ready.
func (s PairState) Connected() bool { return s.up }

// Drained says that nothing waits: no rows, no arrivals, no calls, no frames.
func (s PairState) Drained() bool {
	for x := range s.side {
		e := &s.side[x]
		if e.queued > 0 || e.waiting > 0 || e.calls != 0 || s.wire[x].n > 0 || s.old[x].n > 0 {
			return false
		}
	}
	return true
}

func (s PairState) String() string {
	text := fmt.Sprintf("up %t", s.up)
	for x := range s.side {
		e := &s.side[x]
		text += fmt.Sprintf("; %v: %v outbox", Side(x), e.obj)
		for i, r := range e.outbox() {
			mark := ""
			if i < int(e.flight) {
				mark = "*"
			}
			text += fmt.Sprintf(" %s%v %d seq %d", mark, r.kind, r.id, r.seq)
		}
		text += fmt.Sprintf(", next %d", e.next)
		for _, f := range e.gap[:e.gaps] {
			text += fmt.Sprintf(", buffered %v", f)
		}
		for _, in := range e.inbox[:e.waiting] {
			text += fmt.Sprintf(", arrived %v %d", in.kind, in.id)
		}
		for _, f := range s.wire[x].all() {
			text += fmt.Sprintf(", coming (%v)", f)
		}
	}
	return text
}
