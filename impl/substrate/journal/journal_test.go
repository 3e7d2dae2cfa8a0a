package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

func open(t testing.TB, path string, o Options) *Journal {
	t.Helper()
	j, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func load(t testing.TB, s store.Store, peer string) *store.State {
	t.Helper()
	st, err := s.Load(peer)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func apply(t testing.TB, s store.Store, peer string, b *store.Batch) {
	t.Helper()
	if err := s.Apply(peer, b); err != nil {
		t.Fatal(err)
	}
}

// row is a batch that enqueues one op.
func row(obj string, seq uint64, body []byte) *store.Batch {
	return &store.Batch{
		Counters: []store.Counter{{Obj: obj, LastAssigned: seq}},
		Rows:     []store.Row{{Obj: obj, ObjKind: "session", Class: store.Op, Kind: "send", ID: fmt.Sprint(obj, seq), Seq: seq, Incarnation: 1, Body: body}},
		Durable:  true,
	}
}

// same compares states but for what a journal does not keep.
func same(t testing.TB, what string, want, got *store.State) {
	t.Helper()
	volatile := cmpopts.IgnoreFields(store.State{}, "Inbound", "LastN")
	if diff := cmp.Diff(tidy(want), tidy(got), volatile); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// tidy has no lists that are empty but not nil. Bodies keep the difference.
func tidy(s *store.State) store.State {
	out := store.State{Epoch: s.Epoch, LastN: s.LastN}
	out.Objects = append(out.Objects, s.Objects...)
	out.Counters = append(out.Counters, s.Counters...)
	out.Rows = append(out.Rows, s.Rows...)
	out.Inbound = append(out.Inbound, s.Inbound...)
	return out
}

func TestRowsComeBackAfterARestart(t *testing.T) { // SUBSTRATE-JOURNAL-005, SUBSTRATE-JOURNAL-006
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, Options{})
	epoch := load(t, j, "edge").Epoch
	for seq, body := range [][]byte{nil, {}, []byte("x")} {
		apply(t, j, "edge", row("a", uint64(seq)+1, body))
	}
	apply(t, j, "edge", &store.Batch{Sent: []store.Sent{{Place: store.Place{Obj: "a", Seq: 1}, At: time.UnixMilli(7).UTC()}}, Durable: true})
	apply(t, j, "edge", &store.Batch{
		Counters: []store.Counter{{Obj: "a", LastAssigned: 3, LastPred: 1}}, DropRows: []store.Place{{Obj: "a", Seq: 1}},
		Objects: []store.Object{{Obj: "a", Kind: "session", State: "live", Participants: []string{"me", "edge"}, Incarnation: 1}},
	})
	want := load(t, j, "edge")
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path, Options{})
	got := load(t, again, "edge")
	same(t, "after a restart", want, got)
	if got.Epoch != epoch {
		t.Error("the epoch is another one (SUBSTRATE-SEQ-011)")
	}
	if len(got.Rows) != 2 || got.Rows[0].Seq != 2 || got.Rows[0].Body == nil {
		t.Errorf("rows %+v", got.Rows)
	}
}

// A crash may cut the file anywhere: what was said to be kept is there, and of a batch all or nothing.
func TestEveryTornEnd(t *testing.T) { // SUBSTRATE-JOURNAL-002
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, Options{})
	load(t, j, "edge")
	type mark struct {
		size  int64
		state *store.State
	}
	var marks []mark
	for seq := range uint64(4) {
		apply(t, j, "edge", row("a", seq+1, bytes.Repeat([]byte{byte(seq)}, int(seq)*5)))
		marks = append(marks, mark{j.Size(), load(t, j, "edge")})
	}
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := marks[0].size; cut <= int64(len(whole)); cut++ {
		// The disk may also have made room for what it did not write.
		for _, tail := range [][]byte{nil, make([]byte, 16)} {
			torn := filepath.Join(t.TempDir(), "j")
			if err := os.WriteFile(torn, append(whole[:cut:cut], tail...), 0o600); err != nil {
				t.Fatal(err)
			}
			got := open(t, torn, Options{})
			last := marks[0]
			for _, m := range marks {
				if m.size <= cut {
					last = m
				}
			}
			same(t, fmt.Sprintf("cut at %d of %d", cut, len(whole)), last.state, load(t, got, "edge"))
			apply(t, got, "edge", row("b", 1, nil))
			want := load(t, got, "edge")
			got.Close()
			same(t, fmt.Sprintf("cut at %d, written, and opened again", cut), want, load(t, open(t, torn, Options{}), "edge"))
		}
	}
	for cut := range int64(headerSize) {
		torn := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(torn, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if st := load(t, open(t, torn, Options{}), "edge"); len(st.Rows) != 0 {
			t.Errorf("cut at %d of the header: %+v", cut, st)
		}
	}
}

func TestDamageInTheMiddleIsNotCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, Options{})
	load(t, j, "edge")
	apply(t, j, "edge", row("a", 1, []byte("first")))
	at := j.Size()
	apply(t, j, "edge", row("a", 2, []byte("second")))
	end := j.Size()
	apply(t, j, "edge", row("a", 3, []byte("third")))
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole[:end] {
		if i >= headerSize && int64(i) < at {
			continue
		}
		if int64(i) >= at && int64(i) < at+4 {
			continue // of a length that is damaged nobody knows what is behind it
		}
		bad := bytes.Clone(whole)
		bad[i] ^= 0x10
		damaged := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(damaged, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(damaged, Options{})
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) {
			t.Fatalf("octet %d is damaged: %v", i, err)
		}
		if now, err := os.ReadFile(damaged); err != nil || !bytes.Equal(now, bad) {
			t.Fatalf("octet %d is damaged: the file was changed", i)
		}
	}
}

