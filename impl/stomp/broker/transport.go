package broker

import (
	"errors"
	"net"
	"time"
)

// transport is a connection that carries a stream of frames.
type transport interface {
	// read fills p with octets of the stream.
	read(p []byte) (int, error)
	// write writes all of batch by the time given to writeBy; ends tells where each ends, if the transport is framed.
	write(batch []byte, ends []int) error
	// try writes as much of batch as can be written with little waiting, and reports false if the transport
	// cannot do that. It is never called while write is running.
	try(batch []byte) (int, bool)
	readBy(time.Time)
	writeBy(time.Time)
	// closeWrite tells the peer that no more will come, or reports that it cannot.
	closeWrite() error
	// close closes at once; it may be called at any time, more than once.
	close()
	framed() bool
	remote() string
}

// stream is a transport over a connection that is a stream itself.
type stream struct {
	net.Conn
	quick bool      // a write that times out leaves the connection usable
	until time.Time // the write deadline that try set last
}

func newStream(nc net.Conn) *stream {
	s := &stream{Conn: nc}
	switch nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		s.quick = true
	}
	return s
}

func (s *stream) read(p []byte) (int, error) { return s.Read(p) }

func (s *stream) write(batch []byte, _ []int) error {
	s.until = time.Time{}
	_, err := s.Write(batch)
	return err
}

// patience bounds how long a reader may be kept from reading by writing.
const patience = 50 * time.Millisecond

func (s *stream) try(batch []byte) (int, bool) {
	if !s.quick {
		return 0, false
	}
	// Setting a deadline costs more than reading the clock, so one serves many writes.
	if now := time.Now(); s.until.Sub(now) < patience/2 {
		s.until = now.Add(patience)
		_ = s.SetWriteDeadline(s.until)
	}
	n, _ := s.Write(batch)
	return n, true
}

func (s *stream) readBy(t time.Time) { _ = s.SetReadDeadline(t) }

func (s *stream) writeBy(t time.Time) {
	_ = s.SetWriteDeadline(t)
}

func (s *stream) closeWrite() error {
	if c, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}

func (s *stream) close() { _ = s.Close() }

func (s *stream) framed() bool { return false }

func (s *stream) remote() string {
	if a := s.RemoteAddr(); a != nil {
		return a.String()
	}
	return ""
}
