package databustest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

func batchCases() []conformance.Case {
	return slices.Concat(batchTaskCases(), batchRetryCases(), batchFailureCases(), batchLeaveCases())
}

// subscribersOf is Subscribers of several topics.
func (s *snapshot) subscribersOf(topics ...string) [][]string {
	var out [][]string
	for _, topic := range topics {
		out = append(out, s.Subscribers(topic))
	}
	return out
}

// batchTaskCases are about the writes of one task.
func batchTaskCases() []conformance.Case {
	const law, read = "DATABUS-BATCH-001", "DATABUS-BATCH-002"
	return []conformance.Case{
		one("batch/one-write", "a task writes each key once, with what it was last", laws(law), nil, func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			did := a.Subscribe("x")
			keys := map[string]int{}
			for _, d := range did.Of(didWrite, didRemove) {
				keys[d.Key]++
			}
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				t.Equal(law, "how often a task writes "+key, 1, keys[key])
			}
			s := o.Snapshot()
			r, _ := s.Route("x")
			w, _ := s.Worker(a)
			t.Equal(law, "route confirmed and topic counted", "true 1", fmt.Sprint(r.ConfirmedAt > 0, w.Load))
		}),
		one("batch/set-and-delete", "of a record that is written and removed in one task only the removal is left",
			laws(law), needs(Batches), func(t *busT) {
				o := t.Origin()
				a := o.Tab("A")
				x := func(op string) batchItem { return batchItem{Op: op, Topic: "x", Handler: "h"} }
				did := a.Batch(x("subscribe"), x("unsubscribe"), x("subscribe"), x("unsubscribe"))
				t.quiet(law, "no subscriber is written", did.Family("subscriber"), didWrite)
				t.quiet(law, "no route is written", did.Family("route"), didWrite)
				t.Check(len(did.Family("subscriber")) <= 1, law, "the record is removed at most once", "1", did.String())
				t.Equal(law, "nothing is left", fmt.Sprint(0, 0), fmt.Sprint(len(o.Snapshot().routes), len(o.Snapshot().subscribers)))
				did = a.Batch(x("subscribe"), x("unsubscribe"), x("subscribe"))
				t.Equal(law, "the last one counts", "write write", fmt.Sprint(kindsOf(did.Family("subscriber")), " ", kindsOf(did.Family("route"))))
			}),
		one("batch/one-pass", "what several tasks wrote goes in one pass when it goes",
			laws(law), needs(ManualFlush, PendingKeys), func(t *busT) {
				o := t.OriginWith(originRequest{Flush: flushManual})
				a := o.startFlushed("A")
				did := append(a.Subscribe("x"), a.Subscribe("y")...)
				did = append(did, a.Unsubscribe("x")...)
				t.quiet(law, "nothing is written before", did, didWrite, didRemove)
				pending := o.Snapshot().Tab(a).Pending
				t.Check(slices.Contains(pending, o.subscriberKey("y", a)), law, "the keys wait", "the subscriber of y", strings.Join(pending, " "))
				did = a.Flush()
				t.Equal(law, "all waiting keys are applied", len(pending), len(did.Of(didWrite, didRemove)))
				t.Equal(law, "nothing waits any more", 0, len(o.Snapshot().Tab(a).Pending))
				t.Equal(law, "x is gone, y is there", [][]string{nil, {a.id}}, o.Snapshot().subscribersOf("x", "y"))
			}),
		one("batch/own-view", "a tab sees what it has not written yet", laws(read), needs(ManualFlush), func(t *busT) {
			o := t.OriginWith(originRequest{Flush: flushManual})
			a := o.startFlushed("A")
			a.Subscribe("x")
			t.Equal(read, "its own route, when it leaves", "A: tunsub x", a.Unsubscribe("x").Of(didTUnsub))
			did := a.Subscribe("x")
			t.Equal(read, "its own removal, when it comes again", "A: tsub x", did.Of(didTSub))
			a.Flush()
			r, _ := o.Snapshot().Route("x")
			t.Equal(read, "the route began anew", int64(1), r.Generation)
		}),
		one("batch/own-removals", "a tab does not see what it has removed", laws(read), needs(ManualFlush), func(t *busT) {
			o := t.OriginWith(originRequest{Flush: flushManual})
			a := o.startFlushed("A")
			b := o.startFlushed("B")
			b.Subscribe("x")
			b.Flush()
			o.drainFlushed()
			o.owns(a, "x")
			b.Unsubscribe("x")
			t.Equal("", "the route is stored still", a.worker, o.Snapshot().Owner("x"))
			t.quiet(read, "B finds no owner to publish to", posted(b.Publish("x", "1"), isPublish), didPost)
			did := b.Subscribe("x")
			t.Equal(read, "B finds no route", 1, len(posted(did, isSubscribe))+len(did.Of(didTSub)))
		}),
		one("batch/own-listing", "a tab finds what it has not written yet among all records", laws(read),
			needs(ManualFlush, Forges), func(t *busT) {
				o := t.OriginWith(originRequest{Flush: flushManual})
				a := o.startFlushed("A")
				for range 4 {
					o.Pass(heartbeat)
					a.Flush()
				}
				o.Put(o.routeKey("x"), fmt.Sprintf(`{"topicKey":%q,"workerId":%q,"tabId":%q,"updatedAt":%d,"generation":7,"confirmedAt":%d}`,
					hash("x"), a.worker, a.id, start, start))
				a.Subscribe("x")
				a.Inject(registryFrame("workerZ"))
				t.Equal(read, "then the record is written", 1, len(a.Flush().Family("subscriber")))
				r, _ := o.Snapshot().Route("x")
				t.Equal(read, "a route that only it subscribes is not collected", int64(7), r.Generation)
			}),
		one("batch/others-view", "other tabs see writes and removals only when they are made",
			laws(read), needs(ManualFlush), func(t *busT) {
				o := t.OriginWith(originRequest{Flush: flushManual})
				a := o.startFlushed("A")
				b := o.startFlushed("B")
				a.Subscribe("x")
				t.Equal(read, "B finds no owner", "B: tpub x 1", b.Publish("x", "1").Of(didTPub))
				a.Flush()
				t.Equal(read, "once written B finds it", []string{a.worker}, targets(posted(b.Publish("x", "2"), isPublish)))
				a.Unsubscribe("x")
				t.Equal(read, "a removal B does not see", []string{a.worker}, targets(posted(b.Publish("x", "3"), isPublish)))
				a.Flush()
				t.Equal(read, "once made B does", "B: tpub x 4", b.Publish("x", "4").Of(didTPub))
			}),
	}
}

