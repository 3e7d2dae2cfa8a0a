package databustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// identityCases are about the ids of tabs and workers that nobody has configured.
func identityCases() []conformance.Case {
	return []conformance.Case{
		one("identity/fresh", "documents without a session have different ids",
			laws("DATABUS-IDENTITY-001"), needs(Sessions), (*busT).freshIDs),
		one("identity/reload", "a reload keeps the tabId, and is another worker",
			laws("DATABUS-IDENTITY-001"), needs(Sessions), (*busT).reloads),
		one("identity/crash-and-reload", "after a crash two workers of one tab are stored until the first expires",
			laws("DATABUS-IDENTITY-001"), needs(Sessions), (*busT).crashReload),
		one("identity/subscriber", "a reloaded tab subscribes under the key that it had",
			laws("DATABUS-IDENTITY-001"), needs(Sessions), (*busT).sameKey),
		one("identity/opener", "a page with an opener discards the tabId that was copied",
			laws("DATABUS-IDENTITY-002"), needs(Sessions), (*busT).discardsCopy),
		one("identity/opener-subscribes", "so that what it subscribes does not stand for its opener",
			laws("DATABUS-IDENTITY-002"), needs(Sessions), (*busT).openerApart),
		one("identity/opener-without-a-copy", "a page with an opener and an empty session has an id of its own",
			laws("DATABUS-IDENTITY-002"), needs(Sessions), (*busT).openerEmpty),
		one("identity/copy-without-opener", "a copy that knows no opener keeps the tabId",
			laws("DATABUS-IDENTITY-003"), needs(Sessions), (*busT).keepsCopy),
	}
}

// document opens a document with a bus that runs and has made its own ids.
func (o *origin) document(name string, q tabRequest) *tab {
	q.Tab = name
	o.do("tab", q)
	t := &tab{o: o, name: name}
	t.Start()
	o.Drain()
	v := o.Snapshot().Tab(t)
	t.id, t.worker = v.TabID, v.WorkerID
	o.t.Check(t.id != "" && t.worker != "", "", "a bus that runs has ids", "tabId and workerId", fmt.Sprintf("%q and %q", t.id, t.worker))
	return t
}

// distinct breaks a law if an id is there twice.
func (t *busT) distinct(law, what string, ids ...string) {
	seen := map[string]bool{}
	for _, id := range ids {
		t.Check(!seen[id], law, what+" differ", "different ids", fmt.Sprint(ids))
		seen[id] = true
	}
}

func (t *busT) freshIDs() {
	const law = "DATABUS-IDENTITY-001"
	o := t.Origin()
	var tabs, workers []string
	for i := range 8 {
		x := o.document(fmt.Sprint("t", i), tabRequest{})
		tabs, workers = append(tabs, x.id), append(workers, x.worker)
		w, ok := o.Snapshot().Worker(x)
		t.Check(ok && w.TabID == x.id, law, "the worker record has both ids", x.worker+" of "+x.id, fmt.Sprintf("%+v", w))
	}
	t.distinct(law, "tabIds", tabs...)
	t.distinct(law, "workerIds", workers...)
}

func (t *busT) reloads() {
	const law = "DATABUS-IDENTITY-001"
	o := t.Origin()
	x := o.document("a", tabRequest{})
	tabID, workers := x.id, []string{x.worker}
	for range 4 {
		x.PageHide()
		x.Crash()
		x = o.document("a", tabRequest{Session: "a"})
		t.Equal(law, "the tabId after a reload", tabID, x.id)
		workers = append(workers, x.worker)
		t.Equal(law, "workers that are stored", 1, len(o.Snapshot().workers))
	}
	t.distinct(law, "workerIds of one tab", workers...)
}

