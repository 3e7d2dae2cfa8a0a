package databustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// limitCases are about what is not promised, and what a target must not do instead.
func limitCases() []conformance.Case {
	return []conformance.Case{
		one("limit/two-alike", "two publications that are alike are two",
			laws("DATABUS-LIMIT-001", "DATABUS-INV-003"), nil, (*busT).deliversTwins),
		one("limit/lost-event", "an EVENT that is lost is not made up for",
			laws("DATABUS-LIMIT-001", "DATABUS-LIMIT-003"), nil, (*busT).losesEvent),
		one("limit/crash-window", "what is published while the owner is dead and nobody knows is lost, and comes from nowhere later",
			laws("DATABUS-LIMIT-002"), nil, (*busT).losesInWindow),
		one("limit/stable-owner", "of what comes to a stable owner nothing is lost",
			laws("DATABUS-LIMIT-002"), nil, (*busT).losesNothing),
		one("limit/no-replay-after-a-hide", "what was published while a page was away does not come when it is back",
			laws("DATABUS-LIMIT-003"), nil, (*busT).replaysNoHide),
		one("limit/no-replay-after-a-loss", "nor does what was published while there was no connection",
			laws("DATABUS-LIMIT-003"), needs(Statuses), (*busT).replaysNoLoss),
		one("limit/no-replay-to-a-newcomer", "nor what was published before somebody came",
			laws("DATABUS-LIMIT-003"), nil, (*busT).replaysNoPast),
		one("limit/two-owners", "two owners are one again when both have reconciled",
			laws("DATABUS-LIMIT-004"), needs(Freezes, Forges), (*busT).endsDouble),
		one("limit/two-owners-by-a-forged-frame", "so they are when somebody made the second one",
			laws("DATABUS-LIMIT-004", "DATABUS-LIMIT-005"), needs(Forges), (*busT).endsForged),
		one("limit/forged-frames", "frames that nobody would send do no lasting harm",
			laws("DATABUS-LIMIT-005"), needs(Forges), (*busT).survivesFrames),
		one("limit/forged-records", "records that nobody would write do none either",
			laws("DATABUS-LIMIT-005"), needs(Forges), (*busT).survivesRecords),
		one("limit/forged-topics", "a flood of topics is forgotten again",
			laws("DATABUS-LIMIT-005"), needs(Forges, KnownTopics), (*busT).survivesFlood),
	}
}

func (t *busT) deliversTwins() {
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	var did deeds
	for range 2 {
		did = append(did, o.Server("x", `{"n":1}`)...)
		did = append(did, o.Drain()...)
	}
	for _, one := range []*tab{a, c} {
		t.Equal("DATABUS-LIMIT-001", "how often tab "+one.name+" is called for two publications", 2, countOf(did.By(one), "dispatch x"))
		t.Check(countOf(did.By(one), "dispatch x") <= 2, "DATABUS-INV-003", "each of them comes once", "at most 2", did.By(one).String())
	}
}

func (t *busT) losesEvent() {
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	a.Emit("x", "1")
	for _, f := range o.OnWire(c, "EVENT") {
		o.Drop(f)
	}
	did := o.Settle()
	t.Equal("DATABUS-LIMIT-003", "how often it is called for what was lost", 0, countOf(did.By(c), "dispatch x"))
	did = append(o.Server("x", "2"), o.Drain()...)
	t.Equal("DATABUS-LIMIT-001", "how often for the next one", 1, countOf(did.By(c), "dispatch x"))
}

func (t *busT) losesInWindow() {
	const law = "DATABUS-LIMIT-002"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	a.Crash()
	did := append(c.Publish("x", "1"), o.Server("x", "2")...)
	did = append(did, o.Settle()...)
	t.Equal(law, "what is published late", []string{}, published(did))
	t.Equal(law, "whom a late publication reaches", 0, len(did.Of(didDispatch)))
	o.single(law, "afterwards", "x")
	did = append(c.Publish("x", "3"), o.Drain()...)
	t.Equal(law, "what is published afterwards", []string{"3"}, published(did))
	did = append(o.Server("x", "4"), o.Drain()...)
	t.Equal(law, "how often the subscriber is called afterwards", 1, countOf(did.By(c), "dispatch x"))
	t.Equal(law, "how often who wants nothing is", 0, len(did.By(b).Of(didDispatch)))
}

func (t *busT) losesNothing() {
	const law = "DATABUS-LIMIT-002"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	b.Subscribe("x")
	o.Drain()
	var want []string
	var did deeds
	for n := range 40 {
		want = append(want, fmt.Sprint(n))
		did = append(did, o.Server("x", fmt.Sprint(n))...)
		did = append(did, o.Advance(700)...)
	}
	for _, one := range []*tab{a, b, c} {
		got := []string{}
		for _, d := range did.By(one).Of(didDispatch) {
			got = append(got, string(d.Data))
		}
		t.Equal(law, "what comes to tab "+one.name, want, got)
	}
}

func (t *busT) replaysNoHide() {
	const law = "DATABUS-LIMIT-003"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	a.PageHide()
	o.Drain()
	o.Server("x", "1")
	o.Drain()
	a.Publish("x", "2")
	a.Publish("free", "3")
	did := append(a.PageShow(), o.Settle()...)
	t.Equal(law, "what its handlers are called for", 0, len(did.By(a).Of(didDispatch)))
	t.Equal(law, "what it publishes late", []string{}, published(append(did.By(a), did.By(b)...)))
}

