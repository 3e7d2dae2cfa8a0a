package cluster

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// DATABUS-FENCE-002: no SUBSCRIBE is obeyed whose route waits for its old owner.
func TestAuthorizedSubscribe(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*record.Route)
		want   bool
	}{
		"plain":        {func(*record.Route) {}, true},
		"handed over":  {func(r *record.Route) { r.HandoffFrom = "b" }, false},
		"old one gone": {func(r *record.Route) { r.HandoffFrom = "z" }, true},
	} {
		w, a, _ := two(t, Rules{AuthorizeSubscribe: true})
		key := record.Hash("x")
		r := record.Route{TopicKey: key, WorkerID: "a", TabID: "ta", UpdatedAt: w.now, Generation: 2}
		c.change(&r)
		w.plant(clusterKeys.Route(key), r.Encode())
		a.do(func() { a.c.Receive(control(signal.Subscribe, "x", key, "b", "a")) })
		if a.held["x"] != c.want {
			t.Errorf("%s: obeyed %t", name, a.held["x"])
		}
	}
}

// AskAgain: an owner that has lost a topic and does not know its name has a subscriber ask again, and without it leaves the topic silent
// (DATABUS-CONFIRM-003).
func TestReclaimUnknown(t *testing.T) {
	for _, ask := range []bool{false, true} {
		w, a, b := two(t, Rules{Reclaim: true, AskAgain: ask})
		b.subscribe("x")
		w.dropType("CONTROL")
		w.drain()
		w.owned("x")
		r := record.Route{TopicKey: record.Hash("x"), WorkerID: "a", TabID: "ta", UpdatedAt: w.now, Generation: 1, ConfirmedAt: w.now}
		w.plant(clusterKeys.Route(r.TopicKey), r.Encode())
		a.log = nil
		a.do(a.c.Tick)
		if !ask {
			a.logged("set worker a")
			w.silent("x", "a1!")
			continue
		}
		a.logged("post REGISTRY", "set worker a", "set route x a1")
		w.drain()
		w.owned("x", "a")
		w.routed("x", "a1!")
	}
}

// DATABUS-OWNER-003: an elector counts what it has taken on in the same reconcile.
func TestElectorCountsItsLoad(t *testing.T) {
	w := newWorld(t, V010())
	w.open("b")
	a := w.add("a", "ta", nil)
	a.subscribe("p")
	a.subscribe("q")
	a.do(a.c.Start)
	w.drain()
	w.owned("p", "a")
	w.owned("q", "b")
}

// DATABUS-RECORD-002, DATABUS-RECORD-005: a record under the key of another worker is none.
func TestMisplacedRecord(t *testing.T) {
	w, a, _ := two(t, V010())
	r := w.worker("b")
	r.WorkerID = "q"
	w.plant(clusterKeys.Worker("z"), r.Encode())
	if got := a.c.Snapshot().Workers; len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// DATABUS-FENCE-003: a record that another removed, or that nobody can read, is back before the next election; without the rule it waits
// for the heartbeat. One that is there is not rewritten.
func TestRestoreRecord(t *testing.T) {
	own := clusterKeys.Worker("a")
	for _, restore := range []bool{false, true} {
		w, a, b := two(t, Rules{RestoreRecord: restore})
		a.subscribe("x")
		w.drain()
		a.log = nil
		a.do(func() { a.c.Receive(signal.Registry{SourceWorkerID: "b"}) })
		a.logged("set sub x ta")

		want := []string{"set sub x ta"}
		if restore {
			want = []string{"set worker a", "set sub x ta"}
		}
		for _, spoil := range []func(){func() { _ = shelf{b}.Remove(own) }, func() { w.plant(own, "{") }} {
			spoil()
			w.now++
			a.do(func() { a.c.Receive(signal.Registry{SourceWorkerID: "b"}) })
			a.logged(want...)
			if got := w.worker("a").HeartbeatAt == w.now; got != restore {
				t.Errorf("restore %t: the record is back: %t", restore, got)
			}
		}
		a.do(a.c.Tick)
		if w.worker("a").HeartbeatAt != w.now {
			t.Error("no heartbeat brings the record back")
		}
	}
}
