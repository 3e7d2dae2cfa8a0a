package client

import (
	"crypto/tls"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// piece is how many octets one write carries at most, so that it is known how many are left.
	piece = 64 << 10
	// linger is how long an orderly end may take once all is written.
	linger = time.Second
)

// transport is a connection that carries a stream of frames. One goroutine reads, and one at a time writes.
type transport interface {
	read(p []byte) (int, error)
	// write writes batch, at most a piece at a time, each within the time given, and calls done with the number of
	// octets of each; ends tells where frames end in batch, if the transport is framed.
	write(batch []byte, ends []int, within time.Duration, done func(int)) error
	// try writes as much of batch as needs no waiting.
	try(batch []byte) int
	// quick reports whether try ever writes anything.
	quick() bool
	// leave tells the server that nothing more will come, and takes at most about the time given.
	leave(within time.Duration)
	// readBy bounds all reading.
	readBy(time.Time)
	// abort closes at once. It may be called at any time, more than once.
	abort()
	// framed reports whether frames must be kept apart.
	framed() bool
}

// stream is a transport over a connection that is a stream itself.
type stream struct {
	conn   net.Conn
	direct *direct // nil if there is no way to write without waiting
	once   sync.Once
}

func newStream(c net.Conn) *stream { return &stream{conn: c, direct: newDirect(c)} }

func (s *stream) read(p []byte) (int, error) { return s.conn.Read(p) }

func (s *stream) write(batch []byte, _ []int, within time.Duration, done func(int)) error {
	waited := false
	for len(batch) > 0 {
		p := batch[:min(len(batch), piece)]
		n := s.try(p)
		if n < len(p) {
			waited = true
			_ = s.conn.SetWriteDeadline(time.Now().Add(within))
			m, err := s.conn.Write(p[n:])
			if err != nil {
				return err
			}
			if n += m; n < len(p) {
				return io.ErrShortWrite
			}
		}
		done(len(p))
		batch = batch[n:]
	}
	if waited && s.direct != nil {
		// A deadline that passed would stop what comes later without waiting too.
		_ = s.conn.SetWriteDeadline(time.Time{})
	}
	return nil
}

func (s *stream) try(batch []byte) int {
	if s.direct == nil {
		return 0
	}
	return s.direct.write(batch)
}

func (s *stream) quick() bool { return s.direct != nil }

func (s *stream) leave(within time.Duration) {
	c, ok := s.conn.(interface{ CloseWrite() error })
	if !ok {
		s.abort()
		return
	}
	// Some have to write for that.
	stop := time.AfterFunc(within, s.abort)
	defer stop.Stop()
	if c.CloseWrite() != nil {
		s.abort()
	}
}

func (s *stream) readBy(t time.Time) { _ = s.conn.SetReadDeadline(t) }

func (s *stream) abort() {
	s.once.Do(func() {
		if t, ok := s.conn.(*tls.Conn); ok {
			// Without saying goodbye, which may take a while.
			_ = t.NetConn().Close()
		}
		_ = s.conn.Close()
	})
}

func (s *stream) framed() bool { return false }
