package fuzz

// substrateOracles are the fuzz targets of the substrate.
func substrateOracles() []Oracle {
	return []Oracle{
		{
			Target: "FuzzSubstrateDecode",
			Says: "The reference and the machine take the same octets for a message, or close with the same code; they find the same fields, the same fault, with " +
				"feeds and without, and who is told of it; what was decoded twice is the same, shares no memory with the message, and encodes to it again.",
			Laws: []string{
				"SUBSTRATE-WIRE-001", "SUBSTRATE-WIRE-002", "SUBSTRATE-WIRE-003", "SUBSTRATE-WIRE-004", "SUBSTRATE-WIRE-005", "SUBSTRATE-CODEC-001",
				"SUBSTRATE-CODEC-002", "SUBSTRATE-CODEC-003", "SUBSTRATE-CODEC-004", "SUBSTRATE-CODEC-005", "SUBSTRATE-ADDR-001", "SUBSTRATE-ADDR-002",
				"SUBSTRATE-ADDR-003", "SUBSTRATE-VERB-006", "SUBSTRATE-SEQ-012", "SUBSTRATE-FINALITY-001", "SUBSTRATE-FINALITY-002",
			},
		},
		{
			Target: "FuzzSubstrateRoundTrip",
			Says: "Whatever frame is drawn, with values at the ends of their ranges and beyond, the reference writes the octets of the machine, and reads back what " +
				"was written, with the machine's fault; what could not be read back is refused and leaves no octet.",
			Laws: []string{
				"SUBSTRATE-WIRE-001", "SUBSTRATE-WIRE-002", "SUBSTRATE-WIRE-003", "SUBSTRATE-WIRE-004", "SUBSTRATE-CODEC-001", "SUBSTRATE-CODEC-002",
				"SUBSTRATE-ADDR-001", "SUBSTRATE-ADDR-002", "SUBSTRATE-ADDR-003", "SUBSTRATE-VERB-006", "SUBSTRATE-SEQ-012",
			},
		},
		{
			Target: "FuzzSubstrateHandshake",
			Says: "Whatever the other side offers, and whatever octets come in the place of one of its messages, a side of the reference says message by message what the " +
				"machine says in its place, and is ready with the same tuple, connection and transcript, or ends with the same code; it is ready with nobody " +
				"whose words were changed, and two that are ready hold the same.",
			Laws: []string{
				"SUBSTRATE-HANDSHAKE-001", "SUBSTRATE-HANDSHAKE-002", "SUBSTRATE-HANDSHAKE-003", "SUBSTRATE-HANDSHAKE-004", "SUBSTRATE-HANDSHAKE-005",
				"SUBSTRATE-HANDSHAKE-006", "SUBSTRATE-HANDSHAKE-007", "SUBSTRATE-HANDSHAKE-008", "SUBSTRATE-AUTH-001", "SUBSTRATE-AUTH-003",
				"SUBSTRATE-AUTH-004", "SUBSTRATE-AUTH-005", "SUBSTRATE-AUTH-006", "SUBSTRATE-AUTH-007", "SUBSTRATE-AUTH-008", "SUBSTRATE-E2E-001",
			},
		},
		{
			Target: "FuzzSubstrateStore",
			Says: "Whatever is written, taken and expired, the stores in memory, in a database and in a journal say the same at every step; the database says it again " +
				"once it was opened again, and the journal what it has of outbox and objects.",
			Laws: []string{
				"SUBSTRATE-STORE-001", "SUBSTRATE-OUTBOX-007", "SUBSTRATE-DEDUPE-003", "SUBSTRATE-OBJ-007", "SUBSTRATE-OBJ-008",
				"SUBSTRATE-SEQ-011", "SUBSTRATE-JOURNAL-006", "SUBSTRATE-WIRE-004",
			},
		},
		{
			Target: "FuzzSubstratePair",
			Says: "Whatever two peers of the substrate ask for, lose, copy, swap, deny and fail to write, through disconnects, takeovers, crashes, days and third peers, the " +
				"reference engines and the machine of a pair put the same frames on the wire, commit, hand over, settle, report and count the same, and hold the " +
				"same rows, counters, ledgers, inboxes, objects, frontiers and gaps after every step.",
			Laws: []string{
				"SUBSTRATE-OBJ-001", "SUBSTRATE-OBJ-005", "SUBSTRATE-OBJ-006", "SUBSTRATE-OBJ-007", "SUBSTRATE-VERB-001", "SUBSTRATE-VERB-002", "SUBSTRATE-VERB-003",
				"SUBSTRATE-VERB-005", "SUBSTRATE-SEQ-001", "SUBSTRATE-SEQ-002", "SUBSTRATE-SEQ-003", "SUBSTRATE-SEQ-004", "SUBSTRATE-SEQ-005", "SUBSTRATE-SEQ-006",
				"SUBSTRATE-SEQ-007", "SUBSTRATE-SEQ-008", "SUBSTRATE-SEQ-009", "SUBSTRATE-SEQ-010", "SUBSTRATE-SEQ-011", "SUBSTRATE-SEQ-013", "SUBSTRATE-OUTBOX-002",
				"SUBSTRATE-OUTBOX-003", "SUBSTRATE-OUTBOX-004", "SUBSTRATE-OUTBOX-005", "SUBSTRATE-OUTBOX-006", "SUBSTRATE-OUTBOX-007", "SUBSTRATE-OUTBOX-008",
				"SUBSTRATE-OUTBOX-009", "SUBSTRATE-ACK-001", "SUBSTRATE-ACK-002", "SUBSTRATE-ACK-003", "SUBSTRATE-ACK-004", "SUBSTRATE-ACK-005", "SUBSTRATE-ACK-006",
				"SUBSTRATE-ACK-007", "SUBSTRATE-ANSWER-001", "SUBSTRATE-ANSWER-002", "SUBSTRATE-ANSWER-003", "SUBSTRATE-ANSWER-004", "SUBSTRATE-ANSWER-005",
				"SUBSTRATE-ANSWER-006", "SUBSTRATE-DEDUPE-001", "SUBSTRATE-DEDUPE-002", "SUBSTRATE-DEDUPE-003", "SUBSTRATE-DEDUPE-004", "SUBSTRATE-DEDUPE-005",
				"SUBSTRATE-DEDUPE-007", "SUBSTRATE-DEDUPE-008", "SUBSTRATE-FINALITY-003", "SUBSTRATE-FINALITY-004", "SUBSTRATE-FINALITY-005", "SUBSTRATE-FINALITY-006",
				"SUBSTRATE-FINALITY-007", "SUBSTRATE-FINALITY-008", "SUBSTRATE-FINALITY-009", "SUBSTRATE-TOMBSTONE-001", "SUBSTRATE-TOMBSTONE-002",
				"SUBSTRATE-TOMBSTONE-003", "SUBSTRATE-TOMBSTONE-004", "SUBSTRATE-BOUNCE-001", "SUBSTRATE-BOUNCE-002", "SUBSTRATE-BOUNCE-003", "SUBSTRATE-BOUNCE-004",
				"SUBSTRATE-BOUNCE-005", "SUBSTRATE-AUTHZ-002", "SUBSTRATE-AUTHZ-003", "SUBSTRATE-AUTHZ-004", "SUBSTRATE-AUTHZ-012", "SUBSTRATE-RECONNECT-002",
				"SUBSTRATE-RECONNECT-004", "SUBSTRATE-RECONNECT-005", "SUBSTRATE-STORE-005", "SUBSTRATE-STORE-008",
				"SUBSTRATE-OBSERVE-007", "SUBSTRATE-LIMIT-002",
			},
		},
		{
			Target: "FuzzSubstrateRelay",
			Says: "Whatever a browser sends early, twice or ahead, and whether store calls succeed, fail or succeed too late, on any number of edges one after another, the reference " +
				"edge makes the store calls and sends the acks that the machine of an edge foresees, and nothing else.",
			Laws: []string{
				"SUBSTRATE-RELAY-001", "SUBSTRATE-RELAY-002", "SUBSTRATE-RELAY-003", "SUBSTRATE-RELAY-004", "SUBSTRATE-RELAY-005", "SUBSTRATE-RELAY-006",
				"SUBSTRATE-RELAY-008", "SUBSTRATE-ACK-007",
			},
		},
		{
			Target: "FuzzSubstrateFeed",
			Says: "Whatever stream edges push to a browser, one after another, and whatever of it is lost, trimmed, denied or does not fit into an inbox, through disconnects and crashes " +
				"of the browser, the reference engines push, ask, take, hand over and report what the machine of a feed foresees, and nothing else, and stand where it stands " +
				"after every step; an edge keeps nothing.",
			Laws: []string{
				"SUBSTRATE-FEED-001", "SUBSTRATE-FEED-002", "SUBSTRATE-FEED-003", "SUBSTRATE-FEED-004", "SUBSTRATE-FEED-005", "SUBSTRATE-FEED-006",
				"SUBSTRATE-FEED-007",
			},
		},
		{
			Target: "FuzzSubstrateJournal",
			Says: "Whatever a page writes, whether its writes fail before the disk or on it, and wherever the page dies, with what torn end, the reference engine over the reference journal " +
				"sends, rejects, frees, gives up and restores what the machine of a journal foresees, an edge takes each operation once and in order, and after every step a crash would " +
				"leave the rows and the seq that the machine says.",
			Laws: []string{
				"SUBSTRATE-JOURNAL-001", "SUBSTRATE-JOURNAL-002", "SUBSTRATE-JOURNAL-003", "SUBSTRATE-JOURNAL-004", "SUBSTRATE-JOURNAL-005", "SUBSTRATE-JOURNAL-006",
				"SUBSTRATE-JOURNAL-008", "SUBSTRATE-OUTBOX-008",
			},
		},
	}
}
