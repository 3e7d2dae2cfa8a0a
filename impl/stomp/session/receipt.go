package session

import "github.com/seed-6f28358b/assay/impl/stomp/frame"

// pending is a receipt that was asked for and has not arrived.
type pending struct {
	leaving *subscription // it ends this subscription
	bye     bool          // it ends the session
}

// receiptFree says whether id can be asked for.
func (s *Session) receiptFree(id string) *Error {
	// STOMP-RECEIPT-003
	if id == "" {
		return refuse(ReasonReceiptEmpty, "the receipt header is empty")
	}
	if _, ok := s.receipts[id]; ok {
		return refuse(ReasonReceiptPending, "receipt %.40q has not arrived yet", id)
	}
	// STOMP-LIMIT-016
	if n := len(s.receipts); n >= s.limits.Receipts {
		return exceed(OpSend, ReasonReceiptCapacity, int64(s.limits.Receipts), int64(n)+1, "too many receipts pending")
	}
	return nil
}

// onReceipt handles a RECEIPT and says whether it was that of DISCONNECT. Receipts come in any order: STOMP-RECEIPT-004.
func (s *Session) onReceipt(f *frame.Frame) (bye bool, err *Error) {
	id, _ := s.value(f, "receipt-id")
	p, ok := s.receipts[id]
	// STOMP-RECEIPT-005: an empty id is never pending.
	if !ok {
		return false, problem(OpReceive, ReasonReceipt, "nobody waits for a RECEIPT with receipt-id %.40q", id)
	}
	delete(s.receipts, id)
	if p.leaving != nil {
		// STOMP-UNSUBSCRIBE-006
		s.drop(p.leaving)
	}
	return p.bye, nil
}
