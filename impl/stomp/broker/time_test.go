package broker_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
	"github.com/seed-6f28358b/assay/impl/stomp/heartbeat"
)

// virtual runs f in a bubble of virtual time, with a broker and one connection to it.
func virtual(t *testing.T, cfg broker.Config, f func(t *testing.T, b *broker.Broker, p *peer, ended <-chan error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b, err := broker.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		p, ended := pipe(t, b)
		f(t, b, p, ended)
		_ = p.conn.Close()
		_ = b.Close()
		synctest.Wait()
	})
}

// arrivals reads from p until the stream ends, for at most d, and returns when octets came.
func (p *peer) arrivals(d time.Duration) (at []time.Duration, text string) {
	start := time.Now()
	_ = p.conn.SetReadDeadline(start.Add(d))
	buf := make([]byte, 4096)
	for {
		n, err := p.conn.Read(buf)
		if err != nil {
			return at, text
		}
		at, text = append(at, time.Since(start)), text+string(buf[:n])
	}
}

func TestConnectMustComeInTime(t *testing.T) {
	virtual(t, broker.Config{ConnectTimeout: 3 * time.Second}, func(t *testing.T, _ *broker.Broker, p *peer, ended <-chan error) {
		trickled := make(chan struct{})
		defer func() { <-trickled }()
		go func() {
			defer close(trickled)
			// A trickle does not count.
			for _, c := range "CONNECT\naccept-version:1.2\n" {
				if _, err := io.WriteString(p.conn, string(c)); err != nil {
					return
				}
				time.Sleep(time.Second)
			}
		}()
		at, text := p.arrivals(time.Minute)
		if len(at) != 1 || at[0] != 3*time.Second || !strings.HasPrefix(text, "ERROR\nmessage:no CONNECT in time\n") {
			t.Errorf("at %v: %q", at, text)
		}
		if err := <-ended; !errors.As(err, new(*broker.Problem)) {
			t.Errorf("ServeConn: %v", err)
		}
	})
}

func TestBrokerKeepsItsHeartBeatPromise(t *testing.T) {
	// STOMP-HEARTBEAT-004, STOMP-HEARTBEAT-006, STOMP-HEARTBEAT-003
	for _, v := range versions[1:] {
		virtual(t, broker.Config{HeartBeat: heartbeat.Pair{Send: 1000}}, func(t *testing.T, _ *broker.Broker, p *peer, _ <-chan error) {
			p.open(v, "heart-beat:0,2000")
			at, text := p.arrivals(20 * time.Second)
			if strings.Trim(text, "\n") != "" || len(at) < 9 {
				t.Errorf("idle for ten intervals: %q at %v", text, at)
			}
			last := time.Duration(0)
			for _, now := range at {
				if gap := now - last; gap > 2*time.Second || gap < time.Second {
					t.Errorf("a gap of %v at %v", gap, now)
				}
				last = now
			}
		})
	}
}

func TestSilentPeerIsClosed(t *testing.T) {
	// STOMP-HEARTBEAT-008, STOMP-HEARTBEAT-003
	virtual(t, broker.Config{HeartBeat: heartbeat.Pair{Want: 500}, Tolerance: 100 * time.Millisecond}, func(t *testing.T, _ *broker.Broker, p *peer, ended <-chan error) {
		p.open("1.2", "heart-beat:1000,0")
		at, text := p.arrivals(time.Minute)
		if len(at) != 1 || at[0] != 1101*time.Millisecond || !strings.HasPrefix(text, "ERROR\nmessage:no heart-beat in time\n") {
			t.Errorf("at %v: %q", at, text)
		}
		<-ended
	})
}

func TestAnyOctetProvesLife(t *testing.T) {
	// STOMP-HEARTBEAT-007
	virtual(t, broker.Config{HeartBeat: heartbeat.Pair{Want: 1000}, Tolerance: time.Millisecond}, func(t *testing.T, _ *broker.Broker, p *peer, _ <-chan error) {
		p.open("1.2", "heart-beat:1000,0")
		for _, c := range "SEND\ndestination:/topic/a\nreceipt:slow\n\nbody\x00" {
			time.Sleep(900 * time.Millisecond)
			p.raw(string(c))
		}
		p.expect("the trickled frame", frame.RECEIPT, "receipt-id", "slow")
	})
}

