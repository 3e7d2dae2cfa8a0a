package substrate_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// A disk is where a database lies whose growth can be ended.
type disk interface {
	dir() string
	// fill leaves room for so many pages of 4 KiB and no more.
	fill(t *testing.T, db *sql.DB, pages int)
	// free ends that.
	free(t *testing.T, db *sql.DB)
}

// A capped disk is any directory: SQLite itself is told how many pages a file may have. It stops in the middle of a transaction, where the
// tree grows, as a disk does.
type capped struct{ path string }

func (c *capped) dir() string { return c.path }

func (c *capped) fill(t *testing.T, db *sql.DB, pages int) {
	t.Helper()
	var now int
	must(t, db.QueryRow(`PRAGMA page_count`).Scan(&now))
	must(t, db.QueryRow(fmt.Sprintf(`PRAGMA max_page_count = %d`, now+pages)).Scan(&now))
}

func (c *capped) free(t *testing.T, db *sql.DB) {
	t.Helper()
	var now int
	must(t, db.QueryRow(`PRAGMA max_page_count = 1000000`).Scan(&now))
}

// fullDisk checks that a disk which is full is a refusal of a clear type to who sends, and no ack to who is sent to; and that both go on
// where they stood once there is room. It is filled at each point of growth: with room for no page, for a step of them, for two.
func fullDisk(t *testing.T, points, step int, d func(t *testing.T) disk) {
	t.Helper()
	for _, side := range []string{"sender", "receiver"} {
		refused := 0
		for pages := 0; pages < points*step; pages += step {
			t.Run(fmt.Sprintf("%s with room for %d pages", side, pages), func(t *testing.T) {
				virtual(t, func(w *world) {
					f := &fullRun{w: w, disk: d(t), side: side}
					f.run(pages)
					refused += f.refused + f.waiting
				})
			})
		}
		if refused == 0 {
			t.Errorf("nothing was refused to the %s: the disk was never full", side)
		}
		t.Logf("%s: %d writes refused or put off, at %d points of growth", side, refused, points)
	}
}

// A fullRun is one exchange of two peers, one of which has its database on a disk that becomes full.
type fullRun struct {
	w       *world
	disk    disk
	side    string
	db      *sql.DB // on the disk
	peer    *substrate.Peer
	got     record
	refused int
	waiting int      // calls that were not acked while the disk was full
	sent    []string // what was accepted, in order
}

// open makes the two peers. Who is on the disk writes with its host, in one transaction.
func (f *fullRun) open() {
	t, w := f.w.t, f.w
	here, st := hostDB(t, filepath.Join(f.disk.dir(), "host.db"), 1)
	f.db = here
	w.later(func() { must(t, here.Close()) })
	w.later(func() { must(t, st.Close()) })
	c, d := config("gate"), config("c1")
	d.Remote = "gate"
	c.Handler = f.got.handler(t)
	if f.side == "sender" {
		d.Storage = st
		c.Handler.Send = func(_ context.Context, m *substrate.Message) error {
			f.note(m)
			return nil
		}
	} else {
		c.Storage = st
		c.Handler.Send = f.receive
	}
	w.listen(c)
	f.peer = w.dial(d)
	_, err := f.peer.Open(t.Context(), substrate.Session, "o", substrate.OpenOptions{})
	must(t, err)
}

// receive writes down what came in the transaction in which it is handled.
func (f *fullRun) receive(ctx context.Context, m *substrate.Message) error {
	err := m.Peer.Within(ctx, f.db, func(tx *substrate.Tx) error {
		if _, err := tx.Exec(`INSERT INTO got (obj, n) VALUES (?, ?)`, m.Object.Address(), head(m.Body)); err != nil {
			return err
		}
		return tx.Handled(m)
	})
	if err != nil {
		f.wantFull(err)
		return fmt.Errorf("%w: %w", substrate.ErrRetry, err)
	}
	f.note(m)
	return nil
}

func (f *fullRun) note(m *substrate.Message) {
	f.got.note(func() { f.got.bodys["o"] = append(f.got.bodys["o"], head(m.Body)) })
}

