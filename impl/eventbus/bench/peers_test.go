package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// original is the bus of the npm package, in a process of its own.
type original struct {
	in  *json.Encoder
	out *bufio.Reader
}

// measured is one measurement: what was done, in how many nanoseconds of the clock and of processors.
type measured struct {
	Published, Delivered, NS, CPU int64
}

// clocked completes m with the time since start, and with the work since worked.
func (m measured) clocked(start time.Time, worked time.Duration) measured {
	m.NS, m.CPU = time.Since(start).Nanoseconds(), int64(cpu()-worked)
	return m
}

// originalBundle returns the file of the npm package that holds the bus, empty if the package is not there. ASSAY_QWEN_DIR
// names a folder that holds node_modules; without it the lab's folder is searched.
func originalBundle(tb testing.TB) string {
	var roots []string
	if dir := os.Getenv("ASSAY_QWEN_DIR"); dir != "" {
		roots = []string{dir}
	} else {
		lab := os.Getenv("ASSAY_LAB_DIR")
		if home, err := os.UserHomeDir(); lab == "" && err == nil {
			lab = filepath.Join(home, ".cache", "assay", "lab")
		}
		nested, err := filepath.Glob(filepath.Join(lab, "*"))
		if err != nil {
			tb.Fatal(err)
		}
		roots = append([]string{lab}, nested...)
	}
	for _, root := range roots {
		files, err := filepath.Glob(filepath.Join(root, "node_modules", "@qwen-code", "qwen-code", "chunks", "*.js"))
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				tb.Fatal(err)
			}
			if bytes.Contains(text, []byte("EventBus subscriber limit reached")) {
				return f
			}
		}
	}
	return ""
}

// startOriginal starts the package's bus. It ends with the benchmark.
func startOriginal(tb testing.TB, bundle string, textLen int) *original {
	cmd := exec.Command("node", "--max-old-space-size=6144", filepath.Join("testdata", "original.mjs"), bundle, fmt.Sprint(textLen))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &original{in: json.NewEncoder(in), out: bufio.NewReader(out)}
}

func (o *original) measure(tb testing.TB, ring, subs int, drain bool, d time.Duration) measured {
	if err := o.in.Encode(map[string]any{"ring": ring, "subs": subs, "drain": drain, "ms": d.Milliseconds()}); err != nil {
		tb.Fatal(err)
	}
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		tb.Fatal(err)
	}
	var m measured
	if err := json.Unmarshal(line, &m); err != nil {
		tb.Fatal(err)
	}
	return m
}

// broker is a NATS server in this process, with connections that need no socket.
type broker struct {
	publisher *nats.Conn
	subs      []*nats.Conn
	tally
}

// tally counts what was received, and tells when it is as much as was to come.
type tally struct {
	received, target atomic.Int64
	reached          chan struct{}
}

func (t *tally) add(n int64) {
	now := t.received.Add(n)
	if target := t.target.Load(); now >= target && now-n < target {
		t.reached <- struct{}{}
	}
}

// expect is called before more is sent, and the function that it returns waits until n more have been received.
func (t *tally) expect(n int64) (wait func()) {
	t.target.Add(n)
	return func() {
		if n > 0 {
			<-t.reached
		}
	}
}

func startBroker(tb testing.TB, subs int) *broker {
	s, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true, NoLog: true})
	if err != nil {
		tb.Fatal(err)
	}
	go s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		tb.Fatal("nats server is not ready")
	}
	connect := func() *nats.Conn {
		c, err := nats.Connect("", nats.InProcessServer(s))
		if err != nil {
			tb.Fatal(err)
		}
		return c
	}
	b := &broker{publisher: connect(), tally: tally{reached: make(chan struct{}, 1)}}
	for range subs {
		c := connect()
		sub, err := c.Subscribe("events", func(*nats.Msg) { b.add(1) })
		if err == nil {
			err = sub.SetPendingLimits(-1, -1)
		}
		if err == nil {
			err = c.Flush()
		}
		if err != nil {
			tb.Fatal(err)
		}
		b.subs = append(b.subs, c)
	}
	tb.Cleanup(func() {
		b.publisher.Close()
		for _, c := range b.subs {
			c.Close()
		}
		s.Shutdown()
		s.WaitForShutdown()
	})
	return b
}

// measure publishes in batches, and waits after each until all of it was received.
func (b *broker) measure(tb testing.TB, body string, batch int, d time.Duration) measured {
	payload := []byte(body)
	before, worked, start := b.received.Load(), cpu(), time.Now()
	var m measured
	for time.Since(start) < d {
		wait := b.expect(int64(batch * len(b.subs)))
		for range batch {
			if err := b.publisher.Publish("events", payload); err != nil {
				tb.Fatal(err)
			}
		}
		if err := b.publisher.Flush(); err != nil {
			tb.Fatal(err)
		}
		m.Published += int64(batch)
		wait()
	}
	m.Delivered = b.received.Load() - before
	return m.clocked(start, worked)
}

// textFor returns how long the text of an event must be for the event to have size octets.
func textFor(size int) int {
	return size - len(`{"id":10000,"v":1,"type":"session_update","data":`+payloadText("")+`,"_meta":{"serverTimestamp":1719000000000}}`)
}

func payloadText(text string) string {
	return `{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}}`
}

// update is the same payload as a Go value.
type update struct {
	Update struct {
		SessionUpdate string `json:"sessionUpdate"`
		Content       struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
	} `json:"update"`
}

func updateOf(text string) (u update) {
	u.Update.SessionUpdate = "agent_message_chunk"
	u.Update.Content.Type, u.Update.Content.Text = "text", text
	return u
}

func bodyOf(size int) string { return payloadText(strings.Repeat("x", textFor(size))) }
