//go:build !linux

package conformance

import "net"

// acknowledgeAtOnce does nothing: other systems have no such switch for one connection.
func acknowledgeAtOnce(*net.TCPConn) {}
