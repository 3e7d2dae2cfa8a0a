package fuzz

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// A party is one connection to the broker, with all that it heard.
type party struct {
	conn net.Conn
	sent int // messages, by work

	mu     sync.Mutex
	heard  []byte
	closed bool // by the broker
}

// join opens a connection that wait collects: the two goroutines end when it is closed.
func join(b *broker.Broker, wait *sync.WaitGroup) *party {
	client, server := net.Pipe()
	p := &party{conn: client}
	wait.Go(func() { _ = b.ServeConn(context.Background(), server) })
	wait.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := client.Read(buf)
			p.mu.Lock()
			p.heard = append(p.heard, buf[:n]...)
			p.closed = err != nil
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	return p
}

func (p *party) say(command frame.Command, kv ...string) error {
	body := ""
	if command == frame.SEND {
		body = kv[0]
		kv = kv[1:]
	}
	f := frame.New(command, kv...)
	f.Body = []byte(body)
	out, err := frame.Append(nil, frame.V12, f)
	if err != nil {
		return err
	}
	_, err = p.conn.Write(out)
	return err
}

// frames returns what was heard so far, read by the codec machine. Call it when all is at rest.
func (p *party) frames(start frame.Version) ([]*frame.Frame, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := twin{version: start, handshake: asClient, limits: frame.Limits{Line: 1 << 20, Headers: 1 << 20, Body: 1 << 20, Events: 1}}
	if o, err := w.run(octetwise(p.heard)); err != nil || o.rule != "" {
		return nil, fmt.Errorf("broker said %q: %q at %d, %w", p.heard, o.rule, o.octet, err)
	}
	events, _, err := decodeAll(start, p.heard, asClient)
	var out []*frame.Frame
	for _, e := range events {
		if e.Frame != nil {
			out = append(out, e.Frame)
		}
	}
	return out, err
}
