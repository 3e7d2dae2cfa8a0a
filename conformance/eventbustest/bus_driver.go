package eventbustest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// options set up a bus under judgement; a zero value stands for the target's default.
type options struct {
	RingSize          int // events
	MaxSubscribers    int
	MaxQueuedBytes    int // octets of live frames, for each subscriber
	ReplayBudgetBytes int // octets, dialect later
	// Raw are options as JSON, over those above: for values that no bus accepts.
	Raw map[string]string
}

// A drivenBus is one bus of the target, reached through the adapter.
type drivenBus struct {
	b    *busT
	name string
	subs int
}

// New makes a bus of the case's dialect.
func (b *busT) New(o options) *drivenBus {
	bus, err := b.TryNew(o)
	if unsupported, ok := errors.AsType[*adapter.UnsupportedError](err); ok {
		b.Unsupported("%v", unsupported)
	}
	if err != nil {
		b.Blocked("prerequisite", "a bus cannot be made: %v", err)
	}
	return bus
}

// TryNew is New for options that may be refused: the error is a *adapter.TargetError, or a
// *adapter.UnsupportedError when the target's language cannot pass such a value.
func (b *busT) TryNew(o options) (*drivenBus, error) {
	bus := &drivenBus{b: b, name: b.Unique("bus")}
	request := map[string]any{"bus": bus.name}
	if b.Version() != "" {
		request["dialect"] = b.Version()
	}
	for name, v := range map[string]int{
		"ringSize": o.RingSize, "maxSubscribers": o.MaxSubscribers, "maxQueuedBytes": o.MaxQueuedBytes, "replayBudgetBytes": o.ReplayBudgetBytes,
	} {
		if v != 0 {
			request[name] = v
		}
	}
	for name, v := range o.Raw {
		request[name] = json.RawMessage(v)
	}
	return bus, b.TryAsk("new", request, nil)
}

// plain is the type of the events that are published by their data alone.
const plain = "note"

// An ev is an event to publish. Type empty stands for plain; Data, Meta and Extra are JSON text, empty for absent.
type ev struct {
	Type       string
	Data       string
	Originator string
	Meta       string // an object
	Extra      string // further members of the envelope, as in `"id":77,"v":9`
	Special    string // one of the names that replace the data, or the time stamp
}

