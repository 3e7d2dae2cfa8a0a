package substrate_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/observe"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
	"github.com/seed-6f28358b/assay/impl/substrate/wire"
)

var clockRounds = flag.Int("clock-rounds", 2, "how many exchanges go on while the wall clocks of both sides jump")

const (
	clockObjects = 3
	day          = 24 * time.Hour
	// horizon and sendHorizon are those of the laws, in milliseconds of the wall clock (SUBSTRATE-DEDUPE-003, SUBSTRATE-OUTBOX-008).
	horizon     = 604_800_000
	sendHorizon = 601_200_000
)

// stepped returns t with another wall clock and the same monotonic one, as [time.Now] does after somebody has set the clock. Package time
// has no way to make such a time, so that this is done in its octets, and looked at.
func stepped(tb testing.TB, t time.Time, d time.Duration) time.Time {
	tb.Helper()
	const secondsAt = 30 // of the first word, above the nanoseconds
	x := t
	*(*uint64)(unsafe.Pointer(&x)) += uint64(int64(d/time.Second)) << secondsAt
	if x.Sub(t) != 0 || x.UnixMilli()-t.UnixMilli() != d.Milliseconds() {
		tb.Skipf("this Go keeps a time in another way: a step of %v makes %v of %v", d, x, t)
	}
	return x
}

// A clockSide is one of two engines over SQLite files, with a wall clock of its own.
type clockSide struct {
	w       *clockWorld
	name    string
	peer    *clockSide
	path    string
	st      *sqlite.Store
	eng     *engine.Engine
	metrics observe.InMemory
	off     time.Duration // of its wall clock from the true one

	out     [][]byte // on its way to the peer
	next    map[string]int
	body    map[string]string // of its sends, by id
	first   map[string]int64  // when an op was first sent, by its wall clock
	acked   map[string]bool
	expired map[string]bool

	got    map[string]bool  // ids of the peer's sends that came
	last   map[string]int   // number of the latest that came, by object
	known  map[string]int64 // when the entry of an id says that it was committed
	purged map[string]bool  // ids whose entries are gone
	again  int              // ops that came twice, as their entries were gone
}

// A clockWorld is two sides, what is true of time, and the network.
type clockWorld struct {
	t     *testing.T
	r     *rand.Rand
	now   time.Time // with a monotonic reading
	a, b  *clockSide
	link  string
	conns int
	jumps int
	trace []string
}

func (w *clockWorld) note(format string, a ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, a...))
}

func (w *clockWorld) fail(format string, a ...any) {
	w.t.Helper()
	w.t.Fatalf(format+"\n%s", append(a, strings.Join(w.trace[max(0, len(w.trace)-40):], "\n"))...)
}

func newClockWorld(t *testing.T, r *rand.Rand) *clockWorld {
	t.Helper()
	w := &clockWorld{t: t, r: r, now: time.Now()}
	w.a, w.b = w.side("a"), w.side("b")
	w.a.peer, w.b.peer = w.b, w.a
	w.a.begin()
	w.b.begin()
	w.connect()
	for i := range clockObjects {
		_, err := w.a.eng.Open(w.a.now(), wire.Session, fmt.Sprint("o", i), nil)
		must(t, err)
		w.a.settle()
	}
	w.pump()
	return w
}

func (w *clockWorld) side(name string) *clockSide {
	s := &clockSide{
		w: w, name: name, path: filepath.Join(w.t.TempDir(), name), next: map[string]int{}, body: map[string]string{}, first: map[string]int64{},
		acked: map[string]bool{}, expired: map[string]bool{}, got: map[string]bool{}, last: map[string]int{}, known: map[string]int64{},
		purged: map[string]bool{},
	}
	w.t.Cleanup(func() { _ = s.st.Close() })
	return s
}

func (s *clockSide) now() time.Time { return stepped(s.w.t, s.w.now, s.off) }
func (s *clockSide) ms() int64      { return s.now().UnixMilli() }

// begin begins a process over what the one before has left.
func (s *clockSide) begin() {
	var err error
	s.st, err = sqlite.Open(s.path, sqlite.Options{})
	must(s.w.t, err)
	s.eng, err = engine.New(s.now(), engine.Config{
		Local: s.name, Remote: map[string]string{"a": "b", "b": "a"}[s.name], Store: s.st, Authorize: engine.AllowAll,
		Observe: observe.Bag{Metrics: &s.metrics},
	})
	must(s.w.t, err)
	s.perform()
}

// restart ends the process and begins another.
func (s *clockSide) restart() {
	s.w.note("%s restarts", s.name)
	s.w.drop()
	must(s.w.t, s.st.Close())
	s.begin()
}

func (w *clockWorld) connect() {
	if w.link != "" {
		return
	}
	w.conns++
	w.link = fmt.Sprint("c", w.conns)
	w.note("connected")
	w.a.eng.Connected(w.a.now(), engine.Conn{ID: w.link, Epoch: w.b.eng.Epoch()})
	w.b.eng.Connected(w.b.now(), engine.Conn{ID: w.link, Epoch: w.a.eng.Epoch()})
	w.a.settle()
	w.b.settle()
}

