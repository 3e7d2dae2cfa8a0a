package cluster

import "github.com/seed-6f28358b/assay/impl/databus/writer"

// A Release says which ROUTE_RELEASED fit the generation of the stored route (DATABUS-GENERATION-003).
type Release uint8

// The tests of a release.
const (
	ReleaseEqual    Release = iota // the same generation
	ReleaseNotOlder                // the same or a greater one
	ReleaseInverted                // the same or a smaller one, as 0.1.0 does against its document
)

// A Gone says what becomes of a handoff whose old owner no longer exists (DATABUS-HANDOFF-008). An old owner that has registered again
// since it handed the topic over counts as gone too: it came back without the topic.
type Gone uint8

// What becomes of such a handoff.
const (
	// GoneAtOnce ends the waiting: the new owner takes the topic over itself if it subscribes it, and otherwise at the next request.
	GoneAtOnce   Gone = iota
	GoneAfterTTL      // once the route is older than the TTL, a subscriber elects anew
	GoneNever         // it waits for ever, as 0.1.0 does against its document (DATABUS-RACE-005)
)

// Rules are the points in which releases of the protocol, its document and its repairs differ. The zero value is [V010].
type Rules struct {
	// Release is the test of the generation in a ROUTE_RELEASED.
	Release Release
	// Gone is what becomes of a handoff whose old owner is gone.
	Gone Gone
	// AuthorizeSubscribe has a worker obey a SUBSCRIBE only if the stored route names it and waits for no handoff (DATABUS-FENCE-002,
	// DATABUS-CONTROL-004).
	AuthorizeSubscribe bool
	// AuthorizeUnsubscribe has a worker obey an UNSUBSCRIBE only if the stored route does not name it (DATABUS-FENCE-001,
	// DATABUS-CONTROL-004). What it refuses it lets go at a later reconcile, once no route backs it (DATABUS-UNSUBSCRIBE-005). No generation
	// in the frame could stand in for it: once a route is deleted its generations begin anew, and an old frame fits again
	// (DATABUS-GENERATION-002).
	AuthorizeUnsubscribe bool
	// RestoreRecord has a worker whose own record is missing from the storage write it again in every reconcile, before it elects, and not
	// only with its next heartbeat (DATABUS-FENCE-003).
	RestoreRecord bool
	// LookAgain has a worker that did not obey a SUBSCRIBE or a ROUTE_RELEASED look at the route again, after [FirstLook] and then each time
	// twice as long after the time before, up to [LastLook], and take the topic on as soon as the route names it and waits for nobody. Where
	// what others write is seen later than what they say, as in a browser of several processes, an election or a handoff would otherwise
	// wait for the next heartbeat. No release has it.
	LookAgain bool
	// Reclaim has a worker take on, in reconcile, the topics of which a confirmed route names it although it has no assignment
	// (DATABUS-CONFIRM-003). It repairs in a reconcile what AuthorizeUnsubscribe keeps from happening, and cannot stand in for it: an owner
	// that was made to let go and then unsubscribes has forgotten the topic (DATABUS-CACHE-004), and cannot name it to the transport.
	Reclaim bool
	// AskAgain has a worker that is to reclaim a topic that it cannot name take the confirmation back, so that a subscriber asks again. It
	// changes nothing without Reclaim. No release has it.
	AskAgain bool
	// DiscardAtTeardown has what could not be flushed when the page hides or the cluster stops forgotten (DATABUS-RACE-014). It does harm. The
	// handoff is forgotten too, so that an owner that comes back finds a confirmed route that names it and has no assignment, which only
	// Reclaim mends. So is the removal of the own subscriber record, and a tab that comes back and does not want the topic any more keeps it,
	// its route and the transport of its owner for as long as it lives (DATABUS-GC-005).
	DiscardAtTeardown bool
	// Guard drops pending writes that have been overtaken (DATABUS-RACE-015).
	Guard writer.Guard
	// DropAfter is how often a write is tried before it is dropped. 0: as long as it fails (DATABUS-BATCH-004).
	DropAfter int
	// DeferClose has the channel closed one task after the page hid or the cluster stopped, so that its last frames leave
	// (DATABUS-RACE-007).
	DeferClose bool
	// IgnoreUnknown has frames of unknown type, and those with the key of another topic, counted and ignored. Otherwise the former nudge and
	// the key of the latter is not read (DATABUS-CONTROL-005).
	IgnoreUnknown bool
	// NudgeSubscriptions has a REGISTRY follow each write and removal of a subscriber by the application (DATABUS-REGISTRY-001).
	NudgeSubscriptions bool
	// ActiveOwners has a worker that owns topics record itself as active though it is not eligible (DATABUS-OWNER-009).
	ActiveOwners bool
	// StoredInterest has the third gate ask the stored subscriber record as well (DATABUS-GATE-006).
	StoredInterest bool
	// QueueStart has a start that is asked for while the bus stops follow the stop. Otherwise it is lost (DATABUS-LIFECYCLE-007). A cluster,
	// which stops at once, does not read it.
	QueueStart bool
	// CapSlips has the cache of topics look at its oldest entry only: while that is owned, nothing is evicted (DATABUS-CACHE-003).
	CapSlips bool
}

// V010 returns the rules of the document of version 0.1.0 and, where it is silent, those of its code, with the races that it admits.
func V010() Rules { return Rules{} }

// Drifted returns the rules of the code of version 0.1.0, also where it does something else than its document.
func Drifted() Rules {
	return Rules{Release: ReleaseInverted, Gone: GoneNever, CapSlips: true}
}

// Fenced returns the least that has to change in [V010] so that no known race leaves a topic silent, or frames going round, for ever
// (DATABUS-LIVE-005). Each of the three is needed; the other switches are repairs of later releases that shorten what heals anyway.
func Fenced() Rules {
	return Rules{
		AuthorizeUnsubscribe: true, // DATABUS-FENCE-001
		AuthorizeSubscribe:   true, // DATABUS-FENCE-002
		RestoreRecord:        true, // DATABUS-FENCE-003
	}
}
