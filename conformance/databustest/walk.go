package databustest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A walk is an origin whose tabs do at random what tabs do, with frames that arrive late or not at all. It keeps a copy of the storage,
// made of the writes that it is told of.
type walk struct {
	*origin
	names map[string]*tab // by the name that deeds have
	alive []*walker
	store map[string]string
	seen  int // deeds of the origin that were looked at
	born  int
	look  watch
}

// A walker is a live document of a walk.
type walker struct {
	*tab
	wants map[string]bool
	away  bool // hidden by pagehide
}

// A watch is told of a walk. Either may be nil.
type watch struct {
	deed func(w *walk, d *deed)     // before it is in the copy of the storage
	rest func(w *walk, s *snapshot) // after each request
}

// Walk makes so many requests at random, of up to four tabs and three topics.
func (t *busT) Walk(steps int, look watch) *walk {
	w := &walk{origin: t.Origin(), names: map[string]*tab{}, store: map[string]string{}, look: look}
	for range 3 {
		w.open(fmt.Sprint("tab", w.born))
	}
	for range steps {
		w.step()
		w.rest()
	}
	w.Settle()
	w.rest()
	return w
}

// rest shows what the last requests did.
func (w *walk) rest() {
	for _, d := range w.all[w.seen:] {
		if w.look.deed != nil {
			w.look.deed(w, d)
		}
		switch d.Kind {
		case didWrite:
			w.store[d.Key] = d.Value
		case didRemove:
			delete(w.store, d.Key)
		}
	}
	w.seen = len(w.all)
	if w.look.rest != nil {
		w.look.rest(w, w.Snapshot())
	}
}

func (w *walk) open(tabID string) {
	w.born++
	name := fmt.Sprint("t", w.born)
	x := &walker{tab: w.TabWith(name, tabRequest{TabID: tabID, WorkerID: fmt.Sprint("worker", w.born)}), wants: map[string]bool{}}
	w.names[name] = x.tab
	w.alive = append(w.alive, x)
	x.Start()
}

// step makes one request, a little more often one that moves the time.
func (w *walk) step() {
	rand := w.t.Rand()
	if len(w.alive) == 0 {
		w.open(fmt.Sprint("tab", w.born))
		return
	}
	at := rand.IntN(len(w.alive))
	x, topic := w.alive[at], fmt.Sprint("topic", rand.IntN(3))
	switch rand.IntN(18) {
	case 0, 1, 2, 3:
		x.toggle(topic)
	case 4:
		x.Publish(topic, `"published"`)
	case 5:
		w.Server(topic, `"sent"`)
	case 6:
		x.Visibility([]string{"visible", "hidden"}[rand.IntN(2)])
	case 7:
		x.hideOrShow()
	case 8:
		w.end(at)
	case 9:
		if len(w.alive) < 4 {
			w.open(fmt.Sprint("tab", w.born))
		}
	case 10:
		x.Status([]string{"connecting", "connected", "disconnected", "error"}[rand.IntN(4)])
	case 11:
		w.pick(w.Drop)
	case 12, 13:
		w.pick(w.Deliver)
	case 14, 15:
		w.Drain()
	default:
		w.Pass([]int64{1, 500, heartbeat, heartbeat, ttl, ttl + 1}[rand.IntN(6)])
	}
}

func (x *walker) toggle(topic string) {
	if x.wants[topic] {
		x.Unsubscribe(topic)
	} else {
		x.Subscribe(topic)
	}
	x.wants[topic] = !x.wants[topic]
}

func (x *walker) hideOrShow() {
	if x.away {
		x.PageShow()
	} else {
		x.PageHide()
	}
	x.away = !x.away
}

// end has a document crash or stop, and now and then come back with the id of its tab.
func (w *walk) end(at int) {
	x := w.alive[at]
	w.alive = slices.Delete(w.alive, at, at+1)
	if w.t.Rand().IntN(2) == 0 {
		x.Stop()
	}
	x.Crash()
	if w.t.Rand().IntN(2) == 0 {
		w.open(x.id)
	}
}

// pick does something with the frame that has been under way for longest or, now and then, with any.
func (w *walk) pick(do func(flying) deeds) {
	if frames := w.Wire(); len(frames) > 0 {
		do(frames[w.t.Rand().IntN(min(2, len(frames)))])
	}
}

// route returns the route that is stored under a key, and whether there is one.
func (w *walk) route(key string) (routeRecord, bool) {
	var r routeRecord
	value, ok := w.store[key]
	return r, ok && readRecord(value, &r) == nil
}

func readRecord(value string, into any) error { return json.Unmarshal([]byte(value), into) }

// live reports whether a worker is live for the tab that does something.
func (w *walk) live(workerID string, d *deed) bool {
	if w.names[d.Tab].worker == workerID {
		return true
	}
	for key, value := range w.store {
		if k := keyOf(key); k.family == "worker" && k.id == workerID {
			var r workerRecord
			return json.Unmarshal([]byte(value), &r) == nil && d.At-r.HeartbeatAt <= ttl
		}
	}
	return false
}

// tabOf returns the id of the tab of a worker, dead or alive, empty if the walk knows none.
func (w *walk) tabOf(workerID string) string {
	for _, t := range w.names {
		if t.worker == workerID {
			return t.id
		}
	}
	return ""
}

// linesOf returns deeds in words, one by one, without the names of frames.
func linesOf(ds deeds) []string {
	out := make([]string, len(ds))
	for i, d := range ds {
		e := *d
		e.Frames, e.Call = nil, ""
		out[i] = fmt.Sprint(d.At, " ", d.Tab, ": ", e.String())
	}
	return out
}

// sameLines breaks a law where two stories part.
func (t *busT) sameLines(law, reason string, want, got []string) {
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	line := func(of []string) string {
		if at < len(of) {
			return of[at]
		}
		return "nothing more"
	}
	t.Check(len(want) == len(got) && at == len(want), law, reason, line(want), line(got))
}

// A storedKey is a key of the storage in its parts (DATABUS-KEY-001).
type storedKey struct {
	root   string // prefix and clusterHash
	family string // worker, route, subscriber, or empty: none of them
	topic  string // topicKey of a route or a subscriber
	id     string // workerId of a worker, tabId of a subscriber
}

func keyOf(key string) storedKey {
	for at := 0; ; at++ {
		i := strings.IndexByte(key[at:], ':')
		if i < 0 {
			return storedKey{}
		}
		at += i
		rest := key[at+1:]
		if len(rest) < 33 || !isHash(rest[:32]) || rest[32] != ':' {
			continue
		}
		family, id, _ := strings.Cut(rest[33:], ":")
		k := storedKey{root: key[:at+33], family: family, id: id}
		if family != "worker" {
			k.topic, k.id, _ = strings.Cut(id, ":")
		}
		if ok := map[string]bool{
			"worker": k.id != "", "route": isHash(id), "subscriber": isHash(k.topic) && k.id != "",
		}[family]; ok {
			return k
		}
		return storedKey{}
	}
}

// isHash reports whether a text has the form of DATABUS-KEY-002.
func isHash(text string) bool {
	return len(text) == 32 && strings.Trim(text, "0123456789abcdef") == ""
}
