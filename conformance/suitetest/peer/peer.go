// Package peer plays the other end of connections in tests: it listens on loopback, and does to each connection what the test
// says.
package peer

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Handler does to one connection what it is there for, which is closed when it returns. It returns soon after stop is closed or
// the connection fails.
type Handler func(c *net.TCPConn, stop <-chan struct{})

// Serve serves connections on a free port of the loopback interface until the test ends, and returns its address.
func Serve(t testing.TB, serve Handler) (address string) {
	t.Helper()
	address, stop, err := Listen(serve)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return address
}

// Listen is Serve for a peer that stop ends: it closes every connection and waits until all handlers have returned.
func Listen(serve Handler) (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		open    = map[net.Conn]bool{} // nil: nobody is served any more
		stopped = make(chan struct{})
	)
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			late := open == nil
			if !late {
				open[c] = true
			}
			mu.Unlock()
			if late {
				c.Close()
				continue
			}
			wg.Go(func() {
				serve(c.(*net.TCPConn), stopped)
				c.Close()
				mu.Lock()
				delete(open, c)
				mu.Unlock()
			})
		}
	})
	return l.Addr().String(), func() {
		close(stopped)
		l.Close()
		mu.Lock()
		for c := range open {
			c.Close()
		}
		open = nil
		mu.Unlock()
		wg.Wait()
	}, nil
}

// floodOctets is what one flood is: more than a case takes in, and no more than two cores can send for every case.
const floodOctets = 12 << 20

// Flood writes p again and again until the connection or the test has enough, or 12 MiB are written, and listens then.
func Flood(c *net.TCPConn, p []byte, stop <-chan struct{}) {
	for sent := 0; sent < floodOctets; sent += len(p) {
		select {
		case <-stop:
			return
		default:
			if _, err := c.Write(p); err != nil {
				return
			}
		}
	}
	Silent(c, stop)
}

// Floods is a peer that floods with p.
func Floods(p []byte) Handler {
	return func(c *net.TCPConn, stop <-chan struct{}) { Flood(c, p, stop) }
}

// Silent takes in whatever comes and says nothing.
func Silent(c *net.TCPConn, _ <-chan struct{}) { _, _ = io.Copy(io.Discard, c) }

// Resets ends the connection by a reset.
func Resets(c *net.TCPConn, _ <-chan struct{}) { _ = c.SetLinger(0) }

// Leaves writes octets, none if there are none, and closes the connection, by a reset if something came that is not read.
func Leaves(octets string) Handler {
	return func(c *net.TCPConn, _ <-chan struct{}) { _, _ = io.WriteString(c, octets) }
}

// Says writes octets and then another handler goes on.
func Says(octets string, then Handler) Handler {
	return func(c *net.TCPConn, stop <-chan struct{}) {
		_, _ = io.WriteString(c, octets)
		then(c, stop)
	}
}

// SaysAndCloses answers with octets and ends the connection in an orderly way.
func SaysAndCloses(octets string) Handler {
	return Says(octets, func(c *net.TCPConn, stop <-chan struct{}) {
		_ = c.CloseWrite()
		Silent(c, stop)
	})
}

// trickle is the time from one octet to the next.
const trickle = 50 * time.Millisecond

// Trickles writes octets one by one, and the last of them without end.
func Trickles(octets string) Handler {
	return func(c *net.TCPConn, stop <-chan struct{}) {
		tick := time.NewTicker(trickle)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				if _, err := c.Write([]byte{octets[min(i, len(octets)-1)]}); err != nil {
					return
				}
			}
		}
	}
}

// Relays carries each connection to an address and back until both directions have ended. What goes there is changed on its way,
// read by read, unless change is nil.
func Relays(address string, change func(string) string) Handler {
	return func(c *net.TCPConn, _ <-chan struct{}) {
		up, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		defer up.Close()
		var back sync.WaitGroup
		back.Go(func() {
			_, _ = io.Copy(c, up)
			_ = c.CloseWrite()
		})
		buf := make([]byte, 64<<10)
		for {
			n, err := c.Read(buf)
			read := string(buf[:n])
			if change != nil {
				read = change(read)
			}
			if _, failed := io.WriteString(up, read); err != nil || failed != nil {
				break
			}
		}
		_ = up.(*net.TCPConn).CloseWrite()
		back.Wait()
	}
}

// Nth is a peer that does something else to each connection; the first to come is number 1.
func Nth(handler func(n int64) Handler) Handler {
	var seen atomic.Int64
	return func(c *net.TCPConn, stop <-chan struct{}) { handler(seen.Add(1))(c, stop) }
}
