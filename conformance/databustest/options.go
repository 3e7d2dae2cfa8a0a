package databustest

// What an adapter or its target may do without.
const (
	ManualFlush = "manual-flush" // writes wait until they are asked to go (flush, of origin)
	Replicated  = "replicated"   // each tab has a view of the storage of its own (sync)
	LossyClose  = "lossy-close"  // frames are lost when a channel closes
	Freezes     = "freeze"       // freeze, thaw
	Degrades    = "degrade"      // noStorage, noChannel
	Sessions    = "session"      // session, opener
	Failures    = "fail"         // writes and posts that fail
	Traces      = "trace"        // trace, and deeds trace
	Manual      = "manual-open"  // openings that wait (opens, opened)
	AutoStarts  = "auto-start"
	Batches     = "batch"
	Forges      = "inject" // frames and records that no tab wrote (inject, put)
	Statuses    = "status" // the transport says how it is
	KnownTopics = "known"  // the snapshot shows known
	PendingKeys = "pending"
	Backend     = "backend" // the worker behind a transport (backend-pick, backend-ping, backend-ports)
	SlowHandler = "slow"    // handlers that take time
)

// options are all of them.
func options() []string {
	return []string{
		ManualFlush, Replicated, LossyClose, Freezes, Degrades, Sessions, Failures, Traces, Manual, AutoStarts, Batches, Forges, Statuses,
		KnownTopics, PendingKeys, Backend, SlowHandler,
	}
}
