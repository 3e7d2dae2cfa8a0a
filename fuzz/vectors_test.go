package fuzz

import (
	"slices"
	"testing"

	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/model/eventbusmodel"
	"github.com/seed-6f28358b/assay/model/stompmodel"
)

// Every vector has its one right outcome on the reference.
func TestVectors(t *testing.T) {
	all, err := Vectors()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		decided(t, v)
	}
}

// Every vector of something that a machine describes has its one right outcome on the machine too. What a send wrote is
// compared where the vector gives the octets; that they decode is the reference's to show.
func TestVectorsOnMachines(t *testing.T) {
	for op, run := range map[corpus.StompOp]func(*corpus.StompVector, stompmodel.Version) error{
		corpus.Decode: machineDecode, corpus.Encode: machineEncode, corpus.DecoderLimits: machineLimits, corpus.RunSession: machineSession,
	} {
		for _, v := range stompVectors(t, op) {
			decided(t, Vector{v.Citation, func() error {
				return inEach(v.Versions, func(version string) error { return run(&v, stompmodel.Version(version)) })
			}})
		}
	}
	for _, v := range eventbusVectors(t) {
		// But for the view the machines know of no dialect.
		versions := v.Versions
		if v.Op != corpus.ReduceFrames {
			versions = versions[:1]
		}
		decided(t, Vector{v.Citation, func() error {
			return inEach(versions, func(version string) error {
				dialect, err := eventbusmodel.ParseDialect(version)
				if err != nil {
					return err
				}
				return machineStream(&v, dialect)
			})
		}})
	}
	for _, v := range substrateVectors(t) {
		decided(t, Vector{v.Citation, func() error { return machineSubstrate(&v) }})
	}
}

func decided(t *testing.T, v Vector) {
	t.Run(v.Name, func(t *testing.T) {
		if err := v.Run(); err != nil {
			t.Errorf("%v\n%s:%d cites %v", err, v.File, v.Line, v.Laws)
		}
	})
}

// stompVectors returns the STOMP vectors with one of the operations.
func stompVectors(t testing.TB, ops ...corpus.StompOp) []corpus.StompVector {
	t.Helper()
	return withOps(t, corpus.StompVectors, func(v corpus.StompVector) corpus.StompOp { return v.Op }, ops)
}

// eventbusVectors returns the stream vectors with one of the operations, or all.
func eventbusVectors(t testing.TB, ops ...corpus.EventbusOp) []corpus.EventbusVector {
	t.Helper()
	return withOps(t, corpus.EventbusVectors, func(v corpus.EventbusVector) corpus.EventbusOp { return v.Op }, ops)
}

func withOps[V any, O comparable](t testing.TB, load func() ([]V, error), op func(V) O, ops []O) []V {
	t.Helper()
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(ops) > 0 {
		all = slices.DeleteFunc(all, func(v V) bool { return !slices.Contains(ops, op(v)) })
	}
	if len(all) == 0 {
		t.Fatalf("the corpus has no vector for %v", ops)
	}
	return all
}

// A notice keeps account of expectations that were changed, each of which must make its vector fail: a runner that does not
// look at one would let it say anything.
type notice map[string]int

// sees takes what became of a vector with the expectation what changed.
func (n notice) sees(t *testing.T, vector, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: nobody looks at the %s", vector, what)
	}
	n[what]++
}

// all demands that each kind of expectation was changed.
func (n notice) all(t *testing.T, whats ...string) {
	t.Helper()
	for _, what := range whats {
		if n[what] == 0 {
			t.Errorf("no vector wants a %s", what)
		}
	}
}
