package substratetest

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/impl/substrate"
	"github.com/seed-6f28358b/assay/impl/substrate/handshake"
)

// What the reference is called, and what it knows its peers by.
const (
	referenceID   = "ref"
	referenceNone = "/none"
)

var referenceKey = handshake.Key([]byte("every peer of the reference.....")[:32])

// Profile returns the profile of the reference.
func Profile() conformance.Profile {
	return conformance.Profile{
		Name: "ref", Title: "Assay's reference peer",
		// Nobody waits for long but where something else keeps the processor.
		Deadlines: conformance.ProfileDeadlines{
			Reply: conformance.Duration(5 * time.Second), Close: conformance.Duration(6 * time.Second), Case: conformance.Duration(time.Minute),
		},
		Sections: []conformance.Section{Section{Substrate: Peer{
			ID: referenceID, Peer: "{name}", Key: hex.EncodeToString(referenceKey[:]), Stranger: "stranger-{name}", None: referenceNone,
			Session: "{name}", Queue: "queue/{name}", Reject: "reject/{name}", Silent: "silent/{name}", Denied: "denied/{name}", Commands: true,
		}}},
	}
}

// serveReference serves the reference on a free loopback port until stop is called: with keys, and at another path with auth none.
// Around is put around what serves its connections, and handler around its application.
func serveReference(
	around func(http.Handler) http.Handler, handler func(substrate.Handler) substrate.Handler,
) (address string, stop func(), err error) {
	mux := http.NewServeMux()
	var stops []func()
	ends := func() {
		for _, stop := range stops {
			stop()
		}
	}
	for path, auth := range map[string]handshake.Auth{"/{$}": handshake.HMAC(referenceKeys), referenceNone: handshake.None()} {
		l, end, err := referenceListener(auth, handler)
		if err != nil {
			ends()
			return "", nil, err
		}
		stops = append(stops, end)
		mux.Handle(path, l)
	}
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		ends()
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{
		Handler: around(mux), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(socket)
	}()
	return socket.Addr().String(), func() {
		ends()
		_ = server.Close()
		<-done
	}, nil
}

// referenceKeys is who the reference knows.
func referenceKeys(peer string) (handshake.Record, bool) {
	return handshake.Record{Key: referenceKey}, !strings.HasPrefix(peer, "stranger-")
}

func referenceListener(auth handshake.Auth, handler func(substrate.Handler) substrate.Handler) (*substrate.Listener, func(), error) {
	a := newApp()
	l, err := substrate.NewListener(substrate.Config{
		ID: referenceID, Auth: auth, Handler: handler(a.handler()), MaxPeers: 1 << 20, Authorize: a.gate,
	})
	if err != nil {
		return nil, nil, err
	}
	a.listener = l
	return l, func() {
		a.end()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = l.Close(ctx)
		a.tasks.Wait()
	}, nil
}

// asItIs puts nothing around x.
func asItIs[T any](x T) T { return x }

// reference starts the reference, and has its engine behind an adapter.
func reference(context.Context) (*conformance.Reference, error) {
	address, stop, err := serveReference(asItIs[http.Handler], asItIs[substrate.Handler])
	if err != nil {
		return nil, fmt.Errorf("reference peer: %w", err)
	}
	return &conformance.Reference{
		Address: address, Profile: Profile(), Stop: stop, Transports: []string{"ws", "exec"}, Adapter: ServeReference,
	}, nil
}
