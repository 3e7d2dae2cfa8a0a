package stompmodel

// An Embodied law is one that this package checks, with the transition or the invariant that does it.
type Embodied struct{ Law, Where string }

// Laws lists the laws that the machines of this package really check: those whose breach a transition refuses, or an invariant reports. Laws that a
// comment cites only as a reason for a tolerance are not in it.
func Laws() []Embodied {
	var out []Embodied
	for _, group := range []struct {
		where string
		laws  []string
	}{
		{"Codec.Step: layout of a frame", []string{
			"STOMP-FRAME-001", "STOMP-FRAME-010", "STOMP-FRAME-011", "STOMP-FRAME-012", "STOMP-FRAME-015", "STOMP-FRAME-024",
		}},
		{"Version: commands", []string{"STOMP-FRAME-002", "STOMP-FRAME-003", "STOMP-FRAME-004", "STOMP-FRAME-005", "STOMP-FRAME-013"}},
		{"Codec.Step: lines", []string{
			"STOMP-FRAME-006", "STOMP-FRAME-007", "STOMP-FRAME-008", "STOMP-FRAME-009", "STOMP-FRAME-014", "STOMP-FRAME-016",
		}},
		{"Codec.Feed, Codec.End: failure and end", []string{"STOMP-FRAME-017", "STOMP-FRAME-018", "STOMP-FRAME-019", "STOMP-FRAME-020"}},
		{"Codec.Step: headers", []string{
			"STOMP-HDR-001", "STOMP-HDR-002", "STOMP-HDR-004", "STOMP-HDR-005", "STOMP-HDR-006", "STOMP-HDR-007", "STOMP-HDR-009", "STOMP-HDR-010",
			"STOMP-HDR-011", "STOMP-ESC-001", "STOMP-ESC-002", "STOMP-ESC-003", "STOMP-ESC-004", "STOMP-ESC-012",
		}},
		{"Codec.Step and Encode: which frames are escaped", []string{"STOMP-ESC-007", "STOMP-ESC-009", "STOMP-ESC-010"}},
		{"Codec.Step: bodies", []string{
			"STOMP-BODY-003", "STOMP-BODY-004", "STOMP-BODY-005", "STOMP-BODY-009", "STOMP-BODY-010", "STOMP-BODY-011",
		}},
		{"Codec.Step and Encode: bodies", []string{"STOMP-BODY-001", "STOMP-BODY-008", "STOMP-BODY-014"}},
		{"Codec.Step: limits", []string{
			"STOMP-LIMIT-001", "STOMP-LIMIT-002", "STOMP-LIMIT-003", "STOMP-LIMIT-004", "STOMP-LIMIT-005", "STOMP-LIMIT-006",
		}},
		{"CodecConfig.Validate", []string{"STOMP-LIMIT-007"}},
		{"Codec.Step: version after CONNECTED", []string{"STOMP-NEGOTIATE-006"}},
		{"Encode", []string{
			"STOMP-FRAME-021", "STOMP-FRAME-022", "STOMP-HDR-003", "STOMP-HDR-013", "STOMP-ESC-005", "STOMP-ESC-006", "STOMP-ESC-008", "STOMP-ESC-011",
			"STOMP-BODY-006", "STOMP-BODY-012", "STOMP-BODY-013", "STOMP-BODY-015", "STOMP-LIMIT-012",
		}},
		{"ParseHeartBeat, Intervals", []string{"STOMP-HEARTBEAT-001", "STOMP-HEARTBEAT-003", "STOMP-HEARTBEAT-009"}},
		{"Broker: invariant", []string{
			"STOMP-CONNECT-007", "STOMP-SUBSCRIBE-008", "STOMP-TX-003", "STOMP-TX-005", "STOMP-RECEIPT-001",
		}},
		{"Broker: edge invariant", []string{
			"STOMP-SEND-001", "STOMP-SEND-004", "STOMP-SUBSCRIBE-001", "STOMP-SUBSCRIBE-006", "STOMP-SUBSCRIBE-007", "STOMP-SUBSCRIBE-010",
			"STOMP-UNSUBSCRIBE-003", "STOMP-ACK-005", "STOMP-NACK-002", "STOMP-TX-001", "STOMP-TX-004", "STOMP-DISCONNECT-003", "STOMP-ERROR-001",
			"STOMP-ERROR-002", "STOMP-ERROR-004",
		}},
		{"Broker.Step", []string{"STOMP-FRAME-026", "STOMP-UNSUBSCRIBE-002"}},
		{"Broker.Unmet", []string{"STOMP-RECEIPT-002"}},
		{"Session: invariant or edge invariant", []string{
			"STOMP-LIMIT-014", "STOMP-LIMIT-015", "STOMP-LIMIT-016", "STOMP-LIMIT-017", "STOMP-CONNECT-016", "STOMP-NEGOTIATE-007",
			"STOMP-HEARTBEAT-010", "STOMP-HEARTBEAT-011", "STOMP-HEARTBEAT-013", "STOMP-HEARTBEAT-014", "STOMP-HEARTBEAT-016",
			"STOMP-CLOCK-002", "STOMP-CLOCK-003", "STOMP-CLOCK-004", "STOMP-CLOCK-005", "STOMP-SEND-005", "STOMP-SUBSCRIBE-012", "STOMP-SUBSCRIBE-013",
			"STOMP-SUBSCRIBE-014", "STOMP-SUBSCRIBE-015", "STOMP-UNSUBSCRIBE-004", "STOMP-UNSUBSCRIBE-005", "STOMP-UNSUBSCRIBE-006",
			"STOMP-UNSUBSCRIBE-007", "STOMP-UNSUBSCRIBE-008", "STOMP-ACK-006", "STOMP-ACK-007", "STOMP-ACK-008", "STOMP-ACK-009", "STOMP-ACK-010",
			"STOMP-TX-006", "STOMP-TX-007", "STOMP-TX-008", "STOMP-RECEIPT-003", "STOMP-RECEIPT-004", "STOMP-RECEIPT-005", "STOMP-ERROR-006",
			"STOMP-ERROR-007", "STOMP-DISCONNECT-005", "STOMP-DISCONNECT-006", "STOMP-CLIENT-001", "STOMP-CLIENT-002", "STOMP-CLIENT-005",
			"STOMP-CLIENT-006", "STOMP-CLIENT-007", "STOMP-CLIENT-009", "STOMP-CLIENT-010",
		}},
		{"Session.Step", []string{
			"STOMP-LIMIT-008", "STOMP-LIMIT-009", "STOMP-LIMIT-010", "STOMP-LIMIT-011", "STOMP-CONNECT-003", "STOMP-CONNECT-014",
			"STOMP-CONNECT-015", "STOMP-CONNECT-017", "STOMP-NEGOTIATE-008", "STOMP-HEARTBEAT-015", "STOMP-CLOCK-001", "STOMP-CLOCK-006",
			"STOMP-UNSUBSCRIBE-009", "STOMP-NACK-001", "STOMP-NACK-005", "STOMP-CLIENT-003", "STOMP-CLIENT-008",
		}},
		{"SessionConfig.Validate", []string{"STOMP-LIMIT-018", "STOMP-HEARTBEAT-012"}},
	} {
		for _, law := range group.laws {
			out = append(out, Embodied{Law: law, Where: group.where})
		}
	}
	return out
}
