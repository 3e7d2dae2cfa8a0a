package platform

// An Assumption is what the data bus takes for granted about its platform.
type Assumption struct {
	// ID is unique and stable: AREA/NAME.
	ID string `json:"id"`
	// Text is what is assumed.
	Text string `json:"assumption"`
	// Rule is where the machine, model/databusmodel, builds on it.
	Rule string `json:"rule"`
	// Laws are the laws that rest on it.
	Laws []string `json:"laws"`
	// Cover says what of the machine covers a platform that is otherwise; empty: nothing.
	Cover string `json:"cover,omitempty"`
}

// Assumptions returns all that is measured, by area.
func Assumptions() []Assumption {
	var all []Assumption
	for _, area := range [][]Assumption{
		storageAssumptions(), sessionAssumptions(), channelAssumptions(), orderAssumptions(), pageAssumptions(),
		absenceAssumptions(), clockAssumptions(),
	} {
		all = append(all, area...)
	}
	return all
}

func laws(numbers ...string) []string {
	for i, n := range numbers {
		numbers[i] = "DATABUS-" + n
	}
	return numbers
}

func storageAssumptions() []Assumption {
	return []Assumption{
		{
			ID: "storage/own-write", Text: "a tab reads what it has written or removed, in the same task",
			Rule: "storage.go: flush changes the store that the next task reads", Laws: laws("BATCH-002", "INV-006"),
		},
		{
			ID: "storage/same-process", Text: "a tab of the same process reads a write as soon as it was made",
			Rule: "state.go: one store for all tabs", Laws: laws("ROUTE-001"),
		},
		{
			ID: "storage/other-process", Text: "a tab of another process reads a write as soon as it was made",
			Rule: "doc.go: what a process sees of another one's storage is never older than the last flush", Laws: laws("ROUTE-001",
				"REGISTRY-004"),
			Cover: "Late: it hides a write until the next frame or timer of its writer; Lag: a view stays behind through many frames, by four " +
				"writes at most (a suite with replicated storage has it without a bound)",
		},
		{
			ID: "storage/still", Text: "what other tabs write does not change what a task reads while it runs",
			Rule: "step.go: a task is one step", Laws: laws("SUBSCRIBE-002", "HEARTBEAT-002"),
		},
		{
			ID: "storage/in-order", Text: "the writes of one tab come to be seen in the order in which they were made, and none is taken back",
			Rule: "lifecycle.go: routes are flushed one by one before the worker record goes", Laws: laws("HANDOFF-001", "GENERATION-001"),
		},
		{
			ID: "storage/last-wins", Text: "tabs that write one key at once agree in the end on one of the values",
			Rule: "storage.go: store, the last write wins", Laws: laws("ROUTE-001", "GENERATION-002"),
		},
		{
			ID: "storage/whole", Text: "a value is read as somebody wrote it, never in part or mixed",
			Rule: "state.go: records have no torn form", Laws: laws("RECORD-001", "RECORD-003", "RECORD-005"),
		},
		{
			ID: "storage/no-lock", Text: "two tabs that read, change and write lose updates: nothing locks",
			Rule: "scope.go: Late, other tabs read between a task and its flush", Laws: laws("ROUTE-001", "LIMIT-004", "GENERATION-002",
				"RACE-003"),
		},
		{
			ID: "storage/refusal", Text: "a write beyond the limit throws in the call and leaves the old value; what fits can still be written",
			Rule: "storage.go: flush of a tab that is refusing", Laws: laws("BATCH-003", "BATCH-004", "BATCH-005", "DEGRADE-001"),
			Cover: "Budgets.Fail",
		},
		{
			ID: "storage/accepted", Text: "a write that was not refused is stored, also when two tabs write at once near the limit",
			Rule: "storage.go: flush stores all or keeps it pending", Laws: laws("BATCH-004", "BATCH-006"),
		},
		{
			ID: "storage/keys", Text: "an enumeration shows each key that stays, once, while others write",
			Rule: "storage.go: prune and live see all records", Laws: laws("HEARTBEAT-002", "GC-001", "GC-003"),
		},
	}
}

func sessionAssumptions() []Assumption {
	return []Assumption{
		{
			ID: "session/reload", Text: "session storage survives a reload",
			Rule: "config.go: TabIDs stay", Laws: laws("IDENTITY-001"),
		},
		{
			ID: "session/opener", Text: "a page that another opens inherits a copy of its session storage, sees its opener, and is apart " +
				"from then on",
			Rule: "config.go: TabIDs are one for each tab", Laws: laws("IDENTITY-002"), Cover: "TabIDs: two workers of one tab",
		},
		{
			ID: "session/noopener", Text: "a page that is opened without an opener, or by the user, inherits none",
			Rule: "config.go: TabIDs are one for each tab", Laws: laws("IDENTITY-001", "KEY-005"), Cover: "TabIDs: two workers of one tab",
		},
		{
			ID: "session/opener-reload", Text: "a page that reloads is told from a fresh copy by its opener alone",
			Rule: "config.go: TabIDs stay", Laws: laws("IDENTITY-001", "IDENTITY-002", "GC-005"),
			Cover: "Crash and Open of a worker with a TabID of its own: the page becomes a new tab with each reload, and what it left is " +
				"collected",
		},
		{
			ID: "session/duplicate", Text: "a tab that the user duplicates has the session storage of the first and no opener",
			Rule: "scope.go: one id", Laws: laws("IDENTITY-003", "RACE-012"), Cover: "TabIDs: two workers of one tab",
		},
	}
}

