package databustest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

func registryCases() []conformance.Case {
	return slices.Concat(registrySentCases(), registryReceivedCases(), registryLostCases(), registryLastCases())
}

// nudges wants a tab to have nudged the others at least once.
func (t *busT) nudges(reason string, did deeds, by *tab) {
	sent := posted(did.By(by), isRegistry)
	t.Check(len(sent) > 0, "DATABUS-REGISTRY-001", reason, "a REGISTRY of "+by.name, did.String())
}

// registrySentCases are about when tabs nudge each other.
func registrySentCases() []conformance.Case {
	const law = "DATABUS-REGISTRY-001"
	return []conformance.Case{
		one("registry/own-record", "start, status, visibility and load are followed by a nudge", laws(law), needs(Statuses), func(t *busT) {
			o := t.Origin()
			a := o.TabWith("A", tabRequest{})
			t.nudges("start", a.Start(), a)
			b := o.Tab("B")
			for _, status := range []string{"disconnected", "connecting", "connected", "error"} {
				t.nudges("status "+status, a.Status(status), a)
				o.Drain()
			}
			a.Status("connected")
			for _, state := range []string{"hidden", "visible"} {
				t.nudges(state, a.Visibility(state), a)
				o.Drain()
			}
			b.Subscribe("x")
			t.nudges("a topic more at its owner", o.Deliver(o.firstTo(a, isSubscribe)), a)
			o.Drain()
			b.Unsubscribe("x")
			t.nudges("a topic less at its owner", o.Deliver(o.firstTo(a, isUnsubscribe)), a)
		}),
		one("registry/route", "a route that is made or given to another is followed by a nudge", laws(law), nil, func(t *busT) {
			o, a, b := t.pair()
			c := o.Tab("C")
			t.nudges("a new route", c.Subscribe("x"), c)
			o.Drain()
			o.owns(a, "x")
			a.Crash()
			did := o.Advance(ttl + heartbeat)
			t.Equal("", "B took over", b.worker, o.Snapshot().Owner("x"))
			t.nudges("a takeover", did, c)
		}),
		one("registry/leave", "a tab that leaves nudges last of all", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			for _, leaver := range []*tab{a, c} {
				did := leaver.PageHide()
				t.nudges("pagehide", did, leaver)
				last := ""
				for _, d := range did.Of(didPost) {
					last = viewed(d.Message).kind()
				}
				t.Equal(law, "nothing is sent after it", isRegistry, last)
				o.Drain()
			}
			did := b.Stop()
			t.nudges("stop", did, b)
		}),
		one("registry/heartbeat", "a heartbeat that changes nothing is not followed by a nudge", laws(law), nil, func(t *busT) {
			o, _, b := t.fanned()
			b.Subscribe("y")
			o.Settle()
			did := o.Advance(4 * heartbeat)
			t.Check(len(did.Family("worker")) >= 8, "", "both tabs beat", "8 writes", did.String())
			t.quiet(law, "nothing is sent", did, didPost)
		}),
		one("registry/frame", "a nudge carries nothing but who sent it", laws("DATABUS-REGISTRY-002"), nil, func(t *busT) {
			o, _, b := t.fanned()
			b.Visibility("hidden")
			for _, d := range posted(o.all, isRegistry) {
				members := map[string]json.RawMessage{}
				_ = json.Unmarshal(d.Message, &members)
				t.Equal("DATABUS-REGISTRY-002", "the members of a REGISTRY", []string{"sourceWorkerId", "type"}, slices.Sorted(maps.Keys(members)))
				t.Equal("DATABUS-REGISTRY-002", "who a REGISTRY says it is of", "worker"+d.Tab, viewed(d.Message).SourceWorkerID)
			}
		}),
	}
}

// registryReceivedCases are about what a nudge sets off.
func registryReceivedCases() []conformance.Case {
	const law = "DATABUS-REGISTRY-002"
	return []conformance.Case{
		one("registry/takeover", "a nudge has a subscriber replace a dead owner at once", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			a.Crash()
			o.Advance(ttl + 1)
			t.Equal("", "the dead owner stands", a.worker, o.Snapshot().Owner("x"))
			c.Visibility("hidden")
			did := o.Drain()
			s := o.Snapshot()
			t.Equal(law, "a live worker owns the topic without a heartbeat", b.worker, s.Owner("x"))
			t.Equal(law, "its transport is asked", "B: tsub x", did.Of(didTSub))
		}),
		one("registry/asks-again", "a nudge has a subscriber ask an owner that has not confirmed", laws(law), nil, func(t *busT) {
			o, a, b := t.pair()
			c := o.Tab("C")
			b.Subscribe("x")
			for _, f := range o.Wire() {
				o.Drop(f)
			}
			c.Visibility("hidden")
			did := o.Drain()
			t.Equal(law, "SUBSCRIBE is sent again", []string{a.worker}, targets(posted(did, isSubscribe)))
			o.owns(a, "x")
		}),
		one("registry/full", "a nudge has a tab do everything that a heartbeat would", laws(law), needs(Forges), func(t *busT) {
			o, a, b := t.fanned()
			b.Subscribe("y")
			o.Drain()
			owner := o.Snapshot().Owner("y")
			t.Equal("", "the topics have an owner each", b.worker, owner)
			nobody := &tab{id: "tabZ", worker: "workerZ"}
			orphan := o.routeTo("z", nobody, 1)
			o.Advance(ttl + 1)
			o.Put(o.subscriberKey("z", nobody), fmt.Sprintf(`{"topicKey":%q,"tabId":"tabZ","updatedAt":1}`, hash("z")))
			o.Put(o.routeKey("z"), orphan)
			o.Put(o.key("worker", "workerZ"), deadWorker)
			o.Remove(o.subscriberKey("x", b))
			o.Put(o.routeKey("y"), o.routeTo("y", a, 2))
			did := b.Inject(registryFrame(a.worker))
			s := o.Snapshot()
			_, dead := s.workers["workerZ"]
			t.Equal(law, "the dead worker goes", false, dead)
			t.Equal(law, "the orphan subscriber goes", []string(nil), s.Subscribers("z"))
			_, routed := s.Route("z")
			t.Equal(law, "the orphan route goes", false, routed)
			t.Equal(law, "the own record is written again", []string{b.id}, s.Subscribers("x"))
			t.Equal(law, "the topic that another owns is let go", "B: tunsub y", did.Of(didTUnsub))
		}),
		one("registry/each", "each nudge reconciles, however many come", laws(law), needs(Forges), func(t *busT) {
			o, a, b := t.fanned()
			for range 3 {
				o.Remove(o.subscriberKey("x", b))
				b.Inject(registryFrame(a.worker))
				t.Equal(law, "the own record is written again", []string{b.id}, o.Snapshot().Subscribers("x"))
			}
		}),
	}
}