// slow is a tab whose heartbeat does not come between its retries.
func (o *origin) slow() *tab {
	a := o.TabWith("A", tabRequest{Heartbeat: 1_000_000, TTL: 3_000_000})
	a.Start()
	o.Drain()
	return a
}

// refusals says how long after a moment writes were refused, each time once.
func refusals(did deeds, since int64) []int64 {
	out := []int64{}
	for _, d := range did.Of(didRefused) {
		out = append(out, d.At-since)
	}
	return slices.Compact(out)
}

// batchRetryCases are about when a failed write is tried again.
func batchRetryCases() []conformance.Case {
	const law = "DATABUS-BATCH-003"
	return []conformance.Case{
		one("batch/delays", "a failed write is tried again after 50, 100, 200, 400, 800, 1600, 1600 ms",
			laws(law), needs(Failures), func(t *busT) {
				o := t.Origin()
				a := o.slow()
				a.FailWrites(-1)
				did := append(a.Subscribe("x"), o.Advance(8000)...)
				t.Equal(law, "tries", []int64{0, 50, 150, 350, 750, 1550, 3150, 4750, 6350, 7950}, refusals(did, start))
				a.FailWrites(0)
				t.quiet(law, "not a millisecond early", o.Advance(1549), didWrite, didRefused)
				o.Advance(1)
				t.Equal(law, "the next try succeeds", []string{a.id}, o.Snapshot().Subscribers("x"))
				t.quiet(law, "and nothing is tried again", o.Advance(8000), didWrite, didRefused)
			}),
		one("batch/reset", "a pass that succeeds brings the delay back to 50 ms", laws(law), needs(Failures), func(t *busT) {
			o := t.Origin()
			a := o.slow()
			for i, topic := range []string{"x", "y", "z"} {
				since := o.Snapshot().Now
				a.FailWrites(-1)
				did := append(a.Subscribe(topic), o.Advance(349)...)
				t.Equal(law, fmt.Sprintf("tries of round %d", i+1), []int64{0, 50, 150}, refusals(did, since))
				a.FailWrites(0)
				o.Advance(1)
				t.Equal(law, "the next try succeeds", []string{a.id}, o.Snapshot().Subscribers(topic))
			}
		}),
		one("batch/one-timer", "writes that come while a retry is due do not make another", laws(law), needs(Failures), func(t *busT) {
			o := t.Origin()
			a := o.slow()
			a.FailWrites(-1)
			a.Subscribe("x")
			a.Subscribe("y")
			a.Publish("w", "1")
			a.Subscribe("z")
			// Whether what fails at once for a new write makes the delay grow is not said.
			tries, delays := refusals(o.Advance(1600), start), "50 100 200 400 800"
			var waited []string
			for i, at := range tries {
				if i > 0 {
					at -= tries[i-1]
				}
				waited = append(waited, fmt.Sprint(at))
			}
			got := strings.Join(waited, " ")
			t.Check(len(tries) > 2 && strings.HasSuffix(delays, got), law, "how long it waits for each try", "an end of "+delays, got)
		}),
	}
}