func TestJournalHasOneOwner(t *testing.T) { // SUBSTRATE-JOURNAL-008
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, Options{})
	_, err := Open(path, Options{})
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("a second owner: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, path, Options{})
}

func TestQuotaRefusesAndLeavesNothing(t *testing.T) { // SUBSTRATE-JOURNAL-003, SUBSTRATE-JOURNAL-004
	path := filepath.Join(t.TempDir(), "j")
	j := open(t, path, Options{Quota: 4096})
	load(t, j, "edge")
	apply(t, j, "edge", row("a", 1, make([]byte, 1000)))
	before, size := load(t, j, "edge"), j.Size()
	err := j.Apply("edge", row("a", 2, make([]byte, 4000)))
	var quota *QuotaError
	if !errors.As(err, &quota) || quota.Limit != 4096 || quota.Needed <= 4096 {
		t.Fatalf("%v", err)
	}
	same(t, "after a refusal", before, load(t, j, "edge"))
	if j.Size() != size {
		t.Errorf("the file has %d octets, before the refusal %d", j.Size(), size)
	}
	// What is dead makes room: many times the quota goes through.
	for seq := uint64(2); seq < 100; seq++ {
		apply(t, j, "edge", row("a", seq, make([]byte, 1000)))
		apply(t, j, "edge", &store.Batch{DropRows: []store.Place{{Obj: "a", Seq: seq}}})
		if j.Size() > 4096 {
			t.Fatalf("the file has %d octets", j.Size())
		}
	}
	j.Close()
	same(t, "opened again", &store.State{
		Epoch: before.Epoch, Counters: []store.Counter{{Obj: "a", LastAssigned: 99}}, Rows: before.Rows,
	}, load(t, open(t, path, Options{Quota: 4096}), "edge"))
}

func TestQueueIsRefused(t *testing.T) { // SUBSTRATE-JOURNAL-007
	j := open(t, filepath.Join(t.TempDir(), "j"), Options{})
	want := load(t, j, "edge")
	err := j.Apply("edge", &store.Batch{Objects: []store.Object{{Obj: "q", Kind: "queue", State: "live", Queued: true}}, Durable: true})
	var queue *QueueError
	if !errors.As(err, &queue) || queue.Obj != "q" {
		t.Fatalf("%v", err)
	}
	same(t, "after the refusal", want, load(t, j, "edge"))
}

// A sync that fails after a write that did not: nothing of the batch is kept, and what comes later is.
func TestFailedSyncIsTakenBack(t *testing.T) { // SUBSTRATE-JOURNAL-002
	path := filepath.Join(t.TempDir(), "j")
	full := errors.New("no space left")
	failing := 0
	j := open(t, path, Options{Sync: func(f *os.File) error {
		if failing--; failing >= 0 {
			return full
		}
		return f.Sync()
	}})
	load(t, j, "edge")
	apply(t, j, "edge", row("a", 1, []byte("kept")))
	want := load(t, j, "edge")
	failing = 1
	if err := j.Apply("edge", row("a", 2, []byte("lost"))); !errors.Is(err, full) {
		t.Fatalf("%v", err)
	}
	same(t, "after the failure", want, load(t, j, "edge"))
	apply(t, j, "edge", row("a", 2, []byte("next")))
	want = load(t, j, "edge")
	j.Close()
	again := open(t, path, Options{})
	same(t, "opened again", want, load(t, again, "edge"))

	// When it cannot be taken back either, the journal says so from then on.
	again.sync = func(*os.File) error { return full }
	for range 2 {
		if err := again.Apply("edge", row("a", 3, nil)); !errors.Is(err, full) {
			t.Fatalf("%v", err)
		}
	}
	again.sync = (*os.File).Sync
	if err := again.Apply("edge", row("a", 3, nil)); !errors.Is(err, full) {
		t.Errorf("a journal that could not take a write back goes on: %v", err)
	}
}