func channelAssumptions() []Assumption {
	return []Assumption{
		{
			ID: "channel/fifo", Text: "of one sender and one receiver no frame is lost, doubled or out of order",
			Rule: "state.go: wire, a queue for each sender and receiver", Laws: laws("EVENT-002"), Cover: "Budgets.Loss: lost frames",
		},
		{
			ID: "channel/across", Text: "frames of two senders come to two receivers in different orders",
			Rule: "step.go: deliveries of different senders interleave freely", Laws: laws("EVENT-002"),
		},
		{
			ID: "channel/causal", Text: "an answer comes to a third tab before what it answers",
			Rule: "step.go: deliveries of different senders interleave freely", Laws: laws("EVENT-002", "RACE-001"),
		},
		{
			ID: "channel/no-echo", Text: "a channel does not hear itself; another object of its name in the page does",
			Rule: "channel.go: post goes to all but its own", Laws: laws("GATE-004", "CONTROL-002", "IDENTITY-001"),
		},
		{
			ID: "channel/clone", Text: "a frame is copied when it is posted, what cannot be copied throws in the call, and no handler runs " +
				"within a post",
			Rule: "frame.go: a frame is a value", Laws: laws("CONTROL-001", "PUBLISH-003"),
		},
		{
			ID: "channel/greeting", Text: "who opens a channel and posts at once is heard, and hears the answer",
			Rule: "lifecycle.go: open nudges, and hears from then on", Laws: laws("REGISTRY-001", "LIFECYCLE-004"),
			Cover: "Budgets.Loss: lost frames",
		},
		{
			ID: "channel/close-sends", Text: "what was posted arrives, although the channel is closed in the same task",
			Rule: "lifecycle.go: hide posts, and then closes", Laws: laws("HANDOFF-001", "RACE-007"), Cover: "LossyClose",
		},
		{
			ID: "channel/close-hears", Text: "a channel that is closed hears nothing more, not even what was under way, and cannot post",
			Rule: "lifecycle.go: close empties what is under way to it", Laws: laws("LIFECYCLE-005", "RACE-006"),
		},
		{
			ID: "channel/turns", Text: "microtasks of a task run before the next frame or timer of the tab",
			Rule: "doc.go: the flush of a task comes before the next frame or timer of its tab", Laws: laws("BATCH-001"),
		},
	}
}

func orderAssumptions() []Assumption {
	const cover = "Late for SUBSCRIBE and REGISTRY that come before their write; Budgets.Loss for ROUTE_RELEASED, which is then " +
		"refused as if lost; Lag for a view that stays behind through many frames"
	return []Assumption{
		{
			ID: "order/same-process", Text: "no frame overtakes the write that its sender made before it, within a process",
			Rule: "channel.go: receive reads the store", Laws: laws("REGISTRY-004", "HANDOFF-005"), Cover: cover,
		},
		{
			ID: "order/other-process", Text: "no frame overtakes the write that its sender made before it, between processes",
			Rule: "doc.go: what a process sees of another one's storage is never older than the last flush",
			Laws: laws("REGISTRY-004", "HANDOFF-005", "RACE-009"), Cover: cover,
		},
		{
			ID: "order/hidden", Text: "no frame overtakes the write that its sender made before it, on its way to a hidden page",
			Rule: "lifecycle.go: a hidden tab is as any other", Laws: laws("VISIBILITY-002", "REGISTRY-004", "HANDOFF-005"), Cover: cover,
		},
		{
			ID: "order/third", Text: "nor does a frame that a third tab posts on hearing of it",
			Rule: "doc.go: what a process sees of another one's storage is never older than the last flush",
			Laws: laws("SUBSCRIBE-002", "HANDOFF-005"), Cover: cover,
		},
		{
			ID: "order/before-flush", Text: "a frame that was posted before the flush of its task can be handled without the write",
			Rule: "scope.go: Late", Laws: laws("RACE-009", "REGISTRY-004"),
		},
	}
}

