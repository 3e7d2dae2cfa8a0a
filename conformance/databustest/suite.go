package databustest

import (
	"context"
	"slices"
	"time"

	"github.com/seed-6f28358b/assay/conformance"
)

// Suite returns the suite that judges data buses, each through an adapter.
func Suite() *conformance.Suite {
	return &conformance.Suite{
		Name: "databus", Protocol: "databus", Title: "Cross-tab data bus", Cases: cases(), Schemes: []string{"exec"},
		Reference: func(context.Context) (*conformance.Reference, error) {
			return &conformance.Reference{
				Adapter: ServeReference, Transports: []string{"exec"}, Stop: func() {},
				Profile: conformance.Profile{Name: "ref", Title: "Assay's reference data bus", Deadlines: patient()},
			}, nil
		},
		Probe: probe,
	}
}

// cases are all of the suite.
func cases() []conformance.Case {
	return slices.Concat(
		fenceCases(), lagCases(), raceCases(), exploreCases(),
		keyCases(), recordCases(), routeCases(), ownerCases(), stickyCases(), generationCases(), confirmCases(), identityCases(),
		subscribeCases(), unsubscribeCases(), publishCases(), gateCases(), controlCases(), eventCases(), registryCases(), cacheCases(),
		batchCases(), movingCases(),
	)
}

// patient returns deadlines for a bus in this process, which the race detector may slow down.
func patient() conformance.ProfileDeadlines {
	return conformance.ProfileDeadlines{Case: conformance.Duration(3 * time.Minute)}
}

// probe greets the adapter and finds out what target and adapter do without.
func probe(_ context.Context, t *conformance.T) conformance.Capabilities {
	b := tabsOf(t)
	return conformance.Capabilities{Software: b.hello.Software, Versions: b.hello.Versions, Absent: b.hello.Options}
}

// both are the versions that most cases run under.
func both() []string { return []string{v010, fenced} }

// one is a case that runs under both versions; one of a single version names it afterwards.
func one(name, title string, laws, options []string, do func(*busT)) conformance.Case {
	return conformance.Case{
		ID: "databus/tab/" + name, Title: title, Laws: laws, Versions: both(), Run: onTabs(do),
		Needs: conformance.Needs{Options: options},
	}
}

// under has a case run under one version only.
func under(version string, c conformance.Case) conformance.Case {
	c.Versions = []string{version}
	return c
}

// laws are those of a case.
func laws(ids ...string) []string { return ids }

// needs are the options of a case.
func needs(names ...string) []string { return names }
