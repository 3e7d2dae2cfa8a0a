package databustest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// ownerCases are about who is elected, and when there is an election.
func ownerCases() []conformance.Case {
	return []conformance.Case{
		one("owner/filter-table", "every combination of statuses and visibilities of three workers",
			laws("DATABUS-OWNER-001", "DATABUS-OWNER-003"), needs(Forges, Statuses), (*busT).filterTable),
		one("owner/healthy-before-visible", "a visible worker that is not healthy does not beat a hidden one that is",
			laws("DATABUS-OWNER-001"), needs(Statuses), (*busT).healthyFirst),
		one("owner/cut", "the newest of four workers is not elected, though it owns least", laws("DATABUS-OWNER-002"), nil, (*busT).cutOfFour),
		one("owner/cut-edge", "the third worker is eligible, the fourth is not, and of equal ages the id decides",
			laws("DATABUS-OWNER-002"), needs(Forges), (*busT).cutEdge),
		one("owner/cut-configured", "maxActiveWorkers is where the cut is", laws("DATABUS-OWNER-002"), needs(Forges), (*busT).cutConfigured),
		one("owner/cut-after-filter", "who is filtered out takes no place in the cut",
			laws("DATABUS-OWNER-001", "DATABUS-OWNER-002"), needs(Forges), (*busT).cutAfterFilter),
		one("owner/random-views", "the owner in random views of up to seven workers",
			laws("DATABUS-OWNER-001", "DATABUS-OWNER-002", "DATABUS-OWNER-003"), needs(Forges), (*busT).randomViews),
		one("owner/least-load", "the least load wins, and of equal loads the id", laws("DATABUS-OWNER-003"), nil, (*busT).leastLoad),
		one("owner/order-of-records", "the order in which workers are stored does not matter",
			laws("DATABUS-OWNER-003"), needs(Forges), (*busT).recordOrder),
		one("owner/equal-views", "tabs that see the same elect the same", laws("DATABUS-OWNER-003"), needs(ManualFlush), (*busT).equalViews),
		one("owner/collation-of-loads", "of equal loads the id that the locale puts first wins",
			laws("DATABUS-OWNER-004"), needs(Forges), func(t *busT) { t.collation(2) }),
		one("owner/collation-of-the-cut", "of equal ages the id that the locale puts first is eligible",
			laws("DATABUS-OWNER-004"), needs(Forges), func(t *busT) { t.collation(1) }),
		one("owner/elections", "a route is made anew only without an owner or for a dead one",
			laws("DATABUS-OWNER-005"), needs(Statuses), (*busT).electionsOfAWalk),
		one("owner/no-election", "status, visibility, load and better workers lead to no election",
			laws("DATABUS-OWNER-005"), needs(Statuses, Manual), (*busT).noElection),
		one("owner/dead-at", "an owner is alive at the TTL and dead a millisecond later", laws("DATABUS-OWNER-005"), nil, (*busT).deadAt),
		one("owner/left", "an owner whose record is gone is dead at once", laws("DATABUS-OWNER-005"), needs(Forges), (*busT).ownerLeft),
		one("owner/counts-itself", "a worker whose own record is gone elects itself",
			laws("DATABUS-OWNER-006"), needs(Forges), (*busT).countsItself),
		one("owner/counts-itself-unwritten", "a worker whose record never reaches the storage elects itself",
			laws("DATABUS-OWNER-006"), needs(Failures, Forges), (*busT).countsUnwritten),
		one("owner/counts-itself-once", "a stored record of its own that has expired does not make it dead",
			laws("DATABUS-OWNER-006"), needs(Forges), (*busT).countsMemory),
		one("owner/no-subscriber", "an owner that does not subscribe serves the others and dispatches nothing",
			laws("DATABUS-OWNER-007"), nil, (*busT).ownerWithout),
		one("owner/six", "six workers may own topics, and all of them are connected", laws("DATABUS-OWNER-008"), nil, (*busT).sixOwners),
		one("owner/role-is-the-cut", "the role says who is eligible, at each reconcile, and moves no route",
			laws("DATABUS-OWNER-009"), nil, (*busT).roleIsCut),
		one("owner/hidden-owner", "an owner that hides keeps its topics and is recorded as standby",
			laws("DATABUS-OWNER-009"), nil, (*busT).hiddenOwner),
	}
}

// elected returns the worker that equal views elect (DATABUS-OWNER-001, DATABUS-OWNER-002, DATABUS-OWNER-003), for ids of small letters
// and digits.
func elected(live []workerRecord, most int) string {
	cut := eligible(live, most)
	return slices.MinFunc(cut, func(a, b workerRecord) int {
		if a.Load != b.Load {
			return a.Load - b.Load
		}
		return strings.Compare(a.WorkerID, b.WorkerID)
	}).WorkerID
}

