package databusmodel

import "math/bits"

// A phase of a worker.
type phase uint8

const (
	closed    phase = iota // not there yet, or crashed
	running                // started
	suspended              // the page is hidden for good or for a while: DATABUS-LIFECYCLE-005
)

// A record is that of a worker. DATABUS-RECORD-001: registeredAt is there as the number of the life that it began.
type record struct {
	there, hidden   bool
	life, load, age uint8 // age: seconds since heartbeatAt
}

// A route is the record of a topic. DATABUS-RECORD-003
type route struct {
	there, confirmed bool
	released         bool  // Rules.MarkReleased
	owner            uint8 // a worker
	from             uint8 // the worker that handed it on, plus 1; 0: none
	fromLife         uint8 // the life in which it did
	gen, age         uint8 // age: seconds since updatedAt
}

// same says that the two are one assignment in one stage, however old.
func (r route) same(o route) bool {
	r.age, o.age = 0, 0
	return r == o
}

// storage is what all tabs share. DATABUS-KEY-001
type storage struct {
	workers [maxTabs]record
	routes  [maxTopics]route
	subs    [maxTopics]uint8 // sets of tabs
}

// A change is what is to become of a key.
type change uint8

const (
	keep change = iota
	set
	remove
)

// pending is what a tab has not flushed yet. DATABUS-BATCH-001
type pending struct {
	worker  [maxTabs]change
	rec     record // of the own worker
	route   [maxTopics]change
	routes  [maxTopics]route
	base    [maxTopics]route // what the change of the route was based on; only with Rules.DropStaleRetries
	confirm uint8            // routes whose change is a confirmation, as a set of bits
	setSub  [maxTopics]uint8 // sets of tabs
	delSub  [maxTopics]uint8
}

func (p *pending) empty() bool { return *p == pending{} }

// A tab is one worker in its page.
type tab struct {
	phase    phase
	frozen   bool // timers and deliveries stop
	leaving  bool // half of a leave is done: Config.Split
	hidden   bool // the page is not visible
	refusing bool // storage refuses its writes
	retrying bool // a flush failed: what is pending comes by the timer
	life     uint8
	sub      uint8 // topics that the application wants, as a set of bits: DATABUS-SUBSCRIBE-006
	asg      uint8 // topics that it owns
	srv      uint8 // topics that its transport is subscribed to at the server
	again    uint8 // topics whose route it looks at again: Rules.LookAgain
	known    uint8 // topics whose text it has cached: DATABUS-CACHE-004
	load     uint8
	age      uint8 // seconds since its last heartbeat
	next     uint8 // seconds to the next one
	pend     pending
}

// A publication is the one of the server.
type publication struct {
	out      bool
	sent     uint8 // transports that it went to, as a set of workers
	inbox    uint8 // transports that have it and have not handed it over, as a set of workers
	accepted uint8 // workers that accepted it
	wanted   uint8 // workers that wanted it when it was made
	calls    [maxTabs][maxTabs]uint8
}

// A State is that of a cluster.
type State struct {
	store   storage
	views   [maxTabs]view // only with Config.Lag
	tabs    [maxTabs]tab
	wire    [maxTabs][maxTabs]queue // by sender and receiver
	pub     publication
	idle    [maxTopics]uint8 // seconds for which a topic was not as it should be
	revived uint8            // topics whose route a confirmation brought back
	left    Budgets
}

func bit(i uint8) uint8 { return 1 << i }

func count(mask uint8) uint8 { return uint8(bits.OnesCount8(mask)) }

func (t *tab) awake() bool { return t.phase == running && !t.frozen && !t.leaving }

// ready says that the tab can begin a task of a frame or a timer: the flush of the one before comes first. Calls of the application may
// share a task.
func (t *tab) ready() bool { return t.awake() && (t.retrying || t.pend.empty()) }

// record returns the own record as it is in memory. DATABUS-OWNER-006
func (t *tab) record() record {
	return record{there: true, hidden: t.hidden, life: t.life, load: t.load, age: t.age}
}

// AppendKey appends the canonical key of s: everything that Step, Actions or an invariant can tell apart.
func (m *Cluster) AppendKey(dst []byte, s State) []byte {
	for _, w := range s.store.workers[:m.cfg.Tabs] {
		dst = appendRecord(dst, w)
	}
	for x, r := range s.store.routes[:m.cfg.Topics] {
		dst = append(appendRoute(dst, r), s.store.subs[x], s.idle[x])
	}
	for i := range m.cfg.Tabs {
		dst = m.appendTab(dst, &s.tabs[i])
		for j := range m.cfg.Tabs {
			dst = s.wire[i][j].append(dst)
		}
		for j := range m.cfg.Tabs {
			dst = append(dst, s.pub.calls[i][j])
		}
	}
	if m.cfg.Lag > 0 {
		for t := range m.cfg.Tabs {
			dst = m.appendView(dst, &s.views[t])
		}
	}
	l := &s.left
	return append(
		dst, flags(s.pub.out)|s.pub.sent<<4, s.pub.inbox|s.pub.accepted<<4, s.pub.wanted|s.revived<<4,
		l.User|l.Hide<<4, l.Show|l.Crash<<4, l.Open|l.Freeze<<4, l.Loss|l.Fail<<4, l.Visibility|l.Publish<<4,
	)
}

func (m *Cluster) appendTab(dst []byte, t *tab) []byte {
	dst = append(
		dst, byte(t.phase)|flags(t.frozen, t.hidden, t.refusing, t.retrying, t.leaving)<<2,
		t.sub|t.asg<<4, t.srv|t.known<<4, t.again, t.life|t.load<<4, t.age|t.next<<4,
	)
	p := &t.pend
	if p.empty() {
		return append(dst, 0)
	}
	dst = append(dst, 1, byte(p.worker[0]|p.worker[1]<<2|p.worker[2]<<4), byte(p.route[0]|p.route[1]<<2)|p.confirm<<4)
	dst = appendRecord(dst, p.rec)
	for x := range m.cfg.Topics {
		dst = append(appendRoute(appendRoute(dst, p.routes[x]), p.base[x]), p.setSub[x]|p.delSub[x]<<4)
	}
	return dst
}

func appendRecord(dst []byte, r record) []byte {
	return append(dst, flags(r.there, r.hidden)|r.life<<4, r.load|r.age<<4)
}

func appendRoute(dst []byte, r route) []byte {
	return append(dst, flags(r.there, r.confirmed, r.released), r.owner|r.from<<4, r.fromLife|r.age<<4, r.gen)
}

func flags(values ...bool) byte {
	var b byte
	for i, v := range values {
		if v {
			b |= 1 << i
		}
	}
	return b
}
