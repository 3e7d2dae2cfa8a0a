package substratemodel

import (
	"fmt"

	"github.com/seed-6f28358b/assay/model"
)

// Bounds of a pair: what its state has room for.
const (
	maxScript = 5
	maxRows   = 7
	maxInbox  = 6
	maxGap    = 3
	maxWire   = 12
	maxOld    = 2
	maxBudget = 2
)

// DefaultWindow is how far ahead of the frontier a frame is buffered. SUBSTRATE-SEQ-004
const DefaultWindow = 64

// escalateAfter is how many resends on one connection go unanswered before it is ended, unless a scope says otherwise; three in the law
// (SUBSTRATE-OUTBOX-005), one here, since a second and a third add states and nothing to see.
const escalateAfter = 1

// Budgets say how often the environment may do what it need not do.
type Budgets struct {
	Drop, Duplicate, Reorder uint8 // of frames under way, in either direction
	Disconnect, Takeover     uint8 // of the connection
	CrashA, CrashB           uint8
	Spurious                 uint8 // resends although the frame or its ack is still under way
	OpenB, CloseB            uint8 // the application of B opens or closes the object by itself
	Flip                     uint8 // changes of B's policy about the first operation
	StoreFail                uint8 // writes that fail, of an enqueue or of a commit
	Full                     uint8 // fresh operations that B refuses as queue_full
	StaleAck                 uint8 // acks that nobody sent
	Expire                   uint8 // more than seven days pass at once
	Foreign                  uint8 // frames of a third peer that knows the name
	AskB                     uint8 // reqs of the application of B, instead of OpenB and CloseB
}

// A PairConfig is a scope of a Pair. Its zero value has an empty script and no faults.
type PairConfig struct {
	// Script is what the application of A asks for, in order: open, close, send or req.
	Script []Kind
	// Live says that the object lives on both sides from the beginning, opened by A. Otherwise neither knows it.
	Live bool
	// Half says, with Live, that B has lost its record of the object.
	Half bool
	// Denied are the operations of the script, from 1, that B's policy denies at first.
	Denied []int
	// Pipeline lets A have two operations under way. No conforming sender does: it is there to see that B keeps order by itself.
	Pipeline bool
	// Flight is how many operations those are, at most 4; 0: two.
	Flight uint8
	// Volatile says that A's outbox is lost when A crashes, so that its seqs start again under another epoch.
	Volatile bool
	// Fails makes B's application answer a req with an error.
	Fails bool
	// Handler makes a handover two steps, so that a crash can come between them.
	Handler bool
	// SameID gives what B does by itself the id of A's first operation.
	SameID bool
	// Window is how far ahead of the frontier a frame is buffered; 0: DefaultWindow.
	Window uint8
	// Resends is how many resends on one connection go unanswered before it is ended, at most 3; 0: one.
	Resends uint8
	// Inbox is how many arrivals of B may wait for its application before another is refused as queue_full; 0: any number.
	Inbox uint8
	// Outbox is how many rows either side may have queued before it refuses an open, send or req of its own application, and how many of them may be answers before it
	// refuses those of the peer; 0: any number.
	Outbox uint8
	// Marks are the times, in ms from the beginning, to which the clock moves one after another; none: time does not pass.
	Marks   []int64
	Budgets Budgets
}

