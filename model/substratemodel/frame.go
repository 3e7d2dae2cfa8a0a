package substratemodel

import "fmt"

// A Side is one of the two peers of a Pair. A is the one whose script is played; its peer id is the bytewise smaller one.
type Side uint8

const (
	// A plays the script.
	A Side = iota
	// B answers, and opens or closes by itself where the scope lets it.
	B
)

// Peer returns the other side.
func (x Side) Peer() Side { return 1 - x }

// String returns A or B.
func (x Side) String() string { return string('A' + rune(x)) }

// A Kind is the kind of a frame.
type Kind uint8

// The kinds of frames. Err is an error that answers a req; it is an operation of its sender, with a seq and a receipt. Bounce is an error without either.
const (
	KindNone Kind = iota
	KindOpen
	KindClose
	KindSend
	KindReq
	KindAccept
	KindReject
	KindRes
	KindErr
	KindAck
	KindBounce
	KindResync
)

func (k Kind) String() string {
	return name(k, "none", "open", "close", "send", "req", "accept", "reject", "res", "err", "ack", "bounce", "resync")
}

// Answer says that frames of the kind answer an operation: they carry its id. SUBSTRATE-ANSWER-003
func (k Kind) Answer() bool { return k >= KindAccept && k <= KindErr }

// Operation says that frames of the kind have a seq and a receipt.
func (k Kind) Operation() bool { return k >= KindOpen && k <= KindErr }

// A Code is what an error or a reject carries.
type Code uint8

// The codes that the machines use. CodeExpired and CodeLost are known only to the side itself.
const (
	CodeNone Code = iota
	CodeUnauthorized
	CodeNoSuchObject
	CodeClosed
	CodeNotAccepted
	CodeNotParticipant
	CodeOutOfSeq
	CodeAlreadyExists
	CodeOpenConflict
	CodeAppError
	CodeQueueFull
	CodeStoreUnavailable
	CodeBusy
	CodeExpired
	CodeAckTimeout
	CodeGapTimeout
)

func (c Code) String() string {
	return name(c, "none", "unauthorized", "no_such_object", "closed", "not_accepted", "not_participant", "out_of_seq", "already_exists", "open_conflict",
		"app_error", "queue_full", "store_unavailable", "busy", "expired", "ack_timeout", "gap_timeout")
}

// Retryable says that the operation stays where it is, and Object that the code is about the whole object. SUBSTRATE-FINALITY-002
func (c Code) Retryable() bool {
	return c == CodeQueueFull || c == CodeStoreUnavailable || c == CodeBusy
}

// Object says that the code is about the whole object: see Retryable.
func (c Code) Object() bool { return c == CodeNoSuchObject || c == CodeClosed }

// A Frame is what one side sends to the other.
type Frame struct {
	Kind Kind
	// Op is the operation that the frame is about, as the checker knows it: 1 and up are those of the script, OpOpenB and OpCloseB those of B. No
	// transition looks at it.
	Op uint8
	// ID is the idempotency key. It is the number of the operation, unless the scope gives operations of both sides the same one.
	ID uint8
	// Seq and Prev belong to operations. A resync has fromSeq in Seq, or base in Prev.
	Seq, Prev uint8
	// Receipt is the claim token of one row in one life of the process that owns it: see ReceiptOf.
	Receipt uint8
	Code    Code
	// OfAnswer says, as the checker knows it, that an ack or a bounce is about an answer.
	OfAnswer bool
}

// OpOpenB and OpCloseB are the operations that B may come to by itself: an open and a close or, where the scope lets it ask, two reqs.
const (
	OpOpenB  uint8 = 6
	OpCloseB uint8 = 7
)

func (f Frame) String() string {
	s := fmt.Sprintf("%v %d", f.Kind, f.ID)
	switch {
	case f.Kind == KindResync:
		return fmt.Sprintf("resync from %d base %d", f.Seq, f.Prev)
	case f.Seq != 0:
		s += fmt.Sprintf(" seq %d prev %d", f.Seq, f.Prev)
	}
	if f.Receipt != 0 {
		s += fmt.Sprintf(" receipt %d.%d", f.Receipt&7, f.Receipt>>3)
	}
	if f.Code != CodeNone {
		s += " " + f.Code.String()
	}
	return s
}

// ReceiptOf returns the receipt of the row with that seq in a life of the process, the first of which is 1. SUBSTRATE-ACK-005
func ReceiptOf(life, seq uint8) uint8 { return life | seq<<3 }

// nobodysReceipt marks a receipt that no row ever had.
const nobodysReceipt = 1 << 7

// slot is where the frame's operation or answer is noted in sets of the checker.
func (f Frame) slot() uint8 { return slotOf(f.Op, f.Kind.Answer() || f.OfAnswer) }

// tombSlot is where a tombstone for the frame is noted: by its id.
func (f Frame) tombSlot() uint8 { return slotOf(f.ID&7, f.Kind.Answer() || f.OfAnswer) }

func slotOf(op uint8, answer bool) uint8 {
	if answer {
		return op | 8
	}
	return op
}

// name returns the name of one of a few values.
func name[N ~uint8](n N, names ...string) string {
	if int(n) < len(names) {
		return names[n]
	}
	return fmt.Sprintf("%T(%d)", n, uint8(n))
}
