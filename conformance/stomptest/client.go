package stomptest

import (
	"slices"

	"github.com/seed-6f28358b/assay/conformance"
)

// Client returns the suite that judges STOMP clients: it plays the broker, fair and deviant, to a testee
// (spec/testee.md). Laws of the roles codec and client, and on the reference those of reference-client.
func Client() *conformance.Suite {
	return &conformance.Suite{
		Name: "stomp-client", Protocol: "stomp", Title: "STOMP client",
		Cases: slices.Concat(
			clientConnectCases(),
			clientSendCases(),
			clientEscapeCases(),
			clientSubscribeCases(),
			clientAckCases(),
			clientTransactionCases(),
			clientReceiptCases(),
			clientDisconnectCases(),
			clientDecodeCases(),
			clientChunkCases(),
			clientHeartBeatCases(),
			clientErrorCases(),
			clientCutCases(),
			clientDeviantCases(),
			clientOwnCases(),
		),
		Subprotocols: []string{"v12.stomp", "v11.stomp", "v10.stomp"},
		WebSocket:    true,
		Schemes:      []string{"exec"},
		Clients:      true,
		Reference:    clientReference,
		Probe:        clientProbe,
		Alive:        clientAlive,
	}
}

// clientT is what a case of the client suite works with: the T of the runner, the testee that it steers by orders,
// and the broker's side of the sessions that the testee opens.
type clientT struct {
	*serverT
	testee   *conformance.Testee
	control  *wire
	orders   string // id of the subscription that orders go to, empty if it has none
	numbered int    // orders sent
	subjects []*wire
	messages int // MESSAGE frames made
}

// runClient makes a case of what is written against clientT.
var runClient = conformance.With(clientOf)

func clientOf(t *conformance.T) *clientT { return &clientT{serverT: serverOf(t)} }

// Options of a client: what hello lists (spec/testee.md). Receipts, Nack, Transactions and HeartBeats are
// among those of servers.
const (
	TransactionAcks     = "transaction-ack"
	ChoiceOfAck         = "ack-mode"
	Binary              = "binary"
	OwnHeaders          = "headers"
	UnsubscribeReceipts = "unsubscribe-receipt"
	DisconnectReceipts  = "disconnect-receipt"
	ErrorEvents         = "error-event"
	ClosedEvents        = "closed-event"
	ChoiceOfVersion     = "choose-version"
	ChoiceOfID          = "choose-id"
)

// optionNames maps the names of hello to options of this package where they differ.
var optionNames = map[string]string{"receipt": Receipts, "transaction": Transactions, "beats": HeartBeats}

// clientOptions are all that hello may list, but the versions.
var clientOptions = []string{
	"receipt", "nack", "transaction", TransactionAcks, "beats", Binary, OwnHeaders, UnsubscribeReceipts, DisconnectReceipts,
	ChoiceOfAck, ErrorEvents, ClosedEvents, ChoiceOfVersion, ChoiceOfID,
}
