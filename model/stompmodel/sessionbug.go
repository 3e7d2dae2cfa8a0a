package stompmodel

// A sessionBug is a fault that a test seeds into the machine of the client session, to show that an invariant can fail.
type sessionBug uint8

const (
	noSessionBug sessionBug = iota
	bugSubscriptionsUnbounded
	bugTransactionsUnbounded
	bugReceiptsUnbounded
	bugDeliveriesUnbounded
	bugSubscribeTwice
	bugReuseUnsettled
	bugBeginTwice
	bugReceiptTwice
	bugDeliveryTwice
	bugAutoRecorded
	bugFinishForgets
	bugFinishAll
	bugReceiptKeepsSubscription
	bugAnyReceiptUnsubscribes
	bugAnyReceipt
	bugOldestReceipt
	bugUnsubscribeAtOnce
	bugUnsubscribeTwice
	bugUnsubscribeDrops
	bugLeavingDeaf
	bugUnknownMessage
	bugOverlap
	bugStagedTwice
	bugStagingSettles
	bugIndividualCovers
	bugCrossSettles
	bugUnknownTransaction
	bugNoDestination
	bugClosedSends
	bugEarlySend
	bugConnectActive
	bugDisconnectStays
	bugByeStays
	bugAnyReceiptCloses
	bugServerErrorGoesOn
	bugFramesAfterEnd
	bugFaultKeepsEvents
	bugFreshStays
	bugFailKeepsReceipts
	bugEndStays
	bugRefusalRegisters
	bugRefusalStopsTime
	bugRegressionTolerated
	bugTickKeepsTime
	bugAnyVersion
	bugBeatsIn10
	bugBeatDisconnecting
	bugLateBeat
	bugTwoBeats
	bugDeadAtBound
	bugTimeoutBeats
	bugSendKeepsTimer
	bugEmptyRefreshes
	bugByeForgotten
	bugRegressionCounts
	sessionBugCount
)
