// Command fakemodel plays the language model for what the lab starts, on numeric loopback and with no model behind it.
//
// It takes one argument, the address to listen on, serves until SIGTERM or SIGINT and then exits 0. It answers
// POST /v1/chat/completions as that interface is commonly spoken, by what the last message of the user asks for: see
// [answer].
package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/seed-6f28358b/assay/conformance/lab/loopback"
)

func main() { os.Exit(loopback.Main("fakemodel", serve)) }

func serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: handler(), ReadHeaderTimeout: 5 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
