package substratemodel

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

const (
	maxJournalOps    = 4
	maxJournalHalves = 3
	// What is under way at most: each operation, and each again for every half.
	maxJournalRows = maxJournalOps + maxJournalHalves
)

// A JournalConfig is a scope of a Journal. Its zero value has no operations.
type JournalConfig struct {
	// Ops is how many operations the application sends, one call after another.
	Ops uint8
	// How often a write fails, the page is loaded again, and half the time passes for which a row is sent again.
	WriteFail, Reload, Halves uint8
}

// Validate reports the first field that is out of range.
func (c JournalConfig) Validate() error {
	for _, f := range []struct {
		name     string
		n, limit uint8
	}{{"Ops", c.Ops, maxJournalOps}, {"WriteFail", c.WriteFail, 3}, {"Reload", c.Reload, 3}, {"Halves", c.Halves, maxJournalHalves}} {
		if f.n > f.limit {
			return fmt.Errorf("substratemodel: journal config: %s is %d, want at most %d", f.name, f.n, f.limit)
		}
	}
	return nil
}

// A Journal is the machine of an outbox whose writes take time, in a page that is loaded again, with the receiver behind it: a model.Lively over [JournalState],
// [JournalAction] and [JournalOutcome].
type Journal struct {
	cfg     JournalConfig
	bug     journalBug
	actions []JournalAction
}

// NewJournal returns the machine for cfg, or the error of cfg.Validate.
func NewJournal(cfg JournalConfig) (*Journal, error) { return newJournal(cfg, 0) }

func newJournal(cfg JournalConfig, bug journalBug) (*Journal, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := &Journal{cfg: cfg, bug: bug}
	for op := range journalOps {
		m.actions = append(m.actions, JournalAction{op})
	}
	return m, nil
}

// JournalScopes returns the scopes of a Journal.
func JournalScopes() []model.Scope[JournalConfig] {
	return []model.Scope[JournalConfig]{
		{Name: "J1", Config: JournalConfig{Ops: 3, WriteFail: 1, Reload: 2}},
		{Name: "J2", Config: JournalConfig{Ops: 2, Reload: 1, Halves: 3}},
	}
}

// A journalBug is a fault that a test seeds into the machine.
type journalBug uint8

const (
	noJournalBug       journalBug = iota
	bugPutIsDurable               // 38: a put that succeeded counts as durable
	bugWriteBurns                 // 38: a write that failed has taken a seq
	bugFailsSilently              // a write that failed is not told
	bugDeletesEarly               // a row is deleted when it is sent
	bugRestoresLast               // what is restored comes behind what is new
	bugRestoresNothing            // a reload forgets the rows
	bugExpiresFresh               // the time of a row begins anew with each page
	bugSendsExpired               // a row is sent again however old it is
	journalBugCount
)

// A JournalOp is what is done in one action.
type JournalOp uint8

// The actions. Those up to JournalAck are fair.
const (
	// JournalSend is a call of the application, which begins a write once the one before is done and what was left is restored. JournalPut is the success of its put, and
	// JournalComplete that of its transaction.
	JournalSend JournalOp = iota
	JournalPut
	JournalComplete
	// JournalRestore reads the rows after a reload.
	JournalRestore
	// JournalTransmit puts the head on the wire, JournalArrive brings the first frame to the receiver, and JournalAck the first ack to the page.
	JournalTransmit
	JournalArrive
	JournalAck
	// JournalDelete is the completion of the first delete that is under way. It is fair as well.
	JournalDelete
	// JournalAbort ends the write without effect, whatever its put came to.
	JournalAbort
	// JournalReload ends the page and its connection, and loads it again. JournalReloadWritten does so when the write was complete, and nobody has heard of it.
	JournalReload
	JournalReloadWritten
	// JournalHalf lets half the time pass after which a row that was sent is given up. What is in flight is sent again by then.
	JournalHalf
	journalOps
)

func (op JournalOp) String() string {
	return name(op, "send", "put", "complete", "restore", "transmit", "arrive", "ack", "delete", "abort", "reload", "reload, written", "half")
}

// A JournalAction is one action.
type JournalAction struct{ Op JournalOp }

