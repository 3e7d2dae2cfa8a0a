package conformance

import (
	"net"

	"golang.org/x/sys/unix"
)

// acknowledgeAtOnce makes the kernel acknowledge what has arrived on c now. A client that writes a frame in pieces
// under Nagle's algorithm waits for that between them, and the delay of 40 ms, once for every frame, would be ours.
func acknowledgeAtOnce(c *net.TCPConn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	// Without it the run is slower and otherwise the same.
	_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1) })
}
