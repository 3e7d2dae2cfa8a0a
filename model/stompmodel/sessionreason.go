package stompmodel

// A SessionReason says in a word why a client session refused a frame or closed.
type SessionReason string

// What a send may be refused for, in the order of STOMP-CLIENT-003. The two about time close the session when a receive or a tick meets them. A NACK in
// 1.0 has no word of its own: a command that the version does not have cannot be encoded (STOMP-FRAME-022).
const (
	TimeNegative            SessionReason = "time-negative"
	TimeRegression          SessionReason = "time-regression"
	HeaderCount             SessionReason = "header-count"
	BodySize                SessionReason = "body-size"
	HeaderPair              SessionReason = "header-pair"
	Encoding                SessionReason = "encoding"
	NotConnect              SessionReason = "not-connect"
	NotConnected            SessionReason = "not-connected"
	WrongCommand            SessionReason = "command"
	IsDisconnecting         SessionReason = "disconnecting"
	IsClosed                SessionReason = "closed"
	NoHost                  SessionReason = "host"
	NoAcceptVersion         SessionReason = "accept-version"
	VersionsStrict          SessionReason = "versions-strict"
	VersionsOffered         SessionReason = "versions-offered"
	ReceiptOnConnect        SessionReason = "receipt-on-connect"
	BadHeartBeat            SessionReason = "heart-beat"
	ReceiptEmpty            SessionReason = "receipt-empty"
	ReceiptPending          SessionReason = "receipt-pending"
	ReceiptCapacity         SessionReason = "receipt-capacity"
	NoDestination           SessionReason = "destination"
	TransactionUnknown      SessionReason = "transaction-unknown"
	SubscriptionID          SessionReason = "subscription-id"
	SubscriptionDestination SessionReason = "subscription-destination"
	SubscriptionDuplicate   SessionReason = "subscription-duplicate"
	Unsubscribing           SessionReason = "unsubscribing"
	AckMode                 SessionReason = "ack-mode"
	Unsettled               SessionReason = "unsettled"
	SubscriptionCapacity    SessionReason = "subscription-capacity"
	UnsubscribeID           SessionReason = "unsubscribe-id"
	AckID                   SessionReason = "ack-id"
	Staged                  SessionReason = "staged"
	Overlap                 SessionReason = "overlap"
	TransactionID           SessionReason = "transaction-id"
	TransactionCapacity     SessionReason = "transaction-capacity"
)

// What a receive, a tick or an end closes the session for.
const (
	NotReceiving         SessionReason = "not-receiving"
	Syntax               SessionReason = "syntax"
	AfterError           SessionReason = "after-error"
	AfterDisconnect      SessionReason = "after-disconnect"
	UnexpectedConnecting SessionReason = "unexpected-connecting"
	Unexpected           SessionReason = "unexpected"
	VersionStrict        SessionReason = "version-strict"
	VersionOffered       SessionReason = "version-offered"
	HeartBeatInvalid     SessionReason = "heart-beat-invalid"
	BadMessage           SessionReason = "message"
	MessageAck           SessionReason = "message-ack"
	DeliveryCapacity     SessionReason = "delivery-capacity"
	DeliveryDuplicate    SessionReason = "delivery-duplicate"
	BadReceipt           SessionReason = "receipt"
	TimedOut             SessionReason = "timeout"
	SessionSpent         SessionReason = "spent"
	SessionTruncated     SessionReason = "truncated"
)

// A breach is why a call fails; nil is none.
type breach struct {
	reason SessionReason
	law    string
	rule   Rule
}

func because(reason SessionReason, law string) *breach { return &breach{reason: reason, law: law} }
