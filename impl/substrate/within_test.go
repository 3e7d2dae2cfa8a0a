package substrate_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	_ "modernc.org/sqlite"

	"github.com/seed-6f28358b/assay/impl/pipenet"
	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// hostDB is a database of a host, with tables of its own and a store beside them.
func hostDB(t *testing.T, path string, conns int) (*sql.DB, *sqlite.Store) {
	t.Helper()
	db, st, err := openHost(path, conns)
	must(t, err)
	return db, st
}

func openHost(path string, conns int) (*sql.DB, *sqlite.Store, error) {
	options := "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_txlock=immediate"
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(path)+options)
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(conns)
	for _, q := range []string{
		`CREATE TABLE IF NOT EXISTS parent (id INTEGER PRIMARY KEY)`,
		`CREATE TABLE IF NOT EXISTS app (n INTEGER PRIMARY KEY AUTOINCREMENT, what TEXT, parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`,
		`CREATE TABLE IF NOT EXISTS sent (k INTEGER PRIMARY KEY AUTOINCREMENT, obj TEXT, n TEXT)`,
		`CREATE TABLE IF NOT EXISTS got (k INTEGER PRIMARY KEY AUTOINCREMENT, obj TEXT, n TEXT)`,
	} {
		if _, err := db.Exec(q); err != nil {
			return nil, nil, err
		}
	}
	st, err := sqlite.New(db, "")
	return db, st, err
}

func rows(t *testing.T, db *sql.DB) []string {
	t.Helper()
	r, err := db.Query(`SELECT what FROM app ORDER BY n`)
	must(t, err)
	defer func() { _ = r.Close() }()
	var all []string
	for r.Next() {
		var what string
		must(t, r.Scan(&what))
		all = append(all, what)
	}
	must(t, r.Err())
	return all
}

// SUBSTRATE-DEDUPE-007: what the host writes and what it sends are there together or not at all. One connection to the database is enough:
// nobody waits for a lock that the transaction has.
func TestWithinSends(t *testing.T) {
	for _, conns := range []int{1, 4} {
		t.Run(fmt.Sprint(conns), func(t *testing.T) {
			virtual(t, func(w *world) {
				t, ctx := w.t, w.t.Context()
				db, st := hostDB(t, filepath.Join(t.TempDir(), "host"), conns)
				w.later(func() { must(t, db.Close()) })
				w.later(func() { must(t, st.Close()) })
				var b record
				c := config("gate")
				c.Handler = b.handler(t)
				w.listen(c)
				d := config("c1")
				d.Remote, d.Storage = "gate", st
				p := w.dial(d)
				o, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
				must(t, err)

				write := func(what string, parent any, end error) (*substrate.Call, error) {
					var call *substrate.Call
					err := p.Within(ctx, db, func(tx *substrate.Tx) error {
						if _, err := tx.Exec(`INSERT INTO app (what, parent) VALUES (?, ?)`, what, parent); err != nil {
							return err
						}
						var err error
						if call, err = tx.Send("s", []byte(what)); err != nil {
							return err
						}
						if _, err := tx.Send("nothing@all", nil); err == nil {
							t.Error("an address that is none was taken")
						}
						return end
					})
					return call, err
				}
				call, err := write("1", nil, nil)
				must(t, err)
				must(t, call.Wait(ctx))

				rollback := errors.New("no")
				call, err = write("2", nil, rollback)
				if !errors.Is(err, rollback) || !errors.Is(call.Err(), rollback) {
					t.Errorf("rolled back: %v, %v", err, call.Err())
				}
				// The commit itself fails: a deferred constraint is broken.
				call, err = write("3", 99, nil)
				if err == nil || call.Err() == nil {
					t.Errorf("a commit that fails: %v, %v", err, call.Err())
				}
				func() {
					defer func() { _ = recover() }()
					_ = p.Within(ctx, db, func(tx *substrate.Tx) error {
						_, _ = tx.Send("s", []byte("4"))
						panic("so")
					})
				}()
				must(t, o.Send(ctx, []byte("5")))
				call, err = write("6", nil, nil)
				must(t, err)
				must(t, call.Wait(ctx))
				synctest.Wait()
				if got := b.got("s"); !slices.Equal(got, []string{"1", "5", "6"}) {
					t.Errorf("sent %v", got)
				}
				if got := rows(t, db); !slices.Equal(got, []string{"1", "6"}) {
					t.Errorf("rows %v", got)
				}
			})
		})
	}
}

