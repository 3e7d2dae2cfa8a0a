package substratemodel

// A pairBug is a fault that a test seeds into the machine, to show that an invariant can fail. The number is that of the list of faults that the model must find,
// where it is in it.
type pairBug uint8

const (
	noPairBug              pairBug = iota
	bugNoLedger                    // 1: the ledger is not asked
	bugLedgerVolatile              // 2: it is lost on restart
	bugLedgerOfConnection          // 3: it is kept by connection
	bugFreshID                     // 4: each attempt has a new id
	bugAckFirst                    // 5: the ack may come before the commit, which may then not come
	bugAckFreesHead                // 6: an ack frees the head, whatever it names
	bugAnyReceipt                  // 7: an ack with an old receipt frees the row
	bugNoReack                     // 8: a duplicate is dropped
	bugWireFirst                   // 9: a row may be sent before it is durable
	bugTwoInFlight                 // 10
	bugRequeuesAtTail              // 11: what is unacked is queued at the end on reconnect
	bugNoOrder                     // 12: the receiver takes what comes
	bugBufferAcks                  // 13: what is buffered is acked
	bugBelowIsFresh                // 14: what is below the frontier and unknown is delivered
	bugFrontierIsOne               // 15: a restart expects 1
	bugNoEpoch                     // 16
	bugNoPredecessor               // 17: prev is always seq-1
	bugBounceIsPredecessor         // 17: prev names what was refused
	bugInboxVolatile               // 18
	bugLookupFirst                 // 19: the object is looked up before the ledger
	bugNoTombstone                 // 20: each copy is refused anew
	bugTombstoneOfName             // 21
	bugTombstoneForEver            // 22: it swallows on later connections as well
	bugTombstoneYields             // 23: it is forgotten once the object lives
	bugErrAnswersErr               // 24
	bugNoPurge                     // 25
	bugRetryablePurges             // 26
	bugDenialMoves                 // 27: a denial moves the frontier
	bugGateLast                    // 28: the gate comes after the commit
	bugNoEscalation                // 29
	bugAnswersTwice                // 30: a second answer settles again
	bugVolatileAnswers             // 30
	bugForeignCloses               // 31: a close of a peer that is no participant is honoured
	bugForeignMoves                // 31: it moves the frontier
	bugForeignKept                 // 31: it is in the ledger
	bugDeadErrUnacked              // 32
	bugDeathPurgesAll              // 33: the death of an object purges past the next open
	bugRefreshes                   // 34: a duplicate is remembered for longer
	bugExpiresEarly                // 34: the ledger forgets at seven days
	bugResendsAtHorizon            // 34
	bugGapAtEdge                   // 35: the timer goes off at 30000 ms
	bugGapRestarts                 // 35: each frame starts it again
	bugSecondGapFresh              // what is left when a gap is filled is as old as that
	bugGapHastens                  // an old gap asks at every mark
	bugOwesNothing                 // a bounce is for the row that is there, whatever was there before
	bugKeyWithoutPeer              // 40
	bugDeathPurgesAnswers
	bugCloseMistaken
	bugGivesUp
	bugConnectionEatsRow
	bugReceiptPerConnection
	bugReceiptSurvives
	bugPredecessorVolatile
	bugFailureBurns
	bugNoClass
	bugCloseBounces
	bugAcceptRevives
	bugAnswerNoPredecessor
	bugGlareRejectsBoth
	bugOpensTwice
	bugOpeningTakes
	bugStoreLies
	bugFullMoves
	bugNoDebts     // any number of answers may be unfreed
	bugDebtsMove   // an operation that they keep out moves the frontier
	bugNeverYields // the operation at the head waits, whatever is behind it
	bugYieldsSoon  // it does not wait
	bugYieldsSure  // it gives way as if no copy of it were under way
	bugLedgerBeforeGate
	bugOldConnectionLives
	bugForeignToldTwice
	bugMarksEarly
	bugBaseLowers
	bugResyncStorm
	pairBugCount
)
