package databustest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// keyCases are about the names under which coordination is stored, and about what must not stand there.
func keyCases() []conformance.Case {
	return []conformance.Case{
		one("key/families", "whatever tabs do, each key is that of a worker, a route or a subscriber",
			laws("DATABUS-KEY-001"), needs(Statuses), (*busT).keyFamilies),
		one("key/default-prefix", "without a prefix keys begin with the default one",
			laws("DATABUS-KEY-001", "DATABUS-KEY-002"), nil, (*busT).defaultPrefix),
		one("key/own-prefix", "a configured prefix begins every key, and parts what is stored",
			laws("DATABUS-KEY-001", "DATABUS-KEY-004"), nil, (*busT).ownPrefix),
		one("key/golden", "topics and cluster keys are stored as their golden hashes", laws("DATABUS-KEY-002"), nil, (*busT).goldenKeys),
		one("key/hash-of-odd-topics", "topics of any text are stored as the hash of their UTF-16 code units",
			laws("DATABUS-KEY-002"), nil, (*busT).oddTopics),
		one("key/same-in-every-tab", "a topic has the same key in every tab, in records and in frames",
			laws("DATABUS-KEY-002", "DATABUS-KEY-005"), nil, (*busT).sameKeys),
		one("key/no-plaintext", "no record holds a topic, a cluster key or a payload", laws("DATABUS-KEY-003"), nil, (*busT).noPlaintext),
		one("key/no-plaintext-in-a-handoff", "nor does one of a handoff, a takeover or a leave",
			laws("DATABUS-KEY-003"), nil, (*busT).noPlaintextMoving),
		one("key/clusters-apart", "two clusters on one origin share no key, no channel, no owner and no dispatch",
			laws("DATABUS-KEY-004"), nil, (*busT).clustersApart),
		one("key/cluster-alone", "a cluster beside another does what it does alone", laws("DATABUS-KEY-004"), nil, (*busT).clusterAlone),
		one("key/own-subscriber", "a tab writes no subscriber key but its own",
			laws("DATABUS-KEY-005"), needs(Statuses), (*busT).ownSubscriber),
		one("key/subscribers-at-once", "subscriptions and leaves that cross lose nothing",
			laws("DATABUS-KEY-005"), needs(ManualFlush), (*busT).subscribersAtOnce),
		one("key/one-write", "to join and to leave subscribers is one write and one removal", laws("DATABUS-KEY-005"), nil, (*busT).oneKey),
		one("key/at-rest", "at rest there are as many keys as workers, routes and subscriptions",
			laws("DATABUS-KEY-006"), nil, (*busT).keysAtRest),
		one("key/at-rest-after-faults", "also after a crash, a leave and a return", laws("DATABUS-KEY-006"), nil, (*busT).keysAfterFaults),
	}
}

const defaultPrefix = "cross-tab-worker-databus"

// root returns what the keys of the cluster of a tab begin with: prefix and clusterHash.
func (o *origin) root(t *tab) string {
	for key := range o.Snapshot().Storage {
		if k := keyOf(key); k.family == "worker" && k.id == t.worker {
			return k.root
		}
	}
	o.t.Check(false, "", "a tab that runs has a worker record", t.worker, "none")
	return ""
}

// keyFamilies walks, and looks at each key.
func (t *busT) keyFamilies() {
	const law = "DATABUS-KEY-001"
	root := ""
	t.Walk(150, watch{
		rest: func(_ *walk, s *snapshot) {
			for key := range s.Storage {
				k := keyOf(key)
				t.Check(k.family != "", law, "after a request there are keys of the three families only", "worker, route or subscriber", key)
				if root == "" {
					root = k.root
				}
				t.Equal(law, "in one namespace", root, k.root)
			}
		},
	})
}