// Validate reports the first field that is out of range.
func (c PairConfig) Validate() error {
	if len(c.Script) > maxScript {
		return fmt.Errorf("substratemodel: pair config: Script has %d operations, want at most %d", len(c.Script), maxScript)
	}
	for i, k := range c.Script {
		if k < KindOpen || k > KindReq {
			return fmt.Errorf("substratemodel: pair config: Script[%d] is %v, want open, close, send or req", i, k)
		}
	}
	for i, op := range c.Denied {
		if op < 1 || op > len(c.Script) {
			return fmt.Errorf("substratemodel: pair config: Denied[%d] is %d, want 1 to %d", i, op, len(c.Script))
		}
	}
	for i, at := range c.Marks {
		if at <= 0 || i > 0 && at <= c.Marks[i-1] || i > 200 {
			return fmt.Errorf("substratemodel: pair config: Marks[%d] is %d, want at most 200 times, each later than the one before", i, at)
		}
	}
	if c.Flight > maxGap+1 {
		return fmt.Errorf("substratemodel: pair config: Flight is %d, want at most %d", c.Flight, maxGap+1)
	}
	if c.Resends > 3 {
		return fmt.Errorf("substratemodel: pair config: Resends is %d, want at most 3", c.Resends)
	}
	if c.Outbox > 0 && (c.Pipeline || c.SameID) {
		return fmt.Errorf("substratemodel: pair config: Outbox is %d, want 0 with Pipeline or SameID", c.Outbox)
	}
	if b := &c.Budgets; b.AskB > 0 && (b.OpenB > 0 || b.CloseB > 0 || c.SameID) {
		return fmt.Errorf("substratemodel: pair config: Budgets.AskB is %d, want 0 with OpenB, CloseB or SameID", b.AskB)
	}
	for _, b := range c.Budgets.all() {
		if *b.left > maxBudget {
			return fmt.Errorf("substratemodel: pair config: Budgets.%s is %d, want at most %d", b.name, *b.left, maxBudget)
		}
	}
	return nil
}

type budget struct {
	name string
	left *uint8
}

func (b *Budgets) all() []budget {
	return []budget{
		{"Drop", &b.Drop},
		{"Duplicate", &b.Duplicate},
		{"Reorder", &b.Reorder},
		{"Disconnect", &b.Disconnect},
		{"Takeover", &b.Takeover},
		{"CrashA", &b.CrashA},
		{"CrashB", &b.CrashB},
		{"Spurious", &b.Spurious},
		{"OpenB", &b.OpenB},
		{"CloseB", &b.CloseB},
		{"Flip", &b.Flip},
		{"StoreFail", &b.StoreFail},
		{"Full", &b.Full},
		{"StaleAck", &b.StaleAck},
		{"Expire", &b.Expire},
		{"Foreign", &b.Foreign},
		{"AskB", &b.AskB},
	}
}

// A Pair is the machine of one object between two sides: a model.Lively over [PairState], [PairAction] and [PairOutcome].
type Pair struct {
	cfg     PairConfig
	bug     pairBug
	actions []PairAction
	window  uint8
	resends uint8
	opens   bool // the script opens the object and does not close it
}

// NewPair returns the machine for cfg, or the error of cfg.Validate.
func NewPair(cfg PairConfig) (*Pair, error) { return newPair(cfg, 0) }

func newPair(cfg PairConfig, bug pairBug) (*Pair, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := &Pair{cfg: cfg, bug: bug, window: cfg.Window}
	if m.window == 0 {
		m.window = DefaultWindow
	}
	if m.resends = cfg.Resends; m.resends == 0 {
		m.resends = escalateAfter
	}
	for _, k := range cfg.Script {
		m.opens = (m.opens || k == KindOpen) && k != KindClose
	}
	m.actions = m.repertoire()
	return m, nil
}

// Config returns the configuration.
func (m *Pair) Config() PairConfig { return m.cfg }

// kind returns the kind of an operation of either side.
func (m *Pair) kind(op uint8) Kind {
	switch {
	case op >= OpOpenB && m.cfg.Budgets.AskB > 0:
		return KindReq
	case op == OpOpenB:
		return KindOpen
	case op == OpCloseB:
		return KindClose
	case int(op) <= len(m.cfg.Script):
		return m.cfg.Script[op-1]
	}
	return KindNone
}

// idOf returns the id of an operation.
func (m *Pair) idOf(op uint8) uint8 {
	if m.cfg.SameID && op >= OpOpenB {
		return 1
	}
	return op
}

var _ model.Lively[PairState, PairAction, PairOutcome] = (*Pair)(nil)
