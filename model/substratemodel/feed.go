package substratemodel

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed-6f28358b/assay/model"
)

const (
	feedObjects  = 2
	maxFeedBox   = 4 // frames under way, which is what the connection has room for
	maxFeedInbox = 3
)

// A FeedEntry is one frame of the stream: an object and the seq of the stream, which is not dense for one object.
type FeedEntry struct{ Object, Seq uint8 }

// A FeedConfig is a scope of a Feed. Its zero value has an empty stream.
type FeedConfig struct {
	// Stream is in the order of its seqs, of at most two objects, 0 and 1.
	Stream []FeedEntry
	// Denied are the objects that the gate of the edge lets nobody follow, a bit for each.
	Denied uint8
	// Inbox is how many frames of an object wait for the application at most, up to 3; 0: one.
	Inbox uint8
	// How often a frame is lost, a connection ends, the browser crashes, and the stream is trimmed by one entry.
	Drop, Disconnect, Crash, Trim uint8
}

// Validate reports the first field that is out of range.
func (c FeedConfig) Validate() error {
	if len(c.Stream) > 8 {
		return fmt.Errorf("substratemodel: feed config: Stream has %d entries, want at most 8", len(c.Stream))
	}
	for i, e := range c.Stream {
		if e.Object >= feedObjects || e.Seq == 0 || i > 0 && e.Seq <= c.Stream[i-1].Seq {
			return fmt.Errorf("substratemodel: feed config: Stream[%d] is %+v, want object 0 or 1 and a seq above the one before", i, e)
		}
	}
	for _, f := range []struct {
		name string
		n    uint8
	}{{"Denied", c.Denied}, {"Inbox", c.Inbox}, {"Drop", c.Drop}, {"Disconnect", c.Disconnect}, {"Crash", c.Crash}, {"Trim", c.Trim}} {
		if f.n > 3 {
			return fmt.Errorf("substratemodel: feed config: %s is %d, want at most 3", f.name, f.n)
		}
	}
	return nil
}

// A Feed is the machine of the stream from an edge to a browser: a model.Lively over [FeedState], [FeedAction] and [FeedOutcome]. Each connection is to another edge.
type Feed struct {
	cfg     FeedConfig
	bug     feedBug
	actions []FeedAction
}

// NewFeed returns the machine for cfg, or the error of cfg.Validate.
func NewFeed(cfg FeedConfig) (*Feed, error) { return newFeed(cfg, 0) }

func newFeed(cfg FeedConfig, bug feedBug) (*Feed, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	m := &Feed{cfg: cfg, bug: bug}
	for op := range feedOps {
		for object := range uint8(feedObjects) {
			if object == 0 || op.ofObject() {
				m.actions = append(m.actions, FeedAction{op, object})
			}
		}
	}
	return m, nil
}

// FeedScopes returns the scopes of a Feed.
func FeedScopes() []model.Scope[FeedConfig] {
	sparse := []FeedEntry{{0, 5}, {1, 7}, {0, 9}, {1, 10}, {0, 12}}
	return []model.Scope[FeedConfig]{
		{Name: "sparse", Config: FeedConfig{Stream: sparse, Drop: 2, Disconnect: 1}},
		{Name: "reconnects", Config: FeedConfig{Stream: sparse[:3], Drop: 2, Disconnect: 2}},
		{Name: "crash", Config: FeedConfig{Stream: sparse[:3], Drop: 1, Crash: 1, Disconnect: 1}},
		{Name: "inbox", Config: FeedConfig{Stream: sparse, Inbox: 2, Disconnect: 1, Crash: 1, Denied: 2}},
		{Name: "trimmed", Config: FeedConfig{Stream: sparse[:3], Drop: 1, Disconnect: 1, Trim: 2}},
	}
}

// A feedBug is a fault that a test seeds into the machine.
type feedBug uint8

