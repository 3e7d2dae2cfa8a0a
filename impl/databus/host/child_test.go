package host

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/impl/databus"
	"github.com/seed-6f28358b/assay/impl/databus/cluster"
	"github.com/seed-6f28358b/assay/impl/databus/socket"
)

// orderVariable has the test binary, which starts itself anew, be another process. It holds an order.
const orderVariable = "DATABUS_HOST_CHILD"

// An order is what a child is to be.
type order struct {
	Dir, URL, ID   string
	Heartbeat, TTL int64
	Patience       time.Duration // of storage and farewell; 0: the defaults
}

// A tale is one line of what a child tells.
type tale struct {
	Ready, Left bool
	Error       string
	Topic, Data string            // of a message
	Snapshot    *cluster.Snapshot // the answer to snapshot
}

// child does what the environment asks for, and reports whether there was anything.
func child() bool {
	text, ok := os.LookupEnv(orderVariable)
	if !ok {
		return false
	}
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	tell := func(t tale) {
		mu.Lock()
		defer mu.Unlock()
		_ = out.Encode(t)
	}
	if err := serve(text, tell); err != nil {
		tell(tale{Error: err.Error()})
	}
	return true
}

// serve runs a bus, which does what it reads, until it is told to leave or the parent is gone.
func serve(text string, tell func(tale)) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	h, err := Open(Config{Dir: o.Dir, Rescan: 50 * time.Millisecond, BusyTimeout: o.Patience, Flush: o.Patience, Fault: func(err error) { tell(tale{Error: err.Error()}) }})
	if err != nil {
		return err
	}
	transport, err := socket.New(socket.Config{URL: o.URL})
	if err != nil {
		return err
	}
	b, err := h.New(databus.Config{
		Transport: transport, ClusterKey: o.URL, Rules: cluster.Fenced(), TabID: "t" + o.ID, WorkerID: o.ID, Heartbeat: o.Heartbeat, TTL: o.TTL,
	})
	if err != nil {
		return err
	}
	if err := b.Start(context.Background()); err != nil {
		return err
	}
	tell(tale{Ready: true})
	subscriptions := map[string]*databus.Subscription{}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		verb, rest, _ := strings.Cut(lines.Text(), " ")
		topic, data, _ := strings.Cut(rest, " ")
		switch verb {
		case "subscribe":
			s, err := b.Subscribe(topic, func(topic string, data json.RawMessage) { tell(tale{Topic: topic, Data: string(data)}) })
			if err != nil {
				return err
			}
			subscriptions[topic] = s
		case "unsubscribe":
			subscriptions[topic].Unsubscribe()
		case "publish":
			b.Publish(topic, json.RawMessage(data))
		case "snapshot":
			s := b.Snapshot()
			tell(tale{Snapshot: &s})
		case "leave":
			if err := h.Close(context.Background()); err != nil {
				return err
			}
			tell(tale{Left: true})
			return nil
		}
	}
	return nil
}

// A process is a child as its parent sees it.
type process struct {
	t     *testing.T
	id    string
	cmd   *exec.Cmd
	in    io.WriteCloser
	ended chan struct{}

	ready, left chan struct{}
	snapshots   chan *cluster.Snapshot

	mu       sync.Mutex
	messages map[string]int // by topic and data: how often they came
	errors   []string
	topics   map[string]bool // that it subscribes
}

// starts starts a child. It is over when the test is.
func starts(t *testing.T, o order) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{
		t: t, id: o.ID, cmd: exec.Command(self), ended: make(chan struct{}), ready: make(chan struct{}), left: make(chan struct{}),
		snapshots: make(chan *cluster.Snapshot, 1), messages: map[string]int{}, topics: map[string]bool{},
	}
	p.cmd.Env = append(os.Environ(), orderVariable+"="+string(text))
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.listen(out)
	t.Cleanup(p.kill)
	p.await(p.ready)
	return p
}

// listen takes what the child tells until it ends.
func (p *process) listen(out io.Reader) {
	defer close(p.ended)
	defer func() { _ = p.cmd.Wait() }()
	for lines := json.NewDecoder(out); ; {
		var t tale
		if lines.Decode(&t) != nil {
			return
		}
		p.mu.Lock()
		switch {
		case t.Ready:
			close(p.ready)
		case t.Left:
			close(p.left)
		case t.Snapshot != nil:
			p.snapshots <- t.Snapshot
		case t.Error != "":
			p.errors = append(p.errors, t.Error)
		default:
			p.messages[t.Topic+" "+t.Data]++
		}
		p.mu.Unlock()
	}
}

// await waits for something of the child.
func (p *process) await(what <-chan struct{}) {
	p.t.Helper()
	select {
	case <-what:
	case <-p.ended:
		select {
		case <-what:
		default:
			p.t.Fatalf("%s has ended: %v", p.id, p.faults())
		}
	case <-time.After(patience):
		p.t.Fatalf("%s does not answer: %v", p.id, p.faults())
	}
}

func (p *process) faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.errors...)
}

// say has the child do something.
func (p *process) say(format string, a ...any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", a...); err != nil {
		p.t.Fatalf("%s: %v", p.id, err)
	}
}

// subscribe has the child subscribe a topic, and returns when it does.
func (p *process) subscribe(topic string) {
	p.t.Helper()
	p.topics[topic] = true
	p.say("subscribe %s", topic)
	p.snapshot()
}

func (p *process) unsubscribe(topic string) {
	p.t.Helper()
	delete(p.topics, topic)
	p.say("unsubscribe %s", topic)
}

// snapshot asks the child what it knows.
func (p *process) snapshot() *cluster.Snapshot {
	p.t.Helper()
	p.say("snapshot")
	select {
	case s := <-p.snapshots:
		return s
	case <-p.ended:
		p.t.Fatalf("%s has ended: %v", p.id, p.faults())
	case <-time.After(patience):
		p.t.Fatalf("%s does not answer: %v", p.id, p.faults())
	}
	return nil
}

// count returns how often a message has come.
func (p *process) count(topic, data string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.messages[topic+" "+data]
}

// kill ends the child at once, as a crash does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// leave has the child leave, and waits until it has ended.
func (p *process) leave() {
	p.t.Helper()
	p.say("leave")
	p.await(p.left)
	<-p.ended
}
