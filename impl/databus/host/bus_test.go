package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// A member is one bus over real files and sockets, with a host of its own as in a process of its own.
type member struct {
	*databus.Bus
	h   *Host
	id  string
	got chan string
}

// joins returns a bus that runs and subscribes the topics. Nobody waits so long that it counts as dead, however slow the machine is.
func joins(t *testing.T, dir, id string, s *databus.Server, topics ...string) *member {
	t.Helper()
	m := &member{h: opened(t, dir, nil), id: id, got: make(chan string, 1000)}
	b, err := m.h.New(databus.Config{
		Transport: s.Line(), ClusterKey: "k", TabID: "t" + id, WorkerID: id, Rules: cluster.Fenced(), Heartbeat: 100, TTL: 3_600_000,
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Bus = b
	b.OnError(func(err error) { t.Errorf("%s: %v", id, err) })
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, topic := range topics {
		_, err := b.Subscribe(topic, func(topic string, data json.RawMessage) { m.got <- topic + " " + string(data) })
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *member) owns(topic string) bool { return slices.Contains(m.Snapshot().Assigned, topic) }

// served waits until exactly one of the members owns the topic, its route is confirmed and its transport subscribes, and returns it.
func served(t *testing.T, s *databus.Server, topic string, all ...*member) *member {
	t.Helper()
	var owner *member
	until(t, topic+" is served", func() bool {
		owner = nil
		n := 0
		for _, m := range all {
			if m.owns(topic) {
				owner = m
				n++
			}
		}
		if n != 1 || s.Subscribed(topic) != 1 {
			return false
		}
		return slices.ContainsFunc(owner.Snapshot().Routes, func(r cluster.RouteView) bool {
			return r.TopicKey == record.Hash(topic) && r.WorkerID == owner.id && r.Confirmed()
		})
	})
	return owner
}

// DATABUS-LIFECYCLE-002: a bus may start on its own.
func TestAutoStart(t *testing.T) {
	h, server := opened(t, t.TempDir(), nil), &databus.Server{}
	b, err := h.New(databus.Config{Transport: server.Line(), ClusterKey: "k", AutoStart: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := b.Snapshot(); !s.Coordinated || !s.Active {
		t.Errorf("%+v", s)
	}
}

// Several buses share one subscription for each topic; what one of them publishes reaches all.
func TestBuses(t *testing.T) {
	dir, server := t.TempDir(), &databus.Server{}
	var all []*member
	for _, id := range []string{"a", "b", "c"} {
		all = append(all, joins(t, dir, id, server, "x", "y"))
	}
	for _, topic := range []string{"x", "y"} {
		served(t, server, topic, all...)
		for i, m := range all {
			want := fmt.Sprintf("%s %d", topic, i)
			m.Publish(topic, json.RawMessage(fmt.Sprint(i)))
			for _, other := range all {
				select {
				case got := <-other.got:
					if got != want {
						t.Errorf("%s got %s, want %s", other.id, got, want)
					}
				case <-time.After(patience):
					t.Fatalf("%s does not get %s", other.id, want)
				}
			}
		}
	}
	if s := all[0].Snapshot(); !s.Coordinated || len(s.Workers) != 3 {
		t.Errorf("%+v", s)
	}
}

// DATABUS-LIVE-002, DATABUS-HANDOFF-001, DATABUS-RACE-007: a process that leaves hands its topics over; nobody waits for it to expire.
func TestLeave(t *testing.T) {
	dir, server := t.TempDir(), &databus.Server{}
	a := joins(t, dir, "a", server, "x", "y")
	served(t, server, "x", a)
	served(t, server, "y", a)
	b := joins(t, dir, "b", server, "x", "y")
	c := joins(t, dir, "c", server, "x")
	until(t, "all subscribe", func() bool { return subscribers(t, a.h, "x") == 3 && subscribers(t, a.h, "y") == 2 })
	if err := a.h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := a.h.Stats().Dropped; n != 0 {
		t.Errorf("%d frames were dropped", n)
	}
	owner := served(t, server, "x", b, c)
	served(t, server, "y", b, c)
	// A handoff marks the route for as long as the next assignment; an election does not.
	for _, r := range owner.Snapshot().Routes {
		if r.HandoffFrom != "a" || r.Generation != 2 {
			t.Errorf("%+v", r)
		}
	}
	if _, there, _ := b.h.storage.Get(record.NewKeys("", "k").Worker("a")); there {
		t.Error("the record of a is left")
	}
}

func subscribers(t *testing.T, h *Host, topic string) int {
	t.Helper()
	keys, err := h.storage.Keys()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, key := range keys {
		if strings.Contains(key, ":subscriber:"+record.Hash(topic)) {
			n++
		}
	}
	return n
}

// DATABUS-LIFECYCLE-005, DATABUS-STICKY-004: who hides and shows again comes back without its topics.
func TestHideAndShow(t *testing.T) {
	dir, server := t.TempDir(), &databus.Server{}
	a := joins(t, dir, "a", server, "x")
	served(t, server, "x", a)
	b := joins(t, dir, "b", server, "x")
	until(t, "both subscribe", func() bool { return subscribers(t, a.h, "x") == 2 })
	a.PageHide()
	served(t, server, "x", b)
	a.PageShow()
	until(t, "a is back", func() bool { return len(b.Snapshot().Workers) == 2 && subscribers(t, b.h, "x") == 2 })
	if owner := served(t, server, "x", a, b); owner != b {
		t.Errorf("%s owns x", owner.id)
	}
	server.Emit("x", json.RawMessage("1"))
	for _, m := range []*member{a, b} {
		select {
		case <-m.got:
		case <-time.After(patience):
			t.Fatalf("%s gets nothing", m.id)
		}
	}
}

// DATABUS-DEGRADE-001: without a channel a process is alone, works, and somebody is told why.
func TestAlone(t *testing.T) {
	dir, server := t.TempDir(), &databus.Server{}
	var mu sync.Mutex
	var faults []error
	h := opened(t, dir, func(c *Config) {
		c.Fault = func(err error) {
			mu.Lock()
			defer mu.Unlock()
			faults = append(faults, err)
		}
	})
	// A file where the folder of the sockets is to be.
	keys := record.NewKeys("", "k")
	blocked := folder(dir, keys.Channel())
	if err := writeFile(blocked); err != nil {
		t.Fatal(err)
	}
	b, err := h.New(databus.Config{Transport: server.Line(), ClusterKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan json.RawMessage, 1)
	if _, err := b.Subscribe("x", func(_ string, data json.RawMessage) { got <- data }); err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b.Snapshot().Coordinated {
		t.Error("it is coordinated")
	}
	b.Publish("x", json.RawMessage("1"))
	<-got
	mu.Lock()
	defer mu.Unlock()
	var e *ChannelError
	if len(faults) != 1 || !errors.As(faults[0], &e) || e.Op != "open" {
		t.Errorf("told %v", faults)
	}
}

// Close does not wait for a handler that does not return, if it is told not to.
func TestCloseGivesUp(t *testing.T) {
	dir, server := t.TempDir(), &databus.Server{}
	a := joins(t, dir, "a", server, "x")
	b := joins(t, dir, "b", server)
	inside, leave := make(chan struct{}), make(chan struct{})
	served(t, server, "x", a, b)
	if _, err := b.Subscribe("x", func(string, json.RawMessage) { close(inside); <-leave }); err != nil {
		t.Fatal(err)
	}
	until(t, "b subscribes", func() bool { return subscribers(t, a.h, "x") == 2 })
	a.Publish("x", json.RawMessage("1"))
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.h.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(leave)
}

// DATABUS-FENCE-002: whoever hears of an election or of a change can read it. A frame that came before its record would be refused, and the
// topic silent for a heartbeat.
func TestFramesFollowTheirRecords(t *testing.T) {
	dir, keys := t.TempDir(), record.NewKeys("", "k")
	h := opened(t, dir, nil)
	const topics = 100
	heard := make(chan error, topics)
	storage := h.storage
	known := map[string]bool{}
	_, err := h.open(keys.Channel(), func(f signal.Frame) {
		c, ok := f.(signal.Control)
		// A SUBSCRIBE that nobody confirms is said again at each heartbeat.
		if !ok || c.Action != signal.Subscribe || known[c.TopicKey] {
			return
		}
		known[c.TopicKey] = true
		value, _, err := storage.Get(keys.Route(c.TopicKey))
		if err == nil {
			_, err = record.DecodeRoute(c.TopicKey, value)
		}
		heard <- err
	})
	if err != nil {
		t.Fatal(err)
	}
	other := record.Worker{
		WorkerID: "a", TabID: "ta", Role: record.Active, Status: record.Connected, Visibility: record.Visible,
		HeartbeatAt: time.Now().UnixMilli() + 3_600_000, RegisteredAt: 1,
	}
	if err := storage.Set(keys.Worker("a"), other.Encode()); err != nil {
		t.Fatal(err)
	}
	b := joins(t, dir, "b", &databus.Server{})
	until(t, "the two have met", func() bool { return b.h.Stats().Peers == 1 })
	for i := range topics {
		if _, err := b.Subscribe(fmt.Sprint("x", i), func(string, json.RawMessage) {}); err != nil {
			t.Fatal(err)
		}
		if err := <-heard; err != nil {
			t.Fatalf("topic %d: its route cannot be read: %v", i, err)
		}
	}
}
