package stomptest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// Server returns the suite that judges a STOMP server: laws of the roles codec and server.
func Server() *conformance.Suite {
	return &conformance.Suite{
		Name: "stomp", Protocol: "stomp", Title: "STOMP",
		Section: Section{},
		Schemes: []string{"tcp", "tls", "ws", "wss"},
		Cases: slices.Concat(
			connectCases(),
			negotiateCases(),
			heartBeatCases(),
			receiptCases(),
			errorCases(),
			disconnectCases(),
			sendCases(),
			subscribeCases(),
			unsubscribeCases(),
			ackCases(),
			frameCases(),
			headerCases(),
			escapeCases(),
			bodyCases(),
			limitCases(),
			robustCases(),
			cutCases(),
			nackCases(),
			transactionCases(),
			interopCases(),
			propertyCases(),
		),
		Subprotocols: []string{"v12.stomp", "v11.stomp", "v10.stomp"},
		Reference:    reference,
		Probe:        probe,
		Alive:        alive,
		Death:        "STOMP-DISCONNECT-004",
	}
}