// drop loses the connection with all that is on it.
func (w *clockWorld) drop() {
	if w.link == "" {
		return
	}
	was := w.link
	w.link, w.a.out, w.b.out = "", nil, nil
	w.note("disconnected")
	for _, s := range []*clockSide{w.a, w.b} {
		s.eng.Disconnected(s.now(), was)
		s.settle()
	}
}

// settle commits and does what follows.
func (s *clockSide) settle() {
	must(s.w.t, s.eng.Commit(s.now(), nil))
	s.perform()
}

func (s *clockSide) perform() {
	for _, x := range s.eng.Take() {
		switch x := x.(type) {
		case engine.Transmit:
			s.transmit(&x)
		case engine.EndConn:
			s.w.note("%s ends the connection with %d", s.name, x.Code)
			s.w.drop()
		case engine.Deliver:
			s.deliver(x.Delivery)
		case engine.Settle:
			s.settled(&x)
		case engine.Event:
			if x.Name == observe.EventFutile {
				s.futile(x.ID, x.Code)
			}
		}
	}
}

// transmit sends a frame, unless the law forbids it.
func (s *clockSide) transmit(x *engine.Transmit) {
	w := s.w
	f, err := wire.Decode(x.Bytes)
	must(w.t, err)
	if len(f.Receipt) > 0 && f.Kind != wire.Ack {
		key := f.Kind + f.ID
		if at, sent := s.first[key]; !sent {
			s.first[key] = s.ms()
		} else if age := s.ms() - at; age >= sendHorizon {
			w.fail("%s sends %s %d ms after it was first sent (SUBSTRATE-OUTBOX-008)", s.name, f.ID, age)
		}
	}
	if x.Conn == w.link {
		s.out = append(s.out, x.Bytes)
	}
}

// deliver handles an op, and says whether it may come.
func (s *clockSide) deliver(d engine.Delivery) {
	w := s.w
	if d.Kind == wire.Open {
		must(w.t, s.eng.Accept(s.now(), d))
		s.settle()
		return
	}
	n, err := strconv.Atoi(string(d.Body))
	must(w.t, err)
	switch came := s.got[d.ID]; {
	case !came && n <= s.last[d.Obj]:
		w.fail("%s gets %d on %s after %d", s.name, n, d.Obj, s.last[d.Obj])
	case came && !d.Redelivered && !s.forgot(d.ID):
		w.fail("%s gets %s twice, and has not forgotten it (SUBSTRATE-DEDUPE-001)", s.name, d.ID)
	case came && !d.Redelivered:
		s.again++
	}
	s.got[d.ID], s.last[d.Obj] = true, max(n, s.last[d.Obj])
	must(w.t, s.eng.Handled(s.now(), d))
	s.settle()
}

// forgot reports whether the entry of an id is gone, or had to go by now.
func (s *clockSide) forgot(id string) bool {
	at, known := s.known[id]
	return s.purged[id] || known && s.ms()-at > horizon
}

// settled takes note of how a send ended, which it may only in two ways.
func (s *clockSide) settled(x *engine.Settle) {
	if x.Call.Kind != wire.Send {
		return
	}
	switch {
	case x.OK():
		s.acked[x.Call.ID] = true
	case x.Code != engine.Expired || !x.Unknown:
		s.w.fail("%s: %s ended with %+v", s.name, x.Call.ID, x)
	}
}

// futile takes note of what is given up, of this life or an earlier one.
func (s *clockSide) futile(id, code string) {
	at, sent := s.first[wire.Send+id]
	if age := s.ms() - at; code != engine.Expired || !sent || age < sendHorizon || s.expired[id] {
		s.w.fail("%s: %s is given up as %s after %d ms, sent: %t, before: %t (SUBSTRATE-OUTBOX-008)", s.name, id, code, age, sent, s.expired[id])
	}
	s.expired[id] = true
}

// ledger looks at what is remembered of the peer's sends: it is removed when it has to be, by the wall clock, and no sooner.
func (s *clockSide) ledger() {
	for id := range s.peer.body {
		x, there, err := s.st.Committed(s.peer.name, store.Key{Class: store.Op, ID: id})
		must(s.w.t, err)
		at, known := s.known[id]
		switch {
		case there:
			if known && !s.purged[id] && at != x.At.UnixMilli() && s.ms()-at <= horizon {
				s.w.fail("%s has committed %s anew (SUBSTRATE-DEDUPE-003)", s.name, id)
			}
			s.known[id], s.purged[id] = x.At.UnixMilli(), false
		case known && !s.purged[id]:
			if age := s.ms() - at; age <= horizon {
				s.w.fail("%s has forgotten %s after %d ms (SUBSTRATE-DEDUPE-003)", s.name, id, age)
			}
			s.purged[id] = true
		}
	}
}