func (a JournalAction) String() string { return a.Op.String() }

// Fair says that the action is taken sooner or later while it stays possible.
func (a JournalAction) Fair() bool { return a.Op <= JournalDelete }

// A JournalOutcome is what came of an action.
type JournalOutcome struct {
	// Op and Seq are what it is about.
	Op, Seq uint8
	// Rejected says that the call failed, Sent that a frame is on the wire, Handed that the operation was given to the application of the receiver, and Known that the
	// receiver had it already.
	Rejected, Sent, Handed, Known bool
	// Expired are the operations that are given up, a bit for each.
	Expired uint8
}

// A journalRow is an operation with its seq.
type journalRow struct{ op, seq uint8 }

type journalRows struct {
	rows [maxJournalRows]journalRow
	n    uint8
}

func (b *journalRows) put(r journalRow) {
	if b.n == maxJournalRows {
		panic("substratemodel: journal: a list with more rows than there is room for")
	}
	b.rows[b.n] = r
	b.n++
}

func (b *journalRows) take(i uint8) journalRow {
	r := b.rows[i]
	copy(b.rows[i:], b.rows[i+1:])
	b.n--
	b.rows[b.n] = journalRow{}
	return r
}

func (b *journalRows) all() []journalRow { return b.rows[:b.n] }

// The stages of a write.
const (
	writeNone uint8 = iota
	writeBegun
	writePut
)

// A JournalState is one state of a Journal. It is a plain value.
type JournalState struct {
	// Durable: the rows, the seq assigned last, and when each operation was sent for the first time: after so many halves, plus one; 0: never.
	disk journalRows
	last uint8
	sent [maxJournalOps + 1]uint8
	// The page: the operations asked for, the one being written and its stage, the rows, whether what was left is restored, whether the head is in flight, and the
	// rows whose deletes are under way.
	asked, writing, stage uint8
	rows                  journalRows
	restored, flight      bool
	deletes               journalRows
	// The wire: the frames and the acks under way.
	frames, acks journalRows
	// The receiver: what it has committed, and in which order.
	taken journalRows
	// How many halves have passed.
	halves uint8
	// What is left.
	fails, reloads uint8
	// What the checker remembers: operations whose transaction is complete, those that were rejected, those that were lost with a page before they were durable, and those that
	// were given up.
	complete, rejected, lost, expired uint8
}

func (s JournalState) String() string {
	return fmt.Sprintf("disk %d, last %d, sent %d; %d halves; asked %d, writing %d at stage %d; restored %t, rows %d, in flight %t, deletes %d; frames %d, acks %d; taken %d",
		s.disk.all(), s.last, s.sent, s.halves, s.asked, s.writing, s.stage, s.restored, s.rows.all(), s.flight, s.deletes.all(), s.frames.all(), s.acks.all(), s.taken.all())
}

// Init returns the state in which nothing has happened yet.
func (m *Journal) Init() JournalState {
	return JournalState{restored: true, fails: m.cfg.WriteFail, reloads: m.cfg.Reload}
}

// Actions yields every action.
func (m *Journal) Actions(JournalState) iter.Seq[JournalAction] { return slices.Values(m.actions) }

// Step yields what a comes to, or nothing if it is impossible.
func (m *Journal) Step(s JournalState, a JournalAction) iter.Seq2[JournalState, JournalOutcome] {
	return func(yield func(JournalState, JournalOutcome) bool) {
		if next, o, ok := m.take(s, a.Op); ok {
			yield(next, o)
		}
	}
}

// AppendKey appends the canonical key of s.
func (m *Journal) AppendKey(dst []byte, s JournalState) []byte {
	dst = append(dst, s.last, s.asked, s.writing, s.stage, flags(s.restored, s.flight), s.fails, s.reloads, s.halves, s.complete, s.rejected, s.lost, s.expired)
	dst = append(dst, s.sent[:]...)
	for _, b := range []*journalRows{&s.disk, &s.rows, &s.deletes, &s.frames, &s.acks, &s.taken} {
		dst = append(dst, b.n)
		for _, r := range b.all() {
			dst = append(dst, r.op, r.seq)
		}
	}
	return dst
}