func TestNoHeartBeatsUnlessAgreed(t *testing.T) {
	// STOMP-HEARTBEAT-002, STOMP-HEARTBEAT-003
	for _, c := range []struct{ version, header string }{{"1.2", "x:y"}, {"1.2", "heart-beat:0,0"}, {"1.0", "heart-beat:10,10"}} {
		virtual(t, broker.Config{HeartBeat: heartbeat.Pair{Send: 1000, Want: 1000}}, func(t *testing.T, _ *broker.Broker, p *peer, _ <-chan error) {
			p.open(c.version, c.header)
			if at, text := p.arrivals(time.Hour); len(at) > 0 {
				t.Errorf("%s %s: %q at %v", c.version, c.header, text, at)
			}
			p.quiet("still there")
		})
	}
}

func TestTrafficReplacesBeats(t *testing.T) {
	// STOMP-HEARTBEAT-004
	virtual(t, broker.Config{HeartBeat: heartbeat.Pair{Send: 1000}}, func(t *testing.T, _ *broker.Broker, p *peer, _ <-chan error) {
		p.open("1.2", "heart-beat:0,1000")
		for range 20 {
			time.Sleep(700 * time.Millisecond)
			p.quiet("a frame every 700 ms")
		}
		if p.beats > 0 {
			t.Errorf("%d beats between frames", p.beats)
		}
	})
}

func TestPeerThatDoesNotReadIsClosed(t *testing.T) {
	virtual(t, broker.Config{WriteTimeout: 5 * time.Second}, func(t *testing.T, _ *broker.Broker, p *peer, ended <-chan error) {
		start := time.Now()
		p.send("CONNECT\naccept-version:1.2\nhost:h\n\n")
		// What the writer met is told, not what the reader met because of it.
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 5*time.Second {
			t.Errorf("ended after %v: %v", time.Since(start), err)
		}
	})
}

// deaf is a connection whose reads fail once it has brought what it had.
type deaf struct {
	net.Conn
	text io.Reader
	err  error
}

func (d deaf) Read(p []byte) (int, error) {
	if n, err := d.text.Read(p); err == nil {
		return n, nil
	}
	// What came is answered meanwhile.
	time.Sleep(time.Second)
	return 0, d.err
}

func TestWhyAConnectionFailedIsTold(t *testing.T) {
	broken, enough := errors.New("broken"), errors.New("enough")
	for want, stop := range map[error]bool{broken: false, enough: true} {
		synctest.Test(t, func(t *testing.T) {
			b, err := broker.New(broker.Config{})
			if err != nil {
				t.Fatal(err)
			}
			ours, theirs := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, ours) }()
			ctx, cancel := context.WithCancelCause(context.Background())
			if stop {
				cancel(enough)
			}
			conn := deaf{theirs, strings.NewReader("CONNECT\naccept-version:1.2\nhost:h\n\n\x00"), broken}
			if err := b.ServeConn(ctx, conn); err != want {
				t.Errorf("ended with %v, want %v", err, want)
			}
			cancel(nil)
			_ = ours.Close()
		})
	}
}

func TestPeerThatDoesNotReadItsErrorIsClosed(t *testing.T) {
	virtual(t, broker.Config{LingerTimeout: time.Second}, func(t *testing.T, _ *broker.Broker, p *peer, ended <-chan error) {
		p.open("1.2")
		start := time.Now()
		p.send("BOGUS\n\n")
		if err := <-ended; !errors.As(err, new(*broker.Problem)) || time.Since(start) != time.Second {
			t.Errorf("ended after %v: %v", time.Since(start), err)
		}
	})
}

// halfPipe is the end of a pipe that claims to be closed for writing only.
type halfPipe struct{ net.Conn }

func (halfPipe) CloseWrite() error { return nil }

