package stompmodel

import "strings"

// ParseHeartBeat reads the value of a heart-beat header: the milliseconds that the sender can keep and those that it wants, each 0 to 2147483647. It
// returns false for anything but two plain decimals with one comma between them.
func ParseHeartBeat(value string) (can, want int, ok bool) {
	// STOMP-HEARTBEAT-001, STOMP-HEARTBEAT-009
	parts := strings.Split(value, ",")
	if len(parts) != 2 {
		return 0, 0, false
	}
	can, canOK := readLength(V12, parts[0])
	want, wantOK := readLength(V12, parts[1])
	if !canOK || !wantOK || can > maxDeclared || want > maxDeclared {
		return 0, 0, false
	}
	return can, want, true
}

// Intervals returns how often each side must put data on the connection, in milliseconds, 0 for never, when the client said cx,cy and the server sx,sy.
func Intervals(cx, cy, sx, sy int) (client, server int) {
	interval := func(can, want int) int {
		// STOMP-HEARTBEAT-003
		if can == 0 || want == 0 {
			return 0
		}
		return max(can, want)
	}
	return interval(cx, sy), interval(sx, cy)
}
