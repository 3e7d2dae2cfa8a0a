package databustest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// What a frame is: its type and, of a CONTROL, its action.
const (
	isSubscribe   = "SUBSCRIBE"
	isUnsubscribe = "UNSUBSCRIBE"
	isPublish     = "PUBLISH"
	isRegistry    = "REGISTRY"
	isReleased    = "ROUTE_RELEASED"
	isEvent       = "EVENT"
)

// A frameView is a message of the channel as far as the laws name its members.
type frameView struct {
	Type           string          `json:"type"`
	Action         string          `json:"action"`
	Topic          string          `json:"topic"`
	TopicKey       string          `json:"topicKey"`
	SourceWorkerID string          `json:"sourceWorkerId"`
	TargetWorkerID string          `json:"targetWorkerId"`
	Generation     int64           `json:"generation"`
	EventType      string          `json:"eventType"`
	Data           json.RawMessage `json:"data"`
	Payload        json.RawMessage `json:"payload"`
}

// viewed reads a message; one that is no frame is an empty one.
func viewed(message json.RawMessage) frameView {
	var f frameView
	if json.Unmarshal(message, &f) != nil {
		return frameView{}
	}
	return f
}

// kind is the action of a CONTROL and the type of any other frame.
func (f frameView) kind() string {
	if f.Type == "CONTROL" {
		return f.Action
	}
	return f.Type
}

// posted returns the posts of frames of a kind.
func posted(did deeds, kind string) deeds {
	return did.Of(didPost).where(func(d *deed) bool { return viewed(d.Message).kind() == kind })
}

// trail says in a word or two each what happened, without what is said of workers, whose records change for many reasons.
func trail(did deeds) []string {
	out := []string{}
	for _, d := range did {
		switch d.Kind {
		case didWrite, didRemove:
			if of := family(d.Key); of != "worker" {
				out = append(out, d.Kind+" "+of)
			}
		case didPost:
			if kind := viewed(d.Message).kind(); kind != isRegistry {
				out = append(out, "post "+kind)
			}
		case didTSub, didTUnsub, didTPub:
			out = append(out, d.Kind+" "+d.Topic)
		}
	}
	return out
}

// called says which handlers were called with what, in order: tab, handler, data.
func called(did deeds) []string {
	out := []string{}
	for _, d := range did.Of(didDispatch) {
		out = append(out, d.Tab+" "+d.Handler+" "+string(d.Data))
	}
	return out
}

// calledAnyOrder is called, sorted.
func calledAnyOrder(did deeds) []string {
	out := called(did)
	slices.Sort(out)
	return out
}

// quiet wants none of some kinds of deeds.
func (t *busT) quiet(law, reason string, did deeds, kinds ...string) bool {
	return t.Equal(law, reason, "nothing", did.Of(kinds...))
}

// pair opens two tabs. Where both could be elected A is, which comes first in every order.
func (t *busT) pair() (o *origin, a, b *tab) {
	o = t.Origin()
	return o, o.Tab("A"), o.Tab("B")
}

// fanned is pair with a topic x that B subscribes and A owns.
func (t *busT) fanned() (o *origin, a, b *tab) {
	o, a, b = t.pair()
	b.Subscribe("x")
	o.Drain()
	o.owns(a, "x")
	return o, a, b
}

// owns blocks the case unless a tab, and no other, owns a topic by its confirmed route, in memory and at the server.
func (o *origin) owns(a *tab, topic string) {
	s := o.Snapshot()
	r, _ := s.Route(topic)
	got := fmt.Sprint(r.WorkerID, r.ConfirmedAt > 0, s.Assigned(topic), s.Served(topic))
	o.t.Equal("", a.name+" owns "+topic, fmt.Sprint(a.worker, true, []string{a.name}, []string{a.name}), got)
}