// send sends a number, and has the host write it down if that is whose disk is full.
func (f *fullRun) send(ctx context.Context, i int) (c *substrate.Call, err error) {
	if f.side == "receiver" {
		return f.peer.Object("o").Enqueue(ctx, body(i))
	}
	err = f.peer.Within(ctx, f.db, func(tx *substrate.Tx) error {
		if _, err := tx.Exec(`INSERT INTO sent (obj, n) VALUES ('o', ?)`, strconv.Itoa(i)); err != nil {
			return err
		}
		c, err = tx.Send("o", body(i))
		return err
	})
	return c, err
}

// rows returns what the host has on the disk.
func (f *fullRun) rows() []string {
	t := f.w.t
	table := map[string]string{"sender": "sent", "receiver": "got"}[f.side]
	r, err := f.db.Query(`SELECT n FROM ` + table + ` ORDER BY k`)
	must(t, err)
	defer func() { _ = r.Close() }()
	var all []string
	for r.Next() {
		var n string
		must(t, r.Scan(&n))
		all = append(all, n)
	}
	must(t, r.Err())
	return all
}

// honest looks whether everything that was acked, or accepted, is on the disk while that is full.
func (f *fullRun) honest(calls []*substrate.Call) {
	t := f.w.t
	if f.side == "sender" {
		if rows := f.rows(); !slices.Equal(rows, f.sent) {
			t.Errorf("while the disk is full: the host has written %v, accepted is %v", rows, f.sent)
		}
		return
	}
	for _, c := range calls {
		var n int
		must(t, f.db.QueryRow(`SELECT count(*) FROM substrate_ledger WHERE id = ?`, c.ID()).Scan(&n))
		select {
		case <-c.Done():
			if c.Err() != nil || n != 1 {
				t.Errorf("%s ended with %v while the disk is full, with %d entries in the ledger", c.ID(), c.Err(), n)
			}
		default:
			f.waiting++
		}
	}
}

// wantFull wants an error that says what is the matter, for errors.Is as for people.
func (f *fullRun) wantFull(err error) {
	f.refused++
	var coded interface{ Code() int }
	if !errors.Is(err, sqlite.ErrFull) && (!errors.As(err, &coded) || coded.Code()&0xff != 13) {
		f.w.t.Errorf("the disk is full, and what is said is: %v", err)
	}
}

// body is a number with much behind it.
func body(i int) []byte { return append([]byte(strconv.Itoa(i)+" "), make([]byte, 3000)...) }

func head(b []byte) string {
	n := slices.Index(b, ' ')
	return string(b[:max(n, 0)])
}

// run sends until the disk is full and longer, and then has it freed.
func (f *fullRun) run(pages int) {
	const most = 12
	f.open()
	t, ctx := f.w.t, f.w.t.Context()
	f.disk.fill(t, f.db, pages)
	var calls []*substrate.Call
	for i := range most {
		c, err := f.send(ctx, i)
		if err != nil {
			f.wantFull(err)
			continue
		}
		f.sent, calls = append(f.sent, strconv.Itoa(i)), append(calls, c)
	}
	// As often as who is refused comes again in a minute.
	time.Sleep(time.Minute)
	synctest.Wait()
	f.honest(calls)
	f.disk.free(t, f.db)
	for i := most; i < most+3; i++ {
		c, err := f.send(ctx, i)
		must(t, err)
		f.sent, calls = append(f.sent, strconv.Itoa(i)), append(calls, c)
	}
	for _, c := range calls {
		must(t, c.Wait(ctx))
	}
	f.got.until(t, "all", func() bool { return len(f.got.bodys["o"]) >= len(f.sent) })
	if got := f.got.got("o"); f.side == "receiver" && !slices.Equal(got, f.sent) {
		t.Errorf("got %v, want %v", got, f.sent)
	}
	if rows := f.rows(); !slices.Equal(rows, f.sent) {
		t.Errorf("the host has written %v, want %v", rows, f.sent)
	}
}

var fullPoints = flag.Int("full-points", 12, "at how many points of its growth a database meets a full disk")

// SUBSTRATE-OUTBOX-009, SUBSTRATE-STORE-008, SUBSTRATE-DEDUPE-007: a file that may not grow.
func TestFullFileOfAPeer(t *testing.T) {
	fullDisk(t, *fullPoints, 1, func(t *testing.T) disk { return &capped{t.TempDir()} })
}
