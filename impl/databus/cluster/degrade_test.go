package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
	"github.com/seed-6f28358b/assay/impl/databus/writer"
)

// DATABUS-DEGRADE-001, -002: without storage, without channel, or with one that fails, a tab is alone and owns what it subscribes.
func TestLocalMode(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Config)
		broken func(*tab)
		want   []string // of the start
	}{
		"no storage": {func(c *Config) { c.Storage = nil }, func(*tab) {}, nil},
		"no channel": {func(c *Config) { c.Open = nil }, func(*tab) {}, []string{"set probe", "del probe"}},
		"full":       {func(*Config) {}, func(t *tab) { t.failWrites = 1 }, nil},
		"unopened":   {func(*Config) {}, func(t *tab) { t.failOpens = 1 }, []string{"set probe", "del probe"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, V010())
			other := w.open("b")[0]
			a := w.add("a", "ta", c.change)
			c.broken(a)
			a.do(a.c.Start)
			for i, line := range a.log {
				a.log[i] = line[:4] + line[max(4, len(line)-5):]
			}
			a.logged(c.want...)
			if a.c.Coordinated() {
				t.Error("it is coordinated")
			}
			other.subscribe("x")
			a.subscribe("x")
			a.logged("assign x")
			w.owned("x", "b", "a")
			if err := a.publish("x", "1"); err != nil {
				t.Error(err)
			}
			if err := a.publish("y", "1"); err != nil {
				t.Error(err)
			}
			a.logged("publish x 1", "publish y 1")
			w.serve("x")
			w.drain()
			if !slices.Equal(a.got, []string{"x 2"}) || !slices.Equal(other.got, []string{"x 1"}) || len(a.reported) != 0 {
				t.Errorf("a got %v, b %v, reported %v", a.got, other.got, a.reported)
			}
			a.do(func() {
				a.c.Status(record.Connected)
				a.c.Visibility(record.Hidden)
				a.c.Tick()
				a.c.Receive(signal.Registry{SourceWorkerID: "b"})
			})
			w.advance(60_000, true)
			a.logged()
			a.unsubscribe("x")
			a.logged("release x")
		})
	}
}

// DATABUS-DEGRADE-003, DATABUS-CACHE-005: the route follows from what is known, subscribed and assigned.
func TestSynthesisedRoute(t *testing.T) {
	w := newWorld(t, V010())
	a := w.add("a", "ta", func(c *Config) { c.Storage = nil })
	a.do(a.c.Start)
	_ = a.publish("published", "1")
	a.subscribe("x")
	for i := range 600 {
		_ = a.publish(fmt.Sprint("p", i), "1")
	}
	for topic, want := range map[string]bool{"unknown": false, "published": false, "p599": false, "x": true} {
		if a.c.IsAssigned(topic) != want {
			t.Errorf("%s assigned: %t", topic, !want)
		}
	}
	s := a.c.Snapshot()
	if len(s.Routes) != 1 || s.Routes[0].Topic != "x" || s.Routes[0].WorkerID != "a" || s.Routes[0].Generation != 1 || s.Self.Load != 1 {
		t.Errorf("%+v", s)
	}
	a.do(a.c.PageHide)
	if a.c.IsAssigned("x") || len(a.held) != 0 {
		t.Error("a hidden page owns a topic")
	}
	a.do(a.c.PageShow)
	if !a.c.IsAssigned("x") || !a.held["x"] {
		t.Error("a page that came back owns nothing")
	}
}

// DATABUS-BATCH-005: a storage that fails after the start stops nothing in the own tab.
func TestFullStorage(t *testing.T) {
	w := newWorld(t, V010())
	a := w.open("a")[0]
	a.failWrites = 1 << 30
	a.subscribe("x")
	w.owned("x", "a")
	w.serve("x")
	if err := a.publish("x", "1"); err != nil || len(a.got) != 1 {
		t.Errorf("got %v, %v", a.got, err)
	}
	w.advance(60_000, true)
	w.owned("x", "a")
	a.failWrites = 0
	w.advance(2000, true)
	w.routed("x", "a1!")
}

// A channel that fails to open when the page comes back makes that activation local, and the next one not.
func TestChannelFailsAtReturn(t *testing.T) {
	w, a, _ := two(t, V010())
	a.subscribe("x")
	w.drain()
	a.do(a.c.PageHide)
	a.failOpens = 1
	a.do(a.c.PageShow)
	if a.c.Coordinated() || !a.held["x"] {
		t.Error("it is not alone")
	}
	a.do(a.c.PageHide)
	a.do(a.c.PageShow)
	w.settle()
	if !a.c.Coordinated() {
		t.Error("it is still alone")
	}
	w.healed("x")
}

// DATABUS-KEY-004: clusters do not see each other.
func TestTwoClusters(t *testing.T) {
	w := newWorld(t, V010())
	a := w.open("a")[0]
	other := w.add("o", "to", func(c *Config) { c.ClusterKey = "other" })
	other.do(other.c.Start)
	w.wire = nil // the kit has one channel for all
	a.subscribe("x")
	other.subscribe("x")
	w.owned("x", "a", "o")
	if got := other.c.Snapshot(); len(got.Workers) != 1 || len(got.Routes) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestValidate(t *testing.T) {
	good := (&tab{w: newWorld(t, V010())}).config()
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for field, spoil := range map[string]func(*Config){
		"TabID":           func(c *Config) { c.TabID = "" },
		"WorkerID":        func(c *Config) { c.WorkerID = "\xff" },
		"Prefix":          func(c *Config) { c.Prefix = "\x00" },
		"Heartbeat":       func(c *Config) { c.Heartbeat = -1 },
		"TTL":             func(c *Config) { c.TTL = -1 },
		"MaxActive":       func(c *Config) { c.MaxActive = -1 },
		"Visibility":      func(c *Config) { c.Visibility = "?" },
		"Clock":           func(c *Config) { c.Clock = nil },
		"Defer":           func(c *Config) { c.Defer = nil },
		"Rules.Release":   func(c *Config) { c.Rules.Release = 9 },
		"Rules.Gone":      func(c *Config) { c.Rules.Gone = 9 },
		"Rules.Guard":     func(c *Config) { c.Rules.Guard = writer.Every + 1 },
		"Rules.DropAfter": func(c *Config) { c.Rules.DropAfter = -1 },
	} {
		cfg := good
		spoil(&cfg)
		_, err := New(cfg)
		var e *ConfigError
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
	long := good
	long.TabID = strings.Repeat("x", record.MaxID+1)
	want := fmt.Sprintf("databus cluster: TabID is empty, of more than %d octets (%d) or no UTF-8", record.MaxID, record.MaxID+1)
	if _, err := New(long); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