const (
	noFeedBug        feedBug = iota
	bugJumpIsLoss            // 37: a jump of the seq counts as a loss
	bugLastTooEarly          // 37: a browser goes on behind what its inbox had
	bugFeedFullMoves         // last moves over a frame that the inbox has no room for
	bugResumesAll            // the gate is not asked
	bugLossUnseen            // a frame whose predecessor is missing is taken
	bugTakesAgain            // a frame that was taken is taken again
	bugAsksAlways            // every frame after a loss asks for a resync
	bugHidesTrim             // a trimmed stream goes on without a word
	bugNoRepeat              // a resync is not repeated
	feedBugCount
)

// A FeedOp is what is done in one action.
type FeedOp uint8

// The actions. Those up to FeedHandover are fair.
const (
	// FeedConnect makes a connection to an edge that knows nothing, on which the browser asks at once for what it has not seen of each object.
	FeedConnect FeedOp = iota
	// FeedPush lets the edge send the next frame of the object, if the connection has room.
	FeedPush
	// FeedArrive brings the first frame to the browser, if the connection has room for what it may ask; FeedAsk brings the first resync to the edge.
	FeedArrive
	FeedAsk
	// FeedRepeat is the timer of the losses, which takes longer than anything is under way: the browser asks again for each object that it misses something of.
	FeedRepeat
	// FeedHandover lets the application have the first frame of the object that waits, and be done with it.
	FeedHandover
	// FeedDrop loses the first frame to the browser, and FeedLose the first resync, unless nobody could notice.
	FeedDrop
	FeedLose
	FeedDisconnect
	// FeedCrash ends the browser with its inbox. The next goes on behind what the application is done with.
	FeedCrash
	// FeedTrim drops the oldest entry of the stream.
	FeedTrim
	feedOps
)

func (op FeedOp) String() string {
	return name(op, "connect", "push", "arrive", "ask", "repeat", "handover", "drop", "lose", "disconnect", "crash", "trim")
}

func (op FeedOp) ofObject() bool { return op == FeedPush || op == FeedHandover }

// A FeedAction is one action; Object matters to FeedPush and FeedHandover.
type FeedAction struct {
	Op     FeedOp
	Object uint8
}

func (a FeedAction) String() string {
	if a.Op.ofObject() {
		return fmt.Sprintf("%v %d", a.Op, a.Object)
	}
	return a.Op.String()
}

// Fair says that the action is taken sooner or later while it stays possible.
func (a FeedAction) Fair() bool { return a.Op <= FeedHandover }

// A FeedOutcome is what came of an action, about one object: each field but the first is a seq, or 0.
type FeedOutcome struct {
	Object uint8
	Pushed uint8
	// Base is that of a resync which the edge sent before what it pushed.
	Base uint8
	// Asked are the fromSeqs of the resyncs that the browser sent, by object.
	Asked  [feedObjects]uint8
	Handed uint8
	// GapFrom and GapTo are the ends of a bridge/feed-gap that the browser reported.
	GapFrom, GapTo uint8
	// Resumed is the seq from which on the edge begins to push, and Denied says that the gate let a resync not pass.
	Resumed uint8
	Denied  bool
	// Known says that a frame was taken before.
	Known bool
}

// A feedFrame is a frame of the stream, or the base of a trimmed one.
type feedFrame struct{ object, seq, prev, base uint8 }

// A FeedState is one state of a Feed. It is a plain value.
type FeedState struct {
	// The edge: the seq from which on it pushes an object; 0: it was not asked to.
	up     bool
	cursor [feedObjects]uint8
	frames [maxFeedBox]feedFrame
	n      uint8
	asks   [maxFeedBox][2]uint8 // object, fromSeq
	asked  uint8
	// The browser: the seqs that it has taken, that its application is done with, and that wait in its inbox, and whether it misses something. Only handled outlives it.
	last, handled [feedObjects]uint8
	inbox         [feedObjects][maxFeedInbox]uint8
	depth         [feedObjects]uint8
	waits         [feedObjects]bool
	// The stream: how many entries are trimmed.
	trimmed uint8
	// What is left, and what the checker remembers: the entries handed over, and those reported as gone.
	left           [4]uint8
	handed, silent uint8
}

