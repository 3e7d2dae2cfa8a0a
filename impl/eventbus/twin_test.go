package eventbus_test

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// twin is the bus as the laws tell it, with plain lists and sums: what the real one is compared with.
type twin struct {
	later       bool
	ring        int
	maxSubs     int
	maxBytes    int64
	budget      int64
	epoch       string
	next        int64
	stored      []twinEvent
	subs        []*twinSub
	closed      bool
	diagnostics []string
}

type twinEvent struct {
	id   int64
	json string // the whole frame
}

type twinEntry struct {
	json   string
	forced bool
	bytes  int64
}

type twinSub struct {
	bus       *twin
	max       int64
	buf       []twinEntry
	live      int64
	bytes     int64
	warned    bool
	closed    bool
	parked    int
	collected []string // what parked asks got; "done" at the end
}

func quote(s string) string {
	if !utf8.ValidString(s) {
		panic("the twin only knows UTF-8")
	}
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func synthetic(kind, data string) string {
	return fmt.Sprintf(`{"v":1,"type":"%s","data":{%s}}`, kind, data)
}

func (b *twin) publish(typ, data string, stamp int64) (int64, bool) {
	if b.closed {
		return 0, false
	}
	b.next++
	e := twinEvent{id: b.next - 1}
	e.json = fmt.Sprintf(`{"id":%d,"v":1,"type":%s,"data":%s,"_meta":{"serverTimestamp":%d}}`, e.id, quote(typ), data, stamp)
	b.stored = append(b.stored, e)
	if len(b.stored) > b.ring {
		b.stored = b.stored[1:]
	}
	for _, s := range append([]*twinSub(nil), b.subs...) {
		s.push(e)
	}
	return e.id, true
}

func (s *twinSub) push(e twinEvent) {
	b, size := s.bus, int64(len(e.json))
	if s.parked > 0 {
		s.parked--
		s.collected = append(s.collected, e.json)
		size = 0
	} else {
		reason := ""
		switch {
		case s.live >= s.max:
			reason = `"reason":"queue_overflow"`
		case s.live > 0 && s.bytes+size > b.maxBytes:
			reason = `"reason":"queue_bytes_overflow"`
		}
		if reason != "" {
			data := fmt.Sprintf(`%s,"droppedAfter":%d,"queueSize":%d,"maxQueued":%d,"queuedBytes":%d,"maxQueuedBytes":%d`,
				reason, e.id, s.live, s.max, s.bytes, b.maxBytes)
			if reason == `"reason":"queue_bytes_overflow"` {
				data += fmt.Sprintf(`,"eventBytes":%d`, size)
			}
			s.force(synthetic("client_evicted", data))
			b.diagnostics = append(b.diagnostics, "subscriber evicted {"+data+"}")
			s.leave()
			return
		}
		s.buf = append(s.buf, twinEntry{json: e.json, bytes: size})
		s.live++
		s.bytes += size
	}
	if s.warned && float64(s.live) <= 0.375*float64(s.max) && float64(s.bytes) <= 0.375*float64(b.maxBytes) {
		s.warned = false
	}
	frames, octets := float64(s.live) >= 0.75*float64(s.max), float64(s.bytes) >= 0.75*float64(b.maxBytes)
	if !s.warned && (frames || octets) {
		s.warned = true
		data := fmt.Sprintf(`"queueSize":%d,"maxQueued":%d,"lastEventId":%d`, s.live, s.max, e.id)
		if b.later {
			threshold := "frames"
			if octets && frames {
				threshold = "frames_and_bytes"
			} else if octets {
				threshold = "bytes"
			}
			data += fmt.Sprintf(`,"queuedBytes":%d,"maxQueuedBytes":%d,"threshold":%q`, s.bytes, b.maxBytes, threshold)
		}
		s.force(synthetic("slow_client_warning", data))
		b.diagnostics = append(b.diagnostics, "slow_client_warning {"+data+"}")
	}
}

func (s *twinSub) force(frame string) { s.buf = append(s.buf, twinEntry{json: frame, forced: true}) }

// leave closes the queue in draining mode and frees the slot.
func (s *twinSub) leave() {
	if s.closed {
		return
	}
	s.closed = true
	for ; s.parked > 0; s.parked-- {
		s.collected = append(s.collected, "done")
	}
	for i, other := range s.bus.subs {
		if other == s {
			s.bus.subs = append(append([]*twinSub(nil), s.bus.subs[:i]...), s.bus.subs[i+1:]...)
		}
	}
}

func (s *twinSub) abort() {
	if !s.closed {
		s.buf, s.live, s.bytes = nil, 0, 0
		s.leave()
	}
}

// take returns what is buffered first, "" if nothing is, and "done" at the end.
func (s *twinSub) take() string {
	if len(s.buf) == 0 {
		if s.closed {
			return "done"
		}
		return ""
	}
	e := s.buf[0]
	s.buf = s.buf[1:]
	if !e.forced {
		s.live--
		s.bytes -= e.bytes
	}
	return e.json
}

func (b *twin) close() {
	b.closed = true
	for len(b.subs) > 0 {
		b.subs[0].leave()
	}
}

func (b *twin) seed(n int) {
	if !b.closed && n > 0 {
		b.next += int64(n)
		b.stored = nil
	}
}

// subscribe returns nil if the limit is reached. A cursor below 0 is none.
func (b *twin) subscribe(cursor, maxQueued int64, epoch string) *twinSub {
	s := &twinSub{bus: b, max: maxQueued}
	if b.closed {
		s.closed = true
		return s
	}
	if len(b.subs) >= b.maxSubs {
		return nil
	}
	b.subs = append(b.subs, s)
	if cursor < 0 {
		return s
	}
	mismatch := b.later && epoch != "" && epoch != b.epoch
	reset := mismatch || cursor >= b.next
	earliest := b.next
	if len(b.stored) > 0 {
		earliest = b.stored[0].id
	}
	reason := ""
	switch {
	case mismatch:
		reason = `"epoch_reset","detail":"epoch_mismatch"`
	case reset:
		reason = `"epoch_reset"`
	case len(b.stored) == 0 && cursor < b.next-1:
		reason = `"seeded_replay_not_in_ring"`
	case len(b.stored) > 0 && earliest > cursor+1:
		reason = `"ring_evicted"`
	}
	if reason != "" {
		s.force(synthetic("state_resync_required",
			fmt.Sprintf(`"reason":%s,"lastDeliveredId":%d,"earliestAvailableId":%d`, reason, cursor, earliest)))
	}
	count, last, sum, cut := 0, int64(0), int64(0), int64(0)
	for _, e := range b.stored {
		if !reset && e.id <= cursor || cut > 0 {
			continue
		}
		if sum += int64(len(e.json)); b.later && sum > b.budget && count > 0 {
			cut = e.id
			continue
		}
		s.force(e.json)
		count, last = count+1, e.id
	}
	if cut > 0 {
		s.force(synthetic("state_resync_required",
			fmt.Sprintf(`"reason":"replay_budget_exceeded","lastDeliveredId":%d,"earliestAvailableId":%d`, last, cut)))
	}
	data := fmt.Sprintf(`"replayedCount":%d`, count)
	if count > 0 {
		data += fmt.Sprintf(`,"lastReplayedEventId":%d,"lastEventId":%d`, last, last)
	}
	s.force(synthetic("replay_complete", data))
	return s
}
