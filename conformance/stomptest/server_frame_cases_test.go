package stomptest

import (
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
)

func TestRefusalOfLeavesTheCommandOut(t *testing.T) {
	unknown := refusalOf("BOGUS", reply{Error: frameOf("ERROR", "message", "unknown command BOGUS")})
	if got := refusalOf("NACK", reply{Error: frameOf("ERROR", "message", "unknown command NACK")}); got != unknown {
		t.Errorf("the same refusal of two commands differs: %q and %q", unknown, got)
	}
	if got := refusalOf("NACK", reply{Error: frameOf("ERROR", "message", "no such message")}); got == unknown {
		t.Errorf("a refusal with a reason of its own reads like one of an unknown command: %q", got)
	}
	if got := refusalOf("NACK", reply{Ended: conformance.EOF}); got == unknown {
		t.Errorf("an end without ERROR reads like an ERROR: %q", got)
	}
}

func TestTrialWordsWhatCameOfIt(t *testing.T) {
	for _, c := range []struct {
		trial   trial
		seen    string
		refused bool
	}{
		{trial{answer: reply{Frame: frameOf("RECEIPT")}}, "not delivered; the connection goes on", false},
		{trial{answer: reply{Error: frameOf("ERROR", "message", "no")}}, "not delivered; ERROR message:no", true},
		{trial{answer: reply{Ended: conformance.EOF}}, "not delivered; connection closed by the target", true},
		{trial{answer: reply{Timed: true}, message: frameOf("MESSAGE", "x", "1")}, "delivered as MESSAGE x:1; nothing", false},
	} {
		if got := c.trial.seen(); got != c.seen {
			t.Errorf("seen is %q, want %q", got, c.seen)
		}
		if got := c.trial.refused(); got != c.refused {
			t.Errorf("%s: refused is %v, want %v", c.seen, got, c.refused)
		}
	}
}
