package databus

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// A Handler gets the publications of a topic. Its data is its own. While it does not return, what comes for any handler of the bus piles
// up.
type Handler func(topic string, data json.RawMessage)

// A Bus is the bus of one tab. Use [New] to make one.
type Bus struct {
	cfg       Config
	env       Environment
	transport Transport

	// mu guards all below. Each call, frame, message and timer is one task under it.
	mu      sync.Mutex
	cluster *cluster.Cluster
	renew   func() // tells the storage that a task begins
	settle  func() // tells the channel that a task has ended; nil: it does not want to know
	micro   queue  // to run at the end of the task
	calls   queue  // of the application, in order, to be made outside the lock
	calling bool

	handlers  map[string][]*Subscription // by topic
	topics    []string                   // those with handlers, in the order in which they came
	listeners []*listener
	life      life
	trace     tracer
}

// listener is one function of the application that is told of errors or of the status.
type listener struct {
	onError  func(error)
	onStatus func(Status)
}

// New returns a bus. It fails if c does not validate. With AutoStart it starts on its own.
func New(c Config) (*Bus, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	b := &Bus{cfg: c, env: c.Environment.normal(), transport: c.Transport, handlers: map[string][]*Subscription{}}
	b.renew = func() {}
	if r, ok := b.env.Storage.(Renewer); ok {
		b.renew = r.Renew
	}
	b.life.init()
	b.trace.init(b)
	tab := c.TabID
	if tab == "" {
		page := c.Page
		if page == nil {
			page = &Page{}
		}
		tab = page.TabID(b.env.RandomID)
	}
	worker := c.WorkerID
	if worker == "" {
		// DATABUS-IDENTITY-001
		worker = tab + "-" + b.env.RandomID()
	}
	cc := cluster.Config{
		Rules: c.Rules, ClusterKey: c.ClusterKey, Prefix: c.Prefix, TabID: tab, WorkerID: worker, Heartbeat: c.Heartbeat, TTL: c.TTL,
		MaxActive: c.MaxActive, Visibility: c.Visibility, Storage: b.env.Storage, Clock: busClock{b},
		Defer:    b.later,
		OnAssign: b.assigned, OnRelease: b.released, OnPublish: b.published, OnEvent: b.event,
	}
	if b.env.Open != nil {
		cc.Open = b.open
	}
	var err error
	if b.cluster, err = cluster.New(cc); err != nil {
		return nil, err
	}
	if c.AutoStart {
		b.do(b.begin)
	}
	return b, nil
}

// do runs one task and its microtasks, and then makes the calls of the application that follow, in order: those that other tasks or
// the application itself cause meanwhile come after.
func (b *Bus) do(task func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.renew()
	task()
	for b.micro.len() > 0 {
		b.micro.pop()()
	}
	if b.settle != nil {
		b.settle()
	}
	if b.calling {
		return
	}
	b.calling = true
	defer func() { b.calling = false }()
	for b.calls.len() > 0 {
		b.outside(b.calls.pop())
	}
}

// later has a function run at the end of the task, or when the environment says.
func (b *Bus) later(f func()) {
	if b.env.Defer != nil {
		b.env.Defer(func() { b.do(f) })
		return
	}
	b.micro.push(f)
}

// outside calls a function without the lock, and takes it again however that ends.
func (b *Bus) outside(f func()) {
	b.mu.Unlock()
	defer b.mu.Lock()
	f()
}

// call has a function of the application called after the task.
func (b *Bus) call(f func()) { b.calls.push(f) }

// open opens the channel of the cluster. What arrives for a channel that has been closed is ignored.
func (b *Bus) open(name string) (cluster.Channel, error) {
	ch := &channel{b: b}
	inner, err := b.env.Open(name, func(f signal.Frame) {
		b.do(func() {
			if !ch.closed {
				b.cluster.Receive(f)
			}
		})
	})
	if err != nil {
		return nil, err
	}
	ch.Channel = inner
	if s, ok := inner.(Settler); ok {
		b.settle = s.Settle
	}
	return ch, nil
}

// channel is a channel that knows whether it is closed.
type channel struct {
	cluster.Channel
	b      *Bus
	closed bool
}

func (c *channel) Close() {
	c.closed = true
	c.b.settle = nil
	c.Channel.Close()
}

// busClock is the clock of the environment, whose functions become tasks.
type busClock struct{ b *Bus }

func (c busClock) Now() int64 { return c.b.env.Clock.Now() }

func (c busClock) After(ms int64, f func()) func() { return c.b.timed(c.b.env.Clock.After, ms, f) }

func (c busClock) Every(ms int64, f func()) func() { return c.b.timed(c.b.env.Clock.Every, ms, f) }

