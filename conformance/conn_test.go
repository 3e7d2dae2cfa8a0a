package conformance

import (
	"io"
	"testing"
	"time"
)

// endless is a stream that yields octets even after it was closed, as a TLS connection does with what it
// has already decrypted, until it has yielded so many more.
type endless struct {
	closed chan struct{}
	after  int
}

func (e *endless) Read(p []byte) (int, error) {
	select {
	case <-e.closed:
		if e.after--; e.after < 0 {
			return 0, io.ErrClosedPipe
		}
	default:
	}
	return len(p), nil
}

func (e *endless) Write(p []byte) (int, error)      { return len(p), nil }
func (e *endless) CloseWrite() error                { return nil }
func (e *endless) SetWriteDeadline(time.Time) error { return nil }
func (e *endless) Reset() error                     { return e.Close() }

func (e *endless) Close() error {
	select {
	case <-e.closed:
	default:
		close(e.closed)
	}
	return nil
}

// A connection whose buffer is full can be ended, whatever its stream still yields.
func TestFullConnectionEnds(t *testing.T) {
	for _, after := range []int{0, 1, 5} {
		c := newConn("a", &endless{closed: make(chan struct{}), after: after}, newTranscript(), time.Second)
		for {
			c.mu.Lock()
			full := c.size > maxUnread
			c.mu.Unlock()
			if full {
				break
			}
			<-c.wake
		}
		c.Close()
		if e, _ := c.Ending(); e != Ours {
			t.Errorf("ended as %v", e)
		}
	}
}