func eligible(live []workerRecord, most int) []workerRecord {
	keep := func(of []workerRecord, good func(workerRecord) bool) []workerRecord {
		if kept := slices.DeleteFunc(slices.Clone(of), func(w workerRecord) bool { return !good(w) }); len(kept) > 0 {
			return kept
		}
		return slices.Clone(of)
	}
	cut := keep(live, func(w workerRecord) bool { return w.Status == "connecting" || w.Status == "connected" })
	cut = keep(cut, func(w workerRecord) bool { return w.Visibility == "visible" })
	slices.SortFunc(cut, func(a, b workerRecord) int {
		if a.RegisteredAt != b.RegisteredAt {
			return int(a.RegisteredAt - b.RegisteredAt)
		}
		return strings.Compare(a.WorkerID, b.WorkerID)
	})
	return cut[:min(most, len(cut))]
}

// An elector is a tab that elects among workers of which there is nothing but a record.
type elector struct {
	*tab
	root   string
	topics int
}

func (t *busT) elector(q tabRequest) *elector {
	o := t.Origin()
	x := &elector{tab: o.TabWith("m", q)}
	x.Start()
	x.root = o.root(x.tab)
	return x
}

// worker returns the record of a worker that is as others are.
func worker(id string) workerRecord {
	return workerRecord{
		WorkerID: id, TabID: "tab of " + id, Role: "standby", Status: "connected", Visibility: "visible", HeartbeatAt: start,
		RegisteredAt: start,
	}
}

// among returns whom the tab elects for a topic that is new while these records are stored, in this order.
func (x *elector) among(workers ...workerRecord) string {
	for _, w := range workers {
		value, _ := json.Marshal(w)
		x.o.Put(x.root+":worker:"+w.WorkerID, string(value))
	}
	x.topics++
	topic := fmt.Sprint("new", x.topics)
	owner := "nobody"
	for _, d := range x.Subscribe(topic).routesBy(x.tab) {
		if m := members(d.Value); m["workerId"] != nil {
			owner = fmt.Sprint(m["workerId"])
		}
	}
	x.Unsubscribe(topic)
	for _, w := range workers {
		x.o.Remove(x.root + ":worker:" + w.WorkerID)
	}
	return owner
}

// filterTable has a worker in each state elect with two others in each state, of ids before and behind its own.
func (t *busT) filterTable() {
	x := t.elector(tabRequest{})
	type state struct{ status, visibility string }
	var states []state
	for _, s := range []string{"connecting", "connected", "disconnected", "error"} {
		states = append(states, state{s, "visible"}, state{s, "hidden"})
	}
	in := func(id string, s state) workerRecord {
		w := worker(id)
		w.Status, w.Visibility = s.status, s.visibility
		return w
	}
	for _, own := range states {
		x.Visibility(own.visibility)
		for _, first := range states {
			for _, last := range states {
				x.Status(own.status)
				from := len(x.o.all)
				got := x.among(in("workera", first), in("workerz", last))
				views := func(own state) string {
					return elected([]workerRecord{in("workera", first), in("workerm", own), in("workerz", last)}, 3)
				}
				want := views(own)
				if connecting := views(state{"connecting", own.visibility}); got == connecting && len(x.o.all[from:].Of(didTStart)) > 0 {
					want = connecting // no law says whether it elects first or sees to its connection
				}
				law := "DATABUS-OWNER-001"
				if first == own && last == own {
					law = "DATABUS-OWNER-003"
				}
				t.Equal(law, fmt.Sprint("the owner with workera ", first, ", workerm ", own, ", workerz ", last), want, got)
			}
		}
	}
}

func (t *busT) healthyFirst() {
	const law = "DATABUS-OWNER-001"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	elects := func(when, want string) {
		o.Drain()
		did, owner := c.Subscribe(when), o.Snapshot().Owner(when)
		if owner == c.worker && len(did.Of(didTStart)) > 0 {
			want = owner // it has seen to its connection first, as it may
		}
		t.Equal(law, "the owner "+when, want, owner)
		c.Unsubscribe(when)
		o.Drain()
	}
	elects("of equal workers", "workera")
	a.Status("disconnected")
	elects("when one is disconnected", "workerb")
	b.Visibility("hidden")
	elects("when another is hidden", "workerc")
	c.Visibility("hidden")
	elects("when the healthy ones are hidden", "workerb")
	b.Status("disconnected")
	elects("when one of them fails", "workerc")
	c.Status("disconnected")
	elects("when none is healthy, and one is visible", "workera")
	// What was asked of it has made it connect.
	a.Status("disconnected")
	b.Visibility("visible")
	c.Status("connecting")
	elects("when one that connects is hidden", "workerc")
}

