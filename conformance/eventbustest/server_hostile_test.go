package eventbustest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// A hostileServer does to each connection what serve says, until it is stopped.
type hostileServer struct {
	name  string
	serve func(c *net.TCPConn, stop <-chan struct{})
	why   string // part of the reason given for the first case
}

const chunkedHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

// over writes p again and again until the peer or the test has enough, or floodOctets are written.
func over(c net.Conn, p []byte, stop <-chan struct{}) {
	for sent := 0; sent < floodOctets; sent += len(p) {
		select {
		case <-stop:
			return
		default:
			if _, err := c.Write(p); err != nil {
				return
			}
		}
	}
	discard(c)
}

// floodOctets is what one flood is: more than a case takes in, and no more than two cores can send for every case.
const floodOctets = 12 << 20

func discard(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// says answers whatever comes with the same octets and goes on listening.
func says(octets string) func(*net.TCPConn, <-chan struct{}) {
	return func(c *net.TCPConn, _ <-chan struct{}) {
		_, _ = io.WriteString(c, octets)
		discard(c)
	}
}

// saysAndCloses answers with octets and ends the connection in an orderly way.
func saysAndCloses(octets string) func(*net.TCPConn, <-chan struct{}) {
	return func(c *net.TCPConn, _ <-chan struct{}) {
		_, _ = io.WriteString(c, octets)
		_ = c.CloseWrite()
		discard(c)
	}
}

var hostileServers = []hostileServer{
	{"never answers", func(c *net.TCPConn, _ <-chan struct{}) { discard(c) }, "no answer yet"},
	{"closes at once", func(*net.TCPConn, <-chan struct{}) {}, "the connection ended before the head was complete"},
	{"accepts and resets", func(c *net.TCPConn, _ <-chan struct{}) { _ = c.SetLinger(0) }, ""},
	{"answers no HTTP", says("\x16\x03\x01\x02\x00garbage"), "no HTTP"},
	{"answers half a head", says("HTTP/1.1 200 OK\r\nContent-Ty"), "no answer yet"},
	{"answers without end of head", func(c *net.TCPConn, stop <-chan struct{}) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		over(c, []byte(strings.Repeat("X: y\r\n", 1000)), stop)
	}, "no end of the head"},
	{"floods octets", func(c *net.TCPConn, stop <-chan struct{}) { over(c, make([]byte, 64<<10), stop) }, "no HTTP"},
	{"floods a body without end", func(c *net.TCPConn, stop <-chan struct{}) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
		over(c, make([]byte, 64<<10), stop)
	}, "text/plain"},
	{"lies about the length", saysAndCloses("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n{"), "application/json"},
	{"answers everything with 500", says("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"), "500"},
	{"answers everything with a stream that is cut in a chunk header", saysAndCloses(chunkedHead + "d\r\nretry: 3000\n\n\r\n1"), "expected a JSON answer"},
	{"answers everything with a chunk header that never ends", func(c *net.TCPConn, stop <-chan struct{}) {
		_, _ = io.WriteString(c, chunkedHead)
		over(c, []byte(strings.Repeat("0", 1000)), stop)
	}, "expected a JSON answer"},
	{"trickles", func(c *net.TCPConn, stop <-chan struct{}) {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				if _, err := c.Write([]byte{chunkedHead[min(i, len(chunkedHead)-3)]}); err != nil {
					return
				}
			}
		}
	}, "no answer yet"},
	{"opens sessions and no streams", withSessions(func(c *net.TCPConn, _ <-chan struct{}) { discard(c) }), "not answered with an event stream"},
	{"opens sessions and sends streams to a page", withSessions(says("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<hr>")), "text/html"},
	{"opens sessions and floods instead of a head", withSessions(func(c *net.TCPConn, stop <-chan struct{}) { over(c, make([]byte, 64<<10), stop) }), "no HTTP"},
}

// withSessions answers POST with a session and leaves the rest to serve.
func withSessions(serve func(*net.TCPConn, <-chan struct{})) func(*net.TCPConn, <-chan struct{}) {
	return func(c *net.TCPConn, stop <-chan struct{}) {
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		if req.Method == http.MethodGet {
			serve(c, stop)
			return
		}
		const answer = `{"sessionId":"one"}`
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(answer), answer)
	}
}

// hostileProfile spells requests as the reference's profile does, with short deadlines.
func hostileProfile() conformance.Profile {
	p := ServerProfile()
	p.Versions = laterOnly
	const short = conformance.Duration(300 * time.Millisecond)
	p.Deadlines = conformance.ProfileDeadlines{Reply: short, Close: short, Case: conformance.Duration(2 * time.Second)}
	return p
}

