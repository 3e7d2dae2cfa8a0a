// Package pipenet is a network of pipes for tests under virtual time: what is dialled is accepted, a side that does not read stops the other
// at once, since nothing is buffered, and no goroutine waits where testing/synctest cannot see it.
package pipenet

import (
	"context"
	"net"
	"sync"
)

// A Network is a [net.Listener] and the way to it. Its methods may be called by several goroutines at once.
type Network struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// New returns a network. Make it inside the bubble in which it is used.
func New() *Network { return &Network{conns: make(chan net.Conn), closed: make(chan struct{})} }

// Accept waits for the next that dials. After Close it returns [net.ErrClosed].
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Dial waits until it is accepted, whatever the address. The error is [net.ErrClosed] after Close, or that of ctx.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case n.conns <- theirs:
		return ours, nil
	case <-n.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends Accept and Dial; connections live on.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Addr returns an address that says what it is.
func (n *Network) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
