package eventbustest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/conformance/suitetest/peer"
)

const chunkedHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

var hostileServers = []suitetest.Hostile{
	{Name: "never answers", Serve: peer.Silent, Why: "no answer yet"},
	{Name: "closes at once", Serve: peer.Leaves(""), Why: "the connection ended before the head was complete"},
	{Name: "accepts and resets", Serve: peer.Resets},
	{Name: "answers no HTTP", Serve: peer.Says("\x16\x03\x01\x02\x00garbage", peer.Silent), Why: "no HTTP"},
	{Name: "answers half a head", Serve: peer.Says("HTTP/1.1 200 OK\r\nContent-Ty", peer.Silent), Why: "no answer yet"},
	{Name: "answers without end of head", Serve: peer.Says("HTTP/1.1 200 OK\r\n", floodsOf("X: y\r\n")), Why: "no end of the head"},
	{Name: "floods octets", Serve: floodsOf("\x00"), Why: "no HTTP"},
	{
		Name:  "floods a body without end",
		Serve: peer.Says("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", floodsOf("\x00")), Why: "text/plain",
	},
	{
		Name:  "lies about the length",
		Serve: peer.SaysAndCloses("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n{"), Why: "application/json",
	},
	{
		Name:  "answers everything with 500",
		Serve: peer.Says("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n", peer.Silent), Why: "500",
	},
	{
		Name:  "answers everything with a stream that is cut in a chunk header",
		Serve: peer.SaysAndCloses(chunkedHead + "d\r\nretry: 3000\n\n\r\n1"), Why: "expected a JSON answer",
	},
	{
		Name:  "answers everything with a chunk header that never ends",
		Serve: peer.Says(chunkedHead, floodsOf("0")), Why: "expected a JSON answer",
	},
	{Name: "trickles", Serve: peer.Trickles(strings.TrimSuffix(chunkedHead, "\r\n")), Why: "no answer yet"},
	{Name: "opens sessions and no streams", Serve: withSessions(peer.Silent), Why: "not answered with an event stream"},
	{
		Name:  "opens sessions and sends streams to a page",
		Serve: withSessions(peer.Says("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<hr>", peer.Silent)), Why: "text/html",
	},
	{Name: "opens sessions and floods instead of a head", Serve: withSessions(floodsOf("\x00")), Why: "no HTTP"},
}

// floodsOf is a flood of the same octets, some 64 KiB of them at a time.
func floodsOf(octets string) peer.Handler {
	return peer.Floods([]byte(strings.Repeat(octets, 64<<10/len(octets))))
}

// withSessions answers POST with a session and leaves the rest to serve.
func withSessions(serve peer.Handler) peer.Handler {
	return func(c *net.TCPConn, stop <-chan struct{}) {
		req, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		if req.Method == http.MethodGet {
			serve(c, stop)
			return
		}
		answerSession(c)
	}
}

// answerSession answers the request for a session.
func answerSession(c *net.TCPConn) {
	const answer = `{"sessionId":"one"}`
	fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(answer), answer)
}

// hostileProfile spells requests as the reference's profile does, with short deadlines.
func hostileProfile() conformance.Profile {
	p := ServerProfile()
	p.Versions = laterOnly
	const short = conformance.Duration(300 * time.Millisecond)
	p.Deadlines = conformance.ProfileDeadlines{Reply: short, Close: short, Case: conformance.Duration(2 * time.Second)}
	return p
}

// hostileTime is what a run on a hostile server may take, on a machine that does much else.
const hostileTime = 5 * time.Minute

// A hostile server never hangs the run.
func TestHostileServersNeverHangTheRun(t *testing.T) {
	suitetest.Survives(t, Server(), "http", hostileProfile(), hostileTime, hostileServers)
}

// So does one that begins well: a stream with the event that the probe published, and then the worst.
func TestServersThatTurnHostileNeverHangTheRun(t *testing.T) {
	chunk := func(octets string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(octets), octets) }
	only := []string{
		"eventbus/server/frame/retry-first", "eventbus/server/frame/layout-of-live-events", "eventbus/server/resync/beyond-the-end",
		"eventbus/server/evict/clean-end", "eventbus/server/end/clean", "eventbus/server/limit/status-429",
	}
	for name, turn := range map[string]peer.Handler{
		"floods events":            floodsOf(chunk(strings.Repeat("id: 1\nevent: note\ndata: {\"id\":1,\"v\":1,\"type\":\"note\",\"data\":{}}\n\n", 200))),
		"floods comments":          floodsOf(chunk(strings.Repeat(": x\n\n", 1000))),
		"sends a line without end": floodsOf(chunk(strings.Repeat("x", 63<<10))),
		"cuts in a chunk header":   peer.Leaves("1"),
		"cuts in a chunk":          peer.Leaves("ffff\r\nid: 1\n"),
		"resets":                   peer.Resets,
		"sends bad chunks":         floodsOf("zz\r\nhello\r\n"),
		"goes silent":              peer.Silent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words := newWords()
			address := peer.Serve(t, func(c *net.TCPConn, stop <-chan struct{}) {
				req, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				if req.Method != http.MethodGet {
					body, _ := io.ReadAll(req.Body)
					if strings.HasSuffix(req.URL.Path, "/publish") {
						words.publish(string(body))
					}
					answerSession(c)
					return
				}
				_, _ = io.WriteString(c, chunkedHead+chunk("retry: 3000\n\n"))
				_, _ = io.WriteString(c, chunk("id: 1\nevent: note\ndata: "+words.next(stop)+"\n\n"))
				turn(c, stop)
			})
			res := suitetest.Whole(t, Server(), conformance.Config{
				Target: suitetest.Target(t, "http://"+address), Profile: hostileProfile(), Selection: conformance.Selection{Only: only},
			}, hostileTime)
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
