package heartbeat

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseAcceptsTheGrammarOnly(t *testing.T) {
	// STOMP-HEARTBEAT-001, STOMP-HEARTBEAT-009
	for value, want := range map[string]Pair{
		"0,0":          {},
		"0,100":        {Want: 100},
		"2147483647,0": {Send: MaxInterval},
		"007,08":       {Send: 7, Want: 8},
	} {
		got, err := Parse(value)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", value, got, err, want)
		}
	}
	for _, value := range []string{
		"", "1", ",", "1,", ",1", "1,2,3", "-1,2", "+1,2", "1, 2", " 1,2", "1,2 ", "2147483648,0", "0,2147483648",
		"0x1,2", "1.0,2", "１,2", strings.Repeat("9", 4096) + ",0", "1\n,2",
	} {
		got, err := Parse(value)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || got != (Pair{}) {
			t.Errorf("Parse(%q) = %v, %v; want a SyntaxError", value, got, err)
		} else if len(err.Error()) > 400 {
			t.Errorf("Parse of %d octets: message of %d octets", len(value), len(err.Error()))
		}
	}
}

func TestPairStringIsTheInverseOfParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Int64Range(0, MaxInterval)
		want := Pair{Send: part.Draw(t, "send"), Want: part.Draw(t, "want")}
		got, err := Parse(want.String())
		if err != nil || got != want || want.Validate() != nil {
			t.Fatalf("Parse(%q) = %v, %v", want.String(), got, err)
		}
	})
}

func TestNegotiateTakesTheMaximum(t *testing.T) {
	// STOMP-HEARTBEAT-003
	for _, c := range []struct {
		client, server  Pair
		toServer, toClt int64
	}{
		{Pair{10, 20}, Pair{30, 40}, 40, 30},
		{Pair{0, 20}, Pair{0, 40}, 0, 0},
		{Pair{5, 0}, Pair{5, 7}, 7, 0},
		{Pair{40, 30}, Pair{20, 10}, 40, 30},
	} {
		toServer, toClient, err := Negotiate(c.client, c.server)
		if err != nil || toServer != c.toServer || toClient != c.toClt {
			t.Errorf("Negotiate(%v, %v) = %d, %d, %v", c.client, c.server, toServer, toClient, err)
		}
	}
}

func TestNegotiateRejectsNegatives(t *testing.T) {
	// STOMP-HEARTBEAT-012
	for _, c := range [][2]Pair{{{-1, 0}, {}}, {{0, -1}, {}}, {{}, {-1, 0}}, {{}, {0, -1}}} {
		_, _, err := Negotiate(c[0], c[1])
		var out *RangeError
		if !errors.As(err, &out) || out.Found != -1 {
			t.Errorf("Negotiate(%v, %v): %v; want a RangeError", c[0], c[1], err)
		}
	}
	if (Pair{0, MaxInterval + 1}).Validate() == nil || (Pair{-1, 0}).Validate() == nil {
		t.Error("Validate accepts a part out of range")
	}
}