func (s FeedState) String() string {
	return fmt.Sprintf("up %t; cursors %d; frames %v, asks %d; last %d, handled %d, inboxes %d, waits %t; %d trimmed",
		s.up, s.cursor, s.frames[:s.n], s.asks[:s.asked], s.last, s.handled, s.inbox, s.waits, s.trimmed)
}

func (f feedFrame) String() string {
	if f.base != 0 {
		return fmt.Sprintf("%d: base %d", f.object, f.base)
	}
	return fmt.Sprintf("%d: %d after %d", f.object, f.seq, f.prev)
}

// Init returns the state in which nothing has happened yet.
func (m *Feed) Init() FeedState {
	return FeedState{left: [4]uint8{m.cfg.Drop, m.cfg.Disconnect, m.cfg.Crash, m.cfg.Trim}}
}

// Actions yields every action.
func (m *Feed) Actions(FeedState) iter.Seq[FeedAction] { return slices.Values(m.actions) }

// Step yields what a comes to, or nothing if it is impossible.
func (m *Feed) Step(s FeedState, a FeedAction) iter.Seq2[FeedState, FeedOutcome] {
	return func(yield func(FeedState, FeedOutcome) bool) {
		if next, o, ok := m.take(s, a); ok {
			yield(next, o)
		}
	}
}

// AppendKey appends the canonical key of s.
func (m *Feed) AppendKey(dst []byte, s FeedState) []byte {
	dst = append(dst, flags(s.up, s.waits[0], s.waits[1]), s.trimmed, s.handed, s.silent, s.n, s.asked)
	dst = append(dst, s.left[:]...)
	for object := range feedObjects {
		dst = append(dst, s.cursor[object], s.last[object], s.handled[object], s.depth[object])
		dst = append(dst, s.inbox[object][:]...)
	}
	for _, f := range s.frames[:s.n] {
		dst = append(dst, f.object, f.seq, f.prev, f.base)
	}
	for _, a := range s.asks[:s.asked] {
		dst = append(dst, a[0], a[1])
	}
	return dst
}

func (m *Feed) take(s FeedState, a FeedAction) (FeedState, FeedOutcome, bool) {
	o := FeedOutcome{Object: a.Object}
	switch {
	case a.Op == FeedConnect && !s.up:
		s.up = true
		// SUBSTRATE-FEED-003, SUBSTRATE-FEED-007
		for object := range uint8(feedObjects) {
			s.ask(object, &o)
		}
	case a.Op == FeedPush && s.up:
		return s, o, m.push(&s, a.Object, &o)
	case a.Op == FeedArrive && s.n > 0 && s.asked < maxFeedBox:
		m.arrive(&s, &o)
	case a.Op == FeedAsk && s.asked > 0:
		m.resume(&s, &o)
	case a.Op == FeedRepeat && s.n == 0 && s.asked == 0 && s.misses() && m.bug != bugNoRepeat:
		for object := range uint8(feedObjects) {
			if s.waits[object] {
				s.ask(object, &o)
			}
		}
	case a.Op == FeedHandover && s.depth[a.Object] > 0:
		m.handover(&s, &o)
	case a.Op == FeedDrop && s.n > 0 && s.left[0] > 0 && m.noticed(&s):
		s.left[0]--
		s.takeFrame()
	case a.Op == FeedLose && s.asked > 0 && s.left[0] > 0 && s.waits[s.asks[0][0]]:
		s.left[0]--
		s.takeAsk()
	case a.Op == FeedDisconnect && s.up && s.left[1] > 0:
		s.left[1]--
		s.disconnect()
	case a.Op == FeedCrash && s.left[2] > 0:
		s.left[2]--
		m.crash(&s)
	case a.Op == FeedTrim && s.left[3] > 0 && int(s.trimmed) < len(m.cfg.Stream):
		s.left[3]--
		s.trimmed++
	default:
		return s, o, false
	}
	return s, o, true
}

