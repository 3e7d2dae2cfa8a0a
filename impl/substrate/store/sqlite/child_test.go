package sqlite_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
	"github.com/seed-6f28358b/assay/impl/substrate/store/sqlite"
)

// The test binary starts itself anew to be another process. These name what it is to do, and with which file.
const (
	roleVariable = "SUBSTRATE_STORE_CHILD"
	pathVariable = "SUBSTRATE_STORE_PATH"
)

var stamp = time.UnixMilli(1_750_000_000_000)

// child does what the environment asks for, and reports whether there was anything.
func child() bool {
	path := os.Getenv(pathVariable)
	var err error
	switch os.Getenv(roleVariable) {
	case "":
		return false
	case "write":
		err = childWrites(path)
	case "own":
		_, err = sqlite.Open(path, sqlite.Options{})
	case "lock":
		var db *sql.DB
		if db, err = sql.Open("sqlite", path); err == nil {
			_, err = db.Exec(`BEGIN IMMEDIATE`)
		}
	}
	if err != nil {
		fmt.Println("failed:", err)
		return true
	}
	fmt.Println("ready")
	// It ends when the parent closes the pipe, or kills it.
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	return true
}

// batch is the i-th of a trace in which each moves everything by one: a state that has parts of two of them is torn.
func batch(i uint64) *store.Batch {
	b := &store.Batch{
		Objects:  []store.Object{{Obj: "o", Kind: "queue", State: "live", Incarnation: i}},
		Counters: []store.Counter{{Obj: "o", LastAssigned: i}},
		Rows:     []store.Row{{Obj: "o", Seq: i, ID: fmt.Sprint(i), Body: []byte(strings.Repeat("x", 256))}},
		Entries:  []store.Entry{{Key: store.Key{Class: store.Op, ID: fmt.Sprint(i)}, At: stamp}},
		Inbound:  []store.Inbound{{N: i, Obj: "o", ID: fmt.Sprint(i)}},
		Durable:  i%3 != 0,
	}
	if i > 1 {
		b.DropRows, b.DropInbound = []store.Place{{Obj: "o", Seq: i - 1}}, []uint64{i - 1}
	}
	return b
}

// childWrites goes on where an earlier child was killed, and says which durable batches are written.
func childWrites(path string) error {
	s, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err
	}
	state, err := s.Load("p")
	if err != nil {
		return err
	}
	for i := state.LastN + 1; ; i++ {
		b := batch(i)
		if err := s.Apply("p", b); err != nil {
			return err
		}
		if b.Durable {
			if _, err := fmt.Println(i); err != nil {
				return err
			}
		}
	}
}

type process struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
}

func start(t *testing.T, role, path string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	return &process{cmd, bufio.NewScanner(out)}
}

func (p *process) line(t *testing.T) string {
	t.Helper()
	if !p.lines.Scan() {
		t.Fatalf("the child ended: %v", p.lines.Err())
	}
	return p.lines.Text()
}

// kill ends p at once and returns the last line that it wrote whole.
func (p *process) kill(t *testing.T, last string) string {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for p.lines.Scan() {
		last = p.lines.Text()
	}
	_ = p.cmd.Wait()
	return last
}

// A process that is killed while it writes leaves every batch that it reported as durable, whole, and no other by half.
func TestKill(t *testing.T) { // SUBSTRATE-DEDUPE-007 SUBSTRATE-OUTBOX-001 SUBSTRATE-ACK-002
	const kills = 20
	path := filepath.Join(t.TempDir(), "s.db")
	reported := uint64(0)
	for k := range kills {
		p := start(t, "write", path)
		last := ""
		for range 1 + k*7%23 {
			last = p.line(t)
		}
		last = p.kill(t, last)
		n, err := strconv.ParseUint(last, 10, 64)
		if err != nil {
			t.Fatalf("kill %d: the child said %q", k, last)
		}
		if n <= reported {
			t.Fatalf("kill %d: the child wrote batch %d after batch %d was reported", k, n, reported)
		}
		reported = n
		s := open(t, path, sqlite.Options{})
		state, err := s.Load("p")
		if err != nil {
			t.Fatal(err)
		}
		at := state.LastN
		if at < reported {
			t.Fatalf("kill %d: batch %d is there, batch %d was reported as durable", k, at, reported)
		}
		waiting, err := s.Inbox("p", "o", 0)
		if err != nil {
			t.Fatal(err)
		}
		whole := len(state.Rows) == 1 && len(waiting) == 1 && len(state.Objects) == 1 && len(state.Counters) == 1 &&
			state.Rows[0].Seq == at && waiting[0].N == at && state.Objects[0].Incarnation == at && state.Counters[0].LastAssigned == at
		if !whole {
			t.Fatalf("kill %d: batch %d is there by half: %+v, inbox %+v", k, at, state, waiting)
		}
		for i := uint64(1); i <= at+1; i++ {
			_, ok, err := s.Committed("p", store.Key{Class: store.Op, ID: fmt.Sprint(i)})
			if err != nil || ok != (i <= at) {
				t.Fatalf("kill %d: entry %d of %d: %t, %v", k, i, at, ok, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d batches after %d kills", reported, kills)
}
