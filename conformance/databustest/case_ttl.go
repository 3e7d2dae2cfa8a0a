package databustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// ttlCases are about when a worker is dead.
func ttlCases() []conformance.Case {
	return []conformance.Case{
		one("ttl/edge-of-a-record", "a record of 10000 ms is of a live worker, one of 10001 ms of a dead one, and whoever reads it removes it",
			laws("DATABUS-TTL-001"), needs(Forges), func(t *busT) { t.agesRecord(0, ttl) }),
		one("ttl/edge-of-another-ttl", "so it is with a TTL of the application's",
			laws("DATABUS-TTL-001"), needs(Forges), func(t *busT) { t.agesRecord(7000, 7000) }),
		one("ttl/edge-of-an-owner", "an owner whose record is 10000 ms old keeps its topic, and loses it 1 ms later",
			laws("DATABUS-TTL-001"), needs(Forges), (*busT).agesOwner),
		one("ttl/own-record", "nobody takes itself for dead",
			laws("DATABUS-TTL-001"), needs(Forges), (*busT).agesItself),
		one("ttl/own-record-after-a-long-sleep", "not even after it slept for a minute",
			laws("DATABUS-TTL-001"), needs(Freezes), (*busT).sleepsLong),
		one("ttl/worst-case", "whatever the phase of the one that notices, it takes more than 10000 and at most 13000 ms",
			laws("DATABUS-TTL-002", "DATABUS-LIVE-001"), nil, (*busT).noticesInTime),
		one("ttl/worst-case-is-reached", "at the worst phase it takes 13000 ms",
			laws("DATABUS-TTL-001", "DATABUS-TTL-002"), nil, (*busT).noticesLast),
		one("ttl/every-tab-notices", "every tab that runs takes the same worker for dead, whether it wants the topics or not",
			laws("DATABUS-TTL-002"), nil, (*busT).noticedByAll),
		one("ttl/throttled", "an owner that sleeps for minutes loses its topics once, and does not take them back",
			laws("DATABUS-TTL-003"), needs(Freezes), (*busT).throttled),
		one("ttl/publish-prunes", "whoever publishes reads the workers too, and removes a dead one",
			laws("DATABUS-TTL-004"), needs(Forges), (*busT).publishPrunes),
	}
}

func (t *busT) agesRecord(own, limit int64) {
	const law = "DATABUS-TTL-001"
	o := t.Origin()
	a := o.TabWith("A", tabRequest{TTL: own})
	a.Start()
	o.Advance(20_000)
	for _, age := range []int64{limit - 1, limit} {
		a.PutWorker("Old", age)
		t.Equal(law, fmt.Sprintf("what becomes of a record of %d ms", age), 0, countOf(a.Nudge(), "remove worker"))
	}
	a.PutWorker("Old", limit+1)
	did := a.Nudge()
	t.Equal(law, fmt.Sprintf("how often a record of %d ms is removed", limit+1), 1, countOf(did, "remove worker"))
	t.Equal(law, "how many workers are left", 1, len(o.Snapshot().workers))
}

func (t *busT) agesOwner() {
	const law = "DATABUS-TTL-001"
	o := t.Origin()
	a := o.Tab("A")
	o.Advance(20_000)
	now := o.Snapshot().Now
	for n, age := range []int64{ttl - 1, ttl, ttl + 1} {
		topic := fmt.Sprintf("x%d", n)
		a.PutWorker("Old", age)
		a.PutRoute(topic, routeRecord{WorkerID: "workerOld", TabID: "tabOld", UpdatedAt: now, Generation: 4, ConfirmedAt: now})
		did := a.Subscribe(topic)
		if age <= ttl {
			t.Equal(law, fmt.Sprintf("the routes written while the owner is %d ms old", age), 0, countOf(did, "write route"))
			t.Equal(law, "what is subscribed then", 0, countOf(did, "tsub "+topic))
			continue
		}
		r := o.owner(law, fmt.Sprintf("when the owner is %d ms old", age), topic, a)
		t.Equal(law, "the generation of the takeover", 5, r.Generation)
		t.Equal(law, "what is subscribed then", 1, countOf(did, "tsub "+topic))
	}
}

func (t *busT) agesItself() {
	const law = "DATABUS-TTL-001"
	o := t.Origin()
	a := o.Tab("A")
	o.Advance(30_000)
	a.PutWorker("A", 3*ttl)
	did := a.Nudge()
	did = append(did, a.Subscribe("x")...)
	t.Equal(law, "how often it removes its own record", 0, countOf(did, "remove worker"))
	o.served(law, "a worker that nobody else counts", "x", a)
	o.Advance(heartbeat)
	w, found := o.Snapshot().Worker(a)
	t.Check(found && w.HeartbeatAt == start+33_000, law, "its heart still beats", "a heartbeat at 33000", jsonOf(w))
}

func (t *busT) sleepsLong() {
	const law = "DATABUS-TTL-001"
	o := t.Origin()
	a := o.Tab("A")
	a.Subscribe("x")
	o.Drain()
	a.Freeze()
	o.Pass(60_000)
	did := append(a.Thaw(), o.Pass(heartbeat)...)
	t.Equal(law, "how often it removes its own record", 0, countOf(did, "remove worker"))
	t.Equal(law, "how often it lets go of its topic", 0, countOf(did, "tunsub x"))
	r := o.owner(law, "when it woke", "x", a)
	t.Equal(law, "the generation of a topic whose owner slept alone", 1, r.Generation)
}

