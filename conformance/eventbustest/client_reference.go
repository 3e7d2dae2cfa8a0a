package eventbustest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
	"github.com/seed-6f28358b/assay/impl/eventbus/sse"
)

// clientReference is our own client of event streams behind its adapter, inside the process.
func clientReference(context.Context) (*conformance.Reference, error) {
	return &conformance.Reference{
		Adapter: sseclient.Adapter(sseclient.Library{Software: "assay sse", Run: runReferenceClient}),
		Profile: conformance.Profile{Name: "ref", Title: "Assay's reference client of event streams", Deadlines: patient()},
		Stop:    func() {},
	}, nil
}

func runReferenceClient(ctx context.Context, order sseclient.Order, source *sseclient.Source) error {
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	header := http.Header{}
	for name, value := range order.Headers {
		header.Set(name, value)
	}
	cfg := sse.ClientConfig{URL: order.URL, HTTP: &http.Client{Transport: transport}, Header: header, LastEventID: order.LastEventID}
	if order.MaxQueued != 0 {
		at, err := url.Parse(order.URL)
		if err != nil {
			return err
		}
		cfg.MaxQueued, cfg.Capabilities = order.MaxQueued, (&url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/capabilities"}).String()
	}
	client, err := sse.NewClient(cfg)
	if err != nil {
		return err
	}
	source.Watch(func() string { return client.State().String() })
	if order.As == sseclient.Envelope {
		left, err := readEnvelopes(ctx, client, order.StopAt, source)
		if left {
			_, err = readEnvelopes(ctx, client, 0, source)
		}
		return err
	}
	for m, err := range client.Messages(ctx) {
		if err != nil {
			return err
		}
		source.Event(sseclient.Event{Type: m.Type, Data: string(m.Data), ID: m.ID})
	}
	return nil
}

// readEnvelopes reads until the end of the client, or until it leaves within the event of id stopAt.
func readEnvelopes(ctx context.Context, client *sse.Client, stopAt int64, source *sseclient.Source) (left bool, err error) {
	for e, err := range client.Events(ctx) {
		if err != nil {
			return false, err
		}
		if stopAt != 0 && e.ID == stopAt {
			return true, nil
		}
		out := sseclient.Event{Type: e.Type, Data: string(e.Data)}
		if e.ID != 0 {
			out.ID = strconv.FormatInt(e.ID, 10)
		}
		source.Event(out)
	}
	return false, nil
}
