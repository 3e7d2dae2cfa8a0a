package databustest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// recordCases are about what is stored, by whom it is written, and what becomes of records that cannot be read.
func recordCases() []conformance.Case {
	out := []conformance.Case{
		one("record/worker-shape", "each worker record that is ever written has its members, of their domains",
			laws("DATABUS-RECORD-001"), needs(Statuses), (*busT).workerShape),
		one("record/worker-domains", "a worker record says how the transport and the page are",
			laws("DATABUS-RECORD-001"), needs(Statuses), (*busT).workerDomains),
		one("record/load", "the load is how many topics a worker owns, whatever goes over them",
			laws("DATABUS-RECORD-001"), nil, (*busT).loadCounts),
		one("record/load-of-a-walk", "after each request the stored load is the number of assignments",
			laws("DATABUS-RECORD-001"), needs(Statuses), (*busT).loadWalks),
		one("record/own-worker", "a worker writes no worker record but its own, and removes expired ones only",
			laws("DATABUS-RECORD-002"), needs(Statuses), (*busT).ownWorker),
		one("record/expired-worker", "a foreign record is removed one millisecond after the TTL",
			laws("DATABUS-RECORD-002"), nil, (*busT).expiredWorker),
		one("record/route-shape", "each route that is ever written has its members, and the tab of its worker",
			laws("DATABUS-RECORD-003"), needs(Statuses), (*busT).routeShape),
		one("record/route-members", "the members of a new, a confirmed and a handed route",
			laws("DATABUS-RECORD-003"), nil, (*busT).routeMembers),
		one("record/initial", "the first record of a worker", laws("DATABUS-RECORD-004"), needs(Manual), (*busT).initialRecord),
		one("record/registered-at", "a page that comes back registers anew, and goes to the end of the candidates",
			laws("DATABUS-RECORD-004"), nil, (*busT).registersAnew),
		one("record/heartbeat-at", "each write of the own record is a heartbeat",
			laws("DATABUS-RECORD-004"), needs(Statuses), (*busT).writesBeat),
		one("record/corrupt-own", "an own record that was overwritten is written again",
			laws("DATABUS-RECORD-005"), needs(Forges), (*busT).corruptOwn),
		one("record/corrupt-subscriber", "subscribers that cannot be read, or speak of others, are removed by the next reconcile",
			laws("DATABUS-RECORD-005"), needs(Forges), (*busT).corruptSubscriber),
		one("record/corrupt-owner", "the owner of a topic whose record cannot be read has left",
			laws("DATABUS-RECORD-005"), needs(Forges), (*busT).corruptOwner),
	}
	for name, value := range corruptions {
		out = append(out,
			one("record/corrupt-"+name, "a worker and a route that are "+name+" are missing", laws("DATABUS-RECORD-005"), needs(Forges),
				func(t *busT) { t.corrupt(value) }))
	}
	slices.SortFunc(out, func(a, b conformance.Case) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// corruptions are values that are not valid JSON.
var corruptions = map[string]string{
	"empty":       "",
	"truncated":   `{"workerId":"workerz","tabId":"tabz","topicKey":"`,
	"words":       "not a record",
	"doubled":     `{}{}`,
	"unquoted":    `{workerId:workerz}`,
	"binary":      "\x00\x01\x7f",
	"deeply-open": strings.Repeat(`{"a":[`, 1000),
}

// members reads the members of a record of a family as they were written.
func members(value string) map[string]any {
	var m map[string]any
	_ = json.Unmarshal([]byte(value), &m)
	return m
}

// lacking returns which of the members a record does not have with a text or, with a hash sign before the name, a whole number from 0 on.
func lacking(m map[string]any, names ...string) (out []string) {
	for _, name := range names {
		number, isNumber := strings.CutPrefix(name, "#")
		switch v := m[number].(type) {
		case string:
			if isNumber || v == "" {
				out = append(out, number)
			}
		case float64:
			if !isNumber || v < 0 || v != float64(int64(v)) {
				out = append(out, number)
			}
		default:
			out = append(out, number)
		}
	}
	return out
}

func (t *busT) workerShape() {
	const law = "DATABUS-RECORD-001"
	t.Walk(150, watch{deed: func(w *walk, d *deed) {
		k := keyOf(d.Key)
		if d.Kind != didWrite || k.family != "worker" {
			return
		}
		m := members(d.Value)
		t.Equal(law, "members that a worker record lacks", "[]",
			lacking(m, "workerId", "tabId", "role", "status", "visibilityState", "#load", "#heartbeatAt", "#registeredAt"))
		r := workerRecord{}
		t.Check(json.Unmarshal([]byte(d.Value), &r) == nil, law, "a worker record is JSON", "a record", d.Value)
		t.Check(r.Role == "active" || r.Role == "standby", law, "the role in a worker record", "active or standby", r.Role)
		t.Check(slices.Contains([]string{"connecting", "connected", "disconnected", "error"}, r.Status), law, "the status in a worker record", "one of four",
			r.Status)
		t.Check(r.Visibility == "visible" || r.Visibility == "hidden", law, "the visibility in a worker record", "visible or hidden", r.Visibility)
		t.Equal(law, "it is the record of the worker and the tab that write it", w.names[d.Tab].worker+" of "+w.names[d.Tab].id,
			r.WorkerID+" of "+r.TabID)
		t.Equal(law, "under the key of the worker", k.id, r.WorkerID)
	}})
}

func (t *busT) workerDomains() {
	const law = "DATABUS-RECORD-001"
	o := t.Origin()
	a := o.Tab("a")
	for _, status := range []string{"disconnected", "connecting", "error", "connected"} {
		a.Status(status)
		w, _ := o.Snapshot().Worker(a)
		t.Equal(law, "the status of the transport", status, w.Status)
	}
	for _, state := range []string{"hidden", "visible"} {
		a.Visibility(state)
		w, _ := o.Snapshot().Worker(a)
		t.Equal(law, "the visibility of the page", state, w.Visibility)
	}
	b := o.TabWith("b", tabRequest{Visibility: "hidden"})
	b.Start()
	w, _ := o.Snapshot().Worker(b)
	t.Equal(law, "that of a page that begins hidden", "hidden", w.Visibility)
}

// loadCounts has a worker own topics of its own and of another tab, and be busy with them.
func (t *busT) loadCounts() {
	o := t.Origin()
	a := o.Tab("a")
	loads := func(when string, want int, of *tab) {
		o.Drain()
		w, _ := o.Snapshot().Worker(of)
		t.Equal("DATABUS-RECORD-001", "the load "+when, want, w.Load)
	}
	loads("at first", 0, a)
	for i := range 5 {
		a.Subscribe(fmt.Sprint("x", i))
		loads("after a subscription", i+1, a)
	}
	a.Handle("x0", "another")
	loads("after another handler", 5, a)
	for range 50 {
		a.Emit("x0", `1`)
		a.Publish("x1", `1`)
		a.Publish("of nobody", `1`)
	}
	loads("after 150 publications", 5, a)
	b := o.Tab("b")
	b.Subscribe("x0")
	loads("after another subscriber", 5, a)
	loads("of one that subscribes what another owns", 0, b)
	a.Unsubscribe("x0")
	loads("after one of two handlers has left", 5, a)
	a.Unhandle("x0", "another")
	loads("of one that owns what only another subscribes", 5, a)
	b.Unsubscribe("x0")
	a.Unsubscribe("x1")
	loads("after the last subscribers have left", 3, a)
}

func (t *busT) loadWalks() {
	t.Walk(150, watch{rest: func(w *walk, s *snapshot) {
		for _, x := range w.alive {
			if r, ok := s.Worker(x.tab); ok && s.Tab(x.tab).Active {
				t.Equal("DATABUS-RECORD-001", "the load of "+x.name, len(s.Tab(x.tab).Assigned), r.Load)
			}
		}
	}})
}

func (t *busT) ownWorker() {
	const law = "DATABUS-RECORD-002"
	t.Walk(200, watch{deed: func(w *walk, d *deed) {
		k, own := keyOf(d.Key), w.names[d.Tab]
		switch {
		case k.family != "worker" || k.id == own.worker:
		case d.Kind == didWrite:
			t.Equal(law, "the record that is written is that of the writer", own.worker, k.id)
		case d.Kind == didRemove:
			r := workerRecord{}
			_ = json.Unmarshal([]byte(w.store[d.Key]), &r)
			t.Check(d.At-r.HeartbeatAt > ttl, law, "a foreign record that is removed has expired", fmt.Sprint("more than ", ttl, " ms"),
				fmt.Sprint(d.At-r.HeartbeatAt, " ms, ", d))
		}
	}})
}

// expiredWorker has a tab look at the record of one that crashed, at its last moment and after it.
func (t *busT) expiredWorker() {
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	b.Crash()
	o.Advance(ttl)
	did := a.Visibility("hidden")
	_, ok := o.Snapshot().Worker(b)
	t.Check(ok, "DATABUS-RECORD-002", "a record as old as the TTL is left alone", "a record", did.String())
	o.Advance(1)
	did = a.Visibility("visible")
	_, ok = o.Snapshot().Worker(b)
	t.Check(!ok, "DATABUS-RECORD-002", "one that is older is removed by who finds it", "none", did.String())
	t.Equal("DATABUS-RECORD-002", "and it is the only foreign record that was touched", "a: remove "+o.root(a)+":worker:workerb",
		o.all.By(a).where(func(d *deed) bool { k := keyOf(d.Key); return k.family == "worker" && k.id != a.worker }))
}

func (t *busT) routeShape() {
	const law = "DATABUS-RECORD-003"
	t.Walk(200, watch{deed: func(w *walk, d *deed) {
		k := keyOf(d.Key)
		if d.Kind != didWrite || k.family != "route" {
			return
		}
		m := members(d.Value)
		t.Equal(law, "members that a route lacks", "[]", lacking(m, "topicKey", "workerId", "tabId", "#updatedAt", "#generation"))
		if m["handoffFromWorkerId"] != nil {
			t.Equal(law, "what a handed route lacks", "[]", lacking(m, "handoffFromWorkerId"))
		}
		if m["confirmedAt"] != nil {
			t.Equal(law, "what a confirmed route lacks", "[]", lacking(m, "#confirmedAt"))
		}
		t.Equal(law, "the topicKey is that of the key", k.topic, fmt.Sprint(m["topicKey"]))
		worker := fmt.Sprint(m["workerId"])
		t.Equal(law, "the tab is that of the worker that is named", worker+" of "+w.tabOf(worker), fmt.Sprint(worker, " of ", m["tabId"]))
	}})
}

func (t *busT) routeMembers() {
	const law = "DATABUS-RECORD-003"
	o := t.Origin()
	a, b := o.Tab("a"), o.Tab("b")
	written := func(when, want string, did deeds) {
		key := o.root(b) + ":route:" + hash("x")
		got := "nothing"
		for _, d := range did.Of(didWrite) {
			if d.Key == key {
				m := members(d.Value)
				got = fmt.Sprint(m["topicKey"] == hash("x"), " ", m["workerId"], " ", m["tabId"], " ", m["generation"], " ", m["handoffFromWorkerId"],
					" ", m["confirmedAt"] != nil)
			}
		}
		t.Equal(law, "topicKey fits, workerId, tabId, generation, handoffFromWorkerId, confirmed "+when, want, got)
	}
	written("of a new route", "true workera taba 1 <nil> false", b.Subscribe("x"))
	written("of a confirmed one", "true workera taba 1 <nil> true", o.Drain())
	written("of one that is handed over", "true workerb tabb 2 workera false", a.PageHide())
}

// initialRecord looks at a worker whose transport is not open yet.
func (t *busT) initialRecord() {
	const law = "DATABUS-RECORD-004"
	o := t.OriginWith(originRequest{Now: start + 7})
	a := o.TabWith("a", tabRequest{Opens: opensManual})
	a.Start()
	w, ok := o.Snapshot().Worker(a)
	if !t.Check(ok, law, "a worker registers before its transport is open", "a record", "none") {
		return
	}
	t.Equal(law, "registeredAt and heartbeatAt are the moment of the start", []int64{start + 7, start + 7},
		[]int64{w.RegisteredAt, w.HeartbeatAt})
	t.Equal(law, "load and status", "0 connecting", fmt.Sprint(w.Load, " ", w.Status))
	o.Advance(5)
	a.Opened()
	w, _ = o.Snapshot().Worker(a)
	t.Equal(law, "what is written when it opens", fmt.Sprint("connected ", start+7, " ", start+12),
		fmt.Sprint(w.Status, " ", w.RegisteredAt, " ", w.HeartbeatAt))
}

func (t *busT) registersAnew() {
	const law = "DATABUS-RECORD-004"
	o := t.Origin()
	var tabs []*tab
	for _, name := range []string{"a", "b"} {
		x := o.TabWith(name, tabRequest{MaxActive: 1})
		x.Start()
		o.Drain()
		o.Advance(10)
		tabs = append(tabs, x)
	}
	a, b := tabs[0], tabs[1]
	b.Subscribe("before")
	o.Drain()
	t.Equal(law, "the tab that registered first is the only candidate", "workera", o.Snapshot().Owner("before"))
	a.PageHide()
	o.Drain()
	o.Advance(10)
	a.PageShow()
	o.Drain()
	w, _ := o.Snapshot().Worker(a)
	t.Equal(law, "registeredAt and heartbeatAt are the moment of the return", []int64{start + 30, start + 30},
		[]int64{w.RegisteredAt, w.HeartbeatAt})
	t.Equal(law, "the load begins at 0", 0, w.Load)
	a.Subscribe("after")
	o.Drain()
	t.Equal(law, "who came back is behind the others", "workerb", o.Snapshot().Owner("after"))
	o.Advance(3 * heartbeat)
	w, _ = o.Snapshot().Worker(a)
	t.Equal(law, "heartbeats do not move registeredAt", int64(start+30), w.RegisteredAt)
}

// writesBeat has the record of a worker change in each way there is, between heartbeats.
func (t *busT) writesBeat() {
	const law = "DATABUS-RECORD-004"
	o := t.Origin()
	a := o.TabWith("a", tabRequest{MaxActive: 1})
	a.Start()
	b := o.TabWith("b", tabRequest{MaxActive: 1})
	b.Start()
	o.Drain()
	now := int64(start)
	for _, x := range []struct {
		change string
		do     func()
	}{
		{"status", func() { a.Status("disconnected") }},
		{"status back", func() { a.Status("connected") }},
		{"load", func() { a.Subscribe("x") }},
		{"visibility", func() { a.Visibility("hidden") }},
		{"role", func() { o.Drain() }},
		{"visibility back", func() { a.Visibility("visible") }},
		{"load back", func() { a.Unsubscribe("x") }},
	} {
		o.Pass(100)
		now += 100
		x.do()
		s := o.Snapshot()
		w, _ := s.Worker(a)
		if x.change == "role" {
			w, _ = s.Worker(b)
			t.Equal(law, "the other tab is told, and becomes the candidate", "active", w.Role)
		}
		t.Equal(law, "heartbeatAt after a change of "+x.change, now, w.HeartbeatAt)
		t.Equal(law, "registeredAt stays", int64(start), w.RegisteredAt)
	}
	o.Advance(start + heartbeat - now)
	w, _ := o.Snapshot().Worker(a)
	t.Equal(law, "heartbeatAt after a heartbeat, which no other write puts off", int64(start+heartbeat), w.HeartbeatAt)
}

// corrupt has two tabs do the same with and without worker and route records that cannot be read.
func (t *busT) corrupt(value string) {
	const law = "DATABUS-RECORD-005"
	run := func(plant bool) []string {
		o := t.Origin()
		o.throws = law
		a, b := o.Tab("a"), o.Tab("b")
		root := o.root(a)
		if plant {
			o.Put(root+":worker:workerz", value)
			o.Put(root+":route:"+hash("x"), value)
			o.Put(root+":route:"+hash("y"), value)
		}
		from := len(o.all)
		b.Publish("x", `1`)
		b.Subscribe("x")
		o.Drain()
		a.Subscribe("x")
		a.Publish("y", `2`)
		o.Drain()
		o.Advance(heartbeat)
		a.Unsubscribe("x")
		b.Unsubscribe("x")
		o.Drain()
		a.PageHide()
		o.Drain()
		return linesOf(o.all[from:].where(func(d *deed) bool {
			k := keyOf(d.Key)
			return d.Kind != didRemove || k.id != "workerz" && (k.family != "route" || k.topic != hash("y"))
		}))
	}
	want, got := run(false), run(true)
	for _, line := range got {
		t.Check(!strings.Contains(line, ": "+didError), law, "a value that cannot be read is no error", "no error", line)
	}
	t.sameLines(law, "all is as if the records were missing", want, got)
}

func (t *busT) corruptOwn() {
	const law = "DATABUS-RECORD-005"
	o := t.Origin()
	o.throws = law
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	root := o.root(a)
	o.Put(root+":worker:workera", `{"workerId":`)
	o.Put(root+":subscriber:"+hash("x")+":tabb", `{"tabId`)
	o.Put(root+":route:"+hash("x"), `{"topicKey"`)
	did := o.Advance(heartbeat)
	did = append(did, o.Drain()...)
	t.Equal(law, "no error is told", "nothing", did.Of(didError))
	s := o.Snapshot()
	w, ok := s.Worker(a)
	t.Check(ok && w.WorkerID == "workera", law, "the worker record is written again", "workera", fmt.Sprint(w))
	t.Equal(law, "and the subscriber", "[tabb]", s.Subscribers("x"))
	var m map[string]any
	t.Check(json.Unmarshal([]byte(s.Storage[root+":subscriber:"+hash("x")+":tabb"]), &m) == nil, law, "with a value that can be read",
		"JSON", s.Storage[root+":subscriber:"+hash("x")+":tabb"])
	r, ok := s.Route("x")
	t.Check(ok && r.Generation == 1, law, "and a route is made as for a topic that has none", "generation 1", fmt.Sprint(r))
	t.Equal(law, "one worker serves the topic", fmt.Sprint([]string{strings.TrimPrefix(r.WorkerID, "worker")}), s.Served("x"))
}

func (t *busT) corruptSubscriber() {
	const law = "DATABUS-RECORD-005"
	values := map[string]string{
		"number": "3", "list": "[]", "text": `"taba"`,
		"of a live tab":    fmt.Sprintf(`{"topicKey":%q,"tabId":"tabb","updatedAt":%d}`, hash("x"), start),
		"of another tab":   fmt.Sprintf(`{"topicKey":%q,"tabId":"tabz","updatedAt":%d}`, hash("x"), start),
		"of another topic": fmt.Sprintf(`{"topicKey":%q,"tabId":"taba","updatedAt":%d}`, hash("z"), start),
	}
	for name, value := range corruptions {
		values[name] = value
	}
	for _, name := range namesOf(values) {
		o := t.Origin()
		o.throws = law
		a := o.Tab("a")
		b := o.Tab("b")
		key := o.root(a) + ":subscriber:" + hash("x") + ":taba"
		o.Put(key, values[name])
		o.Advance(heartbeat)
		_, ok := o.Snapshot().Storage[key]
		t.Check(!ok, law, "a subscriber that is "+name+" is removed", "none", values[name])
		b.Subscribe("x")
		o.Drain()
		o.Put(key, values[name])
		b.Unsubscribe("x")
		_, ok = o.Snapshot().Route("x")
		t.Check(!ok, law, "and counts as none: the last subscriber removes the route", "no route", "a route beside a subscriber that is "+name)
	}
}

// namesOf returns the keys of a map in order.
func namesOf(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (t *busT) corruptOwner() {
	const law = "DATABUS-RECORD-005"
	o := t.Origin()
	o.throws = law
	a, b := o.Tab("a"), o.Tab("b")
	b.Subscribe("x")
	o.Drain()
	t.Equal("", "the topic has an owner", "workera", o.Snapshot().Owner("x"))
	a.Crash()
	o.Put(o.root(b)+":worker:workera", `{"workerId":"workera","heartbeatAt":`)
	did := o.Advance(heartbeat)
	t.Equal(law, "no error is told", "nothing", did.Of(didError))
	s := o.Snapshot()
	r, _ := s.Route("x")
	t.Equal(law, "the next heartbeat elects, as after a leave", "workerb generation 2", fmt.Sprint(r.WorkerID, " generation ", r.Generation))
	t.Equal(law, "and the topic is served", "[b]", s.Served("x"))
}