// batchFailureCases are about a storage that fails.
func batchFailureCases() []conformance.Case {
	const order, harmless = "DATABUS-BATCH-004", "DATABUS-BATCH-005"
	return []conformance.Case{
		one("batch/blocks", "the first write that fails holds up the rest, in their order",
			laws(order), needs(Failures, PendingKeys), func(t *busT) {
				o := t.Origin()
				a := o.slow()
				a.FailWrites(1)
				did := a.Subscribe("x")
				var refused []string
				for _, d := range did.Of(didRefused) {
					refused = append(refused, d.Key)
				}
				t.Equal(order, "the subscriber record is refused, and nothing else tried", []string{o.subscriberKey("x", a)}, refused)
				t.quiet(order, "nothing is written", did, didWrite)
				pending := o.Snapshot().Tab(a).Pending
				t.Check(len(pending) >= 3, order, "all wait", "subscriber, route and worker", strings.Join(pending, " "))
				var written []string
				did = o.Advance(50).Of(didWrite, didRemove)
				for _, d := range did {
					written = append(written, d.Key)
				}
				t.Equal(order, "they are written in the order in which they waited", pending, written)
				t.Equal(order, "subscriber before route", []string{"subscriber", "route"}, families(did))
			}),
		one("batch/blocks-later", "what is wanted later waits behind what failed, but a key keeps its place",
			laws(order), needs(Failures, PendingKeys), func(t *busT) {
				o := t.Origin()
				a := o.slow()
				a.FailWrites(-1)
				a.Subscribe("x")
				a.Subscribe("y")
				a.Unsubscribe("x")
				pending := o.Snapshot().Tab(a).Pending
				x, y := slices.Index(pending, o.subscriberKey("x", a)), slices.Index(pending, o.subscriberKey("y", a))
				t.Check(x >= 0 && x < y, order, "x, which came first, is before y", "x before y", strings.Join(pending, " "))
				a.FailWrites(0)
				did := o.Advance(5000)
				t.Equal(order, "x is removed, y is written", [][]string{nil, {a.id}}, o.Snapshot().subscribersOf("x", "y"))
				t.Equal(order, "in that order", "remove, write", kindsOf(did.Family("subscriber")))
			}),
		one("batch/forever", "a write that fails is tried without limit", laws(order), needs(Failures), func(t *busT) {
			o := t.Origin()
			a := o.slow()
			a.FailWrites(-1)
			did := append(a.Subscribe("x"), o.Advance(100_000)...)
			t.Check(len(did.Of(didRefused)) > 60, order, "tries in 100 s", "more than 60", fmt.Sprint(len(did.Of(didRefused))))
			a.FailWrites(0)
			o.Advance(1600)
			t.Equal(order, "it is made in the end", []string{a.id}, o.Snapshot().Subscribers("x"))
		}),
		one("batch/useless-storage", "a storage that takes nothing stops no subscription and no publication",
			laws(harmless), needs(Failures), func(t *busT) {
				o := t.Origin()
				a := o.Tab("A")
				a.FailWrites(-1)
				var r didReply
				thrown := t.Ask("subscribe", handlerRequest{Tab: a.name, Topic: "x", Handler: "x"}, &r)
				t.Check(thrown == nil, harmless, "subscribe returns normally", "nothing thrown", fmt.Sprint(thrown))
				t.Equal(harmless, "the transport subscribes", "A: tsub x", o.noted(r.Did).Of(didTSub))
				t.Equal(harmless, "publications arrive", []string{"A x 1"}, called(o.Server("x", "1")))
				t.Equal(harmless, "publications leave", "A: tpub x 2", a.Publish("x", "2").Of(didTPub))
				o.Settle()
				t.Equal(harmless, "later too", []string{"A x 3"}, called(o.Server("x", "3")))
				t.Equal(harmless, "the transport unsubscribes", "A: tunsub x", a.Unsubscribe("x").Of(didTUnsub))
				a.FailWrites(0)
				o.Settle()
				s := o.Snapshot()
				held := fmt.Sprint(len(s.routes), len(s.subscribers), len(s.workers))
				t.Equal(harmless, "once it works again it holds what is", "0 0 1", held)
			}),
		one("batch/useless-for-owner", "an owner whose writes fail serves the others", laws(harmless), needs(Failures), func(t *busT) {
			o, a, b := t.fanned()
			a.FailWrites(-1)
			b.Subscribe("y")
			o.Drain()
			a.Subscribe("x")
			did := append(o.Server("x", "1"), o.Drain()...)
			t.Equal(harmless, "handlers here and there are called", []string{"A x 1", "B x 1"}, calledAnyOrder(did))
			b.Publish("x", "2")
			t.Equal(harmless, "and publications of others are made", "A: tpub x 2", o.Drain().Of(didTPub))
		}),
	}
}

