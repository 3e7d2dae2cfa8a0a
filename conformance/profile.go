package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// A Profile is what a person tells us about a target. The zero value suits a target that needs no
// credentials and spells destinations /queue/NAME and /topic/NAME.
type Profile struct {
	Name     string `yaml:"name"`
	Title    string `yaml:"title"`
	Login    string `yaml:"login"`
	Passcode string `yaml:"passcode"`
	Host     string `yaml:"host"`  // value of the host header; default: the address's host
	Queue    string `yaml:"queue"` // how a queue is spelled; {name} stands for its name
	Topic    string `yaml:"topic"` // how a topic is spelled
	// Versions are the protocol versions to judge; nil: all that the target negotiates.
	Versions []string `yaml:"versions"`
	// Unsupported maps options that the target does not have to the reason.
	Unsupported map[string]string `yaml:"unsupported"`
	Deadlines   ProfileDeadlines  `yaml:"deadlines"`
	// Baseline is a file of known deviations, relative to the profile. It is applied whenever the command line names no other.
	Baseline string      `yaml:"baseline"`
	TLS      ProfileTLS  `yaml:"tls"`
	HTTP     ProfileHTTP `yaml:"http"`
	// File is where the profile was read from, empty if nowhere.
	File string `yaml:"-"`
}

// ProfileDeadlines override the deadlines of DefaultTiming; absent ones stay.
type ProfileDeadlines struct {
	Reply     Duration `yaml:"reply"`
	Close     Duration `yaml:"close"`
	Quiet     Duration `yaml:"quiet"`
	HeartBeat Duration `yaml:"heartbeat"`
	Case      Duration `yaml:"case"`
}

// ProfileTLS says whom to trust. Verification cannot be switched off.
type ProfileTLS struct {
	CA         string `yaml:"ca"`          // PEM file of the authorities to trust, relative to the profile; default: the system's
	ServerName string `yaml:"server-name"` // name to verify and to send as SNI; default: the address's host
}

// A Duration is a time.Duration written as "300ms" in YAML.
type Duration time.Duration

// UnmarshalYAML reads a duration as time.ParseDuration does. An error names the field and its line.
func (d *Duration) UnmarshalYAML(node ast.Node) error {
	text := node.String()
	if scalar, ok := node.(*ast.StringNode); ok {
		text = scalar.Value
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return &yaml.SyntaxError{
			Message: fmt.Sprintf("%s: %q is no time: a number and a unit, as in 2s or 300ms", strings.TrimPrefix(node.GetPath(), "$."), text),
			Token:   node.GetToken(),
		}
	}
	*d = Duration(v)
	return nil
}

// MarshalYAML writes a duration as time.Duration prints.
func (d Duration) MarshalYAML() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// LoadProfile reads a profile file. Unknown keys are errors, with their line.
func LoadProfile(file string) (Profile, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Profile{}, fmt.Errorf("profile: %w", err)
	}
	p, err := ParseProfile(data)
	if err != nil {
		return Profile{}, fmt.Errorf("profile %s: %w", file, err)
	}
	p.File = file
	return p, nil
}

// ParseProfile reads a profile from YAML.
func ParseProfile(data []byte) (Profile, error) {
	var p Profile
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	if err := dec.Decode(&p); err != nil && len(bytes.TrimSpace(data)) > 0 {
		return Profile{}, err
	}
	return p, p.Validate()
}

// Validate reports what is wrong with p, naming the field.
func (p Profile) Validate() error {
	for _, f := range []struct{ name, pattern string }{{"queue", p.Queue}, {"topic", p.Topic}} {
		if f.pattern != "" && !strings.Contains(f.pattern, "{name}") {
			return fmt.Errorf("%s: %q does not contain {name}", f.name, f.pattern)
		}
	}
	for option, reason := range p.Unsupported {
		if strings.TrimSpace(reason) == "" {
			return fmt.Errorf("unsupported: %s has no reason", option)
		}
	}
	if err := p.HTTP.validate(); err != nil {
		return err
	}
	return p.Timing().Validate()
}

// Timing returns the deadlines that p asks for.
func (p Profile) Timing() Timing {
	t := DefaultTiming()
	set := func(dst *time.Duration, v Duration) {
		if v != 0 {
			*dst = time.Duration(v)
		}
	}
	set(&t.Reply, p.Deadlines.Reply)
	set(&t.Close, p.Deadlines.Close)
	set(&t.Quiet, p.Deadlines.Quiet)
	set(&t.HeartBeat, p.Deadlines.HeartBeat)
	set(&t.Case, p.Deadlines.Case)
	return t
}

// Path resolves a file named in the profile against the profile's own folder.
func (p Profile) Path(name string) string {
	if name == "" || filepath.IsAbs(name) || p.File == "" {
		return name
	}
	return filepath.Join(filepath.Dir(p.File), name)
}

// QueueName spells the destination of a queue.
func (p Profile) QueueName(name string) string { return spell(p.Queue, "/queue/{name}", name) }

// TopicName spells the destination of a topic.
func (p Profile) TopicName(name string) string { return spell(p.Topic, "/topic/{name}", name) }

func spell(pattern, fallback, name string) string {
	if pattern == "" {
		pattern = fallback
	}
	return strings.ReplaceAll(pattern, "{name}", name)
}

// errNoCA says that a CA file held no certificate.
var errNoCA = errors.New("no certificate in the CA file")