// Any batches, with restarts and compactions between them, leave the outbox that the memory store has.
func TestJournalKeepsWhatMemoryHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "journal")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "j")
		j, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { j.Close() }()
		twin := store.NewMemory()
		peers := []string{"edge", "other"}
		epochs := map[string][8]byte{}
		for _, p := range peers {
			st, err := j.Load(p)
			if err != nil {
				t.Fatal(err)
			}
			epochs[p] = st.Epoch
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				if err := j.Close(); err != nil {
					t.Fatal(err)
				}
				if j, err = Open(path, Options{}); err != nil {
					t.Fatal(err)
				}
			case 1:
				j.mu.Lock()
				err := j.rewrite()
				j.mu.Unlock()
				if err != nil {
					t.Fatal(err)
				}
			default:
				peer, b := rapid.SampledFrom(peers).Draw(t, "peer"), drawBatch(t)
				if err := errors.Join(j.Apply(peer, b), twin.Apply(peer, b)); err != nil {
					t.Fatal(err)
				}
			}
			for _, p := range peers {
				want, err := twin.Load(p)
				if err != nil {
					t.Fatal(err)
				}
				got, err := j.Load(p)
				if err != nil {
					t.Fatal(err)
				}
				want.Epoch = epochs[p]
				if diff := cmp.Diff(tidy(want), tidy(got)); diff != "" {
					t.Fatalf("%s (-want +got):\n%s", p, diff)
				}
			}
		}
	})
}

func drawBatch(t *rapid.T) *store.Batch {
	place := rapid.Custom(func(t *rapid.T) store.Place {
		return store.Place{Obj: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "obj"), Seq: rapid.Uint64Range(1, 4).Draw(t, "seq")}
	})
	b := &store.Batch{Durable: rapid.Bool().Draw(t, "durable")}
	for _, at := range rapid.SliceOfN(place, 0, 3).Draw(t, "rows") {
		b.Rows = append(b.Rows, store.Row{Obj: at.Obj, Seq: at.Seq, ID: "i", Kind: "send", Class: store.Op, Body: drawBody(t), Cap: drawBody(t)})
		b.Counters = append(b.Counters, store.Counter{Obj: at.Obj, LastAssigned: at.Seq})
	}
	for _, at := range rapid.SliceOfN(place, 0, 2).Draw(t, "sent") {
		b.Sent = append(b.Sent, store.Sent{Place: at, At: time.UnixMilli(rapid.Int64Range(1, 1<<42).Draw(t, "at")).UTC()})
	}
	b.DropRows = rapid.SliceOfN(place, 0, 3).Draw(t, "drop")
	for _, obj := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b"}), 0, 2, rapid.ID[string]).Draw(t, "objects") {
		b.Objects = append(b.Objects, store.Object{Obj: obj, Kind: "session", State: rapid.SampledFrom([]string{"live", "closed"}).Draw(t, "state"), Participants: []string{"x", obj}})
	}
	return b
}

func drawBody(t *rapid.T) []byte {
	if rapid.Bool().Draw(t, "none") {
		return nil
	}
	return rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "body")
}

// No bytes make Open do anything but open or say what is wrong.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "j")
	j := open(f, path, Options{})
	load(f, j, "edge")
	apply(f, j, "edge", row("a", 1, []byte("x")))
	j.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := Open(path, Options{})
		var corrupt *CorruptError
		if errors.As(err, &corrupt) {
			return
		}
		if err != nil {
			t.Fatalf("neither open nor corrupt: %v", err)
		}
		want := load(t, j, "edge")
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		same(t, "opened again", want, load(t, open(t, path, Options{}), "edge"))
	})
}

func BenchmarkApply(b *testing.B) {
	j := open(b, filepath.Join(b.TempDir(), "j"), Options{})
	load(b, j, "edge")
	body := make([]byte, 256)
	for seq := uint64(1); b.Loop(); seq++ {
		apply(b, j, "edge", row("a", seq, body))
		apply(b, j, "edge", &store.Batch{DropRows: []store.Place{{Obj: "a", Seq: seq}}})
	}
}

// What a host gives in the place of a sync decides whether a batch is kept, from the first record on.
func TestOwnSync(t *testing.T) { // SUBSTRATE-JOURNAL-002
	full := errors.New("no space left")
	var failing error
	asked := 0
	j := open(t, filepath.Join(t.TempDir(), "j"), Options{Sync: func(f *os.File) error {
		asked++
		return errors.Join(failing, f.Sync())
	}})
	load(t, j, "edge")
	apply(t, j, "edge", row("a", 1, nil))
	if asked < 3 {
		t.Errorf("asked %d times for a header, an epoch and a row", asked)
	}
	failing = full
	if err := j.Apply("edge", row("a", 2, nil)); !errors.Is(err, full) {
		t.Errorf("a batch that does not last: %v", err)
	}
}
