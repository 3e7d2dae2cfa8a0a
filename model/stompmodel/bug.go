package stompmodel

// A bug is a fault that a test seeds into the machine, to show that an invariant can fail.
type bug uint8

const (
	noBug bug = iota
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
)
