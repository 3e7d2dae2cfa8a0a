package substrate_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/impl/pipenet"
	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/engine"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// A world is a network with what listens and dials on it.
type world struct {
	t      *testing.T
	net    net.Listener // what a listener accepts from
	target atomic.Pointer[pipenet.Network]
	url    string
	client *http.Client
	ends   []func()

	listener *substrate.Listener
}

// later has something done at the end, the latest first.
func (w *world) later(f func()) { w.ends = append(w.ends, f) }

func (w *world) end() {
	for i := len(w.ends) - 1; i >= 0; i-- {
		w.ends[i]()
	}
	w.ends = nil
}

// virtual runs a test in a bubble, over pipes.
func virtual(t *testing.T, run func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, url: "ws://gate/"}
		w.retarget(pipenet.New())
		transport := &http.Transport{DialContext: w.dialPipe, DisableKeepAlives: true}
		w.client = &http.Client{Transport: transport}
		w.later(transport.CloseIdleConnections)
		run(w)
		w.end()
	})
}

// retarget has what dials reach another network.
func (w *world) retarget(p *pipenet.Network) {
	w.net = p
	w.target.Store(p)
}

func (w *world) dialPipe(ctx context.Context, network, addr string) (net.Conn, error) {
	return w.target.Load().Dial(ctx, network, addr)
}

// actual is a world of sockets on loopback. What it has opened ends with the test.
func actual(t *testing.T) *world {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	w := &world{t: t, net: ln, url: "ws://" + ln.Addr().String() + "/", client: &http.Client{Transport: transport}}
	t.Cleanup(func() {
		w.end()
		transport.CloseIdleConnections()
		_ = ln.Close()
	})
	return w
}

var key = handshake.Key{1, 2, 3}

// keys knows everybody by one key.
func keys(string) (handshake.Record, bool) { return handshake.Record{Key: key}, true }

// config is enough for two peers that trust each other.
func config(id string) substrate.Config {
	return substrate.Config{
		ID: id, Auth: handshake.HMAC(keys), Authorize: engine.AllowAll,
		Backoff: func(most time.Duration) time.Duration { return min(most, 10*time.Millisecond) },
	}
}

// listen serves a listener until the end.
func (w *world) listen(c substrate.Config) *substrate.Listener {
	w.t.Helper()
	l, stop := w.listenOn(w.net, c)
	w.listener = l
	w.later(stop)
	return l
}

// listenPeer returns a peer of the listener that was made last.
func (w *world) listenPeer(id string) *substrate.Peer { return w.listener.Peer(id) }

// listenOn serves a listener until stop.
func (w *world) listenOn(ln net.Listener, c substrate.Config) (l *substrate.Listener, stop func()) {
	w.t.Helper()
	l, err := substrate.NewListener(c)
	if err != nil {
		w.t.Fatal(err)
	}
	server := &http.Server{Handler: l}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(ln) })
	return l, sync.OnceFunc(func() {
		if err := l.Close(context.Background()); err != nil {
			w.t.Errorf("close the listener: %v", err)
		}
		_ = server.Close()
		serving.Wait()
	})
}

// dial dials until the end.
func (w *world) dial(c substrate.Config) *substrate.Peer {
	w.t.Helper()
	c.Client = w.client
	p, err := substrate.Dial(w.t.Context(), w.url, c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.later(func() {
		if err := p.Close(context.Background()); err != nil {
			w.t.Errorf("close a peer: %v", err)
		}
	})
	return p
}

// A record is what a handler was given, in order.
type record struct {
	mu    sync.Mutex
	bodys map[string][]string // of messages, by object
	ended map[string][]string // codes, by object
	event []substrate.Event
	grown chan struct{}
}

// note changes the record.
func (r *record) note(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bodys == nil {
		r.bodys, r.ended = map[string][]string{}, map[string][]string{}
	}
	f()
	if r.grown != nil {
		close(r.grown)
		r.grown = nil
	}
}

// got returns the messages of an object.
func (r *record) got(obj string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bodys[obj])
}

// until waits for the record to be so.
func (r *record) until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for {
		r.mu.Lock()
		ok := so()
		if r.grown == nil {
			r.grown = make(chan struct{})
		}
		grown := r.grown
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-grown:
		case <-t.Context().Done():
			t.Fatalf("%s: %v", what, t.Context().Err())
		}
	}
}

// handler accepts everything, answers requests with what they ask, and records.
func (r *record) handler(t *testing.T) substrate.Handler {
	return substrate.Handler{
		Open: func(ctx context.Context, o *substrate.Opening) {
			if err := o.Accept(ctx); err != nil {
				t.Errorf("accept %s: %v", o.Object.Address(), err)
			}
		},
		Send: func(_ context.Context, m *substrate.Message) error {
			r.note(func() { r.bodys[m.Object.Address()] = append(r.bodys[m.Object.Address()], string(m.Body)) })
			return nil
		},
		Req: func(_ context.Context, q *substrate.Request) ([]byte, error) {
			return append([]byte("re:"), q.Body...), nil
		},
		Closed: func(_ *substrate.Peer, obj, code string) {
			r.note(func() { r.ended[obj] = append(r.ended[obj], code) })
		},
		Event: func(e substrate.Event) { r.note(func() { r.event = append(r.event, e) }) },
	}
}

// must fails the test if something did.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantCode wants an [substrate.Error] with a code.
func wantCode(t *testing.T, why string, err error, code string) {
	t.Helper()
	var e *substrate.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: got %v, want code %s", why, err, code)
	}
}

func TestMain(m *testing.M) {
	if spec := os.Getenv(childRole); spec != "" {
		if err := runChild(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
