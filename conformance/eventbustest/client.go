package eventbustest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/adapters/sseclient"
)

// Client returns the suite that judges clients of event streams: it plays the HTTP server, fair and deviant, octet by octet, and
// pulls what the client made of it through an adapter (spec/adapter.md). Laws of the role sse-client: those of the HTML standard,
// for clients that hand out any event, and those of the qwen-code daemon's envelope, for clients that read that.
func Client() *conformance.Suite {
	return &conformance.Suite{
		Name: "sse-client", Protocol: "eventbus", Title: "SSE client",
		Cases: slices.Concat(
			clientParseCases(),
			clientLineCases(),
			clientFieldCases(),
			clientDispatchCases(),
			clientIDCases(),
			clientRetryCases(),
			clientReconnectCases(),
			clientBrokenCases(),
			clientRedirectCases(),
			clientRequestCases(),
			clientStateCases(),
			clientStatusCases(),
			clientLimitCases(),
			clientDeviantCases(),
			clientEnvelopeCases(),
			clientCursorCases(),
		),
		Clients:   true,
		Schemes:   []string{"exec"},
		Reference: clientReference,
		Probe:     clientProbe,
		Alive:     clientAlive,
	}
}

// clientLaw is a law of the HTML standard by its number.
func clientLaw(number string) string { return "EVENTBUS-WHATWG-" + number }

// clientCase makes a case of a client that hands out any event. It needs what is named besides.
func clientCase(name, title string, laws []string, run func(*client), needs ...string) conformance.Case {
	return conformance.Case{
		ID: "eventbus/client/" + name, Title: title, Laws: laws, Run: runClient(run),
		Needs: conformance.Needs{Options: append([]string{sseclient.Text}, needs...)},
	}
}

// runClient makes a case of what is written against client.
var runClient = conformance.With(clientOf)

func clientOf(t *conformance.T) *client { return &client{T: t} }

// again is the option of a client that asks again after a stream has ended, which the probe finds out.
const again = "again"

// Options of a client besides those of package sseclient.
var clientOptions = []string{
	sseclient.Text, sseclient.Envelope, sseclient.StartingID, sseclient.Headers, sseclient.StateReported, sseclient.Reconnects, again,
	sseclient.StopsAt, sseclient.AsksMaxQueued,
}