// json is the event as the request carries it.
func (e ev) json() json.RawMessage {
	if e.Type == "" {
		e.Type = plain
	}
	parts := []string{`"type":` + quoted(e.Type)}
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, `"`+name+`":`+value)
		}
	}
	add("data", e.Data)
	if e.Originator != "" {
		add("originatorClientId", quoted(e.Originator))
	}
	add("_meta", e.Meta)
	if e.Extra != "" {
		parts = append(parts, e.Extra)
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// Publish publishes an event with that data, JSON text or empty, in an op of its own. It returns the event as the target
// returned it, nil for none.
func (d *drivenBus) Publish(data string) *frame { return d.PublishEv(ev{Data: data}) }

// PublishEv is Publish for a whole event.
func (d *drivenBus) PublishEv(e ev) *frame {
	f, thrown := d.TryPublish(e)
	if thrown != nil {
		d.b.Blocked("eventbus/bus/publish/never-throws", "publish threw %s: %s", thrown.Name, thrown.Message)
	}
	return f
}

// TryPublish is PublishEv where publish might throw.
func (d *drivenBus) TryPublish(e ev) (*frame, *adapter.TargetError) {
	var r publishReply
	if thrown := d.b.Ask("publish", publishRequest{Bus: d.name, Event: e.json(), Special: e.Special}, &r); thrown != nil {
		return nil, thrown
	}
	if len(r.Event) == 0 || string(r.Event) == "null" {
		return nil, nil
	}
	return d.b.frames([]json.RawMessage{r.Event})[0], nil
}

// PublishN publishes n events with data {"k":1} to {"k":n}, each in an op of its own, so that a consumer which waits
// is served before the next one.
func (d *drivenBus) PublishN(n int) []*frame {
	out := make([]*frame, 0, n)
	for k := range n {
		out = append(out, d.Publish(fmt.Sprintf(`{"k":%d}`, k+1)))
	}
	return out
}

// Burst publishes n equal small events in one tick: no consumer runs in between.
func (d *drivenBus) Burst(n int) { d.BurstEv(n, ev{Data: `{"k":0}`}) }

// BurstEv is Burst with an event of the case's own.
func (d *drivenBus) BurstEv(n int, e ev) {
	d.burst(burstRequest{Bus: d.name, Count: n, Event: e.json()})
}

// BurstOf publishes one event for each data, in one tick.
func (d *drivenBus) BurstOf(data ...string) {
	r := burstRequest{Bus: d.name}
	for _, text := range data {
		r.Events = append(r.Events, ev{Data: text}.json())
	}
	d.burst(r)
}

func (d *drivenBus) burst(r burstRequest) {
	if thrown := d.b.Ask("burst", r, &burstReply{}); thrown != nil {
		d.b.Blocked("eventbus/bus/publish/never-throws", "publish threw %s: %s", thrown.Name, thrown.Message)
	}
}

// Seed seeds history, one event for each data, and returns the events as the target returned them.
func (d *drivenBus) Seed(data ...string) []*frame {
	request := seedRequest{Bus: d.name, Events: []json.RawMessage{}}
	for _, text := range data {
		request.Events = append(request.Events, ev{Data: text}.json())
	}
	var r eventsReply
	d.b.MustAsk("seed", request, &r)
	return d.b.frames(r.Events)
}

// Close closes the bus.
func (d *drivenBus) Close() { d.b.MustAsk("close", busRequest{d.name}, nil) }

// LastEventID returns the highest id assigned so far.
func (d *drivenBus) LastEventID() int64 { return d.state().LastEventID }

// Subscribers returns how many subscriptions are attached.
func (d *drivenBus) Subscribers() int { return d.state().SubscriberCount }

// Epoch returns the bus's epoch token; a target without one ends the case as unsupported.
func (d *drivenBus) Epoch() string {
	s := d.state()
	if s.Epoch == nil {
		d.b.Unsupported("the bus shows no epoch token")
	}
	return *s.Epoch
}

func (d *drivenBus) state() stateReply {
	var r stateReply
	d.b.MustAsk("state", busRequest{d.name}, &r)
	return r
}

// A subOption is one field of a subscription.
type subOption func(map[string]any)

// resumeAfter sets the cursor.
func resumeAfter(id int64) subOption { return func(m map[string]any) { m["lastEventId"] = id } }

// maxQueued sets the cap on live frames.
func maxQueued(n int) subOption { return func(m map[string]any) { m["maxQueued"] = n } }

// withEpoch gives an epoch token.
func withEpoch(token string) subOption { return func(m map[string]any) { m["epoch"] = token } }

// aborted gives a signal that was aborted before.
func aborted() subOption { return func(m map[string]any) { m["aborted"] = true } }

// diagnose installs a diagnostic callback that returns true, returns false or throws: "true", "false", "throw".
func diagnose(what string) subOption { return func(m map[string]any) { m["diagnose"] = what } }

// A drivenSub is one subscription of the target, reached through the adapter.
type drivenSub struct {
	b    *busT
	name string
}

// Subscribe subscribes; without options the subscription is live only.
func (d *drivenBus) Subscribe(options ...subOption) *drivenSub {
	sub, thrown := d.TrySubscribe(options...)
	if thrown != nil {
		d.b.Blocked("prerequisite", "subscribe threw %s: %s", thrown.Name, thrown.Message)
	}
	return sub
}

// TrySubscribe is Subscribe where it may be refused.
func (d *drivenBus) TrySubscribe(options ...subOption) (*drivenSub, *adapter.TargetError) {
	d.subs++
	sub := &drivenSub{b: d.b, name: fmt.Sprintf("%s-s%d", d.name, d.subs)}
	request := map[string]any{"bus": d.name, "sub": sub.name}
	for _, o := range options {
		o(request)
	}
	thrown := d.b.Ask("subscribe", request, nil)
	return sub, thrown
}

// Name is how a Callback calls the subscription.
func (s *drivenSub) Name() string { return s.name }

// Next asks up to n times. An ask that finds nothing waits, and is a waiting consumer until it is served.
func (s *drivenSub) Next(n int) handedItems { return s.items("next", n) }

// Poll returns what an ask that waited was given; it never asks anew.
func (s *drivenSub) Poll() handedItems { return s.items("poll", 0) }

// Drain asks until there is nothing more: then an ask waits, or the stream is over.
func (s *drivenSub) Drain() handedItems { return s.items("drain", 0) }

// Park makes the subscription a waiting consumer; that something is there already blocks the case.
func (s *drivenSub) Park() {
	got := s.Next(1)
	s.b.Check(got.String() == stateParked, "", "the consumer waits", stateParked, got.String())
}

// Return ends the iteration from the consumer's side, as leaving a loop does.
func (s *drivenSub) Return() { s.b.MustAsk("return", subRequest{Sub: s.name}, nil) }

// Abort aborts the subscription's signal.
func (s *drivenSub) Abort() { s.b.MustAsk("abort", subRequest{Sub: s.name}, nil) }

// Listeners returns how many abort listeners the subscription's signal holds.
func (s *drivenSub) Listeners() int {
	var r countReply
	s.b.MustAsk("listeners", subRequest{Sub: s.name}, &r)
	return r.Count
}

func (s *drivenSub) items(op string, n int) handedItems {
	var r itemsReply
	s.b.MustAsk(op, subRequest{Sub: s.name, Count: n}, &r)
	switch r.State {
	case stateReady, stateParked, stateDone:
	default:
		s.b.Inconclusive("the adapter calls the state of a subscription %q", r.State)
	}
	return handedItems{Frames: s.b.frames(r.Items), State: r.State}
}
