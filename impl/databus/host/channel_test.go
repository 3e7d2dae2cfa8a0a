package host

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

// DATABUS-EVENT-002: frames reach all others, in the order of each sender, and nobody gets its own.
func TestChannelOrder(t *testing.T) {
	const n = 400
	dir := t.TempDir()
	hosts := []*Host{opened(t, dir, nil), opened(t, dir, nil)}
	all := []*end{ends(t, hosts[0]), ends(t, hosts[0]), ends(t, hosts[1])}
	for i, e := range all {
		for j := range n {
			e.post(fmt.Sprint("w", i), fmt.Sprint(j))
		}
	}
	for i, e := range all {
		heard := map[string]int{}
		for range 2 * n {
			source, number, _ := strings.Cut(e.next(), " ")
			if number != fmt.Sprint(heard[source]) {
				t.Fatalf("%d: got %s of %s, want %d", i, number, source, heard[source])
			}
			heard[source]++
		}
		if heard[fmt.Sprint("w", i)] != 0 || len(heard) != 2 {
			t.Errorf("%d: heard %v", i, heard)
		}
	}
	s := hosts[0].Stats()
	if s.Posted != 2*n || s.Received != 4*n || s.Dropped != 0 || s.Peers != 4 {
		t.Errorf("%+v", s)
	}
}

// Who has just come is known before it is heard of otherwise: its first frame is answered, and a post of who knows it from the storage
// reaches it.
func TestChannelNewcomer(t *testing.T) {
	dir := t.TempDir()
	h := opened(t, dir, func(c *Config) { c.Rescan = time.Hour })
	var all []*end
	for i := range 8 {
		e := ends(t, h)
		for _, other := range all {
			other.post("old", fmt.Sprint(i))
		}
		for range all {
			e.hears(fmt.Sprint("old ", i))
		}
		e.post("new", fmt.Sprint(i))
		for _, other := range all {
			for other.next() != fmt.Sprint("new ", i) {
			}
		}
		all = append(all, e)
	}
}

// DATABUS-KEY-004: channels of different names share nothing.
func TestChannelNames(t *testing.T) {
	h := opened(t, t.TempDir(), nil)
	a, b := ends(t, h), ends(t, h)
	other, err := h.open("another", func(f signal.Frame) { t.Errorf("got %v", f) })
	if err != nil {
		t.Fatal(err)
	}
	a.post("a", "1")
	b.hears("a 1")
	if err := other.Post(signal.Registry{SourceWorkerID: "o"}); err != nil {
		t.Error(err)
	}
	if p := other.(*channel).peers; len(p) != 0 {
		t.Errorf("%d peers", len(p))
	}
}

// DATABUS-RACE-007: what was posted before the end arrives, also at one that the poster has only just met.
func TestChannelCloseFlushes(t *testing.T) {
	dir := t.TempDir()
	stays := ends(t, opened(t, dir, nil))
	for round := range 20 {
		h, err := Open(Config{Dir: dir, Flush: patience})
		if err != nil {
			t.Fatal(err)
		}
		e := ends(t, h)
		for i := range 50 {
			e.post("w", fmt.Sprint(i))
		}
		e.Close()
		if err := e.Post(signal.Registry{SourceWorkerID: "w"}); err == nil {
			t.Fatal("posted after the end")
		}
		if err := h.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := h.Stats(); s.Dropped != 0 || s.Sent != 50 || s.Peers != 0 {
			t.Fatalf("round %d: %+v", round, s)
		}
		for i := range 50 {
			stays.hears(fmt.Sprint("w ", i))
		}
		if all := sockets(t, dir); len(all) != 1 {
			t.Fatalf("round %d: %v", round, all)
		}
	}
	stays.met(0)
}

// One that takes each connection and ends it, since it has no room for instance, is dialled again, and not without a pause.
func TestChannelRefused(t *testing.T) {
	dir := t.TempDir()
	l := listens(t, dir, fmt.Sprintf("%016x", 7))
	begin := time.Now()
	ends(t, opened(t, dir, nil))
	const n = 4
	for range n {
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	}
	if took := time.Since(begin); took < (n-1)*pause {
		t.Errorf("dialled %d times within %v", n, took)
	}
}

// Nothing is received after the end, and everything ends with the host.
func TestChannelCloseDeafens(t *testing.T) {
	dir := t.TempDir()
	a, b := ends(t, opened(t, dir, nil)), ends(t, opened(t, dir, nil))
	a.met(1)
	b.Close()
	b.Close()
	a.post("a", "1")
	a.met(0)
	if len(b.got) != 0 {
		t.Errorf("got %s", b.next())
	}
}