func (t *busT) crashReload() {
	const law = "DATABUS-IDENTITY-001"
	o := t.Origin()
	x := o.document("a", tabRequest{})
	x.Crash()
	again := o.document("a", tabRequest{Session: "a"})
	t.Equal(law, "the tabId after a crash", x.id, again.id)
	t.distinct(law, "workerIds of one tab", x.worker, again.worker)
	s := o.Snapshot()
	var tabs []string
	for _, w := range s.workers {
		tabs = append(tabs, w.TabID)
	}
	t.Equal(law, "tabs of the workers that are stored", fmt.Sprint([]string{x.id, x.id}), tabs)
	o.Settle()
	s = o.Snapshot()
	_, old := s.Worker(x)
	_, now := s.Worker(again)
	t.Check(!old && now, law, "when the first has expired the second is left", "one worker", fmt.Sprint(len(s.workers)))
}

func (t *busT) sameKey() {
	const law = "DATABUS-IDENTITY-001"
	o := t.Origin()
	x := o.document("a", tabRequest{})
	x.Subscribe("x")
	key := o.root(x) + ":subscriber:" + hash("x") + ":" + x.id
	_, ok := o.Snapshot().Storage[key]
	t.Check(ok, law, "the tabId is part of the key of a subscriber", key, "none")
	x.PageHide()
	x.Crash()
	x = o.document("a", tabRequest{Session: "a"})
	x.Subscribe("x")
	_, ok = o.Snapshot().Storage[key]
	t.Check(ok, law, "it is the same after a reload", key, "none")
}

func (t *busT) discardsCopy() {
	const law = "DATABUS-IDENTITY-002"
	o := t.Origin()
	a := o.document("a", tabRequest{})
	var tabs []string
	for i := range 3 {
		x := o.document(fmt.Sprint("b", i), tabRequest{Session: "a", Opener: true})
		tabs = append(tabs, x.id)
	}
	t.distinct(law, "the tabIds of a page and of those that it opened", append(tabs, a.id)...)
	a.PageHide()
	a.Crash()
	t.Equal(law, "the opener keeps its own", a.id, o.document("a", tabRequest{Session: "a"}).id)
}

func (t *busT) openerApart() {
	const law = "DATABUS-IDENTITY-002"
	o := t.Origin()
	a := o.document("a", tabRequest{})
	b := o.document("b", tabRequest{Session: "a", Opener: true})
	for _, x := range []*tab{a, b} {
		x.Subscribe("x")
		o.Drain()
	}
	t.Equal(law, "subscribers", 2, len(o.Snapshot().Subscribers("x")))
	b.Unsubscribe("x")
	o.Drain()
	s := o.Snapshot()
	t.Equal(law, "when the opened page leaves, its opener subscribes on", fmt.Sprint([]string{a.id}), s.Subscribers("x"))
	t.Equal(law, "and is served", 1, len(s.Served("x")))
	// Its session holds what it has made.
	b.Stop()
	b.Crash()
	t.Equal(law, "without an opener the opened page finds its own id again", b.id, o.document("b", tabRequest{Session: "b"}).id)
}

func (t *busT) openerEmpty() {
	const law = "DATABUS-IDENTITY-002"
	o := t.Origin()
	a := o.document("a", tabRequest{})
	b := o.document("b", tabRequest{Opener: true})
	t.distinct(law, "tabIds", a.id, b.id)
	b.Stop()
	b.Start()
	o.Drain()
	t.Equal(law, "its tabId when it has stopped and started", b.id, o.Snapshot().Tab(b).TabID)
}

// keepsCopy has two documents share a tabId, and with it what they subscribe.
func (t *busT) keepsCopy() {
	const law = "DATABUS-IDENTITY-003"
	o := t.Origin()
	a := o.document("a", tabRequest{})
	b := o.document("b", tabRequest{Session: "a"})
	t.Equal(law, "the tabId of a copy that cannot know that it is one", a.id, b.id)
	t.distinct(law, "workerIds", a.worker, b.worker)
	a.Subscribe("x")
	o.Drain()
	b.Subscribe("x")
	o.Drain()
	t.Equal(law, "subscribers that both are", fmt.Sprint([]string{a.id}), o.Snapshot().Subscribers("x"))
}