func (t *busT) defaultPrefix() {
	o := t.Origin()
	o.TabWith("a", tabRequest{ClusterKey: "price.feed"}).Start()
	keys := slices.Sorted(maps.Keys(o.Snapshot().Storage))
	if !t.Check(len(keys) == 1, "DATABUS-KEY-001", "a tab that has started stores the record of its worker, and nothing else", "one key",
		fmt.Sprint(keys)) {
		return
	}
	t.Check(strings.HasPrefix(keys[0], defaultPrefix+":"), "DATABUS-KEY-001", "the prefix of a key", defaultPrefix, keys[0])
	t.Check(strings.HasSuffix(keys[0], ":95d6d57b49595457c105bb5cb8414e50:worker:workera"), "DATABUS-KEY-002",
		"a cluster key is hashed as a topic is", "95d6d57b49595457c105bb5cb8414e50", keys[0])
}

// ownPrefix has tabs of two prefixes and one cluster key subscribe one topic.
func (t *busT) ownPrefix() {
	o := t.Origin()
	a := o.TabWith("a", tabRequest{ClusterKey: "k", Prefix: "bus.1"})
	b := o.TabWith("b", tabRequest{ClusterKey: "k"})
	for _, x := range []*tab{a, b} {
		x.Start()
		o.Drain()
		x.Subscribe("x")
		o.Drain()
	}
	s := o.Snapshot()
	count := map[string]int{}
	for key := range s.Storage {
		count[keyOf(key).root]++
	}
	want := map[string]int{"bus.1:" + hash("k"): 3, defaultPrefix + ":" + hash("k"): 3}
	t.Equal("DATABUS-KEY-001", "a worker, a route and a subscriber under each prefix", want, count)
	t.Equal("DATABUS-KEY-004", "each tab finds no route, and owns the topic", "[a b]", s.Assigned("x"))
}

// goldenTopics are the texts of DATABUS-KEY-002 that may be the name of a topic.
func goldenTopics() map[string]string {
	return map[string]string{
		"x":           "350cf08ecd12bd0d7f41ee7a93db2dd5",
		"price.feed":  "95d6d57b49595457c105bb5cb8414e50",
		"__default__": "8961b6db17848e13c497141eaf0f1dda",
		"\U0001f600":  "99515952e64775ffaba14862a7836f34",
	}
}

func (t *busT) goldenKeys() {
	golden := goldenTopics()
	for _, text := range namesOf(golden) {
		want := golden[text]
		o := t.Origin()
		a := o.TabWith("a", tabRequest{ClusterKey: text})
		a.Start()
		a.Subscribe(text)
		root := defaultPrefix + ":" + want
		keys := []string{root + ":route:" + want, root + ":subscriber:" + want + ":taba", root + ":worker:workera"}
		var got []string
		for key := range o.Snapshot().Storage {
			got = append(got, key)
		}
		slices.Sort(got)
		t.Equal("DATABUS-KEY-002", fmt.Sprintf("the keys of %q", text), keys, got)
	}
}

func (t *busT) oddTopics() {
	o := t.Origin()
	a := o.Tab("a")
	topics := []string{
		"X", "x ", " x", "a:b", "a/b", `"quoted"`, `back\slash`, "line\nfeed", "nul\x00", "\u00e9", "e\u0301", "\u65e5\u672c", "\uffff",
		"\U0010ffff",
		"\U0001f600\U0001f600", "worker", "route:x", "__proto__", "350cf08ecd12bd0d7f41ee7a93db2dd5", strings.Repeat("long", 500),
	}
	for _, topic := range topics {
		a.Subscribe(topic)
	}
	s := o.Snapshot()
	for _, topic := range topics {
		r, ok := s.Route(topic)
		t.Check(ok && r.TopicKey == hash(topic), "DATABUS-KEY-002", fmt.Sprintf("the route of %.20q", topic), hash(topic), r.TopicKey)
		t.Equal("DATABUS-KEY-002", fmt.Sprintf("the subscribers of %.20q", topic), "[taba]", s.Subscribers(topic))
	}
	t.Equal("DATABUS-KEY-002", "different texts have different keys", len(topics), len(s.routes))
}

