package lab

import (
	"embed"
	"fmt"
	"time"

	"github.com/goccy/go-yaml"
)

// Profiles are the profile files of the lab's brokers, profiles/NAME.yaml each.
//
//go:embed profiles/*.yaml
var profiles embed.FS

// Profile is what the lab says about a broker so that Assay can judge it: the contents of one file in
// profiles.
type Profile struct {
	// Name is the broker's name; Title is software and version for which the file was written.
	Name  string `yaml:"name"`
	Title string `yaml:"title"`
	// Login, Passcode and Host are sent in CONNECT; an empty one is left out.
	Login    string `yaml:"login"`
	Passcode string `yaml:"passcode"`
	Host     string `yaml:"host"`
	// Queue and Topic say how a destination is spelled; {name} stands for the name. Empty means that
	// there are none.
	Queue string `yaml:"queue"`
	Topic string `yaml:"topic"`
	// Versions are the protocol versions that the broker means to speak.
	Versions []string `yaml:"versions"`
	// Unsupported maps an option that the software by design does not have to the reason.
	Unsupported map[string]string `yaml:"unsupported"`
	// Deadlines are how long to wait for what.
	Deadlines Deadlines `yaml:"deadlines"`
	// Baseline is the file of known deviations, relative to the profile.
	Baseline string `yaml:"baseline"`
}

// Deadlines are the waiting times of a profile.
type Deadlines struct {
	// Reply is for an answer to a frame, Close for the end of a connection, Quiet for how long
	// "nothing arrives" is watched, Heartbeat the smallest heart-beat interval worth asking for.
	Reply     time.Duration `yaml:"reply"`
	Close     time.Duration `yaml:"close"`
	Quiet     time.Duration `yaml:"quiet"`
	Heartbeat time.Duration `yaml:"heartbeat"`
}

// ProfileYAML returns the profile file of the broker, as it is.
func (b Broker) ProfileYAML() ([]byte, error) {
	raw, err := profiles.ReadFile("profiles/" + b.Name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read profile of %s: %w", b.Name, err)
	}
	return raw, nil
}

// Profile returns the broker's profile.
func (b Broker) Profile() (Profile, error) {
	raw, err := b.ProfileYAML()
	if err != nil {
		return Profile{}, err
	}
	var p Profile
	if err := yaml.UnmarshalWithOptions(raw, &p, yaml.Strict()); err != nil {
		return Profile{}, fmt.Errorf("parse profile of %s: %w", b.Name, err)
	}
	return p, nil
}
