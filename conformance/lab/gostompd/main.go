// Command gostompd runs the server of go-stomp as a process of its own, for Assay's lab.
//
// The library's server can panic on what a client sends, so it never runs inside Assay. The
// command takes one argument, the numeric loopback address to listen on, serves until SIGTERM or
// SIGINT and then exits 0. Login and passcode are both "guest"; the
// smallest heart-beat is 500 ms instead of the library's minute. There is no other configuration.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-stomp/stomp/v3/server"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gostompd 127.0.0.1:PORT")
		os.Exit(64)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gostompd:", err)
		os.Exit(1)
	}
}

func run(addr string) error {
	// STOMP-INTEROP-001: numeric loopback only.
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listen address %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("listen address %q is not numeric loopback", addr)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	served := make(chan error, 1)
	go func() {
		srv := server.Server{Addr: addr, Authenticator: guest{}, HeartBeat: 500 * time.Millisecond}
		served <- srv.Serve(l)
	}()
	select {
	case err = <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close: %w", err)
	}
	// The library's Serve does not return when its listener is closed; it ends with the process.
	return nil
}

// guest accepts the one pair of credentials that the lab's profile names.
type guest struct{}

// Authenticate reports whether login and passcode are both "guest".
func (guest) Authenticate(login, passcode string) bool {
	return login == "guest" && passcode == "guest"
}
