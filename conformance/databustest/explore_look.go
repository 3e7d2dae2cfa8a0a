package databustest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
)

// mostFrames is how many frames may follow one move before they count as endless.
const mostFrames = 500

// calm lets all frames arrive that can, and those that they set off, and then all that was written.
func (u *unfolding) calm() {
	if !u.stepwise() {
		u.restlessly("drain", drainRequest{Max: mostFrames})
		if len(u.heads()) > 0 {
			u.endless()
		}
		return
	}
	for range mostFrames {
		heads := u.heads()
		if len(heads) == 0 {
			u.flushAll()
			if len(u.heads()) == 0 {
				return
			}
			continue
		}
		u.arrive(heads[0])
	}
	u.endless()
}

// stepwise is that tabs are flushed and shown what others wrote between one frame and the next.
func (u *unfolding) stepwise() bool { return u.scene.Late || u.scene.Lags && u.shown }

// endless is that the target finds no rest, which only who must come to rest has to.
func (u *unfolding) endless() {
	if !u.rests {
		return
	}
	u.breaks("DATABUS-LIVE-005", "frames that beget frames come to an end", fmt.Sprintf("at most %d", mostFrames), "more")
}

// restlessly makes a request after which the target may find no rest.
func (u *unfolding) restlessly(op string, q any) {
	var r didReply
	if thrown := u.o.t.Ask(op, q, &r); thrown != nil {
		u.endless()
		return
	}
	u.saw(u.o.noted(r.Did))
}

// pass lets time pass, in pieces in which a tab does little more than one thing, and flushes in between.
func (u *unfolding) pass(ms int64) {
	if !u.stepwise() {
		u.restlessly("advance", advanceRequest{ms, !u.scene.Faults})
		return
	}
	for ms > 0 && u.broke == nil {
		step := min(ms, 1000)
		u.flushAll()
		u.saw(u.o.Pass(step))
		ms -= step
	}
	u.flushAll()
}

// server has the server publish a topic. Who accepts it must own it at that moment (DATABUS-INV-002).
func (u *unfolding) server(topic string) {
	u.sent++
	u.flushAll()
	s := u.o.Snapshot()
	data := fmt.Sprintf(`"plain-data-%d"`, u.sent)
	for _, d := range u.saw(u.o.Server(topic, data)).Of(didPost) {
		v := s.Tabs[d.Tab]
		if viewed(d.Message).Type == "EVENT" && v != nil && u.shown && !slices.Contains(v.Assigned, topic) && s.Owner(topic) != v.WorkerID {
			u.breaks("DATABUS-INV-002", "who accepts a publication owns its topic", s.Owner(topic), d.Tab+" accepts it")
		}
	}
}

// saw looks at what a request has set off (DATABUS-INV-002, DATABUS-INV-003, DATABUS-KEY-003).
func (u *unfolding) saw(did deeds) deeds {
	for _, d := range did {
		switch d.Kind {
		case didWrite:
			if strings.Contains(d.Key+d.Value, "plain-") {
				u.breaks("DATABUS-KEY-003", "no topic and no data shows in the storage", "hashes", d.Key+" "+d.Value)
			}
		case didPost:
			if f := viewed(d.Message); f.Type == "EVENT" {
				u.accepted[dataOf(f)]++
			}
		case didDispatch:
			u.dispatched(d)
		}
	}
	return did
}

