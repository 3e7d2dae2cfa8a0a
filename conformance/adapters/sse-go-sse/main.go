// Command sse-go-sse is the adapter of github.com/tmaxmax/go-sse, release 0.12.0, for the suite sse-client.
package main

import (
	"context"
	"net/http"
	"os"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func main() {
	os.Exit(sseclient.Main(sseclient.Library{
		Software: "tmaxmax/go-sse 0.12.0 (Go)",
		Absent:   map[string]string{sseclient.Envelope: "reads any stream of events"},
		Run:      run,
	}))
}

// run drives one connection as its documentation shows; only the size of events is raised from the default of 64 KiB.
func run(ctx context.Context, order sseclient.Order, source *sseclient.Source) error {
	request, err := order.Request(ctx)
	if err != nil {
		return err
	}
	if order.LastEventID != "" {
		request.Header.Set("Last-Event-ID", order.LastEventID)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := sse.Client{
		HTTPClient: &http.Client{Transport: transport},
		// The validator is called between a response and its stream, which is what tells that it is open.
		ResponseValidator: func(r *http.Response) error {
			err := sse.DefaultValidator(r)
			if err == nil {
				source.State(sseclient.Open)
			}
			return err
		},
		OnRetry: func(err error, _ time.Duration) {
			source.State(sseclient.Connecting)
			source.Fail(err.Error())
		},
	}
	connection := client.NewConnection(request)
	connection.Buffer(nil, 32<<20)
	connection.SubscribeToAll(func(e sse.Event) {
		source.Event(sseclient.Event{Type: e.Type, Data: e.Data, ID: e.LastEventID})
	})
	return connection.Connect()
}
