package eventbustest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-6f28358b/assay/conformance/adapter"
)

// serveBus returns the adapter around the buses of a factory.
func serveBus(software string, f Factory, more extras) adapter.Adapter {
	return func(ctx context.Context, r io.Reader, w io.Writer) error {
		ctx, cancel := context.WithCancel(ctx)
		g := &bridge{
			ctx: ctx, factory: f, software: software, extras: more, buses: map[string]Bus{}, subs: map[string]*asking{},
		}
		g.now.Store(startOfTime)
		defer g.asks.Wait()
		defer cancel()
		return adapter.Serve(ctx, r, w, g.handle)
	}
}

// extras are what an adapter can do besides the role bus; a nil one is unsupported.
type extras struct {
	parse  func(chunks []parseChunk) eventsReply
	reduce func(dialect string, events []json.RawMessage) ([]json.RawMessage, error)
}

// bridge carries out the operations of spec/adapter.md on buses in Go.
type bridge struct {
	ctx      context.Context
	factory  Factory
	software string
	extras   extras
	now      atomic.Int64 // ms
	buses    map[string]Bus
	subs     map[string]*asking
	asks     sync.WaitGroup // calls of Next

	// encoding is true while a reply is written: what is serialised for that does not count.
	encoding atomic.Bool
	sized    atomic.Int64

	mu          sync.Mutex
	diagnostics diagnostics
}

func (g *bridge) handle(_ context.Context, r *adapter.Request) (any, error) {
	value, err := g.guarded(r)
	if err != nil || value == nil {
		return nil, err
	}
	g.encoding.Store(true)
	defer g.encoding.Store(false)
	// Encoded here rather than by Serve, while encoding is set.
	text, err := encode(value)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(text), nil
}

// guarded turns a panic of the target into what was thrown.
func (g *bridge) guarded(r *adapter.Request) (value any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &adapter.TargetError{Name: "panic", Message: fmt.Sprint(v)}
		}
	}()
	return g.carryOut(r)
}

func (g *bridge) carryOut(r *adapter.Request) (any, error) {
	switch r.Op {
	case "hello":
		return g.hello(r)
	case "new":
		return adapter.Op(r, g.create)
	case "clock":
		return adapter.Op(r, func(q clockRequest) (any, error) { g.now.Store(q.Now); return nil, nil })
	case "subscribe":
		return adapter.Op(r, g.subscribe)
	case "publish":
		return adapter.Op(r, g.publish)
	case "burst":
		return adapter.Op(r, g.burst)
	case "seed":
		return adapter.Op(r, g.seed)
	case "next":
		return adapter.Op(r, func(q subRequest) (any, error) { return g.ask(q, q.Count) })
	case "drain":
		return adapter.Op(r, func(q subRequest) (any, error) { return g.ask(q, -1) })
	case "poll":
		return adapter.Op(r, func(q subRequest) (any, error) { return g.ask(q, 0) })
	case "return":
		return adapter.Op(r, func(q subRequest) (any, error) { return g.with(q, Subscription.Return) })
	case "abort":
		return adapter.Op(r, func(q subRequest) (any, error) { return g.with(q, Subscription.Abort) })
	case "close":
		return adapter.Op(r, g.close)
	case "state":
		return adapter.Op(r, g.state)
	case "listeners":
		return adapter.Op(r, g.listeners)
	case "diagnostics":
		return adapter.Op(r, func(struct{}) (any, error) { return g.told(), nil })
	case "sized":
		return adapter.Op(r, func(struct{}) (any, error) { return countReply{int(g.sized.Swap(0))}, nil })
	case "parse":
		return adapter.Op(r, g.parse)
	case "reduce":
		return adapter.Op(r, g.reduce)
	}
	return nil, &adapter.UnsupportedError{Reason: "no such operation"}
}

// hello makes a bus of each dialect to see what it can do.
func (g *bridge) hello(r *adapter.Request) (any, error) {
	h := adapter.Greeting{Protocol: "eventbus", Software: g.software, Roles: []string{"bus"}, Options: map[string]string{
		RawFields: "an event in Go has no further members",
	}}
	if g.extras.parse != nil {
		h.Roles = append(h.Roles, "sse-client")
	}
	if g.extras.reduce != nil {
		h.Roles = append(h.Roles, "reducer")
	}
	for _, dialect := range bothDialects {
		bus, err := g.factory(Settings{Dialect: dialect, Now: g.clock, Diagnose: g.line})
		switch {
		case errors.Is(err, ErrDialect):
			continue
		case err != nil:
			return nil, err
		}
		h.Versions = append(h.Versions, dialect)
		if _, ok := bus.(Seeder); !ok {
			h.Options[Seeding] = "the bus has no Seed"
		}
		if _, ok := bus.(Epocher); !ok {
			h.Options[EpochToken] = "the bus has no Epoch"
		}
		if c, ok := bus.(Caller); !ok || !c.CallsBack() {
			h.Options[Callbacks] = "the bus does not say that it calls back"
		}
		bus.Close()
	}
	return adapter.Hello(r, h)
}

func (g *bridge) clock() time.Time { return time.UnixMilli(g.now.Load()) }

func (g *bridge) line(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.diagnostics.Lines = append(g.diagnostics.Lines, text)
}

