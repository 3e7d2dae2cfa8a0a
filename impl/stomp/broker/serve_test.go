package broker_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// script is a listener whose Accept does what it is told.
type script struct {
	steps  []func() (net.Conn, error)
	closed chan struct{}
	once   sync.Once
}

func (s *script) Accept() (net.Conn, error) {
	if len(s.steps) == 0 {
		<-s.closed
		return nil, net.ErrClosed
	}
	step := s.steps[0]
	s.steps = s.steps[1:]
	return step()
}

func (s *script) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func (s *script) Addr() net.Addr { return &net.TCPAddr{} }

func TestAcceptOutlivesAShortage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := broker.New(broker.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := net.Pipe()
		shortage := func() (net.Conn, error) {
			return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
		}
		broken := errors.New("broken")
		l := &script{closed: make(chan struct{}), steps: []func() (net.Conn, error){
			shortage, shortage, shortage,
			func() (net.Conn, error) { return theirs, nil },
			func() (net.Conn, error) { return nil, broken },
		}}
		start := time.Now()
		served := make(chan error, 1)
		go func() { served <- b.Serve(t.Context(), l) }()
		p := newPeer(t, ours)
		p.open("1.2")
		if d := time.Since(start); d != 35*time.Millisecond {
			t.Errorf("served after %v", d)
		}
		_ = ours.Close()
		if err := <-served; !errors.Is(err, broken) {
			t.Errorf("Serve: %v", err)
		}
	})
}

func TestUnixSocket(t *testing.T) {
	b, err := broker.New(broker.Config{LingerTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- b.Serve(context.Background(), l) }()
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	p := newPeer(t, conn)
	p.open("1.2")
	p.send("SEND\n\nx")
	p.refused("as over TCP", "without destination")
	_ = b.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestWebSocketHeartBeats(t *testing.T) {
	// STOMP-HEARTBEAT-004
	_, url := webSocket(t, broker.Config{HeartBeat: heartbeat.Pair{Send: 20}})
	c := dialWebSocket(t, url)
	say(t, c, websocket.MessageText, "CONNECT\naccept-version:1.2\nhost:h\nheart-beat:0,20\n\n\x00")
	hear(t, c, websocket.MessageText, "CONNECTED\n")
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		_, data, err := c.Read(ctx)
		cancel()
		if err != nil || string(data) != "\n" {
			t.Fatalf("got %q, %v", data, err)
		}
	}
}

func TestLoggerGetsRefusals(t *testing.T) {
	var mu sync.Mutex
	var text bytes.Buffer
	logger := slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return text.Write(p)
	}), nil))
	b, err := broker.New(broker.Config{Logger: logger, LingerTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	p, ended := pipe(t, b)
	p.open("1.2")
	p.send("SEND\n\nsecret")
	p.refused("logged", "without destination")
	<-ended
	mu.Lock()
	defer mu.Unlock()
	if got := text.String(); !strings.Contains(got, "level=INFO") || !strings.Contains(got, "conn=") || !strings.Contains(got, "remote=pipe") ||
		!strings.Contains(got, `error="SEND without destination"`) || strings.Contains(got, "secret") {
		t.Errorf("log: %s", got)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