// sameKeys has three tabs subscribe topics that they own in turn.
func (t *busT) sameKeys() {
	o := t.Origin()
	tabs := []*tab{o.Tab("a"), o.Tab("b"), o.Tab("c")}
	for i := range 6 {
		topic := fmt.Sprintf("topic %d \U0001f600", i)
		for _, x := range tabs {
			for _, d := range x.Subscribe(topic).Of(didPost).For(topic) {
				t.Check(strings.Contains(string(d.Message), hash(topic)), "DATABUS-KEY-002", "a frame about a topic carries its key", hash(topic),
					d.String())
			}
			o.Drain()
		}
		t.Equal("DATABUS-KEY-005", "each tab has a key of its own under that of the topic", "[taba tabb tabc]", o.Snapshot().Subscribers(topic))
	}
	t.Equal("DATABUS-KEY-002", "the tabs agree on one route for each topic", 6, len(o.Snapshot().routes))
}

// marks are texts that must not be stored, and silent reports it of what is and was stored.
var marks = []string{"markedtopic", "markedcluster", "markeddata", "markedpayload"}

func (o *origin) silent(when string) {
	for _, d := range o.all.Of(didWrite, didRemove) {
		for _, mark := range marks {
			o.t.Check(!strings.Contains(strings.ToLower(d.Key+d.Value), mark), "DATABUS-KEY-003", when+" no write holds what an application says",
				"nothing with "+mark, d.String())
		}
	}
}

func (t *busT) noPlaintext() {
	o := t.Origin()
	var tabs []*tab
	for _, name := range []string{"a", "b"} {
		x := o.TabWith(name, tabRequest{ClusterKey: "wss://markedcluster/?token=markedcluster"})
		x.Start()
		o.Drain()
		tabs = append(tabs, x)
	}
	for _, x := range tabs {
		x.Subscribe("MarkedTopic")
		o.Drain()
		x.Publish("MarkedTopic", `{"x":"markeddata"}`)
		x.Publish("markedtopic/unowned", `"markeddata"`)
		o.Drain()
	}
	did := o.Server("MarkedTopic", `["markedpayload"]`)
	did = append(did, o.Drain()...)
	t.Equal("", "both tabs are served", 2, len(did.Of(didDispatch)))
	o.silent("while tabs subscribe, publish and are served")
	tabs[0].Unsubscribe("MarkedTopic")
	tabs[1].Unsubscribe("MarkedTopic")
	o.Settle()
	o.silent("when they have unsubscribed")
}

func (t *busT) noPlaintextMoving() {
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	for i := range 3 {
		for _, x := range []*tab{a, b, c} {
			x.Subscribe(fmt.Sprint("markedtopic", i))
			o.Drain()
		}
	}
	a.PageHide()
	o.Drain()
	a.PageShow()
	o.Drain()
	b.Crash()
	o.Settle()
	o.Server("markedtopic0", `"markedpayload"`)
	c.Stop()
	o.Settle()
	for i := range 3 {
		t.Equal("", "the tab that is left is served", "[a]", o.Snapshot().Served(fmt.Sprint("markedtopic", i)))
	}
	o.silent("while topics move")
}

