package fuzz

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/record"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// errRaceRefused is what a storage says that refuses writes.
var errRaceRefused = errors.New("refused")

// raceKeys are those of the cluster of every race.
var raceKeys = record.NewKeys("", "race")

// A raceRig is the tabs of a data bus that take the steps of a race one by one: real clusters on one storage, with a queue of frames from
// each to each. What can be observed of a step is written in the words of the machine.
type raceRig struct {
	tabs  []*raceTab
	disk  map[string]string
	wire  map[[2]string][]signal.Frame // by sender and receiver
	now   int64                        // milliseconds
	late  bool                         // microtasks are steps of their own
	lossy bool                         // what a page posts while it hides is lost
	seen  []string
}

// A raceTab is one worker and its page.
type raceTab struct {
	rig      *raceRig
	name     string
	tabID    string
	c        *cluster.Cluster
	phase    string // closed, running or suspended
	frozen   bool
	refusing bool // storage refuses its writes
	micro    []func()
	retries  map[int]func()
	timers   int
	look     func() // at what was refused
	looking  bool   // it may be asked for
	beat     func()
	next     int64           // seconds to the next heartbeat
	held     map[string]bool // topics of the transport
	inbox    bool            // the transport has the publication
}

// A raceSetup is what the tabs begin with.
type raceSetup struct {
	tabs   int
	tabIDs map[string]string // of workers that do not have their own
	absent string            // the worker that is opened later
	lossy  bool
	late   bool
	first  []string // each followed by all deliveries and flushes
}

// raceSetups are the races that need more than their file says.
var raceSetups = map[string]raceSetup{
	"DATABUS-RACE-007": {lossy: true},
	"DATABUS-RACE-012": {tabIDs: map[string]string{"A": "B"}},
	"DATABUS-RACE-013": {tabIDs: map[string]string{"C": "B"}, absent: "C"},
}

// newRaceRig opens the tabs and takes the setup.
func newRaceRig(setup *raceSetup, rules cluster.Rules) (*raceRig, error) {
	r := &raceRig{disk: map[string]string{}, wire: map[[2]string][]signal.Frame{}, now: 1_000_000, late: setup.late}
	for i := range setup.tabs {
		t := &raceTab{rig: r, name: string(rune('A' + i)), phase: "closed", retries: map[int]func(){}, held: map[string]bool{}}
		t.tabID = cmp.Or(setup.tabIDs[t.name], t.name)
		c, err := cluster.New(cluster.Config{
			Rules: rules, ClusterKey: "race", TabID: t.tabID, WorkerID: t.name, Storage: raceStorage{t}, Open: t.open, Clock: raceClock{t},
			Defer:    func(f func()) { t.micro = append(t.micro, f) },
			OnAssign: t.assign, OnRelease: t.release, OnEvent: t.event,
		})
		if err != nil {
			return nil, err
		}
		t.c = c
		r.tabs = append(r.tabs, t)
	}
	for _, t := range r.tabs {
		if t.name != setup.absent {
			_ = r.take("open " + t.name)
			r.calm()
		}
	}
	for _, do := range setup.first {
		if err := r.take(do); err != nil {
			return nil, err
		}
		r.calm()
	}
	for _, t := range r.tabs {
		t.next = 3
	}
	r.lossy, r.seen = setup.lossy, nil
	return r, nil
}

// raceHeartbeats is more than it takes for all that a heartbeat or the TTL mends.
const raceHeartbeats = 20

// calmRounds is more than what any cause leads to that ends by itself.
const calmRounds = 50

// calm lets all that is under way arrive, and reports whether it comes to an end.
func (r *raceRig) calm() bool {
	for range calmRounds {
		busy := false
		for _, to := range r.tabs {
			busy = busy || len(to.micro) > 0
			to.flush()
			for _, from := range r.tabs {
				if r.take("deliver "+to.name+" from "+from.name) == nil {
					busy = true
				}
			}
			busy = r.take("look "+to.name) == nil || busy
		}
		if !busy {
			return true
		}
	}
	return false
}

