package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A driven node runs in this process and is told what to do line by line.
type driven struct {
	t    *testing.T
	in   *io.PipeWriter
	exit chan int

	mu    sync.Mutex
	out   strings.Builder
	grown chan struct{}
}

func (d *driven) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.out.Write(b)
	close(d.grown)
	d.grown = make(chan struct{})
	return len(b), nil
}

func drive(t *testing.T, args ...string) *driven {
	t.Helper()
	r, w := io.Pipe()
	d := &driven{t: t, in: w, exit: make(chan int, 1), grown: make(chan struct{})}
	go func() {
		d.exit <- execute(context.Background(), append([]string{"serve", "substrate", "--listen", "127.0.0.1:0"}, args...), streams{in: r, out: d, err: io.Discard})
		_ = r.Close()
	}()
	return d
}

// tell gives a command.
func (d *driven) tell(format string, a ...any) {
	d.t.Helper()
	if _, err := fmt.Fprintf(d.in, format+"\n", a...); err != nil {
		d.t.Fatal(err)
	}
}

// expect waits until a pattern matches a line, and returns its first group.
func (d *driven) expect(pattern string) string {
	d.t.Helper()
	re := regexp.MustCompile("(?m)^" + pattern + "$")
	for {
		d.mu.Lock()
		m, text, grown := re.FindStringSubmatch(d.out.String()), d.out.String(), d.grown
		d.mu.Unlock()
		if m != nil {
			return m[len(m)-1]
		}
		select {
		case <-grown:
		case status := <-d.exit:
			d.t.Fatalf("exit %d before %s:\n%s", status, pattern, text)
		case <-d.t.Context().Done():
			d.t.Fatalf("no %s in:\n%s", pattern, text)
		}
	}
}

// lines returns those that have a part.
func (d *driven) lines(part string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(strings.Split(d.out.String(), "\n"), func(l string) bool { return !strings.Contains(l, part) })
}

// quit ends the node.
func (d *driven) quit() {
	d.t.Helper()
	d.tell("quit")
	if status := <-d.exit; status != 0 {
		d.t.Errorf("exit %d", status)
	}
}

// SUBSTRATE-OBJ-009, SUBSTRATE-RECONNECT-001: two nodes driven by hand show the life of an object, both answers, and that what is said
// around a forced disconnect, and around a restart, arrives once and in order.
func TestServeSubstrate(t *testing.T) {
	const key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	dir := t.TempDir()
	c1 := drive(t, "--id", "c1", "--peer", "c2="+key, "--db", filepath.Join(dir, "c1"))
	address := c1.expect(`substrate c1 on (ws://\S+)`)
	second := []string{"--id", "c2", "--peer", "c1=" + key, "--db", filepath.Join(dir, "c2"), "--connect", address, "--remote", "c1"}
	c2 := drive(t, second...)
	connection := c2.expect(`c1 connected (\S+)`)
	if other := c1.expect(`c2 connected (\S+)`); other != connection {
		t.Errorf("connections %s and %s", connection, other)
	}

	c2.tell("open chat")
	c2.expect(`c1 chat live`)
	c1.expect(`c2 chat < open session`)
	c2.tell("send chat hello there")
	c2.expect(`c1 chat > send "hello there" acked`)
	c1.tell("req chat how are you")
	c1.expect(`c2 chat > req "how are you" answered "how are you"`)

	c2.tell("disconnect")
	c1.expect(`c2 disconnected`)
	for i := range 5 {
		c2.tell("send chat %d", i)
		c1.tell("send chat back %d", i)
	}
	c2.expect(`c1 chat > send "4" queued \S+`)
	c1.expect(`c2 chat > send "back 4" queued \S+`)
	c2.tell("objects")
	c2.expect(`c1 chat is live session, [56] to send, 0 to handle`) // the answer may not have been acked
	c2.quit()
	c2again := drive(t, second...)
	c2again.expect(`c1 chat < send "back 4"`)
	c1.expect(`c2 chat < send "4"`)
	c2again.tell("peers")
	c2again.expect(`\* c1 connected`)
	c2again.tell("close chat")
	c2again.expect(`c1 chat > close acked`)
	c1.expect(`c2 chat closed \(closed\)`)
	for i, line := range c1.lines(`< send "`) {
		want := fmt.Sprintf(`c2 chat < send "%d"`, i-1)
		if i == 0 {
			want = `c2 chat < send "hello there"`
		}
		if line != want {
			t.Errorf("line %d is %s, want %s", i, line, want)
		}
	}
	if n, m := len(c1.lines("< send")), len(c2again.lines("< send")); n != 6 || m != 5 {
		t.Errorf("%d and %d messages, want 6 and 5", n, m)
	}

	c2again.tell("send chat more")
	c2again.expect(`error: substrate send on chat: closed`)
	c2again.tell("dance")
	c2again.expect(`error: "dance" is none of open, .*`)
	c1.tell("to nobody")
	c1.tell("objects")
	c1.expect(`error: nobody is there yet`)
	c2again.quit()
	c1.quit()
}

// Without a name the node at --connect is whoever answers first.
func TestServeSubstrateLearns(t *testing.T) {
	c1 := drive(t, "--id", "c1", "--auth", "none")
	address := c1.expect(`substrate c1 on (ws://\S+)`)
	c2 := drive(t, "--id", "c2", "--auth", "none", "--connect", address)
	c2.expect(`c1 answers at ws://\S+`)
	c1.expect(`c2 connected \S+`)
	c1.tell("open queue jobs")
	c1.expect(`c2 jobs live`)
	c1.tell("req jobs x")
	c1.expect(`error: substrate req on jobs: unsupported`)
	c2.tell("disconnect")
	c2.expect(`c1 disconnected`)
	c1.tell("send jobs 1")
	c1.expect(`c2 jobs > send "1" queued \S+`)
	c2.tell("connect")
	c2.expect(`c1 jobs < send "1"`)
	c1.quit()
	c2.quit()
}