func TestLingeringIsBounded(t *testing.T) {
	for _, last := range []string{"DISCONNECT\nreceipt:r\n\n", "BOGUS\n\n"} {
		for _, chatty := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				b, err := broker.New(broker.Config{LingerTimeout: 3 * time.Second, LingerBytes: 100})
				if err != nil {
					t.Fatal(err)
				}
				ours, theirs := net.Pipe()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_ = b.ServeConn(context.Background(), halfPipe{theirs})
				}()
				p := newPeer(t, ours)
				p.open("1.2")
				p.send(last)
				if _, err := p.next(patience); err != nil {
					t.Fatal(err)
				}
				start, sent := time.Now(), 0
				for chatty {
					n, err := ours.Write(make([]byte, 10))
					if sent += n; err != nil {
						break
					}
				}
				<-ended
				want := 3 * time.Second
				if chatty {
					want = 0
				}
				if d := time.Since(start); d != want || sent > 100 {
					t.Errorf("%q: closed after %v and %d octets", last, d, sent)
				}
				_ = ours.Close()
			})
		}
	}
}

// STOMP-CONNECT-008: one that is refused is read for a while, too, or its ERROR would be lost to a reset.
func TestRefusalLingers(t *testing.T) {
	for _, chatty := range []bool{false, true} {
		virtual(t, broker.Config{Limits: broker.Limits{Connections: 1}, LingerTimeout: 3 * time.Second, LingerBytes: 100}, func(t *testing.T, b *broker.Broker, p *peer, _ <-chan error) {
			p.open("1.2")
			ours, theirs := net.Pipe()
			ended := make(chan error, 1)
			go func() { ended <- b.ServeConn(context.Background(), halfPipe{theirs}) }()
			second := newPeer(t, ours)
			if _, err := second.next(patience); err != nil {
				t.Fatal(err)
			}
			start, sent := time.Now(), 0
			for chatty {
				n, err := ours.Write(make([]byte, 10))
				if sent += n; err != nil {
					break
				}
			}
			if err := <-ended; err == nil || !strings.Contains(err.Error(), "too many connections") {
				t.Errorf("ended with %v", err)
			}
			want := 3 * time.Second
			if chatty {
				want = 0
			}
			if d := time.Since(start); d != want || chatty && sent != 100 {
				t.Errorf("closed after %v and %d octets", d, sent)
			}
			_ = ours.Close()
		})
	}
}

func TestPeerThatReadsSlowlyGetsAllBeforeItsLastReceipt(t *testing.T) {
	virtual(t, broker.Config{LingerTimeout: time.Second, WriteTimeout: time.Minute}, func(t *testing.T, b *broker.Broker, p *peer, _ <-chan error) {
		p.open("1.2")
		p.send("SUBSCRIBE\nid:s\ndestination:/queue/a\n\n")
		for range 3 {
			p.send("SEND\ndestination:/queue/a\n\n" + strings.Repeat("x", 70000))
		}
		p.send("DISCONNECT\nreceipt:r\n\n")
		for range 3 {
			// A batch takes longer than LingerTimeout.
			time.Sleep(5 * time.Second)
			p.expect("slowly", frame.MESSAGE)
		}
		p.expect("at last", frame.RECEIPT, "receipt-id", "r")
	})
}

func TestSlowAuthenticationIsBounded(t *testing.T) {
	cfg := broker.Config{
		ConnectTimeout: 2 * time.Second,
		Authenticate: func(ctx context.Context, login, passcode string) error {
			if login == "quick" && passcode == "p" {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		},
	}
	virtual(t, cfg, func(t *testing.T, b *broker.Broker, p *peer, ended <-chan error) {
		p.send("CONNECT\naccept-version:1.2\nhost:h\nlogin:slow\n\n")
		other, _ := pipe(t, b)
		other.open("1.2", "login:quick", "passcode:p")
		other.quiet("nobody else waits")
		start := time.Now()
		p.expect("too late", frame.ERROR)
		p.closed("too late")
		<-ended
		if d := time.Since(start); d != 2*time.Second {
			t.Errorf("refused after %v", d)
		}
		_ = other.conn.Close()
	})
}

func TestContextEndsAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := broker.New(broker.Config{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ours, theirs := net.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- b.ServeConn(ctx, theirs) }()
		p := newPeer(t, ours)
		p.open("1.2")
		cancel()
		<-ended
		p.closed("the context is done")
	})
}
