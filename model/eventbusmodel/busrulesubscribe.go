package eventbusmodel

import (
	"slices"
)

// A stream is what a subscription opens with.
type stream struct {
	sub      busSub
	frames   []Frame
	replayed []Frame
	resyncs  []Control
	complete []Control
	// leads says that the first frame is a resync.
	leads bool
}

// stream returns what a subscription with a cursor opened with.
func (e *busEdge) stream() (stream, bool) {
	if !e.opened() || !e.a.Cursor {
		return stream{}, false
	}
	st := stream{sub: e.after.subs[e.a.Sub]}
	for i, entry := range st.sub.queue {
		f := entry.frame
		st.frames = append(st.frames, f)
		switch {
		case f.ID != 0:
			st.replayed = append(st.replayed, f)
		case f.Type == TypeResync:
			st.resyncs = append(st.resyncs, f.Control)
			st.leads = st.leads || i == 0 && f.Control.Reason != ReasonBudget
		case f.Type == TypeReplayComplete:
			st.complete = append(st.complete, f.Control)
		}
	}
	return st, true
}

// beyond says that the cursor is of another bus.
func (e *busEdge) beyond() bool { return e.a.After > e.before.published || e.mismatch() }

func (e *busEdge) mismatch() bool { return e.m.cfg.Dialect == Later && e.a.Epoch == EpochWrong }

// wanted returns the events that the cursor asks for, and how many of them the budget allows.
func (e *busEdge) wanted() (all []Frame, allowed int) {
	for _, f := range e.before.ring {
		if f.ID > e.a.After || e.beyond() {
			all = append(all, f)
		}
	}
	var sum int64
	for allowed < len(all) {
		sum += all[allowed].Size
		if e.m.cfg.Dialect == Later && allowed > 0 && sum > e.m.cfg.ReplayBudgetBytes {
			break
		}
		allowed++
	}
	return all, allowed
}

func subscribeRules() []edgeRule {
	return []edgeRule{
		{"EVENTBUS-SUBSCRIBE-001", "a subscription is attached when subscribe returns", func(e *busEdge) (bool, error) {
			if !e.opened() {
				return idle()
			}
			sub := e.after.subs[e.a.Sub]
			return unless(sub.attached && !sub.ended && e.o.Count == e.before.count+1, "%v, count %d", sub, e.o.Count)
		}},
		{"EVENTBUS-SUBSCRIBE-002", "without a cursor nothing opens the stream", func(e *busEdge) (bool, error) {
			if !e.opened() || e.a.Cursor {
				return idle()
			}
			return unless(len(e.after.subs[e.a.Sub].queue) == 0, "%v", e.after.subs[e.a.Sub])
		}},
		{"EVENTBUS-SUBSCRIBE-003", "cursor 0 is a cursor", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			if !ok || e.a.After != 0 {
				return idle()
			}
			_, allowed := e.wanted()
			return unless(len(st.complete) == 1 && len(st.replayed) == allowed, "%v", st.frames)
		}},
		{"EVENTBUS-SUBSCRIBE-004", "the default cap is 256 frames", func(e *busEdge) (bool, error) {
			if !e.opened() {
				return idle()
			}
			want := e.a.MaxQueued
			if want == 0 {
				want = 256
			}
			return unless(e.after.subs[e.a.Sub].limit == want, "cap %d, want %d", e.after.subs[e.a.Sub].limit, want)
		}},
		{"EVENTBUS-REPLAY-001", "what is replayed is what is retained behind the cursor", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			all, allowed := e.wanted()
			if !ok || e.beyond() || allowed < len(all) {
				return idle()
			}
			return unless(slices.Equal(ids(st.replayed), ids(all)), "cursor %d, ring %v: replayed %v", e.a.After, e.before.ring, st.replayed)
		}},
		{"EVENTBUS-REPLAY-002", "a cursor opens with one replay_complete behind all that it asks for", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			if !ok {
				return idle()
			}
			return unless(len(st.complete) == 1 && st.frames[len(st.frames)-1].Type == TypeReplayComplete, "%v", st.frames)
		}},
		{"EVENTBUS-REPLAY-003", "replay_complete counts what was pushed and names the last of it", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			if !ok || len(st.complete) != 1 {
				return idle()
			}
			want := Control{ReplayedCount: int64(len(st.replayed))}
			if n := len(st.replayed); n > 0 {
				want.LastReplayedEvent = st.replayed[n-1].ID
			}
			return unless(st.complete[0] == want, "%+v, want %+v", st.complete[0], want)
		}},
		{"EVENTBUS-REPLAY-004", "an empty replay names no last event", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			if !ok || len(st.replayed) != 0 || len(st.complete) != 1 {
				return idle()
			}
			return unless(st.complete[0] == Control{}, "%+v", st.complete[0])
		}},
		{"EVENTBUS-REPLAY-006", "replay counts for nothing and neither warns nor evicts", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			if !ok || len(st.replayed) == 0 {
				return idle()
			}
			return unless(st.sub.live == 0 && st.sub.bytes == 0 && !st.sub.warned && !st.sub.evicted, "%v", st.sub)
		}},
		{"EVENTBUS-REPLAY-009", "a cursor that is up to date gets replay_complete alone", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			if !ok || e.a.After != e.before.published || e.mismatch() {
				return idle()
			}
			return unless(len(st.frames) == 1 && st.frames[0] == Frame{V: 1, Type: TypeReplayComplete}, "%v", st.frames)
		}},
		{"EVENTBUS-REPLAY-010", "later: a replay ends before the sum of its sizes exceeds the budget, but has one event", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			all, allowed := e.wanted()
			if !ok || e.m.cfg.Dialect != Later || len(all) == 0 {
				return idle()
			}
			return unless(slices.Equal(ids(st.replayed), ids(all[:allowed])), "budget %d, %v: replayed %v", e.m.cfg.ReplayBudgetBytes, all, st.replayed)
		}},
		{"EVENTBUS-REPLAY-011", "later: prefix, resync, replay_complete", func(e *busEdge) (bool, error) {
			st, ok := e.stream()
			all, allowed := e.wanted()
			if !ok || allowed == len(all) {
				return idle()
			}
			n := len(st.frames)
			order := n >= 3 && st.frames[n-3].ID == all[allowed-1].ID && st.frames[n-2].Control.Reason == ReasonBudget && st.frames[n-1].Type == TypeReplayComplete
			return unless(order, "%v", st.frames)
		}},
	}
}
