package mutants

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/seed-6f28358b/assay/corpus"
)

// referenceFile is the file, beside the mutants, that says what they are made of.
const referenceFile = "reference.yaml"

// A reference is what the mutants of one protocol are made of.
type reference struct {
	SansIO []string `yaml:"sansIO"` // the parts that vectors can see into: what their files begin with, from the root of the repository
	Ways   string   `yaml:"ways"`   // a test of package fuzz that takes the ways of the corpus, one for each law, which names its subtest; empty: none
	AsItIs string   `yaml:"asItIs"` // a file to build unchanged
}

func referenceOf(protocol string) (reference, error) {
	var r reference
	file := path.Join(protocol, "mutants", referenceFile)
	data, err := corpus.FS.ReadFile(file)
	if err != nil {
		return r, err
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&r); err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// sansIO reports whether vectors can see into a file.
func sansIO(file string) (bool, error) {
	for _, protocol := range Protocols() {
		r, err := referenceOf(protocol)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(r.SansIO, func(part string) bool { return strings.HasPrefix(file, part) }) {
			return true, nil
		}
	}
	return false, nil
}