// afterwards ends all faults, lets what is under way arrive and so many heartbeats pass, and says what becomes of x: it is silent if it has
// a subscriber and not exactly one owner, on which the transports and a confirmed route agree, and there is a storm if frames beget frames
// without end while no heartbeat comes.
func (r *raceRig) afterwards(heartbeats int) string {
	r.late = false
	for _, t := range r.tabs {
		t.frozen = false
		_ = t.wake("retry")
		t.flush()
	}
	storm := !r.calm()
	for range heartbeats {
		for _, t := range r.tabs {
			t.next = 0
			_ = r.take("beat " + t.name)
			r.calm()
		}
		_ = r.take("time")
		r.now += 3000
	}
	switch {
	case r.wanted() && !r.served():
		return "silent"
	case storm:
		return "storm"
	}
	return "heals"
}

func (r *raceRig) wanted() bool {
	return slices.ContainsFunc(r.tabs, func(t *raceTab) bool {
		return t.phase == "running" && slices.Contains(t.c.Snapshot().Subscribed, "x")
	})
}

func (r *raceRig) served() bool {
	owners := ""
	for _, t := range r.tabs {
		if t.phase != "running" {
			continue
		}
		if t.c.IsAssigned("x") && !slices.Contains(t.c.Assigned(), "x") {
			return false
		}
		if t.held["x"] {
			owners += t.name
		}
	}
	route, err := record.DecodeRoute(record.Hash("x"), r.disk[raceKeys.Route(record.Hash("x"))])
	return err == nil && route.Confirmed() && route.WorkerID == owners
}

// take does one step, or says why it cannot be done. Time goes on by a millisecond, so that no two steps are at once.
func (r *raceRig) take(do string) error {
	r.now++
	r.seen = nil
	words := strings.Fields(do)
	if len(words) == 1 {
		return r.all(do)
	}
	t := r.tab(words[1])
	if t == nil {
		return fmt.Errorf("no tab %s", words[1])
	}
	if err := t.act(words); err != nil {
		return fmt.Errorf("%s: %w", do, err)
	}
	if !r.late || t.refusing && len(t.retries) > 0 {
		// While a retry is due, what a microtask tries beside it fails as well.
		t.flush()
	}
	return nil
}

func (r *raceRig) tab(name string) *raceTab {
	if i := slices.IndexFunc(r.tabs, func(t *raceTab) bool { return t.name == name }); i >= 0 {
		return r.tabs[i]
	}
	return nil
}

// all does a step that is not of one tab.
func (r *raceRig) all(do string) error {
	switch do {
	case "publish":
		for _, t := range r.tabs {
			t.inbox = t.phase == "running" && t.held["x"]
		}
	case "time":
		step := int64(3)
		for _, t := range r.tabs {
			if t.awake() {
				step = min(step, t.next)
			}
		}
		r.now += 1000 * step
		for _, t := range r.tabs {
			t.next = max(0, t.next-step)
		}
	default:
		return fmt.Errorf("unknown step %q", do)
	}
	return nil
}

func (t *raceTab) awake() bool { return t.phase == "running" && !t.frozen }

var errRaceStep = errors.New("impossible")

// act does a step of this tab.
func (t *raceTab) act(words []string) error {
	able := t.awake()
	switch words[0] {
	case "subscribe":
		t.c.Subscribe(words[2])
	case "unsubscribe":
		t.c.Unsubscribe(words[2])
	case "deliver", "lose":
		able = t.hear(words[3], words[0] == "deliver")
	case "flush":
		t.flush()
	case "beat":
		if able = able && t.next == 0; able {
			t.next = 3
			t.beat()
		}
	case "receive":
		if able = able && t.inbox; able {
			t.receive()
		}
	case "look":
		if able = able && t.look != nil; able {
			t.looks()
		}
	case "freeze":
		t.frozen = true
	case "refuse":
		t.refusing = true
	case "visibility":
		turned := map[record.Visibility]record.Visibility{record.Visible: record.Hidden, record.Hidden: record.Visible}
		t.c.Visibility(turned[t.c.Snapshot().Self.Visibility])
	case "hide":
		t.hide()
	case "crash":
		able = t.phase == "running"
		t.phase, t.frozen, t.micro, t.held, t.inbox = "closed", false, nil, map[string]bool{}, false
		t.look = nil
		t.deaf()
	default:
		return t.wake(words[0])
	}
	if !able {
		return errRaceStep
	}
	return nil
}