// clustersApart has two tabs of each of two clusters use one topic.
func (t *busT) clustersApart() {
	const law = "DATABUS-KEY-004"
	o := t.Origin()
	var tabs []*tab
	for i, name := range []string{"a", "b", "c", "d"} {
		x := o.TabWith(name, tabRequest{ClusterKey: fmt.Sprint("cluster", i/2)})
		x.Start()
		tabs = append(tabs, x)
		o.Drain()
	}
	for _, x := range []int{1, 3, 0, 2} {
		tabs[x].Subscribe("x")
		o.Drain()
	}
	s := o.Snapshot()
	t.Equal(law, "each cluster has its own owner", "[a c]", s.Assigned("x"))
	channels := []string{s.Tab(tabs[0]).Channel, s.Tab(tabs[1]).Channel, s.Tab(tabs[2]).Channel, s.Tab(tabs[3]).Channel}
	t.Check(channels[0] == channels[1] && channels[2] == channels[3], law, "tabs of one cluster use one channel", "two and two",
		fmt.Sprint(channels))
	t.Check(channels[0] != channels[2], law, "those of another another one", "different names", fmt.Sprint(channels))
	did := tabs[0].Emit("x", `"of a"`)
	did = append(did, o.Drain()...)
	t.Equal(law, "a publication to one cluster is dispatched there only", "a: dispatch x \"of a\" x; b: dispatch x \"of a\" x",
		sorted(did.Of(didDispatch)))
	did = tabs[1].Publish("x", `"of b"`)
	did = append(did, o.Drain()...)
	t.Equal(law, "and one of its tabs is published by its owner", `a: tpub x "of b"`, did.Of(didTPub))
	for _, d := range o.all.Of(didPost) {
		for _, f := range d.Frames {
			t.Check(o.cluster(tabs, d.Tab) == o.cluster(tabs, f.To), law, "no frame leaves its cluster", "two tabs of one", d.Tab+" to "+f.To)
		}
	}
	for _, d := range o.all.Of(didWrite, didRemove) {
		t.Equal(law, "no tab writes a key of the other cluster", hash(fmt.Sprint("cluster", o.cluster(tabs, d.Tab))), hashOf(d.Key))
	}
}

// hashOf returns the clusterHash in a key.
func hashOf(key string) string {
	if parts := strings.Split(key, ":"); len(parts) > 2 {
		return parts[1]
	}
	return key
}

// cluster returns the number of the cluster of a tab, of which each has two.
func (o *origin) cluster(tabs []*tab, name string) int {
	return slices.IndexFunc(tabs, func(t *tab) bool { return t.name == name }) / 2
}

// sorted returns deeds in one line, in the order of their texts.
func sorted(ds deeds) string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Tab + ": " + d.String()
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

// clusterAlone has the two tabs of a cluster do the same with and without another cluster on the origin.
func (t *busT) clusterAlone() {
	run := func(beside bool) []string {
		o := t.Origin()
		each := func(do func(x *tab)) {
			for _, name := range []string{"a", "b"} {
				do(&tab{o: o, name: name, id: "tab" + name, worker: "worker" + name})
				if beside {
					do(&tab{o: o, name: "other" + name, id: "tab" + name, worker: "worker" + name})
				}
				o.Drain()
			}
		}
		each(func(x *tab) {
			o.TabWith(x.name, tabRequest{TabID: x.id, WorkerID: x.worker, ClusterKey: strings.TrimSuffix(x.name, x.id[3:]) + "key"}).Start()
		})
		each(func(x *tab) { x.Subscribe("x") })
		each(func(x *tab) { x.Subscribe("y"); x.Publish("x", `1`) })
		each(func(x *tab) { x.Emit("x", `2`) })
		each(func(x *tab) { x.Visibility("hidden") })
		each(func(x *tab) { x.PageHide() })
		each(func(x *tab) { x.PageShow() })
		o.Advance(2 * ttl)
		each(func(x *tab) { x.Unsubscribe("x") })
		return linesOf(o.all.where(func(d *deed) bool { return d.Tab == "a" || d.Tab == "b" }))
	}
	t.sameLines("DATABUS-KEY-004", "beside another cluster all is as it is alone", run(false), run(true))
}

// ownSubscriber walks, and looks at who writes subscribers.
func (t *busT) ownSubscriber() {
	t.Walk(150, watch{deed: func(w *walk, d *deed) {
		if k := keyOf(d.Key); d.Kind == didWrite && k.family == "subscriber" {
			t.Equal("DATABUS-KEY-005", "the key is that of the tab that writes", w.names[d.Tab].id, k.id)
		}
	}})
}

