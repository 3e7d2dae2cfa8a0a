package broker_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

func TestShutdownLetsSessionsFinish(t *testing.T) {
	b, addr := serve(t, broker.Config{})
	idle := session(t, addr, "1.2")
	waiting, ended := pipe(t, b)
	waiting.open("1.2")
	waiting.send("SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
	for range 5 {
		waiting.send("SEND\ndestination:/queue/a\nreceipt:r\n\n" + strings.Repeat("x", 1000))
	}
	for b.Stats().Published < 5 {
		runtime.Gosched()
	}
	done := make(chan error, 1)
	go func() { done <- b.Shutdown(context.Background()) }()
	idle.closed("an idle session is closed")
	_ = idle.conn.Close()
	for range 5 {
		waiting.expect("what waited is written", frame.MESSAGE)
		waiting.expect("what waited is written", frame.RECEIPT)
	}
	waiting.closed("then it is closed")
	if err := <-ended; err != nil {
		t.Errorf("ServeConn: %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if c, err := net.Dial("tcp", addr); err == nil {
		_ = c.Close()
		t.Error("the listener is still open")
	}
	ours, theirs := net.Pipe()
	if err := b.ServeConn(context.Background(), theirs); !errors.Is(err, broker.ErrClosed) {
		t.Errorf("ServeConn after Shutdown: %v", err)
	}
	_ = ours.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Serve(context.Background(), l); !errors.Is(err, broker.ErrClosed) {
		t.Errorf("Serve after Shutdown: %v", err)
	}
	if err := b.Shutdown(context.Background()); err != nil {
		t.Errorf("second Shutdown: %v", err)
	}
	if s := b.Stats(); s.Connections != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestShutdownIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := broker.New(broker.Config{LingerTimeout: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		stuck, ended := pipe(t, b)
		stuck.open("1.2")
		stuck.send("BEGIN\ntransaction:t\nreceipt:r\n\n")
		// Its receipt waits to be read.
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := b.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("Shutdown after %v: %v", time.Since(start), err)
		}
		<-ended
		_ = stuck.conn.Close()
	})
}

func TestServeEndsWithItsContext(t *testing.T) {
	b, err := broker.New(broker.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- b.Serve(ctx, l) }()
	p := session(t, l.Addr().String(), "1.2")
	other, ended := pipe(t, b)
	other.open("1.2")
	cancel()
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	p.closed("its connections end with it")
	other.quiet("others do not")
	_ = b.Close()
	<-ended
}