func pageAssumptions() []Assumption {
	return []Assumption{
		{
			ID: "page/events", Text: "every way out of a page tells it pagehide once, before visibilitychange, and a way back pageshow",
			Rule: "lifecycle.go: hide, open and turn", Laws: laws("LIFECYCLE-004", "LIFECYCLE-005", "VISIBILITY-001"),
		},
		{
			ID: "page/writes", Text: "what pagehide writes is stored, whole",
			Rule: "lifecycle.go: hide flushes before it posts", Laws: laws("BATCH-006", "HANDOFF-001"), Cover: "Budgets.Fail; Budgets.Crash",
		},
		{
			ID: "page/microtasks", Text: "microtasks and callbacks of promises that pagehide leaves behind run",
			Rule: "lifecycle.go: leave ends in the same step", Laws: laws("BATCH-001", "BATCH-006"), Cover: "Budgets.Crash",
		},
		{
			ID: "page/frames", Text: "what pagehide posts arrives, although it closes the channel in the same task",
			Rule: "lifecycle.go: hide posts, and then closes", Laws: laws("HANDOFF-001", "LIVE-002", "RACE-007"), Cover: "LossyClose",
		},
		{
			ID: "page/frames-later", Text: "what pagehide posts arrives when a task of its own closes the channel",
			Rule: "lifecycle.go: hide posts, and then closes", Laws: laws("RACE-005", "RACE-007"), Cover: "LossyClose",
		},
		{
			ID: "page/order", Text: "who hears from a page in pagehide sees what it wrote before",
			Rule: "lifecycle.go: handOn flushes and then posts ROUTE_RELEASED", Laws: laws("REGISTRY-004", "HANDOFF-003", "HANDOFF-005",
				"RACE-005"),
			Cover: "Budgets.Loss: ROUTE_RELEASED is refused as if lost",
		},
		{
			ID: "page/crash", Text: "what a page wrote and posted in the task before its process dies is stored and arrives",
			Rule: "lifecycle.go: crash leaves what is under way", Laws: laws("RACE-011", "RACE-013"), Cover: "Budgets.Crash; Budgets.Loss",
		},
	}
}

// absenceAssumptions are those about pages that are away or asleep.
func absenceAssumptions() []Assumption {
	return []Assumption{
		{
			ID: "cache/returns", Text: "a page that closed its channel in pagehide returns as it was, with persisted in pagehide and pageshow",
			Rule: "lifecycle.go: open brings a hidden worker back", Laws: laws("LIFECYCLE-004", "STICKY-004", "RACE-006"),
			Cover: "Budgets.Crash and Open: a page that does not return",
		},
		{
			ID: "cache/asleep", Text: "no timer of a page runs while it is away",
			Rule: "clock.go: only running tabs have a heartbeat", Laws: laws("HEARTBEAT-003", "LIFECYCLE-005"),
		},
		{
			ID: "cache/missed", Text: "a page hears nothing of what was posted while it was away, and at once what is posted after it",
			Rule: "lifecycle.go: close empties what is under way to it", Laws: laws("LIFECYCLE-005", "LIMIT-003"),
		},
		{
			ID: "cache/fresh", Text: "a page that returns reads in pageshow what others wrote meanwhile",
			Rule: "lifecycle.go: open reconciles", Laws: laws("LIFECYCLE-004", "STICKY-004"), Cover: "Late and Lag, as for storage/other-process",
		},
		{
			ID: "cache/open-channel", Text: "a page that leaves its channel open does not return once a frame was posted to it: it has to " +
				"close it",
			Rule: "lifecycle.go: hide closes", Laws: laws("HANDOFF-001", "LIFECYCLE-005"),
		},
		{
			ID: "frozen/timers", Text: "timers of a frozen page stand still, and run again once it is thawed",
			Rule: "step.go: a frozen tab takes no step", Laws: laws("RACE-010", "TTL-001", "FENCE-003"), Cover: "Freeze",
		},
		{
			ID: "frozen/frames", Text: "a frozen page handles no frame; frames wait, in order, until it is thawed",
			Rule: "step.go: a frozen tab takes no step", Laws: laws("RACE-008", "RACE-010"),
			Cover: "Freeze, as often as frames come: a tab thaws, hears and is frozen again before it beats; the scopes have at most two",
		},
		{
			ID: "frozen/fresh", Text: "a page that is thawed reads in its first task what others wrote meanwhile",
			Rule: "step.go: thaw reads the store", Laws: laws("RACE-008", "RACE-010", "FENCE-003"), Cover: "Late and Lag, as for " +
				"storage/other-process",
		},
	}
}

func clockAssumptions() []Assumption {
	return []Assumption{
		{
			ID: "clock/agree", Text: "the clocks of all tabs agree to 50 ms",
			Rule: "clock.go: one clock", Laws: laws("TTL-001", "TTL-002", "LIVE-001"), Cover: "Fine with Phases, for heartbeats that are apart",
		},
		{
			ID: "clock/hidden", Text: "the heartbeat of a hidden tab comes often enough for its TTL: every 3 s, within 10 s",
			Rule: "clock.go: a hidden tab beats as others do", Laws: laws("HEARTBEAT-001", "TTL-003", "VISIBILITY-002"), Cover: "Freeze",
		},
		{
			ID: "clock/hidden-long", Text: "the same after five minutes, when a browser slows hidden tabs down further",
			Rule: "clock.go: a hidden tab beats as others do", Laws: laws("HEARTBEAT-001", "TTL-003", "VISIBILITY-002"),
			Cover: "Freeze: a tab that sleeps beyond its TTL and wakes",
		},
	}
}
