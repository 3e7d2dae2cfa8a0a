package databustest

import (
	"fmt"
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// maxKnown is how many topics a tab can name from their keys (DATABUS-CACHE-001).
const maxKnown = 500

func cacheCases() []conformance.Case {
	return slices.Concat(cacheCapCases(), cacheOrderCases(), cacheMoveCases(), cacheOwnedCases())
}

// publishMany publishes to topics t{from} to t{to-1}, in one task.
func (t *tab) publishMany(from, to int) {
	var ops []batchItem
	for i := from; i < to; i++ {
		ops = append(ops, batchItem{Op: "publish", Topic: fmt.Sprintf("t%d", i), Data: []byte("1")})
	}
	t.Batch(ops...)
}

// knows says which of some topics a tab can name, in their order.
func (t *tab) knows(topics ...string) []string {
	known := t.o.Snapshot().Tab(t).Known
	out := []string{}
	for _, topic := range topics {
		if slices.Contains(known, hash(topic)) {
			out = append(out, topic)
		}
	}
	return out
}

// size is how many topics a tab can name.
func (t *tab) size() int { return len(t.o.Snapshot().Tab(t).Known) }

// owner opens two tabs, of which A owns x, which B subscribes, and own, which it subscribes itself.
func (t *busT) owner() (o *origin, a, b *tab) {
	o = t.Origin()
	a = o.Tab("A")
	a.Subscribe("x")
	a.Subscribe("own")
	b = o.Tab("B")
	b.Subscribe("x")
	a.Unsubscribe("x")
	o.Drain()
	o.owns(a, "x")
	o.owns(a, "own")
	return o, a, b
}

// cacheCapCases are about how big the cache becomes.
func cacheCapCases() []conformance.Case {
	const law = "DATABUS-CACHE-001"
	return []conformance.Case{
		one("cache/cap", "500 topics fit, and 501 do not", laws(law), needs(KnownTopics, Batches), func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			a.publishMany(0, maxKnown-1)
			t.Equal("", "each topic is known", maxKnown-1, a.size())
			a.publishMany(maxKnown-1, maxKnown)
			t.Equal(law, "after 500", maxKnown, a.size())
			a.publishMany(maxKnown, maxKnown+1)
			t.Equal(law, "after 501", maxKnown, a.size())
			a.publishMany(maxKnown+1, 700)
			t.Equal(law, "after 700", maxKnown, a.size())
		}),
		one("cache/cap-peers", "peers that name one topic after the other do not fill the memory",
			laws(law), needs(KnownTopics, Forges), func(t *busT) {
				o, a, b := t.pair()
				for i := range maxKnown + 20 {
					a.Inject(controlFrame(isPublish, fmt.Sprintf("t%d", i), b.worker, a.worker, "1"))
				}
				t.Equal(law, "after 520 of them", maxKnown, a.size())
				for i := range 20 {
					a.Inject(controlFrame(isUnsubscribe, fmt.Sprintf("u%d", i), b.worker, a.worker, ""))
				}
				t.Equal(law, "after 20 more", maxKnown, a.size())
				o.Settle()
				t.Check(a.size() <= maxKnown, law, "and later", "at most 500", fmt.Sprint(a.size()))
			}),
		one("cache/cap-owned", "an owned topic that came first does not lift the limit",
			laws(law, "DATABUS-CACHE-003"), needs(KnownTopics, Batches), func(t *busT) {
				o := t.Origin()
				a := o.Tab("A")
				a.Subscribe("own")
				a.publishMany(0, 2*maxKnown)
				t.Check(a.size() <= maxKnown+1, law, "500 topics and what is owned", "at most 501", fmt.Sprint(a.size()))
				t.Check(a.size() <= maxKnown+1, "DATABUS-CACHE-003", "500 topics and what is owned", "at most 501", fmt.Sprint(a.size()))
				t.Equal("", "the owned one is known", []string{"own"}, a.knows("own"))
			}),
	}
}

