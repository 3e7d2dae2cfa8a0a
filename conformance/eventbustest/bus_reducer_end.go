package eventbustest

import (
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// terminals are the frames that end a view; those of the session come last.
var terminals = []reducerSample{
	{"client_evicted", `{"reason":"queue_overflow","droppedAfter":5,"queueSize":16,"maxQueued":16}`},
	{"stream_error", `{"error":"gone"}`},
	{"session_died", `{"sessionId":"s","reason":"channel_closed"}`},
	{"session_closed", `{"sessionId":"s","reason":"client_close"}`},
}

// busReducerEndCases are about the frames that end a view.
func busReducerEndCases() []conformance.Case {
	return []conformance.Case{
		{
			ID:       "eventbus/reducer/terminal/ends-the-view",
			Title:    "each terminal frame on a view with a pending permission",
			Laws:     []string{"EVENTBUS-REDUCER-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, s := range terminals {
					views := b.Reduce(pendingEvent, s.event())
					b.Check(!sameJSON(views[0].Get("pendingPermissions"), views[1].Get("pendingPermissions")), "", "a permission is pending", "one", string(views[1].Get("pendingPermissions")))
					b.ended(s, views[0], views[2])
				}
			}),
		},
		{
			ID:       "eventbus/reducer/terminal/ends-a-view-that-awaits",
			Title:    "each terminal frame while a resync is awaited",
			Laws:     []string{"EVENTBUS-REDUCER-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, s := range terminals {
					views := b.Reduce(pendingEvent, resyncEvent, s.event())
					b.ended(s, views[0], views[3])
				}
			}),
		},
		{
			ID:       "eventbus/reducer/terminal/nothing-revives",
			Title:    "frames behind a terminal one",
			Laws:     []string{"EVENTBUS-REDUCER-005"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for _, s := range terminals {
					events := []string{s.event(), completeEvent, resyncEvent, `{"id":9,"v":1,"type":"session_update","data":{"sessionId":"s"}}`, unknownEvent}
					for i, view := range b.Reduce(events...)[1:] {
						b.Same("EVENTBUS-REDUCER-005", fmt.Sprintf("%s ended it, %d frames ago", s.kind, i), "false", view.Get("alive"))
					}
				}
			}),
		},
		{
			ID:       "eventbus/reducer/terminal/all-pairs",
			Title:    "each terminal frame behind each",
			Laws:     []string{"EVENTBUS-REDUCER-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for i, first := range terminals {
					for j, second := range terminals {
						want := first
						if i < 2 && j >= 2 {
							want = second
						}
						views := b.Reduce(first.event(), second.event())
						b.Same("EVENTBUS-REDUCER-006", first.kind+", then "+second.kind, want.event(), views[2].Get("terminalEvent"))
					}
				}
			}),
		},
		{
			ID:       "eventbus/reducer/terminal/session-outranks-stream",
			Title:    "rows of terminal frames, with and without a resync between",
			Laws:     []string{"EVENTBUS-REDUCER-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				evicted, failed, died, closed := terminals[0].event(), terminals[1].event(), terminals[2].event(), terminals[3].event()
				for _, c := range []struct {
					want   string
					events []string
				}{
					{died, []string{evicted, failed, died, closed, evicted}},
					{closed, []string{failed, closed, died, failed}},
					{evicted, []string{evicted, failed, resyncEvent, failed, evicted}},
					{closed, []string{evicted, resyncEvent, closed, died}},
					{died, []string{resyncEvent, died, evicted, closed}},
				} {
					views := b.Reduce(c.events...)
					b.Same("EVENTBUS-REDUCER-006", fmt.Sprintf("the first of the session, else the first of the stream: %v", c.events), c.want, views[len(views)-1].Get("terminalEvent"))
				}
			}),
		},
		{
			ID:       "eventbus/reducer/terminal/same-kind-keeps-the-first",
			Title:    "two frames of one terminal type with different data",
			Laws:     []string{"EVENTBUS-REDUCER-006"},
			Versions: bothDialects,
			Run: onBus(func(b *busT) {
				for first, second := range map[string]string{
					`{"v":1,"type":"client_evicted","data":{"reason":"queue_overflow"}}`:               `{"v":1,"type":"client_evicted","data":{"reason":"queue_bytes_overflow"}}`,
					`{"v":1,"type":"session_closed","data":{"sessionId":"s","reason":"client_close"}}`: `{"v":1,"type":"session_closed","data":{"sessionId":"s","reason":"idle"}}`,
					`{"id":7,"v":1,"type":"session_died","data":{"sessionId":"s","reason":"exit"}}`:    `{"id":8,"v":1,"type":"session_died","data":{"sessionId":"s","reason":"again"}}`,
					`{"v":1,"type":"stream_error","data":{"error":"one"}}`:                             `{"v":1,"type":"stream_error","data":{"error":"two"}}`,
				} {
					b.Same("EVENTBUS-REDUCER-006", "the first is kept", first, b.Reduce(first, second)[2].Get("terminalEvent"))
				}
			}),
		},
	}
}

// ended judges a view behind a terminal frame.
func (b *busT) ended(s reducerSample, fresh, view *frame) {
	b.Same("EVENTBUS-REDUCER-005", s.kind+" ends it", "false", view.Get("alive"))
	b.Same("EVENTBUS-REDUCER-005", s.kind+" is recorded", s.event(), view.Get("terminalEvent"))
	b.Same("EVENTBUS-REDUCER-005", s.kind+" clears what is pending", string(fresh.Get("pendingPermissions")), view.Get("pendingPermissions"))
}
