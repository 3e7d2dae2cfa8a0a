package stomptest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A hostile target does to each connection what serve says, until it is stopped.
type hostile struct {
	name  string
	serve func(c *net.TCPConn, stop <-chan struct{})
	exit  int
	why   string // part of the reason given for the first case
}

const connected = "CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\x00"

// forever writes p again and again until the peer or the test has enough.
func forever(c net.Conn, p []byte, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
			if _, err := c.Write(p); err != nil {
				return
			}
		}
	}
}

func drain(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

var hostiles = []hostile{
	{"never answers", func(c *net.TCPConn, _ <-chan struct{}) { drain(c) }, conformance.ExitInconclusive, "CONNECT is not answered"},
	{"answers garbage", func(c *net.TCPConn, _ <-chan struct{}) {
		_, _ = c.Write([]byte("\x16\x03\x01\x02\x00garbage\x00more\x00\n\n\x00:\n\n\x00"))
		drain(c)
	}, conformance.ExitInconclusive, "CONNECT is not answered"},
	{"floods", func(c *net.TCPConn, stop <-chan struct{}) {
		forever(c, []byte(strings.Repeat("MESSAGE\nx:y\n\nflood\x00\n", 1000)), stop)
	}, conformance.ExitInconclusive, ""},
	{"floods after CONNECTED", func(c *net.TCPConn, stop <-chan struct{}) {
		_, _ = io.WriteString(c, connected)
		forever(c, []byte(strings.Repeat("MESSAGE\nsubscription:probe\nmessage-id:1\ndestination:/q\n\nflood\x00\n", 1000)), stop)
	}, conformance.ExitInconclusive, ""},
	{"floods octets without end of frame", func(c *net.TCPConn, stop <-chan struct{}) {
		forever(c, make([]byte, 64<<10), stop)
	}, conformance.ExitInconclusive, ""},
	{"trickles", func(c *net.TCPConn, stop <-chan struct{}) {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				if _, err := c.Write([]byte{connected[min(i, len(connected)-2)]}); err != nil {
					return
				}
			}
		}
	}, conformance.ExitInconclusive, "CONNECT is not answered"},
	{"closes at once", func(*net.TCPConn, <-chan struct{}) {}, conformance.ExitInconclusive, "CONNECT is not answered"},
	{"closes inside a frame", func(c *net.TCPConn, _ <-chan struct{}) {
		_, _ = io.WriteString(c, connected[:20])
	}, conformance.ExitInconclusive, "CONNECT is not answered"},
	{"accepts and resets", func(c *net.TCPConn, _ <-chan struct{}) { _ = c.SetLinger(0) }, conformance.ExitInconclusive, ""},
	{"answers CONNECT and nothing else", func(c *net.TCPConn, _ <-chan struct{}) {
		_, _ = io.WriteString(c, connected)
		drain(c)
	}, conformance.ExitInconclusive, "and nothing after it"},
	{"answers everything with CONNECTED", func(c *net.TCPConn, _ <-chan struct{}) {
		for r := bufio.NewReader(c); ; {
			if _, err := r.ReadString(0); err != nil {
				return
			}
			_, _ = io.WriteString(c, connected)
		}
	}, conformance.ExitInconclusive, ""},
	{"answers everything with ERROR and stays", func(c *net.TCPConn, _ <-chan struct{}) {
		for r := bufio.NewReader(c); ; {
			if _, err := r.ReadString(0); err != nil {
				return
			}
			_, _ = io.WriteString(c, "ERROR\nmessage:no\n\n\x00")
		}
	}, conformance.ExitInconclusive, "CONNECT is not answered"},
}

// A hostile target never hangs the run: it ends with a whole result file and the right exit status,
// well within 25 seconds.
func TestHostileTargetsNeverHangTheRun(t *testing.T) {
	for _, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			address := listen(t, h.serve)
			target, err := conformance.ParseTarget("tcp://" + address)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			start := time.Now()
			res, err := conformance.Run(t.Context(), Server(), conformance.Config{Target: target, Out: dir})
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 25*time.Second {
				t.Errorf("the run took %v", took)
			}
			if res.Footer.Exit != h.exit {
				t.Errorf("exit %d, want %d", res.Footer.Exit, h.exit)
			}
			first := res.Cases[0]
			if first.Verdict != conformance.Inconclusive || !strings.Contains(first.Reason, h.why) || len(first.Transcript) == 0 {
				t.Errorf("first case is %s with %d records: %s", first.Verdict, len(first.Transcript), first.Reason)
			}
			for _, c := range res.Cases[1:] {
				if c.Verdict != conformance.Blocked && (c.Verdict != conformance.NotRun || !strings.Contains(c.ID, "/property/")) {
					t.Errorf("%s is %s: a target that cannot be judged is found out once", c.ID, c.Verdict)
				}
			}
			f, err := os.Open(filepath.Join(dir, "result.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := conformance.ReadResult(f); err != nil {
				t.Error(err)
			}
		})
	}
}

// listen serves connections on a free loopback port until the test ends.
func listen(t *testing.T, serve func(*net.TCPConn, <-chan struct{})) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		open = map[net.Conn]bool{}
		stop = make(chan struct{})
	)
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open[c] = true
			mu.Unlock()
			wg.Go(func() {
				serve(c.(*net.TCPConn), stop)
				c.Close()
				mu.Lock()
				delete(open, c)
				mu.Unlock()
			})
		}
	})
	t.Cleanup(func() {
		close(stop)
		l.Close()
		mu.Lock()
		for c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().String()
}

// A target that stops answering in the middle of a run blocks the rest of it and not the run itself.
func TestTargetThatGoesSilentBlocksTheRest(t *testing.T) {
	t.Parallel()
	ref, err := reference(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer ref.Stop()
	var mu sync.Mutex
	seen := 0
	// A proxy that carries the first connections and swallows everything afterwards.
	address := listen(t, func(c *net.TCPConn, _ <-chan struct{}) {
		mu.Lock()
		seen++
		n := seen
		mu.Unlock()
		if n > 30 {
			drain(c)
			return
		}
		up, err := net.Dial("tcp", ref.Address)
		if err != nil {
			return
		}
		defer up.Close()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = io.Copy(c, up)
			_ = c.CloseWrite()
		}()
		_, _ = io.Copy(up, c)
		_ = up.(*net.TCPConn).CloseWrite()
		<-done
	})
	target, err := conformance.ParseTarget("tcp://" + address)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	res, err := conformance.Run(t.Context(), Server(), conformance.Config{Target: target, Profile: ReferenceProfile()})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 25*time.Second {
		t.Errorf("the run took %v", took)
	}
	if res.Footer.Exit != conformance.ExitInconclusive || res.Footer.Stopped == "" || res.Footer.Counts[conformance.Blocked] == 0 {
		t.Errorf("exit %d, stopped %q, counts %v", res.Footer.Exit, res.Footer.Stopped, res.Footer.Counts)
	}
	if n := res.Footer.Counts[conformance.Fail]; n > 0 {
		t.Error(fmt.Sprint(n, " cases blame a target for silence that came later"))
	}
}