// looks has the tab look again at what it refused, once if others have still to write what it does not see, and otherwise until it looks no
// more: it will see nothing else.
func (t *raceTab) looks() {
	behind := slices.ContainsFunc(t.rig.tabs, func(other *raceTab) bool { return other != t && other.awake() && len(other.micro) > 0 })
	for once := true; t.look != nil && (once || !behind); once = false {
		f := t.look
		t.look, t.looking = nil, true
		f()
		t.looking = false
	}
}

// wake does a step of a tab that is not awake.
func (t *raceTab) wake(do string) error {
	able := true
	switch do {
	case "thaw":
		able, t.frozen = t.frozen, false
	case "retry":
		t.refusing = false
		for _, at := range slices.Sorted(maps.Keys(t.retries)) {
			f := t.retries[at]
			delete(t.retries, at)
			f()
		}
	case "open":
		able, t.phase = t.phase == "closed", "running"
		t.c.Start()
	case "show":
		able, t.phase = t.phase == "suspended", "running"
		t.c.PageShow()
	default:
		return fmt.Errorf("unknown step %q", do)
	}
	if !able {
		return errRaceStep
	}
	return nil
}

func (t *raceTab) hide() {
	before := map[[2]string][]signal.Frame{}
	for way, frames := range t.rig.wire {
		before[way] = slices.Clone(frames)
	}
	t.c.PageHide()
	if t.rig.lossy {
		t.rig.wire = before
	}
	t.phase, t.inbox = "suspended", false
	t.flush()
	t.deaf()
}

// deaf loses what is under way to this tab.
func (t *raceTab) deaf() {
	for way := range t.rig.wire {
		if way[1] == t.name {
			delete(t.rig.wire, way)
		}
	}
}

// hear takes the oldest frame from another tab, and reports whether there is one.
func (t *raceTab) hear(from string, deliver bool) bool {
	way := [2]string{from, t.name}
	frames := t.rig.wire[way]
	// The flush of a task comes before the next frame (DATABUS-BATCH-001). One is lost also while its receiver sleeps.
	if len(frames) == 0 || deliver && (!t.awake() || len(t.micro) > 0) {
		return false
	}
	t.rig.wire[way] = frames[1:]
	if deliver {
		t.looking = true
		t.c.Receive(frames[0])
		t.looking = false
	}
	return true
}

// receive hands the publication of the transport to the bus (DATABUS-GATE-001, DATABUS-GATE-002).
func (t *raceTab) receive() {
	t.inbox = false
	if !t.c.IsAssigned("x") {
		t.see("discards publication of x")
		return
	}
	t.see("accepts publication of x")
	_ = t.c.Broadcast(signal.PublicationType, json.RawMessage(`{}`))
	t.dispatch(t.name)
}

func (t *raceTab) event(e signal.Event) { t.dispatch(e.SourceWorkerID) }

// dispatch calls the handlers (DATABUS-GATE-003).
func (t *raceTab) dispatch(by string) {
	if t.c.HasSubscriber("x") {
		t.see("dispatches what " + by + " accepted")
	}
}

func (t *raceTab) see(text string) { t.rig.seen = append(t.rig.seen, t.name+" "+text) }

func (t *raceTab) flush() {
	for len(t.micro) > 0 {
		f := t.micro[0]
		t.micro = t.micro[1:]
		f()
	}
}

func (t *raceTab) assign(topic string) {
	// DATABUS-SUBSCRIBE-005: the transport may be asked again.
	if !t.held[topic] {
		t.held[topic] = true
		t.see("transport subscribes " + topic)
	}
}

