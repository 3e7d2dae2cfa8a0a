package testee

import (
	"net"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-6f28358b/assay/conformance/testees/gotestee"
	"github.com/seed-6f28358b/assay/impl/stomp/broker"
)

// noticing tells of each connection that it takes.
type noticing struct {
	net.Listener
	taken chan struct{}
}

func (l noticing) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.taken <- struct{}{}
	}
	return c, err
}

// A connection that comes to be while its subject is closed is closed too, whichever is first.
func TestCloseBesideConnect(t *testing.T) {
	running := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, running) })
	b, err := broker.New(broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := noticing{tcp, make(chan struct{})}
	served := make(chan error, 1)
	go func() { served <- b.Serve(t.Context(), l) }()
	made := 0
	for i := range 200 {
		s := newSubject(tcp.Addr().String(), &gotestee.Events{})
		connected := make(chan error, 1)
		go func() {
			_, err := s.Connect(t.Context(), gotestee.Order{Version: "1.2"})
			connected <- err
		}()
		<-l.taken
		for range i {
			runtime.Gosched()
		}
		s.Close()
		if <-connected != nil {
			continue
		}
		made++
		select {
		case <-s.told:
		default:
			t.Fatal("closed, and its end is not told")
		}
	}
	t.Logf("%d of 200 were closed after they were made", made)
	if err := b.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	<-served
}
