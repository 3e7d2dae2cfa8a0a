package fuzz

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
)

// number returns a member that is an integer which a browser holds exactly; one that is optional may be absent or null.
func (o jsonObject) number(name string, optional bool) (int64, bool) {
	if optional && o[name] == nil {
		return 0, true
	}
	n, ok := o.integer(name)
	return n, ok && math.Abs(float64(n)) <= 1<<53 && n != 1<<53+1 && n != -1<<53-1
}

// among reports whether a member is one of these words, and returns it.
func (o jsonObject) among(name string, words ...string) (string, bool) {
	text, _ := o[name].(string)
	for _, w := range words {
		if text == w {
			return text, true
		}
	}
	return text, false
}

// readRecord reads the record of a key from DATABUS-RECORD-001, DATABUS-RECORD-003 and DATABUS-KEY-001 alone; nil if there is none.
func readRecord(key record.Key, value string) any {
	o, ok := readObject([]byte(value))
	if !ok || len(value) > record.MaxRecord {
		return nil
	}
	all := func(oks ...bool) bool {
		for _, ok := range oks {
			if !ok {
				return false
			}
		}
		return true
	}
	worker, isWorker := o.text("workerId", 1, record.MaxID)
	tab, isTab := o.text("tabId", 1, record.MaxID)
	topicKey, isTopic := o["topicKey"].(string)
	updated, isUpdated := o.number("updatedAt", false)
	switch key.Family {
	case record.WorkerFamily:
		load, a := o.number("load", false)
		role, b := o.among("role", "active", "standby")
		status, c := o.among("status", "connecting", "connected", "disconnected", "error")
		visibility, d := o.among("visibilityState", "visible", "hidden")
		beat, e := o.number("heartbeatAt", false)
		since, f := o.number("registeredAt", false)
		if all(isWorker, isTab, a, load >= 0, b, c, d, e, f) {
			return record.Worker{
				WorkerID: worker, TabID: tab, Load: int(load), Role: record.Role(role), Status: record.Status(status),
				Visibility: record.Visibility(visibility), HeartbeatAt: beat, RegisteredAt: since,
			}
		}
	case record.RouteFamily:
		generation, a := o.number("generation", false)
		confirmed, b := o.number("confirmedAt", true)
		from, c := o.text("handoffFromWorkerId", 0, record.MaxID)
		if all(isWorker, isTab, isTopic, topicKey == key.TopicKey, isUpdated, a, generation >= 1, b, confirmed >= 0, c || o["handoffFromWorkerId"] == nil) {
			return record.Route{
				TopicKey: topicKey, WorkerID: worker, TabID: tab, UpdatedAt: updated, Generation: generation, HandoffFrom: from, ConfirmedAt: confirmed,
			}
		}
	case record.SubscriberFamily:
		if isTopic && topicKey == key.TopicKey && isTab && tab == key.TabID && isUpdated {
			return record.Subscriber{TopicKey: topicKey, TabID: tab, UpdatedAt: updated}
		}
	}
	return nil
}

// decodeRecord reads the record of a key with the readers of the reference; nil if there is none.
func decodeRecord(key record.Key, value string) any {
	switch key.Family {
	case record.WorkerFamily:
		if w, err := record.DecodeWorker(value); err == nil {
			return w
		}
	case record.RouteFamily:
		if r, err := record.DecodeRoute(key.TopicKey, value); err == nil {
			return r
		}
	case record.SubscriberFamily:
		if s, err := record.DecodeSubscriber(key, value); err == nil {
			return s
		}
	}
	return nil
}

// plantedKeys are where something is planted: under the keys of workers that run and of a stranger, of routes that are in use and of one
// that is not, of subscribers that want the topic, of one that does not, and of a stranger.
func plantedKeys() []string {
	x, y, z := record.Hash("x"), record.Hash("y"), record.Hash("z")
	return []string{
		raceKeys.Worker("A"), raceKeys.Worker("B"), raceKeys.Worker("Z"), raceKeys.Route(x), raceKeys.Route(y), raceKeys.Route(z),
		raceKeys.Subscriber(x, "A"), raceKeys.Subscriber(x, "B"), raceKeys.Subscriber(y, "A"), raceKeys.Subscriber(x, "Z"),
	}
}

// afterPlanting are what the tabs do once something is planted; each is a reading of all records.
var afterPlanting = []string{
	"beat B", "subscribe A y", "deliver B from A", "beat A", "deliver B from A", "deliver A from B", "unsubscribe B y", "deliver A from B",
	"subscribe B y", "visibility A", "deliver B from A", "visibility A",
}

// planted returns the record of a key as who lists the storage sees it; nil if there is none.
func planted(at, value string) any {
	key := raceKeys.Parse(at)
	found := decodeRecord(key, value)
	if w, ok := found.(record.Worker); ok && w.WorkerID != key.WorkerID {
		return nil
	}
	return found
}