// cacheOrderCases are about what goes when the cache is full.
func cacheOrderCases() []conformance.Case {
	const law = "DATABUS-CACHE-002"
	return []conformance.Case{
		one("cache/fifo", "the topic that came first goes first", laws(law), needs(KnownTopics, Batches), func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			a.publishMany(0, maxKnown)
			t.Equal("", "the first are known", []string{"t0", "t1", "t2"}, a.knows("t0", "t1", "t2"))
			a.Publish("new1", "1")
			t.Equal(law, "one more", []string{"t1", "t2", "t499", "new1"}, a.knows("t0", "t1", "t2", "t499", "new1"))
			a.Publish("new2", "1")
			t.Equal(law, "two more", []string{"t2", "t499", "new1", "new2"}, a.knows("t0", "t1", "t2", "t499", "new1", "new2"))
		}),
		one("cache/no-refresh", "a topic that comes again keeps its place", laws(law), needs(KnownTopics, Batches), func(t *busT) {
			o := t.Origin()
			a := o.Tab("A")
			a.publishMany(0, maxKnown)
			a.Publish("t0", "1") // again
			a.Emit("t1", "1")    // a read
			t.Equal(law, "nothing goes for it", maxKnown, a.size())
			a.Publish("new1", "1")
			a.Publish("new2", "1")
			t.Equal(law, "the first two go", []string{"t2", "t3"}, a.knows("t0", "t1", "t2", "t3"))
		}),
		one("cache/owned-stays", "an owned topic does not go, however old", laws(law), needs(KnownTopics, Batches), func(t *busT) {
			o, a, b := t.owner()
			a.publishMany(0, 2*maxKnown)
			t.Equal(law, "both topics that A owns are known", []string{"x", "own"}, a.knows("x", "own"))
			t.Equal(law, "and the last one is", []string{"t999"}, a.knows("t999"))
			o.Drain()
			b.Subscribe("y")
			b.publishMany(0, 2*maxKnown)
			t.Equal(law, "a topic of another owner goes, though subscribed", []string{}, b.knows("x"))
		}),
		one("cache/newest-stays", "the topic that came last does not go, though all others are owned",
			laws(law), needs(KnownTopics, Forges), func(t *busT) {
				o := t.Origin()
				a := o.Tab("A")
				for i := range maxKnown {
					topic := fmt.Sprintf("own%d", i)
					o.Put(o.routeKey(topic), o.routeTo(topic, a, 1))
					a.Inject(controlFrame(isSubscribe, topic, "workerNobody", a.worker, ""))
				}
				t.Equal("", "500 topics are owned", maxKnown, len(o.Snapshot().Tab(a).Assigned))
				a.Publish("new", "1")
				t.Equal(law, "the new one is known, and the owned ones are", []string{"new", "own0", "own499"}, a.knows("new", "own0", "own499"))
				t.Equal(law, "none has gone", maxKnown+1, a.size())
			}),
	}
}

