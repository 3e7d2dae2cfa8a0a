package databusmodel

// A GenerationTest is how the generation of a ROUTE_RELEASED is held against that of the stored route. DATABUS-GENERATION-003
type GenerationTest uint8

// The tests.
const (
	GenerationEqual    GenerationTest = iota // accepted if equal
	GenerationNotOlder                       // accepted if not older than the route
	GenerationInverted                       // accepted if not newer than the route: what 0.1.0 does
)

// An OldOwner is what comes of a pending handoff whose old owner is gone. DATABUS-HANDOFF-008
type OldOwner uint8

// The answers.
const (
	GoneNever  OldOwner = iota // it stays pending: what 0.1.0 does
	GoneTTL                    // a subscriber elects once the route is older than the TTL
	GoneAtOnce                 // it is no longer pending
)

// Rules are the switches in which versions of the data bus differ. The zero value is none of the named sets.
type Rules struct {
	// AuthorizeByRoute refuses a SUBSCRIBE unless the stored route names the receiver and no handoff is pending. DATABUS-CONTROL-004,
	// DATABUS-FENCE-002
	AuthorizeByRoute bool
	// AuthorizeUnsubscribe refuses an UNSUBSCRIBE while the stored route names the receiver: the other half, which no version has.
	// DATABUS-CONTROL-004, DATABUS-FENCE-001
	AuthorizeUnsubscribe bool
	// CarryGeneration puts the generation of the route into CONTROL frames; a frame of another generation than the stored route that names
	// the receiver is refused.
	CarryGeneration bool
	// Release is the test of ROUTE_RELEASED. DATABUS-GENERATION-003
	Release GenerationTest
	// Gone is what comes of a pending handoff whose old owner is gone. DATABUS-HANDOFF-008
	Gone OldOwner
	// Reclaim lets the worker that a confirmed route names assign itself again in its reconcile. DATABUS-CONFIRM-003
	Reclaim bool
	// MarkReleased lets the last leaver mark the route, and the owner delete it, so that generations do not start again.
	// DATABUS-GENERATION-002
	MarkReleased bool
	// RestoreRecord lets a worker whose record another has deleted write it again in its reconcile, and not only with its next heartbeat.
	// DATABUS-HEARTBEAT-002, DATABUS-FENCE-003
	RestoreRecord bool
	// LookAgain lets a worker that refused a SUBSCRIBE or a ROUTE_RELEASED look at the route again until its view has caught up, and take the
	// topic as soon as the route names it and waits for nobody. No version has it. DATABUS-FENCE-002
	LookAgain bool
	// DiscardAtTeardown drops the writes that storage refused when the page hides. DATABUS-BATCH-004
	DiscardAtTeardown bool
	// DropStaleRetries drops a route that storage refused once if another was stored meanwhile. DATABUS-RACE-015
	DropStaleRetries bool
}

// V010 returns what the document says, and 0.1.0 where that is silent.
func V010() Rules { return Rules{Release: GenerationEqual, Gone: GoneAtOnce} }

// Drifted returns what 0.1.0 does where it departs from its document.
func Drifted() Rules { return Rules{Release: GenerationInverted, Gone: GoneNever} }

// Fenced returns the least that has to change in V010 so that no race is left for ever.
func Fenced() Rules {
	r := V010()
	r.AuthorizeByRoute, r.AuthorizeUnsubscribe, r.RestoreRecord = true, true, true
	return r
}
