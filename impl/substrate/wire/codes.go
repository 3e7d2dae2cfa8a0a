package wire

// The codes that the substrate itself gives to err, reject and establish_fail (SUBSTRATE-FINALITY-002).
const (
	BadAddress          = "bad_address"
	RoutingNotSupported = "routing_not_supported"
	BadVerb             = "bad_verb"
	BadFrame            = "bad_frame"
	Unsupported         = "unsupported"
	Unauthorized        = "unauthorized"
	NotParticipant      = "not_participant"
	KindMismatch        = "kind_mismatch"
	AlreadyExists       = "already_exists"
	OpenConflict        = "open_conflict"
	NotAccepted         = "not_accepted"
	OutOfSeq            = "out_of_seq"
	PayloadTooLarge     = "payload_too_large"
	AppError            = "app_error"

	NoSuchObject = "no_such_object"
	Closed       = "closed"
	ObjectFailed = "object_failed"

	QueueFull        = "queue_full"
	RateLimited      = "rate_limited"
	Busy             = "busy"
	StoreUnavailable = "store_unavailable"
)

// ClassOf says what a code means to whoever receives it: whether the op is over, and if so, whether the object is too. A code that nobody
// has heard of is terminal and leaves the object alone. Nothing but the code decides (SUBSTRATE-FINALITY-001, SUBSTRATE-FINALITY-002).
func ClassOf(code string) (terminal, objectScope bool) {
	switch code {
	case NoSuchObject, Closed, ObjectFailed:
		return true, true
	case QueueFull, RateLimited, Busy, StoreUnavailable:
		return false, false
	}
	return true, false
}
