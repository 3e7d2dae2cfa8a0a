package fuzz

// eventbusOracles are the fuzz targets of the event bus.
func eventbusOracles() []Oracle {
	return []Oracle{
		{
			Target: "FuzzEventbusBus",
			Says: "Whatever is published, seeded, subscribed, asked for, aborted, returned and closed, in both dialects, with any limits, the reference bus " +
				"and the bus machine give the same frames, results, errors, counts and diagnostics, hand the same items to the same calls that wait, " +
				"and hold the same ring, backlogs and warning states.",
			Laws: []string{
				"EVENTBUS-ID-001", "EVENTBUS-ID-002", "EVENTBUS-ID-003", "EVENTBUS-ID-004", "EVENTBUS-ID-005", "EVENTBUS-RING-001", "EVENTBUS-RING-002",
				"EVENTBUS-RING-003", "EVENTBUS-RING-004", "EVENTBUS-RING-006", "EVENTBUS-PUBLISH-001", "EVENTBUS-PUBLISH-002", "EVENTBUS-PUBLISH-003",
				"EVENTBUS-PUBLISH-004", "EVENTBUS-PUBLISH-005", "EVENTBUS-PUBLISH-006", "EVENTBUS-PUBLISH-007", "EVENTBUS-PUBLISH-008",
				"EVENTBUS-SUBSCRIBE-001", "EVENTBUS-SUBSCRIBE-002", "EVENTBUS-SUBSCRIBE-003", "EVENTBUS-SUBSCRIBE-004", "EVENTBUS-SUBSCRIBE-006",
				"EVENTBUS-SUBSCRIBE-007", "EVENTBUS-REPLAY-001", "EVENTBUS-REPLAY-002", "EVENTBUS-REPLAY-003", "EVENTBUS-REPLAY-004", "EVENTBUS-REPLAY-005",
				"EVENTBUS-REPLAY-006", "EVENTBUS-REPLAY-007", "EVENTBUS-REPLAY-008", "EVENTBUS-REPLAY-009", "EVENTBUS-REPLAY-010", "EVENTBUS-REPLAY-011",
				"EVENTBUS-RESYNC-001", "EVENTBUS-RESYNC-002", "EVENTBUS-RESYNC-003", "EVENTBUS-RESYNC-004", "EVENTBUS-RESYNC-005", "EVENTBUS-RESYNC-006",
				"EVENTBUS-RESYNC-007", "EVENTBUS-RESYNC-008", "EVENTBUS-RESYNC-009", "EVENTBUS-RESYNC-010", "EVENTBUS-RESYNC-011", "EVENTBUS-RESYNC-012",
				"EVENTBUS-QUEUE-001", "EVENTBUS-QUEUE-002", "EVENTBUS-QUEUE-003", "EVENTBUS-QUEUE-004", "EVENTBUS-QUEUE-005", "EVENTBUS-QUEUE-006",
				"EVENTBUS-QUEUE-007", "EVENTBUS-QUEUE-008", "EVENTBUS-QUEUE-009", "EVENTBUS-QUEUE-010", "EVENTBUS-QUEUE-011", "EVENTBUS-WARN-001",
				"EVENTBUS-WARN-002", "EVENTBUS-WARN-003", "EVENTBUS-WARN-004", "EVENTBUS-WARN-005", "EVENTBUS-WARN-006", "EVENTBUS-WARN-007",
				"EVENTBUS-WARN-008", "EVENTBUS-WARN-009", "EVENTBUS-WARN-010", "EVENTBUS-WARN-011", "EVENTBUS-WARN-012", "EVENTBUS-EVICT-001",
				"EVENTBUS-EVICT-002", "EVENTBUS-EVICT-003", "EVENTBUS-EVICT-004", "EVENTBUS-EVICT-005", "EVENTBUS-EVICT-006", "EVENTBUS-EVICT-007",
				"EVENTBUS-EVICT-008", "EVENTBUS-ABORT-001", "EVENTBUS-ABORT-002", "EVENTBUS-ABORT-003", "EVENTBUS-ABORT-004", "EVENTBUS-ABORT-005",
				"EVENTBUS-ABORT-006", "EVENTBUS-CLOSE-001", "EVENTBUS-CLOSE-002", "EVENTBUS-CLOSE-003", "EVENTBUS-CLOSE-005", "EVENTBUS-LIMIT-001",
				"EVENTBUS-LIMIT-002", "EVENTBUS-LIMIT-003", "EVENTBUS-CONCURRENCY-001", "EVENTBUS-CONCURRENCY-003",
			},
		},
		{
			Target: "FuzzEventbusEvents",
			Says: "An event of any JSON, encoded before or as a value, reaches those who wait for it and those who resume as the same compact JSON, which says " +
				"what was published and has the size that the bus counts and the machine foresees; as a frame it is one message whose data is that " +
				"JSON and whose id line is its id.",
			Laws: []string{
				"EVENTBUS-ID-003", "EVENTBUS-PUBLISH-001", "EVENTBUS-PUBLISH-003", "EVENTBUS-PUBLISH-004", "EVENTBUS-PUBLISH-005", "EVENTBUS-QUEUE-008",
				"EVENTBUS-SSE-001", "EVENTBUS-SSE-002",
			},
		},
		{
			Target: "FuzzEventbusParser",
			Says: "The reference parser, fed with any octets in any chunks, and the machine, which reads them whole, find the same messages, last event id and " +
				"reconnection time, and make the same envelope of each message, or none.",
			Laws: []string{
				"EVENTBUS-SSE-010", "EVENTBUS-SSE-011", "EVENTBUS-SSE-012", "EVENTBUS-SSE-013", "EVENTBUS-WHATWG-001", "EVENTBUS-WHATWG-002",
				"EVENTBUS-WHATWG-003", "EVENTBUS-WHATWG-004", "EVENTBUS-WHATWG-005", "EVENTBUS-WHATWG-006", "EVENTBUS-WHATWG-007", "EVENTBUS-WHATWG-008",
				"EVENTBUS-WHATWG-009", "EVENTBUS-WHATWG-011", "EVENTBUS-WHATWG-012", "EVENTBUS-WHATWG-013", "EVENTBUS-WHATWG-014", "EVENTBUS-WHATWG-015",
				"EVENTBUS-WHATWG-016", "EVENTBUS-WHATWG-017", "EVENTBUS-WHATWG-018", "EVENTBUS-WHATWG-019", "EVENTBUS-WHATWG-020", "EVENTBUS-WHATWG-021",
				"EVENTBUS-WHATWG-022", "EVENTBUS-WHATWG-023", "EVENTBUS-WHATWG-024",
			},
		},
		{
			Target: "FuzzEventbusEnvelope",
			Says:   "The reference and the machine take the same data for envelopes, with the same id, type and data.",
			Laws: []string{
				"EVENTBUS-SSE-013",
			},
		},
		{
			Target: "FuzzEventbusRoundTrip",
			Says: "What the reference writes as a message is read back as that message, with LF for each line ending of its data, by its own parser in any " +
				"chunks and by the machine, with comments between; what no stream can carry is refused and leaves no octet.",
			Laws: []string{
				"EVENTBUS-SSE-010", "EVENTBUS-SSE-012", "EVENTBUS-WHATWG-003", "EVENTBUS-WHATWG-004", "EVENTBUS-WHATWG-005", "EVENTBUS-WHATWG-006",
				"EVENTBUS-WHATWG-011", "EVENTBUS-WHATWG-014", "EVENTBUS-WHATWG-017", "EVENTBUS-WHATWG-018",
			},
		},
		{
			Target: "FuzzEventbusLastEventID",
			Says: "For any Last-Event-ID the reference handler answers 200 with the stream that the machines foresee, frame by frame, and has a line in its log " +
				"if and only if the value is invalid; any query is refused if and only if its maxQueued is.",
			Laws: []string{
				"EVENTBUS-HTTP-001", "EVENTBUS-HTTP-002", "EVENTBUS-HTTP-003", "EVENTBUS-HTTP-004", "EVENTBUS-HTTP-006", "EVENTBUS-SSE-003",
			},
		},
		{
			Target: "FuzzEventbusReducer",
			Says:   "After each of any frames the view of the reference is one that the reducer machine allows.",
			Laws: []string{
				"EVENTBUS-REDUCER-001", "EVENTBUS-REDUCER-002", "EVENTBUS-REDUCER-003", "EVENTBUS-REDUCER-004", "EVENTBUS-REDUCER-005",
				"EVENTBUS-REDUCER-006", "EVENTBUS-REDUCER-007", "EVENTBUS-REDUCER-008", "EVENTBUS-REDUCER-009", "EVENTBUS-REDUCER-010",
			},
		},
	}
}
