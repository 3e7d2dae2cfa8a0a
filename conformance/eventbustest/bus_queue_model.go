package eventbustest

import (
	"fmt"
	"strconv"
	"strings"
)

// A queueModel is the queue of one subscription as the laws of QUEUE, WARN and EVICT tell it: a plain list, and sums over it. Its
// consumer never waits.
type queueModel struct {
	maxQueued, maxBytes int
	list                []queuedItem
	warned              bool
	end                 []any // what client_evicted measures, as Numbers takes it; nil while the queue is open
}

type queuedItem struct {
	token string
	live  bool
	size  int
}

// live returns the live frames in the list and their octets.
func (m *queueModel) live() (frames, octets int) {
	for _, i := range m.list {
		if i.live {
			frames++
			octets += i.size
		}
	}
	return frames, octets
}

// force appends a frame that no cap speaks of.
func (m *queueModel) force(token string) { m.list = append(m.list, queuedItem{token: token}) }

// publish appends a live frame, a warning behind it, or the end instead of it.
func (m *queueModel) publish(id int64, size int) {
	if m.end != nil {
		return
	}
	frames, octets := m.live()
	full := frames >= m.maxQueued
	if full || frames > 0 && octets+size > m.maxBytes {
		m.end = []any{"droppedAfter", id, "queueSize", frames, "maxQueued", m.maxQueued, "queuedBytes", octets, "maxQueuedBytes", m.maxBytes}
		if !full {
			m.end = append(m.end, "eventBytes", size)
		}
		m.force("client_evicted")
		return
	}
	m.list = append(m.list, queuedItem{strconv.FormatInt(id, 10), true, size})
	frames, octets = m.live()
	// The ratios 0.375 and 0.75 in whole numbers.
	if m.warned && 8*frames <= 3*m.maxQueued && 8*octets <= 3*m.maxBytes {
		m.warned = false
	}
	if !m.warned && (4*frames >= 3*m.maxQueued || 4*octets >= 3*m.maxBytes) {
		m.warned = true
		m.force("slow_client_warning")
	}
}

// take removes n frames and returns the line that handedItems has for them.
func (m *queueModel) take(n int) string {
	words := make([]string, 0, n+1)
	for _, i := range m.list[:min(n, len(m.list))] {
		words = append(words, i.token)
	}
	state := stateReady
	if n > len(m.list) {
		state = stateParked
		if m.end != nil {
			state = stateDone
		}
	}
	m.list = m.list[len(words):]
	return strings.Join(append(words, state), " ")
}

// filling returns a function that makes data with which an event of type plain, with an id of two digits, has a size.
func (b *busT) filling() func(octets int) string {
	probe := b.twoDigits(options{}).Publish(`{"p":""}`)
	b.Check(probe != nil, "", "an event is published", "an event", "none")
	bare := probe.Size()
	return func(octets int) string {
		b.Check(octets >= bare, "", "an event can be so small", fmt.Sprint("at most ", octets), fmt.Sprint(bare))
		return `{"p":"` + strings.Repeat("a", octets-bare) + `"}`
	}
}

// twoDigits returns a bus whose next event has id 10: up to 99 events of equal data have equal sizes.
func (b *busT) twoDigits(o options) *drivenBus {
	bus := b.New(o)
	bus.Burst(9)
	return bus
}

// A queueStory is a random run of one subscription, with what the model says of it.
type queueStory struct {
	lines [][2]string // what was taken: the model's line, then the target's
	items []handedItems
	end   *frame // the client_evicted that ended the run, nil if none came
	want  []any  // its numbers
}

// queueStory publishes events of mixed sizes in bursts to a consumer that takes some now and then and never waits, until it is
// evicted. With a replay it starts behind frames that do not count.
func (b *busT) queueStory(replay bool) queueStory {
	rand, data := b.Rand(), b.filling()
	m := &queueModel{maxQueued: 1 + rand.IntN(18), maxBytes: 600 + rand.IntN(6000)}
	bus := b.twoDigits(options{MaxQueuedBytes: m.maxBytes})
	var sub *drivenSub
	if replay {
		sub = bus.Subscribe(maxQueued(m.maxQueued), resumeAfter(5))
		for _, token := range []string{"6", "7", "8", "9", "replay_complete"} {
			m.force(token)
		}
	} else {
		sub = bus.Subscribe(maxQueued(m.maxQueued))
	}
	var s queueStory
	take := func(n int) {
		want, got := m.take(n), sub.Next(n)
		s.lines, s.items = append(s.lines, [2]string{want, got.String()}), append(s.items, got)
	}
	for id := int64(10); m.end == nil; {
		// From id 60 on nothing is taken, so that the queue overflows before the ids have three digits.
		if n := len(m.list); n > 0 && id < 60 && rand.IntN(2) == 0 {
			take(1 + rand.IntN(n))
			continue
		}
		var burst []string
		for range 1 + rand.IntN(4) {
			size := 100 + rand.IntN(600)
			burst = append(burst, data(size))
			m.publish(id, size)
			id++
		}
		bus.BurstOf(burst...)
	}
	take(len(m.list) + 1)
	s.want = m.end
	for _, got := range s.items {
		for _, f := range got.Of("client_evicted") {
			s.end = f
		}
	}
	return s
}

// expanded writes a line of handedItems with every run in full.
func expanded(line string) string { return strings.Join(tokens(line), " ") }
