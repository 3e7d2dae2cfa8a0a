package substrate_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

var hostileFrames = flag.Int("hostile-frames", 3000, "how many frames a hostile peer sends")

const (
	// hostileNames is how many names the gate remembers here, so that a hostile peer reaches the limit.
	hostileNames = 4096
	// hostileAnswers is how many answers of an object may await their ack.
	hostileAnswers = 64
	// hostileHeap is how much the heap may grow, in octets, with what nobody uses collected. By the laws a peer can hold 16 MiB that are
	// ahead of their turn; besides come 4 MiB that are read and not judged, as much again on its way through the sockets, names and tombstones
	// at less than 1 KiB each, and the rows of answers that the peer does not ack.
	hostileHeap = 40 << 20
	// hostileGoroutines is how many there may be more than before: one for each object that is live, a handful for each connection.
	hostileGoroutines = 512
)

// heap returns the octets of what is in use.
func heap() uint64 {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// A neighbour is a peer that has nothing to do with the hostile one but the gate that both come to.
type neighbour struct {
	gate, good *substrate.Peer
	sent, told atomic.Int64 // acked: of the neighbour, of the gate
	ids        []string
	end        chan struct{}
	all        sync.WaitGroup
	errs       chan error
}

// exchange has both sides send numbers on an object of the neighbour until the end.
func (n *neighbour) exchange(ctx context.Context) {
	n.end, n.errs = make(chan struct{}), make(chan error, 2)
	run := func(o *substrate.Object, count *atomic.Int64, ids *[]string) error {
		for i := 0; ; i++ {
			select {
			case <-n.end:
				return nil
			default:
			}
			c, err := o.Enqueue(ctx, []byte(strconv.Itoa(i)))
			if err != nil {
				return err
			}
			if err := c.Wait(ctx); err != nil {
				return err
			}
			if ids != nil {
				*ids = append(*ids, c.ID())
			}
			count.Add(1)
		}
	}
	n.all.Go(func() { n.errs <- run(n.good.Object("o1"), &n.sent, &n.ids) })
	n.all.Go(func() { n.errs <- run(n.gate.Object("o1"), &n.told, nil) })
}

// A watch is what was seen while the hostile peer was at work.
type watch struct {
	before, high uint64 // octets of the heap
	idle, busy   int    // goroutines
}

// look takes a sample, and waits for the neighbour to have come further since the one before.
func (x *watch) look(t *testing.T, n *neighbour) {
	sent, told := n.sent.Load(), n.told.Load()
	x.high = max(x.high, heap())
	x.busy = max(x.busy, runtime.NumGoroutine())
	await(t, "the exchange of the neighbour goes on", func() bool { return n.sent.Load() > sent && n.told.Load() > told })
}

// SUBSTRATE-LIMIT-005, SUBSTRATE-LIMIT-006, SUBSTRATE-LIMIT-008, SUBSTRATE-RECONNECT-006, SUBSTRATE-STORE-005, SUBSTRATE-WIRE-006: whatever a peer sends, the
// gate holds no more for it than the laws say, another peer is served meanwhile and finds in both stores what it should, and nothing runs
// on afterwards.
func TestHostilePeer(t *testing.T) {
	running := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, running) })
	t.Logf("-fault-seed %d: %d hostile frames", *faultSeed, *hostileFrames)
	w := actual(t)
	dir := t.TempDir()
	var a, b record
	l := w.listen(hostileGate(t, dir, &b))
	d := config("good")
	d.Remote, d.Handler, d.DBPath = "gate", a.handler(t), filepath.Join(dir, "good")
	n := &neighbour{good: w.dial(d)}
	_, err := n.good.Open(t.Context(), substrate.Session, "o1", substrate.OpenOptions{})
	must(t, err)
	n.gate = l.Peer("good")
	n.exchange(t.Context())

	e := newAttacker(t, w.url)
	x := &watch{before: heap(), idle: runtime.NumGoroutine()}
	e.probe()
	e.hoard(func() { x.look(t, n) })
	e.provoke()
	for i := range 20 {
		e.attack((i + 1) * *hostileFrames / 20)
		x.look(t, n)
		if i%7 == 0 {
			e.hoard(func() { x.look(t, n) })
		}
	}
	e.leave()
	close(n.end)
	n.all.Wait()
	must(t, <-n.errs)
	must(t, <-n.errs)
	b.until(t, "all that was sent", func() bool { return len(b.bodys["o1"]) >= int(n.sent.Load()) })
	a.until(t, "all that was told", func() bool { return len(a.bodys["o1"]) >= int(n.told.Load()) })
	w.end()
	n.judge(t, dir, b.got("o1"), a.got("o1"))

	t.Logf("%d frames on %d connections, ended with %v; the heap grew by %.1f MiB at most, to %.1f, allowed are %d more; "+
		"%d goroutines at most, %d before; the neighbour exchanged %d and %d",
		e.sent, e.conns, e.codes(), float64(max(x.high, x.before)-x.before)/(1<<20), float64(x.high)/(1<<20), hostileHeap>>20,
		x.busy, x.idle, n.sent.Load(), n.told.Load())
	if x.high > x.before+hostileHeap {
		t.Errorf("the heap has grown from %d to %d octets, allowed are %d more", x.before, x.high, hostileHeap)
	}
	if x.busy > x.idle+hostileGoroutines {
		t.Errorf("there were %d goroutines, allowed are %d more than %d", x.busy, hostileGoroutines, x.idle)
	}
	e.judge(t)
}

