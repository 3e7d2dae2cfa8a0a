package substrate_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/substrate"
)

var (
	killCycles   = flag.Int("kill-cycles", 5, "how often a process is killed")
	killMessages = flag.Int("kill-messages", 400, "how many messages the two processes exchange")
	killSeed     = flag.Uint64("kill-seed", 1, "who is killed when")
)

// killObjects is over how many objects the messages are spread, in both directions.
const killObjects = 4

// childRole names the variable that makes this program one of the two processes: role, address, database, messages of each object.
const childRole = "SUBSTRATE_KILL_TEST"

// A child is one of the two processes that are killed. It tells of its life on its output, and ends when its input does.
type child struct {
	ctx  context.Context
	db   *sql.DB
	each int
	got  atomic.Int64
	all  sync.WaitGroup
	out  sync.Mutex
	once sync.Map // objects that are being sent on
}

func (c *child) say(format string, a ...any) {
	c.out.Lock()
	defer c.out.Unlock()
	fmt.Printf(format+"\n", a...)
}

// runChild is the life of a child, as its variable says.
func runChild(spec string) error {
	part := strings.Split(spec, "|")
	each, err := strconv.Atoi(part[3])
	if err != nil {
		return err
	}
	db, st, err := openHost(part[2], 4)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &child{ctx: ctx, db: db, each: each}
	var got int64
	if err := db.QueryRow(`SELECT count(*) FROM got`).Scan(&got); err != nil {
		return err
	}
	c.got.Store(got)
	// The one before may have died between the last message and the word of it.
	c.say("got %d", got)
	cfg := config(part[0])
	cfg.Storage = st
	cfg.Handler.Open = func(ctx context.Context, o *substrate.Opening) {
		if err := o.Accept(ctx); err == nil {
			c.begin(o.Peer, o.Object.Address())
		}
	}
	cfg.Handler.Send = c.receive
	var end func() error
	if part[0] == "gate" {
		end, err = c.listen(part[1], cfg)
	} else {
		end, err = c.dial(part[1], cfg)
	}
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel()
	err = end()
	c.all.Wait()
	return errors.Join(err, st.Close(), db.Close())
}

func (c *child) listen(address string, cfg substrate.Config) (func() error, error) {
	l, err := substrate.NewListener(cfg)
	if err != nil {
		return nil, err
	}
	p, err := l.Load("node")
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: l}
	c.all.Go(func() { _ = server.Serve(ln) })
	c.resume(p)
	return func() error {
		err := l.Close(context.Background())
		return errors.Join(err, server.Close())
	}, nil
}

func (c *child) dial(address string, cfg substrate.Config) (func() error, error) {
	cfg.Remote = "gate"
	p, err := substrate.Dial(c.ctx, "ws://"+address+"/", cfg)
	if err != nil {
		return nil, err
	}
	c.resume(p)
	c.all.Go(func() {
		for i := range killObjects {
			name := fmt.Sprintf("o%d", i)
			if _, err := p.Open(c.ctx, substrate.Session, name, substrate.OpenOptions{}); err == nil {
				c.begin(p, name)
			}
		}
		c.say("live")
	})
	return func() error { return p.Close(context.Background()) }, nil
}

// resume goes on sending on objects that were live before.
func (c *child) resume(p *substrate.Peer) {
	s, err := p.Status(c.ctx)
	if err != nil {
		c.say("fault %v", err)
	}
	for _, o := range s.Objects {
		if o.State == "live" {
			c.begin(p, o.Obj)
		}
	}
}

func (c *child) begin(p *substrate.Peer, obj string) {
	if _, begun := c.once.LoadOrStore(obj, true); !begun {
		c.all.Go(func() { c.send(p, obj) })
	}
}

