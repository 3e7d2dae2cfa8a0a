package fuzz

import (
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
)

// cutOnce is the longest body that is cut in every single place; cutTwice and cutEverywhere hold as for frames.
const cutOnce = 400

// EVENTBUS-WHATWG-004, EVENTBUS-SSE-010: a short body comes to the same in every way to cut it.
func TestEventbusVectorsInEveryChunking(t *testing.T) {
	seen := map[string]bool{}
	everywhere, twice, once := 0, 0, 0
	for _, v := range eventbusVectors(t) {
		body := v.Stream()
		if v.Op != corpus.ParseStream || len(body) > cutOnce || seen[string(body)] {
			continue
		}
		seen[string(body)] = true
		var cuts [][]int
		switch {
		case len(body) <= cutEverywhere:
			cuts = everyCut(len(body))
			everywhere++
		case len(body) <= cutTwice:
			cuts = pairsOfCuts(len(body))
			twice++
		default:
			for i := range body {
				cuts = append(cuts, []int{i})
			}
			once++
		}
		for _, cut := range cuts {
			chunks := cutAt(body, cut)
			got, err := parseStream(&v, chunks)
			if err == nil {
				err = sameParse(&v.Want, got, chunkOf(v.Want.Error, chunks))
			}
			if err != nil {
				t.Errorf("%s, cut at %v: %v", v.Name, cut, err)
				break
			}
		}
	}
	if everywhere < 3 || twice < 60 || once < 30 {
		t.Errorf("%d bodies were cut everywhere, %d twice and %d once", everywhere, twice, once)
	}
}
