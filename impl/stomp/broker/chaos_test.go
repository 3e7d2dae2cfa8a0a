package broker_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-6f28358b/assay/impl/stomp/broker"
	"github.com/seed-6f28358b/assay/impl/stomp/frame"
)

// TestNothingIsLostOrSettledTwice has consumers that come, acknowledge some and leave without a word, while
// producers send: in the end every message was acknowledged exactly once.
func TestNothingIsLostOrSettledTwice(t *testing.T) {
	// STOMP-SUBSCRIBE-008, STOMP-DISCONNECT-004, STOMP-RECEIPT-001
	const producers, each, consumers = 3, 200, 4
	b, addr := serve(t, broker.Config{})
	var all sync.WaitGroup
	for i := range producers {
		all.Go(func() {
			if err := produce(t, addr, i, each); err != nil {
				t.Errorf("producer %d: %v", i, err)
			}
		})
	}
	var left atomic.Int64
	left.Store(producers * each)
	var mu sync.Mutex
	settled := make(map[string]int)
	for i := range consumers {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		all.Go(func() {
			for left.Load() > 0 {
				got, err := consume(t, addr, versions[1+i%2], random.IntN(40), &left)
				mu.Lock()
				for _, body := range got {
					settled[body]++
				}
				mu.Unlock()
				if err != nil {
					t.Errorf("consumer %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	if len(settled) != producers*each {
		t.Errorf("%d messages were acknowledged, of %d", len(settled), producers*each)
	}
	for body, n := range settled {
		if n != 1 {
			t.Errorf("%s was acknowledged %d times", body, n)
		}
	}
	if s := b.Stats(); s.Messages != 0 || s.Acked != producers*each {
		t.Errorf("stats %+v", s)
	}
}

// talk opens a session for a goroutine that must not stop the test by itself.
func talk(t *testing.T, addr, version string) (*peer, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	p := newPeer(t, conn)
	if _, err := fmt.Fprintf(conn, "CONNECT\naccept-version:%s\nhost:h\n\n\x00", version); err != nil {
		return p, err
	}
	return p, p.hear(frame.CONNECTED)
}

func (p *peer) hear(command frame.Command) error {
	f, err := p.next(patience)
	if err == nil && f.Command != command {
		err = fmt.Errorf("got %v %q, want %v", f.Command, f.Headers, command)
	}
	return err
}

func produce(t *testing.T, addr string, who, n int) error {
	p, err := talk(t, addr, "1.2")
	if err != nil {
		return err
	}
	defer p.conn.Close()
	for i := range n {
		if _, err := fmt.Fprintf(p.conn, "SEND\ndestination:/queue/a\nreceipt:r\n\n%d-%d\x00", who, i); err != nil {
			return err
		}
		if err := p.hear(frame.RECEIPT); err != nil {
			return err
		}
	}
	return nil
}

// consume acknowledges up to n messages, each with a receipt, and leaves.
func consume(t *testing.T, addr, version string, n int, left *atomic.Int64) (got []string, err error) {
	p, err := talk(t, addr, version)
	if err != nil {
		return nil, err
	}
	defer p.conn.Close()
	if _, err := fmt.Fprintf(p.conn, "SUBSCRIBE\nid:s\ndestination:/queue/a\nack:client-individual\n\n\x00"); err != nil {
		return nil, err
	}
	// The receipt comes after the messages that are there, so that no consumer waits for what others have.
	if _, err := fmt.Fprintf(p.conn, "BEGIN\ntransaction:t\nreceipt:t\n\n\x00"); err != nil {
		return nil, err
	}
	mine, err := p.until()
	for i := 0; err == nil && i < min(n, len(mine)); i++ {
		if _, err = fmt.Fprintf(p.conn, "ACK\n%sreceipt:a\n\n\x00", ackHeaders(version, mine[i])); err != nil {
			break
		}
		var more []*frame.Frame
		if more, err = p.until(); err == nil {
			mine = append(mine, more...)
			got = append(got, string(mine[i].Body))
			left.Add(-1)
		}
	}
	return got, err
}

// until returns the messages that come before a receipt.
func (p *peer) until() (messages []*frame.Frame, err error) {
	for {
		f, err := p.next(patience)
		switch {
		case err != nil:
			return messages, err
		case f.Command == frame.RECEIPT:
			return messages, nil
		case f.Command != frame.MESSAGE:
			return messages, fmt.Errorf("got %v %q", f.Command, f.Headers)
		}
		messages = append(messages, f)
	}
}
