package suitetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/spec"
)

// A Catalogue is what is promised of the cases of a suite.
type Catalogue struct {
	Protocol string   // whose laws they are about
	Paths    []string // what stands before group and name in the ids, as in stomp/server
	Nested   string   // the group whose cases are in groups of their own; empty: none
	Groups   []string // that there are, at least
	Least    int      // cases

	// Each active law of these roles and levels, all levels if nil, is cited by a case or stands in Hidden with the reason.
	Roles  []string
	Levels []spec.Level
	Hidden map[string]string

	// Options are all that a case may need.
	Options []string

	// A case under a version cites a law that holds there or, with Whole, nothing else: what a law says of other versions is
	// informational at most. Records are globs over the ids of those that do not, with the reason.
	Whole   bool
	Records map[string]string
}

// Check holds cases to what is promised of them.
func (c Catalogue) Check(t *testing.T, cases []conformance.Case) {
	t.Helper()
	for _, fault := range c.faults(cases) {
		t.Error(fault)
	}
}

// faults tells how cases differ from what is promised. Each entry of Hidden and Records must be needed.
func (c Catalogue) faults(cases []conformance.Case) (faults []error) {
	laws, err := spec.Load()
	if err == nil {
		err = conformance.ValidateCases(cases, func(id string) bool { _, ok := laws.Law(id); return ok })
	}
	if err != nil {
		return []error{err}
	}
	if len(cases) < c.Least {
		faults = append(faults, fmt.Errorf("%d cases, at least %d are promised", len(cases), c.Least))
	}
	return slices.Concat(faults, c.names(cases), c.versions(cases, laws), c.covers(cases, laws))
}

// names checks ids, titles, groups and options.
func (c Catalogue) names(cases []conformance.Case) (faults []error) {
	missing := slices.Clone(c.Groups)
	for _, one := range cases {
		if one.Title == "" {
			faults = append(faults, fmt.Errorf("%s has no title", one.ID))
		}
		for _, option := range one.Needs.Options {
			if !slices.Contains(c.Options, option) {
				faults = append(faults, fmt.Errorf("%s needs %q, which is no option", one.ID, option))
			}
		}
		parts := strings.Split(one.ID, "/")
		depth := 4
		if len(parts) > 2 && c.Nested != "" && parts[2] == c.Nested {
			depth = 5
		}
		if len(parts) != depth || !slices.Contains(c.Paths, parts[0]+"/"+parts[1]) || slices.Contains(parts, "") {
			faults = append(faults, fmt.Errorf("case id %s is not GROUP/NAME in one of %v", one.ID, c.Paths))
			continue
		}
		missing = slices.DeleteFunc(missing, func(g string) bool { return g == parts[2] })
	}
	if len(missing) > 0 {
		faults = append(faults, fmt.Errorf("no case in groups %v", missing))
	}
	return faults
}

// versions checks that a case can decide something wherever it runs.
func (c Catalogue) versions(cases []conformance.Case, laws *spec.Catalogue) (faults []error) {
	instances := conformance.Instances(cases)
	excused := make([]string, len(instances)) // the glob of Records
	for glob := range c.Records {
		matched, err := conformance.Selection{Only: []string{glob}}.Select(instances)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for i := range instances {
			if matched[i] {
				excused[i] = glob
			}
		}
	}
	needed := map[string]bool{}
	for i, in := range instances {
		foreign := 0
		for _, id := range in.Case.Laws {
			if law, _ := laws.Law(id); in.Version != "" && len(law.Versions) > 0 && !slices.Contains(law.Versions, in.Version) {
				foreign++
			}
		}
		if foreign == 0 || !c.Whole && foreign < len(in.Case.Laws) {
			continue
		}
		needed[excused[i]] = true
		if excused[i] == "" {
			faults = append(faults, fmt.Errorf("%s cites %d laws that do not hold in its version, of %v", in.ID(), foreign, in.Case.Laws))
		}
	}
	for glob := range c.Records {
		if !needed[glob] {
			faults = append(faults, fmt.Errorf("%s is listed for laws of other versions, and no case that it matches cites such", glob))
		}
	}
	return faults
}

// covers checks that the laws are cited.
func (c Catalogue) covers(cases []conformance.Case, laws *spec.Catalogue) (faults []error) {
	cited := conformance.NewCoverage(conformance.CaseEvidence(cases))
	strange := maps.Clone(c.Hidden)
	for _, l := range laws.Laws(c.Protocol) {
		if !l.Active() || !slices.Contains(c.Roles, l.Role) || c.Levels != nil && !slices.Contains(c.Levels, l.Level) {
			continue
		}
		n := len(cited.Where(l.ID, conformance.ByCase))
		if why := c.Hidden[l.ID]; (why == "") == (n == 0) {
			faults = append(faults, fmt.Errorf("%s %s: cited by %d cases, listed as out of reach: %q", l.ID, l.Title, n, why))
		}
		delete(strange, l.ID)
	}
	for id := range strange {
		faults = append(faults, fmt.Errorf("%s is listed as out of reach, and is none of the laws of %v", id, c.Roles))
	}
	return faults
}
