package databus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// DATABUS-SUBSCRIBE-001, DATABUS-UNSUBSCRIBE-001: only the first handler of a topic enters the cluster and only the last one leaves it.
func TestHandlersAreCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		r := started(t, func(c *Config) { c.Environment = o.Environment() })
		var subs []*Subscription
		for range 3 {
			subs = append(subs, r.sub("x"))
		}
		r.took("sub x")
		r.emits("x", "1")
		r.heard("x 1", "x 1", "x 1")
		subs[1].Unsubscribe()
		subs[1].Unsubscribe()
		r.emits("x", "2")
		r.heard("x 2", "x 2")
		subs[0].Unsubscribe()
		if n := keys(t, o); n != 3 {
			t.Errorf("%d keys", n)
		}
		subs[2].Unsubscribe()
		subs[2].Unsubscribe()
		r.took("unsub x")
		if n := keys(t, o); n != 1 {
			t.Errorf("%d keys", n)
		}
		r.emits("x", "3")
		r.heard()
		r.end()
		subs[2].Unsubscribe()
		r.failed(0)
	})
}

// DATABUS-SUBSCRIBE-004: what is subscribed before the transport is open is subscribed once when it is; DATABUS-PUBLISH-005: what is
// published waits.
func TestSubscribeBeforeOpen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := rigged(t, nil)
		r.fake.opens = make(chan error)
		r.sub("x")
		go func() { _ = r.Start(t.Context()) }()
		r.took("start")
		r.sub("y")
		r.sub("y")
		r.Publish("x", json.RawMessage(`"early"`))
		r.took()
		r.fake.opens <- nil
		r.took("open", "sub x", "sub y", `pub x "early"`)
		r.end()
		r.failed(0)
	})
}

// DATABUS-PUBLISH-003, -005: what cannot be sent is reported, and a page that is hidden away publishes and keeps nothing.
func TestPublishFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		r.Publish("x", json.RawMessage("{"))
		r.failed(1)
		r.fake.publish = errBroken
		r.Publish("x", json.RawMessage("1"))
		r.took("pub x 1")
		r.failed(1)
		r.PageHide()
		r.fake.took()
		r.Publish("x", json.RawMessage("2"))
		r.PageShow()
		r.took("start", "open")
		r.failed(0)
		r.end()
		r.Publish("x", json.RawMessage("3"))
		r.failed(1)
	})
}

// What waits for an opening has a limit, and is reported when the opening fails.
func TestBacklog(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := rigged(t, nil)
		r.fake.opens = make(chan error)
		go func() { _ = r.Start(t.Context()) }()
		synctest.Wait()
		for range MaxWaiting + 2 {
			r.Publish("x", json.RawMessage("1"))
		}
		r.failed(2)
		r.fake.opens <- errBroken
		r.failed(MaxWaiting)
		r.end()
	})
}

// DATABUS-GATE-007: a handler that panics is reported and holds up neither the others nor the bus.
func TestHandlerPanics(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		if _, err := r.Subscribe("x", func(string, json.RawMessage) { panic("no") }); err != nil {
			t.Fatal(err)
		}
		r.sub("x")
		r.OnError(func(error) { panic("not this one either") })
		r.emits("x", "1")
		r.heard("x 1")
		r.failed(1)
		r.emits("x", "2")
		r.heard("x 2")
		r.failed(1)
		r.end()
	})
}

// Handlers may use the bus: what they cause comes after what caused it, and who is removed before its turn is not called (DATABUS-INV-002).
func TestHandlerUsesBus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		var later *Subscription
		if _, err := r.Subscribe("x", func(_ string, data json.RawMessage) {
			later.Unsubscribe()
			r.Publish("y", data)
			if r.Status() != Connected || len(r.Snapshot().Subscribed) == 0 {
				t.Error("the bus answers a handler wrongly")
			}
			data[0] = 'z' // it is the handler's own
			r.sub("z")
		}); err != nil {
			t.Fatal(err)
		}
		later = r.sub("x")
		if _, err := r.Subscribe("x", func(_ string, data json.RawMessage) { r.Publish("last", data) }); err != nil {
			t.Fatal(err)
		}
		r.fake.took()
		r.emits("x", "1")
		r.heard()
		r.took("pub y 1", "sub z", "pub last 1")
		r.end()
	})
}

