package session

// Reason says which rule an error is about. String gives the word that laws, models and recorded cases share.
type Reason uint8

// The reasons of Send in the order in which they are checked, then those of Receive, Tick and End.
const (
	ReasonTimeNegative Reason = iota + 1
	ReasonTimeRegression
	ReasonHeaderCount
	ReasonBodySize
	ReasonHeaderPair
	ReasonEncoding
	ReasonNotConnect
	ReasonNotConnected
	ReasonCommand
	ReasonDisconnecting
	ReasonClosed
	ReasonHost
	ReasonAcceptVersion
	ReasonVersionsStrict
	ReasonVersionsOffered
	ReasonReceiptOnConnect
	ReasonHeartBeat
	ReasonReceiptEmpty
	ReasonReceiptPending
	ReasonReceiptCapacity
	ReasonDestination
	ReasonTransactionUnknown
	ReasonSubscriptionID
	ReasonSubscriptionDestination
	ReasonSubscriptionDuplicate
	ReasonUnsubscribing
	ReasonAckMode
	ReasonUnsettled
	ReasonSubscriptionCapacity
	ReasonUnsubscribeID
	ReasonAckID
	ReasonStaged
	ReasonOverlap
	ReasonTransactionID
	ReasonTransactionCapacity

	ReasonNotReceiving
	ReasonSyntax
	ReasonAfterError
	ReasonAfterDisconnect
	ReasonUnexpectedConnecting
	ReasonUnexpected
	ReasonVersionStrict
	ReasonVersionOffered
	ReasonHeartBeatInvalid
	ReasonMessage
	ReasonMessageAck
	ReasonDeliveryCapacity
	ReasonDeliveryDuplicate
	ReasonReceipt

	ReasonTimeout

	ReasonSpent
	ReasonTruncated
)

// String returns the reason in lower case with dashes, such as "receipt-pending".
func (r Reason) String() string {
	word, _ := r.entry()
	return word
}

// entry returns the word and the law. Two reasons have a second law: ReasonTimeRegression outside Send and
// ReasonDeliveryDuplicate before 1.2.
func (r Reason) entry() (word, law string) {
	table := [...][2]string{
		ReasonTimeNegative:            {"time-negative", "STOMP-CLOCK-001"},
		ReasonTimeRegression:          {"time-regression", "STOMP-CLOCK-002"},
		ReasonHeaderCount:             {"header-count", "STOMP-LIMIT-010"},
		ReasonBodySize:                {"body-size", "STOMP-LIMIT-011"},
		ReasonHeaderPair:              {"header-pair", "STOMP-LIMIT-009"},
		ReasonEncoding:                {"encoding", "STOMP-CLIENT-003"},
		ReasonNotConnect:              {"not-connect", "STOMP-CONNECT-014"},
		ReasonNotConnected:            {"not-connected", "STOMP-CONNECT-016"},
		ReasonCommand:                 {"command", "STOMP-CLIENT-008"},
		ReasonDisconnecting:           {"disconnecting", "STOMP-DISCONNECT-005"},
		ReasonClosed:                  {"closed", "STOMP-CLIENT-010"},
		ReasonHost:                    {"host", "STOMP-CONNECT-015"},
		ReasonAcceptVersion:           {"accept-version", "STOMP-CONNECT-015"},
		ReasonVersionsStrict:          {"versions-strict", "STOMP-NEGOTIATE-007"},
		ReasonVersionsOffered:         {"versions-offered", "STOMP-NEGOTIATE-008"},
		ReasonReceiptOnConnect:        {"receipt-on-connect", "STOMP-CONNECT-003"},
		ReasonHeartBeat:               {"heart-beat", "STOMP-CONNECT-015"},
		ReasonReceiptEmpty:            {"receipt-empty", "STOMP-RECEIPT-003"},
		ReasonReceiptPending:          {"receipt-pending", "STOMP-RECEIPT-003"},
		ReasonReceiptCapacity:         {"receipt-capacity", "STOMP-LIMIT-016"},
		ReasonDestination:             {"destination", "STOMP-SEND-005"},
		ReasonTransactionUnknown:      {"transaction-unknown", "STOMP-TX-007"},
		ReasonSubscriptionID:          {"subscription-id", "STOMP-SUBSCRIBE-012"},
		ReasonSubscriptionDestination: {"subscription-destination", "STOMP-SUBSCRIBE-012"},
		ReasonSubscriptionDuplicate:   {"subscription-duplicate", "STOMP-SUBSCRIBE-012"},
		ReasonUnsubscribing:           {"unsubscribing", "STOMP-UNSUBSCRIBE-005"},
		ReasonAckMode:                 {"ack-mode", "STOMP-SUBSCRIBE-012"},
		ReasonUnsettled:               {"unsettled", "STOMP-SUBSCRIBE-013"},
		ReasonSubscriptionCapacity:    {"subscription-capacity", "STOMP-LIMIT-014"},
		ReasonUnsubscribeID:           {"unsubscribe-id", "STOMP-UNSUBSCRIBE-009"},
		ReasonAckID:                   {"ack-id", "STOMP-ACK-006"},
		ReasonStaged:                  {"staged", "STOMP-ACK-008"},
		ReasonOverlap:                 {"overlap", "STOMP-ACK-009"},
		ReasonTransactionID:           {"transaction-id", "STOMP-TX-006"},
		ReasonTransactionCapacity:     {"transaction-capacity", "STOMP-LIMIT-015"},
		ReasonNotReceiving:            {"not-receiving", "STOMP-CLIENT-007"},
		ReasonSyntax:                  {"syntax", "STOMP-CLIENT-006"},
		ReasonAfterError:              {"after-error", "STOMP-ERROR-007"},
		ReasonAfterDisconnect:         {"after-disconnect", "STOMP-DISCONNECT-005"},
		ReasonUnexpectedConnecting:    {"unexpected-connecting", "STOMP-CONNECT-017"},
		ReasonUnexpected:              {"unexpected", "STOMP-CLIENT-008"},
		ReasonVersionStrict:           {"version-strict", "STOMP-NEGOTIATE-007"},
		ReasonVersionOffered:          {"version-offered", "STOMP-NEGOTIATE-008"},
		ReasonHeartBeatInvalid:        {"heart-beat-invalid", "STOMP-HEARTBEAT-001"},
		ReasonMessage:                 {"message", "STOMP-SUBSCRIBE-014"},
		ReasonMessageAck:              {"message-ack", "STOMP-SUBSCRIBE-015"},
		ReasonDeliveryCapacity:        {"delivery-capacity", "STOMP-LIMIT-017"},
		ReasonDeliveryDuplicate:       {"delivery-duplicate", "STOMP-SUBSCRIBE-015"},
		ReasonReceipt:                 {"receipt", "STOMP-RECEIPT-005"},
		ReasonTimeout:                 {"timeout", "STOMP-HEARTBEAT-011"},
		ReasonSpent:                   {"spent", "STOMP-CLIENT-009"},
		ReasonTruncated:               {"truncated", "STOMP-CLIENT-009"},
	}
	if r == 0 || int(r) >= len(table) {
		return "unknown", ""
	}
	return table[r][0], table[r][1]
}
