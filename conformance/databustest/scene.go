package databustest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// family is the kind of record that a key is of: worker, route or subscriber; other, if it is none.
func family(key string) string {
	if parts := strings.Split(key, ":"); len(parts) >= 4 && slices.Contains([]string{"worker", "route", "subscriber"}, parts[2]) {
		return parts[2]
	}
	return "other"
}

// stepOf is a deed in two or three words, without what differs from run to run.
func stepOf(d *deed) string {
	switch d.Kind {
	case didWrite, didRemove, didRefused:
		return d.Kind + " " + family(d.Key)
	case didPost:
		f := viewed(d.Message)
		return strings.TrimSpace("post " + f.Type + " " + f.Action)
	case didTSub, didTUnsub, didTPub:
		return d.Kind + " " + d.Topic
	case didDispatch:
		return d.Kind + " " + d.Handler
	case didStatus:
		return d.Kind + " " + d.Status
	}
	return d.Kind
}

// stepsOf are those of all deeds.
func stepsOf(ds deeds) []string {
	out := make([]string, len(ds))
	for i, d := range ds {
		out[i] = stepOf(d)
	}
	return out
}

// countOf is how many of the deeds are this step.
func countOf(ds deeds, what string) int { return len(ds.steps(what)) }

// steps returns the deeds that are one of these steps.
func (ds deeds) steps(what ...string) deeds {
	return ds.where(func(d *deed) bool { return slices.Contains(what, stepOf(d)) })
}

// Family returns the writes and removals of one kind of record.
func (ds deeds) Family(kind string) deeds {
	return ds.Of(didWrite, didRemove).where(func(d *deed) bool { return family(d.Key) == kind })
}

// indexOf is the place of the first deed that is this step; -1 if none is.
func indexOf(ds deeds, what string) int {
	return slices.IndexFunc(ds, func(d *deed) bool { return stepOf(d) == what })
}

// tabNames of tabs, sorted.
func tabNames(ts ...*tab) []string {
	out := []string{}
	for _, t := range ts {
		out = append(out, t.name)
	}
	slices.Sort(out)
	return out
}

// served wants the server to send a topic to these tabs and to no other, and these to be the ones that own it in memory.
func (o *origin) served(law, why, topic string, want ...*tab) *snapshot {
	s := o.Snapshot()
	o.t.Equal(law, why+": whom the server sends "+topic, tabNames(want...), append([]string{}, s.Served(topic)...))
	o.t.Equal(law, why+": who is assigned "+topic, tabNames(want...), append([]string{}, s.Assigned(topic)...))
	return s
}

// owner wants the stored route of a topic to name this tab, nil: there to be none, and returns it.
func (o *origin) owner(law, why, topic string, want *tab) routeRecord {
	s := o.Snapshot()
	worker := ""
	if want != nil {
		worker = want.worker
	}
	o.t.Equal(law, why+": whom the route of "+topic+" names", worker, s.Owner(topic))
	r, _ := s.Route(topic)
	return r
}

// key is that of a record in the cluster of a tab that runs: its kind and the ids after it.
func (t *tab) key(kind string, ids ...string) string {
	for key := range t.o.Snapshot().Storage {
		if before, found := strings.CutSuffix(key, ":worker:"+t.worker); found {
			return before + ":" + kind + ":" + strings.Join(ids, ":")
		}
	}
	t.o.t.Blocked("prerequisite", "tab %s has no record of its worker, which it runs", t.name)
	return ""
}

// PutRoute writes a route as somebody else on the origin could. Its topicKey is filled in. UpdatedAt 0: start.
func (t *tab) PutRoute(topic string, r routeRecord) deeds {
	r.TopicKey = hash(topic)
	value := map[string]any{
		"topicKey": r.TopicKey, "workerId": r.WorkerID, "tabId": r.TabID, "updatedAt": cmp.Or(r.UpdatedAt, start), "generation": r.Generation,
	}
	if r.HandoffFrom != "" {
		value["handoffFromWorkerId"] = r.HandoffFrom
	}
	if r.ConfirmedAt != 0 {
		value["confirmedAt"] = r.ConfirmedAt
	}
	return t.o.Put(t.key("route", r.TopicKey), jsonOf(value))
}

// PutWorker writes the record of a worker, whose last heartbeat was so many ms ago.
func (t *tab) PutWorker(name string, age int64) deeds { return t.PutWorkerOf(name, "tab"+name, age) }

// PutWorkerOf is PutWorker for a worker of some tab.
func (t *tab) PutWorkerOf(name, tabID string, age int64) deeds {
	at := t.o.Snapshot().Now - age
	return t.o.Put(t.key("worker", "worker"+name), jsonOf(workerRecord{
		WorkerID: "worker" + name, TabID: tabID, Role: "standby", Status: "connected", Visibility: "visible", HeartbeatAt: at, RegisteredAt: at,
	}))
}

// PutSubscriber writes the record of a subscriber, by its tabId.
func (t *tab) PutSubscriber(topic, tabID string) deeds {
	now := t.o.Snapshot().Now
	return t.o.Put(t.key("subscriber", hash(topic), tabID), jsonOf(map[string]any{"topicKey": hash(topic), "tabId": tabID, "updatedAt": now}))
}

// Nudge has a tab receive a REGISTRY of somebody whom nobody knows.
func (t *tab) Nudge() deeds { return t.Inject(registryFrame("workerNobody")) }

// releaseOf is a ROUTE_RELEASED.
func releaseOf(topic, from, to string, generation int64) string {
	return jsonOf(map[string]any{
		"type": "ROUTE_RELEASED", "topic": topic, "topicKey": hash(topic), "sourceWorkerId": from, "targetWorkerId": to, "generation": generation,
	})
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("marshal %v: %v", v, err))
	}
	return string(text)
}

// Lose loses the frames under way whose message holds each of the texts, to any tab.
func (o *origin) Lose(texts ...string) int {
	lost := o.OnWire(nil, texts...)
	for _, f := range lost {
		o.Drop(f)
	}
	return len(lost)
}

// Arrive delivers the frames under way to a tab whose message holds each of the texts, the oldest first, but not what they set off.
func (o *origin) Arrive(to *tab, texts ...string) deeds {
	var did deeds
	for _, f := range o.OnWire(to, texts...) {
		did = append(did, o.Deliver(f)...)
	}
	return did
}

// single wants one tab, whichever, to be sent a topic, to own it in memory and to be named by a confirmed route.
func (o *origin) single(law, why, topic string) {
	s := o.Snapshot()
	r, _ := s.Route(topic)
	served, assigned, named := s.Served(topic), s.Assigned(topic), s.tabs(func(v *tabView) bool { return v.WorkerID == r.WorkerID })
	o.t.Check(len(served) == 1 && slices.Equal(served, assigned) && slices.Equal(served, named) && r.ConfirmedAt != 0, law,
		why+": "+topic+" has one owner", "one tab that is assigned, sent and named by a confirmed route",
		fmt.Sprintf("sent %v, assigned %v, named %v, confirmed at %d", served, assigned, named, r.ConfirmedAt))
}
