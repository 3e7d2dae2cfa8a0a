package machines

import "testing"

// TestTurn: a scope that shows something succeeds with the way there, fails at its end without one, and is in doubt where a bound ended it.
func TestTurn(t *testing.T) {
	way, end, bound := Found{Counterexample: "a way"}, Found{}, Found{}
	end.Complete = true
	for name, tc := range map[string]struct {
		found         Found
		shown, broken string
		complete      bool
	}{
		"shown":   {way, "a way", "", true},
		"not":     {end, "", "A-LAW-001 does not happen", false},
		"unknown": {bound, "", "", false},
	} {
		if got := turn(tc.found, "A-LAW-001"); got.Shown != tc.shown || got.Counterexample != tc.broken || got.Complete != tc.complete {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