// DATABUS-EVENT-001, DATABUS-GATE-004: events of another type, or without a publication, reach nobody.
func TestOtherEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		r := started(t, func(c *Config) { c.Environment = o.Environment() })
		r.sub("x")
		peer, err := o.open(record.NewKeys("", "k").Channel(), func(signal.Frame) {})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []signal.Event{
			{SourceWorkerID: "b", EventType: "OTHER", Payload: json.RawMessage(`{"topic":"x","data":1}`)},
			{SourceWorkerID: "b", EventType: signal.PublicationType, Payload: json.RawMessage(`{"topic":"x"}`)},
			{SourceWorkerID: "b", EventType: signal.PublicationType, Payload: json.RawMessage(`7`)},
			{SourceWorkerID: "b", EventType: signal.PublicationType},
			{SourceWorkerID: "b", EventType: signal.PublicationType, Payload: json.RawMessage(`{"topic":"y","data":1}`)},
			{SourceWorkerID: "a", EventType: signal.PublicationType, Payload: json.RawMessage(`{"topic":"x","data":1}`)},
		} {
			if err := peer.Post(e); err != nil {
				t.Fatal(err)
			}
		}
		r.heard()
		good := signal.Event{SourceWorkerID: "b", EventType: signal.PublicationType, Payload: json.RawMessage(`{"topic":"x","data":null}`)}
		if err := peer.Post(good); err != nil {
			t.Fatal(err)
		}
		r.heard("x null")
		peer.Close()
		r.end()
	})
}

// DATABUS-GATE-001, -002, -003, DATABUS-OWNER-007, DATABUS-LIVE-002: one subscription at the server serves all tabs, over handoff and
// return.
func TestFamily(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o, s := &Origin{}, &Server{}
		all := family(t, o, s, 3)
		for _, r := range all[1:] {
			r.sub("x")
		}
		synctest.Wait()
		hears := func(data string, want ...bool) {
			t.Helper()
			if n := s.Emit("x", json.RawMessage(data)); n != 1 {
				t.Errorf("%d subscriptions at the server", n)
			}
			for i, r := range all {
				if want[i] {
					r.heard("x " + data)
				} else {
					r.heard()
				}
			}
		}
		hears("1", false, true, true) // the owner does not subscribe
		all[2].Publish("x", json.RawMessage(`"<2>"`))
		all[1].heard(`x "<2>"`)
		all[2].heard(`x "<2>"`)
		all[0].PageHide()
		synctest.Wait()
		hears("3", false, true, true)
		all[0].PageShow()
		all[0].sub("x")
		synctest.Wait()
		hears("4", true, true, true)
		s.Break()
		pass(RecoveryCooldown)
		hears("5", true, true, true)
		for _, r := range all {
			r.failed(0)
			r.end()
		}
		if keys(t, o) != 0 || s.Subscribed("x") != 0 {
			t.Errorf("%d keys, %d subscriptions are left", keys(t, o), s.Subscribed("x"))
		}
	})
}

// DATABUS-LIVE-001: a tab that falls silent is replaced. The origin is cut off from it, so that it neither writes nor hears.
func TestSilentOwner(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o, s := &Origin{}, &Server{}
		silent := clockStub{}
		owner := rigged(t, func(c *Config) {
			c.Transport, c.Environment = s.Line(), o.Environment()
			c.Environment.Clock = silent
		})
		owner.start()
		synctest.Wait()
		other := rigged(t, func(c *Config) {
			c.Transport, c.Environment, c.TabID, c.WorkerID = s.Line(), o.Environment(), "tb", "b"
		})
		other.start()
		owner.sub("x")
		other.sub("x")
		synctest.Wait()
		if !slices.Equal(owner.Snapshot().Assigned, []string{"x"}) {
			t.Fatalf("%+v", owner.Snapshot())
		}
		pass(13_000)
		if !slices.Equal(other.Snapshot().Assigned, []string{"x"}) {
			t.Errorf("%+v", other.Snapshot())
		}
		owner.end()
		other.end()
	})
}

