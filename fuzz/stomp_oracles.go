package fuzz

// stompOracles are the fuzz targets of STOMP.
func stompOracles() []Oracle {
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
	}
}
