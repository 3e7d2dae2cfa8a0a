package corpus_test

import (
	"slices"
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

func catalogue(t *testing.T) *spec.Catalogue {
	t.Helper()
	c, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cited reports ids that the catalogue does not have, and versions that no cited law speaks of: for such a version the
// vector would claim a result that nothing decides.
func cited(t *testing.T, c *spec.Catalogue, where string, ids, versions []string) {
	t.Helper()
	var laws []spec.Law
	for _, id := range ids {
		l, ok := c.Law(id)
		if !ok || !l.Active() {
			t.Errorf("%s cites %s, which is not a law in force", where, id)
			continue
		}
		laws = append(laws, l)
	}
	for _, v := range versions {
		if !slices.ContainsFunc(laws, func(l spec.Law) bool { return l.AppliesTo(v) }) {
			t.Errorf("%s holds for %s, but none of %v does", where, v, ids)
		}
	}
}

func TestVectorsCiteLawsThatDecide(t *testing.T) {
	c := catalogue(t)
	for _, v := range vectors(t) {
		cited(t, c, v.Name, v.Laws, v.Versions)
		for _, f := range v.Want.Findings {
			cited(t, c, v.Name+" findings", []string{f.Law}, v.Versions)
		}
		if len(v.Want.Clear) > 0 {
			cited(t, c, v.Name+" clear", v.Want.Clear, v.Versions)
		}
	}
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

func TestEveryCodecLawHasVectorsOnBothSides(t *testing.T) {
	accepted, refused := map[string]bool{}, map[string]bool{}
	byVersion := map[string]map[string]bool{}
	for _, v := range vectors(t) {
		a, r := sides(v)
		for _, l := range v.Laws {
			accepted[l] = accepted[l] || a
			refused[l] = refused[l] || r
			if byVersion[l] == nil {
				byVersion[l] = map[string]bool{}
			}
			for _, ver := range v.Versions {
				byVersion[l][ver] = true
			}
		}
	}
	n := 0
	for _, l := range catalogue(t).Laws("stomp") {
		if l.Role != "codec" || !l.Active() {
			continue
		}
		if _, other := notOfTheCodec[l.ID]; other {
			continue
		}
		n++
		_, one := oneSided[l.ID]
		both := accepted[l.ID] && refused[l.ID]
		switch {
		case !accepted[l.ID] && !refused[l.ID]:
			t.Errorf("%s (%s) has no vector", l.ID, l.Title)
		case !both && !one:
			t.Errorf("%s (%s) has vectors on one side only: accepts %v, refuses %v", l.ID, l.Title, accepted[l.ID], refused[l.ID])
		case both && one:
			t.Errorf("%s (%s) is listed as one-sided, but has vectors on both sides", l.ID, l.Title)
		}
		for _, ver := range l.Versions {
			if !byVersion[l.ID][ver] {
				t.Errorf("%s (%s) has no vector for %s", l.ID, l.Title, ver)
			}
		}
	}
	if n < 80 {
		t.Errorf("the catalogue has %d codec laws; 80 were read when the vectors were written", n)
	}
	for id := range oneSided {
		if l, ok := catalogue(t).Law(id); !ok || l.Role != "codec" {
			t.Errorf("%s is listed as one-sided, but is no codec law", id)
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
		version, stream string
		limits          corpus.Limits
		end             bool
	}
	first := map[key]corpus.StompVector{}
	for _, v := range vectors(t) {
		if v.Op != corpus.Decode {
			continue
		}
		for _, ver := range v.Versions {
			k := key{version: ver, stream: string(v.Stream()), end: v.End}
			if v.Limits != nil {
				k.limits = *v.Limits
			}
			if other, ok := first[k]; ok && len(v.Stream()) > 0 {
				a, b := v.Want.Error, other.Want.Error
				if (a == nil) != (b == nil) || a == nil && len(v.Want.Events) != len(other.Want.Events) {
					t.Errorf("%s and %s give the same octets in %s different results", v.Name, other.Name, ver)
				}
				continue
			}
			first[k] = v
		}
	}
}
