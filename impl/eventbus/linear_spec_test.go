package eventbus_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/anishathalye/porcupine"
)

// call is one operation on a bus: what was asked, and what came back.
type call struct {
	op     string // publish seed subscribe try next abort return close count last
	sub    int    // the subscription it is about
	cursor int64  // of subscribe; -1: none
	cap    int    // of subscribe
}

// reply is the id, the count, or the frame; "" if there is none and "end" at the end.
type reply struct {
	n     int64
	frame string
}

// spec is the state of a bus, told in one sentence for each law. States are never changed, only replaced.
type spec struct {
	ring, limit int
	next        int64
	stored      []int64
	closed      bool
	subs        map[int]specSub
}

type specSub struct {
	cap      int
	buf      []string // frames; those that start with "#" count as live
	warned   bool
	attached bool
}

func (s specSub) live() (n int) {
	for _, f := range s.buf {
		if f[0] == '#' {
			n++
		}
	}
	return n
}

func frameOf(kind, data string) string { return kind + " {" + data + "}" }

// step returns what call may reply in state s, and the state after it. waits: a call that is not possible yet.
func (s spec) step(c call) (r reply, after spec, waits bool) {
	s.subs = maps.Clone(s.subs)
	switch c.op {
	case "publish":
		if s.closed {
			return reply{}, s, false
		}
		r.n = s.next
		s.next++
		if s.stored = append(slices.Clone(s.stored), r.n); len(s.stored) > s.ring {
			s.stored = s.stored[1:]
		}
		for k, sub := range s.subs {
			if sub.attached {
				s.subs[k] = sub.offered(r.n)
			}
		}
	case "subscribe":
		switch {
		case s.closed:
			s.subs[c.sub] = specSub{}
		case s.attached() >= s.limit:
			r.frame = "limit"
		default:
			s.subs[c.sub] = specSub{cap: c.cap, attached: true, buf: s.replay(c.cursor)}
		}
	case "try", "next":
		sub := s.subs[c.sub]
		switch {
		case len(sub.buf) > 0:
			r.frame = sub.buf[0]
			sub.buf = sub.buf[1:]
			s.subs[c.sub] = sub
		case c.op == "next" && sub.attached:
			return r, s, true
		case c.op == "next":
			r.frame = "end"
		}
	case "abort":
		if sub := s.subs[c.sub]; sub.attached {
			s.subs[c.sub] = specSub{}
		}
	case "return":
		sub := s.subs[c.sub]
		sub.attached = false
		s.subs[c.sub] = sub
	case "close":
		s.closed = true
		for k, sub := range s.subs {
			sub.attached = false
			s.subs[k] = sub
		}
	case "count":
		r.n = int64(s.attached())
	case "last":
		r.n = s.next - 1
	}
	return r, s, false
}

func (s spec) attached() (n int) {
	for _, sub := range s.subs {
		if sub.attached {
			n++
		}
	}
	return n
}

func (s spec) replay(cursor int64) (buf []string) {
	if cursor < 0 {
		return nil
	}
	earliest := s.next
	if len(s.stored) > 0 {
		earliest = s.stored[0]
	}
	reason := ""
	if cursor >= s.next {
		reason = "epoch_reset"
	} else if len(s.stored) > 0 && earliest > cursor+1 {
		reason = "ring_evicted"
	}
	if reason != "" {
		buf = append(buf, frameOf("state_resync_required",
			fmt.Sprintf(`"reason":%q,"lastDeliveredId":%d,"earliestAvailableId":%d`, reason, cursor, earliest)))
	}
	count, last := 0, int64(0)
	for _, id := range s.stored {
		if reason == "epoch_reset" || id > cursor {
			buf = append(buf, fmt.Sprint("=", id))
			count, last = count+1, id
		}
	}
	data := fmt.Sprintf(`"replayedCount":%d`, count)
	if count > 0 {
		data += fmt.Sprintf(`,"lastReplayedEventId":%d,"lastEventId":%d`, last, last)
	}
	return append(buf, frameOf("replay_complete", data))
}

// offered returns the subscription after event id was published to it.
func (s specSub) offered(id int64) specSub {
	s.buf = slices.Clone(s.buf)
	live := s.live()
	if live >= s.cap {
		s.buf = append(s.buf, frameOf("client_evicted", fmt.Sprintf(`"reason":"queue_overflow","droppedAfter":%d,"queueSize":%d`, id, live)))
		s.attached = false
		return s
	}
	s.buf = append(s.buf, fmt.Sprint("#", id))
	live++
	if 8*live <= 3*s.cap {
		s.warned = false
	}
	if !s.warned && 4*live >= 3*s.cap {
		s.warned = true
		s.buf = append(s.buf, frameOf("slow_client_warning", fmt.Sprintf(`"queueSize":%d,"maxQueued":%d,"lastEventId":%d`, live, s.cap, id)))
	}
	return s
}

func (s spec) equal(o spec) bool {
	return s.next == o.next && s.closed == o.closed && slices.Equal(s.stored, o.stored) &&
		maps.EqualFunc(s.subs, o.subs, func(x, y specSub) bool {
			return x.cap == y.cap && x.warned == y.warned && x.attached == y.attached && slices.Equal(x.buf, y.buf)
		})
}

// sequential is the model that a history must have an order for.
func sequential(ring, limit int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return spec{ring: ring, limit: limit, next: 1, subs: map[int]specSub{}} },
		Step: func(state, input, output any) (bool, any) {
			want, after, waits := state.(spec).step(input.(call))
			got := output.(reply)
			if len(want.frame) > 0 && (want.frame[0] == '#' || want.frame[0] == '=') {
				want.frame = want.frame[1:]
			}
			return !waits && got == want, after
		},
		Equal: func(x, y any) bool { return x.(spec).equal(y.(spec)) },
		DescribeOperation: func(input, output any) string {
			return fmt.Sprintf("%+v -> %+v", input, output)
		},
	}
}
