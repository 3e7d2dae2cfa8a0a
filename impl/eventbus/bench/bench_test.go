package bench

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/eventbus"
)

const (
	eventSize = 263 // octets of a whole event
	turn      = 100 // publications between two turns of the consumers
)

// rig is a bus with its ring full and its subscribers attached.
type rig struct {
	bus  *eventbus.Bus
	in   eventbus.Input
	subs []*eventbus.Subscription
	room []*eventbus.Event
	open func()
}

// newRig returns a rig whose events carry an encoded payload, or a value to be encoded by the bus. Without drain, caps are
// never reached.
func newRig(tb testing.TB, ring, subs int, encoded, drain bool) *rig {
	c := eventbus.Config{Dialect: eventbus.Later, RingSize: ring}
	o := eventbus.Options{}
	if !drain {
		c.MaxQueuedBytes, o.MaxQueued = 1<<53-1, math.MaxInt
	}
	bus, err := eventbus.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	r := &rig{bus: bus, room: make([]*eventbus.Event, 64)}
	text := strings.Repeat("x", textFor(eventSize))
	payload, err := eventbus.Raw([]byte(payloadText(text)))
	if err != nil {
		tb.Fatal(err)
	}
	r.in = eventbus.Input{Type: "session_update", Data: payload}
	for range ring {
		bus.Publish(r.in)
	}
	if !encoded {
		value := updateOf(text)
		r.in = eventbus.Input{Type: "session_update", Value: &value}
	}
	r.open = func() {
		for _, s := range r.subs {
			s.Abort()
		}
		r.subs = r.subs[:0]
		for range subs {
			s, err := bus.Subscribe(context.Background(), o)
			if err != nil {
				tb.Fatal(err)
			}
			r.subs = append(r.subs, s)
		}
	}
	r.open()
	tb.Cleanup(bus.Close)
	return r
}

// turns publishes n times, and lets every consumer take what there is after each turn.
func (r *rig) turns(n int, drain, byRun bool) (delivered int64) {
	for i := range n {
		r.bus.Publish(r.in)
		if !drain || i%turn != turn-1 {
			continue
		}
		for _, s := range r.subs {
			if byRun {
				for k := s.Take(r.room); k > 0; k = s.Take(r.room) {
					delivered += int64(k)
				}
				continue
			}
			for e, ok := s.TryNext(); ok; e, ok = s.TryNext() {
				delivered += min(e.ID, 1)
			}
		}
	}
	return delivered
}

func (r *rig) measure(tb testing.TB, drain, byRun bool, d time.Duration) measured {
	worked, start := cpu(), time.Now()
	var m measured
	for time.Since(start) < d {
		m.Delivered += r.turns(10*turn, drain, byRun)
		m.Published += 10 * turn
	}
	m = m.clocked(start, worked)
	if drain && m.Delivered != m.Published*int64(len(r.subs)) {
		tb.Fatalf("%d deliveries of %d events to %d subscribers", m.Delivered, m.Published, len(r.subs))
	}
	if !drain {
		r.open()
	}
	if got := r.bus.SubscriberCount(); got != len(r.subs) {
		tb.Fatalf("%d subscribers are left of %d", got, len(r.subs))
	}
	return m
}

// crowd is a rig whose consumers are goroutines that wait.
type crowd struct {
	*rig
	tally
	all   sync.WaitGroup
	group []eventbus.Input
}

func newCrowd(tb testing.TB, subs int) *crowd {
	r := newRig(tb, 8000, 0, true, false)
	c := &crowd{rig: r, tally: tally{reached: make(chan struct{}, 1)}}
	for range turn {
		c.group = append(c.group, r.in)
	}
	for range subs {
		s, err := r.bus.Subscribe(context.Background(), eventbus.Options{MaxQueued: 1 << 20})
		if err != nil {
			tb.Fatal(err)
		}
		r.subs = append(r.subs, s)
		c.all.Go(func() {
			room := make([]*eventbus.Event, 64)
			for {
				e, err := s.Next(context.Background())
				if err != nil {
					return
				}
				n := min(e.ID, 1)
				for k := s.Take(room); k > 0; k = s.Take(room) {
					n += int64(k)
				}
				c.add(n)
			}
		})
	}
	tb.Cleanup(func() { r.bus.Close(); c.all.Wait() })
	return c
}

