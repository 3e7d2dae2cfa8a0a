package cluster

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// fataler is what the kit needs of a test: *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

var errBroken = errors.New("broken")

// A world is some tabs, the storage that they share, the wire between them and the clock of all.
type world struct {
	t      fataler
	rules  Rules
	now    int64
	disk   map[string]string
	order  []string // keys of disk by first insertion
	tabs   []*tab
	wire   []*packet
	timers []*timer
	names  map[string]string // topics by key
	manual bool              // microtasks run by flush only
	seq    int
	served int // publications accepted by an owner
}

// A packet is one frame under way to one tab.
type packet struct {
	from, to *tab
	frame    signal.Frame
	opened   int // the opening of the receiver for which it is
}

type timer struct {
	tab     *tab
	at      int64
	every   int64 // 0: once
	seq     int
	f       func()
	stopped bool
}

// A tab is one cluster and the page around it: a transport that does what it is told, and an application with one handler a topic.
type tab struct {
	w        *world
	id       string
	c        *Cluster
	micro    []func()
	channels int // how often the channel was opened
	listens  bool
	frozen   bool
	dead     bool

	failWrites, failPosts, failOpens int

	log      []string
	held     map[string]bool // topics that the transport holds
	wants    map[string]bool // what the application asked for
	got      []string        // dispatches: topic, acceptance
	reported []error
}

func newWorld(t fataler, rules Rules) *world {
	return &world{t: t, rules: rules, now: 1_000_000, disk: map[string]string{}, names: map[string]string{}}
}

// open adds tabs whose workers are a, b, ... of tabs ta, tb, ..., each one millisecond after the one before, and starts them.
func (w *world) open(ids ...string) []*tab {
	w.t.Helper()
	var tabs []*tab
	for _, id := range ids {
		t := w.add(id, "t"+id, nil)
		t.do(t.c.Start)
		tabs = append(tabs, t)
		w.drain()
		w.now++
	}
	for _, t := range tabs {
		t.do(func() { t.c.Status(record.Connected) })
	}
	w.drain()
	for _, t := range tabs {
		t.log = nil
	}
	return tabs
}

// add makes a tab that has not started.
func (w *world) add(worker, tabID string, change func(*Config)) *tab {
	w.t.Helper()
	t := &tab{w: w, id: worker, held: map[string]bool{}, wants: map[string]bool{}}
	cfg := t.config()
	cfg.TabID = tabID
	if change != nil {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		w.t.Fatalf("%v", err)
	}
	t.c = c
	w.tabs = append(w.tabs, t)
	return t
}

func (t *tab) config() Config {
	return Config{
		Rules: t.w.rules, ClusterKey: "k", TabID: "t", WorkerID: cmp.Or(t.id, "w"), Storage: shelf{t}, Clock: tabClock{t}, Open: t.openChannel,
		Defer:    func(f func()) { t.micro = append(t.micro, f) },
		OnAssign: func(topic string) { t.note("assign " + topic); t.held[topic] = true },
		OnRelease: func(topic string) {
			t.note("release " + topic)
			if !t.held[topic] {
				t.w.t.Errorf("%s: released %s, which its transport does not hold", t.id, topic)
			}
			delete(t.held, topic)
		},
		OnPublish: func(topic string, data json.RawMessage) { t.note("publish " + topic + " " + string(data)) },
		OnEvent:   t.event,
	}
}

// do runs one task of the tab, and its microtasks unless they are held back.
func (t *tab) do(f func()) {
	f()
	if !t.w.manual {
		t.flush()
	}
}

func (t *tab) flush() {
	for len(t.micro) > 0 {
		f := t.micro[0]
		t.micro = t.micro[1:]
		f()
	}
}

func (t *tab) note(text string) { t.log = append(t.log, text) }

// logged checks what the tab has done since the last call.
func (t *tab) logged(want ...string) {
	t.w.t.Helper()
	if !slices.Equal(t.log, want) {
		t.w.t.Errorf("%s did\n\t%s\nwant\n\t%s", t.id, strings.Join(t.log, "\n\t"), strings.Join(want, "\n\t"))
	}
	t.log = nil
}

func (t *tab) subscribe(topic string) {
	t.w.names[record.Hash(topic)] = topic
	t.wants[topic] = true
	t.do(func() { t.c.Subscribe(topic) })
}

func (t *tab) unsubscribe(topic string) {
	delete(t.wants, topic)
	t.do(func() { t.c.Unsubscribe(topic) })
}

func (t *tab) publish(topic, data string) error {
	t.w.names[record.Hash(topic)] = topic
	var err error
	t.do(func() { err = t.c.Publish(topic, json.RawMessage(data)) })
	return err
}

// crash ends the tab without a word.
func (t *tab) crash() {
	t.dead, t.listens = true, false
	t.micro, t.held = nil, map[string]bool{}
}

// An accepted is the payload of an event of the kit: which acceptance of which topic.
type accepted struct {
	Topic  string
	Number int
}

// serve is a publication of the server that reaches the transport of every tab that holds the topic.
func (w *world) serve(topic string) {
	for _, t := range w.tabs {
		if t.held[topic] && !t.frozen && !t.dead {
			t.emit(topic)
		}
	}
}

// emit is a publication that reaches the transport of the tab, through the first gate and on.
func (t *tab) emit(topic string) {
	if !t.c.IsAssigned(topic) {
		return
	}
	t.w.served++
	a := accepted{topic, t.w.served}
	payload, _ := json.Marshal(a)
	if err := t.c.Broadcast(signal.PublicationType, payload); err != nil {
		t.reported = append(t.reported, err)
	}
	t.dispatch(a)
}

