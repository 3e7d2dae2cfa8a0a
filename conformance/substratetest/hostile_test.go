package substratetest

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suitetest"
	"github.com/seed-6f28358b/assay/conformance/suitetest/peer"
)

// hostilePeers are no substrates, each in its way.
var hostilePeers = []suitetest.Hostile{
	{Name: "never answers", Serve: peer.Silent, Why: "no answer to the request"},
	{Name: "closes at once", Serve: peer.Leaves(""), Why: "no answer to the request"},
	{Name: "resets", Serve: peer.Resets},
	{Name: "answers no HTTP", Serve: peer.SaysAndCloses("hello\r\n\r\n"), Why: "is no HTTP"},
	{Name: "answers with a page", Serve: peer.SaysAndCloses("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), Why: "answered with status 200"},
	{Name: "is not there", Serve: peer.SaysAndCloses("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), Why: "is / the path of a substrate?"},
	{Name: "accepts without the key", Serve: peer.Says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", peer.Silent), Why: "status 101"},
	{Name: "floods instead of a head", Serve: peer.Floods([]byte(strings.Repeat("x", 64<<10))), Why: "no end within 64 KiB"},
	{Name: "trickles", Serve: peer.Trickles("HTTP/1.1 101 Switching Protocols\r\nX"), Why: "no answer to the request"},
}

func hostileProfile() conformance.Profile {
	p := Profile()
	const short = conformance.Duration(300 * time.Millisecond)
	p.Deadlines = conformance.ProfileDeadlines{Reply: short, Close: short, Quiet: short / 3, Case: conformance.Duration(5 * time.Second)}
	return p
}

const hostileTime = time.Minute

// A hostile target never hangs the run.
func TestHostileTargetsNeverHangTheRun(t *testing.T) {
	p := hostileProfile()
	// The probe, which is to say what is wrong, asks once.
	p.Deadlines.Reply = conformance.Duration(2 * time.Second)
	suitetest.Survives(t, Suite(), "ws", p, hostileTime, hostilePeers)
}

// Nor does one that speaks WebSocket and is a substrate up to some point; nothing of what it does passes for a law kept.
func TestTargetsThatTurnHostileNeverHangTheRun(t *testing.T) {
	floods := func(op websocket.MessageType, b []byte) func(*http.Request, *websocket.Conn) {
		return func(r *http.Request, c *websocket.Conn) {
			for range 4000 {
				if c.Write(r.Context(), op, b) != nil {
					return
				}
			}
		}
	}
	for name, serve := range map[string]func(*http.Request, *websocket.Conn){
		"says nothing":      func(r *http.Request, c *websocket.Conn) { _, _, _ = c.Read(r.Context()) },
		"echoes":            func(r *http.Request, c *websocket.Conn) { echo(r, c) },
		"floods octets":     floods(websocket.MessageBinary, make([]byte, 4<<10)),
		"floods text":       floods(websocket.MessageText, []byte(strings.Repeat("x", 4<<10))),
		"floods hello_ok":   floods(websocket.MessageBinary, encode(map[string]any{"t": "hello_ok"})),
		"sends a large one": floods(websocket.MessageBinary, make([]byte, 5<<20)),
		"closes":            func(_ *http.Request, c *websocket.Conn) { _ = c.Close(4002, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				c, err := websocket.Accept(w, r, nil)
				if err != nil {
					return
				}
				defer func() { _ = c.CloseNow() }()
				serve(r, c)
			}))
			t.Cleanup(server.Close)
			res := suitetest.Whole(t, Suite(), conformance.Config{
				Target: suitetest.Target(t, "ws://"+server.Listener.Addr().String()), Profile: hostileProfile(),
			}, hostileTime)
			if res.Footer.Counts[conformance.Pass] > 0 || res.Footer.Exit != conformance.ExitInconclusive {
				t.Errorf("exit %d, %v", res.Footer.Exit, res.Footer.Counts)
			}
		})
	}
}

func echo(r *http.Request, c *websocket.Conn) {
	for {
		op, b, err := c.Read(r.Context())
		if err != nil || c.Write(r.Context(), op, b) != nil {
			return
		}
	}
}

// What is no WebSocket, or breaks its rules, is told and never taken for a message.
func TestBrokenWebSockets(t *testing.T) {
	for name, octets := range map[string]string{
		"masked": "\x82\x81\x00\x00\x00\x00x", "reserved bits": "\xf2\x01x", "continues nothing": "\x80\x01x", "unknown kind": "\x83\x01x",
		"without end": "\x82\x7f\x00\x00\x00\x00\xff\xff\xff\xff",
	} {
		s := &socket{buf: []byte(octets)}
		for s.why == "" && s.take(time.Time{}) {
		}
		if s.why == "" || len(s.in) > 0 {
			t.Errorf("%s: %d messages, told %q", name, len(s.in), s.why)
		}
	}
	s := &socket{buf: []byte("\x02\x01a\x00\x01b\x80\x01c\x81\x7e\x00\x03xyz\x82")}
	for s.take(time.Time{}) {
	}
	if len(s.in) != 2 || string(s.in[0].payload) != "abc" || s.in[0].op != opBinary || string(s.in[1].payload) != "xyz" || s.in[1].op != opText || s.why != "" {
		t.Errorf("%+v, %q", s.in, s.why)
	}
}

// A target that dies in the middle of a run ends it.
func TestATargetThatDiesEndsTheRun(t *testing.T) {
	t.Parallel()
	address, stop, err := serveReference(asItIs[http.Handler], asItIs)
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan struct{}, 100)
	front := peer.Serve(t, peer.Nth(func(n int64) peer.Handler {
		if n > 12 {
			return peer.Resets
		}
		return func(c *net.TCPConn, stop <-chan struct{}) {
			conns <- struct{}{}
			peer.Relays(address, nil)(c, stop)
		}
	}))
	defer stop()
	res := suitetest.Whole(t, Suite(), conformance.Config{
		Target: suitetest.Target(t, "ws://"+front+"/"), Profile: hostileProfile(), Selection: conformance.Selection{Only: []string{"substrate/peer/verb/*"}},
	}, hostileTime)
	if n := res.Footer.Counts[conformance.Fail]; n > 1 || res.Footer.Exit == conformance.ExitHeld {
		t.Errorf("exit %d, %v", res.Footer.Exit, res.Footer.Counts)
	}
}
