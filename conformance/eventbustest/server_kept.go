package eventbustest

import (
	"cmp"
	"fmt"
)

// How many events cases publish that resume behind all of them: one by one, and in a burst.
const (
	keptFew  = 20
	keptMany = 256
)

// kept returns how many events the target keeps for a resumed stream, as far as cases need to know: a ring may be of any size from 1 on
// (EVENTBUS-RING-005). It is what the profile says, else what comes back of a few events or of a burst. A target that does not
// say that it has dropped any counts as one that keeps enough. It gives no verdict.
func (x *webSession) kept() int {
	w, p := x.w, x.w.http()
	if p.Ring > 0 || !p.Publish.Given() {
		return cmp.Or(p.Ring, keptMany)
	}
	if !x.emits() {
		return keptMany
	}
	resumed, err := x.ask("kept", ask{after: "0", query: "maxQueued=2048"})
	if err != nil || resumed.await(ofKind("replay_complete"), w.Timing().Reply) == nil {
		return keptMany
	}
	defer resumed.close()
	for _, e := range resumed.all(ofKind("state_resync_required")) {
		if e.text("reason") == "ring_evicted" {
			return len(resumed.numbered())
		}
	}
	return keptMany
}

// emits has the target emit what kept looks for afterwards, and reports whether it came: a burst where a session bears the brunt of
// it, else a few events.
func (x *webSession) emits() bool {
	w, p := x.w, x.w.http()
	order, count := p.Publish, 1
	if p.Burst.Given() && p.Open.Given() {
		order, count = p.Burst, keptMany
	}
	word := w.Unique("k")
	order = x.fill(order, "text", word, "count", fmt.Sprint(count))
	live, err := x.ask("keeping", ask{query: "maxQueued=2048"})
	if err != nil {
		return false
	}
	defer live.close()
	live.head()
	for n := 0; n < max(count, keptFew); n += count {
		made, err := w.try("keep", order)
		if err != nil {
			return false
		}
		made.read(w.reply())
		made.close()
		for range count {
			if live.await(holding(word), w.Timing().Reply) == nil {
				return false
			}
		}
	}
	return true
}