// state is everything that a snapshot shows but the time, in one text.
func (s *snapshot) state() string {
	s.Now = 0
	text, err := json.Marshal(s.snapshotReply)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// controlFrame is a CONTROL as one worker sends it to another. Data is JSON, empty: none.
func controlFrame(action, topic, from, to, data string) string {
	if data != "" {
		data = `,"data":` + data
	}
	return fmt.Sprintf(`{"type":"CONTROL","action":%q,"topic":%q,"topicKey":%q,"sourceWorkerId":%q,"targetWorkerId":%q%s}`,
		action, topic, hash(topic), from, to, data)
}

// registryFrame is a REGISTRY.
func registryFrame(from string) string {
	return fmt.Sprintf(`{"type":"REGISTRY","sourceWorkerId":%q}`, from)
}

// eventFrame is the EVENT with which a worker fans a publication out, as the bus at hand writes it: it is taken from one.
func (o *origin) eventFrame(topic, data string) string {
	sent := posted(o.Server(topic, data), isEvent)
	o.t.Equal("", "a publication of the server is fanned out", 1, len(sent))
	return string(sent[0].Message)
}

// routeKey is the key of a route in the storage, of which the worker record of a tab shows the beginning.
func (o *origin) routeKey(topic string) string { return o.key("route", hash(topic)) }

// subscriberKey is the key of the subscriber record of a tab.
func (o *origin) subscriberKey(topic string, of *tab) string {
	return o.key("subscriber", hash(topic)+":"+of.id)
}

func (o *origin) key(of, rest string) string {
	for key := range o.Snapshot().Storage {
		if parts := strings.SplitN(key, ":", 4); len(parts) == 4 && parts[2] == "worker" {
			return parts[0] + ":" + parts[1] + ":" + of + ":" + rest
		}
	}
	o.t.Blocked("prerequisite", "no worker record from which to take the namespace of the cluster")
	return ""
}

// routeTo is a confirmed route to a tab.
func (o *origin) routeTo(topic string, to *tab, generation int64) string {
	now := o.Snapshot().Now
	return fmt.Sprintf(`{"topicKey":%q,"workerId":%q,"tabId":%q,"updatedAt":%d,"generation":%d,"confirmedAt":%d}`,
		hash(topic), to.worker, to.id, now, generation, now)
}

func controlCases() []conformance.Case {
	return slices.Concat(controlShapeCases(), controlTargetCases(), controlUnknownCases())
}

// controlShapeCases are about what frames look like.
func controlShapeCases() []conformance.Case {
	return []conformance.Case{
		one("control/shape", "every frame is one of four types, with the members of its type",
			laws("DATABUS-CONTROL-001"), nil, func(t *busT) {
				o, a, b := t.fanned()
				c := o.Tab("C")
				c.Subscribe("x")
				c.Publish("x", `{"deep":[1,null]}`)
				o.Drain()
				o.Server("x", `"m"`)
				o.Drain()
				b.Visibility("hidden")
				b.Subscribe("alone")
				b.Unsubscribe("alone")
				o.Drain()
				a.PageHide()
				o.Drain()
				seen := map[string]int{}
				for _, d := range o.all.Of(didPost) {
					f := viewed(d.Message)
					seen[f.kind()]++
					t.Equal("DATABUS-CONTROL-001", "a frame has the members of its type: "+string(d.Message), "none", f.lacks(d.Message))
					t.Equal("DATABUS-CONTROL-001", "a frame names the worker that sent it", "worker"+d.Tab, f.SourceWorkerID)
				}
				want := []string{isEvent, isPublish, isRegistry, isReleased, isSubscribe, isUnsubscribe}
				t.Equal("DATABUS-CONTROL-001", "all types and actions were seen", want, slices.Sorted(maps.Keys(seen)))
			}),
		one("control/key", "the key of a frame is the hash of its topic, whatever the topic",
			laws("DATABUS-CONTROL-001"), nil, func(t *busT) {
				o, _, b := t.pair()
				for _, topic := range []string{"price.feed", "😀", "a:b:c", "__proto__", strings.Repeat("long", 500)} {
					sent := posted(b.Subscribe(topic), isSubscribe)
					o.Drain()
					sent = append(sent, posted(b.Publish(topic, "1"), isPublish)...)
					sent = append(sent, posted(b.Unsubscribe(topic), isUnsubscribe)...)
					t.Equal("", "A owns the topic and is asked three times", 3, len(sent))
					for _, d := range sent {
						f := viewed(d.Message)
						t.Equal("DATABUS-CONTROL-001", "topic and topicKey belong together", fmt.Sprintf("%q %s", topic, hash(topic)),
							fmt.Sprintf("%q %s", f.Topic, f.TopicKey))
					}
					o.Drain()
				}
			}),
	}
}

// lacks says what a frame lacks that its type has, or none.
func (f frameView) lacks(message json.RawMessage) string {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(message, &members) != nil {
		return "it is no object"
	}
	need := []string{"type", "sourceWorkerId"}
	switch f.Type {
	case "CONTROL":
		need = append(need, "action", "topic", "topicKey", "targetWorkerId")
	case isReleased:
		need = append(need, "topic", "topicKey", "targetWorkerId", "generation")
	case isEvent:
		need = append(need, "eventType", "payload")
	case isRegistry:
	default:
		return "the type is " + f.Type
	}
	for _, name := range need {
		if _, ok := members[name]; !ok {
			return name
		}
	}
	if f.Type == "CONTROL" && !slices.Contains([]string{isSubscribe, isUnsubscribe, isPublish}, f.Action) {
		return "the action is " + f.Action
	}
	if _, ok := members["topic"]; ok && f.TopicKey != hash(f.Topic) {
		return "topicKey is not that of the topic"
	}
	return "none"
}

// controlTargetCases are about whom a frame concerns and what it does there.
func controlTargetCases() []conformance.Case {
	return []conformance.Case{
		one("control/for-another", "what is addressed to another worker changes nothing",
			laws("DATABUS-CONTROL-002"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				before := o.Snapshot().state()
				for _, to := range []string{b.worker, "nobody", a.tabLike()} {
					for _, topic := range []string{"x", "y"} {
						for _, action := range []string{isSubscribe, isUnsubscribe, isPublish} {
							did := a.Inject(controlFrame(action, topic, "workerZ", to, "1"))
							t.Equal("DATABUS-CONTROL-002", action+" of "+topic+" for "+to, "nothing", did)
						}
						t.Equal("DATABUS-CONTROL-002", "ROUTE_RELEASED of "+topic+" for "+to, "nothing", a.Inject(releaseOf(topic, "workerZ", to, 1)))
					}
				}
				t.Equal("DATABUS-CONTROL-002", "nothing has changed", before, o.Snapshot().state())
			}),
		one("control/from-oneself", "a frame that the receiver itself sent changes nothing",
			laws("DATABUS-CONTROL-002"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				o.Remove(o.subscriberKey("x", b)) // which a reconcile would mend
				before := o.Snapshot().state()
				for _, action := range []string{isSubscribe, isUnsubscribe, isPublish} {
					t.Equal("DATABUS-CONTROL-002", action+" from oneself", "nothing", a.Inject(controlFrame(action, "x", a.worker, a.worker, "1")))
					t.Equal("DATABUS-CONTROL-002", action+" from oneself, of a new topic", "nothing",
						b.Inject(controlFrame(action, "y", b.worker, b.worker, "1")))
				}
				t.Equal("DATABUS-CONTROL-002", "ROUTE_RELEASED from oneself", "nothing", a.Inject(releaseOf("x", a.worker, a.worker, 1)))
				t.Equal("DATABUS-CONTROL-002", "REGISTRY from oneself", "nothing", b.Inject(registryFrame(b.worker)))
				t.Equal("DATABUS-CONTROL-002", "nothing has changed", before, o.Snapshot().state())
			}),
		one("control/subscribe", "the worker that a route names assigns, confirms, subscribes and counts",
			laws("DATABUS-CONTROL-003"), nil, func(t *busT) {
				o, a, b := t.pair()
				b.Subscribe("x")
				before, _ := o.Snapshot().Route("x")
				frames := o.OnWire(a, `"SUBSCRIBE"`)
				t.Equal("", "SUBSCRIBE is under way to A", 1, len(frames))
				o.Pass(70)
				did := o.Deliver(frames[0]).By(a)
				s := o.Snapshot()
				r, _ := s.Route("x")
				const law = "DATABUS-CONTROL-003"
				t.Equal(law, "the topic is assigned", []string{"A"}, s.Assigned("x"))
				t.Equal(law, "the transport is asked once", "A: tsub x", did.Of(didTSub))
				before.ConfirmedAt = start + 70
				t.Equal(law, "the route is confirmed now, and else as it was", before, r)
				w, _ := s.Worker(a)
				t.Equal(law, "the record counts the topic", 1, w.Load)
			}),
		one("control/subscribe-knows", "SUBSCRIBE at its target has the topic cached",
			laws("DATABUS-CONTROL-003"), needs(KnownTopics), func(t *busT) {
				o, a, b := t.pair()
				b.Subscribe("x")
				o.Deliver(o.firstTo(a, isSubscribe))
				known := o.Snapshot().Tab(a).Known
				t.Check(slices.Contains(known, hash("x")), "DATABUS-CONTROL-003", "the topic is cached", hash("x"), fmt.Sprint(known))
			}),
		one("control/subscribe-confirmed", "a route that is confirmed is not confirmed again",
			laws("DATABUS-CONTROL-003"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				before, _ := o.Snapshot().Route("x")
				o.Pass(70)
				did := a.Inject(controlFrame(isSubscribe, "x", b.worker, a.worker, ""))
				t.Equal("DATABUS-CONTROL-003", "no route is written", "nothing", did.Family("route"))
				after, _ := o.Snapshot().Route("x")
				t.Equal("DATABUS-CONTROL-003", "the route is as it was", before, after)
			}),
		one("control/subscribe-no-route", "no route is made by SUBSCRIBE, and none of another confirmed",
			laws("DATABUS-CONTROL-003"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				did := a.Inject(controlFrame(isSubscribe, "y", b.worker, a.worker, ""))
				t.Equal("DATABUS-CONTROL-003", "without a route", "nothing", did.Family("route"))
				did = b.Inject(controlFrame(isSubscribe, "x", a.worker, b.worker, ""))
				t.Equal("DATABUS-CONTROL-003", "with a route to another", "nothing", did.Family("route"))
				o.Settle()
				o.owns(a, "x")
			}),
		under(v010, one("control/obedient", "0.1.0 obeys a SUBSCRIBE without a route, or with that of another",
			laws("DATABUS-CONTROL-004"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				did := a.Inject(controlFrame(isSubscribe, "y", b.worker, a.worker, ""))
				t.Equal("DATABUS-CONTROL-004", "without a route", "A: tsub y", did.Of(didTSub))
				did = b.Inject(controlFrame(isSubscribe, "x", a.worker, b.worker, ""))
				t.Equal("DATABUS-CONTROL-004", "though the route names another", "B: tsub x", did.Of(didTSub))
				t.Equal("DATABUS-CONTROL-004", "both have the topic", []string{"A", "B"}, o.Snapshot().Assigned("x"))
			})),
		under(v010, one("control/obedient-unsubscribe", "0.1.0 obeys an UNSUBSCRIBE though the route names it",
			laws("DATABUS-CONTROL-004"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				did := a.Inject(controlFrame(isUnsubscribe, "x", b.worker, a.worker, ""))
				t.Equal("DATABUS-CONTROL-004", "the transport is asked to leave", "A: tunsub x", did.Of(didTUnsub))
				s := o.Snapshot()
				t.Equal("DATABUS-CONTROL-004", "the assignment is gone, the route stays", fmt.Sprint([]string(nil), a.worker),
					fmt.Sprint(s.Assigned("x"), s.Owner("x")))
			})),
	}
}

// tabLike is an id that is like that of the worker, but is not.
func (t *tab) tabLike() string { return strings.ToUpper(t.worker) }

// firstTo returns the first frame of a kind under way to a tab.
func (o *origin) firstTo(to *tab, kind string) flying {
	for _, f := range o.Wire() {
		if f.To == to.name && viewed(f.Message).kind() == kind {
			return f
		}
	}
	o.t.Blocked("prerequisite", "no %s is under way to %s", kind, to.name)
	return flying{}
}

// controlUnknownCases are about frames that no bus sends.
func controlUnknownCases() []conformance.Case {
	return []conformance.Case{
		one("control/unknown-nudges", "a frame of another type has its receiver reconcile",
			laws("DATABUS-CONTROL-005"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				for _, kind := range []string{"NEWER", "control", "Registry", ""} {
					o.Remove(o.subscriberKey("x", b))
					did := b.Inject(fmt.Sprintf(`{"type":%q,"sourceWorkerId":%q}`, kind, a.worker))
					t.Equal("DATABUS-CONTROL-005", fmt.Sprintf("a frame of type %q", kind), "write subscriber", strings.Join(trail(did), ", "))
				}
			}),
		one("control/unknown-harmless", "whatever the type of a frame, nobody loses or gains a topic",
			laws("DATABUS-CONTROL-005"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				long := strings.Repeat("T", 100_000)
				for _, kind := range []string{
					`"NEWER"`, `""`, `"control"`, `"CONTROL "`, `"PING"`, `"__proto__"`, `null`, `7`, `{}`, `["CONTROL"]`, `true`,
					fmt.Sprintf("%q", long),
				} {
					for _, to := range []*tab{a, b} {
						frame := strings.Replace(controlFrame(isUnsubscribe, "x", "workerZ", to.worker, "1"), `"CONTROL"`, kind, 1)
						t.forged(to, frame)
						t.forged(to, strings.Replace(frame, isUnsubscribe, isSubscribe, 1))
					}
				}
				o.Drain()
				s := o.Snapshot()
				t.Equal("DATABUS-CONTROL-005", "the owner is who it was", fmt.Sprint([]string{"A"}, []string{"A"}, a.worker),
					fmt.Sprint(s.Assigned("x"), s.Served("x"), s.Owner("x")))
				did := append(o.Server("x", "1"), o.Drain()...)
				t.Equal("DATABUS-CONTROL-005", "and publications arrive", []string{"B x 1"}, called(did))
			}),
		one("control/forged", "forged frames with missing, wrong and huge members leave a bus that works",
			laws("DATABUS-LIMIT-005"), needs(Forges), func(t *busT) {
				o, a, b := t.fanned()
				for _, frame := range brokenFrames(a.worker) {
					t.forged(a, frame)
					t.forged(b, strings.ReplaceAll(frame, a.worker, b.worker))
				}
				o.Settle()
				did := b.Subscribe("fresh")
				did = append(did, o.Settle()...)
				did = append(did, o.Server("fresh", "1")...)
				did = append(did, o.Drain()...)
				t.Equal("DATABUS-LIMIT-005", "a new topic is served and its publications arrive", []string{"B fresh 1"},
					called(did.where(func(d *deed) bool { return d.Handler == "fresh" })))
				t.Equal("DATABUS-LIMIT-005", "one worker serves it", 1, len(o.Snapshot().Served("fresh")))
			}),
	}
}

// forged has a tab receive a frame that may make it throw, which is reported and nothing else.
func (t *busT) forged(to *tab, frame string) {
	var r didReply
	if thrown := t.Ask("inject", injectRequest{to.name, json.RawMessage(frame)}, &r); thrown != nil {
		t.Event(to.name, "threw "+thrown.Name)
		return
	}
	to.o.noted(r.Did)
}

// brokenFrames are frames for a worker with each member missing, of each wrong type and too big.
func brokenFrames(worker string) []string {
	whole := []string{
		controlFrame(isSubscribe, "z", "workerZ", worker, "1"), controlFrame(isUnsubscribe, "z", "workerZ", worker, "1"),
		controlFrame(isPublish, "z", "workerZ", worker, `{"a":1}`), releaseOf("z", "workerZ", worker, 1), registryFrame("workerZ"),
		`{"type":"EVENT","sourceWorkerId":"workerZ","eventType":"DATABUS_PUBLICATION","payload":{"topic":"x","data":1}}`,
	}
	wrong := []string{
		`null`, `0`, `-1`, `1e308`, `true`, `""`, `"` + strings.Repeat("long", 10_000) + `"`, `[]`, `{}`,
		strings.Repeat("[", 200) + strings.Repeat("]", 200),
	}
	out := []string{`null`, `0`, `"CONTROL"`, `[]`, `{}`, `{"type":"CONTROL"}`, `{"type":"EVENT"}`, `{"type":"ROUTE_RELEASED"}`}
	for _, frame := range whole {
		members := map[string]json.RawMessage{}
		_ = json.Unmarshal([]byte(frame), &members)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			for _, value := range append(wrong, "") {
				changed := maps.Clone(members)
				changed[name] = json.RawMessage(value)
				if value == "" {
					delete(changed, name)
				}
				text, _ := json.Marshal(changed)
				out = append(out, string(text))
			}
		}
	}
	return out
}
