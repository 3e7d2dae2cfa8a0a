package engine

import (
	"container/heap"
	"time"
)

// sweepEvery is how often what has outlived the horizon is removed from the store.
const sweepEvery = time.Hour

// Next returns when the next Tick is due, if one is. It may be in the past.
func (e *Engine) Next() (time.Time, bool) {
	var first time.Time
	if len(e.timers) > 0 {
		first = e.timers[0].due
	}
	if e.cfg.Store != nil {
		if due := e.swept.Add(sweepEvery); first.IsZero() || due.Before(first) {
			first = due
		}
	}
	if first.IsZero() {
		return time.Time{}, false
	}
	if first.Before(e.hold) {
		first = e.hold
	}
	return first, true
}

// Tick says what time it is. What is due by then is done, each thing once.
func (e *Engine) Tick(now time.Time) {
	if due, ok := e.Next(); ok && !now.Before(due) {
		_ = e.do(input{what: inTick, at: now})
	}
}

func (e *Engine) tick(now time.Time) {
	var due []*object
	for len(e.timers) > 0 && !now.Before(e.timers[0].due) {
		o, _ := heap.Pop(&e.timers).(*object)
		o.due = time.Time{}
		if !o.stale {
			o.stale = true
			e.stale = append(e.stale, o)
		}
		due = append(due, o)
	}
	for _, o := range due {
		e.tickHead(now, o)
		e.tickGap(now, o)
		e.tickFeed(now, o)
		e.tickChain(now, o)
	}
	e.tickTombstones(now)
	if e.cfg.Store != nil && !now.Before(e.swept.Add(sweepEvery)) {
		e.sweep(now)
	}
}

// sweep removes what has outlived the horizon (SUBSTRATE-DEDUPE-002, SUBSTRATE-DEDUPE-003). If there is more than is removed at once, or
// the store fails, the rest waits.
func (e *Engine) sweep(now time.Time) {
	e.swept = now
	if n, err := e.expireStore(); err != nil || n >= sweep {
		e.swept = now.Add(storeRetry - sweepEvery)
	}
	for _, o := range e.objects {
		if o.rec != nil && outlived(now, o.rec.Ended) {
			o.rec = nil
			if !o.stale {
				o.stale = true
				e.stale = append(e.stale, o)
			}
		}
	}
}