func (m *Journal) take(s JournalState, op JournalOp) (JournalState, JournalOutcome, bool) {
	var o JournalOutcome
	ready := s.restored || m.bug == bugRestoresLast
	switch {
	case op == JournalSend && s.stage == writeNone && s.asked < m.cfg.Ops && ready:
		// SUBSTRATE-JOURNAL-004: writes are serial.
		s.asked++
		s.writing, s.stage = s.asked, writeBegun
		o.Op = s.writing
	case op == JournalPut && s.stage == writeBegun:
		s.stage = writePut
		if m.bug == bugPutIsDurable {
			s.rows.put(journalRow{s.writing, s.last + 1})
		}
		o.Op = s.writing
	case op == JournalComplete && s.stage == writePut:
		m.complete(&s, &o)
	case op == JournalRestore && !s.restored:
		m.restore(&s)
		m.expire(&s, &o)
	case op == JournalTransmit && s.rows.n > 0 && !s.flight && ready:
		m.transmit(&s, &o)
	case op == JournalArrive && s.frames.n > 0:
		r := s.frames.take(0)
		o = JournalOutcome{Op: r.op, Seq: r.seq, Known: slices.Contains(s.taken.all(), r)}
		if o.Handed = !o.Known; o.Handed {
			s.taken.put(r)
		}
		s.acks.put(r)
	case op == JournalAck && s.acks.n > 0:
		// SUBSTRATE-JOURNAL-005
		if r := s.acks.take(0); s.flight && s.rows.rows[0] == r {
			s.rows.take(0)
			s.flight = false
			s.deletes.put(r)
			o.Op, o.Seq = r.op, r.seq
		}
	case op == JournalDelete && s.deletes.n > 0:
		s.disk.remove(s.deletes.take(0).seq)
	case op == JournalAbort && s.stage != writeNone && s.fails > 0:
		s.fails--
		m.abort(&s, &o)
	case op == JournalReload && s.reloads > 0:
		s.reloads--
		m.reload(&s)
	case op == JournalReloadWritten && s.reloads > 0 && s.stage == writePut:
		s.reloads--
		m.reloadWritten(&s, &o)
	case op == JournalHalf && s.halves < m.cfg.Halves && s.stage == writeNone:
		if s.flight {
			m.transmit(&s, &o)
		}
		s.halves++
		m.expire(&s, &o)
	default:
		return s, o, false
	}
	return s, o, true
}

// transmit puts the head on the wire. SUBSTRATE-OUTBOX-008: when that was for the first time is kept.
func (m *Journal) transmit(s *JournalState, o *JournalOutcome) {
	r := s.rows.rows[0]
	s.flight = true
	s.frames.put(r)
	o.Op, o.Seq, o.Sent = r.op, r.seq, true
	if s.sent[r.op] == 0 || m.bug == bugExpiresFresh {
		s.sent[r.op] = s.halves + 1
	}
	if m.bug == bugDeletesEarly {
		s.disk.remove(r.seq)
	}
}

// expire gives a head up that was sent for the first time too long ago, for good, and the next. SUBSTRATE-OUTBOX-008
func (m *Journal) expire(s *JournalState, o *JournalOutcome) {
	for s.restored && s.rows.n > 0 && s.old(s.rows.rows[0].op) && m.bug != bugSendsExpired {
		r := s.rows.take(0)
		s.flight = false
		s.disk.remove(r.seq)
		s.expired |= 1 << r.op
		o.Expired |= 1 << r.op
	}
}

// old says that two halves have passed since an operation was sent for the first time.
func (s *JournalState) old(op uint8) bool { return s.sent[op] != 0 && s.halves >= s.sent[op]+1 }

func (b *journalRows) remove(seq uint8) {
	for i, r := range b.all() {
		if r.seq == seq {
			b.take(uint8(i))
			return
		}
	}
}

// complete makes a row of what was written. SUBSTRATE-JOURNAL-001, SUBSTRATE-JOURNAL-002: from now on it is durable, and may be sent. SUBSTRATE-OUTBOX-008: if it is the head, the
// time is written with it, for it counts as sent whatever becomes of the page.
func (m *Journal) complete(s *JournalState, o *JournalOutcome) {
	s.last++
	r := journalRow{s.writing, s.last}
	s.disk.put(r)
	if m.bug != bugPutIsDurable {
		s.rows.put(r)
	}
	if s.rows.rows[0] == r {
		s.sent[r.op] = s.halves + 1
	}
	s.complete |= 1 << s.writing
	s.writing, s.stage = 0, writeNone
	o.Op, o.Seq = r.op, r.seq
}