func (t *tab) event(e signal.Event) {
	var a accepted
	if err := json.Unmarshal(e.Payload, &a); err == nil && e.EventType == signal.PublicationType {
		t.dispatch(a)
	}
}

func (t *tab) dispatch(a accepted) {
	if !t.c.HasSubscriber(a.Topic) {
		return
	}
	if !t.wants[a.Topic] {
		t.w.t.Errorf("DATABUS-INV-002: %s dispatches %s, which it does not subscribe", t.id, a.Topic)
	}
	t.got = append(t.got, fmt.Sprint(a.Topic, " ", a.Number))
}

// shelf is the shared storage as one tab uses it.
type shelf struct{ t *tab }

func (s shelf) Get(key string) (string, bool, error) {
	value, ok := s.t.w.disk[key]
	return value, ok, nil
}

func (s shelf) Keys() ([]string, error) { return slices.Clone(s.t.w.order), nil }

func (s shelf) Set(key, value string) error {
	if s.fails() {
		return errBroken
	}
	w := s.t.w
	if _, ok := w.disk[key]; !ok {
		w.order = append(w.order, key)
	}
	w.disk[key] = value
	s.t.note("set " + w.describe(key, value))
	return nil
}

func (s shelf) Remove(key string) error {
	if s.fails() {
		return errBroken
	}
	w := s.t.w
	if _, ok := w.disk[key]; ok {
		delete(w.disk, key)
		w.order = slices.DeleteFunc(w.order, func(k string) bool { return k == key })
		s.t.note("del " + w.describe(key, ""))
	}
	return nil
}

func (s shelf) fails() bool {
	if s.t.failWrites == 0 {
		return false
	}
	s.t.failWrites--
	return true
}

var clusterKeys = record.NewKeys("", "k")

// describe names a key and what matters of its value.
func (w *world) describe(key, value string) string {
	switch k := clusterKeys.Parse(key); k.Family {
	case record.WorkerFamily:
		return "worker " + k.WorkerID
	case record.SubscriberFamily:
		return "sub " + w.name(k.TopicKey) + " " + k.TabID
	case record.RouteFamily:
		text := "route " + w.name(k.TopicKey)
		r, err := record.DecodeRoute(k.TopicKey, value)
		if err != nil {
			return text
		}
		return text + " " + routeText(r)
	}
	return key
}

// routeText writes a route as its owner and generation, with the old owner of a handoff, and a mark for each stamp.
func routeText(r record.Route) string {
	text := fmt.Sprint(r.WorkerID, r.Generation)
	if r.HandoffFrom != "" {
		text += "<" + r.HandoffFrom
	}
	if r.Confirmed() {
		text += "!"
	}
	return text
}

func (w *world) name(topicKey string) string {
	if name := w.names[topicKey]; name != "" {
		return name
	}
	return topicKey[:4]
}

// route returns the stored route of a topic, empty if there is none.
func (w *world) route(topic string) string {
	key := record.Hash(topic)
	r, err := record.DecodeRoute(key, w.disk[clusterKeys.Route(key)])
	if err != nil {
		return ""
	}
	return routeText(r)
}

func (w *world) worker(id string) record.Worker {
	r, _ := record.DecodeWorker(w.disk[clusterKeys.Worker(id)])
	return r
}

// plant writes a record behind everybody's back.
func (w *world) plant(key, value string) {
	if _, ok := w.disk[key]; !ok {
		w.order = append(w.order, key)
	}
	w.disk[key] = value
}

// link is the channel of one tab.
type link struct {
	t    *tab
	open bool
}

func (t *tab) openChannel(string) (Channel, error) {
	if t.failOpens > 0 {
		t.failOpens--
		return nil, errBroken
	}
	t.channels++
	t.listens = true
	return &link{t, true}, nil
}

func (l *link) Post(f signal.Frame) error {
	if !l.open {
		l.t.w.t.Errorf("%s posts on a closed channel", l.t.id)
	}
	if l.t.failPosts > 0 {
		l.t.failPosts--
		return errBroken
	}
	l.t.note("post " + frameText(f))
	for _, to := range l.t.w.tabs {
		if to != l.t && to.listens {
			l.t.w.wire = append(l.t.w.wire, &packet{l.t, to, f, to.channels})
		}
	}
	return nil
}

func (l *link) Close() {
	l.open, l.t.listens = false, false
	l.t.note("close")
}

func frameText(f signal.Frame) string {
	switch f := f.(type) {
	case signal.Control:
		text := fmt.Sprint(f.Action, " ", f.Topic, " ", f.TargetWorkerID)
		if f.Data != nil {
			text += " " + string(f.Data)
		}
		return text
	case signal.RouteReleased:
		return fmt.Sprint("ROUTE_RELEASED ", f.Topic, " ", f.TargetWorkerID, " ", f.Generation)
	}
	return f.Type()
}

// tabClock is the clock of the world as one tab uses it.
type tabClock struct{ t *tab }

func (c tabClock) Now() int64 { return c.t.w.now }

func (c tabClock) After(ms int64, f func()) func() { return c.t.w.timer(c.t, ms, 0, f) }

func (c tabClock) Every(ms int64, f func()) func() { return c.t.w.timer(c.t, ms, ms, f) }

func (w *world) timer(t *tab, ms, every int64, f func()) func() {
	w.seq++
	at := &timer{t, w.now + ms, every, w.seq, f, false}
	w.timers = append(w.timers, at)
	return func() { at.stopped = true }
}