// measure publishes in batches, and waits after each until all of it was received.
func (c *crowd) measure(batch int, grouped bool, d time.Duration) measured {
	before, worked, start := c.received.Load(), cpu(), time.Now()
	var m measured
	for time.Since(start) < d {
		wait := c.expect(int64(batch * len(c.subs)))
		for i := 0; i < batch; {
			if grouped {
				c.bus.PublishAll(c.group)
				i += len(c.group)
			} else {
				c.bus.Publish(c.in)
				i++
			}
		}
		m.Published += int64(batch)
		wait()
	}
	m.Delivered = c.received.Load() - before
	return m.clocked(start, worked)
}

// BenchmarkPublish measures one publication, with its share of the deliveries.
func BenchmarkPublish(b *testing.B) {
	for _, c := range []struct {
		ring, subs     int
		encoded, byRun bool
	}{
		{8000, 0, true, false},
		{8000, 1, true, false},
		{8000, 16, true, false},
		{8000, 64, true, false},
		{8000, 64, true, true},
		{1_000_000, 0, true, false},
		{1_000_000, 64, true, false},
		{8000, 0, false, false},
		{8000, 64, false, false},
	} {
		b.Run(fmt.Sprintf("ring=%d/subs=%d/encoded=%v/run=%v", c.ring, c.subs, c.encoded, c.byRun), func(b *testing.B) {
			r := newRig(b, c.ring, c.subs, c.encoded, true)
			b.ReportAllocs()
			b.ResetTimer()
			r.turns(b.N, true, c.byRun)
		})
	}
}

// BenchmarkSubscribe measures a resumption on a full ring, and leaving it.
func BenchmarkSubscribe(b *testing.B) {
	for _, ring := range []int{8000, eventbus.MaxRingSize} {
		b.Run(fmt.Sprintf("ring=%d", ring), func(b *testing.B) {
			r := newRig(b, ring, 0, true, true)
			b.ReportAllocs()
			for b.Loop() {
				s, err := r.bus.Subscribe(context.Background(), eventbus.Options{After: eventbus.After(0)})
				if err != nil {
					b.Fatal(err)
				}
				s.Abort()
			}
		})
	}
}

// row is one line of the table of ratios: the same work by us and by the original.
type row struct {
	name                  string
	ring, subs            int
	encoded, drain, byRun bool
	goal                  float64
}