// abort ends a write that failed. SUBSTRATE-JOURNAL-003, SUBSTRATE-JOURNAL-004: the call is told, and nothing else is left of it.
func (m *Journal) abort(s *JournalState, o *JournalOutcome) {
	o.Op, o.Rejected = s.writing, m.bug != bugFailsSilently
	if o.Rejected {
		s.rejected |= 1 << s.writing
	}
	if m.bug == bugWriteBurns {
		s.last++
	}
	s.writing, s.stage = 0, writeNone
}

// reload forgets the page. What was being written is not there, and what was being deleted may still be.
func (m *Journal) reload(s *JournalState) {
	s.lost |= 1 << s.writing
	s.writing, s.stage = 0, writeNone
	s.rows, s.deletes, s.frames, s.acks = journalRows{}, journalRows{}, journalRows{}, journalRows{}
	s.flight, s.restored = false, false
	if m.bug == bugRestoresNothing {
		s.restored = true
	}
}

// reloadWritten forgets the page once all that it has written is complete.
func (m *Journal) reloadWritten(s *JournalState, o *JournalOutcome) {
	m.complete(s, o)
	for s.deletes.n > 0 {
		s.disk.remove(s.deletes.take(0).seq)
	}
	m.reload(s)
}

// restore reads the rows that are left, in the order of their seqs. SUBSTRATE-JOURNAL-006: before any new operation.
func (m *Journal) restore(s *JournalState) {
	fresh := s.rows
	s.rows = s.disk
	if m.bug == bugRestoresLast {
		s.rows = fresh
		for _, r := range s.disk.all() {
			if !slices.Contains(fresh.all(), r) {
				s.rows.put(r)
			}
		}
	}
	s.restored = true
}

// Liveness says that every operation that was not rejected or lost with its page is taken by the receiver, and leaves the journal. SUBSTRATE-JOURNAL-006
func (m *Journal) Liveness() model.Liveness[JournalState, JournalAction] {
	return model.Liveness[JournalState, JournalAction]{
		Law: "SUBSTRATE-JOURNAL-006", Title: "what is journaled is resent until it is taken, and then deleted",
		Fair: JournalAction.Fair,
		Goal: func(s JournalState) bool {
			taken := uint8(0)
			for _, r := range s.taken.all() {
				taken |= 1 << r.op
			}
			return s.asked == m.cfg.Ops && s.stage == writeNone && s.disk.n == 0 && s.rows.n == 0 && s.complete&^(taken|s.expired) == 0
		},
		Strict: true,
	}
}

// A JournalRow is an operation with its seq.
type JournalRow struct{ Op, Seq uint8 }

// A JournalView is what there is of a journal, and what is under way.
type JournalView struct {
	// Disk is what the journal has, Last the seq assigned last. Rows are those of the page, of which the first may be in flight.
	Disk, Rows   []JournalRow
	Last         uint8
	Flight       bool
	Restored     bool // there is a page that knows the rows
	Writing      bool // a call has no outcome yet
	Put          bool // and its put has succeeded
	Frames, Acks int
	Deletes      int  // that are not complete
	Young        bool // the head was never sent
}

// View returns what there is.
func (s JournalState) View() JournalView {
	v := JournalView{
		Last: s.last, Flight: s.flight, Restored: s.restored, Writing: s.stage != writeNone, Put: s.stage == writePut,
		Frames: int(s.frames.n), Acks: int(s.acks.n), Deletes: int(s.deletes.n), Young: s.rows.n > 0 && s.sent[s.rows.rows[0].op] == 0,
	}
	for _, r := range s.disk.all() {
		v.Disk = append(v.Disk, JournalRow{r.op, r.seq})
	}
	for _, r := range s.rows.all() {
		v.Rows = append(v.Rows, JournalRow{r.op, r.seq})
	}
	return v
}