// misses says that the browser misses something.
func (s *FeedState) misses() bool { return s.waits != [feedObjects]bool{} }

func (s *FeedState) ask(object uint8, o *FeedOutcome) {
	s.asks[s.asked] = [2]uint8{object, s.last[object] + 1}
	s.asked++
	o.Asked[object] = s.last[object] + 1
}

func (s *FeedState) takeFrame() feedFrame {
	f := s.frames[0]
	copy(s.frames[:], s.frames[1:])
	s.n--
	s.frames[s.n] = feedFrame{}
	return f
}

// noticed says that the loss of the first frame under way would come to light: another of the object is still to come, or the browser asks again. Until then the loss of the
// newest frame of a stream cannot be told from there being none.
func (m *Feed) noticed(s *FeedState) bool {
	f := s.frames[0]
	later := m.between(f.object, f.seq, 255)
	return f.base != 0 || s.waits[f.object] || later != 0
}

func (s *FeedState) takeAsk() [2]uint8 {
	a := s.asks[0]
	copy(s.asks[:], s.asks[1:])
	s.asked--
	s.asks[s.asked] = [2]uint8{}
	return a
}

func (s *FeedState) disconnect() {
	s.up, s.cursor, s.n, s.frames, s.asked = false, [feedObjects]uint8{}, 0, [maxFeedBox]feedFrame{}, 0
	s.asks, s.waits = [maxFeedBox][2]uint8{}, [feedObjects]bool{}
}

func (m *Feed) crash(s *FeedState) {
	s.disconnect()
	s.inbox, s.depth = [feedObjects][maxFeedInbox]uint8{}, [feedObjects]uint8{}
	if m.bug != bugLastTooEarly {
		s.last = s.handled
	}
}

func (m *Feed) denied(object uint8) bool { return m.cfg.Denied&(1<<object) != 0 }

// behind says that the stream has entries of the object that were neither taken nor reported.
func (m *Feed) behind(s *FeedState, object uint8) bool {
	for i, e := range m.cfg.Stream {
		if e.Object == object && i >= int(s.trimmed) && e.Seq > s.last[object] && !m.denied(object) {
			return true
		}
	}
	return false
}

// entry returns the next entry that the edge has to push for the object, and the seq of the one before it in the object's stream.
func (m *Feed) entry(s *FeedState, object uint8) (seq, prev uint8, ok bool) {
	for i, e := range m.cfg.Stream {
		if e.Object != object {
			continue
		}
		if s.cursor[object] != 0 && e.Seq >= s.cursor[object] && i >= int(s.trimmed) {
			return e.Seq, prev, true
		}
		prev = e.Seq
	}
	return 0, 0, false
}

// push sends the next frame of the object, if the connection has room. SUBSTRATE-FEED-001, SUBSTRATE-FEED-005: with its predecessor, and without a receipt. SUBSTRATE-FEED-006:
// what the browser asks for and is trimmed is named first.
func (m *Feed) push(s *FeedState, object uint8, o *FeedOutcome) bool {
	seq, prev, ok := m.entry(s, object)
	gone := m.gone(s, object) != 0
	if !ok || s.n == maxFeedBox || gone && s.n == maxFeedBox-1 {
		return false
	}
	if gone && m.bug != bugHidesTrim {
		s.frames[s.n] = feedFrame{object: object, base: seq}
		s.n++
		o.Base = seq
	} else if gone {
		prev = 0
	}
	s.frames[s.n] = feedFrame{object: object, seq: seq, prev: prev}
	s.n++
	s.cursor[object] = seq + 1
	o.Pushed = seq
	return true
}

