package growth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// A request is one line of a script, in the form of spec/adapter.md without its number. The zero value of a member is not written.
type request struct {
	Op       string          `json:"op"`
	Version  string          `json:"version,omitempty"`
	Now      int64           `json:"now,omitempty"`
	Tab      string          `json:"tab,omitempty"`
	TabID    string          `json:"tabId,omitempty"`
	WorkerID string          `json:"workerId,omitempty"`
	Call     string          `json:"call,omitempty"`
	Topic    string          `json:"topic,omitempty"`
	Handler  string          `json:"handler,omitempty"`
	State    string          `json:"state,omitempty"`
	MS       int64           `json:"ms,omitempty"`
	Drain    bool            `json:"drain,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// A drafter drafts what users, pages, time and the server do.
type drafter struct {
	rng    *rand.Rand
	tabs   []string
	topics []string
	wants  map[[2]string]bool // tab and topic
	away   map[string]bool
	hidden map[string]bool
}

// script returns so many requests, always the same: three tabs start, and then the server publishes on two topics, tabs publish, subscribe,
// unsubscribe, hide and come back, change their visibility, and time passes.
func script(length int) []request {
	d := &drafter{
		rng: rand.New(rand.NewPCG(20, 26)), tabs: []string{"a", "b", "c"}, topics: []string{"t1", "t2"},
		wants: map[[2]string]bool{}, away: map[string]bool{}, hidden: map[string]bool{},
	}
	out := []request{{Op: "origin", Version: "v010", Now: begin}}
	for _, tab := range d.tabs {
		out = append(
			out, request{Op: "tab", Tab: tab, TabID: "tab" + tab, WorkerID: "worker" + tab}, request{Op: "start", Tab: tab, Call: tab + "1"},
			request{Op: "drain"},
		)
	}
	for len(out) < length {
		out = append(out, d.next(len(out)))
	}
	return out
}

func (d *drafter) next(i int) request {
	tab, topic := d.tabs[d.rng.IntN(len(d.tabs))], d.topics[d.rng.IntN(len(d.topics))]
	data := json.RawMessage(fmt.Sprintf(`{"n":%d,"text":"a publication of some length"}`, i))
	switch k := d.rng.IntN(100); {
	case k < 35:
		return request{Op: "server", Topic: topic, Data: data}
	case k < 60:
		return request{Op: "drain"}
	case k < 75 && !d.away[tab]:
		return request{Op: "publish", Tab: tab, Topic: topic, Data: data}
	case k < 87:
		return d.handler(tab, topic)
	case k < 92:
		d.away[tab] = !d.away[tab]
		if d.away[tab] {
			return request{Op: "pagehide", Tab: tab}
		}
		return request{Op: "pageshow", Tab: tab}
	case k < 94 && !d.away[tab]:
		d.hidden[tab] = !d.hidden[tab]
		if d.hidden[tab] {
			return request{Op: "visibility", Tab: tab, State: "hidden"}
		}
		return request{Op: "visibility", Tab: tab, State: "visible"}
	}
	return request{Op: "advance", MS: 100 * (1 + d.rng.Int64N(15)), Drain: true}
}

// handler adds the handler of a topic or removes it. Most of the time it is there.
func (d *drafter) handler(tab, topic string) request {
	at := [2]string{tab, topic}
	if d.wants[at] && d.rng.IntN(3) > 0 {
		return request{Op: "drain"}
	}
	d.wants[at] = !d.wants[at]
	if d.wants[at] {
		return request{Op: "subscribe", Tab: tab, Topic: topic, Handler: "h"}
	}
	return request{Op: "unsubscribe", Tab: tab, Topic: topic, Handler: "h"}
}

// lines returns the script as the original's bench reads it.
func lines(script []request) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, r := range script {
		_ = enc.Encode(r) // into memory, of values that have a form
	}
	return out.Bytes()
}
