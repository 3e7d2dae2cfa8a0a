package session

import "github.com/seed-6f28358b/assay/impl/stomp/frame"

// transaction is one that is open, with the deliveries staged in it.
type transaction struct{ last *delivery }

// stage marks a delivery as to be settled with the transaction. It stays recorded: STOMP-ACK-008.
func (t *transaction) stage(d *delivery) {
	d.staged, d.after = t, t.last
	t.last = d
}

// begin checks and records a BEGIN.
func (s *Session) begin(f *frame.Frame) *Error {
	id, _ := s.value(f, "transaction")
	// STOMP-TX-006
	if id == "" {
		return refuse(ReasonTransactionID, "BEGIN without a transaction")
	}
	// STOMP-TX-002, STOMP-TX-006
	if s.transactions[id] != nil {
		return refuse(ReasonTransactionID, "transaction %.40q is open", id)
	}
	// STOMP-LIMIT-015
	if n := len(s.transactions); n >= s.limits.Transactions {
		return exceed(OpSend, ReasonTransactionCapacity, int64(s.limits.Transactions), int64(n)+1, "too many transactions")
	}
	s.transactions[id] = new(transaction)
	return nil
}

// conclude checks and records a COMMIT or an ABORT.
func (s *Session) conclude(f *frame.Frame, commit bool) *Error {
	id, _ := s.value(f, "transaction")
	tx := s.transactions[id]
	// STOMP-TX-007
	if tx == nil {
		return refuse(ReasonTransactionUnknown, "%s of transaction %.40q, which is not open", f.Command, id)
	}
	// STOMP-TX-008
	for d := tx.last; d != nil; {
		next := d.after
		if commit {
			s.forget(d)
		} else {
			d.staged, d.after = nil, nil
		}
		d = next
	}
	delete(s.transactions, id)
	return nil
}

// transactionOf returns the open transaction that f names, or nil if f names none.
func (s *Session) transactionOf(f *frame.Frame) (*transaction, *Error) {
	id, ok := s.value(f, "transaction")
	if !ok {
		return nil, nil
	}
	tx := s.transactions[id]
	// STOMP-TX-007
	if tx == nil {
		return nil, refuse(ReasonTransactionUnknown, "%s in transaction %.40q, which is not open", f.Command, id)
	}
	return tx, nil
}
