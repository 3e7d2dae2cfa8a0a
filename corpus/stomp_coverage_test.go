package corpus_test

import (
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

func vectors(t *testing.T) []corpus.StompVector {
	t.Helper()
	vs, err := corpus.StompVectors()
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

// oneSided are the laws that only ever permit, or only ever forbid, as far as octets can show it.
var oneSided = map[string]string{
	"STOMP-FRAME-010":     "permits any number of EOLs",
	"STOMP-FRAME-015":     "permits a frame without headers",
	"STOMP-FRAME-021":     "says what is written",
	"STOMP-FRAME-024":     "says what is not checked",
	"STOMP-FRAME-025":     "is broken by a wrong event, not by an error",
	"STOMP-FRAME-018":     "says what fails after an error",
	"STOMP-HDR-002":       "permits an empty value",
	"STOMP-HDR-004":       "permits further colons",
	"STOMP-HDR-007":       "is broken by a wrong value, not by an error",
	"STOMP-HDR-010":       "is broken by a wrong list, not by an error",
	"STOMP-ESC-005":       "says what is written",
	"STOMP-ESC-007":       "says that nothing is an escape",
	"STOMP-ESC-010":       "says that nothing is an escape",
	"STOMP-BODY-012":      "says what is written",
	"STOMP-BODY-014":      "says that every octet is kept",
	"STOMP-HEARTBEAT-003": "gives a number for every input",
}

// sides tells whether a vector shows its laws accepting, refusing, or both.
func sides(v corpus.StompVector) (accepts, refuses bool) {
	if v.Op == corpus.Judge {
		return v.Want.Clear != nil, v.Want.Findings != nil
	}
	if v.Op == corpus.RunSession {
		return sessionSides(v)
	}
	e := v.Want.Error
	refuses = e != nil || v.Want.Reject
	return !refuses || e != nil && e.Optional, refuses || v.After != nil
}

// notOfTheCodec are laws that bind both sides, as those of the codec do, and speak of what a session does.
var notOfTheCodec = map[string]string{
	"STOMP-HEARTBEAT-002": "says what the absence of a header means; cases of both suites decide it",
	"STOMP-HEARTBEAT-007": "says what keeps a session alive; cases of both suites decide it",
}

func TestEveryCodecLawHasVectors(t *testing.T) {
	covers(t, "stomp", citations(t), func(l spec.Law) bool { return l.Role == "codec" }, notOfTheCodec, 80)
}

func TestEveryCodecLawHasVectorsOnBothSides(t *testing.T) {
	accepted, refused := map[string]bool{}, map[string]bool{}
	for _, v := range vectors(t) {
		a, r := sides(v)
		for _, l := range v.Laws {
			accepted[l] = accepted[l] || a
			refused[l] = refused[l] || r
		}
	}
	for _, l := range catalogue(t).Laws("stomp") {
		_, other := notOfTheCodec[l.ID]
		_, one := oneSided[l.ID]
		if l.Role != "codec" || !l.Active() || other {
			if one {
				t.Errorf("%s is listed as one-sided, but is no codec law", l.ID)
			}
			continue
		}
		if both := accepted[l.ID] && refused[l.ID]; both == one {
			t.Errorf("%s (%s) has vectors that accept: %v, that refuse: %v, and is listed as one-sided: %v", l.ID, l.Title, accepted[l.ID], refused[l.ID], one)
		}
	}
	for id := range oneSided {
		if _, ok := catalogue(t).Law(id); !ok {
			t.Errorf("%s is listed as one-sided, but is no law", id)
		}
	}
}

func TestClientBoundsHaveVectors(t *testing.T) {
	found := map[string]bool{}
	for _, v := range vectors(t) {
		for _, l := range v.Laws {
			found[l] = true
		}
	}
	for _, id := range []string{"STOMP-LIMIT-008", "STOMP-LIMIT-009", "STOMP-LIMIT-010", "STOMP-LIMIT-011", "STOMP-LIMIT-013"} {
		if !found[id] {
			t.Errorf("%s has no vector, though a codec can show it", id)
		}
	}
}

func TestEveryRuleIsWanted(t *testing.T) {
	wanted := map[string]bool{}
	for _, v := range vectors(t) {
		if v.Want.Error != nil {
			for _, r := range v.Want.Error.Rules {
				wanted[r] = true
			}
		}
	}
	for _, r := range corpus.RuleNames() {
		// A spent decoder is what the calls in after meet.
		if !wanted[r] && r != "spent" {
			t.Errorf("no vector wants the rule %s", r)
		}
	}
}

// TestDecodeVectorsAgreeWithEachOther holds that no two vectors give one stream two results.
func TestDecodeVectorsAgreeWithEachOther(t *testing.T) {
	type key struct {
		stream string
		limits corpus.Limits
		end    bool
	}
	agree(t, vectors(t), func(v corpus.StompVector) corpus.Citation { return v.Citation },
		func(v corpus.StompVector) (key, bool) {
			k := key{stream: string(v.Stream()), end: v.End}
			if v.Limits != nil {
				k.limits = *v.Limits
			}
			return k, v.Op == corpus.Decode && k.stream != ""
		},
		func(a, b corpus.StompVector) string {
			if x, y := a.Want.Error, b.Want.Error; (x == nil) != (y == nil) || x == nil && len(a.Want.Events) != len(b.Want.Events) {
				return "give the same octets different results"
			}
			return ""
		})
}