// phases are how long before its peer the tab that notices began, in ms.
func phases() []int64 { return []int64{0, 1, 500, 999, 1000, 1001, 1500, 2000, 2999} }

// A pair is one of the clusters of a sweep: an owner, and the tab that wants what it owns.
type pair struct {
	owner, other *tab
	phase        int64
}

// pairs makes a cluster for each phase. All owners beat for the last time now, and are dead.
func (t *busT) pairs(o *origin) []*pair {
	var all []*pair
	at := int64(0)
	for n, phase := range phases() {
		o.Pass(phase - at)
		at = phase
		p := &pair{phase: phase}
		p.other = o.TabWith(fmt.Sprintf("B%d", n), tabRequest{ClusterKey: fmt.Sprintf("k%d", n)})
		p.other.Start()
		all = append(all, p)
	}
	o.Advance(heartbeat - at)
	for n, p := range all {
		p.owner = o.TabWith(fmt.Sprintf("A%d", n), tabRequest{ClusterKey: fmt.Sprintf("k%d", n)})
		p.owner.Start()
		o.Drain()
		// Each of two equal workers gets one of two topics.
		p.other.Subscribe("own")
		o.Drain()
		p.other.Subscribe(fmt.Sprintf("x%d", n))
	}
	o.Drain()
	s := o.Snapshot()
	for _, p := range all {
		t.Check(len(s.Tab(p.owner).Server) == 1, "", "the second tab serves one of two topics", "one", jsonOf(s.Tab(p.owner).Server))
	}
	return all
}

func (t *busT) noticesInTime() {
	o := t.Origin()
	all := t.pairs(o)
	for _, p := range all {
		p.owner.Crash()
	}
	o.Advance(ttl)
	s := o.Snapshot()
	for _, p := range all {
		_, found := s.Worker(p.owner)
		t.Check(found, "DATABUS-TTL-002", fmt.Sprintf("phase %d: 10000 ms are not too long", p.phase), "a record", "none")
	}
	o.Advance(heartbeat)
	s = o.Snapshot()
	for _, p := range all {
		_, found := s.Worker(p.owner)
		t.Check(!found, "DATABUS-TTL-002", fmt.Sprintf("phase %d: dead at 13000 ms", p.phase), "no record", "a record")
		t.Check(len(s.Tab(p.other).Server) == 2, "DATABUS-LIVE-001", fmt.Sprintf("phase %d: who is left serves both topics", p.phase), "two",
			jsonOf(s.Tab(p.other).Server))
	}
}

func (t *busT) noticesLast() {
	o := t.Origin()
	b := o.Tab("B")
	o.Pass(2000)
	a := o.Tab("A")
	a.Crash()
	// B looks at 1000, 4000, 7000, 10000 and 13000 ms of silence: at 10000 it is too early.
	did := o.Advance(12_999)
	t.Equal("DATABUS-TTL-001", "how often the record is removed within 12999 ms", 0, countOf(did, "remove worker"))
	did = o.Advance(1).By(b)
	t.Equal("DATABUS-TTL-002", "how often at 13000 ms", 1, countOf(did, "remove worker"))
}

func (t *busT) noticedByAll() {
	const law = "DATABUS-TTL-002"
	o := t.OriginWith(originRequest{Storage: storageShared})
	a := o.Tab("A")
	b, c := o.Tab("B"), o.Tab("C")
	c.Subscribe("x")
	o.Drain()
	o.served("", "of equal workers the first is chosen", "x", a)
	a.Crash()
	o.Advance(heartbeat + ttl)
	for _, one := range []*tab{b, c} {
		did := one.Publish("x", "1")
		t.Equal(law, "what tab "+one.name+" sends to the dead", 0, len(did.Of(didPost).where(func(d *deed) bool {
			return viewed(d.Message).TargetWorkerID == a.worker
		})))
	}
	did := b.Subscribe("x")
	t.Equal(law, "what another subscriber has to do", 0, countOf(did, "write route"))
	o.Drain()
	o.single(law, "afterwards", "x")
}

func (t *busT) throttled() {
	const law = "DATABUS-TTL-003"
	o, a, _, _ := t.ownedByA(originRequest{}, "x")
	a.Freeze()
	o.Advance(60_000)
	r, _ := o.Snapshot().Route("x")
	t.Check(r.WorkerID != a.worker && r.Generation == 2, law, "one takeover", "another owner, generation 2", jsonOf(r))
	a.Thaw()
	o.Drain()
	o.Advance(120_000)
	again, _ := o.Snapshot().Route("x")
	t.Equal(law, "the owner two minutes after it woke", r.WorkerID, again.WorkerID)
	t.Equal(law, "the generation two minutes after the owner woke", r.Generation, again.Generation)
	o.single(law, "in the end", "x")
}

func (t *busT) publishPrunes() {
	const law = "DATABUS-TTL-004"
	o := t.Origin()
	a := o.Tab("A")
	o.Advance(20_000)
	now := o.Snapshot().Now
	a.PutWorker("Old", ttl+1)
	a.PutRoute("x", routeRecord{WorkerID: "workerOld", TabID: "tabOld", UpdatedAt: now, Generation: 4, ConfirmedAt: now})
	did := a.Publish("x", "1")
	t.Equal(law, "how often a publication removes a dead worker", 1, countOf(did, "remove worker"))
	t.Equal(law, "who publishes for the dead", 1, countOf(did, "tpub x"))
}
