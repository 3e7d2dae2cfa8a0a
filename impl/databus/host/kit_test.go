package host

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/signal"
)

func TestMain(m *testing.M) {
	if child() {
		return
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for what is bound to come.
const patience = 30 * time.Second

// until waits for a condition.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	end := time.NewTimer(patience)
	defer end.Stop()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	for !met() {
		select {
		case <-look.C:
		case <-end.C:
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// opened returns a host that looks often, waits patiently for others, and is closed at the end.
func opened(t *testing.T, dir string, change func(*Config)) *Host {
	t.Helper()
	c := Config{Dir: dir, Rescan: 20 * time.Millisecond, BusyTimeout: patience, Flush: patience, Patience: patience}
	if change != nil {
		change(&c)
	}
	h, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := h.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return h
}

// An end is one end of a channel and what it has got.
type end struct {
	cluster.Channel
	t   *testing.T
	h   *Host
	got chan string
}

// ends returns an end of the channel k of h.
func ends(t *testing.T, h *Host) *end {
	t.Helper()
	e := &end{t: t, h: h, got: make(chan string, 1<<16)}
	ch, err := h.open("k", func(f signal.Frame) {
		text := f.Source()
		if event, ok := f.(signal.Event); ok {
			text += " " + event.EventType
		}
		e.got <- text
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Channel = ch
	return e
}

// Post posts a frame in a task of its own.
func (e *end) Post(f signal.Frame) error {
	err := e.Channel.Post(f)
	e.Channel.(*channel).Settle()
	return err
}

func (e *end) post(source, text string) {
	e.t.Helper()
	if err := e.Post(signal.Event{SourceWorkerID: source, EventType: text}); err != nil {
		e.t.Fatal(err)
	}
}

// hears waits for the next frames.
func (e *end) hears(want ...string) {
	e.t.Helper()
	for _, text := range want {
		if got := e.next(); got != text {
			e.t.Fatalf("got %q, want %q", got, text)
		}
	}
}

func (e *end) next() string {
	e.t.Helper()
	select {
	case got := <-e.got:
		return got
	case <-time.After(patience):
		e.t.Fatal("nothing comes")
		return ""
	}
}

// met waits until an end knows n others.
func (e *end) met(n int) {
	e.t.Helper()
	c := e.Channel.(*channel)
	until(e.t, "others are known", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.peers) == n
	})
}

func (e *end) path() string {
	c := e.Channel.(*channel)
	return c.path(c.own())
}

// dial connects to an end without being one.
func (e *end) dial() net.Conn {
	e.t.Helper()
	conn, err := net.Dial("unix", e.path())
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// isCut waits until the other side has closed a connection.
func isCut(t *testing.T, conn net.Conn) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	n, err := conn.Read(make([]byte, 1))
	var late net.Error
	if n != 0 || err == nil || errors.As(err, &late) && late.Timeout() {
		t.Fatalf("the connection lives: %d, %v", n, err)
	}
}

func sockets(t *testing.T, dir string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder(dir, "k"), "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func writeFile(path string) error { return os.WriteFile(path, nil, 0o600) }

// unlink removes what is in a folder of sockets, whose owners may make new ones meanwhile.
func unlink(t *testing.T, where string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(where, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}
