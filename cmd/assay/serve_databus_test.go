package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/impl/databus/socket"
)

// driveDatabus starts a process of a data bus, which runs in this one.
func driveDatabus(t *testing.T, args ...string) *driven {
	t.Helper()
	r, w := io.Pipe()
	d := &driven{t: t, in: w, exit: make(chan int, 1), grown: make(chan struct{})}
	go func() {
		d.exit <- execute(context.Background(), append([]string{"serve", "databus"}, args...), streams{in: r, out: d, err: io.Discard})
		_ = r.Close()
	}()
	return d
}

// DATABUS-STICKY-003, DATABUS-LIVE-002: two processes show who owns a topic, what is published, and that it goes from one to the other when
// the owner leaves.
func TestServeDatabus(t *testing.T) {
	dir := t.TempDir()
	upstream := driveDatabus(t, "--dir", filepath.Join(dir, "other"), "--listen", "127.0.0.1:0", "--id", "p0")
	url := upstream.expect(`server on (ws://\S+)`)
	common := []string{"--dir", filepath.Join(dir, "bus"), "--upstream", url, "--cluster", "k", "--heartbeat", "200ms", "--ttl", "1h"}
	p1 := driveDatabus(t, append(common, "--id", "p1", "--topic", "price.feed", "--topic", "a,b")...)
	p1.expect(`databus p1 in \S+ for ` + url + ` \(fenced\)`)
	p1.expect(`this process serves price\.feed`)
	p1.expect(`price\.feed is owned by p1, generation 1`)
	p1.expect(`a,b is owned by p1, generation 1`)
	p2 := driveDatabus(t, append(common, "--id", "p2", "--topic", "price.feed")...)
	p2.expect(`p1 is here, connected`)
	p2.expect(`price\.feed is owned by p1, generation 1`)
	p1.expect(`p2 is here, \w+`)
	p2.tell("publish price.feed {\"bid\": 42}")
	p2.expect(`price\.feed > \{"bid": 42\}`)
	p1.expect(`price\.feed < \{"bid":42\}`)
	p2.expect(`price\.feed < \{"bid":42\}`)
	p2.tell("status")
	p2.expect(`processes 2, topics with an owner 2; .*, dropped 0`)
	p2.expect(`\* p2 +\w+ +connected +owns 0`)
	p2.expect(`  price\.feed +owned by p1 +generation 1, confirmed`)

	p1.quit()
	p1.expectAtEnd(`left`)
	p2.expect(`p1 is gone`)
	p2.expect(`price\.feed goes from p1 to p2, generation 2`)
	p2.expect(`price\.feed is owned by p2, generation 2`)
	p2.expect(`this process serves price\.feed`)
	p2.expect(`topic [0-9a-f]{8} has no owner`) // p2 has nothing to do with a,b
	p2.tell("unsubscribe price.feed")
	p2.expect(`price\.feed has no owner`)
	p2.expect(`this process serves price\.feed no more`)

	p2.tell("subscribe é\u007fx")
	p2.expect(`"é\\x7fx" is owned by p2, generation 1`)
	p2.tell("unsubscribe nothing")
	p2.expect(`error: nothing is not subscribed`)
	p2.tell("publish x {")
	p2.expect(`error: databus publish x: the data is no JSON`)
	p2.tell("publish x")
	p2.expect(`error: publish x: say publish TOPIC JSON`)
	p2.tell("subscribe")
	p2.expect(`error: subscribe "": say subscribe TOPIC, in one word`)
	p2.tell("unsubscribe a b")
	p2.expect(`error: unsubscribe a b: say unsubscribe TOPIC, in one word`)
	p2.tell("publish x " + strings.Repeat("1", mostCommand))
	p2.expect(fmt.Sprintf("error: a command of more than %d octets", mostCommand))
	p2.tell("dance")
	p2.expect(`error: "dance" is none of subscribe, .*`)
	upstream.quit()
	p2.expect(`transport error`)
	p2.expect(`error: databus socket: the server ended the connection with 1001: the server is closed`)
	p2.quit()
}

// expectAtEnd checks a line of one that has ended.
func (d *driven) expectAtEnd(pattern string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if text := d.out.String(); !regexp.MustCompile("(?m)^" + pattern + "$").MatchString(text) {
		d.t.Errorf("no %s in:\n%s", pattern, text)
	}
}

// An interrupt is a graceful leave, for a process that reads no commands too.
func TestServeDatabusInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	d := &driven{t: t, exit: make(chan int, 1), grown: make(chan struct{})}
	go func() {
		args := []string{"serve", "databus", "--dir", t.TempDir(), "--listen", "127.0.0.1:0", "--topic", "x", "--rules", "v010"}
		d.exit <- execute(ctx, args, streams{out: d, err: d})
	}()
	d.expect(`databus [0-9a-f]{16} in \S+ for ws://\S+ \(v010\)`)
	d.expect(`x is owned by [0-9a-f]{16}, generation 1`)
	interrupt()
	if status := <-d.exit; status != 0 {
		t.Errorf("exit %d", status)
	}
	d.expectAtEnd("left")
}

// What a server says when it ends a connection is told as text, not as orders for a terminal.
func TestServeDatabusFaults(t *testing.T) {
	var out bytes.Buffer
	p := &printer{w: &out}
	p.fault(&socket.EndError{Code: 4000, Reason: "\x1b[2Jgone\nleft"})
	p.fault(&socket.EndError{Code: 1001, Reason: "closed"})
	const want = `error: "databus socket: the server ended the connection with 4000: \x1b[2Jgone\nleft"` + "\n" +
		"error: databus socket: the server ended the connection with 1001: closed\n"
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

// On a terminal the rows stay below the lines, and are gone at the end.
func TestScreen(t *testing.T) {
	var both bytes.Buffer
	c := newScreen(streams{out: &both, err: &both, terminal: true})
	p := &printer{w: c}
	p.line("one")
	c.show([]string{"row 1", strings.Repeat("é", 200)})
	p.line("two")
	c.show([]string{"row 2"})
	p.line("three")
	c.clear()
	if got, want := played(both.String()), []string{"one", "two", "three", ""}; !slices.Equal(got, want) {
		t.Errorf("seen are %q, want %q", got, want)
	}
	both.Reset()
	c.show([]string{"row", strings.Repeat("é", 200)})
	p.line("four")
	if got, want := played(both.String()), []string{"four", "row", strings.Repeat("é", 79), ""}; !slices.Equal(got, want) {
		t.Errorf("seen are %q, want %q", got, want)
	}
	both.Reset()
	many := make([]string, 100)
	c.show(many)
	p.line("five")
	if got := played(both.String()); len(got) != 25 {
		t.Errorf("%d rows", len(got))
	}

	both.Reset()
	plain := newScreen(streams{out: &both, err: &both})
	plain.show([]string{"row"})
	fmt.Fprintln(plain, "line")
	plain.clear()
	if both.String() != "line\n" {
		t.Errorf("not on a terminal: %q", both.String())
	}
}

// played returns what a terminal shows that begins empty.
func played(text string) []string {
	rows := []string{""}
	for text != "" {
		if m := regexp.MustCompile(`^\r\x1b\[(\d+)A\x1b\[J`).FindStringSubmatch(text); m != nil {
			var n int
			fmt.Sscan(m[1], &n)
			rows = append(rows[:max(0, len(rows)-1-n)], "")
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text)[0]
		if text = text[len(string(r)):]; r == '\n' {
			rows = append(rows, "")
		} else {
			rows[len(rows)-1] += string(r)
		}
	}
	return rows
}
