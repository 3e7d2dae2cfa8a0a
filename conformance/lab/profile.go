package lab

import (
	"embed"
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
	"github.com/seed-6f28358b/assay/conformance/suites"
)

// profiles are the profile files of the lab's brokers, profiles/NAME.yaml each.
//
//go:embed profiles/*.yaml
var profiles embed.FS

// baselines are the deviations that are known of what the lab judges, baselines/NAME.yaml each.
//
//go:embed baselines/*.yaml
var baselines embed.FS

// Baseline returns the known deviations of that name, as they were when this program was built. The error of a name that has none is
// [fs.ErrNotExist].
func Baseline(name string) (*conformance.Baseline, error) {
	raw, err := baselines.ReadFile("baselines/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	return conformance.ParseBaseline(raw)
}

// Profile returns the broker's profile, with which Assay judges it.
func (b Broker) Profile() (conformance.Profile, error) {
	raw, err := profiles.ReadFile("profiles/" + b.Name + ".yaml")
	if err != nil {
		return conformance.Profile{}, fmt.Errorf("read profile of %s: %w", b.Name, err)
	}
	p, err := conformance.ParseProfile(raw, suites.Sections()...)
	if err != nil {
		return conformance.Profile{}, fmt.Errorf("parse profile of %s: %w", b.Name, err)
	}
	return p, nil
}
