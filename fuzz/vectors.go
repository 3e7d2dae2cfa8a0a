package fuzz

import (
	"fmt"

	"github.com/seed-6f28358b/assay/corpus"
)

// A Vector is a vector of the corpus, of any protocol, as an experiment on the reference.
type Vector struct {
	corpus.Citation
	// Run returns how the outcome differs from the right one.
	Run func() error
}

// Vectors returns all vectors of the corpus.
func Vectors() ([]Vector, error) {
	var out []Vector
	stomp, err := corpus.StompVectors()
	if err != nil {
		return nil, err
	}
	for _, v := range stomp {
		out = append(out, Vector{v.Citation, func() error { return RunStompVector(v) }})
	}
	eventbus, err := corpus.EventbusVectors()
	if err != nil {
		return nil, err
	}
	for _, v := range eventbus {
		out = append(out, Vector{v.Citation, func() error { return RunEventbusVector(v) }})
	}
	substrate, err := corpus.SubstrateVectors()
	for _, v := range substrate {
		out = append(out, Vector{v.Citation, func() error { return RunSubstrateVector(v) }})
	}
	return out, err
}

// named says which vector an error is of.
func named(name string, err error) error {
	if err != nil {
		return fmt.Errorf("vector %s: %w", name, err)
	}
	return nil
}

// inEach runs something in each of the versions.
func inEach(versions []string, run func(version string) error) error {
	for _, version := range versions {
		if err := run(version); err != nil {
			return fmt.Errorf("in %s: %w", version, err)
		}
	}
	return nil
}