// clockStub tells the time but never calls anybody.
type clockStub struct{ wallClock }

func (clockStub) After(int64, func()) func() { return func() {} }
func (clockStub) Every(int64, func()) func() { return func() {} }

// DATABUS-DEGRADE-001, -002, DATABUS-BATCH-005: without an origin, or with a full one, a bus works alone.
func TestAlone(t *testing.T) {
	for name, env := range map[string]Environment{"nothing": {}, "full": (&Origin{Quota: 1}).Environment()} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := started(t, func(c *Config) { c.Environment = env })
				r.sub("x")
				r.Publish("x", json.RawMessage("1"))
				r.took("sub x", "pub x 1")
				r.emits("x", "2")
				r.heard("x 2")
				r.PageHide()
				r.PageShow()
				r.took("unsub x", "stop", "closed", "start", "open", "sub x")
				r.end()
				r.failed(0)
			})
		})
	}
}

// DATABUS-KEY-004: buses of other clusters on one origin hear nothing.
func TestClustersApart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		a := started(t, func(c *Config) { c.Environment = o.Environment() })
		b := started(t, func(c *Config) { c.Environment, c.ClusterKey, c.WorkerID = o.Environment(), "other", "b" })
		a.sub("x")
		b.sub("x")
		a.took("sub x")
		b.took("sub x")
		a.emits("x", "1")
		a.heard("x 1")
		b.heard()
		a.end()
		b.end()
	})
}

// DATABUS-SUBSCRIBE-005: however often it is asked, an owner subscribes once.
func TestRepeatedControl(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		r := started(t, func(c *Config) { c.Environment = o.Environment() })
		peer, err := o.open(record.NewKeys("", "k").Channel(), func(signal.Frame) {})
		if err != nil {
			t.Fatal(err)
		}
		ask := func(action signal.Action) {
			t.Helper()
			f := signal.Control{Action: action, Topic: "x", TopicKey: record.Hash("x"), SourceWorkerID: "b", TargetWorkerID: "a"}
			if err := peer.Post(f); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			ask(signal.Subscribe)
		}
		r.took("sub x")
		ask(signal.Unsubscribe)
		ask(signal.Unsubscribe)
		r.took("unsub x")
		ask(signal.Subscribe)
		r.took("sub x")
		peer.Close()
		r.end()
	})
}

// DATABUS-LIFECYCLE-005: what arrives late for a channel that was closed is lost, although the page has opened the next one.
func TestLateFrame(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		var receives []func(signal.Frame)
		r := started(t, func(c *Config) {
			c.Environment = Environment{Storage: o, Open: func(name string, receive func(signal.Frame)) (cluster.Channel, error) {
				receives = append(receives, receive)
				return o.open(name, receive)
			}}
		})
		r.PageHide()
		r.PageShow()
		r.fake.took()
		f := signal.Control{Action: signal.Publish, Topic: "x", TopicKey: record.Hash("x"), SourceWorkerID: "b", TargetWorkerID: "a"}
		receives[0](f)
		r.took()
		f.Data = json.RawMessage("1")
		receives[1](f)
		r.took("pub x 1")
		r.end()
	})
}

// DATABUS-GATE-006: by the reading of the seed the stored record counts as well.
func TestStoredInterest(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := &Origin{}
		r := started(t, func(c *Config) { c.Environment, c.Rules = o.Environment(), cluster.Rules{StoredInterest: true} })
		r.sub("x")
		r.emits("x", "1")
		r.heard("x 1")
		if err := o.Remove(record.NewKeys("", "k").Subscriber(record.Hash("x"), "ta")); err != nil {
			t.Fatal(err)
		}
		r.emits("x", "2")
		r.heard()
		r.end()
	})
}