// dataOf is the data of a publication that an EVENT carries.
func dataOf(f frameView) string {
	var payload struct {
		Data json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(f.Payload, &payload)
	return string(payload.Data)
}

func (u *unfolding) dispatched(d *deed) {
	x := u.named(d.Tab)
	if x == nil || !slices.ContainsFunc([]int{0, 1}, func(n int) bool { return x.wants[n] && topicName(n) == d.Topic }) {
		u.breaks("DATABUS-INV-002", "who is called wants the topic", "a topic that it subscribes", d.Tab+": "+d.String())
		return
	}
	data := string(d.Data)
	if u.called[data] == nil {
		u.called[data] = map[string]int{}
	}
	u.called[data][d.Tab]++
	if n := u.called[data][d.Tab]; n > u.accepted[data] {
		u.breaks("DATABUS-INV-003", "one accepted publication reaches a handler once", fmt.Sprint(u.accepted[data]), fmt.Sprintf("%s: %d calls for %s", d.Tab, n, data))
	}
}

// look checks what must hold in every state (DATABUS-INV-001, DATABUS-INV-006).
func (u *unfolding) look() {
	s := u.o.Snapshot()
	if len(s.other) > 0 {
		u.breaks("DATABUS-INV-001", "each key is that of a record that can be read", "none else", strings.Join(s.other, " "))
	}
	for id, w := range s.workers {
		if w.WorkerID != id || w.TabID == "" || w.Load < 0 || w.RegisteredAt > w.HeartbeatAt || w.HeartbeatAt > s.Now {
			u.breaks("DATABUS-INV-001", "the record of a worker is in order", id, fmt.Sprintf("%+v", w))
		}
	}
	for key, r := range s.routes {
		if r.TopicKey != key || r.WorkerID == "" || r.Generation < 1 || r.ConfirmedAt != 0 && r.ConfirmedAt < r.UpdatedAt {
			u.breaks("DATABUS-INV-001", "a route is in order", key, fmt.Sprintf("%+v", r))
		}
	}
	for _, x := range u.tabs {
		v := s.Tab(x.tab)
		var want []string
		for topic, wanted := range x.wants {
			if wanted {
				want = append(want, topicName(topic))
			}
		}
		if got := sortedOf(v.Subscribed); !slices.Equal(got, want) {
			u.breaks("DATABUS-INV-006", x.name+" subscribes what its application asked for", fmt.Sprint(want), fmt.Sprint(got))
		}
		if w, stored := s.Worker(x.tab); stored && !u.scene.Late && len(v.Pending) == 0 && w.Load != len(v.Assigned) {
			u.breaks("DATABUS-INV-001", "the load of "+x.name+" is how much it is assigned", fmt.Sprint(v.Assigned), fmt.Sprint(w.Load))
		}
	}
}

// finish ends all faults, lets time settle what they have left, and checks what must have come (DATABUS-INV-004, DATABUS-LIVE-005).
func (u *unfolding) finish() {
	u.shown = true
	for _, x := range u.tabs {
		u.saw(x.FailWrites(0))
		if x.asleep {
			x.asleep = false
			u.saw(x.Thaw())
		}
		if x.away {
			u.flush(x)
			x.away = false
			u.saw(x.PageShow())
		}
	}
	u.calm()
	if u.broke != nil || !u.rests {
		return
	}
	if !u.stepwise() {
		u.restlessly("advance", advanceRequest{2 * (heartbeat + ttl), true})
	} else {
		for range 2 * (heartbeat + ttl) / 1000 {
			u.pass(1000)
			u.calm()
		}
	}
	if u.broke != nil {
		return
	}
	s := u.o.Snapshot()
	for n := range moveTopics {
		u.rest(s, n)
	}
}

// rest checks that a topic has come to rest.
func (u *unfolding) rest(s *snapshot, n int) {
	topic := topicName(n)
	assigned, served := s.Assigned(topic), s.Served(topic)
	if len(assigned) > 1 || len(served) > 1 {
		u.breaks("DATABUS-INV-004", "in the end no topic has two owners", "at most one", fmt.Sprintf("assigned %v, served %v", assigned, served))
	}
	wanted := slices.ContainsFunc(u.tabs[:], func(x *unfolded) bool { return x.wants[n] })
	r, stored := s.Route(topic)
	if !wanted {
		if len(assigned)+len(served) > 0 || stored {
			u.breaks("DATABUS-LIVE-004", "in the end nothing is left of a topic that nobody wants", "nothing",
				fmt.Sprintf("assigned %v, served %v, route %+v", assigned, served, r))
		}
		return
	}
	owner := s.tabs(func(v *tabView) bool { return v.WorkerID == r.WorkerID })
	if len(served) != 1 || !slices.Equal(assigned, served) || !slices.Equal(owner, served) || r.ConfirmedAt == 0 {
		u.breaks("DATABUS-LIVE-005", "in the end a topic that is wanted is served by the tab that a confirmed route names", "one tab",
			fmt.Sprintf("assigned %v, served %v, named %v, confirmed at %d", assigned, served, owner, r.ConfirmedAt))
	}
}

// breaks remembers the first thing that is wrong.
func (u *unfolding) breaks(law, reason, want, got string) {
	if u.broke == nil {
		u.broke = &conformance.Break{Law: law, Reason: reason, Expected: want, Seen: got}
	}
}