// told hands out the diagnostics.
func (g *bridge) told() diagnostics {
	g.mu.Lock()
	defer g.mu.Unlock()
	d := g.diagnostics
	g.diagnostics = diagnostics{}
	d.Lines, d.Callbacks = append([]string{}, d.Lines...), append([]callback{}, d.Callbacks...)
	return d
}

func (g *bridge) create(q newRequest) (any, error) {
	if _, ok := g.buses[q.Bus]; ok || q.Bus == "" {
		return nil, fmt.Errorf("bus name %q is empty or taken", q.Bus)
	}
	s := Settings{Dialect: q.Dialect, Now: g.clock, Diagnose: g.line}
	if s.Dialect == "" {
		s.Dialect = "seed"
	}
	ring, err1 := goNumber("ringSize", q.RingSize)
	subscribers, err2 := goNumber("maxSubscribers", q.MaxSubscribers)
	queued, err3 := goNumber("maxQueuedBytes", q.MaxQueuedBytes)
	budget, err4 := goNumber("replayBudgetBytes", q.ReplayBudgetBytes)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	s.RingSize, s.MaxSubscribers, s.MaxQueuedBytes, s.ReplayBudgetBytes = int(ring), int(subscribers), queued, budget
	bus, err := g.factory(s)
	if err != nil {
		return nil, thrown(err)
	}
	g.buses[q.Bus] = bus
	return nil, nil
}

// goNumber reads a number that a field of a Go struct can hold; 0 stands for an absent one.
func goNumber(name string, raw json.RawMessage) (int64, error) {
	if raw == nil {
		return 0, nil
	}
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil || string(raw) == "null" {
		return 0, &adapter.UnsupportedError{Reason: fmt.Sprintf("%s %s is no integer: Go does not let a caller pass it", name, raw)}
	}
	if n == 0 {
		return 0, &adapter.UnsupportedError{Reason: name + " 0 stands for the default in Go"}
	}
	return n, nil
}

// thrown names an error of a bus as spec/adapter.md does.
func thrown(err error) error {
	if limit, ok := errors.AsType[*LimitError](err); ok {
		n := int64(limit.Limit)
		return &adapter.TargetError{Name: "SubscriberLimitExceededError", Message: limit.Message, Limit: &n}
	}
	if argument, ok := errors.AsType[*ArgumentError](err); ok {
		return &adapter.TargetError{Name: "TypeError", Message: argument.Message}
	}
	return err
}

func (g *bridge) bus(name string) (Bus, error) {
	bus, ok := g.buses[name]
	if !ok {
		return nil, fmt.Errorf("no bus %q", name)
	}
	return bus, nil
}

func (g *bridge) publish(q publishRequest) (any, error) {
	bus, err := g.bus(q.Bus)
	if err != nil {
		return nil, err
	}
	event, err := g.event(q.Event, q.Special)
	if err != nil {
		return nil, err
	}
	frame, ok := bus.Publish(event)
	if !ok {
		return map[string]any{"event": nil}, nil
	}
	return map[string]any{"event": item{frame}}, nil
}

func (g *bridge) burst(q burstRequest) (any, error) {
	bus, err := g.bus(q.Bus)
	if err != nil {
		return nil, err
	}
	if q.Event != nil {
		q.Events = slices.Repeat([]json.RawMessage{q.Event}, q.Count)
	}
	events, err := g.events(q.Events)
	if err != nil {
		return nil, err
	}
	var reply burstReply
	for _, e := range events {
		if _, ok := bus.Publish(e); ok {
			reply.Published++
		}
	}
	reply.LastEventID = bus.LastEventID()
	return reply, nil
}

func (g *bridge) seed(q seedRequest) (any, error) {
	bus, err := g.bus(q.Bus)
	if err != nil {
		return nil, err
	}
	seeder, ok := bus.(Seeder)
	if !ok {
		return nil, &adapter.UnsupportedError{Reason: "the bus has no Seed"}
	}
	events, err := g.events(q.Events)
	if err != nil {
		return nil, err
	}
	return map[string]any{"events": items(seeder.Seed(events))}, nil
}

func (g *bridge) close(q busRequest) (any, error) {
	bus, err := g.bus(q.Bus)
	if err != nil {
		return nil, err
	}
	bus.Close()
	return nil, nil
}

func (g *bridge) state(q busRequest) (any, error) {
	bus, err := g.bus(q.Bus)
	if err != nil {
		return nil, err
	}
	reply := stateReply{LastEventID: bus.LastEventID(), SubscriberCount: bus.SubscriberCount()}
	if e, ok := bus.(Epocher); ok {
		if token := e.Epoch(); token != "" {
			reply.Epoch = &token
		}
	}
	return reply, nil
}

func (g *bridge) parse(q parseRequest) (any, error) {
	if g.extras.parse == nil {
		return nil, &adapter.UnsupportedError{Reason: "no parser"}
	}
	return g.extras.parse(q.Chunks), nil
}

func (g *bridge) reduce(q reduceRequest) (any, error) {
	if g.extras.reduce == nil {
		return nil, &adapter.UnsupportedError{Reason: "no reducer"}
	}
	views, err := g.extras.reduce(q.Dialect, q.Events)
	return reduceReply{views}, err
}