// subscribersAtOnce has tabs subscribe and unsubscribe between the decision and the write of each other.
func (t *busT) subscribersAtOnce() {
	const law = "DATABUS-KEY-005"
	o := t.OriginWith(originRequest{Flush: flushManual})
	var tabs []*tab
	flush := func() {
		for _, x := range tabs {
			x.Flush()
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		tabs = append(tabs, o.Tab(name))
		flush()
	}
	a, b, c := tabs[0], tabs[1], tabs[2]
	for _, x := range tabs {
		x.Subscribe("x")
	}
	flush()
	t.Equal(law, "all that subscribe at once are stored", "[taba tabb tabc]", o.Snapshot().Subscribers("x"))
	a.Unsubscribe("x")
	c.Unsubscribe("x")
	b.Subscribe("y")
	a.Subscribe("y")
	flush()
	s := o.Snapshot()
	t.Equal(law, "of those that leave at once nobody else is lost", "[tabb]", s.Subscribers("x"))
	t.Equal(law, "nor of those that come", "[taba tabb]", s.Subscribers("y"))
}

func (t *busT) oneKey() {
	const law = "DATABUS-KEY-005"
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	a.Subscribe("x")
	o.Drain()
	key := o.root(a) + ":subscriber:" + hash("x") + ":tab"
	for _, x := range []*tab{b, c} {
		did := x.Subscribe("x")
		got := did.Of(didWrite, didRemove)
		t.Check(len(got) == 1 && got[0].Kind == didWrite && got[0].Key == key+x.name, law, "to join is to write one key", "write "+key+x.name,
			got.String())
	}
	for _, x := range []*tab{c, b} {
		t.Equal(law, "to leave is to remove it", fmt.Sprintf("%s: remove %s%s", x.name, key, x.name),
			x.Unsubscribe("x").Of(didWrite, didRemove))
	}
}

// atRest compares the keys that are stored with what they are to stand for.
func (o *origin) atRest(workers, routes, subscriptions int) {
	s := o.Snapshot()
	n := 0
	for _, ids := range s.subscribers {
		n += len(ids)
	}
	const law = "DATABUS-KEY-006"
	o.t.Equal(law, "one key for each worker, each subscribed topic and each subscription", []int{workers, routes, subscriptions},
		[]int{len(s.workers), len(s.routes), n})
	o.t.Equal(law, "and no other", workers+routes+subscriptions, len(s.Storage))
}

func (t *busT) keysAtRest() {
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	o.atRest(3, 0, 0)
	for _, x := range []*tab{a, b, c} {
		x.Subscribe("x")
		o.Drain()
	}
	b.Subscribe("y")
	o.Drain()
	b.Publish("z", `1`)
	o.Settle()
	o.atRest(3, 2, 4)
	b.Unsubscribe("y")
	c.Unsubscribe("x")
	o.Settle()
	o.atRest(3, 1, 2)
	a.Unsubscribe("x")
	b.Unsubscribe("x")
	o.Settle()
	o.atRest(3, 0, 0)
}

func (t *busT) keysAfterFaults() {
	o := t.Origin()
	a, b, c := o.Tab("a"), o.Tab("b"), o.Tab("c")
	for _, x := range []*tab{a, b, c} {
		x.Subscribe("x")
		x.Subscribe("of " + x.name)
		o.Drain()
	}
	b.Crash()
	o.Settle()
	o.atRest(2, 3, 4)
	c.PageHide()
	o.Settle()
	o.atRest(1, 2, 2)
	c.PageShow()
	o.Settle()
	o.atRest(2, 3, 4)
	a.Stop()
	o.Settle()
	o.atRest(1, 2, 2)
	c.Stop()
	o.atRest(0, 0, 0)
}