// cacheMoveCases are about what makes a topic known and what makes it forgotten.
func cacheMoveCases() []conformance.Case {
	const law = "DATABUS-CACHE-004"
	return []conformance.Case{
		one("cache/inserters", "subscribe, publish and each CONTROL to the worker make a topic known",
			laws(law), needs(KnownTopics, Forges), func(t *busT) {
				o, a, b := t.pair()
				b.Subscribe("x")
				t.Equal(law, "subscribe", []string{"x"}, b.knows("x"))
				t.Equal(law, "not before SUBSCRIBE arrives", []string{}, a.knows("x"))
				o.Drain()
				t.Equal(law, "SUBSCRIBE at its target", []string{"x"}, a.knows("x"))
				b.Publish("y", "1")
				t.Equal(law, "publish", []string{"y"}, b.knows("y"))
				o.Put(o.routeKey(isSubscribe), o.routeTo(isSubscribe, a, 1)) // without it a fenced worker takes no notice
				for _, action := range []string{isPublish, isUnsubscribe, isSubscribe} {
					a.Inject(controlFrame(action, action, b.worker, a.worker, "1"))
					t.Equal(law, action+" at its target", []string{action}, a.knows(action))
				}
			}),
		one("cache/no-inserters", "no other frame makes a topic known", laws(law), needs(KnownTopics, Forges), func(t *busT) {
			o, a, b := t.fanned()
			before := fmt.Sprint(o.Snapshot().Tab(b).Known)
			for _, action := range []string{isPublish, isUnsubscribe, isSubscribe} {
				b.Inject(controlFrame(action, "y", "workerZ", a.worker, "1"))
			}
			b.Inject(releaseOf("y", "workerZ", a.worker, 1))
			frame := o.eventFrame("x", "1")
			o.Drain()
			b.Inject(frame)
			b.Inject(registryFrame("workerZ"))
			t.Equal(law, "B knows what it knew", before, fmt.Sprint(o.Snapshot().Tab(b).Known))
		}),
		one("cache/unsubscribe", "unsubscribe forgets a topic that another owns", laws(law), needs(KnownTopics), func(t *busT) {
			o, a, b := t.fanned()
			b.Unsubscribe("x")
			t.Equal(law, "B forgets", []string{}, b.knows("x"))
			o.Drain()
			t.Equal(law, "A, which was told, does not", []string{"x"}, a.knows("x"))
		}),
		one("cache/unsubscribe-owner", "unsubscribe keeps a topic that the worker owns still",
			laws(law), needs(KnownTopics), func(t *busT) {
				o, a, b := t.fanned()
				a.Subscribe("x")
				o.Drain()
				a.Unsubscribe("x")
				t.Equal(law, "while another subscribes A keeps it", []string{"x"}, a.knows("x"))
				a.Subscribe("x")
				b.Unsubscribe("x")
				o.Drain()
				a.Unsubscribe("x")
				t.Equal(law, "as the last it forgets", []string{}, a.knows("x"))
			}),
		one("cache/drop", "a topic that goes to another worker is forgotten unless it is subscribed",
			laws(law), needs(KnownTopics, Forges), func(t *busT) {
				o, a, b := t.owner()
				o.Put(o.routeKey("x"), o.routeTo("x", b, 2))
				o.Put(o.routeKey("own"), o.routeTo("own", b, 2))
				a.Inject(registryFrame(b.worker))
				t.Equal("", "both are let go", 0, len(o.Snapshot().Tab(a).Assigned))
				t.Equal(law, "the one that it subscribes is known", []string{"own"}, a.knows("x", "own"))
			}),
		one("cache/stop", "stop forgets all topics, hiding does not", laws(law), needs(KnownTopics), func(t *busT) {
			o, a, _ := t.fanned()
			a.Subscribe("own")
			a.Publish("y", "1")
			o.Drain()
			a.PageHide()
			t.Equal(law, "a page that is hidden away", []string{"own", "y"}, a.knows("own", "y"))
			a.PageShow()
			o.Drain()
			a.Stop()
			t.Equal(law, "a bus that stopped", 0, a.size())
		}),
	}
}

// cacheOwnedCases are about topics that a worker owns, which it can always name.
func cacheOwnedCases() []conformance.Case {
	const law = "DATABUS-CACHE-005"
	return []conformance.Case{
		one("cache/alone", "a tab without a storage names what it owns after 600 others",
			laws(law), needs(Degrades, Batches), func(t *busT) {
				o := t.Origin()
				a := o.TabWith("A", tabRequest{NoStorage: true})
				a.Start()
				a.Subscribe("x")
				a.publishMany(0, 600)
				t.Equal(law, "the topic is assigned", []string{"x"}, o.Snapshot().Tab(a).Assigned)
				t.Equal(law, "its publications are taken", []string{"A x 1"}, called(o.Server("x", "1")))
				t.Equal(law, "it publishes itself", "A: tpub x 1", a.Publish("x", "1").Of(didTPub))
				t.Equal(law, "it names it when it lets go", "A: tunsub x", a.Unsubscribe("x").Of(didTUnsub))
			}),
		one("cache/replay", "an owner names its topics to the next connection after 600 others",
			laws(law), needs(Statuses, Batches), func(t *busT) {
				o, a, b := t.fanned()
				a.publishMany(0, 600)
				a.Status("disconnected")
				t.Equal(law, "it subscribes the topic", "A: tsub x", a.Status("connected").Of(didTSub))
				o.Settle()
				did := append(b.Unsubscribe("x"), o.Drain()...)
				t.Equal(law, "and leaves it", "A: tunsub x", did.Of(didTUnsub))
			}),
		one("cache/handoff", "an owner names its topics to its successor after 600 others", laws(law), needs(Batches), func(t *busT) {
			o, a, _ := t.fanned()
			a.publishMany(0, 600)
			did := append(a.PageHide(), o.Drain()...)
			t.Equal(law, "the next owner subscribes the topic", "B: tsub x", did.Of(didTSub))
		}),
	}
}