// What is published is what it was when it was.
func TestPublishCopies(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := rigged(t, nil)
		r.fake.opens = make(chan error)
		go func() { _ = r.Start(t.Context()) }()
		synctest.Wait()
		data := json.RawMessage("1")
		r.Publish("x", data)
		data[0] = '2'
		r.fake.opens <- nil
		r.took("start", "open", "pub x 1")
		r.end()
	})
}

// DATABUS-VISIBILITY-001: the page says how it is, and only the own record changes.
func TestVisibility(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		r.sub("x")
		r.Visibility(record.Hidden)
		s := r.Snapshot()
		if s.Self.Visibility != record.Hidden || !slices.Equal(s.Assigned, []string{"x"}) || s.Routes[0].Generation != 1 {
			t.Errorf("%+v", s)
		}
		r.end()
	})
}

func TestListenersEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := started(t, nil)
		n := 0
		cancelError := r.OnError(func(err error) {
			n++
			if !errors.Is(err, ErrNoJSON) || err.Error() != "databus publish x: the data is no JSON" {
				t.Errorf("told %v", err)
			}
		})
		cancelStatus := r.OnStatus(func(Status) { n++ })
		r.Publish("x", json.RawMessage("{"))
		r.fake.says(Disconnected)
		cancelError()
		cancelStatus()
		cancelStatus()
		r.Publish("x", json.RawMessage("{"))
		r.fake.says(Connected)
		if n != 2 {
			t.Errorf("told %d times", n)
		}
		r.end()
	})
}

func TestSubscribeRefusesTopics(t *testing.T) {
	r := rigged(t, nil)
	for _, topic := range []string{"\xff", strings.Repeat("x", signal.MaxTopic+1)} {
		s, err := r.Subscribe(topic, func(string, json.RawMessage) {})
		var e *TopicError
		if s != nil || !errors.As(err, &e) || e.Found != len(topic) || !strings.Contains(err.Error(), "topic") {
			t.Errorf("got %v, %v", s, err)
		}
	}
}

func TestValidate(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"Transport":      func(c *Config) { c.Transport = nil },
		"Trace.Interval": func(c *Config) { c.Trace.Interval = -1 },
		"Trace.Sink":     func(c *Config) { c.Trace.Enabled = true },
	} {
		cfg := Config{Transport: &fake{}}
		change(&cfg)
		_, err := New(cfg)
		var e *ConfigError
		if !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
	_, err := New(Config{Transport: &fake{}, TTL: -1})
	var e *cluster.ConfigError
	if !errors.As(err, &e) || e.Field != "TTL" {
		t.Errorf("got %v", err)
	}
}

// Buses of one process are used from many goroutines at once, and come to rest with one owner for each topic.
func TestConcurrency(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o, s := &Origin{}, &Server{}
		all := family(t, o, s, 3)
		var group sync.WaitGroup
		for i, r := range all {
			for j := range 3 {
				group.Go(func() {
					topic := fmt.Sprint("x", j)
					for n := range 20 {
						sub := r.sub(topic)
						r.Publish(topic, json.RawMessage(fmt.Sprint(n)))
						s.Emit(topic, json.RawMessage("0"))
						if n%3 != 0 {
							sub.Unsubscribe()
						}
						if i == 2 && n == 10 {
							r.PageHide()
							r.PageShow()
						}
						_ = r.Snapshot()
					}
				})
			}
		}
		group.Wait()
		pass(60_000)
		for j := range 3 {
			topic := fmt.Sprint("x", j)
			if n := s.Subscribed(topic); n > 1 {
				t.Errorf("%d subscriptions of %s", n, topic)
			}
		}
		// Those that leave at once may leave something to each other, which whoever stays collects (DATABUS-LIVE-004).
		for _, r := range all[1:] {
			go func() { _ = r.Stop(context.Background()) }()
		}
		pass(60_000)
		go func() { _ = all[0].Stop(context.Background()) }()
		synctest.Wait()
		if n := keys(t, o); n != 0 {
			t.Errorf("%d keys are left", n)
		}
	})
}
