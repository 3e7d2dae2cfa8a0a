// Package loopback is what the lab's own servers have in common: a command with one argument, the address to listen on, which is
// numeric loopback. It serves until SIGTERM or SIGINT and then exits 0.
package loopback

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
)

// Main is the whole main function of the server of that name: it returns the exit status. serve returns when ctx has ended.
func Main(name string, serve func(ctx context.Context, l net.Listener) error) (status int) {
	if len(os.Args) != 2 {
		fmt.Fprintf(os.Stderr, "usage: %s 127.0.0.1:PORT\n", name)
		return 64
	}
	if err := listen(os.Args[1], serve); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}

// STOMP-INTEROP-001: numeric loopback only.
func listen(addr string, serve func(ctx context.Context, l net.Listener) error) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("listen address %q is not numeric loopback", addr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	return serve(ctx, l)
}