// A handler that writes what it does and that it is done in one transaction does it once, also when the process ends right after.
func TestWithinHandles(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		path := filepath.Join(t.TempDir(), "host")
		db, st := hostDB(t, path, 1)
		w.later(func() { must(t, db.Close()) })
		w.later(func() { must(t, st.Close()) })
		c := config("gate")
		c.Storage = st
		c.Handler.Open = func(ctx context.Context, o *substrate.Opening) { must(t, o.Accept(ctx)) }
		c.Handler.Send = func(ctx context.Context, m *substrate.Message) error {
			return m.Peer.Within(ctx, db, func(tx *substrate.Tx) error {
				if _, err := tx.Exec(`INSERT INTO app (what) VALUES (?)`, string(m.Body)); err != nil {
					return err
				}
				return tx.Handled(m)
			})
		}
		c.Handler.Req = func(ctx context.Context, r *substrate.Request) ([]byte, error) {
			err := r.Peer.Within(ctx, db, func(tx *substrate.Tx) error {
				if _, err := tx.Exec(`INSERT INTO app (what) VALUES ('asked')`); err != nil {
					return err
				}
				return tx.Respond(r, []byte("in the transaction"))
			})
			return []byte("too late"), err
		}
		l := w.listen(c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		o, err := p.Open(ctx, substrate.Session, "s", substrate.OpenOptions{})
		must(t, err)
		for i := range 5 {
			must(t, o.Send(ctx, []byte(strconv.Itoa(i))))
		}
		answer, err := o.Req(ctx, nil)
		must(t, err)
		if string(answer) != "in the transaction" {
			t.Errorf("answered %q", answer)
		}
		if got := rows(t, db); !slices.Equal(got, append(numbers(5), "asked")) {
			t.Errorf("rows %v", got)
		}
		must(t, l.Release(ctx, "c1"))
		if s, err := st.Load("c1"); err != nil || len(s.Inbound) != 0 {
			t.Errorf("left to handle: %+v, %v", s.Inbound, err)
		}
	})
}

// SUBSTRATE-OBJ-008: messages of a queue stay in the inbox, through a restart too, until they are taken.
func TestInbox(t *testing.T) {
	virtual(t, func(w *world) {
		t, ctx := w.t, w.t.Context()
		db, st := hostDB(t, filepath.Join(t.TempDir(), "host"), 1)
		w.later(func() { must(t, db.Close()) })
		w.later(func() { must(t, st.Close()) })
		c := config("gate")
		c.Storage = st
		var b record
		c.Handler = b.handler(t)
		c.Handler.Open = func(ctx context.Context, o *substrate.Opening) { must(t, o.AcceptQueue(ctx)) }
		l, stop := w.listenOn(w.net, c)
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		o, err := p.Open(ctx, substrate.Queue, "q", substrate.OpenOptions{})
		must(t, err)
		for i := range 4 {
			must(t, o.Send(ctx, []byte(strconv.Itoa(i))))
		}
		in := l.Peer("c1").Inbox("q")
		if n, err := in.Len(); n != 4 || err != nil {
			t.Errorf("%d wait, %v", n, err)
		}
		// The host counts by itself.
		var n int
		must(t, db.QueryRow(`SELECT count(*) FROM substrate_inbox WHERE peer = 'c1' AND obj = 'q'`).Scan(&n))
		if n != 4 {
			t.Errorf("the host counts %d", n)
		}
		stop()
		w.retarget(pipenet.New())
		l = w.listen(c)
		peer, err := l.Load("c1")
		must(t, err)
		in = peer.Inbox("q")
		item, err := in.Take(ctx)
		must(t, err)
		if string(item.Body) != "0" {
			t.Errorf("took %+v", item)
		}
		take := func(end error) (item substrate.Item, ok bool) {
			err := peer.Within(ctx, db, func(tx *substrate.Tx) (err error) {
				if item, ok, err = tx.Take("q"); err != nil {
					return err
				}
				if _, err := tx.Exec(`INSERT INTO app (what) VALUES (?)`, string(item.Body)); err != nil {
					return err
				}
				return end
			})
			if !errors.Is(err, end) {
				t.Error(err)
			}
			return item, ok
		}
		take(errors.New("no"))
		for _, want := range []string{"1", "2"} {
			if item, ok := take(nil); !ok || string(item.Body) != want {
				t.Errorf("took %+v, want %s", item, want)
			}
		}
		if items, err := in.Peek(0); err != nil || len(items) != 1 || string(items[0].Body) != "3" {
			t.Errorf("left %+v, %v", items, err)
		}
		_, err = in.Take(ctx)
		must(t, err)
		taken := make(chan substrate.Item)
		go func() {
			item, err := in.Take(ctx)
			if err != nil {
				t.Error(err)
			}
			taken <- item
		}()
		synctest.Wait()
		must(t, o.Send(ctx, []byte("late")))
		if item := <-taken; string(item.Body) != "late" {
			t.Errorf("took %+v", item)
		}
		if got := rows(t, db); !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("rows %v", got)
		}
		// SUBSTRATE-FINALITY-009: a close is told, though it is no message.
		must(t, o.Close(ctx))
		b.until(t, "closed", func() bool { return len(b.ended["q"]) == 1 })
		if len(b.got("q")) != 0 {
			t.Error("the handler was called for a message of a queue")
		}
	})
}

// A transaction of the host needs a store in its database.
func TestWithinNeedsTheHostsDatabase(t *testing.T) {
	virtual(t, func(w *world) {
		d := config("c1")
		d.Remote = "gate"
		p := w.dial(d)
		if err := p.Within(w.t.Context(), nil, nil); !errors.Is(err, substrate.ErrNotHosted) {
			w.t.Error(err)
		}
		if n, err := p.Inbox("q").Len(); n != 0 || err != nil {
			w.t.Error(n, err)
		}
	})
}