// gone returns the last seq of the object that is trimmed and lies at or above the cursor, or 0.
func (m *Feed) gone(s *FeedState, object uint8) (seq uint8) {
	for _, e := range m.cfg.Stream[:s.trimmed] {
		if e.Object == object && e.Seq >= s.cursor[object] {
			seq = e.Seq
		}
	}
	return seq
}

// resume starts to push from what the browser asks for, if the gate lets it. SUBSTRATE-FEED-003, SUBSTRATE-FEED-007
func (m *Feed) resume(s *FeedState, o *FeedOutcome) {
	a := s.takeAsk()
	o.Object, o.Denied = a[0], m.denied(a[0]) && m.bug != bugResumesAll
	if !o.Denied {
		s.cursor[a[0]], o.Resumed = a[1], a[1]
	}
}

// arrive tells a lost frame from a gap of the stream. SUBSTRATE-FEED-002, SUBSTRATE-FEED-004: last moves when the frame is in the inbox; a frame that finds it full counts as
// lost and is asked for later.
func (m *Feed) arrive(s *FeedState, o *FeedOutcome) {
	f := s.takeFrame()
	last, depth := s.last[f.object], s.depth[f.object]
	o.Object = f.object
	switch {
	case f.base != 0:
		if f.base > last+1 {
			// SUBSTRATE-FEED-006
			s.last[f.object] = f.base - 1
			o.GapFrom, o.GapTo = last+1, f.base-1
			s.silent |= m.between(f.object, last, f.base)
			s.waits[f.object] = false
		}
	case f.seq <= last && m.bug != bugTakesAgain:
		o.Known = true
	case f.prev > last && m.bug != bugLossUnseen, m.bug == bugJumpIsLoss && last != 0 && f.seq > last+1:
		if !s.waits[f.object] || m.bug == bugAsksAlways && s.asked < maxFeedBox {
			s.ask(f.object, o)
		}
		s.waits[f.object] = true
	case depth == max(m.cfg.Inbox, 1):
		s.waits[f.object] = true
		if m.bug == bugFeedFullMoves {
			s.last[f.object] = f.seq
		}
	default:
		s.inbox[f.object][depth] = f.seq
		s.depth[f.object]++
		s.last[f.object], s.waits[f.object] = f.seq, false
	}
}

// between returns the entries of the object above one seq and below another.
func (m *Feed) between(object, above, below uint8) (set uint8) {
	for i, e := range m.cfg.Stream {
		if e.Object == object && e.Seq > above && e.Seq < below {
			set |= 1 << i
		}
	}
	return set
}

// handover gives the application what is first in the inbox. What it is done with is where the next browser goes on. SUBSTRATE-FEED-004
func (m *Feed) handover(s *FeedState, o *FeedOutcome) {
	box := &s.inbox[o.Object]
	o.Handed = box[0]
	copy(box[:], box[1:])
	s.depth[o.Object]--
	box[s.depth[o.Object]] = 0
	s.handled[o.Object] = o.Handed
	s.handed |= m.between(o.Object, o.Handed-1, o.Handed+1)
}

// Liveness says that the browser comes to have every entry of the stream, or to know that it is gone. SUBSTRATE-FEED-003
func (m *Feed) Liveness() model.Liveness[FeedState, FeedAction] {
	return model.Liveness[FeedState, FeedAction]{
		Law: "SUBSTRATE-FEED-003", Title: "every entry is handed over, or reported as gone",
		Fair: FeedAction.Fair,
		Goal: func(s FeedState) bool {
			return s.depth == [feedObjects]uint8{} && !m.behind(&s, 0) && !m.behind(&s, 1)
		},
	}
}

// A FeedView is what a browser holds of one object.
type FeedView struct {
	Last, Handled uint8
	Waits         bool // it misses something
}

// View returns what the browser holds of an object, 0 or 1.
func (s FeedState) View(object uint8) FeedView {
	return FeedView{s.last[object], s.handled[object], s.waits[object]}
}

// Coming returns how many frames and resyncs are under way.
func (s FeedState) Coming() (frames, asks int) { return int(s.n), int(s.asked) }
