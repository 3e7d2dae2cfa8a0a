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
	"time"

	"github.com/go-stomp/stomp/v3/server"

	"github.com/seed-6f28358b/assay/conformance/lab/loopback"
)

func main() { os.Exit(loopback.Main("gostompd", serve)) }

func serve(ctx context.Context, l net.Listener) error {
	served := make(chan error, 1)
	go func() {
		srv := server.Server{Authenticator: guest{}, HeartBeat: 500 * time.Millisecond}
		served <- srv.Serve(l)
	}()
	select {
	case err := <-served:
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
