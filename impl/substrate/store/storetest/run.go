// Package storetest checks that a store keeps what the substrate needs to be kept. It is for those who bring a store of their own:
// call [Run] from a test. What it finds says what was expected, what was seen, and which law is at stake.
package storetest

import (
	"fmt"
	"testing"

	"github.com/seed-6f28358b/assay/impl/substrate/store"
)

// Options say what else can be done to the store. The zero value checks a store in memory. A test that needs what is absent is skipped
// and says so.
type Options struct {
	// Reopen opens anew what s has kept; s was closed or crashed before. Nil: the store keeps nothing beyond Close.
	Reopen func(t *testing.T, s store.Store) store.Store
	// Crash ends s as the death of its process would, without the courtesies of Close. It is followed by Reopen. Nil: the store is not
	// checked for what a crash leaves.
	Crash func(t *testing.T, s store.Store)
	// Sabotage makes s fail where a batch writes or removes the given part, and only there, until mend is called. Nil: the store is not
	// checked for what a failed write leaves.
	Sabotage func(t *testing.T, s store.Store, p Part) (mend func())
}

// A Part is a field of [store.Batch] that writes.
type Part string

// The parts that can be sabotaged. Each is the name of its field.
const (
	Objects     Part = "Objects"
	Counters    Part = "Counters"
	Rows        Part = "Rows"
	Sent        Part = "Sent"
	DropRows    Part = "DropRows"
	Entries     Part = "Entries"
	Inbound     Part = "Inbound"
	DropInbound Part = "DropInbound"
)

// Parts returns all parts, in the order in which a batch applies them.
func Parts() []Part {
	return []Part{Objects, Counters, Rows, Sent, DropRows, Entries, Inbound, DropInbound}
}

// Run checks the stores that open makes by SUBSTRATE-STORE-010; each must be new and empty, and is closed by Run. There is a subtest for each check, so that
// one of them can be run alone:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return openMine(t, t.TempDir()) }, storetest.Options{})
//	}
func Run(t *testing.T, open func(t *testing.T) store.Store, o Options) {
	t.Helper()
	for _, c := range checks() {
		t.Run(c.name, func(t *testing.T) {
			s := &subject{open: func() store.Store { return open(t) }, tb: t}
			if o.Reopen != nil {
				s.reopen = func(old store.Store) store.Store { return o.Reopen(t, old) }
			}
			if o.Crash != nil {
				s.crash = func(old store.Store) { o.Crash(t, old) }
			}
			if o.Sabotage != nil {
				s.sabotage = func(old store.Store, p Part) func() { return o.Sabotage(t, old, p) }
			}
			if missing := s.missing(c.needs); missing != "" {
				t.Skipf("the options have no %s", missing)
			}
			for _, f := range examine(s, c) {
				t.Error(f)
			}
		})
	}
}

// A finding is something that a store does and should not.
type finding struct {
	check, law, doing, expected, seen string
}

// String says all of it, in lines that make sense alone.
func (f finding) String() string {
	text := fmt.Sprintf("%s: %s", f.law, f.doing)
	if f.expected != "" {
		text += "\n  expected: " + f.expected
	}
	if f.seen != "" {
		text += "\n  seen: " + f.seen
	}
	return text
}

// needs are what a check cannot do without.
type needs uint8

const (
	needsReopen needs = 1 << iota
	needsCrash
	needsSabotage
)

type check struct {
	name  string
	law   string // what is at stake unless a finding says otherwise
	needs needs
	run   func(p *probe)
}

func checks() []check {
	return []check{
		{"Empty", "SUBSTRATE-STORE-001", 0, checkEmpty},
		{"Epoch", "SUBSTRATE-SEQ-011", 0, checkEpoch},
		{"EpochAfterReopen", "SUBSTRATE-SEQ-011", needsReopen, checkEpochAfterReopen},
		{"FirstLoadsAtOnce", "SUBSTRATE-SEQ-011", 0, checkFirstLoads},
		{"Fields", "SUBSTRATE-STORE-001", 0, checkFields},
		{"FieldsAfterReopen", "SUBSTRATE-STORE-001", needsReopen, checkFieldsAfterReopen},
		{"Extremes", "SUBSTRATE-STORE-001", 0, checkExtremes},
		{"RowOrder", "SUBSTRATE-OUTBOX-007", 0, checkRowOrder},
		{"RowPut", "SUBSTRATE-OUTBOX-003", 0, checkRowPut},
		{"CountersOutliveRows", "SUBSTRATE-OUTBOX-007", 0, checkCounters},
		{"CountersAfterReopen", "SUBSTRATE-OUTBOX-007", needsReopen, checkCountersAfterReopen},
		{"Sent", "SUBSTRATE-OUTBOX-008", 0, checkSent},
		{"PartsInOrder", "SUBSTRATE-DEDUPE-007", 0, checkPartsInOrder},
		{"Ledger", "SUBSTRATE-DEDUPE-002", 0, checkLedger},
		{"LedgerAfterReopen", "SUBSTRATE-DEDUPE-002", needsReopen, checkLedgerAfterReopen},
		{"LedgerKeepsTheFirst", "SUBSTRATE-DEDUPE-003", 0, checkLedgerKeepsTheFirst},
		{"Expire", "SUBSTRATE-DEDUPE-003", 0, checkExpire},
		{"ExpireLimit", "SUBSTRATE-DEDUPE-003", 0, checkExpireLimit},
		{"ExpireObjects", "SUBSTRATE-FINALITY-009", 0, checkExpireObjects},
		{"Inbox", "SUBSTRATE-OBJ-008", 0, checkInbox},
		{"InboxAfterReopen", "SUBSTRATE-OBJ-008", needsReopen, checkInboxAfterReopen},
		{"LastN", "SUBSTRATE-DEDUPE-008", 0, checkLastN},
		{"Objects", "SUBSTRATE-OBJ-007", 0, checkObjects},
		{"CopiesOfBatch", "SUBSTRATE-STORE-008", 0, checkCopiesOfBatch},
		{"CopiesOfState", "SUBSTRATE-STORE-008", 0, checkCopiesOfState},
		{"ReadingChangesNothing", "SUBSTRATE-STORE-006", 0, checkReadingChangesNothing},
		{"Peers", "SUBSTRATE-STORE-005", 0, checkPeers},
		{"PeerNames", "SUBSTRATE-STORE-005", 0, checkPeerNames},
		{"Large", "SUBSTRATE-LIMIT-001", 0, checkLarge},
		{"Closed", "SUBSTRATE-STORE-008", 0, checkClosed},
		{"FailedBatch", "SUBSTRATE-DEDUPE-007", needsSabotage, checkFailedBatch},
		{"DurableSurvivesCrash", "SUBSTRATE-DEDUPE-007", needsReopen | needsCrash, checkCrash},
		{"Concurrent", "SUBSTRATE-DEDUPE-007", 0, checkConcurrent},
		{"ReadersSeeWholeBatches", "SUBSTRATE-DEDUPE-007", 0, checkReaders},
		{"Twin", "SUBSTRATE-STORE-001", 0, checkTwin},
	}
}