// BenchmarkRatios compares with the bus of the npm package and with an embedded NATS server, in rounds in which all take
// turns, and logs medians of the ratios. The npm package is left out if it is not installed. Run it with -benchtime=11x, on
// a machine that has nothing else to do.
//
// The rows encoded, json, undrained and million count publications. Those of nats count deliveries, on the consumers' side,
// of the same payload, in one process, with no limits on either side, in batches of which the next begins when the last was
// received: nats/n by Publish to n goroutines that wait in Next and then drain by Take, against callbacks of n connections;
// nats/n/all the same by PublishAll; nats/n/turns by Publish, with consumers that take turns with the publisher on its own
// goroutine. The large rings are gone by then, so that neither side is charged with what the collector does for them.
//
// With one subscriber the publisher is what takes the time. About a quarter of a Publish is one reading of the clock, another
// the event's memory with what the collector does for it, a fifth the lock and the announcement: all of them are once an
// event with Publish, and but the memory once a group with PublishAll.
func BenchmarkRatios(b *testing.B) {
	const slice = 50 * time.Millisecond
	rows := []row{
		{"encoded/0", 8000, 0, true, true, false, 10},
		{"encoded/1", 8000, 1, true, true, false, 10},
		{"encoded/16", 8000, 16, true, true, false, 30},
		{"encoded/64", 8000, 64, true, true, false, 40},
		{"encoded/64/run", 8000, 64, true, true, true, 40},
		{"json/0", 8000, 0, false, true, false, 1.7},
		{"json/1", 8000, 1, false, true, false, 1.7},
		{"json/16", 8000, 16, false, true, false, 7},
		{"json/64", 8000, 64, false, true, false, 15},
		{"undrained/1", 8000, 1, true, false, false, 0},
		{"undrained/16", 8000, 16, true, false, false, 0},
		{"undrained/64", 8000, 64, true, false, false, 0},
		{"million/0", 1_000_000, 0, true, true, false, 500},
		{"million/64", 1_000_000, 64, true, true, false, 500},
	}
	var peer *original
	if bundle := originalBundle(b); bundle != "" {
		peer = startOriginal(b, bundle, textFor(eventSize))
	} else {
		b.Log("the npm package is not installed: name its folder in ASSAY_QWEN_DIR")
	}
	rigs := make([]*rig, len(rows))
	for i, r := range rows {
		rigs[i] = newRig(b, r.ring, r.subs, r.encoded, r.drain)
	}
	counts := []int{1, 16, 64}
	goals := map[int]float64{1: 15, 16: 30, 64: 30}
	brokers, crowds := make(map[int]*broker), make(map[int]*crowd)
	for _, n := range counts {
		brokers[n], crowds[n] = startBroker(b, n), newCrowd(b, n)
	}
	ours, theirs := make(map[string][]rate), make(map[string][]rate)
	note := func(all map[string][]rate, name string, count int64, m measured) {
		const thousands = 1e6 // a second
		all[name] = append(all[name], rate{float64(count) / float64(m.NS) * thousands, float64(count) / float64(m.CPU) * thousands})
	}
	rounds := 0
	for b.Loop() {
		rounds++
		for i, r := range rows {
			m := rigs[i].measure(b, r.drain, r.byRun, slice)
			note(ours, r.name, m.Published, m)
			if peer != nil {
				m = peer.measure(b, r.ring, r.subs, r.drain, slice)
				note(theirs, r.name, m.Published, m)
			}
		}
	}
	for i, r := range rows {
		if r.ring > 8000 {
			rigs[i].bus.Close()
		}
	}
	runtime.GC()
	for range rounds {
		for _, n := range counts {
			const batch = 2000
			name := fmt.Sprintf("nats/%d", n)
			m := brokers[n].measure(b, bodyOf(eventSize), batch, slice)
			note(theirs, name, m.Delivered, m)
			m = crowds[n].measure(batch, false, slice)
			note(ours, name, m.Delivered, m)
			m = crowds[n].measure(batch, true, slice)
			note(ours, name+"/all", m.Delivered, m)
			m = rigs[slices.IndexFunc(rows, func(r row) bool { return r.subs == n && r.encoded })].measure(b, true, true, slice)
			note(ours, name+"/turns", m.Delivered, m)
		}
	}
	// Not by way of the log, which a benchmark cuts after ten lines.
	table := fmt.Sprintf("\n%-16s %10s %10s %8s %-18s %8s goal", "thousands/s", "ours", "theirs", "ratio", "", "by CPU")
	line := func(name string, goal float64, ours, theirs []rate) {
		if len(theirs) == 0 {
			table += fmt.Sprintf("\n%-16s %10.1f", name, middle(clocks(ours)))
			return
		}
		var ratios, work []float64
		for i := range ours {
			ratios = append(ratios, ours[i].clock/theirs[i].clock)
			work = append(work, ours[i].cpu/theirs[i].cpu)
		}
		b.ReportMetric(middle(ratios), name)
		spread := fmt.Sprintf("[%.2f-%.2f]", slices.Min(ratios), slices.Max(ratios))
		table += fmt.Sprintf("\n%-16s %10.1f %10.1f %8.2f %-18s %8.2f %v",
			name, middle(clocks(ours)), middle(clocks(theirs)), middle(ratios), spread, middle(work), goal)
	}
	for _, r := range rows {
		line(r.name, r.goal, ours[r.name], theirs[r.name])
	}
	for _, n := range counts {
		name := fmt.Sprintf("nats/%d", n)
		line(name, goals[n], ours[name], theirs[name])
		line(name+"/all", goals[n], ours[name+"/all"], theirs[name])
		line(name+"/turns", goals[n], ours[name+"/turns"], theirs[name])
	}
	line("million/8000", 0.6, ours["million/0"], ours["encoded/0"])
	_, _ = fmt.Fprintln(os.Stderr, table)
	b.ReportMetric(0, "ns/op")
}

// rate is how many a second of the clock, and a second of processors. The second says more on a machine that is busy.
type rate struct{ clock, cpu float64 }

func clocks(rates []rate) (all []float64) {
	for _, r := range rates {
		all = append(all, r.clock)
	}
	return all
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
