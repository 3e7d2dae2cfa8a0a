package journal

import "fmt"

// A LockedError says that a journal has an owner already. Its code is journal_locked (SUBSTRATE-JOURNAL-008).
type LockedError struct {
	Path string // of the lock
	Err  error
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("journal_locked: %s is held by another owner: %v", e.Path, e.Err)
}

func (e *LockedError) Unwrap() error { return e.Err }

// A QuotaError says that a write did not fit into the file (SUBSTRATE-JOURNAL-003).
type QuotaError struct {
	Path          string
	Limit, Needed int64 // octets
}

func (e *QuotaError) Error() string {
	return fmt.Sprintf("journal %s: %d octets are needed, the quota is %d", e.Path, e.Needed, e.Limit)
}

// A CorruptError says where a file is no journal, or no longer one.
type CorruptError struct {
	Path   string
	Offset int64
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("journal %s: octet %d: %s", e.Path, e.Offset, e.Reason)
}

// A QueueError says that a queue was to be accepted whose inbox a journal cannot keep. Its code is unsupported
// (SUBSTRATE-JOURNAL-007).
type QueueError struct {
	Obj string
}

func (e *QueueError) Error() string {
	return fmt.Sprintf("unsupported: a journal keeps no inbox, and queue %s needs one", e.Obj)
}