func (t *busT) replaysNoLoss() {
	const law = "DATABUS-LIMIT-003"
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	a.Emit("x", "0")
	o.Drain()
	a.Status("error")
	o.Drain()
	did := o.Server("x", "1")
	did = append(did, o.Advance(cooldown)...)
	did = append(did, o.Settle()...)
	t.Equal(law, "what comes of what was published meanwhile", 0, len(did.Of(didDispatch)))
	did = append(o.Server("x", "2"), o.Drain()...)
	t.Equal(law, "what comes afterwards", 1, countOf(did.By(c), "dispatch x"))
}

func (t *busT) replaysNoPast() {
	const law = "DATABUS-LIMIT-003"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	o.Server("x", "1")
	o.Drain()
	did := append(b.Subscribe("x"), a.Unsubscribe("x")...)
	did = append(did, a.Subscribe("x")...)
	did = append(did, o.Settle()...)
	t.Equal(law, "what a newcomer is called for", 0, len(did.Of(didDispatch)))
}

func (t *busT) endsDouble() {
	const law = "DATABUS-LIMIT-004"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	a.Freeze()
	o.Advance(heartbeat + ttl)
	t.Check(len(o.Snapshot().Served("x")) == 2, "", "a sleeping owner and its successor both hold the topic", "two", jsonOf(o.Snapshot().Served("x")))
	a.Thaw()
	o.Drain()
	a.Nudge()
	b.Nudge()
	o.Drain()
	o.single(law, "when both have reconciled", "x")
}

func (t *busT) endsForged() {
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	b.Inject(controlFrame("SUBSCRIBE", "x", c.worker, b.worker, ""))
	for _, one := range []*tab{a, b} {
		one.Nudge()
	}
	o.Drain()
	o.single("DATABUS-LIMIT-004", "when both have reconciled", "x")
	o.Settle()
	o.served("DATABUS-LIMIT-005", "in the end", "x", a)
}

// forged are messages that no tab would send.
func forged(from, to string) []string {
	long := fmt.Sprintf("%01000d", 0)
	return []string{
		`null`, `0`, `""`, `"REGISTRY"`, `[]`, `{}`, `[{"type":"CONTROL"}]`, `{"type":null}`, `{"type":7}`, `{"type":"CONTROL"}`,
		`{"type":"EVENT"}`, `{"type":"REGISTRY"}`, `{"type":"ROUTE_RELEASED"}`, `{"type":"constructor"}`, `{"type":"` + long + `"}`,
		`{"type":"EVENT","sourceWorkerId":"workerZ","eventType":"DATABUS_PUBLICATION"}`,
		`{"type":"EVENT","sourceWorkerId":"workerZ","eventType":"DATABUS_PUBLICATION","payload":null}`,
		`{"type":"EVENT","sourceWorkerId":"workerZ","eventType":"DATABUS_PUBLICATION","payload":{"topic":7}}`,
		`{"type":"EVENT","sourceWorkerId":"workerZ","eventType":"DATABUS_PUBLICATION","payload":{"topic":"__proto__","data":1}}`,
		controlFrame("EXPLODE", "x", from, to, ""), controlFrame("UNSUBSCRIBE", "never", from, to, ""),
		controlFrame("PUBLISH", "never", from, to, ""), controlFrame("SUBSCRIBE", long, from, to, ""), releaseOf("x", from, to, -1), releaseOf("never", from, to, 1<<53),
		`{"type":"CONTROL","action":"SUBSCRIBE","topic":{},"topicKey":[],"sourceWorkerId":1,"targetWorkerId":"` + to + `"}`,
		`{"type":"ROUTE_RELEASED","topic":"x","topicKey":"` + hash("x") + `","sourceWorkerId":"` + from + `","targetWorkerId":"` + to + `","generation":"1"}`,
	}
}

func (t *busT) survivesFrames() {
	const law = "DATABUS-LIMIT-005"
	o, a, _, c := t.ownedByA(originRequest{}, "x")
	for _, one := range []*tab{a, c} {
		for _, message := range forged("workerZ", one.worker) {
			one.Inject(message)
			o.Drain()
		}
	}
	o.Settle()
	o.single(law, "after all that", "x")
	did := append(o.Server("x", "1"), o.Drain()...)
	t.Equal(law, "how often each subscriber is called", 2, countOf(did, "dispatch x"))
	c.Subscribe("y")
	o.Settle()
	o.single(law, "a new topic", "y")
}

func (t *busT) survivesRecords() {
	const law = "DATABUS-LIMIT-005"
	o, a, b, _ := t.ownedByA(originRequest{}, "x")
	for n, value := range []string{"", "{", "null", "[]", "7", `"x"`, `{"workerId":{}}`, `{"workerId":"workerZ","tabId":"tabZ","heartbeatAt":"now"}`, `{"a":1}`} {
		o.Put(a.key("worker", fmt.Sprintf("workerZ%d", n)), value)
		o.Put(a.key("route", hash(fmt.Sprintf("y%d", n))), value)
		o.Put(a.key("subscriber", hash("x"), fmt.Sprintf("tabZ%d", n)), value)
		b.Subscribe(fmt.Sprintf("y%d", n))
		o.Drain()
	}
	o.Settle()
	for n := range 9 {
		o.single(law, "a topic with a bad route", fmt.Sprintf("y%d", n))
	}
	o.served(law, "a topic beside them", "x", a)
}

func (t *busT) survivesFlood() {
	const law = "DATABUS-LIMIT-005"
	o, a, b, c := t.ownedByA(originRequest{}, "x")
	for n := range 600 {
		b.Inject(controlFrame("UNSUBSCRIBE", fmt.Sprintf("flood%d", n), c.worker, b.worker, ""))
	}
	t.Check(len(o.Snapshot().Tab(b).Known) <= 500, law, "what it keeps of 600 topics", "at most 500", fmt.Sprint(len(o.Snapshot().Tab(b).Known)))
	o.Settle()
	o.served(law, "afterwards", "x", a)
}