// hostileGate is a gate that takes from everybody, and writes down what the neighbour sends.
func hostileGate(t *testing.T, dir string, b *record) substrate.Config {
	c := config("gate")
	c.DBPath, c.Limits = filepath.Join(dir, "gate"), engine.Limits{Names: hostileNames, Outbox: hostileAnswers}
	c.Handler = b.handler(t)
	mine := c.Handler.Send
	c.Handler.Open = func(ctx context.Context, o *substrate.Opening) { _ = o.Accept(ctx) }
	c.Handler.Closed = nil
	c.Handler.Send = func(ctx context.Context, m *substrate.Message) error {
		if m.Peer.ID() != "good" {
			return nil
		}
		return mine(ctx, m)
	}
	return c
}

// judge reads both stores when all has ended: the neighbour's exchange is there, whole, and nothing else is in its name.
func (n *neighbour) judge(t *testing.T, dir string, sent, told []string) {
	t.Helper()
	for what, got := range map[string][]string{"sent": sent, "told": told} {
		want := int(map[string]int64{"sent": n.sent.Load(), "told": n.told.Load()}[what])
		if !slices.Equal(got, numbers(want)) {
			t.Errorf("%s: %d messages came, want %d once and in order", what, len(got), want)
		}
	}
	for file, remote := range map[string]string{"gate": "good", "good": "gate"} {
		st, err := sqlite.Open(filepath.Join(dir, file), sqlite.Options{})
		must(t, err)
		s, err := st.Load(remote)
		must(t, err)
		live := len(s.Objects) == 1 && s.Objects[0].Obj == "o1" && s.Objects[0].State == "live" && len(s.Counters) == 1
		if !live || len(s.Rows) != 0 || len(s.Inbound) != 0 {
			t.Errorf("%s keeps for %s: objects %+v, counters %+v, %d rows out and %d in",
				file, remote, s.Objects, s.Counters, len(s.Rows), len(s.Inbound))
		}
		if file == "gate" {
			for _, id := range n.ids {
				if x, ok, err := st.Committed("good", store.Key{Class: store.Op, ID: id}); err != nil || !ok || x.Obj != "o1" {
					t.Errorf("%s was acked and is not in the ledger: %+v, %t, %v", id, x, ok, err)
				}
			}
		}
		must(t, st.Close())
	}
}

// codes returns how the connections of the attacker ended, by code.
func (e *attacker) codes() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return fmt.Sprint(e.ended)
}

// judge looks at how the attacker was answered.
func (e *attacker) judge(t *testing.T) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for code, n := range e.ended {
		if !slices.Contains([]int{4004, 4005, 4009}, code) && code >= 0 {
			t.Errorf("%d connections ended with %d", n, code)
		}
	}
	for _, code := range []int{4004, 4009} {
		if e.ended[code] == 0 {
			t.Errorf("no connection ended with %d: the attack was none", code)
		}
	}
	t.Logf("answers: %v", e.heard)
}

// client is for connections that are not kept.
func client() *http.Client { return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} }
