package fuzz

// An Oracle is one fuzz target and the laws that its oracle would see broken.
type Oracle struct {
	Target string // name of the Fuzz function
	Says   string // what holds for every input
	Laws   []string
}

// Oracles returns every fuzz target of this package. Its laws are those that a breach of would make the target fail on some input, not those
// that it happens to exercise.
func Oracles() []Oracle {
	return []Oracle{
		{
			Target: "FuzzStompDecoder",
			Says: "The reference decoder and the codec machine make the same events of any octets, or fail by the same rule at the same " +
				"octet, under any version, handshake and limits, however the octets are cut and whoever owns the memory; a decoder that " +
				"has failed or ended holds nothing and takes nothing.",
			Laws: []string{
				"STOMP-FRAME-001", "STOMP-FRAME-002", "STOMP-FRAME-003", "STOMP-FRAME-004", "STOMP-FRAME-005", "STOMP-FRAME-006",
				"STOMP-FRAME-007", "STOMP-FRAME-008", "STOMP-FRAME-009", "STOMP-FRAME-010", "STOMP-FRAME-011", "STOMP-FRAME-012",
				"STOMP-FRAME-013", "STOMP-FRAME-014", "STOMP-FRAME-015", "STOMP-FRAME-016", "STOMP-FRAME-017", "STOMP-FRAME-018",
				"STOMP-FRAME-019", "STOMP-FRAME-020", "STOMP-FRAME-024", "STOMP-FRAME-025",
				"STOMP-HDR-001", "STOMP-HDR-002", "STOMP-HDR-004", "STOMP-HDR-005", "STOMP-HDR-006", "STOMP-HDR-007", "STOMP-HDR-009",
				"STOMP-HDR-010", "STOMP-HDR-011",
				"STOMP-ESC-001", "STOMP-ESC-002", "STOMP-ESC-003", "STOMP-ESC-004", "STOMP-ESC-007", "STOMP-ESC-009", "STOMP-ESC-010",
				"STOMP-ESC-012",
				"STOMP-BODY-001", "STOMP-BODY-003", "STOMP-BODY-004", "STOMP-BODY-005", "STOMP-BODY-008", "STOMP-BODY-009",
				"STOMP-BODY-010", "STOMP-BODY-011", "STOMP-BODY-014",
				"STOMP-LIMIT-001", "STOMP-LIMIT-002", "STOMP-LIMIT-003", "STOMP-LIMIT-004", "STOMP-LIMIT-005", "STOMP-LIMIT-006",
				"STOMP-NEGOTIATE-006",
			},
		},
		{
			Target: "FuzzStompRoundTrip",
			Says: "The reference encoder refuses a frame if and only if the laws do, for a fault that the frame has and without an " +
				"octet; else it writes the octets of the model's encoder, which a judge finds nothing wrong with and which decode to the " +
				"frame itself, but for an appended content-length.",
			Laws: []string{
				"STOMP-FRAME-002", "STOMP-FRAME-003", "STOMP-FRAME-021", "STOMP-FRAME-022", "STOMP-FRAME-023", "STOMP-FRAME-024",
				"STOMP-HDR-003", "STOMP-HDR-013",
				"STOMP-ESC-005", "STOMP-ESC-006", "STOMP-ESC-007", "STOMP-ESC-008", "STOMP-ESC-009", "STOMP-ESC-010", "STOMP-ESC-011",
				"STOMP-BODY-001", "STOMP-BODY-006", "STOMP-BODY-008", "STOMP-BODY-012", "STOMP-BODY-013", "STOMP-BODY-014",
				"STOMP-BODY-015",
				"STOMP-LIMIT-009", "STOMP-LIMIT-010", "STOMP-LIMIT-011", "STOMP-LIMIT-012",
			},
		},
		{
			Target: "FuzzStompStable",
			Says: "What any octets decode to encodes again, unless a law named for the frame forbids to write it, and the octets decode " +
				"to the same events and encode to themselves.",
			Laws: []string{
				"STOMP-FRAME-011", "STOMP-FRAME-021", "STOMP-FRAME-023", "STOMP-HDR-003", "STOMP-ESC-008", "STOMP-BODY-012",
				"STOMP-BODY-013", "STOMP-BODY-015",
			},
		},
		{
			Target: "FuzzStompPeer",
			Says: "The reference decoder and the frame reader of go-stomp deliver the same frames of any octets and stop at the same " +
				"one, but for the differences that goStompDifferences lists.",
			Laws: []string{
				"STOMP-FRAME-001", "STOMP-FRAME-003", "STOMP-FRAME-004", "STOMP-FRAME-010", "STOMP-FRAME-015", "STOMP-HDR-001",
				"STOMP-HDR-002", "STOMP-HDR-007", "STOMP-HDR-010", "STOMP-ESC-001", "STOMP-ESC-012", "STOMP-BODY-003", "STOMP-BODY-004",
				"STOMP-BODY-005", "STOMP-BODY-014",
			},
		},
		{
			Target: "FuzzStompBrokerSession",
			Says: "Whatever one session says, a live broker answers it in well-formed server frames in a legal order with the receipts that " +
				"are due, ends it or goes on, holds no more than the octets account for, makes visible what was sent or committed and " +
				"nothing else, serves another session as if nothing were, and leaves neither goroutine nor message behind.",
			Laws: []string{
				"STOMP-FRAME-004", "STOMP-CONNECT-007", "STOMP-ERROR-001", "STOMP-RECEIPT-001", "STOMP-SEND-002", "STOMP-SEND-003",
				"STOMP-SEND-004",
				"STOMP-TX-003", "STOMP-TX-005", "STOMP-DISCONNECT-003", "STOMP-DISCONNECT-004", "STOMP-NEGOTIATE-006",
			},
		},
		{
			Target: "FuzzStompClientSession",
			Says: "Whatever a caller sends and whenever, and whatever octets the server says, the reference client session refuses and closes for " +
				"the reasons of the session machine, by the same laws, writes the same octets, reports the same events, and holds the same " +
				"records, state, version and intervals after every call; and what it returned stays as it was.",
			Laws: []string{
				"STOMP-CLIENT-001", "STOMP-CLIENT-002", "STOMP-CLIENT-003", "STOMP-CLIENT-005", "STOMP-CLIENT-006", "STOMP-CLIENT-007",
				"STOMP-CLIENT-008", "STOMP-CLIENT-009", "STOMP-CLIENT-010",
				"STOMP-CLOCK-001", "STOMP-CLOCK-002", "STOMP-CLOCK-003", "STOMP-CLOCK-004", "STOMP-CLOCK-005", "STOMP-CLOCK-006",
				"STOMP-CONNECT-003", "STOMP-CONNECT-014", "STOMP-CONNECT-015", "STOMP-CONNECT-016", "STOMP-CONNECT-017",
				"STOMP-NEGOTIATE-006", "STOMP-NEGOTIATE-007", "STOMP-NEGOTIATE-008",
				"STOMP-HEARTBEAT-001", "STOMP-HEARTBEAT-003", "STOMP-HEARTBEAT-006", "STOMP-HEARTBEAT-009", "STOMP-HEARTBEAT-010",
				"STOMP-HEARTBEAT-011", "STOMP-HEARTBEAT-013", "STOMP-HEARTBEAT-014", "STOMP-HEARTBEAT-015", "STOMP-HEARTBEAT-016",
				"STOMP-LIMIT-008", "STOMP-LIMIT-009", "STOMP-LIMIT-010", "STOMP-LIMIT-011", "STOMP-LIMIT-014", "STOMP-LIMIT-015",
				"STOMP-LIMIT-016", "STOMP-LIMIT-017",
				"STOMP-SEND-005",
				"STOMP-SUBSCRIBE-012", "STOMP-SUBSCRIBE-013", "STOMP-SUBSCRIBE-014", "STOMP-SUBSCRIBE-015",
				"STOMP-UNSUBSCRIBE-004", "STOMP-UNSUBSCRIBE-005", "STOMP-UNSUBSCRIBE-006", "STOMP-UNSUBSCRIBE-007",
				"STOMP-UNSUBSCRIBE-008", "STOMP-UNSUBSCRIBE-009",
				"STOMP-ACK-006", "STOMP-ACK-007", "STOMP-ACK-008", "STOMP-ACK-009", "STOMP-ACK-010", "STOMP-NACK-001", "STOMP-NACK-005",
				"STOMP-TX-006", "STOMP-TX-007", "STOMP-TX-008",
				"STOMP-RECEIPT-003", "STOMP-RECEIPT-004", "STOMP-RECEIPT-005", "STOMP-ERROR-006", "STOMP-ERROR-007",
				"STOMP-DISCONNECT-002", "STOMP-DISCONNECT-005", "STOMP-DISCONNECT-006",
				"STOMP-FRAME-017", "STOMP-FRAME-025", "STOMP-HDR-009",
			},
		},
		{
			Target: "FuzzStompHeartBeat",
			Says:   "The reference reads and writes heart-beat headers, and agrees on intervals, as the model does.",
			Laws:   []string{"STOMP-HEARTBEAT-001", "STOMP-HEARTBEAT-003", "STOMP-HEARTBEAT-009"},
		},
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
