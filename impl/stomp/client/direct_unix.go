//go:build unix

package client

import (
	"net"
	"syscall"
)

// direct writes to a socket without ever waiting for room.
type direct struct {
	raw   syscall.RawConn
	batch []byte
	n     int
	once  func(fd uintptr) bool
}

// newDirect returns nil if c is not a plain socket.
func newDirect(c net.Conn) *direct {
	switch c.(type) {
	case *net.TCPConn, *net.UnixConn:
	default:
		return nil
	}
	raw, err := c.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil
	}
	d := &direct{raw: raw}
	d.once = func(fd uintptr) bool {
		for d.n < len(d.batch) {
			n, err := syscall.Write(int(fd), d.batch[d.n:])
			if n > 0 {
				d.n += n
			}
			if err != nil && err != syscall.EINTR {
				// Whether there is no room or the connection is broken, the writing that waits finds out.
				break
			}
		}
		return true
	}
	return d
}

func (d *direct) write(batch []byte) int {
	d.batch, d.n = batch, 0
	_ = d.raw.Write(d.once)
	d.batch = nil
	return d.n
}
