package eventbustest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A busTwin is a bus as the laws tell it of ids, ring and replay: lists of words. Nobody is ever slow.
type busTwin struct {
	ringSize int
	last     int64
	ring     []int64
	closed   bool
	subs     [busSlots]twinSub
}

type twinSub struct {
	made, attached, left, cursor bool

	queue []string
	over  bool // nothing more is put into the queue
	open  bool // an ask waits, or has been answered and not been looked at
	given string
}

// publish implements EVENTBUS-RING-001, EVENTBUS-PUBLISH-002 and EVENTBUS-PUBLISH-006.
func (t *busTwin) publish(count int) {
	for range count {
		if t.closed {
			return
		}
		t.last++
		t.ring = append(t.ring, t.last)
		t.ring = t.ring[max(0, len(t.ring)-t.ringSize):]
		for i := range t.subs {
			switch s := &t.subs[i]; {
			case !s.attached:
			case s.open && s.given == "":
				s.given = strconv.FormatInt(t.last, 10)
			default:
				s.queue = append(s.queue, strconv.FormatInt(t.last, 10))
			}
		}
	}
}

// seed implements EVENTBUS-RING-006.
func (t *busTwin) seed(count int) {
	if !t.closed {
		t.last += int64(count)
		t.ring = nil
	}
}

// close implements EVENTBUS-CLOSE-001 and EVENTBUS-CLOSE-002.
func (t *busTwin) close() {
	t.closed = true
	for i := range t.subs {
		t.subs[i].end()
	}
}

func (s *twinSub) end() {
	s.attached, s.over = false, true
	if s.open && s.given == "" {
		s.given = stateDone
	}
}

// subscribe implements EVENTBUS-RESYNC-001, -005 to -008 and -012, EVENTBUS-REPLAY-001 and -002, EVENTBUS-SUBSCRIBE-002 and
// EVENTBUS-CLOSE-003.
func (t *busTwin) subscribe(m busMove, cursor int64) {
	s := twinSub{made: true, attached: !t.closed, over: t.closed, cursor: !m.Live}
	defer func() { t.subs[m.Sub] = s }()
	if t.closed || m.Live {
		return
	}
	earliest, from := t.last+1, cursor
	if len(t.ring) > 0 {
		earliest = t.ring[0]
	}
	tell := func(reason string) {
		s.queue = append(s.queue, fmt.Sprintf("%s(%d,%d)", reason, cursor, earliest))
	}
	switch {
	case m.Wrong, cursor > t.last:
		tell("epoch_reset")
		from = 0
	case len(t.ring) == 0 && cursor < t.last:
		tell("seeded_replay_not_in_ring")
	case earliest > cursor+1:
		tell("ring_evicted")
	}
	replayed := 0
	for _, id := range t.ring {
		if id > from {
			s.queue = append(s.queue, strconv.FormatInt(id, 10))
			replayed++
		}
	}
	s.queue = append(s.queue, fmt.Sprintf("replay_complete(%d)", replayed))
}

// take asks a subscription up to count times, as op next does.
func (t *busTwin) take(sub, count int) []string {
	var out []string
	s := &t.subs[sub]
	for count > 0 {
		if !s.open {
			s.open = true
			switch {
			case len(s.queue) > 0:
				s.given, s.queue = s.queue[0], s.queue[1:]
			case s.over:
				s.given = stateDone
			}
		}
		given := s.given
		if given == "" {
			return append(out, stateParked)
		}
		s.open, s.given = false, ""
		out = append(out, given)
		if given == stateDone {
			return out
		}
		count--
	}
	return append(out, stateReady)
}

// abort implements EVENTBUS-ABORT-001. What is buffered when the bus closes outlives it (EVENTBUS-CLOSE-005).
func (t *busTwin) abort(sub int) {
	if t.subs[sub].attached {
		t.subs[sub].queue = nil
		t.subs[sub].end()
	}
}

// leave implements EVENTBUS-ABORT-005. What asks give after it is open (EVENTBUS-ABORT-006).
func (t *busTwin) leave(sub int) {
	t.subs[sub].end()
	t.subs[sub].left = true
}

func (t *busTwin) attached() int {
	n := 0
	for _, s := range t.subs {
		if s.attached {
			n++
		}
	}
	return n
}

// twinLaws are the laws that blame and counts may name.
func twinLaws() []string {
	return []string{
		"EVENTBUS-ID-001", "EVENTBUS-SUBSCRIBE-007", "EVENTBUS-RESYNC-001", "EVENTBUS-RESYNC-005", "EVENTBUS-RESYNC-012", "EVENTBUS-REPLAY-002",
		"EVENTBUS-REPLAY-003", "EVENTBUS-REPLAY-008", "EVENTBUS-PUBLISH-006", "EVENTBUS-QUEUE-001", "EVENTBUS-WARN-001", "EVENTBUS-ABORT-001", "EVENTBUS-CLOSE-001",
	}
}

// blame names the law by the first word in which the lines differ.
func (t *busTwin) blame(sub int, want, seen []string) string {
	at := 0
	for at < len(want) && at < len(seen) && want[at] == seen[at] {
		at++
	}
	var words []string
	for _, line := range [][]string{seen, want} {
		if at < len(line) {
			word, _, _ := strings.Cut(line[at], "(")
			words = append(words, word)
		}
	}
	for _, rule := range [][2]string{
		{"client_evicted", "EVENTBUS-QUEUE-001"},
		{"slow_client_warning", "EVENTBUS-WARN-001"},
		{"seeded_replay_not_in_ring", "EVENTBUS-RESYNC-012"},
		{"epoch_reset", "EVENTBUS-RESYNC-005"},
		{"ring_evicted", "EVENTBUS-RESYNC-001"},
	} {
		if slices.Contains(words, rule[0]) {
			return rule[1]
		}
	}
	switch {
	case len(words) == 2 && words[0] == "replay_complete" && words[0] == words[1]:
		return "EVENTBUS-REPLAY-003"
	case slices.Contains(words, "replay_complete"):
		return "EVENTBUS-REPLAY-002"
	case slices.ContainsFunc(words, func(w string) bool { return w[0] >= '0' && w[0] <= '9' }) && t.subs[sub].cursor:
		return "EVENTBUS-REPLAY-008"
	case slices.Contains(words, stateDone) && t.closed:
		return "EVENTBUS-CLOSE-001"
	case slices.Contains(words, stateDone):
		return "EVENTBUS-ABORT-001"
	}
	return "EVENTBUS-PUBLISH-006"
}

// twinWords words items as the list does.
func twinWords(got handedItems) []string {
	var out []string
	for _, f := range got.Frames {
		switch f.Type() {
		case "state_resync_required":
			out = append(out, fmt.Sprintf("%s(%d,%d)", f.Token(), f.DataInt("lastDeliveredId"), f.DataInt("earliestAvailableId")))
		case "replay_complete":
			out = append(out, fmt.Sprintf("replay_complete(%d)", f.DataInt("replayedCount")))
		default:
			out = append(out, f.Token())
		}
	}
	return append(out, got.State)
}
