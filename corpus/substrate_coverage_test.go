package corpus_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/spec"
)

func substrateVectors(t *testing.T) []corpus.SubstrateVector {
	t.Helper()
	vs, err := corpus.SubstrateVectors()
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

// A vector may cite the laws that octets alone can show.
func TestSubstrateVectorsCiteLawsOfTheirKind(t *testing.T) {
	frames := []string{"WIRE", "CODEC", "ADDR", "VERB", "LIMIT", "SEQ", "ACK", "BOUNCE", "FEED", "RELAY"}
	handshakes := []string{"HANDSHAKE", "AUTH", "E2E", "WIRE"}
	groups := map[corpus.SubstrateOp][]string{
		corpus.DecodeFrame: frames, corpus.EncodeFrame: {"CODEC", "WIRE", "LIMIT"}, corpus.ClassOfCode: {"FINALITY"},
		corpus.DialHandshake: handshakes, corpus.ListenHandshake: handshakes,
	}
	c := catalogue(t)
	for _, v := range substrateVectors(t) {
		for _, id := range v.Laws {
			if l, _ := c.Law(id); !slices.Contains(groups[v.Op], l.Group) {
				t.Errorf("%s, which is done with %s, cites %s", v.Name, v.Op, id)
			}
		}
	}
}

// notInOctets are laws of the groups below that no message by itself can show.
var notInOctets = map[string]string{
	"SUBSTRATE-WIRE-007": "speaks of the ids that a producer mints",
	"SUBSTRATE-AUTH-001": "speaks of how a side is made; the runner counts its warnings",
	"SUBSTRATE-AUTH-002": "speaks of how a side is made",
}

func TestEveryLawOfTheWireHasVectors(t *testing.T) {
	groups := []string{"WIRE", "CODEC", "ADDR", "HANDSHAKE", "AUTH"}
	alone := []string{"SUBSTRATE-VERB-006", "SUBSTRATE-FINALITY-001", "SUBSTRATE-FINALITY-002", "SUBSTRATE-LIMIT-001", "SUBSTRATE-FEED-005"}
	covers(t, "substrate", citations(t), func(l spec.Law) bool {
		return l.Role == "codec" || slices.Contains(groups, l.Group) || slices.Contains(alone, l.ID)
	}, notInOctets, 30)
}

func TestSubstrateVectorsAreMany(t *testing.T) {
	count := map[corpus.SubstrateOp]int{}
	for _, v := range substrateVectors(t) {
		count[v.Op]++
	}
	for op, least := range map[corpus.SubstrateOp]int{
		corpus.DecodeFrame: 460, corpus.EncodeFrame: 35, corpus.ClassOfCode: 25, corpus.DialHandshake: 50, corpus.ListenHandshake: 85,
	} {
		if count[op] < least {
			t.Errorf("%d vectors of %s, want at least %d", count[op], op, least)
		}
	}
}

// TestSubstrateVectorsAgreeWithEachOther holds that no two vectors have one message, or one code.
func TestSubstrateVectorsAgreeWithEachOther(t *testing.T) {
	type key struct {
		op     corpus.SubstrateOp
		octets string
		feeds  bool
	}
	agree(t, substrateVectors(t), func(v corpus.SubstrateVector) corpus.Citation { return v.Citation },
		func(v corpus.SubstrateVector) (key, bool) {
			k := key{op: v.Op, feeds: v.Feeds}
			switch {
			case v.Octets != nil:
				k.octets = string(*v.Octets)
			case v.Code != nil:
				k.octets = string(*v.Code)
			case v.Side != nil:
				k.octets = fmt.Sprint(v.Side, v.Hears, v.Age)
			default:
				return k, false
			}
			return k, true
		},
		func(corpus.SubstrateVector, corpus.SubstrateVector) string { return "are the same" })
}
