package substratemodel

import (
	"testing"

	"github.com/seed-6f28358b/assay/model"
	"github.com/seed-6f28358b/assay/model/machinetest"
)

func mustPair(t testing.TB, cfg PairConfig, bug pairBug) *Pair {
	t.Helper()
	m, err := newPair(cfg, bug)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestEveryPairInvariantCanFail: each fault is seen by an invariant, or where fair steps no longer lead to an end, and each invariant is broken by a fault.
func TestEveryPairInvariantCanFail(t *testing.T) {
	machinetest.Faults(t, model.Bounds{States: 4000}, pairBugCount, func(cfg PairConfig, bug pairBug) *Pair { return mustPair(t, cfg, bug) }, pairFaults(t))
}

func pairFaults(t *testing.T) []machinetest.Fault[PairConfig, pairBug] {
	in := func(scope string) PairConfig { return machinetest.Named(t, PairScopes(), scope) }
	seed, stuck := machinetest.Seed[PairConfig, pairBug], machinetest.Stuck[PairConfig, pairBug]
	return []machinetest.Fault[PairConfig, pairBug]{
		seed(bugNoLedger, in("D1"), "SUBSTRATE-DEDUPE-001", "", 10),
		seed(bugLedgerVolatile, in("D1"), "SUBSTRATE-DEDUPE-002", "", 5),
		seed(bugLedgerVolatile, in("D1"), "SUBSTRATE-DEDUPE-001", "", 10),
		seed(bugLedgerOfConnection, in("D1"), "SUBSTRATE-DEDUPE-005", "", 6),
		seed(bugFreshID, in("D1"), "SUBSTRATE-OUTBOX-003", "", 5),
		seed(bugFreshID, in("D1"), "SUBSTRATE-DEDUPE-001", "", 10),
		seed(bugAckFirst, in("D1"), "SUBSTRATE-ACK-002", "", 4),
		seed(bugAckFreesHead, in("D2"), "SUBSTRATE-ACK-004", "", 8),
		seed(bugAckFreesHead, in("S1"), "SUBSTRATE-ACK-004", "", 5),
		seed(bugAnyReceipt, in("S1"), "SUBSTRATE-ACK-004", "", 5),
		seed(bugNoReack, in("D1"), "SUBSTRATE-ACK-006", "", 7),
		stuck(bugNoReack, in("D1"), 5),
		seed(bugWireFirst, in("D2"), "SUBSTRATE-OUTBOX-001", "", 3),
		seed(bugTwoInFlight, in("D1"), "SUBSTRATE-OUTBOX-002", "", 5),
		seed(bugRequeuesAtTail, in("D1"), "SUBSTRATE-SEQ-003", "in the order of its seqs", 6),
		seed(bugRequeuesAtTail, in("D1"), "SUBSTRATE-SEQ-003", "handed over in the order", 14),
		seed(bugNoOrder, in("H1"), "SUBSTRATE-SEQ-002", "", 10),
		seed(bugNoOrder, in("H1"), "SUBSTRATE-SEQ-003", "handed over in the order", 9),
		seed(bugBufferAcks, in("H1"), "SUBSTRATE-SEQ-013", "", 10),
		seed(bugBelowIsFresh, in("E1"), "SUBSTRATE-SEQ-005", "", 6),
		seed(bugBelowIsFresh, in("E1"), "SUBSTRATE-DEDUPE-001", "", 8),
		seed(bugFrontierIsOne, in("D1"), "SUBSTRATE-SEQ-010", "", 1),
		stuck(bugFrontierIsOne, in("D1"), 5),
		seed(bugNoEpoch, in("V1"), "SUBSTRATE-SEQ-011", "", 6),
		seed(bugNoEpoch, in("V1"), "SUBSTRATE-ACK-002", "", 9),
		seed(bugNoPredecessor, in("X2"), "SUBSTRATE-SEQ-009", "prev names", 11),
		stuck(bugNoPredecessor, in("X2"), 0),
		seed(bugBounceIsPredecessor, in("X2"), "SUBSTRATE-SEQ-009", "no predecessor", 9),
		stuck(bugBounceIsPredecessor, in("X2"), 0),
		seed(bugInboxVolatile, in("D1"), "SUBSTRATE-DEDUPE-007", "", 5),
		seed(bugLookupFirst, in("C1"), "SUBSTRATE-DEDUPE-004", "", 6),
		seed(bugLookupFirst, in("C1"), "SUBSTRATE-FINALITY-008", "not delivered", 8),
		seed(bugNoTombstone, in("U1"), "SUBSTRATE-BOUNCE-001", "", 5),
		seed(bugTombstoneOfName, in("U1"), "SUBSTRATE-TOMBSTONE-001", "", 8),
		seed(bugTombstoneOfName, in("U1"), "SUBSTRATE-TOMBSTONE-002", "", 11),
		stuck(bugTombstoneOfName, in("U3"), 0),
		seed(bugTombstoneForEver, in("U1"), "SUBSTRATE-TOMBSTONE-003", "sent again", 8),
		stuck(bugTombstoneForEver, in("U3"), 5),
		seed(bugTombstoneYields, in("Y1"), "SUBSTRATE-TOMBSTONE-003", "not taken", 7),
		seed(bugTombstoneYields, in("U2"), "SUBSTRATE-ACK-002", "", 10),
		seed(bugErrAnswersErr, in("U1"), "SUBSTRATE-BOUNCE-002", "", 6),
		seed(bugNoPurge, in("U1"), "SUBSTRATE-FINALITY-006", "", 5),
		stuck(bugNoPurge, in("U3"), 0),
		seed(bugRetryablePurges, in("F1"), "SUBSTRATE-FINALITY-007", "", 5),
		seed(bugDenialMoves, in("X1"), "SUBSTRATE-AUTHZ-003", "", 4),
		seed(bugGateLast, in("X1"), "SUBSTRATE-AUTHZ-002", "", 4),
		seed(bugLedgerBeforeGate, in("Y1"), "SUBSTRATE-AUTHZ-012", "", 6),
		// SUBSTRATE-OUTBOX-005, which is the liveness of SUBSTRATE-RECONNECT-001.
		stuck(bugNoEscalation, in("D1"), 6),
		seed(bugAnswersTwice, in("Q1"), "SUBSTRATE-ANSWER-001", "", 12),
		seed(bugVolatileAnswers, in("Q1"), "SUBSTRATE-ANSWER-002", "survive", 6),
		seed(bugDeathPurgesAnswers, in("U5"), "SUBSTRATE-ANSWER-002", "stays", 12),
		stuck(bugDeathPurgesAnswers, in("U5"), 8),
		seed(bugAnswerNoPredecessor, in("Q1"), "SUBSTRATE-ANSWER-004", "", 8),
		seed(bugForeignCloses, in("P1"), "SUBSTRATE-FINALITY-003", "", 1),
		seed(bugForeignMoves, in("P1"), "SUBSTRATE-FINALITY-004", "", 1),
		seed(bugForeignKept, in("P1"), "SUBSTRATE-FINALITY-004", "", 1),
		seed(bugForeignToldTwice, in("P1"), "SUBSTRATE-FINALITY-005", "", 2),
		seed(bugKeyWithoutPeer, in("P1"), "SUBSTRATE-STORE-005", "", 1),
		seed(bugDeadErrUnacked, in("C2"), "SUBSTRATE-BOUNCE-004", "", 9),
		stuck(bugDeadErrUnacked, in("C2"), 7),
		seed(bugDeathPurgesAll, in("U3"), "SUBSTRATE-FINALITY-008", "that incarnation", 7),
		seed(bugRefreshes, in("M1"), "SUBSTRATE-DEDUPE-003", "is forgotten", 10),
		seed(bugExpiresEarly, in("M1"), "SUBSTRATE-DEDUPE-003", "forgets nothing", 8),
		seed(bugResendsAtHorizon, in("M1"), "SUBSTRATE-OUTBOX-008", "", 6),
		seed(bugGapAtEdge, in("G1"), "SUBSTRATE-SEQ-007", "", 13),
		seed(bugSecondGapFresh, in("G3"), "SUBSTRATE-SEQ-007", "", 22),
		seed(bugGapHastens, in("G3"), "SUBSTRATE-SEQ-007", "", 23),
		seed(bugOwesNothing, in("I2"), "SUBSTRATE-TOMBSTONE-002", "allowed", 14),
		seed(bugGapRestarts, in("G1"), "SUBSTRATE-SEQ-007", "", 15),
		seed(bugBaseLowers, in("G2"), "SUBSTRATE-SEQ-008", "lowers", 18),
		seed(bugResyncStorm, in("G1"), "SUBSTRATE-SEQ-008", "ten seconds", 16),
		seed(bugConnectionEatsRow, in("D1"), "SUBSTRATE-OUTBOX-006", "", 5),
		seed(bugConnectionEatsRow, in("D1"), "SUBSTRATE-OBSERVE-011", "", 5),
		seed(bugReceiptPerConnection, in("D1"), "SUBSTRATE-OUTBOX-004", "", 6),
		seed(bugReceiptSurvives, in("S1"), "SUBSTRATE-ACK-005", "", 6),
		seed(bugPredecessorVolatile, in("S1"), "SUBSTRATE-OUTBOX-007", "", 6),
		seed(bugFailureBurns, in("F2"), "SUBSTRATE-OUTBOX-009", "", 1),
		seed(bugFailureBurns, in("F2"), "SUBSTRATE-SEQ-001", "", 1),
		seed(bugStoreLies, in("F2"), "SUBSTRATE-STORE-008", "", 4),
		seed(bugFullMoves, in("F1"), "SUBSTRATE-LIMIT-002", "", 4),
		seed(bugNoDebts, in("F3"), "SUBSTRATE-LIMIT-008", "nothing is taken", 9),
		seed(bugDebtsMove, in("F3"), "SUBSTRATE-LIMIT-008", "no trace", 9),
		seed(bugNeverYields, in("F3"), "SUBSTRATE-LIMIT-008", "gives way", 14),
		stuck(bugNeverYields, in("F3"), 13),
		seed(bugYieldsSoon, in("F3"), "SUBSTRATE-FINALITY-007", "", 10),
		seed(bugYieldsSure, in("F3"), "SUBSTRATE-FINALITY-008", "what is futile", 20),
		seed(bugNoClass, in("I1"), "SUBSTRATE-ANSWER-003", "", 12),
		seed(bugCloseBounces, in("C1"), "SUBSTRATE-FINALITY-009", "", 8),
		stuck(bugCloseMistaken, in("C4"), 14),
		stuck(bugGivesUp, in("C4"), 6),
		seed(bugAcceptRevives, in("C3"), "SUBSTRATE-OBJ-001", "", 9),
		seed(bugGlareRejectsBoth, in("U4"), "SUBSTRATE-OBJ-006", "", 5),
		stuck(bugGlareRejectsBoth, in("U4"), 2),
		seed(bugOpensTwice, in("U5"), "SUBSTRATE-OBJ-006", "", 4),
		seed(bugOpensTwice, in("U5"), "SUBSTRATE-OBJ-001", "", 4),
		seed(bugOpeningTakes, in("U2"), "SUBSTRATE-OBJ-005", "", 5),
		seed(bugOldConnectionLives, in("T1"), "SUBSTRATE-RECONNECT-004", "", 5),
		seed(bugMarksEarly, in("W1"), "SUBSTRATE-DEDUPE-008", "", 6),
	}
}