// batchLeaveCases are about what is written when a tab leaves.
func batchLeaveCases() []conformance.Case {
	const law = "DATABUS-BATCH-006"
	stored := func(t *busT, o *origin, a, b *tab, did deeds) {
		s := o.Snapshot()
		_, there := s.Worker(a)
		t.Equal(law, "no own record is left", false, there)
		t.Equal(law, "the route names the next owner", b.worker, s.Owner("x"))
		t.Equal(law, "the own subscriptions are gone", [][]string{{b.id}, nil}, s.subscribersOf("x", "late"))
		if v := s.Tabs[a.name]; v != nil {
			t.Equal(law, "nothing waits", 0, len(v.Pending))
		}
		t.quiet(law, "nothing is written later", o.Pass(2*heartbeat).By(a), didWrite, didRemove)
		t.Check(len(did.Of(didWrite, didRemove)) > 0, law, "it was written at once", "writes", did.String())
	}
	manual := func(t *busT) (o *origin, a, b *tab) {
		o = t.OriginWith(originRequest{Flush: flushManual})
		a, b = o.startFlushed("A"), o.startFlushed("B")
		b.Subscribe("x")
		b.Flush()
		o.drainFlushed()
		o.owns(a, "x")
		a.Subscribe("x")
		a.Subscribe("late")
		return o, a, b
	}
	return []conformance.Case{
		one("batch/pagehide", "pagehide writes what waits before it returns", laws(law), needs(ManualFlush), func(t *busT) {
			o, a, b := manual(t)
			stored(t, o, a, b, a.PageHide())
		}),
		one("batch/stop", "stop writes what waits before it returns", laws(law), needs(ManualFlush), func(t *busT) {
			o, a, b := manual(t)
			stored(t, o, a, b, a.Stop())
		}),
		one("batch/pagehide-retry", "pagehide does not wait for a retry that is due", laws(law), needs(Failures), func(t *busT) {
			o, a, b := t.fanned()
			a.FailWrites(-1)
			a.Subscribe("x")
			a.Subscribe("late")
			o.Advance(3000)
			a.FailWrites(0)
			stored(t, o, a, b, a.PageHide())
		}),
	}
}
