package sqlite_test

import (
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

var ledgerRows = flag.Int("ledger", 1_000_000, "how many rows the larger ledger of BenchmarkLedgerRatios has")

// A contender does n ops and says how many it has done.
type contender struct {
	name string
	op   func(n int)
	per  int // ops in one op
}

// compare runs all contenders in turns, so that a slow minute of the machine hits them all, and reports the median of each, the
// median of its ratio to the first in the same round, and what it costs of the processor, which the disk has no part in.
func compare(b *testing.B, rounds int, each time.Duration, all []contender) {
	rates, work, done := make([][]float64, len(all)), make([]time.Duration, len(all)), make([]int, len(all))
	for range rounds {
		for i, c := range all {
			c.op(1)
			n, begin, worked := 0, time.Now(), cpu()
			for time.Since(begin) < each {
				c.op(1)
				n += c.per
			}
			rates[i] = append(rates[i], float64(n)/time.Since(begin).Seconds())
			work[i] += cpu() - worked
			done[i] += n
		}
	}
	for i, c := range all {
		ratios := make([]float64, rounds)
		for r := range ratios {
			ratios[r] = rates[i][r] / rates[0][r]
		}
		slices.Sort(ratios)
		slices.Sort(rates[i])
		b.Logf("%-44s %9.0f ops/s   %6.2f of the first [%.2f-%.2f]   %6.1f us of processor per op", c.name, rates[i][rounds/2], ratios[rounds/2],
			ratios[0], ratios[rounds-1], float64(work[i].Microseconds())/float64(done[i]))
		b.ReportMetric(ratios[rounds/2], fmt.Sprintf("x:%d", i))
	}
}

const body = 256

// bare inserts a row and deletes it, each in a transaction of its own, with the same settings as a store.
func bare(b *testing.B, path string) func(int) {
	db, err := sql.Open("sqlite", path+"?_journal_mode=WAL&_synchronous=FULL&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB)`); err != nil {
		b.Fatal(err)
	}
	prepare := func(q string) *sql.Stmt {
		s, err := db.Prepare(q)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		return s
	}
	insert, remove := prepare(`INSERT INTO t (id, body) VALUES (?, ?)`), prepare(`DELETE FROM t WHERE id = ?`)
	id, row := 0, make([]byte, body)
	return func(n int) {
		for range n {
			id++
			if _, err := insert.Exec(id, row); err != nil {
				b.Fatal(err)
			}
			if _, err := remove.Exec(id); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// outbox writes a row and frees it, for the given number of objects at once, in two batches.
func outbox(b *testing.B, s store.Store, objects int, freeDurably bool) func(int) {
	if _, err := s.Load("p"); err != nil {
		b.Fatal(err)
	}
	names := make([]string, objects)
	for i := range names {
		names[i] = fmt.Sprint("o", i)
	}
	row := make([]byte, body)
	seq := uint64(0)
	var write, free store.Batch
	return func(n int) {
		for range n {
			seq++
			write.Reset()
			free.Reset()
			id := fmt.Sprintf("01J%023d", seq)
			for _, obj := range names {
				write.Rows = append(write.Rows, store.Row{
					Obj: obj, ObjKind: "queue", Class: store.Op, Kind: "send", ID: id, Seq: seq, Incarnation: 1, Body: row,
				})
				write.Counters = append(write.Counters, store.Counter{Obj: obj, LastAssigned: seq, LastPred: seq - 1})
				free.DropRows = append(free.DropRows, store.Place{Obj: obj, Seq: seq})
				free.Counters = append(free.Counters, store.Counter{Obj: obj, LastAssigned: seq, LastPred: seq})
			}
			write.Durable, free.Durable = true, freeDurably
			if err := s.Apply("p", &write); err != nil {
				b.Fatal(err)
			}
			if err := s.Apply("p", &free); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkOutboxRatios sets the store beside bare SQLite. An op is a row of 256 octets that is written and freed.
func BenchmarkOutboxRatios(b *testing.B) {
	if b.N > 1 {
		return
	}
	dir := b.TempDir()
	at := func(name string) *sqlite.Store { return open(b, filepath.Join(dir, name), sqlite.Options{}) }
	compare(b, 5, 400*time.Millisecond, []contender{
		{"bare SQLite, insert and delete", bare(b, filepath.Join(dir, "bare.db")), 1},
		{"one object, both batches durable", outbox(b, at("both.db"), 1, true), 1},
		{"one object, the free rides", outbox(b, at("ride.db"), 1, false), 1},
		{"64 objects in a batch, both durable", outbox(b, at("many.db"), 64, true), 64},
		{"64 objects in a batch, the frees ride", outbox(b, at("manyride.db"), 64, false), 64},
		{"64 peers at once, one object each", peers(b, at("peers.db"), 64), 64},
	})
}

// peers lets as many goroutines as there are peers do an op each at once; none knows of the others.
func peers(b *testing.B, s *sqlite.Store, n int) func(int) {
	type task struct{ done chan error }
	work := make([]chan task, n)
	for i := range work {
		work[i] = make(chan task)
		peer := fmt.Sprint("p", i)
		go func() {
			row, seq := make([]byte, body), uint64(0)
			for t := range work[i] {
				seq++
				err := s.Apply(peer, &store.Batch{
					Rows:     []store.Row{{Obj: "o", ObjKind: "queue", Class: store.Op, Kind: "send", ID: fmt.Sprint(seq), Seq: seq, Body: row}},
					Counters: []store.Counter{{Obj: "o", LastAssigned: seq}}, Durable: true,
				})
				if err == nil {
					err = s.Apply(peer, &store.Batch{DropRows: []store.Place{{Obj: "o", Seq: seq}}, Durable: true})
				}
				t.done <- err
			}
		}()
	}
	b.Cleanup(func() {
		for _, w := range work {
			close(w)
		}
	})
	return func(rounds int) {
		done := make(chan error, n)
		for range rounds {
			for _, w := range work {
				w <- task{done}
			}
			for range n {
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

// inbox commits what arrives: a lookup, an entry, a row, and the row taken in the next batch; with 64 ops in a batch, so that the sync
// does not hide what the ledger costs.
func inbox(b *testing.B, s store.Store, id func(i uint64) string) func(int) {
	row, n := make([]byte, body), uint64(0)
	var batch store.Batch
	now := stamp
	return func(rounds int) {
		for range rounds {
			batch.Reset()
			batch.Durable = true
			for range 64 {
				n++
				k := store.Key{Class: store.Op, ID: id(n)}
				if _, ok, err := s.Committed("p", k); err != nil || ok {
					b.Fatal(ok, err)
				}
				now = now.Add(time.Millisecond)
				batch.Entries = append(batch.Entries, store.Entry{Key: k, Obj: "o", Kind: "send", At: now})
				batch.Inbound = append(batch.Inbound, store.Inbound{N: n, Obj: "o", ObjKind: "queue", Class: store.Op, Kind: "send", ID: k.ID, Seq: n, Body: row})
				if n > 64 {
					batch.DropInbound = append(batch.DropInbound, n-64)
				}
			}
			if err := s.Apply("p", &batch); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// ulid is like an id that a peer mints: it grows.
func ulid(i uint64) string { return fmt.Sprintf("01JZZZZZ%018d", i) }

// scattered is like one of a peer that mints at random.
func scattered(i uint64) string { return fmt.Sprintf("%016x%010d", i*0x9e3779b97f4a7c15, i) }

// grown is a store whose ledger has rows entries.
func grown(b *testing.B, path string, rows int, id func(uint64) string) *sqlite.Store {
	s := open(b, path, sqlite.Options{})
	if _, err := s.Load("p"); err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	old := stamp.Add(-store.Horizon / 2)
	var batch store.Batch
	for i := 0; i < rows; i += 5000 {
		batch.Reset()
		batch.Durable = true
		for j := i; j < min(rows, i+5000); j++ {
			batch.Entries = append(batch.Entries, store.Entry{
				Key: store.Key{Class: store.Op, ID: id(uint64(j) + 1<<40)}, Obj: "o", Kind: "send", At: old.Add(time.Duration(j/10) * time.Millisecond),
			})
		}
		if err := s.Apply("p", &batch); err != nil {
			b.Fatal(err)
		}
	}
	if rows > 0 {
		b.Logf("%d rows of ledger took %v to write", rows, time.Since(begin).Round(time.Second))
	}
	return s
}

// BenchmarkLedgerRatios shows that the cost of an op does not grow with the ledger. An op is a lookup, an entry, a row of 256 octets,
// and the row taken. -ledger says how large the larger ledger is.
func BenchmarkLedgerRatios(b *testing.B) {
	if b.N > 1 {
		return
	}
	dir := b.TempDir()
	empty, full := grown(b, filepath.Join(dir, "0.db"), 0, ulid), grown(b, filepath.Join(dir, "n.db"), *ledgerRows, ulid)
	fullScattered := grown(b, filepath.Join(dir, "r.db"), *ledgerRows, scattered)
	label := fmt.Sprintf("ledger of %d rows", *ledgerRows)
	compare(b, 5, 400*time.Millisecond, []contender{
		{"empty ledger", inbox(b, empty, ulid), 64},
		{label + ", ids that grow", inbox(b, full, ulid), 64},
		{label + ", ids at random", inbox(b, fullScattered, scattered), 64},
	})
	compare(b, 5, 200*time.Millisecond, []contender{
		{"lookup in an empty ledger", lookups(b, empty, ulid), 100},
		{label + ", ids that grow", lookups(b, full, ulid), 100},
		{label + ", ids at random", lookups(b, fullScattered, scattered), 100},
	})
}

// lookups looks for ids that are not there, as each fresh op does.
func lookups(b *testing.B, s store.Store, id func(uint64) string) func(int) {
	i := uint64(1 << 30)
	return func(rounds int) {
		for range 100 * rounds {
			i++
			if _, ok, err := s.Committed("p", store.Key{Class: store.Op, ID: id(i)}); err != nil || ok {
				b.Fatal(ok, err)
			}
		}
	}
}