// A hostile target never hangs the run: it ends with a whole result file, within 25 seconds, and nothing is said of the target
// but that it cannot be judged.
func TestHostileServersNeverHangTheRun(t *testing.T) {
	for _, h := range hostileServers {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			res := judgeHostile(t, h.serve, conformance.Selection{})
			if res.Footer.Exit != conformance.ExitInconclusive {
				t.Errorf("exit %d, want %d", res.Footer.Exit, conformance.ExitInconclusive)
			}
			first := res.Cases[0]
			if first.Verdict != conformance.Inconclusive || !strings.Contains(first.Reason, h.why) || len(first.Transcript) == 0 {
				t.Errorf("first case is %s with %d records: %s", first.Verdict, len(first.Transcript), first.Reason)
			}
			for _, c := range res.Cases[1:] {
				if c.Verdict != conformance.Blocked {
					t.Errorf("%s is %s: a target that cannot be judged is found out once", c.ID, c.Verdict)
				}
			}
		})
	}
}

// So does one that begins well: a stream with the event that the probe published, and then the worst.
func TestServersThatTurnHostileNeverHangTheRun(t *testing.T) {
	turns := map[string]func(c *net.TCPConn, stop <-chan struct{}){
		"floods events": func(c *net.TCPConn, stop <-chan struct{}) {
			frame := strings.Repeat("id: 1\nevent: note\ndata: {\"id\":1,\"v\":1,\"type\":\"note\",\"data\":{}}\n\n", 200)
			over(c, fmt.Appendf(nil, "%x\r\n%s\r\n", len(frame), frame), stop)
		},
		"floods comments": func(c *net.TCPConn, stop <-chan struct{}) {
			over(c, fmt.Appendf(nil, "%x\r\n%s\r\n", 5000, strings.Repeat(": x\n\n", 1000)), stop)
		},
		"sends a line without end": func(c *net.TCPConn, stop <-chan struct{}) {
			over(c, fmt.Appendf(nil, "%x\r\n%s\r\n", 64<<10, strings.Repeat("x", 64<<10)), stop)
		},
		"cuts in a chunk header": func(c *net.TCPConn, _ <-chan struct{}) { _, _ = io.WriteString(c, "1") },
		"cuts in a chunk":        func(c *net.TCPConn, _ <-chan struct{}) { _, _ = io.WriteString(c, "ffff\r\nid: 1\n") },
		"resets":                 func(c *net.TCPConn, _ <-chan struct{}) { _ = c.SetLinger(0) },
		"sends bad chunks":       func(c *net.TCPConn, stop <-chan struct{}) { over(c, []byte("zz\r\nhello\r\n"), stop) },
		"goes silent":            func(c *net.TCPConn, _ <-chan struct{}) { discard(c) },
	}
	only := []string{
		"eventbus/server/frame/retry-first", "eventbus/server/frame/layout-of-live-events", "eventbus/server/resync/beyond-the-end",
		"eventbus/server/evict/clean-end", "eventbus/server/end/clean", "eventbus/server/limit/status-429",
	}
	for name, turn := range turns {
		t.Run(name, func(t *testing.T) {
			words := newWords()
			res := judgeHostile(t, func(c *net.TCPConn, stop <-chan struct{}) {
				r := bufio.NewReader(c)
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				if req.Method != http.MethodGet {
					body, _ := io.ReadAll(req.Body)
					if strings.HasSuffix(req.URL.Path, "/publish") {
						words.publish(string(body))
					}
					answer := `{"sessionId":"one"}`
					fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(answer), answer)
					return
				}
				const retry = "retry: 3000\n\n"
				fmt.Fprintf(c, "%s%x\r\n%s\r\n", chunkedHead, len(retry), retry)
				event := "id: 1\nevent: note\ndata: " + words.next(stop) + "\n\n"
				fmt.Fprintf(c, "%x\r\n%s\r\n", len(event), event)
				turn(c, stop)
			}, conformance.Selection{Only: only})
			judged := 0
			for _, c := range res.Cases {
				if c.Verdict != conformance.NotRun && c.Verdict != conformance.Unsupported {
					judged++
				}
				if c.Verdict == conformance.Pass && strings.Contains(c.ID, "/resync/") {
					t.Errorf("%s passes", c.ID)
				}
			}
			if judged < len(only) {
				t.Errorf("%d cases were judged or blocked", judged)
			}
		})
	}
}

// words hands what is published to the streams.
type words struct {
	mu   sync.Mutex
	last string
	more chan struct{}
}

func newWords() *words { return &words{more: make(chan struct{})} }

func (w *words) publish(body string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = body
	close(w.more)
	w.more = make(chan struct{})
}

// next returns the next event that is published.
func (w *words) next(stop <-chan struct{}) string {
	w.mu.Lock()
	more := w.more
	w.mu.Unlock()
	select {
	case <-more:
	case <-stop:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

func judgeHostile(t *testing.T, serve func(*net.TCPConn, <-chan struct{}), selection conformance.Selection) *conformance.Result {
	t.Helper()
	target, err := conformance.ParseTarget("http://" + serveHostile(t, serve))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	start := time.Now()
	res, err := conformance.Run(t.Context(), Server(), conformance.Config{Target: target, Profile: hostileProfile(), Out: dir, Selection: selection})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("the run took %v", took)
	}
	f, err := os.Open(filepath.Join(dir, "result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := conformance.ReadResult(f); err != nil {
		t.Error(err)
	}
	return res
}

// serveHostile serves connections on a free loopback port until the test ends.
func serveHostile(t *testing.T, serve func(*net.TCPConn, <-chan struct{})) string {
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
