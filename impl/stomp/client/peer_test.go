package client_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6f28358b/assay/impl/stomp/client"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// peer is a scripted server. It reads all that the client sends, unless it is told not to.
type peer struct {
	t      testing.TB
	conn   net.Conn
	frames chan *frame.Frame
	ended  chan struct{} // closed when the client has closed the connection

	mu     sync.Mutex
	octets []byte      // all that was read
	beats  []time.Time // when heart-beats came
}

func newPeer(t testing.TB, conn net.Conn) *peer {
	p := &peer{t: t, conn: conn, frames: make(chan *frame.Frame, 1<<14), ended: make(chan struct{})}
	go p.reading()
	return p
}

func (p *peer) reading() {
	defer close(p.ended)
	defer close(p.frames)
	d, err := frame.NewDecoder(frame.DecoderConfig{Version: frame.V12})
	if err != nil {
		p.t.Error(err)
		return
	}
	buf := make([]byte, 1024)
	for {
		n, err := p.conn.Read(buf)
		events, bad := d.Feed(buf[:n])
		if bad != nil {
			p.t.Errorf("the client sent %q: %v", buf[:n], bad)
			return
		}
		p.mu.Lock()
		p.octets = append(p.octets, buf[:n]...)
		for _, e := range events {
			if e.Frame == nil {
				p.beats = append(p.beats, time.Now())
				continue
			}
			p.frames <- e.Frame
		}
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// received returns how many octets came.
func (p *peer) received() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.octets)
}

// say sends octets.
func (p *peer) say(octets ...string) {
	p.t.Helper()
	if _, err := p.conn.Write([]byte(strings.Join(octets, ""))); err != nil {
		p.t.Errorf("the server says %.60q: %v", octets, err)
	}
}

// hear returns the next frame, which must have the command and the header values given.
func (p *peer) hear(command frame.Command, kv ...string) *frame.Frame {
	p.t.Helper()
	select {
	case f, ok := <-p.frames:
		if !ok || f.Command != command {
			p.t.Fatalf("heard %+v, want %v", f, command)
		}
		for i := 0; i < len(kv); i += 2 {
			if v, _ := f.Get(kv[i]); v != kv[i+1] {
				p.t.Fatalf("%v has %s %q, want %q", f.Command, kv[i], v, kv[i+1])
			}
		}
		return f
	case <-time.After(time.Minute):
		p.t.Fatalf("heard nothing, want %v", command)
		return nil
	}
}

// answer says RECEIPT to the next frame, which must have the command given.
func (p *peer) answer(command frame.Command) {
	p.t.Helper()
	id, _ := p.hear(command).Get("receipt")
	p.say(receipt(id))
}

func receipt(id string) string { return "RECEIPT\nreceipt-id:" + id + "\n\n\x00" }

// message is a MESSAGE for subscription s; id is its message-id and its ack.
func message(s, id, body string) string {
	return "MESSAGE\ndestination:/queue/a\nmessage-id:" + id + "\nsubscription:" + s + "\nack:" + id + "\n\n" + body + "\x00"
}

const connected = "CONNECTED\nversion:1.2\n\n\x00"

// pair returns the two ends of a connection in memory and closes the server's when the test ends.
func pair(t testing.TB) (ours, theirs net.Conn) {
	ours, theirs = net.Pipe()
	t.Cleanup(func() { _ = theirs.Close() })
	return ours, theirs
}

// connector is New, or the same with a connection over which calls read for themselves.
type connector func(context.Context, net.Conn, client.Config) (*client.Client, error)

func connectors() []connector { return []connector{client.New, client.NewEager} }

// meet connects a client to a peer that answers with the octets given.
func meet(t testing.TB, connect connector, cfg client.Config, answer string) (*client.Client, *peer, error) {
	t.Helper()
	ours, theirs := pair(t)
	p := newPeer(t, theirs)
	if cfg.Host == "" {
		cfg.Host = "h"
	}
	said := make(chan struct{})
	go func() {
		defer close(said)
		<-p.frames
		_, _ = theirs.Write([]byte(answer))
	}()
	c, err := connect(t.Context(), ours, cfg)
	<-said
	return c, p, err
}

// virtual runs f in a bubble of virtual time with a connected client.
func virtual(t *testing.T, cfg client.Config, f func(t *testing.T, c *client.Client, p *peer)) {
	t.Helper()
	answering(t, cfg, connected, f)
}

// answering is virtual with another answer to CONNECT.
func answering(t *testing.T, cfg client.Config, answer string, f func(t *testing.T, c *client.Client, p *peer)) {
	t.Helper()
	for _, connect := range connectors() {
		synctest.Test(t, func(t *testing.T) {
			c, p, err := meet(t, connect, cfg, answer)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = c.Close()
				_ = p.conn.Close()
				<-p.ended
			}()
			f(t, c, p)
		})
	}
}

// anything accepts every event.
func anything(client.Event) bool { return true }

func isKind(k interface{ String() string }) func(client.Event) bool {
	return func(e client.Event) bool { return e.Kind == k }
}

// waiting starts a wait and returns where its outcome goes, once it is registered.
func waiting(c *client.Client, within time.Duration, accept func(client.Event) bool) <-chan outcome {
	got := make(chan outcome, 1)
	go func() {
		e, err := c.Wait(context.Background(), within, accept)
		got <- outcome{e, err}
	}()
	synctest.Wait()
	return got
}

type outcome struct {
	event client.Event
	err   error
}

// subscribe makes a subscription with a frame.
func subscribe(t *testing.T, c *client.Client, p *peer, id, ack string) {
	t.Helper()
	if err := c.SendFrame(frame.New(frame.SUBSCRIBE, "id", id, "destination", "/queue/a", "ack", ack)); err != nil {
		t.Fatal(err)
	}
	p.hear(frame.SUBSCRIBE, "id", id)
}

// quiet checks that the client is open and holds nothing.
func quiet(t *testing.T, c *client.Client) {
	t.Helper()
	synctest.Wait()
	if s := c.Stats(); c.State() != client.Active || s.Waiters != 0 || s.Events != 0 || s.EventBytes != 0 || s.Buffered != 0 {
		t.Errorf("state %v, %+v, %v", c.State(), s, c.Err())
	}
}

// gone checks that the client is closed, holds nothing, and has closed the connection.
func gone(t *testing.T, c *client.Client, p *peer) {
	t.Helper()
	synctest.Wait()
	if s := c.Stats(); c.State() != client.Closed || s != (client.Stats{}) {
		t.Errorf("state %v, %+v", c.State(), s)
	}
	select {
	case <-c.Done():
	default:
		t.Error("Done is open")
	}
	select {
	case <-p.ended:
	default:
		t.Error("the connection is open")
	}
	if _, err := c.Wait(t.Context(), time.Second, anything); code(err) != client.Handle {
		t.Errorf("a wait on a closed client: %v", err)
	}
	// STOMP-CLIENT-010
	if err := c.SendFrame(frame.New(frame.CONNECT, "accept-version", "1.2", "host", "h")); code(err) != client.Handle {
		t.Errorf("CONNECT on a closed client: %v", err)
	}
}