// cutOfFour has three workers own topics before a fourth comes that owns none.
func (t *busT) cutOfFour() {
	const law = "DATABUS-OWNER-002"
	o := t.Origin()
	var tabs []*tab
	for _, name := range []string{"d", "c", "b"} {
		x := o.Tab(name)
		tabs = append(tabs, x)
		o.Advance(1)
	}
	for i := range 6 {
		tabs[0].Subscribe(fmt.Sprint("x", i))
		o.Drain()
	}
	newest := o.Tab("a")
	newest.Subscribe("y")
	o.Drain()
	s := o.Snapshot()
	w, _ := s.Worker(newest)
	t.Check(w.Load == 0, law, "the newest owns nothing", "load 0", fmt.Sprint(w))
	t.Equal(law, "a topic of its own goes to the first of the three older ones, whose loads are equal", "workerb", s.Owner("y"))
	tabs[1].Crash()
	o.Advance(heartbeat + ttl)
	newest.Subscribe("z")
	o.Drain()
	t.Equal(law, "with one of them gone it is eligible", newest.worker, o.Snapshot().Owner("z"))
}

func (t *busT) cutEdge() {
	const law = "DATABUS-OWNER-002"
	x := t.elector(tabRequest{})
	// The elector registered at start.
	aged := func(id string, age int64, load int) workerRecord {
		w := worker(id)
		w.RegisteredAt, w.Load = start-age, load
		return w
	}
	t.Equal(law, "two older ones: the elector is the third", "workerm", x.among(aged("workera", 2, 1), aged("workerb", 1, 1)))
	t.Equal(law, "three older ones: it is not", "workera", x.among(aged("workera", 3, 1), aged("workerb", 2, 1), aged("workerc", 1, 1)))
	t.Equal(law, "a third that is older by a millisecond is eligible", "workerz",
		x.among(aged("workera", 3, 2), aged("workerb", 2, 2), aged("workerz", 1, 0)))
	t.Equal(law, "of the same age the smaller id is the third", "workerl",
		x.among(aged("workera", 3, 5), aged("workerb", 2, 5), aged("workerl", 0, 4)))
	t.Equal(law, "and the greater is not", "workerm", x.among(aged("workera", 3, 5), aged("workerb", 2, 5), aged("workern", 0, 0)))
	t.Equal(law, "one that is younger is not either", "workerm",
		x.among(aged("workera", 3, 5), aged("workerb", 2, 5), aged("workerb1", -1, 0)))
	t.Equal(law, "nor one of a clock that is ahead", "workerm",
		x.among(aged("workera", 3, 5), aged("workerb", 2, 5), aged("workerb1", -1_000_000, 0)))
}

func (t *busT) cutConfigured() {
	for most := 1; most <= 5; most++ {
		x := t.elector(tabRequest{MaxActive: most})
		var workers []workerRecord
		for i := range 6 {
			w := worker(fmt.Sprint("worker", i))
			w.RegisteredAt, w.Load = int64(start-10+i), 10-i
			workers = append(workers, w)
		}
		t.Equal("DATABUS-OWNER-002", fmt.Sprint("the youngest that is eligible of a cut of ", most), fmt.Sprint("worker", most-1),
			x.among(workers...))
	}
}

func (t *busT) cutAfterFilter() {
	x := t.elector(tabRequest{Visibility: "hidden"})
	var workers []workerRecord
	for i, state := range []string{"hidden", "hidden", "hidden", "visible", "visible"} {
		w := worker(fmt.Sprint("worker", i))
		w.RegisteredAt, w.Visibility, w.Load = int64(start-10+i), state, 10-i
		workers = append(workers, w)
	}
	t.Equal("DATABUS-OWNER-001", "three old hidden workers leave the visible ones their place", "worker4", x.among(workers...))
	for i := range workers {
		workers[i].Visibility = "visible"
		if i < 3 {
			workers[i].Status = "error"
		}
	}
	t.Equal("DATABUS-OWNER-002", "and three that failed those that have not", "worker4", x.among(workers...))
}

