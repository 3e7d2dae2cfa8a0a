package cluster

import (
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// DATABUS-LIMIT-005, DATABUS-CONTROL-005, DATABUS-RECORD-005: forged frames and records end in no panic, keep memory bounded and leave the
// own intention alone, and the tabs come to rest after them.
func FuzzForgery(f *testing.F) {
	key := record.Hash("x")
	for _, frame := range []signal.Frame{
		control(signal.Subscribe, "x", key, "z", "a"), control(signal.Unsubscribe, "x", key, "b", "a"),
		control(signal.Publish, "y", key, "z", "a"),
		signal.RouteReleased{Topic: "x", TopicKey: key, SourceWorkerID: "z", TargetWorkerID: "a", Generation: 1},
		signal.Registry{SourceWorkerID: "z"},
		signal.Event{SourceWorkerID: "z", EventType: signal.PublicationType},
	} {
		octets, err := signal.Encode(frame)
		if err != nil {
			f.Fatal(err)
		}
		r := record.Route{TopicKey: key, WorkerID: "z", TabID: "tz", UpdatedAt: 1, Generation: 1 << 40, HandoffFrom: "a"}
		f.Add(octets, r.Encode(), uint8(1))
		f.Add(octets, "{", uint8(0))
	}
	w := record.Worker{
		WorkerID: "z", TabID: "tz", Load: -0, Role: record.Active, Status: record.Connected, Visibility: record.Visible, HeartbeatAt: 1 << 50,
		RegisteredAt: 1,
	}
	f.Add([]byte(`{"type":"NEWS"}`), w.Encode(), uint8(2))
	f.Fuzz(func(t *testing.T, octets []byte, value string, where uint8) {
		frame, err := signal.Decode(octets)
		if err != nil {
			return
		}
		for _, rules := range []Rules{V010(), Drifted(), Fenced()} {
			forge(t, rules, frame, value, where)
		}
	})
}

func forge(t *testing.T, rules Rules, frame signal.Frame, value string, where uint8) {
	w, a, b := two(t, rules)
	a.subscribe("x")
	b.subscribe("x")
	w.drain()
	key := record.Hash("x")
	w.plant([]string{clusterKeys.Subscriber(key, "tz"), clusterKeys.Route(key), clusterKeys.Worker("z")}[where%3], value)
	for range 3 {
		a.do(func() { a.c.Receive(frame) })
		w.drain()
	}
	w.advance(2*DefaultHeartbeat, true)
	for _, tab := range w.tabs {
		s := tab.c.Snapshot()
		if len(s.Subscribed) != 1 || len(s.Known) > MaxKnown+len(s.Assigned) || s.Self.Load != len(s.Assigned) {
			t.Errorf("%s: %+v", tab.id, s)
		}
		tab.do(tab.c.Stop)
	}
	if len(w.wire) > 100 {
		t.Errorf("%d frames are under way", len(w.wire))
	}
}
