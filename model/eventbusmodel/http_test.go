package eventbusmodel

import (
	"strings"
	"testing"
)

// TestParseLastEventID: EVENTBUS-HTTP-001, EVENTBUS-HTTP-002, EVENTBUS-HTTP-003
func TestParseLastEventID(t *testing.T) {
	none, bad := HeaderCursor{}, HeaderCursor{Breadcrumb: true}
	at := func(n int64) HeaderCursor { return HeaderCursor{Cursor: true, After: n} }
	for value, want := range map[string]HeaderCursor{
		"": none, "42": at(42), "0": at(0), "007": at(7), "9007199254740991": at(maxSafeInteger), "00000000000000000000000000042": at(42),
		"9007199254740992": bad, "99999999999999999999": bad, strings.Repeat("9", 1000): bad, "-1": bad, "+5": bad, "1.5": bad, "abc": bad, "5, 6": bad, "５": bad,
		" 5": bad, "5 ": bad, "0x10": bad, "1e3": bad, "1_0": bad,
	} {
		if got := ParseLastEventID(value); got != want {
			t.Errorf("%q: %+v, want %+v", value, got, want)
		}
	}
}

// TestParseMaxQueued: EVENTBUS-HTTP-004
func TestParseMaxQueued(t *testing.T) {
	for _, tc := range []struct {
		values []string
		want   int // 0: refused
	}{
		{nil, 256},
		{[]string{"16"}, 16},
		{[]string{"2048"}, 2048},
		{[]string{"016"}, 16},
		{[]string{"15"}, 0},
		{[]string{"2049"}, 0},
		{[]string{""}, 0},
		{[]string{"abc"}, 0},
		{[]string{"16.0"}, 0},
		{[]string{"-16"}, 0},
		{[]string{"+16"}, 0},
		{[]string{"1e2"}, 0},
		{[]string{" 16"}, 0},
		{[]string{"16", "17"}, 0},
		{[]string{"99999999999999999999"}, 0},
	} {
		if n, ok := ParseMaxQueued(tc.values); ok != (tc.want != 0) || ok && n != tc.want {
			t.Errorf("%q: %d %t, want %d", tc.values, n, ok, tc.want)
		}
	}
}

// TestUnframed: EVENTBUS-SSE-015
func TestUnframed(t *testing.T) {
	full := strings.Repeat("😀", MaxUnframed/2)
	if Unframed(full) || !Unframed(full+"x") || Unframed(strings.Repeat("€", 1000)) {
		t.Error("the bound is not 2^24 UTF-16 units")
	}
}