// randomViews has tabs elect among workers of few ages, loads and states, so that there are ties in all.
func (t *busT) randomViews() {
	rand := t.Rand()
	for range 8 {
		most := 1 + rand.IntN(4)
		x := t.elector(tabRequest{MaxActive: most})
		for range 25 {
			own := worker("workerm")
			own.TabID = x.id
			live := []workerRecord{own}
			for _, i := range rand.Perm(9)[:rand.IntN(7)] {
				w := worker(fmt.Sprintf("worker%c", "adglnqsuz"[i]))
				w.RegisteredAt, w.Load = int64(start-1+rand.IntN(3)), rand.IntN(3)
				w.Status = []string{"connected", "connected", "connecting", "disconnected", "error"}[rand.IntN(5)]
				w.Visibility = []string{"visible", "hidden"}[rand.IntN(2)]
				live = append(live, w)
			}
			t.Equal("DATABUS-OWNER-003", fmt.Sprintf("the owner of the first %d of %+v", most, live), elected(live, most), x.among(live[1:]...))
		}
	}
	// What the filter and the cut say on their own.
	x := t.elector(tabRequest{MaxActive: 1})
	hidden, old := worker("workera"), worker("workerz")
	hidden.Visibility, hidden.RegisteredAt = "hidden", start-2
	old.RegisteredAt, old.Load = start-1, 9
	t.Equal("DATABUS-OWNER-001", "hidden is out", "workerm", x.among(hidden))
	t.Equal("DATABUS-OWNER-002", "older is in", "workerz", x.among(hidden, old))
}

func (t *busT) leastLoad() {
	const law = "DATABUS-OWNER-003"
	o := t.Origin()
	tabs := []*tab{o.Tab("a"), o.Tab("b"), o.Tab("c")}
	var got []string
	for i := range 7 {
		topic := fmt.Sprint("x", i)
		tabs[i%3].Subscribe(topic)
		o.Drain()
		got = append(got, strings.TrimPrefix(o.Snapshot().Owner(topic), "worker"))
	}
	t.Equal(law, "seven topics in turn go round", "[a b c a b c a]", got)
	tabs[1].Unsubscribe("x1")
	tabs[2].Unsubscribe("x2")
	o.Drain()
	// The loads are 3, 1 and 1 now.
	tabs[2].Subscribe("y")
	o.Drain()
	t.Equal(law, "of two that own less the smaller id", "workerb", o.Snapshot().Owner("y"))
	tabs[0].Subscribe("z")
	o.Drain()
	t.Equal(law, "then the one that owns least", "workerc", o.Snapshot().Owner("z"))
}

func (t *busT) recordOrder() {
	x := t.elector(tabRequest{Visibility: "hidden"})
	workers := []workerRecord{worker("workera"), worker("workerb"), worker("workerc"), worker("workerd")}
	for i := range workers {
		workers[i].RegisteredAt, workers[i].Load = []int64{start, start - 1, start - 1, start}[i], []int{2, 3, 2, 1}[i]
	}
	var turn func(done, left []workerRecord)
	turn = func(done, left []workerRecord) {
		if len(left) == 0 {
			t.Equal("DATABUS-OWNER-003", "the owner, in whatever order the workers are stored", "workera", x.among(done...))
		}
		for i := range left {
			rest := slices.Concat(left[:i], left[i+1:])
			turn(append(slices.Clone(done), left[i]), rest)
		}
	}
	turn(nil, workers)
}

// equalViews has three tabs make a route of one topic before any of them can see another's.
func (t *busT) equalViews() {
	o := t.OriginWith(originRequest{Flush: flushManual})
	tabs := []*tab{o.Tab("a"), o.Tab("b"), o.Tab("c")}
	for range 2 {
		for _, x := range tabs {
			x.Flush()
			o.Drain()
		}
	}
	for _, x := range tabs {
		x.Subscribe("x")
	}
	for _, x := range tabs {
		for _, d := range x.Flush().routesBy(x) {
			t.Equal("DATABUS-OWNER-003", "who is elected by "+x.name, "workera", fmt.Sprint(members(d.Value)["workerId"]))
		}
	}
	t.Equal("DATABUS-OWNER-003", "and is the owner", "workera", o.Snapshot().Owner("x"))
}

// collated are ids in the order of the root collation, in which letters of both cases mingle and punctuation comes first.
var collated = []string{
	"_", "-1", "0", "10", "9", "a", "A", "a 1", "a_1", "a-1", "a-bd", "a.1", "a1", "ab", "aB", "Ab", "AB", "ab-c", "abc", "b", "B",
	"e", "\u00e9", "f", "o", "\u00f6", "st", "tab/1", "tab1", "w_1", "w-1", "w.1", "w02", "w1", "w10", "w2", "wa", "WA", "wB", "z",
	"Z", "\u044f",
}

// collation elects among each two of the ids, which differ in nothing else, with a cut of two or of one.
func (t *busT) collation(most int) {
	x := t.elector(tabRequest{Visibility: "hidden", MaxActive: most})
	for i, first := range collated {
		for j, second := range collated[i+1:] {
			// Neighbours, and some of the others.
			if j < 4 || (i+j)%5 == 0 {
				t.Equal("DATABUS-OWNER-004", fmt.Sprintf("the owner of %q and %q", first, second), first, x.among(worker(second), worker(first)))
			}
		}
	}
}
