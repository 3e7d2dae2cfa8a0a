// Command sse-launchdarkly is the adapter of github.com/launchdarkly/eventsource, release 1.11.0, for the suite sse-client.
package main

import (
	"context"
	"net/http"
	"os"

	"github.com/launchdarkly/eventsource"

	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

func main() {
	os.Exit(sseclient.Main(sseclient.Library{
		Software: "launchdarkly/eventsource 1.11.0 (Go)",
		Absent: map[string]string{
			sseclient.Envelope:      "reads any stream of events",
			sseclient.StateReported: "tells of errors, not of its state",
		},
		Run: run,
	}))
}

// run drives one stream as its documentation shows.
func run(ctx context.Context, order sseclient.Order, source *sseclient.Source) error {
	// The request's context ends an attempt that is under way, which Close does not.
	request, err := order.Request(ctx)
	if err != nil {
		return err
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	stream, err := eventsource.SubscribeWithRequestAndOptions(request,
		eventsource.StreamOptionHTTPClient(&http.Client{Transport: transport}),
		eventsource.StreamOptionLastEventID(order.LastEventID))
	if err != nil {
		return err
	}
	for {
		select {
		case e, ok := <-stream.Events:
			if !ok {
				return nil
			}
			id := e.Id()
			if last, ok := e.(eventsource.EventWithLastID); ok {
				id = last.LastEventID()
			}
			source.Event(sseclient.Event{Type: e.Event(), Data: e.Data(), ID: id})
		case err := <-stream.Errors:
			if err != nil {
				source.Fail(err.Error())
			}
		case <-ctx.Done():
			stream.Close()
			for {
				select {
				case _, ok := <-stream.Events:
					if !ok {
						return nil
					}
				case <-stream.Errors:
				}
			}
		}
	}
}