// deadWorker is a record whose time was over when the clocks of cases began.
const deadWorker = `{"workerId":"workerZ","tabId":"tabZ","load":0,"role":"active","status":"connected","visibilityState":"visible",` +
	`"heartbeatAt":1,"registeredAt":1}`

// loseNudges loses each REGISTRY under way, and lets all other frames arrive, and those that they set off.
func (o *origin) loseNudges() {
	for frames := o.Wire(); len(frames) > 0; frames = o.Wire() {
		if viewed(frames[0].Message).kind() == isRegistry {
			o.Drop(frames[0])
		} else {
			o.Deliver(frames[0])
		}
	}
}

// registryLostCases are about nudges that do not arrive.
func registryLostCases() []conformance.Case {
	const law = "DATABUS-REGISTRY-003"
	return []conformance.Case{
		one("registry/lost-takeover", "without nudges a dead owner is replaced within one heartbeat", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			c := o.Tab("C")
			a.Crash()
			o.Advance(ttl + 1)
			c.Visibility("hidden")
			o.loseNudges()
			o.Advance(heartbeat)
			t.Equal(law, "a live worker owns the topic", b.worker, o.Snapshot().Owner("x"))
			t.Equal(law, "and serves it", []string{"B"}, o.Snapshot().Served("x"))
		}),
		one("registry/lost-record", "without nudges a lost record is written within one heartbeat",
			laws(law), needs(Forges), func(t *busT) {
				o, _, b := t.fanned()
				o.Remove(o.subscriberKey("x", b))
				o.Advance(heartbeat)
				t.Equal(law, "the own record is written again", []string{b.id}, o.Snapshot().Subscribers("x"))
			}),
		one("registry/lost-all", "all nudges of a life can be lost", laws(law), nil, func(t *busT) {
			o := t.Origin()
			a, b, c := o.TabWith("A", tabRequest{}), o.TabWith("B", tabRequest{}), o.TabWith("C", tabRequest{})
			steps := []func() deeds{
				a.Start, b.Start, c.Start,
				func() deeds { return b.Subscribe("x") }, func() deeds { return c.Subscribe("x") }, a.PageHide,
			}
			for _, step := range steps {
				step()
				o.loseNudges()
				o.Pass(heartbeat)
				o.loseNudges()
			}
			s := o.Snapshot()
			t.Equal(law, "one worker serves the topic", fmt.Sprint(1, 1), fmt.Sprint(len(s.Assigned("x")), len(s.Served("x"))))
			t.Equal(law, "both subscribe", []string{b.id, c.id}, s.Subscribers("x"))
		}),
	}
}

// registryLastCases are about the last nudge of a tab that leaves.
func registryLastCases() []conformance.Case {
	const law = "DATABUS-REGISTRY-004"
	// written wants everything that is written to come before the last REGISTRY, and the own record to be gone.
	written := func(t *busT, o *origin, did deeds, a *tab, next string) {
		did = did.By(a).Of(didWrite, didRemove, didPost)
		last := len(did) - 1
		nudged := last > 0 && viewed(did[last].Message).kind() == isRegistry
		if !t.Check(nudged, law, "the nudge comes after all writes", "REGISTRY at last", did.String()) {
			return
		}
		t.Check(len(did.Family("worker").Of(didRemove)) == 1, law, "the own record is removed before it", "one removal", did.String())
		s := o.Snapshot()
		_, there := s.Worker(a)
		t.Equal(law, "the own record is gone", false, there)
		t.Equal(law, "the route names the next owner", next, s.Owner("x"))
	}
	return []conformance.Case{
		one("registry/after-pagehide", "on pagehide everything is stored before the nudge", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			a.Subscribe("x")
			o.Drain()
			written(t, o, a.PageHide(), a, b.worker)
		}),
		one("registry/after-stop", "on stop everything is stored before the nudge", laws(law), nil, func(t *busT) {
			o, a, b := t.fanned()
			a.Subscribe("x")
			o.Drain()
			written(t, o, a.Stop(), a, b.worker)
		}),
		one("registry/after-flush", "what waits to be written is written before the nudge", laws(law), needs(ManualFlush), func(t *busT) {
			o := t.OriginWith(originRequest{Flush: flushManual})
			a := o.startFlushed("A")
			b := o.startFlushed("B")
			b.Subscribe("x")
			b.Flush()
			o.drainFlushed()
			o.owns(a, "x")
			a.Subscribe("late")
			a.Visibility("hidden")
			written(t, o, a.PageHide(), a, b.worker)
		}),
	}
}