func (t *raceTab) release(topic string) {
	delete(t.held, topic)
	t.see("transport unsubscribes " + topic)
}

// A raceChannel is the channel of one tab.
type raceChannel struct{ t *raceTab }

func (t *raceTab) open(string) (cluster.Channel, error) { return raceChannel{t}, nil }

func (c raceChannel) Close() {}

// Post puts a frame under way to the tabs that listen; one that is addressed, only to its receiver, whom alone it changes
// (DATABUS-CONTROL-002). A REGISTRY right behind another is one.
func (c raceChannel) Post(f signal.Frame) error {
	t := c.t
	_, nudge := f.(signal.Registry)
	told := false
	for _, to := range t.rig.tabs {
		if to == t || raceTarget(f) != "" && raceTarget(f) != to.name {
			continue
		}
		if f.Type() == (signal.Event{}).Type() {
			t.see("posts EVENT x to " + to.name) // whether or not it listens
		}
		if to.phase != "running" {
			continue
		}
		told = true
		way := [2]string{t.name, to.name}
		frames := t.rig.wire[way]
		if n := len(frames); !nudge || n == 0 || frames[n-1].Type() != f.Type() {
			t.rig.wire[way] = append(slices.Clone(frames), f)
		}
	}
	switch {
	case nudge && told:
		t.see("posts REGISTRY")
	case raceTarget(f) != "":
		t.see("posts " + raceFrame(f) + " to " + raceTarget(f))
	}
	return nil
}

func raceTarget(f signal.Frame) string {
	switch f := f.(type) {
	case signal.Control:
		return f.TargetWorkerID
	case signal.RouteReleased:
		return f.TargetWorkerID
	}
	return ""
}

func raceFrame(f signal.Frame) string {
	switch f := f.(type) {
	case signal.Control:
		return string(f.Action) + " " + f.Topic
	case signal.RouteReleased:
		return f.Type() + " " + f.Topic
	case signal.Event:
		return f.Type() + " x"
	}
	return f.Type()
}

// A raceClock is the clock of one tab: heartbeats and retries are steps.
type raceClock struct{ t *raceTab }

func (c raceClock) Now() int64 { return c.t.rig.now }

func (c raceClock) After(_ int64, f func()) func() {
	c.t.timers++
	at := c.t.timers
	if c.t.looking {
		c.t.look = f
		return func() { c.t.look = nil }
	}
	c.t.retries[at] = f
	return func() { delete(c.t.retries, at) }
}

func (c raceClock) Every(_ int64, f func()) func() {
	c.t.beat, c.t.next = f, 3
	return func() { c.t.beat = nil }
}

// A raceStorage is the shared storage as one tab uses it.
type raceStorage struct{ t *raceTab }

func (s raceStorage) Get(key string) (string, bool, error) {
	value, ok := s.t.rig.disk[key]
	return value, ok, nil
}

func (s raceStorage) Keys() ([]string, error) { return slices.Sorted(maps.Keys(s.t.rig.disk)), nil }

func (s raceStorage) Set(key, value string) error {
	if s.t.refusing {
		return errRaceRefused
	}
	s.t.rig.disk[key] = value
	if topic := routeTopic(key); topic != "" {
		route, _ := record.DecodeRoute(record.Hash(topic), value)
		s.t.see(fmt.Sprintf("stores %s->%s gen %d", topic, route.WorkerID, route.Generation))
	}
	return nil
}

func (s raceStorage) Remove(key string) error {
	if s.t.refusing {
		return errRaceRefused
	}
	_, there := s.t.rig.disk[key]
	delete(s.t.rig.disk, key)
	if topic := routeTopic(key); there && topic != "" {
		s.t.see("erases route " + topic)
	}
	return nil
}

// routeTopic returns the topic whose route has this key, empty if it is none of the races.
func routeTopic(key string) string {
	for _, topic := range raceTopics {
		if key == raceKeys.Route(record.Hash(topic)) {
			return topic
		}
	}
	return ""
}
