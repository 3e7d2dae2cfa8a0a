package lab

import (
	"embed"
	"fmt"

	"github.com/seed-6f28358b/assay/conformance"
)

// profiles are the profile files of the lab's brokers, profiles/NAME.yaml each.
//
//go:embed profiles/*.yaml
var profiles embed.FS

// Profile returns the broker's profile, with which Assay judges it.
func (b Broker) Profile() (conformance.Profile, error) {
	raw, err := profiles.ReadFile("profiles/" + b.Name + ".yaml")
	if err != nil {
		return conformance.Profile{}, fmt.Errorf("read profile of %s: %w", b.Name, err)
	}
	p, err := conformance.ParseProfile(raw)
	if err != nil {
		return conformance.Profile{}, fmt.Errorf("parse profile of %s: %w", b.Name, err)
	}
	return p, nil
}