// send sends what is left to send on an object. That something was sent is in the database together with what was sent.
func (c *child) send(p *substrate.Peer, obj string) {
	var n int
	if err := c.db.QueryRowContext(c.ctx, `SELECT count(*) FROM sent WHERE obj = ?`, obj).Scan(&n); err != nil {
		return
	}
	for n < c.each && c.ctx.Err() == nil {
		var last *substrate.Call
		to := min(n+4, c.each)
		err := p.Within(c.ctx, c.db, func(tx *substrate.Tx) (err error) {
			for i := n; i < to; i++ {
				if _, err := tx.Exec(`INSERT INTO sent (obj, n) VALUES (?, ?)`, obj, i); err != nil {
					return err
				}
				if last, err = tx.Send(obj, []byte(strconv.Itoa(i))); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			n = to
			_ = last.Wait(c.ctx)
		}
	}
}

// receive writes down that a message has come, together with that it is handled.
func (c *child) receive(ctx context.Context, m *substrate.Message) error {
	err := m.Peer.Within(ctx, c.db, func(tx *substrate.Tx) error {
		if _, err := tx.Exec(`INSERT INTO got (obj, n) VALUES (?, ?)`, m.Object.Address(), string(m.Body)); err != nil {
			return err
		}
		return tx.Handled(m)
	})
	if err != nil {
		return fmt.Errorf("%w: %w", substrate.ErrRetry, err)
	}
	c.say("got %d", c.got.Add(1))
	return nil
}

// A process is a child as its parent sees it.
type process struct {
	t     *testing.T
	spec  string
	lines chan<- string
	cmd   *exec.Cmd
	in    io.Closer
	read  sync.WaitGroup
}

func (p *process) start() {
	p.t.Helper()
	exe, err := os.Executable()
	must(p.t, err)
	p.cmd = exec.Command(exe)
	p.cmd.Env = append(os.Environ(), childRole+"="+p.spec)
	p.cmd.Stderr = os.Stderr
	p.in, err = p.cmd.StdinPipe()
	must(p.t, err)
	out, err := p.cmd.StdoutPipe()
	must(p.t, err)
	must(p.t, p.cmd.Start())
	p.read.Go(func() {
		role, _, _ := strings.Cut(p.spec, "|")
		for s := bufio.NewScanner(out); s.Scan(); {
			p.lines <- role + " " + s.Text()
		}
	})
}

// kill ends the process as the power would.
func (p *process) kill() {
	must(p.t, p.cmd.Process.Kill())
	p.read.Wait()
	_ = p.cmd.Wait()
}

// SUBSTRATE-RECONNECT-001, SUBSTRATE-DEDUPE-007, SUBSTRATE-DEDUPE-008, SUBSTRATE-OUTBOX-007: two processes exchange messages, both ways, while
// one or the other is killed at any moment and begins again. In the end both databases say that each message came once and in order.
func TestKilledProcesses(t *testing.T) {
	t.Logf("-kill-seed %d: %d kills of two processes that exchange %d messages", *killSeed, *killCycles, *killMessages)
	dir := t.TempDir()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(unusedPorts(t, 1)[0]))
	each := *killMessages / (2 * killObjects)
	lines := make(chan string, 4096)
	sides := map[string]*process{}
	for _, role := range []string{"gate", "node"} {
		sides[role] = &process{t: t, lines: lines, spec: strings.Join([]string{role, address, filepath.Join(dir, role), strconv.Itoa(each)}, "|")}
		sides[role].start()
	}
	got := map[string]int{}
	// Objects are handled side by side: their words come in any order.
	count := func(role, text string) {
		n, err := strconv.Atoi(text)
		must(t, err)
		got[role] = max(got[role], n)
	}
	// next takes a line, if there is one in time.
	next := func() string {
		select {
		case line := <-lines:
			role, rest, _ := strings.Cut(line, " ")
			if n, ok := strings.CutPrefix(rest, "got "); ok {
				count(role, n)
			} else if rest != "live" {
				t.Errorf("%s", line)
			}
			return line
		case <-time.After(time.Minute):
			t.Fatalf("nothing happens any more: got %v", got)
			return ""
		}
	}
	for next() != "node live" {
	}
	r := rand.New(rand.NewPCG(*killSeed, 9))
	killed := 0
	complete := func() bool { return got["gate"] >= killObjects*each && got["node"] >= killObjects*each }
	// The last of them may come when all is exchanged: a process is killed as often as was asked for.
	for ; killed < *killCycles; killed++ {
		for range r.IntN(max(*killMessages / *killCycles, 2)) {
			if complete() {
				break
			}
			next()
		}
		victim := sides[[]string{"gate", "node"}[r.IntN(2)]]
		// The reader of its lines must not wait for who waits for it.
		dead := make(chan struct{})
		go func() {
			defer close(dead)
			victim.kill()
		}()
		for open := true; open; {
			select {
			case <-dead:
				open = false
			case line := <-lines:
				if role, n, ok := strings.Cut(line, " got "); ok {
					count(role, n)
				}
			}
		}
		victim.start()
	}
	for !complete() {
		next()
	}
	for _, p := range sides {
		_ = p.in.Close()
	}
	go func() {
		for range lines {
		}
	}()
	for role, p := range sides {
		p.read.Wait()
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("%s: %v", role, err)
		}
	}
	close(lines)
	for _, role := range []string{"gate", "node"} {
		judge(t, filepath.Join(dir, role), each)
	}
	t.Logf("%d kills, %d messages", killed, got["gate"]+got["node"])
}

// judge reads the database of one side: what came is all that was sent, each once, in the order of each object.
func judge(t *testing.T, path string, each int) {
	t.Helper()
	db, st, err := openHost(path, 1)
	must(t, err)
	defer func() { _ = db.Close() }()
	defer func() { _ = st.Close() }()
	for i := range killObjects {
		obj := fmt.Sprintf("o%d", i)
		for _, table := range []string{"sent", "got"} {
			r, err := db.Query(`SELECT n FROM `+table+` WHERE obj = ? ORDER BY k`, obj)
			must(t, err)
			var all []string
			for r.Next() {
				var n string
				must(t, r.Scan(&n))
				all = append(all, n)
			}
			must(t, r.Err())
			_ = r.Close()
			if !slices.Equal(all, numbers(each)) {
				t.Errorf("%s: %s on %s: %d rows, want %d: %v", filepath.Base(path), table, obj, len(all), each, all)
			}
		}
	}
}
