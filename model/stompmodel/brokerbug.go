package stompmodel

// A brokerBug is a fault that a test seeds into the machine of the broker, to show that an invariant can fail.
type brokerBug uint8

const (
	noBrokerBug brokerBug = iota
	bugRedeliverSettled
	bugTwoHands
	bugLoseUnsettled
	bugDeliverAfterUnsubscribe
	bugEarlyPublish
	bugHalfCommit
	bugAbortPublishes
	bugEarlyTxAck
	bugCrossSubscriptions
	bugCumulativeIndividual
	bugNackTooFar
	bugUnknownAckSettles
	bugEarlyReceipt
	bugTwoReceipts
	bugWrongReceipt
	bugSilentFailure
	bugErrorGoesOn
	bugWrongErrorID
	bugEarlyFrames
	bugTwoConnected
	bugWrongSubscription
	bugBody
	brokerBugCount
)
