package stompmodel

import "testing"

// TestParseHeartBeat checks STOMP-HEARTBEAT-001 and STOMP-HEARTBEAT-009.
func TestParseHeartBeat(t *testing.T) {
	for value, want := range map[string][2]int{"0,100": {0, 100}, "2147483647,0": {2147483647, 0}, "0,0": {0, 0}, "007,5": {7, 5}} {
		if can, wants, ok := ParseHeartBeat(value); !ok || [2]int{can, wants} != want {
			t.Errorf("%q: %d,%d,%t", value, can, wants, ok)
		}
	}
	for _, value := range []string{"", "1", "1,2,3", "-1,2", "1, 2", ",", "2147483648,0", "0,99999999999999999999", "+1,2", "1.5,2", "1,"} {
		if can, want, ok := ParseHeartBeat(value); ok {
			t.Errorf("%q: %d,%d", value, can, want)
		}
	}
}

// TestIntervals checks STOMP-HEARTBEAT-003.
func TestIntervals(t *testing.T) {
	for in, want := range map[[4]int][2]int{{10, 20, 30, 40}: {40, 30}, {0, 20, 0, 40}: {0, 0}, {5, 0, 5, 7}: {7, 0}, {9, 8, 7, 6}: {9, 8}} {
		if c, s := Intervals(in[0], in[1], in[2], in[3]); [2]int{c, s} != want {
			t.Errorf("%v: %d, %d, want %v", in, c, s, want)
		}
	}
}
