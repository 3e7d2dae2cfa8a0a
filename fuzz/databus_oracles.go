package fuzz

// databusOracles are the fuzz targets of the data bus.
func databusOracles() []Oracle {
	return []Oracle{
		{
			Target: "FuzzDatabusScript",
			Says: "Whatever applications ask of two or three tabs, and whatever pages hide, freeze and crash, frames are lost and writes are refused, late or early, the reference and the " +
				"machine of the data bus elect, store, post, confirm, hand on, subscribe at the server and dispatch the same, and stand alike after every step; records are well-formed, " +
				"loads count, intent is kept, calls are wanted; and once the faults end no topic has two owners, and in the fenced version each that is wanted has one.",
			Laws: []string{
				"DATABUS-KEY-001", "DATABUS-KEY-005", "DATABUS-RECORD-001", "DATABUS-RECORD-003", "DATABUS-ROUTE-001", "DATABUS-ROUTE-002", "DATABUS-OWNER-001",
				"DATABUS-OWNER-003", "DATABUS-OWNER-005", "DATABUS-OWNER-006", "DATABUS-OWNER-007", "DATABUS-STICKY-001", "DATABUS-STICKY-003", "DATABUS-STICKY-004",
				"DATABUS-SUBSCRIBE-002", "DATABUS-SUBSCRIBE-003", "DATABUS-SUBSCRIBE-006", "DATABUS-UNSUBSCRIBE-002", "DATABUS-UNSUBSCRIBE-003", "DATABUS-UNSUBSCRIBE-004",
				"DATABUS-UNSUBSCRIBE-005", "DATABUS-GATE-001", "DATABUS-GATE-002", "DATABUS-GATE-003", "DATABUS-GATE-004", "DATABUS-GATE-005", "DATABUS-CONTROL-003",
				"DATABUS-CONTROL-004", "DATABUS-REGISTRY-001", "DATABUS-REGISTRY-002", "DATABUS-REGISTRY-004", "DATABUS-HANDOFF-001", "DATABUS-HANDOFF-002",
				"DATABUS-HANDOFF-003", "DATABUS-HANDOFF-004", "DATABUS-HANDOFF-005", "DATABUS-HANDOFF-006", "DATABUS-HANDOFF-008", "DATABUS-HANDOFF-009",
				"DATABUS-GENERATION-001", "DATABUS-GENERATION-003", "DATABUS-CONFIRM-001", "DATABUS-CONFIRM-002", "DATABUS-HEARTBEAT-001", "DATABUS-HEARTBEAT-002",
				"DATABUS-TTL-001", "DATABUS-GC-001", "DATABUS-GC-002", "DATABUS-GC-004", "DATABUS-BATCH-001", "DATABUS-BATCH-002", "DATABUS-BATCH-006",
				"DATABUS-LIFECYCLE-004", "DATABUS-LIFECYCLE-005", "DATABUS-VISIBILITY-001", "DATABUS-FENCE-001", "DATABUS-FENCE-002", "DATABUS-FENCE-003",
				"DATABUS-INV-001", "DATABUS-INV-002", "DATABUS-INV-004", "DATABUS-INV-006", "DATABUS-INV-007", "DATABUS-LIVE-004", "DATABUS-LIVE-005",
			},
		},
		{
			Target: "FuzzDatabusFrame",
			Says: "Whatever octets come over the channel, the reference takes the same for a frame, and finds the same in it, as a second reading of the rules, and what it writes comes " +
				"back; and whatever a frame of a stranger asks for, tabs that run keep their intent and their loads, are not concerned by what is for others, remember no more than " +
				"they may, never end up with two owners, and in the fenced version go on to serve what they served.",
			Laws: []string{
				"DATABUS-CONTROL-001", "DATABUS-CONTROL-002", "DATABUS-CONTROL-005", "DATABUS-GATE-004", "DATABUS-CACHE-001", "DATABUS-SUBSCRIBE-006", "DATABUS-FENCE-001",
				"DATABUS-FENCE-002", "DATABUS-INV-001", "DATABUS-INV-004", "DATABUS-INV-006", "DATABUS-LIVE-005",
			},
		},
		{
			Target: "FuzzDatabusRecord",
			Says: "Whatever is stored, the reference takes the same for a record, and finds the same in it, as a second reading of the rules; under any key of a cluster that runs, what is no " +
				"record is as if it were not there, step by step, and what is one heals within a heartbeat and the TTL, unless it speaks for a tab that runs; the route of a topic that a " +
				"live tab subscribes is there after every heartbeat.",
			Laws: []string{
				"DATABUS-RECORD-001", "DATABUS-RECORD-003", "DATABUS-RECORD-005", "DATABUS-OWNER-006", "DATABUS-HANDOFF-008", "DATABUS-TTL-001", "DATABUS-GC-001",
				"DATABUS-GC-003", "DATABUS-INV-001", "DATABUS-INV-004", "DATABUS-INV-006", "DATABUS-LIVE-004", "DATABUS-LIVE-005", "DATABUS-FENCE-003",
			},
		},
	}
}