// timed starts a timer. Once it was stopped its function is not run, even if the timer has fired.
func (b *Bus) timed(start func(int64, func()) func(), ms int64, f func()) func() {
	stopped := false
	stop := start(ms, func() {
		b.do(func() {
			if !stopped {
				f()
			}
		})
	})
	return func() {
		stopped = true
		stop()
	}
}

// A Subscription is one handler of one topic.
type Subscription struct {
	bus     *Bus
	topic   string
	handler Handler
}

// Subscribe adds a handler for the publications of a topic. Only the first one of a topic reaches the other tabs (DATABUS-SUBSCRIBE-001).
// It is kept if the bus does not run (DATABUS-SUBSCRIBE-004). It fails with a [*TopicError].
func (b *Bus) Subscribe(topic string, h Handler) (*Subscription, error) {
	if len(topic) > signal.MaxTopic || !utf8.ValidString(topic) {
		return nil, &TopicError{signal.MaxTopic, len(topic)}
	}
	s := &Subscription{b, topic, h}
	b.do(func() {
		first := len(b.handlers[topic]) == 0
		b.handlers[topic] = append(b.handlers[topic], s)
		if first {
			b.topics = append(b.topics, topic)
			if b.life.started && !b.life.stopping {
				b.cluster.Subscribe(topic)
			}
		}
		b.wake()
	})
	return s, nil
}

// Unsubscribe removes the handler. Only the last one of a topic reaches the other tabs. A handler that is removed already, also by the end
// of the bus, changes nothing (DATABUS-UNSUBSCRIBE-001).
func (s *Subscription) Unsubscribe() {
	b := s.bus
	b.do(func() {
		if !s.live() {
			return
		}
		left := slices.DeleteFunc(slices.Clone(b.handlers[s.topic]), func(other *Subscription) bool { return other == s })
		if len(left) > 0 {
			b.handlers[s.topic] = left
			return
		}
		delete(b.handlers, s.topic)
		b.topics = slices.DeleteFunc(b.topics, func(topic string) bool { return topic == s.topic })
		b.cluster.Unsubscribe(s.topic)
	})
}

// live reports whether the handler is still there.
func (s *Subscription) live() bool { return slices.Contains(s.bus.handlers[s.topic], s) }

// Publish sends data, a JSON value, to the subscribers of a topic by way of its owner (DATABUS-PUBLISH-001). Failures go to the error
// handlers (DATABUS-PUBLISH-003). What is sent may be lost (DATABUS-PUBLISH-004).
func (b *Bus) Publish(topic string, data json.RawMessage) {
	data = slices.Clone(data)
	b.do(func() {
		b.wake()
		switch {
		case !json.Valid(data):
			b.fail("publish", topic, ErrNoJSON)
		case !b.life.started || b.life.stopping:
			b.fail("publish", topic, ErrNotStarted)
		default:
			if err := b.cluster.Publish(topic, data); err != nil {
				b.fail("publish", topic, err)
			}
		}
	})
}

// OnError has a function told of what fails outside any call. It returns a function that ends that.
func (b *Bus) OnError(f func(error)) (cancel func()) { return b.listen(&listener{onError: f}) }

// OnStatus has a function told of each change of the status of the transport. It returns a function that ends that.
func (b *Bus) OnStatus(f func(Status)) (cancel func()) { return b.listen(&listener{onStatus: f}) }

func (b *Bus) listen(l *listener) (cancel func()) {
	b.do(func() { b.listeners = append(b.listeners, l) })
	return func() {
		b.do(func() { b.listeners = slices.DeleteFunc(b.listeners, func(other *listener) bool { return other == l }) })
	}
}

// fail reports an error to the error handlers.
func (b *Bus) fail(op, topic string, err error) {
	e := &OpError{op, topic, err}
	for _, l := range b.listeners {
		if l.onError != nil {
			b.call(func() { guard(func() { l.onError(e) }) })
		}
	}
}

// guard calls a function of the application that is told of errors. Whatever it does with them, the bus goes on.
func guard(f func()) {
	defer func() { _ = recover() }()
	f()
}

// Visibility says how the page is now (DATABUS-VISIBILITY-001).
func (b *Bus) Visibility(v record.Visibility) { b.do(func() { b.cluster.Visibility(v) }) }

// Snapshot returns what the bus knows of the cluster. It changes nothing.
func (b *Bus) Snapshot() cluster.Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.renew()
	return b.cluster.Snapshot()
}

// Status returns the status of the transport.
func (b *Bus) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.life.status
}

// Ready waits until the transport is open, and starts the bus if it starts on its own and does not run. It fails if the opening does, if
// the bus does not run or with the error of ctx.
func (b *Bus) Ready(ctx context.Context) error {
	var w *wait
	b.do(func() {
		b.wake()
		w = b.pending()
	})
	return w.until(ctx)
}
