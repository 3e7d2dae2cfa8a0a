// Command sse-r3labs is the adapter of github.com/r3labs/sse/v2, release 2.10.0, for the suite sse-client.
package main

import (
	"context"
	"net/http"
	"os"
	"time"

	"github.com/r3labs/sse/v2"
	"gopkg.in/cenkalti/backoff.v1"

	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func main() {
	os.Exit(sseclient.Main(sseclient.Library{
		Software: "r3labs/sse 2.10.0 (Go)",
		Absent: map[string]string{
			sseclient.Envelope:      "reads any stream of events",
			sseclient.StateReported: "tells of its first event and of errors, not of its state",
		},
		Run: run,
	}))
}

// run drives one client as its documentation shows; only the size of events is raised from the default of 64 KiB.
func run(ctx context.Context, order sseclient.Order, source *sseclient.Source) error {
	client := sse.NewClient(order.URL, sse.ClientMaxBufferSize(32<<20))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client.Connection.Transport = transport
	for name, value := range order.Headers {
		client.Headers[name] = value
	}
	if order.LastEventID != "" {
		client.LastEventID.Store([]byte(order.LastEventID))
	}
	client.ReconnectStrategy = backoff.WithContext(backoff.NewExponentialBackOff(), ctx)
	client.ReconnectNotify = func(err error, _ time.Duration) { source.Fail(err.Error()) }
	return client.SubscribeRawWithContext(ctx, func(e *sse.Event) {
		source.Event(sseclient.Event{Type: string(e.Event), Data: string(e.Data), ID: string(e.ID)})
	})
}