// The sockets of processes that have died are removed, whether they look like one of ours or not quite.
func TestChannelRemovesTheDead(t *testing.T) {
	dir := t.TempDir()
	where := folder(dir, "k")
	if err := os.MkdirAll(where, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		l, err := net.Listen("unix", filepath.Join(where, fmt.Sprintf("%016x", i)))
		if err != nil {
			t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(where, "notes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := opened(t, dir, nil)
	e := ends(t, h)
	until(t, "the dead are removed", func() bool { return h.Stats().Removed == 3 })
	want := []string{e.path(), filepath.Join(where, "notes")}
	if all := sockets(t, dir); !slices.Equal(all, want) {
		t.Errorf("left are %v, want %v", all, want)
	}
	e.met(0)
}

// What a process has left behind that died while it made its socket, or the storage, is removed once that cannot go on any more.
func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a]*")
	where := folder(dir, "k")
	id := "." + strings.Repeat("0", idLength)
	old, young := filepath.Join(where, id), filepath.Join(where, id[:idLength]+"1")
	storage := filepath.Join(dir, ".new-123-wal")
	if err := os.MkdirAll(where, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{old, young, storage} {
		if err := writeFile(path); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-2 * stale)
	for _, path := range []string{old, storage} {
		if err := os.Chtimes(path, before, before); err != nil {
			t.Fatal(err)
		}
	}
	ends(t, opened(t, dir, nil))
	for path, want := range map[string]bool{old: false, young: true, storage: false} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Somebody may remove a socket, or all of them: others are found again, and no frame comes twice.
func TestChannelListensAgain(t *testing.T) {
	dir := t.TempDir()
	a, b := ends(t, opened(t, dir, nil)), ends(t, opened(t, dir, nil))
	a.post("a", "1")
	b.hears("a 1")
	for round := range 3 {
		before := b.path()
		unlink(t, folder(dir, "k"))
		until(t, "they listen again", func() bool { return b.path() != before && len(sockets(t, dir)) == 2 })
		text := ""
		until(t, "they hear each other", func() bool {
			text = fmt.Sprint("again ", round, " ", time.Now().UnixNano())
			a.post("a", text)
			return len(b.got) > 0
		})
		for b.next() != "a "+text {
		}
		if len(b.got) != 0 {
			t.Errorf("got %q after the last", b.next())
		}
		a.met(1)
		b.met(1)
	}
}

// A peer that takes nothing holds up neither a post nor the others, and costs a bounded queue; the newest frames are kept.
func TestChannelSlowPeer(t *testing.T) {
	dir := t.TempDir()
	h := opened(t, dir, func(c *Config) { c.Queue = 100 })
	a, b := ends(t, h), ends(t, opened(t, dir, nil))
	a.met(1)
	stalled := listens(t, dir, fmt.Sprintf("%016x", 7))
	a.met(2)
	const n = 3000
	big := strings.Repeat("x", 1000)
	for i := range n {
		if err := a.Post(signal.Event{SourceWorkerID: "a", EventType: fmt.Sprint(i), Payload: []byte(`"` + big + `"`)}); err != nil {
			t.Fatal(err)
		}
		b.hears(fmt.Sprint("a ", i))
	}
	p := a.Channel.(*channel).peers[fmt.Sprintf("%016x", 7)]
	p.mu.Lock()
	waiting, octets := len(p.lines), p.octets
	p.mu.Unlock()
	if waiting > 100 || octets > 100*1100 || h.Stats().Dropped == 0 {
		t.Errorf("%d frames wait, of %d octets; %+v", waiting, octets, h.Stats())
	}
	r := hearsFrom(t, stalled, a)
	for last := -1; last != n-1; {
		line, err := r.next(signal.MaxFrame, true)
		if err != nil {
			t.Fatal(err)
		}
		f, err := signal.Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		var at int
		fmt.Sscan(f.(signal.Event).EventType, &at)
		if at <= last {
			t.Fatalf("%d after %d", at, last)
		}
		last = at
	}
}

// hearsFrom takes connections until one is of an end, and returns what comes on it.
func hearsFrom(t *testing.T, l net.Listener, e *end) *reader {
	t.Helper()
	for {
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		r := &reader{conn: conn, patience: patience}
		line, err := r.next(maxHello, true)
		if err != nil {
			t.Fatal(err)
		}
		h, err := readHello(line, "k")
		if err != nil || h.Turn != 1 {
			t.Fatalf("%s: %v", line, err)
		}
		if h.From == e.Channel.(*channel).own() {
			return r
		}
	}
}

// A peer that takes nothing delays the end by no more than Flush.
func TestChannelCloseIsBounded(t *testing.T) {
	dir := t.TempDir()
	h, err := Open(Config{Dir: dir, Flush: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	listens(t, dir, fmt.Sprintf("%016x", 7))
	a := ends(t, h)
	for range 10 {
		payload := []byte(`"` + strings.Repeat("x", 200<<10) + `"`)
		if err := a.Post(signal.Event{SourceWorkerID: "a", EventType: "E", Payload: payload}); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if s := h.Stats(); s.Dropped == 0 || s.Sent+s.Dropped != 10 {
		t.Errorf("%+v", s)
	}
}

// listens is a socket in the folder of a channel behind which nobody takes a connection.
func listens(t *testing.T, dir, id string) net.Listener {
	t.Helper()
	where := folder(dir, "k")
	if err := os.MkdirAll(where, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(where, id))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Posts may come from several goroutines, while others come and go.
func TestChannelConcurrent(t *testing.T) {
	dir := t.TempDir()
	h := opened(t, dir, nil)
	a, b := ends(t, h), ends(t, h)
	a.met(1)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 100 {
				a.post("a", fmt.Sprint(i))
			}
		})
		all.Go(func() {
			for range 10 {
				e := ends(t, h)
				e.post("e", "x")
				e.Close()
			}
		})
	}
	all.Wait()
	for n := 0; n < 400; {
		if strings.HasPrefix(b.next(), "a ") {
			n++
		}
	}
}