// heals reports whether the tabs are to mend a record that is sound: all but one that says of a tab that runs what only that tab could know,
// or that of a worker that is to live (DATABUS-LIMIT-005).
func heals(guest any, now int64, rules cluster.Rules) bool {
	switch p := guest.(type) {
	case record.Worker:
		return p.WorkerID == "A" || p.WorkerID == "B" || p.HeartbeatAt <= now
	case record.Route:
		owner := map[string]string{record.Hash("x"): "A", record.Hash("y"): "B"}[p.TopicKey]
		runs := p.HandoffFrom == "A" || p.HandoffFrom == "B"
		// DATABUS-CONFIRM-003, DATABUS-HANDOFF-004
		return (!runs || p.Confirmed()) && (p.WorkerID == owner || !p.Confirmed() || rules.Reclaim) && p.UpdatedAt <= now
	}
	return true
}

// plantRecord plants a value under a key of two tabs that run. What is none is as if it were not there: the tabs do the same as others that
// see the key removed. What is one heals within a heartbeat and the TTL, and while it stays no live tab loses what is its own.
func plantRecord(at, value string, rules cluster.Rules) error {
	r, want, err := hostRig(rules)
	if err != nil {
		return err
	}
	twin, _, err := hostRig(rules)
	if err != nil {
		return err
	}
	guest := planted(at, value)
	r.disk[at] = value
	delete(twin.disk, at)
	for _, t := range append(r.tabs, twin.tabs...) {
		t.next = 0
	}
	for _, do := range afterPlanting {
		errs := [2]error{r.take(do), twin.take(do)}
		if guest == nil && ((errs[0] == nil) != (errs[1] == nil) || !cmp.Equal(r.seen, twin.seen) || r.String() != twin.String()) {
			return fmt.Errorf("DATABUS-RECORD-005: %s, which is no record, makes %q of %s, not %q, and comes to\n\t%v\nnot\n\t%v", value, r.seen, do, twin.seen, r, twin)
		}
		r.seen = nil
		if err := want.standsBy(r, at, do); err != nil {
			return err
		}
	}
	const rounds = 5 // a heartbeat and the TTL, and the heartbeat before
	return r.atRestAfter(rounds, rules.AuthorizeUnsubscribe && heals(guest, r.now, rules))
}

// standsBy holds the tabs to what is wanted of them, and what they do with the storage to DATABUS-GC-003.
func (l *ledger) standsBy(r *raceRig, at, do string) error {
	disk := r.disk
	if planted(at, disk[at]) == nil {
		r.disk = maps.Clone(disk)
		delete(r.disk, at)
	}
	err := l.check(r, do, false)
	r.disk = disk
	if err != nil || !strings.HasPrefix(do, "beat ") {
		return err
	}
	// Who has just reconciled sees every tab that runs and has a record; it subscribes x itself.
	key := record.Hash("x")
	if _, err := record.DecodeRoute(key, r.disk[raceKeys.Route(key)]); err != nil {
		return fmt.Errorf("DATABUS-GC-003: after %s there is no route of x: %w", do, err)
	}
	return nil
}

// FuzzDatabusRecord: a stored value is a record for the reference if it is one for a second reading, and the same one; what is none is taken
// for absent; and what is one, whoever planted it, heals or does no harm.
func FuzzDatabusRecord(f *testing.F) {
	x := record.Hash("x")
	w := record.Worker{
		WorkerID: "Z", TabID: "Z", Role: record.Active, Status: record.Connected, Visibility: record.Visible, HeartbeatAt: 1_000_000, RegisteredAt: 1,
	}
	route := record.Route{TopicKey: x, WorkerID: "A", TabID: "A", UpdatedAt: 1_000_000, Generation: 1}
	gone := route
	gone.WorkerID, gone.HandoffFrom, gone.Generation = "B", "Z", 1<<53
	s := record.Subscriber{TopicKey: x, TabID: "A", UpdatedAt: 1_000_000}
	values := []string{
		w.Encode(), route.Encode(), gone.Encode(), s.Encode(), "", "{", "null", "[]", `{"topicKey":"` + x + `"}`,
		strings.Replace(w.Encode(), "1000000", "-9223372036854775808", 1), strings.Replace(route.Encode(), `"generation":1`, `"generation":9223372036854775807`, 1),
		strings.Replace(route.Encode(), "{", `{"HandoffFromWorkerId":"B","ConfirmedAt":1,`, 1), strings.Replace(w.Encode(), `"load":0`, `"load":0.0`, 1),
		strings.Replace(s.Encode(), "{", `{"tabId":null,"more":{},`, 1),
	}
	for i, value := range values {
		for where := range plantedKeys() {
			f.Add(value, uint8(where), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, value string, where, version uint8) {
		keys, rules := plantedKeys(), hostileRules()
		at := keys[int(where)%len(keys)]
		for _, at := range keys {
			key := raceKeys.Parse(at)
			if diff := cmp.Diff(readRecord(key, value), decodeRecord(key, value)); diff != "" {
				t.Fatalf("DATABUS-RECORD-001, DATABUS-RECORD-003: %s: %s", at, diff)
			}
		}
		if err := plantRecord(at, value, rules[int(version)%len(rules)]); err != nil {
			t.Fatalf("%s = %s: %v", at, value, err)
		}
	})
}
