package main

import (
	"io/fs"
	"path"
	"strings"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suites"
	"github.com/seed-6f28358b/assay/corpus"
	"github.com/seed-6f28358b/assay/fuzz"
	"github.com/seed-6f28358b/assay/fuzz/mutants"
	"github.com/seed-6f28358b/assay/model/machines"
)

// evidence collects what speaks for each law: cases, machines, fuzz oracles with their vectors, ways into races, and
// mutants that were caught.
func evidence() (*conformance.Coverage, error) {
	var all []conformance.Evidence
	for _, s := range suites.All() {
		all = append(all, conformance.CaseEvidence(s.Cases)...)
	}
	for _, l := range machines.Laws() {
		all = append(all, conformance.Evidence{Law: l.Law, Kind: conformance.ByMachine, Where: l.Where})
	}
	for _, o := range fuzz.Oracles() {
		for _, law := range o.Laws {
			all = append(all, conformance.Evidence{Law: law, Kind: conformance.ByFuzz, Where: o.Target})
		}
	}
	vectors, err := corpus.Citations()
	if err != nil {
		return nil, err
	}
	for _, v := range vectors {
		for _, law := range v.Laws {
			all = append(all, conformance.Evidence{Law: law, Kind: conformance.ByFuzz, Where: "vector " + v.Name})
		}
	}
	ways, err := fs.Glob(corpus.FS, "databus/races/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, way := range ways {
		law := "DATABUS-" + strings.TrimSuffix(path.Base(way), ".yaml")
		all = append(all, conformance.Evidence{Law: law, Kind: conformance.ByFuzz, Where: "way " + law})
	}
	for _, protocol := range mutants.Protocols() {
		caught, err := mutants.Caught(protocol)
		if err != nil {
			return nil, err
		}
		for _, c := range caught {
			all = append(all, conformance.Evidence{Law: c.Law, Kind: conformance.ByMutant, Where: c.Mutant})
		}
	}
	return conformance.NewCoverage(all), nil
}
